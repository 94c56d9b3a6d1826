//! Where boards have lines: all that a block, or a row of blocks, has to know of them.
//!
//! A straight line touches two or three quadrants. So "some line is complete" is the union of
//! functions of two quadrants, of which a block of 8 x 8 x 8 x 8 boards has 64 supers for each pair,
//! and of what few lines touch three. A row of boards along axis 3 takes three rows of pairs and
//! three lines, instead of testing all lines at all rotations for each of its boards.
//!
//! That holds for the five of either player, and for the mover's with one marble more: a line that
//! is complete in all its quadrants but one, and nearly so in that one.

use super::whole::Whole;
use crate::index::sections::section::EDGE;
use crate::kernel::lanes::Pack;
use crate::rules::Shape;
use crate::supers::half::half_rotation;
use crate::supers::{Half, Super, WinMasks};
use std::ops::Range;
use std::sync::OnceLock;

/// Lines by the quadrants that they touch.
pub struct LineGroups {
    /// By pair of quadrants, as in `PAIRS`: the places of each line in the lists of both.
    pairs: [Vec<[usize; 2]>; 6],
    /// By the quadrant that it doesn't touch: the line that touches the others, if there is one; its
    /// places in their lists.
    triples: [Option<[usize; 3]>; 4],
    /// By quadrant: the lines that it has to know.
    of_quadrant: [Vec<u8>; 4],
    fives: WinMasks,
}

/// Pairs of quadrants.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];
/// The quadrants but one.
const TRIPLES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

impl LineGroups {
    /// Returns the lines of a board.
    ///
    /// # Panics
    /// If a line touches four quadrants, or two the same three, which no straight ones do.
    pub fn new(shape: Shape) -> LineGroups {
        let mut groups = LineGroups {
            pairs: [const { Vec::new() }; 6],
            triples: [None; 4],
            of_quadrant: [const { Vec::new() }; 4],
            fives: WinMasks::new(shape),
        };
        let full = (1 << shape.quadrant_sockets()) - 1;
        for line in 0..shape.lines().len() as u8 {
            let complete = |q: usize, pattern| groups.fives.of_quadrant(q, pattern)[0] >> line & 1 != 0;
            debug_assert!((0..4).all(|q| complete(q, full)));
            let fits = |within: &[usize]| (0..4).all(|q| complete(q, 0) || within.contains(&q));
            let place = |q: usize| {
                groups.of_quadrant[q].push(line);
                groups.of_quadrant[q].len() - 1
            };
            if let Some(pair) = PAIRS.iter().position(|pair| fits(pair)) {
                groups.pairs[pair].push(PAIRS[pair].map(place));
            } else {
                let triple = TRIPLES.iter().position(|triple| fits(triple)).expect("a line is straight");
                let places = TRIPLES[triple].map(place);
                assert!(groups.triples[triple].replace(places).is_none(), "there is one of a kind");
            }
        }
        // What is said of no line is read from the place of the first one.
        assert!(groups.of_quadrant.iter().all(|lines| !lines.is_empty()), "every quadrant has lines");
        groups
    }

    /// Returns the lines that are complete in a quadrant with a set of marbles, at each rotation.
    pub fn complete(&self, q: usize, set: u16) -> [u32; 4] {
        self.fives.of_quadrant(q, set)
    }

    /// Returns the lines that a quadrant has to know.
    pub fn of_quadrant(&self, q: usize) -> &[u8] {
        &self.of_quadrant[q]
    }
}

/// Along an axis, for each kind and each line of the quadrant, at which turns each pattern has the
/// line. The kinds are those of the player who has turned, those of the mover, those of the mover
/// with at most one marble more.
#[derive(Clone, Debug)]
pub struct LinesAlong<'a> {
    number: u64,
    turns: &'a [u8],
    patterns: usize,
    range: Range<usize>,
}

impl<'a> LinesAlong<'a> {
    /// Some patterns of an axis that has so many. The turns are bits, in the order of the kinds, the
    /// lines ([`LineGroups::of_quadrant`]) and the patterns. Other turns have another number.
    ///
    /// # Panics
    /// If there are not as many patterns.
    pub fn new(number: u64, turns: &'a [u8], patterns: usize, range: Range<usize>) -> LinesAlong<'a> {
        assert!(range.start < range.end && range.end <= patterns);
        LinesAlong { number, turns, patterns, range }
    }

    /// Returns whether the turns are those of so many lines of the quadrant.
    pub(super) fn has_lines(&self, lines: usize) -> bool {
        self.turns.len() == KINDS * lines * self.patterns
    }
}

/// The kinds of lines.
pub(super) const KINDS: usize = 3;
pub(super) const OTHER: usize = 0;
pub(super) const MOVER: usize = 1;
pub(super) const NEAR: usize = 2;

/// Rows of supers of one length, two supers in a pack.
#[derive(Clone, Debug, Default)]
struct SuperRows {
    packs: Vec<Pack>,
    /// Packs of a row.
    width: usize,
}

impl SuperRows {
    /// Makes room for `rows` rows of `len` supers; what they hold is what was there, or nothing.
    fn resize(&mut self, rows: usize, len: usize) {
        self.width = len.div_ceil(2);
        self.packs.resize(rows * self.width, Pack::default());
    }

    /// Returns a row.
    ///
    /// # Safety
    /// There are more rows.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn row(&self, row: usize) -> *const Pack {
        debug_assert!((row + 1) * self.width <= self.packs.len());
        // SAFETY: as above.
        unsafe { self.packs.as_ptr().add(row * self.width) }
    }

    /// One super of a row, in both planes.
    ///
    /// # Safety
    /// The CPU supports the instruction set of `V`; there are more rows, and the row has more supers.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn both<V: Whole>(&self, row: usize, i: usize) -> V {
        debug_assert!(i < 2 * self.width);
        // SAFETY: as above; a pack is two supers.
        unsafe { V::both(self.row(row).cast::<Super>().add(i)) }
    }
}

/// The most packs of a short row.
const SHORT: usize = EDGE as usize / 2;

/// Where a block of boards has lines, or a row of blocks.
#[derive(Clone, Debug, Default)]
pub struct BlockLines {
    lens: [usize; 4],
    /// By quadrant, which turns and patterns it was filled with: neighbouring blocks have most of
    /// them in common.
    of: [Option<(u64, Range<usize>)>; 4],
    /// By quadrant, in the order of the kinds and the lines: where each pattern has the line.
    has: [SuperRows; 4],
    /// By quadrant, how many lines there are.
    lines: [usize; 4],
    /// By pair, in the order of the kinds and the patterns of the first quadrant: where each board
    /// of two quadrants has a line.
    pairs: [SuperRows; 6],
    /// In a block whose rows are short, by pair of the first three quadrants, in the order of the kinds
    /// and the patterns of both: where the boards of a row have a line by these and the last one. With
    /// them a row is the union of three; for long ones they would not stay in the cache.
    short: [SuperRows; 3],
    /// The places along the axes 0 and 1 of the rows that may be computed now.
    at: Option<[usize; 2]>,
    /// In a block whose rows are long, by kind: where the boards of all these rows have a line, because of
    /// one of the first two quadrants, or both, and the last one.
    common: SuperRows,
    triples: [Option<[usize; 3]>; 4],
}

/// By quadrant and the turns at which something is so: where a board has it.
fn at_turns() -> &'static [[Super; 16]; 4] {
    static AT: OnceLock<[[Super; 16]; 4]> = OnceLock::new();
    AT.get_or_init(|| {
        std::array::from_fn(|q| {
            std::array::from_fn(|turns| {
                let half = |parity: u8| {
                    let mut words = [0; 2];
                    for bit in (0..128).filter(|&bit| turns >> half_rotation(parity, bit)[q] & 1 != 0) {
                        words[bit / 64] |= 1u64 << (bit % 64);
                    }
                    Half(words)
                };
                Super([half(0), half(1)])
            })
        })
    })
}

impl BlockLines {
    /// Returns the boards along each axis.
    pub fn lens(&self) -> [usize; 4] {
        self.lens
    }

    /// Returns whether rows may be computed: [`Passes::enter_lines`] has been called for these lines.
    pub(super) fn is_entered(&self) -> bool {
        self.at.is_some()
    }

    /// Returns whether rows are short: those of one block.
    #[inline(always)]
    fn is_short(&self) -> bool {
        self.lens[3] <= EDGE as usize
    }

    /// Returns the row in `short[pair]` for patterns at these places of both axes.
    #[inline(always)]
    fn short_row(&self, pair: usize, kind: usize, [a, b]: [usize; 2]) -> usize {
        let [len_a, len_b] = PAIRS[pair].map(|q| self.lens[q]);
        (kind * len_a + a) * len_b + b
    }

    /// Returns the row in `has[q]` of a line.
    #[inline(always)]
    fn row_of(&self, q: usize, kind: usize, line: usize) -> usize {
        kind * self.lines[q] + line
    }

    /// Where the pattern at a place of axis `q` has a line.
    ///
    /// # Safety
    /// The CPU supports the instruction set of `V`; the quadrant has so many lines, and the axis such a place.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn has<V: Whole>(&self, kind: usize, q: usize, line: usize, at: usize) -> V {
        // SAFETY: as above.
        unsafe { self.has[q].both(self.row_of(q, kind, line), at) }
    }

    /// Where the patterns along axis 3 have a line.
    ///
    /// # Safety
    /// The quadrant has so many lines.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn last(&self, kind: usize, line: usize) -> *const Pack {
        // SAFETY: as above.
        unsafe { self.has[3].row(self.row_of(3, kind, line)) }
    }

    /// Where a board of two quadrants has a line: the first one's pattern is at place `a`.
    ///
    /// # Safety
    /// The axis has such a place.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn pair_row(&self, pair: usize, kind: usize, a: usize) -> *const Pack {
        // SAFETY: as above.
        unsafe { self.pairs[pair].row(kind * self.lens[PAIRS[pair][0]] + a) }
    }

    /// One board of such a row.
    ///
    /// # Safety
    /// The CPU supports the instruction set of `V`; both axes have such a place.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn pair<V: Whole>(&self, pair: usize, kind: usize, a: usize, b: usize) -> V {
        // SAFETY: as above.
        unsafe { V::both(self.pair_row(pair, kind, a).cast::<Super>().add(b)) }
    }

    /// Fills what is known of one quadrant; says whether it wasn't known already.
    fn fill_quadrant(&mut self, q: usize, groups: &LineGroups, along: &LinesAlong) -> bool {
        let of = Some((along.number, along.range.clone()));
        if self.of[q] == of {
            return false;
        }
        self.of[q] = of;
        let at = &at_turns()[q];
        self.lens[q] = along.range.len();
        self.lines[q] = groups.of_quadrant[q].len();
        self.has[q].resize(KINDS * self.lines[q], along.range.len());
        let rows = self.has[q].packs.chunks_exact_mut(self.has[q].width);
        for (row, turns) in rows.zip(along.turns.chunks_exact(along.patterns)) {
            for (pack, two) in row.iter_mut().zip(turns[along.range.clone()].chunks(2)) {
                for (halves, &turns) in pack.0.as_chunks_mut::<2>().0.iter_mut().zip(two) {
                    *halves = at[usize::from(turns % 16)].0;
                }
            }
        }
        true
    }
}

/// Finds the lines of the boards with these patterns along the axes.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn prepare<V: Whole>(groups: &LineGroups, along: &[LinesAlong; 4], block: &mut BlockLines) {
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
                // SAFETY: the processor has the vectors; the lines are those that the quadrants
                // have, places are less than the lengths, and there are as many rows of all kinds.
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
                // SAFETY: the processor has the vectors, and the pairs were found.
                unsafe {
                    short_rows::<V, OTHER>(block, pair);
                    short_rows::<V, MOVER>(block, pair);
                    short_rows::<V, NEAR>(block, pair);
                }
            }
        }
    }
}

/// Goes to the rows with these places along the axes 0 and 1: finds what long ones have in common.
///
/// # Safety
/// The CPU supports the instruction set of `V`, and the axes have such places.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn enter<V: Whole>(block: &mut BlockLines, at: [usize; 2]) {
    block.at = Some(at);
    if !block.is_short() {
        block.common.resize(KINDS, block.lens[3]);
        // SAFETY: as above, and there are rows for all kinds.
        unsafe {
            common_row::<V, OTHER>(block, at);
            common_row::<V, MOVER>(block, at);
            common_row::<V, NEAR>(block, at);
        }
    }
}

/// Finds what the rows at these places have in common, of a kind.
///
/// # Safety
/// As for [`enter`].
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn common_row<V: Whole, const KIND: usize>(block: &mut BlockLines, at: [usize; 2]) {
    let width = block.common.width;
    let out = block.common.packs.as_mut_ptr();
    // SAFETY: as above.
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

/// What the patterns at these places in two quadrants say of the line that touches them and a third: at which
/// rotations boards have it, of a kind, if the third has it of that kind; at which if the third has it complete,
/// because the one marble more is in the two; and which of the third's lines it is. Nothing, if there is no such
/// line.
///
/// # Safety
/// The CPU supports the instruction set of `V`; the axes have such places.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn of_two<V: Whole, const KIND: usize>(
    block: &BlockLines,
    triple: usize,
    [a, b]: [usize; 2],
) -> ([V; 2], usize) {
    let [qa, qb, _] = TRIPLES[triple];
    // SAFETY: as above; the triples are of lines that the quadrants have.
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

/// Such a line that touches axis 3, with where the patterns along that have it.
///
/// # Safety
/// The CPU supports the instruction set of `V`; the axes have such places.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn with_last<V: Whole, const KIND: usize>(
    block: &BlockLines,
    triple: usize,
    at: [usize; 2],
) -> [(V, *const Pack); 2] {
    // SAFETY: as above.
    unsafe {
        let ([both, nearly], k) = of_two::<V, KIND>(block, triple, at);
        [(both, block.last(KIND, k)), (nearly, block.last(MOVER, k))]
    }
}

/// Boards that have some line, with those that have this one, at a place along axis 3.
///
/// # Safety
/// The CPU supports the instruction set of `V`; the rows have such a place.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn or_line<V: Whole, const KIND: usize>(
    all: V,
    [first, second]: [(V, *const Pack); 2],
    i: usize,
) -> V {
    // SAFETY: as above.
    unsafe {
        let all = all.or(first.0.and(V::load(first.1.add(i))));
        if KIND == NEAR { all.or(second.0.and(V::load(second.1.add(i)))) } else { all }
    }
}

/// Finds what the boards of all rows have of a kind by the patterns of a pair and those along axis 3.
///
/// # Safety
/// The CPU supports the instruction set of `V`, and the pairs are found.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn short_rows<V: Whole, const KIND: usize>(block: &mut BlockLines, pair: usize) {
    let [len_a, len_b] = PAIRS[pair].map(|q| block.lens[q]);
    let width = block.short[pair].width;
    let out = block.short[pair].packs.as_mut_ptr();
    // The two quadrants and the last: a line of three, and one of the pairs with the last.
    let (triple, last_pair) = [(2, 3), (1, 5), (0, 4)][pair];
    for a in 0..len_a {
        for b in 0..len_b {
            let at_last = if PAIRS[last_pair][0] == PAIRS[pair][0] { a } else { b };
            // SAFETY: as above; places are less than the lengths, and there are rows for all.
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

/// Where the boards of a row have lines of a kind, into `out`, two boards in a pack: of the rows that were
/// [entered](enter) the one with this place along axis 2, and those of the next places behind it.
///
/// There are no closures here: the compiler makes functions of them that lack the vector's
/// instructions, and doesn't always take them in again.
///
/// # Safety
/// The CPU supports the instruction set of `V`; axis 2 has as many places from this one on as there are rows in `out`.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn rows_of_kind<V: Whole, const KIND: usize>(
    block: &BlockLines,
    first: usize,
    out: &mut [Pack],
) {
    let Some(at) = block.at else { return };
    // SAFETY: the processor has the vectors; the axes have such places.
    unsafe {
        let both = of_two::<V, KIND>(block, 3, at);
        if block.is_short() {
            rows_of_short::<V, KIND>(block, at, both, first, out);
        } else {
            rows_of_long::<V, KIND>(block, at, both, first, out);
        }
    }
}

/// Returns the rows of short blocks: what is of a pair of axes with the last is there. `both` is of the first two.
///
/// # Safety
/// As of [`rows_of_kind`], with rows of at most [`SHORT`] boards.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn rows_of_short<V: Whole, const KIND: usize>(
    block: &BlockLines,
    [a, b]: [usize; 2],
    ([both, nearly], k): ([V; 2], usize),
    first: usize,
    out: &mut [Pack],
) {
    let width = block.has[3].width;
    // SAFETY: as above.
    unsafe {
        let mut xs = [both; SHORT];
        let x = block.short[0].row(block.short_row(0, KIND, [a, b]));
        for (i, in_x) in xs.iter_mut().enumerate() {
            if i < width {
                *in_x = V::load(x.add(i));
            }
        }
        // Rows of the next places along axis 2 lie one behind the other.
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

/// Returns the others: two of the three pairs with the last axis, and one of three long lines, are common to all rows
/// that were entered.
///
/// # Safety
/// As of [`rows_of_kind`].
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn rows_of_long<V: Whole, const KIND: usize>(
    block: &BlockLines,
    [a, b]: [usize; 2],
    ([both, nearly], k): ([V; 2], usize),
    first: usize,
    out: &mut [Pack],
) {
    // SAFETY: as above.
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
