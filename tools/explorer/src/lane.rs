//! So many things at a time, and a bounded queue before them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::Failure;

/// A lane: what is in it runs, what is before it waits.
#[derive(Debug)]
pub(crate) struct Lane {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    at_a_time: usize,
    most_waiting: usize,
    /// Microseconds that one usage has taken lately: a moving average.
    usual: AtomicUsize,
}

/// A place in the queue, given up when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    lane: Arc<Lane>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.lane.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
    /// A lane for so many at a time, with so many that may wait.
    pub fn new(at_a_time: usize, most_waiting: usize) -> Arc<Lane> {
        let at_a_time = at_a_time.max(1);
        let permits = Arc::new(Semaphore::new(at_a_time));
        let (waiting, usual) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Lane { permits, waiting, at_a_time, most_waiting, usual })
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How many run.
    pub fn running(&self) -> usize {
        self.at_a_time.saturating_sub(self.permits.available_permits())
    }

    /// A place in the queue.
    ///
    /// # Errors
    /// [`Failure::Busy`] if the queue is full.
    pub fn enter(self: &Arc<Lane>) -> Result<Place, Failure> {
        let enter = |n: usize| (n < self.most_waiting.max(1)).then_some(n + 1);
        match self.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, enter) {
            Ok(_) => Ok(Place { lane: Arc::clone(self) }),
            Err(waiting) => {
                let usual = self.usual.load(Ordering::Relaxed);
                let seconds = Duration::from_micros((usual * waiting) as u64).as_secs();
                Err(Failure::Busy(seconds.clamp(1, 60)))
            }
        }
    }

    /// Notes how long something has taken.
    pub fn took(&self, time: Duration) {
        let now = usize::try_from(time.as_micros()).unwrap_or(usize::MAX / 8);
        let usual = self.usual.load(Ordering::Relaxed);
        self.usual.store(usual - usual / 4 + now / 4, Ordering::Relaxed);
    }
}

impl Place {
    /// Waits for its turn.
    pub async fn turn(self) -> OwnedSemaphorePermit {
        let permits = Arc::clone(&self.lane.permits);
        permits.acquire_owned().await.expect("the lane is never closed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_refuses_and_an_empty_one_does_not() {
        let lane = Lane::new(1, 2);
        let running = lane.enter().expect("room").turn().await;
        assert_eq!((lane.waiting(), lane.running()), (0, 1));
        let first = lane.enter().expect("room");
        let second = lane.enter().expect("room");
        assert_eq!(lane.enter().unwrap_err(), Failure::Busy(1));
        lane.took(Duration::from_secs(20));
        assert_eq!(lane.enter().unwrap_err(), Failure::Busy(10));
        drop(second);
        assert_eq!(lane.waiting(), 1);
        drop(running);
        let _running = first.turn().await;
        assert_eq!((lane.waiting(), lane.running()), (0, 1));
    }
}
