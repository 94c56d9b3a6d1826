//! Rooted solutions on a graphics processor: the same chains, slice by slice, by one shader.
//!
//! The slices lie in its memory as they would lie in the processor's ([`Plan`]), so what is read off
//! their upper ends is the same, bit for bit. The processor makes the tables of five in a row
//! ([`WinTables`]) and says where everything lies ([`schedule`]); no rank is computed by the shader
//! (`chain.wgsl`, which begins with the mathematics).
//!
//! A position whose slices don't fit is solved by those after each placement, one after the other,
//! which are about a third of its size each: the wins of the root follow from those of its children.

mod schedule;
mod tables;

pub use schedule::Cuts;

use super::chain::{Top, child_place, first_slice, leaves_answer, wins};
use super::classes::ClassTables;
use super::context::Chains;
use super::error::SolveError;
use super::plan::Plan;
use super::win_tables::{ChainRoot, WinTables};
use crate::index::Frame;
use crate::index::rooted::low::MAX_LOW;
use crate::kernel::{Combine, Kernel, Pack, Passes, Turns};
use crate::rules::{Place, Rules, Socket};
use crate::supers::{Half, WinMasks};
use pentago_base::Control;
use pentago_gpu::{Device, GpuError, LINE_BYTES, Limits, Most, Pieces, Session, Step};
use schedule::{FivesAt, MOST_PASSES, MOST_WORDS, Schedule};
use std::sync::{Arc, OnceLock};
use tables::ShaderTables;
use zerocopy::{FromBytes, IntoBytes};

const SHADER: &str = include_str!("chain.wgsl");

/// What a solution is made of, but for its root.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub rules: Rules,
    pub fives: &'a WinMasks,
    pub kernel: Kernel,
    pub threads: usize,
    pub control: &'a Control,
}

/// A graphics processor, with the memory of the last solution.
pub(super) struct Gpu {
    device: Arc<Device>,
    cuts: Cuts,
    session: Option<Session>,
}

/// What a solution takes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Takes {
    /// On the device.
    pub device: u64,
    /// Of the processor's memory.
    pub host: u64,
    /// Whether the device can hold it.
    pub fits: bool,
}

/// The shader's tables for a frame: they don't depend on the number of high sockets.
fn tables_of(frame: &Frame) -> &'static ShaderTables {
    const FRAMES: usize = MAX_LOW + 8 + 1;
    static ALL: [OnceLock<ShaderTables>; FRAMES] = [const { OnceLock::new() }; FRAMES];
    let split = frame.split;
    ALL[split.low + split.inner + split.outer].get_or_init(|| ShaderTables::new(frame))
}

impl Gpu {
    pub fn new(device: Arc<Device>, cuts: Cuts) -> Gpu {
        Gpu { device, cuts, session: None }
    }

    /// Whether this is the device that it computes on.
    pub fn is_on(&self, device: &Arc<Device>) -> bool {
        Arc::ptr_eq(&self.device, device)
    }

    /// Whether it is a graphics processor, not a program that plays one.
    pub fn is_hardware(&self) -> bool {
        self.device.adapter().hardware
    }

    /// What the solution of a root with `empty` empty sockets takes in one piece, `plies` plies deep.
    pub fn takes(&self, rules: Rules, empty: usize, plies: usize) -> Takes {
        let frame = Frame::new(empty);
        let plan = self.cuts.plan(&frame, first_slice(rules, plies, empty));
        let fives = WinTables::bytes(&frame, plies, leaves_answer(rules, plies, empty), empty);
        let pieces = self.pieces(&plan);
        let most = most(empty, fives);
        let limits = self.limits();
        Takes {
            device: Session::bytes(pieces, tables_of(&frame).words.len() as u64, most),
            // The words of two batches are copied on their way.
            host: fives + 12 * MOST_WORDS as u64,
            fits: plan.arena <= limits.lines().min(self.cuts.memory / LINE_BYTES)
                && fives <= self.device.adapter().limits.binding,
        }
    }

    fn limits(&self) -> Limits {
        let limits = self.device.adapter().limits;
        Limits { binding: limits.binding.min(self.cuts.piece.max(LINE_BYTES)), ..limits }
    }

    fn pieces(&self, plan: &Plan) -> Pieces {
        Pieces::new(plan.arena, self.device.adapter().limits.binding.min(self.cuts.piece))
    }

    /// The upper ends of both chains of a root, `plies` plies deep, and how many boards were computed.
    /// `deeper`: how many placements may be made first, where it doesn't fit.
    pub fn solve(
        &mut self,
        common: Common,
        root: &ChainRoot,
        plies: usize,
        deeper: usize,
    ) -> Result<([Top; 2], u64), SolveError> {
        let empty = root.empty.len();
        let takes = self.takes(common.rules, empty, plies);
        if takes.fits {
            return self.solve_at_once(common, root, plies);
        }
        if deeper == 0 || empty < 2 || plies < 2 {
            let most = self.limits().lines().saturating_mul(LINE_BYTES).min(self.cuts.memory);
            return Err(GpuError::TooLarge { need: takes.device, most }.into());
        }
        let mut children = [Vec::new(), Vec::new()];
        let mut boards = 1;
        for &socket in &root.empty {
            // The other player is the one to move there, and the first of its chains is his.
            let child = ChainRoot {
                sets: [root.sets[1], root.sets[0] | socket],
                empty: root.empty.iter().copied().filter(|&other| other != socket).collect(),
                parity: root.parity ^ 1,
            };
            let ([of_other, of_mover], more) = self.solve(common, &child, plies - 1, deeper - 1)?;
            children[0].push(of_mover.root);
            children[1].push(of_other.root);
            boards += more;
        }
        let tops = children.into_iter().enumerate();
        let tops = tops.map(|(chain, children)| above(common, root, chain, children)).collect::<Vec<_>>();
        Ok((tops.try_into().ok().expect("there are two chains"), boards))
    }

    fn solve_at_once(
        &mut self,
        common: Common,
        root: &ChainRoot,
        plies: usize,
    ) -> Result<([Top; 2], u64), SolveError> {
        let Common { rules, fives, kernel, threads, control } = common;
        let empty = root.empty.len();
        let frame = Frame::new(empty);
        let plan = self.cuts.plan(&frame, first_slice(rules, plies, empty));
        let answer = leaves_answer(rules, plies, empty);
        let tables = WinTables::new(&frame, fives, kernel, root, plies, answer, threads);
        let chains = Chains {
            frame: &frame,
            classes: ClassTables::get(frame.split.low),
            plan: &plan,
            tables: &tables,
            rules,
            passes: Passes::of(kernel),
            root,
            control,
            threads,
        };
        let fives = FivesAt::new(&tables);
        let cuts = self.cuts;
        let session = self.session(&frame, &plan, most(empty, fives.lines * LINE_BYTES))?;
        let mut at = 0;
        for lines in FivesAt::each(&tables) {
            session.write_fives(at, lines.as_bytes());
            at += lines.as_bytes().len() as u64;
        }
        for chain in 0..2 {
            let tables = tables_of(&frame);
            let (fives, chains) = (&fives, &chains);
            let schedule = Schedule { chains, chain, plies, tables, fives, cuts, slices: 0, units: 0 };
            for (batch, boards) in schedule {
                control.check()?;
                session.submit(&batch)?;
                control.add(boards);
            }
        }
        let lines = session.read()?;
        let mut lines = lines.iter().map(|line| Pack::read_from_bytes(line).expect("a line is a line"));
        // In the order in which they were computed: the first chain's children and its root.
        let slice = plan.slices.get(1).map(|slice| &slice.layout);
        let tops = [0, 1].map(|chain| {
            let mut next = |place: u8, plies| {
                let line: Pack = lines.next().expect("a line was read for each");
                wins(line.0[usize::from(place)], plies, chain)
            };
            let children = slice.map_or_else(Vec::new, |layout| {
                (0..empty).map(|i| next(child_place(&frame, layout, i).1, 1)).collect()
            });
            Top { root: next(0, 0), children }
        });
        Ok((tops, plan.boards()))
    }

    /// The memory of the last solution, if it is as large, or other memory.
    fn session(&mut self, frame: &Frame, plan: &Plan, most: Most) -> Result<&mut Session, GpuError> {
        let (pieces, tables) = (self.pieces(plan), &tables_of(frame).words);
        let same = |session: &Session| session.serves(pieces, tables, most);
        if !self.session.as_ref().is_some_and(same) {
            // Both at a time may be too much.
            self.session = None;
            self.session = Some(Session::new(&self.device, SHADER, pieces, tables, most)?);
        }
        Ok(self.session.as_mut().expect("it is there"))
    }
}

/// What a session has room for.
fn most(empty: usize, fives: u64) -> Most {
    let reads = 2 * (empty as u64 + 1);
    Most { words: MOST_WORDS as u64, passes: MOST_PASSES as u64, reads, fives }
}

/// The upper end of a chain, from the wins of its player at the children.
fn above(common: Common, root: &ChainRoot, chain: usize, children: Vec<Half>) -> Top {
    let Common { rules, fives, kernel, .. } = common;
    let passes = Passes::of(kernel);
    let of = |set: u64| passes.fives(&fives.lines(set))[usize::from(root.parity)];
    let stored = children.iter().map(|&child| wins(child, 1, chain));
    let union = stored.fold(Half::NONE, |all, child| all | child);
    let mut four = Pack::default();
    four.0[0] = union;
    let r = passes.rotation_max(&four, Turns::of(rules, root.parity)).0[0];
    let (m, n) = (of(root.sets[0]), of(root.sets[1]));
    let p = match rules.place {
        Place::Wins => root.empty.iter().fold(Half::NONE, |all, &socket| all | of(root.sets[0] | socket)),
        Place::Turn => m,
    };
    let good = match Combine::of(rules, chain == 0) {
        Combine::Unless => !n & (p | r),
        Combine::Mixed => n & m | !n & (p | r),
        Combine::Answer => p | !n & r,
        Combine::AnswerAlone => p & !(m & n) | !n & r,
    };
    Top { root: wins(!good, 0, chain), children }
}

/// What the solution of a root has the device do, without a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Boards of both chains.
    pub boards: u64,
    /// Lines that are computed for them: some boards stand in a line twice.
    pub lines: u64,
    /// Lines of memory in which the slices lie.
    pub memory: u64,
    /// Lines of the tables of five in a row.
    pub fives: u64,
    /// Passes of the shader.
    pub passes: u64,
    /// Submissions.
    pub batches: u64,
    /// Words that are sent besides the tables.
    pub words: u64,
}

impl Work {
    /// For a position with `empty` empty sockets.
    #[must_use]
    pub fn of(rules: Rules, empty: usize, cuts: Cuts) -> Work {
        let empties = rules.shape.sockets_of(!0).map(Socket::bit).take(empty).collect();
        let root = ChainRoot { sets: [0, 0], empty: empties, parity: 0 };
        let frame = Frame::new(empty);
        let plan = cuts.plan(&frame, first_slice(rules, empty, empty));
        let fives = WinMasks::new(rules.shape);
        let kernel = Kernel::best();
        let tables = WinTables::new(&frame, &fives, kernel, &root, empty, false, 1);
        let fives = FivesAt::new(&tables);
        let chains = Chains {
            frame: &frame,
            classes: ClassTables::get(frame.split.low),
            plan: &plan,
            tables: &tables,
            rules,
            passes: Passes::of(kernel),
            root: &root,
            control: &Control::new(),
            threads: 1,
        };
        let mut work = Work { memory: plan.arena, fives: fives.lines, ..Work::default() };
        work.lines = 2 * plan.slices.iter().map(|slice| slice.layout.lines()).sum::<u64>();
        for chain in 0..2 {
            let (tables, fives, chains) = (tables_of(&frame), &fives, &chains);
            let schedule = Schedule { chains, chain, plies: empty, tables, fives, cuts, slices: 0, units: 0 };
            for (batch, boards) in schedule {
                work.boards += boards;
                work.batches += 1;
                work.words += batch.words.len() as u64;
                work.passes +=
                    batch.steps.iter().filter(|step| matches!(step, Step::Pass { .. })).count() as u64;
            }
        }
        work
    }
}
