//! Connections: how many there are, how slow they may be, and how they end.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

use crate::api;
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

/// The connections there are.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// A connection that is counted as long as this lives.
#[derive(Debug)]
struct Counted {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut all = self.connections.lock();
        if let Some(count) = all.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.address);
            }
        }
    }
}

impl Connections {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lock().values().sum()
    }

    /// Counts one more, unless there are too many.
    fn admit(self: &Arc<Connections>, address: IpAddr, bounds: &Bounds) -> Option<Counted> {
        let address = network(address);
        let mut all = self.lock();
        let counted = bounds.count_loopback || !address.is_loopback();
        let there = all.get(&address).copied().unwrap_or(0);
        if all.values().sum::<usize>() >= bounds.connections || counted && there >= bounds.per_address {
            return None;
        }
        *all.entry(address).or_insert(0) += 1;
        Some(Counted { connections: Arc::clone(self), address })
    }
}

/// Whom an address stands for: with version 6 everyone has a network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::from((v6.to_bits() >> 64 << 64).to_be_bytes()),
        other => other,
    }
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
        let connections = Arc::new(Connections::default());
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
            let Some(counted) = connections.admit(from.ip(), &bounds) else {
                service.metrics.refused.add();
                tokio::spawn(refuse(stream));
                continue;
            };
            service.metrics.connections.add();
            serve(stream, counted, router.clone(), &bounds, &graceful);
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

/// Serves a connection in a task of its own.
fn serve(stream: TcpStream, counted: Counted, router: Router, bounds: &Bounds, graceful: &GracefulShutdown) {
    // Answers are written as a whole: waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(bounds.write_time));
    let io = TokioIo::new(Box::pin(stream));
    let service = TowerToHyperService::new(router);
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
        drop(counted);
        Ok::<(), Infallible>(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_counted_by_network() {
        let all = Arc::new(Connections::default());
        let bounds = Bounds { connections: 3, per_address: 2, ..Bounds::default() };
        let admit = |address: &str| all.admit(address.parse().expect("an address"), &bounds);
        let first = admit("2001:db8::1").expect("room");
        let _second = admit("2001:db8::ffff:1").expect("room");
        assert!(admit("2001:db8::2").is_none(), "the same network");
        let other = admit("2001:db8:0:1::1").expect("another network");
        assert!(admit("::1").is_none(), "too many in all");
        drop((first, other));
        assert_eq!(all.count(), 1);
        let _third = admit("::ffff:127.0.0.1").expect("room");
        let _fourth = admit("127.0.0.1").expect("room");
        assert_eq!(all.count(), 3);
    }
}
