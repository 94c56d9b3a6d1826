//! The rooted solver: from a position to its exact value and that of every move.

use super::chain::{Top, first_slice, leaves_answer};
use super::classes::ClassTables;
use super::context::Chains;
use super::error::SolveError;
#[cfg(feature = "gpu")]
use super::gpu::{Common, Gpu};
use super::gpu::{Known, Outside, Wanted};
use super::plan::Plan;
use super::win_tables::{ChainRoot, WinTables};
use crate::answer::{Estimate, MoveEval, Origin, RuledOut, Value};
use crate::index::Frame;
use crate::kernel::{Arena, Graphics, Kernel, Passes};
use crate::rules::{Move, Position, Rules, Socket, TurnPart};
use crate::solve::proof::Kept;
use crate::supers::half::half_index;
use crate::supers::{Half, WinMasks};
use crate::symmetry::turned;
use pentago_base::Clock;
use pentago_base::Control;
#[cfg(feature = "gpu")]
use pentago_gpu::Device;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The solution of one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The value for the side to move.
    pub value: Value,
    /// All legal moves, in the order of [`Rules::moves`]; none if the game is over.
    pub moves: Vec<MoveEval>,
    /// The depth of the solution in plies.
    pub plies: usize,
    /// Whether it reaches the end of the game: nothing is unknown.
    pub complete: bool,
    /// Boards computed, each standing for 128 rotations and counted once for both chains.
    pub boards: u64,
}

/// Memory besides the arena and the tables: stacks, the tables of low sockets, the threads'
/// buffers.
const OVERHEAD_BYTES: u64 = 4 << 20;

/// A smaller solution is too short to measure the time per board.
const TELLING_BOARDS: u64 = 1_000_000;

/// Solves positions under one set of rules. It reuses its memory from one position to the next.
pub struct RootedSolver {
    rules: Rules,
    fives: WinMasks,
    kernel: Kernel,
    threads: NonZeroUsize,
    memory: u64,
    arena: Arena,
    clock: Clock,
    seconds_per_board: Option<f64>,
    /// Whether a graphics processor has computed since [`RootedSolver::begin`].
    used_graphics: bool,
    outside: Option<Arc<Outside>>,
    kept: Option<Arc<Kept>>,
    #[cfg(feature = "gpu")]
    gpu: OnGpu,
}

impl RootedSolver {
    /// A solver with the given kernel. `threads` is the number of threads of the current rayon pool
    /// (with 1, the calling thread does all work), `memory` the limit in bytes.
    pub fn new(rules: Rules, kernel: Kernel, threads: NonZeroUsize, memory: u64) -> RootedSolver {
        let (fives, arena) = (WinMasks::new(rules.shape), Arena::default());
        RootedSolver {
            rules,
            fives,
            kernel,
            threads,
            memory,
            arena,
            clock: Clock::default(),
            seconds_per_board: None,
            used_graphics: false,
            outside: None,
            kept: None,
            #[cfg(feature = "gpu")]
            gpu: OnGpu::default(),
        }
    }

    /// The same with work for graphics processors cut in another way.
    #[cfg(feature = "gpu")]
    #[must_use]
    pub fn with_cuts(self, cuts: super::gpu::Cuts) -> RootedSolver {
        RootedSolver { gpu: OnGpu { cuts, ..self.gpu }, ..self }
    }

    /// The same with a device outside of the process, or without: [`Outside`] says what that changes.
    #[must_use]
    pub fn with_outside(self, outside: Option<Arc<Outside>>) -> RootedSolver {
        RootedSolver { outside, ..self }
    }

    /// The same with proofs kept from one question to the next, or without.
    #[must_use]
    pub fn with_kept(self, kept: Option<Arc<Kept>>) -> RootedSolver {
        RootedSolver { kept, ..self }
    }

    /// The proofs that are kept.
    pub fn kept(&self) -> Option<&Kept> {
        self.kept.as_deref()
    }

    /// The same with another clock. Without one a limit of time is not kept.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> RootedSolver {
        RootedSolver { clock, ..self }
    }

    /// How long a board took in the last solution that was large enough to tell.
    #[must_use]
    pub fn seconds_per_board(&self) -> Option<f64> {
        self.seconds_per_board
    }

    /// The clock that limits of time go by.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Gives back the memory that is kept for the next solution.
    pub fn release(&mut self) {
        self.arena = Arena::default();
        #[cfg(feature = "gpu")]
        self.gpu.release();
    }

    /// Begins another question: what was used for those before doesn't count.
    pub fn begin(&mut self) {
        self.used_graphics = false;
    }

    /// What has computed since the last question began: the kernel, or `gpu` where a graphics processor
    /// did.
    #[must_use]
    pub fn used(&self) -> Kernel {
        self.kernel.with_graphics(if self.used_graphics { Graphics::Always } else { Graphics::Unused })
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The number of threads.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    /// The memory limit in bytes.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The largest possible number of plies from `position` to the end of the game.
    pub fn all_plies(&self, position: &Position) -> usize {
        position.free().len() + usize::from(position.pending())
    }

    /// The estimate for [`RootedSolver::solve`] with this number of plies.
    pub fn estimate(&self, position: &Position, plies: usize) -> Estimate {
        // As in `solve`: at least one ply, which a pending turn belongs to.
        let plies = plies.clamp(1, self.all_plies(position).max(1));
        if self.rules.outcome(position).is_some() {
            return Estimate { plies, boards: 0, bytes: 0 };
        }
        let (root, below) = self.root(position, plies);
        let empty = root.empty.len();
        let frame = Frame::new(empty);
        let plan = Plan::new(&frame, first_slice(self.rules, below, empty), self.threads.get());
        let tables = WinTables::bytes(&frame, below, leaves_answer(self.rules, below, empty), empty);
        let bytes = plan.arena_bytes() + tables + OVERHEAD_BYTES;
        #[cfg(feature = "gpu")]
        let bytes = if self.kernel.graphics() == Graphics::Always {
            self.gpu.bytes(self.rules, empty, below).map_or(bytes, |on_gpu| on_gpu + OVERHEAD_BYTES)
        } else {
            bytes
        };
        Estimate { plies, boards: plan.boards(), bytes }
    }

    /// The root of a position for the chains, and the number of plies below it if the solution is
    /// limited to `plies` plies.
    fn root(&self, position: &Position, plies: usize) -> (ChainRoot, usize) {
        // A pending turn belongs to the ply that has begun: the chains begin after it, at an odd
        // rotation.
        let placer = if position.pending() { position.to_move().other() } else { position.to_move() };
        let root = ChainRoot {
            sets: [position.board().of(placer), position.board().of(placer.other())],
            empty: position.free().iter().map(Socket::bit).collect(),
            parity: u8::from(position.pending()),
        };
        (root, plies - usize::from(position.pending()))
    }

    /// Solves a position to a depth of `plies` plies (at least 1), or to the end of the game if
    /// that is less. `control` counts the boards of both chains and can cancel.
    ///
    /// # Errors
    /// If it was cancelled, exceeds the memory limit, or an allocation fails.
    pub fn solve(
        &mut self,
        position: &Position,
        plies: usize,
        control: &Control,
    ) -> Result<Solution, SolveError> {
        let all = self.all_plies(position);
        let plies = plies.clamp(1, all.max(1));
        let mover = position.to_move();
        if position.shape() != self.rules.shape {
            return Err(SolveError::Shape);
        }
        if let Some(outcome) = self.rules.outcome(position) {
            let value = Value::of(outcome, mover);
            return Ok(Solution { value, moves: Vec::new(), plies: 0, complete: true, boards: 0 });
        }
        let began = self.clock.now();
        let (root, tops, boards) = self.tops(position, plies, control)?;
        if began.is_some() && boards >= TELLING_BOARDS {
            self.seconds_per_board = Some(self.clock.since(began).as_secs_f64() / boards as f64);
        }
        let complete = plies == all;
        let first = if position.pending() { 1 } else { 0 };
        let reader = TopReader {
            rules: self.rules,
            position,
            root: &root,
            tops: &tops,
            mover: first,
            plies,
            complete,
        };
        let moves = self.rules.moves(position).into_iter().map(|mv| reader.value(mv)).collect::<Vec<_>>();
        let value = Value::best_of(moves.iter().map(|m| m.value)).unwrap_or(Value::Loss);
        if !position.pending() {
            let root = reader.decide(|top| top.root, half_index([0; 4]));
            let decided = |value| matches!(value, Value::Win | Value::Loss);
            debug_assert!(
                root == value || !decided(root) && !decided(value),
                "the root is worth its best move"
            );
        }
        Ok(Solution { value, moves, plies, complete, boards })
    }

    /// Both chains, with the number of their boards.
    fn tops(
        &mut self,
        position: &Position,
        plies: usize,
        control: &Control,
    ) -> Result<(ChainRoot, [Top; 2], u64), SolveError> {
        let estimate = self.estimate(position, plies);
        let (root, below) = self.root(position, plies);
        let Some(outside) = self.outside.clone() else {
            let (tops, boards) = self.tops_here(&root, below, &estimate, control)?;
            return Ok((root, tops, boards));
        };
        let wanted = Wanted::new(&root, below);
        if let Some(Known { tops, boards, on_device }) = outside.solution(&wanted, estimate.boards)? {
            self.used_graphics |= on_device;
            return Ok((root, tops, boards));
        }
        let (tops, boards) = self.tops_here(&root, below, &estimate, control)?;
        outside.remember(wanted, Known { tops: tops.clone(), boards, on_device: false });
        Ok((root, tops, boards))
    }

    /// The same by this process.
    fn tops_here(
        &mut self,
        root: &ChainRoot,
        below: usize,
        estimate: &Estimate,
        control: &Control,
    ) -> Result<([Top; 2], u64), SolveError> {
        #[cfg(feature = "gpu")]
        if let Some(solved) = self.tops_on_gpu(root, below, estimate, control)? {
            return Ok(solved);
        }
        if estimate.bytes > self.memory {
            return Err(SolveError::Memory { need: estimate.bytes, limit: self.memory });
        }
        let empty = root.empty.len();
        let frame = Frame::new(empty);
        let plan = Plan::new(&frame, first_slice(self.rules, below, empty), self.threads.get());
        let answer = leaves_answer(self.rules, below, empty);
        let tables =
            WinTables::new(&frame, &self.fives, self.kernel, root, below, answer, self.threads.get());
        self.arena
            .reserve(plan.arena)
            .map_err(|source| SolveError::Allocation { bytes: plan.arena_bytes(), source })?;
        let chains = Chains {
            frame: &frame,
            classes: ClassTables::get(frame.split.low),
            plan: &plan,
            tables: &tables,
            rules: self.rules,
            passes: Passes::of(self.kernel),
            root,
            control,
            threads: self.threads.get(),
        };
        let arena = &mut self.arena;
        let tops = [chains.run(0, below, arena)?, chains.run(1, below, arena)?];
        Ok((tops, plan.boards()))
    }

    /// The same on a graphics processor, where one is asked for, or there is one and it is worth it.
    #[cfg(feature = "gpu")]
    fn tops_on_gpu(
        &mut self,
        root: &ChainRoot,
        below: usize,
        estimate: &Estimate,
        control: &Control,
    ) -> Result<Option<([Top; 2], u64)>, SolveError> {
        let asked_for = match self.kernel.graphics() {
            Graphics::Unused => return Ok(None),
            Graphics::WhereFaster if estimate.boards < self.gpu.cuts.worth => return Ok(None),
            graphics => graphics == Graphics::Always,
        };
        let common = Common {
            rules: self.rules,
            fives: &self.fives,
            kernel: self.kernel,
            threads: self.threads.get(),
        };
        match self.gpu.solve(common, control, root, below, asked_for, self.memory) {
            Ok(tops) => {
                self.used_graphics |= tops.is_some();
                Ok(tops)
            }
            Err(SolveError::Gpu(_) | SolveError::Memory { .. }) if !asked_for => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A graphics processor, which is opened when it is needed first.
#[cfg(feature = "gpu")]
#[derive(Default)]
struct OnGpu {
    cuts: super::gpu::Cuts,
    opened: Option<Gpu>,
}

#[cfg(feature = "gpu")]
impl OnGpu {
    /// Bytes of the processor's memory that a solution takes, if there is a graphics processor.
    fn bytes(&self, rules: Rules, empty: usize, plies: usize) -> Option<u64> {
        let gpu = Gpu::new(Device::shared().ok()?, self.cuts);
        let takes = gpu.takes(rules, empty, plies);
        // What it can't hold is not what makes it fit; and a program that plays one shares the memory.
        Some(if gpu.is_hardware() && takes.fits { takes.host } else { takes.host + takes.room.bytes() })
    }

    /// The upper ends of both chains; none if it wasn't asked for and is no graphics processor.
    fn solve(
        &mut self,
        common: Common,
        control: &Control,
        root: &ChainRoot,
        below: usize,
        asked_for: bool,
        memory: u64,
    ) -> Result<Option<([Top; 2], u64)>, SolveError> {
        let device = Device::shared()?;
        if !(asked_for || device.adapter().hardware || self.cuts.software) {
            return Ok(None);
        }
        let cuts = self.cuts;
        let gpu = match &mut self.opened {
            Some(gpu) if gpu.is_on(&device) => gpu,
            other => other.insert(Gpu::new(device, cuts)),
        };
        let takes = gpu.takes(common.rules, root.empty.len(), below);
        let need = if gpu.is_hardware() { takes.host } else { takes.host + takes.room.bytes() };
        if takes.fits && need > memory {
            return Err(SolveError::Memory { need, limit: memory });
        }
        let solved = gpu.solve(common, control, root, below, 1 + usize::from(asked_for));
        if let Err(SolveError::Gpu(_)) = solved {
            // It may be lost, or short of memory.
            self.opened = None;
        }
        solved.map(Some)
    }

    fn release(&mut self) {
        self.opened = None;
    }
}

/// Reads values off the upper ends of both chains.
struct TopReader<'a> {
    rules: Rules,
    position: &'a Position,
    root: &'a ChainRoot,
    tops: &'a [Top; 2],
    /// The chain of the player who moves at the root.
    mover: usize,
    plies: usize,
    complete: bool,
}

impl TopReader<'_> {
    /// The value at one bit of a half super that both chains have, for the player who moves at the
    /// root.
    fn decide(&self, half: impl Fn(&Top) -> Half, bit: usize) -> Value {
        let wins = |player: usize| half(&self.tops[player]).get(bit);
        match (wins(self.mover), wins(1 - self.mover)) {
            (true, _) => Value::Win,
            (_, true) => Value::Loss,
            _ if self.complete => Value::Draw,
            _ => Value::Unknown,
        }
    }

    fn value(&self, mv: Move) -> MoveEval {
        let played = self.rules.play(self.position, mv).expect("the rules list legal moves");
        let value = match played.outcome {
            Some(outcome) => Value::of(outcome, self.position.to_move()),
            None => {
                let turn = match mv.turn {
                    TurnPart::Turn(turn) => turn,
                    // Declining is legal where turning some quadrant would change nothing; so it is
                    // worth the same.
                    TurnPart::Skip | TurnPart::None => {
                        let idle = played.position.board().idle_turn(self.rules.shape);
                        idle.expect("declining needs a quadrant that a turn leaves as it is")
                    }
                };
                let bit = half_index(turned([0; 4], usize::from(turn.quadrant), turn.clockwise));
                match mv.place {
                    None => self.decide(|top| top.root, bit),
                    Some(socket) => {
                        let at = self.root.empty.iter().position(|&bit| bit == socket.bit());
                        let at = at.expect("a placement is on a free socket");
                        self.decide(|top| top.children[at], bit)
                    }
                }
            }
        };
        let origin = match (value, played.outcome) {
            (Value::Unknown, _) => Origin::open(RuledOut::within(self.plies)),
            (_, Some(_)) => Origin::Rules,
            (_, None) => Origin::Solved,
        };
        MoveEval { mv, position: played.position, value, distance: None, origin, guess: None }
    }
}
