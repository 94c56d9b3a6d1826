//! Positions: the marbles of each seat and the seat to move. With `continue=yes`, a position also
//! has the places of the seats that have left the game.

use crate::fives::has_five;
use crate::geometry::{BOARD, SOCKETS, Socket, SocketSet, Turn};
use crate::options::Rules;
use crate::outcome::Outcome;
use crate::seat::{Seat, Seats};
use pentago_base::Refusal;

/// A position. Its fields may have any contents: [`Rules::check`] tests whether a game can lead to
/// the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The set of the sockets with marbles of each seat, indexed by seat. The sets are disjoint.
    /// The set of a seat that is not in the game is empty.
    pub marbles: [SocketSet; 4],
    /// The seat to move.
    pub to_move: Seat,
    /// The place of each seat that has left the turn order, indexed by seat. The first place is 1,
    /// and seats that share a place have equal numbers. A seat that still plays has 0. Without
    /// `continue=yes`, all elements are 0.
    pub places: [u8; 4],
}

impl Position {
    /// The position of the empty board with seat A to move.
    pub const EMPTY: Position = Position { marbles: [0; 4], to_move: Seat::A, places: [0; 4] };

    /// Returns the set of the sockets that hold a marble.
    pub const fn taken(&self) -> SocketSet {
        self.marbles[0] | self.marbles[1] | self.marbles[2] | self.marbles[3]
    }

    /// Returns the set of the free sockets.
    pub const fn free(&self) -> SocketSet {
        BOARD & !self.taken()
    }

    /// Returns the number of marbles on the board.
    pub const fn count(&self) -> usize {
        self.taken().count_ones() as usize
    }

    /// Returns the number of free sockets.
    pub const fn empty(&self) -> usize {
        SOCKETS - self.count()
    }

    /// Returns the set of the sockets that hold a marble of `seat`.
    pub const fn of(&self, seat: Seat) -> SocketSet {
        self.marbles[seat.index()]
    }

    /// Returns the seat whose marble is on a socket, or `None` if the socket is free.
    pub fn at(&self, socket: Socket) -> Option<Seat> {
        Seat::ALL.into_iter().find(|&seat| self.of(seat) & socket.bit() != 0)
    }

    /// Returns those seats of `seats` that have five in a line.
    pub(crate) fn fives(&self, seats: Seats) -> Seats {
        seats.iter().filter(|&seat| has_five(self.of(seat))).collect()
    }

    /// Returns the position after a turn. The seat to move stays the same.
    pub(crate) fn turned(&self, turn: Turn) -> Position {
        Position { marbles: self.marbles.map(|set| turn.apply(set)), ..*self }
    }

    /// Returns the seats that have a place, and have therefore left the turn order.
    pub fn placed(&self) -> Seats {
        Seat::ALL.into_iter().filter(|seat| self.places[seat.index()] != 0).collect()
    }

    /// Returns the seats of each place, first place first. The list ends at the first missing
    /// place. Only a position to which no game leads can lack a place.
    pub(crate) fn seats_by_place(&self) -> Vec<Seats> {
        let (mut groups, mut place) = (Vec::new(), 1);
        loop {
            let group: Seats =
                Seat::ALL.into_iter().filter(|seat| self.places[seat.index()] == place).collect();
            if group.is_empty() {
                return groups;
            }
            place += group.len() as u8;
            groups.push(group);
        }
    }
}

impl Rules {
    /// Returns the position in which the seats have these marbles, indexed by seat. The seat to
    /// move follows from the number of marbles.
    ///
    /// # Errors
    /// If no game leads to these numbers of marbles.
    pub fn position(&self, marbles: [SocketSet; 4]) -> Result<Position, Refusal> {
        let all: u32 = marbles.iter().map(|set| set.count_ones()).sum();
        let to_move = self.seat_after(Seat::A, all as usize);
        let p = Position { marbles, to_move, places: [0; 4] };
        self.check(&p).map(|()| p)
    }

    /// Returns the seats that still take turns.
    pub fn active(&self, p: &Position) -> Seats {
        self.everyone().without(p.placed())
    }

    /// Checks that a game can lead to the numbers of marbles, the seat to move and the places of a
    /// position. The game may be over in the position. The arrangement of the marbles is ignored,
    /// with one exception: with `continue=yes`, a seat with five in a line may not be in the turn
    /// order any more.
    ///
    /// # Errors
    /// If no game leads to such a position.
    pub fn check(&self, p: &Position) -> Result<(), Refusal> {
        let (seats, supply) = (self.seats(), self.supply());
        let refuse = |word, why: String| Err(Refusal::no_game(word, &why));
        for seat in &Seat::ALL[seats..] {
            if p.of(*seat) != 0 || p.to_move == *seat || p.places[seat.index()] != 0 {
                return refuse(0, format!("there are {seats} seats, {seat} is none of them"));
            }
        }
        let counts = p.marbles.map(|set| set.count_ones() as usize);
        let all: usize = counts.iter().sum();
        if p.count() != all || p.taken() & !BOARD != 0 {
            return refuse(0, "the sets of marbles overlap, or leave the board".to_owned());
        }
        for (seat, marbles) in Seat::ALL.into_iter().zip(counts) {
            if marbles > supply {
                let why = format!("{seat} has {marbles} marbles on the board, more than its {supply}");
                return refuse(0, why);
            }
        }
        if p.placed().is_empty() {
            for (i, expected) in self.marbles_placed(Seat::A, all).into_iter().enumerate() {
                let (seat, marbles) = (Seat::ALL[i], counts[i]);
                if marbles != expected {
                    let of_all = format!("{expected} of the {all} on the board");
                    return refuse(
                        0,
                        format!("{seat} has {marbles} marbles, but in turn order it has {of_all}"),
                    );
                }
            }
            let (expected, stated) = (self.seat_after(Seat::A, all), p.to_move);
            if stated != expected {
                return refuse(1, format!("after {all} marbles it is {expected}'s turn, not {stated}'s"));
            }
        } else {
            self.check_places(p, counts)?;
        }
        if self.continues()
            && self.active(p).len() > 1
            && let Some(seat) = p.fives(self.active(p)).iter().next()
        {
            return refuse(0, format!("{seat} has five in a line, but has not left the turn order"));
        }
        Ok(())
    }

    fn check_places(&self, p: &Position, counts: [usize; 4]) -> Result<(), Refusal> {
        let mover = p.to_move;
        let groups = p.seats_by_place();
        let whole = groups.iter().map(|group| group.len()).sum::<usize>() == p.placed().len();
        let active = self.active(p).len();
        // The number of seats in the turn order before the last group left it. The game ends when
        // fewer than two seats are left.
        let before = active + groups.last().map_or(0, |group| group.len());
        let (word, why) = if !self.continues() {
            (2, "seats are placed during a game only with continue=yes".to_owned())
        } else if whole && active > 0 && p.placed().has(mover) {
            (1, format!("the seat to move, {mover}, has left the turn order"))
        } else if before < 2 {
            (2, "the game ends when one seat is left, and the list leaves out this seat".to_owned())
        } else if !whole {
            (2, "the places do not follow one another as 1, 2, 3 or joint as 1, 1, 3".to_owned())
        } else if !self.order_exists(mover, counts, Seat::A, self.everyone(), &groups) {
            let what = "these numbers of marbles";
            (0, format!("no order of leaving the game gives {what} with {mover} to move"))
        } else {
            return Ok(());
        };
        Err(Refusal::no_game(word, &why))
    }

    /// Returns `true` if some order of play, beginning with `mover`, ends with `to_move` as the
    /// seat to move. `left` is the number of marbles that each seat still has to place, and the
    /// `active` seats take turns. The `groups` leave the turn order one after another. The seats of
    /// a group leave together once each of them has placed all its marbles.
    fn order_exists(
        &self,
        to_move: Seat,
        mut left: [usize; 4],
        mover: Seat,
        active: Seats,
        groups: &[Seats],
    ) -> bool {
        if groups.is_empty() && left == [0; 4] && mover == to_move {
            return true;
        }
        let Some(fewer) = left[mover.index()].checked_sub(1) else { return false };
        left[mover.index()] = fewer;
        let goes_on = |active: Seats, groups: &[Seats]| {
            self.order_exists(to_move, left, self.next_seat(mover, active), active, groups)
        };
        if let Some((group, rest)) = groups.split_first()
            && group.iter().all(|seat| left[seat.index()] == 0)
            && goes_on(active.without(*group), rest)
        {
            return true;
        }
        goes_on(active, groups)
    }

    /// Returns the outcome of the game in a position, or `None` if the game continues.
    ///
    /// With `continue=no`, the first five in a line ends the game. With `continue=yes`, a seat
    /// leaves the turn order once it has five in a line. The game then ends when fewer than two
    /// seats take turns, or when the marbles are used up.
    pub fn outcome(&self, p: &Position) -> Option<Outcome> {
        if self.continues() {
            let is_over = self.active(p).len() <= 1 || self.used_up(p);
            return is_over.then(|| self.places_so_far(p));
        }
        self.first_fives(p, p.fives(self.everyone()))
    }

    /// Returns the places of a position with `continue=yes`. All seats without a place share the
    /// next place, so only the points of the other seats are certain until the game is over.
    pub fn places_so_far(&self, p: &Position) -> Outcome {
        let mut places = p.places;
        self.active(p).iter().for_each(|seat| places[seat.index()] = 1 + p.placed().len() as u8);
        Outcome::Places(places)
    }

    /// Returns the outcome of a position with `continue=no`, or `None` if the game continues.
    /// `fives` are the seats that have five in a line.
    pub(crate) fn first_fives(&self, p: &Position, fives: Seats) -> Option<Outcome> {
        (!fives.is_empty() || self.used_up(p)).then(|| Outcome::of_fives(self, fives))
    }

    /// Returns `true` if the seat to move has no marble left or no socket is free. Since seats take
    /// turns, the other seats in the turn order then have no marble left, either.
    pub(crate) fn used_up(&self, p: &Position) -> bool {
        p.of(p.to_move).count_ones() as usize >= self.supply() || p.free() == 0
    }

    /// Returns `false` if no seat of `seats` has enough marbles for five after `plies` plies, of
    /// which there must be at least one.
    pub(crate) fn may_have_five(&self, p: &Position, seats: Seats, plies: u32) -> bool {
        let placed = self.marbles_placed(p.to_move, plies.min(20) as usize);
        plies > 0 && seats.iter().any(|seat| p.of(seat).count_ones() as usize + placed[seat.index()] >= 5)
    }

    /// Returns the seat of `active` that comes next after `seat` in turn order. Returns `seat`
    /// itself if no other seat is active.
    pub(crate) fn next_seat(&self, seat: Seat, active: Seats) -> Seat {
        (1..self.seats()).map(|i| self.seat_after(seat, i)).find(|&s| active.has(s)).unwrap_or(seat)
    }
}
