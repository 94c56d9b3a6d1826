//! Work for a GPU outside of the process, which a web page runs by WebGPU.
//!
//! A call ends before the GPU has computed, so the page asks each question twice. The first answer
//! is a [`Task`] for the GPU. The second answer uses the results. In between, the page fetches the
//! work in parts, each a list of words:
//!
//! | first word | next words |
//! |---|---|
//! | 0 | an offset in the buffer `words`, in words, and the words to write there |
//! | 1 | an offset in the buffer `fives`, in words, and the words to write there |
//! | 2 | the numbers of boards and steps of a batch, its steps, and the words after the tables |
//!
//! A step that runs a pass consists of the numbers of groups along two axes and the parameters of
//! the pass. A step that reads back a line consists of 0, the index of a piece, and the index of
//! the line in the piece.

use crate::{Game, Position};
use ::pentago::{Error, Rules, Solver};
use ::pentago_core::solve::SolveError;
use ::pentago_core::solve::rooted::gpu::{
    Batch, Cuts, DeviceRequest, DeviceSolution, LINE_BYTES, Limits, Outside, PARAMETERS, STRIDE, Step,
};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The number of words of a step.
const STEP_WORDS: usize = 2 + PARAMETERS;

/// The GPU that the latest question used, and the task that it runs.
#[derive(Default)]
pub struct Device {
    /// The text of the latest question, and the GPU for it.
    outside: Option<(String, Arc<Outside>)>,
    task: Option<(DeviceRequest, DeviceSolution)>,
    /// The number of parts fetched so far (the first part is the tables), and the number of bytes
    /// of the buffer `fives` fetched so far.
    given: (usize, usize),
}

/// The work of a GPU, in the form that the page reads. The sizes of buffers are in bytes.
#[derive(Serialize)]
pub struct Task {
    shader: String,
    pieces: Vec<u64>,
    parameters: u64,
    words: u64,
    fives: u64,
    reads: u64,
    tables: u64,
    boards: u64,
}

impl Device {
    /// Returns the GPU for a question. Returns `None` if `limits` is incomplete or the solution
    /// doesn't suit a GPU. `limits` lists the maximum size of a binding in bytes, the maximum
    /// number of bindings, and the fields of [`Cuts`].
    pub fn outside(
        &mut self,
        asked: &str,
        limits: &str,
        game: &dyn Game,
        position: &Position,
    ) -> Option<Arc<Outside>> {
        if let Some((last, outside)) = &self.outside
            && last == asked
        {
            return Some(Arc::clone(outside));
        }
        (self.outside, self.task) = (None, None);
        let numbers: Vec<u64> = limits.split(' ').map_while(|number| number.parse().ok()).collect();
        let &[binding, bindings, piece, beside, batch, memory, worth] = numbers.as_slice() else {
            return None;
        };
        let rules: Rules = game.rules().parse().ok()?;
        let cuts = Cuts { piece, beside, batch, memory, worth, ..Cuts::default() };
        let limits = Limits { binding, bindings: u32::try_from(bindings).ok()? };
        let outside = Outside::new(rules, cuts, limits);
        let position: &::pentago::Position = position.parsed().ok()?;
        let empty = position.free().count_ones() as usize;
        let solver = Solver::builder().rules(rules).threads(NonZeroUsize::MIN);
        let boards = solver.estimate(position, usize::MAX).boards;
        let outside = outside.takes(boards, empty, empty).then(|| Arc::new(outside))?;
        self.outside = Some((asked.to_owned(), Arc::clone(&outside)));
        Some(outside)
    }

    /// Returns the task of the GPU if `error` reports that the GPU must compute first, and `None`
    /// otherwise.
    pub fn task(&mut self, error: &Error) -> Option<Task> {
        let Some(SolveError::Device(wanted)) = error.downcast_ref() else { return None };
        let (_, outside) = self.outside.as_ref()?;
        let job = outside.job(wanted);
        let room = job.room();
        let task = Task {
            shader: job.shader().to_owned() + &room.pieces.shader(),
            pieces: room.pieces.bytes().collect(),
            parameters: STRIDE * room.passes,
            words: 4 * (room.tables + room.words),
            fives: room.fives,
            reads: LINE_BYTES * room.reads,
            tables: room.tables,
            boards: job.boards(),
        };
        (self.task, self.given) = (Some((wanted.clone(), job)), (0, 0));
        Some(task)
    }

    /// Writes the next part of the work to `part`, or leaves `part` empty after the last part.
    pub fn part(&mut self, part: &mut Vec<u8>) {
        part.clear();
        let Some((_, job)) = &mut self.task else { return };
        let (given, at) = self.given;
        let mut put = |words: &[u32]| part.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        if given == 0 {
            put(&[0, 0]);
            put(job.tables());
            self.given.0 = 1;
        } else if let Some(fives) = job.fives().nth(given - 1) {
            put(&[1, (at / 4) as u32]);
            part.extend_from_slice(fives);
            self.given = (given + 1, at + fives.len());
        } else if let Some((batch, boards)) = job.next_batch(Batch::default()) {
            let Batch { words, steps } = batch;
            put(&[2, boards as u32, steps.len() as u32]);
            let bits = job.room().pieces.bits;
            for step in steps {
                let mut of_step = [0; STEP_WORDS];
                match step {
                    Step::Pass { parameters, groups } => {
                        of_step[..2].copy_from_slice(&groups);
                        of_step[2..].copy_from_slice(&parameters);
                    }
                    Step::Read { line } => {
                        of_step[1] = (line >> bits) as u32;
                        of_step[2] = (line & ((1 << bits) - 1)) as u32;
                    }
                }
                put(&of_step);
            }
            put(&words);
        }
    }

    /// Accepts the lines that the GPU computed. Returns `false` if there is no task, or if the
    /// number of lines is wrong.
    pub fn learn(&mut self, bytes: &[u8]) -> bool {
        let (Some((wanted, job)), Some((_, outside))) = (self.task.take(), &self.outside) else {
            return false;
        };
        outside.learn(wanted, &job, bytes.as_chunks().0)
    }
}
