//! The command line with the games of this project.

use std::process::ExitCode;

/// Ends the program with the status of a lack of memory instead of an abort.
#[global_allocator]
static ALLOCATOR: pentago_memory::Allocator = pentago_memory::Allocator { status: 4 };

fn main() -> ExitCode {
    pentago_commands::main(pentago_games::KINDS)
}
