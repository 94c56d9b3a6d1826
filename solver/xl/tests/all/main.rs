//! The crate against the slow reference, which shares no code with it.

mod rules;
