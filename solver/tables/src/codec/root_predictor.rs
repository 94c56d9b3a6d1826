//! The predictor for the boards below a root. It uses the same formula as
//! [`Predictor`](super::Predictor).
//!
//! The boards of one slice are in the order in which a table stores them ([`Ternary`]). Consecutive
//! boards in this order differ in the first quadrants. The kernel shares work only between boards
//! that differ in the last quadrant, so this predictor calls the kernel for one board at a time. A
//! board takes about a tenth of a microsecond.

use pentago_core::index::Ternary;
use pentago_core::index::sections::patterns::Pattern;
use pentago_core::kernel::{
    Combine, EntryRow, Kernel, Pack, Passes, Places, RowLines, RowScratch, UnionList,
};
use pentago_core::rules::{Board, Dir, Rules, Shape, Socket};
use pentago_core::supers::WinMasks;
use pentago_core::values::Entry;
use std::sync::OnceLock;
use zerocopy::{FromBytes, IntoBytes};

/// The predictor for one slice below a root.
pub struct RootPredictor {
    rules: Rules,
    passes: Passes,
    root: Board,
    /// The root's free sockets in ascending order, each as a bit.
    empty: Vec<u64>,
    boards: Ternary,
    /// The player to move at the root: 0 for X, 1 for O. `mover` is the player to move on the
    /// boards of the slice.
    first: usize,
    mover: usize,
    marbles: usize,
}

/// The contribution of each quadrant to complete lines, for every pattern of marbles on the
/// quadrant.
struct NearLines {
    fives: &'static WinMasks,
    /// The lines that the player to move has or can get by one more marble on the quadrant. The
    /// first index is the quadrant. The second index is the rank of the pattern, in which the
    /// player to move comes first.
    near: [Vec<[u32; 4]>; 4],
}

impl NearLines {
    /// Returns the lines for a shape. The first call computes the lines, in a few milliseconds.
    fn of(shape: Shape) -> &'static NearLines {
        static ALL: [OnceLock<NearLines>; 3] = [const { OnceLock::new() }; 3];
        ALL[shape as usize].get_or_init(|| NearLines::new(shape))
    }

    fn new(shape: Shape) -> NearLines {
        let fives = WinMasks::get(shape);
        let sets = 1u16 << shape.quadrant_sockets();
        let near = std::array::from_fn(|q| {
            let mut near = vec![[0; 4]; 3usize.pow(shape.quadrant_sockets() as u32)];
            for own in 0..sets {
                for other in (0..sets).filter(|other| own & other == 0) {
                    let pattern = Pattern([own, other]);
                    let grown = shape.sockets_of(u64::from(pattern.free(shape)));
                    let lines = grown.map(|socket| own | 1 << socket.cell()).fold(
                        fives.of_quadrant(q, own),
                        |lines, set| {
                            let more = fives.of_quadrant(q, set);
                            std::array::from_fn(|r| lines[r] | more[r])
                        },
                    );
                    near[pattern.number() as usize] = lines;
                }
            }
            near
        });
        NearLines { fives, near }
    }
}

impl RootPredictor {
    /// Creates the predictor for the slice with `marbles` marbles. Returns `None` if no board below
    /// the root has this number of marbles.
    pub fn new(rules: Rules, root: Board, marbles: u8) -> Option<RootPredictor> {
        let empty: Vec<u64> = rules.shape.sockets_of(root.free(rules.shape)).map(Socket::bit).collect();
        let first = root.marbles() as usize % 2;
        let marbles = usize::from(marbles);
        let plies = marbles.checked_sub(root.marbles() as usize).filter(|&plies| plies <= empty.len())?;
        Some(RootPredictor {
            rules,
            passes: Passes::of(Kernel::best()),
            root,
            boards: Ternary::new(empty.len(), [plies.div_ceil(2), plies / 2]),
            empty,
            first,
            mover: marbles % 2,
            marbles,
        })
    }

    /// Guesses the values of consecutive boards, starting with the board of rank `from`. Writes one
    /// entry per board to `into`.
    ///
    /// # Panics
    /// If the slice has too few boards.
    pub fn guess(&self, from: u64, into: &mut [Entry]) {
        assert!(from + into.len() as u64 <= self.boards.len(), "boards of the slice");
        let rows = <[Pack]>::mut_from_bytes(into.as_mut_bytes()).expect("entries are lines");
        let lines = NearLines::of(self.rules.shape);
        let mut cursor = BoardCursor::new(self, from);
        let mut scratch = RowScratch::default();
        for (i, row) in rows.iter_mut().enumerate() {
            if i > 0 {
                cursor.advance(self);
            }
            self.one(lines, cursor.sets, &mut scratch, row);
        }
    }

    fn one(
        &self,
        NearLines { fives, near }: &NearLines,
        sets: [u64; 2],
        scratch: &mut RowScratch,
        into: &mut Pack,
    ) {
        let (own, other) = (sets[self.mover], sets[1 - self.mover]);

        let near: [[u32; 4]; 4] = std::array::from_fn(|q| {
            let pattern = Pattern([own, other].map(|set| (set >> (16 * q)) as u16));
            near[q][pattern.number() as usize]
        });
        let lines = [fives.lines(other), fives.lines(own), near];
        let full = self.marbles == self.rules.shape.sockets();
        let combine = if full { Combine::of_full(self.rules) } else { Combine::of(self.rules, false) };
        let row = EntryRow {
            ahead: self.rules.has_turn(self.marbles),
            unions: &UnionList::default(),
            own: &[],
            own_places: &Places::default(),
            own_each: 0,
            lines: RowLines::Board(&lines),
            place: self.rules.place,
        };
        let out = std::slice::from_mut(into);
        self.passes.row(combine, self.rules.dir == Dir::Cw, &row, out, None, scratch);
    }
}

/// A cursor that visits the boards of a slice in the order in which a table stores them.
struct BoardCursor {
    /// The content of each free socket of the root, the lowest socket first: 0 if the socket is
    /// still free, 1 for a marble of the player to move at the root, 2 for a marble of the other
    /// player.
    digits: Vec<u8>,
    /// The marbles on the current board: the set of X and the set of O.
    sets: [u64; 2],
}

impl BoardCursor {
    fn new(of: &RootPredictor, number: u64) -> BoardCursor {
        let [a, b] = of.boards.unrank(number);
        let digit = |i: usize| (a >> i & 1) as u8 + 2 * (b >> i & 1) as u8;
        let mut cursor =
            BoardCursor { digits: (0..of.empty.len()).map(digit).collect(), sets: [of.root.x, of.root.o] };
        cursor.place(of, of.empty.len());
        cursor
    }

    /// Adds the marbles on the lowest `count` free sockets of the root to the board. These sockets
    /// must be empty.
    fn place(&mut self, of: &RootPredictor, count: usize) {
        for (&socket, &digit) in of.empty[..count].iter().zip(&self.digits) {
            match digit {
                0 => {}
                1 => self.sets[of.first] |= socket,
                _ => self.sets[1 - of.first] |= socket,
            }
        }
    }

    /// Moves the cursor to the next board, whose digits are the next permutation.
    ///
    /// # Panics
    /// If the cursor is on the last board.
    fn advance(&mut self, of: &RootPredictor) {
        let digits = &mut self.digits;
        let pivot = (1..digits.len()).find(|&i| digits[i] < digits[i - 1]).expect("it isn't the last board");
        let greater = (0..pivot).find(|&i| digits[i] > digits[pivot]).expect("the one before is");
        digits.swap(pivot, greater);
        digits[..pivot].reverse();
        let unchanged = of.empty[..=pivot].iter().fold(!0, |mask, socket| mask & !socket);
        self.sets = self.sets.map(|set| set & unchanged);
        self.place(of, pivot + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Predictor;
    use pentago_core::index::sections::section::{Section, Sections};
    use pentago_core::rules::random::positions;
    use pentago_core::symmetry::Element;

    /// For the same board, the predictor below a root and the predictor for the whole game make
    /// equal guesses.
    #[test]
    fn the_guess_equals_that_of_the_section() {
        for (text, root_marbles, slices) in [
            ("pentago", 24, [24, 27, 33]),
            ("pentago", 29, [29, 35, 36]),
            ("pentago:dir=cw,both=mover", 27, [28, 31, 34]),
            ("pentago-cs", 30, [30, 33, 35]),
            ("pentago:last=stop", 30, [32, 34, 35]),
            ("mini:reply=place,both=mover", 8, [9, 13, 16]),
        ] {
            let Ok(rules) = text.parse::<Rules>() else { panic!("{text}") };
            let shape = rules.shape;
            let root = positions(&rules, root_marbles, 1, 5, false).expect("a position")[0].board();
            for marbles in slices {
                let predictor = RootPredictor::new(rules, root, marbles).expect("a slice");
                let all = predictor.boards.len();
                let mut guess = vec![Entry::default(); all.min(3000) as usize];
                predictor.guess(all - guess.len() as u64, &mut guess);
                let section_guess = SectionGuess::new(rules, marbles);
                for (i, entry) in guess.iter().enumerate().step_by(guess.len().div_ceil(40)) {
                    let [a, b] = predictor.boards.unrank(all - guess.len() as u64 + i as u64);
                    let spread = |set: u64| {
                        let free = predictor.empty.iter().enumerate();
                        free.filter(|(i, _)| set >> i & 1 != 0).fold(0, |sum, (_, socket)| sum | socket)
                    };
                    let (a, b) = (spread(a), spread(b));
                    let [a, b] = if root_marbles % 2 == 0 { [a, b] } else { [b, a] };
                    let board = Board::new(root.x | a, root.o | b).expect("disjoint");
                    assert_eq!(*entry, section_guess.of(shape, board), "{text} {marbles} {i}");
                }
                // The guess for a board doesn't depend on the board where the call starts.
                let from = guess.len() / 3;
                let mut some = vec![Entry::default(); (guess.len() - from).min(50)];
                predictor.guess(all - (guess.len() - from) as u64, &mut some);
                assert!(some[..] == guess[from..][..some.len()]);
            }
            assert!(RootPredictor::new(rules, root, root_marbles as u8 - 1).is_none());
            assert!(RootPredictor::new(rules, root, shape.sockets() as u8 + 1).is_none());
        }
    }

    struct SectionGuess {
        rules: Rules,
        predictor: Predictor,
    }

    impl SectionGuess {
        fn new(rules: Rules, marbles: u8) -> SectionGuess {
            SectionGuess { rules, predictor: Predictor::new(rules, marbles) }
        }

        /// Returns the guess that `Predictor`, the predictor for a whole game, makes for a board.
        fn of(&self, shape: Shape, board: Board) -> Entry {
            let sections = Sections::of(shape, self.rules.dir);
            let patterns = std::array::from_fn::<_, 4, _>(|q| Pattern::of(board, q));
            let section = Section::new(patterns.map(Pattern::counts)).expect("a section");
            let places = patterns.map(|p| sections.patterns().place(p));
            let ranges = places.map(|p| u32::from(p.index)..u32::from(p.index) + 1);
            let mut entry = [Entry::default()];
            self.predictor.guess(section, &ranges, &mut entry);
            // The section's array contains the minimal patterns, which are turned relative to the
            // board. Turn the rotations of the entry accordingly.
            let by = Element::new(0, places.map(|p| p.quarters));
            let [Entry { win, not_lose }] = entry;
            Entry { win: win.image(by), not_lose: not_lose.image(by) }
        }
    }
}
