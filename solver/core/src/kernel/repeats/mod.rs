//! The hot loops of the codec of temporary files, `codec::repeats` of `pentago-tables`. The codec
//! replaces a half super that has occurred before by the distance to the earlier occurrence. Every
//! other half super is a *literal*. The codec replaces a literal by the difference from a similar
//! literal.

mod differences;
mod occurrences;

pub use differences::{Differences, add};
pub use occurrences::{find, repeat};

/// The byte in a list of distances that stands for a literal.
pub const LITERAL: u8 = 0;
/// The byte in a list of distances that stands for a far distance. The distance itself is stored as
/// two bytes in a separate list.
pub const FAR: u8 = 255;
