//! Builds of tables from rules, and estimates of their cost.

use std::collections::HashSet;
use std::path::Path;

use pentago_store::{
    BuildError, Built, FolderScan, Lock, RawWriter, Reason, StoreError, TableEstimate, in_order, pack, unpack,
};

use super::rates::{Rates, packed_bytes};
use super::schema::{Tablebase, array_of, codes};
use super::target::{BLOCK_ENTRIES, LEVEL, Layer, folder_name, layers, manifest, path};
use crate::rules::Rules;
use crate::table::{BoardTable, BoardTableSize, MAX_INDEXED, SliceId};
use pentago_base::{Control, Refusal};

/// The memory in bytes for file buffers and for blocks that are being written, the same for every
/// board.
const BUFFERS: u64 = 16 << 20;

/// The maximum number of positions of a game that is solved to estimate the size of its tables,
/// which takes a second.
const SOLVED_POSITIONS: u64 = 25_000_000;
/// An upper bound of the compression ratio of larger games (`bench/estimates.py`).
const WORST_RATIO: f64 = 0.85;

/// A build of the tables of a complete game on a small board.
#[derive(Debug, Clone, Copy)]
pub struct GameBuild {
    /// The rules of the game.
    pub rules: Rules,
    size: BoardTableSize,
    level: u8,
}

impl GameBuild {
    /// Prepares a build.
    ///
    /// # Errors
    /// If the board is too large.
    pub fn new(rules: Rules) -> Result<GameBuild, Refusal> {
        let too_large = || {
            let points = rules.points();
            Refusal::new(format!(
                "the board has {points} points, but tables are for at most {MAX_INDEXED} points"
            ))
        };
        let size = BoardTableSize::of(&rules).ok_or_else(too_large)?;
        Ok(GameBuild { rules, size, level: LEVEL })
    }

    /// Sets the zstd level, 1 to 19. The default is 9.
    #[must_use]
    pub fn level(self, level: u8) -> GameBuild {
        GameBuild { level: level.clamp(1, 19), ..self }
    }

    /// Returns the number of positions up to symmetry.
    pub fn positions(&self) -> u64 {
        self.size.positions
    }

    /// Returns the memory in bytes that the build needs.
    pub fn memory(&self) -> u64 {
        self.size.peak.saturating_add(BUFFERS)
    }

    /// Estimates the cost of the build on one core. The numbers of positions and the memory are
    /// exact. The time is computed with `rates`. The file sizes are upper bounds: from the values
    /// themselves if the game is small, and otherwise for the values that compress worst.
    pub fn estimate(&self, rates: &Rates) -> TableEstimate {
        let positions = self.size.positions;
        let layers = layers(&self.rules).into_iter();
        let manifests = layers.filter_map(|layer| manifest(&self.rules, layer, self.level));
        let (mut around, mut journals) = (0, 0);
        for manifest in manifests {
            around += manifest.bytes_around();
            journals = journals.max(manifest.journal_bytes());
        }
        let payloads = match positions {
            ..=SOLVED_POSITIONS => {
                packed_bytes(&self.rules, self.level, &Control::new())
                    .expect("nothing cancels the solution")
                    .1
            }
            _ => (self.size.bytes as f64 * WORST_RATIO) as u64,
        };
        TableEstimate {
            boards: positions,
            kept_boards: positions,
            times: 1,
            memory: self.memory(),
            raw_bytes: self.size.bytes,
            bytes: payloads + around,
            journals,
            seconds: positions as f64 * rates.position,
        }
    }

    /// Returns the layers without a finished table.
    ///
    /// # Errors
    /// If the folder cannot be read, or an unusable file lies at the path of a table.
    pub fn missing(&self, out: &Path) -> Result<Vec<Layer>, StoreError> {
        let (there, scan) = self.finished(out)?;
        there.missing(&scan, layers(&self.rules), |layer| path(&self.rules, layer, out))
    }

    fn finished(&self, out: &Path) -> Result<(Tablebase, FolderScan), StoreError> {
        Tablebase::open_target(&out.join(folder_name(&self.rules)), self.rules)
    }

    /// Builds the missing tables in the folder `out`, with the threads of the current rayon pool
    /// and at most about `memory` bytes. The function resumes an interrupted build and keeps its
    /// finished slices.
    ///
    /// # Errors
    /// If the build needs more than `memory` bytes (checked before any computation), if another
    /// process builds in the folder, if a file cannot be read or written, or if `control` is
    /// cancelled. Finished slices stay on the disk.
    pub fn run(&self, out: &Path, memory: u64, control: &Control) -> Result<Built, BuildError> {
        let rules = &self.rules;
        let mut tables = Vec::new();
        for layer in layers(rules) {
            let manifest = manifest(rules, layer, self.level).ok_or_else(|| {
                let captured = layer[0] + layer[1];
                let what = format!(
                    "a slice with {captured} captured stones has more than the 2^32 positions that a \
                     table can index"
                );
                BuildError::TooLarge(what.into())
            })?;
            tables.push((layer, path(rules, layer, out), manifest));
        }
        if self.memory() > memory && !self.missing(out)?.is_empty() {
            return Err(BuildError::Memory { needed: self.memory(), limit: memory });
        }
        let _lock = Lock::take(&out.join(folder_name(rules)))?;
        let paths = tables.iter().map(|(_, path, _)| path.clone()).collect();
        let missing = self.missing(out)?;
        if !missing.is_empty() {
            let table = BoardTable::new(rules, false);
            let finished = self.finished(out)?.0;
            let mut builder = LayerBuilder { table, finished, level: self.level, control };
            for (layer, path, manifest) in tables.into_iter().filter(|(layer, ..)| missing.contains(layer)) {
                let writer = RawWriter::begin(&path, manifest, in_order())?;
                builder.write_layer(layer, &writer)?;
                writer.finish()?;
            }
        }
        Ok(Built::of(paths, missing.is_empty())?)
    }
}

/// Solves and writes the missing layers of a game.
struct LayerBuilder<'a> {
    table: BoardTable,
    /// The tables that earlier builds finished.
    finished: Tablebase,
    level: u8,
    control: &'a Control,
}

impl LayerBuilder<'_> {
    /// Writes all blocks of a layer.
    fn write_layer(&mut self, layer: Layer, writer: &RawWriter) -> Result<(), BuildError> {
        let slices: Vec<SliceId> =
            self.table.order.iter().copied().filter(|id| id.captured == layer).collect();
        let arrays: Vec<u64> = writer.manifest.arrays.iter().map(|a| a.grid.blocks()).collect();
        // Skip the slices that were complete when the build was interrupted.
        let mut whole = 0;
        let mut first = 0;
        while whole < arrays.len() && first + arrays[whole] <= writer.done() {
            first += arrays[whole];
            whole += 1;
        }
        self.read_back(writer, &slices[..whole], first)?;
        for (array, &id) in slices.iter().enumerate().skip(whole) {
            for needed in self.table.needs(id) {
                self.load(needed)?;
            }
            self.control.check()?;
            let slice = self.table.solve(id);
            let blocks: Vec<&[u8]> = slice.bytes.chunks(BLOCK_ENTRIES as usize / 4).collect();
            let payload = |bytes: &&[u8]| (pack(bytes, self.level), counts(bytes));
            writer.put_array(array as u32, first, &blocks, self.control, payload)?;
            first += arrays[array];
            writer.flush()?;
            self.control.add(slice.positions);
        }
        Ok(())
    }

    /// Restores the slices that an earlier run wrote in the first `blocks` blocks. Slices that no
    /// later slice needs are skipped.
    fn read_back(&mut self, writer: &RawWriter, slices: &[SliceId], blocks: u64) -> Result<(), BuildError> {
        let later = self.table.order.iter().skip_while(|&id| Some(id) != slices.last()).skip(1);
        let needed: HashSet<SliceId> = later.flat_map(|&id| self.table.needs(id)).collect();
        let mut arrays = Vec::new();
        for (array, info) in writer.manifest.arrays.iter().enumerate().take(slices.len()) {
            arrays.extend((0..info.grid.blocks()).map(|block| (array, info.grid.len(block))));
        }
        let mut bytes: Vec<Vec<u8>> = vec![Vec::new(); slices.len()];
        let mut damaged = false;
        writer.read_back(blocks, |number, payload| {
            let (array, len) = arrays[number as usize];
            if needed.contains(&slices[array]) {
                match unpack(payload, len.div_ceil(4)) {
                    Ok(block) => bytes[array].extend(block),
                    Err(_) => damaged = true,
                }
            }
        })?;
        if damaged {
            let what = "a block of the unfinished table cannot be decoded";
            return Err(StoreError::new(Path::new("unfinished table"), Reason::Scratch(what)).into());
        }
        for (&id, bytes) in slices.iter().zip(bytes).filter(|(id, _)| needed.contains(id)) {
            self.table.restore(id, bytes);
        }
        Ok(())
    }

    /// Loads a slice from its finished table, unless the memory already holds the slice.
    fn load(&mut self, id: SliceId) -> Result<(), BuildError> {
        if self.table.slice(id).is_some() {
            return Ok(());
        }
        // Every layer that a move can lead to is either in a finished table or still in memory.
        let table = self.finished.table(id.captured)?.expect("a finished table");
        let array = array_of(table, id).expect("the checks of the header found every slice");
        self.table.restore(id, codes(table, array)?);
        Ok(())
    }
}

/// Returns the numbers of won, drawn and lost positions of a block.
fn counts(bytes: &[u8]) -> [u64; 3] {
    let mut of_code = [0; 4];
    for byte in bytes {
        for at in 0..4 {
            of_code[usize::from(byte >> (2 * at) & 3)] += 1;
        }
    }
    [of_code[3], of_code[2], of_code[1]]
}
