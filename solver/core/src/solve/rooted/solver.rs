//! Computes the exact value of a position and of each of its moves.

use super::chain::{ChainTop, ChainTops, first_slice, leaves_answer};
use super::context::Chains;
use super::error::SolveError;
use super::gpu::Outside;
#[cfg(feature = "gpu")]
use super::gpu::{Cuts, Gpu};
use super::plan::Plan;
use super::request::DeviceRequest;
use super::win_tables::{ChainRoot, SolutionSettings, WinTables};
use crate::answer::{Estimate, MoveEval, Origin, RuledOut, Value};
use crate::index::Frame;
use crate::kernel::{Arena, Graphics, Kernel};
use crate::rules::{Move, Played, Position, Rules, TurnPart};
use crate::solve::proof::ProofCache;
use crate::supers::Half;
use crate::supers::half::half_index;
use crate::symmetry::turned;
use pentago_base::{Clock, Control};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The solution of one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The value for the side to move.
    pub value: Value,
    /// All legal moves, in the order of [`Rules::moves`]; empty if the game is over.
    pub moves: Vec<MoveEval>,
    /// The depth of the solution in plies, or 0 if the game is over.
    pub plies: usize,
    /// `true` if the solution reaches the end of the game, so that no value is unknown.
    pub complete: bool,
    /// The number of boards of one chain. Each board covers 128 rotations. Both chains compute the
    /// same boards.
    pub boards: u64,
}

/// The size in bytes of the memory apart from the arena and the tables of fives: stacks, tables of
/// low sockets, and the buffers of threads.
const OVERHEAD_BYTES: u64 = 4 << 20;

/// The minimum number of boards of a solution whose time per board is measured.
const TELLING_BOARDS: u64 = 1_000_000;

/// The assumed time in seconds to compute a board on one thread, until a rate is known.
const SECONDS_PER_BOARD: f64 = 20e-9;
/// The assumed time in seconds to compute a board on a GPU. The fastest GPUs need a tenth of this
/// time.
const SECONDS_PER_BOARD_ON_GPU: f64 = 1e-9;

/// A solver of positions under one set of rules. The solver reuses its memory for the next
/// position.
pub struct RootedSolver {
    /// The rules of the game.
    pub rules: Rules,
    /// The kernel that computes solutions.
    pub kernel: Kernel,
    /// The number of threads that compute a solution. With 1, the calling thread does all the work.
    /// Otherwise this is the number of threads of the current rayon pool.
    pub threads: NonZeroUsize,
    /// The memory limit in bytes.
    pub memory: u64,
    arena: Arena,
    /// The clock that measures solutions and time limits. [`Clock::none`] disables both.
    pub clock: Clock,
    /// The time per board, in seconds, of the latest solution that was large enough to measure.
    /// `None` before the first such solution.
    seconds_per_board: Option<f64>,
    /// The time in seconds to compute a board on one thread, until a solution is measured.
    pub rate: f64,
    /// `true` if a GPU has computed a solution since the latest call of [`RootedSolver::begin`].
    used_graphics: bool,
    /// A device outside of the process, or `None` if there is no such device; see [`Outside`].
    pub outside: Option<Arc<Outside>>,
    /// The cache of proved values, or `None` if no values are cached.
    pub kept: Option<Arc<ProofCache>>,
    #[cfg(feature = "gpu")]
    gpu: Gpu,
}

impl RootedSolver {
    /// Creates a solver. `threads` is 1 if the calling thread does all the work, and otherwise the
    /// number of threads of the current rayon pool. `memory` is the memory limit in bytes.
    pub fn new(rules: Rules, kernel: Kernel, threads: NonZeroUsize, memory: u64) -> RootedSolver {
        RootedSolver {
            rules,
            kernel,
            threads,
            memory,
            arena: Arena::default(),
            clock: Clock::default(),
            seconds_per_board: None,
            rate: SECONDS_PER_BOARD,
            used_graphics: false,
            outside: None,
            kept: None,
            #[cfg(feature = "gpu")]
            gpu: Gpu::new(Cuts::default()),
        }
    }

    /// Replaces the limits that divide the work of the GPU.
    #[cfg(feature = "gpu")]
    #[must_use]
    pub fn with_cuts(self, cuts: Cuts) -> RootedSolver {
        RootedSolver { gpu: Gpu::new(cuts), ..self }
    }

    /// Frees the memory that would be reused for the next solution.
    pub fn release(&mut self) {
        self.arena = Arena::default();
        #[cfg(feature = "gpu")]
        self.gpu.release();
    }

    /// Starts another question: [`RootedSolver::used`] then ignores earlier solutions.
    pub fn begin(&mut self) {
        self.used_graphics = false;
    }

    /// Returns the kernel that computed the solutions of the current question: the solver's own
    /// kernel, or `gpu` if a GPU computed a solution.
    pub fn used(&self) -> Kernel {
        self.kernel.with_graphics(if self.used_graphics { Graphics::Always } else { Graphics::Unused })
    }

    fn settings(&self) -> SolutionSettings {
        SolutionSettings { rules: self.rules, kernel: self.kernel, threads: self.threads.get() }
    }

    /// Returns the maximum number of plies from `position` to the end of the game.
    pub fn all_plies(&self, position: &Position) -> usize {
        position.free().count_ones() as usize + usize::from(position.pending())
    }

    /// Estimates the cost of [`RootedSolver::solve`] for `position` and `plies`.
    pub fn estimate(&self, position: &Position, plies: usize) -> Estimate {
        // A solution has at least one ply, as in `solve`. A pending turn counts as the first ply.
        let plies = plies.clamp(1, self.all_plies(position).max(1));
        if self.rules.outcome(position).is_some() {
            return Estimate { plies, boards: 0, bytes: 0 };
        }
        let below = plies - usize::from(position.pending());
        let empty = position.free().count_ones() as usize;
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

    /// Returns the expected time in seconds of a solution of `boards` boards.
    pub fn seconds(&self, boards: u64) -> f64 {
        let assumed = || match self.kernel.graphics() {
            Graphics::Always => SECONDS_PER_BOARD_ON_GPU,
            _ => self.rate / self.threads.get() as f64,
        };
        boards as f64 * self.seconds_per_board.unwrap_or_else(assumed)
    }

    /// Solves a position to a depth of `plies` plies, or to the end of the game if fewer plies
    /// remain. The depth is at least 1. `control` counts the boards of both chains, and can cancel
    /// the solution.
    ///
    /// # Errors
    /// If the shapes of the position and the rules differ, if `control` is cancelled, if the
    /// solution exceeds the memory limit, if an allocation fails, or if a requested GPU fails. Also
    /// `SolveError::Device`, if a device outside of the process must compute the solution.
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
            // If a turn is pending, the other player places first, so the second chain is the chain
            // of the side to move.
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
        let of_root = decide(&|top| top.root, half_index([0; 4]));
        let is_decided = [of_root, value].map(|value| matches!(value, Value::Win | Value::Loss));
        debug_assert!(position.pending() || of_root == value || is_decided == [false; 2]);
        Ok(Solution { value, moves, plies, complete, boards })
    }

    /// Returns the root of the chains for a position, and the upper ends of both chains.
    fn tops(
        &mut self,
        position: &Position,
        plies: usize,
        control: &Control,
    ) -> Result<(ChainRoot, ChainTops), SolveError> {
        let estimate = self.estimate(position, plies);
        let (root, below) = (ChainRoot::of(position), plies - usize::from(position.pending()));
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

    /// Computes the upper ends of both chains in this process.
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
        let tables = WinTables::new(&frame, self.settings(), root, below, answer);
        self.arena
            .reserve(plan.arena)
            .map_err(|source| SolveError::Allocation { bytes: plan.arena_bytes(), source })?;
        let chains = Chains::new(self.settings(), &frame, &plan, &tables, root, control);
        let arena = &mut self.arena;
        let tops = [chains.run(0, below, arena)?, chains.run(1, below, arena)?];
        Ok((tops, plan.boards()))
    }

    /// Computes the upper ends of both chains on a GPU. Returns `None` if the kernel doesn't use a
    /// GPU, if the solution is too small for a GPU, or if the GPU fails and the caller did not
    /// request a GPU.
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
        match self.gpu.solve(self.settings(), control, root, below, requested, self.memory) {
            Ok(tops) => {
                self.used_graphics |= tops.is_some();
                Ok(tops)
            }
            Err(SolveError::Gpu(_) | SolveError::Memory { .. }) if !requested => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns the index of the rotation after the turn of a move. The rules allow declining the turn
/// only if some turn leaves the board unchanged. Such a turn then has the same value, so its
/// rotation is returned.
fn bit_after(rules: Rules, mv: Move, played: &Played) -> usize {
    let turn = match mv.turn {
        TurnPart::Turn(turn) => turn,
        TurnPart::Skip | TurnPart::None => {
            let idle = played.position.board().idle_turn(rules.shape);
            idle.expect("declining needs a quadrant that a turn leaves as it is")
        }
    };
    half_index(turned([0; 4], usize::from(turn.quadrant), turn.clockwise))
}
