//! The look-ahead of one ply: decides whether the seat to move can immediately end the game with a
//! win of its side. The answer is exact, and many times faster than trying all moves.

use std::sync::LazyLock;

use pentago_base::{Kernel, bits};

use crate::fives::TABLES;
use crate::geometry::{FIVES, SocketSet, Turn, pattern, sockets};
use crate::kernel::{LineSet, Passes, WinScan, WinningAction};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seats;

impl Rules {
    /// Returns a move that immediately ends the game with a win of the mover's side: the mover
    /// alone takes first place, or its team wins. With `continue=yes`, returns a move that gives
    /// only the mover the best free place. Returns `None` if there is no such move or the game is
    /// over.
    pub fn winning_move(&self, p: &Position, kernel: Kernel) -> Option<Move> {
        if self.outcome(p).is_some() {
            return None;
        }
        let own = self.side_of(p.to_move);
        winning_move(p, own, self.active(p).without(own), kernel)
    }

    /// Returns `true` if [`Rules::winning_move`] would return a move. The caller must guarantee
    /// that no seat has five in a line in the position.
    #[inline]
    pub fn can_win_at_once(&self, p: &Position, kernel: Kernel) -> bool {
        let own = self.side_of(p.to_move);
        !self.used_up(p) && scan(p, own, self.active(p).without(own), kernel).is_some()
    }
}

/// Returns a move after which a seat of `own` has five in a line and no seat of `others` has five.
/// Returns `None` if there is no such move. The caller guarantees that the seat to move is in `own`
/// and has a marble left, that a socket is free, and that no seat has five.
#[inline]
pub(crate) fn winning_move(p: &Position, own: Seats, others: Seats, kernel: Kernel) -> Option<Move> {
    scan(p, own, others, kernel).and_then(|win| found(p, win))
}

#[inline]
fn scan(p: &Position, own: Seats, others: Seats, kernel: Kernel) -> Option<WinningAction> {
    let mover = p.of(p.to_move);
    let taken = p.taken() & !mover;
    let mut partners = [0; 2];
    let mut enemies = [0; 3];
    let partner_seats = own.without(Seats::only(p.to_move));
    partner_seats.iter().zip(&mut partners).for_each(|(seat, set)| *set = p.of(seat));
    others.iter().zip(&mut enemies).for_each(|(seat, set)| *set = p.of(seat));
    Passes::of(kernel).scan(&TABLES, &WinScan { mover, taken, partners, enemies })
}

/// Returns a move that carries out a winning action.
#[cold]
fn found(p: &Position, win: WinningAction) -> Option<Move> {
    let mover = p.of(p.to_move);
    match win {
        WinningAction::Place(lines) => {
            let place = sockets(missing(&lines, mover).next()?).next()?;
            Some(Move { place, turn: None })
        }
        WinningAction::Turn(block, clockwise, lines) => {
            let turn = Turn::new(block, clockwise)?;
            let back = Turn::new(block, !clockwise)?;
            let set = back.apply(missing(&lines, turn.apply(mover)).next()?);
            // If the set is empty, the turn alone completes the line, so any free socket will do.
            let place = sockets(if set == 0 { p.free() } else { set }).next()?;
            Some(Move { place, turn: Some(turn) })
        }
        WinningAction::Partner(block, clockwise) => {
            Some(Move { place: sockets(p.free()).next()?, turn: Turn::new(block, clockwise) })
        }
    }
}

/// Returns, for each line, the set of its sockets on which `own` has no marble.
fn missing(lines: &LineSet, own: SocketSet) -> impl Iterator<Item = SocketSet> {
    let numbers = (0..).zip(lines.0).flat_map(|(word, lines)| bits(lines).map(move |bit| 64 * word + bit));
    numbers.filter_map(move |line| FIVES.get(line).map(|five| five & !own))
}

/// For a game of two seats: returns the sockets where a marble of the mover, followed by `turn`,
/// may prepare a win with the mover's next move. The other seat makes the move `reply` in between,
/// or no move if `reply` is `None`. A placement on any other socket cannot prepare a win. Fives of
/// the other seat are ignored.
pub(crate) fn threat_places(
    p: &Position,
    turn: Turn,
    reply: Option<(SocketSet, Turn)>,
    kernel: Kernel,
) -> SocketSet {
    let mover = p.of(p.to_move);
    let (mut own, mut taken) = (turn.apply(mover), turn.apply(p.taken() & !mover));
    if let Some((place, turn)) = reply {
        (own, taken) = (turn.apply(own), turn.apply(taken | place));
    }
    let near = Passes::of(kernel).near(&TABLES, own, taken);
    if near.iter().any(|[one, _]| one.any()) {
        // The next move alone can complete a line, so every placement before it prepares a win.
        return p.free();
    }
    let all_missing = |lines: &LineSet, own: SocketSet| missing(lines, own).fold(0, |all, set| all | set);
    let mut places = all_missing(&near[0][1], own);
    for ((next, [_, two]), through) in Turn::all().zip(&near[1..]).zip(THROUGH.iter()) {
        // Lines that do not cross the turned block are the same before the turn, where `near[0]`
        // lists them.
        let lines = two.and(through);
        if lines.any() {
            places |= next.back().apply(all_missing(&lines, next.apply(own)));
        }
    }
    if let Some((_, turn)) = reply {
        places = turn.back().apply(places);
    }
    // A placement on the socket of the reply prevents the reply, so that socket counts as a result.
    turn.back().apply(places | reply.map_or(0, |(place, _)| place)) & p.free()
}

/// For each turn, the lines that cross the block of the turn, in the order of `Turn::all`.
static THROUGH: LazyLock<[LineSet; 16]> = LazyLock::new(|| {
    let mut all = [LineSet::default(); 16];
    for (turn, lines) in Turn::all().zip(&mut all) {
        for (i, &five) in FIVES.iter().enumerate() {
            lines.0[i / 64] |= u64::from(pattern(five, turn.block()) != 0) << (i % 64);
        }
    }
    all
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;

    const RULES: [&str; 5] =
        ["xl", "xl:seats=3", "xl:seats=4", "xl:seats=4,mode=2v2", "xl:seats=3,continue=yes"];

    #[test]
    fn as_by_trying_all_moves_with_every_kernel() {
        let mut wins = 0;
        for text in RULES {
            let rules: Rules = text.parse().unwrap();
            let (most, best) = ((rules.most_marbles() - 1).min(74), rules.best_half_points());
            for marbles in (4..=most).step_by(2) {
                for p in rules.random_positions(marbles, 12, marbles as u64, false).unwrap() {
                    let own = rules.side_of(p.to_move);
                    let win = |m: Move| {
                        let played = rules.play(&p, m).unwrap();
                        let first = |outcome: Outcome| own.iter().all(|s| outcome.half_points(s) == best);
                        if rules.continues() {
                            return played.position.placed() == own;
                        }
                        played.outcome.is_some_and(first)
                    };
                    let expected = rules.moves(&p).into_iter().any(win);
                    for kernel in Kernel::available() {
                        let found = rules.winning_move(&p, kernel);
                        assert_eq!(found.is_some(), expected, "{rules} {}", rules.format_position(&p));
                        assert!(found.is_none_or(win));
                        wins += u32::from(expected);
                    }
                }
            }
        }
        assert!(wins > 1000);
    }

    #[test]
    fn every_threat_is_where_threats_are_looked_for() {
        let rules: Rules = "xl".parse().unwrap();
        let (mut some, mut none) = (0, 0);
        for marbles in (6..50).step_by(4) {
            for p in rules.random_positions(marbles, 4, marbles as u64, true).unwrap() {
                let (own, others) =
                    (Seats::only(p.to_move), rules.everyone().without(Seats::only(p.to_move)));
                let replies = rules.random_positions(marbles + 2, 16, 1, true).unwrap();
                for (turn, reply) in Turn::all().zip(replies) {
                    // The reply is a placement on a free socket and some turn, or `None` if no such
                    // socket is drawn.
                    let place = sockets(turn.apply(p.free()) & reply.taken()).next();
                    let reply = place.map(|place| (place.bit(), Turn::all().nth(marbles % 16).unwrap()));
                    for kernel in Kernel::available() {
                        let places = threat_places(&p, turn, reply, kernel);
                        for place in sockets(p.free()) {
                            let mut next = p;
                            next.marbles[p.to_move.index()] |= place.bit();
                            next = next.turned(turn);
                            if let Some((place, turn)) = reply {
                                if next.free() & place == 0 {
                                    continue;
                                }
                                next.marbles[1 - p.to_move.index()] |= place;
                                next = next.turned(turn);
                            }
                            let threat = winning_move(&next, own, others, kernel).is_some();
                            let looked_for = places & place.bit() != 0;
                            assert!(
                                looked_for || !threat,
                                "{} {turn:?} {reply:?}",
                                rules.format_position(&p)
                            );
                            some += u32::from(threat);
                            none += u32::from(!looked_for);
                        }
                    }
                }
            }
        }
        assert!(some > 1000 && none > 1000, "{some} {none}");
    }
}
