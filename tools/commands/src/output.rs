//! Formatted numbers, notes and errors on standard error, and a standard output that may be closed
//! early.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use anyhow::Context;
use bytesize::ByteSize;
use pentago_base::visible;
pub use pentago_base::{counted_plies, quoted_path, shown_path, thousands};
use pentago_store::{Reason, durable, shown, storage};

use crate::exit::bad_input;

/// Formats a number of bytes in decimal units, as `--memory` parses them: `35.1 GB`.
pub fn bytes(bytes: u64) -> String {
    ByteSize::b(bytes).display().si().to_string()
}

/// Formats a number of entries of a table: `1 entry`, `2 entries`.
pub fn counted_entries(entries: u64) -> String {
    format!("{} {}", thousands(entries), if entries == 1 { "entry" } else { "entries" })
}

/// Formats numbers of marbles, with runs as ranges: `0 to 16`, or `3, 4 and 7 to 9`.
pub fn ranges(mut numbers: Vec<u8>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let texts: Vec<String> = runs
        .flat_map(|run| match run {
            [first, _, .., last] => vec![format!("{first} to {last}")],
            few => few.iter().map(u8::to_string).collect(),
        })
        .collect();
    match texts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => texts.concat(),
    }
}

/// Formats a rate per second, rounded down to three digits: `12,300,000`.
pub fn rate(per_second: f64) -> String {
    let whole = per_second as u64;
    let unit = 10u64.pow(whole.max(1).ilog10().saturating_sub(2));
    thousands(whole / unit * unit)
}

/// Formats a time in the largest unit that leaves at least two digits. `HumanDuration` would round
/// 149 minutes to 2 hours, but estimates are more precise.
pub fn duration(seconds: f64) -> String {
    match seconds {
        ..0.5 => "<1 s".to_owned(),
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        ..600_000.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

/// Returns `true` if the locale has the encoding UTF-8.
pub fn is_utf8() -> bool {
    let mut values = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
    let locale = values.find(|value| !value.is_empty()).unwrap_or_default();
    locale.to_ascii_lowercase().replace('-', "").contains("utf8")
}

/// Returns a message for display: replaces the characters that could control a terminal, except
/// line breaks, and omits the numbers of system errors, because their names precede them.
pub fn shown_message(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    let text = parts.fold(first, |text, part| text + part.split_once(')').map_or("", |(_, rest)| rest));
    text.chars().map(|c| if c == '\n' { c } else { visible(c) }).collect()
}

/// `true` if the option `--quiet` was given.
pub static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Returns `true` if the option `--quiet` was given.
pub fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Writes a note to standard error, unless `--quiet` was given. Ignores write errors.
pub fn note(text: impl fmt::Display) {
    if !is_quiet() {
        warn(text);
    }
}

/// Writes a warning to standard error, even with `--quiet`. Ignores write errors.
pub fn warn(text: impl fmt::Display) {
    let text = wrapped(&shown_message(&text.to_string()), width(io::stderr()));
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes an error with its causes to standard error.
pub fn error(error: &anyhow::Error) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let causes = shown_message(&causes(error));
    let limited = has_kind(error, io::ErrorKind::FileTooLarge) && !causes.contains("ulimit -f");
    let tip = if limited { ": a limit on the size of files is reached (see `ulimit -f`)" } else { "" };
    let text = wrapped(&format!("{style}error:{style:#} {causes}{tip}"), width(io::stderr()));
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Returns standard output. On a terminal, lines longer than the width are broken between words.
pub fn stdout() -> impl Write {
    Stdout { out: anstream::stdout().lock(), width: width(io::stdout()), line: Vec::new() }
}

/// The number of columns of text for people if standard output is not a terminal.
const COLUMNS: usize = 80;

/// Returns standard output for text that only people read. Long lines are broken between words even
/// if standard output is not a terminal.
pub fn folded_stdout() -> impl Write {
    let width = width(io::stdout()).unwrap_or(COLUMNS);
    Stdout { out: anstream::stdout().lock(), width: Some(width), line: Vec::new() }
}

/// Formats rows of cells as lines of right-aligned columns. Each column is as wide as its longest
/// cell.
pub fn columns(rows: &[Vec<String>]) -> String {
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |i: usize| rows.iter().filter_map(move |row| row.get(i));
    let width = |i| cells(i).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..most).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Returns standard output for positions and data, whose lines are never broken.
pub fn plain_stdout() -> impl Write {
    Stdout { out: io::stdout().lock(), width: None, line: Vec::new() }
}

/// Returns standard output for the results of a command that must finish its work.
pub fn results() -> Results<impl Write> {
    Results { out: stdout(), failed: None }
}

/// A writer for the results of a command that must finish its work. After a failed write, for
/// example to a closed pipe, the command continues without output.
pub struct Results<W: Write> {
    out: W,
    /// The error of the first failed write.
    failed: Option<io::Error>,
}

impl<W: Write> Results<W> {
    /// Writes the buffered output.
    ///
    /// # Errors
    /// The error of the first failed write.
    pub fn end(mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.failed.map_or(Ok(()), |error| Err(error.into()))
    }

    fn put(&mut self, put: impl FnOnce(&mut W) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = put(&mut self.out).err();
        }
    }
}

impl<W: Write> Write for Results<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(|out| out.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put(W::flush);
        Ok(())
    }
}

fn of_stdout(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write standard output: {error}"))
}

/// Checks that a path is local.
///
/// # Errors
/// If the path is an address, such as `https://host/tables` or `file:///tables`.
fn check_local(path: &Path) -> anyhow::Result<()> {
    let text = path.to_str().unwrap_or_default();
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    if !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric()) {
        let address = shown_path(&shown(path));
        return Err(bad_input(format!(
            "the address {address} can't be used here: name a local file or folder"
        )));
    }
    Ok(())
}

/// Checks that a folder exists, or can be created.
///
/// # Errors
/// If the path is an address, or the path or one of its parents is a file.
pub fn check_folder(path: &Path) -> anyhow::Result<()> {
    check_local(path)?;
    match path.ancestors().find(|above| above.exists()) {
        Some(above) if !above.is_dir() => {
            Err(bad_input(format!("{} is a file: name a folder", shown_path(above))))
        }
        _ => Ok(()),
    }
}

/// Checks that a path can name a file.
///
/// # Errors
/// If the path is an address, a folder or a pipe, or its parent is a file.
pub fn check_file(path: &Path) -> anyhow::Result<()> {
    check_local(path)?;
    if storage::would_wait(path) {
        return Err(bad_input(format!("{} is a pipe: name a file", shown_path(path))));
    }
    if path.is_dir() {
        return Err(bad_input(format!("{} is a folder: name a file", shown_path(path))));
    }
    check_folder(path.parent().unwrap_or(path))
}

/// Writes a file atomically: a reader finds either the old content or the new content.
///
/// # Errors
/// If the path is a folder or lies in a file, or the file can't be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    check_file(path)?;
    let Err(error) = durable::replace(path, |to| to.write_all(bytes)) else { return Ok(()) };
    let error = match error.reason {
        Reason::Io { error, .. } => unnamed(error),
        reason => io::Error::other(reason),
    };
    Err(error).with_context(|| format!("cannot write {}", shown_path(path)))
}

/// Removes the name of a temporary file from an error, because the user doesn't know that file.
pub fn unnamed(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path \"") {
        Some((text, _)) => io::Error::new(error.kind(), text),
        None => error,
    }
}

/// Returns the number of columns of a terminal, or `None` if the stream is not a terminal.
fn width(stream: impl IsTerminal) -> Option<usize> {
    let size = stream.is_terminal().then(terminal_size::terminal_size).flatten();
    size.map(|(terminal_size::Width(columns), _)| usize::from(columns))
}

/// Breaks long lines between words, so that the terminal doesn't break them within words. A
/// continuation is indented by two more columns than its line.
fn wrapped(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let wrap = |line: &str| {
        if textwrap::core::display_width(line) <= width {
            return line.to_owned();
        }
        let text = line.trim_start();
        let first = " ".repeat((line.len() - text.len()).min(width / 2));
        let further = first.clone() + "  ";
        let options = textwrap::Options::new(width)
            .initial_indent(&first)
            .subsequent_indent(&further)
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        textwrap::fill(text, options)
    };
    text.split('\n').map(wrap).collect::<Vec<String>>().join("\n")
}

/// A writer to standard output. If a write fails, the error names standard output.
struct Stdout<W: Write> {
    out: W,
    /// The number of columns at which lines are broken, or `None` to keep all lines.
    width: Option<usize>,
    /// The beginning of the current line. The line is written once it is complete.
    line: Vec<u8>,
}

impl<W: Write> Stdout<W> {
    /// Writes the current line, complete or not.
    fn put(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let line = wrapped(&String::from_utf8_lossy(&line), self.width);
        self.out.write_all(line.as_bytes()).map_err(of_stdout)
    }
}

impl<W: Write> Write for Stdout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.width.is_none() {
            return self.out.write(bytes).map_err(of_stdout);
        }
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.put()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put()?;
        self.out.flush().map_err(of_stdout)
    }
}

impl<W: Write> Drop for Stdout<W> {
    fn drop(&mut self) {
        // `drop` can't return an error, so ignore a failed flush.
        let _ = self.flush();
    }
}

/// Returns an error with its causes in one line. Omits a cause if the preceding text ends with the
/// same words.
pub fn causes(error: &anyhow::Error) -> String {
    let mut texts: Vec<String> = error.chain().map(ToString::to_string).collect();
    texts.dedup_by(|cause, text| text.ends_with(&**cause));
    texts.join(": ")
}

/// Returns a path as a JSON string.
///
/// # Errors
/// If the path isn't valid UTF-8.
pub fn json_path(path: &Path) -> anyhow::Result<&str> {
    path.to_str().with_context(|| format!("the path {path:?} isn't valid UTF-8, so JSON can't hold it"))
}

/// Returns paths as JSON strings.
///
/// # Errors
/// If a path isn't valid UTF-8.
pub fn json_paths(paths: &[PathBuf]) -> anyhow::Result<Vec<&str>> {
    paths.iter().map(|path| json_path(path)).collect()
}

/// Returns `true` if an I/O error of this kind is among the causes.
pub fn has_kind(error: &anyhow::Error, kind: io::ErrorKind) -> bool {
    let of = |cause: &(dyn std::error::Error + 'static)| {
        let inner = cause.downcast_ref::<pentago::Error>().and_then(pentago::Error::downcast_ref);
        inner.or_else(|| cause.downcast_ref::<io::Error>()).map(io::Error::kind)
    };
    error.chain().any(|cause| of(cause) == Some(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "  value: unknown, and a-b c4/2+\nshort\n\n    averyveryverylongword x";
        let narrow =
            "  value:\n    unknown,\n    and a-b\n    c4/2+\nshort\n\n    averyveryverylongword\n      x";
        assert_eq!(wrapped(text, Some(12)), narrow);
        assert_eq!(wrapped(text, Some(80)), text);
        assert_eq!(wrapped(text, None), text);
        let style = Style::new().bold();
        let styled = format!("{style}aaaa{style:#} {style}bbbb{style:#}");
        assert_eq!(wrapped(&styled, Some(9)), styled, "codes take no room");
    }

    #[test]
    fn lines_are_wrapped_however_they_are_written() {
        for chunk in 1..12 {
            let mut out = Vec::new();
            let mut wrapping = Stdout { out: &mut out, width: Some(5), line: Vec::new() };
            for bytes in b"aaa bbb ccc\n\nddd eee\nx> ".chunks(chunk) {
                wrapping.write_all(bytes).unwrap();
            }
            drop(wrapping);
            assert_eq!(String::from_utf8(out).unwrap(), "aaa\n  bbb\n  ccc\n\nddd\n  eee\nx> ");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1_000, 6_377_181_825].map(thousands), ["0", "999", "1,000", "6,377,181,825"]);
        assert_eq!(bytes(17), "17 B");
        assert_eq!(bytes(35_123_456_789), "35.1 GB");
        assert_eq!(rate(12_349_999.0), "12,300,000");
        assert_eq!(rate(12.0), "12");
        assert_eq!(rate(0.0), "0");
    }

    #[test]
    fn runs_of_numbers_are_ranges() {
        assert_eq!(ranges((0..=16).collect()), "0 to 16");
        assert_eq!(ranges(vec![9, 3, 4, 7, 8, 8]), "3, 4 and 7 to 9");
        assert_eq!(ranges(vec![26, 27]), "26 and 27");
        assert_eq!(ranges(vec![5]), "5");
    }

    #[test]
    fn names_do_not_control_a_terminal() {
        let name = "t\u{1b}[31m\u{202e}\r\nx";
        assert_eq!(shown_path(Path::new(name)), "t\u{fffd}[31m\u{fffd}\u{fffd}\u{fffd}x");
        assert_eq!(shown_message(name), "t\u{fffd}[31m\u{fffd}\u{fffd}\nx");
        assert_eq!(shown_message("no file (os error 2): a (b)"), "no file: a (b)");
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
        assert!(json_path(bad).expect_err("no text").to_string().contains("tables-\\xFF"));
        assert_eq!(json_path(Path::new("tables")).expect("text"), "tables");
    }
}
