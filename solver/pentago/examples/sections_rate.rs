//! How fast sections of the whole game are computed, by each kernel (or `PENTAGO_KERNEL` alone), in one thread: `cargo run --release --example sections_rate
//! [MILLIONS [SECTION...]]`, for sections like `54,44,45,44`, or else the largest ones of the slices 28 to 34 with at most so many
//! millions of entries (8).
//!
//! The values of the next slice are pseudo-random, as they take no part in the time: any kernel must get the same result
//! from them.

use pentago::index::Section;
use pentago::kernel::{KERNEL_VARIABLE, Kernel};
use pentago::rules::Rules;
use pentago::solve::{Control, Next, SectionSolver};
use pentago::supers::{Half, Super};
use pentago::values::{BlockId, Entry, Sink, Source};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};

/// Values with as many bits set as real ones have: some wins, more draws.
struct Noise;

impl Source for Noise {
    type Error = Infallible;

    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), Infallible> {
        let mut seed = (u64::from(id.array) << 40 | id.block).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut word = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for entry in into {
            let kept = [word(), word(), word(), word()];
            let win = kept.map(|kept| kept & word());
            let plane = |[a, b, c, d]: [u64; 4]| Super([Half([a, b]), Half([c, d])]);
            *entry = Entry { win: plane(win), not_lose: plane(kept) };
        }
        Ok(())
    }
}

/// Keeps nothing but a sum.
#[derive(Default)]
struct Sum(AtomicU64);

impl Sink for Sum {
    type Error = Infallible;

    fn put(&self, id: BlockId, entries: &[Entry]) -> Result<(), Infallible> {
        let mut sum = id.block;
        for word in
            entries.iter().flat_map(|e| e.win.0.into_iter().chain(e.not_lose.0)).flat_map(|half| half.0)
        {
            sum = sum.rotate_left(5) ^ word;
        }
        self.0.fetch_add(sum.wrapping_mul(0x9e37_79b9_7f4a_7c15), Ordering::Relaxed);
        Ok(())
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let millions: f64 = arguments.next().map_or(8.0, |text| text.parse().expect("a number of millions"));
    let mut sections: Vec<Section> = arguments.map(|text| text.parse().expect("a section")).collect();
    let rules = Rules::default();
    let solver = SectionSolver::new(rules, Kernel::best(), 1, 4 << 30);
    let kernels = if std::env::var_os(KERNEL_VARIABLE).is_some() {
        vec![Kernel::chosen().expect("it runs here")]
    } else {
        Kernel::available()
    };
    let entries = |s: &Section| solver.grid(*s).entries();
    if sections.is_empty() {
        for marbles in 28..=34 {
            let fitting = solver.sections().standard(marbles).into_iter();
            let fitting = fitting.filter(|s| entries(s) as f64 <= millions * 1e6);
            sections.extend(fitting.max_by_key(|s| (entries(s), *s)));
        }
    }
    println!(
        "slice section         entries kernel   compute M/s  reading M/s of children  blocks read / children's"
    );
    for section in sections {
        let (section, _) = solver.sections().standardise(section);
        let children: Vec<Section> = solver.sections().children(section).into_iter().collect();
        let mut results = Vec::new();
        for kernel in kernels.iter().copied() {
            let solver = SectionSolver::new(rules, kernel, 1, 4 << 30);
            let next = Next { sections: &children, source: &Noise };
            let sum = Sum::default();
            let start = BlockId { array: 0, block: 0 };
            let report =
                solver.solve(&[section], next, &sum, start, &Control::new()).expect("nothing goes wrong");
            let blocks: u64 = children.iter().map(|&s| solver.grid(s).blocks()).sum();
            println!(
                "{:5} {section} {:11} {:8} {:11.1} {:12.1} {:30} / {blocks}",
                section.marbles(),
                report.entries,
                kernel.name(),
                report.entries as f64 / report.computing.as_secs_f64() / 1e6,
                report.blocks_read as f64 * 4096.0 / report.reading.as_secs_f64() / 1e6,
                report.blocks_read,
            );
            results.push((sum.0.into_inner(), report.tallies));
        }
        assert!(results.iter().all(|result| *result == results[0]), "all kernels agree");
    }
}
