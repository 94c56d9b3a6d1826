//! Numbers for people, notes and errors on standard error, and a standard output that may be closed
//! early.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use bytesize::ByteSize;
use indicatif::HumanCount;

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
    let _ = writeln!(anstream::stderr().lock(), "{style}error:{style:#} {error:#}");
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
}
