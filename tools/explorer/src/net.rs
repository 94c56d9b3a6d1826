//! Connections: how many there are, how slow they may be, and how they end.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use crate::api;
use crate::clients::{Client, Share, Shares};
use crate::config::{Bounds, Config};
use crate::service::Service;

/// Headers of a request.
const MOST_HEADERS: usize = 64;
/// What is kept for the next attempt when the system gives no more connections.
const PAUSE: Duration = Duration::from_millis(50);
/// The time to tell everyone that the server ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A server that listens already.
pub struct Server {
    listener: TcpListener,
    service: Arc<Service>,
}

impl Server {
    /// Listens. Requests are answered once [`Server::run`] is called.
    ///
    /// # Errors
    /// What the system says: the address is taken, or not one of this host.
    pub async fn bind(config: Config) -> io::Result<Server> {
        let listener = TcpListener::bind(config.listen).await?;
        let service = Service::new(config).map_err(|failure| io::Error::other(failure.json(None)))?;
        Ok(Server { listener, service })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `end`; then requests in flight have some time to finish, and the others are
    /// told.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let Server { listener, service } = self;
        let bounds = service.config.bounds;
        let connections = Shares::new(bounds.connections);
        let router = api::router(Arc::clone(&service), Arc::clone(&connections));
        let graceful = GracefulShutdown::new();
        tokio::pin!(end);
        loop {
            let (stream, from) = tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    // A client that has left already, or no more files for now.
                    Err(_) => {
                        tokio::time::sleep(PAUSE).await;
                        continue;
                    }
                },
                () = &mut end => break,
            };
            let client = Client::new(from.ip());
            let counted = bounds.count_loopback || !client.is_loopback();
            let each = if counted { bounds.per_address } else { bounds.connections };
            let Some(share) = connections.take(client, each) else {
                service.metrics.refused.add();
                tokio::spawn(refuse(stream));
                continue;
            };
            service.metrics.connections.add();
            serve(stream, (client, share), router.clone(), &bounds, &graceful);
        }
        drop(listener);
        let ended = graceful.shutdown();
        tokio::pin!(ended);
        if tokio::time::timeout(bounds.grace, &mut ended).await.is_err() {
            service.stop();
            // Who doesn't listen even now is cut off.
            let _ = tokio::time::timeout(LAST_WORDS, ended).await;
        }
    }
}

/// Tells a client that there are too many connections.
async fn refuse(mut stream: TcpStream) {
    let text = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 10\r\nconnection: close\r\n\r\n";
    // It fits in the buffer of the socket.
    let _ = tokio::time::timeout(PAUSE, stream.write_all(text.as_bytes())).await;
}

/// Serves a client's connection in a task of its own. The requests say whose they are.
fn serve(
    stream: TcpStream,
    (client, share): (Client, Share),
    router: Router,
    bounds: &Bounds,
    graceful: &GracefulShutdown,
) {
    // Answers are written as a whole: waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(bounds.write_time));
    let io = TokioIo::new(Box::pin(stream));
    let service = TowerToHyperService::new(router.map_request(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(client);
        request
    }));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.header_time)
        .max_buf_size(bounds.header_bytes.max(8192))
        .max_headers(MOST_HEADERS)
        .serve_connection(io, service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // Errors are the client's: it left, sent no HTTP, or was too slow.
        let _: Result<(), hyper::Error> = connection.await;
        drop(share);
        Ok::<(), Infallible>(())
    });
}
