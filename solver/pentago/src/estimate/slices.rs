//! What slices of a complete game take: CPU time by kind of work, memory, and the disk at each
//! moment.

use crate::codec::Codec;

/// The estimate for one slice.
#[derive(Clone, Copy, Debug)]
pub struct SliceEstimate {
    /// Its number of marbles.
    pub marbles: u8,
    /// The number of sections to compute.
    pub sections: u64,
    /// The number of their entries, of 256 boards each.
    pub entries: u64,
    /// Uncompressed size of the entries in bytes.
    pub raw_bytes: u64,
    /// How its blocks are encoded; None if they are only counted.
    pub codec: Option<Codec>,
    /// Whether its table stays.
    pub is_kept: bool,
    /// Size of its table in bytes.
    pub table_bytes: u64,
    /// Size in bytes of its copy, which the slice before it is computed from; 0 if its table is.
    pub copy_bytes: u64,
    /// The most disk space in use while it is built, in bytes: its table or its copy as far as it is
    /// written and what is left of the next slice, or both of its own when it is compressed; and the
    /// slices that stay.
    pub disk_bytes: u64,
    /// Least memory in bytes. With less than the pieces of a section need, blocks are decoded more
    /// often.
    pub memory_bytes: u64,
    /// How often each block of the next slice is decoded, on average.
    pub decodes: f64,
    /// CPU time in seconds to compute the entries, and to arrange those that they are computed from.
    pub kernel_seconds: f64,
    /// CPU time in seconds to encode its blocks, for its copy too.
    pub encode_seconds: f64,
    /// CPU time in seconds to decode blocks of the next slice, and those of its own copy.
    pub decode_seconds: f64,
    /// Bytes read and written.
    pub io_bytes: u64,
}

impl SliceEstimate {
    /// CPU time in seconds.
    #[must_use]
    pub fn core_seconds(&self) -> f64 {
        self.kernel_seconds + self.encode_seconds + self.decode_seconds
    }

    /// Time in seconds with `cores` cores and a disk that reads and writes so many bytes per
    /// second: whichever of both takes longer.
    #[must_use]
    pub fn seconds(&self, cores: usize, disk_speed: Option<u64>) -> f64 {
        let disk = disk_speed.map_or(0.0, |speed| self.io_bytes as f64 / speed.max(1) as f64);
        disk.max(self.core_seconds() / cores.max(1) as f64)
    }
}

/// The estimate for several slices.
#[derive(Clone, Debug)]
pub struct GameEstimate {
    /// By slice, in the order of building.
    pub slices: Vec<SliceEstimate>,
}

impl GameEstimate {
    /// CPU time in seconds.
    #[must_use]
    pub fn core_seconds(&self) -> f64 {
        self.slices.iter().map(SliceEstimate::core_seconds).sum()
    }

    /// Time in seconds with `cores` cores and a disk of this speed in bytes per second.
    #[must_use]
    pub fn seconds(&self, cores: usize, disk_speed: Option<u64>) -> f64 {
        self.slices.iter().map(|slice| slice.seconds(cores, disk_speed)).sum()
    }

    /// Size of all tables that stay, in bytes.
    #[must_use]
    pub fn kept_bytes(&self) -> u64 {
        self.slices.iter().filter(|slice| slice.is_kept).map(|slice| slice.table_bytes).sum()
    }

    /// The most disk space in use at any time, in bytes.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        self.slices.iter().map(|slice| slice.disk_bytes).max().unwrap_or(0)
    }

    /// Memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.slices.iter().map(|slice| slice.memory_bytes).max().unwrap_or(0)
    }
}
