//! Jobs on a graphics processor of this machine.
//!
//! A position whose slices don't fit is solved by those after each placement, one after the other,
//! which are about a third of its size each: the wins of the root follow from those of its children.

use super::super::chain::{Top, wins};
use super::super::error::SolveError;
use super::super::win_tables::ChainRoot;
use super::job::{Common, Job, Takes};
use super::schedule::Cuts;
use crate::kernel::{Combine, Pack, Passes, Turns};
use crate::rules::{Place, Rules};
use crate::supers::Half;
use pentago_base::Control;
use pentago_gpu::{Device, GpuError, LINE_BYTES, Session};
use std::sync::Arc;

/// A graphics processor, with the memory of the last solution.
pub(in crate::solve::rooted) struct Gpu {
    device: Arc<Device>,
    cuts: Cuts,
    session: Option<Session>,
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
        if takes.fits {
            return self.solve_at_once(common, control, root, plies);
        }
        if deeper == 0 || empty < 2 || plies < 2 {
            let limits = self.cuts.bound(self.device.adapter().limits);
            let most = limits.lines().saturating_mul(LINE_BYTES).min(self.cuts.memory);
            return Err(GpuError::TooLarge { need: takes.room.bytes(), most }.into());
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
    ) -> Result<([Top; 2], u64), SolveError> {
        let mut job = Job::new(common, self.cuts, self.device.adapter().limits, root, plies);
        // It is dropped with what it has read so far, if this is stopped.
        let mut session = self.session(&job)?;
        let mut at = 0;
        for part in job.fives() {
            session.write_fives(at, part);
            at += part.len() as u64;
        }
        while let Some((batch, boards)) = job.next_batch() {
            control.check()?;
            session.submit(&batch)?;
            control.add(boards);
        }
        let lines = session.read()?;
        self.session = Some(session);
        Ok(job.tops(&lines).expect("a line was read for each"))
    }

    /// The memory of the last solution, if it is as large, or other memory: both at a time may be too
    /// much.
    fn session(&mut self, job: &Job) -> Result<Session, GpuError> {
        match self.session.take().filter(|session| session.serves(job.room())) {
            Some(session) => Ok(session),
            None => Session::new(&self.device, job.shader(), job.room(), job.tables()),
        }
    }
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
