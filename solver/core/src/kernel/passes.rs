//! A table of passes for each instruction set. The passes work on arrays of half supers, and are
//! compiled with the target features of the instruction set.

use super::compiled::compiled;
#[cfg(not(target_family = "wasm"))]
use super::entries;
use super::formula::{ANSWER, ANSWER_ALONE, BOTH, CW_EVEN, CW_ODD, Combine, Leaf, MIXED, Turns, UNLESS};
use super::lanes::Pack;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::simd128;
use super::step::{self, ArrayList, Shifted, Step, UniteFn};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use super::{portable, proof};
use crate::index::rooted::low::Offsets;
use crate::supers::Half;
#[cfg(target_arch = "x86_64")]
use pentago_base::InstructionSet;
use pentago_base::Kernel;

/// The passes over arrays of half supers, compiled for one [`Kernel`].
#[derive(Clone, Copy)]
pub struct Passes(pub(super) &'static PassTable);

type StepFn = unsafe fn(&Step);
type GatherFn = unsafe fn(&mut [Pack], Shifted, *const u16);

/// The compiled passes of one instruction set.
///
/// A pass may be called only if the CPU supports the instruction set. The requirements of the
/// function in `step` that has the pass's name must be met, too.
pub(super) struct PassTable {
    /// The functions for steps. The first index is [`Turns::index`], the second is the [`Combine`],
    /// and the third is the number of free low sockets.
    pub steps: [[[StepFn; 8]; 4]; 3],
    pub leaves: unsafe fn(&Step, Leaf),
    pub unite: UniteFn,
    /// The functions for unions of gathered lines, indexed by the number of lines in each union.
    pub unite_gathered: [GatherFn; 8],
    rotation_max: [unsafe fn(&Pack) -> Pack; 3],
    fives: unsafe fn(&[[u32; 4]; 4]) -> [Half; 2],
    /// The passes over entries, which the page's module doesn't use.
    #[cfg(not(target_family = "wasm"))]
    pub entries: &'static entries::EntryPasses,
    pub proof: &'static proof::ProofPasses,
}

impl Passes {
    /// Returns the passes that are compiled for `kernel`.
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

    /// Returns the rotations at which a set of marbles has five in a row: the half super of even
    /// rotations, then the half super of odd rotations. `lines[q][r]` is the set of lines whose
    /// part in quadrant q is complete after r clockwise quarter turns.
    #[inline]
    pub fn fives(self, lines: &[[u32; 4]; 4]) -> [Half; 2] {
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        unsafe { (self.0.fives)(lines) }
    }

    /// Returns the rotation max of each of four half supers: at each rotation, the union of the
    /// values that one legal turn reaches.
    pub fn rotation_max(self, x: &Pack, turns: Turns) -> Pack {
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions.
        unsafe { (self.0.rotation_max[turns.index()])(x) }
    }

    /// Computes one step.
    ///
    /// # Panics
    /// If a slice or a list of offsets has the wrong length, or a line has more than 7 children
    /// whose new marble is on a low socket.
    #[inline]
    pub(crate) fn step(self, turns: Turns, combine: Combine, step: &Step) {
        let low = step.check(true, matches!(combine, Combine::Mixed | Combine::AnswerAlone));
        let run = self.0.steps[turns.index()][combine as usize][low];
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. `check` has
        // checked the fields that this formula uses. `out` is borrowed mutably, so no other thread
        // accesses it.
        unsafe { run(step) }
    }

    /// Computes one step for boards without children, with the formula `leaf`.
    ///
    /// # Panics
    /// If a slice or a list of offsets has the wrong length.
    #[inline]
    pub(crate) fn leaves(self, leaf: Leaf, step: &Step) {
        step.check(matches!(leaf, Leaf::NotUnanswered | Leaf::NotUnansweredNorBoth), true);
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. `check` has
        // checked the fields that this formula uses. `out` is borrowed mutably, so no other thread
        // accesses it.
        unsafe { (self.0.leaves)(step, leaf) }
    }

    /// Computes `out[i]` as the OR of `array[i]` over all arrays of the list. If the list is empty,
    /// all values are false.
    ///
    /// # Panics
    /// If the list was prepared for another number of lines than `out` has.
    #[inline]
    pub(crate) fn unite(self, out: &mut [Pack], arrays: &ArrayList) {
        assert!(arrays.len == out.len());
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. All arrays
        // have at least as many lines as `out`. `out` is borrowed mutably, so no other thread
        // accesses it.
        unsafe { (self.0.unite)(out.as_mut_ptr(), 0, out.len(), arrays, 0) }
    }

    /// Computes `out[i]` as the OR of the lines of `array` at the offsets for line i, then rotates
    /// the result.
    ///
    /// # Panics
    /// If the number of offsets doesn't match the length of `out`, each line has more than 7
    /// offsets, or an offset isn't in `array`.
    #[inline]
    pub(crate) fn unite_gathered(self, out: &mut [Pack], array: Shifted, offsets: &Offsets) {
        let each = offsets.each();
        assert!(offsets.fit(out.len(), each, array.0.len()));
        // SAFETY: a `Kernel` value exists only if the CPU supports its instructions. `fit` has
        // checked that all offsets are in `array`, and that each line of `out` has `each` offsets.
        unsafe { (self.0.unite_gathered[each])(out, array, offsets.bytes().as_ptr()) }
    }
}

/// Compiles the passes for one instruction set. The attributes enable the target features of the
/// set. The CPU must support these features wherever a pass of the table is called.
macro_rules! passes {
    (
        $static:ident, $module:ident, $vector:ty, $fives:path, $entries:path, $proof:path,
        $attributes:tt
    ) => {
        mod $module {
            use super::*;
            compiled!($attributes fn step_of[LOW: usize, COMBINE: u8, TURNS: u8](s: &Step) {
                step::step::<$vector, LOW, COMBINE, TURNS>(s, unite)
            });
            compiled!($attributes fn leaves(s: &Step, leaf: Leaf) {
                step::leaves::<$vector>(s, leaf)
            });
            compiled!($attributes fn unite(
                out: *mut Pack, from: usize, len: usize, arrays: &ArrayList, none: u64
            ) {
                step::unite::<$vector>(out, from, len, arrays, none)
            });
            compiled!($attributes fn gathered[N: usize](
                out: &mut [Pack], array: Shifted, offsets: *const u16
            ) {
                step::unite_gathered::<$vector, N>(out, array, offsets)
            });
            compiled!($attributes fn rotation_max[TURNS: u8](x: &Pack) -> Pack {
                step::rotation_max::<$vector, TURNS>(x)
            });
            const fn by_low<const COMBINE: u8, const TURNS: u8>() -> [StepFn; 8] {
                // Only the most common rules have a separate pass for each number of low sockets.
                if cfg!(target_arch = "wasm32") || TURNS != BOTH || !matches!(COMBINE, UNLESS | MIXED) {
                    return [step_of::<{ step::ANY_LOW }, COMBINE, TURNS>; 8];
                }
                [
                    step_of::<0, COMBINE, TURNS>, step_of::<1, COMBINE, TURNS>, step_of::<2, COMBINE, TURNS>,
                    step_of::<3, COMBINE, TURNS>, step_of::<4, COMBINE, TURNS>, step_of::<5, COMBINE, TURNS>,
                    step_of::<6, COMBINE, TURNS>, step_of::<7, COMBINE, TURNS>,
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
                #[cfg(not(target_family = "wasm"))]
                entries: &$entries,
                proof: &$proof,
            };
        }
        use $module::PASSES as $static;
    };
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
passes!(
    PORTABLE,
    portable_passes,
    portable::Portable,
    portable::fives,
    entries::PORTABLE,
    proof::PORTABLE,
    []
);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
passes!(SIMD128, simd128_passes, simd128::Simd128, portable::fives, entries::PORTABLE, proof::SIMD128, []);
#[cfg(target_arch = "x86_64")]
passes!(
    AVX2,
    avx2_passes,
    avx2::Avx2,
    avx2::fives,
    entries::AVX2,
    proof::AVX2,
    [#[target_feature(enable = "avx2")]]
);
#[cfg(target_arch = "x86_64")]
passes!(
    AVX512,
    avx512_passes,
    avx512::Avx512,
    avx512::fives,
    entries::AVX512,
    proof::AVX512,
    [#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]]
);
