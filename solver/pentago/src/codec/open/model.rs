//! Probabilities from contexts: the logarithms of the odds that each context speaks for are added
//! up.
//!
//! What a context speaks for is a number in a table, in 16ths: trained once, for all contexts
//! together, on real blocks (`examples/train_contexts.rs`), and part of the format
//! (`contexts.bin.zst`). The faster model takes four tables as they are. The other one takes eight
//! and goes on learning in each block: after each bit its eight numbers are moved, in 1024ths, in
//! the direction in which the probability would have been better.
//!
//! All is done in whole numbers: the bytes are the same on every machine.

use super::walk::{CONTEXTS, FIRST, KINDS};
use std::sync::OnceLock;
use zstd::zstd_safe;

/// The tables as they are published with the format: a zstd frame.
const FILE: &[u8] = include_bytes!("contexts.bin.zst");
/// Steps of the table that makes probabilities of odds: 64 to a unit.
const STEPS: usize = 2048;
/// Bytes of the content of the file.
const FILE_BYTES: usize = 2 * STEPS + (FIRST + CONTEXTS) * KINDS;
/// How fast the learning model learns: the numbers are moved by this much of the error, in 1024ths.
const RATE: i32 = 51;

/// What is in the file.
struct ContextTables {
    /// By the logarithm of the odds, in 64ths, plus 1024: the probability of a 1, in 65536ths.
    squash: Vec<u16>,
    first: Vec<i8>,
    all: Vec<i8>,
}

fn tables() -> &'static ContextTables {
    static TABLES: OnceLock<ContextTables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut bytes = vec![0; FILE_BYTES];
        let len = zstd_safe::decompress(&mut bytes[..], FILE).expect("the tables are part of the program");
        assert_eq!(len, FILE_BYTES, "the tables are part of the program");
        let (squash, rest) = bytes.split_at(2 * STEPS);
        let (first, all) = rest.split_at(FIRST * KINDS);
        let signed = |bytes: &[u8]| bytes.iter().map(|&b| b as i8).collect();
        ContextTables {
            squash: squash.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect(),
            first: signed(first),
            all: signed(all),
        }
    })
}

/// Gives probabilities, and may learn from what was.
pub trait Model {
    /// Whether it uses all contexts, or the first only.
    const ALL: bool;

    /// The probability that the bit in these contexts is 1, in 65536ths, at least 1.
    fn predict(&self, contexts: &[u16; CONTEXTS]) -> u16;

    /// Says what the bit was.
    fn learn(&mut self, contexts: &[u16; CONTEXTS], p: u16, bit: bool);
}

/// The faster model.
pub struct Static {
    tables: &'static [[i8; KINDS]],
    squash: &'static [u16; STEPS],
}

impl Static {
    pub fn new() -> Static {
        let tables = tables();
        Static { tables: tables.first.as_chunks().0, squash: squash(tables) }
    }
}

fn squash(tables: &ContextTables) -> &[u16; STEPS] {
    tables.squash.as_slice().try_into().expect("so many steps are in the file")
}

impl Model for Static {
    const ALL: bool = false;

    #[inline(always)]
    fn predict(&self, contexts: &[u16; CONTEXTS]) -> u16 {
        let each =
            self.tables.iter().zip(contexts).map(|(table, &c)| i32::from(table[usize::from(c) % KINDS]));
        self.squash[(4 * each.sum::<i32>() + 1024).clamp(0, STEPS as i32 - 1) as usize]
    }

    #[inline(always)]
    fn learn(&mut self, _: &[u16; CONTEXTS], _: u16, _: bool) {}
}

/// The model that learns. It begins anew with each block.
pub struct Learning {
    tables: Vec<[i16; KINDS]>,
    squash: &'static [u16; STEPS],
}

impl Learning {
    pub fn new() -> Learning {
        let tables = tables();
        let table = |t: &[i8; KINDS]| t.map(|w| 64 * i16::from(w));
        Learning { tables: tables.all.as_chunks().0.iter().map(table).collect(), squash: squash(tables) }
    }
}

impl Model for Learning {
    const ALL: bool = true;

    #[inline(always)]
    fn predict(&self, contexts: &[u16; CONTEXTS]) -> u16 {
        let each =
            self.tables.iter().zip(contexts).map(|(table, &c)| i32::from(table[usize::from(c) % KINDS]));
        self.squash[((each.sum::<i32>() >> 4) + 1024).clamp(0, STEPS as i32 - 1) as usize]
    }

    #[inline(always)]
    fn learn(&mut self, contexts: &[u16; CONTEXTS], p: u16, bit: bool) {
        let error = (i32::from(bit) << 16) - i32::from(p);
        let by = ((error * RATE + (1 << 15)) >> 16) as i16;
        for (table, &c) in self.tables.iter_mut().zip(contexts) {
            let number = &mut table[usize::from(c) % KINDS];
            *number = number.saturating_add(by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file is the one that the document names.
    #[test]
    fn the_file_is_the_published_one() {
        let mut bytes = vec![0; FILE_BYTES];
        zstd_safe::decompress(&mut bytes[..], FILE).expect("a frame");
        assert_eq!(format!("{:016x}", twox_hash::XxHash3_64::oneshot(&bytes)), "6cb21cb6f9301a45");
    }

    /// The table of probabilities is the logistic function, up to rounding.
    #[test]
    fn odds_become_probabilities() {
        for (i, &p) in squash(tables()).iter().enumerate() {
            let exact = 65_536.0 / (1.0 + (-(i as f64 - 1024.0) / 64.0).exp());
            assert!((f64::from(p) - exact.clamp(1.0, 65_535.0)).abs() <= 1.0, "{i}: {p}, {exact}");
        }
    }

    #[test]
    fn what_is_learnt_is_more_probable() {
        let mut model = Learning::new();
        let contexts = [7; CONTEXTS];
        for bit in [true, false] {
            let mut before = model.predict(&contexts);
            for _ in 0..30 {
                model.learn(&contexts, before, bit);
                let after = model.predict(&contexts);
                assert!(if bit { after >= before } else { after <= before });
                before = after;
            }
        }
    }
}
