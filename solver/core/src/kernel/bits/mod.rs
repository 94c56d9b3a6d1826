//! Passes over the bits of entries. Codecs spend most of their time here.
//!
//! A pass is written once, as a [`BitsPass`], and compiled for every instruction set by [`run`].
//! The trait [`Bits`] has the few operations that are implemented separately for each instruction
//! set.

mod operations;
mod portable;
mod run;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use operations::{Bits, BitsPass, DIFFERENCE_BYTES, Fields, WINDOW};
pub use run::run;
