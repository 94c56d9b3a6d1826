//! A request for a solution that a device outside of the process must compute.

use super::win_tables::ChainRoot;

/// A rooted solution that an [`Outside`](super::gpu::Outside) device must compute before the solver
/// can continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a GPU outside of the process must compute a solution first")]
pub struct DeviceRequest {
    pub(super) root: ChainRoot,
    pub(super) plies: usize,
}
