//! Targets, layers and headers: what the schema of Pente writes around the values.

use std::path::{Path, PathBuf};

use pentago_store::{
    EXTENSION, GameId, Grid, RawArrayInfo, RawHeader, RawManifest, RawRecord, RawSchema, Reason,
};

use crate::rules::{CAPTURES, OPENINGS, OVERLINES, RuleOptions, Rules};
use crate::table::{MAX_INDEXED, SliceId, canonical_set_counts, slices};

/// Wins, draws, losses.
const COUNTERS: u8 = 3;
/// Entries of a block.
pub(super) const BLOCK_ENTRIES: u32 = 1 << 16;
/// The level of zstd that tables have by default.
pub(super) const LEVEL: u8 = 9;

/// Which table of a game: the stones captured by X and by O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layer(pub [u16; 2]);

impl Layer {
    /// The layers of a game, in the order in which they are solved.
    #[must_use]
    pub fn all(rules: &Rules) -> Vec<Layer> {
        let mut all: Vec<Layer> = slices(rules).into_iter().map(|id| Layer(id.captured)).collect();
        all.dedup();
        all
    }

    /// Its slices, in the order in which they are solved: from the most stones down.
    pub(super) fn slices(self, rules: &Rules) -> Vec<SliceId> {
        slices(rules).into_iter().filter(|id| id.captured == self.0).collect()
    }

    fn number(self) -> u32 {
        u32::from(self.0[0]) | u32::from(self.0[1]) << 16
    }

    fn of_number(number: u32) -> Layer {
        Layer([number as u16, (number >> 16) as u16])
    }

    /// Where its table lies under a folder of tables: in a folder with the name of the rules.
    #[must_use]
    pub fn path(self, rules: &Rules, folder: &Path) -> PathBuf {
        let [x, o] = self.0;
        folder.join(folder_name(rules)).join(format!("captured-{x:02}-{o:02}.{EXTENSION}"))
    }
}

/// The name of the folder for the tables of a game.
pub(super) fn folder_name(rules: &Rules) -> String {
    rules.to_string().replace([':', ','], "_")
}

/// The key of the array of a slice: the points that are free. So the first array is the one that is
/// solved first.
fn key(rules: &Rules, id: SliceId) -> [u8; 1] {
    [rules.points() as u8 - id.stones]
}

fn to_bytes(rules: &Rules) -> Vec<u8> {
    let RuleOptions { width, height, k, opening, capture, win, over } = rules.options();
    let [low, high] = win.to_le_bytes();
    vec![width, height, k, opening as u8, capture as u8, over as u8, low, high]
}

fn from_bytes(bytes: &[u8]) -> Result<Rules, Reason> {
    let &[width, height, k, opening, capture, over, low, high] = bytes else {
        return Err(Reason::Inconsistent("a target of another length"));
    };
    fn value_of<T: Copy>(values: &[(&str, T)], what: &'static str, value: u8) -> Result<T, Reason> {
        values.get(usize::from(value)).map(|&(_, value)| value).ok_or(Reason::Unknown { what, value })
    }
    let options = RuleOptions {
        width,
        height,
        k,
        opening: value_of(&OPENINGS, "opening", opening)?,
        capture: value_of(&CAPTURES, "capture", capture)?,
        over: value_of(&OVERLINES, "option over", over)?,
        win: u16::from_le_bytes([low, high]),
    };
    let rules = Rules::new(options).map_err(|_| Reason::Content("rules that there are not"))?;
    if rules.points() > MAX_INDEXED {
        return Err(Reason::Content("a board that is too large for tables"));
    }
    Ok(rules)
}

/// What the table of a layer holds; none if a slice has more positions than an array can index.
pub(super) fn manifest(rules: &Rules, layer: Layer, level: u8) -> Option<RawManifest> {
    let sets = canonical_set_counts(rules);
    let array = |id: SliceId| {
        let positions = u32::try_from(id.positions(&sets)).ok()?;
        Some(RawArrayInfo::whole(&key(rules, id), Grid::list(positions, BLOCK_ENTRIES)))
    };
    Some(RawManifest {
        schema: RawSchema::packed(GameId::PENTE, level, 1, COUNTERS),
        target: to_bytes(rules),
        slice: layer.number(),
        arrays: layer.slices(rules).into_iter().map(array).collect::<Option<_>>()?,
    })
}

/// The header of a finished table: what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerHeader {
    /// The game.
    pub rules: Rules,
    /// The stones captured in all its positions.
    pub layer: Layer,
    /// Positions, up to symmetry.
    pub positions: u64,
    /// Of these, won, drawn and lost for the side to move; the rest comes from no game.
    pub wdl: [u64; 3],
}

impl LayerHeader {
    /// Reads a header of the container, and checks it by itself (Q1 and Q2).
    pub(super) fn of(header: &RawHeader) -> Result<LayerHeader, Reason> {
        header.schema.check_packed(GameId::PENTE, 1, COUNTERS)?;
        let rules = from_bytes(&header.target)?;
        let layer = Layer::of_number(header.slice);
        if layer.slices(&rules).is_empty() {
            return Err(Reason::Content("a layer that the game doesn't have"));
        }
        let [wins, draws, losses] = [0, 1, 2].map(|i| header.counts.get(i).copied().unwrap_or(0));
        Ok(LayerHeader { rules, layer, positions: header.entries, wdl: [wins, draws, losses] })
    }

    /// Checks the arrays of a table with this header (Q3 and Q4).
    pub(super) fn check(&self, records: &[RawRecord]) -> Result<(), Reason> {
        if records.iter().any(|record| !record.array.is_whole()) {
            return Err(Reason::Shard);
        }
        let sets = canonical_set_counts(&self.rules);
        let slices = self.layer.slices(&self.rules);
        if slices.len() != records.len() {
            return Err(Reason::Content("other arrays than the layer has"));
        }
        for (record, id) in records.iter().zip(slices) {
            let grid = record.array.grid;
            let list = grid.extents[..3] == [1; 3] && u64::from(grid.extents[3]) == id.positions(&sets);
            if record.array.key[..] != key(&self.rules, id) || !list {
                return Err(Reason::Content("other arrays than the layer has"));
            }
            let sum = record.counts.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
            if sum.is_none_or(|sum| sum > grid.entries()) {
                return Err(Reason::Inconsistent("counts that don't add up"));
            }
        }
        Ok(())
    }
}
