//! The value of a position and of each of its moves: from tables, from the openings, or from a
//! solver that runs in the browser.

use crate::clock::clock;
use pentago::{Control, Kernel, Rules, Solver};
use pentago_games::{Answer, Game, Outside, Position, ProofCache, Question, SearchContext, Tablebase};
use serde_json::json;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// The memory of a solution in bytes: enough for 18 marbles.
const MEMORY: u64 = 380_000_000;

/// The maximum number of marbles of positions whose values are published.
const OPENING_MARBLES: usize = 6;

/// The number of plies within which the certificate proves a win. The certificate has no position
/// with as many marbles.
const CERTIFICATE_PLIES: usize = 17;

/// The sources of values besides the solver.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// `true` if the published values of the first moves are available.
    pub openings: bool,
    /// The tables on a host.
    pub tables: Option<&'a Tablebase>,
    /// The certificate of the empty board of Pentago XL.
    pub certificate: Option<&'a Tablebase>,
    /// The results of earlier proofs.
    pub proofs: &'a Arc<ProofCache>,
}

impl<'a> Sources<'a> {
    /// Looks up a position without solving it. If a solution cannot improve the answer, breaks with
    /// the answer. Otherwise continues, with the tables if they contain any value for the position.
    ///
    /// # Errors
    /// If a table is damaged, or if its bytes are missing.
    fn look_up(
        self,
        game: &dyn Game,
        position: &Position,
        question: &Question,
        context: &SearchContext,
    ) -> Result<ControlFlow<Answer, Option<&'a Tablebase>>, pentago::Error> {
        let stored = |tables| {
            let question = Question { tables_only: true, ..*question };
            game.answer(position, &question, &SearchContext { tables, ..*context })
        };
        let few = position.marbles <= OPENING_MARBLES && game.rules() == Rules::default().to_string();
        if self.openings && few && position.over.is_none() {
            // If the openings have all values, a probe of the tables would only fetch more bytes.
            let answer = stored(None)?;
            if answer.is_complete() && !question.distance {
                return Ok(ControlFlow::Break(answer));
            }
        }
        let stored = self.tables.map(|tables| stored(Some(tables))).transpose()?;
        let stored = stored.filter(|answer| !answer.is_empty() || answer.at_least.is_some());
        Ok(match stored {
            Some(answer) if answer.is_complete() && !question.distance => ControlFlow::Break(answer),
            stored => ControlFlow::Continue(self.tables.filter(|_| stored.is_some())),
        })
    }
}

/// Returns the values of a position and of all its moves, in the form of `pentago query --json`.
/// `seconds` is the time for a limited search.
///
/// # Errors
/// If a table is damaged, if bytes of tables are missing, or if the GPU must do a part of the work
/// first.
pub fn values(
    game: &dyn Game,
    position: &Position,
    distance: bool,
    seconds: u64,
    sources: Sources,
    outside: Option<&Arc<Outside>>,
) -> Result<Answer, pentago::Error> {
    let (control, clock) = (Control::new(), clock());
    let time = Some(Duration::from_secs(seconds));
    let question = Question { distance, time, finish: Some(Duration::MAX), ..Question::default() };
    let kept = Some(sources.proofs);
    let context = SearchContext { clock: &clock, outside, kept, ..SearchContext::new(MEMORY, &control) };
    match sources.look_up(game, position, &question, &context)? {
        ControlFlow::Break(answer) => Ok(answer),
        ControlFlow::Continue(tables) => {
            let certificate = sources.certificate.filter(|_| position.marbles < CERTIFICATE_PLIES);
            let tables = tables.or(certificate);
            game.answer(position, &question, &SearchContext { tables, ..context })
        }
    }
}

/// Returns the move that the game's own opponent chooses within `seconds`.
///
/// # Errors
/// If the game is over, or if a table is damaged.
pub fn think(
    game: &dyn Game,
    position: &Position,
    seconds: u64,
    sources: Sources,
) -> Result<String, pentago::Error> {
    let (control, clock) = (Control::new(), clock());
    let question = Question { time: Some(Duration::from_secs(seconds)), ..Question::default() };
    let context =
        SearchContext { clock: &clock, kept: Some(sources.proofs), ..SearchContext::new(MEMORY, &control) };
    Ok(game.think(position, &question, &context)?.mv)
}

/// Returns the number of boards that a full solution of a position computes. Returns 0 if the
/// values are known, or if the game is not solved board by board.
///
/// # Errors
/// If the position is invalid, if a table is damaged, or if bytes of tables are missing.
pub fn effort(game: &dyn Game, text: &str, distance: bool, sources: Sources) -> Result<u64, pentago::Error> {
    let position = game.read(text)?;
    let (control, clock) = (Control::new(), clock());
    let question = Question { distance, time: Some(Duration::ZERO), ..Question::default() };
    let context = SearchContext { clock: &clock, ..SearchContext::new(MEMORY, &control) };
    let known = sources.look_up(game, &position, &question, &context)?.is_break();
    match game.rules().parse::<Rules>() {
        Ok(rules) if !known => {
            let solver = Solver::builder().rules(rules).threads(NonZeroUsize::MIN);
            Ok(solver.estimate(position.parsed()?, usize::MAX).boards)
        }
        _ => Ok(0),
    }
}

/// Returns the checksums of a kernel's results for pseudo-random input, in hexadecimal.
pub fn digest(kernel: Kernel, seed: u64) -> serde_json::Value {
    let [passes, solved, proved] =
        pentago::digest(kernel, NonZeroUsize::MIN, seed).map(|number| format!("{number:016x}"));
    json!({ "kernel": kernel.name(), "passes": passes, "solved": solved, "proved": proved })
}
