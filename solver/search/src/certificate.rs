//! Certificates: a proof that a goal is reached, which a program that knows only the rules can
//! check.
//!
//! A certificate is the list of the attacker's moves in the order in which a walk through the game
//! meets the positions where he has no winning move at once: `certificate-format.md` is the
//! normative text. The walk answers with the moves of a [`Strategy`], and plays every reply.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::deepening::Deepening;
use crate::proof_numbers::{ProofNumbers, Verdict};
use crate::{Game, Goal, Notation, Table};
use pentago_base::{Budget, Stopped};

/// A proof that the attacker reaches his goal, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The text, ready to be written to a file.
    pub text: String,
    /// The goal is reached within this number of plies by the moves of the certificate.
    pub plies: u32,
    /// The number of positions with a move: those where the attacker has no winning move at once.
    pub moves: u64,
}

/// Why there is no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCertificate {
    /// The goal can't be reached, or not within the limit.
    #[error("there is nothing to certify: the goal isn't reached by force")]
    Refuted,
    /// The budget was spent.
    #[error("the search was stopped before there was a complete proof")]
    Stopped,
    /// The strategy, or the game, is at fault: a move that it called winning isn't.
    #[error("the proof has a hole {0} moves from the start: please report this with the position")]
    Hole(usize),
}

impl From<Stopped> for NoCertificate {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// How a proof is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The shortest win of at most this number of plies, by full-width search.
    Shortest(u32),
    /// Any win, by proof-number search: deeper, with fewer positions searched.
    Any,
}

/// The attacker's moves, wherever the proof needs one.
pub trait Strategy<G: Game> {
    /// A move that reaches the goal by force, or `None` if there is none. Asked where the attacker
    /// moves and has no winning move at once.
    ///
    /// # Errors
    /// If the budget doesn't suffice.
    fn choose(&mut self, game: &mut G, budget: &mut Budget) -> Result<Option<G::Move>, Stopped>;
}

impl<G: Game> Strategy<G> for ProofNumbers<'_, G> {
    fn choose(&mut self, game: &mut G, budget: &mut Budget) -> Result<Option<G::Move>, Stopped> {
        self.winner(game, budget)
    }
}

impl<G: Game> Strategy<G> for Deepening<'_, G> {
    fn choose(&mut self, game: &mut G, budget: &mut Budget) -> Result<Option<G::Move>, Stopped> {
        Ok(self.winner(game, u32::MAX, budget)?.map(|(mv, _)| mv))
    }
}

/// Searches for a proof that `goal` is reached, and writes it down. What the table has lost on the
/// way is searched again; all of it counts in the budget.
///
/// # Errors
/// If there is no proof, or none was found in time. With [`Method::Shortest`] and a goal that is
/// reached, but later, it is [`NoCertificate::Refuted`].
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
            certify(game, goal, &mut search, budget)
        }
        Method::Shortest(plies) => {
            let mut search = Deepening::new(table, goal);
            if !search.within(game, plies, budget)? {
                return Err(NoCertificate::Refuted);
            }
            certify(game, goal, &mut search, budget)
        }
    }
}

/// Writes down a strategy that reaches the goal, from any search.
///
/// # Errors
/// [`NoCertificate::Hole`] if it doesn't; if the budget doesn't suffice.
pub fn certify<G: Notation, S: Strategy<G>>(
    game: &mut G,
    goal: Goal,
    strategy: &mut S,
    budget: &mut Budget,
) -> Result<Certificate, NoCertificate> {
    let start = game.position_text();
    let mut walk = CertificateWriter {
        goal,
        strategy,
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
    let sum = checksum(text.as_bytes());
    let _ = writeln!(text, "checksum {sum:016x}");
    Ok(Certificate { text, plies, moves: count })
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo).
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Lines of moves in the text are broken here.
const WIDTH: usize = 100;

struct CertificateWriter<'a, G: Game, S> {
    goal: Goal,
    strategy: &'a mut S,
    budget: &'a mut Budget,
    /// The positions that are done, by their text, with the plies to the goal.
    known: HashMap<String, u32>,
    /// The replies of all positions on the way.
    moves: Vec<G::Move>,
    text: String,
    /// Characters in the present line of the text.
    line: usize,
    count: u64,
}

impl<G: Notation, S: Strategy<G>> CertificateWriter<'_, G, S> {
    /// Walks through everything below this position, `depth` moves from the start; returns within
    /// how many plies the goal is reached.
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
            let mv = self.strategy.choose(game, self.budget)?.ok_or(NoCertificate::Hole(depth))?;
            self.write(&game.move_text(mv));
            let undo = game.make(mv);
            let below = self.walk(game, depth + 1);
            game.unmake(mv, undo);
            1 + below?
        } else {
            1 + self.replies(game, depth)?
        };
        self.known.insert(key, plies);
        Ok(plies)
    }

    /// Walks through everything below every reply; returns the most plies.
    fn replies(&mut self, game: &mut G, depth: usize) -> Result<u32, NoCertificate> {
        let first = self.moves.len();
        game.all_moves(&mut self.moves);
        let mut most = 0;
        for i in first..self.moves.len() {
            let mv = self.moves[i];
            let result = self.budget.tick().map_err(NoCertificate::from).and_then(|()| {
                let undo = game.make(mv);
                let below = self.walk(game, depth + 1);
                game.unmake(mv, undo);
                below
            });
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
