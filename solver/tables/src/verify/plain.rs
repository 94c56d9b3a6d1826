//! Computes stored values directly from their definition, for all 256 rotations of a board
//! together. The code uses no kernels, half supers or win masks.
//!
//! Bit `r0 + 4 r1 + 16 r2` of word `r3` is the truth value at rotation (r0, r1, r2, r3).

use pentago_core::rules::{Board, Both, Color, Dir, Last, Place, Reply, Rules};
use pentago_core::supers::Super;
use pentago_core::symmetry::{Element, Rotation};
use pentago_core::values::{Entry, Wdl};
use std::ops::{BitAnd, BitOr, Not};

/// One truth value for each of the 256 rotations. Turns are shifts of bit fields inside words,
/// because moving the bits one by one, as `bitvec` does, would be slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PlainSuper([u64; 4]);

impl BitAnd for PlainSuper {
    type Output = PlainSuper;
    fn bitand(self, other: PlainSuper) -> PlainSuper {
        PlainSuper(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl BitOr for PlainSuper {
    type Output = PlainSuper;
    fn bitor(self, other: PlainSuper) -> PlainSuper {
        PlainSuper(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl Not for PlainSuper {
    type Output = PlainSuper;
    fn not(self) -> PlainSuper {
        PlainSuper(self.0.map(|word| !word))
    }
}

/// Returns the rotation that belongs to the bit with index `bit`.
fn rotation(bit: usize) -> Rotation {
    [0, 2, 4, 6].map(|shift| (bit >> shift & 3) as u8)
}

/// Returns the index of the bit that belongs to a rotation.
fn bit(r: Rotation) -> usize {
    (0..4).fold(0, |bit, q| bit | usize::from(r[q]) << (2 * q))
}

impl PlainSuper {
    const NONE: PlainSuper = PlainSuper([0; 4]);
    const ALL: PlainSuper = PlainSuper([!0; 4]);

    fn from_fn(mut value: impl FnMut(Rotation) -> bool) -> PlainSuper {
        PlainSuper(std::array::from_fn(|word| {
            (0..64).fold(0, |bits, i| bits | u64::from(value(rotation(64 * word + i))) << i)
        }))
    }

    fn get(self, r: Rotation) -> bool {
        self.0[bit(r) / 64] >> (bit(r) % 64) & 1 != 0
    }

    /// Returns the first rotation at which the super is true, or `None` if there is none.
    pub(super) fn first(self) -> Option<Rotation> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(rotation(64 * word + self.0[word].trailing_zeros() as usize))
    }

    /// Returns the rotations from which a turn of quadrant `q` leads to a rotation in `self`.
    fn after_turn(self, q: usize, clockwise: bool) -> PlainSuper {
        // A turn of quadrant 0, 1 or 2 rotates bit fields of 4, 16 or 64 bits. `low` selects the
        // lowest quarter of each field.
        let round = |word: u64, step: u32, low: u64| {
            if clockwise {
                word >> step & !(low << (3 * step)) | (word & low) << (3 * step)
            } else {
                (word & !(low << (3 * step))) << step | word >> (3 * step) & low
            }
        };
        PlainSuper(match q {
            0 => self.0.map(|word| round(word, 1, 0x1111_1111_1111_1111)),
            1 => self.0.map(|word| round(word, 4, 0x000f_000f_000f_000f)),
            2 => self.0.map(|word| round(word, 16, 0xffff)),
            _ => std::array::from_fn(|i| self.0[(i + if clockwise { 1 } else { 3 }) % 4]),
        })
    }

    /// Returns the rotations from which some legal turn leads to a rotation in `self`.
    fn some_turn(self, rules: &Rules) -> PlainSuper {
        (0..4).fold(PlainSuper::NONE, |any, q| {
            let any = any | self.after_turn(q, true);
            if rules.dir == Dir::Both { any | self.after_turn(q, false) } else { any }
        })
    }
}

/// The values of one entry at all rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableValues {
    pub win: PlainSuper,
    pub not_lose: PlainSuper,
}

/// A map between the rotations of two boards. The index is a rotation of the first board, and the
/// element is the corresponding rotation of the second board.
pub(super) type RotationMap = [Rotation; 256];

/// Returns the map from the rotations of a board to the rotations of a stored entry. `to_board`
/// maps the board of the entry to the board.
pub(super) fn rotation_map(to_board: Element) -> RotationMap {
    // Let the quadrants of the board be turned by a rotation. The result is the image of the
    // entry's board under `to_board` followed by the rotation. This product equals turns of the
    // quadrants, followed by a symmetry of the whole board.
    std::array::from_fn(|i| {
        let all = Element::quadrants(rotation(i)).after(to_board);
        // A symmetry of the whole board preserves the value, so only the turns that precede it
        // matter.
        let whole = Element::whole_board(all.global());
        whole.inverse().after(all).local()
    })
}

impl TableValues {
    /// Returns the first rotation at which the values differ, or `None` if all values agree.
    pub(super) fn first_difference(&self, other: &TableValues) -> Option<Rotation> {
        let differs = |a: PlainSuper, b: PlainSuper| a & !b | !a & b;
        (differs(self.win, other.win) | differs(self.not_lose, other.not_lose)).first()
    }

    /// Returns the value at rotation `r`.
    pub(super) fn get(&self, r: Rotation) -> Wdl {
        match (self.win.get(r), self.not_lose.get(r)) {
            (true, _) => Wdl::Win,
            (false, true) => Wdl::Draw,
            (false, false) => Wdl::Loss,
        }
    }

    /// Returns the values of an entry. `map` maps each rotation of the result to a rotation of the
    /// entry.
    pub(super) fn of(entry: &Entry, map: &RotationMap) -> TableValues {
        let plain = |s: Super| PlainSuper::from_fn(|r| s.get(map[bit(r)]));
        TableValues { win: plain(entry.win), not_lose: plain(entry.not_lose) }
    }
}

/// The rules, and tables to find complete lines at all rotations.
pub(super) struct PlainRules {
    rules: Rules,
    /// The rotations in which a quadrant's number of turns is in a given set. The first index is
    /// the quadrant. The second index is the set, in which bit r stands for r quarter turns.
    turned: [[PlainSuper; 16]; 4],
}

impl PlainRules {
    pub(super) fn new(rules: Rules) -> PlainRules {
        let of = |q: usize, set: usize| PlainSuper::from_fn(|r| set >> r[q] & 1 != 0);
        PlainRules { rules, turned: std::array::from_fn(|q| std::array::from_fn(|set| of(q, set))) }
    }

    /// Returns the rotations at which the set of marbles `set` has a line.
    fn of(&self, set: u64) -> PlainSuper {
        let shape = self.rules.shape;
        let patterns: [[u16; 4]; 4] = std::array::from_fn(|q| {
            std::array::from_fn(|r| shape.rotate_quadrant((set >> (16 * q)) as u16, r as u8))
        });
        let mut any = PlainSuper::NONE;
        for line in shape.lines() {
            let turns: [usize; 4] = std::array::from_fn(|q| {
                let part = (line >> (16 * q)) as u16;
                (0..4).fold(0, |set, r| set | usize::from(patterns[q][r] & part == part) << r)
            });
            if turns.iter().all(|&set| set != 0) {
                any = any | (0..4).fold(PlainSuper::ALL, |all, q| all & self.turned[q][turns[q]]);
            }
        }
        any
    }

    /// Computes the values of a board from the values of its children. `child` is called for each
    /// free socket where a turn may follow the placement. It receives the bit of the socket, and
    /// returns the values of the board with a marble of `mover` on this socket, for the other
    /// player.
    pub(super) fn values<E>(
        &self,
        board: Board,
        mover: Color,
        mut child: impl FnMut(u64) -> Result<TableValues, E>,
    ) -> Result<TableValues, E> {
        let rules = &self.rules;
        let (own, others) = (board.of(mover), board.of(mover.other()));
        let free = board.free(rules.shape);
        let sockets = || rules.shape.sockets_of(free).map(|socket| socket.bit());
        let (own_line, other_line) = (self.of(own), self.of(others));
        // `over` contains the rotations at which the game is over before this move.
        let over = own_line | other_line | if free == 0 { PlainSuper::ALL } else { PlainSuper::NONE };
        let answered = match rules.reply {
            Reply::Place => sockets().fold(PlainSuper::NONE, |any, bit| any | self.of(own | bit)),
            Reply::None => PlainSuper::NONE,
        };
        let both = own_line & other_line;
        let only_other = other_line & !own_line;
        let over_win = own_line & !other_line;
        let mut over_lost = only_other & !answered;
        if rules.both == Both::Mover {
            // Under `both=mover`, the player who made the last turn wins if both players have a
            // line. The other player made the last turn.
            over_lost = over_lost | both;
        }
        let (mut win, mut not_lose) = (PlainSuper::NONE, PlainSuper::NONE);
        for bit in sockets() {
            let line = if rules.place == Place::Wins { self.of(own | bit) } else { PlainSuper::NONE };
            win = win | line;
            not_lose = not_lose | line;
            if rules.last == Last::Stop && free == bit {
                not_lose = not_lose | !line;
                continue;
            }
            // Moves without a turn need no extra code: they are legal only if some quadrant is
            // symmetric under turns, and turning this quadrant has the same value.
            let child = child(bit)?;
            win = win | (!child.not_lose).some_turn(rules) & !line;
            not_lose = not_lose | (!child.win).some_turn(rules) & !line;
        }
        Ok(TableValues { win: over & over_win | !over & win, not_lose: over & !over_lost | !over & not_lose })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_move_the_bits_of_their_quadrant() {
        let set = PlainSuper([0x0123_4567_89ab_cdef, 0xf0e1_d2c3_b4a5_9687, 0x1357_9bdf_0246_8ace, 7]);
        for q in 0..4 {
            for clockwise in [true, false] {
                let turned = PlainSuper::from_fn(|mut r| {
                    r[q] = (r[q] + if clockwise { 1 } else { 3 }) % 4;
                    set.get(r)
                });
                assert_eq!(set.after_turn(q, clockwise), turned, "{q} {clockwise}");
            }
        }
        for i in 0..256 {
            assert_eq!(bit(rotation(i)), i);
            assert_eq!(PlainSuper::from_fn(|r| r == rotation(i)).first(), Some(rotation(i)));
        }
    }

    #[test]
    fn lines_are_those_of_the_turned_board() {
        for text in ["pentago", "mini", "mini:k=3"] {
            let rules: Rules = text.parse().expect("these are rules");
            let plain = PlainRules::new(rules);
            for (i, seed) in [0x9e37_79b9_7f4a_7c15u64, 0xd6e8_feb8_6659_fd93, 0xbf58_476d_1ce4_e5b9]
                .into_iter()
                .enumerate()
            {
                let set = (seed | seed.rotate_left(9 + i as u32)) & rules.shape.board_mask();
                let scanned = PlainSuper::from_fn(|r| {
                    rules.shape.has_line(Element::quadrants(r).apply_set(rules.shape, set))
                });
                assert_eq!(plain.of(set), scanned);
            }
        }
    }
}
