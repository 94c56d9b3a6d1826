//! The root of a proof: the position of the question and its moves.

use super::cache::ProofCache;
use super::search::{Node, ProofSearch};
use super::searches::Searches;
use super::table::BoardResult;
use super::value::ProvedValue;
use crate::answer::{MoveEval, Origin, RuledOut, Value};
use crate::rules::{Move, Played, Position, Rules, TurnPart};
use crate::supers::Half;
use crate::supers::half::half_index;
use crate::symmetry::turned;
use pentago_base::Stopped;

/// The number of boards of counted proofs in the first stint of each search. [`LONGER`] gives the
/// length of the later stints (`bench/README.md#turns-of-the-two-searches`).
const FIRST_STINT: u64 = 100_000;
/// The length of a stint in percent of the previous one.
const LONGER: u64 = 150;

/// The proved value of a position.
#[derive(Debug)]
pub struct Verdict {
    /// The value, or [`Value::Unknown`] if no proof shows one.
    pub value: Value,
    /// The proof that shows the value.
    pub origin: Origin,
    /// All legal moves.
    pub moves: Vec<MoveEval>,
    /// The results that the proofs exclude for the undecided moves.
    pub ruled_out: RuledOut,
    /// The number of computed boards, without those of an abandoned stint.
    pub boards: u64,
}

/// The position of the question. Player 0 is its side to move.
pub(super) struct ProofRoot<'a> {
    rules: Rules,
    position: &'a Position,
    /// All legal moves.
    moves: Vec<ProvedMove>,
    /// The proof that the position is lost, or `None` as long as there is none.
    lost: Option<ProvedValue>,
}

/// A move and its proved value.
struct ProvedMove {
    mv: Move,
    played: Played,
    proved: Option<ProvedValue>,
}

/// Returns the proof of a board that `search` has found to be won at the rotation `bit`.
fn proved(search: &ProofSearch, node: &Node, bit: usize, result: &BoardResult, value: Value) -> ProvedValue {
    if let Some(win) = search.located_win(node, bit) {
        return ProvedValue { value, sockets: win.sockets, depth: 0, within: usize::from(win.plies) };
    }
    // A win from the proof of the parent board has no sockets of its own.
    let sockets = result.sockets.max(search.limits.growth.base as u8);
    ProvedValue { value, sockets, depth: search.progress.depth, within: usize::from(result.plies) }
}

impl<'a> ProofRoot<'a> {
    /// Creates a root without moves, with a proof of a loss if the cache has one.
    pub fn new(rules: Rules, position: &'a Position, cache: Option<&ProofCache>) -> ProofRoot<'a> {
        let lost = cache.and_then(|cache| cache.get(&rules, position));
        let lost = lost.filter(|proved| proved.value == Value::Loss);
        ProofRoot { rules, position, moves: Vec::new(), lost }
    }

    /// Returns the board as the search sees it. If a turn is pending, the other player places next,
    /// at rotations one turn later.
    fn node(&self) -> Node {
        let pending = self.position.pending();
        Node {
            sets: [self.position.own(), self.position.others()],
            mover: usize::from(pending),
            parity: u8::from(pending),
        }
    }

    /// Returns the board after a move, and the bit of the rotation after the turn of the move.
    /// Returns `None` for a move without a turn.
    fn after(&self, m: &ProvedMove) -> Option<(Node, usize)> {
        let turn = match m.mv.turn {
            TurnPart::Turn(turn) => turn,
            // A player may decline the turn only if turning some quadrant changes nothing, so both
            // have the same value.
            TurnPart::Skip | TurnPart::None => m.played.position.board().idle_turn(self.rules.shape)?,
        };
        let bit = half_index(turned([0; 4], usize::from(turn.quadrant), turn.clockwise));
        let node = self.node();
        Some((m.mv.place.map_or(node, |socket| node.child(socket.bit())), bit))
    }

    /// Returns the boards after the undecided moves, with the bits of their rotations.
    fn open(&self) -> impl Iterator<Item = (Node, usize)> {
        self.moves.iter().filter(|m| m.proved.is_none()).filter_map(|m| self.after(m))
    }

    /// Lists all moves, with the values that follow from the rules or are in the cache.
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

    /// Caches the proved values of the position and of its moves.
    pub fn keep(&self, cache: Option<&ProofCache>) {
        let Some(cache) = cache else { return };
        let keep = |position: &Position, proved: ProvedValue| {
            // Values that follow from the rules alone need no cache.
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

    /// Searches for wins of either player at depth 0, 1, 2 and so on, until the position is decided
    /// or the limits are reached.
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
            // The player with a pending turn needs a win at one rotation. The other player needs a
            // win at all rotations.
            let any = |search: &ProofSearch| pending && search.attacker == 0;
            let by_located = searches.locate(|search| search.locate(&node, need, any(search)))?;
            let results = match by_located {
                Some(results) => results,
                None => searches.run(|search| {
                    let result = search.deepen(&node, need, any(search))?;
                    search.control.cancel();
                    Ok(result)
                })?,
            };
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

    /// Reads the values of undecided moves from the tables of results.
    fn harvest(&mut self, searches: &Searches) {
        for i in 0..self.moves.len() {
            if self.moves[i].proved.is_some() {
                continue;
            }
            let Some((node, bit)) = self.after(&self.moves[i]) else { continue };
            for (search, value) in searches.each.iter().zip([Value::Win, Value::Loss]) {
                let result = search.table.get(node.sets);
                if result.won.get(bit) || search.located_win(&node, bit).is_some() {
                    let proved = proved(search, &node, bit, &result, value);
                    self.moves[i].proved = Some(ProvedValue { within: proved.within + 1, ..proved });
                }
            }
        }
    }

    /// Runs small proofs of each undecided move, for both players, at depths below `depths`.
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

    /// Returns the proved value.
    pub fn value(&self) -> Value {
        let values = self.moves.iter().map(|m| m.proved.map_or(Value::Unknown, |proved| proved.value));
        match (Value::best_of(values).unwrap_or(Value::Loss), self.lost) {
            (Value::Win, _) => Value::Win,
            (_, Some(_)) => Value::Loss,
            (best, None) => best,
        }
    }

    /// Returns the proof of a win or loss: the shortest win, or the longest loss.
    fn decided(&self) -> Option<ProvedValue> {
        let value = self.value();
        let of_value = || self.moves.iter().filter_map(|m| m.proved).filter(|p| p.value == value);
        match value {
            Value::Win => of_value().min_by_key(|p| p.within),
            Value::Loss => self.lost.or(of_value().max_by_key(|p| p.within)),
            Value::Draw | Value::Unknown => None,
        }
    }

    /// Returns the verdict with this value and these excluded results.
    pub fn verdict(&self, value: Value, ruled_out: RuledOut, boards: u64) -> Verdict {
        let all = self.position.free().count_ones() as usize + usize::from(self.position.pending());
        let within_game = |p: ProvedValue| ProvedValue { within: p.within.min(all), ..p };
        // In a lost position every move loses.
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
