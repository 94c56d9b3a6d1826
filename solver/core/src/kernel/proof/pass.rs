//! The two passes over a row of a proof with counted outsiders: with the attacker and with the
//! defender to move. Both passes are written once for all vectors, and compiled for every
//! instruction set.

use super::lanes::{ProofLanes, defended};
use super::row::{CheckedRow, LOW, SMALL, enough};
use crate::kernel::compiled::compiled;
use crate::kernel::formula::{BOTH, CW_EVEN, CW_ODD};
use crate::kernel::lanes::{PLACES, Pack};
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::kernel::portable::Portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::kernel::simd128::Simd128;
#[cfg(target_arch = "x86_64")]
use crate::kernel::{avx2::Avx2, avx512::Avx512};
use crate::supers::Half;

/// The value of [`LOW`] if only clockwise turns are legal. The value is 0 in WebAssembly, so that
/// the passes over blocks and over single packs are the same functions.
const LOW_CW: usize = if SMALL { 0 } else { LOW };

type AttackFn = unsafe fn(&CheckedRow, &mut [Pack], &mut [Pack]);
type DefendFn = unsafe fn(&CheckedRow, &[Pack], &[Pack], &mut [Pack]);

/// The passes of proofs, compiled for one instruction set.
pub(in crate::kernel) struct ProofPasses {
    /// The passes for the attacker. The first index is the turns (`Turns::index`). The second index
    /// is 1 for blocks of packs, or 0 for single packs.
    pub attack: [[AttackFn; 2]; 3],
    /// The passes for the defender. The first index is the `Defence`, the second the turns. The
    /// third index is 1 for blocks of packs, or 0 for single packs.
    pub defend: [[[DefendFn; 2]; 3]; 3],
}

/// Returns the sets B of the four boards in pack `n` of a block, as subsets of S. `base` is the set
/// on the free sockets that don't belong to the block.
#[inline(always)]
fn sets(checked: &CheckedRow, base: u32, n: usize) -> [u32; 4] {
    std::array::from_fn(|place| base | checked.low_sets[PLACES * n + place])
}

/// Returns the minimum number of marbles that the defender must have on the sockets of a block.
/// With fewer marbles on the block, the outsiders wouldn't fit on the sockets outside S. `high` is
/// the number of the defender's marbles on free sockets of S that don't belong to the block.
#[inline(always)]
fn least(checked: &CheckedRow, high: usize) -> usize {
    checked.row.most.saturating_sub(checked.row.outside + high)
}

/// Removes bit `bit` from `number`, and shifts all higher bits down by one.
#[inline(always)]
fn without(number: usize, bit: usize) -> usize {
    number >> (bit + 1) << bit | number & ((1 << bit) - 1)
}

/// Computes the boards of a row with the attacker to move. Writes `not f` to `lost`, and to `fives`
/// the defender's fives at the rotations of boards with the defender to move.
///
/// # Safety
/// The CPU supports the instruction set of `V`. Both slices have the length of the row in packs.
// The same index is used for the boards and their children.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
unsafe fn attack<V: ProofLanes, const LOW_BITS: usize, const TURNS: u8>(
    checked: &CheckedRow,
    lost: &mut [Pack],
    fives: &mut [Pack],
) {
    let row = checked.row;
    let boards = 1usize << checked.bits;
    let all = Pack([Half::ALL; PLACES]);
    let everywhere = [all; 1 << LOW];
    let mut base = 0u32;
    for block in 0..1usize << checked.high {
        let high = block.count_ones() as usize;
        if checked.counts(high, LOW_BITS, row.most) {
            let from = block << LOW_BITS;
            let least = least(checked, high);
            let some = least > 0 || boards < PLACES;
            let counted = if some { &enough(least, boards) } else { &everywhere };
            let free = !block & ((1 << checked.high) - 1);
            for part in 0..PLACES / V::LANES {
                // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
                // The indices of packs are less than the lengths of the slices. `CheckedRow::new`
                // has checked that the rows of children are within `above`, and that each table of
                // fives has an element for each set.
                unsafe {
                    let child = |i: usize| row.above.as_ptr().add(*row.children.get_unchecked(i));
                    let mut won = [V::splat(0); 1 << LOW];
                    let mut threat = V::broadcast(&row.won[0]);
                    let mut rest = free;
                    while rest != 0 {
                        let bit = rest.trailing_zeros() as usize + LOW_BITS;
                        rest &= rest - 1;
                        threat = threat.or(V::broadcast(row.threats.get_unchecked(bit + 2)));
                        if !row.children.is_empty() {
                            let child = child(bit + 2).add(without(from, bit));
                            for n in 0..1 << LOW_BITS {
                                won[n] = won[n].or(V::load(child.add(n), part));
                            }
                        }
                    }
                    if !row.children.is_empty() {
                        or_low_children::<V, LOW_BITS>(checked, from, part, &mut won);
                    }
                    for n in 0..1 << LOW_BITS {
                        let sets = sets(checked, base, n);
                        let good = won[n].rotation_max::<TURNS>();
                        let good = good.or(threat).or(V::load(&checked.low_threats[n], part));
                        let five = V::collect(row.fives[0].as_ptr(), sets, part);
                        let counted = V::load(&counted[n], part);
                        let out = five.or(good.not()).and(counted);
                        out.store(lost.as_mut_ptr().add(from + n), part);
                        let five = V::collect(row.fives[1].as_ptr(), sets, part).and(counted);
                        five.store(fives.as_mut_ptr().add(from + n), part);
                    }
                }
            }
        }
        base = base.wrapping_sub(checked.high_set) & checked.high_set;
    }
}

/// Unites `won` with the children whose new marble is on a free socket of the block. The block
/// starts at pack `from`.
///
/// # Safety
/// The requirements of [`attack`] are met, and the row has children.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
unsafe fn or_low_children<V: ProofLanes, const LOW_BITS: usize>(
    checked: &CheckedRow,
    from: usize,
    part: usize,
    won: &mut [V; 1 << LOW],
) {
    let row = checked.row;
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
    // `CheckedRow::new` has checked that each free socket has a row of children, and that these
    // rows are within `above`. The indices of packs are less than the length of a row.
    unsafe {
        let child = |i: usize| row.above.as_ptr().add(*row.children.get_unchecked(i));
        for bit in 0..LOW_BITS {
            let child = child(bit + 2).add(from >> 1);
            for n in 0..1 << LOW_BITS {
                if n >> bit & 1 == 0 {
                    won[n] = won[n].or(V::load(child.add(without(n, bit)), part));
                }
            }
        }
        for n in 0..1 << LOW_BITS {
            if checked.bits > 0 {
                let child = child(0).cast::<Half>().add(2 * (from + n));
                won[n] = won[n].or(V::spread_even(child, part));
            }
            if checked.bits > 1 {
                let child = child(1).cast::<Half>().add(2 * (from + n));
                won[n] = won[n].or(V::spread_first(child, part));
            }
        }
    }
}

/// Computes g of the boards of a row with the defender to move. `lost` and `fives` are the results
/// of [`attack`].
///
/// # Safety
/// The CPU supports the instruction set of `V`. All slices have the length of the row in packs.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
unsafe fn defend<V: ProofLanes, const LOW_BITS: usize, const TURNS: u8, const DEFENCE: u8>(
    checked: &CheckedRow,
    lost: &[Pack],
    fives: &[Pack],
    g: &mut [Pack],
) {
    let row = checked.row;
    let Some(most) = row.most.checked_sub(1) else { return };
    let (lost, fives) = (lost.as_ptr(), fives.as_ptr());
    let mut base = 0u32;
    for block in 0..1usize << checked.high {
        let high = block.count_ones() as usize;
        if checked.counts(high, LOW_BITS, most) {
            let from = block << LOW_BITS;
            let free = !block & ((1 << checked.high) - 1);
            for part in 0..PLACES / V::LANES {
                // SAFETY: the caller has checked that the CPU supports the instruction set of `V`.
                // The indices of packs are less than the lengths of the slices. `CheckedRow::new`
                // has checked that the table of fives has an element for each set.
                unsafe {
                    let mut bad = [V::splat(0); 1 << LOW];
                    let mut five = [V::splat(0); 1 << LOW];
                    for n in 0..1 << LOW_BITS {
                        let (l, f) = (lost.add(from + n), fives.add(from + n));
                        bad[n] = V::load(l, part).or(V::above(l, part));
                        five[n] = V::load(f, part).or(V::above(f, part));
                    }
                    for bit in 0..LOW_BITS {
                        for n in 0..1 << LOW_BITS {
                            if n >> bit & 1 == 0 {
                                let at = from + n + (1 << bit);
                                bad[n] = bad[n].or(V::load(lost.add(at), part));
                                five[n] = five[n].or(V::load(fives.add(at), part));
                            }
                        }
                    }
                    let mut rest = free;
                    while rest != 0 {
                        let at = from + ((rest & rest.wrapping_neg()) << LOW_BITS);
                        rest &= rest - 1;
                        for n in 0..1 << LOW_BITS {
                            bad[n] = bad[n].or(V::load(lost.add(at + n), part));
                            five[n] = five[n].or(V::load(fives.add(at + n), part));
                        }
                    }
                    let won = V::broadcast(&row.won[1]);
                    for n in 0..1 << LOW_BITS {
                        let has = V::collect(row.fives[2].as_ptr(), sets(checked, base, n), part);
                        let bad = bad[n].rotation_max::<TURNS>();
                        let out = defended::<V, DEFENCE>(won, has, five[n], bad);
                        out.store(g.as_mut_ptr().add(from + n), part);
                    }
                }
            }
        }
        base = base.wrapping_sub(checked.high_set) & checked.high_set;
    }
}

/// Compiles the passes of proofs for one instruction set. The attributes enable the target features
/// of the set.
macro_rules! proof_passes {
    ($static:ident, $module:ident, $vector:ty, $attributes:tt) => {
        mod $module {
            use super::*;
            compiled!($attributes fn attack[LOW_BITS: usize, TURNS: u8](
                checked: &CheckedRow, lost: &mut [Pack], fives: &mut [Pack]
            ) {
                super::attack::<$vector, LOW_BITS, TURNS>(checked, lost, fives)
            });
            compiled!($attributes fn defend[LOW_BITS: usize, TURNS: u8, DEFENCE: u8](
                checked: &CheckedRow, lost: &[Pack], fives: &[Pack], g: &mut [Pack]
            ) {
                super::defend::<$vector, LOW_BITS, TURNS, DEFENCE>(checked, lost, fives, g)
            });
            const fn by_turns<const DEFENCE: u8>() -> [[DefendFn; 2]; 3] {
                [
                    [defend::<0, BOTH, DEFENCE>, defend::<LOW, BOTH, DEFENCE>],
                    [defend::<0, CW_EVEN, DEFENCE>, defend::<LOW_CW, CW_EVEN, DEFENCE>],
                    [defend::<0, CW_ODD, DEFENCE>, defend::<LOW_CW, CW_ODD, DEFENCE>],
                ]
            }
            pub(in crate::kernel) static PASSES: ProofPasses = ProofPasses {
                attack: [
                    [attack::<0, BOTH>, attack::<LOW, BOTH>],
                    [attack::<0, CW_EVEN>, attack::<LOW_CW, CW_EVEN>],
                    [attack::<0, CW_ODD>, attack::<LOW_CW, CW_ODD>],
                ],
                defend: [by_turns::<0>(), by_turns::<1>(), by_turns::<2>()],
            };
        }
        pub(in crate::kernel) use $module::PASSES as $static;
    };
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
proof_passes!(PORTABLE, portable_passes, Portable, []);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
proof_passes!(SIMD128, simd128_passes, Simd128, []);
#[cfg(target_arch = "x86_64")]
proof_passes!(AVX2, avx2_passes, Avx2, [#[target_feature(enable = "avx2")]]);
#[cfg(target_arch = "x86_64")]
proof_passes!(
    AVX512,
    avx512_passes,
    Avx512,
    [#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]]
);
