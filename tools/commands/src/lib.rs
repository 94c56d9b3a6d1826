//! The command line of the solver and its tables.
//!
//! | file | purpose |
//! |---|---|
//! | `cli` | the command line: all commands |
//! | `commands` | one file per command |
//! | `options` | the options that commands share |
//! | `engine` | runs the solver with threads and progress |
//! | `text`, `picture` | an answer as text, the board as a diagram |
//! | `counts`, `chart`, `dataset` | the contents of tables as columns, charts and NumPy arrays |
//! | `input`, `lines` | positions from arguments, standard input and batches |
//! | `output` | formatted numbers, notes, errors, and a standard output that may be closed |
//! | `folder`, `games` | the folder of tables, the list of games |
//! | `estimate`, `verdict` | the cost of a build, and whether the build fits |
//! | `rates` | the measured speed of the machine |
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

use std::io::ErrorKind;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use clap::CommandFactory;
use cli::{Cli, Command};
use exit::Exit;
use pentago_games::Kind;

/// Runs the program with these games, and returns its exit status. `examples/ring.rs` adds a game.
pub fn main(kinds: &'static [&'static Kind]) -> ExitCode {
    games::set_kinds(kinds);
    let Cli { quiet, command } = Cli::read();
    output::IS_QUIET.store(quiet, Ordering::Relaxed);
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        // A reader such as `head` closed the pipe early, which is not an error.
        Err(error) if output::has_kind(&error, ErrorKind::BrokenPipe) => ExitCode::SUCCESS,
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
    #[cfg(unix)]
    pentago_memory::raise_open_files();
    interrupt::survive_large_files()?;
    // `serve` waits for signals itself, and finishes its answers before it ends.
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
