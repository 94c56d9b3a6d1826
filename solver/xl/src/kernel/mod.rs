//! The kernels: the same passes compiled for several instruction sets, chosen once at run time. All
//! give the same bits.
//!
//! A pass is written once, over plain words, and the compiler makes vectors of it: what differs
//! between the kernels is the instruction set that it may use.

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
/// A pass may only be called where the CPU supports its instructions. [`Passes::of`] is the only way
/// to get passes, and a [`Kernel`] exists only if the CPU supports it.
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
    /// Those of a kernel.
    #[inline]
    pub(crate) fn of(kernel: Kernel) -> &'static Passes {
        match kernel.instructions() {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Bytes => &AVX512,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Avx2 => &AVX2,
            _ => &PORTABLE,
        }
    }

    /// Runs a [`WinScan`].
    #[inline]
    pub(crate) fn scan(&self, tables: &LineTables, scan: &WinScan) -> Option<WinningAction> {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.scan)(tables, scan) }
    }

    /// The lines that miss few sockets, as the marbles lie and after each turn.
    #[inline]
    pub(crate) fn near(&self, tables: &LineTables, own: SocketSet, taken: SocketSet) -> [[LineSet; 2]; 17] {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.near)(tables, own, taken) }
    }

    /// `out = OR of all`.
    #[inline]
    pub(crate) fn union(&self, out: &mut HalfSuper, all: &[&HalfSuper]) {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.union)(out, all) }
    }

    /// The values of a board. `all` is room for the union of the successors.
    #[inline]
    pub(crate) fn step(&self, out: &mut HalfSuper, step: &StepInputs, all: &mut HalfSuper) {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.step)(out, step, all) }
    }

    /// The values of a board where the game or the search ends: `value` but for fives.
    #[inline]
    pub(crate) fn leaf(&self, out: &mut HalfSuper, value: bool, step: &StepInputs) {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.leaf)(out, value, step) }
    }

    /// `out |=` a function of the turns of a few blocks.
    #[inline]
    pub(crate) fn spread(&self, out: &mut HalfSuper, places: &[u8; 512], words: &[[u64; 64]; 2]) {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.spread)(out, places, words) }
    }
}

/// The plain passes, compiled with the given target features.
macro_rules! passes {
    ($module:ident $(, $feature:literal)?) => {
        mod $module {
            use super::*;

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

static PORTABLE: Passes = {
    use plain::{leaf, near, scan, spread, step, union};
    Passes { scan, near, union, step, leaf, spread }
};

#[cfg(target_arch = "x86_64")]
static AVX2: Passes = {
    use plain_avx2::{leaf, near, scan, spread, step, union};
    Passes { scan, near, union, step, leaf, spread }
};

/// What has no version of its own is that for AVX2, which every such processor has.
#[cfg(target_arch = "x86_64")]
static AVX512: Passes = {
    use avx512::{scan, step, union};
    use plain_avx2::{leaf, near, spread};
    Passes { scan, near, union, step, leaf, spread }
};
