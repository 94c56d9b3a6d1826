//! The location of each board's value in the tables of a target.

use super::manifest::{ArrayKey, Domain, Target};
use pentago_core::answer::Origin;
use pentago_core::index::{Root, Section};
use pentago_core::rules::{Board, Position};
use pentago_core::symmetry::{Element, Rotation};

/// The index of a target: it maps boards to the locations of their values, and back.
#[derive(Debug)]
pub struct BoardIndex {
    target: Target,
    /// The index below the root, or `None` for a whole game.
    root: Option<Root>,
    /// The source of the values: [`Origin::Table`] or [`Origin::Published`].
    origin: Origin,
}

/// The location of a board's value in the table of its slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The key of the array.
    pub key: ArrayKey,
    /// The index of the entry in the array.
    pub index: [u32; 4],
    /// The turns that map the board of the entry to the image of the located board under
    /// `symmetry`.
    pub rotation: Rotation,
    /// The symmetry that is applied to the located board first, 0 to 7.
    pub symmetry: u8,
}

impl Location {
    /// Returns the element that maps the board of the entry to the located board.
    #[must_use]
    pub fn to_board(&self) -> Element {
        Element::whole_board(self.symmetry).inverse().after(Element::quadrants(self.rotation))
    }
}

/// The location of a stored value, and the position that has the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredValue {
    /// The key of the array.
    pub key: ArrayKey,
    /// The index of the entry in the array.
    pub index: [u32; 4],
    /// The rotation inside the entry.
    pub rotation: Rotation,
    /// The position.
    pub position: Position,
}

impl BoardIndex {
    /// Returns the index of a target's tables.
    #[must_use]
    pub fn new(target: Target) -> BoardIndex {
        let root = match target.domain {
            Domain::Root(board) => Some(Root::new(target.rules, board)),
            Domain::Game => None,
        };
        BoardIndex { target, root, origin: Origin::Table }
    }

    /// Returns the index of tables with published values.
    #[cfg(feature = "openings")]
    pub fn published(target: Target) -> BoardIndex {
        BoardIndex { origin: Origin::Published, ..BoardIndex::new(target) }
    }

    /// Returns the source of the values: [`Origin::Table`] or [`Origin::Published`].
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the location of a board, or `None` if the board doesn't belong to the target.
    #[must_use]
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

    /// Returns the board of an entry, turned by `rotation`.
    ///
    /// # Panics
    /// If the slice has no array with this key, or the array has no entry at this index.
    #[must_use]
    pub fn board(&self, slice: u8, key: ArrayKey, index: [u32; 4], rotation: Rotation) -> Board {
        match &self.root {
            Some(root) => root.board(usize::from(slice), u64::from(index[3]), rotation),
            None => self.target.sections().board(self.target.section_of(key), index, rotation),
        }
    }

    /// Returns the location and position of an entry at a rotation.
    ///
    /// # Panics
    /// If the slice has no array with this key, or the array has no entry at this index.
    #[must_use]
    pub fn stored(&self, slice: u8, key: ArrayKey, index: [u32; 4], rotation: Rotation) -> StoredValue {
        let board = self.board(slice, key, index, rotation);
        let position =
            Position::of(self.target.rules.shape, board).expect("tables hold boards whose counts can arise");
        StoredValue { key, index, rotation, position }
    }
}
