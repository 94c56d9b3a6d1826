//! Probabilities from contexts: a logistic model that adds up the log odds of all contexts.
//!
//! Each of the four tables maps the value of one context to log odds, in 16ths. The tables are part
//! of the format (`contexts.bin.zst`). All four tables were trained together on real blocks
//! (`bench/examples/train_contexts.rs`).
//!
//! All arithmetic uses integers, so the bytes are the same on every machine.

use std::sync::LazyLock;
use zstd::zstd_safe;

/// The number of contexts of a bit. Each context has its own table.
const CONTEXTS: usize = 4;
/// The number of values that a context can have, which is the length of a table.
const CONTEXT_VALUES: usize = 1 << 15;

/// The file of all tables, which is part of the format. The file is one zstd frame.
const FILE: &[u8] = include_bytes!("contexts.bin.zst");
/// The length of the table of probabilities. The table has 64 steps per unit of log odds.
const STEPS: usize = 2048;
/// An upper bound on the number of values of the sum of four signed bytes.
const SUMS: usize = 1024;
/// The size of the decompressed file in bytes.
const FILE_BYTES: usize = 2 * STEPS + CONTEXTS * CONTEXT_VALUES;

/// Returns the decompressed file of tables.
fn unpack() -> Vec<u8> {
    let mut bytes = vec![0; FILE_BYTES];
    let len = zstd_safe::decompress(&mut bytes[..], FILE).expect("the tables are part of the program");
    assert_eq!(len, FILE_BYTES, "the tables are part of the program");
    bytes
}

/// Returns the table of probabilities in a file. The index is the log odds in 64ths, plus 1024.
fn probabilities(file: &[u8]) -> Vec<u16> {
    file[..2 * STEPS].chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect()
}

/// The model, decompressed on first use.
static MODEL: LazyLock<ContextModel> = LazyLock::new(|| {
    let file = unpack();
    let steps = probabilities(&file);
    let step = |sum: i32| (4 * sum + 1024).clamp(0, STEPS as i32 - 1) as usize;
    ContextModel {
        of_sum: Box::new(std::array::from_fn(|i| steps[step(i as i32 - SUMS as i32 / 2)])),
        log_odds: file[2 * STEPS..].iter().map(|&b| b as i8).collect(),
    }
});

/// A logistic model: the log odds of a bit are the sum of the log odds from four tables.
pub struct ContextModel {
    /// The probability that a bit is 1, in 65,536ths. The index is the sum of the four log odds,
    /// plus 512.
    of_sum: Box<[u16; SUMS]>,
    /// The log odds in 16ths. The four tables follow one another, and each is indexed by the value
    /// of its context.
    log_odds: Vec<i8>,
}

impl ContextModel {
    pub fn get() -> &'static ContextModel {
        &MODEL
    }

    /// Returns the parts of the four tables that apply to one batch. `batch` is the index of the
    /// batch. The other arguments are the fields that are equal for all bits of the batch.
    #[inline(always)]
    pub fn tables(&self, batch: usize, present: usize, density: usize, similarity: usize) -> BatchTables<'_> {
        let start = (batch % 8) << 12;
        let section = |table: usize, at: usize| &self.log_odds[table * CONTEXT_VALUES + start + at..];
        let whole = "a section of a table";
        BatchTables {
            of_sum: &self.of_sum,
            a: section(0, (present % 16) << 7).first_chunk().expect(whole),
            b: section(1, 0).first_chunk().expect(whole),
            c: section(2, (density % 8) << 9 | (similarity % 8) << 6).first_chunk().expect(whole),
            d: section(3, 0).first_chunk().expect(whole),
        }
    }
}

/// The parts of the model's tables that apply to the bits of one batch.
#[derive(Clone, Copy)]
pub struct BatchTables<'a> {
    of_sum: &'a [u16; SUMS],
    a: &'a [i8; 1 << 7],
    b: &'a [i8; 1 << 12],
    c: &'a [i8; 1 << 6],
    d: &'a [i8; 1 << 12],
}

impl BatchTables<'_> {
    /// Returns the probability that a bit is 1, in 65,536ths and at least 1. `column` contains the
    /// fields V, O, A, N8, T, K, G2, N4, G8 and L8 of the bit.
    #[inline(always)]
    pub fn p(&self, column: u32) -> u16 {
        let at = column as usize;
        let [a, b] = [self.a[at % (1 << 7)], self.b[at >> 4 & 0xfff]];
        let [c, d] = [self.c[at >> 25 & 0x3f], self.d[at >> 13 & 0xfff]];
        let sum = i32::from(a) + i32::from(b) + i32::from(c) + i32::from(d);
        self.of_sum[(sum + SUMS as i32 / 2) as usize % SUMS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_the_one_that_the_document_names() {
        assert_eq!(format!("{:016x}", twox_hash::XxHash3_64::oneshot(&unpack())), "5bf9c3318bd0721f");
    }

    #[test]
    fn probabilities_are_the_rounded_logistic_function() {
        for (i, &p) in probabilities(&unpack()).iter().enumerate() {
            let exact = 65_536.0 / (1.0 + (-(i as f64 - 1024.0) / 64.0).exp());
            assert!((f64::from(p) - exact.clamp(1.0, 65_535.0)).abs() <= 1.0, "{i}: {p}, {exact}");
        }
    }
}
