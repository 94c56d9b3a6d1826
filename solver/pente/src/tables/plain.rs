//! A plain reading of the format: where positions stand, and what their values are by definition.
//!
//! Written from `db-format.md` and the rules alone, for verification: it shares no code with the
//! index and the kernel. A set of points is a number: point `width * rank + file` is a bit.

use crate::rules::{Capture, Opening, Overline, Rules};
use bitvec::vec::BitVec;

/// The board, as the document describes it.
pub struct PlainBoard {
    width: i32,
    height: i32,
    points: usize,
    k: i32,
    over: bool,
    pro: bool,
    lengths: Vec<i32>,
    /// Captured stones that win.
    pub win: u16,
    /// For each symmetry the images of the points.
    images: Vec<Vec<usize>>,
    /// For each number of stones the canonical sets, ascending.
    sets: Vec<Vec<u32>>,
    /// For each set its canonical image and a symmetry that leads there.
    canonical: Vec<(u32, u8)>,
    choose: Vec<Vec<u64>>,
    /// For each set, whether it holds a row that wins.
    rows: BitVec,
}

/// A position: captured stones, the sets of X and O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainPosition {
    pub captured: [u16; 2],
    pub stones: [u32; 2],
}

/// What a move leads to.
pub enum PlainMove {
    /// The mover has won.
    Won,
    /// The board is full.
    Full,
    /// The game goes on.
    Goes(PlainPosition),
}

impl PlainPosition {
    fn plies(&self) -> usize {
        let on_board = (self.stones[0] | self.stones[1]).count_ones() as usize;
        on_board + usize::from(self.captured[0]) + usize::from(self.captured[1])
    }

    /// 0 if X is to move, else 1.
    pub fn mover(&self) -> usize {
        self.plies() % 2
    }
}

impl PlainBoard {
    pub fn new(rules: &Rules) -> PlainBoard {
        let options = rules.options();
        let (width, height) = (i32::from(options.width), i32::from(options.height));
        let points = (width * height) as usize;
        let mut board = PlainBoard {
            width,
            height,
            points,
            k: options.k.into(),
            over: options.over == Overline::Wins,
            pro: options.opening == Opening::Pro,
            lengths: match options.capture {
                Capture::Two => vec![2],
                Capture::TwoOrThree => vec![2, 3],
                Capture::Never => vec![],
            },
            win: options.win,
            images: Vec::new(),
            sets: vec![Vec::new(); points + 1],
            canonical: Vec::with_capacity(1 << points),
            choose: vec![vec![0; points + 2]; points + 2],
            rows: BitVec::with_capacity(1 << points),
        };
        for n in 0..points + 2 {
            board.choose[n][0] = 1;
            for k in 1..=n {
                board.choose[n][k] = board.choose[n - 1][k - 1] + board.choose[n - 1].get(k).unwrap_or(&0);
            }
        }
        for symmetry in 0..if width == height { 8 } else { 4 } {
            let image = |point: usize| {
                let (mut file, mut rank) = (point as i32 % width, point as i32 / width);
                if symmetry & 1 != 0 {
                    file = width - 1 - file;
                }
                if symmetry & 2 != 0 {
                    rank = height - 1 - rank;
                }
                if symmetry & 4 != 0 {
                    (file, rank) = (rank, file);
                }
                (width * rank + file) as usize
            };
            board.images.push((0..points).map(image).collect());
        }
        for set in 0..1u32 << points {
            let images = (0..board.images.len()).map(|s| (board.image(s, set), s as u8));
            let least = images.min().unwrap_or((set, 0));
            if least.0 == set {
                board.sets[set.count_ones() as usize].push(set);
            }
            board.canonical.push(least);
            board.rows.push(board.row(set));
        }
        board
    }

    fn image(&self, symmetry: usize, set: u32) -> u32 {
        let mut rest = set;
        let mut image = 0;
        while rest != 0 {
            image |= 1 << self.images[symmetry][rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        image
    }

    fn has(&self, set: u32, file: i32, rank: i32) -> bool {
        (0..self.width).contains(&file)
            && (0..self.height).contains(&rank)
            && set >> (self.width * rank + file) & 1 == 1
    }

    /// Whether a set holds k in line, and not more if longer rows are worth nothing.
    fn row(&self, set: u32) -> bool {
        for rank in 0..self.height {
            for file in 0..self.width {
                for (df, dr) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let at = |i: i32| self.has(set, file + i * df, rank + i * dr);
                    if (0..self.k).all(at) && (self.over || !at(-1) && !at(self.k)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether a row of the side to move doesn't mean that it has won before.
    fn row_may_wait(&self) -> bool {
        !self.over && !self.lengths.is_empty()
    }

    /// Where a position stands among those with as many stones.
    pub fn place(&self, p: &PlainPosition) -> u64 {
        let (set, symmetry) = self.canonical[(p.stones[0] | p.stones[1]) as usize];
        let stones = set.count_ones() as usize;
        let x = self.image(symmetry.into(), p.stones[0]);
        let rank = self.sets[stones].binary_search(&set).unwrap_or(0) as u64;
        let (mut colex, mut met) = (0, 0);
        let mut rest = x;
        while rest != 0 {
            let below = (1u32 << rest.trailing_zeros()) - 1;
            met += 1;
            colex += self.choose[(set & below).count_ones() as usize][met];
            rest &= rest - 1;
        }
        rank * self.choose[stones][met] + colex
    }

    /// The position at a place.
    pub fn position(&self, captured: [u16; 2], stones: usize, x: usize, place: u64) -> PlainPosition {
        let each = self.choose[stones][x];
        let set = self.sets[stones][(place / each) as usize];
        let points: Vec<u32> = (0..32).filter(|i| set >> i & 1 == 1).collect();
        let mut rest = place % each;
        let mut of_x = 0;
        for i in (1..=x).rev() {
            let mut number = i - 1;
            while self.choose[number + 1][i] <= rest {
                number += 1;
            }
            rest -= self.choose[number][i];
            of_x |= 1 << points[number];
        }
        PlainPosition { captured, stones: [of_x, set & !of_x] }
    }

    /// Whether the game is over, or no game leads to a position: the code that it has then.
    pub fn ended(&self, p: &PlainPosition) -> Option<u8> {
        let mover = p.mover();
        let own = self.rows[p.stones[mover] as usize] && !self.row_may_wait();
        let enemy = self.rows[p.stones[1 - mover] as usize];
        match (own, enemy) {
            (true, _) => Some(0),
            (false, true) => Some(1),
            (false, false) => None,
        }
    }

    /// All moves.
    pub fn moves(&self, p: &PlainPosition, mut see: impl FnMut(PlainMove)) {
        let mover = p.mover();
        let (own, enemy) = (p.stones[mover], p.stones[1 - mover]);
        for point in 0..self.points {
            if (own | enemy) >> point & 1 == 1 || !self.allowed(p, point) {
                continue;
            }
            let (file, rank) = (point as i32 % self.width, point as i32 / self.width);
            let mut taken = 0u32;
            for (df, dr) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
                for &length in &self.lengths {
                    let between = (1..=length).all(|i| self.has(enemy, file + i * df, rank + i * dr));
                    if between && self.has(own, file + (length + 1) * df, rank + (length + 1) * dr) {
                        for i in 1..=length {
                            taken |= 1 << (self.width * (rank + i * dr) + file + i * df);
                        }
                    }
                }
            }
            let mut next = *p;
            next.stones[mover] = own | 1 << point;
            next.stones[1 - mover] = enemy & !taken;
            next.captured[mover] += taken.count_ones() as u16;
            let full = (next.stones[0] | next.stones[1]).count_ones() as usize == self.points;
            see(if self.rows[next.stones[mover] as usize] || next.captured[mover] >= self.win {
                PlainMove::Won
            } else if full {
                PlainMove::Full
            } else {
                PlainMove::Goes(next)
            });
        }
    }

    /// What the opening rule says about the first player's first two stones.
    fn allowed(&self, p: &PlainPosition, point: usize) -> bool {
        let (file, rank) = (point as i32 % self.width, point as i32 / self.width);
        let away = (file - self.width / 2).abs().max((rank - self.height / 2).abs());
        match p.plies() {
            0 => !self.pro || away == 0,
            2 => !self.pro || away >= 3,
            _ => true,
        }
    }
}
