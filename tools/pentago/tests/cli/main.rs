//! The command line as a user has it: what goes in, what comes out, and how it ends.
//!
//! The texts under `help/` are written anew with `UPDATE_HELP=1`.

mod batch;
mod build;
mod checker;
mod common;
mod counts;
mod distance;
mod ends;
mod files;
mod formats;
mod fourth;
mod games;
mod help;
#[path = "../../../../solver/store/src/tests/host.rs"]
mod host;
mod import;
mod openings;
mod other_tables;
mod others;
mod play;
mod play_others;
mod readme;
mod records;
#[path = "../../../explorer/tests/http/schema.rs"]
mod schema;
mod serve;
mod solve;
mod tables;
