//! The checker as a program of its own, built from this crate alone.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    pentago_check::command::main()
}
