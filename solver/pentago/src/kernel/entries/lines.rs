//! Where boards have lines: all that a block, or a row of blocks, has to know of them.
//!
//! A straight line touches two or three quadrants. So "some line is complete" is the union of
//! functions of two quadrants, of which a block of 8 x 8 x 8 x 8 boards has 64 supers for each pair,
//! and of what few lines touch three. A row of boards along axis 3 takes three rows of pairs and
//! three lines, instead of testing all lines at all rotations for each of its boards.
//!
//! That holds for the five of either player, and for the mover's with one marble more: a line that
//! is complete in all its quadrants but one, and nearly so in that one.

use super::Whole;
use crate::kernel::Kernel;
use crate::kernel::lanes::Pack;
use crate::rules::Shape;
use crate::supers::half::half_rotation;
use crate::supers::{Half, Super, WinMasks};
use std::sync::OnceLock;

/// Lines by the quadrants that they touch.
#[derive(Clone, Debug)]
pub struct LineGroups {
    /// By pair of quadrants, as in `PAIRS`: the places of each line in the lists of both.
    pairs: [Vec<[usize; 2]>; 6],
    /// By the quadrant that they don't touch: the places in the lists of the others.
    triples: [Vec<[usize; 3]>; 4],
    /// By quadrant: the lines that it has to know.
    of_quadrant: [Vec<u8>; 4],
}

/// Pairs of quadrants.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];
/// The quadrants but one.
const TRIPLES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

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
        let full = (1 << shape.quadrant_sockets()) - 1;
        for line in 0..shape.lines().len() as u8 {
            let complete = |q: usize, pattern| fives.of_quadrant(q, pattern)[0] >> line & 1 != 0;
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
                groups.triples[triple].push(TRIPLES[triple].map(place));
            }
        }
        groups
    }
}

/// Along an axis for each pattern the lines that are complete in it, at each rotation: those of the
/// player who has turned, those of the mover, those of the mover with at most one marble more.
pub type LinesAlong<'a> = [&'a [[u32; 4]]; KINDS];

/// The kinds of lines.
pub(super) const KINDS: usize = 3;
pub(super) const OTHER: usize = 0;
pub(super) const MOVER: usize = 1;
pub(super) const NEAR: usize = 2;

/// Rows of supers, two in a line of the cache.
#[derive(Clone, Debug, Default)]
pub(super) struct SuperRows {
    pub packs: Vec<Pack>,
    /// Cache lines of a row.
    width: usize,
}

impl SuperRows {
    /// Makes room; what is there stays or not.
    pub fn resize(&mut self, rows: usize, supers: usize) {
        self.width = supers.div_ceil(2);
        self.packs.resize(rows * self.width, Pack::default());
    }

    #[inline(always)]
    pub fn row(&self, row: usize) -> &[Pack] {
        &self.packs[row * self.width..][..self.width]
    }

    /// One super, in both planes.
    ///
    /// # Safety
    /// The processor has the vectors.
    #[allow(unsafe_code)]
    #[inline(always)]
    pub unsafe fn both<V: Whole>(&self, row: usize, i: usize) -> V {
        let pack: *const Pack = &self.row(row)[i / 2];
        // SAFETY: as above; a line is two supers.
        unsafe { V::both(pack.cast::<Super>().add(i % 2)) }
    }
}

/// Where a block of boards has lines, or a row of blocks.
#[derive(Clone, Debug, Default)]
pub struct BlockLines {
    lens: [usize; 4],
    /// By quadrant, kind and place of the line: where each pattern has it; one row.
    has: [[Vec<SuperRows>; KINDS]; 4],
    /// By pair and kind, a row for each pattern of the first quadrant.
    pairs: [[SuperRows; KINDS]; 6],
    triples: [Vec<[usize; 3]>; 4],
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
    /// The boards along each axis.
    pub fn lens(&self) -> [usize; 4] {
        self.lens
    }

    #[inline(always)]
    fn fill_quadrant(&mut self, q: usize, groups: &LineGroups, along: &LinesAlong) {
        let at = &at_turns()[q];
        for (all, lines) in self.has[q].iter_mut().zip(along) {
            all.resize_with(groups.of_quadrant[q].len(), SuperRows::default);
            for (rows, &line) in all.iter_mut().zip(&groups.of_quadrant[q]) {
                rows.resize(1, lines.len());
                for (pack, two) in rows.packs.iter_mut().zip(lines.chunks(2)) {
                    for (halves, lines) in pack.0.as_chunks_mut::<2>().0.iter_mut().zip(two) {
                        let bit = |r: usize| (lines[r] >> line & 1) << r;
                        *halves = at[((bit(0) | bit(1) | bit(2) | bit(3)) % 16) as usize].0;
                    }
                }
            }
        }
    }
}

/// Finds the lines of the boards with these patterns along the axes.
///
/// # Safety
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn prepare<V: Whole>(groups: &LineGroups, along: &[LinesAlong; 4], lines: &mut BlockLines) {
    lines.lens = along.map(|lines| lines[0].len());
    for (q, along) in along.iter().enumerate() {
        lines.fill_quadrant(q, groups, along);
    }
    lines.triples.clone_from(&groups.triples);
    for (pair, list) in groups.pairs.iter().enumerate() {
        let [qa, qb] = PAIRS[pair];
        let [len_a, len_b] = [lines.lens[qa], lines.lens[qb]];
        let (of_a, of_b) = (&lines.has[qa], &lines.has[qb]);
        let [other, mover, near] = &mut lines.pairs[pair];
        for rows in [&mut *other, &mut *mover, &mut *near] {
            rows.resize(len_a, len_b);
        }
        let width = len_b.div_ceil(2);
        for a in 0..len_a {
            for b in 0..width {
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
                    all[OTHER].store(&mut other.packs[a * width + b]);
                    all[MOVER].store(&mut mover.packs[a * width + b]);
                    all[NEAR].store(&mut near.packs[a * width + b]);
                }
            }
        }
    }
}

/// Something at some rotations of all boards of a row, as far as axis 3 has it too.
type Term<'a, V> = (V, &'a [Pack]);
/// More than any board has: each triple of quadrants with axis 3 has a line, or a few, and a nearly
/// complete one counts twice.
const MOST_TERMS: usize = 24;

/// Where the boards of a row have lines of a kind, into `out`: the row with these places along the
/// axes 0, 1, 2.
///
/// # Safety
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn row_of_kind<V: Whole, const KIND: usize>(
    lines: &BlockLines,
    at: [usize; 3],
    out: &mut SuperRows,
) {
    // SAFETY: the processor has the vectors.
    unsafe {
        let nothing = V::ones().not();
        let has = |kind: usize, q: usize, line: usize| -> V { lines.has[q][kind][line].both(0, at[q]) };
        let pair = |pair: usize| &lines.pairs[pair][KIND];
        let mut constant: V =
            pair(0).both::<V>(at[0], at[1]).or(pair(1).both(at[0], at[2])).or(pair(2).both(at[1], at[2]));
        for &[i, j, k] in &lines.triples[3] {
            let of = |kinds: [usize; 3]| -> V {
                has(kinds[0], 0, i).and(has(kinds[1], 1, j)).and(has(kinds[2], 2, k))
            };
            constant = constant.or(if KIND == NEAR {
                of([NEAR, MOVER, MOVER]).or(of([MOVER, NEAR, MOVER])).or(of([MOVER, MOVER, NEAR]))
            } else {
                of([KIND; 3])
            });
        }
        let mut terms: [Term<V>; MOST_TERMS] = [(nothing, &[]); MOST_TERMS];
        let mut count = 0;
        for (triple, list) in lines.triples[..3].iter().enumerate() {
            let [qa, qb, _] = TRIPLES[triple];
            for &[i, j, k] in list {
                let last = |kind: usize| &lines.has[3][kind][k].packs[..];
                let of = |a: usize, b: usize| has(a, qa, i).and(has(b, qb, j));
                if KIND == NEAR {
                    terms[count] = (of(NEAR, MOVER).or(of(MOVER, NEAR)), last(MOVER));
                    terms[count + 1] = (of(MOVER, MOVER), last(NEAR));
                    count += 2;
                } else {
                    terms[count] = (of(KIND, KIND), last(KIND));
                    count += 1;
                }
            }
        }
        let rows = [pair(3).row(at[0]), pair(4).row(at[1]), pair(5).row(at[2])];
        // With their number known, the terms stay in registers.
        match &terms[..count] {
            [a, b, c] => unite_terms(constant, rows, &[*a, *b, *c], &mut out.packs),
            [a, b, c, d, e, f] => unite_terms(constant, rows, &[*a, *b, *c, *d, *e, *f], &mut out.packs),
            all => unite_terms(constant, rows, all, &mut out.packs),
        }
    }
}

/// `out[i] = constant | rows[..][i] | terms[..] & their row[i]`.
///
/// # Safety
/// The processor has the vectors.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn unite_terms<'a, V: Whole, T: AsRef<[Term<'a, V>]> + ?Sized>(
    constant: V,
    rows: [&[Pack]; 3],
    terms: &T,
    out: &mut [Pack],
) {
    let (rows, terms) = (rows.map(|row| &row[..out.len()]), terms.as_ref());
    // SAFETY: the processor has the vectors.
    unsafe {
        for (i, out) in out.iter_mut().enumerate() {
            let mut all = rows.iter().fold(constant, |all, row| all.or(V::load(&row[i])));
            for (x, row) in terms {
                all = all.or(x.and(V::load(&row[i])));
            }
            all.store(out);
        }
    }
}

#[allow(unsafe_code)]
impl Kernel {
    /// Finds the lines of the boards with these patterns along the axes.
    ///
    /// # Panics
    /// If an axis has not as many patterns of each kind.
    pub(crate) fn prepare_lines(self, groups: &LineGroups, along: &[LinesAlong; 4], lines: &mut BlockLines) {
        assert!(along.iter().all(|axis| axis.iter().all(|kind| kind.len() == axis[0].len())));
        // SAFETY: the kernel exists, so the processor has its instructions.
        unsafe { (self.0.entries.prepare)(groups, along, lines) }
    }
}
