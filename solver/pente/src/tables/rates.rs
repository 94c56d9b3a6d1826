//! The rates of one core for solving and compressing positions. An estimate multiplies exact counts
//! by these rates.

use std::time::Instant;

use pentago_base::{Control, Stopped};
use pentago_store::pack;
use serde::{Deserialize, Serialize};

use super::target::{BLOCK_ENTRIES, LEVEL};
use crate::rules::Rules as GameRules;
use crate::table::BoardTable;

/// The rates that an estimate of a build uses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// The time in seconds to solve and compress one position.
    pub position: f64,
    /// The compressed size divided by the raw size.
    pub ratio: f64,
}

/// The rules of the measured board, which has 21 million positions.
const BOARD: &str = "pente:n=4,k=4,opening=free";

impl Rates {
    /// The rates of one core of an AMD EPYC with AVX-512 (2026), measured on a 4x4 board.
    pub const BUILT_IN: Rates = Rates { position: 5.85e-08, ratio: 0.564 };

    /// Measures the rates on a 4x4 board, with the threads of the current rayon pool. In a pool of
    /// one thread, these are the rates of one core.
    ///
    /// # Errors
    /// If `control` is cancelled.
    pub fn measure(control: &Control) -> Result<Rates, Stopped> {
        measure(BOARD, control)
    }
}

fn measure(rules: &str, control: &Control) -> Result<Rates, Stopped> {
    let began = Instant::now();
    let (positions, packed, raw) = packed_bytes(&rules.parse().expect("rules"), LEVEL, control)?;
    Ok(Rates {
        position: began.elapsed().as_secs_f64() / positions.max(1) as f64,
        ratio: packed as f64 / raw.max(1) as f64,
    })
}

/// Solves a game, and compresses its values with zstd level `level`. Returns the number of
/// positions, and the size of the values in bytes after and before compression.
pub(super) fn packed_bytes(
    rules: &GameRules,
    level: u8,
    control: &Control,
) -> Result<(u64, u64, u64), Stopped> {
    let mut table = BoardTable::new(rules, false);
    let (mut positions, mut packed, mut raw) = (0, 0, 0);
    for id in table.order.clone() {
        control.check()?;
        let slice = table.solve(id);
        positions += slice.positions;
        raw += slice.bytes.len() as u64;
        let blocks = slice.bytes.chunks(BLOCK_ENTRIES as usize / 4);
        packed += blocks.map(|block| pack(block, level).len() as u64).sum::<u64>();
    }
    Ok((positions, packed, raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_measured() {
        let rates = measure("pente:w=4,h=3,k=4,opening=free", &Control::new()).expect("measured");
        assert!(rates.position > 0.0 && (0.0..1.0).contains(&rates.ratio), "{rates:?}");
    }
}
