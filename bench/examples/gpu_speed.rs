//! Measures the phases of a solution on a GPU: `cargo run --release --manifest-path
//! bench/Cargo.toml --features gpu --example gpu_speed -- MARBLES [MIB [SHADER]]`.
//!
//! MARBLES is the number of marbles of a random position. MIB is the maximum size in MiB of one
//! piece of GPU memory. SHADER is the file of a shader that replaces the default one. If a solution
//! on the CPU fits in memory, compares the values of all moves with that solution, and exits with
//! status 1 if any of them differ.

use pentago::Control;
use pentago::Rules;
use pentago::rules::random;
use pentago_core::kernel::{Graphics, Kernel};
use pentago_core::solve::rooted::gpu::{Batch, Cuts, DeviceSolution, GpuError, Outside, Step};
use pentago_core::solve::{RootedSolver, SolveError};
use pentago_gpu::{Device, Session};
use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

/// The largest number of boards for which the solution is compared with the CPU. The CPU then needs
/// 40 GB of memory.
const MOST_COMPARED: u64 = 13_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let marbles: u32 = arguments.next().ok_or("usage: gpu_speed MARBLES [MIB [SHADER]]")?.parse()?;
    let mebibytes: Option<u64> = arguments.next().map(|text| text.parse()).transpose()?;
    let other = arguments.next().map(std::fs::read_to_string).transpose()?;

    let began = Instant::now();
    let device = Device::shared()?;
    println!("{:?}, opened in {:.3?}", device.adapter, began.elapsed());
    let rules = Rules::default();
    let position = random::positions(&rules, marbles, 1, 1, true)?[0];
    let piece = mebibytes.map_or(u64::MAX, |mebibytes| mebibytes << 20);
    let cuts = Cuts { piece, worth: 0, ..Cuts::default() };
    let outside = Arc::new(Outside::new(rules, cuts, device.adapter.limits));
    let threads = std::thread::available_parallelism()?;
    let kernel = Kernel::best().with_graphics(Graphics::Unused);
    let solver = |threads| RootedSolver::new(rules, kernel, threads, u64::MAX);
    let mut there = solver(NonZeroUsize::MIN);
    there.outside = Some(Arc::clone(&outside));
    let control = Control::new();
    let Err(SolveError::Device(wanted)) = there.solve(&position, usize::MAX, &control) else {
        return Err("the GPU cannot hold this solution".into());
    };

    // Run twice: the second run measures the speed with memory in use and with a compiled shader.
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
            "{turn}: tables of five computed by one thread in {tables:.3?}; memory and shader {memory:.3?}; {} MB \
             sent in {fives:.3?}; {} pieces",
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
            "{turn}: {all} boards in {seconds:.4} s, {:.1} ps per board; {count} batches, \
             prepared in {making:.4} s and submitted in {submitting:.4} s; {:.0} GB/s written",
            seconds / all as f64 * 1e12,
            all as f64 * 16e-9 / seconds
        );
        if !outside.learn(wanted.clone(), &job, &lines) {
            return Err("the GPU returned too few lines".into());
        }
    }
    alone(&device, &mut outside.job(&wanted), other.as_deref())?;
    let solution = there.solve(&position, usize::MAX, &control)?;
    println!("{:?}, {} moves", solution.value, solution.moves.len());
    if solution.boards > MOST_COMPARED {
        println!("not compared with the CPU: too many boards");
        return Ok(());
    }
    let began = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build()?;
    let here = pool.install(|| solver(threads).solve(&position, usize::MAX, &control))?;
    println!("the CPU with {threads} threads: {:.3?}", began.elapsed());
    if here != solution {
        return Err("the solutions differ".into());
    }
    println!("all moves agree");
    Ok(())
}

/// Creates a session with GPU memory for a solution. The session uses the shader `other`, or the
/// default shader if `other` is `None`.
fn memory(device: &Arc<Device>, job: &DeviceSolution, other: Option<&str>) -> Result<Session, GpuError> {
    Session::new(device, other.unwrap_or(job.shader()), job.room(), job.tables())
}

/// Waits for all submitted batches. Submitting a batch returns once the preceding batch is done, so
/// submitting two empty batches waits for all real batches.
fn finish(session: &mut Session) -> Result<(), GpuError> {
    (0..2).try_for_each(|_| session.submit(&Batch::default()))
}

/// Measures the GPU without the CPU's work. Submits each batch once with its data. Then submits the
/// same steps repeatedly without data, and measures only these repetitions.
fn alone(device: &Arc<Device>, job: &mut DeviceSolution, other: Option<&str>) -> Result<(), Box<dyn Error>> {
    const TIMES: u32 = 4;
    let mut session = memory(device, job, other)?;
    session.write_fives(job.fives());
    let (mut seconds, mut all) = (0.0, 0);
    let mut spent = Batch::default();
    while let Some((mut batch, boards)) = job.next_batch(spent) {
        // Measure only the passes: remove the steps that read results.
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
    println!("the GPU alone: {seconds:.4} s, {:.1} ps a board", seconds / all as f64 * 1e12);
    Ok(())
}
