//! `pentago rules`: the rule options and presets, explained.

use std::io::Write;

use clap::Args;
use pentago_games::{Choice, Kind, Meaning, Preset};
use serde::Serialize;

use crate::games::kinds;
use crate::output;

/// List rule options and presets
///
/// Editions of the game differ in their rule sheets. Each difference that affects the value of a
/// position is an option here. Rules are written as a preset, optionally with options: pentago-fi,
/// or pentago:dir=cw,last=stop.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago rules --json")]
pub struct RulesList {
    /// Write the list as one JSON object
    #[arg(long)]
    json: bool,
}

/// The JSON object: everything there is. The first game's presets and options stand for themselves.
#[derive(Serialize)]
struct Report {
    presets: &'static [Preset],
    options: &'static [Choice],
    games: Vec<FurtherGame>,
}

/// A further game with options of its own.
#[derive(Serialize)]
struct FurtherGame {
    name: &'static str,
    explanation: &'static str,
    /// Values of options, with what they mean; the default of each option first.
    options: Vec<(String, &'static str)>,
}

impl FurtherGame {
    fn of(kind: &Kind) -> FurtherGame {
        let option = |choice: &'static Choice| {
            choice
                .values
                .iter()
                .map(|meaning| (format!("{}={}", choice.key, meaning.value), meaning.explanation))
        };
        FurtherGame {
            name: kind.name,
            explanation: kind.presets.first().map_or("", |preset| preset.explanation),
            options: kind.options.iter().flat_map(option).collect(),
        }
    }
}

impl RulesList {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let mut out = output::plain_stdout();
        let Some((first, further)) = kinds().split_first() else { return Ok(()) };
        let games: Vec<FurtherGame> = further.iter().map(|kind| FurtherGame::of(kind)).collect();
        if self.json {
            let report = Report { presets: first.presets, options: first.options, games };
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
            return Ok(());
        }
        writeln!(out, "presets")?;
        for Preset { name, options, explanation, .. } in first.presets {
            writeln!(out, "  {name:<11} {options:<22} {explanation}")?;
        }
        writeln!(out, "\noptions, the default first")?;
        for choice in first.options {
            let sheet = match choice.sheet {
                "" => String::new(),
                sheet => format!(" ({sheet})"),
            };
            writeln!(out, "  {}: {}{sheet}", choice.key, choice.question)?;
            for Meaning { value, explanation } in choice.values {
                let text = format!("{}={value}", choice.key);
                writeln!(out, "    {text:<13} {explanation}")?;
            }
        }
        for FurtherGame { name, explanation, options } in games {
            writeln!(out, "\n{name}: {explanation}")?;
            for (option, explanation) in options {
                writeln!(out, "    {option:<13} {explanation}")?;
            }
        }
        writeln!(
            out,
            "\nexamples: --rules pentago-fi, --rules pentago:dir=cw,last=stop, --rules xl:seats=4"
        )?;
        Ok(())
    }
}
