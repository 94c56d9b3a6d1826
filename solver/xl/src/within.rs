//! A search for a win that a side can force within n plies. The search is exhaustive, so a negative
//! result is exact.
//!
//! The general deepening search of `pentago-search` lists all moves of a position and runs the
//! look-ahead for each move before it searches the first one. With few plies left, this is nearly
//! all of the work. Most of this work is wasted, because a single reply refutes an attack. The
//! search here therefore makes the replies one by one. It first tries the replies that refuted
//! earlier moves, and then the replies that prevent the threat that the look-ahead finds.

use std::ops::ControlFlow::{self, Break, Continue};

use pentago_base::{Budget, Kernel, Stopped};
use pentago_search::{Distance, Goal, Side, Table as SearchTable, TableTooLarge};

use crate::fives::has_five;
use crate::geometry::{FIVES, PATTERNS, SocketSet, TURNED, Turn, pattern, sockets, with_pattern};
use crate::lookahead::{threat_places, winning_move};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seats;

/// The number of killer replies that are stored for each number of plies. A killer is a reply that
/// refuted an earlier attack.
const KILLERS: usize = 4;
/// The size of the search table, in bytes.
const TABLE_BYTES: usize = 16 << 20;
/// The goal of all entries in the table: the attackers win. In the table, the attackers are the
/// first side.
const GOAL: Goal = Goal { side: Side::First, draw_is_enough: false };

/// A search for forced wins of one side within a number of plies. The search stores its results in
/// a table, so use one search for several positions of the same game.
///
/// In a free for all, the side is one seat, and all other seats play against this seat. The search
/// does not cover `continue=yes`, which has other outcomes.
pub struct WinSearch {
    rules: Rules,
    attackers: Seats,
    defenders: Seats,
    kernel: Kernel,
    table: SearchTable,
    /// The killer replies: moves of the defenders that refuted earlier attacks, newest first.
    /// Indexed by the number of plies that are left.
    killers: Vec<[Option<Move>; KILLERS]>,
    budget: Budget,
}

impl WinSearch {
    /// Creates a search for wins of `attackers`: a single seat, or all seats of a team. The budget
    /// limits the number of moves. The search table takes 16 MiB.
    ///
    /// # Errors
    /// If the search table does not fit in memory.
    pub fn new(
        rules: Rules,
        attackers: Seats,
        kernel: Kernel,
        budget: Budget,
    ) -> Result<WinSearch, TableTooLarge> {
        Ok(WinSearch {
            rules,
            attackers,
            defenders: rules.everyone().without(attackers),
            kernel,
            table: SearchTable::new(TABLE_BYTES)?,
            killers: Vec::new(),
            budget,
        })
    }

    /// Returns the number of moves that the search has made so far.
    pub fn nodes(&self) -> u64 {
        self.budget.spent()
    }

    /// Returns a move of the attackers that wins within `plies` plies, including this move. Call
    /// this function after [`WinSearch::shortest`] has returned this number of plies. Returns
    /// `None` if the defenders are to move or the budget is exhausted.
    pub fn winner(&mut self, p: &Position, plies: u32) -> Option<Move> {
        if !self.attackers.has(p.to_move) {
            return None;
        }
        if let Some(m) = winning_move(p, self.attackers, self.defenders, self.kernel) {
            return Some(m);
        }
        let left = u8::try_from(plies).ok()?.checked_sub(1)?;
        for (place, turn) in DistinctTurns::of(p).moves(p.free()) {
            if let Continue(next) = self.make(p, place, Some(turn)).ok()?
                && self.wins(&next, left).ok()?
            {
                return sockets(place).next().map(|place| Move { place, turn: Some(turn) });
            }
        }
        None
    }

    /// Returns the least number of plies within which the attackers force a win. Searches at most
    /// `most` plies. In the position, no seat may have five in a line.
    pub fn shortest(&mut self, p: &Position, most: u32) -> Distance {
        let left = (self.rules.most_marbles() - p.count()) as u32;
        let most = most.min(left).min(u32::from(u8::MAX) - 1);
        self.killers = vec![[None; KILLERS]; most as usize + 1];
        for plies in 1..=most {
            match self.wins(p, plies as u8) {
                Ok(true) => return Distance::Exactly(plies),
                Ok(false) => {}
                Err(Stopped) => return Distance::MoreThan(plies - 1),
            }
        }
        if most == left { Distance::Never } else { Distance::MoreThan(most) }
    }

    /// Makes a move. Without a turn, the placement must make five in a line. Returns the next
    /// position if the game continues. If the game is over, returns `true` if only attackers have
    /// five.
    fn make(
        &mut self,
        p: &Position,
        place: SocketSet,
        turn: Option<Turn>,
    ) -> Result<ControlFlow<bool, Position>, Stopped> {
        self.budget.tick()?;
        let mut next = *p;
        next.marbles[p.to_move.index()] |= place;
        let Some(turn) = turn else { return Ok(Break(self.attackers.has(p.to_move))) };
        next.marbles = next.marbles.map(|set| if set == 0 { 0 } else { turn.apply(set) });
        next.to_move = self.rules.next_seat(p.to_move, self.rules.everyone());
        let five = |seats: Seats| seats.iter().any(|seat| has_five(next.of(seat)));
        Ok(if five(self.defenders) {
            Break(false)
        } else if five(self.attackers) {
            Break(true)
        } else if self.rules.used_up(&next) {
            Break(false)
        } else {
            Continue(next)
        })
    }

    /// Returns `true` if the attackers force a win within `plies` plies.
    fn wins(&mut self, p: &Position, plies: u8) -> Result<bool, Stopped> {
        if !self.rules.may_have_five(p, self.attackers, plies.into()) {
            return Ok(false);
        }
        if !self.attackers.has(p.to_move) {
            return Ok(!self.refuted(p, plies)?);
        }
        if winning_move(p, self.attackers, self.defenders, self.kernel).is_some() {
            return Ok(true);
        }
        if plies == 1 {
            return Ok(false);
        }
        let (key, begun) = (WinSearch::key(p), self.budget.spent());
        if let Some(known) = self.known(key, plies) {
            return Ok(known);
        }
        if plies > 3 && self.wins(p, plies - 2)? {
            return Ok(true);
        }
        let mut threats = Vec::new();
        let mut quiet = Vec::new();
        let turns = DistinctTurns::of(p);
        let mut open = [None; 16];
        for (place, turn) in turns.moves(p.free()) {
            if plies == 3 && self.rules.seats() == 2 {
                let open = match open[turn.number()] {
                    Some(open) => open,
                    None => *open[turn.number()].insert(self.open(p, &turns, turn)?),
                };
                if open & place == 0 {
                    continue;
                }
            }
            let Continue(next) = self.make(p, place, Some(turn))? else { continue };
            if self.attackers.has(next.to_move) {
                threats.push(next);
                continue;
            }
            let again = Position { to_move: p.to_move, ..next };
            let threat = winning_move(&again, self.attackers, self.defenders, self.kernel).is_some();
            if !threat && plies == 3 && self.rules.seats() == 2 && can_wait(&next) {
                continue;
            }
            if winning_move(&next, self.defenders, self.attackers, self.kernel).is_some() {
                continue;
            }
            if threat { threats.push(next) } else { quiet.push(next) }
        }
        for next in threats.into_iter().chain(quiet) {
            if self.wins(&next, plies - 1)? {
                self.learn(key, plies, true, begun);
                return Ok(true);
            }
        }
        self.learn(key, plies, false, begun);
        Ok(false)
    }

    /// Returns the placements that may win within three plies, including this move, if `turn`
    /// follows the placement. Any other placement cannot win in a game of two seats: either a
    /// killer reply refutes the placement, or the placement does not threaten to win, and the other
    /// seat can reply with a move that only adds a marble.
    fn open(&mut self, p: &Position, turns: &DistinctTurns, turn: Turn) -> Result<SocketSet, Stopped> {
        self.budget.tick()?;
        let mut open = p.free();
        let waiting = sockets(open).filter(|place| turns.can_wait_after(p, place.bit()));
        let waiting = waiting.fold(0, |all, place| all | place.bit());
        if waiting != 0 {
            open &= !waiting | threat_places(p, turn, None, self.kernel);
        }
        let free = turn.apply(p.free());
        for killer in self.killers[2].into_iter().flatten() {
            if open == 0 {
                break;
            }
            if let Some(reply) = killer.turn
                && free & killer.place.bit() != 0
            {
                self.budget.tick()?;
                open &= threat_places(p, turn, Some((killer.place.bit(), reply)), self.kernel);
            }
        }
        Ok(open)
    }

    /// Returns `true` if the defender to move has a reply that prevents a win of the attackers
    /// within `plies` plies, including the reply.
    fn refuted(&mut self, p: &Position, plies: u8) -> Result<bool, Stopped> {
        if plies == 1 {
            // With one ply left, the attackers win only if every move of the defender completes a
            // five of the attackers.
            return self.some_reply(p, plies, None);
        }
        let (key, begun) = (WinSearch::key(p), self.budget.spent());
        if let Some(known) = self.known(key, plies) {
            return Ok(!known);
        }
        let attacker = self.rules.next_seat(p.to_move, self.attackers);
        let again = Position { to_move: attacker, ..*p };
        let threat = winning_move(&again, self.attackers, self.defenders, self.kernel);
        let refuted = self.some_reply(p, plies, threat)?;
        self.learn(key, plies, !refuted, begun);
        Ok(refuted)
    }

    fn some_reply(&mut self, p: &Position, plies: u8, threat: Option<Move>) -> Result<bool, Stopped> {
        // A winning reply of the defenders refutes the attack. The loops below therefore need no
        // placements that make five.
        if winning_move(p, self.defenders, self.attackers, self.kernel).is_some() {
            return Ok(true);
        }
        for m in self.killers[usize::from(plies)].into_iter().flatten() {
            if p.free() & m.place.bit() != 0 && self.refutes(p, m.place.bit(), m.turn, plies)? {
                return Ok(true);
            }
        }
        let turns = DistinctTurns::of(p);
        // Try replies on the socket of the threatened marble first. The socket is given as it is
        // before the turn of the threat.
        let first = threat.map_or(0, |m| m.place.bit());
        let threat = threat.filter(|_| self.rules.seats() == 2).and_then(|m| Threat::of(p, m));
        for part in [first, p.free() & !first] {
            for (place, turn) in turns.moves(part) {
                if threat.as_ref().is_some_and(|threat| threat.stays(place, turn)) {
                    continue;
                }
                if self.refutes(p, place, Some(turn), plies)? {
                    let killers = &mut self.killers[usize::from(plies)];
                    killers.rotate_right(1);
                    killers[0] = sockets(place).next().map(|place| Move { place, turn: Some(turn) });
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn refutes(
        &mut self,
        p: &Position,
        place: SocketSet,
        turn: Option<Turn>,
        plies: u8,
    ) -> Result<bool, Stopped> {
        Ok(match self.make(p, place, turn)? {
            Break(won) => !won,
            Continue(next) => !self.wins(&next, plies - 1)?,
        })
    }

    fn key(p: &Position) -> u128 {
        let mut key = u64::from(p.to_move as u8);
        for set in p.marbles {
            for half in [set as u64, (set >> 64) as u64] {
                key = (key ^ half).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                key ^= key >> 29;
            }
        }
        key.into()
    }

    fn known(&self, key: u128, plies: u8) -> Option<bool> {
        self.table.within(GOAL, key, plies.into())
    }

    /// Stores a result. `begun` is the number of moves that the search had made before it searched
    /// for this result.
    fn learn(&mut self, key: u128, plies: u8, won: bool, begun: u64) {
        self.table.learn(GOAL, key, plies.into(), won, self.budget.spent() - begun);
    }
}

/// Returns `true` if the seat to move can make a move that only adds a marble: some block is
/// unchanged by its turn, and a socket outside this block is free.
///
/// After such a reply, a seat that could not win immediately still cannot, because only the other
/// side has gained a marble. In a game of two seats, a move therefore wins within three plies only
/// if it threatens to win immediately. With more seats, the next seat to move may differ from the
/// seat that threatens.
fn can_wait(p: &Position) -> bool {
    let same = |turn: &Turn| {
        p.marbles.iter().all(|&set| {
            let pattern = pattern(set, turn.block());
            usize::from(TURNED[1][pattern]) == pattern
        })
    };
    let elsewhere = |turn: Turn| sockets(p.free()).any(|place| place.block() != turn.block());
    Turn::all().filter(|turn| turn.clockwise() && same(turn)).any(elsewhere)
}

/// An immediate win that the opponent threatens in a game of two seats. The seat to move must
/// prevent this win.
struct Threat {
    /// The turn of the opponent's winning move. `None` if its placement makes five.
    turn: Option<Turn>,
    /// The sockets of a line that the winning move completes, as they are before the turn of this
    /// move.
    line: SocketSet,
    /// The marbles of the seat to move.
    own: SocketSet,
    /// The turns after which the opponent has five, as a bit set. Bit `i` stands for the turn with
    /// index `i`.
    fives: u16,
}

impl Threat {
    /// Creates the threat of the opponent's winning move `m`. Returns `None` if the move completes
    /// no line.
    fn of(p: &Position, m: Move) -> Option<Threat> {
        let (own, other) = (p.of(p.to_move), p.taken() & !p.of(p.to_move));
        let with = m.turn.map_or(other | m.place.bit(), |turn| turn.apply(other | m.place.bit()));
        let five = FIVES.iter().find(|&five| five & !with == 0)?;
        let line = m.turn.map_or(*five, |turn| turn.back().apply(*five));
        let fives = Turn::all().map(|turn| u16::from(has_five(turn.apply(other))) << turn.number()).sum();
        Some(Threat { turn: m.turn, line, own, fives })
    }

    /// Returns `true` if the opponent's winning move certainly still wins after a reply. The reply
    /// must not touch the line. The turn of the reply must not make a five of the opponent, and the
    /// winning turn must not make a five of the seat to move.
    fn stays(&self, place: SocketSet, turn: Turn) -> bool {
        let touched = place | block(turn.block());
        self.line & touched == 0
            && self.fives >> turn.number() & 1 == 0
            && self.turn.is_none_or(|next| !has_five(next.apply(turn.apply(self.own | place))))
    }
}

/// Returns the set of all sockets of a block.
fn block(block: u8) -> SocketSet {
    with_pattern(0, block, PATTERNS as u16 - 1)
}

/// The turns of a position that lead to different boards, if the placement is outside the turned
/// block.
struct DistinctTurns {
    /// The turns that change their block. If both turns of a block give the same board, only the
    /// clockwise turn is listed.
    apart: Vec<Turn>,
    /// The clockwise turns of those blocks that no turn changes. All these turns give the same
    /// board.
    still: Vec<Turn>,
}

impl DistinctTurns {
    fn of(p: &Position) -> DistinctTurns {
        let mut turns = DistinctTurns { apart: Vec::with_capacity(16), still: Vec::new() };
        for turn in Turn::all() {
            let patterns = p.marbles.map(|set| pattern(set, turn.block()));
            if patterns.iter().all(|&p| usize::from(TURNED[1][p]) == p) {
                if turn.clockwise() {
                    turns.still.push(turn);
                }
            } else if turn.clockwise() || patterns.iter().any(|&p| TURNED[0][p] != TURNED[1][p]) {
                turns.apart.push(turn);
            }
        }
        turns
    }

    /// Returns `true` if [`can_wait`] is true after every move that places a marble on `place`.
    fn can_wait_after(&self, p: &Position, place: SocketSet) -> bool {
        self.still.iter().any(|turn| {
            let block = block(turn.block());
            place & block == 0 && (p.free() & !place & !block) != 0
        })
    }

    /// Returns each placement on a socket of `places`, combined with each turn that leads to a
    /// different board.
    fn moves(&self, places: SocketSet) -> impl Iterator<Item = (SocketSet, Turn)> {
        sockets(places).flat_map(move |place| {
            let own = place.block();
            let elsewhere = move |turn: &Turn| turn.block() != own;
            let inside = [true, false].into_iter().filter_map(move |clockwise| Turn::new(own, clockwise));
            let still = self.still.iter().copied().find(elsewhere);
            let turns = inside.chain(self.apart.iter().copied().filter(elsewhere)).chain(still);
            turns.map(move |turn| (place.bit(), turn))
        })
    }
}

#[cfg(test)]
mod tests {
    use pentago_search::Deepening;

    use super::*;
    use crate::forward::Duel;

    #[test]
    fn as_the_general_deepening() {
        let mut wins = 0;
        for (text, all) in [
            ("xl", &[8, 12, 16, 20, 24, 28, 44, 60][..]),
            ("xl:seats=3,supply=81", &[70, 76]),
            ("xl:seats=4,mode=2v2,supply=81", &[40, 72]),
        ] {
            let rules: Rules = text.parse().unwrap();
            for &marbles in all {
                for p in rules.random_positions(marbles, 2, 2, true).unwrap() {
                    for side in rules.sides() {
                        let mut table = SearchTable::new(1 << 20).unwrap();
                        let mut duel = Duel::new(rules, p, side, Kernel::best()).unwrap();
                        let mut search = Deepening::new(&mut table, Goal::win(Side::First));
                        let expected = search.shortest(&mut duel, 3, &mut Budget::nodes(u64::MAX));
                        let budget = Budget::nodes(u64::MAX);
                        let mut within = WinSearch::new(rules, side, Kernel::best(), budget).unwrap();
                        let found = within.shortest(&p, 3);
                        wins += u32::from(matches!(found, Distance::Exactly(_)));
                        // Both searches may prove more plies than requested, so accept any two
                        // results without a win.
                        let no = |d: &Distance| !matches!(d, Distance::Exactly(_));
                        let text = rules.format_position(&p);
                        assert!(found == expected || no(&found) && no(&expected), "{rules} {text} {side}");
                    }
                }
            }
        }
        assert!(wins > 5);
    }
}
