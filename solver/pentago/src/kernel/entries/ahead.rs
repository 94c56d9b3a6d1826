//! What a placement and a turn decide for all boards of a block: see [`crate::codec::Predictor`].
//!
//! A straight line touches two or three quadrants. So "some line is complete" is the union of four
//! functions of three quadrants each, and of a block of 8 x 8 x 8 x 8 boards these take four tables
//! of 512 supers instead of one of 4,096: a board takes four of them and unites them. Of the tables
//! themselves most is the union of tables for two quadrants, of 64 supers each.
//!
//! That holds for the five of either player, and for the mover's with one marble more: a line that
//! is complete in all its quadrants but one, and nearly so in that one.

use super::{M, NOTHING, P, Whole};
use crate::kernel::Kernel;
use crate::kernel::lanes::{Combine, Pack};
use crate::rules::Shape;
use crate::supers::half::half_rotation;
use crate::supers::{Half, Super, WinMasks};
use std::sync::OnceLock;

/// Lines by the quadrants that they touch.
#[derive(Clone, Debug)]
pub struct LineGroups {
    /// By pair of quadrants, as in [`PAIRS`].
    pairs: [Vec<u8>; 6],
    /// By the quadrant that they don't touch.
    triples: [Vec<u8>; 4],
    /// By quadrant: all lines that it has to know.
    of_quadrant: [Vec<u8>; 4],
}

/// Pairs of quadrants.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];
/// By the quadrant that a table of three doesn't have: the three, in order.
const TRIPLES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
/// The pairs that a table of three takes in: of its first and second quadrant, the first and third,
/// the second and third. Each pair is in one of them.
const TAKEN: [[Option<usize>; 3]; 4] =
    [[None, None, Some(5)], [None; 3], [None, Some(3), Some(4)], [Some(0), Some(1), Some(2)]];

impl LineGroups {
    /// The lines of a board.
    ///
    /// # Panics
    /// If a line touches four quadrants, which no straight one does.
    pub fn new(shape: Shape, fives: &WinMasks) -> LineGroups {
        let mut groups = LineGroups {
            pairs: [const { Vec::new() }; 6],
            triples: [const { Vec::new() }; 4],
            of_quadrant: [const { Vec::new() }; 4],
        };
        for line in 0..32u8 {
            // A line that doesn't exist is complete nowhere, whatever is there.
            let full = (1 << shape.quadrant_sockets()) - 1;
            let [nothing, all]: [[bool; 4]; 2] = [0, full].map(|pattern| {
                std::array::from_fn(|q| fives.of_quadrant(q, pattern)[0] >> line & 1 != 0)
            });
            if all.contains(&false) {
                continue;
            }
            let fits = |within: &[usize]| (0..4).all(|q| nothing[q] || within.contains(&q));
            let quadrants = if let Some(pair) = PAIRS.iter().position(|pair| fits(pair)) {
                groups.pairs[pair].push(line);
                &PAIRS[pair][..]
            } else {
                let triple = TRIPLES.iter().position(|triple| fits(triple)).expect("a line is straight");
                groups.triples[triple].push(line);
                &TRIPLES[triple][..]
            };
            quadrants.iter().for_each(|&q| groups.of_quadrant[q].push(line));
        }
        groups
    }
}

/// A block to be guessed.
#[derive(Clone, Copy)]
pub struct AheadBlock<'a> {
    /// The lines of the board.
    pub groups: &'a LineGroups,
    /// Along each axis for each pattern the lines that are complete in it, at each rotation: those
    /// of the player who has turned, those of the mover, those of the mover with at most one marble
    /// more.
    pub axes: [[&'a [[u32; 4]]; 3]; 4],
    /// Whether the mover turns a quadrant.
    pub has_turn: bool,
}

/// The kinds of lines.
const KINDS: usize = 3;
const OTHER: usize = 0;
const MOVER: usize = 1;
const NEAR: usize = 2;

/// Rows of supers, two in a line of the cache.
#[derive(Clone, Debug, Default)]
struct Rows {
    packs: Vec<Pack>,
    /// Cache lines of a row.
    width: usize,
}

impl Rows {
    fn resize(&mut self, rows: usize, supers: usize) {
        self.width = supers.div_ceil(2);
        self.packs.resize(rows * self.width, Pack::default());
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &[Pack] {
        &self.packs[row * self.width..][..self.width]
    }

    #[inline(always)]
    fn row_mut(&mut self, row: usize) -> &mut [Pack] {
        &mut self.packs[row * self.width..][..self.width]
    }

    /// One super, in both halves of a vector.
    ///
    /// # Safety
    /// The processor has the vectors.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn both<V: Whole>(&self, row: usize, i: usize) -> V {
        // SAFETY: as above; half of a line is a super.
        unsafe { both(&self.row(row)[i / 2], i % 2) }
    }
}

/// One of the two supers of a line, in both halves of a vector.
///
/// # Safety
/// The processor has the vectors, and `half` is 0 or 1.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn both<V: Whole>(pack: &Pack, half: usize) -> V {
    // SAFETY: as above; a line is two supers.
    unsafe { V::both(std::ptr::from_ref(pack).cast::<Super>().add(half)) }
}

/// What is computed before the boards; kept from block to block.
#[derive(Clone, Debug, Default)]
pub struct AheadScratch {
    /// By quadrant, kind and line: where a pattern has the line.
    has: [[Vec<Rows>; KINDS]; 4],
    /// By pair and kind, a row for each pattern of the first quadrant.
    pairs: [[Rows; KINDS]; 6],
    /// By triple and kind, a row for each pair of patterns; of those that have the first quadrant
    /// for one pattern there.
    triples: [[Rows; KINDS]; 4],
    /// A row of boards, by kind.
    boards: [Rows; KINDS],
    /// What is decided before a turn.
    before: Vec<Pack>,
}

/// Where a bit of four, one for each turn of a quadrant, is set.
fn spread_turns() -> &'static [[Super; 16]; 4] {
    static SPREAD: OnceLock<[[Super; 16]; 4]> = OnceLock::new();
    SPREAD.get_or_init(|| {
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

impl AheadScratch {
    /// Notes where each pattern of a quadrant has each line.
    #[inline(always)]
    fn fill_quadrant(&mut self, q: usize, block: &AheadBlock) {
        let spread = &spread_turns()[q];
        for (rows, lines) in self.has[q].iter_mut().zip(&block.axes[q]) {
            rows.resize_with(block.groups.of_quadrant[q].len().max(rows.len()), Rows::default);
            for (rows, &line) in rows.iter_mut().zip(&block.groups.of_quadrant[q]) {
                rows.resize(1, lines.len());
                for (pack, two) in rows.packs.iter_mut().zip(lines.chunks(2)) {
                    for (halves, at) in pack.0.as_chunks_mut::<2>().0.iter_mut().zip(two) {
                        let bit = |r: usize| at[r] >> line & 1;
                        *halves = spread[(bit(0) | bit(1) << 1 | bit(2) << 2 | bit(3) << 3) as usize].0;
                    }
                }
            }
        }
    }
}

/// The place of a line in the list of a quadrant.
#[inline(always)]
fn place(groups: &LineGroups, q: usize, line: u8) -> usize {
    groups.of_quadrant[q].iter().position(|&l| l == line).expect("the quadrant knows its lines")
}

/// Guesses the values of a block into `out`: what a step of the solution gives if instead of the
/// children's values only lines and a placement are known before a turn.
///
/// # Safety
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn ahead<V: Whole, const X: u8, const CW: bool>(
    block: &AheadBlock,
    out: &mut [Pack],
    scratch: &mut AheadScratch,
) {
    let lens = block.axes.map(|axis| axis[0].len());
    for q in 0..4 {
        scratch.fill_quadrant(q, block);
    }
    // SAFETY: the processor has the vectors.
    unsafe {
        for pair in 0..PAIRS.len() {
            fill_pair::<V>(pair, lens, block.groups, scratch);
        }
        let [first, second, third, last] = lens;
        for b in 0..second {
            fill_triple::<V>(0, b, b, lens, block.groups, scratch);
        }
        for kind in 0..KINDS {
            scratch.boards[kind].resize(1, last);
        }
        scratch.before.resize(last, Pack::default());
        for a in 0..first {
            for triple in 1..4 {
                fill_triple::<V>(triple, a, 0, lens, block.groups, scratch);
            }
            for b in 0..second {
                for c in 0..third {
                    let out = &mut out[((a * second + b) * third + c) * last..][..last];
                    for kind in [OTHER, MOVER, NEAR] {
                        if kind == MOVER && !(X == M || X == super::P_NOT_M) {
                            continue;
                        }
                        let [t, u, v, w] = &scratch.triples;
                        let constant: V = w[kind].both(b, c);
                        let rows = [&t[kind].row(b * third + c), &u[kind].row(c), &v[kind].row(b)];
                        let to = &mut scratch.boards[kind].packs[..];
                        for (i, to) in to.iter_mut().enumerate() {
                            let all = rows.iter().fold(constant, |all, row| all.or(V::load(&row[i])));
                            all.store(to);
                        }
                    }
                    finish::<V, X, CW>(block.has_turn, &scratch.boards, &mut scratch.before, out);
                }
            }
        }
    }
}

/// The step itself for a row of boards, of which is known where lines are.
///
/// # Safety
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn finish<V: Whole, const X: u8, const CW: bool>(
    has_turn: bool,
    [other, mover, near]: &[Rows; KINDS],
    before: &mut [Pack],
    out: &mut [Pack],
) {
    // SAFETY: the processor has the vectors.
    unsafe {
        if has_turn {
            for (i, before) in before.iter_mut().enumerate() {
                let (n, p): (V, V) = (other.both(0, i), near.both(0, i));
                n.select(p.second(), p.or(V::ones().second())).store(before);
                // As a child's values complemented: its losses are wins here.
                let [win, win_odd, not_lose, not_lose_odd] = before.0;
                before.0 = [not_lose, not_lose_odd, win, win_odd];
            }
        }
        for (i, (before, out)) in before.iter().zip(out).enumerate() {
            let (n, p): (V, V) = (other.both(0, i), near.both(0, i));
            let r = if has_turn { V::load(before).rotation_max::<CW>() } else { V::ones().second() };
            let x = match X {
                NOTHING => V::ones().not(),
                M => mover.both::<V>(0, i).second(),
                P => p.second(),
                _ => p.and(mover.both::<V>(0, i).not()).second(),
            };
            n.select(x, p.or(r)).store(out);
        }
    }
}

/// Lines of two quadrants.
///
/// # Safety
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn fill_pair<V: Whole>(
    pair: usize,
    lens: [usize; 4],
    groups: &LineGroups,
    AheadScratch { has, pairs, .. }: &mut AheadScratch,
) {
    let [qa, qb] = PAIRS[pair];
    let places = groups.pairs[pair].iter().map(|&line| [qa, qb].map(|q| place(groups, q, line)));
    let mut list = [[0; 2]; 32];
    let count = list.iter_mut().zip(places).map(|(to, places)| *to = places).count();
    let list = &list[..count];
    pairs[pair].iter_mut().for_each(|rows| rows.resize(lens[qa], lens[qb]));
    let (of_a, of_b) = (&has[qa], &has[qb]);
    for a in 0..lens[qa] {
        for b in 0..lens[qb].div_ceil(2) {
            // SAFETY: the processor has the vectors.
            unsafe {
                let mut all = [V::ones().not(); KINDS];
                for &[i, j] in list {
                    let x: [V; KINDS] = [0, 1, 2].map(|kind| of_a[kind][i].both(0, a));
                    let y = [0, 1, 2].map(|kind| V::load(&of_b[kind][j].packs[b]));
                    all[OTHER] = all[OTHER].or(x[OTHER].and(y[OTHER]));
                    all[MOVER] = all[MOVER].or(x[MOVER].and(y[MOVER]));
                    all[NEAR] = all[NEAR].or(x[NEAR].and(y[MOVER])).or(x[MOVER].and(y[NEAR]));
                }
                for (rows, all) in pairs[pair].iter_mut().zip(all) {
                    all.store(&mut rows.row_mut(a)[b]);
                }
            }
        }
    }
}

/// Lines of three quadrants for one pattern of the first, with those of the pairs that the table
/// takes in. The rows begin at those of the pattern `at`.
///
/// # Safety
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn fill_triple<V: Whole>(
    triple: usize,
    a: usize,
    at: usize,
    lens: [usize; 4],
    groups: &LineGroups,
    AheadScratch { has, pairs, triples, .. }: &mut AheadScratch,
) {
    let [qa, qb, qc] = TRIPLES[triple];
    let taken = TAKEN[triple];
    let places = groups.triples[triple].iter().map(|&line| [qa, qb, qc].map(|q| place(groups, q, line)));
    let mut list = [[0; 3]; 32];
    let count = list.iter_mut().zip(places).map(|(to, places)| *to = places).count();
    let list = &list[..count];
    let rows = if triple == 0 { lens[qa] * lens[qb] } else { lens[qb] };
    triples[triple].iter_mut().for_each(|to| to.resize(rows, lens[qc]));
    for b in 0..lens[qb] {
        // SAFETY: the processor has the vectors.
        unsafe {
            let nothing = V::ones().not();
            let constant: [V; KINDS] =
                [0, 1, 2].map(|kind| taken[0].map_or(nothing, |pair| pairs[pair][kind].both(a, b)));
            for c in 0..lens[qc].div_ceil(2) {
                let mut all = constant;
                for (kind, all) in all.iter_mut().enumerate() {
                    if let Some(pair) = taken[1] {
                        *all = all.or(V::load(&pairs[pair][kind].row(a)[c]));
                    }
                    if let Some(pair) = taken[2] {
                        *all = all.or(V::load(&pairs[pair][kind].row(b)[c]));
                    }
                }
                for &[i, j, k] in list {
                    let x: [V; KINDS] = [0, 1, 2].map(|kind| has[qa][kind][i].both(0, a));
                    let y: [V; KINDS] = [0, 1, 2].map(|kind| has[qb][kind][j].both(0, b));
                    let z = [0, 1, 2].map(|kind| V::load(&has[qc][kind][k].packs[c]));
                    let two = x[MOVER].and(y[MOVER]);
                    all[OTHER] = all[OTHER].or(x[OTHER].and(y[OTHER]).and(z[OTHER]));
                    all[MOVER] = all[MOVER].or(two.and(z[MOVER]));
                    let near = x[NEAR].and(y[MOVER]).or(x[MOVER].and(y[NEAR]));
                    all[NEAR] = all[NEAR].or(near.and(z[MOVER])).or(two.and(z[NEAR]));
                }
                for (rows, all) in triples[triple].iter_mut().zip(all) {
                    all.store(&mut rows.row_mut(at * lens[qb] + b)[c]);
                }
            }
        }
    }
}

#[allow(unsafe_code)]
impl Kernel {
    /// Guesses the values of all boards of a block into `out`, the last axis fastest; `clockwise`:
    /// quadrants turn clockwise only.
    ///
    /// # Panics
    /// If there are not as many entries as boards.
    pub(crate) fn ahead(
        self,
        combine: Combine,
        clockwise: bool,
        block: &AheadBlock,
        out: &mut [Pack],
        scratch: &mut AheadScratch,
    ) {
        for axis in &block.axes {
            assert!(axis.iter().all(|lines| lines.len() == axis[0].len()));
        }
        assert_eq!(out.len(), block.axes.iter().map(|axis| axis[0].len()).product::<usize>());
        let run = self.0.entries.ahead[super::x_index(combine)][usize::from(clockwise)];
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { run(block, out, scratch) }
    }
}
