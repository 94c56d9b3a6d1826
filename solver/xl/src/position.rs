//! Positions: the marbles of each seat, the seat to move, and with `continue=yes` the places of the
//! seats that have left the game.

use crate::fives::has_five;
use crate::geometry::{BOARD, SOCKETS, Socket, SocketSet, Turn};
use crate::options::Rules;
use crate::outcome::Outcome;
use crate::seat::{Seat, Seats};

/// A position. The fields are plain data: [`Rules::check`] tests whether a game can lead to the
/// position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The sockets with marbles of each seat, by seat index. The sets are disjoint, and empty for
    /// seats that are not in the game.
    pub marbles: [SocketSet; 4],
    /// The seat to move.
    pub to_move: Seat,
    /// The place of each seat that has left the turn order, by seat index. The first place is 1,
    /// and seats that share a place have equal numbers. A seat that still plays has 0, and without
    /// `continue=yes` all entries are 0.
    pub places: [u8; 4],
}

/// The reason why no game leads to a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImpossiblePosition {
    /// A seat that is not in the game has marbles, is to move or has a place.
    #[error("there are {seats} seats, {seat} is none of them")]
    NoSuchSeat {
        /// The number of seats of the game.
        seats: usize,
        /// The seat that is not in the game.
        seat: Seat,
    },
    /// Two marbles are in one socket, or a marble is off the board.
    #[error("the sets of marbles overlap, or leave the board")]
    Overlap,
    /// A seat has more marbles on the board than its supply.
    #[error("{seat} has {marbles} marbles on the board, more than its {supply}")]
    Supply {
        /// The seat with too many marbles.
        seat: Seat,
        /// The number of marbles of the seat on the board.
        marbles: usize,
        /// The supply of the seat.
        supply: usize,
    },
    /// The numbers of marbles contradict the turn order.
    #[error("{seat} has {marbles} marbles, but in turn order it has {expected} of the {all} on the board")]
    Counts {
        /// The first seat whose number of marbles is wrong.
        seat: Seat,
        /// The number of marbles of the seat on the board.
        marbles: usize,
        /// The number of marbles that the turn order gives the seat.
        expected: usize,
        /// The number of marbles of all seats.
        all: usize,
    },
    /// The seat to move contradicts the number of marbles.
    #[error("after {all} marbles it is {expected}'s turn, not {stated}'s")]
    Side {
        /// The number of marbles of all seats.
        all: usize,
        /// The seat that is to move after this number of marbles.
        expected: Seat,
        /// The seat to move that the position names.
        stated: Seat,
    },
    /// A seat has a place, but the rules have `continue=no`.
    #[error("seats are placed during a game only with continue=yes")]
    Placed,
    /// The places are not numbered like 1, 2, 3 or, for seats that share a place, like 1, 1, 3.
    #[error("the places do not follow one another as 1, 2, 3 or joint as 1, 1, 3")]
    Order,
    /// A seat has five in a line but still takes turns.
    #[error("{0} has five in a line, but has not left the turn order")]
    NotPlaced(Seat),
    /// A turn is pending, but the seat to move has no marble on the board or could not place one.
    #[error("no turn is pending: {0} has not placed a marble")]
    NothingPlaced(Seat),
    /// A turn is pending, but a seat has five in a line already.
    #[error("no turn is pending: {0} has five in a line before it")]
    FiveBeforeTurn(Seat),
    /// The seat to move has a place. Another seat may have a place without a five on the board,
    /// since a later turn may have broken the five.
    #[error("the seat to move, {0}, has left the turn order")]
    MoverPlaced(Seat),
    /// No order of play gives these numbers of marbles and these places with this seat to move.
    #[error("no order of leaving the game gives these numbers of marbles with {0} to move")]
    NoHistory(Seat),
}

impl Position {
    /// The empty board with A to move.
    pub const EMPTY: Position = Position { marbles: [0; 4], to_move: Seat::A, places: [0; 4] };

    /// Returns the sockets that hold a marble.
    #[must_use]
    pub const fn taken(&self) -> SocketSet {
        self.marbles[0] | self.marbles[1] | self.marbles[2] | self.marbles[3]
    }

    /// Returns the free sockets.
    #[must_use]
    pub const fn free(&self) -> SocketSet {
        BOARD & !self.taken()
    }

    /// Returns the number of marbles on the board.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.taken().count_ones() as usize
    }

    /// Returns the number of free sockets.
    #[must_use]
    pub const fn empty(&self) -> usize {
        SOCKETS - self.count()
    }

    /// Returns the sockets with marbles of a seat.
    #[must_use]
    pub const fn of(&self, seat: Seat) -> SocketSet {
        self.marbles[seat.index()]
    }

    /// Returns the seat whose marble is in a socket, or `None` for a free socket.
    #[must_use]
    pub fn at(&self, socket: Socket) -> Option<Seat> {
        Seat::ALL.into_iter().find(|&seat| self.of(seat) & socket.bit() != 0)
    }

    /// Returns the seats of `seats` that have five in a line.
    pub(crate) fn fives(&self, seats: Seats) -> Seats {
        seats.iter().filter(|&seat| has_five(self.of(seat))).collect()
    }

    /// Returns the position after the turn of a block. The seat to move stays the same.
    pub(crate) fn turned(&self, turn: Turn) -> Position {
        Position { marbles: self.marbles.map(|set| turn.apply(set)), ..*self }
    }

    /// Returns the seats that have left the turn order.
    #[must_use]
    pub fn placed(&self) -> Seats {
        Seat::ALL.into_iter().filter(|seat| self.places[seat.index()] != 0).collect()
    }
}

impl Rules {
    /// Returns the position with these marbles. The seat to move follows from the number of
    /// marbles.
    ///
    /// # Errors
    /// If no game leads to these numbers of marbles.
    pub fn position(&self, marbles: [SocketSet; 4]) -> Result<Position, ImpossiblePosition> {
        let all: u32 = marbles.iter().map(|set| set.count_ones()).sum();
        let to_move = self.seat_after(Seat::A, all as usize);
        let p = Position { marbles, to_move, places: [0; 4] };
        self.check(&p).map(|()| p)
    }

    /// Returns the seats that still take turns.
    #[must_use]
    pub fn active(&self, p: &Position) -> Seats {
        self.everyone().without(p.placed())
    }

    /// Checks that a game can lead to these numbers of marbles with this seat to move and these
    /// places. The game may be over in the position. The check ignores the arrangement of the
    /// marbles, with one exception: with `continue=yes`, no seat with five in a line may still take
    /// turns.
    ///
    /// # Errors
    /// If no game leads to such a position.
    pub fn check(&self, p: &Position) -> Result<(), ImpossiblePosition> {
        let seats = self.seats();
        for seat in &Seat::ALL[seats..] {
            if p.of(*seat) != 0 || p.to_move == *seat || p.places[seat.index()] != 0 {
                return Err(ImpossiblePosition::NoSuchSeat { seats, seat: *seat });
            }
        }
        let all: u32 = p.marbles.iter().map(|set| set.count_ones()).sum();
        if p.taken().count_ones() != all || p.taken() & !BOARD != 0 {
            return Err(ImpossiblePosition::Overlap);
        }
        let all = all as usize;
        let counts = p.marbles.map(|set| set.count_ones() as usize);
        for seat in self.everyone().iter() {
            let (marbles, supply) = (counts[seat.index()], self.supply());
            if marbles > supply {
                return Err(ImpossiblePosition::Supply { seat, marbles, supply });
            }
        }
        if p.placed().is_empty() {
            for (seat, expected) in Seat::ALL.into_iter().zip(self.marbles_placed(Seat::A, all)) {
                let marbles = counts[seat.index()];
                if marbles != expected {
                    return Err(ImpossiblePosition::Counts { seat, marbles, expected, all });
                }
            }
            let expected = self.seat_after(Seat::A, all);
            if p.to_move != expected {
                return Err(ImpossiblePosition::Side { all, expected, stated: p.to_move });
            }
        } else {
            self.check_places(p, &counts)?;
        }
        if self.continues()
            && self.active(p).len() > 1
            && let Some(seat) = p.fives(self.active(p)).iter().next()
        {
            return Err(ImpossiblePosition::NotPlaced(seat));
        }
        Ok(())
    }

    fn check_places(&self, p: &Position, counts: &[usize; 4]) -> Result<(), ImpossiblePosition> {
        if !self.continues() {
            return Err(ImpossiblePosition::Placed);
        }
        let mut groups = Vec::new();
        let mut placed = 0;
        while placed < p.placed().len() {
            let group: Seats =
                self.everyone().iter().filter(|s| usize::from(p.places[s.index()]) == placed + 1).collect();
            if group.is_empty() {
                return Err(ImpossiblePosition::Order);
            }
            placed += group.len();
            groups.push(group);
        }
        if p.placed().has(p.to_move) {
            return Err(ImpossiblePosition::MoverPlaced(p.to_move));
        }
        if self.active(p).len() < 2 {
            // With fewer than two seats in turn order the game would be over, and the last seat
            // would have a place.
            return Err(ImpossiblePosition::Order);
        }
        if self.order_exists(p.to_move, *counts, Seat::A, self.everyone(), &groups) {
            Ok(())
        } else {
            Err(ImpossiblePosition::NoHistory(p.to_move))
        }
    }

    /// Returns `true` if some order of play leads from `mover` to `to_move`. `left` is the number
    /// of marbles that each seat still places, and the `active` seats take turns. The seats of a
    /// group leave together once each of them has placed all its marbles. The `groups` leave one
    /// after another.
    fn order_exists(
        &self,
        to_move: Seat,
        left: [usize; 4],
        mover: Seat,
        active: Seats,
        groups: &[Seats],
    ) -> bool {
        if groups.is_empty() && left == [0; 4] && mover == to_move {
            return true;
        }
        let mut next = left;
        let Some(fewer) = left[mover.index()].checked_sub(1) else { return false };
        next[mover.index()] = fewer;
        if let Some((group, groups)) = groups.split_first()
            && group.iter().all(|seat| next[seat.index()] == 0)
        {
            let active = active.without(*group);
            if self.order_exists(to_move, next, self.next_seat(mover, active), active, groups) {
                return true;
            }
        }
        self.order_exists(to_move, next, self.next_seat(mover, active), active, groups)
    }

    /// Returns the outcome of the game in a position, or `None` if the game continues.
    ///
    /// With `continue=no` the first line of five ends the game. With `continue=yes` a seat with
    /// five has left the turn order. The game then ends when at most one seat takes turns, or when
    /// the marbles are used up.
    #[must_use]
    pub fn outcome(&self, p: &Position) -> Option<Outcome> {
        if self.continues() {
            let active = self.active(p);
            let next = 1 + p.placed().len() as u8;
            if active.len() > 1 && !self.used_up(p) {
                return None;
            }
            let mut places = p.places;
            active.iter().for_each(|seat| places[seat.index()] = next);
            return Some(Outcome::Places(places));
        }
        let fives = p.fives(self.everyone());
        if fives.is_empty() && !self.used_up(p) {
            return None;
        }
        Some(Outcome::of_fives(self, fives))
    }

    /// Returns `true` if the seat to move has no marble left or no socket is free. Since seats take
    /// turns, the other seats in the turn order have no marble left either.
    pub(crate) fn used_up(&self, p: &Position) -> bool {
        p.of(p.to_move).count_ones() as usize >= self.supply() || p.free() == 0
    }

    /// Returns the next active seat after `seat` in turn order, or `seat` itself if no other seat
    /// is active.
    pub(crate) fn next_seat(&self, seat: Seat, active: Seats) -> Seat {
        (1..self.seats()).map(|i| self.seat_after(seat, i)).find(|&s| active.has(s)).unwrap_or(seat)
    }
}
