//! Tables whose payloads are compressed bytes without further structure. Schemas without a codec of
//! their own share this module.

use crate::built::BuildError;
use crate::error::Reason;
use crate::layout::{GameId, RawSchema};
use crate::writer::RawWriter;
use pentago_base::Control;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The codec and the filter of packed tables. The filter leaves the values unchanged.
const CODEC: u8 = 1;
const FILTER: u8 = 1;

impl RawSchema {
    /// Returns the schema of a game's packed tables. `level` is the zstd level.
    pub fn packed(game: GameId, level: u8, key_bytes: u8, counters: u8) -> RawSchema {
        RawSchema { game, codec: CODEC, filter: FILTER, level, key_bytes, counters }
    }

    /// Checks that this schema is the schema of a game's packed tables. Any compression level is
    /// accepted.
    ///
    /// # Errors
    /// The error names the first field that differs from the expected schema.
    pub fn check_packed(&self, expected: GameId, key_bytes: u8, counters: u8) -> Result<(), Reason> {
        if self.game != expected {
            return Err(Reason::Game { found: self.game, expected });
        }
        for (what, value, known) in [
            ("codec", self.codec, CODEC..=CODEC),
            ("filter", self.filter, FILTER..=FILTER),
            ("level", self.level, 1..=19),
            ("key length", self.key_bytes, key_bytes..=key_bytes),
            ("number of counters", self.counters, counters..=counters),
        ] {
            if !known.contains(&value) {
                return Err(Reason::Unknown { what, value });
            }
        }
        Ok(())
    }
}

impl RawWriter {
    /// Encodes all blocks of an array and passes them to the writer, except the blocks that the
    /// table already contains. The threads of the current rayon pool take the blocks in order, so
    /// that few payloads wait in memory. `first` is the index of the array's first block in the
    /// file. `payload` returns the payload and the counters of a block.
    ///
    /// # Errors
    /// The same errors as [`RawWriter::put`], and an error if `control` was cancelled.
    pub fn put_array<B: Sync, C: AsRef<[u64]>>(
        &self,
        array: u32,
        first: u64,
        blocks: &[B],
        control: &Control,
        payload: impl Fn(&B) -> (Vec<u8>, C) + Sync,
    ) -> Result<(), BuildError> {
        let next = AtomicU64::new(0);
        (0..rayon::current_num_threads()).into_par_iter().try_for_each(|_| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(block) = blocks.get(number as usize) else { return Ok(()) };
                control.check()?;
                if !self.has(first + number) {
                    let (payload, counts) = payload(block);
                    self.put(array, number, payload, counts.as_ref())?;
                }
            }
        })
    }
}
