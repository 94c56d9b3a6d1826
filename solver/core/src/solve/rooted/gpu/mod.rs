//! Rooted solutions on a graphics processor: the same chains, slice by slice, by one shader.
//!
//! The slices lie in its memory as they would lie in the processor's (`plan`), so what is read off
//! their upper ends is the same, bit for bit. The processor makes the tables of five in a row
//! (`win_tables`) and says where everything lies (`schedule`); no rank is computed by the shader
//! (`chain.wgsl`, which begins with the mathematics).
//!
//! A [`DeviceSolution`] is one such solution, as plain data: batches of passes to be run, and lines to be read
//! back. Who runs them is another matter:
//!
//! | module | who runs the batches |
//! |---|---|
//! | `device` | this process, through Vulkan, Metal or Direct3D 12 (feature `gpu`) |
//! | `outside` | somebody else, who asks for them: a page in a browser, through WebGPU |

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
#[cfg(feature = "gpu")]
pub(super) use job::SolutionSettings;
