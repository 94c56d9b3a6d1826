//! The command line with the games of this project.

use std::process::ExitCode;

fn main() -> ExitCode {
    pentago_commands::main(pentago_games::KINDS)
}
