//! Clients, identified by address, and limits with a maximum for each client.
//!
//! This code is written by hand because the concurrency limits of `tower` do not distinguish
//! clients: one client could use every slot.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::http::HeaderMap;
use pentago_base::lock;

/// A client, identified by its IP address. All addresses of an IPv6 network of 64 bits count as one
/// client, because providers assign such a network to each customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Client(IpAddr);

impl Client {
    /// Returns the client that has an address.
    pub fn new(address: IpAddr) -> Client {
        Client(match address.to_canonical() {
            IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::from((v6.to_bits() >> 64 << 64).to_be_bytes()),
            other => other,
        })
    }

    /// Returns `true` if the client is on this host.
    pub fn is_loopback(self) -> bool {
        self.0.is_loopback()
    }

    /// Returns the client that a proxy forwards for: the last address in `X-Forwarded-For`, which
    /// the proxy has appended. The client itself may have invented the addresses before the last
    /// one.
    pub fn forwarded(headers: &HeaderMap) -> Option<Client> {
        let last = headers.get_all("x-forwarded-for").into_iter().next_back()?.to_str().ok()?;
        let last = last.rsplit(',').next()?.trim();
        let address = last.parse().or_else(|_| last.parse::<SocketAddr>().map(|address| address.ip()));
        address.ok().map(Client::new)
    }
}

/// A limited number of slots, such as connections. Each client may hold only some of them.
#[derive(Debug)]
pub(crate) struct Slots {
    /// The number of slots held by each client. A client without slots is not in the map.
    held: Mutex<HashMap<Client, usize>>,
    limit: usize,
}

/// One slot of a client. Dropping the value frees the slot.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Arc<Slots>,
    client: Client,
}

impl Slots {
    /// Returns `limit` free slots.
    pub fn new(limit: usize) -> Arc<Slots> {
        Arc::new(Slots { held: Mutex::default(), limit })
    }

    /// Returns the number of slots that are held.
    pub fn count(&self) -> usize {
        lock(&self.held).values().sum()
    }

    /// Takes a slot for a client. Returns `None` if the client already holds `each` slots, or if no
    /// slot is free.
    pub fn take(self: &Arc<Slots>, client: Client, each: usize) -> Option<Slot> {
        let mut held = lock(&self.held);
        let own = held.get(&client).copied().unwrap_or(0);
        if own >= each || held.values().sum::<usize>() >= self.limit {
            return None;
        }
        held.insert(client, own + 1);
        Some(Slot { slots: Arc::clone(self), client })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut held = lock(&self.slots.held);
        held.entry(self.client).and_modify(|own| *own -= 1);
        held.retain(|_, own| *own > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: &str) -> Client {
        Client::new(address.parse().expect("an address"))
    }

    #[test]
    fn slots_are_counted_by_network() {
        let slots = Slots::new(3);
        let take = |address: &str| slots.take(client(address), 2);
        let first = take("2001:db8::1").expect("a free slot");
        let _second = take("2001:db8::ffff:1").expect("a free slot");
        assert!(take("2001:db8::2").is_none(), "the network has two slots already");
        let other = take("2001:db8:0:1::1").expect("a free slot for another network");
        assert!(take("::1").is_none(), "all three slots are held");
        drop((first, other));
        assert_eq!(slots.count(), 1);
        let _third = take("::ffff:127.0.0.1").expect("a free slot");
        let _fourth = take("127.0.0.1").expect("a free slot");
        assert_eq!(slots.count(), 3);
        assert_eq!(lock(&slots.held).len(), 2, "clients without slots are removed");
    }

    #[test]
    fn the_last_forwarded_address_is_the_client() {
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
