//! Whole entries: both truth values of a board ("wins", "doesn't lose") at all 256 rotations, in
//! one [`Pack`]: the even and the odd half of the first, then those of the second.
//!
//! One step back for a row of boards that differ in quadrant 3 only. With M, N: the mover, the
//! other player has five already; P: the mover has five or gets it by a placement (with `place=turn`:
//! has five); c: the children,
//! in whose values the other player is to move:
//!
//! ```text
//! win      = not N and (P or rmax(not AND not_lose_c))
//! not_lose = N ? X : (P or rmax(not AND win_c)),      X = nothing, M, P or P and not M by the rules
//! ```
//!
//! So the children are united (by AND) as they are stored, and the rotation max of the complement,
//! its four halves in reverse order, is what the parent needs. A child by quadrant q has quadrant q
//! at another rotation: it is shifted along that axis.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod global;
mod lines;
mod portable;
mod row;
#[cfg(test)]
mod tests;

pub use lines::{BlockLines, LineGroups, LinesAlong};
pub use row::{BlockRows, Blocks, EntryRow, Places, RowLines, RowMasks, RowScratch, Side, UnionList, View};

use super::lanes::{BOTH, CW_EVEN, CW_ODD, Combine, Pack};
use crate::rules::Place;
use crate::supers::Super;
use lines::{MOVER, NEAR, OTHER};
use row::{BlockRow, MOST, WIDTH};
use std::mem::MaybeUninit;

/// The lines that are complete in the first three quadrants, for all 64 rotations of these; in an
/// order of their own ([`LineWords::new`]).
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct LineWords(pub(super) [u32; 64]);

impl LineWords {
    /// Word `32 e + 8 r2 + 4 h + r1` belongs to the rotation (r0, r1, r2) with `r0 = 2h + (e + r1 +
    /// r2) mod 2`: where the parity of a half super and r3 add up to e, it is the order of bits of
    /// the half super. `pair` is the same for the quadrants 0 and 1, word `8 e + 4 h + r1`.
    #[inline(always)]
    fn new(pair: &[u32; 16], third: &[u32; 4]) -> LineWords {
        let mut words = [0; 64];
        for (i, eight) in words.chunks_exact_mut(8).enumerate() {
            let (e, r2) = (i / 4, i % 4);
            let from = 8 * ((e + r2) % 2);
            for (word, pair) in eight.iter_mut().zip(&pair[from..from + 8]) {
                *word = pair & third[r2];
            }
        }
        LineWords(words)
    }

    /// The lines of either.
    #[inline(always)]
    fn or(mut self, other: &LineWords) -> LineWords {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
        self
    }
}

/// The lines that are complete in the quadrants 0 and 1, from those in each: see
/// [`LineWords::new`].
#[inline]
pub fn pair(first: &[u32; 4], second: &[u32; 4]) -> [u32; 16] {
    std::array::from_fn(|i| {
        let (e, h, r1) = (i / 8, i / 4 % 2, i % 4);
        first[2 * h + (e + r1) % 2] & second[r1]
    })
}

/// A row is computed in runs of this many entries, so that what is between the passes stays in the
/// first-level cache (`bench/README.md#runs-and-prefetching`).
const RUN: usize = 64;
const _: () = assert!(RUN.is_multiple_of(WIDTH));

/// The vector, or vectors, that hold one entry.
///
/// # Safety
/// Implementations read and write exactly the entry or super at their pointers, and may be called
/// only where the processor has the instruction set that they are written for.
#[allow(unsafe_code)]
pub(super) unsafe trait Whole: Copy {
    /// # Safety
    /// The processor has the instruction set, `p` is valid for reading.
    unsafe fn load(p: *const Pack) -> Self;
    /// # Safety
    /// `p` is valid for writing.
    unsafe fn store(self, p: *mut Pack);
    /// Stores past the caches, if the kernel knows how.
    ///
    /// # Safety
    /// As for [`Whole::store`]; nobody reads it before this thread has made a [`super::fence`].
    #[inline(always)]
    unsafe fn stream(self, p: *mut Pack) {
        // SAFETY: as above.
        unsafe { self.store(p) }
    }
    /// Stores, past the caches or not.
    ///
    /// # Safety
    /// As for [`Whole::stream`], or [`Whole::store`].
    #[inline(always)]
    unsafe fn put(self, p: *mut Pack, past_caches: bool) {
        // SAFETY: as above.
        unsafe { if past_caches { self.stream(p) } else { self.store(p) } }
    }
    /// Asks for an entry to be brought into the second-level cache; a hint, which any address may be.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn prefetch(_: *const Pack) {}
    /// True everywhere.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn ones() -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn not(self) -> Self;
    /// Where `self` is true `a`, elsewhere `b`.
    fn select(self, a: Self, b: Self) -> Self;
    /// The second plane ("doesn't lose"); nothing in the first.
    fn second(self) -> Self;
    /// The planes exchanged.
    fn other_planes(self) -> Self;
    /// The two 64-bit words of each half super: those of parity 0, those of parity 1.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn words(even: [u64; 2], odd: [u64; 2]) -> Self;
    /// The bytes of each half super: byte i becomes the one at `places[i]`, which is less than 16.
    fn bytes(self, places: &'static [u8; 16]) -> Self;
    /// Each word shifted left; `BY` is less than 64.
    fn left<const BY: u32>(self) -> Self;
    /// Each word shifted right; `BY` is less than 64.
    fn right<const BY: u32>(self) -> Self;
    /// The value at r becomes that at r + `BY` along an axis.
    fn shifted<const AXIS: usize, const BY: u8>(self) -> Self;
    /// The same along axis 3.
    ///
    /// # Safety
    /// `by` is less than 4.
    unsafe fn shifted_last(self, by: u8) -> Self;
    /// A super in both planes, shifted along axis 3.
    ///
    /// # Safety
    /// The processor has the instruction set, `p` is valid for reading, `by` is less than 4.
    unsafe fn spread(p: *const Super, by: u8) -> Self;
    /// A super in both planes.
    ///
    /// # Safety
    /// The processor has the instruction set, `p` is valid for reading.
    #[inline(always)]
    unsafe fn both(p: *const Super) -> Self {
        // SAFETY: as above.
        unsafe { Self::spread(p, 0) }
    }
    /// The rotation max of four halves at the parities 0, 1, 0, 1, in reverse order.
    fn rotation_max<const CW: bool>(self) -> Self;
    /// Writes for each of `last`, the lines complete in quadrant 3 at each rotation, where some
    /// line is complete.
    ///
    /// # Safety
    /// The processor has the instruction set, `out` is valid for writing as many.
    unsafe fn fives(words: &LineWords, last: &[[u32; 4]], out: *mut Super);
    /// Copies entries to as many others, past the caches or not; gives the number of true values in each plane,
    /// those of an entry multiplied by its weight.
    ///
    /// # Safety
    /// The processor has the instruction set; as for [`Whole::put`].
    #[inline(always)]
    unsafe fn copy_counted(
        entries: &[Pack],
        weights: &[u8],
        out: &mut [Pack],
        past_caches: bool,
    ) -> [u64; 2] {
        let mut sums = [0; 2];
        for ((entry, &weight), out) in entries.iter().zip(weights).zip(out) {
            // SAFETY: as above; both are references.
            unsafe { Self::load(entry).put(out, past_caches) };
            for (plane, sum) in sums.iter_mut().enumerate() {
                let [[a, b], [c, d]] = [entry.0[2 * plane].0, entry.0[2 * plane + 1].0];
                let ones = a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones();
                *sum += u64::from(ones) * u64::from(weight);
            }
        }
        sums
    }
}

pub(super) const NOTHING: u8 = 0;
pub(super) const M: u8 = 1;
pub(super) const P: u8 = 2;
pub(super) const P_NOT_M: u8 = 3;

/// Computes a row of `len` entries into `out`, and what is [predicted](EntryRow::ahead) of them into `guess`,
/// if there is one. `fill` and `unite` are those for the same vectors, not inlined.
///
/// # Safety
/// The processor has the vectors, `out` is valid for writing `len` entries and nobody else's, and so is `guess`
/// if it isn't null; the row was checked for as many ([`EntryRow::check`]).
#[allow(unsafe_code)]
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
    let own = s.own.as_ptr();
    // Which of the mover's lines are P.
    let near = if s.place == Place::Wins { NEAR } else { MOVER };
    let uses_m = X == M || X == P_NOT_M || near == MOVER;
    let no_turn = unions.is_empty() && s.own_each == 0 && !s.ahead;
    // Written before they are read, where there are unions.
    let mut children = [const { MaybeUninit::<Pack>::uninit() }; RUN];
    let children = children.as_mut_ptr().cast::<Pack>();
    // SAFETY: the row was checked. `boards` has a super for each entry; `own_places` are places in
    // `own`; each child of a union has `len` entries, and the unions count their children.
    unsafe {
        fill(&s.lines, len, uses_m, scratch);
        let [others, movers, placed] =
            [OTHER, MOVER, near].map(|kind| scratch.boards[kind].as_ptr().cast::<Super>());
        let mut from = 0;
        while from < len {
            let run = RUN.min(len - from);
            let mut rest = s.unions.rows();
            for (i, union) in unions.iter().enumerate() {
                let rows;
                (rows, rest) = rest.split_at_unchecked(union.count);
                let unite = unite[usize::from(union.axis)][usize::from(union.by)];
                unite(children, from, run, len, rows, i > 0);
            }
            for i in 0..run {
                let j = from + i;
                let (n, p) = (V::both(others.add(j)), V::both(placed.add(j)));
                let r = if no_turn {
                    V::ones().second()
                } else if s.ahead {
                    ahead::<V, CW>(n, p)
                } else {
                    let mut all = if unions.is_empty() { V::ones() } else { V::load(children.add(i)) };
                    for k in 0..s.own_each {
                        let child = *s.own_places.all().get_unchecked(j * s.own_each + k);
                        let entry = V::load(own.add(usize::from(child.index)));
                        all = all.and(entry.shifted_last(child.quarters));
                    }
                    all.not().rotation_max::<CW>()
                };
                let x = match X {
                    NOTHING => V::ones().not(),
                    M => V::both(movers.add(j)).second(),
                    P => p.second(),
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

/// What lines and a placement decide after a turn: `n` and `p` are N and P.
#[allow(unsafe_code)]
#[inline(always)]
fn ahead<V: Whole, const CW: bool>(n: V, p: V) -> V {
    // SAFETY: a vector exists only where the processor has the instructions.
    let kept = unsafe { V::ones() }.second();
    // As a child's values complemented: its losses are wins here.
    n.select(p.second(), p.or(kept)).other_planes().rotation_max::<CW>()
}

/// The signature of [`fill`].
type FillFn = unsafe fn(&RowLines, usize, bool, &mut RowScratch);

/// Finds where the boards of a row have lines: a super for each of `len` entries, of each kind; that
/// of the mover only if it is used.
///
/// # Safety
/// The processor has the vectors, and the row was checked for as many ([`EntryRow::check`]).
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn fill<V: Whole>(row: &RowLines, len: usize, uses_m: bool, scratch: &mut RowScratch) {
    let RowScratch { masks, boards } = scratch;
    let packs = len.div_ceil(2);
    if boards[0].len() < packs {
        boards.iter_mut().for_each(|boards| boards.resize(packs, Pack::default()));
    }
    // SAFETY: the row was checked: the places of the entries are those of patterns, and there are
    // no more of these than masks.
    unsafe {
        match row {
            RowLines::Block(lines, at) => {
                lines::rows_of_kind::<V, OTHER>(lines, *at, &mut boards[OTHER][..packs]);
                lines::rows_of_kind::<V, NEAR>(lines, *at, &mut boards[NEAR][..packs]);
                if uses_m {
                    lines::rows_of_kind::<V, MOVER>(lines, *at, &mut boards[MOVER][..packs]);
                }
            }
            RowLines::Masks(s) => {
                let of_mover = LineWords::new(s.mover.pair, s.mover.third);
                let near = LineWords::new(s.near_pair, s.mover.third)
                    .or(&LineWords::new(s.mover.pair, s.near_third));
                let of_other = LineWords::new(s.other.pair, s.other.third);
                let kinds =
                    [(OTHER, of_other, &s.other), (MOVER, of_mover, &s.mover), (NEAR, near, &s.mover)];
                for (kind, words, side) in &kinds {
                    V::fives(words, side.singles, masks.as_mut_ptr());
                    for (i, place) in side.places.all()[..len].iter().enumerate() {
                        let mut both = Pack::default();
                        V::spread(&masks[usize::from(place.index)], place.quarters).store(&mut both);
                        boards[*kind][i / 2].0[i % 2 * 2..][..2].copy_from_slice(&both.0[..2]);
                    }
                }
                for (i, near) in s.near.iter().take(len).enumerate() {
                    V::fives(&kinds[MOVER].1, std::slice::from_ref(near), masks.as_mut_ptr());
                    let halves = &mut boards[NEAR][i / 2].0[i % 2 * 2..][..2];
                    for (half, near) in halves.iter_mut().zip(masks[0].0) {
                        half.0[0] |= near.0[0];
                        half.0[1] |= near.0[1];
                    }
                }
            }
        }
    }
}

/// How many blocks before they are needed the children are asked for. The children of the rows behind this
/// one lie behind its own in each block (`bench/README.md#runs-and-prefetching`).
const AHEAD: usize = 6;

/// The signature of [`unite`].
pub(super) type UniteFn = unsafe fn(*mut Pack, usize, usize, usize, &[BlockRow], bool);

/// `out[i] = AND over the rows of row[from + i]`, shifted; together with what is there, if `add`.
///
/// # Safety
/// The processor has the vectors. There are at most [`MOST`] rows, each of `len` entries. `from` is a multiple
/// of [`WIDTH`], and `from + run` is one, too, or `len`. `out` is valid for `run` entries and nobody else's.
#[allow(unsafe_code)]
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
            // SAFETY: all rows have both blocks; what is ahead is only asked for.
            unsafe {
                parts[k] = row.part(block, width);
                later[k] = row.behind(behind).part(ahead, width_of(ahead));
            }
        }
        let [first, rest @ ..] = &parts[..rows.len().min(MOST)] else { return };
        for x in 0..width {
            // SAFETY: as above.
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

/// Copies a row of `out.len()` entries, and asks for the one behind it.
///
/// # Safety
/// The processor has the vectors; the row has as many entries.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn copy<V: Whole>(row: BlockRow, out: &mut [Pack]) {
    for (block, out) in out.chunks_mut(WIDTH).enumerate() {
        let width = out.len();
        // SAFETY: as above.
        unsafe {
            let (part, behind) = (row.part(block, width), row.behind(1).part(block, width));
            for (x, out) in out.iter_mut().enumerate() {
                V::prefetch(behind.wrapping_add(x));
                V::load(part.add(x)).store(out);
            }
        }
    }
}

/// Puts entries of a block into a row, seen from another side of the board.
///
/// # Safety
/// The processor has the vectors; turns are less than 4. If the view is `past_caches`, nobody reads `out`
/// before this thread has made a [`super::fence`].
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn view<V: Whole>(block: &[Pack], view: &View, out: &mut [Pack]) {
    // SAFETY: as above.
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

/// [`view`] for one symmetry.
///
/// # Safety
/// As there.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn view_of<V: Whole, const GLOBAL: u8>(block: &[Pack], view: &View, out: &mut [Pack]) {
    let [a, b, c] = view.quarters;
    let ahead = view.ahead.as_ptr();
    for (i, (place, out)) in view.places.all().iter().zip(out).enumerate() {
        // SAFETY: as above; both are references.
        unsafe {
            V::prefetch(ahead.wrapping_add(i));
            let mut x = global::seen::<V, GLOBAL>(V::load(&block[usize::from(place.index)]));
            x = along::<V, 2>(along::<V, 1>(along::<V, 0>(x, a), b), c).shifted_last(place.quarters);
            x.put(out, view.past_caches);
        }
    }
}

/// An entry shifted along an axis.
#[inline(always)]
fn along<V: Whole, const AXIS: usize>(x: V, by: u8) -> V {
    match by {
        0 => x,
        1 => x.shifted::<AXIS, 1>(),
        2 => x.shifted::<AXIS, 2>(),
        _ => x.shifted::<AXIS, 3>(),
    }
}

/// Puts a row into its blocks, and adds to their sums.
///
/// # Safety
/// The processor has the vectors. If they are written past the caches, nobody else reads the blocks before
/// this thread has made a [`super::fence`].
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn settle<V: Whole>(entries: &[Pack], weights: &[u8], to: &mut Blocks) {
    let runs = entries.chunks(to.edge).zip(weights.chunks(to.edge));
    for (i, (run, weights)) in runs.enumerate() {
        let out = &mut to.blocks[i][to.row * run.len()..][..run.len()];
        // SAFETY: as above; there is an entry of `out` for each of the run.
        let sums = unsafe { V::copy_counted(run, weights, out, to.past_caches) };
        let [won, kept] = &mut to.sums[i];
        *won += to.weight * sums[0];
        *kept += to.weight * sums[1];
    }
}

type RowFn = unsafe fn(&EntryRow, *mut Pack, *mut Pack, usize, &mut RowScratch);

/// The passes over entries of one kernel. Each may be called where the processor has the kernel's
/// instructions, and where the pass of the same name says.
pub(super) struct EntryPasses {
    /// By what is left of not losing where the other player has five, and by the turns: clockwise
    /// only or not.
    pub rows: [[RowFn; 2]; 4],
    pub prepare: unsafe fn(&LineGroups, &[LinesAlong; 4], &mut BlockLines),
    pub enter: unsafe fn(&mut BlockLines, [usize; 2]),
    pub copy: unsafe fn(BlockRow, &mut [Pack]),
    pub view: unsafe fn(&[Pack], &View, &mut [Pack]),
    pub settle: unsafe fn(&[Pack], &[u8], &mut Blocks),
}

/// The index in [`EntryPasses::rows`].
pub(super) fn x_index(combine: Combine) -> usize {
    usize::from(match combine {
        Combine::Unless => NOTHING,
        Combine::Mixed => M,
        Combine::Answer => P,
        Combine::AnswerAlone => P_NOT_M,
    })
}

/// The passes of one kernel, compiled with the given target features, which the processor must
/// have.
macro_rules! entry_passes {
    ($static:ident, $module:ident, $vector:ty $(, $feature:literal)?) => {
        #[allow(unsafe_code)]
        mod $module {
            use super::*;
            $(#[target_feature(enable = $feature)])?
            unsafe fn row_of<const X: u8, const CW: bool>(
                s: &EntryRow,
                out: *mut Pack,
                guess: *mut Pack,
                len: usize,
                scratch: &mut RowScratch,
            ) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { row::<$vector, X, CW>(s, out, guess, len, scratch, fill_of, &UNITE) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn fill_of(row: &RowLines, len: usize, uses_m: bool, scratch: &mut RowScratch) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { fill::<$vector>(row, len, uses_m, scratch) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn unite_of<const AXIS: usize, const BY: u8>(
                out: *mut Pack,
                from: usize,
                run: usize,
                len: usize,
                rows: &[BlockRow],
                add: bool,
            ) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { unite::<$vector, AXIS, BY>(out, from, run, len, rows, add) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn copy_of(row: BlockRow, out: &mut [Pack]) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { copy::<$vector>(row, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn view_of(block: &[Pack], view: &View, out: &mut [Pack]) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { super::view::<$vector>(block, view, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn settle_of(entries: &[Pack], weights: &[u8], to: &mut Blocks) {
                // SAFETY: the processor has the feature.
                unsafe { settle::<$vector>(entries, weights, to) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn prepare_of(groups: &LineGroups, along: &[LinesAlong; 4], lines: &mut BlockLines) {
                // SAFETY: the processor has the feature.
                unsafe { lines::prepare::<$vector>(groups, along, lines) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn enter_of(lines: &mut BlockLines, at: [usize; 2]) {
                // SAFETY: the processor has the feature; the rest is the caller's.
                unsafe { lines::enter::<$vector>(lines, at) }
            }
            static UNITE: [[UniteFn; 4]; 3] = [
                [unite_of::<0, 0>, unite_of::<0, 1>, unite_of::<0, 2>, unite_of::<0, 3>],
                [unite_of::<1, 0>, unite_of::<1, 1>, unite_of::<1, 2>, unite_of::<1, 3>],
                [unite_of::<2, 0>, unite_of::<2, 1>, unite_of::<2, 2>, unite_of::<2, 3>],
            ];
            pub(in super::super) static $static: EntryPasses = EntryPasses {
                rows: [
                    [row_of::<NOTHING, false>, row_of::<NOTHING, true>],
                    [row_of::<M, false>, row_of::<M, true>],
                    [row_of::<P, false>, row_of::<P, true>],
                    [row_of::<P_NOT_M, false>, row_of::<P_NOT_M, true>],
                ],
                prepare: prepare_of,
                enter: enter_of,
                copy: copy_of,
                view: view_of,
                settle: settle_of,
            };
        }
        pub(super) use $module::$static;
    };
}

entry_passes!(PORTABLE, portable_passes, [super::super::portable::Portable; 4]);
#[cfg(target_arch = "x86_64")]
entry_passes!(AVX2, avx2_passes, [super::super::avx2::Avx2; 2], "avx2,popcnt");
#[cfg(target_arch = "x86_64")]
entry_passes!(
    AVX512,
    avx512_passes,
    super::super::avx512::Avx512,
    "avx512f,avx512bw,avx512vl,avx512dq,popcnt"
);
