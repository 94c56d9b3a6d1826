//! Why there is no solution.

use super::gpu::GpuError;
use super::request::DeviceRequest;
use crate::values::BoxError;
use pentago_base::Stopped;

/// Why there is no solution.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// It was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Values could not be kept, or not be read back.
    #[error(transparent)]
    Spill(#[from] BoxError),
    /// The board of the position doesn't fit the rules.
    #[error("the position lies on another board than that of the rules")]
    Shape,
    /// It doesn't fit in the memory limit.
    #[error("the solution takes {need} bytes of memory, but the limit is {limit}")]
    Memory {
        /// Bytes required.
        need: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A graphics processor was asked for, and doesn't compute.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A device outside is to compute a solution first: see [`Outside`](super::gpu::Outside).
    #[error(transparent)]
    Device(#[from] DeviceRequest),
    /// The allocation failed.
    #[error("allocating {bytes} bytes of memory failed")]
    Allocation {
        /// Bytes requested.
        bytes: u64,
        /// The error of the system.
        source: std::io::Error,
    },
}
