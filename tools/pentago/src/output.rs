//! Numbers for people, notes and errors on standard error, and a standard output whose reader may
//! leave.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

/// A number with a comma between thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An amount of memory: decimal units, as `--memory` reads them.
pub fn bytes(bytes: u64) -> String {
    with_unit(bytes as f64, &["bytes", "kB", "MB", "GB", "TB", "PB"])
}

/// A rate per second: `12.3 million`.
pub fn rate(per_second: f64) -> String {
    with_unit(per_second, &["", "thousand", "million", "billion", "trillion"]).trim_end().to_owned()
}

fn with_unit(mut value: f64, units: &[&str]) -> String {
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    let first = unit;
    for larger in units {
        // 999.95 would be written as 1000.0.
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    if unit == first { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

/// Writes a line on standard error. Nobody may be listening there: that changes nothing.
pub fn note(text: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes an error with its causes on standard error.
pub fn error(error: &anyhow::Error) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let _ = writeln!(anstream::stderr().lock(), "{style}error:{style:#} {error:#}");
}

/// Whether whoever read standard output has closed it.
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
        assert_eq!(bytes(17), "17 bytes");
        assert_eq!(bytes(35_123_456_789), "35.1 GB");
        assert_eq!(bytes(999_999_999), "1.0 GB");
        assert_eq!(rate(12_340_000.0), "12.3 million");
        assert_eq!(rate(12.0), "12");
    }
}
