//! Certificates: proofs that a goal is reached. A program that knows only the rules can check them.
//!
//! A certificate lists the attacker's moves. To check a certificate, a walk through the game plays
//! every reply of the defender. Wherever the attacker has no immediately winning move, the walk
//! plays the next move of the list. `certificate-format.md` is the normative text. The attacker's
//! moves come from a search.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::deepening::Deepening;
use crate::proof_numbers::{ProofNumbers, Verdict};
use crate::{Game, Goal, Notation, Table};
use pentago_base::{Budget, Stopped};

/// A proof that the attacker reaches the goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The text of the certificate file.
    pub text: String,
    /// The number of plies within which the attacker reaches the goal by following the certificate.
    pub plies: u32,
    /// The number of moves in the certificate: one for each position in which the attacker moves
    /// and has no immediately winning move. In version 2 of the format, the number of lemmas.
    pub moves: u64,
}

/// The reason why no certificate was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCertificate {
    /// The attacker can't force the goal, or can't force the goal within the limit of plies.
    #[error("there is no proof to certify: the goal isn't reached by force")]
    Refuted,
    /// The search's budget was exhausted before the proof was complete.
    #[error("the search stopped before the proof was complete")]
    Stopped,
    /// The search or the game has a bug: a move that the search reported as winning doesn't win.
    /// The field is the number of moves from the start to the position where the proof fails.
    #[error("the proof has a hole {0} moves from the start: please report this with the position")]
    Hole(usize),
}

impl From<Stopped> for NoCertificate {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// The kind of search that finds the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A full-width search for the shortest win. The field is the maximum number of plies.
    Shortest(u32),
    /// A proof-number search for any win, short or long. This search examines fewer positions and
    /// reaches deeper wins than `Shortest`.
    Any,
}

/// Searches for a proof that `goal` is reached, and writes its certificate. If the table has
/// replaced a result that the certificate needs, searches again for this result. Every search
/// counts against the budget.
///
/// # Errors
/// [`NoCertificate::Refuted`] if the goal can't be forced, or with [`Method::Shortest`] can't be
/// forced within the given number of plies. `NoCertificate::Stopped` if the budget is exhausted.
pub fn prove<G: Notation>(
    game: &mut G,
    goal: Goal,
    method: Method,
    table: &mut Table,
    budget: &mut Budget,
) -> Result<Certificate, NoCertificate> {
    match method {
        Method::Any => {
            let mut search = ProofNumbers::new(table, goal);
            if search.solve(game, budget)? == Verdict::Refuted {
                return Err(NoCertificate::Refuted);
            }
            certify(game, goal, |game, budget| search.winner(game, budget), budget)
        }
        Method::Shortest(plies) => {
            let mut search = Deepening::new(table, goal);
            if !search.within(game, plies, budget)? {
                return Err(NoCertificate::Refuted);
            }
            let choose = |game: &mut G, budget: &mut Budget| {
                Ok(search.winner(game, u32::MAX, budget)?.map(|(mv, _)| mv))
            };
            certify(game, goal, choose, budget)
        }
    }
}

/// Writes the certificate of a strategy that reaches the goal. `choose` returns a move that reaches
/// the goal by force, or `None` if no move does. `choose` is called only for positions in which the
/// attacker moves and has no immediately winning move, and may use any search.
///
/// # Errors
/// [`NoCertificate::Hole`] if the strategy doesn't reach the goal. `NoCertificate::Stopped` if the
/// budget is exhausted.
pub fn certify<G: Notation>(
    game: &mut G,
    goal: Goal,
    choose: impl FnMut(&mut G, &mut Budget) -> Result<Option<G::Move>, Stopped>,
    budget: &mut Budget,
) -> Result<Certificate, NoCertificate> {
    let start = game.position_text();
    let mut walk = CertificateWriter {
        goal,
        choose,
        budget,
        known: HashMap::new(),
        moves: Vec::new(),
        text: String::new(),
        line: 0,
        count: 0,
    };
    let plies = walk.walk(game, 0)?;
    let CertificateWriter { text: moves, count, .. } = walk;
    let side = game.side_text(goal.side);
    let claim = if goal.draw_is_enough { "does not lose" } else { "wins" };
    let mut text = format!(
        "pentago certificate 1\ngame {}\nposition {start}\nclaim {side} {claim} within {plies}\n\
         moves {count}\n{moves}",
        game.game_text(),
    );
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Certificate { text: sealed(text), plies, moves: count })
}

/// Returns the text of a certificate with its last line, the checksum.
#[must_use]
pub fn sealed(mut text: String) -> String {
    let sum = checksum(text.as_bytes());
    let _ = writeln!(text, "checksum {sum:016x}");
    text
}

/// Returns the 64-bit FNV-1a hash (Fowler, Noll and Vo) of the bytes.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The maximum length of a line of the certificate that lists moves, in characters.
const WIDTH: usize = 100;

struct CertificateWriter<'a, G: Game, F> {
    goal: Goal,
    choose: F,
    budget: &'a mut Budget,
    /// The number of plies to the goal for each position whose walk is finished, keyed by the
    /// position's text.
    known: HashMap<String, u32>,
    /// A stack of the defender's replies in all positions on the current path.
    moves: Vec<G::Move>,
    text: String,
    /// The number of characters in the last line of `text`.
    line: usize,
    count: u64,
}

impl<G: Notation, F> CertificateWriter<'_, G, F>
where
    F: FnMut(&mut G, &mut Budget) -> Result<Option<G::Move>, Stopped>,
{
    /// Walks through all positions below the position of `game`, which is `depth` moves after the
    /// start. Returns the number of plies within which the goal is reached.
    fn walk(&mut self, game: &mut G, depth: usize) -> Result<u32, NoCertificate> {
        if let Some(outcome) = game.outcome() {
            return if self.goal.reached(outcome) { Ok(0) } else { Err(NoCertificate::Hole(depth)) };
        }
        let attacker = game.side() == self.goal.side;
        if attacker && game.winning_move().is_some() {
            return Ok(1);
        }
        let key = game.position_text();
        if let Some(&plies) = self.known.get(&key) {
            return Ok(plies);
        }
        let plies = if attacker {
            let mv = (self.choose)(game, self.budget)?.ok_or(NoCertificate::Hole(depth))?;
            self.write(&game.move_text(mv));
            1 + game.with_move(mv, |game| self.walk(game, depth + 1))?
        } else {
            1 + self.replies(game, depth)?
        };
        self.known.insert(key, plies);
        Ok(plies)
    }

    /// Walks through all positions below every reply of the defender. Returns the largest number of
    /// plies that the goal takes after a reply.
    fn replies(&mut self, game: &mut G, depth: usize) -> Result<u32, NoCertificate> {
        let first = self.moves.len();
        game.all_moves(&mut self.moves);
        let mut most = 0;
        for i in first..self.moves.len() {
            let mv = self.moves[i];
            let result = self
                .budget
                .tick()
                .map_err(NoCertificate::from)
                .and_then(|()| game.with_move(mv, |game| self.walk(game, depth + 1)));
            match result {
                Ok(plies) => most = most.max(plies),
                Err(error) => {
                    self.moves.truncate(first);
                    return Err(error);
                }
            }
        }
        self.moves.truncate(first);
        Ok(most)
    }

    fn write(&mut self, mv: &str) {
        self.count += 1;
        if self.line > 0 && self.line + 1 + mv.len() > WIDTH {
            self.text.push('\n');
            self.line = 0;
        }
        if self.line > 0 {
            self.text.push(' ');
            self.line += 1;
        }
        self.text.push_str(mv);
        self.line += mv.len();
    }
}
