//! Compares the counts of wins, draws and losses in tables with the published counts.

use crate::common::{kernel, sections_content, shared};
use crate::sections::each_of_closure;
use crate::tables::write_at;
use pentago::rules::{Dir, Rules, Shape};
use pentago_core::index::{Section, Sections};
use pentago_core::solve::SectionSolver;
use pentago_core::values::BlockId;
use pentago_tables::codec::{Codec, Level};
use pentago_tables::probe::Tables;
use pentago_tables::tables::{Access, Cache, EXTENSION, Settings, Table};
use pentago_tables::verify::counts::{BySection, Results, file, known, stored};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

fn pentago() -> &'static Sections {
    Sections::of(Shape::Pentago, Dir::Both)
}

/// Returns the published counts of all standard sections, or `None` if the file is missing.
pub fn published() -> Option<BySection> {
    let mut published = BySection::new();
    file::read(&shared("facts/section-counts.tsv")?, pentago(), &mut published).expect("the file is right");
    Some(published)
}

/// The published text file and the published arrays contain the same counts. The sums over each
/// slice equal the counts that are built into the program. The column `supers` of the text file is
/// the number of entries of each section.
#[test]
fn the_published_counts_are_consistent() {
    let Some(mut published) = published() else { return };
    assert_eq!(published.len(), 108_104);
    let text =
        std::fs::read_to_string(shared("facts/section-counts.tsv").expect("read above")).expect("text");
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let section: Section = fields[2].replace(' ', ",").parse().expect("a section");
        let (section, _) = pentago().standardise(section);
        let entries: u64 = pentago().extents(section).map(u64::from).iter().product();
        assert_eq!(entries.to_string(), fields[9], "{line}");
        assert_eq!(pentago().multiplicity(section).to_string(), fields[3], "{line}");
    }
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

/// In every section of slice 31, the counts in `docs/results` equal the published counts.
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

/// Solves a section and all sections that it depends on. Writes one table per slice. `path` returns
/// the path of the table of a slice. Returns the sections of each table.
pub fn write_closure(
    rules: Rules,
    solver: &SectionSolver,
    section: Section,
    path: impl Fn(u8) -> PathBuf,
) -> Vec<Vec<Section>> {
    let mut slices = Vec::new();
    each_of_closure(solver, section, |sections, values| {
        let manifest = sections_content(rules, solver, sections);
        write_at(
            &path(manifest.slice),
            &manifest,
            Settings::new(Codec::Zstd(Level::KEPT)),
            |array, index| {
                let (block, place) = manifest.arrays[array as usize].grid.locate(index);
                values.block(BlockId { array, block }).expect("it is solved")[place]
            },
        );
        slices.push(sections.to_vec());
    });
    slices
}

/// If several tables contain the same slices and sections, each section counts once and has the
/// published counts.
#[test]
fn sections_in_tables_are_as_published() {
    let Some(published) = published() else { return };
    let folder = tempfile::tempdir().expect("a folder for the test");
    let solver = SectionSolver::new(Rules::default(), kernel(), NonZeroUsize::MIN, 1 << 30);
    for text in ["72,27,54,34", "81,18,53,35", "72,27,54,44"] {
        let section: Section = text.parse().expect("a section");
        // The three closures have slices in common, so the file names contain the section.
        write_closure(Rules::default(), &solver, pentago().standardise(section).0, |slice| {
            folder.path().join(format!("{text}-{slice}.{EXTENSION}"))
        });
    }
    let found = Tables::open(folder.path(), 0).expect("it can be looked through");
    let slices = stored(&found, Rules::default(), |_| true).expect("the tables agree");
    assert_eq!(slices.iter().map(|slice| slice.marbles).collect::<Vec<_>>(), [34, 35, 36]);
    for slice in &slices {
        let compared = slice.against(&published);
        let expected = if slice.marbles == 36 { 0 } else { slice.sections.len() };
        assert_eq!((compared.compared, compared.agree, compared.first), (expected, expected, None));
        assert!(!slice.is_whole());
    }
    // In one published section, count one more board as won by X and one board fewer as won by O.
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

/// Asserts that, in every section of the imported tables, the numbers of wins of both players equal
/// the published arrays.
pub fn counts_are_published(folder: &Path) {
    for marbles in 0..7 {
        let array = shared(&format!("published/counts-{marbles}.npy")).expect("the others were there");
        let rows = std::fs::read(array).expect("read");
        let path = folder.join(format!("pentago/slice-{marbles:02}.pentago"));
        let table = Table::open(&path, Access::Map, Cache::new(0)).expect("opened");
        assert_eq!((rows.len() - 80) / 32, table.arrays().len());
        for row in rows[80..].chunks(32) {
            let number = |i: usize| u64::from_le_bytes(row[8 * i..][..8].try_into().expect("eight bytes"));
            let id = number(0).to_le_bytes();
            let section = Section::new([1, 3, 0, 2].map(|q| [id[2 * q], id[2 * q + 1]])).expect("a section");
            let key = pentago().key(section);
            let array = table.array(&key).expect("it is there");
            let counts = table.arrays()[array as usize].counts;
            let [first, second] =
                if marbles % 2 == 0 { [counts.wins, counts.losses] } else { [counts.losses, counts.wins] };
            assert_eq!([first, second, first + second + counts.draws], [1, 2, 3].map(number));
        }
    }
}
