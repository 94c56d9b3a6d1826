//! The passes over rows of entries, written once and compiled for every instruction set.

use super::global;
use super::lines::{self, BlockLines};
use super::row::{BlockRow, Blocks, EntryRow, MOST, RowLines, RowScratch, View, WIDTH};
use super::whole::{LineWords, Whole};
use crate::kernel::axis::{AxisRange, LineGroups, MOVER, NEAR, OTHER};
use crate::kernel::compiled::compiled;
use crate::kernel::formula::{ANSWER, ANSWER_ALONE, MIXED, UNLESS};
use crate::kernel::lanes::Pack;
use crate::kernel::portable::Portable;
#[cfg(target_arch = "x86_64")]
use crate::kernel::{avx2::Avx2, avx512::Avx512};
use crate::rules::Place;
use crate::supers::{Half, Super};
use std::mem::MaybeUninit;

/// The maximum number of entries of a run. A row is computed run by run, so that intermediate
/// results stay in the first-level cache (`bench/README.md#runs-and-prefetching`).
const RUN: usize = 64;
const _: () = assert!(RUN.is_multiple_of(WIDTH));

/// Computes a row of `len` entries into `out`. If `guess` isn't null, also writes the
/// [predictions](EntryRow::ahead) of the entries to `guess`. The arguments `fill` and `unite` are
/// the functions [`fill`] and [`unite`], which are compiled for `V` and not inlined.
///
/// # Safety
/// The CPU supports the instruction set of `V`. `out` is valid for writing `len` entries, and no
/// other thread accesses it. The same holds for `guess` unless it is null. [`EntryRow::check`] has
/// checked the row for `len` entries.
#[inline(always)]
unsafe fn row<V: Whole, const X: u8, const CW: bool>(
    s: &EntryRow,
    out: *mut Pack,
    guess: *mut Pack,
    len: usize,
    scratch: &mut RowScratch,
    fill: FillFn,
    unite: &[[UniteFn; 4]; 3],
) {
    let unions = s.unions.unions();
    // The kind of lines that determines P ("the mover has or makes five").
    let near = if s.place == Place::Wins { NEAR } else { MOVER };
    let uses_m = X == MIXED || X == ANSWER_ALONE || near == MOVER;
    let no_turn = unions.is_empty() && s.own_each == 0 && !s.ahead;
    // The memory need not be initialised: if there are unions, `unite` writes the entries of a run
    // before they are read.
    let mut children = [const { MaybeUninit::<Pack>::uninit() }; RUN];
    let children = children.as_mut_ptr().cast::<Pack>();
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`, and
    // guarantees a checked row. `fill` writes a super for each entry to `scratch`. Each row of
    // children has `len` entries, and the counts of the unions add up to the number of these rows.
    // `out` and `guess` have `len` entries.
    unsafe {
        fill(&s.lines, len, uses_m, scratch);
        let [others, movers, placed] =
            [OTHER, MOVER, near].map(|kind| scratch.0[kind].as_ptr().cast::<Super>());
        let mut from = 0;
        while from < len {
            let run = RUN.min(len - from);
            let mut rest = s.unions.rows();
            for (i, union) in unions.iter().enumerate() {
                let rows;
                (rows, rest) = rest.split_at_unchecked(union.count);
                unite[usize::from(union.axis)][usize::from(union.by)](children, from, run, len, rows, i > 0);
            }
            for i in 0..run {
                let j = from + i;
                let (n, p) = (V::both(others.add(j)), V::both(placed.add(j)));
                let r = if no_turn {
                    V::ones().second()
                } else if s.ahead {
                    ahead::<V, CW>(n, p)
                } else {
                    let all = if unions.is_empty() { V::ones() } else { V::load(children.add(i)) };
                    and_own(s, j, all).not().rotation_max::<CW>()
                };
                let x = match X {
                    UNLESS => V::ones().not(),
                    MIXED => V::both(movers.add(j)).second(),
                    ANSWER => p.second(),
                    _ => p.and(V::both(movers.add(j)).not()).second(),
                };
                n.select(x, p.or(r)).store(out.add(j));
                if !guess.is_null() {
                    let r = if no_turn { r } else { ahead::<V, CW>(n, p) };
                    n.select(x, p.or(r)).store(guess.add(j));
                }
            }
            from += run;
        }
    }
}

/// Returns `all` AND the children of entry `j` whose new marble is on quadrant 3.
///
/// # Safety
/// The requirements of [`row`] are met, and the row has an entry `j`.
#[inline(always)]
unsafe fn and_own<V: Whole>(s: &EntryRow, j: usize, mut all: V) -> V {
    for k in 0..s.own_each {
        // SAFETY: `check` has checked the row: `own_places` has `own_each` elements for each entry,
        // and the index of every element is in `own`. `Places` guarantees quarter turns below 4.
        unsafe {
            let child = *s.own_places.all().get_unchecked(j * s.own_each + k);
            let entry = V::load(s.own.as_ptr().add(usize::from(child.index)));
            all = all.and(entry.shifted_last(child.quarters));
        }
    }
    all
}

/// Predicts at which rotations a turn is good for the mover, from lines and a placement only. `n`
/// and `p` are the terms N and P of the formula.
#[inline(always)]
fn ahead<V: Whole, const CW: bool>(n: V, p: V) -> V {
    // SAFETY: `n` is a value of type `V`, which exists only if the CPU supports the instruction
    // set.
    let kept = unsafe { V::ones() }.second();
    // The values of a child are the complement of these values with the two planes exchanged.
    n.select(p.second(), p.or(kept)).other_planes().rotation_max::<CW>()
}

/// The type of a pointer to the function [`fill`].
type FillFn = unsafe fn(&RowLines, usize, bool, &mut RowScratch);

/// Computes the rotations at which the boards of a row have lines. Writes a super for each of `len`
/// entries and each kind of lines to `scratch`. The kind `MOVER` is computed only if `uses_m` is
/// `true`.
///
/// # Safety
/// The CPU supports the instruction set of `V`. [`EntryRow::check`] has checked the row for `len`
/// entries.
#[inline(always)]
unsafe fn fill<V: Whole>(row: &RowLines, len: usize, uses_m: bool, scratch: &mut RowScratch) {
    let RowScratch(boards) = scratch;
    let packs = len.div_ceil(2);
    if boards[0].len() < packs {
        boards.iter_mut().for_each(|boards| boards.resize(packs, Pack::default()));
    }
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`, and that the
    // block has enough rows for `len` entries.
    unsafe {
        match row {
            RowLines::Block(lines, at) => {
                lines::rows_of_kind::<V, OTHER>(lines, *at, &mut boards[OTHER][..packs]);
                lines::rows_of_kind::<V, NEAR>(lines, *at, &mut boards[NEAR][..packs]);
                if uses_m {
                    lines::rows_of_kind::<V, MOVER>(lines, *at, &mut boards[MOVER][..packs]);
                }
            }
            RowLines::Board([other, [a, b, c, d], [near_a, near_b, near_c, near_d]]) => {
                let of_other = LineWords::new([&other[0], &other[1], &other[2]]);
                let of_mover = LineWords::new([a, b, c]);
                let near = LineWords::new([near_a, b, c])
                    .or(&LineWords::new([a, near_b, c]))
                    .or(&LineWords::new([a, b, near_c]));
                let Super(by_first) = V::fives(&near, d);
                let Super(by_last) = V::fives(&of_mover, near_d);
                let near = Super([by_first[0] | by_last[0], by_first[1] | by_last[1]]);
                boards[OTHER][0] = pack(V::fives(&of_other, &other[3]));
                boards[MOVER][0] = pack(V::fives(&of_mover, d));
                boards[NEAR][0] = pack(near);
            }
        }
    }
}

/// Returns a pack whose first half is the given super and whose second half is false.
#[inline(always)]
fn pack(Super([even, odd]): Super) -> Pack {
    Pack([even, odd, Half::NONE, Half::NONE])
}

/// The number of blocks by which the prefetch runs ahead. At the end of a row, the prefetch
/// continues with the next row, which follows in each block
/// (`bench/README.md#runs-and-prefetching`).
const AHEAD: usize = 6;

/// The type of a pointer to the function [`unite`].
pub(super) type UniteFn = unsafe fn(*mut Pack, usize, usize, usize, &[BlockRow], bool);

/// Computes `out[i]` as the AND over all rows of `row[from + i]`, shifted by `BY` along axis
/// `AXIS`. If `add` is `true`, the AND includes the old contents of `out`.
///
/// # Safety
/// The CPU supports the instruction set of `V`. There are at most [`MOST`] rows, each with `len`
/// entries. `from` is a multiple of [`WIDTH`]. `from + run` is a multiple of [`WIDTH`] or equals
/// `len`. `out` is valid for writing `run` entries, and no other thread accesses it.
#[inline(always)]
pub(super) unsafe fn unite<V: Whole, const AXIS: usize, const BY: u8>(
    out: *mut Pack,
    from: usize,
    run: usize,
    len: usize,
    rows: &[BlockRow],
    add: bool,
) {
    let blocks = len.div_ceil(WIDTH);
    let width_of = |block: usize| WIDTH.min(len - block * WIDTH);
    let (mut parts, mut later) = ([std::ptr::null(); MOST], [std::ptr::null(); MOST]);
    let mut i = 0;
    while i < run {
        let block = (from + i) / WIDTH;
        let width = width_of(block);
        let (behind, ahead) = ((block + AHEAD) / blocks, (block + AHEAD) % blocks);
        for (k, &row) in rows.iter().enumerate().take(MOST) {
            // SAFETY: the caller guarantees that each row has `len` entries, so the blocks `block`
            // and `ahead` exist in every row. The row `behind` rows later may not exist, but its
            // entries are only prefetched.
            unsafe {
                parts[k] = row.part(block, width);
                later[k] = row.behind(behind).part(ahead, width_of(ahead));
            }
        }
        let [first, rest @ ..] = &parts[..rows.len().min(MOST)] else { return };
        for x in 0..width {
            // SAFETY: the caller has checked that the CPU supports the instruction set of `V`. Each
            // part has `width` entries, and `out` has `run` entries.
            unsafe {
                for part in &later[..=rest.len()] {
                    V::prefetch(part.wrapping_add(x));
                }
                let mut all = V::load(first.add(x));
                for part in rest {
                    all = all.and(V::load(part.add(x)));
                }
                let mut all = all.shifted::<AXIS, BY>();
                if add {
                    all = all.and(V::load(out.add(i + x)));
                }
                all.store(out.add(i + x));
            }
        }
        i += width;
    }
}

/// Copies a row of `out.len()` entries to `out`, and prefetches the next row.
///
/// # Safety
/// The CPU supports the instruction set of `V`. The row has `out.len()` entries.
#[inline(always)]
unsafe fn copy<V: Whole>(row: BlockRow, out: &mut [Pack]) {
    for (block, out) in out.chunks_mut(WIDTH).enumerate() {
        let width = out.len();
        // SAFETY: the caller has checked that the CPU supports the instruction set of `V`, and
        // guarantees that the row has `out.len()` entries. The next row may not exist, but its
        // entries are only prefetched.
        unsafe {
            let (part, behind) = (row.part(block, width), row.behind(1).part(block, width));
            for (x, out) in out.iter_mut().enumerate() {
                V::prefetch(behind.wrapping_add(x));
                V::load(part.add(x)).store(out);
            }
        }
    }
}

/// Copies entries of a block to the row `out`, as images under a symmetry of the board.
///
/// # Safety
/// The CPU supports the instruction set of `V`. Quarter turns are less than 4. If
/// `view.past_caches` is `true`, no thread reads `out` before this thread has called
/// [`fence`](crate::kernel::fence).
#[inline(always)]
unsafe fn view<V: Whole>(block: &[Pack], view: &View, out: &mut [Pack]) {
    // SAFETY: the requirements of `view_of` are the requirements of this function, which the caller
    // meets.
    unsafe {
        match view.global {
            1 => view_of::<V, 1>(block, view, out),
            2 => view_of::<V, 2>(block, view, out),
            3 => view_of::<V, 3>(block, view, out),
            4 => view_of::<V, 4>(block, view, out),
            5 => view_of::<V, 5>(block, view, out),
            6 => view_of::<V, 6>(block, view, out),
            _ => view_of::<V, 7>(block, view, out),
        }
    }
}

/// Does the work of [`view`] for the symmetry `GLOBAL`.
///
/// # Safety
/// The requirements of [`view`] are met.
#[inline(always)]
unsafe fn view_of<V: Whole, const GLOBAL: u8>(block: &[Pack], view: &View, out: &mut [Pack]) {
    let [a, b, c] = view.quarters;
    let ahead = view.ahead.as_ptr();
    for (i, (place, out)) in view.places.all().iter().zip(out).enumerate() {
        // SAFETY: the caller has checked that the CPU supports the instruction set of `V`, and
        // guarantees quarter turns below 4. The load and the store go through references, and other
        // entries are only prefetched.
        unsafe {
            V::prefetch(ahead.wrapping_add(i));
            let mut x = global::seen::<V, GLOBAL>(V::load(&block[usize::from(place.index)]));
            x = along::<V, 2>(along::<V, 1>(along::<V, 0>(x, a), b), c).shifted_last(place.quarters);
            x.put(out, view.past_caches);
        }
    }
}

/// Shifts an entry along axis `AXIS` by `by`, which is less than 4.
#[inline(always)]
fn along<V: Whole, const AXIS: usize>(x: V, by: u8) -> V {
    match by {
        0 => x,
        1 => x.shifted::<AXIS, 1>(),
        2 => x.shifted::<AXIS, 2>(),
        _ => x.shifted::<AXIS, 3>(),
    }
}

/// Copies a row to its blocks, and adds the weighted numbers of true values to the sums of the
/// blocks.
///
/// # Safety
/// The CPU supports the instruction set of `V`. If `to.past_caches` is `true`, no other thread
/// reads the blocks before this thread has called [`fence`](crate::kernel::fence).
#[inline(always)]
unsafe fn settle<V: Whole>(entries: &[Pack], weights: &[u8], to: &mut Blocks) {
    let runs = entries.chunks(to.edge).zip(weights.chunks(to.edge));
    for (i, (run, weights)) in runs.enumerate() {
        let out = &mut to.blocks[i][to.row * run.len()..][..run.len()];
        // SAFETY: the caller has checked that the CPU supports the instruction set of `V`, and
        // calls `fence` before other threads read the blocks.
        let sums = unsafe { V::copy_counted(run, weights, out, to.past_caches) };
        let [won, kept] = &mut to.sums[i];
        *won += to.weight * sums[0];
        *kept += to.weight * sums[1];
    }
}

type RowFn = unsafe fn(&EntryRow, *mut Pack, *mut Pack, usize, &mut RowScratch);

/// The passes over entries, compiled for one instruction set. A pass may be called only if the CPU
/// supports the instruction set and the requirements of the generic function with the same name are
/// met.
pub(in crate::kernel) struct EntryPasses {
    /// The functions for rows. The first index is the [`Combine`](crate::kernel::Combine) that
    /// decides "doesn't lose" where the other player has five. The second index is 1 for clockwise
    /// turns only, and 0 for both directions.
    pub rows: [[RowFn; 2]; 4],
    pub prepare: unsafe fn(&LineGroups, &[AxisRange; 4], &mut BlockLines),
    pub enter: unsafe fn(&mut BlockLines, [usize; 2]),
    pub copy: unsafe fn(BlockRow, &mut [Pack]),
    pub view: unsafe fn(&[Pack], &View, &mut [Pack]),
    pub settle: unsafe fn(&[Pack], &[u8], &mut Blocks),
}

/// Compiles the passes over entries for one instruction set. The attributes enable the target
/// features of the set. The CPU must support these features wherever a pass of the table is called.
macro_rules! entry_passes {
    ($static:ident, $module:ident, $vector:ty, $attributes:tt) => {
        mod $module {
            use super::*;
            compiled!($attributes fn row_of[X: u8, CW: bool](
                s: &EntryRow, out: *mut Pack, guess: *mut Pack, len: usize, scratch: &mut RowScratch
            ) {
                row::<$vector, X, CW>(s, out, guess, len, scratch, fill_of, &UNITE)
            });
            compiled!($attributes fn fill_of(
                row: &RowLines, len: usize, uses_m: bool, scratch: &mut RowScratch
            ) {
                fill::<$vector>(row, len, uses_m, scratch)
            });
            compiled!($attributes fn unite_of[AXIS: usize, BY: u8](
                out: *mut Pack, from: usize, run: usize, len: usize, rows: &[BlockRow], add: bool
            ) {
                unite::<$vector, AXIS, BY>(out, from, run, len, rows, add)
            });
            compiled!($attributes fn copy_of(row: BlockRow, out: &mut [Pack]) {
                copy::<$vector>(row, out)
            });
            compiled!($attributes fn view_of(block: &[Pack], view: &View, out: &mut [Pack]) {
                super::view::<$vector>(block, view, out)
            });
            compiled!($attributes fn settle_of(entries: &[Pack], weights: &[u8], to: &mut Blocks) {
                settle::<$vector>(entries, weights, to)
            });
            compiled!($attributes fn prepare_of(
                groups: &LineGroups, along: &[AxisRange; 4], lines: &mut BlockLines
            ) {
                lines::prepare::<$vector>(groups, along, lines)
            });
            compiled!($attributes fn enter_of(lines: &mut BlockLines, at: [usize; 2]) {
                lines::enter::<$vector>(lines, at)
            });
            static UNITE: [[UniteFn; 4]; 3] = [
                [unite_of::<0, 0>, unite_of::<0, 1>, unite_of::<0, 2>, unite_of::<0, 3>],
                [unite_of::<1, 0>, unite_of::<1, 1>, unite_of::<1, 2>, unite_of::<1, 3>],
                [unite_of::<2, 0>, unite_of::<2, 1>, unite_of::<2, 2>, unite_of::<2, 3>],
            ];
            pub(in crate::kernel) static $static: EntryPasses = EntryPasses {
                rows: [
                    [row_of::<UNLESS, false>, row_of::<UNLESS, true>],
                    [row_of::<MIXED, false>, row_of::<MIXED, true>],
                    [row_of::<ANSWER, false>, row_of::<ANSWER, true>],
                    [row_of::<ANSWER_ALONE, false>, row_of::<ANSWER_ALONE, true>],
                ],
                prepare: prepare_of,
                enter: enter_of,
                copy: copy_of,
                view: view_of,
                settle: settle_of,
            };
        }
        pub(in crate::kernel) use $module::$static;
    };
}

entry_passes!(PORTABLE, portable_passes, [Portable; 4], []);
#[cfg(target_arch = "x86_64")]
entry_passes!(AVX2, avx2_passes, [Avx2; 2], [#[target_feature(enable = "avx2,popcnt")]]);
#[cfg(target_arch = "x86_64")]
entry_passes!(
    AVX512,
    avx512_passes,
    Avx512,
    [#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,popcnt")]]
);
