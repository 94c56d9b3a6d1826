//! Which sockets a proof lets the attacker use: those that promise most.

use super::counted::Workspace;
use crate::kernel::{Pack, Passes};
use crate::supers::Half;

/// No line is more turns away.
const MOST_TURNS: usize = 7;

/// What a line is worth that is so many turns away, for each rotation nearest to one asked about.
const BY_TURNS: [u64; MOST_TURNS] = [1_000_000, 600_000, 360_000, 216_000, 129_600, 77_760, 46_656];

/// How much more a line is worth for each marble of the attacker on it, where sockets are chosen
/// together; and where each is weighed for itself, for the order of placements. That order should
/// stay as it is, the one of the choice was worse (`bench/README.md#order-of-placements`).
const MARBLE_OF_SET: u64 = 8;
/// See [`MARBLE_OF_SET`].
const MARBLE_OF_ORDER: u64 = 5;

/// The lines that the attacker may still make on free sockets: what he misses of each, and what it
/// promises. `need`: the rotations asked about, of parity `parity`; `marble`: how much more a line is
/// worth for each of his marbles on it.
fn promising(
    workspace: &Workspace,
    [own, other, free]: [u64; 3],
    need: Half,
    parity: u8,
    marble: u64,
) -> Vec<(u64, u64)> {
    let near = near(workspace, need, parity);
    let mut found = Vec::with_capacity(workspace.lines().len());
    for line in workspace.lines() {
        let missing = line.set & free;
        if line.set & other != 0 || missing == 0 {
            continue;
        }
        let meets = |(turns, near): (usize, &Half)| {
            let p = usize::from(parity) ^ turns & 1;
            (line.rotations[p] & *near != Half::NONE).then_some(turns)
        };
        let Some(turns) = near.iter().enumerate().find_map(meets) else { continue };
        found.push((missing, BY_TURNS[turns] * marble.pow((line.set & own).count_ones())));
    }
    found
}

/// The sockets of a set, each a set of one.
fn each(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}

fn weigh(lines: &[(u64, u64)]) -> [u64; 64] {
    let mut weights = [0u64; 64];
    for &(missing, weight) in lines {
        each(missing).for_each(|bit| weights[bit.trailing_zeros() as usize] += weight);
    }
    weights
}

/// The free sockets in the order of the weight of the lines through them, heaviest first.
pub(super) fn order(workspace: &Workspace, sets: [u64; 3], need: Half, parity: u8) -> Vec<u64> {
    let weights = weigh(&promising(workspace, sets, need, parity, MARBLE_OF_ORDER));
    let mut sockets: Vec<u64> = each(sets[2]).collect();
    sockets.sort_by_key(|bit| (u64::MAX - weights[bit.trailing_zeros() as usize], *bit));
    sockets
}

/// The `s` sockets of `free` that are left when again and again the one with the least weight is
/// given up, and the lines through it; heaviest first.
pub(super) fn choose(workspace: &Workspace, sets: [u64; 3], need: Half, parity: u8, s: usize) -> Vec<u64> {
    let mut lines = promising(workspace, sets, need, parity, MARBLE_OF_SET);
    let mut weights = weigh(&lines);
    let mut left: Vec<u64> = each(sets[2]).collect();
    let weight = |weights: &[u64; 64], bit: u64| weights[bit.trailing_zeros() as usize];
    while left.len() > s {
        // Of equals the last one goes.
        let least = (0..left.len()).min_by_key(|&i| (weight(&weights, left[i]), left.len() - i));
        let bit = left.remove(least.expect("some are left"));
        let mut i = 0;
        while let Some(&(missing, worth)) = lines.get(i) {
            if missing & bit == 0 {
                i += 1;
            } else {
                each(missing).for_each(|bit| weights[bit.trailing_zeros() as usize] -= worth);
                lines.swap_remove(i);
            }
        }
    }
    left.sort_by_key(|&bit| (u64::MAX - weight(&weights, bit), bit));
    left
}

/// The rotations that are 0, 1, 2... turns after those of `need`.
fn near(workspace: &Workspace, need: Half, parity: u8) -> [Half; MOST_TURNS] {
    let mut all = [need; MOST_TURNS];
    for turns in 1..MOST_TURNS {
        all[turns] = workspace.after(all[turns - 1], parity ^ (turns as u8 - 1) & 1);
    }
    all
}

impl Workspace {
    /// The rotations one turn after those of `from`, which have parity `p`.
    pub(super) fn after(&self, from: Half, p: u8) -> Half {
        use crate::kernel::Turns;
        use crate::supers::half::{half_index, half_rotation};
        use crate::symmetry::turned;
        if self.turns(p) == Turns::Both {
            // Every turn can be taken back.
            return self.before(from, p ^ 1);
        }
        (0..128).filter(|&i| from.get(i)).fold(Half::NONE, |to, i| {
            let r = half_rotation(p, i);
            (0..4).fold(to, |to, block| to.with(half_index(turned(r, block, true)), true))
        })
    }

    /// The rotations of parity `p` from which some turn leads to one of `to`.
    pub(super) fn before(&self, to: Half, p: u8) -> Half {
        let mut pack = Pack::default();
        pack.0[0] = to;
        Passes::of(self.kernel()).rotation_max(&pack, self.turns(p)).0[0]
    }
}
