//! The checker of certificates, which comes with the command line and shares no code with it.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    pentago_check::command::main()
}
