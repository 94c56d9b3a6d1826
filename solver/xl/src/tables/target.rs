//! Targets, keys and headers: all fields of a table of Pentago XL except its values.

use std::fmt;
use std::path::{Path, PathBuf};

use pentago_store::{
    EXTENSION, GameId, Grid, RawArrayInfo, RawHeader, RawManifest, RawRecord, RawSchema, Reason,
};
use twox_hash::XxHash3_64;

use super::below::BoardIndex;
use crate::dense::Chain;
use crate::geometry::SocketSet;
use crate::kernel::{ChainKind, HalfSuper};
use crate::options::{Mode, Rules};
use crate::position::Position;

/// The size of an encoded target in bytes: one byte each for the number of seats, the mode and the
/// supply, a zero byte, and four sets of 16 bytes.
const TARGET_BYTES: usize = 68;
/// The number of rotations of one parity.
pub(super) const ROTATIONS: u64 = 32_768;
/// The size of an entry in bytes. An entry is a half super.
pub(super) const ENTRY_BYTES: usize = 4096;
/// The number of 64-bit words of an entry.
pub(super) const ENTRY_WORDS: usize = ENTRY_BYTES / 8;
/// The number of entries of a block. Blocks of 64 KiB are small enough to decode quickly: for each
/// board, a probe decodes two blocks, which takes a fraction of a millisecond.
pub(super) const BLOCK_ENTRIES: u32 = 16;

/// The default compression level of zstd.
pub(super) const LEVEL: u8 = 3;

/// The target of tables: a root under some rules. The tables hold all positions below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The rules of the game. Rules with `continue=yes` have no tables.
    pub rules: Rules,
    /// The root position. A build always uses the canonical form of a position as its root.
    pub root: Position,
}

/// The key of an array. An array answers one question about one side, at the rotations of one
/// parity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayKey {
    /// The side, as the index of its first seat.
    pub side: u8,
    /// `true` if the array answers whether the side does not lose, `false` if it answers whether
    /// the side wins.
    pub not_loses: bool,
    /// The parity (0 or 1) of the number of turns of the root's blocks plus the number of plies
    /// below the root.
    pub phase: u8,
}

impl ArrayKey {
    /// Returns the keys of all arrays in a table with these rules, in the order of the file.
    pub fn all(rules: &Rules) -> Vec<ArrayKey> {
        // With two sides, one side wins where the other side loses. The arrays of the first side
        // are enough.
        let sides = if rules.sides().len() == 2 { 1 } else { rules.sides().len() as u8 };
        let key = |i| ArrayKey { side: i / 4, not_loses: i / 2 % 2 == 1, phase: i % 2 };
        (0..4 * sides).map(key).collect()
    }

    pub(super) fn bytes(self) -> [u8; 3] {
        [self.side, self.not_loses.into(), self.phase]
    }

    pub(super) fn chain(self, rules: &Rules) -> Chain {
        let own = rules.sides()[usize::from(self.side)];
        Chain { own, kind: if self.not_loses { ChainKind::NotLoses } else { ChainKind::Wins } }
    }
}

/// The contents of the header of a finished table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The target of the table.
    pub target: Target,
    /// The number of marbles on every board of the table.
    pub marbles: usize,
    /// The number of boards in the table. The table has values for 65,536 rotations of each board.
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
        let Ok([seats, mode, supply, zero, sets @ ..]) = <&[u8; TARGET_BYTES]>::try_from(bytes) else {
            return Err(Reason::Inconsistent("a target of the wrong length"));
        };
        let mode = match *mode {
            0 => Mode::FreeForAll,
            1 => Mode::Teams,
            value => return Err(Reason::Unknown { what: "mode", value }),
        };
        if *zero != 0 {
            return Err(Reason::Unknown { what: "option", value: *zero });
        }
        let rules = Rules::new((*seats).into(), mode, Some((*supply).into()), false);
        let rules = rules.map_err(|_| Reason::Content("rules that do not exist"))?;
        let (sets, _) = sets.as_chunks::<16>();
        let root = rules.position(std::array::from_fn(|seat| SocketSet::from_le_bytes(sets[seat])));
        let bad = Reason::Content("a root that no game leads to");
        Ok(Target { rules, root: root.map_err(|_| bad)? })
    }

    /// Returns the name of the folder that holds the tables of this target: `xl-root-` and 16
    /// hexadecimal digits. The digits are a hash of the rules and the root.
    pub fn folder_name(&self) -> String {
        format!("xl-root-{:016x}", XxHash3_64::oneshot(&self.to_bytes()))
    }

    /// Returns the path of the table for the slice of `marbles` marbles. `folder` is the folder of
    /// all tables.
    pub fn path(&self, folder: &Path, marbles: usize) -> PathBuf {
        folder.join(self.folder_name()).join(format!("slice-{marbles:02}.{EXTENSION}"))
    }

    /// Returns the manifest of the table for the slice `depth` plies below the root. Returns `None`
    /// if the slice has more boards than an array can index.
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
    /// Converts the general header of a table file to the header of Pentago XL. Performs the checks
    /// X1 and X2 of `db-format.md`, which do not need the arrays.
    pub(super) fn of(header: &RawHeader) -> Result<Header, Reason> {
        header.schema.check_packed(GameId::PENTAGO_XL, 3, 1)?;
        let target = Target::from_bytes(&header.target)?;
        let marbles = header.slice as usize;
        if !(target.root.count()..=target.rules.most_marbles()).contains(&marbles) {
            return Err(Reason::Content(
                "a slice with fewer marbles than the root, or more than the rules allow",
            ));
        }
        let boards = BoardIndex::new(target.rules, target.root).boards(marbles - target.root.count());
        Ok(Header { target, marbles, boards })
    }

    /// Performs the checks X3 and X4 of `db-format.md` on the array records of a table with this
    /// header.
    pub(super) fn check(&self, records: &[RawRecord]) -> Result<(), Reason> {
        let keys = ArrayKey::all(&self.target.rules);
        if records.iter().any(|record| !record.array.is_whole()) {
            return Err(Reason::Shard);
        }
        if !records.iter().map(|r| &r.array.key[..]).eq(keys.iter().map(|key| key.bytes())) {
            return Err(Reason::Content("the wrong arrays for a table of these rules"));
        }
        if records.iter().any(|r| {
            let [a, b, c, boards] = r.array.grid.extents;
            [a, b, c] != [1; 3] || u64::from(boards) != self.boards || r.array.grid.longest() > LONGEST_BLOCK
        }) {
            return Err(Reason::Content(
                "the wrong number of boards for the slice, or blocks that are too large",
            ));
        }
        let all = ROTATIONS.saturating_mul(self.boards);
        for pair in records.chunks(4) {
            // In each phase, the number of wins (`pair[phase]`) must not exceed the number of
            // positions that are not lost (`pair[2 + phase]`).
            for phase in 0..2 {
                if pair[phase].counts[0] > pair[2 + phase].counts[0] || pair[2 + phase].counts[0] > all {
                    return Err(Reason::Inconsistent("counts that don't add up"));
                }
            }
        }
        Ok(())
    }
}

/// The largest allowed number of entries in a block. A block of this length has 4 MiB.
const LONGEST_BLOCK: usize = 1024;

/// Writes the target as `RULES, root:POSITION`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { rules, root } = self;
        write!(f, "{rules}, root:{}", rules.format_position(root))
    }
}

/// Returns the bytes of a block before compression, and the number of its bits that are 1: the
/// rotations of boards at which the answer is yes. If `inverted` is `true`, inverts all bits first.
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
