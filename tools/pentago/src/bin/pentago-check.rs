//! The checker of certificates. The checker is installed together with the command line, but the
//! two programs share no code.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    pentago_check::command::main()
}
