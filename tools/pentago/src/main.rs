//! The command line with the games of this project.

use std::process::ExitCode;

fn main() -> ExitCode {
    pentago_cli::main(pentago_games::KINDS)
}
