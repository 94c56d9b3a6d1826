//! Computes rooted solutions on a GPU of this machine.
//!
//! If the slices of a position don't fit in the memory of the GPU, the positions after each
//! placement are solved sequentially instead. Each of these positions takes about a third of the
//! memory. The wins of the root follow from the wins of these children.

use super::super::chain::{ChainTop, ChainTops, wins};
use super::super::error::SolveError;
use super::super::win_tables::{ChainRoot, SolutionSettings};
use super::job::{DeviceNeeds, DeviceSolution, SHADER, tables};
use super::schedule::Cuts;
use crate::kernel::{Combine, Pack, Passes, Turns};
use crate::rules::{Place, Rules};
use crate::supers::{Half, WinMasks};
use pentago_base::Control;
use pentago_gpu::{Batch, Device, GpuError, LINE_BYTES, Room, Session};
use std::sync::Arc;

/// The GPU of a solver. The GPU is opened at its first use. The memory of the latest solution
/// remains allocated.
pub(crate) struct Gpu {
    pub cuts: Cuts,
    opened: Option<Arc<Device>>,
    session: Option<Session>,
    /// The size in bytes of the smallest solution whose allocation failed on this device.
    lacked: u64,
}

/// Returns the memory that an undivided solution needs. The solution is `plies` plies deep, and its
/// root has `empty` empty sockets.
fn needs(device: &Device, cuts: Cuts, rules: Rules, empty: usize, plies: usize) -> DeviceNeeds {
    DeviceNeeds::of(cuts, device.adapter.limits, rules, empty, plies)
}

impl Gpu {
    pub fn new(cuts: Cuts) -> Gpu {
        Gpu { cuts, opened: None, session: None, lacked: u64::MAX }
    }

    /// Returns an upper bound on the host memory of a solution in bytes, or `None` if the machine
    /// has no GPU.
    pub fn bytes(&self, rules: Rules, empty: usize, plies: usize) -> Option<u64> {
        let device = Device::shared().ok()?;
        let needs = needs(&device, self.cuts, rules, empty, plies);
        // A software renderer uses host memory. A solution that doesn't fit on the device is
        // divided, and the memory of the undivided solution serves as the bound.
        let on_device = device.adapter.hardware && needs.fits;
        Some(if on_device { needs.host } else { needs.host + needs.room.bytes() })
    }

    /// Computes the upper ends of both chains. Returns `None` if the machine has only a software
    /// renderer and the caller did not request a GPU.
    pub fn solve(
        &mut self,
        settings: SolutionSettings,
        control: &Control,
        root: &ChainRoot,
        below: usize,
        requested: bool,
        memory: u64,
    ) -> Result<Option<ChainTops>, SolveError> {
        let device = Device::shared()?;
        let hardware = device.adapter.hardware;
        if !(requested || hardware || self.cuts.software) {
            return Ok(None);
        }
        if !self.opened.as_ref().is_some_and(|opened| Arc::ptr_eq(opened, &device)) {
            *self = Gpu { opened: Some(Arc::clone(&device)), ..Gpu::new(self.cuts) };
        }
        let needs = needs(&device, self.cuts, settings.rules, root.empty.len(), below);
        let need = if hardware { needs.host } else { needs.host + needs.room.bytes() };
        if needs.fits && need > memory {
            return Err(SolveError::Memory { need, limit: memory });
        }
        let solved = self.solve_in_parts(&device, settings, control, root, below, 1 + usize::from(requested));
        if let Err(SolveError::Gpu(_)) = solved {
            // The device may be lost or short of memory, so release everything.
            self.release();
        }
        solved.map(Some)
    }

    /// Releases the device and its memory.
    pub fn release(&mut self) {
        *self = Gpu::new(self.cuts);
    }

    /// Computes the upper ends of both chains. A solution that doesn't fit on the device is
    /// replaced by the solutions after each placement, recursively for at most `deeper` plies.
    fn solve_in_parts(
        &mut self,
        device: &Arc<Device>,
        settings: SolutionSettings,
        control: &Control,
        root: &ChainRoot,
        plies: usize,
        deeper: usize,
    ) -> Result<ChainTops, SolveError> {
        let empty = root.empty.len();
        let needs = needs(device, self.cuts, settings.rules, empty, plies);
        let small = deeper == 0 || empty < 2 || plies < 2;
        let bytes = needs.room.bytes();
        if needs.fits && bytes < self.lacked {
            match self.solve_whole(device, settings, control, root, plies, needs.room) {
                // The device doesn't report its free memory. Remember the size that failed, and
                // divide the solution.
                Err(SolveError::Gpu(GpuError::Memory { .. })) if !small => self.lacked = bytes,
                solved => return solved,
            }
        }
        if small {
            let limits = self.cuts.bound(device.adapter.limits);
            let reached = limits.lines().saturating_mul(LINE_BYTES);
            let most = reached.min(self.cuts.memory).min(self.lacked - 1);
            return Err(GpuError::TooLarge { need: bytes, most }.into());
        }
        let mut children = [Vec::new(), Vec::new()];
        let mut boards = 1;
        for &socket in &root.empty {
            // At the child the other player moves, so the first chain of the child is the chain of
            // that player.
            let child = ChainRoot {
                sets: [root.sets[1], root.sets[0] | socket],
                empty: root.empty.iter().copied().filter(|&other| other != socket).collect(),
                parity: root.parity ^ 1,
            };
            let ([of_other, of_mover], more) =
                self.solve_in_parts(device, settings, control, &child, plies - 1, deeper - 1)?;
            children[0].push(of_mover.root);
            children[1].push(of_other.root);
            boards += more;
        }
        let [first, second] = children;
        Ok(([above(settings, root, 0, first), above(settings, root, 1, second)], boards))
    }

    /// Computes an undivided solution, which must fit on the device.
    fn solve_whole(
        &mut self,
        device: &Arc<Device>,
        settings: SolutionSettings,
        control: &Control,
        root: &ChainRoot,
        plies: usize,
        room: Room,
    ) -> Result<ChainTops, SolveError> {
        let (cuts, limits) = (self.cuts, device.adapter.limits);
        // Allocating a large memory in the driver takes about as long as making the tables on the
        // CPU, so do both in parallel.
        let (mut solution, session) = std::thread::scope(|scope| {
            let session = scope.spawn(|| self.session(device, room, root.empty.len()));
            (DeviceSolution::new(settings, cuts, limits, root, plies), session.join())
        });
        debug_assert_eq!(solution.room(), room);
        // If the solution is cancelled, the session is dropped. Lines that the device has already
        // copied for reading are dropped with it.
        let mut session = session.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        session.write_fives(solution.fives());
        run(&mut solution, &mut session, control)?;
        let lines = session.read()?;
        self.session = Some(session);
        Ok(solution.tops(&lines).expect("a line was read for each"))
    }

    /// Returns the session of the preceding solution if its memory has the required size. Otherwise
    /// frees that session and creates a new one: the device may lack memory for two sessions.
    fn session(&mut self, device: &Arc<Device>, room: Room, empty: usize) -> Result<Session, GpuError> {
        match self.session.take().filter(|session| session.serves(room)) {
            Some(session) => Ok(session),
            None => Session::new(device, SHADER, room, tables(empty)),
        }
    }
}

/// Runs all batches on the device. The next batch is prepared while the device executes the current
/// batch.
fn run(solution: &mut DeviceSolution, session: &mut Session, control: &Control) -> Result<(), SolveError> {
    let mut spent = Batch::default();
    let mut next = solution.next_batch(Batch::default());
    while let Some((batch, boards)) = next {
        control.check()?;
        let (sent, made) = std::thread::scope(|scope| {
            let sent = scope.spawn(|| session.submit(&batch));
            // This thread belongs to the rayon pool, so prepare the next batch here: the threads of
            // the pool share the work.
            let made = solution.next_batch(std::mem::take(&mut spent));
            (sent.join(), made)
        });
        sent.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        control.add(boards);
        (spent, next) = (batch, made);
    }
    Ok(())
}

/// Computes the upper end of a chain at `root`. `children` has the wins of the chain's player after
/// each placement.
fn above(settings: SolutionSettings, root: &ChainRoot, chain: usize, children: Vec<Half>) -> ChainTop {
    let SolutionSettings { rules, kernel, .. } = settings;
    let (fives, passes) = (WinMasks::get(rules.shape), Passes::of(kernel));
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
    ChainTop { root: wins(!good, 0, chain), children }
}
