//! A game of two sides, for the forward proofs of `pentago-search`.
//!
//! The first side is one seat or one team. All other seats are the second side. The first side
//! *wins* if only this side has five in a line. The first side *draws* if both sides have five, or
//! if the marbles are used up. Otherwise, the first side loses. With two seats or two teams, these
//! are the rules of the game itself. In a free for all, the value is the result that the seat can
//! force against all others. Forward proofs do not cover `continue=yes`, which has other outcomes.

use pentago_base::Kernel;
use pentago_search::{Game, Notation, Outcome, Side};

use crate::fives::has_five;
use crate::geometry::{TURNED, Turn, completions, pattern, sockets};
use crate::lookahead::winning_move;
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seats;

/// A position of a game between one side and all other seats.
#[derive(Debug, Clone)]
pub struct Duel {
    rules: Rules,
    first: Seats,
    position: Position,
    kernel: Kernel,
    over: Option<Outcome>,
}

impl Duel {
    /// Creates the game between the seats of `first` and all other seats. Returns `None` if `first`
    /// is neither a single seat nor a whole team according to the rules, if the rules have
    /// `continue=yes`, or if no game leads to the position.
    pub fn new(rules: Rules, position: Position, first: Seats, kernel: Kernel) -> Option<Duel> {
        if rules.continues() || !rules.sides().contains(&first) || rules.check(&position).is_err() {
            return None;
        }
        let fives = position.fives(rules.everyone());
        let mut duel = Duel { rules, first, position, kernel, over: None };
        duel.over = duel.judge(fives);
        Some(duel)
    }

    /// Returns the outcome of the game after a placement or a turn. `fives` are the seats that then
    /// have five in a line. Returns `None` if the game continues.
    fn judge(&self, fives: Seats) -> Option<Outcome> {
        let own = !fives.and(self.first).is_empty();
        let others = !fives.without(self.first).is_empty();
        match (own, others) {
            (true, false) => Some(Outcome::Win(Side::First)),
            (false, true) => Some(Outcome::Win(Side::Second)),
            (true, true) => Some(Outcome::Draw),
            (false, false) => self.rules.used_up(&self.position).then_some(Outcome::Draw),
        }
    }

    /// Returns the seats on the side of the seat to move, then the seats of the opponent.
    fn groups(&self) -> (Seats, Seats) {
        let second = self.rules.everyone().without(self.first);
        if self.first.has(self.position.to_move) { (self.first, second) } else { (second, self.first) }
    }

    /// Returns the position after a placement and a turn. If `place` is the empty set, no marble is
    /// added.
    fn moved(&self, place: u128, turn: Option<Turn>) -> Position {
        let mut next = self.position;
        next.marbles[next.to_move.index()] |= place;
        if let Some(turn) = turn {
            next.marbles = next.marbles.map(|set| if set == 0 { 0 } else { turn.apply(set) });
        }
        next.to_move = self.rules.next_seat(self.position.to_move, self.rules.everyone());
        next
    }
}

impl Game for Duel {
    type Move = Move;
    type Undo = (Position, Option<Outcome>);

    fn side(&self) -> Side {
        if self.first.has(self.position.to_move) { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.over
    }

    fn plies_left(&self) -> u32 {
        if self.over.is_some() { 0 } else { (self.rules.most_marbles() - self.position.count()) as u32 }
    }

    fn moves(&mut self, out: &mut Vec<Move>) {
        let p = &self.position;
        let (own, others) = self.groups();
        let wins = completions(p.of(p.to_move), p.free());
        if wins != 0 {
            out.extend(sockets(wins).map(|place| Move { place, turn: None }));
        }
        let last = p.count() + 1 == self.rules.most_marbles();
        for turn in Turn::all() {
            let block = turn.block();
            // If turning the block in either direction gives the same board, list only the
            // clockwise turn. A placement in this block is an exception, because the new marble
            // makes the two boards differ.
            let same = !turn.clockwise()
                && p.marbles.iter().all(|&set| {
                    let pattern = pattern(set, block);
                    TURNED[0][pattern] == TURNED[1][pattern]
                });
            // The placement does not affect the fives of the other seats, so compute them once per
            // turn.
            let without = self.moved(0, Some(turn));
            let others_five = others.iter().any(|seat| has_five(without.of(seat)));
            let own_five = own.iter().any(|seat| has_five(without.of(seat)));
            for place in sockets(p.free() & !wins) {
                if same && place.block() != block {
                    continue;
                }
                let next = self.moved(place.bit(), Some(turn));
                let own_five = own_five || has_five(next.of(p.to_move));
                if others_five && !own_five {
                    // The opponent alone has five after this move, so the move loses immediately:
                    // omit it.
                    continue;
                }
                let goes_on = !others_five && !own_five && !last;
                if goes_on
                    && others.has(next.to_move)
                    && winning_move(&next, others, own, self.kernel).is_some()
                {
                    continue;
                }
                out.push(Move { place, turn: Some(turn) });
            }
        }
    }

    fn all_moves(&mut self, out: &mut Vec<Move>) {
        if self.over.is_some() {
            return;
        }
        let mut moves = self.rules.moves(&self.position);
        // Sort the moves by socket, in the reading order of the position's text: rows from the top,
        // each row from the left.
        moves.sort_by_key(|m| {
            let (file, rank) = m.place.file_rank();
            (8 - rank, file)
        });
        out.append(&mut moves);
    }

    fn make(&mut self, m: Move) -> Self::Undo {
        let undo = (self.position, self.over);
        self.position = self.moved(m.place.bit(), m.turn);
        let fives = match m.turn {
            None => Seats::only(undo.0.to_move),
            Some(_) => self.position.fives(self.rules.everyone()),
        };
        self.over = self.judge(fives);
        undo
    }

    fn unmake(&mut self, _: Move, undo: Self::Undo) {
        (self.position, self.over) = undo;
    }

    fn winning_move(&mut self) -> Option<Move> {
        let (own, others) = self.groups();
        winning_move(&self.position, own, others, self.kernel)
    }

    fn may_win_within(&self, side: Side, plies: u32) -> bool {
        let second = self.rules.everyone().without(self.first);
        let seats = if side == Side::First { self.first } else { second };
        self.rules.may_have_five(&self.position, seats, plies)
    }

    fn key(&self) -> u128 {
        let mut key = mix(u128::from(self.first.bits()));
        for set in self.position.marbles {
            key = mix(key ^ set);
        }
        key
    }
}

/// Returns a hash in which every bit depends on all bits of `x`. The function performs two rounds
/// of a shift and a multiplication by an odd number, then a last shift. All these steps are
/// bijections, so different values of `x` never collide.
fn mix(x: u128) -> u128 {
    let x = (x ^ x >> 67).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let x = (x ^ x >> 61).wrapping_mul(0xda94_2042_e4dd_58b5_9a3b_1f2c_6d77_0e45);
    x ^ x >> 64
}

impl Notation for Duel {
    fn game_text(&self) -> String {
        self.rules.to_string()
    }

    fn position_text(&self) -> String {
        self.rules.format_position(&self.position)
    }

    fn move_text(&self, m: Move) -> String {
        self.rules.format_move(m)
    }

    fn side_text(&self, side: Side) -> String {
        let seats = match side {
            Side::First => self.first,
            Side::Second => self.rules.everyone().without(self.first),
        };
        seats.to_string().to_lowercase()
    }
}
