//! Measures the solution of sections of complete games:
//! `cargo bench --manifest-path bench/Cargo.toml --bench sections [-- FILTER]`.
//!
//! `compute` measures one section of each slice from 28 to 34: the largest section of at most
//! `PENTAGO_BENCH_MILLIONS` million entries, by default 1 million. `PENTAGO_BENCH_SECTIONS` names
//! other sections, separated by spaces, such as `54,44,45,44`. Each run uses one thread and one
//! kernel. `PENTAGO_KERNEL` names the kernel; without this variable, every available kernel is
//! measured. The time to read the next slice isn't counted. The values of the next slice are
//! pseudo-random, because values don't influence the time. All kernels must compute the same
//! result.
//!
//! `closure` solves two sections and all sections that they depend on, up to the full board, in 5
//! GB of memory. The counts must equal the published counts. Other engines were measured with the
//! same sections.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pentago::Control;
use pentago::rules::Rules;
use pentago_core::index::Section;
use pentago_core::kernel::{KERNEL_VARIABLE, Kernel};
use pentago_core::solve::{Next, SectionSolver};
use pentago_core::supers::{Half, Super};
use pentago_core::values::{BlockId, BoxError, Entry, Memory, Sink, Source, WdlCounts};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A source of pseudo-random values. Half of the bits are set in `not_lose`, a quarter in `win`.
struct Noise;

impl Source for Noise {
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        let mut seed = (u64::from(id.array) << 40 | id.block).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut word = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for entry in into {
            let not_lose = [word(), word(), word(), word()];
            let win = not_lose.map(|not_lose| not_lose & word());
            let plane = |[a, b, c, d]: [u64; 4]| Super([Half([a, b]), Half([c, d])]);
            *entry = Entry { win: plane(win), not_lose: plane(not_lose) };
        }
        Ok(())
    }
}

/// A sink that adds all blocks to a checksum.
#[derive(Default)]
struct Sum(AtomicU64);

impl Sink for Sum {
    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), BoxError> {
        let words = |e: &Entry| e.win.0.into_iter().chain(e.not_lose.0).flat_map(|half| half.0);
        let sum = entries.iter().flat_map(words).fold(id.block, |sum, word| sum.rotate_left(5) ^ word);
        self.0.fetch_add(sum.wrapping_mul(0x9e37_79b9_7f4a_7c15), Ordering::Relaxed);
        Ok(())
    }
}

fn solver(kernel: Kernel) -> SectionSolver {
    SectionSolver::new(Rules::default(), kernel, NonZeroUsize::MIN, 4 << 30)
}

/// Returns the sections that `compute` measures.
fn sections(solver: &SectionSolver) -> Vec<Section> {
    if let Ok(names) = std::env::var("PENTAGO_BENCH_SECTIONS") {
        return names.split_whitespace().map(|name| name.parse().expect("a section")).collect();
    }
    let millions = std::env::var("PENTAGO_BENCH_MILLIONS");
    let most = 1e6 * millions.map_or(1.0, |text| text.parse().expect("a number of millions"));
    let entries = |section: &Section| solver.grid(*section).entries();
    let largest = |marbles| {
        let fitting = solver.sections.standard(marbles).into_iter().filter(|s| entries(s) as f64 <= most);
        fitting.max_by_key(|s| (entries(s), *s))
    };
    (28..=34).filter_map(largest).collect()
}

fn compute(c: &mut Criterion) {
    let kernels = if std::env::var_os(KERNEL_VARIABLE).is_some() {
        vec![Kernel::chosen().expect("it runs here")]
    } else {
        Kernel::available()
    };
    let mut group = c.benchmark_group("compute");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    let first = solver(kernels[0]);
    for section in sections(&first) {
        let (section, _) = first.sections.standardise(section);
        let children: Vec<Section> = first.sections.children(section).into_iter().collect();
        group.throughput(Throughput::Elements(first.grid(section).entries()));
        let mut agreed = None;
        for &kernel in &kernels {
            let solver = solver(kernel);
            let mut run = || -> Duration {
                let sum = Sum::default();
                let next = Next { sections: &children, source: &Noise };
                let start = BlockId { array: 0, block: 0 };
                let report = solver.solve(&[section], next, &sum, start..BlockId::END, &Control::new());
                let report = report.expect("nothing goes wrong");
                let result = (sum.0.into_inner(), report.counts);
                assert!(*agreed.get_or_insert_with(|| result.clone()) == result, "the kernels disagree");
                report.computing
            };
            let id = BenchmarkId::new(format!("{} {section}", section.marbles()), kernel.name());
            group.bench_function(id, |b| b.iter_custom(|times| (0..times).map(|_| run()).sum()));
        }
    }
    group.finish();
}

/// The sections that `closure` solves, and their published counts for X, the side to move.
const CLOSURES: [(&str, WdlCounts); 2] = [
    ("54,44,45,44", WdlCounts { wins: 3_913_746_519, draws: 1_030_349_069, losses: 1_357_088_812 }),
    ("08,21,22,81", WdlCounts { wins: 14_569_678, draws: 91_896, losses: 769_898 }),
];

/// Solves a section and all sections that it depends on. Returns the numbers of wins, draws and
/// losses in the section.
fn solve_closure(solver: &SectionSolver, section: Section) -> WdlCounts {
    let mut next = (Vec::new(), Memory::new(&[]));
    let mut counts = WdlCounts::default();
    for sections in solver.sections.closure(&[section]).into_iter().rev() {
        let values = Memory::new(&sections.iter().map(|&s| solver.grid(s)).collect::<Vec<_>>());
        let following = Next { sections: &next.0, source: &next.1 };
        let start = BlockId { array: 0, block: 0 };
        let report = solver.solve(&sections, following, &values, start..BlockId::END, &Control::new());
        counts = report.expect("nothing goes wrong").counts[0];
        next = (sections, values);
    }
    counts
}

fn closures(c: &mut Criterion) {
    let solver = solver(Kernel::chosen().expect("it runs here"));
    let mut group = c.benchmark_group("closure");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (section, expected) in CLOSURES {
        let section: Section = section.parse().expect("a section");
        let closure = solver.sections.closure(&[section]);
        let entries: u64 = closure.iter().flatten().map(|&s| solver.grid(s).entries()).sum();
        group.throughput(Throughput::Elements(entries));
        group.bench_function(section.to_string(), |b| {
            b.iter(|| assert_eq!(solve_closure(&solver, section), expected));
        });
    }
    group.finish();
}

criterion_group!(benches, compute, closures);
criterion_main!(benches);
