//! The checker of certificates. It is installed with the command line, but shares no code with it.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    pentago_check::command::main()
}
