//! Work for a graphics processor outside of the process: a page runs it by WebGPU.
//!
//! Calls end before such a device answers, so the page asks twice: for a question with a device, the first
//! answer is what the device is to do ([`Task`]), the next one is made of what it did. In between the
//! page asks for the work part by part, each a list of words:
//!
//! | first word | what follows |
//! |---|---|
//! | 0 | a place in the buffer `words`, in words, and what is written there |
//! | 1 | the same for the buffer `fives` |
//! | 2 | a batch: boards, the number of steps, the steps, and what is written to `words` behind the tables |
//!
//! A step is groups along two axes and the parameters of a pass; or 0, a piece, and the line of it that is
//! read back.

use crate::Game;
use ::pentago::{Error, Rules, Solver};
use ::pentago_core::solve::SolveError;
use ::pentago_core::solve::rooted::gpu::{
    Batch, Cuts, DeviceSolution, LINE_BYTES, Limits, Outside, PARAMETERS, STRIDE, Step, DeviceRequest,
};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Words of a step.
const STEP_WORDS: usize = 2 + PARAMETERS;

/// The device of the last question that had one, and what it is to do.
#[derive(Default)]
pub struct Device {
    /// With what was asked.
    outside: Option<(String, Arc<Outside>)>,
    task: Option<(DeviceRequest, DeviceSolution)>,
    /// Parts that were given out: the tables, each part of the fives; and bytes of the fives.
    given: (usize, usize),
}

/// What a device is to do, as the page reads it: buffers in bytes, and boards.
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
    /// The device for a question: none if what it can hold isn't given, or the whole solution isn't for
    /// it. `limits` are numbers: bytes of a binding, bindings, and those of [`Cuts`].
    pub fn outside(
        &mut self,
        asked: &str,
        limits: &str,
        game: &dyn Game,
        position: &str,
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
        let position = rules.parse_position(position).ok()?;
        let empty = position.free().len();
        let solver = Solver::builder().rules(rules).threads(NonZeroUsize::MIN);
        let boards = solver.estimate(&position, usize::MAX).boards;
        let outside = outside.takes(boards, empty, empty).then(|| Arc::new(outside))?;
        self.outside = Some((asked.to_owned(), Arc::clone(&outside)));
        Some(outside)
    }

    /// What the device is to do before the question can be answered, if an error says so.
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

    /// Writes the next part of the work; nothing when all was given out.
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

    /// Takes the lines that were read: whether they are as many as there had to be.
    pub fn learn(&mut self, bytes: &[u8]) -> bool {
        let (Some((wanted, job)), Some((_, outside))) = (self.task.take(), &self.outside) else {
            return false;
        };
        outside.learn(wanted, &job, bytes.as_chunks().0)
    }
}
