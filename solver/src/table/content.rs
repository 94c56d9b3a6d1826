//! What a table holds: one slice of one target, as a list of arrays.

use crate::block::{Entry, Grid};
use crate::rules::{Board, Color, Dir, Position, Rules};
use std::fmt;
use std::ops::AddAssign;

/// The most entries of a block: 4 MiB uncompressed, which bounds what a reader allocates.
pub const MAX_BLOCK_ENTRIES: u64 = 1 << 16;

/// The most entries of a table: so many that no sum of them or of their rotations overflows.
const MAX_ENTRIES: u128 = 1 << 52;

/// What a family of tables answers: one file per slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The game.
    pub rules: Rules,
    /// Which of its positions.
    pub domain: Domain,
}

/// The positions that a target is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// All positions, by sections.
    Game,
    /// What is downstream of one board (who moves there follows from its counts), the blocks turned in any way.
    Root(Board),
}

/// The key of an array: of a section the counts (X, O) of blocks 0 to 3, eight numbers; zeros below a root.
pub type Key = [u8; 8];

/// One array of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// What it is the array of.
    pub key: Key,
    /// Its shape.
    pub grid: Grid,
}

/// What a table holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// What it is a part of.
    pub target: Target,
    /// Marbles on all its boards.
    pub slice: u8,
    /// Its arrays: sections in ascending order of their keys, any number of them; exactly one below a root.
    pub arrays: Vec<Array>,
}

/// How many positions are won, drawn and lost for the side to move. What counts as one position is the matter of the domain: below a
/// root each board at each of the 256 rotations; in a whole game each board of the section once, however its blocks are
/// turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Won by the side to move.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side to move.
    pub losses: u64,
}

impl Counts {
    /// Each entry at each rotation once.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Counts {
        let ones = |s: crate::supers::Super| {
            s.0.iter().flat_map(|half| half.0).map(|word| u64::from(word.count_ones())).sum::<u64>()
        };
        let wins = entries.iter().map(|e| ones(e.win)).sum::<u64>();
        let not_lost = entries.iter().map(|e| ones(e.not_lose)).sum::<u64>();
        Counts { wins, draws: not_lost - wins, losses: 256 * entries.len() as u64 - not_lost }
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u128 {
        u128::from(self.wins) + u128::from(self.draws) + u128::from(self.losses)
    }

    pub(super) fn checked_add(self, more: Counts) -> Option<Counts> {
        Some(Counts {
            wins: self.wins.checked_add(more.wins)?,
            draws: self.draws.checked_add(more.draws)?,
            losses: self.losses.checked_add(more.losses)?,
        })
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        *self = Counts {
            wins: self.wins + more.wins,
            draws: self.draws + more.draws,
            losses: self.losses + more.losses,
        };
    }
}

/// Why a list of arrays is not the content of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadContent(pub(super) &'static str);

impl Target {
    /// The boards of a slice below the root; None in a whole game, where each section has its own.
    fn boards(&self, slice: u8) -> Result<Option<u128>, BadContent> {
        let sockets = self.rules.shape.sockets() as u32;
        if u32::from(slice) > sockets {
            return Err(BadContent("a slice of more marbles than there are sockets"));
        }
        let Domain::Root(board) = self.domain else { return Ok(None) };
        let (x, o) = (board.x.count_ones(), board.o.count_ones());
        if board.x & board.o != 0 || board.occupied() & !self.rules.shape.board_mask() != 0 {
            return Err(BadContent("a root with marbles outside the board, or two in one socket"));
        }
        if x != o && x != o + 1 {
            return Err(BadContent("a root whose counts no game leads to"));
        }
        let Some(plies) = u32::from(slice).checked_sub(board.marbles()) else {
            return Err(BadContent("a slice of fewer marbles than the root has"));
        };
        let empty = sockets - board.marbles();
        Ok(Some(choose(empty, plies) * choose(plies, plies / 2)))
    }

    /// The counts of the blocks of a section's boards: pairs (X, O).
    fn check_section(&self, key: Key, slice: u8, grid: &Grid) -> Result<(), BadContent> {
        let cells = self.rules.shape.block_sockets() as u8;
        let blocks = key.as_chunks::<2>().0;
        if blocks.iter().any(|&[x, o]| x > cells || o > cells - x) {
            return Err(BadContent("a section with more marbles than sockets in a block"));
        }
        let sum = |color: usize| blocks.iter().map(|b| b[color]).sum::<u8>();
        if sum(0) != slice.div_ceil(2) || sum(1) != slice / 2 {
            return Err(BadContent("a section of another slice"));
        }
        // The first four symmetries are the rotations; only they keep the sense of turns.
        let symmetries = if self.rules.dir == Dir::Both { 8 } else { 4 };
        if SYMMETRIES[..symmetries].iter().any(|from| from.map(|q| blocks[q]).as_flattened() < &key[..]) {
            return Err(BadContent("a section that is not the least of its images"));
        }
        let patterns = |&[x, o]: &[u8; 2]| minimal_patterns(cells.into(), x.into(), o.into());
        if !blocks.iter().map(patterns).eq(grid.extents.map(u64::from)) {
            return Err(BadContent("extents that are not the numbers of minimal patterns"));
        }
        Ok(())
    }

    /// How many positions the counts of an array add up to.
    pub(super) fn positions(&self, array: &Array) -> u128 {
        match self.domain {
            Domain::Root(_) => 256 * u128::from(array.grid.entries()),
            Domain::Game => {
                let cells = self.rules.shape.block_sockets() as u32;
                let fillings =
                    |&[x, o]: &[u8; 2]| choose(cells, x.into()) * choose(cells - u32::from(x), o.into());
                array.key.as_chunks().0.iter().map(fillings).product()
            }
        }
    }
}

/// Which block comes to the place of each block under the symmetries of the square: the rotations, then the mirror images.
const SYMMETRIES: [[usize; 4]; 8] = [
    [0, 1, 2, 3],
    [2, 0, 3, 1],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
    [1, 0, 3, 2],
    [2, 3, 0, 1],
    [0, 2, 1, 3],
    [3, 1, 2, 0],
];

/// The binomial coefficient.
fn choose(n: u32, k: u32) -> u128 {
    if k > n { 0 } else { (0..k).fold(1, |c, i| c * u128::from(n - i) / u128::from(i + 1)) }
}

/// Patterns of a block of `cells` with `x` and `o` marbles, up to its turns: by Burnside's lemma the average of how many each
/// of the four turns leaves as they are. (The table room stands beside the one that lists them: it only counts.)
fn minimal_patterns(cells: u32, x: u32, o: u32) -> u64 {
    // A half turn moves all cells but a centre in pairs, a quarter turn in fours.
    let fixed = |cycle: u32| {
        let (centre, cycles) = (cells % cycle, cells / cycle);
        let ways = |x: u32, o: u32| {
            let whole = x.is_multiple_of(cycle) && o.is_multiple_of(cycle);
            let (x, o) = (x / cycle, o / cycle);
            if whole && x + o <= cycles { choose(cycles, x) * choose(cycles - x, o) } else { 0 }
        };
        let with_marble = |x: Option<u32>, o: Option<u32>| x.zip(o).map_or(0, |(x, o)| ways(x, o));
        let on_centre = with_marble(x.checked_sub(1), Some(o)) + with_marble(Some(x), o.checked_sub(1));
        // With a free centre one cell less has to be filled, which needs room for it.
        let free_centre = if centre == 0 || x + o < cells { ways(x, o) } else { 0 };
        free_centre + if centre == 1 { on_centre } else { 0 }
    };
    let identity = choose(cells, x) * choose(cells - x, o);
    ((identity + fixed(2) + 2 * fixed(4)) / 4) as u64
}

impl Content {
    /// Checks what every table fulfils.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), BadContent> {
        let boards = self.target.boards(self.slice)?;
        if self.arrays.is_empty() {
            return Err(BadContent("no arrays"));
        }
        for array in &self.arrays {
            check_grid(&array.grid)?;
        }
        if self.arrays.iter().map(|a| u128::from(a.grid.entries())).sum::<u128>() > MAX_ENTRIES {
            return Err(BadContent("more than 2^52 entries"));
        }
        let Some(boards) = boards else {
            for array in &self.arrays {
                self.target.check_section(array.key, self.slice, &array.grid)?;
            }
            let ascend = self.arrays.is_sorted_by(|a, b| a.key < b.key);
            return if ascend { Ok(()) } else { Err(BadContent("sections that don't ascend")) };
        };
        let [array] = &self.arrays[..] else { return Err(BadContent("several arrays below one root")) };
        if array.grid.extents[..3] != [1; 3] || u128::from(array.grid.extents[3]) != boards {
            return Err(BadContent("an array that is not the list of the boards below the root"));
        }
        if array.key == [0; 8] { Ok(()) } else { Err(BadContent("a section below a root")) }
    }

    /// Whether the counts of the arrays add up.
    pub(super) fn check_counts(&self, counts: impl Iterator<Item = Counts>) -> Result<(), BadContent> {
        let mut pairs = self.arrays.iter().zip(counts);
        if pairs.all(|(array, counts)| counts.total() == self.target.positions(array)) {
            Ok(())
        } else {
            Err(BadContent("wins, draws and losses that are not as many as the positions"))
        }
    }

    /// The number of the first block of each array, and of all blocks.
    #[must_use]
    pub fn first_blocks(&self) -> (Vec<u64>, u64) {
        let mut next = 0;
        let first = |array: &Array| {
            next += array.grid.blocks();
            next - array.grid.blocks()
        };
        (self.arrays.iter().map(first).collect(), next)
    }

    /// Entries of all arrays.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.arrays.iter().map(|a| a.grid.entries()).sum()
    }
}

fn check_grid(grid: &Grid) -> Result<(), BadContent> {
    if grid.extents.contains(&0) || grid.edges.contains(&0) {
        return Err(BadContent("an extent or edge of 0"));
    }
    let product = |f: fn(&Grid, usize) -> u32| (0..4).map(|axis| u128::from(f(grid, axis))).product::<u128>();
    if product(|g, axis| g.extents[axis]) > MAX_ENTRIES {
        return Err(BadContent("an array of more than 2^52 entries"));
    }
    if product(|g, axis| g.extents[axis].min(g.edges[axis])) > u128::from(MAX_BLOCK_ENTRIES) {
        return Err(BadContent("blocks of more than 65,536 entries"));
    }
    Ok(())
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.domain {
            Domain::Game => write!(f, "{}", self.rules),
            Domain::Root(board) => {
                let to_move = Color::ALL[board.marbles() as usize % 2];
                let position = Position { board, to_move, pending: false };
                write!(f, "{} root:{}", self.rules, self.rules.format_position(&position))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Shape;

    #[test]
    fn minimal_patterns_are_as_many_as_listed() {
        for shape in [Shape::Pentago, Shape::Mini { run: 4 }] {
            let cells = shape.block_sockets() as u32;
            for x in 0..=cells {
                for o in 0..=cells - x {
                    let sets = |count: u32| (0..1u16 << cells).filter(move |set| set.count_ones() == count);
                    let boards =
                        sets(x).flat_map(|a| sets(o).map(move |b| (a, b))).filter(|(a, b)| a & b == 0);
                    let turned = |(a, b), q| (shape.rotate_block(a, q), shape.rotate_block(b, q));
                    let minimal = boards.filter(|&p| (1..4).all(|q| p <= turned(p, q))).count();
                    assert_eq!(minimal_patterns(cells, x, o), minimal as u64, "{x} {o} of {cells}");
                }
            }
        }
    }

    #[test]
    fn counts_are_those_of_the_bits() {
        let mut entry = Entry::default();
        entry.win.0[1].0[0] = 0b11;
        entry.not_lose.0[1].0[0] = 0b1011;
        let expected = Counts { wins: 4, draws: 2, losses: 2 * 256 - 6 };
        assert_eq!(Counts::of(&[entry, entry]), expected);
        assert_eq!(expected.total(), 512);
    }
}
