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
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::Layer;

use crate::api;
use crate::clients::{Client, Slots};
use crate::config::Config;
use crate::service::Service;

/// The maximum number of header lines that the HTTP library parses. `gate` has lower limits,
/// because refusals by the library lack the header for pages of other sites (CORS).
const MAX_HEADERS: usize = 1024;
/// The maximum size of the request line and the headers that the HTTP library parses, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// The pause after a failed accept.
const PAUSE: Duration = Duration::from_millis(50);
/// The time limit for reading a refused request and answering it with status 503.
const REFUSAL: Duration = Duration::from_secs(1);
/// The maximum number of refused connections that are answered at the same time. The server closes
/// all others without an answer.
const MAX_REFUSALS: usize = 64;
/// The header that lets pages of other sites read a response.
const CORS: &str = "access-control-allow-origin: *\r\n";
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
        let (connections, refusals) = (Slots::new(bounds.connections), Slots::new(MAX_REFUSALS));
        let cors = if service.config.cors { CORS } else { "" };
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
                if let Some(slot) = refusals.take(client, MAX_REFUSALS) {
                    tokio::spawn(async move {
                        let _ = timeout(REFUSAL, refuse(stream, cors)).await;
                        drop(slot);
                    });
                }
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

/// Sends status 503 to a client, because too many connections are open. Reads the headers of the
/// request first: if unread bytes arrive at a closed socket, the client may lose the response.
async fn refuse(mut stream: TcpStream, cors: &str) -> io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") && request.len() < MAX_HEADER_BYTES {
        if stream.read_buf(&mut request).await? == 0 {
            break;
        }
    }
    let body = r#"{"error":"too many connections are open: retry in 10 s","kind":"busy"}"#;
    let text = format!(
        "HTTP/1.1 503 Service Unavailable\r\n{cors}content-type: application/json\r\ncontent-length: {}\r\n\
         retry-after: 10\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}
