//! Well-known games: tic-tac-toe and its variants.

use std::collections::HashMap;

use pentago_search::{Budget, Game, Goal, Outcome, ProofNumbers, Side, Table, Verdict, value};

/// A game in which `run` marks in a row win, on a board of `width` by `height` points.
#[derive(Clone)]
struct Rows {
    width: usize,
    height: usize,
    lines: Vec<u32>,
    marks: [u32; 2],
    side: Side,
    /// `true` if symmetric positions share a key.
    symmetric: bool,
}

impl Rows {
    fn new(width: usize, height: usize, run: usize, symmetric: bool) -> Self {
        let mut lines = Vec::new();
        for row in 0..height as isize {
            for column in 0..width as isize {
                for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let at = |step: isize| (row + down * step, column + right * step);
                    let (end_row, end_column) = at(run as isize - 1);
                    if end_row < height as isize && (0..width as isize).contains(&end_column) {
                        let bits = (0..run as isize).map(|step| at(step).0 * width as isize + at(step).1);
                        lines.push(bits.map(|bit| 1 << bit).sum());
                    }
                }
            }
        }
        Self { width, height, lines, marks: [0; 2], side: Side::First, symmetric }
    }

    fn own(&self) -> usize {
        usize::from(self.side == Side::Second)
    }

    fn free(&self) -> impl Iterator<Item = usize> + use<> {
        let taken = self.marks[0] | self.marks[1];
        (0..self.width * self.height).filter(move |point| taken >> point & 1 == 0)
    }

    fn has_line(&self, marks: u32) -> bool {
        self.lines.iter().any(|line| line & !marks == 0)
    }
}

impl Game for Rows {
    type Move = usize;
    type Undo = ();

    fn side(&self) -> Side {
        self.side
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.has_line(self.marks[1 - self.own()]) {
            Some(Outcome::Win(self.side.other()))
        } else {
            self.free().next().is_none().then_some(Outcome::Draw)
        }
    }

    fn plies_left(&self) -> u32 {
        self.free().count() as u32
    }

    fn moves(&mut self, out: &mut Vec<usize>) {
        self.all_moves(out);
    }

    fn all_moves(&mut self, out: &mut Vec<usize>) {
        out.extend(self.free());
    }

    fn make(&mut self, point: usize) {
        self.marks[self.own()] |= 1 << point;
        self.side = self.side.other();
    }

    fn unmake(&mut self, point: usize, (): ()) {
        self.side = self.side.other();
        self.marks[self.own()] &= !(1 << point);
    }

    fn winning_move(&mut self) -> Option<usize> {
        self.free().find(|point| self.has_line(self.marks[self.own()] | 1 << point))
    }

    fn key(&self) -> u128 {
        let key = |image: &dyn Fn(usize, usize) -> usize| {
            let set = |marks: u32| -> u128 {
                let points = (0..self.width * self.height).filter(|point| marks >> point & 1 == 1);
                points.map(|point| 1 << image(point / self.width, point % self.width)).sum()
            };
            set(self.marks[0]) << 32 | set(self.marks[1])
        };
        let (w, h) = (self.width, self.height);
        if !self.symmetric {
            return key(&|row, column| row * w + column);
        }
        let mut least = [
            key(&|row, column| row * w + column),
            key(&|row, column| row * w + (w - 1 - column)),
            key(&|row, column| (h - 1 - row) * w + column),
            key(&|row, column| (h - 1 - row) * w + (w - 1 - column)),
        ]
        .into_iter()
        .min();
        if w == h {
            let turned = [
                key(&|row, column| column * w + row),
                key(&|row, column| column * w + (h - 1 - row)),
                key(&|row, column| (w - 1 - column) * w + row),
                key(&|row, column| (w - 1 - column) * w + (h - 1 - row)),
            ];
            least = least.into_iter().chain(turned).min();
        }
        least.unwrap()
    }
}

/// Returns the value for the side to move and the number of plies to the end of a decided game, by
/// brute force.
fn brute(game: &mut Rows, memo: &mut HashMap<[u32; 2], (i8, u32)>) -> (i8, u32) {
    if let Some(outcome) = game.outcome() {
        return (if outcome == Outcome::Draw { 0 } else { -1 }, 0);
    }
    if let Some(&known) = memo.get(&game.marks) {
        return known;
    }
    let mut best: Option<(i8, u32)> = None;
    for point in game.free() {
        game.make(point);
        let (value, plies) = brute(game, memo);
        game.unmake(point, ());
        let (value, plies) = (-value, if value == 0 { 0 } else { plies + 1 });
        let better = |old: (i8, u32)| match value {
            1 => old.0 < 1 || plies < old.1,
            0 => old.0 < 0,
            _ => old.0 < 0 && plies > old.1,
        };
        if best.is_none_or(better) {
            best = Some((value, plies));
        }
    }
    memo.insert(game.marks, best.unwrap());
    best.unwrap()
}

/// Searches every position of tic-tac-toe with both searches and one shared table.
#[test]
fn all_of_tic_tac_toe() {
    let mut memo = HashMap::new();
    assert_eq!(brute(&mut Rows::new(3, 3, 3, false), &mut memo), (0, 0));
    assert_eq!(memo.len(), 4520);
    for symmetric in [false, true] {
        let mut table = Table::new(1 << 18).unwrap();
        for (&marks, &(expected, plies)) in &memo {
            let mut game = Rows::new(3, 3, 3, symmetric);
            game.marks = marks;
            let balanced = marks[0].count_ones() == marks[1].count_ones();
            game.side = if balanced { Side::First } else { Side::Second };
            let mut budget = Budget::nodes(1_000_000);
            let found = value(&mut game, &mut table, 9, &mut budget);
            let outcome = match expected {
                1 => Outcome::Win(game.side),
                0 => Outcome::Draw,
                _ => Outcome::Win(game.side.other()),
            };
            assert_eq!((found.outcome, found.plies().unwrap_or(0)), (Some(outcome), plies));
            for side in [Side::First, Side::Second] {
                for goal in [Goal::win(side), Goal::not_lose(side)] {
                    let verdict = ProofNumbers::new(&mut table, goal).solve(&mut game, &mut budget);
                    assert_eq!(verdict == Ok(Verdict::Proved), goal.reached(outcome));
                }
            }
        }
    }
}

/// Compares values and distances by both searches with brute force, for three or four in a row on
/// larger boards.
#[test]
fn in_a_row_on_larger_boards() {
    for (width, height, run, wins) in [(4, 3, 3, true), (5, 3, 3, true), (4, 3, 4, false), (4, 4, 3, true)] {
        let game = || Rows::new(width, height, run, true);
        let mut table = Table::new(1 << 20).unwrap();
        let mut budget = Budget::nodes(50_000_000);
        let found = value(&mut game(), &mut table, 16, &mut budget);
        let expected = if wins { Outcome::Win(Side::First) } else { Outcome::Draw };
        assert_eq!(found.outcome, Some(expected), "{width}x{height}, {run}");
        if width * height <= 12 {
            let (value, plies) = brute(&mut game(), &mut HashMap::new());
            assert_eq!((value == 1, found.plies().unwrap_or(0)), (wins, plies));
        }
        let mut search = ProofNumbers::new(&mut table, Goal::win(Side::First));
        assert_eq!(search.solve(&mut game(), &mut budget) == Ok(Verdict::Proved), wins);
    }
}
