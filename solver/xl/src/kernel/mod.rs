//! The kernels: the same passes, compiled for several instruction sets. A kernel is chosen at run
//! time. All kernels compute the same bits.
//!
//! A portable pass is written once with plain words, and the compiler vectorises it for each
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
/// A pass may only be called on a CPU that supports its instructions. [`Passes::of`] is the only
/// way to obtain passes, and a [`Kernel`] exists only if the CPU supports its instructions.
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
    /// Returns the passes for the instruction set of a kernel.
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

    /// Looks for a winning action. See [`lines::scan`].
    #[inline]
    pub(crate) fn scan(&self, tables: &LineTables, scan: &WinScan) -> Option<WinningAction> {
        // SAFETY: the CPU must support the instructions of the pass. `of` chose the passes for a
        // `Kernel`, which exists only if the CPU supports its instructions.
        unsafe { (self.scan)(tables, scan) }
    }

    /// Returns the lines that lack at most one or two marbles. See [`lines::near`].
    #[inline]
    pub(crate) fn near(&self, tables: &LineTables, own: SocketSet, taken: SocketSet) -> [[LineSet; 2]; 17] {
        // SAFETY: the CPU must support the instructions of the pass. `of` chose the passes for a
        // `Kernel`, which exists only if the CPU supports its instructions.
        unsafe { (self.near)(tables, own, taken) }
    }

    /// Sets `out` to the union of the half supers in `all`.
    #[inline]
    pub(crate) fn union(&self, out: &mut HalfSuper, all: &[&HalfSuper]) {
        // SAFETY: the CPU must support the instructions of the pass. `of` chose the passes for a
        // `Kernel`, which exists only if the CPU supports its instructions.
        unsafe { (self.union)(out, all) }
    }

    /// Computes the values of a board from its successors. See [`cube::step`].
    #[inline]
    pub(crate) fn step(&self, out: &mut HalfSuper, step: &StepInputs, all: &mut HalfSuper) {
        // SAFETY: the CPU must support the instructions of the pass. `of` chose the passes for a
        // `Kernel`, which exists only if the CPU supports its instructions.
        unsafe { (self.step)(out, step, all) }
    }

    /// Computes the values of a board without successors. See [`cube::leaf`].
    #[inline]
    pub(crate) fn leaf(&self, out: &mut HalfSuper, value: bool, step: &StepInputs) {
        // SAFETY: the CPU must support the instructions of the pass. `of` chose the passes for a
        // `Kernel`, which exists only if the CPU supports its instructions.
        unsafe { (self.leaf)(out, value, step) }
    }

    /// Adds the true bits of a function of the turns of a few blocks to `out`. See
    /// [`cube::spread`].
    #[inline]
    pub(crate) fn spread(&self, out: &mut HalfSuper, places: &[u8; 512], words: &[[u64; 64]; 2]) {
        // SAFETY: the CPU must support the instructions of the pass. `of` chose the passes for a
        // `Kernel`, which exists only if the CPU supports its instructions.
        unsafe { (self.spread)(out, places, words) }
    }
}

/// Defines a module `$module` with the portable passes, compiled with the target feature
/// `$feature`.
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

/// The passes for AVX-512. A pass that has no hand-written AVX-512 version uses AVX2, which every
/// CPU with AVX-512 supports.
#[cfg(target_arch = "x86_64")]
const AVX512: Passes =
    Passes { scan: avx512::scan, union: avx512::union, step: avx512::step, ..plain_avx2::PASSES };
