//! The speed of this machine and the compression of values, measured in a few seconds on a part of
//! the problem itself.

use crate::build::{RUN, Resources, RootBuild};
use crate::codec::repeats::{Decoder, Encoder};
use crate::kernel::{Kernel, Pack};
use crate::rules::{Board, Color, Position, Rules, Socket};
use crate::solve::SolveError;
use crate::solve::rooted::downstream::{Downstream, DownstreamEstimate};
use crate::solve::rooted::{HalfSlice, SpillError, SpillStore};
use crate::supers::Super;
use crate::values::{BlockId, Entry, Sink};
use pentago_base::Control;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::time::Instant;

/// Empty sockets of the position that is timed: two or three seconds of work for two cores.
const SOCKETS: usize = 19;
/// Empty sockets of the positions in which only sizes are measured. There are several, because
/// values differ much between parts of the game.
const PLACE_SOCKETS: usize = 16;
/// The number of these positions.
const PLACES: u64 = 12;
/// One unit in this many is compressed.
const EVERY: u64 = 16;
/// The number of slices after the first whose values are counted.
const COUNTED: usize = 2;

/// Compressed size of tables below a root, relative to the entropy of a value drawn at random from
/// their wins, draws and losses: from the record of roots with 12 and 14 marbles.
const OF_ENTROPY: f64 = 0.62;

/// The number of attempts to find an unfinished position.
const TRIES: usize = 100;

/// Bytes per second that temporary files take and give, beside all else: from the record of a root with
/// 14 marbles in nine groups.
const FILES: f64 = 0.7e9;

/// The additional cost of a board for each far child, relative to its cost without: from the record
/// of roots with 14 to 18 marbles.
const PER_HIGH: f64 = 0.19;

/// What building will take.
#[derive(Clone, Debug)]
pub struct RootEstimate {
    /// What the solution needs.
    pub needs: DownstreamEstimate,
    /// Boards in the kept tables, each standing for 256 rotations.
    pub kept_boards: u64,
    /// Bytes of the kept tables.
    pub kept_bytes: u64,
    /// Bytes of scratch files, at most.
    pub scratch_bytes: u64,
    /// Seconds.
    pub seconds: f64,
}

impl RootBuild {
    /// What it will take, after a few seconds of measuring.
    ///
    /// # Errors
    /// If it doesn't fit in memory, however it is cut, or was stopped.
    pub fn estimate(&self, resources: &Resources, control: &Control) -> Result<RootEstimate, SolveError> {
        let solution = self.solution(resources);
        let needs = solution.fit(resources.memory, self.keep)?;
        let calibration = Calibration::new(
            self.target().rules,
            resources.kernel,
            resources.threads,
            self.position(),
            RUN,
            control,
        )?;
        let marbles = self.position().board().marbles() as usize;
        let kept: Vec<u64> = (0..=self.keep).map(|plies| solution.slice_boards(plies)).collect();
        let bytes = |(plies, &boards): (usize, &u64)| calibration.kept_bytes(marbles + plies, boards);
        Ok(RootEstimate {
            kept_boards: kept.iter().sum(),
            kept_bytes: kept.iter().enumerate().map(bytes).sum(),
            scratch_bytes: calibration.scratch_bytes(&needs, marbles),
            seconds: calibration.seconds(&solution, &needs, marbles),
            needs,
        })
    }
}

/// The measured quantities.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Seconds per board and chain at one parity, with all threads, without far children.
    board: f64,
    /// By chain and number of marbles: compressed to raw size of temporary files.
    scratch: [Vec<f64>; 2],
    /// Compressed to raw size of kept tables with an even and an odd number of marbles.
    kept: [f64; 2],
    /// Bytes per second that one thread compresses, and decompresses.
    encoded: f64,
    decoded: f64,
    threads: f64,
}

impl Calibration {
    /// Runs the measurements for the problem of everything downstream of `position`; `run` is the
    /// block length of its tables.
    ///
    /// # Errors
    /// If it was cancelled, or there is not enough memory.
    pub fn new(
        rules: Rules,
        kernel: Kernel,
        threads: NonZeroUsize,
        position: &Position,
        run: u32,
        control: &Control,
    ) -> Result<Calibration, SolveError> {
        let mut measured = [Measured::default(), Measured::default()];
        let values = [ValueCounts::default(), ValueCounts::default()];
        let mut board = 0.0;
        for place in 0..=PLACES {
            let sockets = if place == 0 { SOCKETS } else { PLACE_SOCKETS };
            let part = Downstream::new(rules, kernel, threads, &filled(rules, position, sockets, place));
            let (empty, marbles) = (part.empty(), rules.shape.sockets() - part.empty());
            let keep = COUNTED.min(empty);
            let tables = part.tables();
            let mut workspace = part.workspace(0)?;
            let tasks = part.tasks(0);
            // Both chains, at one parity. The timed run uses memory that has been touched before.
            for (&task, measured) in tasks.iter().zip(&mut measured) {
                let sample = Sample::new(EVERY, marbles);
                part.run(task, empty, &tables, &mut workspace, &sample, control)?;
                measured.add(sample.measured.into_inner().expect("nobody panicked"));
            }
            let all = Sample::new(1, marbles);
            let began = Instant::now();
            for &task in &tasks {
                part.run(task, keep, &tables, &mut workspace, &all, control)?;
            }
            if place == 0 {
                let boards = part.needs(0, keep).boards as f64 * tasks.len() as f64;
                let far = 1.0 + PER_HIGH * part.high() as f64;
                board = began.elapsed().as_secs_f64() / boards / far;
            }
            for plies in 0..=keep {
                part.collect(plies, 0, run, &all, &values[(marbles + plies) % 2])?;
            }
        }
        let scratch = [0, 1].map(|chain| measured[chain].ratios(rules.shape.sockets()));
        let sum = |of: fn(&Measured) -> f64| measured.iter().map(of).sum::<f64>();
        let raw = sum(|m| m.raw as f64);
        Ok(Calibration {
            board,
            scratch,
            kept: values.map(|values| OF_ENTROPY * values.entropy() / 2.0),
            encoded: raw / sum(|m| m.encoding).max(1e-9),
            decoded: raw / sum(|m| m.decoding).max(1e-9),
            threads: threads.get() as f64,
        })
    }

    /// The estimated time in seconds; the root has `marbles` marbles.
    pub fn seconds(&self, of: &Downstream, needs: &DownstreamEstimate, marbles: usize) -> f64 {
        let far = 1.0 + PER_HIGH * (of.high() - needs.top) as f64;
        let put = needs.put.iter().sum::<u64>() as f64;
        let got = needs.got as f64;
        let codec = put / self.encoded + got / self.decoded;
        let ratio = self.scratch_ratios(needs, marbles).iter().sum::<f64>() / 2.0;
        needs.boards as f64 * 4.0 * self.board * far + codec / self.threads + ratio * (put + got) / FILES
    }

    /// By chain: compressed to raw size of all temporary files.
    fn scratch_ratios(&self, needs: &DownstreamEstimate, marbles: usize) -> [f64; 2] {
        let put: u64 = needs.put.iter().sum();
        self.scratch.each_ref().map(|ratios| {
            let code = needs.put.iter().zip(&ratios[marbles..]);
            code.map(|(&raw, ratio)| raw as f64 * ratio).sum::<f64>() / put.max(1) as f64
        })
    }

    /// Upper bound on the bytes of temporary files; the root has `marbles` marbles. The chains are
    /// stored one after the other, never both.
    pub fn scratch_bytes(&self, needs: &DownstreamEstimate, marbles: usize) -> u64 {
        let most = self.scratch_ratios(needs, marbles).into_iter().fold(0.0, f64::max);
        (needs.spill as f64 * most) as u64
    }

    /// Bytes of the blocks of a kept table with these numbers of marbles and boards.
    pub fn kept_bytes(&self, marbles: usize, boards: u64) -> u64 {
        (boards as f64 * size_of::<Entry>() as f64 * self.kept[marbles % 2]) as u64
    }
}

/// The position with marbles added alternately on random sockets until few enough are left;
/// unfinished, if possible.
fn filled(rules: Rules, position: &Position, sockets: usize, seed: u64) -> Position {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut at = *position;
    for _ in 0..TRIES {
        let (mut board, mut to_move) = (position.board(), position.to_move());
        let mut free: Vec<u64> = rules.shape.sockets_of(board.free(rules.shape)).map(Socket::bit).collect();
        while free.len() > sockets {
            let socket = free.swap_remove(random.next_u32() as usize % free.len());
            let Board { x, o } = board;
            board = match to_move {
                Color::X => Board { x: x | socket, o },
                Color::O => Board { x, o: o | socket },
            };
            to_move = to_move.other();
        }
        at = Position::of(rules.shape, board).expect("marbles are added in turn");
        if rules.outcome(&at).is_none() {
            break;
        }
    }
    at
}

/// A spill store that compresses and decompresses one unit in `every`, and measures both. With a
/// period of 1 it also keeps the values.
struct Sample {
    measured: Mutex<Measured>,
    every: u64,
    /// Marbles of the root.
    marbles: usize,
}

#[derive(Default)]
struct Measured {
    raw: u64,
    encoding: f64,
    decoding: f64,
    /// By number of marbles: bytes before and after.
    sizes: BTreeMap<usize, (u64, u64)>,
    lines: HashMap<(HalfSlice, u64), Vec<Pack>>,
}

impl Measured {
    fn add(&mut self, more: Measured) {
        self.raw += more.raw;
        self.encoding += more.encoding;
        self.decoding += more.decoding;
        for (marbles, (raw, code)) in more.sizes {
            let sizes = self.sizes.entry(marbles).or_default();
            *sizes = (sizes.0 + raw, sizes.1 + code);
        }
    }

    /// By number of marbles: compressed to raw size. Slices with fewer marbles than were measured
    /// weigh nothing, and are assumed to compress like the first measured ones.
    fn ratios(&self, sockets: usize) -> Vec<f64> {
        let mut ratios = Vec::new();
        for marbles in 0..=sockets {
            let at = self.sizes.range(marbles..).next().or_else(|| self.sizes.last_key_value());
            ratios.push(at.map_or(0.0, |(_, &(raw, code))| code as f64 / raw as f64));
        }
        ratios
    }
}

impl Sample {
    /// For the boards below a root with these marbles.
    fn new(every: u64, marbles: usize) -> Sample {
        Sample { measured: Mutex::default(), every, marbles }
    }
}

impl SpillStore for Sample {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Pack]) -> Result<(), SpillError> {
        if self.every == 1 {
            self.measured.lock().expect("nobody panicked").lines.insert((of, unit), lines.to_vec());
            return Ok(());
        }
        if !unit.is_multiple_of(self.every) || lines.len() > crate::codec::repeats::MAX_LINES {
            return Ok(());
        }
        let (mut encoder, mut decoder) = (Encoder::new()?, Decoder::new()?);
        let mut code = Vec::new();
        let mut back = lines.to_vec();
        // The first run warms the buffers, which temporary files reuse.
        let mut times = [0.0; 2];
        for _ in 0..2 {
            code.clear();
            let began = Instant::now();
            encoder.encode(lines, &mut code)?;
            times[0] = began.elapsed().as_secs_f64();
            let began = Instant::now();
            decoder.decode(&code, &mut back)?;
            times[1] = began.elapsed().as_secs_f64();
        }
        let raw = size_of_val(lines) as u64;
        let mut all = self.measured.lock().expect("nobody panicked");
        let all = &mut *all;
        all.raw += raw;
        all.encoding += times[0];
        all.decoding += times[1];
        let sizes = all.sizes.entry(self.marbles + usize::from(of.plies)).or_default();
        *sizes = (sizes.0 + raw, sizes.1 + code.len() as u64);
        Ok(())
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Pack]) -> Result<(), SpillError> {
        let all = self.measured.lock().expect("nobody panicked");
        into.copy_from_slice(all.lines.get(&(of, unit)).ok_or("a sample has only what was put")?);
        Ok(())
    }

    fn finish(&self, _: HalfSlice) -> Result<(), SpillError> {
        Ok(())
    }
}

/// Counts wins, draws and losses.
#[derive(Default)]
struct ValueCounts(Mutex<[u64; 3]>);

impl ValueCounts {
    /// The entropy of a value drawn from them, in bits.
    fn entropy(self) -> f64 {
        let counts = self.0.into_inner().expect("nobody panicked").map(|n| n as f64);
        let all: f64 = counts.iter().sum();
        counts.iter().filter(|&&n| n > 0.0).map(|n| -(n / all) * (n / all).log2()).sum()
    }
}

impl Sink for ValueCounts {
    type Error = SpillError;

    fn put(&self, _: BlockId, entries: &[Entry]) -> Result<(), SpillError> {
        let ones =
            |s: Super| s.0.iter().flat_map(|half| half.0).map(|w| u64::from(w.count_ones())).sum::<u64>();
        let mut all = self.0.lock().expect("nobody panicked");
        for entry in entries {
            let (wins, not_lost) = (ones(entry.win), ones(entry.not_lose));
            *all = [all[0] + wins, all[1] + not_lost - wins, all[2] + 256 - not_lost];
        }
        Ok(())
    }
}
