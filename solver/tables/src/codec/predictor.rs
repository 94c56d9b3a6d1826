//! The predictor for tables of a whole game. It finds the values of a section's boards that a
//! single placement and turn decide. Near the end of the game, the guess is almost always exact,
//! and the open bits take hardly any space.
//!
//! M(r) is true if the side to move has five in a row at rotation r. N(r) is true if the other
//! player has five in a row. P(r) is true if the side to move has five in a row, or can get five by
//! a placement. Under the rule `place=turn`, P is M. The variable r' runs over the rotations that
//! one legal turn reaches from r:
//!
//! ```text
//! win(r)      = not N(r) and (P(r) or some (not N(r') and P(r')))
//! not_lose(r) = N(r) ? X(r) : (P(r) or some (not N(r') or P(r')))
//! ```
//!
//! X is the value of a finished game (`db-format.md`, section 6.1). The formula is one step of the
//! solver, except that the lines of the children replace their values. The solver's kernel can
//! therefore compute the guess.

use pentago_core::index::sections::section::{Section, Sections};
use pentago_core::kernel::{
    AxisLines, AxisRange, BlockLines, Combine, EntryRow, Kernel, LineGroups, Pack, Passes, Places, RowLines,
    RowScratch, UnionList,
};
use pentago_core::rules::Rules;
use pentago_core::values::Entry;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::OnceLock;
use zerocopy::{FromBytes, IntoBytes};

/// The predictor for one slice of a whole game.
pub struct Predictor {
    rules: Rules,
    passes: Passes,
    sections: &'static Sections,
    groups: LineGroups,
    marbles: usize,
    /// The lines of each quadrant, computed on demand. The index combines the quadrant and the
    /// numbers of X and O marbles on it.
    axes: Vec<OnceLock<AxisLines>>,
}

/// The number of possible values for the number of one player's marbles on a quadrant: 0 to 9.
const COUNTS: usize = 10;

impl Predictor {
    /// Creates the predictor for the slice with `marbles` marbles.
    pub fn new(rules: Rules, marbles: u8) -> Predictor {
        Predictor::with_kernel(rules, marbles, Kernel::best())
    }

    /// Creates a predictor that computes with `kernel`. All kernels compute equal guesses.
    pub fn with_kernel(rules: Rules, marbles: u8, kernel: Kernel) -> Predictor {
        Predictor {
            rules,
            passes: Passes::of(kernel),
            sections: Sections::of(rules.shape, rules.dir),
            groups: LineGroups::new(rules.shape),
            marbles: marbles.into(),
            axes: (0..4 * COUNTS * COUNTS).map(|_| OnceLock::new()).collect(),
        }
    }

    fn axis(&self, section: Section, q: usize) -> &AxisLines {
        let counts @ [x, o] = section.counts()[q].map(usize::from);
        self.axes[(q * COUNTS + x) * COUNTS + o].get_or_init(|| {
            let mover = self.marbles % 2;
            AxisLines::new(self.sections, &self.groups, q, counts.map(|n| n as u8), mover)
        })
    }

    /// Guesses the values of a block, which consists of the entries at `ranges` in the section's
    /// array. Writes the guess to `into`.
    ///
    /// # Panics
    /// If `into` has another length than the block, or the section doesn't belong to the slice.
    pub fn guess(&self, section: Section, ranges: &[Range<u32>; 4], into: &mut [Entry]) {
        assert_eq!(into.len(), ranges.iter().map(|r| r.len()).product::<usize>());
        assert!(section.marbles() == self.marbles && section.is_legal(self.rules.shape));
        let along: [AxisRange; 4] = std::array::from_fn(|q| {
            let Range { start, end } = ranges[q];
            (self.axis(section, q), start as usize..end as usize)
        });
        let full = self.marbles == self.rules.shape.sockets();
        let combine = if full { Combine::of_full(self.rules) } else { Combine::of(self.rules, false) };
        let clockwise = self.rules.dir == pentago_core::rules::Dir::Cw;
        let (no_children, no_places) = (UnionList::default(), Places::default());
        let [first, second, third, last] = ranges.clone().map(|r| r.len());
        // If rows have an even length, all rows along axis 2 are computed by one call.
        let rows = if last.is_multiple_of(2) { third } else { 1 };
        let mut outs = <[Pack]>::mut_from_bytes(into.as_mut_bytes())
            .expect("entries are lines")
            .chunks_exact_mut(rows * last);
        BUFFERS.with_borrow_mut(|(lines, scratch)| {
            self.passes.prepare_lines(&self.groups, &along, lines);
            for at in (0..first).flat_map(|i| (0..second).map(move |j| [i, j])) {
                self.passes.enter_lines(lines, at);
                for k in (0..third).step_by(rows) {
                    let row = EntryRow {
                        ahead: self.rules.has_turn(self.marbles),
                        unions: &no_children,
                        own: &[],
                        own_places: &no_places,
                        own_each: 0,
                        lines: RowLines::Block(lines, k),
                        place: self.rules.place,
                    };
                    let out = outs.next().expect("as many as there are rows");
                    self.passes.row(combine, clockwise, &row, out, None, scratch);
                }
            }
        });
    }
}

thread_local! {
    /// Buffers that each thread reuses from block to block.
    static BUFFERS: RefCell<(BlockLines, RowScratch)> = RefCell::default();
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::index::sections::section::EDGE;
    use pentago_core::rules::{Board, Both, Dir, Last, Place, Reply};
    use pentago_core::supers::half::half_rotation;
    use pentago_core::values::Grid;

    /// Computes the guess for one board, whose quadrants are already turned, directly from the
    /// definition. Returns the bits `win` and `not_lose`.
    fn guess(rules: Rules, board: Board) -> [bool; 2] {
        let shape = rules.shape;
        let (mover, other) =
            if board.marbles().is_multiple_of(2) { (board.x, board.o) } else { (board.o, board.x) };
        let five = |set: u64| shape.has_line(set);
        let p = |mover: u64, other: u64| {
            let free = shape.board_mask() & !(mover | other);
            five(mover)
                || rules.place == Place::Wins && (0..64).any(|s| free >> s & 1 == 1 && five(mover | 1 << s))
        };
        let (m, n, placed) = (five(mover), five(other), p(mover, other));
        let free = shape.board_mask().count_ones() - board.marbles();
        let no_turn = free == 0 || free == 1 && rules.last == Last::Stop;
        let mut after = Vec::new();
        for q in 0..4u32 {
            for quarters in if rules.dir == Dir::Cw { vec![1] } else { vec![1, 3] } {
                let turn = |set: u64| {
                    let quadrant = (set >> (16 * q)) as u16;
                    set & !(0xffff << (16 * q))
                        | u64::from(shape.rotate_quadrant(quadrant, quarters)) << (16 * q)
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
    fn the_guess_matches_the_definition() {
        let mut true_bits = [0; 2];
        for (text, marbles) in [
            ("pentago", 36),
            ("pentago", 35),
            ("pentago", 33),
            ("pentago", 20),
            ("pentago:dir=cw,both=mover", 34),
            ("pentago-cs", 33),
            ("pentago:last=stop", 35),
            ("pentago:place=turn", 33),
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
                    predictor.guess(section, &ranges, &mut entries);
                    for kernel in Kernel::available() {
                        let mut other = vec![Entry::default(); entries.len()];
                        Predictor { passes: Passes::of(kernel), ..Predictor::new(rules, marbles) }
                            .guess(section, &ranges, &mut other);
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
                }
            }
        }
        assert!(true_bits.iter().all(|&n| n > 1000), "{true_bits:?}");
    }
}
