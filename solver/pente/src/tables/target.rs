//! Targets, layers and headers: the fields of a table of Pente besides its values.

use std::path::{Path, PathBuf};

use pentago_store::{
    EXTENSION, GameId, Grid, RawArrayInfo, RawHeader, RawManifest, RawRecord, RawSchema, Reason,
};

use crate::rules::{CAPTURES, OPENINGS, OVERLINES, RuleOptions, Rules};
use crate::table::{MAX_INDEXED, SliceId, canonical_set_counts, slices};

/// The number of counters of an array: wins, draws, losses.
const COUNTERS: u8 = 3;
/// The number of entries of a block.
pub(super) const BLOCK_ENTRIES: u32 = 1 << 16;
/// The default zstd level of tables.
pub(super) const LEVEL: u8 = 9;

/// The numbers of stones captured by X and by O. All positions of a table have the same two
/// numbers.
pub type Layer = [u16; 2];

/// Returns the layers of a game in solving order.
pub fn layers(rules: &Rules) -> Vec<Layer> {
    let mut all: Vec<Layer> = slices(rules).into_iter().map(|id| id.captured).collect();
    all.dedup();
    all
}

/// Returns the slices of a layer in solving order: the most stones first.
pub(super) fn slices_of(rules: &Rules, layer: Layer) -> Vec<SliceId> {
    slices(rules).into_iter().filter(|id| id.captured == layer).collect()
}

/// Returns the path of a layer's table below a folder of tables. The tables of a game lie in a
/// subfolder named after the rules.
pub fn path(rules: &Rules, [x, o]: Layer, folder: &Path) -> PathBuf {
    folder.join(folder_name(rules)).join(format!("captured-{x:02}-{o:02}.{EXTENSION}"))
}

/// Returns the name of the subfolder for the tables of a game.
pub(super) fn folder_name(rules: &Rules) -> String {
    rules.to_string().replace([':', ','], "_")
}

/// Returns the key of a slice's array: the number of empty points. The container sorts arrays by
/// key, so the array of the slice that is solved first comes first.
fn key(rules: &Rules, id: SliceId) -> [u8; 1] {
    [rules.points() as u8 - id.stones]
}

/// Encodes the rules as a target. An option with named values is encoded as the index of its value.
fn to_bytes(rules: &Rules) -> Vec<u8> {
    let RuleOptions { width, height, k, opening, capture, win, over } = rules.options();
    let [low, high] = win.to_le_bytes();
    vec![width, height, k, opening as u8, capture as u8, over as u8, low, high]
}

/// Decodes the rules of a target.
fn from_bytes(bytes: &[u8]) -> Result<Rules, Reason> {
    let &[width, height, k, opening, capture, over, low, high] = bytes else {
        return Err(Reason::Inconsistent("the target does not have 8 bytes"));
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
    let rules = Rules::new(options).map_err(|_| Reason::Content("the target encodes invalid rules"))?;
    if rules.points() > MAX_INDEXED {
        return Err(Reason::Content("the board has more than 25 points"));
    }
    Ok(rules)
}

/// Returns the arrays that the table of a layer will hold, or `None` if a slice has more positions
/// than an array can index.
pub(super) fn manifest(rules: &Rules, layer: Layer, level: u8) -> Option<RawManifest> {
    let sets = canonical_set_counts(rules);
    let array = |id: SliceId| {
        let positions = u32::try_from(id.positions(&sets)).ok()?;
        Some(RawArrayInfo::whole(&key(rules, id), Grid::list(positions, BLOCK_ENTRIES)))
    };
    let [x, o] = layer;
    Some(RawManifest {
        schema: RawSchema::packed(GameId::PENTE, level, 1, COUNTERS),
        target: to_bytes(rules),
        slice: u32::from(x) | u32::from(o) << 16,
        arrays: slices_of(rules, layer).into_iter().map(array).collect::<Option<_>>()?,
    })
}

/// The header of a finished table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerHeader {
    /// The rules of the game.
    pub rules: Rules,
    /// The numbers of captured stones, which are equal in all positions of the table.
    pub layer: Layer,
    /// The number of positions up to symmetry.
    pub positions: u64,
    /// The numbers of positions won, drawn and lost for the side to move. The other positions are
    /// unreachable.
    pub wdl: [u64; 3],
}

impl LayerHeader {
    /// Parses a header of the container and performs the checks Q1 and Q2 of `db-format.md`.
    pub(super) fn of(header: &RawHeader) -> Result<LayerHeader, Reason> {
        header.schema.check_packed(GameId::PENTE, 1, COUNTERS)?;
        let rules = from_bytes(&header.target)?;
        let layer = [header.slice as u16, (header.slice >> 16) as u16];
        if slices_of(&rules, layer).is_empty() {
            return Err(Reason::Content("the game has no such layer"));
        }
        let wdl = [0, 1, 2].map(|i| header.counts.get(i).copied().unwrap_or(0));
        Ok(LayerHeader { rules, layer, positions: header.entries, wdl })
    }

    /// Performs the checks Q3 and Q4 of `db-format.md` on the arrays of a table with this header.
    pub(super) fn check(&self, records: &[RawRecord]) -> Result<(), Reason> {
        if records.iter().any(|record| !record.array.is_whole()) {
            return Err(Reason::Shard);
        }
        let sets = canonical_set_counts(&self.rules);
        let slices = slices_of(&self.rules, self.layer);
        let fits = |(record, id): (&RawRecord, &SliceId)| {
            let [a, b, c, positions] = record.array.grid.extents;
            let is_list = [a, b, c] == [1; 3] && u64::from(positions) == id.positions(&sets);
            is_list && record.array.key[..] == key(&self.rules, *id)
        };
        if slices.len() != records.len() || !records.iter().zip(&slices).all(fits) {
            return Err(Reason::Content("the arrays do not match the layer"));
        }
        for record in records {
            let sum = record.counts.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
            if sum.is_none_or(|sum| sum > record.array.grid.entries()) {
                return Err(Reason::Inconsistent("the counters of an array exceed its number of entries"));
            }
        }
        Ok(())
    }
}
