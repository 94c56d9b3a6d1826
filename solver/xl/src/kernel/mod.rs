//! The kernels: the same passes compiled for several instruction sets. A kernel is chosen at run
//! time, and all kernels give the same bits.
//!
//! A portable pass is written once over plain words, and the compiler vectorises it for each
//! instruction set. Only AVX-512 has hand-written passes.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod cube;
mod lines;
#[cfg(test)]
mod tests;

pub(crate) use cube::{ChainKind, HalfSuper, StepInputs};
pub(crate) use lines::{LineSet, LineState, LineTables, WinScan, WinningAction};

#[cfg(target_arch = "x86_64")]
use pentago_base::InstructionSet;
use pentago_base::Kernel;

use crate::geometry::SocketSet;

/// The passes compiled for one instruction set.
///
/// A pass may only be called where the CPU supports its instructions. [`Passes::of`] is the only
/// way to get passes, and a [`Kernel`] exists only if the CPU supports it.
pub(crate) struct Passes {
    scan: unsafe fn(&LineTables, &WinScan) -> Option<WinningAction>,
    near: unsafe fn(&LineTables, SocketSet, SocketSet) -> [[LineSet; 2]; 17],
    union: unsafe fn(&mut HalfSuper, &[&HalfSuper]),
    step: unsafe fn(&mut HalfSuper, &StepInputs, &mut HalfSuper),
    leaf: unsafe fn(&mut HalfSuper, bool, &StepInputs),
    spread: unsafe fn(&mut HalfSuper, &[u8; 512], &[[u64; 64]; 2]),
}

#[allow(unsafe_code)]
impl Passes {
    /// Returns the passes of a kernel.
    #[inline]
    pub(crate) fn of(kernel: Kernel) -> &'static Passes {
        match kernel.instructions() {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Bytes => &AVX512,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Avx2 => &plain_avx2::PASSES,
            _ => &plain::PASSES,
        }
    }

    /// Looks for a winning action: see [`lines::scan`].
    #[inline]
    pub(crate) fn scan(&self, tables: &LineTables, scan: &WinScan) -> Option<WinningAction> {
        // SAFETY: a `Kernel` exists only if the CPU supports its instructions, and `of` chose the
        // passes.
        unsafe { (self.scan)(tables, scan) }
    }

    /// Returns the lines that lack few sockets: see [`lines::near`].
    #[inline]
    pub(crate) fn near(&self, tables: &LineTables, own: SocketSet, taken: SocketSet) -> [[LineSet; 2]; 17] {
        // SAFETY: a `Kernel` exists only if the CPU supports its instructions, and `of` chose the
        // passes.
        unsafe { (self.near)(tables, own, taken) }
    }

    /// Sets `out` to the union of `all`.
    #[inline]
    pub(crate) fn union(&self, out: &mut HalfSuper, all: &[&HalfSuper]) {
        // SAFETY: a `Kernel` exists only if the CPU supports its instructions, and `of` chose the
        // passes.
        unsafe { (self.union)(out, all) }
    }

    /// Computes the values of a board: see [`cube::step`].
    #[inline]
    pub(crate) fn step(&self, out: &mut HalfSuper, step: &StepInputs, all: &mut HalfSuper) {
        // SAFETY: a `Kernel` exists only if the CPU supports its instructions, and `of` chose the
        // passes.
        unsafe { (self.step)(out, step, all) }
    }

    /// Computes the values of a board without successors: see [`cube::leaf`].
    #[inline]
    pub(crate) fn leaf(&self, out: &mut HalfSuper, value: bool, step: &StepInputs) {
        // SAFETY: a `Kernel` exists only if the CPU supports its instructions, and `of` chose the
        // passes.
        unsafe { (self.leaf)(out, value, step) }
    }

    /// Unites a half super with a function of a few turns: see [`cube::spread`].
    #[inline]
    pub(crate) fn spread(&self, out: &mut HalfSuper, places: &[u8; 512], words: &[[u64; 64]; 2]) {
        // SAFETY: a `Kernel` exists only if the CPU supports its instructions, and `of` chose the
        // passes.
        unsafe { (self.spread)(out, places, words) }
    }
}

/// Compiles the portable passes with the given target feature.
macro_rules! passes {
    ($module:ident $(, $feature:literal)?) => {
        mod $module {
            use super::*;

            pub(super) const PASSES: Passes = Passes { scan, near, union, step, leaf, spread };

            $(#[target_feature(enable = $feature)])?
            pub(super) fn scan(tables: &LineTables, scan: &WinScan) -> Option<WinningAction> {
                lines::scan(tables, scan)
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn near(tables: &LineTables, own: SocketSet, taken: SocketSet) -> [[LineSet; 2]; 17] {
                lines::near(tables, own, taken)
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn union(out: &mut HalfSuper, all: &[&HalfSuper]) {
                cube::union(out, all);
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn step(out: &mut HalfSuper, step: &StepInputs, all: &mut HalfSuper) {
                cube::step(out, step, all);
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn leaf(out: &mut HalfSuper, value: bool, step: &StepInputs) {
                cube::leaf(out, value, step);
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) fn spread(out: &mut HalfSuper, places: &[u8; 512], words: &[[u64; 64]; 2]) {
                cube::spread(out, places, words);
            }
        }
    };
}

passes!(plain);
#[cfg(target_arch = "x86_64")]
passes!(plain_avx2, "avx2");

/// The passes for AVX-512. A pass without a version for AVX-512 uses AVX2, which every such CPU
/// supports.
#[cfg(target_arch = "x86_64")]
const AVX512: Passes =
    Passes { scan: avx512::scan, union: avx512::union, step: avx512::step, ..plain_avx2::PASSES };
