//! The settings of the server, and the limits on requests and connections.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use pentago::Kernel;
use pentago_games::{Kind, Tablebase};

/// The settings of a server.
pub struct Config {
    /// The address and port to listen on. Port 0 picks a free port.
    pub listen: SocketAddr,
    /// The games that the server answers for.
    pub kinds: &'static [&'static Kind],
    /// The tables, which are probed before the solver runs.
    pub tables: Arc<Tablebase>,
    /// The rules that the server answers for, in canonical form. An empty list allows all rules.
    pub rules: Vec<String>,
    /// The kernel of the solver.
    pub kernel: Kernel,
    /// The number of threads of the solver.
    pub threads: NonZeroUsize,
    /// The memory of the solver in bytes, shared by all solutions that run simultaneously.
    pub memory: u64,
    /// The time limit of an answer.
    pub time: Duration,
    /// `true` if a full solution that fits in memory may exceed `time`, unless the request has its
    /// own time limit.
    pub finish: bool,
    /// The host names that requests may use, besides `localhost` and loopback addresses. An empty
    /// list allows every host name if `listen` is not a loopback address.
    pub hosts: Vec<String>,
    /// `true` to identify clients by `X-Forwarded-For`. This is safe only behind a proxy that sets
    /// the header.
    pub behind_proxy: bool,
    /// `true` to allow requests from pages of other sites (CORS).
    pub cors: bool,
    /// The limits on requests and connections.
    pub bounds: Bounds,
}

/// The limits on requests and connections. Every limit is finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The number of large solutions that may run simultaneously. Each solution gets an equal share
    /// of the memory.
    pub solves: usize,
    /// The number of requests that may wait for a large solution. If the queue is full, a new
    /// request gets status 429, or displaces a request of a client with more waiting requests.
    pub queue: usize,
    /// The time limit of one request, including its time in the queue, and of one solution.
    pub solve_time: Duration,
    /// The capacity of the answer cache in bytes.
    pub cache: u64,
    /// The maximum number of simultaneous connections.
    pub connections: usize,
    /// The maximum number of simultaneous connections of one client. Loopback addresses are exempt,
    /// because a proxy on this host connects for all its clients.
    pub per_address: usize,
    /// `true` to apply `per_address` to loopback addresses, too.
    pub count_loopback: bool,
    /// The maximum size of a request body in bytes.
    pub body_bytes: usize,
    /// The maximum number of simultaneous requests with a body from one client.
    pub bodies_each: usize,
    /// The time in which all headers of a request must arrive. An idle connection is closed after
    /// the same time.
    pub header_time: Duration,
    /// The time in which the whole body of a request must arrive.
    pub body_time: Duration,
    /// The time in which the client must accept at least one byte of a response that is being sent.
    pub write_time: Duration,
    /// The time for which a server that shuts down waits for unfinished requests.
    pub grace: Duration,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            solves: 1,
            queue: 16,
            solve_time: Duration::from_secs(120),
            cache: 64 << 20,
            connections: 1024,
            per_address: 64,
            count_loopback: false,
            body_bytes: 1 << 20,
            bodies_each: 16,
            header_time: Duration::from_secs(10),
            body_time: Duration::from_secs(10),
            write_time: Duration::from_secs(10),
            grace: Duration::from_secs(5),
        }
    }
}
