//! The content of a table: the arrays of one slice of one target.

use pentago_base::binomial;
use pentago_core::index::{Section, Sections};
use pentago_core::rules::{Board, Position, Rules};
use pentago_core::values::{BlockId, Grid, WdlCounts};
use pentago_store::Reason;
use std::fmt;

/// The subject of a family of tables: a whole game, or all positions below one root. Each table
/// contains one slice of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The rules of the game.
    pub rules: Rules,
    /// The positions that the tables contain.
    pub domain: Domain,
}

/// The positions that the tables of a target contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// All positions of the game, with one array per section.
    Game,
    /// All positions downstream of this root board, in any rotation of the quadrants. The numbers
    /// of marbles determine the player to move at the root.
    Root(Board),
}

/// The key of an array. For a section, the first four numbers count the marbles of the player who
/// doesn't move, in quadrants 0 to 3. The last four numbers count the marbles of the player to
/// move. Below a root, all eight numbers are 0.
pub type ArrayKey = [u8; 8];

/// An array of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    /// The key that identifies the array in its slice.
    pub key: ArrayKey,
    /// The extents of the array and the edges of its blocks, in entries.
    pub grid: Grid,
}

/// The content of a table: the target, the slice and the arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The target of the table.
    pub target: Target,
    /// The number of marbles on each board of the table.
    pub slice: u8,
    /// The arrays. A table of a whole game has at least one array, and each array is a section. The
    /// arrays are sorted by key. A table below a root has exactly one array.
    pub arrays: Vec<ArrayInfo>,
}

impl Target {
    /// Returns the number of boards with `slice` marbles below the root, or `None` for a whole
    /// game. Returns an error if the target has no such slice, or if the root is not a possible
    /// board.
    pub(super) fn boards(&self, slice: u8) -> Result<Option<u128>, Reason> {
        let sockets = self.rules.shape.sockets() as u32;
        if u32::from(slice) > sockets {
            return Err(Reason::Content("a slice with more marbles than sockets"));
        }
        let Domain::Root(board) = self.domain else { return Ok(None) };
        let (x, o) = (board.x.count_ones(), board.o.count_ones());
        if board.x & board.o != 0 || board.occupied() & !self.rules.shape.board_mask() != 0 {
            return Err(Reason::Content("a root with marbles outside the board, or two in one socket"));
        }
        if x != o && x != o + 1 {
            return Err(Reason::Content("a root whose numbers of marbles can't occur"));
        }
        let Some(plies) = u32::from(slice).checked_sub(board.marbles()) else {
            return Err(Reason::Content("a slice with fewer marbles than its root"));
        };
        let [empty, plies] = [sockets - board.marbles(), plies].map(|n| n as usize);
        Ok(Some(binomial(empty, plies) * binomial(plies, plies / 2)))
    }

    /// Returns the sections of a whole game under the rules of the target.
    pub fn sections(&self) -> &'static Sections {
        Sections::of(self.rules.shape, self.rules.dir)
    }

    /// Returns the section whose array has this key, in a table of a whole game.
    ///
    /// # Panics
    /// If no section has this key.
    pub fn section_of(&self, key: ArrayKey) -> Section {
        self.sections().of_key(key).expect("the keys of a manifest are those of sections")
    }

    /// Returns the number of positions in an array. The wins, draws and losses of the array must
    /// add up to this number.
    pub(super) fn positions(&self, array: &ArrayInfo) -> u128 {
        match self.domain {
            Domain::Root(_) => 256 * u128::from(array.grid.entries()),
            Domain::Game => self.sections().boards(self.section_of(array.key)).into(),
        }
    }
}

impl Manifest {
    /// Checks that the arrays fit the target. The caller must already have checked the limits that
    /// apply to the tables of all games.
    ///
    /// # Errors
    /// [`Reason::Content`] with the first violated requirement.
    pub fn check(&self) -> Result<(), Reason> {
        let Some(boards) = self.target.boards(self.slice)? else {
            return self.arrays.iter().try_for_each(|array| self.check_section(array));
        };
        let [array] = &self.arrays[..] else { return Err(Reason::Content("several arrays below a root")) };
        if array.grid.extents[..3] != [1; 3] || u128::from(array.grid.extents[3]) != boards {
            return Err(Reason::Content("an array that doesn't match the boards below the root"));
        }
        if array.key == [0; 8] { Ok(()) } else { Err(Reason::Content("a section below a root")) }
    }

    fn check_section(&self, array: &ArrayInfo) -> Result<(), Reason> {
        let sections = self.target.sections();
        let section = sections.of_key(array.key).filter(|s| s.marbles() == usize::from(self.slice));
        let Some(section) = section else {
            return Err(Reason::Content("an array whose key is not that of a section of the slice"));
        };
        if sections.extents(section) != array.grid.extents {
            return Err(Reason::Content("extents that don't match the numbers of minimal patterns"));
        }
        Ok(())
    }

    /// Checks that the counts of each array add up to its number of positions. If `parts` is true,
    /// arrays may lack blocks, so the counts may also add up to a smaller number.
    pub(super) fn check_counts(
        &self,
        counts: impl Iterator<Item = WdlCounts>,
        parts: bool,
    ) -> Result<(), Reason> {
        for (array, counts) in self.arrays.iter().zip(counts) {
            let (total, positions) = (counts.total(), self.target.positions(array));
            if total > positions || total < positions && !parts {
                return Err(Reason::Content(
                    "wins, draws and losses that don't match the number of positions",
                ));
            }
        }
        Ok(())
    }

    /// Returns two results. The first is, for each array, the index of its first block among the
    /// blocks of all arrays. The second is the total number of blocks.
    pub fn first_blocks(&self) -> (Vec<u64>, u64) {
        let mut next = 0;
        let first = |array: &ArrayInfo| {
            next += array.grid.blocks();
            next - array.grid.blocks()
        };
        (self.arrays.iter().map(first).collect(), next)
    }

    /// Returns the identifier of the block with index `number` among the blocks of all arrays. If
    /// `number` is too large, returns block 0 of an array after the last one.
    pub fn block(&self, number: u64) -> BlockId {
        let (first_blocks, blocks) = self.first_blocks();
        if number >= blocks {
            return BlockId { array: self.arrays.len() as u32, block: 0 };
        }
        let array = first_blocks.partition_point(|&first| first <= number) - 1;
        BlockId { array: array as u32, block: number - first_blocks[array] }
    }

    /// Returns the number of entries in all blocks that precede the block with index `number`.
    pub fn entries_before(&self, number: u64) -> u64 {
        let BlockId { array, block } = self.block(number);
        let (before, rest) = self.arrays.split_at(array as usize);
        let whole = before.iter().map(|array| array.grid.entries()).sum::<u64>();
        whole + rest.first().map_or(0, |array| array.grid.entries_before(block))
    }

    /// Returns the total number of entries in all arrays.
    pub fn entries(&self) -> u64 {
        self.arrays.iter().map(|a| a.grid.entries()).sum()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.domain {
            Domain::Game => write!(f, "{}", self.rules),
            Domain::Root(board) => match Position::of(self.rules.shape, board) {
                Ok(position) => write!(f, "{}, root:{position}", self.rules),
                Err(why) => write!(f, "{}, root: {why}", self.rules),
            },
        }
    }
}
