//! From rules to finished tables, and what that takes.

use bitvec::vec::BitVec;
use std::path::Path;
use std::sync::Arc;

use pentago_store::{
    BuildError, Built, FolderScan, Lock, RawWriter, Reason, StoreError, TableEstimate, in_order, pack, unpack,
};

use super::Tablebase;
use super::rates::Rates;
use super::schema::{array_of, codes};
use super::target::{BLOCK_ENTRIES, LEVEL, Layer, folder_name, manifest};
use crate::rules::Rules;
use crate::table::{self, Builder, CannotBuild, Slice, SliceId};
use pentago_base::Control;

/// Bytes of memory for files and blocks on their way, whatever the board.
const BUFFERS: u64 = 16 << 20;

/// A slice is too large for a table.
#[derive(Debug, thiserror::Error)]
#[error("a slice with {0} captured stones has more than the 2^32 positions that a table can index")]
struct TooManyPositions(u16);

impl From<CannotBuild> for BuildError {
    fn from(error: CannotBuild) -> BuildError {
        match error {
            CannotBuild::Memory { needed, limit } => BuildError::Memory { needed, limit },
            error @ CannotBuild::Board(_) => BuildError::TooLarge(error.into()),
            error => BuildError::Solver(error.into()),
        }
    }
}

/// The complete game on a small board.
#[derive(Debug, Clone, Copy)]
pub struct GameBuild {
    rules: Rules,
    estimate: table::Estimate,
    level: u8,
}

impl GameBuild {
    /// The tables of a game.
    ///
    /// # Errors
    /// If the board is too large.
    pub fn new(rules: Rules) -> Result<GameBuild, BuildError> {
        let estimate = table::estimate(&rules)?;
        Ok(GameBuild { rules, estimate, level: LEVEL })
    }

    /// The same at another level of zstd, 1 to 19.
    #[must_use]
    pub fn level(self, level: u8) -> GameBuild {
        GameBuild { level: level.clamp(1, 19), ..self }
    }

    /// The game.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Positions up to symmetry.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.estimate.positions
    }

    /// Bytes of memory that building takes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.estimate.peak.saturating_add(BUFFERS)
    }

    /// Estimates what building takes on `cores` cores: numbers of positions and memory exactly, the rest
    /// by `rates`.
    #[must_use]
    pub fn estimate(&self, cores: usize, rates: &Rates) -> TableEstimate {
        let positions = self.estimate.positions;
        let layers = Layer::all(&self.rules);
        let manifests = layers.into_iter().filter_map(|layer| manifest(&self.rules, layer, self.level));
        let around: u64 = manifests
            .map(|m| m.schema.bytes_around(m.target.len(), m.arrays.len(), m.first_blocks().1))
            .sum();
        TableEstimate {
            boards: positions,
            kept_boards: positions,
            times: 1,
            memory: self.memory(),
            raw_bytes: self.estimate.bytes,
            bytes: (self.estimate.bytes as f64 * rates.ratio) as u64 + around,
            seconds: positions as f64 * rates.position / cores.max(1) as f64,
        }
    }

    /// The layers that have no finished table yet.
    ///
    /// # Errors
    /// If the folder can't be read, or a file of no use is in the place of a table.
    pub fn missing(&self, out: &Path) -> Result<Vec<Layer>, StoreError> {
        let path = |layer: Layer| layer.path(&self.rules, out);
        let (there, scan) = self.finished(out)?;
        there.missing(&scan, Layer::all(&self.rules), path)
    }

    fn finished(&self, out: &Path) -> Result<(Tablebase, FolderScan), StoreError> {
        Tablebase::open_target(&out.join(folder_name(&self.rules)), self.rules)
    }

    /// Builds the missing tables in the folder `out` with the threads of the current pool; at most
    /// about `memory` bytes are used. An interrupted build is resumed: finished slices are kept.
    ///
    /// # Errors
    /// If memory doesn't suffice, before anything is computed; if another process builds there, the
    /// disk is full, or it was stopped. All that was written is kept.
    pub fn run(&self, out: &Path, memory: u64, control: &Control) -> Result<Built, BuildError> {
        let rules = &self.rules;
        let layers = Layer::all(rules);
        let manifests = layers.iter().map(|&layer| {
            let captured = layer.0[0] + layer.0[1];
            manifest(rules, layer, self.level)
                .ok_or_else(|| BuildError::TooLarge(TooManyPositions(captured).into()))
        });
        let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
        let folder = out.join(folder_name(rules));
        if self.memory() > memory && !self.missing(out)?.is_empty() {
            return Err(BuildError::Memory { needed: self.memory(), limit: memory });
        }
        let _lock = Lock::take(&folder)?;
        let already = self.missing(out)?.is_empty();
        if !already {
            let mut work = Work {
                builder: Builder::new(rules, false, memory)?,
                finished: self.finished(out)?.0,
                level: self.level,
                control,
            };
            let finished = work.finished.slices();
            for (&layer, manifest) in layers.iter().zip(manifests) {
                if !finished.contains(&layer) {
                    let path = layer.path(rules, out);
                    let writer = RawWriter::begin(&path, manifest, in_order())?;
                    work.layer(layer, &writer)?;
                    writer.finish()?;
                }
            }
        }
        let paths = layers.iter().map(|layer| layer.path(rules, out)).collect();
        Ok(Built::of(paths, already)?)
    }
}

/// A build on its way.
struct Work<'a> {
    builder: Builder,
    /// Tables that were there before.
    finished: Tablebase,
    level: u8,
    control: &'a Control,
}

impl Work<'_> {
    /// Writes all blocks of a layer.
    fn layer(&mut self, layer: Layer, writer: &RawWriter) -> Result<(), BuildError> {
        let slices: Vec<SliceId> =
            self.builder.order().iter().copied().filter(|id| id.captured == layer.0).collect();
        let arrays: Vec<u64> = writer.manifest().arrays.iter().map(|a| a.grid.blocks()).collect();
        // Slices that were complete when the build was interrupted.
        let mut whole = 0;
        let mut blocks = 0;
        while whole < arrays.len() && blocks + arrays[whole] <= writer.done() {
            blocks += arrays[whole];
            whole += 1;
        }
        self.read_back(writer, &slices[..whole], blocks)?;
        let mut first: u64 = blocks;
        for (array, &id) in slices.iter().enumerate().skip(whole) {
            for needed in self.builder.needs(id) {
                self.load(needed)?;
            }
            self.control.check()?;
            let slice = self.builder.solve(id)?;
            self.put(writer, array as u32, first, &slice)?;
            first += arrays[array];
            writer.flush()?;
            self.control.add(slice.positions());
        }
        Ok(())
    }

    /// Gives slices that an earlier run has written, if anything needs them still.
    fn read_back(&mut self, writer: &RawWriter, slices: &[SliceId], blocks: u64) -> Result<(), BuildError> {
        let order = self.builder.order().to_vec();
        let after = |id: SliceId| {
            let at = slices.last().and_then(|last| order.iter().position(|o| o == last)).unwrap_or(0);
            order[at + 1..].iter().any(|&later| self.builder.needs(later).contains(&id))
        };
        let wanted: BitVec = slices.iter().map(|&id| after(id)).collect();
        let mut arrays = Vec::new();
        for (array, info) in writer.manifest().arrays.iter().enumerate().take(slices.len()) {
            arrays.extend((0..info.grid.blocks()).map(|block| (array, info.grid.len(block))));
        }
        let mut bytes: Vec<Vec<u8>> = vec![Vec::new(); slices.len()];
        let mut bad = None;
        writer.read_back(blocks, |number, payload| {
            let (array, len) = arrays[number as usize];
            if wanted[array] {
                match unpack(payload, len.div_ceil(4)) {
                    Ok(block) => bytes[array].extend(block),
                    Err(error) => bad = Some(error),
                }
            }
        })?;
        if bad.is_some() {
            let what = "a block of the unfinished table can't be decoded";
            return Err(StoreError::new(Path::new("unfinished table"), Reason::Scratch(what)).into());
        }
        for ((&id, bytes), wanted) in slices.iter().zip(bytes).zip(wanted) {
            if wanted {
                self.builder.give(id, bytes)?;
            }
        }
        Ok(())
    }

    /// Makes sure that a slice is there, from its finished table if need be.
    fn load(&mut self, id: SliceId) -> Result<(), BuildError> {
        if self.builder.has(id) {
            return Ok(());
        }
        let Some(table) = self.finished.table(Layer(id.captured))? else {
            return Err(CannotBuild::Order(id).into());
        };
        let array = array_of(table, id).ok_or(CannotBuild::Order(id))?;
        Ok(self.builder.give(id, codes(table, array)?)?)
    }

    /// Writes the blocks of a slice that aren't there yet; `first` is the number of its first.
    fn put(&self, writer: &RawWriter, array: u32, first: u64, slice: &Arc<Slice>) -> Result<(), BuildError> {
        let blocks: Vec<&[u8]> = slice.bytes().chunks(BLOCK_ENTRIES as usize / 4).collect();
        let payload = |bytes: &&[u8]| (pack(bytes, self.level), counts(bytes));
        writer.put_array(array, first, &blocks, self.control, payload)
    }
}

/// The numbers of won, drawn and lost positions of a block.
fn counts(bytes: &[u8]) -> [u64; 3] {
    let mut of_code = [0; 4];
    for byte in bytes {
        for at in 0..4 {
            of_code[usize::from(byte >> (2 * at) & 3)] += 1;
        }
    }
    [of_code[3], of_code[2], of_code[1]]
}
