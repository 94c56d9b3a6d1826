//! What the server is told when it starts, and the bounds that it keeps.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use pentago::Kernel;
use pentago_games::{Kind, Tables};

/// How a server works.
pub struct Config {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The games.
    pub kinds: &'static [&'static Kind],
    /// The tables that are asked before anything is solved.
    pub tables: Arc<Tables>,
    /// The only rules that are answered for, as canonical texts; empty for all.
    pub rules: Vec<String>,
    /// The kernel of the solver.
    pub kernel: Kernel,
    /// Threads of the solver.
    pub threads: NonZeroUsize,
    /// Bytes of memory for all solutions together.
    pub memory: u64,
    /// The time for looking ahead where the full solution doesn't fit in memory.
    pub time: Duration,
    /// Names besides `localhost` by which it may be asked for on a loopback address; if there are
    /// any, on other addresses, too.
    pub hosts: Vec<String>,
    /// Whether a proxy says in `X-Forwarded-For` whom it speaks for.
    pub behind_proxy: bool,
    /// Whether pages of other sites may ask.
    pub cors: bool,
    /// What limits requests and connections.
    pub bounds: Bounds,
}

/// What limits requests and connections. All are finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Large solutions at a time; each may take this part of the memory.
    pub solves: usize,
    /// Requests that may wait for one of these; the next is refused with 429, or takes the place of
    /// a client that has more of them.
    pub queue: usize,
    /// Requests that may wait for a probe of the tables or a small solution, in the same way.
    pub small_queue: usize,
    /// The longest time of a solution.
    pub solve_time: Duration,
    /// Bytes of answers that are kept.
    pub cache: u64,
    /// Connections at a time.
    pub connections: usize,
    /// Connections of one address at a time; none is counted for a loopback address unless
    /// `count_loopback` says so: a proxy on this host speaks for everyone.
    pub per_address: usize,
    /// Whether connections from loopback addresses are counted by address, too.
    pub count_loopback: bool,
    /// Bytes of a request's line and headers.
    pub header_bytes: usize,
    /// Bytes of a request's address.
    pub url_bytes: usize,
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// Requests with a body at a time.
    pub bodies: usize,
    /// Those of one client.
    pub bodies_each: usize,
    /// Positions of one request.
    pub positions: usize,
    /// The time in which a request's headers must come; also how long a connection may be idle.
    pub header_time: Duration,
    /// The time in which a request's body must come.
    pub body_time: Duration,
    /// The time in which a client must take some part of an answer.
    pub write_time: Duration,
    /// The time of a request with many positions, or with progress.
    pub stream_time: Duration,
    /// The time that requests in flight have when the server is to end.
    pub grace: Duration,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            solves: 1,
            queue: 16,
            small_queue: 1024,
            solve_time: Duration::from_secs(120),
            cache: 64 << 20,
            connections: 1024,
            per_address: 64,
            count_loopback: false,
            header_bytes: 16 << 10,
            url_bytes: 8 << 10,
            body_bytes: 1 << 20,
            bodies: 64,
            bodies_each: 16,
            positions: 1000,
            header_time: Duration::from_secs(10),
            body_time: Duration::from_secs(10),
            write_time: Duration::from_secs(10),
            stream_time: Duration::from_secs(600),
            grace: Duration::from_secs(5),
        }
    }
}
