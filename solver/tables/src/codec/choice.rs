//! The codecs of tables, and their names.

use super::dense::Level;
use super::open::Preset;
use std::fmt;
use std::str::FromStr;

/// The codec of a table. A codec has the name `quick`, `compact` or `zstd:LEVEL`.
///
/// ```
/// use pentago_tables::codec::Codec;
///
/// let codec: Codec = "zstd:9".parse()?;
/// assert_eq!(codec.to_string(), "zstd:9");
/// assert_eq!("quick".parse(), Ok(Codec::QUICK));
/// # Ok::<(), pentago_tables::codec::BadCodec>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// The bit planes of the values, compressed with zstd.
    Zstd(Level),
    /// Only the bits of the values that the guess of a predictor leaves undecided.
    Open(Preset),
}

impl Codec {
    /// The default codec, which encodes and decodes fastest. For a large slice, encoding takes a
    /// fifth of the total time. Looking up a value in a block that isn't in the cache takes a
    /// twentieth of the time that [`Codec::COMPACT`] takes.
    pub const QUICK: Codec = Codec::Open(Preset::Quick);
    /// The codec with the smallest tables: half to three quarters of the size that [`Codec::QUICK`]
    /// achieves. Encoding and decoding run at a thirtieth of the speed.
    pub const COMPACT: Codec = Codec::Open(Preset::Compact);
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Codec::Zstd(level) => write!(f, "zstd:{}", level.number()),
            Codec::Open(Preset::Quick) => f.write_str("quick"),
            Codec::Open(Preset::Compact) => f.write_str("compact"),
        }
    }
}

/// The error for a name that no codec has. If an earlier version used the name, the message
/// suggests the current name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected quick, compact, or zstd:LEVEL with a level from 1 to 19{0}")]
pub struct BadCodec(&'static str);

impl FromStr for Codec {
    type Err = BadCodec;

    fn from_str(text: &str) -> Result<Codec, BadCodec> {
        match text {
            "quick" => Ok(Codec::QUICK),
            "compact" => Ok(Codec::COMPACT),
            "transit" => Err(BadCodec("; transit is now called quick")),
            "fast" => Err(BadCodec("; fast is now called compact")),
            "small" => Err(BadCodec("; small was removed: use compact")),
            _ => {
                let level = text.strip_prefix("zstd:").and_then(|n| n.parse().ok()).and_then(Level::new);
                level.map(Codec::Zstd).ok_or(BadCodec(""))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_to_their_codecs() {
        let levels = (1..=19).filter_map(Level::new).map(Codec::Zstd);
        for codec in Preset::ALL.map(Codec::Open).into_iter().chain(levels) {
            assert_eq!(codec.to_string().parse(), Ok(codec));
        }
        for bad in ["", "zstd", "zstd:", "zstd:0", "zstd:20", "zstd:256", "zstd:-1", "Quick", "9"] {
            assert_eq!(bad.parse::<Codec>(), Err(BadCodec("")), "{bad}");
        }
        for (former, current) in [("transit", "quick"), ("fast", "compact"), ("small", "compact")] {
            let error = former.parse::<Codec>().unwrap_err().to_string();
            assert!(error.contains(&format!("; {former} ")) && error.ends_with(current), "{error}");
        }
    }
}
