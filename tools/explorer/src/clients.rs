//! Who asks: clients are told apart by their addresses, and each has a share of what all want.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::api::Shared;

/// A client: the address that requests come from. With IPv6 everyone has a network of 64 bits, which
/// counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Client(IpAddr);

impl Client {
    /// The client with an address.
    pub fn new(address: IpAddr) -> Client {
        Client(match address.to_canonical() {
            IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::from((v6.to_bits() >> 64 << 64).to_be_bytes()),
            other => other,
        })
    }

    /// Whether it is on this host.
    pub fn is_loopback(self) -> bool {
        self.0.is_loopback()
    }

    /// The client that a proxy speaks for: the last address of `X-Forwarded-For`, which the proxy
    /// itself has written. Those before it are what the client says.
    fn forwarded(headers: &HeaderMap) -> Option<Client> {
        let last = headers.get_all("x-forwarded-for").into_iter().next_back()?.to_str().ok()?;
        let last = last.rsplit(',').next()?.trim();
        let address = last.parse().or_else(|_| last.parse::<SocketAddr>().map(|address| address.ip()));
        address.ok().map(Client::new)
    }
}

/// The client of a request, whose connection has left its own client in the extensions.
impl FromRequestParts<Shared> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Client, Infallible> {
        let config = &shared.service.config;
        let forwarded = config.behind_proxy.then(|| Client::forwarded(&parts.headers)).flatten();
        let peer = || parts.extensions.get::<Client>().copied();
        Ok(forwarded.or_else(peer).unwrap_or(Client::new(config.listen.ip())))
    }
}

/// What is there in a number, such as connections: so many in all, and fewer for each client.
#[derive(Debug)]
pub(crate) struct Shares {
    held: Mutex<HashMap<Client, usize>>,
    in_all: usize,
}

/// One of them, which a client holds as long as this lives.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Arc<Shares>,
    client: Client,
}

impl Shares {
    /// So many in all.
    pub fn new(in_all: usize) -> Arc<Shares> {
        Arc::new(Shares { held: Mutex::default(), in_all })
    }

    /// How many are held.
    pub fn count(&self) -> usize {
        self.held().values().sum()
    }

    /// One more for a client, unless it holds `each` already or all are held.
    pub fn take(self: &Arc<Shares>, client: Client, each: usize) -> Option<Share> {
        let mut held = self.held();
        let all = held.values().sum::<usize>();
        let own = held.entry(client).or_insert(0);
        if all >= self.in_all || *own >= each {
            let none = *own == 0;
            none.then(|| held.remove(&client));
            return None;
        }
        *own += 1;
        Some(Share { shares: Arc::clone(self), client })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<Client, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.shares.held();
        if let Some(own) = held.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                held.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: &str) -> Client {
        Client::new(address.parse().expect("an address"))
    }

    #[test]
    fn shares_are_counted_by_network() {
        let all = Shares::new(3);
        let take = |address: &str| all.take(client(address), 2);
        let first = take("2001:db8::1").expect("room");
        let _second = take("2001:db8::ffff:1").expect("room");
        assert!(take("2001:db8::2").is_none(), "the same network");
        let other = take("2001:db8:0:1::1").expect("another network");
        assert!(take("::1").is_none(), "too many in all");
        drop((first, other));
        assert_eq!(all.count(), 1);
        let _third = take("::ffff:127.0.0.1").expect("room");
        let _fourth = take("127.0.0.1").expect("room");
        assert_eq!(all.count(), 3);
        assert_eq!(all.held().len(), 2, "who holds none is forgotten");
    }

    #[test]
    fn the_last_address_is_what_the_proxy_says() {
        let forwarded = |lines: &[&'static str]| {
            let line = |&line: &&'static str| ("x-forwarded-for".parse().unwrap(), line.parse().unwrap());
            Client::forwarded(&lines.iter().map(line).collect::<HeaderMap>())
        };
        assert_eq!(forwarded(&["1.1.1.1, 2.2.2.2"]), Some(client("2.2.2.2")));
        assert_eq!(forwarded(&["1.1.1.1", "2.2.2.2:4444"]), Some(client("2.2.2.2")));
        assert_eq!(forwarded(&["[2001:db8::1]:80"]), Some(client("2001:db8::")));
        assert_eq!(forwarded(&["1.1.1.1, unknown"]), None);
        assert_eq!(forwarded(&[]), None);
    }
}
