//! Where the time of a solution on a graphics processor goes: `cargo run --release --manifest-path
//! bench/Cargo.toml --features gpu --example gpu_speed -- MARBLES [MIB [SHADER]]`, with the largest
//! piece of memory in MiB, and a file with another shader. All moves are compared with the solution
//! by the processor where that has the memory; ends with 1 if they differ.

use pentago::Control;
use pentago::Rules;
use pentago_core::kernel::{Graphics, Kernel};
use pentago::rules::random;
use pentago_core::solve::rooted::gpu::{Batch, Cuts, GpuError, DeviceSolution, Outside, Step};
use pentago_core::solve::{RootedSolver, SolveError};
use pentago_gpu::{Device, Session};
use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

/// Boards of the largest solution that is compared: 40 GB.
const MOST_COMPARED: u64 = 13_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let marbles: u32 = arguments.next().ok_or("usage: gpu_speed MARBLES [MIB [SHADER]]")?.parse()?;
    let mebibytes: Option<u64> = arguments.next().map(|text| text.parse()).transpose()?;
    let other = arguments.next().map(std::fs::read_to_string).transpose()?;

    let began = Instant::now();
    let device = Device::shared()?;
    println!("{:?}, opened in {:.3?}", device.adapter(), began.elapsed());
    let rules = Rules::default();
    let position = random::positions(&rules, marbles, 1, 1, true)?[0];
    let piece = mebibytes.map_or(u64::MAX, |mebibytes| mebibytes << 20);
    let cuts = Cuts { piece, worth: 0, ..Cuts::default() };
    let outside = Arc::new(Outside::new(rules, cuts, device.adapter().limits));
    let threads = std::thread::available_parallelism()?;
    let kernel = Kernel::best().with_graphics(Graphics::Unused);
    let solver = |threads| RootedSolver::new(rules, kernel, threads, u64::MAX);
    let mut there = solver(NonZeroUsize::MIN).with_outside(Some(Arc::clone(&outside)));
    let control = Control::new();
    let Err(SolveError::Device(wanted)) = there.solve(&position, usize::MAX, &control) else {
        return Err("the device can't hold it".into());
    };

    // The second time nothing is to be compiled, and memory was used before.
    for turn in ["first", "again"] {
        let began = Instant::now();
        let mut job = outside.job(&wanted);
        let tables = began.elapsed();
        let began = Instant::now();
        let mut session = memory(&device, &job, other.as_deref())?;
        let memory = began.elapsed();
        let began = Instant::now();
        session.write_fives(job.fives());
        finish(&mut session)?;
        let fives = began.elapsed();
        println!(
            "{turn}: one thread makes the tables of five in {tables:.3?}; memory and shader {memory:.3?}; {} MB \
             are sent in {fives:.3?}; {} pieces",
            job.room().fives / 1_000_000,
            job.room().pieces.count()
        );
        let began = Instant::now();
        let (mut making, mut submitting, mut all, mut count) = (0.0, 0.0, 0, 0);
        let mut spent = Batch::default();
        loop {
            let made = Instant::now();
            let Some((batch, boards)) = job.next_batch(spent) else { break };
            making += made.elapsed().as_secs_f64();
            let sent = Instant::now();
            session.submit(&batch)?;
            submitting += sent.elapsed().as_secs_f64();
            (all, count, spent) = (all + boards, count + 1, batch);
        }
        let lines = session.read()?;
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{turn}: {all} boards in {seconds:.4} s, {:.1} ps a board; {count} batches, made in {making:.4} s and \
             submitted in {submitting:.4} s; {:.0} GB/s written",
            seconds / all as f64 * 1e12,
            all as f64 * 16e-9 / seconds
        );
        if !outside.learn(wanted.clone(), &job, &lines) {
            return Err("too few lines were read".into());
        }
    }
    alone(&device, &mut outside.job(&wanted), other.as_deref())?;
    let solution = there.solve(&position, usize::MAX, &control)?;
    println!("{:?}, {} moves", solution.value, solution.moves.len());
    if solution.boards > MOST_COMPARED {
        println!("not compared");
        return Ok(());
    }
    let began = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build()?;
    let here = pool.install(|| solver(threads).solve(&position, usize::MAX, &control))?;
    println!("the processor's {threads} threads: {:.3?}", began.elapsed());
    if here != solution {
        return Err("the solutions differ".into());
    }
    println!("all moves are the same");
    Ok(())
}

/// The memory that a solution takes, for its own shader or the other one.
fn memory(device: &Arc<Device>, job: &DeviceSolution, other: Option<&str>) -> Result<Session, GpuError> {
    Session::new(device, other.unwrap_or(job.shader()), job.room(), job.tables())
}

/// Waits for what was submitted: of two more, the first is done when the second has been.
fn finish(session: &mut Session) -> Result<(), GpuError> {
    (0..2).try_for_each(|_| session.submit(&Batch::default()))
}

/// How long the device takes alone: each batch is sent once, and then run again and again.
fn alone(device: &Arc<Device>, job: &mut DeviceSolution, other: Option<&str>) -> Result<(), Box<dyn Error>> {
    const TIMES: u32 = 4;
    let mut session = memory(device, job, other)?;
    session.write_fives(job.fives());
    let (mut seconds, mut all) = (0.0, 0);
    let mut spent = Batch::default();
    while let Some((mut batch, boards)) = job.next_batch(spent) {
        // What would be read is of no use.
        batch.steps.retain(|step| matches!(step, Step::Pass { .. }));
        session.submit(&batch)?;
        let mut again = Batch { words: Vec::new(), steps: batch.steps };
        finish(&mut session)?;
        let began = Instant::now();
        (0..TIMES).try_for_each(|_| session.submit(&again))?;
        finish(&mut session)?;
        seconds += began.elapsed().as_secs_f64() / f64::from(TIMES);
        again.words = batch.words;
        (all, spent) = (all + boards, again);
    }
    println!("the device alone: {seconds:.4} s, {:.1} ps a board", seconds / all as f64 * 1e12);
    Ok(())
}
