//! `pentago prove`: a certificate of a forced win.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use pentago::tables::durable;

use crate::args::seconds;
use crate::games::{GameArg, Question};
use crate::interrupt;
use crate::output::{counted_plies, note, thousands};

/// Write a certificate of a forced win
///
/// A certificate holds the winner's move for every position that can arise, so that a small program
/// that knows nothing but the rules can check the win: pentago-check plays every reply. If the side
/// to move has no forced win, or none is found in time, nothing is written.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Prove {
    /// The position: quoted, or - to read it from standard input
    position: String,

    #[command(flatten)]
    rules: GameArg,

    /// File for the certificate, or - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,

    /// Look for wins of at most PLIES, the shortest first
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=99))]
    depth: Option<u8>,

    /// Time budget
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    time: Duration,

    /// Memory limit, such as 500M, 8G or 8GiB
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = pentago_memory::parse_memory)]
    memory: u64,

    /// Write no notes to standard error
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Example:
  pentago prove '1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o' --out win.txt
  pentago-check win.txt";

impl Prove {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let question = Question::new(self.time, self.memory, interrupt::control());
        let question = Question { depth: self.depth.map(u32::from), ..question };
        let certificate = self.rules.rules.prove(&self.position, &question)?;
        if self.out.as_os_str() == "-" {
            let mut out = std::io::stdout().lock();
            out.write_all(certificate.text.as_bytes())?;
            out.flush()?;
        } else {
            let text = certificate.text.as_bytes();
            durable::replace(&self.out, |file| file.write_all(text))?;
        }
        if !self.quiet {
            let (plies, moves) = (certificate.plies, thousands(certificate.moves));
            let s = if certificate.moves == 1 { "" } else { "s" };
            note(format_args!("a win within {}, {moves} move{s}", counted_plies(plies)));
        }
        Ok(())
    }
}
