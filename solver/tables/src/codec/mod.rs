//! Compresses the entries of a block to a payload, and decodes payloads. The bytes of a payload are
//! the same on every machine.
//!
//! A payload consists of a tag and a body. If all entries of the block are equal, the body is a
//! single entry. Otherwise the body contains the bit planes of the entries (`planes`), raw or as a
//! zstd frame, or the bits that the guess of a [`Predictor`] leaves open ([`open`]). [`Codec`]
//! selects the encoding of a table. The grid, not the payload, determines the number of entries. A
//! damaged payload therefore cannot make the decoder write or allocate too much.
//!
//! ```
//! use pentago_core::values::Entry;
//! use pentago_tables::codec::{Level, decode, encode};
//!
//! let entries = [Entry::default(); 1000];
//! let mut payload = Vec::new();
//! encode(&entries, Level::KEPT, &mut payload);
//! let mut back = [Entry::default(); 1000];
//! decode(&payload, &mut back)?;
//! assert_eq!(back, entries);
//! # Ok::<(), pentago_tables::codec::CodecError>(())
//! ```

mod choice;
mod dense;
pub mod open;
mod planes;
mod predictor;
pub mod repeats;
mod root_predictor;
#[cfg(test)]
pub mod tests;

pub use choice::{BadCodec, Codec};
pub use dense::{CodecError, Level, check, decode, encode, entry_bytes, entry_from_bytes, longest_payload};
pub use planes::{PLANES, join, planes_bytes, split};
pub use predictor::Predictor;
pub use root_predictor::RootPredictor;
