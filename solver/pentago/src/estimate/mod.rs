//! What building tables takes: boards, memory, disk and time, before anything is computed.

mod codec_rates;
mod game;
mod loads;
mod root;
mod slices;

pub use loads::{Load, SharedSlice, loads, section_bytes};
pub use root::RootEstimate;
pub use slices::{GameEstimate, SliceEstimate};

use pentago_base::Clock;
use std::time::Duration;

/// A clock of the CPU time of the calling thread: what other programs take doesn't count. Where the
/// system doesn't tell it, the usual clock.
fn cpu_clock() -> Clock {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        Clock::new(|| {
            let now = clock_gettime(ClockId::ThreadCPUTime);
            Duration::new(now.tv_sec.try_into().unwrap_or(0), now.tv_nsec.try_into().unwrap_or(0))
        })
    }
    #[cfg(not(unix))]
    {
        Clock::default()
    }
}
