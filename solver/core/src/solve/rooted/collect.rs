//! Assembles the slices of a table: the entries of all boards, sorted by rank. The units are read
//! from the spill store, where the tasks of both chains and both parities have stored them.

use super::SpillStore;
use super::downstream::{BATCH, Downstream, GroupTask};
use super::plan::counts;
use crate::index::Layout;
use crate::index::rooted::cycles::{CycleState, Orbits, marbles, shifted};
use crate::index::rooted::layout::{BoardGroup, NO_ARRAY, Unit};
use crate::kernel::Pack;
use crate::solve::SolveError;
use crate::supers::{Half, Super};
use crate::threads;
use crate::values::{BlockId, BoxError, Entry, Grid, Sink};

impl Downstream {
    /// Returns the number of boards of a slice. Each board covers 256 rotations.
    pub fn slice_boards(&self, plies: usize) -> u64 {
        Layout::new(&self.frame, counts(plies)).boards()
    }

    /// Returns the grid of a kept slice. The grid has one axis with all boards, in the order of
    /// [`crate::index::Ternary`], and blocks of `run` boards. Returns `None` if the slice has 2^32
    /// boards or more, because an axis can't be that long.
    pub fn grid(&self, plies: usize, run: u32) -> Option<Grid> {
        Some(Grid::list(u32::try_from(self.slice_boards(plies)).ok()?, run))
    }

    /// Assembles a kept slice from the units in the spill store. The blocks are written in
    /// ascending order. All tasks must be finished.
    ///
    /// # Errors
    /// If the spill store or `sink` fails.
    pub fn collect(
        &self,
        plies: usize,
        top: usize,
        run: u32,
        spill: &dyn SpillStore,
        sink: &dyn Sink,
    ) -> Result<(), SolveError> {
        // Compressing takes far longer than reading, so one thread reads a batch of blocks, and all
        // threads compress the batch.
        let (run, batch) = (run as usize, BATCH * run as usize);
        let mut done = 0;
        let mut entries: Vec<Entry> = Vec::with_capacity(batch);
        let mut put = |entries: &[Entry]| -> Result<(), BoxError> {
            let blocks: Vec<_> = (done..).zip(entries.chunks(run)).collect();
            done += blocks.len() as u64;
            let put = |(block, entries)| sink.put(BlockId { array: 0, block }, entries);
            threads::map(self.settings.threads > 1, blocks, put).into_iter().collect()
        };
        let mut reader = BlockReader::new(self, plies);
        // The groups are in descending order of their top sockets, but the blocks need ascending
        // order.
        for group in self.groups(top).into_iter().rev() {
            let layout = Layout::of_group(&self.frame, counts(plies), group);
            let mut index = 0;
            while index < layout.units() {
                index += reader.fetch(&layout, group, index, spill)?;
                reader.each(&layout, &mut |entry| {
                    entries.push(entry);
                    if entries.len() == batch {
                        put(&entries)?;
                        entries.clear();
                    }
                    Ok(())
                })?;
            }
        }
        put(&entries)?;
        Ok(())
    }
}

/// A reader of all boards that have the same marbles on the high sockets, in ascending order of the
/// other sockets.
struct BlockReader<'d> {
    of: &'d Downstream,
    plies: usize,
    /// The current units. Each unit is followed by the index of its first line in `lines`.
    units: Vec<(Unit, usize)>,
    /// The lines of all current units. The first index is the parity, the second is the chain.
    lines: [[Vec<Pack>; 2]; 2],
    /// All states of the four sockets of a cycle, in ascending order as base-3 numbers.
    states: Vec<CycleState>,
    /// The order of the boards of each class: their indices in the class, sorted by the boards as
    /// base-3 numbers. Indexed by the numbers of marbles of both players on the low sockets.
    low: Vec<Vec<usize>>,
}

/// Returns a pair of disjoint sets as a base-3 number: digit 1 for an element of the first set,
/// digit 2 for an element of the second.
fn ternary(sets: [u32; 2]) -> u64 {
    let digit = |i: u32| u64::from((sets[0] >> i & 1) + 2 * (sets[1] >> i & 1));
    (0..32).rev().fold(0u64, |number, i| number.wrapping_mul(3) + digit(i))
}

impl<'d> BlockReader<'d> {
    fn new(of: &'d Downstream, plies: usize) -> BlockReader<'d> {
        let split = of.frame.split;
        let mut states: Vec<CycleState> = (0..=255).filter(|s| s & s >> 4 == 0).collect();
        states.sort_by_key(|s| ternary([u32::from(s & 15), u32::from(s >> 4)]));
        let side = split.low + 1;
        let mut low = vec![Vec::new(); side * side];
        for c in 0..side {
            for d in 0..side - c {
                let boards = &of.frame.low().class(c, d).boards;
                let order = &mut low[c * side + d];
                order.extend(0..boards.len());
                order.sort_by_key(|&i| ternary(boards[i].map(u32::from)));
            }
        }
        let span = Layout::new(&of.frame, counts(plies)).largest_span() as usize;
        let lines = [(); 2].map(|()| [(); 2].map(|()| vec![Pack::default(); span]));
        BlockReader { of, plies, units: Vec::new(), lines, states, low }
    }

    /// Reads consecutive units of a group into `units` and `lines`, from unit `index` on, as long
    /// as their marbles on high sockets are equal. Returns the number of units read.
    fn fetch(
        &mut self,
        layout: &Layout,
        group: BoardGroup,
        index: u64,
        spill: &dyn SpillStore,
    ) -> Result<u64, BoxError> {
        let high = layout.unrank(index).high;
        self.units.clear();
        let mut len = 0;
        for i in index..layout.units() {
            let unit = layout.unrank(i);
            if unit.high != high {
                break;
            }
            let lines = layout.shape(unit).expect("the slice has this unit").lines as usize;
            self.units.push((unit, len));
            len += lines;
            for parity in 0..2 {
                for chain in 0..2 {
                    let all = &mut self.lines[parity][chain];
                    let task = GroupTask { parity: parity as u8, chain: chain as u8, group };
                    spill.get(task.half_slice(self.plies), i, &mut all[len - lines..len])?;
                }
            }
        }
        Ok(self.units.len() as u64)
    }

    /// Calls `entry` with the entry of each board of the current units, in ascending order of the
    /// boards, until a call fails.
    fn each(
        &self,
        layout: &Layout,
        entry: &mut dyn FnMut(Entry) -> Result<(), BoxError>,
    ) -> Result<(), BoxError> {
        let split = self.of.frame.split;
        for &outer in &self.states {
            let (orbit, by_outer) = Orbits::get(1).of[usize::from(outer)];
            let Some(&(unit, start)) = self.units.iter().find(|(unit, _)| unit.orbit == orbit) else {
                continue;
            };
            if split.outer == 0 && outer != 0 {
                continue;
            }
            let shape = layout.shape(unit).expect("the slice has this unit");
            let in_unit = layout.inner_counts(unit).expect("the slice has this unit");
            for &inner in &self.states {
                if split.inner == 0 && inner != 0 {
                    continue;
                }
                let (array, by_inner) = shape.arrays[usize::from(shifted(inner, 4 - by_outer))];
                if array == NO_ARRAY {
                    continue;
                }
                let used = marbles(inner);
                let [c, d] = [0, 1].map(|p| in_unit[p] - used[p]);
                let place = usize::from((by_outer + by_inner) % 4);
                for &board in &self.low[c * (split.low + 1) + d] {
                    entry(self.entry(start + array as usize + board, place))?;
                }
            }
        }
        Ok(())
    }

    fn entry(&self, line: usize, place: usize) -> Entry {
        let (mover, odd) = (self.plies % 2, self.plies % 2);
        // If the chain's player moves, a line stores "doesn't win". Otherwise the line stores
        // "wins", which means that the mover loses. Invert both.
        let of = |chain: usize| {
            let half = |parity: usize| {
                // Rotations of parity `parity` in this slice have parity `parity ^ odd` at the
                // root, and lines are stored by the parity at the root.
                let stored = self.lines[parity ^ odd][chain][line].0[place];
                Half(stored.0.map(|word| !word))
            };
            Super([half(0), half(1)])
        };
        Entry { win: of(mover), not_lose: of(1 - mover) }
    }
}
