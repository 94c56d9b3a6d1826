//! The core of the solver in the browser.
//!
//! The page asks in texts and is answered in JSON, in a buffer that both sides see. There are five
//! exports, so nothing needs to be generated: no `wasm-bindgen`, whose tool and library must be of
//! the same version, and no JavaScript but the fifty lines of `page/js/wasm.js`.
//!
//! | export | what it does |
//! |---|---|
//! | `reserve(bytes)` | makes room for a request, and gives its address |
//! | `ask()` | answers the request in the buffer; gives the answer's length in bytes |
//! | `answer()` | the address of the answer |
//! | `openings()` | takes the buffer as the values of the openings; 1 if it is that |
//!
//! With the feature `threads` it is a second module, which solves with several threads; its other
//! three exports are those of the module `threads`.
//!
//! A request is a list of texts with a zero byte between them, of which the first says what is
//! asked (`Question`). The answer is one JSON object: what was asked for, or `{"error":...}`.
//!
//! | module | what it represents |
//! |---|---|
//! | `json` | writing JSON |
//! | `boards` | the games: their boards, presets, and how they begin |
//! | `play` | positions and moves of all games: read, list, play |
//! | `game` | a pasted text, as a position or a game |
//! | `openings` | the published values of the first moves |
//! | `values` | the value of a position and of each of its moves |
//! | `threads` | the threads that solve |
//! | `exports` | the border to JavaScript |

mod boards;
mod exports;
mod game;
mod json;
pub mod openings;
mod play;
mod threads;
mod values;

use boards::Game;
use openings::Openings;
use values::Solvers;

/// What one visitor's page holds: the openings, and a solver that keeps its memory.
#[derive(Default)]
pub struct Session {
    openings: Option<Openings>,
    solvers: Solvers,
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
    /// `values RULES POSITION DISTANCE SECONDS`: the values of all moves; DISTANCE is 0 or 1.
    Values,
    /// `effort QUESTION...`: how many boards the answer to this question takes: none if it is known
    /// or needs no solution.
    Effort,
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
        self.answer(&texts).unwrap_or_else(|error| json::object(|o| o.text("error", &error)))
    }

    /// Takes the values of the openings; whether they are that.
    pub fn take_openings(&mut self, bytes: &[u8]) -> bool {
        self.openings = Openings::new(bytes.to_vec());
        self.openings.is_some()
    }

    fn answer(&mut self, texts: &[&str]) -> Result<String, String> {
        let text = |i: usize| texts.get(i).copied().unwrap_or_default();
        let question = Question::named(text(0)).ok_or("there is no such question")?;
        let number = |i: usize| text(i).parse::<u64>().map_err(|_| format!("not a number: {}", text(i)));
        match question {
            Question::Rules => Ok(boards::presets()),
            Question::Board => Ok(boards::board(&Game::read(text(1))?)),
            Question::Look => play::look(&Game::read(text(1))?, text(2)),
            Question::Read => game::read(text(1), text(2)),
            Question::Values => {
                let wanted = values::Wanted { distance: text(3) == "1", seconds: number(4)? };
                self.solvers.values(&Game::read(text(1))?, text(2), wanted, self.openings.as_ref())
            }
            Question::Effort => {
                let boards = match Question::named(text(1)) {
                    Some(Question::Values) => {
                        values::effort(&Game::read(text(2))?, text(3), self.openings.as_ref())?
                    }
                    Some(Question::Digest) => values::DIGEST_BOARDS,
                    _ => 0,
                };
                Ok(json::object(|o| o.number("boards", boards)))
            }
            Question::Random => play::random(&Game::read(text(1))?, number(2)?, number(3)?),
            Question::Digest => Ok(values::digest(pentago::Kernel::best(), threads::count(), number(1)?)),
        }
    }
}

#[cfg(test)]
mod tests;
