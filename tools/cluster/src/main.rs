//! Builds complete games with many machines, through MPI.
//!
//! | file | what it represents |
//! |---|---|
//! | [`args`] | the command line |
//! | [`team`] | the ranks of a job, and everything that goes through MPI |
//! | [`remote`] | files on another rank's disk, as storages |
//! | [`shelf`] | the shards that the ranks have |
//! | [`job`] | the slices of a build, one after the other |
//! | [`report`] | what is said meanwhile and in the end |
//! | [`plan`] | what a build by so many machines would take |
//!
//! What is computed, and how it is stored, is the library's: each rank builds its share of a slice
//! as a shard, and reads the next slice as the table that all shards are together.

mod args;
mod job;
mod plan;
mod remote;
mod report;
mod shelf;
mod team;

use anyhow::Error;
use args::{Cli, Command};
use clap::Parser;
use pentago::ErrorKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    let ended = match Cli::parse().command {
        Command::Build(build) => job::run(&build),
        Command::Plan(plan) => plan::run(&plan),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(status(&error))
        }
    }
}

/// The exit status that an error calls for, as that of `pentago`.
fn status(error: &Error) -> u8 {
    match error.chain().find_map(ErrorKind::of) {
        Some(ErrorKind::Contradiction) => 1,
        Some(ErrorKind::Input) => 2,
        Some(ErrorKind::Missing) => 3,
        _ => 4,
    }
}
