//! A cache of decoded blocks, shared by all tables and threads of a process.

use quick_cache::sync::{Cache as QuickCache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Weighs a block by the size of its entries in bytes.
#[derive(Clone)]
struct BlockWeight;

impl<T> Weighter<(u64, u64), Arc<[T]>> for BlockWeight {
    fn weight(&self, _: &(u64, u64), block: &Arc<[T]>) -> u64 {
        size_of_val(&block[..]) as u64
    }
}

/// A cache of the most recently used blocks, limited by their total size.
pub struct Cache<T> {
    /// The cached blocks, keyed by the identifier of the table and the index of the block in the
    /// table.
    blocks: QuickCache<(u64, u64), Arc<[T]>, BlockWeight>,
}

/// Caches below this size in bytes have one shard. With several shards, a block that is larger than
/// one shard's share of the limit would never be kept.
const SHARDED_BYTES: usize = 64 << 20;

/// A typical block size in bytes, to estimate the number of cached blocks.
const USUAL_BLOCK: usize = 64 << 10;

impl<T: Send + Sync> Cache<T> {
    /// Returns a cache for at most `bytes` bytes of entries. With 0, nothing is cached.
    ///
    /// # Panics
    /// Never: both required options are set.
    pub fn new(bytes: usize) -> Arc<Cache<T>> {
        let mut options = OptionsBuilder::new();
        options.estimated_items_capacity((bytes / USUAL_BLOCK).clamp(16, 1 << 20));
        options.weight_capacity(bytes as u64);
        options.shards(if bytes < SHARDED_BYTES { 1 } else { 16 });
        let options = options.build().expect("both capacities are given");
        let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        let blocks = QuickCache::with_options(options, BlockWeight, hasher, lifecycle);
        Arc::new(Cache { blocks })
    }

    /// Returns the size of all cached entries in bytes.
    pub fn bytes(&self) -> usize {
        self.blocks.weight() as usize
    }

    /// Returns a new identifier for a table whose blocks are cached, unique in this process.
    pub fn number() -> u64 {
        static TABLES: AtomicU64 = AtomicU64::new(0);
        TABLES.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns a block, or `None` if the block isn't cached.
    pub fn get(&self, table: u64, block: u64) -> Option<Arc<[T]>> {
        self.blocks.get(&(table, block))
    }

    /// Caches a block. The cache may evict other blocks, or the new block itself if it is too
    /// large.
    pub fn put(&self, table: u64, block: u64, entries: &Arc<[T]>) {
        self.blocks.insert((table, block), entries.clone());
    }

    /// Removes all blocks of a table.
    pub fn forget(&self, table: u64) {
        self.blocks.retain(|key, _| key.0 != table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_fits() {
        let cache: Arc<Cache<[u8; 64]>> = Cache::new(640);
        let block: Arc<[[u8; 64]]> = vec![[0; 64]; 3].into();
        for number in 0..3 {
            cache.put(0, number, &block);
            assert!(cache.get(0, number).is_some());
        }
        for number in 0..100 {
            cache.put(1, number, &block);
            assert!(cache.bytes() <= 640);
        }
        assert!(cache.bytes() >= 3 * 64);
        cache.put(2, 0, &vec![[0; 64]; 11].into());
        assert!(cache.get(2, 0).is_none());
        cache.forget(1);
        assert!((0..100).all(|number| cache.get(1, number).is_none()));
        let nothing: Arc<Cache<[u8; 64]>> = Cache::new(0);
        nothing.put(0, 0, &block);
        assert!(nothing.get(0, 0).is_none() && nothing.bytes() == 0);
    }

    /// A block that is read repeatedly is not evicted by blocks that are read once.
    #[test]
    fn what_is_used_often_stays() {
        let cache: Arc<Cache<u64>> = Cache::new(8 * 100);
        let block = |n: u64| -> Arc<[u64]> { vec![n; 10].into() };
        cache.put(0, 0, &block(0));
        for number in 1..500 {
            assert_eq!(cache.get(0, 0).as_deref(), Some(&[0; 10][..]), "before block {number}");
            cache.put(0, number, &block(number));
        }
    }
}
