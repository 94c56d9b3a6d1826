//! `pentago counts`: wins, draws and losses of complete games, by slice or by section.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use pentago::{BySection, Compared, Results, Rules, Section, SliceCounts, read_counts};
use pentago_store::shown;
use serde::Serialize;

use crate::exit::{failed, missing_data};
use crate::folder;
use crate::options::{MOST_MARBLES, number};
use crate::output::{stdout, thousands};

/// Count wins, draws and losses of complete games, by slice or section
///
/// Every board counts once, in all rotations of its quadrants, with perfect play from there.
/// Finished games and boards that can't be reached count too. X is the player who moved first. A
/// section stands for all of its images under the symmetries of the board, so that a slice is the
/// sum of its sections, each times its number of images. If a table lacks sections, they are
/// missing from the sum. Tables below a root aren't counted; `pentago info` lists them.
///
/// --against compares every section of the rules `pentago` with published counts. The exit status
/// is 1 if any differs, and the first one that does is named.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago counts tables --marbles 35 --against counts-35.npy")]
pub struct Counts {
    /// Folder or address of the tables [default: $PENTAGO_TABLES, or the user's data folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Published counts by section: tab-separated text, or counts-N.npy of the published solution
    #[arg(long, value_name = "FILE", num_args = 1..)]
    against: Vec<PathBuf>,

    /// Only count positions with N marbles
    #[arg(long, value_name = "N", value_parser = number(0..=MOST_MARBLES))]
    marbles: Option<u8>,

    /// Write one line per section instead of one per slice
    #[arg(long)]
    sections: bool,

    /// Write one JSON object per line
    #[arg(long)]
    json: bool,

    /// Write no notes to standard error
    #[arg(long, short)]
    quiet: bool,
}

/// A slice of a game, all stored sections of it together.
#[derive(Serialize)]
struct SliceRow<'a> {
    target: &'a str,
    marbles: u8,
    sections: usize,
    sections_in_game: usize,
    #[serde(flatten)]
    results: Numbers,
    /// Sections that are in the published counts, and those of them that agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agree: Option<usize>,
}

/// One section.
#[derive(Serialize)]
struct SectionRow<'a> {
    target: &'a str,
    marbles: u8,
    section: String,
    images: u64,
    #[serde(flatten)]
    results: Numbers,
    /// Whether it agrees with the published counts, if it is in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    agrees: Option<bool>,
}

#[derive(Serialize)]
struct Numbers {
    x_wins: u64,
    draws: u64,
    o_wins: u64,
}

impl From<Results> for Numbers {
    fn from(Results { x_wins, draws, o_wins }: Results) -> Numbers {
        Numbers { x_wins, draws, o_wins }
    }
}

impl Counts {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let published = read_counts(&self.against)?;
        let path = folder::tables(self.folder.as_deref())?;
        let tables = folder::open(&path, self.json || self.quiet)?;
        let tables = folder::of_pentago(&tables, &path)?;
        let wanted = |slice| self.marbles.is_none_or(|marbles| marbles == slice);
        let mut out = stdout();
        let (mut lines, mut all) = (0, Compared::default());
        for game in tables.counts(wanted)?.iter().filter(|game| !game.slices.is_empty()) {
            let (name, slices) = (&game.target, &game.slices);
            lines += slices.len();
            // There are no published counts for other rules.
            let published = published.as_ref().filter(|_| game.rules == Rules::default());
            if self.sections {
                self.write_sections(&mut out, name, &game.rules, slices, published)?;
            } else {
                self.write_slices(&mut out, name, slices, published)?;
            }
            for slice in slices {
                let compared = published.map(|published| slice.against(published)).unwrap_or_default();
                all.compared += compared.compared;
                all.first = all.first.or(compared.first);
            }
        }
        out.flush()?;
        let path = shown(&path);
        let folder = path.display();
        if lines == 0 {
            let text = format!(
                "no such tables of a complete game in {folder}: `pentago info {folder}` lists the tables"
            );
            return Err(missing_data(text).into());
        }
        if let Some(first) = all.first {
            return Err(failed(first));
        }
        if published.is_some() && all.compared == 0 {
            let text =
                format!("nothing was compared: the tables in {folder} have none of the given sections");
            return Err(missing_data(text).into());
        }
        Ok(())
    }

    fn write_slices(
        &self,
        out: &mut impl Write,
        target: &str,
        slices: &[SliceCounts],
        published: Option<&BySection>,
    ) -> anyhow::Result<()> {
        let last = if published.is_some() { "  agree / compared" } else { "" };
        self.head(out, target, format_args!("{:>7} {:>17}", "marbles", "sections"), last)?;
        for slice in slices {
            let compared = published.map(|published| slice.against(published));
            let (sections, in_game) = (slice.sections.len(), slice.in_game);
            if self.json {
                let row = SliceRow {
                    target,
                    marbles: slice.marbles,
                    sections,
                    sections_in_game: in_game,
                    results: slice.results.into(),
                    compared: compared.map(|c| c.compared),
                    agree: compared.map(|c| c.agree),
                };
                writeln!(out, "{}", serde_json::to_string(&row)?)?;
            } else {
                let sections = format!("{} / {}", thousands(sections as u64), thousands(in_game as u64));
                let agree = match compared {
                    None => String::new(),
                    Some(Compared { compared: 0, .. }) => "-".to_owned(),
                    Some(Compared { compared, agree, .. }) => format!("{agree} / {compared}"),
                };
                let line =
                    format!("{:>7} {sections:>17} {} {agree:>17}", slice.marbles, columns(slice.results));
                writeln!(out, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }

    fn write_sections(
        &self,
        out: &mut impl Write,
        target: &str,
        rules: &Rules,
        slices: &[SliceCounts],
        published: Option<&BySection>,
    ) -> anyhow::Result<()> {
        let last = if published.is_some() { " published" } else { "" };
        self.head(out, target, format_args!("{:>7} {:>11} {:>6}", "marbles", "section", "images"), last)?;
        let all = slices.iter().flat_map(|slice| slice.sections.iter().map(|of| (slice.marbles, of)));
        for (marbles, (&section, &results)) in all {
            let images = section.images(rules);
            let agrees = published.map(|published| agrees(published, section, results));
            if self.json {
                let row = SectionRow {
                    target,
                    marbles,
                    section: section.to_string(),
                    images,
                    results: results.into(),
                    agrees: agrees.flatten(),
                };
                writeln!(out, "{}", serde_json::to_string(&row)?)?;
            } else {
                let agrees = match agrees {
                    None => "",
                    Some(None) => " -",
                    Some(Some(true)) => " agrees",
                    Some(Some(false)) => " DIFFERS",
                };
                writeln!(out, "{marbles:>7} {section:>11} {images:>6} {}{agrees}", columns(results))?;
            }
        }
        Ok(())
    }

    fn head(
        &self,
        out: &mut impl Write,
        target: &str,
        first: std::fmt::Arguments<'_>,
        last: &str,
    ) -> std::io::Result<()> {
        if self.json {
            return Ok(());
        }
        writeln!(out, "{target}\n{first} {:>25} {:>25} {:>25}{last}", "X wins", "draws", "O wins")
    }
}

/// Whether a section agrees with the published counts; None if it isn't in them.
fn agrees(published: &BySection, section: Section, results: Results) -> Option<bool> {
    published.get(&section).map(|&expected| expected == results)
}

fn columns(Results { x_wins, draws, o_wins }: Results) -> String {
    let [x_wins, draws, o_wins] = [x_wins, draws, o_wins].map(thousands);
    format!("{x_wins:>25} {draws:>25} {o_wins:>25}")
}
