//! The rooted solver: from a position to its exact value and that of every move.

use super::chain::{ChainTop, ChainTops, first_slice, leaves_answer};
use super::classes::ClassTables;
use super::context::Chains;
use super::error::SolveError;
use super::gpu::Outside;
#[cfg(feature = "gpu")]
use super::gpu::{Cuts, Gpu, SolutionSettings};
use super::plan::Plan;
use super::request::DeviceRequest;
use super::win_tables::{ChainRoot, WinTables};
use crate::answer::{Estimate, MoveEval, Origin, RuledOut, Value};
use crate::index::Frame;
use crate::kernel::{Arena, Graphics, Kernel, Passes};
use crate::rules::{Move, Played, Position, Rules, TurnPart};
use crate::solve::proof::ProofCache;
use crate::supers::half::half_index;
use crate::supers::{Half, WinMasks};
use crate::symmetry::turned;
use pentago_base::{Clock, Control};
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
    kept: Option<Arc<ProofCache>>,
    #[cfg(feature = "gpu")]
    gpu: Gpu,
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
            gpu: Gpu::new(Cuts::default()),
        }
    }

    /// The same with work for graphics processors cut in another way.
    #[cfg(feature = "gpu")]
    #[must_use]
    pub fn with_cuts(self, cuts: Cuts) -> RootedSolver {
        RootedSolver { gpu: Gpu::new(cuts), ..self }
    }

    /// The same with a device outside of the process, or without: [`Outside`] says what that changes.
    #[must_use]
    pub fn with_outside(self, outside: Option<Arc<Outside>>) -> RootedSolver {
        RootedSolver { outside, ..self }
    }

    /// The same with proofs kept from one question to the next, or without.
    #[must_use]
    pub fn with_kept(self, kept: Option<Arc<ProofCache>>) -> RootedSolver {
        RootedSolver { kept, ..self }
    }

    /// The proofs that are kept.
    pub fn kept(&self) -> Option<&ProofCache> {
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
        let (root, below) = RootedSolver::root(position, plies);
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
    fn root(position: &Position, plies: usize) -> (ChainRoot, usize) {
        (ChainRoot::of(position), plies - usize::from(position.pending()))
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
        let (root, (tops, boards)) = self.tops(position, plies, control)?;
        if began.is_some() && boards >= TELLING_BOARDS {
            self.seconds_per_board = Some(self.clock.since(began).as_secs_f64() / boards as f64);
        }
        let complete = plies == all;
        let decide = |half: &dyn Fn(&ChainTop) -> Half, bit: usize| {
            // The chain of the side to move is the second one if the turn is pending.
            let mover = usize::from(position.pending());
            match (half(&tops[mover]).get(bit), half(&tops[1 - mover]).get(bit)) {
                (true, _) => Value::Win,
                (_, true) => Value::Loss,
                _ if complete => Value::Draw,
                _ => Value::Unknown,
            }
        };
        let eval = |mv: Move| {
            let played = self.rules.play(position, mv).expect("the rules list legal moves");
            let value = match (played.outcome, mv.place) {
                (Some(outcome), _) => Value::of(outcome, mover),
                (None, None) => decide(&|top| top.root, bit_after(self.rules, mv, &played)),
                (None, Some(socket)) => {
                    let at = root.empty.iter().position(|&bit| bit == socket.bit());
                    let at = at.expect("a placement is on a free socket");
                    decide(&|top| top.children[at], bit_after(self.rules, mv, &played))
                }
            };
            let origin = match (value, played.outcome) {
                (Value::Unknown, _) => Origin::open(RuledOut::within(plies)),
                (_, Some(_)) => Origin::Rules,
                (_, None) => Origin::Solved,
            };
            MoveEval { mv, position: played.position, value, distance: None, origin, guess: None }
        };
        let moves: Vec<MoveEval> = self.rules.moves(position).into_iter().map(eval).collect();
        let value = Value::best_of(moves.iter().map(|m| m.value)).unwrap_or(Value::Loss);
        if !position.pending() {
            let root = decide(&|top| top.root, half_index([0; 4]));
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
    ) -> Result<(ChainRoot, ChainTops), SolveError> {
        let estimate = self.estimate(position, plies);
        let (root, below) = RootedSolver::root(position, plies);
        let Some(outside) = self.outside.clone() else {
            let tops = self.tops_here(&root, below, &estimate, control)?;
            return Ok((root, tops));
        };
        let request = DeviceRequest { root: root.clone(), plies: below };
        if let Some((tops, on_device)) = outside.solution(&request, estimate.boards)? {
            self.used_graphics |= on_device;
            return Ok((root, tops));
        }
        let tops = self.tops_here(&root, below, &estimate, control)?;
        outside.remember(request, tops.clone(), false);
        Ok((root, tops))
    }

    /// The same by this process.
    fn tops_here(
        &mut self,
        root: &ChainRoot,
        below: usize,
        estimate: &Estimate,
        control: &Control,
    ) -> Result<ChainTops, SolveError> {
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
    ) -> Result<Option<ChainTops>, SolveError> {
        let requested = match self.kernel.graphics() {
            Graphics::Unused => return Ok(None),
            Graphics::WhereFaster if estimate.boards < self.gpu.cuts.worth => return Ok(None),
            graphics => graphics == Graphics::Always,
        };
        let settings = SolutionSettings {
            rules: self.rules,
            fives: &self.fives,
            kernel: self.kernel,
            threads: self.threads.get(),
        };
        match self.gpu.solve(settings, control, root, below, requested, self.memory) {
            Ok(tops) => {
                self.used_graphics |= tops.is_some();
                Ok(tops)
            }
            Err(SolveError::Gpu(_) | SolveError::Memory { .. }) if !requested => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The bit of the rotation that the turn of a move leads to. Declining is legal where turning some quadrant
/// would change nothing, so both are worth the same.
fn bit_after(rules: Rules, mv: Move, played: &Played) -> usize {
    let turn = match mv.turn {
        TurnPart::Turn(turn) => turn,
        TurnPart::Skip | TurnPart::None => {
            let idle = rules.shape.idle_turn(played.position.board());
            idle.expect("declining needs a quadrant that a turn leaves as it is")
        }
    };
    half_index(turned([0; 4], usize::from(turn.quadrant), turn.clockwise))
}
