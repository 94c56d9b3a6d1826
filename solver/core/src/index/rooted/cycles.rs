//! Cycles of four sockets, and the orbits of their states under cyclic shifts. [`super::layout`]
//! explains the purpose of cycles.

use std::sync::LazyLock;

/// The number of sockets of one cycle.
pub const CYCLE: usize = 4;

/// A state of one cycle: the marbles of player 0 in the lower four bits, the marbles of player 1 in
/// the upper four bits.
pub type CycleState = u8;

/// Returns `state` after a cyclic shift by `by` sockets.
#[inline]
pub fn shifted(state: CycleState, by: u8) -> CycleState {
    let doubled = |half: u8| (half | half << 4) >> (4 - by % 4) & 15;
    if by.is_multiple_of(4) { state } else { doubled(state & 15) | doubled(state >> 4) << 4 }
}

/// Returns the number of marbles of each player in `state`.
#[inline]
pub fn marbles(state: CycleState) -> [usize; 2] {
    [(state & 15).count_ones() as usize, (state >> 4).count_ones() as usize]
}

/// Returns `state` with one more marble of `player`, on the socket whose bit is `bit`.
#[inline]
pub fn placed(state: CycleState, player: usize, bit: u8) -> CycleState {
    state | bit << (4 * player)
}

/// Returns the set of free sockets in `state`, for a cycle that has `sockets` sockets.
#[inline]
pub fn free(state: CycleState, sockets: usize) -> u8 {
    !(state | state >> 4) & ((1u8 << sockets) - 1)
}

/// The orbits of the states of a cycle under a group of shifts.
pub struct Orbits {
    /// The least state of each orbit, in ascending order.
    pub least: Vec<CycleState>,
    /// Indexed by state: the index of the state's orbit in `least`, and the number of sockets by
    /// which the least state must be shifted to reach the state.
    pub of: Vec<(u8, u8)>,
    /// The period of each orbit: the smallest shift, in sockets, that maps a state of the orbit to
    /// itself.
    pub period: Vec<u8>,
}

impl Orbits {
    /// Computes the orbits under shifts by multiples of `step` sockets (1, 2 or 4).
    fn new(step: u8) -> Orbits {
        let mut states: Vec<CycleState> = (0..=255).filter(|s| s & s >> 4 == 0).collect();
        states.sort_by_key(|s| (s & 15, s >> 4));
        let mut orbits = Orbits { least: Vec::new(), of: vec![(u8::MAX, 0); 256], period: Vec::new() };
        for state in states {
            if orbits.of[usize::from(state)].0 != u8::MAX {
                continue;
            }
            let number = orbits.least.len() as u8;
            let mut by = 0;
            loop {
                orbits.of[usize::from(shifted(state, by))] = (number, by);
                by += step;
                if shifted(state, by) == state {
                    break;
                }
            }
            orbits.least.push(state);
            orbits.period.push(by);
        }
        orbits
    }

    /// Returns the orbits under shifts by multiples of `step` sockets. `step` is 1 (24 orbits), 2
    /// (45 orbits) or 4 (81 orbits of one state each).
    pub fn get(step: u8) -> &'static Orbits {
        static ALL: [LazyLock<Orbits>; 3] = [
            LazyLock::new(|| Orbits::new(1)),
            LazyLock::new(|| Orbits::new(2)),
            LazyLock::new(|| Orbits::new(4)),
        ];
        &ALL[usize::from(step) / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbits_partition_the_states() {
        for (step, orbits) in [(1, 24), (2, 45), (4, 81)] {
            let o = Orbits::get(step);
            assert_eq!(o.least.len(), orbits);
            assert_eq!(o.period.iter().map(|p| usize::from(p / step)).sum::<usize>(), 81);
            for state in (0..=255u8).filter(|s| s & s >> 4 == 0) {
                let (number, by) = o.of[usize::from(state)];
                assert_eq!(shifted(o.least[usize::from(number)], by), state);
                assert_eq!(by % step, 0);
                // A marble on a free socket always leads to an orbit with a larger index. The order
                // of the units depends on this.
                for bit in (0..4).map(|i| 1 << i).filter(|bit| free(state, 4) & bit != 0) {
                    for player in 0..2 {
                        assert!(o.of[usize::from(placed(state, player, bit))].0 > number);
                    }
                }
            }
        }
    }
}
