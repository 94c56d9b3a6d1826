//! What computing and coding takes on a core, and how small it gets: what exact counts are multiplied by
//! in estimates.
//!
//! [`Rates::built_in`] are those of a named machine. [`Rates::measure`] gives those of this one, of
//! which `pentago bench --save` writes a file.

mod measure;

use pentago_tables::codec::Codec;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::OnceLock;

/// The machine of the built-in rates: of Pentago while both of its two cores were at work.
pub const MACHINE: &str = "built in: one core of an AMD EPYC with AVX-512 (2026)";

/// Speeds of a core, and sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// Everything downstream of one position.
    pub root: RootRates,
    /// Slices of a complete game.
    pub slices: SliceRates,
}

/// Rates of everything downstream of one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootRates {
    /// Seconds to compute a board for one chain at one parity, without far children.
    pub board: f64,
    /// The part of `board` that each far child costs besides.
    pub far: f64,
    /// Seconds to encode a byte of a temporary file, before compression.
    pub encode: f64,
    /// Seconds to decode a byte of a temporary file, before compression.
    pub decode: f64,
    /// Seconds that the system takes to write or read a byte of a temporary file.
    pub file: f64,
    /// Compressed to raw size of temporary files, for either chain.
    pub temporary: Vec<ChainSizes>,
    /// Compressed to raw size of tables with an even and an odd number of marbles, whose codec is `zstd:9`:
    /// with others they are as much smaller as slices are.
    pub kept: [f64; 2],
}

/// The compressed to raw size of temporary files with some free sockets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainSizes {
    /// Free sockets.
    pub free: usize,
    /// Of the chain of whoever moves at the root, and of the other one.
    pub size: [f64; 2],
}

/// Rates of slices of a complete game. Each list ascends in the free sockets; between its points they
/// are joined by lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceRates {
    /// The computation.
    pub steps: Vec<StepRates>,
    /// The codecs, by [`Codec`]'s name.
    pub codecs: Vec<CodecRates>,
    /// Bytes of the payload of a block whose values are all known one move ahead.
    pub block_bytes: f64,
    /// The imbalance of a section (the squared differences between the marbles of the two sides, summed
    /// over the quadrants) at which an open value takes e times less than in a balanced one: where
    /// quadrants have many marbles of one side, open values are mostly the same.
    pub one_sided: f64,
}

/// Rates of computing a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRates {
    /// Free sockets of the slice.
    pub free: usize,
    /// Seconds to compute an entry.
    pub compute: f64,
    /// Seconds to take an entry from a decoded block of the next slice.
    pub take: f64,
}

/// Rates of a codec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodecRates {
    /// The name of the codec. Names that no codec has are refused.
    #[serde(deserialize_with = "codec_name")]
    pub codec: String,
    /// Compressed to raw size: any entry of a slice is equally likely to be in a block.
    pub sizes: Vec<CodecSize>,
    /// Its speed.
    pub speeds: Vec<CodecSpeed>,
}

/// The compressed to raw size of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodecSize {
    /// Free sockets.
    pub free: usize,
    /// The ratio.
    pub size: f64,
}

/// Seconds to encode and to decode an entry of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodecSpeed {
    /// Free sockets.
    pub free: usize,
    /// To encode it.
    pub encode: f64,
    /// To decode it.
    pub decode: f64,
}

/// What an entry of a slice takes with a codec.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntryCosts {
    /// Compressed to raw size.
    pub size: f64,
    /// Seconds to encode it.
    pub encode: f64,
    /// Seconds to decode it.
    pub decode: f64,
}

impl Rates {
    /// The rates of [`MACHINE`]. Sizes of slices are of the record of whole slices, and of blocks whose
    /// boards were solved one by one; those below roots are means below random positions.
    ///
    /// # Panics
    /// Never.
    #[must_use]
    pub fn built_in() -> &'static Rates {
        static RATES: OnceLock<Rates> = OnceLock::new();
        RATES.get_or_init(|| serde_json::from_str(include_str!("built_in.json")).expect("tested"))
    }
}

impl RootRates {
    /// Compressed to raw size of temporary files with these free sockets, for either chain.
    #[must_use]
    pub fn temporary(&self, free: usize) -> [f64; 2] {
        [0, 1].map(|chain| between(&self.temporary, free, |at| at.free, |at| at.size[chain]))
    }
}

/// Parses the name of a codec. A saved file with a former name is refused, and not read as a codec
/// that takes no time.
fn codec_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    name.parse::<Codec>().map_err(D::Error::custom)?;
    Ok(name)
}

impl SliceRates {
    /// Seconds to compute an entry of a slice with these free sockets, and to take one from a decoded
    /// block of the next slice.
    #[must_use]
    pub fn step(&self, free: usize) -> [f64; 2] {
        [|step: &StepRates| step.compute, |step: &StepRates| step.take]
            .map(|of| between(&self.steps, free, |step| step.free, of))
    }

    /// What an entry of a slice with these free sockets takes. Levels of zstd that have no rates take
    /// what the nearest one does.
    #[must_use]
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

/// The value at `free` on the lines between points in ascending order; outside them that of the nearest.
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

    /// The built-in rates are complete and in order, and codecs are in the order of their sizes.
    #[test]
    fn built_in_rates_make_sense() {
        let Rates { root, slices } = Rates::built_in();
        assert!([root.board, root.far, root.encode, root.decode, root.file].iter().all(|&rate| rate > 0.0));
        assert!(root.kept.iter().chain(&root.temporary(12)).all(|size| (0.0..1.0).contains(size)));
        assert!(slices.steps.is_sorted_by(|a, b| a.free < b.free));
        for free in 0..36 {
            assert!(slices.step(free).iter().all(|&seconds| seconds > 0.0));
            let costs = Preset::ALL.map(|preset| slices.costs(preset.into(), free));
            assert!(costs.iter().all(|costs| costs.encode > 0.0 && costs.decode > 0.0));
            // Where nothing is open all take as much.
            assert!(costs.is_sorted_by(|a, b| if free < 2 { a.size == b.size } else { a.size > b.size }));
        }
    }
}
