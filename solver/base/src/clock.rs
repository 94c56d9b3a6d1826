//! Clocks for measuring and limiting the time of a computation, on platforms with or without a
//! clock.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A clock that the caller of a solver may supply. The default clock reads `std::time::Instant`. On
/// a platform without a clock (`wasm32-unknown-unknown`), the default is the clock that
/// `Clock::none` creates.
///
/// ```
/// use pentago_base::Clock;
/// use std::time::Duration;
///
/// // A browser would give `performance.now()`.
/// let clock = Clock::new(|| Duration::from_millis(7));
/// assert_eq!(clock.now(), Some(Duration::from_millis(7)));
/// assert_eq!(Clock::none().now(), None);
/// ```
#[derive(Clone)]
pub struct Clock(Option<Arc<dyn Fn() -> Duration + Send + Sync>>);

impl Clock {
    /// Creates a clock from a function that returns the time since some fixed moment. The time must
    /// never decrease.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Clock {
        Clock(Some(Arc::new(now)))
    }

    /// Creates a clock that measures nothing: time limits have no effect, and durations are zero.
    pub const fn none() -> Clock {
        Clock(None)
    }

    /// Returns the time since the fixed moment of the clock, or `None` if there is no clock.
    pub fn now(&self) -> Option<Duration> {
        self.0.as_ref().map(|now| now())
    }

    /// Returns the time since `begin`, an earlier result of [`Clock::now`]. Returns zero if there
    /// is no clock.
    pub fn since(&self, begin: Option<Duration>) -> Duration {
        begin.zip(self.now()).map_or(Duration::ZERO, |(begin, now)| now.saturating_sub(begin))
    }
}

impl Default for Clock {
    fn default() -> Clock {
        #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
        {
            let begin = std::time::Instant::now();
            Clock::new(move || begin.elapsed())
        }
        #[cfg(all(target_family = "wasm", target_os = "unknown"))]
        Clock::none()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Clock" } else { "Clock(none)" })
    }
}
