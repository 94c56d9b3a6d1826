//! The core of the solver in the browser.
//!
//! The page asks in texts and is answered in JSON, in a buffer that both sides see. There are seven
//! exports, so nothing needs to be generated: no `wasm-bindgen`, whose tool and library must be of
//! the same version, and no JavaScript but `page/js/wasm.js`.
//!
//! | export | what it does |
//! |---|---|
//! | `reserve(bytes)` | makes room for a request, and gives its address |
//! | `ask()` | answers the request in the buffer; gives the answer's length in bytes |
//! | `answer()` | the address of the answer |
//! | `openings()` | takes the buffer as the values of the openings; 1 if it is that |
//! | `part()` | makes the next part of the work for a graphics processor the answer; gives its length |
//! | `learn()` | takes the buffer as what the graphics processor has computed; 1 if it is that |
//! | `bring(place)` | takes the buffer as bytes of a table that the last answer asks for; 1 if it can be that |
//!
//! A request is a list of texts with a zero byte between them, of which the first says what is
//! asked (`Question`). The answer is one JSON object: what was asked for, or `{"error":...}`. What needs
//! bytes of tables is answered with `{"fetch":[...]}`, and asked again when they were brought.
//!
//! | module | what it represents |
//! |---|---|
//! | `play` | positions, moves and pasted texts of all games |
//! | `openings` | the published values of the first moves |
//! | `values` | the value of a position and of each of its moves |
//! | `tables` | tables on a host, which the page asks |
//! | `exports` | the border to JavaScript |

mod exports;
mod play;
mod tables;
mod values;

use pentago::OpeningsFile;
use pentago_games::{Device, Game, KINDS, Kept, Sheet, Tables, Task, read_rules};
use serde::Serialize;
use std::sync::Arc;
use values::Known;

/// What one visitor's page holds: the openings, tables, the last game, whose solver keeps its memory, and
/// what a graphics processor is to do.
#[derive(Default)]
pub struct Session {
    openings: Option<OpeningsFile>,
    tables: Option<Tables>,
    last: Option<Arc<dyn Game>>,
    /// What proofs have shown.
    kept: Arc<Kept>,
    device: Device,
}

/// All presets.
#[derive(Serialize)]
struct Presets {
    presets: Vec<Sheet>,
}

/// What a graphics processor is to do before a request can be answered.
#[derive(Serialize)]
struct First {
    device: Task,
}

/// What is wrong with a request.
#[derive(Serialize)]
struct Failure {
    error: String,
}

/// An answer as the page reads it.
fn json(answer: &impl Serialize) -> String {
    // Names and numbers: writing them can't fail.
    serde_json::to_string(answer).unwrap_or_default()
}

/// What can be asked: the first text of a request, and the texts behind it.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// `rules`: all presets, with their boards.
    Rules,
    /// `board RULES`: these rules, with their board.
    Board,
    /// `look RULES POSITION`: the position, and its moves without values.
    Look,
    /// `read RULES TEXT`: a pasted position or game.
    Read,
    /// `values RULES POSITION DISTANCE SECONDS`: the values of all moves; DISTANCE is 0 or 1. With what
    /// a graphics processor can hold behind that ([`Device::outside`]), the answer may be what it is to
    /// do first: `{"device":...}`.
    Values,
    /// `effort RULES POSITION DISTANCE`: how many boards the values take: none if they are known or need no
    /// solution. It looks in the tables as `values` does.
    Effort,
    /// `tables ADDRESS`: opens the tables at an address, where the answers to come look first; none if it
    /// is empty.
    Tables,
    /// `random RULES MARBLES SEED`: a random position in which nobody wins at once.
    Random,
    /// `digest SEED`: what the kernel computes of pseudo-random sets and positions, as a number; for
    /// tests.
    Digest,
}

impl Question {
    fn named(name: &str) -> Option<Question> {
        Some(match name {
            "rules" => Question::Rules,
            "board" => Question::Board,
            "look" => Question::Look,
            "read" => Question::Read,
            "values" => Question::Values,
            "effort" => Question::Effort,
            "tables" => Question::Tables,
            "random" => Question::Random,
            "digest" => Question::Digest,
            _ => return None,
        })
    }
}

impl Session {
    /// Answers a request: texts with a zero byte between them.
    pub fn ask(&mut self, request: &str) -> String {
        let texts: Vec<&str> = request.split('\0').collect();
        tables::begin();
        let answer = self.answer(&texts);
        match (tables::errand(), answer) {
            (Some(errand), Err(_)) => json(&errand),
            (_, answer) => answer.unwrap_or_else(|error| json(&Failure { error })),
        }
    }

    /// Takes the values of the openings; whether they are that.
    pub fn take_openings(&mut self, bytes: &[u8]) -> bool {
        self.openings = OpeningsFile::new(bytes.to_vec());
        self.openings.is_some()
    }

    /// Writes the next part of the work for a graphics processor: see [`Device::part`].
    pub fn part(&mut self, part: &mut Vec<u8>) {
        self.device.part(part);
    }

    /// Takes the lines that the graphics processor was to compute; whether they are as many.
    pub fn learn(&mut self, lines: &[u8]) -> bool {
        self.device.learn(lines)
    }

    /// The game of these rules: the last one, if it was that.
    fn game(&mut self, rules: &str) -> Result<Arc<dyn Game>, String> {
        let game = read_rules(rules).map_err(|error| error.to_string())?;
        if self.last.as_ref().is_none_or(|last| last.rules() != game.rules()) {
            self.last = Some(Arc::clone(&game));
        }
        Ok(self.last.clone().unwrap_or(game))
    }

    /// Takes bytes for a place in what the last answer asks for; whether they can be these.
    pub fn bring(&mut self, place: usize, bytes: Vec<u8>) -> bool {
        tables::bring(place, bytes)
    }

    fn known(&self) -> Known<'_> {
        Known { openings: self.openings.as_ref(), tables: self.tables.as_ref(), proofs: &self.kept }
    }

    fn answer(&mut self, texts: &[&str]) -> Result<String, String> {
        let text = |i: usize| texts.get(i).copied().unwrap_or_default();
        let question = Question::named(text(0)).ok_or("there is no such question")?;
        let number = |i: usize| text(i).parse::<u64>().map_err(|_| format!("not a number: {}", text(i)));
        let said = |error: pentago::Error| error.to_string();
        Ok(match question {
            Question::Rules => json(&Presets { presets: Sheet::presets(KINDS) }),
            Question::Board => json(&Sheet::of(&*self.game(text(1))?)),
            Question::Look => json(&play::look(&*self.game(text(1))?, text(2)).map_err(said)?),
            Question::Read => json(&play::read(text(1), text(2))?),
            Question::Values => {
                let wanted = values::Wanted { distance: text(3) == "1", seconds: number(4)? };
                let game = self.game(text(1))?;
                let asked = texts.join("\0");
                let outside = self.device.outside(&asked, text(5), &*game, text(2));
                let known = self.known();
                match values::values(&*game, text(2), wanted, known, outside.as_ref()) {
                    Ok(answer) => json(&answer),
                    Err(error) => {
                        json(&First { device: self.device.task(&error).ok_or_else(|| said(error))? })
                    }
                }
            }
            Question::Effort => {
                let game = self.game(text(1))?;
                let known = self.known();
                json(&values::effort(&*game, text(2), text(3) == "1", known).map_err(said)?)
            }
            Question::Tables => {
                self.tables = None;
                let address = Some(text(1)).filter(|address| !address.is_empty());
                self.tables = address.map(tables::open).transpose().map_err(said)?;
                json(&self.tables.as_ref().map(tables::Opened::of))
            }
            Question::Random => {
                json(&play::random(&*self.game(text(1))?, number(2)?, number(3)?).map_err(said)?)
            }
            Question::Digest => json(&values::digest(pentago::Kernel::best(), number(1)?)),
        })
    }
}

#[cfg(test)]
mod tests;
