//! Sets of lines, and the look-ahead of one ply that uses them.
//!
//! For each block and each pattern of marbles, tables hold the lines that lack no marble in the
//! block, and the lines that lack at most one. The state of the whole board is a product over the
//! nine blocks: a line lacks at most one marble if it lacks at most one in one block and none in
//! all other blocks. With the products of the blocks before and after each block, the effect of a
//! turn takes one more factor.

use crate::geometry::{BLOCKS, PATTERNS, SocketSet, TURNABLE, TURNED, pattern};

/// A set of lines. Line `i` is bit `i % 64` of word `i / 64`. There are four words, so that the set
/// fits in a vector register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(32))]
pub(crate) struct LineSet(pub [u64; 4]);

/// The lines that lack no marble and the lines that lack at most one marble, in some blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(64))]
pub(crate) struct LineState {
    /// The lines that lack no marble in these blocks.
    pub complete: LineSet,
    /// The lines that lack at most one marble in these blocks.
    pub nearly: LineSet,
}

/// The tables that map patterns of blocks to sets of lines, by block and pattern.
pub(crate) struct LineTables {
    /// The state of the lines, by the pattern of own marbles.
    pub own: Box<[[LineState; PATTERNS]; BLOCKS]>,
    /// The lines that lack at most two marbles in the block, by the pattern of own marbles.
    pub two: Box<[[LineSet; PATTERNS]; BLOCKS]>,
    /// The lines without a socket in the pattern, by the pattern of other marbles.
    pub untouched: Box<[[LineSet; PATTERNS]; BLOCKS]>,
}

/// The marbles of a position, as the look-ahead needs them. The look-ahead decides
/// whether the seat to move can immediately end the game so that only its side has five.
pub(crate) struct WinScan {
    /// The marbles of the seat to move.
    pub mover: SocketSet,
    /// The marbles of all other seats.
    pub taken: SocketSet,
    /// The marbles of each partner of the seat to move. Unused entries are empty.
    pub partners: [SocketSet; 2],
    /// The marbles of each seat of the other side. Unused entries are empty.
    pub enemies: [SocketSet; 3],
}

/// A winning action: a placement, or a turn for which a marble may still have to be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WinningAction {
    /// A placement that completes one of these lines.
    Place(LineSet),
    /// A turn (the block, and `true` for clockwise) after which each of these lines of the mover
    /// lacks at most one marble, whose socket is free.
    Turn(u8, bool, LineSet),
    /// A turn (the block, and `true` for clockwise) after which a partner has five.
    Partner(u8, bool),
}

impl LineSet {
    /// All 256 bits, including those that stand for no line.
    const ALL: LineSet = LineSet([!0; 4]);

    #[inline(always)]
    pub fn and(&self, other: &LineSet) -> LineSet {
        let (a, b) = (&self.0, &other.0);
        LineSet([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }

    #[inline(always)]
    pub fn or(&self, other: &LineSet) -> LineSet {
        let (a, b) = (&self.0, &other.0);
        LineSet([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    #[inline(always)]
    pub fn any(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] != 0
    }
}

impl LineState {
    /// The state for no blocks, in which no line lacks a marble: the identity of `times`.
    const ONE: LineState = LineState { complete: LineSet::ALL, nearly: LineSet::ALL };

    /// Combines the states of two disjoint sets of blocks.
    #[inline(always)]
    fn times(&self, other: &LineState) -> LineState {
        LineState { complete: self.complete.and(&other.complete), nearly: self.times_nearly(other) }
    }

    /// Returns the lines that lack at most one marble in two disjoint sets of blocks together.
    #[inline(always)]
    fn times_nearly(&self, other: &LineState) -> LineSet {
        self.nearly.and(&other.complete).or(&self.complete.and(&other.nearly))
    }
}

/// A state of the lines, and the lines that lack at most two marbles.
#[derive(Clone, Copy)]
struct WideLineState(LineState, LineSet);

impl WideLineState {
    const ONE: WideLineState = WideLineState(LineState::ONE, LineSet::ALL);

    #[inline(always)]
    fn times(&self, other: &WideLineState) -> WideLineState {
        let ends = self.1.and(&other.0.complete).or(&self.0.complete.and(&other.1));
        WideLineState(self.0.times(&other.0), ends.or(&self.0.nearly.and(&other.0.nearly)))
    }

    #[inline(always)]
    fn of(tables: &LineTables, block: usize, own: usize, taken: usize) -> WideLineState {
        let two = tables.two[block][own].and(&tables.untouched[block][taken]);
        WideLineState(entry(tables, block, own, taken), two)
    }
}

/// Returns the lines of a seat that lack at most one marble, and the lines that lack at most two,
/// where the missing sockets are free. Entry 0 is for the current board, and the other entries for
/// the board after each turn, in the order of [`crate::Turn::all`].
#[inline(always)]
pub(super) fn near(tables: &LineTables, own: SocketSet, taken: SocketSet) -> [[LineSet; 2]; 17] {
    let patterns: [(usize, usize); BLOCKS] =
        std::array::from_fn(|block| (pattern(own, block as u8), pattern(taken, block as u8)));
    // `behind[b]` is the product of the states of block `b` and all later blocks.
    let mut behind = [WideLineState::ONE; BLOCKS + 1];
    for block in (0..BLOCKS).rev() {
        let (own, taken) = patterns[block];
        behind[block] = WideLineState::of(tables, block, own, taken).times(&behind[block + 1]);
    }
    let mut all = [[behind[0].0.nearly, behind[0].1]; 17];
    let (mut before, mut at) = (WideLineState::ONE, 1);
    for block in 0..BLOCKS {
        let (own, taken) = patterns[block];
        if block != usize::from(crate::geometry::CENTRE) {
            let rest = before.times(&behind[block + 1]);
            for turned in [&TURNED[1], &TURNED[0]] {
                let wide =
                    WideLineState::of(tables, block, usize::from(turned[own]), usize::from(turned[taken]));
                let WideLineState(entry, two) = rest.times(&wide);
                all[at] = [entry.nearly, two];
                at += 1;
            }
        }
        before = before.times(&WideLineState::of(tables, block, own, taken));
    }
    all
}

/// Returns the state of the lines in a block. A line that lacks a marble counts only if its sockets
/// are not taken by other seats.
#[inline(always)]
fn entry(tables: &LineTables, block: usize, own: usize, taken: usize) -> LineState {
    let entry = &tables.own[block][own];
    LineState { complete: entry.complete, nearly: entry.nearly.and(&tables.untouched[block][taken]) }
}

/// Returns the pattern of a set in each block, after the turn of a block or without a turn.
#[inline(always)]
fn patterns(set: SocketSet, turn: Option<(usize, bool)>) -> [usize; BLOCKS] {
    let mut all = [0; BLOCKS];
    for (block, all) in all.iter_mut().enumerate() {
        *all = pattern(set, block as u8);
    }
    if let Some((block, clockwise)) = turn {
        all[block] = usize::from(TURNED[usize::from(clockwise)][all[block]]);
    }
    all
}

/// Returns `true` if a set has a line of five after the turn of a block.
#[inline(always)]
fn five_after(tables: &LineTables, set: SocketSet, block: usize, clockwise: bool) -> bool {
    let mut all = LineSet::ALL;
    for (own, pattern) in tables.own.iter().zip(patterns(set, Some((block, clockwise)))) {
        all = all.and(&own[pattern].complete);
    }
    all.any()
}

/// Returns `true` if a seat of the other side has five after the turn of a block.
#[inline(always)]
fn enemy_five(tables: &LineTables, scan: &WinScan, block: usize, clockwise: bool) -> bool {
    for &set in &scan.enemies {
        if set != 0 && five_after(tables, set, block, clockwise) {
            return true;
        }
    }
    false
}

/// Returns the lines without a socket in a set, after the turn of a block or without a turn.
#[inline(always)]
fn untouched(tables: &LineTables, set: SocketSet, turn: Option<(usize, bool)>) -> LineSet {
    let mut all = LineSet::ALL;
    for (untouched, pattern) in tables.untouched.iter().zip(patterns(set, turn)) {
        all = all.and(&untouched[pattern]);
    }
    all
}

/// Returns a winning placement if one completes a line of `lines`, of which the mover lacks at most
/// one marble.
#[inline(always)]
pub(super) fn by_placement(tables: &LineTables, scan: &WinScan, lines: &LineSet) -> Option<WinningAction> {
    let lines = lines.and(&untouched(tables, scan.taken, None));
    lines.any().then_some(WinningAction::Place(lines))
}

/// Returns a winning turn if the turn leaves a line of `lines` open to the mover, who lacks at most
/// one marble of it, and gives no seat of the other side five.
#[inline(always)]
pub(super) fn by_turn(
    tables: &LineTables,
    scan: &WinScan,
    block: usize,
    clockwise: bool,
    lines: &LineSet,
) -> Option<WinningAction> {
    let lines = lines.and(&untouched(tables, scan.taken, Some((block, clockwise))));
    let wins = lines.any() && !enemy_five(tables, scan, block, clockwise);
    wins.then_some(WinningAction::Turn(block as u8, clockwise, lines))
}

/// Returns the first winning action found: a placement if there is one. No seat may have five in
/// the position.
///
/// The marbles of other seats are examined last, and only for lines that lack one marble. Such
/// lines are rare, and the tables for own and other marbles together do not fit in the L1 cache.
#[inline(always)]
pub(super) fn scan(tables: &LineTables, scan: &WinScan) -> Option<WinningAction> {
    let own = patterns(scan.mover, None);
    // `behind[b]` is the product of the states of block `b` and all later blocks.
    let mut behind = [LineState::ONE; BLOCKS + 1];
    for block in (0..BLOCKS).rev() {
        behind[block] = tables.own[block][own[block]].times(&behind[block + 1]);
    }
    if behind[0].nearly.any() {
        let win = by_placement(tables, scan, &behind[0].nearly);
        if win.is_some() {
            return win;
        }
    }
    let mut before = LineState::ONE;
    for block in 0..BLOCKS {
        let entry = &tables.own[block][own[block]];
        if block == usize::from(crate::geometry::CENTRE) {
            before = before.times(entry);
            continue;
        }
        let rest = before.times(&behind[block + 1]);
        for clockwise in [true, false] {
            let turned = usize::from(TURNED[usize::from(clockwise)][own[block]]);
            let lines = rest.times_nearly(&tables.own[block][turned]);
            if lines.any() {
                let win = by_turn(tables, scan, block, clockwise, &lines);
                if win.is_some() {
                    return win;
                }
            }
        }
        before = before.times(entry);
    }
    by_partner(tables, scan)
}

/// Returns a turn that gives a partner five and no seat of the other side five.
#[inline(always)]
pub(super) fn by_partner(tables: &LineTables, scan: &WinScan) -> Option<WinningAction> {
    for &partner in &scan.partners {
        if partner == 0 {
            continue;
        }
        for block in TURNABLE {
            for clockwise in [true, false] {
                if five_after(tables, partner, usize::from(block), clockwise)
                    && !enemy_five(tables, scan, usize::from(block), clockwise)
                {
                    return Some(WinningAction::Partner(block, clockwise));
                }
            }
        }
    }
    None
}
