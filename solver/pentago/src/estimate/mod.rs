//! What building tables takes: boards, memory, disk and time, before anything is computed. Numbers of
//! boards and memory are exact; sizes and times are exact counts times [`Rates`].

mod game;
mod loads;
mod root;

pub use game::{GameEstimate, SliceEstimate};
pub use loads::{Load, SharedSlice, loads, section_bytes};
pub use root::RootEstimate;

#[cfg(doc)]
use crate::rates::Rates;

/// What a computation costs, on any number of cores and any disk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// CPU time in seconds to compute, and to arrange what is computed from.
    pub kernel_seconds: f64,
    /// CPU time in seconds to encode what is written.
    pub encode_seconds: f64,
    /// CPU time in seconds to decode what is read.
    pub decode_seconds: f64,
    /// Bytes read and written.
    pub io_bytes: u64,
}

impl Cost {
    /// CPU time in seconds.
    #[must_use]
    pub fn core_seconds(&self) -> f64 {
        self.kernel_seconds + self.encode_seconds + self.decode_seconds
    }

    /// Time in seconds with `cores` cores and a disk that reads and writes `disk_speed` bytes per
    /// second, or as fast as needed: whichever of both takes longer.
    #[must_use]
    pub fn seconds(&self, cores: usize, disk_speed: Option<u64>) -> f64 {
        let disk = disk_speed.map_or(0.0, |speed| self.io_bytes as f64 / speed.max(1) as f64);
        disk.max(self.core_seconds() / cores.max(1) as f64)
    }
}
