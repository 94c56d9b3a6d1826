//! Tests that the section solver and the codec pack the same open bits. The solver packs row by
//! row, and the codec packs block by block.

use super::{Neighbours, Preset, encode, encode_bits};
use crate::codec::Predictor;
use crate::codec::tests::random_entries;
use pentago_base::Control;
use pentago_core::index::Section;
use pentago_core::kernel::Kernel;
use pentago_core::rules::Reply;
use pentago_core::solve::{Next, SectionSolver};
use pentago_core::values::{Block, BlockId, BoxError, Entry, Memory, Sink, SinkNeeds, SolvedBlock, Source};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const FIRST: BlockId = BlockId { array: 0, block: 0 };

/// A source that returns pseudorandom values for every block.
struct Noise;

impl Source for Noise {
    fn get(&self, id: BlockId, into: &mut [Entry]) -> Result<(), BoxError> {
        into.copy_from_slice(&random_entries(into.len(), u64::from(id.array) << 32 | id.block));
        Ok(())
    }
}

fn solver(rules: &str, kernel: Kernel, threads: usize) -> SectionSolver {
    let threads = NonZeroUsize::new(threads).expect("at least one");
    SectionSolver::new(rules.parse().expect("these are rules"), kernel, threads, 1 << 28)
}

fn arrays(solver: &SectionSolver, sections: &[Section]) -> Memory {
    Memory::new(&sections.iter().map(|&s| solver.grid(s)).collect::<Vec<_>>())
}

/// A sink that compares the open bits of each block with the bits that the codec packs. For every
/// second block, the sink supplies the memory into which the solver writes.
struct Comparing<'a> {
    solver: &'a SectionSolver,
    sections: &'a [Section],
    predictor: Predictor,
    to: &'a Memory,
    /// The number of blocks without open bits, and the number of blocks with open bits.
    seen: &'a [AtomicU64; 2],
}

impl Sink for Comparing<'_> {
    fn put(&self, _: BlockId, _: &[Entry]) -> Result<(), BoxError> {
        unreachable!("the solver calls put_solved")
    }

    fn put_solved(&self, block: SolvedBlock) -> Result<(), BoxError> {
        let SolvedBlock { id, entries, open, kept, .. } = block;
        assert_eq!(kept.is_some(), id.block % 2 == 1);
        assert!(kept.is_none_or(|kept| std::ptr::eq(&kept[..], entries)));
        let section = self.sections[id.array as usize];
        let ranges = self.solver.grid(section).ranges(id.block);
        let mut guess = vec![Entry::default(); entries.len()];
        self.predictor.guess(section, &ranges, &mut guess);
        let neighbours = Neighbours::Section(self.solver.rules(), section, ranges.clone());
        // Compact payloads take a hundred times as long, so only one block in 16 is also compared
        // in `Preset::Compact`.
        for preset in Preset::ALL.into_iter().take(if id.block % 16 == 0 { 2 } else { 1 }) {
            let [mut expected, mut found] = [const { Vec::new() }; 2];
            encode(entries, Some(&guess), &neighbours, preset, &mut expected)?;
            match open {
                Some(open) => {
                    let is_all = encode_bits(entries, open, preset, &mut found);
                    assert!(if is_all { found == expected } else { found.is_empty() }, "{section} {id:?}");
                    assert!(is_all || preset != Preset::Quick, "{section} {id:?}");
                }
                None => {
                    let within = |(entry, guess): (&Entry, &Entry)| {
                        let sets = [guess.win, entry.win, entry.not_lose, guess.not_lose].map(|set| set.0);
                        let words = |i: usize| sets.map(|set| set[i / 2].0[i % 2]);
                        (0..4).map(words).all(|[a, b, c, d]| a & !b | b & !c | c & !d == 0)
                    };
                    assert!(!entries.iter().zip(&guess).all(within), "{section} {id:?}");
                }
            }
        }
        self.seen[usize::from(open.is_some())].fetch_add(1, Ordering::Relaxed);
        self.to.put(id, entries)
    }

    fn memory(&self, id: BlockId, len: usize) -> Option<Arc<Block>> {
        let mut block = Block::default();
        block.reset(len);
        (id.block % 2 == 1).then(|| Arc::new(block))
    }

    fn needs(&self) -> SinkNeeds {
        SinkNeeds { counts_alone: false, open_bits: true }
    }
}

/// The solver and the codec pack equal open bits, under all rules that change the guess. The second
/// part of the test uses pseudorandom values, which lie outside the bounds of every guess.
#[test]
fn rows_are_packed_like_blocks() {
    for kernel in Kernel::available() {
        for (rules, marbles, slices) in [
            ("pentago", 32, 5),
            ("pentago:dir=cw,both=mover", 33, 4),
            ("pentago-cs", 33, 4),
            ("pentago:last=stop", 33, 4),
            ("pentago:place=turn", 33, 4),
            ("mini", 9, 8),
            ("mini:reply=place,both=mover", 11, 6),
        ] {
            let solver = solver(rules, kernel, 1);
            let all = solver.sections.standard(marbles);
            let section = all.iter().copied().max_by_key(|&s| {
                let entries = solver.grid(s).entries();
                if entries < 10_000 { entries } else { 0 }
            });
            let closure = solver.sections.closure(&[section.expect("there are sections")]);
            assert_eq!(closure.len(), slices, "{rules}");
            let seen = [const { AtomicU64::new(0) }; 2];
            let mut next: (Vec<Section>, Memory) = (Vec::new(), Memory::new(&[]));
            for sections in closure.into_iter().rev() {
                let values = arrays(&solver, &sections);
                let marbles = sections[0].marbles() as u8;
                let predictor = Predictor::new(solver.rules(), marbles);
                let sink =
                    Comparing { solver: &solver, sections: &sections, predictor, to: &values, seen: &seen };
                let next_values = Next { sections: &next.0, source: &next.1 };
                solver
                    .solve(&sections, next_values, &sink, FIRST..BlockId::END, &Control::new())
                    .expect("it is solved");
                next = (sections, values);
            }
            let [outside, within] = seen.map(AtomicU64::into_inner);
            // Under `reply=place`, a placement may answer a line, and so the guess is not a bound.
            let has_bounds = solver.rules().reply != Reply::Place;
            assert!(within > 10 && (outside > 0) != has_bounds, "{rules}: {outside}, {within}");
        }
    }
    let solver = solver("pentago", Kernel::best(), 2);
    let fitting = |s: &Section| (50_000..200_000).contains(&solver.grid(*s).entries());
    let sections: Vec<Section> =
        solver.sections.standard(30).into_iter().filter(fitting).step_by(101).collect();
    let children = solver.sections.closure(&sections).swap_remove(1);
    let (next, values) = (Next { sections: &children, source: &Noise }, arrays(&solver, &sections));
    let (predictor, seen) = (Predictor::new(solver.rules(), 30), [const { AtomicU64::new(0) }; 2]);
    let sink = Comparing { solver: &solver, sections: &sections, predictor, to: &values, seen: &seen };
    solver.solve(&sections, next, &sink, FIRST..BlockId::END, &Control::new()).expect("it is solved");
    assert!(seen[0].load(Ordering::Relaxed) > 10);
}
