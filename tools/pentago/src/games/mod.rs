//! The rules of each game, for the commands that build, list and verify tables.
//!
//! | file | what it represents |
//! |---|---|
//! | `tables`, `xl_tables`, `pente_tables` | tables: building, listing, verifying them |
//! | `watched` | progress of long work |

mod pente_tables;
pub mod tables;
mod watched;
mod xl_tables;

use std::str::FromStr;

use clap::Args;
use pentago::rules::Rules;

/// The rules of any of the games.
#[derive(Debug, Clone, Copy)]
pub enum GameRules {
    /// Pentago and Mini-Pentago.
    Pentago(Rules),
    /// Pentago XL or Pente.
    Other(Other),
}

/// The rules of a game other than Pentago.
#[derive(Debug, Clone, Copy)]
pub enum Other {
    /// Pentago XL.
    Xl(pentago_xl::Rules),
    /// Pente.
    Pente(pentago_pente::Rules),
}

impl FromStr for GameRules {
    type Err = String;

    fn from_str(text: &str) -> Result<GameRules, String> {
        let game = text.trim().split(':').next().unwrap_or_default().trim();
        match game {
            "xl" => text
                .parse()
                .map(|r| GameRules::Other(Other::Xl(r)))
                .map_err(|e: pentago_xl::ParseError| e.to_string()),
            "pente" => text
                .parse()
                .map(|r| GameRules::Other(Other::Pente(r)))
                .map_err(|e: pentago_pente::rules::ParseError| e.to_string()),
            _ => text.parse().map(GameRules::Pentago).map_err(|e: pentago::ParseError| {
                let others = if e.message().contains("expected one of") { ", xl, pente" } else { "" };
                pentago::ParseError::new(e.text(), e.span(), format!("{}{others}", e.message())).to_string()
            }),
        }
    }
}

/// The rules that a command plays by, of any game.
#[derive(Debug, Clone, Copy, Args)]
pub struct GameArg {
    /// Rules: a preset, or a preset with options such as pentago:dir=cw,last=stop, xl:seats=4 or
    /// pente:n=5,k=4 (see `pentago rules`)
    #[arg(long, value_name = "RULES", default_value = "pentago")]
    pub rules: GameRules,
}

impl std::fmt::Display for Other {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Other::Xl(rules) => rules.fmt(f),
            Other::Pente(rules) => rules.fmt(f),
        }
    }
}

impl Other {
    /// The name of the game.
    pub fn name(&self) -> &'static str {
        match self {
            Other::Xl(_) => "Pentago XL",
            Other::Pente(_) => "Pente",
        }
    }
}
