//! Proofs: who wins, where the full solution is out of reach.
//!
//! The players' means are unequal: the one who is to win, the *attacker*, is restricted, the
//! defender never is. Where the restricted attacker wins, he wins the game; where he doesn't,
//! nothing follows, so a proof says "won" or nothing.
//!
//! - `counted`: a proof on a set S of a few sockets. The attacker places on S only. The defender's
//!   marbles on S are located, the others are only counted and lie wherever they help him. It
//!   computes all rotations of one parity at once, as the rooted solver does, with the rows of
//!   `kernel::proof`.
//! - `located`: a proof with few placements of the attacker, on all sockets, in which all of the
//!   defender's marbles are located: a search of full width for the wins of one player.
//! - `choice`: which sockets are in S.
//! - `search`: an AND/OR search over placements around such proofs, deepened ply by ply, with a
//!   mask of the rotations that are asked about.
//! - `table`: what is known of the boards met, for each of the players as attacker.
//! - `kept`: what was shown of positions, for later questions.
//!
//! Rule options: `dir`, `both=mover`, `last=stop`, `place=turn` and declined turns are exact (a
//! declined turn is worth the turn of a quadrant that it leaves as it is). With `reply=place` a board
//! with five of both players is taken for no win of the player who turned: never a false claim, at
//! worst a missing one.

mod choice;
mod counted;
mod kept;
mod lines;
mod located;
mod search;
mod sets;
mod table;
#[cfg(test)]
mod tests;

use crate::answer::{MoveEval, Origin, RuledOut, Value};
use crate::kernel::Kernel;
use crate::rules::{Move, Played, Position, Rules, TurnPart};
use crate::supers::Half;
use crate::supers::half::half_index;
use crate::symmetry::turned;
use crate::threads;
use counted::Workspace;
pub use kept::Kept;
use pentago_base::{Clock, Control, Stopped};
pub use search::Growth;
use search::{MOST_DEPTH, Node, Progress, Search};
use std::num::NonZeroUsize;
use std::time::Duration;
use table::{Known, Table};

/// Sockets of a proof at most, memory permitting (`bench/README.md#growth-of-a-search`).
const MOST_SOCKETS: usize = 18;
/// Boards of counted proofs in the first stint of each search; each stint is [`LONGER`] than the one
/// before it (`bench/README.md#turns-of-the-two-searches`).
const FIRST_STINT: u64 = 100_000;
/// See [`FIRST_STINT`], in percent.
const LONGER: u64 = 150;
/// Bytes of the tables of both players at most; the copies that they are given of each other come on
/// top.
const TABLE_BYTES: u64 = 64 << 20;

/// What the search for proofs may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Boards to compute; the same limit gives the same answer.
    pub boards: u64,
    /// The clock's time when to stop, wherever it is.
    pub end: Option<Duration>,
    /// The clock.
    pub clock: Clock,
    /// Bytes of memory.
    pub memory: u64,
    /// Go on until every move is decided, not the position alone.
    pub every_move: bool,
    /// How the search grows.
    pub growth: Growth,
}

/// What was proved of a position.
#[derive(Debug)]
pub struct Verdict {
    /// Its value, as far as the proofs show it.
    pub value: Value,
    /// By which proof.
    pub origin: Origin,
    /// Every legal move.
    pub moves: Vec<MoveEval>,
    /// What is ruled out of the others.
    pub ruled_out: RuledOut,
    /// Boards computed, without those of a stint that was given up.
    pub boards: u64,
}

/// Proves what can be proved of a position whose game is not over, within the limits, and beyond what is
/// kept of earlier proofs. One thread is the calling one, more are those of the rayon pool.
///
/// # Errors
/// If it was stopped.
pub fn prove(
    rules: Rules,
    kernel: Kernel,
    threads: NonZeroUsize,
    position: &Position,
    limits: Limits,
    kept: Option<&Kept>,
    control: &Control,
) -> Result<Verdict, Stopped> {
    let new = || Workspace::new(rules, kernel, threads);
    let [first, second] = [new(), new()];
    let table = (limits.memory / 16).min(TABLE_BYTES / 2);
    let free = position.board().free(rules.shape).count_ones() as usize;
    // Each player's search has a table and a copy of the other's. One that grows is there twice for
    // a moment, the old one half as large.
    let counted = |s: usize| 2 * first.bytes(s) + first.task_bytes(s) + 5 * table;
    let fits = |s: &usize| counted(*s) <= limits.memory;
    let most = (0..=MOST_SOCKETS.min(free)).rev().find(fits);
    let lost = kept.and_then(|kept| kept.get(&rules, position)).filter(|found| found.value == Value::Loss);
    let mut root = Root { rules, position, moves: Vec::new(), lost };
    let Some(most) = most else { return Ok(root.verdict(Value::Unknown, RuledOut::default(), 0)) };
    // A located proof takes the place of the levels of counted ones, but for those of the other search.
    let rest = first.bytes(most) + first.bytes_without_levels(most) + first.task_bytes(most) + 5 * table;
    let memory_of_located = limits.memory - rest;
    let part = control.until(&limits.clock, limits.end);
    let search = |attacker, workspace| Search {
        attacker,
        workspace,
        table: Table::new(table),
        theirs: Table::new(table),
        board: rules.shape.board_mask(),
        growth: limits.growth,
        most,
        control: part.clone(),
        clock: limits.clock.clone(),
        progress: Progress::BEGIN,
        pace: None,
        memory: memory_of_located,
        wins: Vec::new(),
        budget: limits.boards / 2,
        pause: u64::MAX,
        paused: false,
    };
    let parallel = threads.get() > 1;
    let mut searches = Searches {
        each: [search(0, first), search(1, second)],
        parallel,
        whole: control,
        part: part.clone(),
    };
    root.list_moves(kept);
    root.deepen(&mut searches)?;
    // The other moves, by small proofs each: a small part of what the rest took, unless all are
    // asked for.
    let depths = if limits.every_move {
        MOST_DEPTH
    } else {
        let more = (searches.boards() / 4).max(4_000_000);
        for search in &mut searches.each {
            search.budget = search.budget.min(search.progress.boards.saturating_add(more / 2));
        }
        2
    };
    root.look_at_moves(&mut searches, depths)?;
    root.keep(kept);
    Ok(root.verdict(root.value(), searches.ruled_out(position), searches.boards()))
}

/// The searches for wins of either player. Each goes on for *stints* of equally many boards of counted
/// proofs, one after the other or at the same time. After each stint they compare what they have found,
/// so that the number of threads changes nothing.
struct Searches<'a> {
    /// By attacker.
    each: [Search; 2],
    parallel: bool,
    /// What stops all of it, and what ends the searches: that, or their time is up.
    whole: &'a Control,
    part: Control,
}

impl Searches<'_> {
    /// Boards computed.
    fn boards(&self) -> u64 {
        self.each.iter().map(|search| search.progress.boards).sum()
    }

    /// What both rule out of the position, and so of each of its moves that isn't decided.
    fn ruled_out(&self, position: &Position) -> RuledOut {
        // A pending turn is asked about at several rotations.
        let plies = |search: &Search| if position.pending() { 0 } else { search.progress.ruled_out };
        let [win, loss] = self.each.each_ref().map(plies);
        RuledOut { win, loss }
    }

    /// Begins a stint, which is over after a number of boards, or when a search has decided the
    /// position and cancels its control.
    fn begin(&mut self, boards: u64) {
        let stint = self.part.until(&Clock::none(), None);
        for search in &mut self.each {
            (search.control, search.pause, search.paused) = (stint.clone(), boards, false);
        }
    }

    /// Lets both search.
    ///
    /// # Errors
    /// If they were stopped.
    fn run<R: Send>(
        &mut self,
        work: impl Fn(&mut Search) -> Result<R, Stopped> + Sync,
    ) -> Result<[Result<R, Stopped>; 2], Stopped> {
        let [first, second] = &mut self.each;
        let (first, second) = threads::join(self.parallel, || work(first), || work(second));
        if first.is_err() || second.is_err() {
            self.whole.check()?;
        }
        Ok([first, second])
    }

    /// Makes the located proofs that are due, one after the other, since each takes all threads and all
    /// the memory. What both searches end with, if one does.
    ///
    /// # Errors
    /// If they were stopped.
    fn locate(
        &mut self,
        work: impl Fn(&mut Search) -> Result<Option<Known>, Stopped>,
    ) -> Result<Option<[Result<Known, Stopped>; 2]>, Stopped> {
        for search in &mut self.each {
            let Some(end) = work(search).transpose() else { continue };
            if end.is_err() {
                self.whole.check()?;
            }
            let mut ends = [Err(Stopped), Err(Stopped)];
            ends[search.attacker] = end;
            return Ok(Some(ends));
        }
        Ok(None)
    }

    /// Tells each what the other has found.
    fn compare(&mut self) {
        let [first, second] = &mut self.each;
        first.theirs.copy_from(&second.table);
        second.theirs.copy_from(&first.table);
        let pace = first.pace.max(second.pace);
        (first.pace, second.pace) = (pace, pace);
    }
}

/// How a move's value was found: by whose wins, and in how many plies.
#[derive(Clone, Copy, Debug)]
struct Found {
    value: Value,
    sockets: u8,
    depth: u8,
    within: usize,
}

impl Found {
    /// How a search found a board to be won at a rotation.
    fn of(search: &Search, node: &Node, bit: usize, known: &Known, value: Value) -> Found {
        if let Some(win) = search.located_win(node, bit) {
            return Found { value, sockets: win.sockets, depth: 0, within: usize::from(win.plies) };
        }
        // A win that came from the proof of the board above has no sockets of its own.
        let sockets = known.sockets.max(search.growth.base as u8);
        Found { value, sockets, depth: search.progress.depth, within: usize::from(known.plies) }
    }

    /// The same of a move, for the player who makes it, if this is of the position after it.
    fn before(self) -> Found {
        Found { value: self.value.negate(), within: self.within + 1, ..self }
    }

    /// The same of the position after a move, for the other player, if this is of the move.
    fn after(self) -> Found {
        Found { value: self.value.negate(), within: self.within.saturating_sub(1), ..self }
    }

    /// The source of the value.
    fn origin(&self) -> Origin {
        Origin::Proof { sockets: self.sockets, depth: self.depth, within: self.within }
    }
}

/// The position that is asked about; player 0 is the one who moves there.
struct Root<'a> {
    rules: Rules,
    position: &'a Position,
    /// All legal moves.
    moves: Vec<ProvedMove>,
    /// How the position is lost, once that is proved.
    lost: Option<Found>,
}

/// A move and what is proved of it.
struct ProvedMove {
    mv: Move,
    played: Played,
    found: Option<Found>,
}

impl Root<'_> {
    /// The board as the search sees it: with a pending turn the other player is to place, one turn
    /// later.
    fn node(&self) -> Node {
        let pending = self.position.pending();
        Node {
            sets: [self.position.own(), self.position.others()],
            mover: usize::from(pending),
            parity: u8::from(pending),
        }
    }

    /// The board after a move, and the bit of the rotation that its turn leads to.
    fn after(&self, m: &ProvedMove) -> Option<(Node, usize)> {
        let turn = match m.mv.turn {
            TurnPart::Turn(turn) => turn,
            // Declining is legal where turning some quadrant would change nothing; so it is worth
            // the same.
            TurnPart::Skip | TurnPart::None => m.played.position.board().idle_turn(self.rules.shape)?,
        };
        let bit = half_index(turned([0; 4], usize::from(turn.quadrant), turn.clockwise));
        let node = self.node();
        Some((m.mv.place.map_or(node, |socket| node.child(socket.bit())), bit))
    }

    /// The boards after the moves of which nothing is proved, with the bits of their rotations.
    fn open(&self) -> impl Iterator<Item = (Node, usize)> {
        self.moves.iter().filter(|m| m.found.is_none()).filter_map(|m| self.after(m))
    }

    /// All moves, with what the rules say of them and what is kept.
    fn list_moves(&mut self, kept: Option<&Kept>) {
        for mv in self.rules.moves(self.position) {
            let Ok(played) = self.rules.play(self.position, mv) else { continue };
            let found = match played.outcome {
                Some(outcome) => {
                    let value = Value::of(outcome, self.position.to_move());
                    Some(Found { value, sockets: 0, depth: 0, within: 1 })
                }
                None => kept.and_then(|kept| kept.get(&self.rules, &played.position)).map(Found::before),
            };
            self.moves.push(ProvedMove { mv, played, found });
        }
    }

    /// Keeps what was proved of the position and of its moves.
    fn keep(&self, kept: Option<&Kept>) {
        let Some(kept) = kept else { return };
        let keep = |position: &Position, found: Found| {
            // What the rules alone say is no proof.
            if found.sockets > 0 {
                kept.keep(&self.rules, position, found);
            }
        };
        for m in self.moves.iter().filter(|m| m.played.outcome.is_none()) {
            let Some(found) = m.found.or(self.lost) else { continue };
            keep(&m.played.position, found.after());
        }
        if let Some(found) = self.decided() {
            keep(self.position, found);
        }
    }

    /// Searches of depth 0, 1, 2... for wins of either player, until the position is decided.
    fn deepen(&mut self, searches: &mut Searches) -> Result<(), Stopped> {
        if self.value() != Value::Unknown {
            return Ok(());
        }
        let node = self.node();
        let bits: Vec<usize> = self.open().map(|(_, bit)| bit).collect();
        let need = if self.position.pending() {
            bits.iter().fold(Half::NONE, |need, &bit| need.with(bit, true))
        } else {
            Half::NONE.with(0, true)
        };
        let mut stint = FIRST_STINT;
        let mut until = stint;
        loop {
            let begun = searches.each.each_ref().map(|search| search.progress);
            // A pending turn needs one rotation that is won, its defence all of them.
            let pending = self.position.pending();
            searches.begin(until);
            let by_located =
                searches.locate(|search| search.locate(&node, need, pending && search.attacker == 0))?;
            let found = match by_located {
                Some(found) => found,
                None => searches.run(|search| {
                    let known = search.deepen(&node, need, pending && search.attacker == 0)?;
                    search.control.cancel();
                    Ok(known)
                })?,
            };
            for (attacker, known) in found.iter().enumerate() {
                let Ok(known) = known else { continue };
                let [first, second] = &mut searches.each;
                let (winner, other) = if attacker == 0 { (first, second) } else { (second, first) };
                if attacker == 1 && !pending {
                    self.lost = Some(Found::of(winner, &node, 0, known, Value::Loss));
                }
                other.set_back(begun[1 - attacker], &winner.theirs);
            }
            searches.compare();
            self.harvest(searches);
            let goes_on = searches.each.iter().any(|search| search.paused);
            if found.iter().any(Result::is_ok) || self.value() != Value::Unknown || !goes_on {
                break;
            }
            stint = stint.saturating_mul(LONGER) / 100;
            until = until.saturating_add(stint);
        }
        searches.begin(u64::MAX);
        Ok(())
    }

    /// Takes from the tables what they say of the moves.
    fn harvest(&mut self, searches: &Searches) {
        for i in 0..self.moves.len() {
            if self.moves[i].found.is_some() {
                continue;
            }
            let Some((node, bit)) = self.after(&self.moves[i]) else { continue };
            for (search, value) in searches.each.iter().zip([Value::Win, Value::Loss]) {
                let known = search.known(&node);
                if known.won.get(bit) || search.located_win(&node, bit).is_some() {
                    let found = Found::of(search, &node, bit, &known, value);
                    self.moves[i].found = Some(Found { within: found.within + 1, ..found });
                }
            }
        }
    }

    /// Small proofs of every move that is still open, for both players.
    fn look_at_moves(&mut self, searches: &mut Searches, depths: u8) -> Result<(), Stopped> {
        if self.lost.is_some() {
            return Ok(());
        }
        for depth in 0..depths {
            // All open moves with the same placement at once.
            let mut open: Vec<(Node, Half)> = Vec::new();
            for (node, bit) in self.open() {
                match open.iter_mut().find(|(other, _)| other.sets == node.sets) {
                    Some((_, need)) => *need = need.with(bit, true),
                    None => open.push((node, Half::NONE.with(bit, true))),
                }
            }
            if open.is_empty() {
                break;
            }
            let done = searches.run(|search| {
                search.progress.depth = depth;
                open.iter().try_for_each(|(node, need)| search.visit(node, *need, depth).map(drop))
            })?;
            searches.compare();
            self.harvest(searches);
            if done.iter().all(Result::is_err) {
                break;
            }
        }
        Ok(())
    }

    /// The value as far as it is proved.
    fn value(&self) -> Value {
        let values = self.moves.iter().map(|m| m.found.map_or(Value::Unknown, |found| found.value));
        match (Value::best_of(values).unwrap_or(Value::Loss), self.lost) {
            (Value::Win, _) => Value::Win,
            (_, Some(_)) => Value::Loss,
            (best, None) => best,
        }
    }

    /// How the value was found, if it was.
    fn decided(&self) -> Option<Found> {
        let value = self.value();
        let of_value = || self.moves.iter().filter_map(|m| m.found).filter(|f| f.value == value);
        match value {
            Value::Win => of_value().min_by_key(|f| f.within),
            Value::Loss => self.lost.or(of_value().max_by_key(|f| f.within)),
            Value::Draw | Value::Unknown => None,
        }
    }

    fn verdict(&self, value: Value, ruled_out: RuledOut, boards: u64) -> Verdict {
        let all = self.position.board().free(self.rules.shape).count_ones() as usize
            + usize::from(self.position.pending());
        let lost = self.lost.filter(|_| value == Value::Loss);
        let moves: Vec<MoveEval> = self
            .moves
            .iter()
            .map(|ProvedMove { mv, played, found }| {
                // Where the position is lost, every move is.
                let found = found.or(lost).map(|f| Found { within: f.within.min(all), ..f });
                let origin = match (&found, played.outcome) {
                    (_, Some(_)) => Origin::Rules,
                    (Some(found), None) => found.origin(),
                    (None, None) => Origin::open(ruled_out),
                };
                let value = found.map_or(Value::Unknown, |f| f.value);
                MoveEval { mv: *mv, position: played.position, value, distance: None, origin, guess: None }
            })
            .collect();
        let found = self.decided().map(|f| Found { within: f.within.min(all), ..f });
        let origin = match (value, &found) {
            (Value::Unknown, _) => Origin::open(ruled_out),
            (_, Some(found)) if found.sockets > 0 => found.origin(),
            _ => Origin::Rules,
        };
        Verdict { value, origin, moves, ruled_out, boards }
    }
}
