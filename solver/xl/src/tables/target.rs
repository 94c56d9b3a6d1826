//! Targets, keys and headers: what the schema of Pentago XL writes around the values.

use std::fmt;
use std::path::{Path, PathBuf};

use pentago_store::{
    EXTENSION, GameId, Grid, RawArrayInfo, RawHeader, RawManifest, RawRecord, RawSchema, Reason,
};
use twox_hash::XxHash3_64;

use super::below::BoardIndex;
use crate::dense::Chain;
use crate::geometry::{BOARD, SocketSet};
use crate::kernel::{ChainKind, HalfSuper};
use crate::options::{Mode, Rules};
use crate::position::Position;

/// Bytes of a target: seats, mode, supply, a zero, and four sets.
const TARGET_BYTES: usize = 68;
/// Rotations of one parity.
pub(super) const ROTATIONS: u64 = 32_768;
/// Bytes of an entry: a half super.
pub(super) const ENTRY_BYTES: usize = 4096;
/// Words of an entry.
pub(super) const ENTRY_WORDS: usize = ENTRY_BYTES / 8;
/// Entries of a block: 64 KiB, so that a probe, which decodes two blocks for each board that it
/// looks at, takes a fraction of a millisecond.
pub(super) const BLOCK_ENTRIES: u32 = 16;

/// The level of zstd that tables have by default.
pub(super) const LEVEL: u8 = 3;

/// What tables are about: everything below a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The rules; never with `continue=yes`.
    pub rules: Rules,
    /// The root, turned and mirrored to its canonical form by whoever builds.
    pub root: Position,
}

/// Which array of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayKey {
    /// The side that is asked about, by its first seat.
    pub side: u8,
    /// Whether it is asked if the side doesn't lose; else if it wins.
    pub not_loses: bool,
    /// The parity of all turns of the root's blocks, and of the plies below it.
    pub phase: u8,
}

impl ArrayKey {
    /// The arrays that every table of these rules has, in their order.
    #[must_use]
    pub fn all(rules: &Rules) -> Vec<ArrayKey> {
        // With two sides, one wins where the other one loses.
        let sides = if rules.sides().len() == 2 { 1 } else { rules.sides().len() as u8 };
        let keys = (0..sides).flat_map(|side| {
            [false, true].into_iter().flat_map(move |not_loses| {
                [0, 1].into_iter().map(move |phase| ArrayKey { side, not_loses, phase })
            })
        });
        keys.collect()
    }

    pub(super) fn bytes(self) -> [u8; 3] {
        [self.side, self.not_loses.into(), self.phase]
    }

    pub(super) fn chain(self, rules: &Rules) -> Chain {
        let own = rules.sides()[usize::from(self.side)];
        Chain { own, kind: if self.not_loses { ChainKind::NotLoses } else { ChainKind::Wins } }
    }
}

/// The header of a finished table: what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is a part of.
    pub target: Target,
    /// Marbles on all its boards.
    pub marbles: usize,
    /// Boards, each at 65,536 rotations.
    pub boards: u64,
}

impl Target {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mode = u8::from(self.rules.mode() == Mode::Teams);
        let mut bytes = vec![self.rules.seats() as u8, mode, self.rules.supply() as u8, 0];
        self.root.marbles.iter().for_each(|set| bytes.extend(set.to_le_bytes()));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Target, Reason> {
        let bad = Reason::Content("rules that there are not, or a root that no game leads to");
        let Some((&[seats, mode, supply, zero], sets)) = bytes.split_first_chunk() else { return Err(bad) };
        let mode = match mode {
            0 => Mode::FreeForAll,
            1 => Mode::Teams,
            value => return Err(Reason::Unknown { what: "mode", value }),
        };
        if zero != 0 {
            return Err(Reason::Unknown { what: "option", value: zero });
        }
        let rules = Rules::new(seats.into(), mode, Some(supply.into()), false).ok();
        let rules = rules.ok_or(Reason::Content("rules that there are not"))?;
        let (sets, rest) = sets.as_chunks::<16>();
        let sets: Vec<SocketSet> = sets.iter().map(|bytes| SocketSet::from_le_bytes(*bytes)).collect();
        match sets.try_into() {
            Ok(marbles) if rest.is_empty() => {
                let marbles: [SocketSet; 4] = marbles;
                if marbles.iter().any(|set| set & !BOARD != 0) {
                    return Err(bad);
                }
                let root = rules.position(marbles).map_err(|_| bad)?;
                Ok(Target { rules, root })
            }
            _ => Err(bad),
        }
    }

    /// The name of the folder for its tables: `xl-root-` and 16 digits that depend on rules and
    /// root.
    #[must_use]
    pub fn folder_name(&self) -> String {
        format!("xl-root-{:016x}", XxHash3_64::oneshot(&self.to_bytes()))
    }

    /// Returns where the table of a slice lies under a folder of tables.
    #[must_use]
    pub fn path(&self, folder: &Path, marbles: usize) -> PathBuf {
        folder.join(self.folder_name()).join(format!("slice-{marbles:02}.{EXTENSION}"))
    }

    /// Returns what the table of a slice holds; none if it has more boards than an array can index.
    pub(super) fn manifest(&self, depth: usize, level: u8) -> Option<RawManifest> {
        let boards = u32::try_from(BoardIndex::new(self.rules, self.root).boards(depth)).ok()?;
        let grid = Grid::list(boards, BLOCK_ENTRIES);
        let keys = ArrayKey::all(&self.rules);
        Some(RawManifest {
            schema: RawSchema::packed(GameId::PENTAGO_XL, level, 3, 1),
            target: self.to_bytes(),
            slice: (self.root.count() + depth) as u32,
            arrays: keys.iter().map(|key| RawArrayInfo::whole(&key.bytes(), grid)).collect(),
        })
    }
}

impl Header {
    /// Reads a header of the container, and checks it by itself (X1 and X2).
    pub(super) fn of(header: &RawHeader) -> Result<Header, Reason> {
        header.schema.check_packed(GameId::PENTAGO_XL, 3, 1)?;
        if header.target.len() != TARGET_BYTES {
            return Err(Reason::Inconsistent("a target of another length"));
        }
        let target = Target::from_bytes(&header.target)?;
        let marbles = header.slice as usize;
        if !(target.root.count()..=target.rules.most_marbles()).contains(&marbles) {
            return Err(Reason::Content("a slice with fewer marbles than the root, or more than there are"));
        }
        let boards = BoardIndex::new(target.rules, target.root).boards(marbles - target.root.count());
        Ok(Header { target, marbles, boards })
    }

    /// Checks the arrays of a table with this header (X3 and X4).
    pub(super) fn check(&self, records: &[RawRecord]) -> Result<(), Reason> {
        let keys = ArrayKey::all(&self.target.rules);
        if records.iter().any(|record| !record.array.is_whole()) {
            return Err(Reason::Shard);
        }
        let same =
            records.iter().map(|r| &r.array.key[..]).eq(keys.iter().map(|k| k.bytes()).collect::<Vec<_>>());
        if !same {
            return Err(Reason::Content("other arrays than a table of these rules has"));
        }
        if records.iter().any(|r| {
            let [a, b, c, boards] = r.array.grid.extents;
            [a, b, c] != [1; 3] || u64::from(boards) != self.boards || r.array.grid.longest() > LONGEST_BLOCK
        }) {
            return Err(Reason::Content("another number of boards than the slice has, or too large blocks"));
        }
        let all = ROTATIONS.saturating_mul(self.boards);
        for pair in records.chunks(4) {
            // Wins of both phases, then those not lost.
            for phase in 0..2 {
                if pair[phase].counts[0] > pair[2 + phase].counts[0] || pair[2 + phase].counts[0] > all {
                    return Err(Reason::Inconsistent("counts that don't add up"));
                }
            }
        }
        Ok(())
    }
}

/// The most entries of a block: 4 MiB.
const LONGEST_BLOCK: usize = 1024;

/// `RULES, root:POSITION`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { rules, root } = self;
        write!(f, "{rules}, root:{}", rules.format_position(root))
    }
}

/// The content of a block, and at how many boards and rotations the answer is yes.
pub(super) fn block_of(halves: &[&HalfSuper], inverted: bool) -> (Vec<u8>, u64) {
    let invert = if inverted { !0 } else { 0 };
    let mut content = Vec::with_capacity(halves.len() * ENTRY_BYTES);
    let mut yes = 0;
    for word in halves.iter().flat_map(|half| half.0.iter().flat_map(|line| line.0)) {
        let word = word ^ invert;
        yes += u64::from(word.count_ones());
        content.extend(word.to_le_bytes());
    }
    (content, yes)
}
