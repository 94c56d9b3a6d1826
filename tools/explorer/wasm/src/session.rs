//! The state of the module, and its requests.

use crate::values::Sources;
use crate::{play, tables, values};
use pentago_games::{Device, Game, KINDS, ProofCache, Sheet, Tablebase, read_rules};
use serde::Serialize;
use std::sync::Arc;

/// The state of one page.
#[derive(Default)]
pub struct Session {
    /// `true` once the page has sent the tables of the openings.
    pub openings: bool,
    /// The certificate of the empty board of Pentago XL, if the page has sent it.
    pub certificate: Option<Tablebase>,
    tables: Option<Tablebase>,
    /// The game of the latest request. The solver of the game reuses its memory for the next
    /// request.
    last: Option<Arc<dyn Game>>,
    /// The results of earlier proofs, which later searches reuse.
    kept: Arc<ProofCache>,
    /// The work for the GPU, and its results.
    pub device: Device,
}

/// Serializes an answer.
pub fn json(answer: &impl Serialize) -> String {
    // The answers contain only string keys and finite numbers, so serialization cannot fail.
    serde_json::to_string(answer).unwrap_or_default()
}

/// Serializes an object with one field.
fn object(name: &str, value: &impl Serialize) -> String {
    format!("{{\"{name}\":{}}}", json(value))
}

fn message(error: pentago::Error) -> String {
    error.to_string()
}

impl Session {
    /// Answers a request: strings separated by zero bytes.
    pub fn ask(&mut self, request: &str) -> String {
        let texts: Vec<&str> = request.split('\0').collect();
        tables::begin();
        let answer = self.answer(&texts);
        let missing = tables::missing();
        match answer {
            Err(_) if !missing.is_empty() => object("fetch", &missing),
            Err(error) => object("error", &error),
            Ok(answer) => answer,
        }
    }

    /// Returns the game with the given rules. If the latest game has equal rules, returns the
    /// latest game.
    fn game(&mut self, rules: &str) -> Result<Arc<dyn Game>, String> {
        let game = read_rules(rules).map_err(message)?;
        if self.last.as_ref().is_none_or(|last| last.rules() != game.rules()) {
            self.last = Some(Arc::clone(&game));
        }
        Ok(self.last.clone().unwrap_or(game))
    }

    fn sources(&self) -> Sources<'_> {
        Sources {
            openings: self.openings,
            tables: self.tables.as_ref(),
            certificate: self.certificate.as_ref(),
            proofs: &self.kept,
        }
    }

    fn answer(&mut self, texts: &[&str]) -> Result<String, String> {
        let text = |i: usize| texts.get(i).copied().unwrap_or_default();
        let number = |i: usize| text(i).parse::<u64>().map_err(|_| format!("not a number: {}", text(i)));
        Ok(match text(0) {
            "rules" => object("presets", &Sheet::presets(KINDS)),
            "board" => json(&Sheet::of(&*self.game(text(1))?)),
            "look" => json(&play::look(&*self.game(text(1))?, text(2)).map_err(message)?),
            "read" => json(&play::read(text(1), text(2))?),
            request @ ("values" | "guesses") => {
                let (distance, seconds) = (text(3) == "1", number(4)?);
                let game = self.game(text(1))?;
                let position = game.read(text(2)).map_err(message)?;
                let outside = self.device.outside(&texts.join("\0"), text(5), &*game, &position);
                let sources = match request {
                    "values" => self.sources(),
                    _ => Sources { tables: None, certificate: None, ..self.sources() },
                };
                match values::values(&*game, &position, distance, seconds, sources, outside.as_ref()) {
                    Ok(answer) => json(&answer),
                    Err(error) => object("device", &self.device.task(&error).ok_or_else(|| message(error))?),
                }
            }
            "think" => {
                let game = self.game(text(1))?;
                let position = game.read(text(2)).map_err(message)?;
                let thought = values::think(&*game, &position, number(3)?, self.sources());
                object("move", &thought.map_err(message)?)
            }
            "effort" => {
                let game = self.game(text(1))?;
                let boards = values::effort(&*game, text(2), text(3) == "1", self.sources());
                object("boards", &boards.map_err(message)?)
            }
            "tables" => {
                self.tables = None;
                let address = Some(text(1)).filter(|address| !address.is_empty());
                self.tables = address.map(tables::open).transpose().map_err(message)?;
                json(&self.tables.as_ref().map(tables::report))
            }
            "random" => {
                let position = play::random(&*self.game(text(1))?, number(2)?, number(3)?);
                object("position", &position.map_err(message)?)
            }
            "digest" => json(&values::digest(pentago::Kernel::best(), number(1)?)),
            _ => return Err("there is no such request".to_owned()),
        })
    }
}
