//! Jobs on a graphics processor of this machine.
//!
//! A position whose slices don't fit is solved by those after each placement, one after the other,
//! which are about a third of its size each: the wins of the root follow from those of its children.

use super::super::chain::{Top, wins};
use super::super::error::SolveError;
use super::super::win_tables::ChainRoot;
use super::job::{Common, Job, SHADER, Takes, tables};
use super::schedule::Cuts;
use crate::kernel::{Combine, Pack, Passes, Turns};
use crate::rules::{Place, Rules};
use crate::supers::Half;
use pentago_base::Control;
use pentago_gpu::{Batch, Device, GpuError, LINE_BYTES, Room, Session};
use std::sync::Arc;

/// A graphics processor, with the memory of the last solution.
pub(in crate::solve::rooted) struct Gpu {
    device: Arc<Device>,
    cuts: Cuts,
    session: Option<Session>,
    /// Bytes that it hadn't.
    lacked: u64,
}

impl Gpu {
    pub fn new(device: Arc<Device>, cuts: Cuts) -> Gpu {
        Gpu { device, cuts, session: None, lacked: u64::MAX }
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
        Takes::of(self.cuts, self.device.adapter().limits, rules, empty, plies)
    }

    /// The upper ends of both chains of a root, `plies` plies deep, and how many boards were computed.
    /// `deeper`: how many placements may be made first, where it doesn't fit.
    pub fn solve(
        &mut self,
        common: Common,
        control: &Control,
        root: &ChainRoot,
        plies: usize,
        deeper: usize,
    ) -> Result<([Top; 2], u64), SolveError> {
        let empty = root.empty.len();
        let takes = self.takes(common.rules, empty, plies);
        let small = deeper == 0 || empty < 2 || plies < 2;
        let bytes = takes.room.bytes();
        if takes.fits && bytes < self.lacked {
            match self.solve_at_once(common, control, root, plies, takes.room) {
                // How much memory it has shows only now.
                Err(SolveError::Gpu(GpuError::Memory { .. })) if !small => self.lacked = bytes,
                solved => return solved,
            }
        }
        if small {
            let limits = self.cuts.bound(self.device.adapter().limits);
            let reached = limits.lines().saturating_mul(LINE_BYTES);
            let most = reached.min(self.cuts.memory).min(self.lacked - 1);
            return Err(GpuError::TooLarge { need: bytes, most }.into());
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
            let ([of_other, of_mover], more) = self.solve(common, control, &child, plies - 1, deeper - 1)?;
            children[0].push(of_mover.root);
            children[1].push(of_other.root);
            boards += more;
        }
        let tops = children.into_iter().enumerate();
        let tops = tops.map(|(chain, children)| above(common, root, chain, children)).collect::<Vec<_>>();
        Ok((tops.try_into().expect("there are two chains"), boards))
    }

    fn solve_at_once(
        &mut self,
        common: Common,
        control: &Control,
        root: &ChainRoot,
        plies: usize,
        room: Room,
    ) -> Result<([Top; 2], u64), SolveError> {
        let (cuts, limits) = (self.cuts, self.device.adapter().limits);
        // Large memory takes a driver as long as the tables take the processor.
        let (job, session) = std::thread::scope(|scope| {
            let session = scope.spawn(|| self.session(room, root.empty.len()));
            (Job::new(common, cuts, limits, root, plies), session.join())
        });
        let mut job = job;
        debug_assert_eq!(job.room(), room);
        // It is dropped with what it has read so far, if this is stopped.
        let mut session = session.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        session.write_fives(job.fives());
        run(&mut job, &mut session, control)?;
        let lines = session.read()?;
        self.session = Some(session);
        Ok(job.tops(&lines).expect("a line was read for each"))
    }

    /// The memory of the last solution, if it is as large, or other memory: both at a time may be too
    /// much.
    fn session(&mut self, room: Room, empty: usize) -> Result<Session, GpuError> {
        match self.session.take().filter(|session| session.serves(room)) {
            Some(session) => Ok(session),
            None => Session::new(&self.device, SHADER, room, tables(empty)),
        }
    }
}

/// Has the device run all batches. While one is sent, and those before it are run, the next one is made.
fn run(job: &mut Job, session: &mut Session, control: &Control) -> Result<(), SolveError> {
    let mut spent = Batch::default();
    let mut next = job.next_batch(Batch::default());
    while let Some((batch, boards)) = next {
        control.check()?;
        let (sent, made) = std::thread::scope(|scope| {
            let sent = scope.spawn(|| session.submit(&batch));
            // This thread has the others of its pool to help.
            let made = job.next_batch(std::mem::take(&mut spent));
            (sent.join(), made)
        });
        sent.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        control.add(boards);
        (spent, next) = (batch, made);
    }
    Ok(())
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
