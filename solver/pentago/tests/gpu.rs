//! Compares the GPU with the portable kernel, move by move. On a machine that has neither a GPU nor
//! a GPU emulator (Mesa's lavapipe), these tests report that they were skipped.

use pentago::Question;
use pentago::ask::Search;
use pentago::rules::{Position, Rules, random};
use pentago::{Control, ErrorKind};
use pentago_core::index::Frame;
use pentago_core::kernel::{Graphics, Kernel};
use pentago_core::solve::rooted::gpu::{Batch, Cuts, DeviceSolution, Outside};
use pentago_core::solve::{RootedSolver, Solution, SolveError};
use pentago_gpu::{Device, GpuError, LINE_BYTES, OTHER_BINDINGS, Session};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Returns the rules of all presets, and rules under which a five counts only after the turn.
fn all_rules() -> Vec<Rules> {
    let presets = Rules::presets().iter().map(|preset| preset.1);
    presets.chain(["pentago:place=turn".parse().expect("rules")]).collect()
}

/// The lock under which one test at a time uses the device, because one test destroys the device.
static ALONE: Mutex<()> = Mutex::new(());

/// Locks the device and returns the lock and the device. Returns `None` if there is no device.
fn device() -> Option<(MutexGuard<'static, ()>, Arc<Device>)> {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    match Device::shared() {
        Ok(device) => Some((alone, device)),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn portable() -> Kernel {
    *Kernel::available().last().expect("there is always one")
}

fn solver(rules: Rules, graphics: Graphics, cuts: Cuts) -> RootedSolver {
    let kernel = portable().with_graphics(graphics);
    RootedSolver::new(rules, kernel, NonZeroUsize::MIN, 4 << 30).with_cuts(cuts)
}

/// Returns three ways to divide the work: the usual way, a way with slices of many passes that
/// overlap the previous slice, and a way with pieces of a few lines, so that arrays span several
/// pieces.
fn cuts() -> [Cuts; 3] {
    let usual = Cuts::default();
    let overlapping = Cuts { beside: 0, batch: 1000, ..usual };
    [usual, overlapping, Cuts { piece: 64 << 10, ..overlapping }]
}

/// Returns cuts with the smallest piece size for which a solution fits in the number of pieces that
/// the device can bind. The size is a power of two.
fn many_pieces(device: &Device, empty: usize) -> Cuts {
    let frame = Frame::new(empty);
    let most = u64::from(device.adapter.limits.bindings - OTHER_BINDINGS);
    let lines = Cuts::default().plan(&frame, empty).arena;
    let piece = lines.div_ceil(most.min(24)).next_power_of_two() * LINE_BYTES;
    Cuts { piece, ..Cuts::default() }
}

/// Returns the position after the placement of one more marble, whose turn is pending. Returns
/// `None` if the placement ends the game.
fn pending(rules: &Rules, position: &Position) -> Option<Position> {
    let socket = rules.shape.sockets_of(position.free()).next()?;
    let board = position.board().with(position.to_move(), socket);
    let pending = Position::new(rules.shape, board, position.to_move(), true).ok()?;
    rules.outcome(&pending).is_none().then_some(pending)
}

fn compare(rules: Rules, position: &Position, plies: usize, cuts: Cuts) {
    let control = Control::new();
    let solve = |graphics| -> Solution {
        let mut solver = solver(rules, graphics, cuts);
        let solution = solver.solve(position, plies, &control).unwrap();
        assert_eq!(solver.used().graphics(), graphics);
        solution
    };
    let text = rules.format_position(position);
    assert_eq!(solve(Graphics::Always), solve(Graphics::Unused), "{rules} {plies} plies {text} {cuts:?}");
}

/// Compares the solutions of `number` positions of each rule set, with numbers of marbles in the
/// range `marbles`. Some positions have a pending turn. Every third position is also compared at a
/// limited depth. Returns the number of compared positions.
fn compare_all(device: &Device, marbles: RangeInclusive<u32>, number: u64) -> u64 {
    let mut compared = 0;
    for rules in all_rules() {
        for seed in 0..number {
            let sockets = rules.shape.sockets() as u32;
            let marbles = marbles.start() + seed as u32 % (marbles.end() - marbles.start() + 1);
            // Choose the number of marbles that leaves equally many free sockets on a small board.
            let marbles = (sockets + marbles).saturating_sub(36);
            let position = random::positions(&rules, marbles, 1, seed, true).unwrap()[0];
            let position = Some(position).filter(|_| seed % 4 != 3).or_else(|| pending(&rules, &position));
            let Some(position) = position else { continue };
            let empty = position.free().count_ones() as usize;
            let cuts = match seed % 4 {
                3 => many_pieces(device, empty),
                n => cuts()[n as usize],
            };
            let cuts =
                if empty > 12 { Cuts { piece: many_pieces(device, empty).piece, ..cuts } } else { cuts };
            compare(rules, &position, usize::MAX, cuts);
            if seed % 3 == 0 {
                compare(rules, &position, 1 + seed as usize % 7, cuts);
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn a_device_agrees_with_the_portable_kernel() {
    let Some((_alone, device)) = device() else { return };
    eprintln!("on {:?}", device.adapter);
    assert!(compare_all(&device, 24..=30, 8) > 40);
}

#[test]
#[ignore = "300 positions: a minute where a program plays the device"]
fn long_a_device_agrees_with_the_portable_kernel() {
    let Some((_alone, device)) = device() else { return };
    let number = compare_all(&device, 24..=30, 44);
    assert!(number >= 300, "{number}");
}

/// Compares earlier positions. Each marble less takes three times as long, so few positions are
/// compared.
#[test]
#[ignore = "positions of 18 to 23 marbles: minutes where a program plays the device"]
fn a_device_agrees_about_earlier_positions() {
    let Some((_alone, device)) = device() else { return };
    let number = compare_all(&device, 20..=23, 4) + compare_all(&device, 18..=18, 1);
    assert!(number >= 25, "{number}");
}

/// Checks solutions that don't fit in the device's memory. Such a solution is computed from the
/// solutions of the positions after each placement, or after each pair of placements.
#[test]
fn children_make_their_parent_on_a_device() {
    let Some((_alone, _)) = device() else { return };
    for rules in all_rules() {
        let marbles = rules.shape.sockets() as u32 - 9;
        let position = random::positions(&rules, marbles, 1, 3, true).unwrap()[0];
        for position in [Some(position), pending(&rules, &position)].into_iter().flatten() {
            let frame = |empty: usize| Cuts::default().plan(&Frame::new(empty), empty).arena * LINE_BYTES;
            let empty = position.free().count_ones() as usize;
            for (less, plies) in [(1, usize::MAX), (1, 3), (2, usize::MAX)] {
                let cuts = Cuts { memory: frame(empty - less), ..Cuts::default() };
                assert!(cuts.memory < frame(empty - less + 1));
                let solve = |graphics| {
                    let mut solver = solver(rules, graphics, cuts);
                    let solution = solver.solve(&position, plies, &Control::new()).unwrap();
                    // Ignore the number of boards, because some boards are computed several times.
                    Solution { boards: 0, ..solution }
                };
                let text = rules.format_position(&position);
                assert_eq!(solve(Graphics::Always), solve(Graphics::Unused), "{rules} {plies} {text}");
            }
        }
    }
}

/// Checks answers with distances, proofs and lines of best moves, for which many solutions are
/// computed.
#[test]
fn answers_with_a_device_are_the_same() {
    let Some((_alone, _)) = device() else { return };
    for rules in all_rules() {
        let marbles = rules.shape.sockets() as u32 - 8;
        let position = random::positions(&rules, marbles, 1, 5, true).unwrap()[0];
        let question = Question { distance: true, ..Question::default() };
        let answer = |graphics| {
            let mut solver = solver(rules, graphics, Cuts::default());
            let answer = Search::new(&position, &question, &mut solver, &Control::new()).answer().unwrap();
            (answer.value, answer.distance, answer.moves, answer.line, answer.boards)
        };
        assert_eq!(answer(Graphics::Always), answer(Graphics::Unused));
    }
}

/// Checks a device that is too small. If the kernel requires the device, the solver returns an
/// error. Otherwise the CPU computes the answer.
#[test]
fn without_a_device_the_processor_answers() {
    let Some((_alone, device)) = device() else { return };
    let rules = Rules::default();
    let position = random::positions(&rules, 27, 1, 1, true).unwrap()[0];
    let control = Control::new();
    let auto = Cuts { worth: 0, software: true, ..Cuts::default() };
    let small = Cuts { memory: LINE_BYTES, ..auto };
    let right = solver(rules, Graphics::Unused, auto).solve(&position, 99, &control).unwrap();

    let error = solver(rules, Graphics::Always, small).solve(&position, 99, &control).unwrap_err();
    assert!(matches!(error, SolveError::Gpu(GpuError::TooLarge { most: LINE_BYTES, .. })), "{error}");
    assert_eq!(pentago::Error::from(error).kind(), ErrorKind::Environment);
    let mut here = solver(rules, Graphics::WhereFaster, small);
    assert_eq!(here.solve(&position, 99, &control).unwrap(), right);
    assert_eq!(here.used(), portable());

    let mut there = solver(rules, Graphics::WhereFaster, auto);
    assert_eq!(there.solve(&position, 99, &control).unwrap(), right);
    assert_eq!(there.used().name(), "gpu");
    // The device must not be used if the work isn't worth it. An emulated device must not be used
    // unless the cuts allow it.
    for cuts in [Cuts { worth: u64::MAX, ..auto }, Cuts { software: device.adapter.hardware, ..auto }] {
        let mut solver = solver(rules, Graphics::WhereFaster, cuts);
        assert_eq!(solver.solve(&position, 99, &control).unwrap(), right);
        assert_eq!(solver.used().name() == "gpu", cuts.worth == 0 && device.adapter.hardware);
    }

    // A device that was lost must be opened again.
    device.destroy();
    assert_eq!(there.solve(&position, 99, &control).unwrap(), right);
    assert_eq!(there.used().name(), "gpu");
}

/// Runs the work that is meant for a device outside of the process on a device of this machine, and
/// returns the lines that were read back.
fn run_outside(device: &Arc<Device>, job: &mut DeviceSolution) -> Vec<[u8; LINE_BYTES as usize]> {
    let mut session = Session::new(device, job.shader(), job.room(), job.tables()).unwrap();
    session.write_fives(job.fives());
    let mut spent = Batch::default();
    while let Some((batch, _)) = job.next_batch(spent) {
        session.submit(&batch).unwrap();
        spent = batch;
    }
    session.read().unwrap()
}

/// Checks a device outside of the process. Its solutions are computed until the answer is complete.
/// The answer must equal the answer of the portable kernel.
#[test]
fn a_device_outside_of_the_process_agrees_with_the_portable_kernel() {
    let Some((_alone, device)) = device() else { return };
    for rules in all_rules() {
        let marbles = rules.shape.sockets() as u32 - 10;
        let position = random::positions(&rules, marbles, 1, 7, true).unwrap()[0];
        let question = Question { distance: true, ..Question::default() };
        let mut here = solver(rules, Graphics::Unused, Cuts::default());
        let control = Control::new();
        let expected = Search::new(&position, &question, &mut here, &control).answer().unwrap();
        let cuts = Cuts { worth: 5000, ..Cuts::default() };
        let outside = Arc::new(Outside::new(rules, cuts, device.adapter.limits));
        let mut there = solver(rules, Graphics::Unused, cuts);
        there.outside = Some(Arc::clone(&outside));
        let mut jobs = 0;
        let answer = loop {
            let error = match Search::new(&position, &question, &mut there, &control).answer() {
                Ok(answer) => break answer,
                Err(error) => pentago::Error::from(error),
            };
            let Some(SolveError::Device(wanted)) = error.downcast_ref() else { panic!("{error}") };
            let mut job = outside.job(wanted);
            let lines = run_outside(&device, &mut job);
            assert!(!outside.learn(wanted.clone(), &job, &lines[1..]));
            assert!(outside.learn(wanted.clone(), &job, &lines));
            jobs += 1;
        };
        assert!(jobs > 0);
        assert_eq!(there.used().name(), "gpu");
        assert_eq!(format!("{answer:?}"), format!("{expected:?}"), "{rules}");
    }
}

/// Checks that work on a device can be stopped.
#[test]
fn a_device_is_stopped() {
    let Some((_alone, _)) = device() else { return };
    let position = random::positions(&Rules::default(), 24, 1, 1, true).unwrap()[0];
    let control = Control::new();
    control.cancel();
    let mut solver = solver(Rules::default(), Graphics::Always, Cuts::default());
    let stopped = solver.solve(&position, 99, &control);
    assert!(matches!(stopped, Err(SolveError::Stopped(_))), "{:?}", stopped.err());
}
