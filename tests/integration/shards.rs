//! Builds of slices in shards, without communication between the builders. The merged shards equal
//! the table that a single builder writes, and the shards contain the same values as this table.

use crate::common::{kernel, mix, resources, sections_content, threads};
use crate::tables::write_at;
use pentago::make::GameBuild;
use pentago::rules::Rules;
use pentago::{Control, Error};
use pentago_core::solve::SectionSolver;
use pentago_core::supers::Super;
use pentago_core::values::Entry;
use pentago_tables::codec::{Codec, Level};
use pentago_tables::probe::Tables;
use pentago_tables::tables::{MergeError, Settings, ShardName, Table, Tablebase, Target, merge};
use pentago_tables::verify;
use std::fs;
use std::path::{Path, PathBuf};

/// Builds all slices in the folder `out`, each in `of` shards. The shards are built one at a time.
fn build_shared(build: &GameBuild, out: &Path, of: u32) -> Result<(), Error> {
    let (slices, mut next) = build.start(out)?;
    for slice in slices {
        let shares = build.shares(slice, of);
        // Build the last shard first, because the order of the shards must not matter.
        for number in (0..of).rev() {
            let control = Control::new();
            build.build_shard(out, slice, (number, &shares), next.as_ref(), &resources(1, out), &control)?;
        }
        next = Some(build.shards(out, slice, of)?);
        build.remove_shards(out, slice, Some(of))?;
    }
    Ok(())
}

/// Returns the paths of the shards of a slice in a folder.
fn shards_of(folder: &Path, slice: u8) -> Vec<PathBuf> {
    let (tablebases, _) = Tablebase::open_all(folder, 0).expect("read");
    let tables = tablebases.iter().flat_map(|tablebase| tablebase.tables(slice).expect("opened"));
    let paths = tables.map(|table| table.paths().map(Path::to_owned).collect::<Vec<_>>());
    { paths }.find(|paths| ShardName::parse(&paths[0]).is_some()).unwrap_or_default()
}

fn merged(shards: &[PathBuf], out: &Path) -> Result<Table, MergeError> {
    merge(shards, out, false, &Control::new())
}

/// Merges the shards of each slice, and asserts that the result equals the file of a single
/// builder. Returns the number of slices with shards.
fn compare_merged(target: Target, shared: &Path, whole: &Path) -> usize {
    let place = tempfile::tempdir().expect("a folder");
    let mut compared = 0;
    for slice in 0..=target.rules.shape.sockets() as u8 {
        let shards = shards_of(&shared.join(target.folder_name()), slice);
        if shards.is_empty() {
            continue;
        }
        let out = place.path().join(format!("{slice}.pentago"));
        merged(&shards, &out).expect("merged");
        let [ours, theirs] = [&out, &target.path(whole, slice)].map(|path| fs::read(path).expect("read"));
        assert!(ours == theirs, "slice {slice} of {} shards differs", shards.len());
        compared += 1;
    }
    compared
}

#[test]
fn shared_mini_pentago_is_the_same() {
    let rules = Rules::mini();
    let build = GameBuild::new(rules, 0).codec(Codec::COMPACT);
    let whole = tempfile::tempdir().expect("a folder");
    build.run(whole.path(), &resources(1, whole.path()), &Control::new()).expect("built");
    let expected = Tables::open(whole.path(), 1 << 24).expect("opened");
    for of in [1, 3, 7] {
        let shared = tempfile::tempdir().expect("a folder");
        build_shared(&build, shared.path(), of).expect("built");
        assert_eq!(compare_merged(build.target(), shared.path(), whole.path()), 17);
        assert!(build.missing(Some(shared.path())).expect("listed").is_empty());

        // Opened shards have the same headers and values as whole tables.
        let tables = Tables::open(shared.path(), 1 << 24).expect("opened");
        assert!(tables.scan.damaged.is_empty() && tables.scan.unfinished.is_empty());
        let (family, like) = (&tables.families[0], &expected.families[0]);
        for (shared, whole) in family.headers().zip(like.headers()) {
            let [ours, theirs] = [shared, whole].map(|header| (header.slice, header.arrays, header.entries));
            assert_eq!((ours, shared.counts), (theirs, whole.counts));
        }
        if of == 3 {
            for slice in 9..=16 {
                let table = family.table(slice).expect("opened").expect("there");
                let checked = verify::full(family, table, &Control::new()).expect("right");
                assert_eq!((checked.entries, checked.without_moves), (table.header().entries, 0));
                verify::hash(table, &Control::new()).expect("intact");
            }
        }
    }
}

/// A build can resume with another number of builders, because builders read finished slices with
/// any number of shards.
#[test]
fn another_number_of_builders_goes_on() {
    let (rules, shared) = (Rules::mini(), tempfile::tempdir().expect("a folder"));
    let whole = tempfile::tempdir().expect("a folder");
    GameBuild::new(rules, 6).run(whole.path(), &resources(1, whole.path()), &Control::new()).expect("built");
    build_shared(&GameBuild::new(rules, 11), shared.path(), 3).expect("built");
    // Two of five builders finish their shards of slice 10. Then two new builders replace the five
    // builders.
    let build = GameBuild::new(rules, 10);
    let (_, next) = build.start(shared.path()).expect("found");
    for number in [0, 3] {
        let shares = build.shares(10, 5);
        let (out, control) = (resources(1, shared.path()), Control::new());
        build
            .build_shard(shared.path(), 10, (number, &shares), next.as_ref(), &out, &control)
            .expect("built");
    }
    assert_eq!(build.missing(Some(shared.path())).expect("listed"), [10]);
    let build = GameBuild::new(rules, 8);
    build_shared(&build, shared.path(), 2).expect("built");
    assert_eq!(shards_of(&shared.path().join("mini"), 10).len(), 2);
    let mut left = fs::read_dir(shared.path().join("mini")).expect("listed");
    assert!(!left.any(|f| f.unwrap().file_name().to_string_lossy().contains("of-5")));
    // A single builder continues the build from these shards, and writes one file per slice.
    GameBuild::new(rules, 6)
        .run(shared.path(), &resources(1, shared.path()), &Control::new())
        .expect("built");
    assert_eq!(compare_merged(build.target(), shared.path(), whole.path()), 9);
    for slice in [6, 7] {
        let [ours, theirs] = [shared.path(), whole.path()].map(|f| fs::read(build.target().path(f, slice)));
        assert_eq!(ours.expect("read"), theirs.expect("read"));
    }
}

/// Builders of shards and a single builder start from the same made-up values, and compute the same
/// slices down to the empty board.
#[test]
fn a_made_up_leaf_comes_down_in_shares() {
    let rules = crate::common::rules("pentago:dir=cw");
    let build = GameBuild::new(rules, 0).codec(Codec::QUICK);
    let whole = tempfile::tempdir().expect("a folder");
    write_leaf(rules, 4, whole.path());
    build.run(whole.path(), &resources(1, whole.path()), &Control::new()).expect("built");
    for of in [2, 7] {
        let shared = tempfile::tempdir().expect("a folder");
        write_leaf(rules, 4, shared.path());
        build_shared(&build, shared.path(), of).expect("built");
        assert_eq!(compare_merged(build.target(), shared.path(), whole.path()), 4);
    }
}

/// Writes a table of a slice with made-up values into a folder.
fn write_leaf(rules: Rules, marbles: u8, folder: &Path) {
    let solver = SectionSolver::new(rules, kernel(), threads(1), 1 << 20);
    let manifest = sections_content(rules, &solver, &solver.sections.standard(marbles.into()));
    let path = manifest.target.path(folder, marbles);
    fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    write_at(&path, &manifest, Settings::new(Codec::Zstd(Level::SCRATCH)), |array, index| {
        let place = index.iter().fold(u64::from(array), |hash, &i| mix(hash ^ u64::from(i)));
        let mut bits = (0..).map(|i| mix(place ^ i) >> 60 != 0);
        let mut bit = |_| bits.next().expect("there is no end");
        let (win, not_lose) = (Super::from_fn(&mut bit), Super::from_fn(bit));
        Entry { win: Super::from_fn(|r| win.get(r) && not_lose.get(r)), not_lose }
    });
}

/// Shards that are missing, repeated, damaged or taken from another table are reported and never
/// used.
#[test]
fn bad_shards_are_refused() {
    let (rules, place) = (Rules::mini(), tempfile::tempdir().expect("a folder"));
    let build = GameBuild::new(rules, 10);
    build_shared(&build, place.path(), 4).expect("built");
    let out = place.path().join("merged.pentago");
    let shards = shards_of(&place.path().join("mini"), 11);
    assert_eq!(shards.len(), 4);
    let refusal = |shards: &[PathBuf]| {
        let error = merged(shards, &out).expect_err("refused").to_string();
        assert!(!out.exists());
        error
    };
    for number in 0..4 {
        let mut some = shards.clone();
        some.remove(number);
        assert!(refusal(&some).contains("a shard is missing"), "{}", refusal(&some));
    }
    let twice = [&shards[..], &shards[..1]].concat();
    assert!(refusal(&twice).contains("another shard has some of its blocks"));
    let foreign = [&shards[..3], &shards_of(&place.path().join("mini"), 12)[..1]].concat();
    assert!(refusal(&foreign).contains("other target, slice or codec"), "{}", refusal(&foreign));

    // Flip one bit in the header, in a payload, in the directory or in the index.
    let victim = &shards[2];
    let good = fs::read(victim).expect("read");
    for at in [20, 520, good.len() / 2, good.len() - 300, good.len() - 5] {
        let mut bad = good.clone();
        bad[at] ^= 4;
        fs::write(victim, bad).expect("written");
        let error = refusal(&shards);
        assert!(error.contains(victim.to_str().expect("text")), "{at}: {error}");
        let _ = fs::remove_file(out.with_extension("pentago.part"));
        let _ = fs::remove_file(out.with_extension("pentago.journal"));
    }
    fs::write(victim, &good).expect("written");

    // A slice that lacks a shard doesn't count as finished. Only the missing shard is built again.
    fs::remove_file(&shards[1]).expect("removed");
    let (found, _) = Tablebase::open_target(&place.path().join("mini"), build.target()).expect("read");
    let table = found.table(11).expect("opened").expect("there");
    assert!(table.header().entries < build.entries(&[11]));
    shards_of(&place.path().join("mini"), 10).iter().for_each(|path| fs::remove_file(path).expect("removed"));
    assert_eq!(build.missing(Some(place.path())).expect("listed"), [11, 10]);
    let before = fs::metadata(&shards[0]).expect("there").modified().expect("known");
    build_shared(&build, place.path(), 4).expect("built");
    assert_eq!(fs::metadata(&shards[0]).expect("there").modified().expect("known"), before);
    merged(&shards_of(&place.path().join("mini"), 11), &out).expect("merged");
}
