//! Builds complete games with many machines, which communicate through MPI.
//!
//! | file | contents |
//! |---|---|
//! | [`args`] | the command line |
//! | [`team`] | the ranks of a job, and all communication through MPI |
//! | [`remote`] | storages that read files on the disks of other ranks |
//! | [`shard_files`] | the list of finished shards, and tables made of them |
//! | [`job`] | the build of all slices |
//! | [`report`] | progress and final reports |
//! | [`plan`] | the estimate for a number of machines |
//!
//! The library `pentago` computes and stores the values. Each rank builds its share of a slice as a
//! shard. All shards of a slice together are the table from which the ranks build the next slice.

mod args;
mod job;
mod plan;
mod remote;
mod report;
mod shard_files;
mod team;

use args::{Cli, Command};
use clap::Parser;
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
            ExitCode::from(team::exit_status(&error))
        }
    }
}
