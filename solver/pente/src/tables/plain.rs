//! A plain implementation of the table format: offsets of positions, and values by definition.
//!
//! Verification uses this module, which follows `db-format.md` and the rules alone. The module
//! shares no code with the index and the kernel. In a set of points, bit `width * rank + file`
//! stands for the point at this file and rank.

use crate::rules::{Capture, Opening, Overline, Rules};
use bitvec::vec::BitVec;

/// The board, as `db-format.md` describes it.
pub struct PlainBoard {
    width: i32,
    height: i32,
    points: usize,
    k: i32,
    longer_wins: bool,
    pro: bool,
    /// The lengths of the rows that can be captured.
    lengths: &'static [i32],
    /// The number of captured stones that wins the game.
    win: u16,
    /// The images of the points, indexed by symmetry, then by point.
    images: Vec<Vec<usize>>,
    /// The canonical sets in ascending order, indexed by their number of points.
    sets: Vec<Vec<u32>>,
    /// For each set, the canonical image and a symmetry that maps the set to the image.
    canonical: Vec<(u32, u8)>,
    /// The binomial coefficient `n` over `k`, indexed by `n`, then by `k`.
    choose: Vec<Vec<u64>>,
    /// `true` if a set contains a winning line, indexed by set.
    lines: BitVec,
}

/// A position: the numbers of stones captured by X and by O, and the sets of X stones and of O
/// stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainPosition {
    pub captured: [u16; 2],
    pub stones: [u32; 2],
}

impl PlainPosition {
    fn plies(&self) -> usize {
        self.on_board() + usize::from(self.captured[0]) + usize::from(self.captured[1])
    }

    /// Returns the number of stones on the board.
    pub fn on_board(&self) -> usize {
        (self.stones[0] | self.stones[1]).count_ones() as usize
    }

    /// Returns 0 if X is to move, and 1 if O is to move.
    fn mover(&self) -> usize {
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
            longer_wins: options.over == Overline::Wins,
            pro: options.opening == Opening::Pro,
            lengths: match options.capture {
                Capture::Two => &[2],
                Capture::TwoOrThree => &[2, 3],
                Capture::Never => &[],
            },
            win: options.win,
            images: Vec::new(),
            sets: vec![Vec::new(); points + 1],
            canonical: Vec::with_capacity(1 << points),
            choose: vec![vec![0; points + 2]; points + 2],
            lines: BitVec::with_capacity(1 << points),
        };
        for n in 0..points + 2 {
            board.choose[n][0] = 1;
            for k in 1..=n {
                board.choose[n][k] = board.choose[n - 1][k - 1] + board.choose[n - 1].get(k).unwrap_or(&0);
            }
        }
        for symmetry in 0..if width == height { 8 } else { 4 } {
            board.images.push((0..points).map(|point| board.image_of_point(symmetry, point)).collect());
        }
        for set in 0..1u32 << points {
            let images = (0..board.images.len()).map(|s| (board.image(s, set), s as u8));
            let least = images.min().unwrap_or((set, 0));
            if least.0 == set {
                board.sets[set.count_ones() as usize].push(set);
            }
            board.canonical.push(least);
            board.lines.push(board.has_line(set));
        }
        board
    }

    /// Returns the image of a point. If bit 0 of `symmetry` is set, the files are mirrored. If bit
    /// 1 is set, the ranks are mirrored. If bit 2 is set, files and ranks are exchanged after that.
    fn image_of_point(&self, symmetry: usize, point: usize) -> usize {
        let (mut file, mut rank) = (point as i32 % self.width, point as i32 / self.width);
        if symmetry & 1 != 0 {
            file = self.width - 1 - file;
        }
        if symmetry & 2 != 0 {
            rank = self.height - 1 - rank;
        }
        if symmetry & 4 != 0 {
            (file, rank) = (rank, file);
        }
        (self.width * rank + file) as usize
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

    /// Returns `true` if a set contains `k` stones in line. With `over=no` a longer line does not
    /// count.
    fn has_line(&self, set: u32) -> bool {
        for rank in 0..self.height {
            for file in 0..self.width {
                for (df, dr) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let at = |i: i32| self.has(set, file + i * df, rank + i * dr);
                    if (0..self.k).all(at) && (self.longer_wins || !at(-1) && !at(self.k)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Returns the offset of a position in its slice.
    pub fn offset(&self, p: &PlainPosition) -> u64 {
        let (set, symmetry) = self.canonical[(p.stones[0] | p.stones[1]) as usize];
        let stones = set.count_ones() as usize;
        let rank = self.sets[stones].binary_search(&set).unwrap_or(0) as u64;
        let (mut colex, mut met) = (0, 0);
        let mut rest = self.image(symmetry.into(), p.stones[0]);
        while rest != 0 {
            let below = (1u32 << rest.trailing_zeros()) - 1;
            met += 1;
            colex += self.choose[(set & below).count_ones() as usize][met];
            rest &= rest - 1;
        }
        rank * self.choose[stones][met] + colex
    }

    /// Returns the position at an offset of a slice with `stones` stones, `x` of them X.
    pub fn position(&self, captured: [u16; 2], stones: usize, x: usize, offset: u64) -> PlainPosition {
        let each = self.choose[stones][x];
        let set = self.sets[stones][(offset / each) as usize];
        let points: Vec<u32> = (0..32).filter(|i| set >> i & 1 == 1).collect();
        let mut rest = offset % each;
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

    /// Returns code 1 for a finished game and code 0 for an unreachable position. Returns `None`
    /// for every other position.
    pub fn ended(&self, p: &PlainPosition) -> Option<u8> {
        let mover = p.mover();
        // With `over=no`, a capture can shorten a line to `k` stones. The shortened line has not
        // won yet.
        let may_wait = !self.longer_wins && !self.lengths.is_empty();
        let own = self.lines[p.stones[mover] as usize] && !may_wait;
        let enemy = self.lines[p.stones[1 - mover] as usize];
        match (own, enemy) {
            (true, _) => Some(0),
            (false, true) => Some(1),
            (false, false) => None,
        }
    }

    /// Calls `see` with the position after each legal move. If the move ends the game, `see` also
    /// receives the code for the player who moved: 3 for a win, 2 for a draw.
    pub fn moves(&self, p: &PlainPosition, mut see: impl FnMut(&PlainPosition, Option<u8>)) {
        let mover = p.mover();
        let (own, enemy) = (p.stones[mover], p.stones[1 - mover]);
        for point in 0..self.points {
            if (own | enemy) >> point & 1 == 1 || !self.allowed(p, point) {
                continue;
            }
            let (file, rank) = (point as i32 % self.width, point as i32 / self.width);
            let mut taken = 0u32;
            for (df, dr) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
                for &length in self.lengths {
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
            let won = self.lines[next.stones[mover] as usize] || next.captured[mover] >= self.win;
            let full = next.on_board() == self.points;
            see(&next, if won { Some(3) } else { full.then_some(2) });
        }
    }

    /// Returns `true` if the opening rule allows a stone on a point. The rule concerns the first
    /// two stones of the first player.
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
