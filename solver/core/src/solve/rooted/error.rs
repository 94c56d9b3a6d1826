//! The error of a rooted solution.

use super::gpu::GpuError;
use super::request::DeviceRequest;
use crate::values::BoxError;
use pentago_base::Stopped;

/// The reason why there is no solution.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The solution was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The spill store or the sink failed.
    #[error(transparent)]
    Spill(#[from] BoxError),
    /// The position has another board than the rules.
    #[error("the position has another board than the rules")]
    Shape,
    /// The solution exceeds the memory limit.
    #[error("the solution takes {need} bytes of memory, but the limit is {limit}")]
    Memory {
        /// The required memory in bytes.
        need: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The requested GPU can't compute the solution.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A device outside of the process must compute a solution first: see
    /// [`Outside`](super::gpu::Outside).
    #[error(transparent)]
    Device(#[from] DeviceRequest),
    /// The system has refused an allocation.
    #[error("allocating {bytes} bytes of memory failed")]
    Allocation {
        /// The size of the allocation in bytes.
        bytes: u64,
        /// The error of the system.
        source: std::io::Error,
    },
}
