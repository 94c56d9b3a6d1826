//! The arguments of the passes over a row of a proof with counted outsiders. The arguments are
//! checked once for each row.

use crate::kernel::formula::Turns;
use crate::kernel::lanes::{PLACES, Pack};
use crate::rules::Rules;
use crate::supers::Half;

/// The maximum number of sockets in S.
pub(crate) const MOST_SOCKETS: usize = 20;

/// The number of free sockets that vary within a block of packs, besides the two that vary within a
/// pack. The passes compute one block at a time.
pub(super) const LOW: usize = 3;

/// `true` in WebAssembly, because the size of the program matters in a browser. The program then
/// lacks the passes over blocks for rules with clockwise turns only. These passes are faster but
/// compute the same results.
pub(super) const SMALL: bool = cfg!(target_arch = "wasm32");

/// The input of the passes over a row.
pub(crate) struct ProofRow<'a> {
    /// The rules, which decide the value of fives after a turn, and the value of a full board.
    pub rules: Rules,
    /// The legal turns: first from boards with the attacker to move, then from boards with the
    /// defender to move.
    pub turns: [Turns; 2],
    /// The free sockets S \ A, as a bit set: bit i stands for socket i of S.
    pub free: u32,
    /// g of the rows that have one more marble of the attacker. The rows are concatenated.
    pub above: &'a [Pack],
    /// For each free socket x, the offset of the row A + x in `above`, in packs. The list is empty
    /// if no board of these rows counts as won.
    pub children: &'a [usize],
    /// The defender's fives D, in three tables that are indexed by the set B. The first two are for
    /// boards with the attacker to move: at the rotations of these boards, and at the rotations of
    /// boards with the defender to move. The third table is for boards with the defender to move.
    pub fives: [&'a [Half]; 3],
    /// W(A): first with the attacker to move, then with the defender to move.
    pub won: [Half; 2],
    /// For each free socket x, W(A + x) with the attacker to move.
    pub threats: &'a [Half],
    /// The number of the defender's added marbles with the attacker to move: `|B|` plus the number
    /// of outsiders.
    pub most: usize,
    /// The number of sockets outside S that are free at the start of the proof.
    pub outside: usize,
    /// The smallest number of outsiders with which D holds at every rotation, for any B.
    pub dead: usize,
    /// `true` if the caller needs g. If `false`, only the boards with the attacker to move are
    /// computed.
    pub defends: bool,
}

/// Returns the number of packs in a row with `free` free sockets.
pub(crate) const fn row_packs(free: usize) -> usize {
    if free < 2 { 1 } else { 1 << (free - 2) }
}

/// A checked row, with the values that both passes derive from it.
pub(in crate::kernel) struct CheckedRow<'a> {
    pub row: &'a ProofRow<'a>,
    /// The number of free sockets of S.
    pub bits: usize,
    /// The number of free sockets whose state is the same throughout a block.
    pub high: usize,
    /// For each board of the first block, its set B as a subset of S.
    pub low_sets: [u32; PLACES << LOW],
    /// The free sockets whose state is the same throughout a block, as a subset of S.
    pub high_set: u32,
    /// For each board of a block, the OR of W(A + x) over the free sockets x of the block.
    pub low_threats: [Pack; 1 << LOW],
}

impl CheckedRow<'_> {
    /// Checks a row, and derives the values that both passes need.
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
        // Each socket doubles the number of sets, so append a copy of all sets that contains the
        // socket.
        let mut low_sets = [0u32; PLACES << LOW];
        let mut unions = [Half::NONE; PLACES << LOW];
        for (i, (&socket, &threat)) in sockets.iter().zip(row.threats).take(in_block).enumerate() {
            let (sets, more) = low_sets.split_at_mut(1 << i);
            sets.iter().zip(more).for_each(|(set, more)| *more = set | socket);
            let (sets, more) = unions.split_at_mut(1 << i);
            sets.iter().zip(more).for_each(|(set, more)| *more = *set | threat);
        }
        // The free sockets of a board are the complement of its set, so assign the unions in
        // reverse order.
        let mut low_threats = [Pack::default(); 1 << LOW];
        let boards = low_threats.iter_mut().flat_map(|pack| &mut pack.0);
        boards.zip(unions[..1 << in_block].iter().rev()).for_each(|(threat, union)| *threat = *union);
        let high_set = sockets[in_block..bits].iter().fold(0, |set, bit| set | bit);
        CheckedRow { row, bits, high, low_sets, high_set, low_threats }
    }

    /// Returns `true` if the passes compute blocks of packs, and `false` if they compute single
    /// packs.
    pub fn is_blocked(&self) -> bool {
        self.bits > self.high + 2
    }

    /// Returns `true` if a block must be computed: if some of its boards have at most `most`
    /// marbles of the defender on S, and few enough outsiders that the attacker can win. `high` is
    /// the number of the defender's marbles on free sockets that don't belong to the block. `low`
    /// is the number of sockets of the block besides the two inside a pack.
    #[inline(always)]
    pub fn counts(&self, high: usize, low: usize, most: usize) -> bool {
        high <= most && high + low + 2 + self.row.dead >= self.row.most
    }
}

/// Returns a mask of the boards of a block. The mask is true for the boards with index below
/// `boards` on which the defender has at least `least` marbles on the sockets of the block.
pub(super) fn enough(least: usize, boards: usize) -> [Pack; 1 << LOW] {
    std::array::from_fn(|n| {
        Pack(std::array::from_fn(|place| {
            let b = PLACES * n + place;
            if b < boards && b.count_ones() as usize >= least { Half::ALL } else { Half::NONE }
        }))
    })
}
