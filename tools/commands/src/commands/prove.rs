//! `pentago prove`: writes a certificate of a forced win.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pentago_base::counted;
use pentago_games::{Question, SearchContext};

use crate::options::{GameArg, Overwrite, number, seconds, threads, threads_or_all};
use crate::output::{check_file, counted_plies, note, plain_stdout, quoted_path, shown_path, write_file};
use crate::{engine, input, interrupt};

/// Write a certificate of a forced win
///
/// A certificate holds the winner's move for every position that can arise. The small program
/// pentago-check, which knows only the rules, checks the win by playing every reply. If the side to
/// move has no forced win, or none is found in time, no certificate is written and the exit status
/// is 3.
///
/// For Pentago XL with few marbles and with --out, the file FILE.journal keeps the work of a proof
/// that is interrupted. The same command then continues from there.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pentago prove '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o' --out win.txt
  pentago-check win.txt")]
pub struct Prove {
    /// Position: rows from the top, quoted, or - for standard input
    position: String,

    #[command(flatten)]
    rules: GameArg,

    /// File for the certificate, or - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,

    /// Largest length of the win in plies; shorter wins are tried first
    #[arg(long, value_name = "PLIES", value_parser = number(1..=99u8))]
    depth: Option<u8>,

    /// Time budget
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    time: Duration,

    /// Memory limit, such as 500M, 8G or 8GiB [default: 1G, but at most 7/8 of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = pentago_memory::parse_memory)]
    memory: Option<u64>,

    /// Number of threads [default: all available CPUs]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZero<usize>>,

    #[command(flatten)]
    overwrite: Overwrite,
}

/// The largest default memory limit, in bytes.
const MEMORY: u64 = 1_000_000_000;

/// The first bytes of a journal.
const JOURNAL: &[u8; 16] = b"pentago journal ";

/// Returns `true` if the file holds the failures of a proof.
fn is_journal(path: &Path) -> bool {
    let mut start = [0; JOURNAL.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *JOURNAL
}

impl Prove {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let file = (self.out.as_os_str() != "-").then_some(&self.out);
        // Check the file before the search, which may take minutes.
        if let Some(file) = file {
            self.overwrite.check(file, &["pentago certificate "])?;
        }
        let depth = self.depth.map(u32::from);
        let question = Question { time: Some(self.time), depth, ..Question::default() };
        let memory = self.memory.unwrap_or_else(|| pentago_memory::usable().min(MEMORY));
        let journal = file.map(|file| PathBuf::from(format!("{}.journal", file.display())));
        if let Some(journal) = &journal {
            check_file(journal)?;
        }
        let length = || journal.as_ref().and_then(|path| path.metadata().ok()).map_or(0, |file| file.len());
        let begun = length();
        let context = SearchContext {
            threads: threads_or_all(self.threads),
            journal: journal.as_deref(),
            ..SearchContext::new(memory, interrupt::control())
        };
        let game = &*self.rules.rules;
        let position = input::position(game, &self.position)?;
        let prove = || game.prove(&position, &question, &context);
        let certificate = engine::during(&question, &context, true, prove)?;
        if let Some(journal) = journal.as_deref().filter(|journal| is_journal(journal)) {
            if certificate.is_ok() {
                std::fs::remove_file(journal)?;
            } else if length() > begun {
                note(format_args!("the same command continues from {}", shown_path(journal)));
            }
        }
        let certificate = certificate?;
        if let Some(file) = file {
            write_file(file, certificate.text.as_bytes())?;
        } else {
            let mut out = plain_stdout();
            out.write_all(certificate.text.as_bytes())?;
            out.flush()?;
        }
        let plies = counted_plies(certificate.plies as usize);
        let lemmas = certificate.text.starts_with("pentago certificate 2\n");
        let moves = counted(certificate.moves, if lemmas { "lemma" } else { "move" });
        let bound = match self.depth {
            None if certificate.plies > 1 => " (a bound: --depth finds the shortest win)",
            _ => "",
        };
        note(format_args!("a win within {plies}{bound}; the certificate has {moves}"));
        if let Some(file) = file {
            let file = quoted_path(file);
            note(format_args!("written to {file}: `pentago-check {file}` checks it"));
        }
        Ok(())
    }
}
