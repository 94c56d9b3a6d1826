//! The hot loops of the codec of temporary files, `codec::repeats` of `pentago-tables`. The codec
//! replaces a half super that has occurred before by a distance. It replaces every other half
//! super, a *literal*, by the difference to a similar literal.

mod differences;
mod occurrences;

pub use differences::{Differences, add};
pub use occurrences::{find, repeat};

/// The byte in a list of distances that stands for a literal.
pub const LITERAL: u8 = 0;
/// The byte in a list of distances that stands for a far distance, which takes two bytes in a list
/// of its own.
pub const FAR: u8 = 255;
