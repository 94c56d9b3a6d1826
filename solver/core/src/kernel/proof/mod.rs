//! One row of a proof with counted outsiders: all boards with the same marbles of the attacker.
//!
//! The terms are those of `solve::proof`. S is a set of s sockets. The attacker, who is to win,
//! places on S only: his added marbles are A. The defender has B on S and c *outsiders* elsewhere,
//! which are counted and not located. A row holds for one A all B that don't meet A, `2^(s - |A|)`
//! half supers: board b of the row has the marbles of B whose numbers among the free sockets S \ A
//! are the bits of b. How many outsiders there are follows from the numbers of marbles: with the
//! attacker to move `most - |B|`, with the defender to move one less.
//!
//! ```text
//! attacker to move:  f(A, B) = not D(B, c) and (W(A) or OR_x W(A + x) or rmax(OR_x g(A + x, B)))
//! defender to move:  g(A, B) = not D(B, c) and (W(A) or not T and not rmax(OR_y not f(A, B + y)))
//! ```
//!
//! With `place=turn` there is neither W(A + x) nor T.
//!
//! W: the attacker has five. D: the defender has five in his located marbles and at most c sockets
//! outside S. T: he gets five by a placement. The replies y are the free sockets of S and, while an
//! outside socket is left, "somewhere outside", after which B is the same and c one more.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lanes;
mod located;
mod pass;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) use pass::PORTABLE;
pub(super) use pass::ProofPasses;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use pass::SIMD128;
#[cfg(target_arch = "x86_64")]
pub(super) use pass::{AVX2, AVX512};

pub(crate) use located::{AttackRun, DefendRun, Numbers};

use super::{Passes, Turns};
use crate::kernel::lanes::{BOTH, CW_EVEN, CW_ODD, Lanes, PLACES, Pack};
use crate::rules::{Both, Last, Place, Reply, Rules};
use crate::supers::Half;

/// The most sockets that S can have.
pub(crate) const MOST_SOCKETS: usize = 20;

/// Low sockets of a block of packs that is computed at a time, besides the two inside a pack.
const LOW: usize = 3;

/// Where the size of the program counts, as in a browser: clockwise rules have no passes in blocks,
/// which are faster and compute the same.
const SMALL: bool = cfg!(target_arch = "wasm32");

/// How a board with the defender to move is decided, by the rules of fives after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defence {
    /// Both fives are a draw.
    Draw,
    /// Both fives are won by the attacker, who has turned.
    Mover,
    /// The attacker's five may be answered by a placement. Both fives are taken for no win, which
    /// is right or cautious: the defender's five may be one of the counted ones that isn't there.
    Answer,
}

impl Defence {
    fn of(rules: Rules) -> Defence {
        match (rules.reply, rules.both) {
            (Reply::Place, _) => Defence::Answer,
            (Reply::None, Both::Draw) => Defence::Draw,
            (Reply::None, Both::Mover) => Defence::Mover,
        }
    }
}

/// What a row is computed from.
pub(crate) struct ProofRow<'a> {
    /// The rules: they say what fives after a turn are worth, and what a full board is.
    pub rules: Rules,
    /// The turns that lead from boards with the attacker to move, and with the defender to move.
    pub turns: [Turns; 2],
    /// S without A, as numbers of the sockets of S.
    pub free: u32,
    /// g of rows with one more marble of the attacker, one after the other.
    pub above: &'a [Pack],
    /// Where in `above` the row A + x begins, by number of x among the free sockets; or none, and no
    /// board there counts as won.
    pub children: &'a [usize],
    /// By subset of S: the defender's five D with the attacker to move (at the rotations that
    /// belong to that), the same at the rotations that belong to boards with the defender to move,
    /// and D with the defender to move.
    pub fives: [&'a [Half]; 3],
    /// W(A), with the attacker and with the defender to move.
    pub won: [Half; 2],
    /// W(A + x) with the attacker to move, by number of x among the free sockets.
    pub threats: &'a [Half],
    /// With the attacker to move, `|B|` plus the number of outsiders.
    pub most: usize,
    /// Sockets outside S.
    pub outside: usize,
    /// With so many outsiders, whatever B, D holds everywhere.
    pub dead: usize,
    /// Whether g is asked for.
    pub defends: bool,
}

/// Lines in a row with so many free sockets.
pub(crate) const fn row_packs(free: usize) -> usize {
    if free < 2 { 1 } else { 1 << (free - 2) }
}

/// What a row's passes share: the row with everything that follows from it.
pub(in super::super) struct Pass<'a> {
    row: &'a ProofRow<'a>,
    /// Free sockets.
    bits: usize,
    /// Those above the block.
    high: usize,
    /// The subset of S for each board of the first block.
    low_sets: [u32; PLACES << LOW],
    /// The high free sockets, as a subset of S.
    high_set: u32,
    /// OR of W(A + x) over the free low sockets x, by board of a block.
    low_threats: [Pack; 1 << LOW],
}

impl Pass<'_> {
    /// Whether a block counts that has so many marbles of the defender on high sockets and `low`
    /// low ones besides the two inside a pack: whether some of its boards have at most `most`
    /// marbles there, and not too many outsiders to be won.
    #[inline(always)]
    fn counts(&self, high: usize, low: usize, most: usize) -> bool {
        high <= most && high + low + 2 + self.row.dead >= self.row.most
    }
}

/// Where boards count that have at least so many marbles of the defender on the sockets of a block
/// (numbers below `boards`).
fn enough(least: usize, boards: usize) -> [Pack; 1 << LOW] {
    std::array::from_fn(|n| {
        Pack(std::array::from_fn(|place| {
            let b = PLACES * n + place;
            if b < boards && b.count_ones() as usize >= least { Half::ALL } else { Half::NONE }
        }))
    })
}

impl Passes {
    /// Computes the row into `g`; `lost` and `fives` are left with `not f` and the second table of
    /// fives, by board of the row. Boards that can't be reached from boards that count are left as
    /// they were.
    ///
    /// # Panics
    /// If an array has another length than the row asks for, or a row of `children` isn't within `above`.
    #[allow(unsafe_code)]
    pub(crate) fn proof_row(self, row: &ProofRow, lost: &mut [Pack], fives: &mut [Pack], g: &mut [Pack]) {
        let bits = row.free.count_ones() as usize;
        let packs = row_packs(bits);
        assert!(bits <= MOST_SOCKETS);
        assert!(lost.len() == packs && fives.len() == packs && g.len() == packs);
        assert!(row.threats.len() == bits);
        assert!(row.children.is_empty() || row.children.len() == bits);
        let last = row.above.len().checked_sub(row_packs(bits.saturating_sub(1)));
        assert!(row.children.iter().all(|&child| last.is_some_and(|last| child <= last)));
        assert!(row.fives.iter().all(|table| (row.free as usize) < table.len()));
        let in_blocks = bits >= LOW + 2 && !(SMALL && row.turns[0] != Turns::Both);
        let low = if in_blocks { LOW } else { 0 };
        let high = bits.saturating_sub(low + 2);
        let in_block = bits - high;
        let mut sockets = [0u32; MOST_SOCKETS];
        let mut rest = row.free;
        for socket in &mut sockets[..bits] {
            *socket = rest & rest.wrapping_neg();
            rest &= rest - 1;
        }
        // With each socket there are twice as many sets.
        let mut low_sets = [0u32; PLACES << LOW];
        let mut unions = [Half::NONE; PLACES << LOW];
        for (i, (&socket, &threat)) in sockets.iter().zip(row.threats).take(in_block).enumerate() {
            let (sets, more) = low_sets.split_at_mut(1 << i);
            sets.iter().zip(more).for_each(|(set, more)| *more = set | socket);
            let (sets, more) = unions.split_at_mut(1 << i);
            sets.iter().zip(more).for_each(|(set, more)| *more = *set | threat);
        }
        // The free sockets are the others.
        let mut low_threats = [Pack::default(); 1 << LOW];
        let boards = low_threats.iter_mut().flat_map(|pack| &mut pack.0);
        boards.zip(unions[..1 << in_block].iter().rev()).for_each(|(threat, union)| *threat = *union);
        let high_set = sockets[in_block..bits].iter().fold(0, |set, bit| set | bit);
        let pass = Pass { row, bits, high, low_sets, high_set, low_threats };
        let passes = &self.0.proof;
        let block = usize::from(low > 0);
        // SAFETY: the kernel exists, so the processor has its instructions; the lengths are checked
        // above, and every subset of `free` is at most `free`.
        unsafe { (passes.attack[row.turns[0].index()][block])(&pass, lost, fives) };
        let full = (1usize << bits) - 1;
        let full_at = (full / PLACES, full % PLACES);
        if row.rules.last == Last::Stop && row.most == bits + row.outside {
            // The last placement ended the game.
            lost[full_at.0].0[full_at.1] = Half::ALL;
        }
        if !row.defends {
            return;
        }
        if row.rules.place == Place::Turn {
            // A placement of the defender wins nothing before its turn.
            fives.fill(Pack::default());
        }
        let defence = Defence::of(row.rules);
        // SAFETY: as above.
        unsafe { (passes.defend[defence as usize][row.turns[1].index()][block])(&pass, lost, fives, g) };
        if row.most == bits + row.outside + 1 {
            // A full board has no replies, and is won only by five.
            g[full_at.0].0[full_at.1] = match (row.rules.last, row.rules.both) {
                (Last::Stop, _) => Half::NONE,
                (Last::Turn, Both::Mover) => row.won[1],
                (Last::Turn, Both::Draw) => row.won[1] & !row.fives[2][row.free as usize],
            };
        }
    }
}
