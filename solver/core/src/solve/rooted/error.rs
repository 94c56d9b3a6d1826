//! The errors of a rooted solution.

use super::gpu::GpuError;
use super::request::DeviceRequest;
use crate::values::BoxError;
use pentago_base::Stopped;

/// The reason why a rooted solution failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The solution was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The spill store or the sink failed.
    #[error(transparent)]
    Spill(#[from] BoxError),
    /// The board of the position has a different shape from the board of the rules.
    #[error("the position has another board than the rules")]
    Shape,
    /// The solution exceeds the memory limit.
    #[error("the solution takes {need} bytes of memory, but the limit is {limit}")]
    Memory {
        /// The required memory in bytes.
        need: u64,
        /// The memory limit in bytes.
        limit: u64,
    },
    /// The requested GPU can't compute the solution.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A device outside of the process must compute a solution before the solver can continue: see
    /// [`Outside`](super::gpu::Outside).
    #[error(transparent)]
    Device(#[from] DeviceRequest),
    /// The operating system refused an allocation.
    #[error("allocating {bytes} bytes of memory failed")]
    Allocation {
        /// The size of the allocation in bytes.
        bytes: u64,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
}
