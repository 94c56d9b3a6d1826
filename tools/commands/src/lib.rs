//! The command line of the solver and its tables.
//!
//! | file | what it represents |
//! |---|---|
//! | `cli` | the command line: all commands |
//! | `commands` | a file per command |
//! | `options` | the options that commands share |
//! | `engine` | answers with their threads and their progress |
//! | `text`, `picture` | an answer as text, the board as a diagram |
//! | `input`, `output` | reading positions; numbers, notes, and a standard output that may be closed |
//! | `folder` | where the tables are |
//! | `verdict` | whether a build can finish with what there is |
//! | `progress`, `interrupt`, `exit` | progress, Ctrl-C, exit status |

mod chart;
mod cli;
mod commands;
mod counts;
mod dataset;
mod engine;
mod estimate;
mod exit;
mod folder;
mod games;
mod input;
mod interrupt;
mod lines;
mod options;
mod output;
mod picture;
mod progress;
mod rates;
mod text;
mod verdict;

use std::process::ExitCode;

use clap::CommandFactory;
use cli::{Cli, Command};
use exit::Exit;
use pentago_games::Kind;

/// Runs the program with these games; `examples/ring.rs` adds one of its own.
#[must_use]
pub fn main(kinds: &'static [&'static Kind]) -> ExitCode {
    games::set_kinds(kinds);
    match run(Cli::read().command) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output has seen enough: that is no failure.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let exit = Exit::of(&error);
            if exit == Exit::Interrupted {
                interrupt::say_stopped();
            } else {
                output::error(&error);
            }
            ExitCode::from(exit as u8)
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    interrupt::survive_large_files()?;
    // A server ends in its own way.
    if !matches!(command, Command::Serve(_)) {
        interrupt::install()?;
    }
    match command {
        Command::Solve(solve) => solve.run(),
        Command::Query(query) => query.run(),
        Command::Info(info) => info.run(),
        Command::Verify(verify) => verify.run(),
        Command::Export(export) => export.run(),
        Command::Build(build) => build.run(),
        Command::Plan(plan) => plan.run(),
        Command::Import(import) => import.run(),
        Command::Merge(merge) => merge.run(),
        Command::Publish(publish) => publish.run(),
        Command::Play(play) => play.run(),
        Command::Review(review) => review.run(),
        Command::Convert(convert) => convert.run(),
        Command::Ugi(ugi) => ugi.run(),
        Command::Serve(serve) => serve.run(),
        Command::Prove(prove) => prove.run(),
        Command::Perft(perft) => perft.run(),
        Command::Random(random) => random.run(),
        Command::Symmetries(symmetries) => symmetries.run(),
        Command::Rules(rules) => rules.run(),
        Command::Bench(bench) => bench.run(),
        Command::Completions(completions) => completions.run(&mut Cli::command()),
        Command::Man(man) => man.run(Cli::command()),
    }
}
