//! Solutions at a time, and the bounded queue before them, in which clients take turns.
//!
//! A client that is alone may fill the queue. When it is full, the client with the most places gives
//! its last one to a client with fewer, so that nobody is kept out by one who asks for much.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::clients::Client;
use crate::failure::Failure;

/// A lane: what is in it runs, what is before it waits.
#[derive(Debug)]
pub(crate) struct Lane {
    queue: Mutex<Queue>,
    at_a_time: usize,
    most_waiting: usize,
    /// Microseconds that one usage has taken lately: a moving average.
    usual: AtomicUsize,
}

#[derive(Debug, Default)]
struct Queue {
    running: usize,
    /// One for each client that waits, none of them empty. The first has the next turn, and is the
    /// last after it.
    lines: VecDeque<Line>,
}

#[derive(Debug)]
struct Line {
    client: Client,
    waiting: VecDeque<Ticket>,
}

/// Something that waits.
#[derive(Debug)]
struct Ticket {
    number: u64,
    call: oneshot::Sender<Permit>,
}

/// A place in the queue, given up when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    lane: Arc<Lane>,
    number: u64,
    called: oneshot::Receiver<Permit>,
}

/// The right to run as long as this lives.
#[derive(Debug)]
pub(crate) struct Permit {
    lane: Arc<Lane>,
}

impl Queue {
    fn waiting(&self) -> usize {
        self.lines.iter().map(|line| line.waiting.len()).sum()
    }

    fn waiting_of(&self, client: Client) -> usize {
        self.lines.iter().find(|line| line.client == client).map_or(0, |line| line.waiting.len())
    }

    fn push(&mut self, client: Client, ticket: Ticket) {
        match self.lines.iter_mut().find(|line| line.client == client) {
            Some(line) => line.waiting.push_back(ticket),
            None => self.lines.push_back(Line { client, waiting: [ticket].into() }),
        }
    }

    /// Takes out the ticket at a place of a line.
    fn remove(&mut self, line: usize, place: usize) -> Option<Ticket> {
        let ticket = self.lines[line].waiting.remove(place);
        if self.lines[line].waiting.is_empty() {
            self.lines.remove(line);
        }
        ticket
    }

    /// The line and the place in it of a ticket.
    fn find(&self, number: u64) -> Option<(usize, usize)> {
        self.lines.iter().enumerate().find_map(|(i, line)| {
            let place = line.waiting.iter().position(|ticket| ticket.number == number)?;
            Some((i, place))
        })
    }

    /// Makes room for a client in a full queue: whoever has the most places loses the last of them,
    /// if it has more than the client will have then.
    fn make_room(&mut self, client: Client) -> bool {
        let own = self.waiting_of(client);
        let longest = (0..self.lines.len()).max_by_key(|&i| self.lines[i].waiting.len());
        let Some((line, most)) = longest.map(|i| (i, self.lines[i].waiting.len())) else { return false };
        most > own + 1 && self.remove(line, most - 1).is_some()
    }

    /// The ticket whose turn it is, if one may run.
    fn next(&mut self, at_a_time: usize) -> Option<Ticket> {
        if self.running >= at_a_time {
            return None;
        }
        let mut line = self.lines.pop_front()?;
        let ticket = line.waiting.pop_front()?;
        if !line.waiting.is_empty() {
            self.lines.push_back(line);
        }
        self.running += 1;
        Some(ticket)
    }
}

impl Lane {
    /// A lane for so many at a time, with so many that may wait.
    pub fn new(at_a_time: usize, most_waiting: usize) -> Arc<Lane> {
        let (at_a_time, most_waiting) = (at_a_time.max(1), most_waiting.max(1));
        Arc::new(Lane { queue: Mutex::default(), at_a_time, most_waiting, usual: AtomicUsize::new(0) })
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.queue().waiting()
    }

    /// How many run.
    pub fn running(&self) -> usize {
        self.queue().running
    }

    /// A client's place in the queue, with a number that no other place has.
    ///
    /// # Errors
    /// [`Failure::Busy`] if the queue is full.
    pub fn enter(self: &Arc<Lane>, client: Client, number: u64) -> Result<Place, Failure> {
        let (call, called) = oneshot::channel();
        let mut queue = self.queue();
        let full = queue.waiting() >= self.most_waiting;
        if full && !queue.make_room(client) {
            return Err(self.busy(queue.waiting()));
        }
        queue.push(client, Ticket { number, call });
        drop(queue);
        self.call();
        Ok(Place { lane: Arc::clone(self), number, called })
    }

    /// A second client waits for the same: the place moves into its line if it is nearer to the
    /// front there.
    pub fn join(&self, number: u64, client: Client) {
        let mut queue = self.queue();
        if let Some((line, place)) = queue.find(number)
            && queue.waiting_of(client) < place
            && let Some(ticket) = queue.remove(line, place)
        {
            queue.push(client, ticket);
        }
    }

    /// Notes how long something has taken.
    pub fn took(&self, time: Duration) {
        let now = usize::try_from(time.as_micros()).unwrap_or(usize::MAX / 8);
        let usual = self.usual.load(Ordering::Relaxed);
        self.usual.store(usual - usual / 4 + now / 4, Ordering::Relaxed);
    }

    /// Lets run who may.
    fn call(self: &Arc<Lane>) {
        loop {
            let Some(ticket) = self.queue().next(self.at_a_time) else { return };
            // If its place was given up just now, the permit comes back and is dropped.
            let _ = ticket.call.send(Permit { lane: Arc::clone(self) });
        }
    }

    fn busy(&self, waiting: usize) -> Failure {
        let usual = self.usual.load(Ordering::Relaxed);
        let seconds = Duration::from_micros((usual * waiting) as u64).as_secs();
        Failure::Busy(seconds.clamp(1, 60))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits for its turn.
    ///
    /// # Errors
    /// [`Failure::Busy`] if the place goes to another client.
    pub async fn turn(mut self) -> Result<Permit, Failure> {
        (&mut self.called).await.map_err(|_| self.lane.busy(self.lane.most_waiting))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut queue = self.lane.queue();
        if let Some((line, place)) = queue.find(self.number) {
            queue.remove(line, place);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.lane.queue().running -= 1;
        self.lane.call();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u8) -> Client {
        Client::new([192, 0, 2, number].into())
    }

    #[tokio::test]
    async fn a_full_queue_refuses_and_an_empty_one_does_not() {
        let lane = Lane::new(1, 2);
        let running = lane.enter(client(1), 0).expect("room").turn().await.expect("its turn");
        assert_eq!((lane.waiting(), lane.running()), (0, 1));
        let first = lane.enter(client(1), 1).expect("room");
        let second = lane.enter(client(1), 2).expect("room");
        assert_eq!(lane.enter(client(1), 3).unwrap_err(), Failure::Busy(1));
        lane.took(Duration::from_secs(20));
        assert_eq!(lane.enter(client(1), 4).unwrap_err(), Failure::Busy(10));
        drop(second);
        assert_eq!(lane.waiting(), 1);
        drop(running);
        let running = first.turn().await.expect("its turn");
        assert_eq!((lane.waiting(), lane.running()), (0, 1));
        drop(running);
        assert_eq!((lane.waiting(), lane.running()), (0, 0));
    }

    #[tokio::test]
    async fn a_client_with_fewer_places_takes_one_of_a_full_queue() {
        let lane = Lane::new(1, 4);
        let running = lane.enter(client(1), 0).expect("room").turn().await.expect("its turn");
        let mut greedy: Vec<Place> = (1..5).map(|n| lane.enter(client(1), n).expect("room")).collect();
        let [first, second] = [5, 6].map(|n| lane.enter(client(2), n).expect("room"));
        // Both have two of four.
        assert!(lane.enter(client(2), 7).is_err() && lane.enter(client(1), 8).is_err());
        let third = lane.enter(client(3), 9).expect("room");
        assert_eq!(lane.waiting(), 4);
        for refused in [greedy.pop(), greedy.pop(), Some(second)] {
            let turn = refused.expect("a place").turn().await;
            assert!(matches!(turn, Err(Failure::Busy(_))), "the last places were given to others");
        }
        drop(running);
        for place in [greedy.remove(0), first, third, greedy.remove(0)] {
            place.turn().await.expect("its turn");
        }
    }

    #[tokio::test]
    async fn clients_take_turns() {
        let lane = Lane::new(1, 10);
        let running = lane.enter(client(9), 0).expect("room").turn().await.expect("its turn");
        let mut places: Vec<(u64, Place)> = [(1, 1), (2, 1), (3, 1), (4, 2), (5, 3), (6, 2)]
            .map(|(number, who)| (number, lane.enter(client(who), number).expect("room")))
            .into();
        drop(running);
        let mut order = Vec::new();
        while !places.is_empty() {
            let called = |(_, place): &mut (u64, Place)| place.called.try_recv().ok();
            let (i, permit) =
                places.iter_mut().enumerate().find_map(|(i, p)| Some((i, called(p)?))).expect("a turn");
            order.push(places.remove(i).0);
            drop(permit);
        }
        assert_eq!(order, [1, 4, 5, 2, 6, 3]);
    }

    #[tokio::test]
    async fn who_waits_for_the_same_in_a_shorter_line_brings_it_forward() {
        let lane = Lane::new(1, 10);
        let running = lane.enter(client(1), 0).expect("room").turn().await.expect("its turn");
        let places: Vec<Place> = (1..4).map(|n| lane.enter(client(1), n).expect("room")).collect();
        lane.join(3, client(2));
        lane.join(1, client(2));
        lane.join(77, client(2));
        let order: Vec<Vec<u64>> = lane
            .queue()
            .lines
            .iter()
            .map(|line| line.waiting.iter().map(|ticket| ticket.number).collect())
            .collect();
        assert_eq!(order, [vec![1, 2], vec![3]]);
        drop((running, places));
        assert_eq!((lane.waiting(), lane.running()), (0, 0));
    }

    /// A place that is dropped when its turn has come, but wasn't taken, gives the turn to the next.
    #[tokio::test]
    async fn a_turn_that_nobody_takes_goes_on() {
        let lane = Lane::new(1, 10);
        let first = lane.enter(client(1), 0).expect("room");
        let second = lane.enter(client(1), 1).expect("room");
        drop(first);
        let _running = second.turn().await.expect("its turn");
        assert_eq!((lane.waiting(), lane.running()), (0, 1));
    }
}
