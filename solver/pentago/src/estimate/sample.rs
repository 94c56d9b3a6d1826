//! Measures how well the values below a root compress, on a sample of the positions below the root.

use crate::error::Error;
use crate::make::{RUN, RootBuild};
use pentago_base::{Control, Random, into_inner, lock};
use pentago_core::index::Ternary;
use pentago_core::kernel::{Kernel, Pack};
use pentago_core::rules::{Board, Color, Last, Position, Rules, Socket};
use pentago_core::solve::rooted::downstream::{Downstream, GroupTask};
use pentago_core::solve::rooted::{HalfSlice, SpillStore};
use pentago_core::symmetry::Group;
use pentago_core::threads;
use pentago_core::values::{BlockId, BoxError, Entry, Sink};
use pentago_tables::codec::Codec;
use pentago_tables::tables::{ArrayInfo, BlockCodec, Domain, Target, decode_unit, encode_unit};
use std::collections::HashMap;
use std::sync::Mutex;

/// A root with at most this number of free sockets is its own sample. The sample of a larger root
/// consists of at most `POSITIONS` positions with this number of free sockets. All boards below
/// them are computed.
const FREE: usize = 15;
const POSITIONS: usize = 20;
/// The maximum number of boards of a sampled position whose values are held in memory. If a build
/// keeps more slices, the positions have fewer free sockets.
const MOST_HELD: u64 = 400_000;
/// The number of free sockets of the last slice whose compression is always measured.
const LAST: usize = 10;
/// The maximum number of groups of a sample of temporary data, and the maximum number of their top
/// sockets. A group has [`FREE`] free sockets. A build computes at least as many boards at a time.
const GROUPS: usize = 8;
const MOST_TOP: usize = 6;
/// The approximate number of blocks that are compressed in each slice below a sampled position.
const BLOCKS: u64 = 4;
/// The approximate number of blocks that are compressed in each slice below a root that is its own
/// sample.
const ALL_BLOCKS: u64 = 64;
/// The minimum mean number of entries, and the minimum mean size in bytes of temporary data, of a
/// slice whose compression is measured.
const LEAST_ENTRIES: f64 = 500.0;
const LEAST_BYTES: f64 = 20_000.0;
/// Slices with fewer bytes of temporary data compress worse than the sample. Their bound grows by
/// `SMALL_BOUND` for each factor of ten.
const FEW_BYTES: f64 = 5e6;
const SMALL_BOUND: f64 = 0.3;
/// A sample compresses one in `UNITS` units of temporary files, and each unit with fewer than
/// `SMALL_LINES` lines.
const UNITS: u64 = 16;
const SMALL_LINES: usize = 256;
/// The typical ratios of the bytes of an open value, by the number of free sockets. Slices with
/// more free sockets have the last ratio.
const TYPICAL: [f64; 11] = [0.1, 0.1, 0.46, 0.83, 1.2, 1.4, 1.6, 1.8, 2.15, 2.2, 2.4];
/// The size in bytes of the record of each unit in the index of a temporary file.
const UNIT_BYTES: usize = 24;
/// Upper bounds of the real sizes, as multiples of the means of the sample
/// (`bench/README.md#estimates`). `TABLE_ERRORS` standard errors are added to the size of a table.
const TABLE_BOUND: f64 = 1.03;
const TABLE_ERRORS: f64 = 2.0;
const TEMPORARY_BOUND: f64 = 1.09;
/// The factor by which the bound of a table grows for each additional free socket, if a slice has
/// more free sockets than the sampled slice.
const FAR_BOUND: f64 = 1.04;
/// The upper bound of the size of temporary data of a root that is its own sample.
const WHOLE_BOUND: f64 = 1.02;
/// The upper bound of the size of temporary data from a sample of groups, and its growth per top
/// socket. The sampled groups have no free top sockets, so their values compress better than those
/// of other groups.
const GROUPS_BOUND: f64 = 1.08;
const GROUPS_GROWTH: f64 = 0.07;

/// The measured compression of the values below a root.
pub(super) struct Sample {
    /// The slices below each sampled position, indexed by the number of free sockets.
    tables: Vec<Vec<Slice>>,
    /// The slices of the sample of temporary data, indexed in the same way. They may belong to
    /// other positions, or to groups of boards.
    temporary: Vec<Vec<Slice>>,
    /// The upper bound of the size of temporary data, as a multiple of the mean of the sample.
    bound: f64,
    /// `true` if the root is its own sample.
    is_whole: bool,
}

/// The sums over the sampled blocks and units of one slice.
#[derive(Clone, Copy, Default)]
struct Slice {
    entries: f64,
    /// The number of values that a search of one move leaves open.
    open: f64,
    /// The size of the blocks in bytes.
    bytes: f64,
    /// The size of the temporary data of each chain in bytes, after and before compression.
    temporary: [[f64; 2]; 2],
}

impl Sample {
    /// Computes a sample for the root of a build with `top` top sockets that keeps the slices 0 to
    /// `keep`.
    pub(super) fn of(build: &RootBuild, top: usize, keep: usize) -> Result<Sample, Error> {
        let root = &build.position;
        let mut sockets: Vec<Socket> = build.target().rules.shape.sockets_of(root.free()).collect();
        let all = sockets.len();
        let mut random = Random::new(1);
        let order: Vec<_> = (0..all).map(|_| sockets.swap_remove(random.below(sockets.len()))).collect();
        // Measures positions with `free` free sockets: the root with other sockets filled. Each
        // socket is filled equally often.
        let measured = |free: usize, tables: usize| -> Result<Vec<_>, Error> {
            let filled = |i| order.iter().cycle().skip(i).take(all - free).copied();
            let count = if free == all { 1 } else { all.min(POSITIONS) };
            (0..count).map(|i| measure(build, fill(root, filled(i)), 0, all, tables)).collect()
        };
        // The last slice with tables, of a position with `free` free sockets.
        let last = |free: usize| (keep + free).saturating_sub(all).max(free.saturating_sub(LAST)).min(free);
        let boards = |free: usize, plies: usize| Ternary::new(free, [plies.div_ceil(2), plies / 2]).len();
        let held = |free: usize| (0..=last(free)).map(|plies| boards(free, plies)).sum::<u64>();
        let (is_whole, most) = (all <= FREE, all.min(FREE));
        let free = (0..=most).rev().find(|&free| held(free) <= MOST_HELD).expect("a small position");
        let tables = measured(free, last(free) + 1)?;
        let (temporary, bound) = if top > 0 && !is_whole {
            groups(build, top, keep)?
        } else if is_whole && (top > 0 || free < most) {
            (vec![measure(build, (root.board(), root.to_move()), top, keep, 0)?], WHOLE_BOUND)
        } else {
            let slices = if free < most { measured(most, 0)? } else { tables.clone() };
            (slices, if is_whole { WHOLE_BOUND } else { TEMPORARY_BOUND })
        };
        Ok(Sample { tables, temporary, bound, is_whole })
    }

    /// Returns an upper bound for the mean size in bytes of an entry in a table of the slice with
    /// `free` free sockets, whose entries have `open` open values each.
    pub(super) fn table(&self, free: usize, open: f64) -> f64 {
        let least = if self.is_whole { 0.0 } else { LEAST_ENTRIES };
        let at = nearest(&self.tables, free, least, |slice| slice.entries);
        let (mean, error) = quotient(self.tables.iter().map(|slices| [slices[at].bytes, slices[at].open]));
        let typical = |free: usize| TYPICAL[free.min(TYPICAL.len() - 1)];
        let far = FAR_BOUND.powi((free - at) as i32) * typical(free) / typical(at);
        open * far * (TABLE_BOUND * mean + TABLE_ERRORS * error)
    }

    /// Returns upper bounds for the compression ratios of the temporary files of the slice with
    /// `free` free sockets, one ratio for each chain. `bytes` is the size of these files before
    /// compression.
    pub(super) fn temporary(&self, free: usize, bytes: u64) -> [f64; 2] {
        let factors = (FEW_BYTES / bytes.max(1) as f64).log10().max(0.0);
        let (least, small) = if self.is_whole { (0.0, 0.0) } else { (LEAST_BYTES, SMALL_BOUND * factors) };
        let at = nearest(&self.temporary, free, least, |slice| slice.temporary[0][1]);
        let bound = self.bound * (1.0 + small);
        [0, 1].map(|chain| bound * quotient(self.temporary.iter().map(|of| of[at].temporary[chain])).0)
    }
}

/// Returns the index of the largest slice, of at most `free` free sockets, whose mean `figure` is
/// at least `least`. Considers the slices with the same player to move as in the slice `free`. If
/// none is large enough, returns the last.
fn nearest(sample: &[Vec<Slice>], free: usize, least: f64, figure: impl Fn(&Slice) -> f64) -> usize {
    let mean = |at: usize| sample.iter().map(|slices| figure(&slices[at])).sum::<f64>() / sample.len() as f64;
    let same = (0..sample[0].len()).rev().filter(|&at| at <= free && (free - at).is_multiple_of(2));
    same.clone().find(|&at| mean(at) >= least).or_else(|| same.min()).unwrap_or(0)
}

/// Fills some free sockets of a root.
fn fill(root: &Position, sockets: impl Iterator<Item = Socket>) -> (Board, Color) {
    let start = (root.board(), root.to_move());
    sockets.fold(start, |(board, color), socket| (board.with(color, socket), color.other()))
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

/// Returns the mean number of open values of an entry in the slice that is `plies` plies below the
/// root of a build.
pub(super) fn open_values(build: &RootBuild, solution: &Downstream, plies: usize) -> f64 {
    let Some(grid) = solution.grid(plies, RUN) else { return 256.0 };
    let array = ArrayInfo { key: [0; 8], grid };
    let coder = BlockCodec::new(Codec::QUICK, &build.target(), *build.slices().start() + plies as u8);
    let blocks = (0..grid.blocks()).step_by(grid.blocks().div_ceil(ALL_BLOCKS) as usize);
    let counts: Vec<_> = blocks.map(|block| open_and_entries(&coder, &array, block)).collect();
    quotient(counts.into_iter()).0
}

/// Returns the number of open values in a block, and the number of entries in the block.
fn open_and_entries(coder: &BlockCodec, array: &ArrayInfo, block: u64) -> [f64; 2] {
    let guess = coder.guess(array, block).unwrap_or_default();
    [guess.iter().map(super::loads::open_values).sum::<u64>() as f64, guess.len() as f64]
}

/// Prepares the solution of all boards below a position. Returns the solution and the last slice
/// that has values: if the last placement ends the game, positions with a full board don't occur.
fn solution(rules: Rules, (board, color): (Board, Color)) -> (Downstream, usize) {
    let position = Position::new(rules.shape, board, color, false).expect("a position below the root");
    let solution = Downstream::new(rules, Kernel::best(), threads::count(), &position);
    let last = solution.empty() - usize::from(rules.last == Last::Stop);
    (solution, last)
}

/// Computes some groups of boards below a root, and measures a part of their temporary data.
/// Returns the slices, indexed by the number of free sockets, and their upper bound. The top
/// sockets of these groups are full, so the groups read no other group. Only data counts that a
/// build with `of_build` top sockets stores, if the build keeps the slices 0 to `keep`.
fn groups(build: &RootBuild, of_build: usize, keep: usize) -> Result<(Vec<Vec<Slice>>, f64), Error> {
    let (rules, root) = (build.target().rules, &build.position);
    // A root with more free sockets has too many groups, so some sockets are filled.
    let filled = rules.shape.sockets_of(root.free()).skip(FREE + MOST_TOP);
    let (solution, last) = solution(rules, fill(root, filled));
    let keep = keep.saturating_sub(rules.shape.sockets_of(root.free()).count() - solution.empty());
    let top = solution.empty() - FREE;
    let asking = ((1 << of_build.min(top)) - 1) << top.saturating_sub(of_build);
    let store = Store::new(&solution, 0, asking, keep, UNITS);
    let (tables, mut workspace) = (solution.tables(), solution.workspace(top)?);
    let on_top = |task: &GroupTask| task.group.state[0] | task.group.state[1];
    let tasks: Vec<GroupTask> =
        solution.tasks(top).into_iter().filter(|task| on_top(task).count_ones() as usize == top).collect();
    // The tasks of both chains and parities have the same groups. The factor is odd, so no group
    // comes twice.
    let len = tasks.len() / 4;
    for i in 0..GROUPS.min(len) {
        for task in tasks.iter().skip(i * 37 % len).step_by(len).skip(2 * (i % 2)).take(2) {
            solution.run(*task, last, &tables, &mut workspace, &store, &Control::new())?;
        }
    }
    Ok((vec![store.slices()], GROUPS_BOUND.max(1.0 + GROUPS_GROWTH * top as f64)))
}

/// Computes all boards below a position, in groups of boards with `top` top sockets. Compresses a
/// part of the temporary data of a build that keeps the slices 0 to `keep`, and a part of the
/// blocks of the first `tables` slices. Returns the slices, indexed by the number of free sockets.
fn measure(
    build: &RootBuild,
    (board, color): (Board, Color),
    top: usize,
    keep: usize,
    tables: usize,
) -> Result<Vec<Slice>, Error> {
    let rules = build.target().rules;
    let board = Group::with_quadrants(rules.dir).canonical(rules.shape, board).0;
    let (solution, last) = solution(rules, (board, color));
    let is_root = board.marbles() == build.position.board().marbles();
    let (blocks, units) = if is_root { (ALL_BLOCKS, 1) } else { (BLOCKS, UNITS) };
    // Groups read the data of other groups, so the store holds all slices of groups.
    let store = Store::new(&solution, if top > 0 { usize::MAX } else { tables }, 0, keep, units);
    let (wins, mut workspace) = (solution.tables(), solution.workspace(top)?);
    let tasks = solution.tasks(top);
    for (i, &task) in tasks.iter().enumerate() {
        solution.run(task, keep.min(last), &wins, &mut workspace, &store, &Control::new())?;
        let dead = solution.dead(&tasks, i, tables.saturating_sub(1));
        lock(&store.codes).retain(|of, _| !dead.contains(of));
    }
    drop(workspace);
    let target = Target { rules, domain: Domain::Root(board) };
    for plies in 0..tables.min(last + 1) {
        let array = ArrayInfo { key: [0; 8], grid: solution.grid(plies, RUN).expect("a small slice") };
        let marbles = (board.marbles() as usize + plies) as u8;
        let coders = [build.codec, Codec::QUICK].map(|codec| BlockCodec::new(codec, &target, marbles));
        let step = array.grid.blocks().div_ceil(blocks);
        solution.collect(plies, top, RUN, &store, &Blocks { coders, array, step, plies, store: &store })?;
    }
    Ok(store.slices())
}

/// A sink that compresses one of `step` blocks of a slice.
struct Blocks<'s> {
    /// The coder for the codec of the build, and the coder for `quick`, which guesses the values.
    coders: [BlockCodec; 2],
    array: ArrayInfo,
    step: u64,
    plies: usize,
    store: &'s Store,
}

impl Sink for Blocks<'_> {
    fn put(&self, BlockId { block, .. }: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        if block.is_multiple_of(self.step) {
            let bytes = self.coders[0].encode(&self.array, block, entries, None)?.len() as f64;
            let [open, entries] = open_and_entries(&self.coders[1], &self.array, block);
            let slice = &mut lock(&self.store.slices)[self.plies];
            slice.entries += entries;
            slice.open += open;
            slice.bytes += bytes;
        }
        Ok(())
    }
}

/// A store in memory. It measures the size of temporary data before and after compression, and
/// holds the data of the first slices.
struct Store {
    /// The number of slices that are held.
    held: usize,
    /// The top sockets of the build. Other groups read a slice of a group only if the player who
    /// made the last move has a marble there. If not 0, only data counts that is read or kept.
    asking: u32,
    /// The last slice that the build keeps.
    keep: usize,
    /// The store compresses one in `units` units, and each unit with few lines.
    units: u64,
    /// The code of each unit that is held.
    codes: Mutex<HashMap<HalfSlice, HashMap<u64, Vec<u8>>>>,
    /// The slices, indexed by plies.
    slices: Mutex<Vec<Slice>>,
}

impl Store {
    fn new(of: &Downstream, held: usize, asking: u32, keep: usize, units: u64) -> Store {
        let slices = Mutex::new(vec![Slice::default(); of.empty() + 1]);
        Store { held, asking, keep, units, codes: Mutex::default(), slices }
    }

    /// Returns the slices, indexed by the number of free sockets.
    fn slices(self) -> Vec<Slice> {
        let mut slices = into_inner(self.slices);
        slices.reverse();
        slices
    }
}

impl SpillStore for Store {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), BoxError> {
        let plies = usize::from(of.plies);
        let (is_held, is_small) = (plies < self.held, lines.len() < SMALL_LINES);
        let is_asked = plies > 0 && of.group.state[(plies - 1) % 2] & self.asking != 0;
        let counts = is_asked || plies <= self.keep || self.asking == 0;
        if !counts || !is_held && !is_small && unit % self.units != u64::from(of.plies) % self.units {
            return Ok(());
        }
        let code = encode_unit(lines, |code| Ok(code.to_vec()))?;
        let weight = if is_held || is_small { 1.0 } else { self.units as f64 };
        let [coded, raw] = &mut lock(&self.slices)[plies].temporary[usize::from(of.chain)];
        *coded += weight * (UNIT_BYTES + code.len()) as f64;
        *raw += weight * size_of_val(lines) as f64;
        if is_held {
            lock(&self.codes).entry(of).or_default().insert(unit, code);
        }
        Ok(())
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), BoxError> {
        let codes = lock(&self.codes);
        decode_unit(codes.get(&of).and_then(|units| units.get(&unit)).ok_or("the unit is missing")?, into)
    }
}
