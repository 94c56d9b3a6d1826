//! Which codec the blocks of a table are encoded with, and its name.

use super::open::Preset;
use std::fmt;
use std::str::FromStr;

/// How much work goes into making a block small: a level of zstd. Any level is read at the same
/// speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

impl Level {
    /// For data that is read once or twice and thrown away: zstd 1.
    pub const SCRATCH: Level = Level(1);
    /// For data that is kept: zstd 9.
    pub const KEPT: Level = Level(9);

    /// A level of zstd, 1 to 19.
    #[must_use]
    pub const fn new(level: u8) -> Option<Level> {
        if level >= 1 && level <= 19 { Some(Level(level)) } else { None }
    }

    /// The level of zstd.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}

/// The codec of a table. Its text is `transit`, `fast`, `small`, or `zstd:LEVEL`.
///
/// ```
/// use pentago_tables::codec::Codec;
///
/// let codec: Codec = "zstd:9".parse()?;
/// assert_eq!(codec.to_string(), "zstd:9");
/// assert_eq!("transit".parse(), Ok(Codec::default()));
/// # Ok::<(), pentago_tables::codec::BadCodec>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// The bit planes of the values, compressed with zstd.
    Zstd(Level),
    /// What the guess leaves open.
    Open(Preset),
}

impl Codec {
    /// Made and read most quickly.
    pub const TRANSIT: Codec = Codec::Open(Preset::Transit);
    /// A table takes half to three quarters of the space, and is made and read about 30 times as slowly.
    pub const FAST: Codec = Codec::Open(Preset::Fast);
    /// The smallest, for tables that are made once and copied often.
    pub const SMALL: Codec = Codec::Open(Preset::Small);
}

/// `transit`: of the time of a large slice a fifth is encoding, and a value whose block isn't decoded is found in
/// a twentieth of the time that `fast` takes.
impl Default for Codec {
    fn default() -> Codec {
        Codec::TRANSIT
    }
}

impl From<Level> for Codec {
    fn from(level: Level) -> Codec {
        Codec::Zstd(level)
    }
}

impl From<Preset> for Codec {
    fn from(preset: Preset) -> Codec {
        Codec::Open(preset)
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Codec::Zstd(level) => write!(f, "zstd:{}", level.number()),
            Codec::Open(Preset::Transit) => f.write_str("transit"),
            Codec::Open(Preset::Fast) => f.write_str("fast"),
            Codec::Open(Preset::Small) => f.write_str("small"),
        }
    }
}

/// A text that names no codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected transit, fast, small, or zstd:LEVEL with a level from 1 to 19")]
pub struct BadCodec;

impl FromStr for Codec {
    type Err = BadCodec;

    fn from_str(text: &str) -> Result<Codec, BadCodec> {
        match text {
            "transit" => Ok(Codec::Open(Preset::Transit)),
            "fast" => Ok(Codec::Open(Preset::Fast)),
            "small" => Ok(Codec::Open(Preset::Small)),
            _ => {
                let level = text.strip_prefix("zstd:").and_then(|n| n.parse().ok()).and_then(Level::new);
                level.map(Codec::Zstd).ok_or(BadCodec)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written() {
        let levels = (1..=19).filter_map(Level::new).map(Codec::Zstd);
        for codec in Preset::ALL.map(Codec::Open).into_iter().chain(levels) {
            assert_eq!(codec.to_string().parse(), Ok(codec));
        }
        for bad in ["", "zstd", "zstd:", "zstd:0", "zstd:20", "zstd:256", "zstd:-1", "Fast", "9"] {
            assert_eq!(bad.parse::<Codec>(), Err(BadCodec), "{bad}");
        }
    }
}
