//! Rates of one core: the times to compute, encode and decode an entry. Compression ratios are also
//! rates. An estimate multiplies exact counts by rates.
//!
//! [`Rates::built_in`] returns the rates of the machine [`MACHINE`]. [`Rates::measure`] measures
//! the rates of this machine, which `pentago bench --save` writes to a file.

mod measure;

use pentago_tables::codec::Codec;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::OnceLock;

/// The name of the machine on which the built-in rates were measured. The rates of Pentago were
/// measured while both cores of the machine worked.
pub const MACHINE: &str = "built in: one core of an AMD EPYC with AVX-512 (2026)";

/// The rates of a core for builds of Pentago's tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// The rates for builds of the tables below a root position.
    pub root: RootRates,
    /// The rates for builds of slices of a complete game.
    pub slices: SliceRates,
}

/// The rates for builds of the tables below a root position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootRates {
    /// The seconds to compute a board for one chain at one parity, without far children.
    pub board: f64,
    /// The additional time for each far child, as a fraction of `board`.
    pub far: f64,
    /// The seconds to encode a temporary file, per byte before compression.
    pub encode: f64,
    /// The seconds to decode a temporary file, per byte before compression.
    pub decode: f64,
    /// The seconds of system time to write or read a byte of a temporary file.
    pub file: f64,
}

/// The rates of slices of a complete game. Each list is sorted by ascending number of free sockets.
/// Rates between two listed numbers of free sockets are interpolated linearly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceRates {
    /// The times to compute entries, for some numbers of free sockets.
    pub steps: Vec<StepRates>,
    /// The rates of each codec, with the name of the codec.
    pub codecs: Vec<CodecRates>,
    /// The payload size in bytes of a block whose values are all decided by a search of one move.
    pub block_bytes: f64,
    /// The imbalance of a section at which an open value takes 1/e of the bytes that an open value
    /// takes in a balanced section. The imbalance is the squared difference between the two sides'
    /// numbers of marbles, summed over the quadrants. In imbalanced sections, most open values are
    /// equal.
    pub one_sided: f64,
}

/// The times to compute a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRates {
    /// The number of free sockets of the slice.
    pub free: usize,
    /// The seconds to compute an entry.
    pub compute: f64,
    /// The seconds to copy an entry from a decoded block of the next slice.
    pub take: f64,
}

/// The compression ratios and the speeds of a codec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodecRates {
    /// The name of the codec.
    #[serde(deserialize_with = "codec_name")]
    pub codec: String,
    /// The compression ratios of whole slices, sorted by ascending number of free sockets.
    pub sizes: Vec<CodecSize>,
    /// The times to encode and decode an entry, sorted by ascending number of free sockets.
    pub speeds: Vec<CodecSpeed>,
}

/// The compression ratio of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodecSize {
    /// The number of free sockets of the slice.
    pub free: usize,
    /// The compressed size divided by the uncompressed size.
    pub size: f64,
}

/// The times to encode and to decode an entry of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodecSpeed {
    /// The number of free sockets of the slice.
    pub free: usize,
    /// The seconds to encode an entry.
    pub encode: f64,
    /// The seconds to decode an entry.
    pub decode: f64,
}

/// The cost of storing an entry of a slice with a codec.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntryCosts {
    /// The compressed size divided by the uncompressed size.
    pub size: f64,
    /// The seconds to encode an entry.
    pub encode: f64,
    /// The seconds to decode an entry.
    pub decode: f64,
}

impl Rates {
    /// Returns the built-in rates, which were measured on [`MACHINE`]. The compression ratios of
    /// slices come from builds of whole slices, and from sampled blocks whose boards were solved
    /// one by one.
    ///
    /// # Panics
    /// Never.
    pub fn built_in() -> &'static Rates {
        static RATES: OnceLock<Rates> = OnceLock::new();
        RATES.get_or_init(|| serde_json::from_str(include_str!("built_in.json")).expect("tested"))
    }
}

impl RootRates {
    /// Returns the typical time in seconds to compute a board of a full solution: the board is
    /// computed for two chains, and has 6 far children in each.
    pub fn per_board(&self) -> f64 {
        2.0 * self.board * (1.0 + 6.0 * self.far)
    }
}

/// Parses the name of a codec. Returns an error for a codec name that is no longer valid, because
/// an unknown codec would seem to take no time.
fn codec_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    name.parse::<Codec>().map_err(D::Error::custom)?;
    Ok(name)
}

impl SliceRates {
    /// Returns two times in seconds for a slice with `free` free sockets: the time to compute an
    /// entry, and the time to copy an entry from a decoded block of the next slice.
    pub fn step(&self, free: usize) -> [f64; 2] {
        [|step: &StepRates| step.compute, |step: &StepRates| step.take]
            .map(|of| between(&self.steps, free, |step| step.free, of))
    }

    /// Returns the costs of an entry of a slice with `free` free sockets. For a zstd level without
    /// rates, returns the costs of the nearest level that has rates.
    pub fn costs(&self, codec: Codec, free: usize) -> EntryCosts {
        let name = codec.to_string();
        let level = |name: &str| name.strip_prefix("zstd:").and_then(|level| level.parse::<u8>().ok());
        let found = self.codecs.iter().find(|rates| rates.codec == name).or_else(|| {
            let sought = level(&name)?;
            let levels = self.codecs.iter().filter_map(|rates| Some((level(&rates.codec)?, rates)));
            levels.min_by_key(|(level, _)| level.abs_diff(sought)).map(|(_, rates)| rates)
        });
        let Some(rates) = found else { return EntryCosts::default() };
        let speed = |of: fn(&CodecSpeed) -> f64| between(&rates.speeds, free, |speed| speed.free, of);
        EntryCosts {
            size: between(&rates.sizes, free, |size| size.free, |size| size.size),
            encode: speed(|speed| speed.encode),
            decode: speed(|speed| speed.decode),
        }
    }
}

/// Interpolates linearly between points, which are in ascending order. Outside of the range of the
/// points, returns the value of the nearest point.
fn between<P>(points: &[P], free: usize, at: impl Fn(&P) -> usize, value: impl Fn(&P) -> f64) -> f64 {
    let above = points.partition_point(|point| at(point) < free);
    match (above.checked_sub(1).map(|i| &points[i]), points.get(above)) {
        (Some(low), Some(high)) => {
            let part = (free - at(low)) as f64 / (at(high) - at(low)) as f64;
            value(low) + part * (value(high) - value(low))
        }
        (Some(point), None) | (None, Some(point)) => value(point),
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_tables::codec::open::Preset;

    #[test]
    fn points_are_joined_by_lines() {
        let points = [(1, 10.0), (3, 20.0), (4, 0.0)];
        let at = |free| between(&points, free, |point| point.0, |point| point.1);
        for (free, value) in [(0, 10.0), (1, 10.0), (2, 15.0), (3, 20.0), (4, 0.0), (9, 0.0)] {
            assert!((at(free) - value).abs() < 1e-9, "{free}");
        }
        assert!(between(&points[..0], 1, |point| point.0, |point| point.1).abs() < 1e-9);
    }
    #[test]
    fn former_names_of_codecs_are_refused() {
        let text = serde_json::to_string(&Rates::built_in().slices).expect("rates");
        let error = serde_json::from_str::<SliceRates>(&text.replace("\"compact\"", "\"fast\"")).unwrap_err();
        assert!(error.to_string().contains("fast is now called compact"), "{error}");
    }

    /// Checks that the built-in rates are complete and sorted, and that slower codecs compress
    /// better.
    #[test]
    fn built_in_rates_make_sense() {
        let Rates { root, slices } = Rates::built_in();
        assert!([root.board, root.far, root.encode, root.decode, root.file].iter().all(|&rate| rate > 0.0));
        assert!(slices.steps.is_sorted_by(|a, b| a.free < b.free));
        for free in 0..36 {
            assert!(slices.step(free).iter().all(|&seconds| seconds > 0.0));
            let costs = Preset::ALL.map(|preset| slices.costs(Codec::Open(preset), free));
            assert!(costs.iter().all(|costs| costs.encode > 0.0 && costs.decode > 0.0));
            // With fewer than two free sockets, no value is open, so all codecs have the same
            // ratio.
            assert!(costs.is_sorted_by(|a, b| if free < 2 { a.size == b.size } else { a.size > b.size }));
        }
    }
}
