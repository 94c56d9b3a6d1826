//! The checker as a stand-alone program, built from this crate alone.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    pentago_check::command::main()
}
