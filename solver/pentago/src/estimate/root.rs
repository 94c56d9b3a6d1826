//! What the tables below a root take.

use super::Cost;
use crate::make::{RUN, Resources, RootBuild};
use crate::rates::Rates;
use pentago_core::solve::rooted::downstream::DownstreamEstimate;
use pentago_core::values::Entry;
use pentago_tables::codec::Level;
use pentago_tables::tables::bytes_around;

/// What building the tables below a root takes.
#[derive(Clone, Debug)]
pub struct RootEstimate {
    /// What the solution needs.
    pub needs: DownstreamEstimate,
    /// Boards in the kept tables, each standing for 256 rotations.
    pub kept_boards: u64,
    /// Bytes of the kept tables.
    pub kept_bytes: u64,
    /// Bytes of temporary files, at most.
    pub scratch_bytes: u64,
    /// What it costs.
    pub cost: Cost,
}

impl RootBuild {
    /// Estimates what the build takes; if it doesn't fit in memory, however it is cut, with the least memory.
    /// Takes no time.
    pub fn estimate(&self, resources: &Resources, rates: &Rates) -> RootEstimate {
        let solution = self.solution(resources);
        let keep = usize::from(self.slices().end() - self.slices().start());
        let needs = solution.needs_within(resources.memory, keep);
        let (root, empty) = (&rates.root, solution.empty());

        // Compressed bytes that are written, for either chain; as much of what is read.
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
            let (own, measured) = (costs(self.codec_of_tables()), costs(Level::KEPT.into()));
            let size = root.kept[(marbles + plies) % 2] * own.size / measured.size;
            let blocks = solution.grid(plies, RUN).map_or(0, |grid| grid.blocks());
            kept_bytes += (boards * size_of::<Entry>() as u64) as f64 * size + bytes_around(1, blocks) as f64;
            keeping += boards as f64 * own.encode;
        }
        // Two chains at either parity.
        let far = 1.0 + root.far * (solution.high() - needs.top) as f64;
        let cost = Cost {
            kernel_seconds: 4.0 * needs.boards as f64 * root.board * far,
            encode_seconds: put as f64 * (root.encode + mean * root.file) + keeping,
            decode_seconds: needs.got as f64 * (root.decode + mean * root.file),
            io_bytes: (temporary + kept_bytes) as u64,
        };
        RootEstimate {
            kept_boards,
            kept_bytes: kept_bytes as u64,
            // The chains are stored one after the other, never both.
            scratch_bytes: (needs.spill as f64 * ratios[0].max(ratios[1])) as u64,
            cost,
            needs,
        }
    }
}
