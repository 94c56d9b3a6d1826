//! The command line as a user has it: what goes in, what comes out, and how it ends.
//!
//! The texts under `help/` are written anew with `SNAPSHOTS=overwrite`.

mod batch;
mod build;
mod common;
mod counts;
mod ends;
mod games;
mod help;
mod import;
mod other_tables;
mod others;
mod play;
mod play_others;
mod readme;
mod solve;
mod tables;
