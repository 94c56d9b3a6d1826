//! The command line from the outside: input, output and exit status.
//!
//! `UPDATE_HELP=1` updates the texts under `help/`.

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
mod refusals;
#[path = "../../../explorer/tests/http/schema.rs"]
mod schema;
mod serve;
mod solve;
mod tables;
