//! Where the values of boards stand in the tables of a target.

use super::manifest::{ArrayKey, Domain, Target};
use pentago_core::answer::Origin;
use pentago_core::index::{Root, Section, Sections};
use pentago_core::rules::{Board, Position};
use pentago_core::symmetry::{Element, Rotation};

/// The places of the boards of a target.
#[derive(Debug)]
pub struct Places {
    target: Target,
    index: Index,
    /// What is said of their values: [`Origin::Table`], or [`Origin::Published`].
    origin: Origin,
}

#[derive(Debug)]
enum Index {
    Root(Root),
    Game(&'static Sections),
}

/// The place of a board's value in the table of its slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The array.
    pub key: ArrayKey,
    /// The entry.
    pub index: [u32; 4],
    /// The turns that take the entry's board to the image of the board under `symmetry`.
    pub rotation: Rotation,
    /// The symmetry of the board, 0..8, that is applied first.
    pub symmetry: u8,
}

impl Location {
    /// The element that takes the entry's board to the board itself.
    #[must_use]
    pub fn to_board(&self) -> Element {
        Element::whole_board(self.symmetry).inverse().after(Element::quadrants(self.rotation))
    }
}

/// The place of a stored value, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredValue {
    /// The array.
    pub key: ArrayKey,
    /// The entry.
    pub index: [u32; 4],
    /// The rotation within the entry.
    pub rotation: Rotation,
    /// The position.
    pub position: Position,
}

impl Places {
    /// The places of a target's boards in its tables.
    #[must_use]
    pub fn new(target: Target) -> Places {
        let index = match target.domain {
            Domain::Root(board) => Index::Root(Root::new(target.rules, board)),
            Domain::Game => Index::Game(Sections::of(target.rules.shape, target.rules.dir)),
        };
        Places { target, index, origin: Origin::Table }
    }

    /// The same for tables that hold published values.
    #[cfg(feature = "openings")]
    pub fn published(target: Target) -> Places {
        Places { origin: Origin::Published, ..Places::new(target) }
    }

    /// What is said of their values: [`Origin::Table`], or [`Origin::Published`].
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The place of a board, if it belongs to the target.
    #[must_use]
    pub fn locate(&self, board: Board) -> Option<Location> {
        match &self.index {
            Index::Root(root) => {
                let at = root.locate(board)?;
                let (rotation, symmetry) = (at.rotation, at.symmetry);
                Some(Location {
                    key: [0; 8],
                    index: [0, 0, 0, u32::try_from(at.rank).ok()?],
                    rotation,
                    symmetry,
                })
            }
            Index::Game(sections) => {
                let (section, by) = sections.standardise(Section::of(board));
                let (index, rotation) = sections.place(by.apply(sections.shape(), board));
                Some(Location { key: sections.key(section), index, rotation, symmetry: by.global() })
            }
        }
    }

    /// The board of an entry, turned by `rotation`. The index must be one of the array in the table
    /// of the slice.
    #[must_use]
    pub fn board(&self, slice: u8, key: ArrayKey, index: [u32; 4], rotation: Rotation) -> Board {
        match &self.index {
            Index::Root(root) => root.board(usize::from(slice), u64::from(index[3]), rotation),
            Index::Game(sections) => {
                let section = sections.of_key(key).expect("the key of a section");
                sections.board(section, index, rotation)
            }
        }
    }

    /// The stored value of an entry at a rotation.
    #[must_use]
    pub fn stored(&self, slice: u8, key: ArrayKey, index: [u32; 4], rotation: Rotation) -> StoredValue {
        let board = self.board(slice, key, index, rotation);
        let position =
            Position::of(self.target.rules.shape, board).expect("tables hold boards whose counts can arise");
        StoredValue { key, index, rotation, position }
    }
}
