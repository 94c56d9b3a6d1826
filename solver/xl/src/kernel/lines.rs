//! Sets of lines, and the look-ahead of one ply that uses such sets.
//!
//! For each block and each pattern of marbles, tables hold the lines that lack no marble in the
//! block, and the lines that lack at most one marble. The state of the whole board is a product
//! over the nine blocks: a line lacks at most one marble if it lacks at most one in one block and
//! none in all other blocks. The look-ahead stores the product of the blocks before each block and
//! the product of the blocks after each block. For the turn of a block, these two products are
//! multiplied by the state of the turned block.

use crate::geometry::{BLOCKS, PATTERNS, SocketSet, TURNABLE, TURNED, pattern};

/// A set of lines. Line `i` is bit `i % 64` of word `i / 64`. Three words would suffice for 140
/// lines, but four words fill a vector register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(32))]
pub(crate) struct LineSet(pub [u64; 4]);

/// The state of all lines in some blocks: which lines lack no marble, and which lack at most one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(64))]
pub(crate) struct LineState {
    /// The lines that lack no marble in these blocks. The sockets of a line outside these blocks
    /// are ignored.
    pub complete: LineSet,
    /// The lines that lack at most one marble in these blocks.
    pub nearly: LineSet,
}

/// Tables that map the patterns of blocks to sets of lines. The first index is the block, the
/// second index the pattern.
pub(crate) struct LineTables {
    /// The state of the lines in the block. The pattern holds the seat's own marbles.
    pub own: Box<[[LineState; PATTERNS]; BLOCKS]>,
    /// The lines that lack at most two marbles in the block. The pattern holds the seat's own
    /// marbles.
    pub two: Box<[[LineSet; PATTERNS]; BLOCKS]>,
    /// The lines that contain no socket of the pattern. The pattern holds the marbles of other
    /// seats.
    pub untouched: Box<[[LineSet; PATTERNS]; BLOCKS]>,
}

/// The input of the look-ahead: the marbles of a position. The look-ahead decides whether the seat
/// to move can immediately end the game so that only its side has five in a line.
pub(crate) struct WinScan {
    /// The marbles of the seat to move.
    pub mover: SocketSet,
    /// The marbles of all other seats.
    pub taken: SocketSet,
    /// The marbles of each partner of the seat to move. Unused elements are empty sets.
    pub partners: [SocketSet; 2],
    /// The marbles of each seat of the other side. Unused elements are empty sets.
    pub enemies: [SocketSet; 3],
}

/// An action that wins: a placement, or a turn together with any necessary placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WinningAction {
    /// A placement wins. The field holds the lines that one marble completes.
    Place(LineSet),
    /// A turn wins. The fields are the block, `true` for clockwise, and lines of the mover. After
    /// the turn, each of these lines lacks at most one marble, and the socket of the missing marble
    /// is free.
    Turn(u8, bool, LineSet),
    /// A turn wins because a partner then has five. The fields are the block, and `true` for
    /// clockwise.
    Partner(u8, bool),
}

impl LineSet {
    /// The set of all 256 bits, including the bits that stand for no line.
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
    /// The identity of `times`: the state for an empty set of blocks, in which no line lacks a
    /// marble.
    const ONE: LineState = LineState { complete: LineSet::ALL, nearly: LineSet::ALL };

    /// Returns the state for the union of two disjoint sets of blocks.
    #[inline(always)]
    fn times(&self, other: &LineState) -> LineState {
        LineState { complete: self.complete.and(&other.complete), nearly: self.times_nearly(other) }
    }

    /// Returns the lines that lack at most one marble in the union of two disjoint sets of blocks.
    #[inline(always)]
    fn times_nearly(&self, other: &LineState) -> LineSet {
        self.nearly.and(&other.complete).or(&self.complete.and(&other.nearly))
    }
}

/// A line state, then the lines that lack at most two marbles in the same blocks.
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

/// Returns pairs of sets of lines: the lines that lack at most one marble, then the lines that lack
/// at most two. The sockets of the missing marbles must be free. `own` are the marbles of one seat,
/// `taken` those of all other seats. Pair 0 is for the current board. The other pairs are for the
/// board after each turn, in the order of [`crate::Turn::all`].
#[inline(always)]
pub(super) fn near(tables: &LineTables, own: SocketSet, taken: SocketSet) -> [[LineSet; 2]; 17] {
    let patterns: [(usize, usize); BLOCKS] =
        std::array::from_fn(|block| (pattern(own, block as u8), pattern(taken, block as u8)));
    // `behind[b]` is the product of the states of block `b` and of all blocks with a larger index.
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

/// Returns the state of the lines in a block. `own` and `taken` are the patterns of the seat and of
/// all other seats. A line that lacks a marble is included only if `taken` has no marble on the
/// line.
#[inline(always)]
fn entry(tables: &LineTables, block: usize, own: usize, taken: usize) -> LineState {
    let entry = &tables.own[block][own];
    LineState { complete: entry.complete, nearly: entry.nearly.and(&tables.untouched[block][taken]) }
}

/// Returns the pattern of `set` in each block. If `turn` is given, makes this turn first. A turn is
/// a block, and `true` for clockwise.
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

/// Returns `true` if `set` has five in a line after a turn of the block.
#[inline(always)]
fn five_after(tables: &LineTables, set: SocketSet, block: usize, clockwise: bool) -> bool {
    let mut all = LineSet::ALL;
    for (own, pattern) in tables.own.iter().zip(patterns(set, Some((block, clockwise)))) {
        all = all.and(&own[pattern].complete);
    }
    all.any()
}

/// Returns `true` if a seat of the other side has five in a line after a turn of the block.
#[inline(always)]
fn enemy_five(tables: &LineTables, scan: &WinScan, block: usize, clockwise: bool) -> bool {
    for &set in &scan.enemies {
        if set != 0 && five_after(tables, set, block, clockwise) {
            return true;
        }
    }
    false
}

/// Returns the lines that contain no socket of `set`. If `turn` is given, makes this turn of `set`
/// first. A turn is a block, and `true` for clockwise.
#[inline(always)]
fn untouched(tables: &LineTables, set: SocketSet, turn: Option<(usize, bool)>) -> LineSet {
    let mut all = LineSet::ALL;
    for (untouched, pattern) in tables.untouched.iter().zip(patterns(set, turn)) {
        all = all.and(&untouched[pattern]);
    }
    all
}

/// Returns the placements that complete a line of `lines`, or `None` if other seats have marbles on
/// all these lines. The mover lacks at most one marble of each line.
#[inline(always)]
pub(super) fn by_placement(tables: &LineTables, scan: &WinScan, lines: &LineSet) -> Option<WinningAction> {
    let lines = lines.and(&untouched(tables, scan.taken, None));
    lines.any().then_some(WinningAction::Place(lines))
}

/// Returns the turn as a winning action, or `None` if the turn does not win. `lines` are the lines
/// of which the mover lacks at most one marble after the turn. The turn wins if no other seat has a
/// marble on one of these lines, and no seat of the other side has five.
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

/// Returns the first winning action that is found, or `None`. Placements are examined first. In the
/// position, no seat may have five in a line.
///
/// The marbles of other seats are examined last, and only for lines that lack at most one marble.
/// Such lines are rare, and the tables for own and other marbles together do not fit in the L1
/// cache.
#[inline(always)]
pub(super) fn scan(tables: &LineTables, scan: &WinScan) -> Option<WinningAction> {
    let own = patterns(scan.mover, None);
    // `behind[b]` is the product of the states of block `b` and of all blocks with a larger index.
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

/// Returns a turn after which a partner has five in a line and no seat of the other side has five.
/// Returns `None` if there is no such turn.
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
