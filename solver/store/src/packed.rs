//! Tables whose payloads are compressed bytes and nothing else: what schemas without a codec of their own have
//! in common.

use crate::built::BuildError;
use crate::error::Reason;
use crate::layout::{GameId, RawSchema};
use crate::writer::RawWriter;
use pentago_base::Control;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The only codec, and the only filter: none.
const CODEC: u8 = 1;
const FILTER: u8 = 1;

impl RawSchema {
    /// The schema of such tables of a game, at a level of zstd.
    #[must_use]
    pub fn packed(game: GameId, level: u8, key_bytes: u8, counters: u8) -> RawSchema {
        RawSchema { game, codec: CODEC, filter: FILTER, level, key_bytes, counters }
    }

    /// Checks that it is such a schema of a game, whatever its level.
    ///
    /// # Errors
    /// What differs.
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
    /// Puts the blocks of an array that aren't there yet, in the threads of the current rayon pool and in
    /// order, so that little has to wait for its turn. `first` is the number in the file of its first block,
    /// and `payload` gives the payload and the counters of a block.
    ///
    /// # Errors
    /// As for [`RawWriter::put`]; or it was stopped.
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
