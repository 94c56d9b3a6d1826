//! Probabilities from contexts: the logarithms of the odds that each context speaks for are added
//! up.
//!
//! What a context speaks for is a number in a table, in 16ths: trained once, for all contexts
//! together, on real blocks (`bench/examples/train_contexts.rs`), and part of the format
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
/// More than four signed bytes can add up to.
const SUMS: usize = 1024;
/// Bytes of the content of the file.
const FILE_BYTES: usize = 2 * STEPS + (FIRST + CONTEXTS) * KINDS;
/// How fast the learning model learns: the numbers are moved by this much of the error, in 1024ths
/// (`bench/README.md#open-bits`).
const RATE: i32 = 51;

/// What is in the file.
struct ContextTables {
    /// By the logarithm of the odds, in 64ths, plus 1024: the probability of a 1, in 65536ths.
    squash: Vec<u16>,
    /// The probability by the sum of four numbers of the faster model, plus 512.
    of_sum: Box<[u16; SUMS]>,
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
        let squash: Vec<u16> = squash.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
        ContextTables {
            of_sum: Box::new(std::array::from_fn(|i| squash[step(i as i32 - SUMS as i32 / 2)])),
            squash,
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
    of_sum: &'static [u16; SUMS],
}

/// The place of the probability in the table of the file, by the sum of the faster model.
fn step(sum: i32) -> usize {
    (4 * sum + 1024).clamp(0, STEPS as i32 - 1) as usize
}

impl Static {
    pub fn new() -> Static {
        let tables = tables();
        Static { tables: tables.first.as_chunks().0, of_sum: &tables.of_sum }
    }

    #[inline(always)]
    fn of_sum(&self, sum: i32) -> u16 {
        self.of_sum[(sum + SUMS as i32 / 2) as usize % SUMS]
    }

    /// The parts of the tables that the bits of one batch need.
    #[inline(always)]
    pub fn tables(&self, batch: usize, present: usize, density: usize, around: usize) -> BatchTables<'_> {
        let [a, b, c, d] = self.tables.first_chunk().expect("there are four");
        let start = (batch % 8) << 12;
        let chunk = "a part of a table";
        BatchTables {
            model: self,
            a: a[start | (present % 16) << 7..].first_chunk().expect(chunk),
            b: b[start..].first_chunk().expect(chunk),
            c: c[start | (density % 8) << 9 | (around % 8) << 6..].first_chunk().expect(chunk),
            d: d[start..].first_chunk().expect(chunk),
        }
    }
}

/// The faster model for the bits of one batch.
#[derive(Clone, Copy)]
pub struct BatchTables<'a> {
    model: &'a Static,
    a: &'a [i8; 1 << 7],
    b: &'a [i8; 1 << 12],
    c: &'a [i8; 1 << 6],
    d: &'a [i8; 1 << 12],
}

impl BatchTables<'_> {
    /// The probability of a bit whose fields are in a column: V, O, A, N8, T, K, G2, N4, G8, L8.
    #[inline(always)]
    pub fn p(&self, column: u32) -> u16 {
        let at = column as usize;
        let [a, b] = [self.a[at % (1 << 7)], self.b[at >> 4 & 0xfff]];
        let [c, d] = [self.c[at >> 25 & 0x3f], self.d[at >> 13 & 0xfff]];
        self.model.of_sum(i32::from(a) + i32::from(b) + i32::from(c) + i32::from(d))
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
        self.of_sum(each.sum::<i32>())
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
