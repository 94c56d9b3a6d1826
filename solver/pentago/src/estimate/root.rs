//! Estimates the cost of the tables below a root.

use super::BuildEstimate;
use crate::make::{RUN, Resources, RootBuild};
use crate::rates::Rates;
use pentago_core::values::Entry;
use pentago_tables::codec::{Codec, Level};
use pentago_tables::tables::bytes_around;

impl RootBuild {
    /// Estimates the cost of the build, without computing a value. If no cut fits in memory, the
    /// estimate is for the cut that needs the least memory.
    pub fn estimate(&self, resources: &Resources, rates: &Rates) -> BuildEstimate {
        let solution = self.solution(resources);
        let keep = usize::from(self.slices().end() - self.slices().start());
        let needs = solution.needs_within(resources.memory, keep);
        let (root, empty) = (&rates.root, solution.empty());

        // The number of compressed bytes that each chain writes. Bytes that a chain reads have the
        // same compression ratio.
        let put: u64 = needs.put.iter().sum();
        let mut written = [0.0; 2];
        for (plies, &raw) in needs.put.iter().enumerate() {
            let sizes = root.temporary(empty.saturating_sub(plies));
            (0..2).for_each(|chain| written[chain] += raw as f64 * sizes[chain]);
        }
        let ratios = written.map(|bytes| bytes / put.max(1) as f64);
        let mean = (ratios[0] + ratios[1]) / 2.0;
        let temporary = mean * (put + needs.got) as f64;

        let marbles = usize::from(*self.slices().start());
        let (mut kept_boards, mut kept_bytes, mut keeping) = (0, 0.0, 0.0);
        for plies in 0..=keep {
            let boards = solution.slice_boards(plies);
            kept_boards += boards;
            let costs = |codec| rates.slices.costs(codec, empty.saturating_sub(plies));
            let (own, measured) = (costs(self.codec), costs(Codec::Zstd(Level::KEPT)));
            let size = root.kept[(marbles + plies) % 2] * own.size / measured.size;
            let blocks = solution.grid(plies, RUN).map_or(0, |grid| grid.blocks());
            kept_bytes += (boards * size_of::<Entry>() as u64) as f64 * size + bytes_around(1, blocks) as f64;
            keeping += boards as f64 * own.encode;
        }
        // A board is computed four times: for two chains, each with two parities of the rotations.
        let far = 1.0 + root.far * (solution.high() - needs.top) as f64;
        let kernel_seconds = 4.0 * needs.boards as f64 * root.board * far;
        let encode_seconds = put as f64 * (root.encode + mean * root.file) + keeping;
        let decode_seconds = needs.got as f64 * (root.decode + mean * root.file);
        // The temporary files hold only one chain at a time, so the larger chain counts.
        let scratch_bytes = (needs.spill as f64 * ratios[0].max(ratios[1])) as u64;
        let core_seconds = kernel_seconds + encode_seconds + decode_seconds;
        let cores = resources.threads.get();
        BuildEstimate {
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
            disk_bytes: scratch_bytes + kept_bytes as u64,
            io_bytes: (temporary + kept_bytes) as u64,
            core_seconds,
            cores,
            seconds: core_seconds / cores as f64,
            ..BuildEstimate::default()
        }
    }
}
