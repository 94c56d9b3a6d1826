//! The command line with the games of this project.

use std::process::ExitCode;

/// If memory runs out, ends the program with exit status 4 instead of an abort.
#[global_allocator]
static ALLOCATOR: pentago_memory::Allocator = pentago_memory::Allocator { status: 4 };

fn main() -> ExitCode {
    pentago_commands::main(pentago_games::KINDS)
}
