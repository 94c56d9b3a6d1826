//! The winning sets: sets of five sockets that are a line, or become a line by at most two turns.

use std::sync::LazyLock;

use super::pattern::Spot;
use crate::geometry::{FIVES, SOCKETS, Socket, SocketSet, Turn, sockets};

/// The winning sets of the board.
pub(super) static SETS: LazyLock<WinSets> = LazyLock::new(WinSets::new);

/// The number of possible actions between two placements: no turn, and the 16 turns.
pub(super) const TURNS: usize = 17;
/// In [`WinSets::each`], stands for any of these actions.
pub(super) const ANY_TURN: usize = TURNS;

/// The 16 turns. For each turn of one seat, the sets with which the other seat wins next.
pub(super) struct WinSets {
    turns: Vec<Turn>,
    /// The winning sets, indexed by the number of a turn, with 0 for no turn. Each set has the
    /// sockets that its marbles have before this turn. The last element has the sets of all turns.
    of: Vec<PairLists>,
}

/// The sets that contain each pair of sockets.
struct PairLists {
    sets: Vec<SocketSet>,
    /// The index in `sets` of the first set of each pair. The entry of the sockets *i* < *j* has
    /// the index *81 i + j*.
    first: Vec<u32>,
}

impl WinSets {
    fn new() -> WinSets {
        let mut own = WinSets { turns: Turn::all().collect(), of: Vec::new() };
        let mut sets: Vec<SocketSet> =
            (0..TURNS).flat_map(|turn| FIVES.map(|five| own.before(turn, five))).collect();
        sets.sort_unstable();
        sets.dedup();
        let before = |turn| -> Vec<SocketSet> { sets.iter().map(|&set| own.before(turn, set)).collect() };
        let mut of: Vec<Vec<SocketSet>> = (0..TURNS).map(before).collect();
        of.push(of.concat());
        own.of = of.iter().map(|sets| PairLists::new(sets)).collect();
        own
    }

    /// Returns the image of `set` under a turn. Turn 0 is no turn.
    pub(super) fn after(&self, turn: usize, set: SocketSet) -> SocketSet {
        if turn == 0 { set } else { self.turns[turn - 1].apply(set) }
    }

    /// Returns the set whose image under a turn is `set`. Turn 0 is no turn.
    pub(super) fn before(&self, turn: usize, set: SocketSet) -> SocketSet {
        if turn == 0 { set } else { self.turns[turn - 1].back().apply(set) }
    }

    /// Returns the turn with a number from 1 to 16.
    pub(super) fn turn(&self, number: usize) -> Turn {
        self.turns[number - 1]
    }

    /// Calls `see` for every winning set that contains at least two marbles of `own` and none of
    /// `other`. Passes the set, and its sockets outside `own`. `turn` is the turn of the other seat
    /// before the winning move, or [`ANY_TURN`]. A set with more than two marbles of `own` is
    /// passed once for each pair of them.
    #[inline]
    pub(super) fn each(
        &self,
        own: SocketSet,
        other: SocketSet,
        turn: usize,
        mut see: impl FnMut(SocketSet, SocketSet),
    ) {
        let PairLists { sets, first } = &self.of[turn];
        let mut left = own;
        while left != 0 {
            let i = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut rest = left;
            while rest != 0 {
                let at = pair(i, rest.trailing_zeros() as usize);
                rest &= rest - 1;
                for &set in &sets[first[at] as usize..first[at + 1] as usize] {
                    if set & other == 0 {
                        see(set, set & !own);
                    }
                }
            }
        }
    }

    /// Calls `see` for every set that contains the free socket `place`, at least one marble of the
    /// attacker and none of the defender. Passes the number of the attacker's marbles in the set.
    pub(super) fn each_through(&self, place: Socket, spot: &Spot, mut see: impl FnMut(u32)) {
        let PairLists { sets, first } = &self.of[0];
        for own in sockets(spot.own) {
            let (low, high) = (own.number().min(place.number()), own.number().max(place.number()));
            let at = pair(low.into(), high.into());
            for &set in &sets[first[at] as usize..first[at + 1] as usize] {
                if set & spot.other == 0 {
                    see((set & spot.own).count_ones());
                }
            }
        }
    }
}

impl PairLists {
    fn new(sets: &[SocketSet]) -> PairLists {
        let mut lists = vec![Vec::new(); SOCKETS * SOCKETS];
        for &set in sets {
            for i in sockets(set) {
                for j in sockets(set).filter(|&j| j > i) {
                    lists[pair(i.number().into(), j.number().into())].push(set);
                }
            }
        }
        let mut all = PairLists { sets: Vec::new(), first: vec![0] };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            all.sets.append(&mut list);
            all.first.push(all.sets.len() as u32);
        }
        all
    }
}

fn pair(i: usize, j: usize) -> usize {
    SOCKETS * i + j
}
