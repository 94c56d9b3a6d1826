//! What a table holds: one slice of one target, as a list of arrays.

use crate::block::{Entry, Grid};
use crate::rules::{Board, Rules};
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
/// root each board at each of the 256 rotations, in a whole game each board of the section and of its images once.
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
    pub fn total(&self) -> u64 {
        self.wins + self.draws + self.losses
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
    /// The boards below the root, or None in a whole game, where the patterns of the blocks count.
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
}

/// The binomial coefficient.
fn choose(n: u32, k: u32) -> u128 {
    (0..k).fold(1, |c, i| c * u128::from(n - i) / u128::from(i + 1))
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
        match boards {
            Some(boards) => {
                let [array] = &self.arrays[..] else {
                    return Err(BadContent("several arrays below one root"));
                };
                let [1, 1, 1, len] = array.grid.extents else {
                    return Err(BadContent("an array below a root that is not a list"));
                };
                if u128::from(len) != boards {
                    return Err(BadContent("not as many entries as there are boards below the root"));
                }
                if array.key != [0; 8] {
                    return Err(BadContent("an array below a root with a section"));
                }
            }
            None => {
                for array in &self.arrays {
                    self.check_section(array.key)?;
                }
                if !self.arrays.is_sorted_by(|a, b| a.key < b.key) {
                    return Err(BadContent("sections that don't ascend"));
                }
            }
        }
        Ok(())
    }

    fn check_section(&self, key: Key) -> Result<(), BadContent> {
        let sockets = self.target.rules.shape.block_sockets() as u8;
        let blocks = key.as_chunks::<2>().0;
        if blocks.iter().any(|&[x, o]| x > sockets || o > sockets - x) {
            return Err(BadContent("a section with more marbles than sockets in a block"));
        }
        let sum = |color: usize| blocks.iter().map(|b| b[color]).sum::<u8>();
        if sum(0) != self.slice.div_ceil(2) || sum(1) != self.slice / 2 {
            return Err(BadContent("a section of another slice"));
        }
        Ok(())
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
                let to_move = if board.marbles().is_multiple_of(2) {
                    crate::rules::Color::X
                } else {
                    crate::rules::Color::O
                };
                let position = crate::rules::Position { board, to_move, pending: false };
                write!(f, "{} root:{}", self.rules, self.rules.format_position(&position))
            }
        }
    }
}
