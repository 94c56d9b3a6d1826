//! How fast this machine is, and how well values compress: measured in a few seconds on a part of the very problem that is to
//! be solved.

use crate::block::codec::encode;
use crate::block::repeats::{Decoder, Encoder};
use crate::block::{BlockId, Entry, HalfSlice, Shelf, ShelfError, Sink};
use crate::rules::{Board, Color, Position, Rules};
use crate::solve::downstream::{Downstream, Needs};
use crate::solve::{Control, SolveError};
use crate::supers::Kernel;
use crate::supers::kernel::Line;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

/// So many empty sockets are left: two or three seconds' work for two cores.
const SOCKETS: usize = 19;
/// Every so manieth unit is compressed.
const EVERY: u64 = 16;
/// So many first slices are put together and compressed as they will be kept.
const KEPT: usize = 2;

/// What one board and chain costs more for each far child, as a share of what it costs without: from the record of roots with 14 to
/// 18 marbles.
const PER_HIGH: f64 = 0.19;

/// What was measured.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Seconds for a board and a chain at one parity, all threads at work, without far children.
    board: f64,
    /// By number of marbles: compressed to raw size, of scratch files.
    scratch: Vec<f64>,
    /// Compressed to raw size of kept tables.
    kept: f64,
    /// Bytes that one thread compresses, and decompresses, in a second.
    encoded: f64,
    decoded: f64,
    threads: f64,
}

impl Calibration {
    /// Measures. The problem is everything downstream of `position`; `run` is the block length of its tables.
    ///
    /// # Errors
    /// If it was stopped or there is not enough memory.
    pub fn new(
        rules: Rules,
        kernel: Kernel,
        threads: usize,
        position: &Position,
        run: u32,
        control: &Control,
    ) -> Result<Calibration, SolveError> {
        let part = Downstream::new(rules, kernel, threads, &filled(rules, position));
        let (empty, marbles) = (part.empty(), rules.shape.sockets() - part.empty());
        let keep = KEPT.min(empty);
        let tables = part.tables();
        let mut workspace = part.workspace(0)?;
        let tasks = part.tasks(0);
        // Memory is touched before the time is taken.
        let sample = Sample::new(EVERY);
        part.run(tasks[0], empty, &tables, &mut workspace, &sample, control)?;
        let all = Sample::new(1);
        let began = Instant::now();
        for &task in &tasks {
            part.run(task, keep, &tables, &mut workspace, &all, control)?;
        }
        let boards = part.needs(0, keep).boards as f64 * tasks.len() as f64;
        let far = 1.0 + PER_HIGH * part.high() as f64;
        let board = began.elapsed().as_secs_f64() / boards / far;
        let sizes = Sizes::default();
        for plies in 0..=keep {
            part.collect(plies, 0, run, &all, &sizes)?;
        }
        let measured = sample.0.into_inner().expect("nobody panicked");
        let mut scratch = vec![0.0; rules.shape.sockets() + 1];
        for (plies, &(raw, code)) in &measured.sizes {
            scratch[marbles + usize::from(*plies)] = code as f64 / raw as f64;
        }
        // What has fewer marbles weighs nothing, and compresses as well as the first slices that were seen.
        let first = scratch[marbles + keep];
        scratch[..marbles + keep].fill(first);
        Ok(Calibration {
            board,
            scratch,
            kept: sizes.ratio(),
            encoded: measured.raw as f64 / measured.encoding.max(1e-9),
            decoded: measured.raw as f64 / measured.decoding.max(1e-9),
            threads: threads as f64,
        })
    }

    /// Seconds that the work will take.
    pub fn seconds(&self, of: &Downstream, needs: &Needs) -> f64 {
        let far = 1.0 + PER_HIGH * (of.high() - needs.top) as f64;
        let put: u64 = needs.put.iter().sum();
        let codec = put as f64 / self.encoded + needs.got as f64 / self.decoded;
        needs.boards as f64 * 4.0 * self.board * far + codec / self.threads
    }

    /// Bytes in the scratch folder, at most; the root has `marbles` marbles.
    pub fn scratch_bytes(&self, needs: &Needs, marbles: usize) -> u64 {
        let put: u64 = needs.put.iter().sum();
        let code = needs.put.iter().enumerate();
        let code: f64 = code.map(|(plies, &raw)| raw as f64 * self.scratch[marbles + plies]).sum();
        (needs.shelf as f64 * code / put.max(1) as f64) as u64
    }

    /// Bytes of the blocks of kept tables with so many boards.
    pub fn kept_bytes(&self, boards: u64) -> u64 {
        (boards as f64 * size_of::<Entry>() as f64 * self.kept) as u64
    }
}

/// The position with marbles added in turn on its last empty sockets until few enough are left.
fn filled(rules: Rules, position: &Position) -> Position {
    let mut at = *position;
    let mut free = at.board.free(rules.shape);
    while free.count_ones() as usize > SOCKETS {
        let socket = 1u64 << (63 - free.leading_zeros());
        free ^= socket;
        let Board { x, o } = at.board;
        at.board = match at.to_move {
            Color::X => Board { x: x | socket, o },
            Color::O => Board { x, o: o | socket },
        };
        at.to_move = at.to_move.other();
    }
    at
}

/// A shelf that compresses every so manieth unit, decompresses it again, and measures; of what is put on it with a period of 1
/// it keeps the lines.
struct Sample(Mutex<Measured>, u64);

#[derive(Default)]
struct Measured {
    raw: u64,
    encoding: f64,
    decoding: f64,
    /// By slice: bytes before and after.
    sizes: HashMap<u8, (u64, u64)>,
    lines: HashMap<(HalfSlice, u64), Vec<Line>>,
}

impl Sample {
    fn new(every: u64) -> Sample {
        Sample(Mutex::default(), every)
    }
}

impl Shelf for Sample {
    fn put(&self, of: HalfSlice, unit: u64, lines: &[Line]) -> Result<(), ShelfError> {
        if self.1 == 1 {
            self.0.lock().expect("nobody panicked").lines.insert((of, unit), lines.to_vec());
            return Ok(());
        }
        if !unit.is_multiple_of(self.1) || lines.len() > crate::block::repeats::MAX_LINES {
            return Ok(());
        }
        let (mut encoder, mut decoder) = (Encoder::new(1)?, Decoder::new()?);
        let mut code = Vec::new();
        let mut back = lines.to_vec();
        // The first time warms the buffers, which scratch files keep.
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
        let mut all = self.0.lock().expect("nobody panicked");
        let all = &mut *all;
        all.raw += raw;
        all.encoding += times[0];
        all.decoding += times[1];
        let sizes = all.sizes.entry(of.plies).or_default();
        *sizes = (sizes.0 + raw, sizes.1 + code.len() as u64);
        Ok(())
    }

    fn get(&self, of: HalfSlice, unit: u64, into: &mut [Line]) -> Result<(), ShelfError> {
        let all = self.0.lock().expect("nobody panicked");
        into.copy_from_slice(all.lines.get(&(of, unit)).ok_or("a sample has only what was put")?);
        Ok(())
    }

    fn finish(&self, _: HalfSlice) -> Result<(), ShelfError> {
        Ok(())
    }
}

/// Measures how small blocks become.
#[derive(Default)]
struct Sizes(Mutex<(u64, u64)>);

impl Sizes {
    fn ratio(&self) -> f64 {
        let (raw, code) = *self.0.lock().expect("nobody panicked");
        code as f64 / raw.max(1) as f64
    }
}

impl Sink for Sizes {
    type Error = ShelfError;

    fn put(&self, _: BlockId, entries: &[Entry]) -> Result<(), ShelfError> {
        let mut payload = Vec::new();
        encode(entries, super::root::LEVEL, &mut payload);
        let mut all = self.0.lock().expect("nobody panicked");
        *all = (all.0 + size_of_val(entries) as u64, all.1 + payload.len() as u64);
        Ok(())
    }
}
