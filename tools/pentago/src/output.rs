//! Numbers for people, notes and errors on standard error, and a standard output that may be closed
//! early.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use anyhow::Context;
use bytesize::ByteSize;
use indicatif::HumanCount;
use serde::ser::Error;
use serde::{Serialize, Serializer};

/// A number with commas between thousands.
pub fn thousands(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A number of plies: `1 ply`, `2 plies`.
pub fn counted_plies(plies: u32) -> String {
    if plies == 1 { "1 ply".to_owned() } else { format!("{plies} plies") }
}

/// A number of bytes in decimal units, as `--memory` reads them: `35.1 GB`.
pub fn bytes(bytes: u64) -> String {
    ByteSize::b(bytes).display().si().to_string()
}

/// A rate per second, rounded to three digits: `12,300,000`.
pub fn rate(per_second: f64) -> String {
    let whole = per_second as u64;
    let unit = 10u64.pow(whole.max(1).ilog10().saturating_sub(2));
    thousands(whole / unit * unit)
}

/// A time in the largest unit that leaves two digits or more. `HumanDuration` would round 149
/// minutes to 2 hours; estimates are better than that.
pub fn duration(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..600_000.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

/// Writes a line on standard error. It doesn't matter whether anybody reads it.
pub fn note(text: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes an error with its causes on standard error.
pub fn error(error: &anyhow::Error) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let _ = writeln!(anstream::stderr().lock(), "{style}error:{style:#} {}", causes(error));
}

/// An error and its causes, but for those whose text the error before ends with.
fn causes(error: &anyhow::Error) -> String {
    let mut texts: Vec<String> = error.chain().map(ToString::to_string).collect();
    texts.dedup_by(|cause, text| text.ends_with(&**cause));
    texts.join(": ")
}

/// A path as text, which JSON requires.
///
/// # Errors
/// If it isn't text.
pub fn path_text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().with_context(|| format!("the path {path:?} isn't valid UTF-8, so JSON can't hold it"))
}

/// Serializes a path with an error that names it.
///
/// # Errors
/// If it isn't text.
pub fn path<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(path_text(path).map_err(S::Error::custom)?)
}

/// The same for a list.
///
/// # Errors
/// If one isn't text.
pub fn paths<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    let texts: anyhow::Result<Vec<&str>> = paths.iter().map(|path| path_text(path)).collect();
    texts.map_err(S::Error::custom)?.serialize(to)
}

/// Whether standard output was closed by its reader.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind =
        |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref::<io::Error>().map(io::Error::kind);
    error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(6_377_181_825), "6,377,181,825");
        assert_eq!(bytes(17), "17 B");
        assert_eq!(bytes(35_123_456_789), "35.1 GB");
        assert_eq!(rate(12_349_999.0), "12,300,000");
        assert_eq!(rate(12.0), "12");
        assert_eq!(rate(0.0), "0");
    }

    #[test]
    fn no_cause_is_said_twice() {
        let system = || io::Error::from_raw_os_error(11);
        let error = anyhow::Error::new(system()).context(format!("no threads: {}", system()));
        assert_eq!(causes(&error), format!("no threads: {}", system()));
        assert_eq!(causes(&error.context("starting")), format!("starting: no threads: {}", system()));
    }

    #[cfg(unix)]
    #[test]
    fn what_json_cannot_hold_is_named() {
        use std::os::unix::ffi::OsStrExt;
        let bad = Path::new(std::ffi::OsStr::from_bytes(b"tables-\xff"));
        assert!(path_text(bad).expect_err("no text").to_string().contains("tables-\\xFF"));
        assert_eq!(path_text(Path::new("tables")).expect("text"), "tables");
    }
}
