//! Long work on tables of other games: progress now and then, and an end on Ctrl-C.

use std::time::{Duration, Instant};

use crate::interrupt;
use crate::output::{duration, note, rate};

/// How long work goes on between two lines of progress.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Runs `work` while another thread passes on an interruption and says now and then how far it is:
/// `done` of `total`, if that isn't 0.
pub fn watched<T: Send>(
    what: &str,
    total: u64,
    quiet: bool,
    done: impl Fn() -> u64 + Sync,
    stop: impl Fn() + Sync,
    work: impl FnOnce() -> T + Send,
) -> T {
    let ended = std::sync::atomic::AtomicBool::new(false);
    let (began, first) = (Instant::now(), done());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut last = Instant::now();
            while !ended.load(std::sync::atomic::Ordering::Acquire) {
                if interrupt::control().is_cancelled() {
                    stop();
                }
                if !quiet && total > 0 && last.elapsed() >= LINE_EVERY {
                    last = Instant::now();
                    let per_second = (done() - first) as f64 / began.elapsed().as_secs_f64();
                    let left = total.saturating_sub(done() - first) as f64 / per_second.max(1.0);
                    let share = 100.0 * (done() - first) as f64 / total as f64;
                    let (rate, left) = (rate(per_second), duration(left));
                    note(format_args!(
                        "{what}: {:.0}%, {rate} boards/s, about {left} left",
                        share.min(100.0)
                    ));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        // Set even if the work panics; otherwise the scope would wait for ever.
        let _end = Ended(&ended);
        work()
    })
}

struct Ended<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Release);
    }
}
