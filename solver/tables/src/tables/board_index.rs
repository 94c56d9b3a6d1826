//! Locates the values of boards in the tables of a target.

use super::manifest::{ArrayKey, Domain, Target};
use pentago_core::answer::Origin;
use pentago_core::index::{Root, Section};
use pentago_core::rules::{Board, Position};
use pentago_core::symmetry::{Element, Rotation};

/// The index of a target. The index maps a board to the location of its value, and a location to
/// its board.
#[derive(Debug)]
pub struct BoardIndex {
    target: Target,
    /// The index of the boards below the root, or `None` for a whole game.
    root: Option<Root>,
    /// The source of the values: [`Origin::Table`] or [`Origin::Published`].
    pub origin: Origin,
}

/// The location of a board's value in the table that has the board's number of marbles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The key of the array that contains the entry.
    pub key: ArrayKey,
    /// The index of the entry in the array.
    pub index: [u32; 4],
    /// The turns of the quadrants that map the board of the entry to the symmetric image of the
    /// located board under `symmetry`.
    pub rotation: Rotation,
    /// The index, from 0 to 7, of the whole-board symmetry that is applied to the located board
    /// before the look-up.
    pub symmetry: u8,
}

impl Location {
    /// Returns the symmetry that maps the board of the entry to the located board.
    pub fn to_board(&self) -> Element {
        Element::whole_board(self.symmetry).inverse().after(Element::quadrants(self.rotation))
    }
}

/// The location of a stored value, and the position that has the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredValue {
    /// The key of the array that contains the entry.
    pub key: ArrayKey,
    /// The index of the entry in the array.
    pub index: [u32; 4],
    /// The rotation of the quadrants that selects the value within the entry.
    pub rotation: Rotation,
    /// The position that has the stored value.
    pub position: Position,
}

impl BoardIndex {
    /// Creates the index of a target's tables, whose values have the source [`Origin::Table`].
    pub fn new(target: Target) -> BoardIndex {
        let root = match target.domain {
            Domain::Root(board) => Some(Root::new(target.rules, board)),
            Domain::Game => None,
        };
        BoardIndex { target, root, origin: Origin::Table }
    }

    /// Creates the index of tables with published values, whose source is [`Origin::Published`].
    pub fn published(target: Target) -> BoardIndex {
        BoardIndex { origin: Origin::Published, ..BoardIndex::new(target) }
    }

    /// Returns the location of a board's value, or `None` if the board doesn't belong to the
    /// target.
    pub fn locate(&self, board: Board) -> Option<Location> {
        if let Some(root) = &self.root {
            let at = root.locate(board)?;
            let index = [0, 0, 0, u32::try_from(at.rank).ok()?];
            return Some(Location { key: [0; 8], index, rotation: at.rotation, symmetry: at.symmetry });
        }
        let sections = self.target.sections();
        let (section, by) = sections.standardise(Section::of(board));
        let (index, rotation) = sections.place(by.apply(sections.shape(), board));
        Some(Location { key: sections.key(section), index, rotation, symmetry: by.global() })
    }

    /// Returns the board of an entry with its quadrants turned by `rotation`.
    ///
    /// # Panics
    /// If the slice has no array with this key, or the array has no entry at this index.
    pub fn board(&self, slice: u8, key: ArrayKey, index: [u32; 4], rotation: Rotation) -> Board {
        match &self.root {
            Some(root) => root.board(usize::from(slice), u64::from(index[3]), rotation),
            None => self.target.sections().board(self.target.section_of(key), index, rotation),
        }
    }

    /// Returns the position that an entry shows at `rotation`, together with its location.
    ///
    /// # Panics
    /// If the slice has no array with this key, or the array has no entry at this index.
    pub fn stored(&self, slice: u8, key: ArrayKey, index: [u32; 4], rotation: Rotation) -> StoredValue {
        let board = self.board(slice, key, index, rotation);
        let position =
            Position::of(self.target.rules.shape, board).expect("tables hold boards whose counts can arise");
        StoredValue { key, index, rotation, position }
    }
}
