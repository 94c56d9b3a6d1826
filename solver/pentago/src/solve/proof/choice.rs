//! Which sockets a proof lets the attacker use: those that promise most.

use super::counted::Workspace;
use crate::kernel::Pack;
use crate::supers::Half;

/// No line is more turns away.
const MOST_TURNS: usize = 7;

/// What a line is worth that is so many turns away, for each rotation nearest to one asked about.
const BY_TURNS: [u64; MOST_TURNS] = [1_000_000, 600_000, 360_000, 216_000, 129_600, 77_760, 46_656];

/// By the attacker's marbles on it.
const BY_MARBLES: [u64; 6] = [1, 5, 25, 125, 625, 3_125];

/// The `s` sockets of `free` with the most weight over lines that the defender doesn't block,
/// heaviest first. `need`: the rotations asked about, of parity `parity`.
pub(super) fn choose(
    workspace: &Workspace,
    [own, other, free]: [u64; 3],
    need: Half,
    parity: u8,
    s: usize,
) -> Vec<u64> {
    let near = near(workspace, need, parity);
    let mut weights = [0u64; 64];
    for line in workspace.lines() {
        let mut missing = line.set & free;
        if line.set & other != 0 || missing == 0 {
            continue;
        }
        let meets = |(turns, near): (usize, &Half)| {
            let p = usize::from(parity) ^ turns & 1;
            (line.rotations[p] & *near != Half::NONE).then_some(turns)
        };
        let Some(turns) = near.iter().enumerate().find_map(meets) else { continue };
        let weight = BY_TURNS[turns] * BY_MARBLES[(line.set & own).count_ones() as usize];
        while missing != 0 {
            weights[missing.trailing_zeros() as usize] += weight;
            missing &= missing - 1;
        }
    }
    let mut sockets: Vec<usize> = (0..64).filter(|i| free >> i & 1 != 0).collect();
    sockets.sort_by_key(|&i| (u64::MAX - weights[i], i));
    sockets.truncate(s);
    sockets.into_iter().map(|i| 1 << i).collect()
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
        self.kernel().rotation_max(&pack, self.turns(p)).0[0]
    }
}
