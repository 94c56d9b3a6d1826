//! Counts of tables against the published ones, as the program reads both.

use crate::common::{kernel, shared};
use pentago::Control;
use pentago::codec::Level;
use pentago::index::{Section, Sections};
use pentago::probe::Tables;
use pentago::rules::{Dir, Rules, Shape};
use pentago::solve::{Next, SectionSolver};
use pentago::tables::{
    Access, ArrayInfo, Cache, Domain, EXTENSION, Manifest, Settings, Table, Target, Writer,
};
use pentago::values::{BlockId, Memory};
use pentago::verify::counts::{BySection, Results, file, known, stored};
use std::num::NonZeroUsize;
use std::path::Path;

fn pentago() -> &'static Sections {
    Sections::of(Shape::Pentago, Dir::Both)
}

/// The sections of the text.
fn published() -> Option<BySection> {
    let mut published = BySection::new();
    file::read(&shared("facts/section-counts.tsv")?, pentago(), &mut published).expect("the file is right");
    Some(published)
}

/// Text and arrays say the same, and what they say adds up to what is built in.
#[test]
fn the_published_counts_are_consistent() {
    let Some(mut published) = published() else { return };
    assert_eq!(published.len(), 108_104);
    for marbles in 0..known::SLICES {
        let Some(array) = shared(&format!("published/counts-{marbles}.npy")) else { return };
        file::read(&array, pentago(), &mut published).expect("it contradicts nothing");
    }
    assert_eq!(published.len(), 108_104);
    let sections = pentago();
    let mut slices = [Results::default(); known::SLICES as usize];
    for (&section, results) in &published {
        slices[section.marbles()] += results.times(sections.multiplicity(section));
    }
    for (marbles, slice) in (0..).zip(slices) {
        assert_eq!(known::slice(&Rules::default(), marbles), Some(slice), "{marbles} marbles");
    }
}

/// The counts of slice 31 that stand beside the results: each section has the published ones.
#[test]
fn slice_31_was_counted_as_published() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results/slice-31.counts.tsv");
    let mut counted = BySection::new();
    file::read(&path, pentago(), &mut counted).expect("the file is right");
    let sections = pentago();
    let mut slice = Results::default();
    for (&section, results) in &counted {
        slice += results.times(sections.multiplicity(section));
    }
    assert_eq!((counted.len(), known::slice(&Rules::default(), 31)), (3028, Some(slice)));
    let Some(published) = published() else { return };
    for (section, results) in &counted {
        assert_eq!(published.get(section), Some(results), "{section}");
    }
}

/// Solves a section of Pentago and what it depends on, a table for each slice.
fn build_closure(folder: &Path, section: Section) {
    let solver = SectionSolver::new(Rules::default(), kernel(), NonZeroUsize::MIN, 1 << 30);
    let target = Target { rules: Rules::default(), domain: Domain::Game };
    let (control, start) = (Control::new(), BlockId { array: 0, block: 0 });
    let mut next: Option<(Vec<Section>, Table)> = None;
    for sections in solver.sections().closure(&[section]).into_iter().rev() {
        let slice = sections[0].marbles() as u8;
        let arrays = sections
            .iter()
            .map(|&s| ArrayInfo { key: solver.sections().key(s), grid: solver.grid(s) })
            .collect();
        let manifest = Manifest { target, slice, arrays };
        // Closures share slices: the section in the name tells their tables apart.
        let path = folder.join(format!("{section}-{slice}.{EXTENSION}"));
        let writer = Writer::begin(&path, manifest, Settings::new(Level::SCRATCH)).expect("begun");
        match &next {
            Some((held, table)) => {
                let next = Next { sections: held, source: table };
                solver.solve(&sections, next, &writer, start.., &control).expect("nothing goes wrong");
            }
            None => {
                let next = Next { sections: &[], source: &Memory::new(&[]) };
                solver.solve(&sections, next, &writer, start.., &control).expect("nothing goes wrong");
            }
        }
        writer.finish().expect("finished");
        next = Some((sections, Table::open(&path, Access::Map, Cache::new(1 << 24)).expect("opened")));
    }
}

/// Tables that share slices and sections: each section counts once, and is as published.
#[test]
fn sections_in_tables_are_as_published() {
    let Some(published) = published() else { return };
    let folder = tempfile::tempdir().expect("a folder for the test");
    for section in ["72,27,54,34", "81,18,53,35", "72,27,54,44"] {
        build_closure(folder.path(), section.parse().expect("a section"));
    }
    let found = Tables::open(folder.path(), Access::default(), 0).expect("it can be looked through");
    let slices = stored(&found, Rules::default(), |_| true).expect("the tables agree");
    assert_eq!(slices.iter().map(|slice| slice.marbles).collect::<Vec<_>>(), [34, 35, 36]);
    for slice in &slices {
        let compared = slice.against(&published);
        let expected = if slice.marbles == 36 { 0 } else { slice.sections.len() };
        assert_eq!((compared.compared, compared.agree, compared.first), (expected, expected, None));
        assert!(!slice.is_whole());
    }
    // In one of the published numbers a board changes its winner.
    let mut wrong = published;
    let (&section, _) = slices[1].sections.last_key_value().expect("there are sections");
    let results = wrong.get_mut(&section).expect("it is published");
    results.x_wins += 1;
    results.o_wins -= 1;
    let compared = slices[1].against(&wrong);
    assert_eq!(compared.agree + 1, compared.compared);
    let first = compared.first.expect("there is a difference");
    assert_eq!(first.section, Some(section));
    assert!(first.to_string().starts_with(&format!("section {section} (35 marbles): X wins: ")), "{first}");
    let one = stored(&found, Rules::default(), |marbles| marbles == 34).expect("the tables agree");
    assert_eq!(one.len(), 1);
    assert!(stored(&found, Rules::mini(), |_| true).expect("no tables").is_empty());
}

/// Compares the wins of both players in every section of imported tables with the published counts.
pub fn counts_are_published(folder: &Path) {
    for marbles in 0..7 {
        let array = shared(&format!("published/counts-{marbles}.npy")).expect("the others were there");
        let rows = std::fs::read(array).expect("read");
        let path = folder.join(format!("pentago/slice-{marbles:02}.pentago"));
        let table = Table::open(&path, Access::Map, Cache::new(0)).expect("opened");
        let mut checked = 0;
        for row in rows[80..].chunks(32) {
            let number = |i: usize| u64::from_le_bytes(row[8 * i..][..8].try_into().expect("eight bytes"));
            let id: Vec<u8> = number(0).to_le_bytes().to_vec();
            let section = Section::new([1, 3, 0, 2].map(|q| [id[2 * q], id[2 * q + 1]])).expect("a section");
            let key = pentago().key(section);
            let array = table.array(&key).expect("it is there");
            let counts = table.arrays()[array as usize].counts;
            let [first, second] =
                if marbles % 2 == 0 { [counts.wins, counts.losses] } else { [counts.losses, counts.wins] };
            assert_eq!([first, second, first + second + counts.draws], [1, 2, 3].map(number));
            checked += 1;
        }
        assert_eq!(checked, table.arrays().len());
    }
}
