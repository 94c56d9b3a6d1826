//! What the exit status says.

use pentago::{Error, ErrorKind};

/// Why the program ended without success, with its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Two computations that must agree do not.
    Verification = 1,
    /// The command line or the input was wrong.
    Usage = 2,
    /// Tables or files are missing, or can't be used; or nothing was found.
    Data = 3,
    /// The machine did not do what it had to: memory, disk, input and output.
    Environment = 4,
    /// Stopped from the keyboard.
    Interrupted = 130,
}

impl Exit {
    /// The status that an error calls for: the first error in the chain that says something.
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

/// Input that makes no sense, with what to do about it.
pub fn bad_input(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Input, text.into())
}

/// Tables that are needed aren't there, with what to do about it.
pub fn missing_data(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Missing, text.into())
}

/// A wrong value or count, or a damaged file: what a verification looks for.
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
        assert_eq!(Exit::of(&anyhow::Error::new(missing_data("no tables")).context("a folder")), Exit::Data);
    }
}
