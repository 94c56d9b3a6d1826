//! Runs of boards of a proof in which all of the defender's marbles are located.
//!
//! The terms are those of `solve::proof::located`: a row holds for one set A of the attacker's
//! marbles all sets B of as many of the defender's. Some sockets are *low*. The boards of a *run* have
//! the same A, the same marbles of the defender on the other sockets, and any k of them on low ones, in
//! the order of their sets; a run is filled up to whole lines.
//!
//! ```text
//! attacker to move:  f(A, B) = not D(B) and (W(A) or OR_x W(A + x) or rmax(OR_x g(A + x, B)))
//! defender to move:  g(A, B) = not D(B) and (W(A) or not T and not rmax(OR_y not f(A, B + y)))
//! ```
//!
//! W, D: the attacker, the defender has five; T: the defender gets five by a placement.

#![cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code, unused))]

use super::lanes::{ProofLanes, defended};
use crate::kernel::formula::{BOTH, CW_EVEN, CW_ODD, Turns};
use crate::kernel::lanes::{PLACES, Pack};
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::kernel::portable::Portable;
#[cfg(target_arch = "x86_64")]
use crate::kernel::{avx2::Avx2, avx512::Avx512};
use crate::rules::Rules;
use crate::supers::Half;

/// Numbers of half supers in some table, four for each line of a run.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    lines: Vec<[u16; PLACES]>,
    /// Larger than all of them.
    end: usize,
}

impl Numbers {
    /// Such a list; the last line is filled up with zeros.
    pub fn new(all: impl Iterator<Item = u16>) -> Numbers {
        let mut numbers = Numbers::default();
        numbers.fill(all);
        numbers
    }

    /// Returns whether the list is for `lines` lines, and all its numbers are below `end`.
    pub(super) fn fit(&self, lines: usize, end: usize) -> bool {
        self.lines.len() == lines && self.end <= end
    }

    /// Makes it this list.
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

/// A run of boards with the attacker to move.
pub(crate) struct AttackRun<'a> {
    /// The turns that lead from them.
    pub turns: Turns,
    /// g of the same boards with one more marble of the attacker on a socket that isn't low.
    pub children: &'a [&'a [Pack]],
    /// What is known besides of boards after a placement and before the turn: their union.
    pub more: &'a [Pack],
    /// W(A) and W(A + x) of the sockets x that aren't low.
    pub threat: Half,
    /// OR of W(A + x) over the free low sockets x.
    pub low_threats: &'a [Pack],
    /// Where nothing is computed below: W(A + x) after the placement at the rotations that belong to the
    /// defender's boards, for sockets that aren't low, and by board for low ones. Such a board is won
    /// only where D doesn't hold, unless `mover`.
    pub last: Option<(Half, &'a [Pack])>,
    /// D(B) at the rotations of these boards and at those of the defender's boards, by number.
    pub fives: [&'a [Half]; 2],
    /// The numbers of the boards there.
    pub numbers: &'a Numbers,
    /// Whether D doesn't matter in [`AttackRun::last`].
    pub mover: bool,
}

/// A run of boards with the defender to move.
pub(crate) struct DefendRun<'a> {
    /// The rules: they say what fives after a turn are worth.
    pub rules: Rules,
    /// The turns that lead from them.
    pub turns: Turns,
    /// Not f, and D at these boards' rotations, after a reply on a socket that isn't low.
    pub replies: &'a [[&'a [Pack]; 2]],
    /// The same of the run with replies on low sockets.
    pub low: [&'a [Pack]; 2],
    /// For each free low socket in turn, by board: the number of the board after the reply.
    pub low_replies: &'a [Numbers],
    /// W(A).
    pub won: Half,
    /// D(B), by number.
    pub fives: &'a [Half],
    /// The numbers of the boards there.
    pub numbers: &'a Numbers,
}

/// Returns the boards with the attacker to move.
///
/// # Safety
/// The CPU supports the instruction set of `V`; the lengths are those that [`Passes::attack_run`] checks.
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn attack<V: ProofLanes, const TURNS: u8>(run: &AttackRun, lost: &mut [Pack], fives: &mut [Pack]) {
    // SAFETY: all arrays have as many lines as `lost`, and numbers are below the tables' lengths.
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

/// Returns the boards with the defender to move.
///
/// # Safety
/// As for [`attack`].
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn defend<V: ProofLanes, const TURNS: u8, const DEFENCE: u8>(run: &DefendRun, g: &mut [Pack]) {
    // SAFETY: as in [`attack`].
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

type AttackFn = unsafe fn(&AttackRun, &mut [Pack], &mut [Pack]);
type DefendFn = unsafe fn(&DefendRun, &mut [Pack]);

/// The passes of one kernel.
pub(in crate::kernel) struct LocatedPasses {
    /// By turns.
    pub attack: [AttackFn; 3],
    /// By [`Defence`] and turns.
    pub defend: [[DefendFn; 3]; 3],
}

/// The passes of one kernel, compiled with the given target features.
macro_rules! located_passes {
    ($static:ident, $module:ident, $vector:ty $(, $feature:literal)?) => {
        #[allow(unsafe_code)]
        mod $module {
            use super::*;
            $(#[target_feature(enable = $feature)])?
            unsafe fn attack<const TURNS: u8>(run: &AttackRun, lost: &mut [Pack], fives: &mut [Pack]) {
                // SAFETY: the feature is enabled here; the caller meets the other requirements.
                unsafe { super::attack::<$vector, TURNS>(run, lost, fives) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn defend<const TURNS: u8, const DEFENCE: u8>(run: &DefendRun, g: &mut [Pack]) {
                // SAFETY: the feature is enabled here; the caller meets the other requirements.
                unsafe { super::defend::<$vector, TURNS, DEFENCE>(run, g) }
            }
            const fn by_turns<const DEFENCE: u8>() -> [DefendFn; 3] {
                [defend::<BOTH, DEFENCE>, defend::<CW_EVEN, DEFENCE>, defend::<CW_ODD, DEFENCE>]
            }
            pub(in crate::kernel) static PASSES: LocatedPasses = LocatedPasses {
                attack: [attack::<BOTH>, attack::<CW_EVEN>, attack::<CW_ODD>],
                defend: [by_turns::<0>(), by_turns::<1>(), by_turns::<2>()],
            };
        }
        pub(super) use $module::PASSES as $static;
    };
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
located_passes!(PORTABLE, portable_passes, Portable);
#[cfg(target_arch = "x86_64")]
located_passes!(AVX2, avx2_passes, Avx2, "avx2");
#[cfg(target_arch = "x86_64")]
located_passes!(AVX512, avx512_passes, Avx512, "avx512f,avx512bw,avx512vl,avx512dq");
