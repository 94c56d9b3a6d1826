//! The checker as a program by itself, of this crate alone.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    pentago_check::command::main()
}
