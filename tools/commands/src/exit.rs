//! The exit status of the program.

use pentago::{Error, ErrorKind};

/// The exit statuses other than success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Two computations disagree, or a table holds a wrong value.
    Verification = 1,
    /// The command line or the input was wrong.
    Usage = 2,
    /// Tables or files are missing or damaged, or nothing was found.
    Data = 3,
    /// Memory, disk, input or output failed.
    Environment = 4,
    /// The program was stopped by Ctrl-C or SIGTERM.
    Interrupted = 130,
}

impl Exit {
    /// Returns the exit status for an error. The first error in the chain that has a kind
    /// determines the status.
    pub fn of(error: &anyhow::Error) -> Exit {
        match error.chain().find_map(ErrorKind::of) {
            Some(ErrorKind::Contradiction) => Exit::Verification,
            Some(ErrorKind::Input) => Exit::Usage,
            Some(ErrorKind::Missing) => Exit::Data,
            Some(ErrorKind::Cancelled) => Exit::Interrupted,
            _ => Exit::Environment,
        }
    }
}

/// Returns an error for bad input. `text` also explains how to correct the input.
pub fn bad_input(text: impl Into<String>) -> anyhow::Error {
    Error::new(ErrorKind::Input, text.into()).into()
}

/// Returns an error for missing tables or files. `text` also explains how to get the tables or
/// files.
pub fn missing_data(text: impl Into<String>) -> anyhow::Error {
    Error::new(ErrorKind::Missing, text.into()).into()
}

/// Returns an error for a failed verification: a wrong value or count, or a damaged file.
pub fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    Error::new(ErrorKind::Contradiction, error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;
    use pentago::rules::Rules;

    #[test]
    fn the_cause_decides_behind_any_context() {
        let parse = "no such rules".parse::<Rules>().context("line 3").context("a file");
        assert_eq!(Exit::of(&parse.unwrap_err()), Exit::Usage);
        let missing = std::fs::read("/nowhere/at/all").context("reading");
        assert_eq!(Exit::of(&missing.unwrap_err()), Exit::Environment);
        assert_eq!(Exit::of(&failed("two values")), Exit::Verification);
        assert_eq!(Exit::of(&missing_data("no tables").context("a folder")), Exit::Data);
    }
}
