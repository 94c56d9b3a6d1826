//! Pentago's solver as a computer player.
//!
//! The player searches 1, 2, 3... plies deep until the position is decided or the time is up. So it
//! plays the fastest win and the slowest loss within that depth. If the full solution is quick, the
//! player computes the full solution first. Positions in tables or openings are searched only for
//! quick wins. Among moves of the same known value, the player prefers the move after which the
//! opponent errs most easily: tables show how few replies keep the value. The best guess breaks
//! ties. If ties remain, the open lines decide.

use std::sync::Mutex;
use std::time::Duration;

use ::pentago::Question;
use ::pentago::ask::{Search, add_guess, guesses};
use ::pentago::ask::{Stored, look_up};
use ::pentago::rules::{Move, Position, Rules};
use ::pentago_core::answer::{Answer, MoveEval, Origin, Value};
use ::pentago_core::guess::prospects;
use ::pentago_core::solve::RootedSolver;
use ::pentago_tables::probe::Tables;
use pentago_base::lock;

use crate::context::{SearchContext, time};
use crate::error::Result;

/// The minimum depth of the search in plies, regardless of the time limit: a move and the reply. So
/// the player never overlooks a reply that wins at once.
const LEAST_PLIES: usize = 2;

/// The number of boards of the first guess. Its duration decides how many boards the next guess may
/// use.
const FEW_BOARDS: u64 = 20_000;
/// The maximum number of boards of a guess.
const MOST_BOARDS: u64 = 4_000_000;

/// The minimum number of marbles for proofs. With fewer marbles, short proofs decide almost
/// nothing: even in one minute, they decided only one of 24 positions of 7 marbles.
const PROVED_MARBLES: u32 = 8;

/// The maximum depth in plies of the search for a quick end of the game (a win or a loss) if tables
/// contain the best moves.
const STORED_PLIES: usize = 3;

/// A computer player that uses Pentago's solver.
pub struct PentagoOpponent<'a> {
    solver: &'a mut RootedSolver,
    question: &'a Question,
    context: &'a SearchContext<'a>,
    rules: Rules,
    began: Option<Duration>,
}

/// Returns the tables of the context. If the context has none, returns the openings.
pub fn stored<'a>(context: &SearchContext<'a>) -> Result<Stored<'a>> {
    if let Some(tables) = context.tables.and_then(|tables| tables.of::<::pentago::Tablebase>()) {
        return Ok(Stored::Tables(tables.tables()));
    }
    let openings = &mut *lock(&OPENINGS);
    #[cfg(feature = "openings")]
    if openings.is_none() {
        *openings = Some(Box::leak(Box::new(Tables::none().with_openings()?)));
    }
    Ok(openings.map_or(Stored::Nothing, Stored::Openings))
}

/// The published values of the first plies, which are built into the program or come from the web
/// page.
static OPENINGS: Mutex<Option<&'static Tables>> = Mutex::new(None);

/// Replaces the published values of the first plies by those in `bytes`, the content of the files
/// `openings*.bin` of the web page. Returns `false` if the bytes have another format.
pub fn take_openings(bytes: Vec<u8>) -> bool {
    // A page calls this function at most twice, so the bytes may stay allocated until the end.
    let Some(tables) = Tables::of_openings(bytes.leak()) else { return false };
    *lock(&OPENINGS) = Some(Box::leak(Box::new(tables)));
    true
}

impl<'a> PentagoOpponent<'a> {
    /// Returns a player for a question. The time limit of the question starts now.
    pub fn new(
        solver: &'a mut RootedSolver,
        question: &'a Question,
        context: &'a SearchContext<'a>,
        rules: Rules,
    ) -> PentagoOpponent<'a> {
        PentagoOpponent { solver, question, context, rules, began: context.clock.now() }
    }

    /// Returns the rest of the question's time.
    fn left(&self) -> Duration {
        time(self.question).saturating_sub(self.context.clock.since(self.began))
    }

    /// Returns `true` if a search of `plies` plies fits in memory and in the remaining time.
    fn fits(&self, position: &Position, plies: usize) -> bool {
        let estimate = self.solver.estimate(position, plies);
        let left = self.left().saturating_sub(time(self.question) / 4);
        estimate.bytes <= self.solver.memory && self.solver.seconds(estimate.boards) <= left.as_secs_f64()
    }

    /// Returns the answer of a search of `plies` plies, or `None` if the time ended first.
    fn search(&mut self, position: &Position, plies: usize) -> Result<Option<Answer>> {
        let time = self.question.time.filter(|_| plies > LEAST_PLIES).map(|_| self.left());
        let question =
            Question { depth: Some(plies as u32), guess_boards: Some(0), time, ..Question::default() };
        let answer = Search::new(position, &question, self.solver, self.context.control).answer()?;
        Ok(Some(answer).filter(|answer| answer.plies >= plies))
    }

    /// Returns the stored values of a position, or `None` if no best move is stored.
    fn stored(&self, position: &Position) -> Result<Option<Answer>> {
        let tables = match stored(self.context)? {
            Stored::Tables(tables) | Stored::Openings(tables) => tables,
            Stored::Nothing => return Ok(None),
        };
        let answer = look_up(tables, &self.rules, position)?;
        Ok(Some(answer).filter(|answer| answer.best > 0))
    }

    /// Returns `None`, because the program was compiled without tables.
    /// Chooses a move in a position whose game is not over. Also returns the deepest answer found.
    ///
    /// # Errors
    /// If the work was cancelled, a table is damaged, or not even a short search fits in memory.
    pub fn think(mut self, position: &Position) -> Result<(Move, Answer)> {
        let all = self.solver.all_plies(position);
        let full = if self.fits(position, all) { self.search(position, all)? } else { None };
        let stored = if full.is_none() { self.stored(position)? } else { None };
        if let Some(answer) = full.as_ref().or(stored.as_ref())
            && answer.value == Value::Draw
        {
            return Ok((self.choose(position, answer.best_moves())?, answer.clone()));
        }
        let proved = if full.is_none() && stored.is_none() { self.prove(position)? } else { None };
        if let Some(answer) = proved.as_ref().filter(|answer| answer.value == Value::Win) {
            let mv = pick(&self.rules, position, &best_length(answer.best_moves(), Value::Win));
            return Ok((mv, answer.clone()));
        }
        let (open, answer) = self.deepen(position, full, stored.is_some(), proved.as_ref())?;
        self.decide(position, open, answer, stored, proved.as_ref())
    }

    /// Searches for proofs, which can decide positions far from the end of the game. Returns `None`
    /// if the position has too few marbles.
    fn prove(&mut self, position: &Position) -> Result<Option<Answer>> {
        if position.board().marbles() < PROVED_MARBLES {
            return Ok(None);
        }
        let question = Question {
            time: self.question.time.map(|time| time * 3 / 8),
            proofs_only: true,
            guess_boards: Some(0),
            ..Question::default()
        };
        Search::new(position, &question, self.solver, self.context.control).prove().map(Some)
    }

    /// Searches 1, 2, 3... plies deep. If a search finds a win, returns its best moves. Otherwise
    /// returns the moves that are not known to lose, or hold out the longest if all moves lose.
    /// Also returns the deepest or most complete answer.
    fn deepen(
        &mut self,
        position: &Position,
        full: Option<Answer>,
        is_stored: bool,
        proved: Option<&Answer>,
    ) -> Result<(Vec<MoveEval>, Answer)> {
        let lost = |m: &MoveEval| {
            let by_proof = proved.and_then(|answer| answer.moves.iter().find(|other| other.mv == m.mv));
            m.value == Value::Loss || by_proof.is_some_and(|other| other.value == Value::Loss)
        };
        let mut open: Vec<MoveEval> = Vec::new();
        let mut deepest = full;
        for plies in 1..=self.solver.all_plies(position) {
            let enough = is_stored && plies > STORED_PLIES;
            if plies > LEAST_PLIES && (enough || !self.fits(position, plies)) {
                break;
            }
            let Some(answer) = self.search(position, plies)? else { break };
            open = open_moves(&answer, open);
            // Drop the moves that lose by a proof. If all open moves lose by a proof, keep all,
            // because they hold out the longest.
            if matches!(answer.value, Value::Draw | Value::Unknown) && !open.iter().all(lost) {
                open.retain(|m| !lost(m));
            }
            let decided = answer.value != Value::Unknown;
            // A complete answer contains the value of every move, so never replace a complete
            // answer.
            if deepest.as_ref().is_none_or(|deepest| !deepest.complete) {
                deepest = Some(answer);
            }
            if decided {
                break;
            }
        }
        Ok((open, deepest.expect("a position whose game is not over has a first ply")))
    }

    /// Chooses among the open moves, using the results of the search, the tables and the proofs.
    fn decide(
        &self,
        position: &Position,
        mut open: Vec<MoveEval>,
        mut answer: Answer,
        stored: Option<Answer>,
        proved: Option<&Answer>,
    ) -> Result<(Move, Answer)> {
        if let Some(stored) = stored.filter(|_| answer.value == Value::Unknown) {
            // If the position is won, any move that keeps the win is good enough. If the position
            // is lost, the open moves hold out the longest.
            if stored.value == Value::Win {
                open = stored.best_moves().to_vec();
            }
            return Ok((self.choose(position, &open)?, stored));
        }
        if let Some(proved) = proved {
            answer.add_proofs(proved);
        }
        if answer.complete {
            // If no open move is a best move, time ran out before the fastest win was found. Then
            // accept any best move.
            let best = answer.best_moves();
            let known: Vec<MoveEval> =
                open.iter().filter(|m| best.iter().any(|b| b.mv == m.mv)).cloned().collect();
            open = if known.is_empty() { best.to_vec() } else { known };
        }
        let mv = match answer.value {
            Value::Unknown => {
                self.in_time(|boards| add_guess(&mut answer, position, self.solver, boards));
                for m in &mut open {
                    m.guess =
                        answer.moves.iter().find(|other| other.mv == m.mv).and_then(|other| other.guess);
                }
                pick(&self.rules, position, &open)
            }
            Value::Win => pick(&self.rules, position, &open),
            Value::Draw => self.choose(position, &open)?,
            Value::Loss => {
                let is_open = |m: &&MoveEval| open.iter().any(|other| other.mv == m.mv);
                let lost: Vec<MoveEval> = answer.moves.iter().filter(is_open).cloned().collect();
                self.choose(position, &best_length(&lost, Value::Loss))?
            }
        };
        Ok((mv, answer))
    }

    /// Chooses among moves of the same value the move after which the opponent errs most easily.
    /// Treats all moves as equally good if the tables lack the value of a reply, or if half of the
    /// time is used.
    fn choose(&self, position: &Position, moves: &[MoveEval]) -> Result<Move> {
        let mut hardest = Vec::new();
        let mut least = None;
        let late = || self.context.clock.since(self.began) > time(self.question) / 2;
        for m in moves {
            let kept = if late() { None } else { self.replies_that_keep(&m.position)? };
            let Some(kept) = kept else {
                hardest = moves.to_vec();
                break;
            };
            if least.is_none_or(|least| kept < least) {
                (least, hardest) = (Some(kept), Vec::new());
            }
            if least == Some(kept) {
                hardest.push(m.clone());
            }
        }
        let open: Vec<Move> = hardest.iter().map(|m| m.mv).collect();
        self.in_time(|boards| {
            let guess = guesses(&open, position, self.solver, boards);
            for (m, score) in hardest.iter_mut().zip(guess.scores) {
                m.guess = score;
            }
            guess.boards
        });
        Ok(pick(&self.rules, position, &hardest))
    }

    /// Returns how many of a thousand replies keep the value of a position, or `None` if the tables
    /// lack the value of a reply.
    fn replies_that_keep(&self, position: &Position) -> Result<Option<usize>> {
        let known = self.stored(position)?.filter(|answer| answer.complete);
        Ok(known.map(|answer| 1000 * answer.best / answer.moves.len()))
    }

    /// Calls `guess` with a few boards, and then with as many boards as the remaining time allows.
    /// `guess` returns the number of boards that it evaluated.
    fn in_time(&self, mut guess: impl FnMut(u64) -> u64) {
        let (clock, time) = (self.context.clock, time(self.question));
        let began = clock.now();
        let few = guess(FEW_BOARDS);
        let took = clock.since(began).as_secs_f64();
        let left = self.left().max(time / 4).saturating_mul(7) / 8;
        let boards = few as f64 * left.as_secs_f64() / took.max(1e-6);
        // Without a clock, the remaining time is unknown, so make no second guess.
        if began.is_some() && boards > FEW_BOARDS as f64 {
            guess((boards as u64).min(MOST_BOARDS));
        }
    }
}

/// Returns the best moves if the position is won. Otherwise returns the moves that aren't known to
/// lose. If all moves lose, returns `before`, the open moves of the previous depth, because they
/// hold out the longest. Kept proofs may show this before the search knows the position's value.
fn open_moves(answer: &Answer, before: Vec<MoveEval>) -> Vec<MoveEval> {
    let open: Vec<MoveEval> = match answer.value {
        Value::Win => answer.best_moves().to_vec(),
        _ => answer.moves.iter().filter(|m| m.value != Value::Loss).cloned().collect(),
    };
    match (open.is_empty(), before.is_empty()) {
        (false, _) => open,
        (true, false) => before,
        (true, true) => answer.moves.clone(),
    }
}

/// Returns the moves of a value with the best upper bound on the number of plies to the end of the
/// game: the least for wins, the greatest for losses.
fn best_length(moves: &[MoveEval], value: Value) -> Vec<MoveEval> {
    let within = |m: &MoveEval| match m.origin {
        Origin::Proof { within, .. } => within,
        _ => 0,
    };
    let bounds = moves.iter().map(within);
    let best = if value == Value::Win { bounds.min() } else { bounds.max() };
    moves.iter().filter(|m| Some(within(m)) == best).cloned().collect()
}

/// Returns the move with the best guess. Among moves with equal guesses, returns the first move
/// after which the mover has the best open lines.
fn pick(rules: &Rules, position: &Position, moves: &[MoveEval]) -> Move {
    let mover = position.to_move();
    let promise = |m: &&MoveEval| {
        let board = m.position.board();
        (m.guess, prospects(rules, board.of(mover), board.of(mover.other())))
    };
    // `max_by_key` returns the last of equal elements, so the order is reversed.
    moves.iter().rev().max_by_key(promise).expect("a position whose game is not over has moves").mv
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the answer of a search of `depth` plies.
    fn searched(board: &str, depth: u32) -> Answer {
        let rules = Rules::default();
        let position = rules.parse_position(board).unwrap();
        let (kernel, threads) = (pentago_core::kernel::Kernel::best(), std::num::NonZeroUsize::MIN);
        let mut solver = RootedSolver::new(rules, kernel, threads, 1 << 26);
        let question = Question { depth: Some(depth), ..Question::default() };
        Search::new(&position, &question, &mut solver, &::pentago::Control::new()).answer().unwrap()
    }

    #[test]
    fn some_move_is_always_open() {
        let mut answer = searched("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o", 1);
        let open = open_moves(&answer, Vec::new());
        assert!(!open.is_empty() && answer.value == Value::Unknown);
        // All moves lose by kept proofs, although the search hasn't decided the position.
        answer.moves.iter_mut().for_each(|m| m.value = Value::Loss);
        assert_eq!(open_moves(&answer, Vec::new()).len(), answer.moves.len());
        assert_eq!(open_moves(&answer, open[..1].to_vec()).len(), 1);
    }

    #[test]
    fn proofs_are_added() {
        // At twelve marbles, proofs decide much more than a search of two plies.
        let mut shallow = searched("3X2/3X1X/1X3O/3O1O/1XO2O/4XO x", 2);
        let unknown = |answer: &Answer| answer.moves.iter().filter(|m| m.value == Value::Unknown).count();
        let mut proved = shallow.clone();
        let mv = shallow.moves.iter().find(|m| m.value == Value::Unknown).unwrap().mv;
        let origin = Origin::Proof { sockets: 8, depth: 1, within: 9 };
        for m in proved.moves.iter_mut().filter(|m| m.mv == mv) {
            (m.value, m.origin) = (Value::Win, origin.clone());
        }
        (proved.value, proved.origin) = (Value::Win, origin.clone());
        let before = unknown(&shallow);
        shallow.add_proofs(&proved);
        assert_eq!((shallow.value, &shallow.origin, unknown(&shallow)), (Value::Win, &origin, before - 1));
        assert_eq!(shallow.best_moves().iter().map(|m| m.mv).collect::<Vec<_>>(), [mv]);
    }

    #[test]
    fn open_lines_promise() {
        let rules = Rules::default();
        let of = |text: &str| {
            let board = rules.parse_position(text).unwrap().board();
            prospects(&rules, board.x, board.o)
        };
        assert_eq!(of("6/6/6/6/6/6"), 0);
        assert_eq!(of("X5/6/6/6/6/O5"), 0);
        // A marble on c4 lies on more lines than a marble in a corner.
        assert!(of("6/6/2X3/6/6/O5") > 0);
        assert!(of("XXXX2/6/6/6/6/O1O1OO") > of("XXX1X1/6/6/6/6/OO1OO1"));
    }
}
