//! Positions: the marbles of each seat, who moves, and with `continue=yes` who is placed already.

use crate::fives::has_five;
use crate::geometry::{BOARD, SOCKETS, Socket, SocketSet, Turn};
use crate::options::Rules;
use crate::outcome::Outcome;
use crate::seat::{Seat, Seats};

/// A position. The fields are plain data; [`Rules::check`] tells whether play can give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The sockets with marbles of each seat; disjoint, and empty for seats that do not play.
    pub marbles: [SocketSet; 4],
    /// The seat to move.
    pub to_move: Seat,
    /// The places of the seats that have left the turn order (`continue=yes`): 1 is the first,
    /// joint places are equal; 0 for those that still play.
    pub places: [u8; 4],
}

/// Why no game leads to a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImpossiblePosition {
    /// A seat that does not play has marbles, moves or is placed.
    #[error("there are {seats} seats, {seat} is none of them")]
    NoSuchSeat {
        /// The seats of the game.
        seats: usize,
        /// The seat that does not play.
        seat: Seat,
    },
    /// Two marbles in one socket, or marbles off the board.
    #[error("the sets of marbles overlap, or leave the board")]
    Overlap,
    /// More marbles than a seat has.
    #[error("{seat} has {marbles} marbles on the board, more than its {supply}")]
    Supply {
        /// The seat.
        seat: Seat,
        /// Its marbles on the board.
        marbles: usize,
        /// The most that it has.
        supply: usize,
    },
    /// The numbers of marbles do not follow from taking turns.
    #[error("{seat} has {marbles} marbles, but in turn order it has {expected} of the {all} on the board")]
    Counts {
        /// The first seat whose number is wrong.
        seat: Seat,
        /// Its marbles on the board.
        marbles: usize,
        /// What the turn order gives.
        expected: usize,
        /// The marbles of all seats.
        all: usize,
    },
    /// The wrong seat is to move.
    #[error("after {all} marbles it is {expected}'s turn, not {stated}'s")]
    Side {
        /// The marbles of all seats.
        all: usize,
        /// Who moves.
        expected: Seat,
        /// Who was said to move.
        stated: Seat,
    },
    /// Places are only kept while the game goes on for them.
    #[error("seats are placed during a game only with continue=yes")]
    Placed,
    /// Places that do not follow one another.
    #[error("the places do not follow one another as 1, 2, 3 or joint as 1, 1, 3")]
    Order,
    /// A seat has five and still plays.
    #[error("{0} has five in a line, but has not left the turn order")]
    NotPlaced(Seat),
    /// A turn is said to be pending, but the seat to move has placed nothing.
    #[error("no turn is pending: {0} has not placed a marble")]
    NothingPlaced(Seat),
    /// A turn is said to be pending, but somebody has five.
    #[error("no turn is pending: {0} has five in a line before it")]
    FiveBeforeTurn(Seat),
    /// A seat is placed without a five. (Its five may have been turned apart since, so this is
    /// only said where no turn came after it.)
    #[error("the seat to move, {0}, has left the turn order")]
    MoverPlaced(Seat),
    /// No order of play gives these numbers of marbles and places.
    #[error("no order of leaving the game gives these numbers of marbles with {0} to move")]
    NoHistory(Seat),
}

impl Position {
    /// The empty board, A to move.
    pub const EMPTY: Position = Position { marbles: [0; 4], to_move: Seat::A, places: [0; 4] };

    /// The sockets with a marble.
    #[must_use]
    pub const fn taken(&self) -> SocketSet {
        self.marbles[0] | self.marbles[1] | self.marbles[2] | self.marbles[3]
    }

    /// The sockets without one.
    #[must_use]
    pub const fn free(&self) -> SocketSet {
        BOARD & !self.taken()
    }

    /// The number of marbles on the board.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.taken().count_ones() as usize
    }

    /// The number of free sockets.
    #[must_use]
    pub const fn empty(&self) -> usize {
        SOCKETS - self.count()
    }

    /// The marbles of a seat.
    #[must_use]
    pub const fn of(&self, seat: Seat) -> SocketSet {
        self.marbles[seat.index()]
    }

    /// Whose marble lies in a socket.
    #[must_use]
    pub fn at(&self, socket: Socket) -> Option<Seat> {
        Seat::ALL.into_iter().find(|&seat| self.of(seat) & socket.bit() != 0)
    }

    /// Returns the seats of `seats` that have five in a line.
    pub(crate) fn fives(&self, seats: Seats) -> Seats {
        seats.iter().filter(|&seat| has_five(self.of(seat))).collect()
    }

    /// Returns the position after the turn of a block, with the seat to move unchanged.
    pub(crate) fn turned(&self, turn: Turn) -> Position {
        Position { marbles: self.marbles.map(|set| turn.apply(set)), ..*self }
    }

    /// The seats that have left the turn order.
    #[must_use]
    pub fn placed(&self) -> Seats {
        Seat::ALL.into_iter().filter(|seat| self.places[seat.index()] != 0).collect()
    }
}

impl Rules {
    /// The position with these marbles, where the side to move follows from their number.
    ///
    /// # Errors
    /// If no game leads to such numbers of marbles.
    pub fn position(&self, marbles: [SocketSet; 4]) -> Result<Position, ImpossiblePosition> {
        let all: u32 = marbles.iter().map(|set| set.count_ones()).sum();
        let to_move = self.seat_after(Seat::A, all as usize);
        let p = Position { marbles, to_move, places: [0; 4] };
        self.check(&p).map(|()| p)
    }

    /// The seats that still take turns.
    #[must_use]
    pub fn active(&self, p: &Position) -> Seats {
        self.everyone().without(p.placed())
    }

    /// Returns whether play can give such numbers of marbles, with this seat to move and these
    /// places. The game may be over by then. (Where the marbles lie is not judged, but that with
    /// `continue=yes` nobody with five still takes turns.)
    ///
    /// # Errors
    /// If it can't.
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
            // The game would be over, and its last place taken.
            return Err(ImpossiblePosition::Order);
        }
        if self.order_exists(p.to_move, *counts, Seat::A, self.everyone(), &groups) {
            Ok(())
        } else {
            Err(ImpossiblePosition::NoHistory(p.to_move))
        }
    }

    /// Returns `true` if some order of play leads from `mover`, with `left` marbles still to be placed
    /// by each seat, to `to_move`. The `active` seats take turns. Each of the `groups` leaves, one
    /// after another, when its seats have placed all their marbles.
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

    /// Returns how the game has ended in a position, or nothing if it goes on.
    ///
    /// With `continue=no` a line of five of anyone ends it. With `continue=yes` such a seat has
    /// left the turn order already, and the game ends when at most one seat is left to take turns,
    /// or there are no more marbles.
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

    /// Returns whether the seat to move has no marble left, or no socket is free. (Seats take
    /// turns, so the others who still play have none left either.)
    pub(crate) fn used_up(&self, p: &Position) -> bool {
        p.of(p.to_move).count_ones() as usize >= self.supply() || p.free() == 0
    }

    /// The next of the active seats behind a seat, in turn order; the seat itself if there is none.
    pub(crate) fn next_seat(&self, seat: Seat, active: Seats) -> Seat {
        (1..self.seats()).map(|i| self.seat_after(seat, i)).find(|&s| active.has(s)).unwrap_or(seat)
    }
}
