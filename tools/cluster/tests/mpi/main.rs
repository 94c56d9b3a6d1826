//! Tests of builds by several ranks on this machine. Together, the ranks must build the same tables
//! as one process, even if ranks are killed and the job is restarted. Every failure must end the
//! job with one clear message.
//!
//! If mpirun is not installed, the tests print a message and pass.

mod faults;
mod network;

use pentago::Control;
use pentago::make::{GameBuild, Resources};
use pentago::rules::Rules;
use pentago_core::index::{EDGE, Section, Sections};
use pentago_core::kernel::Kernel;
use pentago_core::supers::Super;
use pentago_core::values::{BlockId, Entry, Grid};
use pentago_tables::codec::Codec;
use pentago_tables::tables::{ArrayInfo, Manifest, Settings, Tablebase, Writer, merge};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Returns the command that runs `pentago-cluster` with these arguments as a job of `ranks` ranks.
fn job(ranks: u32, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--allow-run-as-root", "-n", &ranks.to_string()]);
    command.arg(env!("CARGO_BIN_EXE_pentago-cluster")).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a build with `ranks` ranks. The build writes its tables to the folder `out`.
fn start(ranks: u32, arguments: &[&str], out: &Path) -> Child {
    let all = [&["build"], arguments, &["--threads", "1", "--memory", "1G", "--out"], &[text(out)]].concat();
    job(ranks, &all).spawn().expect("mpirun is there")
}

/// Runs a build that must succeed. Returns the text that it wrote to standard output.
fn built(ranks: u32, arguments: &[&str], out: &Path) -> String {
    let output = start(ranks, arguments, out).wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{ranks} ranks, {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

/// Polls a condition for at most this number of seconds. Returns `true` once the condition holds,
/// and `false` if the time is over. Time for which this process is suspended doesn't count, because
/// the job is suspended with it.
fn becomes(seconds: u32, mut is_so: impl FnMut() -> bool) -> bool {
    (0..200 * seconds).any(|_| {
        let is_so = is_so();
        if !is_so {
            std::thread::sleep(Duration::from_millis(5));
        }
        is_so
    })
}

/// Waits at most this number of seconds for a job to end. Returns the exit status of the job, or
/// `None` if it still runs.
fn ends(job: &mut Child, seconds: u32) -> Option<ExitStatus> {
    let mut status = None;
    becomes(seconds, || {
        status = job.try_wait().expect("known");
        status.is_some()
    });
    status
}

/// Returns `Some` if mpirun works. Otherwise prints that the test is skipped, and returns `None`.
fn mpi() -> Option<()> {
    let output = Command::new("mpirun").arg("--version").output();
    let found = output.ok().filter(|output| output.status.success());
    if found.is_none() {
        eprintln!("skipped: there is no mpirun");
    }
    found.map(|_| ())
}

fn resources(out: &Path) -> Resources {
    Resources {
        kernel: Kernel::best(),
        threads: NonZeroUsize::MIN,
        memory: 1 << 30,
        scratch: out.to_owned(),
        scratch_limit: u64::MAX,
    }
}

/// Builds the tables with one process in a temporary folder. Returns the folder.
fn whole(build: &GameBuild) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    build.run(folder.path(), &resources(folder.path()), &Control::new()).expect("built");
    folder
}

/// Merges the shards of each slice, and asserts that the result equals the file that one process
/// built. The shards may lie in several folders. Returns the number of slices that have shards.
fn compare(build: &GameBuild, folders: &[PathBuf], whole: &Path) -> usize {
    let name = build.target().folder_name();
    let place = tempfile::tempdir().expect("a folder");
    let (theirs, _) = Tablebase::open_target(&whole.join(&name), build.target()).expect("read");
    let mut compared = 0;
    for slice in build.slices() {
        let mut shards: Vec<PathBuf> = Vec::new();
        for folder in folders {
            for entry in fs::read_dir(folder.join(&name)).expect("listed") {
                let path = entry.expect("listed").path();
                let of_slice = text(&path).contains(&format!("/slice-{slice:02}-"));
                if of_slice && text(&path).contains("-shard-") {
                    assert!(path.extension().is_some_and(|e| e == "pentago"), "{} is left", path.display());
                    shards.push(path);
                }
            }
        }
        if shards.is_empty() {
            continue;
        }
        let out = place.path().join("merged.pentago");
        merge(&shards, &out, true, &Control::new()).expect("merged");
        let one = theirs.table(slice).expect("opened").expect("one process has it");
        let [ours, theirs] = [&*out, one.path()].map(|path| fs::read(path).expect("read"));
        assert!(
            ours == theirs,
            "slice {slice}: {} merged shards differ from the file of one process",
            shards.len()
        );
        fs::remove_file(&out).expect("removed");
        compared += 1;
    }
    compared
}

#[test]
fn any_number_of_ranks_makes_the_same_mini_pentago() {
    let Some(()) = mpi() else { return };
    let build = GameBuild::new(Rules::mini(), 0);
    let expected = whole(&build);
    for ranks in [1, 2, 3, 4, 7] {
        let out = tempfile::tempdir().expect("a folder");
        let said = built(ranks, &["mini"], out.path());
        assert!(said.lines().count() >= 17 && said.lines().all(|path| Path::new(path).is_file()), "{said}");
        assert_eq!(compare(&build, &[out.path().to_owned()], expected.path()), 17);
    }
}

/// Ranks with separate folders must read each other's shards over the network.
#[test]
fn ranks_need_no_common_folder() {
    let Some(()) = mpi() else { return };
    let build = GameBuild::new(Rules::mini(), 0);
    let expected = whole(&build);
    for ranks in [2, 3, 7] {
        let out = tempfile::tempdir().expect("a folder");
        let each = out.path().join("rank-%r");
        let said = built(ranks, &["mini", "--local", "--json"], &each);
        assert!(said.contains(r#""event":"end""#));
        let last = said.lines().last().expect("the end");
        assert!(!last.contains(r#""received":0,"sent":0},{"#), "nothing was sent: {last}");
        let folders: Vec<PathBuf> = (0..ranks).map(|r| out.path().join(format!("rank-{r}"))).collect();
        assert_eq!(compare(&build, &folders, expected.path()), 17);
    }
}

/// Builds slices 4 to 0 from invented values of slice 5. All numbers of ranks must build the same
/// tables.
#[test]
fn a_made_up_leaf_comes_down() {
    let Some(()) = mpi() else { return };
    let rules: Rules = "pentago:dir=cw".parse().expect("these are rules");
    let build = GameBuild::new(rules, 0);
    let expected = tempfile::tempdir().expect("a folder");
    write_leaf(&build, expected.path());
    build.run(expected.path(), &resources(expected.path()), &Control::new()).expect("built");
    for ranks in [1, 2, 3, 4, 7] {
        let out = tempfile::tempdir().expect("a folder");
        write_leaf(&build, out.path());
        built(ranks, &["game", "--rules", "pentago:dir=cw"], out.path());
        assert_eq!(compare(&build, &[out.path().to_owned()], expected.path()), 5);
    }
}

/// Writes a table of slice 5 with invented values. Each value is a hash of the board, so that all
/// occurrences of a board have equal values.
fn write_leaf(build: &GameBuild, folder: &Path) {
    let rules = build.target().rules;
    let all = Sections::of(rules.shape, rules.dir);
    let sections = all.standard(5);
    let array = |&s: &Section| ArrayInfo { key: all.key(s), grid: Grid::new(all.extents(s), EDGE) };
    let arrays = sections.iter().map(array).collect();
    let manifest = Manifest { target: build.target(), slice: 5, arrays };
    let path = build.target().path(folder, 5);
    fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    let writer = Writer::begin(&path, manifest.clone(), Settings::new(Codec::QUICK)).expect("begun");
    for ((number, array), &section) in (0..).zip(&manifest.arrays).zip(&sections) {
        for block in 0..array.grid.blocks() {
            let ranges = array.grid.ranges(block);
            let lens = ranges.each_ref().map(|range| range.len() as u32);
            let inside = Grid { extents: lens, edges: lens };
            let entry = |place: usize| {
                let at = inside.index(place as u64);
                let index = std::array::from_fn(|axis| ranges[axis].start + at[axis]);
                let chance = |r| {
                    let board = all.board(section, index, r);
                    let mixed = (board.x ^ board.o.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    mixed.wrapping_mul(mixed >> 32 | 1) >> 56
                };
                Entry {
                    win: Super::from_fn(|r| chance(r) < 225),
                    not_lose: Super::from_fn(|r| chance(r) < 240),
                }
            };
            let entries: Vec<Entry> = (0..array.grid.len(block)).map(entry).collect();
            writer.put(BlockId { array: number, block }, &entries).expect("written");
        }
    }
    writer.finish().expect("finished");
}

/// The section for tests. Building this section, and all sections that it depends on, takes some
/// seconds.
const SECTION: &str = "80,08,44,44";

fn section_build() -> GameBuild {
    GameBuild::of_section(Rules::default(), SECTION.parse().expect("a section")).expect("of the game")
}

/// A process that is started without mpirun is a job with one rank.
#[test]
fn a_single_process_is_a_job_of_one() {
    let Some(()) = mpi() else { return };
    let out = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentago-cluster"));
    let output = command.args(["build", "slice:14", "--rules", "mini", "--out", text(out.path())]).output();
    assert!(output.is_ok_and(|output| output.status.success()));
    let target = GameBuild::new(Rules::mini(), 14).target();
    let (found, _) = Tablebase::open_target(&out.path().join("mini"), target).expect("read");
    assert_eq!(found.len(), 3);
}

/// With `--counts-only`, the counts of the last slice must equal the counts of one process.
/// `--from` must read the other slices from another folder.
#[test]
fn the_last_slice_is_counted_only() {
    let Some(()) = mpi() else { return };
    let counted = GameBuild::new(Rules::mini(), 8).counts_only();
    let expected = whole(&counted);
    let list = |folder: &Path| fs::read(counted.target().counts_path(folder, 8)).expect("a list");
    let place = tempfile::tempdir().expect("a folder");
    let (tables, out) = (place.path().join("tables-%r"), place.path().join("counts-%r"));
    built(3, &["slice:9", "--rules", "mini", "--local"], &tables);
    let from = tables.join("mini");
    let arguments = ["slice:8", "--rules", "mini", "--local", "--counts-only", "--from", text(&from)];
    let said = built(3, &arguments, &out);
    assert_eq!(said.lines().count(), 1, "nothing but the list: {said}");
    assert!(list(&place.path().join("counts-0")) == list(expected.path()));
    let folder = place.path().join("counts-0/mini");
    let (tables, _) = Tablebase::open_target(&folder, counted.target()).expect("read");
    assert!(tables.is_empty(), "nothing was stored");
    assert_eq!(built(3, &arguments, &out), "", "it was counted before");

    let nothing = ["slice:8", "--rules", "mini", "--from", text(place.path())];
    let output = start(2, &nothing, &place.path().join("other")).wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("mini"), "{said}");
}
