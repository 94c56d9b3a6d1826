//! `pentago rules`: the rule options and presets, explained.

use std::io::Write;

use clap::Args;
use pentago_report::presets::{self, presets};
use serde::Serialize;

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

/// The JSON object: everything there is.
#[derive(Serialize)]
struct Report {
    presets: Vec<Preset>,
    options: &'static [Choice],
    games: &'static [OtherGame],
}

/// A rule set with a name.
#[derive(Serialize)]
struct Preset {
    name: &'static str,
    options: &'static str,
    explanation: &'static str,
}

impl Preset {
    fn new(preset: &presets::Preset) -> Preset {
        let presets::Preset { name, options, explanation, .. } = *preset;
        Preset { name, options, explanation }
    }
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

const fn means(value: &'static str, explanation: &'static str) -> Meaning {
    Meaning { value, explanation }
}

const OPTIONS: [Choice; 8] = [
    Choice {
        key: "dir",
        question: "direction in which quadrants turn",
        sheet: "Basque",
        values: &[means("both", "either direction"), means("cw", "clockwise only")],
    },
    Choice {
        key: "both",
        question: "result if a turn gives both players five",
        sheet: "Finnish",
        values: &[means("draw", "a draw"), means("mover", "the player who made the turn wins")],
    },
    Choice {
        key: "reply",
        question: "whether a five made by a turn, for the mover alone, may be answered",
        sheet: "Czech, Slovak",
        values: &[
            means("none", "no"),
            means("place", "the opponent may place one marble without a turn; a five makes it a draw"),
        ],
    },
    Choice {
        key: "skip",
        question: "when the turn may be declined (written /0)",
        sheet: "Finnish; another edition",
        values: &[
            means("never", "never"),
            means("empty", "while some quadrant is empty"),
            means("neutral", "while some quadrant is empty or holds only a centre marble"),
        ],
    },
    Choice {
        key: "last",
        question: "after the last marble, if it makes no five",
        sheet: "Dutch, literal reading",
        values: &[means("turn", "a turn follows, as always"), means("stop", "the game is drawn")],
    },
    Choice {
        key: "n",
        question: "side of the board, in sockets",
        sheet: "",
        values: &[means("6", "Pentago"), means("4", "Mini-Pentago")],
    },
    Choice {
        key: "bs",
        question: "side of a quadrant, in sockets",
        sheet: "",
        values: &[means("3", "with n=6"), means("2", "with n=4")],
    },
    Choice {
        key: "k",
        question: "marbles in a row that win",
        sheet: "",
        values: &[means("5", "with n=6"), means("4", "with n=4"), means("3", "with n=4, a shorter game")],
    },
];

/// A game with options of its own.
#[derive(Serialize)]
struct OtherGame {
    name: &'static str,
    explanation: &'static str,
    /// Values of options, with what they mean; the default of each option first.
    options: &'static [(&'static str, &'static str)],
}

const GAMES: &[OtherGame] = &[
    OtherGame {
        name: "xl",
        explanation: presets::XL.explanation,
        options: &[
            ("seats=2", "two players; also 3 or 4"),
            ("mode=ffa", "everyone for himself"),
            ("mode=2v2", "seats A and C against B and D; with seats=4"),
            ("supply=40", "marbles of each seat, 1 to 81; 40 with two seats, otherwise 20"),
            ("continue=no", "the game ends with the first five"),
            ("continue=yes", "the others play on for the next places"),
        ],
    },
    OtherGame {
        name: "pente",
        explanation: presets::PENTE.explanation,
        options: &[
            ("n=19", "side of the board, 1 to 19; or w and h for its width and height"),
            ("k=5", "stones in a row that win"),
            ("opening=pro", "the first stone in the centre, the second of that player at least three away"),
            ("opening=free", "no restriction"),
            ("cap=2", "pairs are captured"),
            ("cap=2+3", "pairs and threes are captured (Keryo)"),
            ("cap=0", "nothing is captured"),
            ("win=10", "captured stones that win"),
            ("over=yes", "a row of more than k wins, too"),
            ("over=no", "only exactly k in a row win"),
        ],
    },
];

impl RulesList {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let presets: Vec<Preset> = presets().iter().map(Preset::new).collect();
        if self.json {
            let report = Report { presets, options: &OPTIONS, games: GAMES };
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
        for OtherGame { name, explanation, options } in GAMES {
            writeln!(out, "\n{name}: {explanation}")?;
            for (option, explanation) in options.iter() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use pentago::rules::Rules;

    #[test]
    fn options_of_other_games_are_read() {
        for game in GAMES {
            for (option, _) in game.options {
                // Teams need four seats.
                let more = if *option == "mode=2v2" { ",seats=4" } else { "" };
                let text = format!("{}:{option}{more}", game.name);
                assert!(text.parse::<crate::games::GameRules>().is_ok(), "{text}");
            }
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
