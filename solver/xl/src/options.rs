//! The rules of a game and their text form, such as `xl` and `xl:seats=4,mode=2v2,supply=20`.

use std::fmt;
use std::str::FromStr;

use crate::geometry::SOCKETS;
use crate::seat::{Seat, Seats};
use pentago_base::{ParseError, Refusal, RulesText, rules_text, unless_first};

/// The mode of a game: whether the seats play alone or in teams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Each seat plays alone.
    FreeForAll,
    /// The four seats play in two teams: A and C against B and D.
    Teams,
}

/// The rules of a game. [`Rules::new`] accepts every valid combination of options, and refuses all
/// others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    seats: u8,
    mode: Mode,
    supply: u8,
    continues: bool,
}

const KEYS: &str = "seats, mode, supply, continue";

const SEATS: [(&str, usize); 3] = [("2", 2), ("3", 3), ("4", 4)];
const MODE: [(&str, Mode); 2] = [("ffa", Mode::FreeForAll), ("2v2", Mode::Teams)];
const CONTINUE: [(&str, bool); 2] = [("no", false), ("yes", true)];

impl Default for Rules {
    /// Returns the rules for two seats with 40 marbles each.
    fn default() -> Rules {
        Rules { seats: 2, mode: Mode::FreeForAll, supply: 40, continues: false }
    }
}

impl Rules {
    /// Creates rules from options. `supply` is the number of marbles of each seat. `None` means 40
    /// marbles with two seats, and 20 with more seats. If `continues` is `true`, the game does not
    /// end with the first five in a line: the other seats then play for the other places.
    ///
    /// # Errors
    /// If the combination of options is invalid.
    pub fn new(seats: usize, mode: Mode, supply: Option<usize>, continues: bool) -> Result<Rules, Refusal> {
        let supply = supply.unwrap_or(default_supply(seats));
        let teams = mode == Mode::Teams;
        if !(2..=4).contains(&seats) {
            return Err(Refusal::new(format!("there are 2, 3 or 4 seats, not {seats}")));
        }
        if !(1..=SOCKETS).contains(&supply) {
            return Err(Refusal::new(format!("each seat has 1 to 81 marbles, not {supply}")));
        }
        if teams && seats != 4 {
            return Err(Refusal::new(format!("mode=2v2 needs seats=4, here seats={seats}")));
        }
        if teams && continues {
            return Err(Refusal::new("continue=yes plays for places, which mode=2v2 does not have"));
        }
        Ok(Rules { seats: seats as u8, mode, supply: supply as u8, continues })
    }

    /// Returns the number of seats, from 2 to 4.
    pub const fn seats(&self) -> usize {
        self.seats as usize
    }

    /// Returns the mode: each seat plays alone, or the seats play in two teams.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the number of marbles that each seat has for the whole game.
    pub const fn supply(&self) -> usize {
        self.supply as usize
    }

    /// Returns `true` if the game continues after the first five in a line, so that the other seats
    /// play for the other places.
    pub const fn continues(&self) -> bool {
        self.continues
    }

    /// Returns the set of all seats of the game.
    pub const fn everyone(&self) -> Seats {
        Seats::first(self.seats as usize)
    }

    /// Returns the side of `seat`: the seat alone, or all seats of its team.
    pub fn side_of(&self, seat: Seat) -> Seats {
        match self.mode {
            Mode::FreeForAll => Seats::only(seat),
            Mode::Teams => Seat::ALL.into_iter().filter(|s| s.index() % 2 == seat.index() % 2).collect(),
        }
    }

    /// Returns the sides of the game, sorted by their first seats. A side is a single seat, or a
    /// team in a team game.
    pub fn sides(&self) -> Vec<Seats> {
        let firsts = if self.mode == Mode::Teams { 2 } else { self.seats() };
        Seat::ALL[..firsts].iter().map(|&seat| self.side_of(seat)).collect()
    }

    /// Returns the seat that moves `plies` plies after `seat`, if no seat has left the turn order.
    pub(crate) const fn seat_after(&self, seat: Seat, plies: usize) -> Seat {
        Seat::ALL[(seat.index() + plies) % self.seats()]
    }

    /// Returns the number of marbles that each seat places in the next `plies` plies, indexed by
    /// seat. `first` is the seat that makes the first of these plies.
    pub(crate) fn marbles_placed(&self, first: Seat, plies: usize) -> [usize; 4] {
        let mut counts = [0; 4];
        (0..plies).for_each(|ply| counts[self.seat_after(first, ply).index()] += 1);
        counts
    }

    /// Returns the largest number of marbles on the board: the marbles of all seats together, but
    /// at most 81.
    pub const fn most_marbles(&self) -> usize {
        let all = self.seats as usize * self.supply as usize;
        if all < SOCKETS { all } else { SOCKETS }
    }
}

const fn default_supply(seats: usize) -> usize {
    if seats == 2 { 40 } else { 20 }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let supply = self.supply();
        let options = [
            unless_first(&SEATS, "seats", self.seats()),
            unless_first(&MODE, "mode", self.mode),
            (supply != default_supply(self.seats())).then(|| format!("supply={supply}")),
            unless_first(&CONTINUE, "continue", self.continues),
        ];
        f.pad(&rules_text("xl", options))
    }
}

impl FromStr for Rules {
    type Err = ParseError;

    /// Parses rules in the form `xl` or `xl:key=value,...`, with optional white space around the
    /// text. The keys are `seats`, `mode`, `supply` and `continue`.
    fn from_str(text: &str) -> Result<Rules, ParseError> {
        let read = RulesText::new(text)?;
        if read.name.text != "xl" {
            return Err(read.unknown_name("xl"));
        }
        let (mut seats, mut mode, mut supply, mut continues) = (2, Mode::FreeForAll, None, false);
        for option in read.options(KEYS) {
            let option = option?;
            match option.key.text {
                "seats" => seats = option.choose(&SEATS)?,
                "mode" => mode = option.choose(&MODE)?,
                "supply" => supply = Some(option.number(1..=SOCKETS as u16)?.into()),
                "continue" => continues = option.choose(&CONTINUE)?,
                _ => return Err(option.unknown(KEYS)),
            }
        }
        Rules::new(seats, mode, supply, continues).map_err(|why| read.wrong(why.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let mut read = 0;
        for seats in 2..=4 {
            for mode in [Mode::FreeForAll, Mode::Teams] {
                for supply in [None, Some(1), Some(20), Some(40), Some(81)] {
                    for continues in [false, true] {
                        let Ok(rules) = Rules::new(seats, mode, supply, continues) else { continue };
                        assert_eq!(rules.to_string().parse::<Rules>().unwrap(), rules);
                        read += 1;
                    }
                }
            }
        }
        assert_eq!(read, 35);
        assert_eq!(Rules::default().to_string(), "xl");
        let full = "xl:seats=4,mode=2v2,supply=20".parse::<Rules>().unwrap();
        assert_eq!(full.to_string(), "xl:seats=4,mode=2v2");
        assert_eq!((full.supply(), full.most_marbles()), (20, 80));
    }
}
