//! `pentago bench`: measures the speed of the solver on this machine.

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;

use clap::Args;
use pentago::Kernel;
use pentago::Solver;
use pentago::rules::{Position, Rules, random};
use pentago::{Answer, Question};
use serde::Serialize;
use serde_json::json;

use crate::exit::failed;
use crate::options::{SolverArgs, game, number};
use crate::output::{bytes, note, plain_stdout, shown_path, thousands, write_file};
use crate::rates;
use crate::{engine, interrupt};

/// The seed of the position that is solved.
const SEED: u64 = 1;

/// Benchmark the solver with each kernel, with one and with all threads
///
/// Solves a fixed pseudo-random position to the end of the game and checks that all solutions agree
/// on every move. The time is the minimum of the repetitions. `ns` is nanoseconds per board and
/// chain (a solution computes two chains, "X wins" and "O wins"). `ratio` is the speedup over the
/// slowest kernel.
///
/// The last kernel is the GPU, if the program was built with GPU support. --list shows the kernels
/// without measuring.
///
/// With --save, the command measures the rates of one core instead: the rate of the computation and
/// the rate of each codec of tables, while all threads do the same work. A core alone would be
/// faster, because cores share the memory bandwidth. The measurement takes about a minute. From
/// then on, `plan` uses these rates.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pentago bench --marbles 20 --repeat 5\n  pentago bench --save")]
pub struct Bench {
    /// Number of marbles on the board
    #[arg(long, value_name = "N", default_value_t = 18, value_parser = number(0..=35u32))]
    marbles: u32,

    /// Number of repetitions
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number(1..=u32::MAX))]
    repeat: u32,

    /// Measure the rates that `plan` uses, and write them to pentago/rates.json in the user's
    /// configuration directory
    #[arg(long, conflicts_with_all = ["marbles", "repeat", "rules"])]
    save: bool,

    /// List the kernels and the GPUs of this machine
    #[arg(long, conflicts_with_all = ["marbles", "repeat", "rules", "save"])]
    list: bool,

    /// Write the results as one JSON object
    #[arg(long)]
    json: bool,

    /// Rules: a preset, or a preset with options such as pentago:dir=cw,last=stop (see `pentago
    /// rules`)
    #[arg(long, value_name = "RULES", default_value = "pentago", value_parser = pentago_rules)]
    rules: Rules,

    #[command(flatten)]
    solver: SolverArgs,
}

/// Parses the rules for a command that supports Pentago and Mini-Pentago only.
fn pentago_rules(text: &str) -> Result<Rules, String> {
    let game = game(text)?;
    let title = game.kind().title;
    text.parse().map_err(|_| format!("this command supports Pentago and Mini-Pentago, not {title}"))
}

/// A GPU of this machine, as `--list` prints it.
#[derive(Serialize)]
struct Gpu {
    name: String,
    interface: String,
    driver: String,
    /// `true` for a GPU, `false` for a software rasterizer on the CPU.
    hardware: bool,
    /// The largest size of a solution on this GPU in bytes, if the GPU has that much memory.
    reach: u64,
}

/// Returns the GPUs of this machine, the default first. The list is empty if the program was built
/// without GPU support.
fn gpus() -> Vec<Gpu> {
    #[cfg(feature = "gpu")]
    let gpus = pentago_gpu::adapters().into_iter().map(|adapter| Gpu {
        reach: adapter.limits.lines() * pentago_gpu::LINE_BYTES,
        name: adapter.name,
        interface: adapter.interface,
        driver: adapter.driver,
        hardware: adapter.hardware,
    });
    #[cfg(not(feature = "gpu"))]
    let gpus = [];
    gpus.into_iter().collect()
}

/// Returns the kernels of this machine, the GPU last.
fn kernels() -> Vec<Kernel> {
    let mut kernels = Kernel::available();
    if !gpus().is_empty() {
        kernels.extend("gpu".parse::<Kernel>());
    }
    kernels
}

/// The time of one kernel with one number of threads.
#[derive(Serialize)]
struct Measurement {
    kernel: &'static str,
    threads: NonZeroUsize,
    /// The minimum time of the repetitions, in seconds.
    seconds: f64,
    nanoseconds_per_board_and_chain: f64,
    /// The speedup over the slowest measurement.
    ratio: f64,
}

impl Bench {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        if self.save {
            return self.save();
        }
        if self.list {
            return self.list();
        }
        let rules = self.rules;
        let position = random::positions(&rules, self.marbles, 1, SEED, true)?[0];
        let kernels = match self.solver.kernel {
            Some(kernel) => vec![kernel],
            None => kernels(),
        };
        let all = self.solver.threads();
        let one = NonZeroUsize::MIN;
        let threads = if all == one { vec![one] } else { vec![one, all] };
        let mut runs = Vec::new();
        let mut agreed: Option<Answer> = None;
        for &kernel in &kernels {
            for &threads in &threads {
                let (boards, seconds) = self.measure(&rules, &position, kernel, threads, &mut agreed)?;
                runs.push(Measurement {
                    kernel: kernel.name(),
                    threads,
                    seconds,
                    nanoseconds_per_board_and_chain: seconds * 1e9 / (2.0 * boards.max(1) as f64),
                    ratio: 0.0,
                });
            }
        }
        let slowest = runs.iter().map(|run| run.seconds).fold(0.0, f64::max);
        runs.iter_mut().for_each(|run| run.ratio = slowest / run.seconds.max(1e-9));
        let answer = agreed.expect("there is always a kernel");
        let (text, value, boards) = (rules.format_position(&position), answer.value.name(), answer.boards);
        let solver = Solver::builder().rules(rules).kernel(kernels[0]).threads(all);
        let memory = solver.estimate(&position, usize::MAX).bytes;
        let peak = peak_memory();
        let mut out = plain_stdout();
        if self.json {
            let report = json!({
                "position": text, "rules": rules.to_string(), "value": value, "boards": boards,
                "memory": memory, "peak_memory": peak, "runs": runs,
            });
            return Ok(writeln!(out, "{report}")?);
        }
        writeln!(out, "position {text} ({rules}): {value}")?;
        writeln!(out, "{} boards, {} of memory", thousands(boards), bytes(memory))?;
        writeln!(out, "\nkernel    threads   seconds      ns   ratio")?;
        for run in &runs {
            let Measurement { kernel, threads, seconds, nanoseconds_per_board_and_chain: ns, ratio } = run;
            writeln!(out, "{kernel:<9} {threads:>7} {seconds:>9.3} {ns:>7.2} {ratio:>7.2}")?;
        }
        if let Some(peak) = peak {
            writeln!(out, "\npeak memory of all runs: {}", bytes(peak))?;
        }
        Ok(())
    }

    /// Lists the kernels and the GPUs.
    fn list(&self) -> anyhow::Result<()> {
        let kernels: Vec<&str> = kernels().iter().map(|kernel| kernel.name()).collect();
        let gpus = gpus();
        let mut out = plain_stdout();
        if self.json {
            writeln!(out, "{}", json!({ "kernels": kernels, "graphics": gpus }))?;
            return Ok(out.flush()?);
        }
        writeln!(out, "kernels: {}", kernels.join(", "))?;
        for Gpu { name, interface, driver, hardware, reach } in &gpus {
            let kind = if *hardware { "GPU" } else { "software, for tests" };
            let reach = bytes(*reach);
            writeln!(out, "{name} ({interface}, {driver}): {kind}, can use {reach} of memory")?;
        }
        if gpus.is_empty() {
            let built = cfg!(feature = "gpu");
            let why = if built { "none was found" } else { "this program was built without the feature gpu" };
            writeln!(out, "GPUs: {why}")?;
        }
        Ok(out.flush()?)
    }

    /// Measures the rates of this machine, and writes the file of rates.
    fn save(&self) -> anyhow::Result<()> {
        let path = rates::writable()?;
        let (kernel, threads, memory) = (self.solver.kernel(), self.solver.threads(), self.solver.memory());
        let rates = rates::measure(kernel, threads, memory, interrupt::control())?;
        let text = serde_json::to_string_pretty(&rates)? + "\n";
        write_file(&path, text.as_bytes())?;
        let mut out = plain_stdout();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&rates)?)?;
        } else {
            writeln!(out, "{}", shown_path(&path))?;
            note(format_args!("rates of {}", rates.machine));
        }
        Ok(out.flush()?)
    }

    /// Solves the position `repeat` times. Returns the number of boards and the least time in
    /// seconds. `agreed` holds the answer of the first solution, with which all other answers must
    /// agree.
    ///
    /// # Errors
    /// If two solutions differ, or a solution fails.
    fn measure(
        &self,
        rules: &Rules,
        position: &Position,
        kernel: Kernel,
        threads: NonZeroUsize,
        agreed: &mut Option<Answer>,
    ) -> anyhow::Result<(u64, f64)> {
        let solver = Solver::builder().rules(*rules).kernel(kernel).threads(threads);
        let solver = solver.memory(self.solver.memory()).build()?;
        let question = Question { exact: true, ..Question::default() };
        let (mut boards, mut least) = (0, f64::INFINITY);
        for _ in 0..self.repeat {
            let began = Instant::now();
            let answer = solver.answer(position, &question, interrupt::control());
            let later = || Some("a larger --marbles needs less".to_owned());
            let answer = answer.map_err(|error| engine::with_advice(error, |_| later()))?;
            (boards, least) = (answer.boards, least.min(began.elapsed().as_secs_f64()));
            let first = agreed.get_or_insert_with(|| answer.clone());
            if (first.value, first.boards, &first.moves) != (answer.value, answer.boards, &answer.moves) {
                let position = rules.format_position(position);
                return Err(failed(format!(
                    "two solutions of {position} ({rules}) differ: this is a bug, please report it"
                )));
            }
        }
        if !self.json {
            note(format_args!("{kernel}, threads {threads}: {least:.3} s"));
        }
        Ok((boards, least))
    }
}

/// Returns the peak memory of this process in bytes, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
