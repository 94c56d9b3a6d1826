//! Connections: their number, their time-outs, and the shutdown of the server.
//!
//! The accept loop is written by hand because `axum::serve` limits neither the connections nor the
//! time for headers. `tower_http::timeout` limits the handlers and the intervals between body
//! frames. This limit cannot detect a client that accepts no bytes, because the body is then not
//! polled. So the socket has a write time-out (`tokio-io-timeout`), and hyper limits the time for
//! headers.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Extension;
use futures_util::future::LocalBoxFuture;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::Layer;

use crate::api;
use crate::clients::{Client, Slots};
use crate::config::Config;
use crate::service::Service;

/// The maximum number of header lines of a request.
const MAX_HEADERS: usize = 64;
/// The maximum size of the request line and the headers, in bytes.
const MAX_HEADER_BYTES: usize = 16 << 10;
/// The pause after a failed accept, and the time-out of the response to a refused connection.
const PAUSE: Duration = Duration::from_millis(50);
/// The time for sending the last responses once all solutions have been stopped.
const LAST_RESPONSES: Duration = Duration::from_secs(1);

/// A server with an open listener.
pub struct Server {
    listener: TcpListener,
    service: Arc<Service>,
}

impl Server {
    /// Opens the listener. [`Server::run`] answers the requests.
    ///
    /// # Errors
    /// If the address is in use or does not belong to this host, or if no threads can be created.
    pub async fn bind(config: Config) -> io::Result<Server> {
        let listener = TcpListener::bind(config.listen).await?;
        Ok(Server { listener, service: Service::new(config).map_err(io::Error::other)? })
    }

    /// Returns the address and port that the server listens on.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until the future `end` completes, then shuts down. Unfinished requests may
    /// finish within `Bounds::grace`; all other requests get status 503.
    ///
    /// The futures are boxed, so that only this crate compiles the server, and not its callers.
    pub fn run<'a>(self, end: LocalBoxFuture<'a, ()>) -> LocalBoxFuture<'a, ()> {
        Box::pin(self.answer_until(end))
    }

    async fn answer_until(self, mut end: LocalBoxFuture<'_, ()>) {
        let Server { listener, service } = self;
        let bounds = service.config.bounds;
        let connections = Slots::new(bounds.connections);
        let router = api::router(Arc::clone(&service), Arc::clone(&connections));
        let graceful = GracefulShutdown::new();
        loop {
            let (stream, from) = tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    // The client has already disconnected, or the process has no free file
                    // descriptor. Pause before the next attempt.
                    Err(_) => {
                        sleep(PAUSE).await;
                        continue;
                    }
                },
                () = &mut end => break,
            };
            let client = Client::new(from.ip());
            let counted = bounds.count_loopback || !client.is_loopback();
            let each = if counted { bounds.per_address } else { bounds.connections };
            let Some(slot) = connections.take(client, each) else {
                service.metrics.refused.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(refuse(stream));
                continue;
            };
            service.metrics.connections.fetch_add(1, Ordering::Relaxed);
            // Responses are written as a whole, so Nagle's algorithm would only delay them.
            let _ = stream.set_nodelay(true);
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(bounds.write_time));
            // Attach the client to each request as an extension.
            let service = TowerToHyperService::new(Extension(client).layer(router.clone()));
            let connection = graceful.watch(
                http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(bounds.header_time)
                    .max_buf_size(MAX_HEADER_BYTES)
                    .max_headers(MAX_HEADERS)
                    .serve_connection(TokioIo::new(Box::pin(stream)), service),
            );
            tokio::spawn(async move {
                // Ignore errors: the client disconnected, sent invalid HTTP, or was too slow.
                let _ = connection.await;
                drop(slot);
            });
        }
        drop(listener);
        let ended = graceful.shutdown();
        tokio::pin!(ended);
        if timeout(bounds.grace, &mut ended).await.is_err() {
            service.stop();
            // Close connections whose clients do not accept the last response in time.
            let _ = timeout(LAST_RESPONSES, ended).await;
        }
    }
}

/// Sends status 503 to a client, because too many connections are open.
async fn refuse(mut stream: TcpStream) {
    let text = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 10\r\nconnection: close\r\n\r\n";
    // The response fits in the send buffer of the socket, so the write does not wait for the
    // client.
    let _ = timeout(PAUSE, stream.write_all(text.as_bytes())).await;
}
