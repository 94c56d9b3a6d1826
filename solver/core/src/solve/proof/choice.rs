//! Chooses the sockets on which the attacker of a proof may place: the sockets that lie on the most
//! promising lines.

use super::counted::Workspace;
use crate::kernel::{Pack, Turns};
use crate::supers::Half;
use crate::supers::half::{half_index, half_rotation};
use crate::symmetry::turned;
use pentago_base::bits;

/// The number of distances in turns, 0 to 6, at which a line has a worth. Lines that are further
/// away are ignored.
const MOST_TURNS: usize = 7;

/// The worth of a line, indexed by its distance in turns from the nearest requested rotation.
const BY_TURNS: [u64; MOST_TURNS] = [1_000_000, 600_000, 360_000, 216_000, 129_600, 77_760, 46_656];

/// The factor by which each marble of the attacker on a line multiplies the line's worth, when a
/// set of sockets is chosen.
const MARBLE_OF_SET: u64 = 8;
/// The factor by which each marble of the attacker on a line multiplies the line's worth, when
/// placements are ordered. The factor [`MARBLE_OF_SET`] led to a worse order
/// (`bench/README.md#order-of-placements`).
const MARBLE_OF_ORDER: u64 = 5;

/// Returns the lines that the attacker can still complete on free sockets. Each item is the set of
/// missing sockets and the worth of the line. `need` is the set of requested rotations, which have
/// parity `parity`. `marble` is the factor for each of the attacker's marbles on a line.
fn promising(
    workspace: &Workspace,
    [own, other, free]: [u64; 3],
    need: Half,
    parity: u8,
    marble: u64,
) -> Vec<(u64, u64)> {
    let near = near(workspace, need, parity);
    let mut lines = Vec::with_capacity(workspace.lines.len());
    for line in &workspace.lines {
        let missing = line.set & free;
        if line.set & other != 0 || missing == 0 {
            continue;
        }
        let meets = |turns: &usize| {
            let p = usize::from(parity) ^ turns & 1;
            line.rotations[p] & near[*turns] != Half::NONE
        };
        let Some(turns) = (0..MOST_TURNS).find(meets) else { continue };
        lines.push((missing, BY_TURNS[turns] * marble.pow((line.set & own).count_ones())));
    }
    lines
}

/// Returns the total worth of the lines through each socket, indexed by the number of the socket.
fn weigh(lines: &[(u64, u64)]) -> [u64; 64] {
    let mut weights = [0u64; 64];
    for &(missing, weight) in lines {
        bits(missing).for_each(|socket| weights[socket] += weight);
    }
    weights
}

/// Sorts sockets by descending weight. Returns each socket as a set of one element.
fn heaviest_first(mut sockets: Vec<usize>, weights: &[u64; 64]) -> Vec<u64> {
    sockets.sort_by_key(|&socket| (u64::MAX - weights[socket], socket));
    sockets.into_iter().map(|socket| 1 << socket).collect()
}

/// Returns the free sockets, each as a set of one element, in descending order of the worth of the
/// lines through the socket.
pub(super) fn order(workspace: &Workspace, sets: [u64; 3], need: Half, parity: u8) -> Vec<u64> {
    let weights = weigh(&promising(workspace, sets, need, parity, MARBLE_OF_ORDER));
    heaviest_first(bits(sets[2]).collect(), &weights)
}

/// Chooses `s` free sockets: repeatedly drops the socket of least worth, along with the lines
/// through that socket. Returns each chosen socket as a set of one element, in descending order of
/// worth.
pub(super) fn choose(workspace: &Workspace, sets: [u64; 3], need: Half, parity: u8, s: usize) -> Vec<u64> {
    let mut lines = promising(workspace, sets, need, parity, MARBLE_OF_SET);
    let mut weights = weigh(&lines);
    let mut left: Vec<usize> = bits(sets[2]).collect();
    while left.len() > s {
        // Among sockets of equal least worth, drop the one with the highest index.
        let least = (0..left.len()).min_by_key(|&i| (weights[left[i]], left.len() - i));
        let dropped = left.remove(least.expect("some are left"));
        let mut i = 0;
        while let Some(&(missing, worth)) = lines.get(i) {
            if missing >> dropped & 1 == 0 {
                i += 1;
            } else {
                bits(missing).for_each(|socket| weights[socket] -= worth);
                lines.swap_remove(i);
            }
        }
    }
    heaviest_first(left, &weights)
}

/// Returns the rotations at each distance from `need`. Element t has the rotations that t turns can
/// reach from a rotation of `need`.
fn near(workspace: &Workspace, need: Half, parity: u8) -> [Half; MOST_TURNS] {
    let mut all = [need; MOST_TURNS];
    for turns in 1..MOST_TURNS {
        all[turns] = workspace.after(all[turns - 1], parity ^ (turns as u8 - 1) & 1);
    }
    all
}

impl Workspace {
    /// Returns the rotations that one turn reaches from the rotations `from`, which have parity
    /// `p`.
    pub(super) fn after(&self, from: Half, p: u8) -> Half {
        if self.turns(p) == Turns::Both {
            // Each turn has an inverse, so the rotations after a turn of `from` are also the
            // rotations before a turn into `from`.
            return self.before(from, p ^ 1);
        }
        (0..128).filter(|&i| from.get(i)).fold(Half::NONE, |to, i| {
            let r = half_rotation(p, i);
            (0..4).fold(to, |to, block| to.with(half_index(turned(r, block, true)), true))
        })
    }

    /// Returns the rotations of parity `p` from which at least one turn leads to a rotation of
    /// `to`.
    pub(super) fn before(&self, to: Half, p: u8) -> Half {
        match self.turns(p) {
            Turns::Both => to.rotation_max(),
            turns => self.passes.rotation_max(&Pack([to; 4]), turns).0[0],
        }
    }
}
