//! The rotations at which boards have lines, computed for a whole block or a row of blocks.
//!
//! A straight line touches two or three quadrants. So "some line is complete" is a union of
//! functions of two quadrants, and of a few lines that touch three quadrants. A block of 8 x 8 x 8
//! x 8 boards has 64 supers for each pair of quadrants. The result for a row of boards along axis 3
//! is the union of three rows of pairs and three lines. Without this method, all lines would be
//! tested at all rotations of each board.
//!
//! The same method finds the five of either player, and the five that the mover makes with one more
//! marble. For the latter five, a line must be complete in all its quadrants but one, and lack at
//! most one marble in the remaining quadrant.

use super::whole::Whole;
use crate::index::sections::section::EDGE;
use crate::kernel::axis::{AxisRange, KINDS, LineGroups, MOVER, NEAR, OTHER, PAIRS, TRIPLES};
use crate::kernel::lanes::Pack;
use crate::supers::Super;
use std::ops::Range;
use std::sync::OnceLock;

/// Rows of supers. All rows have the same length. A pack holds two supers.
#[derive(Clone, Debug, Default)]
struct SuperRows {
    packs: Vec<Pack>,
    /// The number of packs in each row.
    width: usize,
}

impl SuperRows {
    /// Resizes the memory to `rows` rows of `len` supers. The contents are unspecified.
    fn resize(&mut self, rows: usize, len: usize) {
        self.width = len.div_ceil(2);
        self.packs.resize(rows * self.width, Pack::default());
    }

    /// Returns a pointer to the row with index `row`.
    ///
    /// # Safety
    /// `row` is less than the number of rows.
    #[inline(always)]
    unsafe fn row(&self, row: usize) -> *const Pack {
        debug_assert!((row + 1) * self.width <= self.packs.len());
        // SAFETY: the caller guarantees that the row exists.
        unsafe { self.packs.as_ptr().add(row * self.width) }
    }

    /// Loads super `i` of the row with index `row` into both planes of an entry.
    ///
    /// # Safety
    /// The CPU supports the instruction set of `V`. `row` is less than the number of rows, and `i`
    /// is less than the length of a row.
    #[inline(always)]
    unsafe fn both<V: Whole>(&self, row: usize, i: usize) -> V {
        debug_assert!(i < 2 * self.width);
        // SAFETY: the caller guarantees the CPU support, and that the super exists. The cast is
        // valid because a pack is two supers.
        unsafe { V::both(self.row(row).cast::<Super>().add(i)) }
    }
}

/// The maximum number of packs in a short row, which has at most as many boards as a block is long.
const SHORT: usize = EDGE as usize / 2;

/// The rotations at which the boards of a block, or of a row of blocks, have lines.
#[derive(Clone, Debug, Default)]
pub struct BlockLines {
    /// The number of patterns along each of the four axes.
    lens: [usize; 4],
    /// For each axis, the number of the `AxisLines` and the range of patterns for which `has` was
    /// filled. Neighbouring blocks have most axes in common, and these axes need not be filled
    /// again.
    of: [Option<(u64, Range<usize>)>; 4],
    /// For each quadrant, the rotations at which a pattern fills its part of a line. There is a row
    /// for each kind and line, and the index in a row is the pattern.
    has: [SuperRows; 4],
    /// For each quadrant, the number of lines that touch the quadrant.
    lines: [usize; 4],
    /// For each pair of quadrants, the rotations at which two patterns complete a line that touches
    /// exactly these quadrants. There is a row for each kind and pattern of the first quadrant. The
    /// index in a row is the pattern of the second quadrant.
    pairs: [SuperRows; 6],
    /// Only for short rows. Each element belongs to a pair of the first three quadrants. The
    /// element has the rotations at which boards have one of these lines: a line of this pair, a
    /// line of the last quadrant and one quadrant of the pair, or a line of all three. Each kind
    /// and each two patterns of the pair have a row, indexed by the pattern of the last quadrant. A
    /// row of boards is the union of three rows, one of each element. For long rows, the memory of
    /// this field wouldn't fit in the cache.
    short: [SuperRows; 3],
    /// The indices of the selected rows along axes 0 and 1, or `None` if no rows are selected.
    at: Option<[usize; 2]>,
    /// Only for long rows: the rotations at which the boards of all selected rows have a line that
    /// doesn't touch quadrant 2. There is one row for each kind, indexed by the pattern of quadrant
    /// 3.
    common: SuperRows,
    triples: [Option<[usize; 3]>; 4],
}

/// Returns supers that depend on the rotation of one quadrant only. The super
/// `at_turns()[q][turns]` is true at each rotation at which the set `turns` contains the number of
/// turns of quadrant q.
fn at_turns() -> &'static [[Super; 16]; 4] {
    static AT: OnceLock<[[Super; 16]; 4]> = OnceLock::new();
    AT.get_or_init(|| {
        std::array::from_fn(|q| {
            std::array::from_fn(|turns| Super::from_fn(|rotation| turns >> rotation[q] & 1 != 0))
        })
    })
}

impl BlockLines {
    /// Returns the number of patterns along each of the four axes.
    pub fn lens(&self) -> [usize; 4] {
        self.lens
    }

    /// Returns `true` if `Passes::enter_lines` has selected rows. Only then may rows be computed.
    pub(super) fn is_entered(&self) -> bool {
        self.at.is_some()
    }

    /// Returns `true` if rows along axis 3 are short: at most as long as a block.
    #[inline(always)]
    fn is_short(&self) -> bool {
        self.lens[3] <= EDGE as usize
    }

    /// Returns the index of the row in `short[pair]` for the patterns `a` and `b` of the pair.
    #[inline(always)]
    fn short_row(&self, pair: usize, kind: usize, [a, b]: [usize; 2]) -> usize {
        let [len_a, len_b] = PAIRS[pair].map(|q| self.lens[q]);
        (kind * len_a + a) * len_b + b
    }

    /// Returns the index of the row in `has[q]` for a kind and a line of the quadrant.
    #[inline(always)]
    fn row_of(&self, q: usize, kind: usize, line: usize) -> usize {
        kind * self.lines[q] + line
    }

    /// Loads the rotations at which pattern `at` of quadrant `q` fills its part of line `line`.
    ///
    /// # Safety
    /// The CPU supports the instruction set of `V`. `line` is a line of the quadrant, and `at` is
    /// less than the length of the axis.
    #[inline(always)]
    unsafe fn has<V: Whole>(&self, kind: usize, q: usize, line: usize, at: usize) -> V {
        // SAFETY: the caller guarantees that the CPU supports the instruction set, and that the
        // line and the pattern exist.
        unsafe { self.has[q].both(self.row_of(q, kind, line), at) }
    }

    /// Returns the row with the rotations at which the patterns of quadrant 3 fill their part of
    /// line `line`.
    ///
    /// # Safety
    /// `line` is a line of quadrant 3.
    #[inline(always)]
    unsafe fn last(&self, kind: usize, line: usize) -> *const Pack {
        // SAFETY: the caller guarantees that the line exists, so its row exists.
        unsafe { self.has[3].row(self.row_of(3, kind, line)) }
    }

    /// Returns the row of `pairs[pair]` for pattern `a` of the first quadrant: the rotations at
    /// which `a` and each pattern of the second quadrant complete a line.
    ///
    /// # Safety
    /// `a` is less than the length of the axis of the first quadrant.
    #[inline(always)]
    unsafe fn pair_row(&self, pair: usize, kind: usize, a: usize) -> *const Pack {
        // SAFETY: the caller guarantees that the pattern exists, and each kind and pattern has a
        // row.
        unsafe { self.pairs[pair].row(kind * self.lens[PAIRS[pair][0]] + a) }
    }

    /// Loads the rotations at which the patterns `a` and `b` of a pair of quadrants complete a
    /// line.
    ///
    /// # Safety
    /// The CPU supports the instruction set of `V`. `a` and `b` are less than the lengths of their
    /// axes.
    #[inline(always)]
    unsafe fn pair<V: Whole>(&self, pair: usize, kind: usize, a: usize, b: usize) -> V {
        // SAFETY: the caller guarantees that the CPU supports the instruction set, and that the
        // patterns exist.
        unsafe { V::both(self.pair_row(pair, kind, a).cast::<Super>().add(b)) }
    }

    /// Fills `has[q]` for the patterns of `range`. If `has[q]` already has the lines of these
    /// patterns, does nothing and returns `false`.
    fn fill_quadrant(&mut self, q: usize, groups: &LineGroups, (axis, range): &AxisRange) -> bool {
        let of = Some((axis.number, range.clone()));
        if self.of[q] == of {
            return false;
        }
        self.of[q] = of;
        let at = &at_turns()[q];
        self.lens[q] = range.len();
        self.lines[q] = groups.of_quadrant[q].len();
        self.has[q].resize(KINDS * self.lines[q], range.len());
        let rows = self.has[q].packs.chunks_exact_mut(self.has[q].width);
        for (row, turns) in rows.zip(axis.turns.chunks_exact(axis.patterns)) {
            for (pack, two) in row.iter_mut().zip(turns[range.clone()].chunks(2)) {
                for (halves, &turns) in pack.0.as_chunks_mut::<2>().0.iter_mut().zip(two) {
                    *halves = at[usize::from(turns % 16)].0;
                }
            }
        }
        true
    }
}

/// Finds the rotations at which boards have lines, for all boards of a block. `along` has the
/// patterns along the four axes.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn prepare<V: Whole>(groups: &LineGroups, along: &[AxisRange; 4], block: &mut BlockLines) {
    let mut is_new = [false; 4];
    for (q, along) in along.iter().enumerate() {
        is_new[q] = block.fill_quadrant(q, groups, along);
    }
    block.triples = groups.triples;
    block.at = None;
    for (pair, list) in groups.pairs.iter().enumerate() {
        let [qa, qb] = PAIRS[pair];
        if !is_new[qa] && !is_new[qb] {
            continue;
        }
        let [len_a, len_b] = [block.lens[qa], block.lens[qb]];
        block.pairs[pair].resize(KINDS * len_a, len_b);
        let (of_b, width) = (&block.has[qb], block.pairs[pair].width);
        let out = block.pairs[pair].packs.as_mut_ptr();
        for a in 0..len_a {
            for b in 0..width {
                // SAFETY: the caller guarantees that the CPU supports the instruction set. The
                // indices of lines come from the lists of their quadrants, `a` and `b` are less
                // than the lengths, and each kind has a row.
                unsafe {
                    let nothing = V::ones().not();
                    let (mut others, mut movers, mut nears) = (nothing, nothing, nothing);
                    for &[i, j] in list {
                        let x = block.has::<V>(OTHER, qa, i, a);
                        let y = V::load(of_b.row(block.row_of(qb, OTHER, j)).add(b));
                        others = others.or(x.and(y));
                        let x = block.has::<V>(MOVER, qa, i, a);
                        let y = V::load(of_b.row(block.row_of(qb, MOVER, j)).add(b));
                        movers = movers.or(x.and(y));
                        let z = block.has::<V>(NEAR, qa, i, a);
                        let w = V::load(of_b.row(block.row_of(qb, NEAR, j)).add(b));
                        nears = nears.or(z.and(y)).or(x.and(w));
                    }
                    others.store(out.add((OTHER * len_a + a) * width + b));
                    movers.store(out.add((MOVER * len_a + a) * width + b));
                    nears.store(out.add((NEAR * len_a + a) * width + b));
                }
            }
        }
    }
    if block.is_short() {
        for (pair, [qa, qb]) in (0..3).zip(PAIRS) {
            if is_new[qa] || is_new[qb] || is_new[3] {
                block.short[pair].resize(KINDS * block.lens[qa] * block.lens[qb], block.lens[3]);
                // SAFETY: the caller guarantees that the CPU supports the instruction set. `pairs`
                // is complete, and `resize` has allocated the rows of `short[pair]`.
                unsafe {
                    short_rows::<V, OTHER>(block, pair);
                    short_rows::<V, MOVER>(block, pair);
                    short_rows::<V, NEAR>(block, pair);
                }
            }
        }
    }
}

/// Selects the rows with the indices `at` along axes 0 and 1. If rows are long, also finds the
/// lines that all selected rows have in common.
///
/// # Safety
/// The CPU supports the instruction set of `V`. Both indices are less than the lengths of their
/// axes.
#[inline(always)]
pub(super) unsafe fn enter<V: Whole>(block: &mut BlockLines, at: [usize; 2]) {
    block.at = Some(at);
    if !block.is_short() {
        block.common.resize(KINDS, block.lens[3]);
        // SAFETY: the caller guarantees that the CPU supports the instruction set and that the
        // indices exist. `resize` has allocated a row for each kind.
        unsafe {
            common_row::<V, OTHER>(block, at);
            common_row::<V, MOVER>(block, at);
            common_row::<V, NEAR>(block, at);
        }
    }
}

/// Finds the lines of one kind that all selected rows have in common. `at` has the indices of the
/// selected rows.
///
/// # Safety
/// The requirements of [`enter`] are met, and `common` has a row for each kind.
#[inline(always)]
unsafe fn common_row<V: Whole, const KIND: usize>(block: &mut BlockLines, at: [usize; 2]) {
    let width = block.common.width;
    let out = block.common.packs.as_mut_ptr();
    // SAFETY: the caller guarantees that the CPU supports the instruction set and that the indices
    // exist. Each row has `width` packs.
    unsafe {
        let constant = block.pair::<V>(0, KIND, at[0], at[1]);
        let [x, y] = [block.pair_row(3, KIND, at[0]), block.pair_row(4, KIND, at[1])];
        let line = with_last::<V, KIND>(block, 2, at);
        for i in 0..width {
            let all = constant.or(V::load(x.add(i))).or(V::load(y.add(i)));
            or_line::<V, KIND>(all, line, i).store(out.add(KIND * width + i));
        }
    }
}

/// Combines the patterns `a` and `b` of the first two quadrants of a triple: finds the rotations at
/// which a third pattern can complete the line of the triple, for one kind of lines.
///
/// Returns two vectors and a number. The first vector has the rotations at which the boards have
/// the line if the third pattern has its part of the line, of the same kind. The second vector has
/// the rotations at which the boards have the line if the third pattern fills its part completely.
/// For this vector, the additional marble is in the first two quadrants. The number is the index of
/// the line in the list of the third quadrant. Both vectors are false if the triple has no line.
///
/// # Safety
/// The CPU supports the instruction set of `V`. Both indices are less than the lengths of their
/// axes.
#[inline(always)]
unsafe fn of_two<V: Whole, const KIND: usize>(
    block: &BlockLines,
    triple: usize,
    [a, b]: [usize; 2],
) -> ([V; 2], usize) {
    let [qa, qb, _] = TRIPLES[triple];
    // SAFETY: the caller guarantees that the CPU supports the instruction set and that the patterns
    // exist. The indices in `triples` are indices of lines in the lists of the three quadrants.
    unsafe {
        let nothing = V::ones().not();
        let Some([i, j, k]) = block.triples[triple] else { return ([nothing; 2], 0) };
        let complete = if KIND == NEAR { MOVER } else { KIND };
        let (x, y) = (block.has::<V>(complete, qa, i, a), block.has::<V>(complete, qb, j, b));
        let nearly = if KIND == NEAR {
            block.has::<V>(NEAR, qa, i, a).and(y).or(x.and(block.has(NEAR, qb, j, b)))
        } else {
            nothing
        };
        ([x.and(y), nearly], k)
    }
}

/// Calls [`of_two`] for a triple whose third quadrant is quadrant 3. Returns the two vectors. Each
/// comes with a row: the rotations at which the patterns of axis 3 complete the line.
///
/// # Safety
/// The CPU supports the instruction set of `V`. Both indices are less than the lengths of their
/// axes.
#[inline(always)]
unsafe fn with_last<V: Whole, const KIND: usize>(
    block: &BlockLines,
    triple: usize,
    at: [usize; 2],
) -> [(V, *const Pack); 2] {
    // SAFETY: the caller guarantees that the CPU supports the instruction set and that the patterns
    // exist. The index `k` that `of_two` returns is a line of quadrant 3.
    unsafe {
        let ([both, nearly], k) = of_two::<V, KIND>(block, triple, at);
        [(both, block.last(KIND, k)), (nearly, block.last(MOVER, k))]
    }
}

/// Adds the line of a triple to `all`: returns the union of `all` and the rotations at which boards
/// have the line. Pack `i` along axis 3 selects the boards. The second argument is the result of
/// [`with_last`].
///
/// # Safety
/// The CPU supports the instruction set of `V`. Both rows have a pack `i`.
#[inline(always)]
unsafe fn or_line<V: Whole, const KIND: usize>(
    all: V,
    [first, second]: [(V, *const Pack); 2],
    i: usize,
) -> V {
    // SAFETY: the caller guarantees that the CPU supports the instruction set and that the packs
    // exist.
    unsafe {
        let all = all.or(first.0.and(V::load(first.1.add(i))));
        if KIND == NEAR { all.or(second.0.and(V::load(second.1.add(i)))) } else { all }
    }
}

/// Fills `short[pair]` for one kind of lines.
///
/// # Safety
/// The CPU supports the instruction set of `V`. `pairs` is complete, and `short[pair]` has a row
/// for each kind and each two patterns of the pair.
#[inline(always)]
unsafe fn short_rows<V: Whole, const KIND: usize>(block: &mut BlockLines, pair: usize) {
    let [len_a, len_b] = PAIRS[pair].map(|q| block.lens[q]);
    let width = block.short[pair].width;
    let out = block.short[pair].packs.as_mut_ptr();
    // `triple` has both quadrants of the pair and quadrant 3. `last_pair` has one of these
    // quadrants and quadrant 3.
    let (triple, last_pair) = [(2, 3), (1, 5), (0, 4)][pair];
    for a in 0..len_a {
        for b in 0..len_b {
            let at_last = if PAIRS[last_pair][0] == PAIRS[pair][0] { a } else { b };
            // SAFETY: the caller guarantees that the CPU supports the instruction set and that the
            // rows exist. `a` and `b` are less than the lengths of their axes.
            unsafe {
                let constant = block.pair::<V>(pair, KIND, a, b);
                let row = block.pair_row(last_pair, KIND, at_last);
                let line = with_last::<V, KIND>(block, triple, [a, b]);
                for i in 0..width {
                    let all = or_line::<V, KIND>(constant.or(V::load(row.add(i))), line, i);
                    all.store(out.add(block.short_row(pair, KIND, [a, b]) * width + i));
                }
            }
        }
    }
}

/// Computes the rotations at which the boards of some rows have lines of one kind. Writes the
/// results to `out`, two boards in a pack. The rows are selected rows with successive indices along
/// axis 2, starting at `first`.
///
/// The code uses no closures, because the compiler builds closures without the instruction set and
/// doesn't always inline them.
///
/// # Safety
/// The CPU supports the instruction set of `V`. Axis 2 has at least as many indices from `first` on
/// as `out` has rows.
#[inline(always)]
pub(super) unsafe fn rows_of_kind<V: Whole, const KIND: usize>(
    block: &BlockLines,
    first: usize,
    out: &mut [Pack],
) {
    let Some(at) = block.at else { return };
    // SAFETY: the caller guarantees that the CPU supports the instruction set, and that the indices
    // along axis 2 exist. The other two indices were checked when the rows were selected.
    unsafe {
        let both = of_two::<V, KIND>(block, 3, at);
        if block.is_short() {
            rows_of_short::<V, KIND>(block, at, both, first, out);
        } else {
            rows_of_long::<V, KIND>(block, at, both, first, out);
        }
    }
}

/// Computes rows in a block with short rows, as unions of rows of `short`. `[a, b]` are the indices
/// of the selected rows. The third argument is the result of [`of_two`] for these indices.
///
/// # Safety
/// The requirements of [`rows_of_kind`] are met, and rows have at most [`SHORT`] packs.
#[inline(always)]
unsafe fn rows_of_short<V: Whole, const KIND: usize>(
    block: &BlockLines,
    [a, b]: [usize; 2],
    ([both, nearly], k): ([V; 2], usize),
    first: usize,
    out: &mut [Pack],
) {
    let width = block.has[3].width;
    // SAFETY: the caller guarantees that the CPU supports the instruction set and that the indices
    // exist. All rows have `width` packs.
    unsafe {
        let mut xs = [both; SHORT];
        let x = block.short[0].row(block.short_row(0, KIND, [a, b]));
        for (i, in_x) in xs.iter_mut().enumerate() {
            if i < width {
                *in_x = V::load(x.add(i));
            }
        }
        // In `short`, the rows of successive indices along axis 2 are adjacent.
        let mut y = block.short[1].row(block.short_row(1, KIND, [a, first]));
        let mut z = block.short[2].row(block.short_row(2, KIND, [b, first]));
        for (c, out) in (first..).zip(out.chunks_mut(width)) {
            let constant = both.and(block.has(KIND, 2, k, c)).or(nearly.and(block.has(MOVER, 2, k, c)));
            for (i, &x) in xs.iter().enumerate() {
                if let Some(out) = out.get_mut(i) {
                    constant.or(x).or(V::load(y.add(i))).or(V::load(z.add(i))).store(out);
                }
            }
            (y, z) = (y.add(width), z.add(width));
        }
    }
}

/// Computes rows in a block with long rows, as unions of rows of `common` and `pairs`. `[a, b]` are
/// the indices of the selected rows. The third argument is the result of [`of_two`] for these
/// indices.
///
/// # Safety
/// The requirements of [`rows_of_kind`] are met.
#[inline(always)]
unsafe fn rows_of_long<V: Whole, const KIND: usize>(
    block: &BlockLines,
    [a, b]: [usize; 2],
    ([both, nearly], k): ([V; 2], usize),
    first: usize,
    out: &mut [Pack],
) {
    // SAFETY: the caller guarantees that the CPU supports the instruction set and that the indices
    // exist. All rows have the same number of packs.
    unsafe {
        for (c, out) in (first..).zip(out.chunks_mut(block.has[3].width)) {
            let mut constant = both.and(block.has(KIND, 2, k, c)).or(nearly.and(block.has(MOVER, 2, k, c)));
            constant = constant.or(block.pair(1, KIND, a, c)).or(block.pair(2, KIND, b, c));
            let [x, y] = [block.common.row(KIND), block.pair_row(5, KIND, c)];
            let lines = [with_last::<V, KIND>(block, 0, [b, c]), with_last::<V, KIND>(block, 1, [a, c])];
            for (i, out) in out.iter_mut().enumerate() {
                let mut all = constant.or(V::load(x.add(i))).or(V::load(y.add(i)));
                for line in lines {
                    all = or_line::<V, KIND>(all, line, i);
                }
                all.store(out);
            }
        }
    }
}
