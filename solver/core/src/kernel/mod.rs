//! The kernels: passes over arrays of half supers, compiled for several instruction sets. A program
//! chooses the instruction set once, at run time. All kernels compute exactly the same results.

#![allow(unsafe_code)]

mod arena;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod axis;
pub mod bits;
mod compiled;
mod entries;
mod formula;
mod lanes;
mod passes;
// The WebAssembly kernel uses only the function `fives` of the portable kernel.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
mod portable;
mod proof;
pub mod repeats;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod step;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use arena::{Arena, ArenaWorker, NOTHING, NextSlice, UnitLines};
pub use axis::{AxisLines, AxisRange, LineGroups};
pub use entries::{BlockLines, EntryRow, Places, RowLines, RowScratch, UnionList};
pub(crate) use entries::{BlockRows, Blocks, View};
pub(crate) use formula::Leaf;
pub use formula::{Combine, Turns};
pub use lanes::Pack;
pub(crate) use lanes::fence;
pub use passes::Passes;
pub use pentago_base::{Graphics, InstructionSet, KERNEL_VARIABLE, Kernel, UnknownKernel};
pub(crate) use proof::{MOST_SOCKETS, ProofRow, row_packs};
pub(crate) use step::{ArrayList, ArrayOut, Shifted, Step};
