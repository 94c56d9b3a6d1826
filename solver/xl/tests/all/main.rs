//! The crate against the slow reference, which shares no code with it, and its engines against each
//! other.

mod certificates;
mod rules;
mod values;
