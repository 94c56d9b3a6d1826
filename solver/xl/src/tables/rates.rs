//! The rates at which one core computes and compresses boards. Estimates multiply the exact numbers
//! of boards by these rates.

use std::time::Instant;

use pentago_base::{Control, Kernel};
use pentago_store::{BuildError, pack};
use serde::{Deserialize, Serialize};

use super::target::{ArrayKey, BLOCK_ENTRIES, ENTRY_BYTES, LEVEL, block_of};
use crate::dense::{Dense, DenseError};
use crate::geometry::sockets;
use crate::kernel::HalfSuper;
use crate::options::Rules;
use crate::position::Position;

/// The rates for games of two, three and four seats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    two: SeatRates,
    three: SeatRates,
    four: SeatRates,
}

/// The rates for games of one number of seats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatRates {
    /// The time in seconds to solve one board for one question, at the rotations of one parity.
    pub solve: f64,
    /// The time in seconds to compress the half super of one board.
    pub pack: f64,
    /// The compressed size divided by the size before compression.
    pub ratio: f64,
}

impl Rates {
    /// The rates that were measured on one core of an AMD EPYC with AVX-512 in 2026.
    pub const BUILT_IN: Rates = Rates {
        two: SeatRates { solve: 4.51e-06, pack: 3.87e-06, ratio: 0.031 },
        three: SeatRates { solve: 3.03e-06, pack: 4.96e-06, ratio: 0.043 },
        four: SeatRates { solve: 2.09e-06, pack: 2.26e-06, ratio: 0.007 },
    };

    /// Returns the rates for the number of seats in a game with these rules.
    pub fn of(&self, rules: &Rules) -> SeatRates {
        match rules.seats() {
            2 => self.two,
            3 => self.three,
            _ => self.four,
        }
    }

    /// Measures the rates, which takes a second or two. Solves fixed positions with few free
    /// sockets. Call this function in a pool of one thread, because the rates are for one core.
    ///
    /// # Errors
    /// If the caller cancelled.
    pub fn measure(kernel: Kernel, control: &Control) -> Result<Rates, BuildError> {
        let of = |text: &str, most| {
            let rules = text.parse().expect("rules");
            measure(&rules, &late(&rules, &Position::EMPTY, most, 1), LEVEL, kernel, control)
        };
        Ok(Rates {
            two: of("xl:seats=2", 8)?,
            three: of("xl:seats=3,supply=27", 6)?,
            four: of("xl:seats=4", 6)?,
        })
    }
}

/// Measures the rates for some rules. Solves all boards below `root`, which must be a late
/// position, and compresses the boards with zstd level `level`.
pub(super) fn measure(
    rules: &Rules,
    root: &Position,
    level: u8,
    kernel: Kernel,
    control: &Control,
) -> Result<SeatRates, BuildError> {
    let (mut boards, mut packed, mut packing) = (0u64, 0u64, 0.0);
    let began = Instant::now();
    let dense = Dense::new(rules, root, None, 0, kernel, control).expect("a late position");
    for key in ArrayKey::all(rules).into_iter().filter(|key| key.phase == 0) {
        dense.each_slice(key.chain(rules), |_, halves: &[&HalfSuper], _| {
            boards += halves.len() as u64;
            let began = Instant::now();
            let parts = halves.chunks(BLOCK_ENTRIES as usize);
            packed += parts.map(|part| pack(&block_of(part, false).0, level).len() as u64).sum::<u64>();
            packing += began.elapsed().as_secs_f64();
            Ok::<(), DenseError>(())
        })?;
    }
    let boards = boards.max(1) as f64;
    Ok(SeatRates {
        solve: (began.elapsed().as_secs_f64() - packing) / boards,
        pack: packing / boards,
        ratio: packed as f64 / (boards * ENTRY_BYTES as f64),
    })
}

/// Returns a pseudo-random position after `from` with at most `most` free sockets, or with one ply
/// left before the marbles are used up. The result is always the same for the same arguments.
pub(super) fn late(rules: &Rules, from: &Position, most: usize, mut seed: u32) -> Position {
    let mut p = *from;
    let mut free: Vec<_> = sockets(p.free()).collect();
    while free.len() > most && p.count() + 1 < rules.most_marbles() {
        seed = seed.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let socket = free.swap_remove((seed >> 8) as usize % free.len());
        p.marbles[p.to_move.index()] |= socket.bit();
        p.to_move = rules.seat_after(p.to_move, 1);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rates_are_measured() {
        let rates = Rates::measure(Kernel::best(), &Control::new()).expect("measured");
        for of in [rates.two, rates.three, rates.four] {
            assert!(of.solve > 0.0 && of.pack > 0.0 && (0.0..1.0).contains(&of.ratio), "{of:?}");
        }
    }
}
