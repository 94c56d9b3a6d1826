//! The error of a failed check.

use std::fmt;

/// The reason why a certificate doesn't prove its claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The file isn't a valid certificate, or has been changed.
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
