//! Clocks: how a computation knows how long it has taken, where there is a clock.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A clock that a solver reads, given by its caller: `std::time::Instant` by default, none where
/// the platform has none (`wasm32-unknown-unknown`).
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
    /// A clock that tells the time since some fixed moment. It never goes back.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Clock {
        Clock(Some(Arc::new(now)))
    }

    /// No clock: limits of time are not kept, and durations are zero.
    #[must_use]
    pub const fn none() -> Clock {
        Clock(None)
    }

    /// The time since some fixed moment, if there is a clock.
    #[must_use]
    pub fn now(&self) -> Option<Duration> {
        self.0.as_ref().map(|now| now())
    }

    /// The time since `begin`, which this clock told; zero without a clock.
    #[must_use]
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
