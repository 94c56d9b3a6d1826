//! Measures how well the values below a root compress, on a sample of the positions below the root.

use crate::error::{Error, ErrorKind};
use crate::make::{RUN, RootBuild};
use pentago_base::{Control, Random, lock};
use pentago_core::kernel::{Kernel, Pack};
use pentago_core::rules::{Board, Color, Last, Position, Rules, Socket};
use pentago_core::solve::rooted::downstream::Downstream;
use pentago_core::solve::rooted::{HalfSlice, SpillStore};
use pentago_core::symmetry::Group;
use pentago_core::values::{BlockId, BoxError, Entry, Memory};
use pentago_tables::codec::Codec;
use pentago_tables::codec::repeats::{Encoder, MAX_LINES};
use pentago_tables::tables::{ArrayInfo, BlockCodec, Domain, Target};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Mutex;

/// The number of positions of a sample, and the number of their free sockets. All boards below
/// these positions are computed, which takes half a second and 20 MB.
const POSITIONS: u64 = 8;
const FREE: usize = 11;
/// The number of blocks that a sample takes from a slice.
const BLOCKS: u64 = 16;
/// The minimum number of entries of a slice whose compression is measured.
const LEAST_ENTRIES: f64 = 2000.0;
/// The largest number of free sockets of a slice whose temporary files are measured. Below the
/// sampled positions, the slices with more free sockets are so small that they compress badly.
const TEMPORARY_FREE: usize = 6;
/// The bytes of a temporary file that don't depend on its values, in units of the bytes of one open
/// value per entry.
const CONSTANT: f64 = 62.0;
/// The typical ratios of the bytes of an open value, by the number of free sockets. Slices with
/// more free sockets have the last ratio.
const TYPICAL: [f64; 11] = [0.1, 0.1, 0.46, 0.83, 1.2, 1.4, 1.6, 1.8, 2.15, 2.2, 2.4];
/// The bytes of a unit in a temporary file, in addition to its code.
const UNIT_BYTES: usize = 32;
/// Upper bounds of the real sizes of temporary files and of tables, as multiples of the sample
/// (`bench/estimates.py`).
const TEMPORARY_BOUND: f64 = 1.1;
const TABLE_BOUND: f64 = 1.05;

/// The measured compression of the values below a root, by the number of free sockets.
pub(super) struct Sample(Vec<Slice>);

/// The sums over the sampled blocks of one slice.
#[derive(Clone, Copy, Default)]
struct Slice {
    entries: f64,
    /// The number of values that a search of one move leaves open.
    open: f64,
    /// The size of the blocks in bytes with the codec `quick`.
    bytes: f64,
    /// The sizes in bytes of the temporary data of each chain, before and after compression.
    raw: [f64; 2],
    code: [f64; 2],
}

impl Slice {
    /// Adds a block. Its values are `None` if only the open values count.
    fn add(&mut self, coder: &BlockCodec, array: &ArrayInfo, block: u64, values: Option<&[Entry]>) {
        let guess = coder.guess(array, block).unwrap_or_default();
        self.entries += guess.len() as f64;
        self.open += guess.iter().map(super::loads::open_values).sum::<u64>() as f64;
        let payload = values.map(|values| coder.encode(array, block, values, None));
        self.bytes += payload.map_or(0.0, |payload| payload.map_or(0.0, |bytes| bytes.len() as f64));
    }

    fn open_each(&self) -> f64 {
        self.open / self.entries.max(1.0)
    }
}

impl Sample {
    /// Computes a sample for the root of a build.
    pub(super) fn of(build: &RootBuild) -> Result<Sample, Error> {
        let (Target { rules, .. }, position) = (build.target(), &build.position);
        let free = position.free().count_ones() as usize;
        let mut slices = vec![Slice::default(); free.min(FREE) + 1];
        for seed in 0..if free > FREE { POSITIONS } else { 1 } {
            add_position(rules, below(rules, position, seed), &mut slices)?;
        }
        Ok(Sample(slices))
    }

    /// Returns the nearest slice to `free` free sockets with the same side to move, at most `most`
    /// free sockets and enough entries.
    fn nearest(&self, free: usize, most: usize) -> (usize, &Slice) {
        let most = free.min(most).min(self.0.len() - 1);
        let same = (0..=most).rev().filter(|at| (free - at).is_multiple_of(2));
        let found = same.clone().find(|&at| self.0[at].entries >= LEAST_ENTRIES).or_else(|| same.min());
        let at = found.unwrap_or(0);
        (at, &self.0[at])
    }

    /// Returns an upper bound for the mean size in bytes of an entry in a table of the slice with
    /// `free` free sockets, whose entries have `open` open values each.
    pub(super) fn table(&self, free: usize, open: f64) -> f64 {
        let (at, slice) = self.nearest(free, usize::MAX);
        let typical = |free: usize| TYPICAL[free.min(TYPICAL.len() - 1)];
        TABLE_BOUND * open * slice.bytes / slice.open.max(1.0) * typical(free) / typical(at)
    }

    /// Returns upper bounds for the compression ratios of the temporary files of the slice with
    /// `free` free sockets, one ratio for each chain.
    pub(super) fn temporary(&self, free: usize, open: f64) -> [f64; 2] {
        let (_, slice) = self.nearest(free, TEMPORARY_FREE);
        let more = (CONSTANT + open) / (CONSTANT + slice.open_each());
        [0, 1].map(|chain| (TEMPORARY_BOUND * more * slice.code[chain] / slice.raw[chain].max(1.0)).min(1.0))
    }
}

/// Returns the mean number of open values of an entry in the slice that is `plies` plies below the
/// root of a build.
pub(super) fn open_values(build: &RootBuild, solution: &Downstream, plies: usize) -> f64 {
    let Some(grid) = solution.grid(plies, RUN) else { return 256.0 };
    let (target, array) = (build.target(), ArrayInfo { key: [0; 8], grid });
    let coder = BlockCodec::new(Codec::QUICK, &target, *build.slices().start() + plies as u8);
    let mut slice = Slice::default();
    for block in (0..grid.blocks()).step_by(grid.blocks().div_ceil(BLOCKS) as usize) {
        slice.add(&coder, &array, block, None);
    }
    slice.open_each()
}

/// Returns a random position below a root with at most [`FREE`] free sockets.
fn below(rules: Rules, root: &Position, seed: u64) -> (Board, Color) {
    let (mut board, mut color, mut random) = (root.board(), root.to_move(), Random::new(seed));
    let mut sockets: Vec<Socket> = rules.shape.sockets_of(root.free()).collect();
    while sockets.len() > FREE {
        board = board.with(color, sockets.swap_remove(random.below(sockets.len())));
        color = color.other();
    }
    (Group::with_quadrants(rules.dir).canonical(rules.shape, board).0, color)
}

/// Computes all boards below a position, and adds them to the slices.
fn add_position(rules: Rules, (board, color): (Board, Color), slices: &mut [Slice]) -> Result<(), Error> {
    let position = Position::new(rules.shape, board, color, false).expect("a position below the root");
    let solution = Downstream::new(rules, Kernel::best(), NonZeroUsize::MIN, &position);
    let (tables, mut workspace) = (solution.tables(), solution.workspace(0)?);
    // If the last placement ends the game, positions with a full board don't occur.
    let last = solution.empty() - usize::from(rules.last == Last::Stop);
    let sizes = vec![[[0; 2]; 2]; last + 1];
    let encoder = Encoder::new(Kernel::best()).map_err(|error| Error::new(ErrorKind::Environment, error))?;
    let store = Store(Mutex::new(Stored { encoder, units: HashMap::new(), sizes }));
    for task in solution.tasks(0) {
        solution.run(task, last, &tables, &mut workspace, &store, &Control::new())?;
    }
    let target = Target { rules, domain: Domain::Root(board) };
    for plies in 0..=last {
        let slice = &mut slices[solution.empty() - plies];
        let grid = solution.grid(plies, RUN).expect("a small slice");
        let values = Memory::new(&[grid]);
        solution.collect(plies, 0, RUN, &store, &values)?;
        let coder = BlockCodec::new(Codec::QUICK, &target, (board.marbles() as usize + plies) as u8);
        let array = ArrayInfo { key: [0; 8], grid };
        for block in (0..grid.blocks()).step_by(grid.blocks().div_ceil(BLOCKS) as usize) {
            slice.add(&coder, &array, block, values.block(BlockId { array: 0, block }).as_deref());
        }
        for (chain, [raw, code]) in lock(&store.0).sizes[plies].into_iter().enumerate() {
            slice.raw[chain] += raw as f64;
            slice.code[chain] += code as f64;
        }
    }
    Ok(())
}

/// Temporary data in memory, whose compressed sizes are measured.
struct Store(Mutex<Stored>);

struct Stored {
    encoder: Encoder,
    units: HashMap<(HalfSlice, u64), Vec<Pack>>,
    /// The sizes in bytes before and after compression, indexed by plies and chain.
    sizes: Vec<[[usize; 2]; 2]>,
}

impl SpillStore for Store {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError> {
        let mut stored = lock(&self.0);
        let mut code = Vec::new();
        for lines in lines.chunks(MAX_LINES) {
            stored.encoder.encode(lines, &mut code)?;
        }
        let [raw, coded] = &mut stored.sizes[usize::from(of.plies)][usize::from(of.chain)];
        *raw += size_of_val(lines);
        *coded += code.len() + UNIT_BYTES;
        stored.units.insert((of, unit), lines.to_vec());
        Ok(())
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), BoxError> {
        let stored = lock(&self.0);
        into.copy_from_slice(stored.units.get(&(of, unit)).ok_or("the unit is missing")?);
        Ok(())
    }

    fn finish(&self, _: HalfSlice) -> Result<(), BoxError> {
        Ok(())
    }
}
