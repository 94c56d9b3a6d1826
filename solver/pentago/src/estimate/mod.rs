//! Estimates of builds before anything is computed: boards, memory, disk space and time.
//!
//! Numbers of boards and memory are exact. Sizes and times are exact counts times [`Rates`].

mod game;
mod loads;
mod root;

pub use loads::{Load, SharedSlice, loads, section_bytes};

#[cfg(doc)]
use crate::rates::Rates;
use pentago_tables::codec::Codec;
use serde::{Serialize, Serializer};

/// The estimate of a build. The JSON of `pentago plan` is this type.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BuildEstimate {
    /// The target, as the name of its tables says it.
    pub target: String,
    /// The slices of a game of Pentago in the order of the build; empty for other targets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceEstimate>,
    /// For a root of Pentago: the number of sockets that the first pass fills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_sockets: Option<usize>,
    /// The number of boards, positions or supers to compute.
    pub boards: u64,
    /// The unit of `boards`: `boards`, `positions` or `supers`.
    #[serde(skip)]
    pub unit: &'static str,
    /// The number of boards, positions or supers in the kept tables.
    pub kept_boards: u64,
    /// The least memory in bytes.
    pub memory_bytes: u64,
    /// For a root of Pentago: bytes of GPU memory for a solution without tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graphics_bytes: Option<u64>,
    /// The peak size of temporary files in bytes.
    pub scratch_bytes: u64,
    /// The uncompressed size of all values in bytes, if the tables hold all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_bytes: Option<u64>,
    /// The size of the kept tables in bytes.
    pub kept_bytes: u64,
    /// The peak disk usage in bytes.
    pub disk_bytes: u64,
    /// The part of `disk_bytes` that an earlier run of the same build has already written.
    #[serde(skip)]
    pub there_bytes: u64,
    /// CPU time in seconds. JSON has hours.
    #[serde(rename = "core_hours", serialize_with = "hours")]
    pub core_seconds: f64,
    /// The number of cores that share the work.
    pub cores: usize,
    /// Elapsed time in seconds.
    pub seconds: f64,
}

impl BuildEstimate {
    /// Sets the time on `cores` cores, with a disk that reads and writes `disk_speed` bytes per
    /// second (`None`: as fast as needed). `io_bytes` is the number of bytes that the build reads
    /// and writes.
    #[must_use]
    pub fn timed(
        self,
        core_seconds: f64,
        io_bytes: u64,
        cores: usize,
        disk_speed: Option<u64>,
    ) -> BuildEstimate {
        let seconds = elapsed(core_seconds, io_bytes, cores, disk_speed);
        BuildEstimate { core_seconds, cores, seconds, ..self }
    }
}

/// The estimate of one slice of a game of Pentago.
#[derive(Clone, Debug, Serialize)]
pub struct SliceEstimate {
    /// The number of marbles.
    pub marbles: u8,
    /// The number of sections to compute.
    pub sections: u64,
    /// The number of entries in these sections. An entry holds the values of 256 boards.
    pub entries: u64,
    /// The uncompressed size of the entries in bytes.
    pub raw_bytes: u64,
    /// The codec of the finished table, or `None` if the values are only counted.
    #[serde(serialize_with = "codec_name")]
    pub codec: Option<Codec>,
    /// `true` if the table is kept.
    #[serde(rename = "kept")]
    pub is_kept: bool,
    /// The size of the table in bytes.
    pub table_bytes: u64,
    /// The size in bytes of the copy from which the previous slice is computed, or 0 if the
    /// previous slice is computed from the table.
    pub copy_bytes: u64,
    /// The peak disk usage in bytes while the slice is built, with the slices that are kept. The
    /// peak is either the written part of the slice with the rest of the next slice, or the copy
    /// with the table that is compressed from the copy.
    pub disk_bytes: u64,
    /// The least memory in bytes. If memory is too small for the pieces of a section, blocks are
    /// decoded more often.
    pub memory_bytes: u64,
    /// The mean number of times that each block of the next slice is decoded.
    pub decodes: f64,
    /// The number of bytes read and written.
    pub io_bytes: u64,
    /// CPU time in seconds to compute entries and to turn their children. JSON has hours.
    #[serde(rename = "kernel_hours", serialize_with = "hours")]
    pub kernel_seconds: f64,
    /// CPU time in seconds to encode the table and its copy. JSON has hours.
    #[serde(rename = "encode_hours", serialize_with = "hours")]
    pub encode_seconds: f64,
    /// CPU time in seconds to decode blocks of the next slice and of the copy. JSON has hours.
    #[serde(rename = "decode_hours", serialize_with = "hours")]
    pub decode_seconds: f64,
    /// The total CPU time in seconds. JSON has hours.
    #[serde(rename = "core_hours", serialize_with = "hours")]
    pub core_seconds: f64,
    /// Elapsed time in seconds.
    pub seconds: f64,
}

/// Returns the elapsed seconds: the time of the CPU or of the disk, whichever is longer.
fn elapsed(core_seconds: f64, io_bytes: u64, cores: usize, disk_speed: Option<u64>) -> f64 {
    let disk = disk_speed.map_or(0.0, |speed| io_bytes as f64 / speed.max(1) as f64);
    disk.max(core_seconds / cores.max(1) as f64)
}

/// Serializes seconds as hours.
fn hours<S: Serializer>(seconds: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(seconds / 3600.0)
}

fn codec_name<S: Serializer>(codec: &Option<Codec>, to: S) -> Result<S::Ok, S::Error> {
    codec.map(|codec| codec.to_string()).serialize(to)
}
