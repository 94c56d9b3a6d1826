//! A row of boards of a proof with counted outsiders: the arguments of its passes, checked once.

use crate::kernel::formula::Turns;
use crate::kernel::lanes::{PLACES, Pack};
use crate::rules::Rules;
use crate::supers::Half;

/// The largest size of S.
pub(crate) const MOST_SOCKETS: usize = 20;

/// The number of low sockets of a block of packs, without the two sockets inside a pack. The passes
/// compute one block at a time.
pub(super) const LOW: usize = 3;

/// `true` in WebAssembly, where the size of the program counts. There clockwise rules have no
/// passes in blocks; these passes are faster, and compute the same bits.
pub(super) const SMALL: bool = cfg!(target_arch = "wasm32");

/// The input of a row.
pub(crate) struct ProofRow<'a> {
    /// The rules. They decide the value of fives after a turn, and of a full board.
    pub rules: Rules,
    /// The legal turns from boards with the attacker to move, then with the defender to move.
    pub turns: [Turns; 2],
    /// S without A, as a subset of S: bit i is socket i of S.
    pub free: u32,
    /// g of the rows with one more marble of the attacker, row after row.
    pub above: &'a [Pack],
    /// The offset of the row A + x in `above`, indexed by the number of x among the free sockets.
    /// Empty if no board of these rows counts as won.
    pub children: &'a [usize],
    /// The defender's fives D, three tables indexed by subset of S: with the attacker to move, at
    /// the rotations of boards with the attacker to move; with the attacker to move, at the
    /// rotations of boards with the defender to move; with the defender to move.
    pub fives: [&'a [Half]; 3],
    /// W(A) with the attacker to move, then with the defender to move.
    pub won: [Half; 2],
    /// W(A + x) with the attacker to move, indexed by the number of x among the free sockets.
    pub threats: &'a [Half],
    /// `|B|` plus the number of outsiders, with the attacker to move.
    pub most: usize,
    /// The number of sockets outside S.
    pub outside: usize,
    /// The number of outsiders from which on D holds at every rotation, for any B.
    pub dead: usize,
    /// `true` if the caller needs g.
    pub defends: bool,
}

/// Returns the number of packs of a row with `free` free sockets.
pub(crate) const fn row_packs(free: usize) -> usize {
    if free < 2 { 1 } else { 1 << (free - 2) }
}

/// A checked row, with all that both passes derive from it.
pub(in crate::kernel) struct CheckedRow<'a> {
    pub row: &'a ProofRow<'a>,
    /// The number of free sockets.
    pub bits: usize,
    /// The number of free sockets that aren't in a block.
    pub high: usize,
    /// The subset of S of each board of the first block.
    pub low_sets: [u32; PLACES << LOW],
    /// The free sockets that aren't in a block, as a subset of S.
    pub high_set: u32,
    /// OR of W(A + x) over the free sockets x of a block, for each board of a block.
    pub low_threats: [Pack; 1 << LOW],
}

impl CheckedRow<'_> {
    /// Checks a row, and prepares its passes.
    ///
    /// # Panics
    /// If the row has too many free sockets, a slice has the wrong length, or a row of `children`
    /// isn't within `above`.
    pub fn new<'a>(row: &'a ProofRow<'a>) -> CheckedRow<'a> {
        let bits = row.free.count_ones() as usize;
        assert!(bits <= MOST_SOCKETS && row.threats.len() == bits);
        assert!(row.children.is_empty() || row.children.len() == bits);
        let last = row.above.len().checked_sub(row_packs(bits.saturating_sub(1)));
        assert!(row.children.iter().all(|&child| last.is_some_and(|last| child <= last)));
        assert!(row.fives.iter().all(|table| (row.free as usize) < table.len()));
        let in_blocks = bits >= LOW + 2 && !(SMALL && row.turns[0] != Turns::Both);
        let high = bits.saturating_sub(if in_blocks { LOW + 2 } else { 2 });
        let in_block = bits - high;
        let mut sockets = [0u32; MOST_SOCKETS];
        let mut rest = row.free;
        for socket in &mut sockets[..bits] {
            *socket = rest & rest.wrapping_neg();
            rest &= rest - 1;
        }
        // Each socket doubles the number of sets.
        let mut low_sets = [0u32; PLACES << LOW];
        let mut unions = [Half::NONE; PLACES << LOW];
        for (i, (&socket, &threat)) in sockets.iter().zip(row.threats).take(in_block).enumerate() {
            let (sets, more) = low_sets.split_at_mut(1 << i);
            sets.iter().zip(more).for_each(|(set, more)| *more = set | socket);
            let (sets, more) = unions.split_at_mut(1 << i);
            sets.iter().zip(more).for_each(|(set, more)| *more = *set | threat);
        }
        // The free sockets of a board are the complement of its set, so the unions are reversed.
        let mut low_threats = [Pack::default(); 1 << LOW];
        let boards = low_threats.iter_mut().flat_map(|pack| &mut pack.0);
        boards.zip(unions[..1 << in_block].iter().rev()).for_each(|(threat, union)| *threat = *union);
        let high_set = sockets[in_block..bits].iter().fold(0, |set, bit| set | bit);
        CheckedRow { row, bits, high, low_sets, high_set, low_threats }
    }

    /// Returns whether the passes compute blocks of packs, not single packs.
    pub fn is_blocked(&self) -> bool {
        self.bits > self.high + 2
    }

    /// Returns whether a block counts. `high` is the number of marbles of the defender on sockets
    /// outside the block, `low` the number of sockets of the block besides the two inside a pack. A
    /// block counts if some of its boards have at most `most` marbles of the defender on S, and few
    /// enough outsiders to be won.
    #[inline(always)]
    pub fn counts(&self, high: usize, low: usize, most: usize) -> bool {
        high <= most && high + low + 2 + self.row.dead >= self.row.most
    }
}

/// Returns a mask of the boards of a block that have at least `least` marbles of the defender on
/// the sockets of the block. Boards from number `boards` on are false.
pub(super) fn enough(least: usize, boards: usize) -> [Pack; 1 << LOW] {
    std::array::from_fn(|n| {
        Pack(std::array::from_fn(|place| {
            let b = PLACES * n + place;
            if b < boards && b.count_ones() as usize >= least { Half::ALL } else { Half::NONE }
        }))
    })
}
