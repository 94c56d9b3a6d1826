//! What the server says of a position of Pentago: the answer as a JSON object.
#![forbid(unsafe_code)]

mod pentago;

pub use self::pentago::Report;
