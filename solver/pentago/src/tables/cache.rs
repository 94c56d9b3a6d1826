//! Decoded blocks, kept while there is room: shared by all tables and threads of a process.

use crate::values::{ENTRY_BYTES, Entry};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Parts with a lock each, so that threads rarely wait for each other.
const SHARDS: usize = 16;

/// The number of a table in this process and of a block in it.
pub(super) type CacheKey = (u64, u64);

/// The blocks used last, up to a number of bytes.
pub struct Cache {
    shards: Vec<Mutex<Shard>>,
    /// Bytes that each shard may hold.
    share: usize,
}

#[derive(Default)]
struct Shard {
    /// Each block with the time of its last use.
    blocks: HashMap<CacheKey, (Arc<[Entry]>, u64)>,
    /// The blocks by that time.
    by_use: BTreeMap<u64, CacheKey>,
    clock: u64,
    bytes: usize,
}

impl Cache {
    /// A cache of at most `bytes` of entries. With 0 nothing is kept.
    #[must_use]
    pub fn new(bytes: usize) -> Arc<Cache> {
        // Few large shards would rather keep nothing than a block that is larger than the share of one.
        let shards = if bytes < SHARDS << 22 { 1 } else { SHARDS };
        let share = bytes / shards;
        Arc::new(Cache { shards: (0..shards).map(|_| Mutex::default()).collect(), share })
    }

    /// Bytes of the entries that are kept now.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|s| s.lock().unwrap_or_else(PoisonError::into_inner).bytes).sum()
    }

    fn shard(&self, key: CacheKey) -> std::sync::MutexGuard<'_, Shard> {
        let mixed = (key.0.rotate_left(32) ^ key.1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        // A panic elsewhere leaves a shard as it was: nothing in here panics half-way.
        self.shards[mixed as usize % self.shards.len()].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: CacheKey) -> Option<Arc<[Entry]>> {
        let mut guard = self.shard(key);
        let shard = &mut *guard;
        let (block, used) = shard.blocks.get_mut(&key)?;
        shard.clock += 1;
        shard.by_use.remove(used);
        *used = shard.clock;
        shard.by_use.insert(shard.clock, key);
        Some(block.clone())
    }

    pub(super) fn put(&self, key: CacheKey, block: &Arc<[Entry]>) {
        let bytes = block.len() * ENTRY_BYTES;
        if bytes > self.share {
            return;
        }
        let mut guard = self.shard(key);
        let shard = &mut *guard;
        shard.clock += 1;
        if let Some((_, used)) = shard.blocks.insert(key, (block.clone(), shard.clock)) {
            // Two threads have decoded the same block.
            shard.by_use.remove(&used);
            shard.bytes -= bytes;
        }
        shard.by_use.insert(shard.clock, key);
        shard.bytes += bytes;
        while shard.bytes > self.share {
            let (_, oldest) = shard.by_use.pop_first().expect("bytes belong to blocks");
            let (block, _) = shard.blocks.remove(&oldest).expect("both maps have the same keys");
            shard.bytes -= block.len() * ENTRY_BYTES;
        }
    }

    /// Forgets the blocks of a table.
    pub(super) fn forget(&self, table: u64) {
        for shard in &self.shards {
            let mut guard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let shard = &mut *guard;
            shard.by_use.retain(|_, key| key.0 != table);
            shard.blocks.retain(|key, (block, _)| {
                let stays = key.0 != table;
                shard.bytes -= if stays { 0 } else { block.len() * ENTRY_BYTES };
                stays
            });
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_used_last_stay() {
        let cache = Cache::new(10 * ENTRY_BYTES);
        let block: Arc<[Entry]> = vec![Entry::default(); 3].into();
        for number in 0..3 {
            cache.put((0, number), &block);
        }
        assert!(cache.get((0, 0)).is_some());
        cache.put((1, 7), &block);
        assert_eq!(cache.bytes(), 9 * ENTRY_BYTES);
        assert!(cache.get((0, 1)).is_none() && cache.get((0, 0)).is_some() && cache.get((1, 7)).is_some());
        cache.put((1, 7), &block);
        assert_eq!(cache.bytes(), 9 * ENTRY_BYTES);
        cache.put((2, 0), &vec![Entry::default(); 11].into());
        assert!(cache.get((2, 0)).is_none());
        cache.forget(0);
        assert_eq!(cache.bytes(), 3 * ENTRY_BYTES);
        assert!(cache.get((0, 0)).is_none() && cache.get((1, 7)).is_some());
    }
}
