//! Tests of the command line as a user sees it: input, output and exit status.
//!
//! Set `UPDATE_HELP=1` to rewrite the expected help texts in `help/`.

mod advice;
mod batch;
mod build;
mod checker;
mod common;
mod counts;
mod distance;
mod ends;
mod faults;
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
