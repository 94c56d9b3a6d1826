//! `pentago rules`: the rule options and presets, explained.

use std::io::Write;

use clap::Args;
use pentago::rules::Rules;
use serde::Serialize;

/// List the rules: options, their values, and presets
///
/// The rule sheets of the editions differ in places; where they differ in what a position is worth,
/// the difference is an option. Rules are written as a preset, or as a preset with options:
/// pentago-fi, pentago:dir=cw,last=stop.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pentago rules --json")]
pub struct RulesList {
    /// Write one JSON object
    #[arg(long)]
    json: bool,
}

/// The JSON object: everything there is.
#[derive(Serialize)]
struct Report {
    presets: Vec<Preset>,
    options: &'static [Choice],
}

/// A rule set with a name.
#[derive(Serialize)]
struct Preset {
    name: &'static str,
    options: &'static str,
    explanation: &'static str,
}

/// A rule option.
#[derive(Serialize)]
struct Choice {
    key: &'static str,
    question: &'static str,
    /// Where the values other than the default come from.
    #[serde(skip_serializing_if = "str::is_empty")]
    sheet: &'static str,
    /// The default first.
    values: &'static [Meaning],
}

/// A value of an option.
#[derive(Serialize)]
struct Meaning {
    value: &'static str,
    explanation: &'static str,
}

/// What a preset stands for, and what is to be said about it, by its name.
const PRESETS: [(&str, &str, &str); 6] = [
    ("pentago", "", "6x6 sockets, 3x3 blocks, five in a row: every option at its default"),
    ("pentago-eu", "dir=cw", "the Basque sheet: blocks turn clockwise only"),
    (
        "pentago-fi",
        "both=mover,skip=empty",
        "the Finnish sheet: both with five is a win for who turned; the turn may be declined",
    ),
    ("pentago-cs", "reply=place", "the Czech and Slovak sheets: a five by a turn may be answered"),
    ("pentago-nl", "last=stop", "the Dutch sheet, read literally: no turn after the last marble"),
    ("mini", "n=4,bs=2,k=4", "Mini-Pentago: 4x4 sockets, 2x2 blocks, four in a row"),
];

const fn means(value: &'static str, explanation: &'static str) -> Meaning {
    Meaning { value, explanation }
}

const OPTIONS: [Choice; 8] = [
    Choice {
        key: "dir",
        question: "which way blocks turn",
        sheet: "Basque",
        values: &[means("both", "either way"), means("cw", "clockwise only")],
    },
    Choice {
        key: "both",
        question: "what a turn is worth that gives both players five",
        sheet: "Finnish",
        values: &[means("draw", "a draw"), means("mover", "the player who turned wins")],
    },
    Choice {
        key: "reply",
        question: "whether a five that a turn made for the mover alone may be answered",
        sheet: "Czech, Slovak",
        values: &[
            means("none", "no"),
            means("place", "the opponent may place one marble, without a turn: a five makes it a draw"),
        ],
    },
    Choice {
        key: "skip",
        question: "when the turn may be declined (/0)",
        sheet: "Finnish; another edition",
        values: &[
            means("never", "never"),
            means("empty", "while some block holds no marble"),
            means("neutral", "while some block holds no marble, or none but its own centre marble"),
        ],
    },
    Choice {
        key: "last",
        question: "what follows the marble that fills the board without a five",
        sheet: "Dutch, literal reading",
        values: &[means("turn", "a turn, as always"), means("stop", "nothing, a draw")],
    },
    Choice {
        key: "n",
        question: "sockets along the side of the board",
        sheet: "",
        values: &[means("6", "Pentago"), means("4", "Mini-Pentago")],
    },
    Choice {
        key: "bs",
        question: "sockets along the side of a block",
        sheet: "",
        values: &[means("3", "with n=6"), means("2", "with n=4")],
    },
    Choice {
        key: "k",
        question: "how many in a row win",
        sheet: "",
        values: &[means("5", "with n=6"), means("4", "with n=4"), means("3", "with n=4, a shorter game")],
    },
];

impl RulesList {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let presets: Vec<Preset> = Rules::presets().iter().map(|(name, _)| preset(name)).collect();
        if self.json {
            let report = Report { presets, options: &OPTIONS };
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
            return Ok(());
        }
        writeln!(out, "presets")?;
        for Preset { name, options, explanation } in presets {
            writeln!(out, "  {name:<11} {options:<22} {explanation}")?;
        }
        writeln!(out, "\noptions, the default first")?;
        for choice in &OPTIONS {
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
        writeln!(out, "\nas in --rules pentago-fi or --rules pentago:dir=cw,last=stop")?;
        Ok(())
    }
}

fn preset(name: &'static str) -> Preset {
    let known = PRESETS.iter().find(|(known, ..)| *known == name);
    let (_, options, explanation) = known.copied().unwrap_or((name, "", ""));
    Preset { name, options, explanation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_explained_and_spelled_out() {
        for (name, rules) in Rules::presets() {
            let Preset { options, explanation, .. } = preset(name);
            assert!(!explanation.is_empty(), "{name}");
            let text = if options.is_empty() { "pentago".into() } else { format!("pentago:{options}") };
            assert_eq!(text.parse::<Rules>().as_ref(), Ok(rules), "{name}");
        }
    }

    #[test]
    fn every_value_is_one_and_the_default_is_the_first() {
        for choice in &OPTIONS {
            for (i, meaning) in choice.values.iter().enumerate() {
                // The size of the board is spelled out by three options at once.
                let size = matches!(choice.key, "n" | "bs" | "k");
                let mini = if size && i > 0 { "mini" } else { "pentago" };
                let text = format!("{mini}:{}={}", choice.key, meaning.value);
                let rules: Rules = text.parse().unwrap();
                assert_eq!(rules == Rules::default(), i == 0, "{text}");
            }
        }
    }
}
