//! Runs of boards of a proof in which all marbles of the defender are located.
//!
//! `solve::proof::located` explains the terms. A row contains all boards with one set A of marbles
//! of the attacker, and any set B of a fixed number of marbles of the defender. Some sockets are
//! *low*. A *run* contains those boards of a row that have the same marbles of the defender on
//! sockets that aren't low, and any k marbles of the defender on low sockets. The boards of a run
//! are sorted by the set on the low sockets. A run is padded to whole lines.
//!
//! ```text
//! attacker to move:  f(A, B) = not D(B) and (W(A) or OR_x W(A + x) or rmax(OR_x g(A + x, B)))
//! defender to move:  g(A, B) = not D(B) and (W(A) or not T and not rmax(OR_y not f(A, B + y)))
//! ```
//!
//! W: the attacker has five. D: the defender has five. T: a placement of the defender makes five.

#![cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code, unused))]

use super::lanes::{ProofLanes, defended};
use crate::kernel::formula::Turns;
use crate::kernel::lanes::{PLACES, Pack};
use crate::rules::Rules;
use crate::supers::Half;

/// Indices into a table of half supers. Each line of a run has four indices, one for each board.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    lines: Vec<[u16; PLACES]>,
    /// An upper bound: every index is less than this.
    end: usize,
}

impl Numbers {
    /// Creates a list from the indices of all boards. The last line is zero-padded.
    pub fn new(all: impl Iterator<Item = u16>) -> Numbers {
        let mut numbers = Numbers::default();
        numbers.fill(all);
        numbers
    }

    /// Returns `true` if the list has indices for exactly `lines` lines, and every index is less
    /// than `end`.
    pub(super) fn fit(&self, lines: usize, end: usize) -> bool {
        self.lines.len() == lines && self.end <= end
    }

    /// Replaces the contents of the list by the indices of all boards. The last line is
    /// zero-padded.
    pub fn fill(&mut self, all: impl Iterator<Item = u16>) {
        self.lines.clear();
        self.end = 1;
        for (i, number) in all.enumerate() {
            if i % PLACES == 0 {
                self.lines.push([0; PLACES]);
            }
            self.lines.last_mut().expect("one was pushed")[i % PLACES] = number;
            self.end = self.end.max(usize::from(number) + 1);
        }
    }
}

/// The input of a run of boards with the attacker to move.
pub(crate) struct AttackRun<'a> {
    /// The legal turns of the attacker.
    pub turns: Turns,
    /// g of the children whose new marble of the attacker is on a socket that isn't low. There is
    /// one run for each such socket.
    pub children: &'a [&'a [Pack]],
    /// For each board, the OR of g over the children whose new marble of the attacker is on a low
    /// socket. The slice is empty if no such children exist.
    pub more: &'a [Pack],
    /// The OR of W(A), and of W(A + x) over all sockets x that aren't low.
    pub threat: Half,
    /// For each board, the OR of W(A + x) over the free low sockets x.
    pub low_threats: &'a [Pack],
    /// Replaces `children` on the last level, where no children are computed. `None` on other
    /// levels. The first element is the OR of W(A + x) over the sockets x that aren't low. The
    /// second element has, for each board, the OR over the free low sockets. Both are at the
    /// rotations of boards with the defender to move. Such a placement counts as a win only where D
    /// is false, unless `mover` is `true`.
    pub last: Option<(Half, &'a [Pack])>,
    /// Two tables of D(B). The first is for the rotations of boards with the attacker to move, the
    /// second for the rotations of boards with the defender to move.
    pub fives: [&'a [Half]; 2],
    /// For each board, the index in the tables `fives`.
    pub numbers: &'a Numbers,
    /// `true` if a child of [`AttackRun::last`] counts as won even at rotations where the
    /// defender has five.
    pub mover: bool,
}

/// The input of a run of boards with the defender to move.
pub(crate) struct DefendRun<'a> {
    /// The rules, which decide the value of fives after a turn.
    pub rules: Rules,
    /// The legal turns of the defender.
    pub turns: Turns,
    /// For each socket that isn't low, two runs of the boards after a reply on this socket:
    /// `not f`, and D at the rotations of boards with the defender to move.
    pub replies: &'a [[&'a [Pack]; 2]],
    /// `not f` and D of the run that contains all boards after a reply on a low socket.
    pub low: [&'a [Pack]; 2],
    /// For each free low socket of a board, a list with the index in `low` of the board after a
    /// reply on this socket. The first list is for the first free low socket of each board, the
    /// second list for the second, and so on.
    pub low_replies: &'a [Numbers],
    /// W(A) at the rotations of boards with the defender to move.
    pub won: Half,
    /// A table of D(B) at the rotations of boards with the defender to move.
    pub fives: &'a [Half],
    /// For each board, the index in the table `fives`.
    pub numbers: &'a Numbers,
}

/// Computes a run with the attacker to move: `not f` into `lost`, and D into `fives`.
///
/// # Safety
/// The CPU supports the instruction set of `V`. The slices have the lengths that
/// `Passes::attack_run` checks.
#[inline(always)]
pub(super) unsafe fn attack<V: ProofLanes, const TURNS: u8>(
    run: &AttackRun,
    lost: &mut [Pack],
    fives: &mut [Pack],
) {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`. The caller
    // also guarantees that each slice has as many lines as `lost`, and that each index is less than
    // the length of its table.
    unsafe {
        let threat = V::broadcast(&run.threat);
        let last = run.last.map(|(half, low)| (V::broadcast(&half), low.as_ptr()));
        let [five, after] = run.fives.map(<[Half]>::as_ptr);
        for n in 0..lost.len() {
            let numbers = run.numbers.lines.get_unchecked(n).map(u32::from);
            for part in 0..PLACES / V::LANES {
                let after = V::collect(after, numbers, part);
                let mut good = V::splat(0);
                for child in run.children {
                    good = good.or(V::load(child.as_ptr().add(n), part));
                }
                if !run.more.is_empty() {
                    good = good.or(V::load(run.more.as_ptr().add(n), part));
                }
                if let Some((half, low)) = last {
                    let win = half.or(V::load(low.add(n), part));
                    good = good.or(if run.mover { win } else { win.and(after.not()) });
                }
                let good = good.rotation_max::<TURNS>();
                let good = good.or(threat).or(V::load(run.low_threats.as_ptr().add(n), part));
                let out = V::collect(five, numbers, part).or(good.not());
                out.store(lost.as_mut_ptr().add(n), part);
                after.store(fives.as_mut_ptr().add(n), part);
            }
        }
    }
}

/// Computes a run with the defender to move, into `g`.
///
/// # Safety
/// The CPU supports the instruction set of `V`. The slices have the lengths that
/// `Passes::defend_run` checks.
#[inline(always)]
pub(super) unsafe fn defend<V: ProofLanes, const TURNS: u8, const DEFENCE: u8>(
    run: &DefendRun,
    g: &mut [Pack],
) {
    // SAFETY: the caller has checked that the CPU supports the instruction set of `V`. The caller
    // also guarantees that each slice has as many lines as `g`, and that each index is less than
    // the length of its table.
    unsafe {
        let won = V::broadcast(&run.won);
        let [low, low_fives] = run.low.map(|low| low.as_ptr().cast::<Half>());
        for n in 0..g.len() {
            for part in 0..PLACES / V::LANES {
                let (mut bad, mut five) = (V::splat(0), V::splat(0));
                for [lost, fives] in run.replies {
                    bad = bad.or(V::load(lost.as_ptr().add(n), part));
                    five = five.or(V::load(fives.as_ptr().add(n), part));
                }
                for numbers in run.low_replies {
                    let numbers = numbers.lines.get_unchecked(n).map(u32::from);
                    bad = bad.or(V::collect(low, numbers, part));
                    five = five.or(V::collect(low_fives, numbers, part));
                }
                let numbers = run.numbers.lines.get_unchecked(n).map(u32::from);
                let has = V::collect(run.fives.as_ptr(), numbers, part);
                let bad = bad.rotation_max::<TURNS>();
                let out = defended::<V, DEFENCE>(won, has, five, bad);
                out.store(g.as_mut_ptr().add(n), part);
            }
        }
    }
}
