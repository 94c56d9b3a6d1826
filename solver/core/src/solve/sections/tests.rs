//! Tests that the order of work, the memory, interruptions and threads don't change any value. Also
//! computes the values down to the empty board from arbitrary values of the boards with 4 marbles.

use super::array::SectionArray;
use super::solver::{Next, SectionSolver, SectionsError};
use crate::index::sections::section::{EDGE, Section};
use crate::kernel::Kernel;
use crate::rules::{Board, Color, Dir, Rules, Turn};
use crate::supers::half::half_rotation;
use crate::supers::{Half, Super};
use crate::symmetry::Group;
use crate::values::{Block, BlockId, BoxError, Entry, Grid, Memory, NullSink, Sink, Source, Wdl, WdlCounts};
use pentago_base::{Control, GOLDEN, lock, mix};
use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

const FIRST: BlockId = BlockId { array: 0, block: 0 };

/// A source of pseudo-random values.
struct Noise;

impl Source for Noise {
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        let mut seed = mix(u64::from(id.array) << 32 | id.block);
        let mut word = || {
            seed = seed.wrapping_add(GOLDEN);
            mix(seed)
        };
        for entry in into {
            let mut half = || Half([word() | word(), word() | word()]);
            let kept = Super([half(), half()]);
            let win = Super(kept.0.map(|half| Half(half.0.map(|kept| kept & word()))));
            *entry = Entry { win, not_lose: kept };
        }
        Ok(())
    }
}

/// A source of pseudo-random values that shares every second block.
struct HalfShared(Vec<Grid>);

impl Source for HalfShared {
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        Noise.get(id, into)
    }

    fn shared(&self, id: BlockId) -> Result<Option<Arc<Block>>, BoxError> {
        if id.block % 2 == 1 {
            return Ok(None);
        }
        let mut block = Block::default();
        self.get(id, block.reset(self.0[id.array as usize].len(id.block)))?;
        Ok(Some(Arc::new(block)))
    }
}

/// A sink that cancels the computation after storing `left` blocks.
struct Stopping<'a> {
    to: &'a Memory,
    left: AtomicU64,
    control: &'a Control,
}

impl Sink for Stopping<'_> {
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        if self.left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) == 1 {
            self.control.cancel();
        }
        self.to.put(id, entries)
    }
}

fn solver(rules: &str, threads: usize, memory: u64) -> SectionSolver {
    let threads = NonZeroUsize::new(threads).expect("at least one");
    SectionSolver::new(rules.parse().expect("these are rules"), Kernel::best(), threads, memory)
}

fn arrays(solver: &SectionSolver, sections: &[Section]) -> Memory {
    Memory::new(&sections.iter().map(|&s| solver.grid(s)).collect::<Vec<_>>())
}

/// Returns two lists: some sections of 30 marbles, whose arrays have many shapes, and the sections
/// on which their values depend.
fn sections(solver: &SectionSolver) -> (Vec<Section>, Vec<Section>) {
    let all = solver.sections.standard(30).into_iter();
    let fitting = all.filter(|&s| (50_000..200_000).contains(&solver.grid(s).entries()));
    let sections: Vec<Section> = fitting.step_by(101).collect();
    let children = solver.sections.closure(&sections).swap_remove(1);
    (sections, children)
}

/// Memory, threads and shared blocks don't change any value or count. With ample memory, each block
/// is read once for each array and each quadrant that needs the block. Without memory, only the
/// pieces of the rows in progress take memory.
#[test]
fn memory_and_threads_change_nothing() {
    let generous = solver("pentago", 1, 1 << 32);
    let (sections, children) = sections(&generous);
    assert!(sections.len() >= 4, "{sections:?}");
    let next = Next { sections: &children, source: &Noise };
    let expected = arrays(&generous, &sections);
    let best = generous
        .solve(&sections, next, &expected, FIRST..BlockId::END, &Control::new())
        .expect("it is solved");
    let sides = sections.iter().flat_map(|s| (0..4).filter_map(|q| s.child(generous.rules.shape, q)));
    let once: u64 = sides.map(|child| generous.grid(child).blocks()).sum();
    assert_eq!(best.blocks_read, once);
    let blocks = |s: &Section| generous.grid(*s).blocks();
    let shared = HalfShared(children.iter().map(|&s| generous.grid(s)).collect());
    let sources: [&dyn Source; 2] = [&Noise, &shared];
    for (i, (threads, memory)) in
        [(1, 0), (1, best.peak_bytes / 2), (2, 0), (2, 1 << 32)].into_iter().enumerate()
    {
        let next = Next { source: sources[i % 2], ..next };
        let solver = solver("pentago", threads, memory);
        let values = arrays(&solver, &sections);
        let report = solver
            .solve(&sections, next, &values, FIRST..BlockId::END, &Control::new())
            .expect("it is solved");
        assert_eq!(report.counts, best.counts);
        assert_eq!(report.entries, best.entries);
        let sink = NullSink { counts_alone: true };
        let counted =
            solver.solve(&sections, next, &sink, FIRST..BlockId::END, &Control::new()).expect("it is solved");
        assert_eq!((counted.counts, counted.entries), (report.counts, report.entries));
        let least: u64 = sections.iter().map(|&s| solver.least_memory(s)).max().unwrap_or(0) * threads as u64;
        assert!(report.peak_bytes <= memory.max(least), "{} of {memory}, {least}", report.peak_bytes);
        assert!(report.blocks_read >= once);
        if memory == best.peak_bytes / 2 {
            println!("{} blocks read with half of the memory, {once} with all", report.blocks_read);
        }
        for (array, section) in sections.iter().enumerate() {
            for block in 0..blocks(section) {
                let id = BlockId { array: array as u32, block };
                assert_eq!(values.block(id), expected.block(id));
            }
        }
    }
}

/// If memory is so short that rows are computed in tiles, the values stay the same. This also holds
/// if only a part of the blocks is computed.
#[test]
fn tiles_change_nothing() {
    tiles([10, 13]);
}

#[test]
#[ignore = "long: finds what goes wrong where tiles are larger"]
fn long_tiles_change_nothing() {
    tiles([11, 16]);
}

/// Computes a section with little memory. Each number in `parts` is the memory in tenths of the
/// section's least memory for each thread.
fn tiles(parts: [u64; 2]) {
    let generous = solver("pentago", 1, 1 << 32);
    let all = generous.sections.standard(31);
    let section = *all
        .iter()
        .filter(|&&section| generous.grid(section).counts().iter().all(|&count| count >= 4))
        .min_by_key(|&&section| generous.grid(section).entries())
        .expect("there is one");
    let (sections, grid) = ([section], generous.grid(section));
    let children = generous.sections.closure(&sections).swap_remove(1);
    let next = Next { sections: &children, source: &Noise };
    let expected = arrays(&generous, &sections);
    let best = generous
        .solve(&sections, next, &expected, FIRST..BlockId::END, &Control::new())
        .expect("it is solved");
    let across = u64::from(grid.counts()[3]);
    let rows = grid.blocks() / across;
    let mut tiles = 0;
    for tenths in parts {
        for (threads, range) in [(1, 0..grid.blocks()), (2, across + 1..grid.blocks() - across - 1)] {
            let memory = tenths * generous.least_memory(section) * threads as u64 / 10;
            let solver = solver("pentago", threads, memory);
            let plan = solver.plan(section, &(range.start / across..range.end.div_ceil(across)));
            tiles += u32::from(!plan.order.is_plain());
            let values = arrays(&solver, &sections);
            let [first, end] = [range.start, range.end].map(|block| BlockId { array: 0, block });
            let report =
                solver.solve(&sections, next, &values, first..end, &Control::new()).expect("it is solved");
            for block in 0..grid.blocks() {
                let id = BlockId { array: 0, block };
                let wanted = if range.contains(&block) { expected.block(id) } else { None };
                assert!(values.block(id) == wanted, "{block} of {range:?}, {plan:?}");
            }
            assert!(report.peak_bytes <= memory && plan.bytes() <= memory as f64);
            println!(
                "{section}, {rows} rows, {tenths} tenths: {plan:?}, {} of {}",
                report.blocks_read, best.blocks_read
            );
        }
    }
    assert!(tiles > 1, "{tiles}");
}

/// A sink that delays the blocks of the last row of array 0 until all other rows of both arrays are
/// stored. Also records the announced arrays.
struct Held<'a> {
    last: u64,
    to: &'a Memory,
    /// The number of blocks that must still be stored before the delayed blocks.
    left: AtomicU64,
    arrays: Mutex<Vec<RangeInclusive<u32>>>,
}

impl Sink for Held<'_> {
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        if id.array == 0 && id.block >= self.last {
            while self.left.load(relaxed) > 0 {
                std::thread::yield_now();
            }
        } else {
            self.left.fetch_sub(1, relaxed);
        }
        self.to.put(id, entries)
    }

    fn computing(&self, arrays: RangeInclusive<u32>) {
        self.arrays.lock().expect("no panic").push(arrays);
    }
}

/// While a row of a section with little memory for pieces is in progress, this memory limit also
/// applies to the rows of the next section. The sink is told which sections are in progress.
#[test]
fn sections_share_the_memory_where_they_meet() {
    let solver = solver("pentago", 2, 1 << 32);
    let (sections, _) = sections(&solver);
    let rows = |s: Section| solver.grid(s).blocks() / u64::from(solver.grid(s).counts()[3]);
    let pieces = |s: Section| solver.plan(s, &(0..rows(s))).pieces as u64;
    let small = *sections.iter().min_by_key(|&&s| pieces(s)).expect("some");
    // Find a section whose plan uses far more memory than its rows require.
    let fitting = solver.sections.standard(30).into_iter().step_by(7);
    let fitting = fitting.filter(|&s| (200_000..500_000).contains(&solver.grid(s).entries()));
    let large = fitting.max_by_key(|&s| pieces(s).saturating_sub(2 * solver.least_memory(s))).expect("some");
    let both = [small, large];
    // The peak may exceed the limit of the first section only if one row of each section requires
    // more.
    let most = pieces(small).max(both.map(|s| solver.least_memory(s)).iter().sum());
    assert!(pieces(large) > most, "{small} {large}");
    let children = solver.sections.closure(&both).swap_remove(1);
    let next = Next { sections: &children, source: &Noise };
    let [expected, values] = [(); 2].map(|()| arrays(&solver, &both));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    pool.install(|| solver.solve(&both, next, &expected, FIRST..BlockId::END, &Control::new()))
        .expect("it is solved");
    let alone = pool.install(|| {
        solver.solve(&[large], next, &NullSink { counts_alone: false }, FIRST..BlockId::END, &Control::new())
    });
    let across = u64::from(solver.grid(small).counts()[3]);
    let [few, many] = both.map(|s| solver.grid(s).blocks());
    let held = Held {
        last: few - across,
        to: &values,
        left: AtomicU64::new(few - across + many),
        arrays: Mutex::default(),
    };
    let report = pool.install(|| solver.solve(&both, next, &held, FIRST..BlockId::END, &Control::new()));
    let [alone, peak] = [alone, report].map(|report| report.expect("it is solved").peak_bytes);
    assert!(peak <= most && alone > most, "{peak} {alone} {most}");
    assert_eq!(held.arrays.into_inner().expect("no panic"), [0..=0, 0..=1]);
    for (array, blocks) in (0..).zip([few, many]) {
        let ids = (0..blocks).map(|block| BlockId { array, block });
        assert!({ ids }.all(|id| values.block(id) == expected.block(id)));
    }
}

/// A source that delays the first thread that reads a shared piece. The delay ends once another
/// thread has read the pieces of two rows, or after a time-out.
#[derive(Default)]
struct Keeping {
    /// The index of the array with the children whose new marble is on quadrant 2, which the first
    /// rows share. Then the index of the array with the children whose new marble is on quadrant 3.
    /// Each row needs at most `each` blocks of the second array, which no other row needs.
    arrays: [u32; 2],
    each: u64,
    kept: AtomicBool,
    /// For each thread, the number of blocks that it has read of the children whose new marble is
    /// on quadrant 3.
    read: Mutex<HashMap<ThreadId, u64>>,
    in_vain: AtomicBool,
}

impl Source for Keeping {
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        use std::sync::atomic::Ordering;
        let (this, [same, own]) = (thread::current().id(), self.arrays);
        if id.array == own {
            *lock(&self.read).entry(this).or_default() += 1;
        }
        let for_two = |(&thread, &blocks): (&ThreadId, &u64)| thread != this && blocks > self.each;
        if id.array == same && !self.kept.swap(true, Ordering::Relaxed) {
            let begin = Instant::now();
            while !lock(&self.read).iter().any(for_two) {
                if begin.elapsed() > Duration::from_secs(20) {
                    self.in_vain.store(true, Ordering::Relaxed);
                    break;
                }
                thread::yield_now();
            }
        }
        Noise.get(id, into)
    }
}

/// While one thread reads a piece that several rows share, another thread reads the other pieces of
/// two rows.
#[test]
fn threads_go_on_while_others_read() {
    // The first solver has one thread. The second solver has memory for the rows of four threads,
    // but runs on two.
    let [alone, solver] = [1, 4].map(|threads| solver("pentago", threads, 1 << 32));
    let all = solver.sections;
    let child = |s: Section, q| s.child(all.shape(), q).expect("each quadrant has a free socket");
    let fitting = |s: &Section| {
        let [a, b, c, _] = solver.grid(*s).counts().map(u64::from);
        let order = solver.plan(*s, &(0..a * b * c)).order;
        let first_differ_in_one = c >= 3 && (0..3).all(|place| order.at(place)[..2] == [0, 0]);
        let children: BTreeSet<Section> = (0..4).map(|q| all.standardise(child(*s, q)).0).collect();
        first_differ_in_one && children.len() == 4 && all.extents(child(*s, 2))[2] <= EDGE
    };
    let open = |s: &Section| (0..4).all(|q| s.child(all.shape(), q).is_some());
    let mut sections = all.standard(30).into_iter().filter(open).filter(fitting);
    let section = sections.find(|s| solver.grid(*s).entries() < 1_000_000).expect("there is one");
    let children: Vec<Section> = all.children(section).into_iter().collect();
    let number = |q| {
        let standard = all.standardise(child(section, q)).0;
        children.iter().position(|&child| child == standard).expect("a child") as u32
    };
    let source = Keeping {
        arrays: [number(2), number(3)],
        each: u64::from(all.extents(child(section, 3))[3].div_ceil(EDGE)),
        ..Keeping::default()
    };
    let [expected, values] = [(); 2].map(|()| arrays(&solver, &[section]));
    let next = Next { sections: &children, source: &source };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let solve = || solver.solve(&[section], next, &values, FIRST..BlockId::END, &Control::new());
    pool.install(solve).expect("it is solved");
    assert!(!source.in_vain.into_inner(), "the other thread waited");
    let next = Next { sections: &children, source: &Noise };
    alone.solve(&[section], next, &expected, FIRST..BlockId::END, &Control::new()).expect("it is solved");
    let ids = (0..solver.grid(section).blocks()).map(|block| BlockId { array: 0, block });
    assert!({ ids }.all(|id| values.block(id) == expected.block(id)));
}

/// The least memory of a section equals the memory of its largest row, computed from the arrays of
/// the section and of its children.
#[test]
fn the_least_memory_is_that_of_the_largest_row() {
    for (rules, marbles) in [("pentago", [0, 9, 18, 27, 35, 36]), ("mini", [0, 3, 7, 11, 15, 16])] {
        let solver = solver(rules, 1, 0);
        for marbles in marbles {
            for section in solver.sections.standard(marbles).into_iter().step_by(23) {
                let found = |_| Ok::<_, pentago_base::Stopped>(0);
                let with_children = solver.needs_next(marbles);
                let array = SectionArray::new(solver.sections, &solver.groups, section, with_children, found);
                let array = array.expect("no section is missing");
                let line = |extents: [u32; 4]| {
                    let sides = extents[..3].iter().map(|&side| u64::from(side.min(EDGE)));
                    sides.product::<u64>() * u64::from(extents[3]) * size_of::<Entry>() as u64
                };
                let children = array.children.iter().flatten().map(|child| {
                    let pieces = child.reads.iter().map(Vec::len).max().unwrap_or(1);
                    pieces as u64 * line(child.extents)
                });
                let expected = line(array.grid.extents) + children.sum::<u64>();
                assert_eq!(solver.least_memory(section), expected, "{section}");
            }
        }
    }
}

/// Counts the boards of a block by the definition. An entry stands for all distinct images of its
/// board under rotations of quadrants. Each image has 256 values.
fn count(solver: &SectionSolver, section: Section, block: u64, entries: &[Entry]) -> WdlCounts {
    let [a, b, c, d] = solver.grid(section).ranges(block);
    let mut rest = entries.iter();
    let mut sums = [0; 3];
    for (i, j) in a.flat_map(|i| b.clone().map(move |j| (i, j))) {
        for (k, l) in c.clone().flat_map(|k| d.clone().map(move |l| (k, l))) {
            let weight = |(counts, at): ([u8; 2], u32)| {
                let pattern = solver.sections.patterns().list(counts)[at as usize];
                4 / u64::from(pattern.stabiliser(solver.rules.shape))
            };
            let weight: u64 = section.counts().into_iter().zip([i, j, k, l]).map(weight).product();
            let entry = rest.next().expect("it is the block's");
            for (parity, bit) in (0..2).flat_map(|parity| (0..128).map(move |bit| (parity, bit))) {
                sums[entry.get(half_rotation(parity, bit)) as usize] += weight;
            }
        }
    }
    let [losses, draws, wins] = sums;
    let all = (losses + draws + wins) / 256;
    // Arbitrary values may differ between rotations that leave the board unchanged. In this case
    // the sums are not multiples of 256, so round in the same way as the solver.
    let (wins, kept) = (wins / 256, (wins + draws) / 256);
    WdlCounts { wins, draws: kept - wins, losses: all - kept }
}

/// A computation that stops at any block and resumes there produces the same blocks and counts as
/// one without interruption.
#[test]
fn interrupted_slices_go_on() {
    let solver = solver("pentago", 1, 1 << 28);
    let (sections, children) = sections(&solver);
    let next = Next { sections: &children, source: &Noise };
    let expected = arrays(&solver, &sections);
    let whole =
        solver.solve(&sections, next, &expected, FIRST..BlockId::END, &Control::new()).expect("it is solved");
    let ids: Vec<BlockId> = (0..)
        .zip(&sections)
        .flat_map(|(array, &s)| (0..solver.grid(s).blocks()).map(move |block| BlockId { array, block }))
        .collect();
    for first in [1, 7, ids.len() / 3, ids.len() - 1] {
        let values = arrays(&solver, &sections);
        let control = Control::new();
        let sink = Stopping { to: &values, left: AtomicU64::new(first as u64), control: &control };
        let stopped = solver.solve(&sections, next, &sink, FIRST..BlockId::END, &control);
        // Rows in progress are finished before the solver stops, so the stored blocks are the first
        // blocks of the slice.
        let there = ids.iter().take_while(|&&id| values.block(id).is_some()).count();
        assert!(there >= first && ids[there..].iter().all(|&id| values.block(id).is_none()));
        assert_eq!(stopped.is_err(), there < ids.len());
        // Resume within a row of blocks, at block `first`.
        let again = arrays(&solver, &sections);
        let put = |&id: &BlockId| again.put(id, values.block(id).expect("it is there"));
        ids[..first].iter().try_for_each(put).expect("put");
        let Some(&start) = ids.get(first) else { continue };
        let report = solver
            .solve(&sections, next, &again, start..BlockId::END, &Control::new())
            .expect("it is solved");
        let mut counts = report.counts;
        for &id in &ids[..first] {
            let array = id.array as usize;
            counts[array] += count(&solver, sections[array], id.block, again.block(id).expect("it is there"));
        }
        assert_eq!(counts, whole.counts);
        assert!(ids.iter().all(|&id| again.block(id) == expected.block(id)));
    }
}

/// If a section is missing, the error names the section.
#[test]
fn missing_sections_are_named() {
    let solver = solver("mini", 1, 1 << 20);
    let sections = solver.sections.standard(5);
    let mut held = solver.sections.standard(6);
    let missing = held.pop().expect("there are sections");
    let sink = arrays(&solver, &sections);
    let next = Next { sections: &held, source: &Noise };
    let result = solver.solve(&sections, next, &sink, FIRST..BlockId::END, &Control::new());
    assert!(matches!(result, Err(SectionsError::Missing(s)) if s == missing), "{result:?}");
}

/// Returns an arbitrary value for a board, which is the same for all symmetric images of the board.
fn leaf(group: Group, rules: Rules, board: Board) -> Wdl {
    let least = group.canonical(rules.shape, board).0;
    match mix(least.x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ least.o) % 1000 {
        // A board with fewer marbles has hundreds of moves, so only rare losses among the leaves
        // lead to different values there.
        0 => Wdl::Loss,
        1..22 => Wdl::Draw,
        _ => Wdl::Win,
    }
}

/// Returns the value of a board by trying every move, down to leaves with `marbles` marbles. `memo`
/// caches the values.
fn forward(group: Group, rules: Rules, board: Board, marbles: u32, memo: &mut HashMap<Board, Wdl>) -> Wdl {
    if let Some(&value) = memo.get(&board) {
        return value;
    }
    let value = if board.marbles() == marbles {
        leaf(group, rules, board)
    } else {
        let color = if board.marbles().is_multiple_of(2) { Color::X } else { Color::O };
        let mut best = Wdl::Loss;
        for socket in rules.shape.sockets_of(board.free(rules.shape)) {
            for turn in Turn::ALL.into_iter().filter(|turn| turn.clockwise || rules.dir == Dir::Both) {
                let child = board.with(color, socket).map(|set| rules.shape.turn(set, turn));
                best = best.max(match forward(group, rules, child, marbles, memo) {
                    Wdl::Win => Wdl::Loss,
                    Wdl::Draw => Wdl::Draw,
                    Wdl::Loss => Wdl::Win,
                });
            }
        }
        best
    };
    memo.insert(board, value);
    value
}

/// From arbitrary values of the boards with 4 marbles, the solver computes the correct values of
/// all boards with fewer marbles.
#[test]
fn a_made_up_leaf_comes_down_to_the_empty_board() {
    for text in ["pentago", "pentago:dir=cw"] {
        let solver = solver(text, 1, 1 << 30);
        let (rules, all) = (solver.rules, solver.sections);
        let group = Group::whole_board(rules.dir);
        let mut memo = HashMap::new();
        let mut held = all.standard(4);
        let mut values = arrays(&solver, &held);
        for (array, &section) in held.iter().enumerate() {
            let grid = solver.grid(section);
            for block in 0..grid.blocks() {
                let [a, b, c, d] = grid.ranges(block);
                let mut entries = Vec::new();
                for (i, j) in a.flat_map(|i| b.clone().map(move |j| (i, j))) {
                    for (k, l) in c.clone().flat_map(|k| d.clone().map(move |l| (k, l))) {
                        let value = |r| leaf(group, rules, all.board(section, [i, j, k, l], r));
                        let mut win = Super::default();
                        let mut not_lose = Super::default();
                        for (p, bit) in (0..2).flat_map(|p| (0..128).map(move |bit| (p, bit))) {
                            let value = value(half_rotation(p, bit));
                            let p = usize::from(p);
                            win.0[p] = win.0[p].with(bit, value == Wdl::Win);
                            not_lose.0[p] = not_lose.0[p].with(bit, value != Wdl::Loss);
                        }
                        entries.push(Entry { win, not_lose });
                    }
                }
                values.put(BlockId { array: array as u32, block }, &entries).expect("put");
            }
        }
        for marbles in (0..4).rev() {
            let sections = all.standard(marbles);
            let next = Next { sections: &held, source: &values };
            let below = arrays(&solver, &sections);
            solver
                .solve(&sections, next, &below, FIRST..BlockId::END, &Control::new())
                .expect("it is solved");
            (held, values) = (sections, below);
            let mut checked = 0;
            let mut seen = [0; 3];
            for (array, &section) in held.iter().enumerate() {
                let grid = solver.grid(section);
                let [a, b, c, d] = grid.extents;
                for n in 0..grid.entries() as u32 {
                    let index = [n / (b * c * d) % a, n / (c * d) % b, n / d % c, n % d];
                    let (block, place) = grid.locate(index);
                    let id = BlockId { array: array as u32, block };
                    let entry = values.block(id).expect("it was put")[place];
                    for bit in (n as usize % 3..128).step_by(3) {
                        let r = half_rotation((bit % 2) as u8, bit);
                        let board = all.board(section, index, r);
                        let value = forward(group, rules, board, 4, &mut memo);
                        assert_eq!(entry.get(r), value, "{text} {section} {index:?} {r:?}");
                        seen[value as usize] += 1;
                        checked += 1;
                    }
                }
            }
            println!("{text}: {checked} boards of {marbles} marbles, {seen:?} lost, drawn, won");
        }
    }
}
