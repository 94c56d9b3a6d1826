//! The root of a proof: the position of the question, and the moves of this position.

use super::cache::ProofCache;
use super::search::{BASE, Node, ProofSearch};
use super::searches::Searches;
use super::table::BoardResult;
use super::value::ProvedValue;
use crate::answer::{MoveEval, Origin, RuledOut, Value};
use crate::rules::{Move, Played, Position, Rules, TurnPart};
use crate::supers::Half;
use crate::supers::half::half_index;
use crate::symmetry::turned;
use pentago_base::Stopped;

/// The number of boards of counted proofs in the first stint of each search. Each later stint is
/// longer, by the factor [`LONGER`] (`bench/README.md#turns-of-the-two-searches`).
const FIRST_STINT: u64 = 100_000;
/// The length of a stint, in percent of the preceding stint's length.
const LONGER: u64 = 150;

/// The proved value of a position.
#[derive(Debug)]
pub struct Verdict {
    /// The value, or [`Value::Unknown`] if no proof decides the value.
    pub value: Value,
    /// The proof that decides the value, or the reason why the value is unknown.
    pub origin: Origin,
    /// All legal moves, with their values as far as known.
    pub moves: Vec<MoveEval>,
    /// The results that the proofs exclude for the undecided moves.
    pub ruled_out: RuledOut,
    /// The number of computed boards. Boards of a stint whose progress was reset are not included.
    pub boards: u64,
}

/// The position of the question. Player 0 is the side to move in this position.
pub(super) struct ProofRoot<'a> {
    rules: Rules,
    position: &'a Position,
    /// All legal moves.
    moves: Vec<ProvedMove>,
    /// The proof that the position is lost, or `None` if no such proof has been found.
    lost: Option<ProvedValue>,
}

/// A move and its proved value, or `None` if no proof decides the move.
struct ProvedMove {
    mv: Move,
    played: Played,
    proved: Option<ProvedValue>,
}

/// Returns the proved value of a board that `search` won for its attacker at the rotation `bit`.
/// `value` is the value of that win for the side to move at the root.
fn proved(search: &ProofSearch, node: &Node, bit: usize, result: &BoardResult, value: Value) -> ProvedValue {
    if let Some(win) = search.full_width_win(node, bit) {
        return ProvedValue { value, sockets: win.sockets, depth: 0, within: usize::from(win.plies) };
    }
    // If the board was won by the proof of its parent, `result.sockets` is 0. In this case, report
    // the number of sockets of the smallest proof.
    let sockets = result.sockets.max(BASE as u8);
    ProvedValue { value, sockets, depth: search.progress.depth, within: usize::from(result.plies) }
}

impl<'a> ProofRoot<'a> {
    /// Creates a root without moves. If the cache contains a proof that the position is lost, the
    /// root stores the proof.
    pub fn new(rules: Rules, position: &'a Position, cache: Option<&ProofCache>) -> ProofRoot<'a> {
        let lost = cache.and_then(|cache| cache.get(&rules, position));
        let lost = lost.filter(|proved| proved.value == Value::Loss);
        ProofRoot { rules, position, moves: Vec::new(), lost }
    }

    /// Returns the board of the position as a node of the search. If a turn is pending, the turn
    /// comes first. The node then starts with the other player's placement, at rotations of the
    /// other parity.
    fn node(&self) -> Node {
        let pending = self.position.pending();
        Node {
            sets: [self.position.own(), self.position.others()],
            mover: usize::from(pending),
            parity: u8::from(pending),
        }
    }

    /// Returns the board after the placement of a move, and the index of the rotation after the
    /// turn of the move. Returns `None` for a move without a turn on a board that every turn
    /// changes.
    fn after(&self, m: &ProvedMove) -> Option<(Node, usize)> {
        let turn = match m.mv.turn {
            TurnPart::Turn(turn) => turn,
            // The rules allow declining the turn only if some turn leaves the board unchanged. Use
            // such a turn instead, because both moves have equal values.
            TurnPart::Skip | TurnPart::None => m.played.position.board().idle_turn(self.rules.shape)?,
        };
        let bit = half_index(turned([0; 4], usize::from(turn.quadrant), turn.clockwise));
        let node = self.node();
        Some((m.mv.place.map_or(node, |socket| node.child(socket.bit())), bit))
    }

    /// Returns the board after each undecided move, with the index of the rotation after the move.
    fn open(&self) -> impl Iterator<Item = (Node, usize)> {
        self.moves.iter().filter(|m| m.proved.is_none()).filter_map(|m| self.after(m))
    }

    /// Lists all moves. Fills in the values that follow from the rules or that the cache contains.
    pub fn list_moves(&mut self, cache: Option<&ProofCache>) {
        for mv in self.rules.moves(self.position) {
            let Ok(played) = self.rules.play(self.position, mv) else { continue };
            let proved = match played.outcome {
                Some(outcome) => {
                    let value = Value::of(outcome, self.position.to_move());
                    Some(ProvedValue { value, sockets: 0, depth: 0, within: 1 })
                }
                None => {
                    cache.and_then(|cache| cache.get(&self.rules, &played.position)).map(ProvedValue::before)
                }
            };
            self.moves.push(ProvedMove { mv, played, proved });
        }
    }

    /// Adds the proved values of the position and of its moves to the cache.
    pub fn keep(&self, cache: Option<&ProofCache>) {
        let Some(cache) = cache else { return };
        let keep = |position: &Position, proved: ProvedValue| {
            // Don't cache values that follow from the rules alone: recomputing them is easy.
            if proved.sockets > 0 {
                cache.insert(&self.rules, position, proved);
            }
        };
        for m in self.moves.iter().filter(|m| m.played.outcome.is_none()) {
            if let Some(proved) = m.proved.or(self.lost) {
                keep(&m.played.position, proved.after());
            }
        }
        if let Some(proved) = self.decided() {
            keep(self.position, proved);
        }
    }

    /// Searches for wins of both players at depth 0, 1, 2 and so on, until the position is decided
    /// or a limit is reached.
    pub fn deepen(&mut self, searches: &mut Searches) -> Result<(), Stopped> {
        if self.value() != Value::Unknown {
            return Ok(());
        }
        let (node, pending) = (self.node(), self.position.pending());
        let need = if pending {
            self.open().fold(Half::NONE, |need, (_, bit)| need.with(bit, true))
        } else {
            Half::NONE.with(0, true)
        };
        let mut stint = FIRST_STINT;
        let mut until = stint;
        loop {
            let begun = searches.each.each_ref().map(|search| search.progress);
            searches.begin(until);
            // The player whose turn is pending needs a win at any one of the rotations. The
            // opponent needs a win at every rotation. Without a pending turn there is only one
            // rotation.
            let any = |search: &ProofSearch| pending && search.attacker == 0;
            let results = searches.run(|search| {
                let result = search.deepen(&node, need, any(search))?;
                search.control.cancel();
                Ok(result)
            })?;
            for (attacker, result) in results.iter().enumerate() {
                let Ok(result) = result else { continue };
                let [first, second] = &mut searches.each;
                let (winner, other) = if attacker == 0 { (first, second) } else { (second, first) };
                if attacker == 1 && !pending {
                    self.lost = Some(proved(winner, &node, 0, result, Value::Loss));
                }
                other.set_back(begun[1 - attacker], &winner.theirs);
            }
            searches.compare();
            self.harvest(searches);
            let goes_on = searches.each.iter().any(|search| search.paused);
            if results.iter().any(Result::is_ok) || self.value() != Value::Unknown || !goes_on {
                break;
            }
            stint = stint.saturating_mul(LONGER) / 100;
            until = until.saturating_add(stint);
        }
        searches.begin(u64::MAX);
        Ok(())
    }

    /// Sets the values of undecided moves that the results of the searches now decide.
    fn harvest(&mut self, searches: &Searches) {
        for i in 0..self.moves.len() {
            if self.moves[i].proved.is_some() {
                continue;
            }
            let Some((node, bit)) = self.after(&self.moves[i]) else { continue };
            for (search, value) in searches.each.iter().zip([Value::Win, Value::Loss]) {
                let result = search.table.get(node.sets);
                if result.won.get(bit) || search.full_width_win(&node, bit).is_some() {
                    let proved = proved(search, &node, bit, &result, value);
                    self.moves[i].proved = Some(ProvedValue { within: proved.within + 1, ..proved });
                }
            }
        }
    }

    /// Searches each undecided move for wins of both players, at the depths 0 to `depths - 1`.
    pub fn look_at_moves(&mut self, searches: &mut Searches, depths: u8) -> Result<(), Stopped> {
        if self.lost.is_some() {
            return Ok(());
        }
        for depth in 0..depths {
            // One search covers all undecided moves with the same placement.
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

    /// Returns the value of the position, as far as proofs and rules decide it.
    pub fn value(&self) -> Value {
        let values = self.moves.iter().map(|m| m.proved.map_or(Value::Unknown, |proved| proved.value));
        match (Value::best_of(values).unwrap_or(Value::Loss), self.lost) {
            (Value::Win, _) => Value::Win,
            (_, Some(_)) => Value::Loss,
            (best, None) => best,
        }
    }

    /// Returns the proof of a win or loss of the position: the shortest proved win, or the longest
    /// proved loss. Returns `None` if neither is proved.
    fn decided(&self) -> Option<ProvedValue> {
        let value = self.value();
        let of_value = || self.moves.iter().filter_map(|m| m.proved).filter(|p| p.value == value);
        match value {
            Value::Win => of_value().min_by_key(|p| p.within),
            Value::Loss => self.lost.or(of_value().max_by_key(|p| p.within)),
            Value::Draw | Value::Unknown => None,
        }
    }

    /// Returns the verdict on the position. `value` is its value, `ruled_out` are the excluded
    /// results, and `boards` is the number of computed boards.
    pub fn verdict(&self, value: Value, ruled_out: RuledOut, boards: u64) -> Verdict {
        let all = self.position.free().count_ones() as usize + usize::from(self.position.pending());
        let within_game = |p: ProvedValue| ProvedValue { within: p.within.min(all), ..p };
        // If the position is lost, every move loses.
        let lost = self.lost.filter(|_| value == Value::Loss);
        let eval = |ProvedMove { mv, played, proved }: &ProvedMove| {
            let proved = proved.or(lost).map(within_game);
            let origin = match (&proved, played.outcome) {
                (_, Some(_)) => Origin::Rules,
                (Some(proved), None) => proved.origin(),
                (None, None) => Origin::open(ruled_out),
            };
            let value = proved.map_or(Value::Unknown, |p| p.value);
            MoveEval { mv: *mv, position: played.position, value, distance: None, origin, guess: None }
        };
        let origin = match (value, self.decided().map(within_game)) {
            (Value::Unknown, _) => Origin::open(ruled_out),
            (_, Some(proved)) if proved.sockets > 0 => proved.origin(),
            _ => Origin::Rules,
        };
        Verdict { value, origin, moves: self.moves.iter().map(eval).collect(), ruled_out, boards }
    }
}
