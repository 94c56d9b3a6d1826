//! The error of a check.

use std::fmt;

/// Why nothing was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// This is not a certificate, or it was changed.
    Malformed(String),
    /// The moves don't prove the claim.
    Refuted(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => write!(f, "not a valid certificate: {why}"),
            Self::Refuted(why) => write!(f, "refuted: {why}"),
        }
    }
}
