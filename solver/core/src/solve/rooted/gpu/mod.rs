//! Rooted solutions on a GPU. One shader computes the same chains as the CPU, slice by slice.
//!
//! The slices have the same layout in GPU memory as in host memory (`plan`), so the upper ends of
//! the chains are identical bit for bit. The CPU computes the tables of five in a row
//! (`win_tables`) and the offsets of all arrays (`schedule`), so the shader computes no ranks. The
//! shader is `chain.wgsl`. Comments at its beginning explain the mathematics.
//!
//! A [`DeviceSolution`] describes such a solution as plain data: batches of passes to run, and
//! lines to read back. Two modules have the batches run:
//!
//! | module | where the batches run |
//! |---|---|
//! | `device` | in this process, through Vulkan, Metal or Direct3D 12 (feature `gpu`) |
//! | `outside` | outside of the process, on request: a page in a browser, through WebGPU |

#[cfg(feature = "gpu")]
mod device;
mod job;
mod outside;
mod schedule;
mod tables;

pub use super::request::DeviceRequest;
pub use job::{DeviceSolution, device_bytes};
pub use outside::Outside;
pub use pentago_gpu::{Batch, GpuError, LINE_BYTES, Limits, PARAMETERS, Room, STRIDE, Step};
pub use schedule::Cuts;

#[cfg(feature = "gpu")]
pub(super) use device::Gpu;
