//! A slow decoder of the published files, written only from the description of their format. The
//! decoder covers patterns, sections and values. Quadrants and turns are numbered as in the
//! description.

use crate::common::shared;
use lzma_rust2::XzReader;
use pentago::rules::Board;
use std::collections::HashMap;
use std::fs;
use std::io::Read;

/// The cells of a board, numbered as in the description: 0 is empty, 1 is black, 2 is white. The
/// first index is the column from the left. The second index is the row from the bottom.
pub type Cells = [[usize; 6]; 6];

/// The numbers of black and of white marbles in each quadrant. The quadrants 0 to 3 are numbered as
/// in the description.
pub type QuadrantCounts = [[usize; 2]; 4];

/// Returns the bit that the library uses for a socket. `x` is the column from the left, and `y` is
/// the row from the bottom.
fn socket(x: usize, y: usize) -> u64 {
    let row = 5 - y;
    1 << (16 * (2 * (row / 3) + x / 3) + 3 * (row % 3) + x % 3)
}

fn cells(board: Board) -> Cells {
    std::array::from_fn(|x| {
        std::array::from_fn(|y| match socket(x, y) {
            bit if board.x & bit != 0 => 1,
            bit if board.o & bit != 0 => 2,
            _ => 0,
        })
    })
}

pub fn board(cells: &Cells) -> Board {
    let mut sets = [0; 3];
    for (x, y) in sockets() {
        sets[cells[x][y]] |= socket(x, y);
    }
    Board::new(sets[1], sets[2]).expect("disjoint")
}

/// Iterates over all sockets as pairs of a column and a row.
pub fn sockets() -> impl Iterator<Item = (usize, usize)> {
    (0..36).map(|i| (i / 6, i % 6))
}

/// Applies symmetry g of the whole board: g mod 4 counter-clockwise quarter turns, then a
/// reflection if g is at least 4.
fn symmetry(g: usize, cells: &Cells) -> Cells {
    let mut image = *cells;
    let moved = |from: &Cells, to: fn(usize, usize) -> (usize, usize)| {
        let mut image = [[0; 6]; 6];
        for (x, y) in sockets() {
            let (u, v) = to(x, y);
            image[u][v] = from[x][y];
        }
        image
    };
    for _ in 0..g % 4 {
        image = moved(&image, |x, y| (5 - y, x));
    }
    if g >= 4 { moved(&image, |x, y| (5 - y, 5 - x)) } else { image }
}

/// Returns the pattern of quadrant q as a number with nine ternary digits.
fn pattern(cells: &Cells, q: usize) -> usize {
    (0..9).map(|s| cells[3 * (q / 2) + s / 3][3 * (q % 2) + s % 3] * POWERS[s]).sum()
}

fn counts(cells: &Cells) -> QuadrantCounts {
    std::array::from_fn(|q| pattern_counts(pattern(cells, q)))
}

/// For each column x and row y, moves the digit of a pattern at (x, y) to the digit with index
/// `to(x, y)`.
fn moved(v: usize, to: fn(usize, usize) -> usize) -> usize {
    (0..9).map(|s| digit(v, s) * POWERS[to(s / 3, s % 3)]).sum()
}

/// The powers of 3 from 3^0 to 3^8.
const POWERS: [usize; 9] = [1, 3, 9, 27, 81, 243, 729, 2187, 6561];

pub fn digit(v: usize, s: usize) -> usize {
    v / POWERS[s] % 3
}

fn pattern_counts(v: usize) -> [usize; 2] {
    [1, 2].map(|color| (0..9).filter(|&s| digit(v, s) == color).count())
}

/// Turns a pattern counter-clockwise by a quarter turn.
fn turn(v: usize) -> usize {
    moved(v, |x, y| 3 * (2 - y) + x)
}

pub fn rotations(v: usize) -> [usize; 4] {
    let (one, two) = (turn(v), turn(turn(v)));
    [v, one, two, turn(two)]
}

fn least(v: usize) -> usize {
    rotations(v).into_iter().min().expect("there are four")
}

/// Returns the minimal patterns in the order of the description, keyed by their numbers of black
/// and white marbles.
pub fn lists() -> HashMap<[usize; 2], Vec<usize>> {
    let mut lists: HashMap<[usize; 2], Vec<usize>> = HashMap::new();
    for v in (0..19_683).filter(|&v| least(v) == v) {
        lists.entry(pattern_counts(v)).or_default().push(v);
    }
    for list in lists.values_mut() {
        list.sort_by_key(|&v| {
            let partner = least(moved(v, |x, y| 3 * (2 - y) + 2 - x));
            (partner == v, v.min(partner), v)
        });
    }
    lists
}

/// Returns the sort key of a section: the published files order sections by this number.
fn id(counts: &QuadrantCounts) -> u64 {
    counts.as_flattened().iter().rev().fold(0, |id, &n| id << 8 | n as u64)
}

/// For each symmetry and each new quadrant 0 to 3, the old quadrant that moves to this place.
const FROM: [[usize; 4]; 8] = [
    [0, 1, 2, 3],
    [1, 3, 0, 2],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [3, 1, 2, 0],
    [2, 3, 0, 1],
    [0, 2, 1, 3],
    [1, 0, 3, 2],
];

fn is_standard(counts: &QuadrantCounts) -> bool {
    FROM.iter().all(|from| id(counts) <= id(&from.map(|q| counts[q])))
}

/// Returns the standard sections with `marbles` marbles, in ascending order.
pub fn sections(marbles: usize) -> Vec<QuadrantCounts> {
    let pairs: Vec<[usize; 2]> = (0..10).flat_map(|b| (0..10 - b).map(move |w| [b, w])).collect();
    let mut all = Vec::new();
    for a in &pairs {
        for b in &pairs {
            for c in &pairs {
                let rest = |i: usize, n: usize| n.checked_sub(a[i] + b[i] + c[i]);
                if let (Some(x), Some(o)) = (rest(0, marbles.div_ceil(2)), rest(1, marbles / 2))
                    && x + o <= 9
                    && is_standard(&[*a, *b, *c, [x, o]])
                {
                    all.push([*a, *b, *c, [x, o]]);
                }
            }
        }
    }
    all.sort_by_key(id);
    all
}

/// A published slice, decoded with the help of the index in its file.
pub struct Plain {
    lists: HashMap<[usize; 2], Vec<usize>>,
    file: Vec<u8>,
    /// The offset and the size of each block in the file, in bytes.
    blocks: Vec<(usize, usize)>,
    /// The sections. Each section is paired with the index of its first block.
    sections: Vec<(QuadrantCounts, usize)>,
    /// The decompressed blocks, keyed by block index.
    read: HashMap<usize, Vec<u8>>,
}

impl Plain {
    pub fn open(marbles: usize) -> Option<Plain> {
        let file = fs::read(shared(&format!("published/slice-{marbles}.pentago"))?).expect("read");
        let index = fs::read(shared(&format!("published/slice-{marbles}.pentago.index"))?).expect("read");
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
        let blocks = index[24..].chunks(12).map(|r| (number(&r[..8]), number(&r[8..]))).collect();
        let lists = lists();
        let mut first = 0;
        let sections = sections(marbles).into_iter().map(|counts| {
            let own = counts.iter().map(|c| lists[c].len().div_ceil(8)).product::<usize>();
            first += own;
            (counts, first - own)
        });
        let sections = sections.collect();
        Some(Plain { lists, file, blocks, sections, read: HashMap::new() })
    }

    /// Returns two flags for a board: `true` if black wins, and `true` if white wins.
    pub fn wins(&mut self, board: Board) -> [bool; 2] {
        let board = cells(board);
        let image = (0..8).map(|g| symmetry(g, &board)).find(|image| is_standard(&counts(image)));
        let image = image.expect("one of the images is standard");
        let section = counts(&image);
        let &(_, first) = self.sections.iter().find(|(counts, _)| *counts == section).expect("it is there");
        let mut k = 0;
        let (mut block, mut place) = (0, 0);
        for (q, counts) in section.iter().enumerate() {
            let v = pattern(&image, q);
            let list = &self.lists[counts];
            let j = list.iter().position(|&m| m == least(v)).expect("it is minimal");
            let turns =
                rotations(least(v)).iter().position(|&turned| turned == v).expect("it is one of four");
            k += turns << (2 * q);
            block = block * list.len().div_ceil(8) + j / 8;
            place = place * (list.len() - j / 8 * 8).min(8) + j % 8;
        }
        let bytes = self.read.entry(first + block).or_insert_with(|| {
            let (offset, size) = self.blocks[first + block];
            let mut bytes = Vec::new();
            let mut reader = XzReader::new(&self.file[offset..offset + size], false);
            reader.read_to_end(&mut bytes).expect("decompressed");
            bytes
        });
        [2 * k, 2 * k + 1].map(|bit| bytes[64 * place + bit / 8] >> (bit % 8) & 1 != 0)
    }
}
