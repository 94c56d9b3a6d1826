//! The look-ahead of one ply: can the seat to move end the game at once as its side wants? Exact,
//! and many times faster than trying the moves.

use crate::geometry::{FIVES, Set, TABLES, Turn, sockets};
use crate::kernel::{Kernel, LineSet, Scan, Win};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;
use crate::seat::Seats;

impl Rules {
    /// A move that ends the game at once with a win of the mover's side: alone in the first place,
    /// or for its team. With `continue=yes`, a move by which the mover alone takes the best free
    /// place. None if the game is over.
    #[must_use]
    pub fn winning_move(&self, p: &Position, kernel: Kernel) -> Option<Move> {
        if self.outcome(p).is_some() {
            return None;
        }
        let own = self.side_of(p.to_move);
        winning_move(p, own, self.active(p).without(own), kernel)
    }
}

impl Rules {
    /// Whether there is such a move. The answer is right where nobody has five, which is not looked
    /// at again.
    #[inline]
    #[must_use]
    pub fn can_win_at_once(&self, p: &Position, kernel: Kernel) -> bool {
        let own = self.side_of(p.to_move);
        !self.used_up(p) && scan(p, own, self.active(p).without(own), kernel).is_some()
    }
}

/// A move after which some seat of `own`, which holds the mover, has five, and none of `others`.
/// The mover has a marble and a socket is free; nobody has five.
#[inline]
pub(crate) fn winning_move(p: &Position, own: Seats, others: Seats, kernel: Kernel) -> Option<Move> {
    scan(p, own, others, kernel).and_then(|win| found(p, win))
}

#[inline]
fn scan(p: &Position, own: Seats, others: Seats, kernel: Kernel) -> Option<Win> {
    let mover = p.of(p.to_move);
    let taken = p.taken() & !mover;
    let mut partners = [0; 2];
    let mut enemies = [0; 3];
    let partner_seats = own.without(Seats::only(p.to_move));
    partner_seats.iter().zip(&mut partners).for_each(|(seat, set)| *set = p.of(seat));
    others.iter().zip(&mut enemies).for_each(|(seat, set)| *set = p.of(seat));
    kernel.scan(&TABLES, &Scan { mover, taken, partners, enemies })
}

/// The move of a win.
#[cold]
fn found(p: &Position, win: Win) -> Option<Move> {
    let mover = p.of(p.to_move);
    match win {
        Win::Place(lines) => {
            let place = sockets(missing(&lines, mover)?).next()?;
            Some(Move { place, turn: None })
        }
        Win::Turn(block, clockwise, lines) => {
            let turn = Turn::new(block, clockwise)?;
            let back = Turn::new(block, !clockwise)?;
            let set = back.apply(missing(&lines, turn.apply(mover))?);
            // A line that is complete without a marble is not spoilt by one anywhere.
            let place = sockets(if set == 0 { p.free() } else { set }).next()?;
            Some(Move { place, turn: Some(turn) })
        }
        Win::Partner(block, clockwise) => {
            Some(Move { place: sockets(p.free()).next()?, turn: Turn::new(block, clockwise) })
        }
    }
}

/// What the first of the lines misses.
fn missing(lines: &LineSet, own: Set) -> Option<Set> {
    let word = lines.0.iter().position(|&word| word != 0)?;
    let line = 64 * word + lines.0[word].trailing_zeros() as usize;
    FIVES.get(line).map(|five| five & !own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: [&str; 5] =
        ["xl", "xl:seats=3", "xl:seats=4", "xl:seats=4,mode=2v2", "xl:seats=3,continue=yes"];

    #[test]
    fn as_by_trying_all_moves_with_every_kernel() {
        let mut wins = 0;
        for text in RULES {
            let rules: Rules = text.parse().unwrap();
            let most = (rules.most_marbles() - 1).min(74);
            for marbles in (4..=most).step_by(2) {
                for p in rules.random_positions(marbles, 12, marbles as u64, false).unwrap() {
                    let expected = rules.wins_at_once(&p);
                    for kernel in Kernel::available() {
                        let found = rules.winning_move(&p, kernel);
                        assert_eq!(found.is_some(), expected, "{rules} {}", rules.format_position(&p));
                        let Some(m) = found else { continue };
                        let played = rules.play(&p, m).unwrap();
                        let own = rules.side_of(p.to_move);
                        let best = rules.best_half_points();
                        if rules.continues() {
                            assert!(played.position.placed() == Seats::only(p.to_move));
                        } else {
                            let outcome = played.outcome.unwrap();
                            assert!(own.iter().all(|seat| outcome.half_points(seat) == best));
                        }
                        wins += 1;
                    }
                }
            }
        }
        assert!(wins > 1000);
    }
}
