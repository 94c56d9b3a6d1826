//! The predictor: the values of a section's boards as far as a single placement and turn decide
//! them. Near the full board it is nearly always right, and the residual takes hardly any space.
//!
//! Let M and N be true where the mover and the other player have five, P where the mover has five
//! or gets it by a placement, and r' the rotations one legal turn away from r:
//!
//! ```text
//! win(r)      = not N(r) and (P(r) or some (not N(r') and P(r')))
//! not_lose(r) = N(r) ? X(r) : (P(r) or some (not N(r') or P(r')))       X as in the solution itself
//! ```
//!
//! This is a step of the solution with other values in place of the children's, computed by the
//! same kernel.

use crate::index::sections::patterns::PatternPlace;
use crate::index::sections::section::{Section, Sections};
use crate::kernel::{AxisLines, Combine, EntryRow, Kernel, Pack, Places, RowScratch, Side, UnionList};
use crate::rules::Rules;
use crate::supers::WinMasks;
use crate::values::Entry;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// Predicts the values of one slice of a complete game.
pub struct Predictor {
    rules: Rules,
    kernel: Kernel,
    sections: &'static Sections,
    fives: WinMasks,
    marbles: usize,
    /// By quadrant and counts (X, O): made when it is needed.
    axes: Vec<OnceLock<AxisLines>>,
}

/// So many entries of a row are guessed at a time: each has its own pattern at most, and a kernel
/// takes 34.
const RUN: usize = 32;
/// Marble counts of a player in a block: 0 to 9.
const COUNTS: usize = 10;

impl Predictor {
    /// The predictor for the slice of a game with `marbles` marbles.
    pub fn new(rules: Rules, marbles: u8) -> Predictor {
        Predictor::with_kernel(rules, marbles, Kernel::best())
    }

    /// The same with a kernel; all give the same guesses.
    pub fn with_kernel(rules: Rules, marbles: u8, kernel: Kernel) -> Predictor {
        Predictor {
            rules,
            kernel,
            sections: Sections::of(rules.shape, rules.dir),
            fives: WinMasks::new(rules.shape),
            marbles: marbles.into(),
            axes: (0..4 * COUNTS * COUNTS).map(|_| OnceLock::new()).collect(),
        }
    }

    fn axis(&self, section: Section, q: usize) -> &AxisLines {
        let counts @ [x, o] = section.counts()[q].map(usize::from);
        self.axes[(q * COUNTS + x) * COUNTS + o].get_or_init(|| {
            AxisLines::new(self.sections, &self.fives, q, counts.map(|n| n as u8), self.marbles % 2)
        })
    }

    /// Takes the guess from the values of a block, or adds it again: exchanges the truth values
    /// where the guess is true. `ranges` says which entries of the section's array the block has.
    ///
    /// # Panics
    /// If there are not as many entries, or the section is not one of the slice.
    pub fn exchange(&self, section: Section, ranges: &[Range<u32>; 4], entries: &mut [Entry]) {
        assert_eq!(entries.len(), ranges.iter().map(|r| r.len()).product::<usize>());
        assert!(section.marbles() == self.marbles && section.is_legal(self.rules.shape));
        let [first, second, third, last] = std::array::from_fn(|q| self.axis(section, q));
        let full = self.marbles == self.rules.shape.sockets();
        let combine = if full { Combine::of_full(self.rules) } else { Combine::of(self.rules, false) };
        let turns = self.rules.has_turn(self.marbles);
        let [a, b, c, d] = ranges.clone().map(|r| r.start as usize..r.end as usize);
        let clockwise = self.rules.dir == crate::rules::Dir::Cw;
        let (mut scratch, no_children, no_places) =
            (RowScratch::default(), UnionList::default(), Places::default());
        let mut guess = [Pack::default(); RUN];
        for start in d.clone().step_by(RUN) {
            let run = start..d.end.min(start + RUN);
            let singles = [0, 1].map(|p| Singles::new(&last.singles[p], &last.places[p].all()[run.clone()]));
            let near: &[[u32; 4]] = if last.free > 0 { &last.near[run.clone()] } else { &[] };
            let mut at = start - d.start;
            for i in a.clone() {
                for j in b.clone() {
                    let (pairs, near_pair) = first.pairs(i, second, j);
                    for k in c.clone() {
                        let side = |p: usize| Side {
                            pair: &pairs[p],
                            third: &third.lines[p][k],
                            singles: &singles[p].lines,
                            places: &singles[p].places,
                        };
                        let row = EntryRow {
                            ahead: turns,
                            unions: &no_children,
                            own: &[],
                            own_places: &no_places,
                            own_each: 0,
                            other: side(1),
                            mover: side(0),
                            near_pair: &near_pair,
                            near_third: &third.near[k],
                            near,
                        };
                        let guess = &mut guess[..run.len()];
                        self.kernel.row(combine, clockwise, &row, guess, &mut scratch);
                        for (entry, guess) in entries[at..].iter_mut().zip(guess) {
                            let planes = [&mut entry.win, &mut entry.not_lose];
                            let halves = planes.into_iter().flat_map(|plane| &mut plane.0);
                            for (half, guess) in halves.zip(&guess.0) {
                                half.0[0] ^= guess.0[0];
                                half.0[1] ^= guess.0[1];
                            }
                        }
                        at += d.len();
                    }
                }
            }
        }
    }
}

/// The different patterns of one player in a run of entries, and which of them each entry has.
struct Singles {
    lines: Vec<[u32; 4]>,
    places: Places,
}

impl Singles {
    fn new(all: &[[u32; 4]], places: &[PatternPlace]) -> Singles {
        let mut seen: Vec<u16> = Vec::with_capacity(places.len());
        let place = |place: &PatternPlace| {
            let index = seen.iter().position(|&index| index == place.index).unwrap_or_else(|| {
                seen.push(place.index);
                seen.len() - 1
            });
            PatternPlace { index: index as u16, quarters: place.quarters }
        };
        let places = places.iter().map(place).collect::<Vec<_>>().into();
        Singles { lines: seen.iter().map(|&index| all[usize::from(index)]).collect(), places }
    }
}

impl fmt::Debug for Predictor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ahead")
            .field("rules", &self.rules)
            .field("marbles", &self.marbles)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::sections::section::EDGE;
    use crate::rules::{Board, Both, Dir, Last, Reply};
    use crate::supers::half::half_rotation;
    use crate::values::Grid;

    /// The guess at a board with its turns made, from the plain definition: whether the mover wins,
    /// whether he doesn't lose.
    fn guess(rules: Rules, board: Board) -> [bool; 2] {
        let shape = rules.shape;
        let (mover, other) =
            if board.marbles().is_multiple_of(2) { (board.x, board.o) } else { (board.o, board.x) };
        let five = |set: u64| shape.has_line(set);
        let p = |mover: u64, other: u64| {
            let free = shape.board_mask() & !(mover | other);
            five(mover) || (0..64).any(|s| free >> s & 1 == 1 && five(mover | 1 << s))
        };
        let (m, n, placed) = (five(mover), five(other), p(mover, other));
        let free = shape.board_mask().count_ones() - board.marbles();
        let no_turn = free == 0 || free == 1 && rules.last == Last::Stop;
        let mut after = Vec::new();
        for q in 0..4u32 {
            for quarters in if rules.dir == Dir::Cw { vec![1] } else { vec![1, 3] } {
                let turn = |set: u64| {
                    let block = (set >> (16 * q)) as u16;
                    set & !(0xffff << (16 * q))
                        | u64::from(shape.rotate_quadrant(block, quarters)) << (16 * q)
                };
                let (mover, other) = (turn(mover), turn(other));
                after.push((five(other), p(mover, other)));
            }
        }
        let wins = !no_turn && after.iter().any(|&(n, p)| p && !n);
        let avoids = no_turn || after.iter().any(|&(n, p)| p || !n);
        let reply = rules.reply == Reply::Place && free > 0;
        let x = match (rules.both, reply) {
            (Both::Draw, false) => m,
            (Both::Mover, false) => false,
            (Both::Draw, true) => placed,
            (Both::Mover, true) => placed && !m,
        };
        [!n && (placed || wins), if n { x } else { placed || avoids }]
    }

    #[test]
    fn the_guess_is_the_definition() {
        let mut true_bits = [0; 2];
        for (text, marbles) in [
            ("pentago", 36),
            ("pentago", 35),
            ("pentago", 33),
            ("pentago", 20),
            ("pentago:dir=cw,both=mover", 34),
            ("pentago-cs", 33),
            ("pentago:last=stop", 35),
            ("mini", 12),
            ("mini:reply=place,both=mover", 14),
        ] {
            let Ok(rules) = text.parse::<Rules>() else { panic!("{text}") };
            let predictor = Predictor::new(rules, marbles);
            let sections = predictor.sections;
            let all = sections.standard(marbles.into());
            for section in all.iter().copied().step_by(all.len().div_ceil(6)) {
                let grid = Grid::new(sections.extents(section), EDGE);
                for block in [0, grid.blocks() / 2, grid.blocks() - 1] {
                    let ranges = grid.ranges(block);
                    let mut entries = vec![Entry::default(); grid.len(block)];
                    predictor.exchange(section, &ranges, &mut entries);
                    for kernel in Kernel::available() {
                        let mut other = vec![Entry::default(); entries.len()];
                        Predictor { kernel, ..Predictor::new(rules, marbles) }
                            .exchange(section, &ranges, &mut other);
                        assert!(other == entries, "{kernel}");
                    }
                    for place in (0..entries.len()).step_by(entries.len().div_ceil(7)) {
                        let within = Grid::new(ranges.clone().map(|r| r.len() as u32), 1).index(place as u64);
                        let index = std::array::from_fn(|axis| ranges[axis].start + within[axis]);
                        for (parity, bit) in (0..2).flat_map(|p| (0..128).map(move |bit| (p, bit))) {
                            let board = sections.board(section, index, half_rotation(parity, bit));
                            let [win, not_lose] = guess(rules, board);
                            let entry = &entries[place];
                            let found =
                                [entry.win, entry.not_lose].map(|s| s.0[usize::from(parity)].get(bit));
                            assert_eq!(
                                found,
                                [win, not_lose],
                                "{text} {marbles} {section} {index:?} {parity} {bit}"
                            );
                            true_bits[0] += u64::from(win);
                            true_bits[1] += u64::from(!not_lose);
                        }
                    }
                    predictor.exchange(section, &ranges, &mut entries);
                    assert!(entries.iter().all(|e| *e == Entry::default()));
                }
            }
        }
        assert!(true_bits.iter().all(|&n| n > 1000), "{true_bits:?}");
    }
}
