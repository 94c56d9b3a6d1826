//! Measures how well the values below a root compress, on a sample of the positions below the root.

use crate::error::{Error, ErrorKind};
use crate::make::{RUN, RootBuild};
use pentago_base::{Control, Random, into_inner, lock};
use pentago_core::index::rooted::BoardGroup;
use pentago_core::kernel::{Kernel, Pack};
use pentago_core::rules::{Board, Color, Last, Position, Rules, Socket};
use pentago_core::solve::rooted::downstream::{Downstream, DownstreamEstimate};
use pentago_core::solve::rooted::{HalfSlice, SpillStore};
use pentago_core::symmetry::Group;
use pentago_core::values::{BlockId, BoxError, Entry, Memory};
use pentago_tables::codec::Codec;
use pentago_tables::codec::repeats::{Encoder, MAX_LINES};
use pentago_tables::tables::{ArrayInfo, BlockCodec, Domain, Target};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Mutex;

/// The number of positions of a sample of tables, and the number of their free sockets. All boards
/// below these positions are computed, which takes half a second and 30 MB. A root with at most
/// [`FREE`] free sockets is its own sample.
const POSITIONS: u64 = 12;
const FREE: usize = 12;
/// The number of blocks that a sample takes from a slice.
const BLOCKS: u64 = 16;
/// The minimum number of entries of a slice whose compression is measured.
const LEAST_ENTRIES: f64 = 1000.0;
/// The maximum number of groups of a sample of temporary files. All boards of the groups are
/// computed, which takes a quarter of a second. A build computes at least as many boards at a time
/// as a group has.
const GROUPS: usize = 6;
/// The number of free sockets of a group, and the maximum number of its top sockets.
const SPAN: usize = 15;
const MOST_TOP: usize = 6;
/// One of this number of units of temporary files is compressed, and each unit with few lines.
const UNITS: u64 = 4;
const SMALL_LINES: usize = 256;
/// The minimum size in bytes of the units of a slice whose compression is measured.
const LEAST_BYTES: usize = 50_000;
/// The typical ratios of the bytes of an open value, by the number of free sockets. Slices with
/// more free sockets have the last ratio.
const TYPICAL: [f64; 11] = [0.1, 0.1, 0.46, 0.83, 1.2, 1.4, 1.6, 1.8, 2.15, 2.2, 2.4];
/// The size in bytes of a unit's record in a temporary file, and of the length of each list.
const UNIT_BYTES: usize = 24;
const LIST_BYTES: usize = 8;
/// One of this number of blocks is also compressed with the codec of the build.
const RECODED: u64 = 4;
/// Upper bounds of the real sizes of temporary files, as multiples of the sample
/// (`bench/README.md#estimates`). The sampled groups have no free top sockets, so their values
/// compress better than those of other groups.
const TEMPORARY_BOUND: f64 = 1.08;
const TEMPORARY_BOUND_PER_TOP: f64 = 0.04;
/// Slices with fewer bytes of temporary files compress worse than the sample. Their bound grows by
/// this part for each factor of ten.
const FEW_BYTES: f64 = 5e6;
const SMALL_BOUND: f64 = 0.4;
/// The upper bound of the size of a table. The mean size of the sample is multiplied by
/// `TABLE_BOUND`, and `TABLE_ERRORS` standard errors are added. For a codec other than `quick`, the
/// bound is multiplied by the quotient of the codecs' sizes plus `RECODED_ERRORS` standard errors.
const TABLE_BOUND: f64 = 1.05;
const TABLE_ERRORS: f64 = 2.5;
const RECODED_ERRORS: f64 = 1.0;

/// The sizes in bytes of the temporary data of each chain, before and after compression.
type ChainSizes = [[usize; 2]; 2];

/// The measured compression of the values below a root, by the number of free sockets.
pub(super) struct Sample {
    /// The slices below each sampled position.
    tables: Vec<Vec<Slice>>,
    temporary: Vec<ChainSizes>,
    /// The number of top sockets of the sampled groups.
    top: usize,
}

/// The sums over the sampled blocks of one slice.
#[derive(Clone, Copy, Default)]
struct Slice {
    entries: f64,
    /// The number of values that a search of one move leaves open.
    open: f64,
    /// The size of the blocks in bytes with the codec `quick`.
    bytes: f64,
    /// The size of some of the blocks in bytes, with the codec of the build and with `quick`. 0 if
    /// the build has the codec `quick`.
    recoded: [f64; 2],
}

impl Slice {
    /// Adds a block. Its values are `None` if only the open values count.
    fn add(&mut self, coder: &BlockCodec, array: &ArrayInfo, block: u64, values: Option<&[Entry]>) {
        let guess = coder.guess(array, block).unwrap_or_default();
        self.entries += guess.len() as f64;
        self.open += guess.iter().map(super::loads::open_values).sum::<u64>() as f64;
        self.bytes += values.map_or(0.0, |values| size(coder, array, block, values));
    }

    fn open_each(&self) -> f64 {
        self.open / self.entries.max(1.0)
    }
}

impl Sample {
    /// Computes a sample for the root of a build that keeps the slices 0 to `keep`.
    pub(super) fn of(build: &RootBuild, needs: &DownstreamEstimate, keep: usize) -> Result<Sample, Error> {
        let (Target { rules, .. }, root) = (build.target(), &build.position);
        let sockets: Vec<Socket> = rules.shape.sockets_of(root.free()).collect();
        let free = sockets.len();
        let positions = (0..if free > FREE { POSITIONS } else { 1 }).map(|seed| {
            let (mut random, mut filled) = (Random::new(seed), sockets.clone());
            while filled.len() > free.saturating_sub(FREE) {
                filled.swap_remove(random.below(filled.len()));
            }
            tables_below(rules, build.codec, below(root, filled, &mut random))
        });
        let tables = positions.collect::<Result<_, _>>()?;
        let (temporary, top) = temporary(rules, root, needs.top, keep)?;
        Ok(Sample { tables, temporary, top })
    }

    /// Returns an upper bound for the mean size in bytes of an entry in a table of the slice with
    /// `free` free sockets, whose entries have `open` open values each.
    pub(super) fn table(&self, free: usize, open: f64) -> f64 {
        let slices = |at: usize| self.tables.iter().map(move |slices| &slices[at]);
        let least = if self.tables.len() > 1 { LEAST_ENTRIES } else { 0.0 };
        let enough = |at: usize| slices(at).map(|slice| slice.entries).sum::<f64>() >= least;
        let at = nearest(free, self.tables[0].len(), enough);
        let (mean, error) = quotient(slices(at).map(|slice| [slice.bytes, slice.open]));
        let typical = |free: usize| TYPICAL[free.min(TYPICAL.len() - 1)];
        let bytes = open * (TABLE_BOUND * mean + TABLE_ERRORS * error) * typical(free) / typical(at);
        // Slices with so many free sockets are small, so their bound may be a bit per open value.
        let bytes = if free > FREE { bytes.max(open / 8.0) } else { bytes };
        let (mean, error) = quotient(slices(at).map(|slice| slice.recoded));
        if mean > 0.0 { bytes * (mean + RECODED_ERRORS * error) } else { bytes }
    }

    /// Returns upper bounds for the compression ratios of the temporary files of the slice with
    /// `free` free sockets, one ratio for each chain. `bytes` is the size of these files before
    /// compression.
    pub(super) fn temporary(&self, free: usize, bytes: u64) -> [f64; 2] {
        // In the groups of a larger root, the slices with the most free sockets are so small that
        // they compress badly.
        let least = if self.top == 0 { 1 } else { LEAST_BYTES };
        let at = nearest(free, self.temporary.len(), |at| self.temporary[at][0][0] >= least);
        let small = if self.top == 0 { 0.0 } else { (FEW_BYTES / bytes.max(1) as f64).log10().max(0.0) };
        let bound =
            (TEMPORARY_BOUND + TEMPORARY_BOUND_PER_TOP * self.top as f64) * (1.0 + SMALL_BOUND * small);
        let ratio = |[raw, code]: [usize; 2]| bound * code as f64 / raw.max(1) as f64;
        self.temporary[at].map(ratio)
    }
}

/// Returns the sum of the first numbers of all pairs divided by the sum of the second numbers, and
/// the standard error of this quotient.
pub(super) fn quotient(pairs: impl Iterator<Item = [f64; 2]> + Clone) -> (f64, f64) {
    let sum = |i: usize| pairs.clone().map(|pair| pair[i]).sum::<f64>();
    let (count, by) = (pairs.clone().count() as f64, sum(1).max(1.0));
    let mean = sum(0) / by;
    let squares: f64 = pairs.clone().map(|[a, b]| (a - mean * b).powi(2)).sum();
    (mean, (squares * count / (count - 1.0).max(1.0)).sqrt() / by)
}

/// Returns the largest index of at most `free` whose slice is large enough. Considers the slices
/// with the same player to move as in the slice `free`. If none is large enough, returns the last.
fn nearest(free: usize, len: usize, is_enough: impl Fn(usize) -> bool) -> usize {
    let same = (0..=free.min(len - 1)).rev().filter(|at| (free - at).is_multiple_of(2));
    same.clone().find(|&at| is_enough(at)).or_else(|| same.min()).unwrap_or(0)
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

/// Fills some free sockets of a root in random order.
fn below(root: &Position, mut filled: Vec<Socket>, random: &mut Random) -> (Board, Color) {
    let (mut board, mut color) = (root.board(), root.to_move());
    while !filled.is_empty() {
        board = board.with(color, filled.swap_remove(random.below(filled.len())));
        color = color.other();
    }
    (board, color)
}

/// Prepares the solution of all boards below a position. Returns the solution and the last slice
/// that has values: if the last placement ends the game, positions with a full board don't occur.
fn solution(rules: Rules, board: Board, color: Color) -> (Downstream, usize) {
    let position = Position::new(rules.shape, board, color, false).expect("a position below the root");
    let solution = Downstream::new(rules, Kernel::best(), NonZeroUsize::MIN, &position);
    let last = solution.empty() - usize::from(rules.last == Last::Stop);
    (solution, last)
}

/// Computes some groups of boards below a root, and returns the sizes of a part of their temporary
/// data and the number of top sockets. The top sockets of these groups are full, so the groups read
/// no other group. Only data counts that a build with `of_build` top sockets stores, if the build
/// keeps the slices 0 to `keep`. Without top sockets, a build stores only kept slices, which may be
/// too small for a sample, so all data counts.
fn temporary(
    rules: Rules,
    root: &Position,
    of_build: usize,
    keep: usize,
) -> Result<(Vec<ChainSizes>, usize), Error> {
    let mut random = Random::new(1);
    // A root with more free sockets has too many groups.
    let filled: Vec<Socket> = rules.shape.sockets_of(root.free()).skip(SPAN + MOST_TOP).collect();
    let keep = keep.saturating_sub(filled.len());
    let (board, color) = below(root, filled, &mut random);
    let (solution, last) = solution(rules, board, color);
    let top = solution.empty().saturating_sub(SPAN);
    let encoder = Encoder::new(Kernel::best()).map_err(|error| Error::new(ErrorKind::Environment, error))?;
    let sizes = Mutex::new((encoder, vec![Default::default(); solution.empty() + 1]));
    let found = Sizes { sizes, keep, asking: ((1 << of_build.min(top)) - 1) << top.saturating_sub(of_build) };
    let (tables, mut workspace) = (solution.tables(), solution.workspace(top)?);
    let is_full = |group: &BoardGroup| (group.state[0] | group.state[1]).count_ones() as usize == top;
    let (tasks, mut run) = (solution.tasks(top), Vec::new());
    let mut groups: Vec<_> =
        tasks.iter().filter(|task| is_full(&task.group)).map(|task| task.group).collect();
    groups.truncate(groups.len() / 4);
    for i in 0..GROUPS.min(groups.len()) {
        let group = groups.swap_remove(random.below(groups.len()));
        let of_group = tasks.iter().filter(|task| task.group == group);
        run.extend(of_group.filter(|task| top == 0 || usize::from(task.parity) == i % 2));
    }
    for &task in run {
        solution.run(task, last, &tables, &mut workspace, &found, &Control::new())?;
    }
    let mut sizes = into_inner(found.sizes).1;
    sizes.reverse();
    Ok((sizes, top))
}

/// Returns the size in bytes of a compressed block, or 0 if the block cannot be compressed.
fn size(coder: &BlockCodec, array: &ArrayInfo, block: u64, values: &[Entry]) -> f64 {
    coder.encode(array, block, values, None).map_or(0.0, |bytes| bytes.len() as f64)
}

/// Computes all boards below a position, and compresses a part of their blocks. Returns the slices,
/// indexed by the number of free sockets.
fn tables_below(rules: Rules, codec: Codec, (board, color): (Board, Color)) -> Result<Vec<Slice>, Error> {
    let board = Group::with_quadrants(rules.dir).canonical(rules.shape, board).0;
    let (solution, last) = solution(rules, board, color);
    let mut slices = vec![Slice::default(); solution.empty() + 1];
    let (tables, mut workspace, store) = (solution.tables(), solution.workspace(0)?, Units::default());
    for task in solution.tasks(0) {
        solution.run(task, last, &tables, &mut workspace, &store, &Control::new())?;
    }
    drop(workspace);
    let target = Target { rules, domain: Domain::Root(board) };
    for plies in 0..=last {
        let grid = solution.grid(plies, RUN).expect("a small slice");
        let values = Memory::new(&[grid]);
        solution.collect(plies, 0, RUN, &store, &values)?;
        let marbles = (board.marbles() as usize + plies) as u8;
        let coders = [codec, Codec::QUICK].map(|codec| BlockCodec::new(codec, &target, marbles));
        let array = ArrayInfo { key: [0; 8], grid };
        let slice = &mut slices[solution.empty() - plies];
        let step = grid.blocks().div_ceil(BLOCKS);
        for block in (0..grid.blocks()).step_by(step as usize) {
            let values = values.block(BlockId { array: 0, block });
            slice.add(&coders[1], &array, block, values);
            if let Some(values) =
                values.filter(|_| codec != Codec::QUICK && (block / step).is_multiple_of(RECODED))
            {
                slice.recoded = [0, 1].map(|i| slice.recoded[i] + size(&coders[i], &array, block, values));
            }
        }
    }
    Ok(slices)
}

/// Measures the sizes of temporary data.
struct Sizes {
    /// The encoder of the data, and the sizes of the data indexed by plies.
    sizes: Mutex<(Encoder, Vec<ChainSizes>)>,
    keep: usize,
    /// The top sockets of the build. Other groups read a slice of a group only if the player who
    /// made the last move has a marble there.
    asking: u32,
}

impl SpillStore for Sizes {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError> {
        let plies = usize::from(of.plies);
        let is_asked = plies > 0 && of.group.state[(plies - 1) % 2] & self.asking != 0;
        let is_small = lines.len() < SMALL_LINES;
        if (is_asked || plies <= self.keep || self.asking == 0)
            && (is_small || unit % UNITS == u64::from(of.plies) % UNITS)
        {
            let (encoder, sizes) = &mut *lock(&self.sizes);
            let mut code = Vec::new();
            for lines in lines.chunks(MAX_LINES) {
                encoder.encode(lines, &mut code)?;
            }
            let [raw, coded] = &mut sizes[plies][usize::from(of.chain)];
            let weight = if is_small { 1 } else { UNITS as usize };
            *raw += weight * size_of_val(lines);
            *coded += weight * (code.len() + UNIT_BYTES + LIST_BYTES * lines.len().div_ceil(MAX_LINES));
        }
        Ok(())
    }
}

/// Temporary data in memory.
#[derive(Default)]
struct Units(Mutex<HashMap<(HalfSlice, u64), Vec<Pack>>>);

impl SpillStore for Units {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError> {
        lock(&self.0).insert((of, unit), lines.to_vec());
        Ok(())
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), BoxError> {
        into.copy_from_slice(lock(&self.0).get(&(of, unit)).ok_or("the unit is missing")?);
        Ok(())
    }
}
