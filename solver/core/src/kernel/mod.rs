//! The kernels: the same passes over arrays of half supers for several instruction sets, chosen
//! once at run time. All give the same bits.

mod arena;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(feature = "parallel")]
mod axis;
#[cfg(feature = "parallel")]
pub mod bits;
#[cfg(feature = "parallel")]
mod entries;
mod lanes;
// In WebAssembly only its masks of five in a row are used.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
mod portable;
mod proof;
#[cfg(feature = "parallel")]
pub mod repeats;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod step;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod tables;
#[cfg(test)]
mod tests;

pub use arena::{Arena, ArenaWorker, NOTHING, NextSlice, UnitLines, UnitOut};
#[cfg(feature = "parallel")]
pub use axis::AxisLines;
#[cfg(feature = "parallel")]
pub use entries::{
    BlockLines, BlockRows, Blocks, EntryRow, LineGroups, LinesAlong, Places, RowLines, RowMasks, RowScratch,
    Side, UnionList, View, pair,
};
pub use lanes::{Combine, Leaf, PLACES, Pack};
pub(crate) use proof::{AttackRun, DefendRun, MOST_SOCKETS, Numbers, ProofRow, row_packs};
pub use step::{ArrayList, Offsets, Shifted, Step};

use crate::rules::{Both, Dir, Reply, Rules};
use crate::supers::Half;
use lanes::{ANSWER, ANSWER_ALONE, Arrays, BOTH, CW_EVEN, CW_ODD, MIXED, RawStep, UNLESS, UniteFn};
pub use pentago_base::{Graphics, InstructionSet, KERNEL_VARIABLE, Kernel, UnknownKernel};

/// The passes over arrays of half supers, compiled for one [`Kernel`].
#[derive(Clone, Copy)]
pub struct Passes(&'static PassTable);

/// The turns that are legal, as the kernels need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Either way.
    Both,
    /// Clockwise only, for results at rotations of this parity.
    Clockwise(u8),
}

type StepFn = unsafe fn(&RawStep);
type GatherFn = unsafe fn(*mut Pack, usize, lanes::Shifted, *const u16);

/// The passes of one kernel. Each may be called where the processor has the kernel's instructions,
/// and where the pass of the same name in `lanes` says.
struct PassTable {
    /// By turns (as [`BOTH`]...), combination and number of free low sockets.
    steps: [[[StepFn; 8]; 4]; 3],
    leaves: unsafe fn(&RawStep, Leaf),
    unite: UniteFn,
    /// By the number of half supers united.
    unite_gathered: [GatherFn; 8],
    rotation_max: [unsafe fn(&Pack) -> Pack; 3],
    fives: unsafe fn(&[[u32; 4]; 4]) -> [Half; 2],
    #[cfg(feature = "parallel")]
    entries: &'static entries::EntryPasses,
    proof: &'static proof::ProofPasses,
}

impl Passes {
    /// Those of a kernel.
    #[must_use]
    pub fn of(kernel: Kernel) -> Passes {
        Passes(match kernel.instructions() {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Avx512Bytes => &AVX512,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => &AVX2,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            _ => &SIMD128,
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            _ => &PORTABLE,
        })
    }

    /// Both five-in-a-row masks (rotations of even and of odd parity) of a set of marbles:
    /// `lines[b][r]` is the set of lines whose part in quadrant b, turned r times clockwise, is
    /// complete.
    #[allow(unsafe_code)]
    #[inline]
    pub fn fives(self, lines: &[[u32; 4]; 4]) -> [Half; 2] {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.fives)(lines) }
    }

    /// The rotation max of four half supers.
    #[allow(unsafe_code)]
    pub fn rotation_max(self, x: &Pack, turns: Turns) -> Pack {
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.rotation_max[turns.index()])(x) }
    }
}

/// Makes what this thread stored past the caches visible to whoever synchronises with it
/// afterwards.
#[allow(unsafe_code)]
#[inline]
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

impl Combine {
    /// How a board's value is made, for the chain of the player to move (`own`) or of the other
    /// one.
    pub fn of(rules: Rules, own: bool) -> Combine {
        match (own, rules.both, rules.reply) {
            (true, _, _) | (false, Both::Mover, Reply::None) => Combine::Unless,
            (false, Both::Draw, Reply::None) => Combine::Mixed,
            (false, Both::Draw, Reply::Place) => Combine::Answer,
            (false, Both::Mover, Reply::Place) => Combine::AnswerAlone,
        }
    }

    /// The same on a full board, where "P" is to have five already: for not losing.
    #[cfg(feature = "parallel")]
    pub fn of_full(rules: Rules) -> Combine {
        Combine::of(Rules { reply: Reply::None, ..rules }, false)
    }
}

impl Turns {
    /// The legal ones, for results at rotations of parity `parity`.
    pub(crate) fn of(rules: Rules, parity: u8) -> Turns {
        match rules.dir {
            Dir::Both => Turns::Both,
            Dir::Cw => Turns::Clockwise(parity),
        }
    }

    /// The constant that stands for them.
    pub(crate) fn index(self) -> usize {
        match self {
            Turns::Both => BOTH as usize,
            Turns::Clockwise(0) => CW_EVEN as usize,
            Turns::Clockwise(_) => CW_ODD as usize,
        }
    }
}

/// The passes of one kernel, compiled with the given target features, which the processor must
/// have.
macro_rules! passes {
    (
        $static:ident, $module:ident, $vector:ty, $fives:path, $entries:path, $proof:path
        $(, $feature:literal)?
    ) => {
        #[allow(unsafe_code)]
        mod $module {
            use super::*;
            $(#[target_feature(enable = $feature)])?
            unsafe fn step<const LOW: usize, const COMBINE: u8, const TURNS: u8>(s: &RawStep) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { lanes::step::<$vector, LOW, COMBINE, TURNS>(s, unite) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn leaves(s: &RawStep, leaf: Leaf) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { lanes::leaves::<$vector>(s, leaf) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn unite(out: *mut Pack, from: usize, len: usize, arrays: Arrays, none: u64) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { lanes::unite::<$vector>(out, from, len, arrays, none) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn gathered<const N: usize>(
                out: *mut Pack, len: usize, base: lanes::Shifted, offsets: *const u16,
            ) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { lanes::unite_gathered::<$vector, N>(out, len, base, offsets) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn rotation_max<const TURNS: u8>(x: &Pack) -> Pack {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { lanes::rotation_max::<$vector, TURNS>(x) }
            }
            const fn by_low<const COMBINE: u8, const TURNS: u8>() -> [StepFn; 8] {
                // The usual rules have a pass for each number.
                if cfg!(target_arch = "wasm32") || TURNS != BOTH || !matches!(COMBINE, UNLESS | MIXED) {
                    return [step::<{ lanes::ANY_LOW }, COMBINE, TURNS>; 8];
                }
                [
                    step::<0, COMBINE, TURNS>, step::<1, COMBINE, TURNS>, step::<2, COMBINE, TURNS>,
                    step::<3, COMBINE, TURNS>, step::<4, COMBINE, TURNS>, step::<5, COMBINE, TURNS>,
                    step::<6, COMBINE, TURNS>, step::<7, COMBINE, TURNS>,
                ]
            }
            const fn by_combine<const TURNS: u8>() -> [[StepFn; 8]; 4] {
                [
                    by_low::<UNLESS, TURNS>(), by_low::<MIXED, TURNS>(),
                    by_low::<ANSWER, TURNS>(), by_low::<ANSWER_ALONE, TURNS>(),
                ]
            }
            pub(super) static PASSES: PassTable = PassTable {
                steps: [by_combine::<BOTH>(), by_combine::<CW_EVEN>(), by_combine::<CW_ODD>()],
                leaves,
                unite,
                unite_gathered: [
                    gathered::<0>, gathered::<1>, gathered::<2>, gathered::<3>, gathered::<4>,
                    gathered::<5>, gathered::<6>, gathered::<7>,
                ],
                rotation_max: [rotation_max::<BOTH>, rotation_max::<CW_EVEN>, rotation_max::<CW_ODD>],
                fives: $fives,
                #[cfg(feature = "parallel")]
                entries: &$entries,
                proof: &$proof,
            };
        }
        use $module::PASSES as $static;
    };
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
passes!(PORTABLE, portable_passes, portable::Portable, portable::fives, entries::PORTABLE, proof::PORTABLE);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
passes!(SIMD128, simd128_passes, simd128::Simd128, portable::fives, entries::PORTABLE, proof::SIMD128);
#[cfg(target_arch = "x86_64")]
passes!(AVX2, avx2_passes, avx2::Avx2, avx2::fives, entries::AVX2, proof::AVX2, "avx2");
#[cfg(target_arch = "x86_64")]
passes!(
    AVX512,
    avx512_passes,
    avx512::Avx512,
    avx512::fives,
    entries::AVX512,
    proof::AVX512,
    "avx512f,avx512bw,avx512vl,avx512dq"
);
