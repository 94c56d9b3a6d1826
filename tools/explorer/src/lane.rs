//! The limit on simultaneous solutions, and the bounded, fair queue in front of it.
//!
//! Clients take turns: each turn goes to the next client, not to the oldest request. If only one
//! client sends requests, it may fill the queue. When the queue is full and another client arrives,
//! the client with the most waiting requests loses its latest request. So no client can lock out
//! the others.
//!
//! This code is written by hand because `tower::limit` and `tokio::sync::Semaphore` serve requests
//! in order of arrival. A client with many requests would delay all others.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pentago_base::lock;
use tokio::sync::oneshot;

use crate::clients::Client;
use crate::failure::Failure;

/// A limit on simultaneous solutions, with a bounded queue.
#[derive(Debug)]
pub(crate) struct Lane {
    queue: Mutex<Queue>,
    max_running: usize,
    max_waiting: usize,
    /// The moving average of the duration of a solution, in microseconds.
    usual: AtomicUsize,
}

#[derive(Debug, Default)]
struct Queue {
    running: usize,
    /// The lines of waiting requests, one line for each client with waiting requests. The first
    /// client has the next turn, and then moves to the end.
    lines: VecDeque<(Client, VecDeque<Waiter>)>,
}

/// A waiting request: the number of the request, and the channel for its permit.
type Waiter = (u64, oneshot::Sender<Permit>);

/// The entry of a request in the queue. Dropping the ticket removes the request from the queue.
#[derive(Debug)]
pub(crate) struct Ticket {
    lane: Arc<Lane>,
    number: u64,
    called: oneshot::Receiver<Permit>,
}

/// The right to run one solution, until the permit is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    lane: Arc<Lane>,
}

impl Queue {
    fn waiting(&self) -> usize {
        self.lines.iter().map(|(_, waiters)| waiters.len()).sum()
    }

    fn waiting_of(&self, client: Client) -> usize {
        self.lines.iter().find(|(owner, _)| *owner == client).map_or(0, |(_, waiters)| waiters.len())
    }

    fn push(&mut self, client: Client, waiter: Waiter) {
        match self.lines.iter_mut().find(|(owner, _)| *owner == client) {
            Some((_, waiters)) => waiters.push_back(waiter),
            None => self.lines.push_back((client, [waiter].into())),
        }
    }

    /// Removes and returns the request at index `at` of line `line`.
    fn remove(&mut self, line: usize, at: usize) -> Option<Waiter> {
        let (_, waiters) = &mut self.lines[line];
        let waiter = waiters.remove(at);
        if waiters.is_empty() {
            self.lines.remove(line);
        }
        waiter
    }

    /// Returns the line of a request and the index of the request in that line, or `None` if the
    /// request does not wait.
    fn find(&self, number: u64) -> Option<(usize, usize)> {
        self.lines.iter().enumerate().find_map(|(line, (_, waiters))| {
            let at = waiters.iter().position(|(other, _)| *other == number)?;
            Some((line, at))
        })
    }

    /// Makes room for a client in a full queue: removes the last request of the longest line, if
    /// that line is longer than the client's own line will be. Returns `true` if there is room now.
    fn make_room(&mut self, client: Client) -> bool {
        let lengths = self.lines.iter().map(|(_, waiters)| waiters.len()).enumerate();
        let Some((line, longest)) = lengths.max_by_key(|&(_, length)| length) else { return false };
        longest > self.waiting_of(client) + 1 && self.remove(line, longest - 1).is_some()
    }

    /// Removes and returns the request that has the next turn. Returns `None` if no request waits,
    /// or if `max_running` solutions are running.
    fn next(&mut self, max_running: usize) -> Option<Waiter> {
        if self.running >= max_running {
            return None;
        }
        let (client, mut waiters) = self.lines.pop_front()?;
        let waiter = waiters.pop_front()?;
        if !waiters.is_empty() {
            self.lines.push_back((client, waiters));
        }
        self.running += 1;
        Some(waiter)
    }
}

impl Lane {
    /// Returns a lane for `max_running` simultaneous solutions and `max_waiting` waiting requests.
    /// A value of 0 is treated as 1.
    pub fn new(max_running: usize, max_waiting: usize) -> Arc<Lane> {
        Arc::new(Lane {
            queue: Mutex::default(),
            max_running: max_running.max(1),
            max_waiting: max_waiting.max(1),
            usual: AtomicUsize::new(0),
        })
    }

    /// Returns the number of waiting requests.
    pub fn waiting(&self) -> usize {
        lock(&self.queue).waiting()
    }

    /// Returns the number of running solutions.
    pub fn running(&self) -> usize {
        lock(&self.queue).running
    }

    /// Adds a request of a client to the queue. No other request in the queue may have this number.
    ///
    /// # Errors
    /// [`Failure::busy`] if the queue is full.
    pub fn enter(self: &Arc<Lane>, client: Client, number: u64) -> Result<Ticket, Failure> {
        let (call, called) = oneshot::channel();
        let mut queue = lock(&self.queue);
        let full = queue.waiting() >= self.max_waiting;
        if full && !queue.make_room(client) {
            return Err(self.busy(queue.waiting()));
        }
        queue.push(client, (number, call));
        drop(queue);
        self.call_next();
        Ok(Ticket { lane: Arc::clone(self), number, called })
    }

    /// Records that a second client waits for a request in the queue. If the request would be
    /// nearer to the front in the line of the second client, moves the request there.
    pub fn join(&self, number: u64, client: Client) {
        let mut queue = lock(&self.queue);
        if let Some((line, at)) = queue.find(number)
            && queue.waiting_of(client) < at
            && let Some(waiter) = queue.remove(line, at)
        {
            queue.push(client, waiter);
        }
    }

    /// Adds the duration of a solution to the moving average.
    pub fn took(&self, time: Duration) {
        let now = usize::try_from(time.as_micros()).unwrap_or(usize::MAX / 8);
        let usual = self.usual.load(Ordering::Relaxed);
        self.usual.store(usual - usual / 4 + now / 4, Ordering::Relaxed);
    }

    /// Grants permits to waiting requests until the limit is reached.
    fn call_next(self: &Arc<Lane>) {
        loop {
            let Some((_, call)) = lock(&self.queue).next(self.max_running) else { return };
            // If the ticket was dropped in the meantime, `send` returns the permit, and dropping
            // the permit calls the next request.
            let _ = call.send(Permit { lane: Arc::clone(self) });
        }
    }

    fn busy(&self, waiting: usize) -> Failure {
        let usual = self.usual.load(Ordering::Relaxed);
        let seconds = Duration::from_micros((usual * waiting) as u64).as_secs();
        Failure::busy(seconds.clamp(1, 60))
    }
}

impl Ticket {
    /// Waits for the turn of the request.
    ///
    /// # Errors
    /// [`Failure::busy`] if a request of another client displaces this request.
    pub async fn turn(mut self) -> Result<Permit, Failure> {
        (&mut self.called).await.map_err(|_| self.lane.busy(self.lane.max_waiting))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut queue = lock(&self.lane.queue);
        if let Some((line, at)) = queue.find(self.number) {
            queue.remove(line, at);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        lock(&self.lane.queue).running -= 1;
        self.lane.call_next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u8) -> Client {
        Client::new([192, 0, 2, number].into())
    }

    fn enter(lane: &Arc<Lane>, who: u8, number: u64) -> Ticket {
        lane.enter(client(who), number).expect("room in the queue")
    }

    async fn run(ticket: Ticket) -> Permit {
        ticket.turn().await.expect("a permit")
    }

    #[tokio::test]
    async fn a_full_queue_refuses_and_an_empty_one_does_not() {
        let lane = Lane::new(1, 2);
        let running = run(enter(&lane, 1, 0)).await;
        assert_eq!((lane.waiting(), lane.running()), (0, 1));
        let first = enter(&lane, 1, 1);
        let second = enter(&lane, 1, 2);
        assert_eq!(lane.enter(client(1), 3).unwrap_err(), Failure::busy(1));
        lane.took(Duration::from_secs(20));
        assert_eq!(lane.enter(client(1), 4).unwrap_err(), Failure::busy(10));
        drop(second);
        assert_eq!(lane.waiting(), 1);
        drop(running);
        let running = run(first).await;
        assert_eq!((lane.waiting(), lane.running()), (0, 1));
        drop(running);
        assert_eq!((lane.waiting(), lane.running()), (0, 0));
    }

    #[tokio::test]
    async fn a_client_with_fewer_requests_displaces_one_in_a_full_queue() {
        let lane = Lane::new(1, 4);
        let running = run(enter(&lane, 1, 0)).await;
        let mut greedy: Vec<Ticket> = (1..5).map(|number| enter(&lane, 1, number)).collect();
        let [first, second] = [5, 6].map(|number| enter(&lane, 2, number));
        // Now each client has two of the four requests in the queue.
        assert!(lane.enter(client(2), 7).is_err() && lane.enter(client(1), 8).is_err());
        let third = enter(&lane, 3, 9);
        assert_eq!(lane.waiting(), 4);
        for displaced in [greedy.pop(), greedy.pop(), Some(second)] {
            let turn = displaced.expect("a ticket").turn().await;
            assert!(turn.is_err(), "the place went to another client");
        }
        drop(running);
        for ticket in [greedy.remove(0), first, third, greedy.remove(0)] {
            run(ticket).await;
        }
    }

    #[tokio::test]
    async fn clients_take_turns() {
        let lane = Lane::new(1, 10);
        let running = run(enter(&lane, 9, 0)).await;
        let mut tickets = [(1, 1), (2, 1), (3, 1), (4, 2), (5, 3), (6, 2)]
            .map(|(number, who)| enter(&lane, who, number))
            .into_iter()
            .collect::<Vec<_>>();
        drop(running);
        let mut order = Vec::new();
        while !tickets.is_empty() {
            let called =
                tickets.iter_mut().enumerate().find_map(|(i, t)| Some((i, t.called.try_recv().ok()?)));
            let (i, permit) = called.expect("one request has a permit");
            order.push(tickets.remove(i).number);
            drop(permit);
        }
        assert_eq!(order, [1, 4, 5, 2, 6, 3]);
    }

    #[tokio::test]
    async fn a_second_client_with_a_shorter_line_brings_a_request_forward() {
        let lane = Lane::new(1, 10);
        let running = run(enter(&lane, 1, 0)).await;
        let tickets: Vec<Ticket> = (1..4).map(|number| enter(&lane, 1, number)).collect();
        lane.join(3, client(2));
        lane.join(1, client(2));
        lane.join(77, client(2));
        let order: Vec<Vec<u64>> = lock(&lane.queue)
            .lines
            .iter()
            .map(|(_, waiters)| waiters.iter().map(|(number, _)| *number).collect())
            .collect();
        assert_eq!(order, [vec![1, 2], vec![3]]);
        drop((running, tickets));
        assert_eq!((lane.waiting(), lane.running()), (0, 0));
    }

    /// A ticket that is dropped with an unused permit passes the turn to the next request.
    #[tokio::test]
    async fn an_unused_permit_goes_to_the_next_request() {
        let lane = Lane::new(1, 10);
        let first = enter(&lane, 1, 0);
        let second = enter(&lane, 1, 1);
        drop(first);
        let _running = run(second).await;
        assert_eq!((lane.waiting(), lane.running()), (0, 1));
    }
}
