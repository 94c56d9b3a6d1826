//! Estimates the cost of the tables below a root.

use super::BuildEstimate;
use super::sample::{Sample, open_values};
use crate::error::Error;
use crate::make::{RUN, Resources, RootBuild};
use crate::rates::Rates;
use pentago_tables::tables::{bytes_around, journal_bytes};

/// The size in bytes of a temporary file, in addition to its units.
const FILE_BYTES: f64 = 220.0;

/// The size in bytes of the files with the state and the owner of a build, rounded up.
const STATE_BYTES: u64 = 1000;
/// The size in bytes of a payload without values, with its frame.
const BLOCK_BYTES: f64 = 48.0;

impl RootBuild {
    /// Estimates the cost of the build from a sample of the values. If no cut fits in memory, the
    /// estimate is for the cut that needs the least memory.
    ///
    /// # Errors
    /// If memory for the sample can't be allocated.
    pub fn estimate(&self, resources: &Resources, rates: &Rates) -> Result<BuildEstimate, Error> {
        let solution = self.solution(resources);
        let keep = usize::from(self.slices().end() - self.slices().start());
        let needs = solution.needs_within(resources.memory, keep);
        let (root, empty) = (&rates.root, solution.empty());

        let sample = Sample::of(self, needs.top, keep)?;
        let open: Vec<f64> = (0..needs.put.len()).map(|plies| open_values(self, &solution, plies)).collect();

        // Bytes that a chain reads have the same mean compression ratio as bytes that it writes.
        let put: u64 = needs.put.iter().sum();
        let ratio = |(plies, &raw)| sample.temporary(empty.saturating_sub(plies), raw);
        let sizes: Vec<[f64; 2]> = needs.put.iter().enumerate().map(ratio).collect();
        let bytes = |chain: usize, raw: &[u64]| -> f64 {
            raw.iter().zip(&sizes).map(|(&raw, sizes)| raw as f64 * sizes[chain]).sum()
        };
        let mean = (bytes(0, &needs.put) + bytes(1, &needs.put)) / (2 * put.max(1)) as f64;

        let (mut kept_boards, mut kept_bytes, mut keeping, mut journal) = (0, 0.0, 0.0, 0);
        for (plies, &open) in open.iter().enumerate().take(keep + 1) {
            let boards = solution.slice_boards(plies);
            kept_boards += boards;
            let free = empty.saturating_sub(plies);
            let blocks = solution.grid(plies, RUN).map_or(0, |grid| grid.blocks());
            let payloads = boards as f64 * sample.table(free, open);
            kept_bytes += payloads + BLOCK_BYTES * blocks as f64 + bytes_around(1, blocks) as f64;
            journal = journal.max(journal_bytes(blocks));
            keeping += boards as f64 * rates.slices.costs(self.codec, free).encode;
        }
        // A board is computed four times: for two chains, each with two parities of the rotations.
        let far = 1.0 + root.far * (solution.high() - needs.top) as f64;
        let kernel_seconds = 4.0 * needs.boards as f64 * root.board * far;
        let encode_seconds = put as f64 * (root.encode + mean * root.file) + keeping;
        let decode_seconds = needs.got as f64 * (root.decode + mean * root.file);
        // The chains are computed in turn for one parity and then for the other. The kept slices of
        // earlier computations remain. Each group has four files for each kept slice.
        let files = FILE_BYTES * (4 * (keep + 1) * 3usize.pow(needs.top as u32)) as f64;
        let kept = [0, 1].map(|chain| bytes(chain, &needs.put[..=keep.min(empty)]) / 4.0);
        let most =
            [0, 1].map(|chain| needs.passed.iter().map(|passed| bytes(chain, passed)).fold(0.0, f64::max));
        let kept_spill = files + 2.0 * (kept[0] + kept[1]);
        let scratch_bytes = (files + kept[0] + kept[1] + most[0].max(kept[0] + most[1])) as u64;
        // The tables are written when only the data of the kept slices remains.
        let writing = (kept_spill + kept_bytes) as u64 + journal;
        let core_seconds = kernel_seconds + encode_seconds + decode_seconds;
        Ok(BuildEstimate {
            target: self.target().to_string(),
            top_sockets: Some(needs.top),
            boards: needs.boards,
            unit: "boards",
            kept_boards,
            kept_slices: self.slices().collect(),
            memory_bytes: needs.memory,
            graphics_bytes: Some(self.graphics_bytes()),
            scratch_bytes,
            kept_bytes: kept_bytes as u64,
            disk_bytes: scratch_bytes.max(writing) + STATE_BYTES,
            io_bytes: (mean * (put + needs.got) as f64 + kept_bytes) as u64,
            core_seconds,
            cores: resources.threads.get(),
            seconds: core_seconds / resources.threads.get() as f64,
            ..BuildEstimate::default()
        })
    }
}
