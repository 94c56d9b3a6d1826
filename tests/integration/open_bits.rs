//! Solved blocks in the codec of open bits. The second decoder, which was written only from
//! `db-format.md`, decodes the library's payloads and rejects the same damaged payloads as the
//! library.

use crate::common::{kernel, rules};
use crate::sections::each_of_closure;
use pentago::rules::Rules;
use pentago_core::index::Section;
use pentago_core::solve::SectionSolver;
use pentago_core::supers::{Half, Super};
use pentago_core::values::{BlockId, Entry, Grid, Memory};
use pentago_decoder::open::Block;
use pentago_decoder::{Header, Pattern, minimal_patterns};
use pentago_tables::codec::open::{Neighbours, Preset, decode, encode, typical};
use pentago_tables::codec::{Predictor, entry_bytes};
use std::collections::HashSet;
use std::num::NonZeroUsize;

fn header(rules: Rules, slice: usize) -> Header {
    let shape = rules.shape;
    Header {
        slice: slice as u8,
        codec: 2,
        filter: 2,
        level: 1,
        domain: 0,
        size: shape.size() as u8,
        run: shape.run() as u8,
        options: [rules.dir as u8, rules.both as u8, rules.reply as u8, rules.skip as u8, rules.last as u8],
        root: [0; 2],
        counts: [0; 3],
        program: String::new(),
    }
}

/// Returns `true` if the entries of the second decoder equal the entries of the library.
fn same(read: &[[u8; 64]], entries: &[Entry]) -> bool {
    read.iter().copied().eq(entries.iter().map(entry_bytes))
}

/// Compares both decoders on the middle block of each section. Returns the number of entries, then
/// the size of the payloads in bytes under each preset.
fn compare(
    rules: Rules,
    sections: &[Section],
    values: &Memory,
    grid: impl Fn(Section) -> Grid,
) -> [usize; 3] {
    let mut sums = [0; 3];
    for (array, &section) in sections.iter().enumerate() {
        let grid = grid(section);
        let predictor = Predictor::new(rules, section.marbles() as u8);
        let block = grid.blocks() / 2;
        let ranges = grid.ranges(block);
        let entries = values.block(BlockId { array: array as u32, block }).expect("all are there");
        let mut guess = vec![Entry::default(); entries.len()];
        predictor.guess(section, &ranges, &mut guess);
        let patterns: [Vec<Pattern>; 4] = std::array::from_fn(|q| {
            let [x, o] = section.counts()[q];
            let all: Vec<Pattern> =
                minimal_patterns(rules.shape.quadrant_side() as u8, x, o).into_iter().collect();
            all[ranges[q].start as usize..ranges[q].end as usize].to_vec()
        });
        let reader = Block {
            len: entries.len(),
            patterns: Some(&patterns),
            guess: Block::guesses(&header(rules, section.marbles()), &patterns),
        };
        assert!(same(&reader.guess, &guess));
        let neighbours = Neighbours::Section(rules, section, ranges.clone());
        sums[0] += entries.len();
        // In addition to the real values, try values that are drawn from the model: some within the
        // bounds of the guess, and some without bounds.
        let drawn = typical(&guess, &neighbours, 7);
        let unbound = vec![Entry { not_lose: Super([Half::ALL; 2]), ..Entry::default() }; entries.len()];
        let free = typical(&unbound, &neighbours, 7);
        for (i, (entries, bounds, preset)) in [
            (entries, Some(&guess[..]), Preset::Quick),
            (entries, Some(&guess), Preset::Compact),
            (&drawn, Some(&guess), Preset::Compact),
            (&free, None, Preset::Compact),
        ]
        .into_iter()
        .enumerate()
        {
            let mut payload = Vec::new();
            encode(entries, bounds, &neighbours, preset, &mut payload).expect("consistent");
            if i < 2 {
                sums[1 + i] += payload.len();
            }
            if payload[0] == 0 {
                continue;
            }
            let read = pentago_decoder::open::decode(&payload, &reader).expect("a payload");
            assert!(same(&read, entries), "{section} {block} {preset:?}");
            // Both decoders must reject a damaged payload, or decode it to the same entries. Skip
            // zstd frames, because two zstd decoders may differ in strictness.
            let (at, bit) = ((sums[2] * 7919) % payload.len(), sums[0] % 8);
            payload[at] ^= 1 << bit;
            let mut back = vec![Entry::default(); entries.len()];
            let ours = decode(&payload, |into| into.copy_from_slice(&guess), &neighbours, &mut back);
            if payload[0] >= 3 {
                match pentago_decoder::open::decode(&payload, &reader) {
                    Ok(read) => assert!(ours.is_ok() && same(&read, &back)),
                    Err(_) => assert!(ours.is_err(), "{section} {block} {preset:?}"),
                }
            }
        }
    }
    sums
}

#[test]
fn the_second_reader_reads_open_bits() {
    let clockwise = rules("pentago:dir=cw,both=mover");
    let cases = [
        (Rules::default(), [[9, 0], [0, 9], [6, 1], [1, 6]]),
        (Rules::default(), [[8, 1], [1, 8], [7, 1], [1, 7]]),
        (clockwise, [[9, 0], [1, 8], [6, 1], [1, 7]]),
        (Rules::mini(), [[1, 1], [1, 1], [2, 0], [0, 2]]),
    ];
    let check = |(rules, counts)| {
        let solver = SectionSolver::new(rules, kernel(), NonZeroUsize::MIN, 1 << 28);
        let section = solver.sections.standardise(Section::new(counts).expect("a section")).0;
        let mut sums = [0; 3];
        each_of_closure(&solver, section, |sections, values| {
            let more = compare(rules, sections, values, |section| solver.grid(section));
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        });
        let [entries, quick, compact] = sums;
        println!("{rules} {section}: {entries} entries, quick {quick}, compact {compact} bytes");
        assert!(entries > 100 && compact <= quick);
    };
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || check(case));
        }
    });
}

/// A block of a table below a root, encoded without a guess. Such a block has no neighbours along
/// axes.
#[test]
fn the_second_reader_reads_lists() {
    let rules = Rules::default();
    let solver = SectionSolver::new(rules, kernel(), NonZeroUsize::MIN, 1 << 28);
    let section =
        solver.sections.standardise(Section::new([[8, 1], [1, 8], [7, 1], [1, 7]]).expect("a section")).0;
    let (values, _) = each_of_closure(&solver, section, |_, _| {});
    let all =
        (0..solver.grid(section).blocks()).filter_map(|block| values.block(BlockId { array: 0, block }));
    let entries =
        all.max_by_key(|entries| entries.iter().collect::<HashSet<_>>().len()).expect("there are some");
    let neighbours = Neighbours::List(entries.len());
    let reader = Block { len: entries.len(), patterns: None, guess: Vec::new() };
    let mut payload = Vec::new();
    encode(entries, None, &neighbours, Preset::Compact, &mut payload).expect("consistent");
    assert_eq!(payload[0], 4);
    let read = pentago_decoder::open::decode(&payload, &reader).expect("a payload");
    assert!(same(&read, entries));
}
