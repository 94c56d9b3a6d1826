//! `pentago rules`: lists and explains the rule options and presets.

use std::io::Write;

use clap::Args;
use pentago_games::{Kind, Meaning, Preset};
use serde_json::json;

use crate::games::kinds;
use crate::output;

/// List rule options and presets
///
/// Editions of the game have different rule sheets. Each difference that affects the value of a
/// position is an option. Rules are written as a preset, optionally with options: pentago-fi, or
/// pentago:dir=cw,last=stop.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago rules --json")]
pub struct RulesList {
    /// Write the list as one JSON object
    #[arg(long)]
    json: bool,
}

/// Returns the explanation of a game, and its options as `key=value` with their meanings. The
/// default of each option comes first.
fn describe(kind: &Kind) -> (&'static str, Vec<(String, &'static str)>) {
    let mut options = Vec::new();
    for choice in kind.options {
        for meaning in choice.values {
            options.push((format!("{}={}", choice.key, meaning.value), meaning.explanation));
        }
    }
    (kind.presets.first().map_or("", |preset| preset.explanation), options)
}

impl RulesList {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let Some((first, further)) = kinds().split_first() else { return Ok(()) };
        if self.json {
            let mut games = Vec::new();
            for kind in further {
                let (explanation, options) = describe(kind);
                games.push(json!({ "name": kind.name, "explanation": explanation, "options": options }));
            }
            let report = json!({ "presets": first.presets, "options": first.options, "games": games });
            writeln!(output::plain_stdout(), "{report}")?;
            return Ok(());
        }
        let mut out = output::folded_stdout();
        writeln!(out, "presets")?;
        for Preset { name, options, explanation, .. } in first.presets {
            writeln!(out, "  {name:<11} {options:<22} {explanation}")?;
        }
        writeln!(out, "\noptions, default first")?;
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
        for kind in further {
            let (explanation, options) = describe(kind);
            writeln!(out, "\n{}: {explanation}", kind.name)?;
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
