//! Estimates the cost of builds before anything is computed: boards, memory, disk space and time.
//!
//! Numbers of boards and memory are exact. Sizes on disk are upper bounds from a sample of the
//! values, or for whole slices exact counts multiplied by [`Rates`]. Times are exact counts
//! multiplied by [`Rates`].

mod game;
mod loads;
mod root;
mod sample;
mod sections;

pub use loads::{Load, SharedSlice, loads, section_bytes};

#[cfg(doc)]
use crate::rates::Rates;
use pentago_tables::codec::Codec;
use serde::{Serialize, Serializer};

/// The estimate of a build. `pentago plan` prints this type as JSON.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BuildEstimate {
    /// The target, in the same form as in the names of its tables.
    pub target: String,
    /// The slices of a game of Pentago in the order of the build; empty for other targets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceEstimate>,
    /// For a root of Pentago: the number of sockets that the first pass fills. `None` for other
    /// targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_sockets: Option<usize>,
    /// The number of boards, positions or supers to compute.
    pub boards: u64,
    /// The unit in which `boards` counts: `boards`, `positions` or `supers`.
    #[serde(skip)]
    pub unit: &'static str,
    /// The number of boards, positions or supers in the kept tables.
    pub kept_boards: u64,
    /// The numbers of marbles of the kept slices of Pentago; empty for other games.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_slices: Vec<u8>,
    /// The minimum memory in bytes.
    pub memory_bytes: u64,
    /// For a root of Pentago: the number of bytes of GPU memory for a solution without tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graphics_bytes: Option<u64>,
    /// The peak size of temporary files in bytes.
    pub scratch_bytes: u64,
    /// The uncompressed size of all values in bytes. `None` if the tables don't store all values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_bytes: Option<u64>,
    /// The size of the kept tables in bytes.
    pub kept_bytes: u64,
    /// The peak disk usage in bytes.
    pub disk_bytes: u64,
    /// The number of bytes in `disk_bytes` that an earlier run of the same build has already
    /// written.
    #[serde(skip)]
    pub there_bytes: u64,
    /// For a target without `slices`: the number of bytes that the build reads and writes.
    #[serde(skip)]
    pub io_bytes: u64,
    /// The total CPU time in seconds. The JSON form is in hours.
    #[serde(rename = "core_hours", serialize_with = "hours")]
    pub core_seconds: f64,
    /// The number of cores that share the work.
    pub cores: usize,
    /// The elapsed time in seconds.
    pub seconds: f64,
}

impl BuildEstimate {
    /// Returns the estimate for a disk that reads and writes `speed` bytes per second. The elapsed
    /// time is the CPU time per core or the time of the disk, whichever is longer. Without this
    /// function, an estimate assumes that the disk costs no time.
    #[must_use]
    pub fn on_disk(mut self, speed: u64) -> BuildEstimate {
        let on_disk = |seconds: f64, bytes: u64| seconds.max(bytes as f64 / speed.max(1) as f64);
        if self.slices.is_empty() {
            self.seconds = on_disk(self.seconds, self.io_bytes);
            return self;
        }
        for slice in &mut self.slices {
            slice.seconds = on_disk(slice.seconds, slice.io_bytes);
        }
        self.seconds = self.slices.iter().map(|slice| slice.seconds).sum();
        self
    }
}

/// The estimate of one slice of a game of Pentago.
#[derive(Clone, Debug, Serialize)]
pub struct SliceEstimate {
    /// The number of marbles of the slice.
    pub marbles: u8,
    /// The number of sections to compute.
    pub sections: u64,
    /// The number of entries in these sections. An entry holds the values of a board in all 256
    /// rotations.
    pub entries: u64,
    /// The uncompressed size of the entries in bytes.
    pub raw_bytes: u64,
    /// The codec of the finished table, or `None` if the values are only counted.
    #[serde(serialize_with = "codec_name")]
    pub codec: Option<Codec>,
    /// `true` if the build keeps the table.
    #[serde(rename = "kept")]
    pub is_kept: bool,
    /// The size of the table in bytes.
    pub table_bytes: u64,
    /// The size in bytes of the temporary copy from which the previous slice is computed. 0 if the
    /// previous slice is computed from the table itself.
    pub copy_bytes: u64,
    /// The peak disk usage in bytes while the slice is built, including the kept slices. The peak
    /// occurs while this slice is written and the next slice is freed, or while the copy is
    /// compressed into the table.
    pub disk_bytes: u64,
    /// The minimum memory in bytes. If the memory is too small for the pieces of a section, blocks
    /// are decoded more often.
    pub memory_bytes: u64,
    /// The mean number of times that each block of the next slice is decoded.
    pub decodes: f64,
    /// The number of bytes that building the slice reads and writes.
    pub io_bytes: u64,
    /// The CPU time in seconds to compute entries and to turn their children. The JSON form is in
    /// hours.
    #[serde(rename = "kernel_hours", serialize_with = "hours")]
    pub kernel_seconds: f64,
    /// The CPU time in seconds to encode the table and its copy. The JSON form is in hours.
    #[serde(rename = "encode_hours", serialize_with = "hours")]
    pub encode_seconds: f64,
    /// The CPU time in seconds to decode blocks of the next slice and of the copy. The JSON form is
    /// in hours.
    #[serde(rename = "decode_hours", serialize_with = "hours")]
    pub decode_seconds: f64,
    /// The total CPU time in seconds. The JSON form is in hours.
    #[serde(rename = "core_hours", serialize_with = "hours")]
    pub core_seconds: f64,
    /// The elapsed time in seconds.
    pub seconds: f64,
}

/// Serializes a time in seconds as a number of hours.
fn hours<S: Serializer>(seconds: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(seconds / 3600.0)
}

fn codec_name<S: Serializer>(codec: &Option<Codec>, to: S) -> Result<S::Ok, S::Error> {
    codec.map(|codec| codec.to_string()).serialize(to)
}
