//! Builds by several ranks on this machine: together they make the tables of one process, also when
//! they are killed and go on, and what goes wrong ends the job with one clear message.
//!
//! Skipped, with a message, where there is no mpirun.

use pentago::codec::Codec;
use pentago::control::Control;
use pentago::index::{Section, Sections};
use pentago::kernel::Kernel;
use pentago::pipeline::{GameBuild, Resources};
use pentago::rules::{Dir, Rules, Shape};
use pentago::solve::SectionSolver;
use pentago::supers::Super;
use pentago::tables::{ArrayInfo, Folder, Manifest, Settings, Writer, merge};
use pentago::values::{BlockId, Entry, Sink};
use pentago::verify::counts::stored;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The command for so many ranks with these arguments.
fn job(ranks: u32, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--allow-run-as-root", "-n", &ranks.to_string()]);
    command.arg(env!("CARGO_BIN_EXE_pentago-cluster")).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn build(ranks: u32, arguments: &[&str], out: &Path) -> Output {
    let all = [&["build"], arguments, &["--threads", "1", "--memory", "1G", "--out"], &[text(out)]].concat();
    job(ranks, &all).output().expect("mpirun is there")
}

/// What a job that succeeds says on standard output.
fn built(ranks: u32, arguments: &[&str], out: &Path) -> String {
    let output = build(ranks, arguments, out);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{ranks} ranks, {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a job that fails says on standard error.
fn fails(ranks: u32, arguments: &[&str], out: &Path) -> String {
    let began = Instant::now();
    let output = build(ranks, arguments, out);
    assert!(!output.status.success() && began.elapsed() < Duration::from_secs(60));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

/// Whether these tests can be run; where not, that is said.
fn there_is_mpi() -> bool {
    let there = Command::new("mpirun").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("skipped: there is no mpirun");
    }
    there
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

/// The tables of one process.
fn whole(build: &GameBuild) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    build.run(folder.path(), &resources(folder.path()), &Control::new()).expect("built");
    folder
}

/// Each slice is, merged, the file of one process. How many slices there are. The shards may lie in
/// several folders.
fn compare(build: &GameBuild, folders: &[PathBuf], whole: &Path) -> usize {
    let name = build.target().folder_name();
    let place = tempfile::tempdir().expect("a folder");
    let theirs = Folder::open(&whole.join(&name)).expect("read").tables;
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
        let one = theirs.iter().find(|table| table.header.slice == slice).expect("one process has it");
        let [ours, theirs] = [&out, &one.path].map(|path| fs::read(path).expect("read"));
        assert!(ours == theirs, "slice {slice} of {} shards is another one", shards.len());
        fs::remove_file(&out).expect("removed");
        compared += 1;
    }
    compared
}

#[test]
fn any_number_of_ranks_makes_the_same_mini_pentago() {
    if !there_is_mpi() {
        return;
    }
    let build = GameBuild::new(Rules::mini(), 0);
    let expected = whole(&build);
    for ranks in [1, 2, 3, 4, 7] {
        let out = tempfile::tempdir().expect("a folder");
        let said = built(ranks, &["mini"], out.path());
        assert!(said.lines().count() >= 17 && said.lines().all(|path| Path::new(path).is_file()), "{said}");
        assert_eq!(compare(&build, &[out.path().to_owned()], expected.path()), 17);
    }
}

/// Ranks with a disk each send each other what they need.
#[test]
fn ranks_need_no_common_folder() {
    if !there_is_mpi() {
        return;
    }
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

/// Values that mean nothing, carried down to the empty board.
#[test]
fn a_made_up_leaf_comes_down() {
    if !there_is_mpi() {
        return;
    }
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

/// Writes slice 5.
fn write_leaf(build: &GameBuild, folder: &Path) {
    let rules = build.target().rules;
    let all = Sections::of(rules.shape, rules.dir);
    let solver = SectionSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 1 << 20);
    let array = |s: &Section| ArrayInfo { key: s.bytes(), grid: solver.grid(*s) };
    let arrays = all.standard(5).iter().map(array).collect();
    let manifest = Manifest { target: build.target(), slice: 5, arrays };
    let path = build.target().path(folder, 5);
    fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    let writer = Writer::begin(&path, manifest.clone(), Settings::new(Codec::PASSED)).expect("begun");
    let mut state = 7u64;
    for (number, array) in (0..).zip(&manifest.arrays) {
        for block in 0..array.grid.blocks() {
            let entry = |_| {
                let mut bit = |_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    state >> 60 != 0
                };
                let (win, not_lose) = (Super::from_fn(&mut bit), Super::from_fn(bit));
                Entry { win: Super::from_fn(|r| win.get(r) && not_lose.get(r)), not_lose }
            };
            let entries: Vec<Entry> = (0..array.grid.len(block)).map(entry).collect();
            writer.put(BlockId { array: number, block }, &entries).expect("written");
        }
    }
    writer.finish().expect("finished");
}

/// A section that, with all that it depends on, takes some seconds.
const SECTION: &str = "80,08,44,44";

fn section_build() -> GameBuild {
    GameBuild::of_section(Rules::default(), SECTION.parse().expect("a section")).expect("of the game")
}

/// The ranks of a job that runs, by process.
fn ranks_of(job: &Child) -> Vec<u32> {
    let children = |pid: u32| -> Vec<u32> {
        let path = format!("/proc/{pid}/task/{pid}/children");
        let text = fs::read_to_string(path).unwrap_or_default();
        text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
    };
    let is_rank = |pid: &u32| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("pentago-cluster"))
    };
    let below = children(job.id());
    let further: Vec<u32> = below.iter().flat_map(|&pid| children(pid)).collect();
    below.into_iter().chain(further).filter(is_rank).collect()
}

/// Kills a random rank at a random moment, again and again; each job goes on, sometimes with
/// another number of ranks.
fn kill_and_go_on(times: u64, seed: u64) {
    let build = section_build();
    let began = Instant::now();
    let expected = whole(&build);
    let alone = began.elapsed();
    let (mut killed, mut state) = (0, seed);
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    while killed < times {
        let out = tempfile::tempdir().expect("a folder");
        let target = format!("section:{SECTION}");
        let ranks = 2 + random(3) as u32;
        let arguments = ["build", &target, "--threads", "1", "--memory", "1G", "--out", text(out.path())];
        let mut running = job(ranks, &arguments).spawn().expect("started");
        // From the moment on that the ranks work: before, it is MPI's own affair, and mpirun of
        // Open MPI 4.1 may wait forever for a process that dies while it starts.
        while !out.path().join("pentago").exists() && running.try_wait().expect("known").is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(random(alone.as_millis() as u64)));
        let processes = ranks_of(&running);
        if let Some(&process) = processes.get(random(processes.len().max(1) as u64) as usize) {
            let kill = Command::new("kill").args(["-9", &process.to_string()]).status();
            assert!(kill.is_ok());
        }
        let died = Instant::now();
        let ended = running.wait().expect("it ends");
        assert!(died.elapsed() < Duration::from_secs(60), "the job went on without a rank");
        if ended.success() {
            continue;
        }
        killed += 1;
        // Every third time by another number: 3 after 2, 4 after 3, 2 after 4.
        let again = if killed % 3 == 0 { 2 + (ranks - 1) % 3 } else { ranks };
        built(again, &[&target], out.path());
        // Slices that were finished by the first job stay as they are.
        assert_eq!(compare(&build, &[out.path().to_owned()], expected.path()), build.slices().len());
        println!("{ranks} ranks, one of {processes:?} killed, continued by {again}");
    }
}

#[test]
fn a_killed_rank_ends_the_job_which_goes_on() {
    if there_is_mpi() {
        kill_and_go_on(2, 1);
    }
}

/// `cargo test a_rank_is_killed_twenty_times -- --ignored --nocapture`
#[test]
#[ignore = "minutes"]
fn a_rank_is_killed_twenty_times() {
    if there_is_mpi() {
        kill_and_go_on(20, 2);
    }
}

/// A byte changed in a shard, a shard that is missing: named, and what is there goes on.
#[test]
fn bad_shards_are_named() {
    if !there_is_mpi() {
        return;
    }
    let build = GameBuild::new(Rules::mini(), 8);
    let expected = whole(&build);
    let out = tempfile::tempdir().expect("a folder");
    built(3, &["slice:9", "--rules", "mini"], out.path());
    let shard = |slice: u8, number: u32| build.shard_name(out.path(), slice, number, 3).path();
    let victim = shard(9, 1);
    let good = fs::read(&victim).expect("read");

    let mut bad = good.clone();
    bad[good.len() / 3] ^= 1;
    fs::write(&victim, &bad).expect("written");
    let said = fails(2, &["slice:8", "--rules", "mini"], out.path());
    assert!(said.contains("error: rank") && said.contains(text(&victim)), "{said}");

    // Without it, the slice before is the last that is finished: it is built again from there, but
    // for what is there.
    fs::remove_file(&victim).expect("removed");
    built(3, &["slice:8", "--rules", "mini"], out.path());
    assert!(fs::read(&victim).expect("built again") == good);
    assert_eq!(compare(&build, &[out.path().to_owned()], expected.path()), 9);

    // The same of a rank with its own disk.
    let each = tempfile::tempdir().expect("a folder");
    let folder = each.path().join("%r");
    built(3, &["slice:9", "--rules", "mini", "--local"], &folder);
    let lost = build.shard_name(&each.path().join("2"), 9, 2, 3).path();
    fs::remove_file(&lost).expect("removed");
    built(3, &["slice:8", "--rules", "mini", "--local"], &folder);
    let folders: Vec<PathBuf> = (0..3).map(|rank| each.path().join(rank.to_string())).collect();
    assert_eq!(compare(&build, &folders, expected.path()), 9);
}

/// Counts that aren't those of the files stop the build before the next slice.
#[test]
fn wrong_counts_stop_the_build() {
    if !there_is_mpi() {
        return;
    }
    let (build, all) = (section_build(), Sections::of(Shape::Pentago, Dir::Both));
    let expected = whole(&build);
    let folder = Folder::open(&expected.path().join("pentago")).expect("read");
    let slices = stored(&folder, Rules::default(), |slice| slice == 34).expect("counted");
    let out = tempfile::tempdir().expect("a folder");
    let file = out.path().join("counts.tsv");
    let target = [&format!("section:{SECTION}"), "--against", text(&file)];
    let write = |more: u64| {
        let mut lines = "N\tsection_TL_TR_BL_BR(xo)\tmultiplicity\ttotal\tx_wins\tties\to_wins\n".to_owned();
        for (section, results) in &slices[0].sections {
            let [a, b, c, d] = section.counts().map(|[x, o]| format!("{x}{o}"));
            let (images, boards) = (all.multiplicity(*section), all.boards(*section));
            let (x_wins, draws, o_wins) = (results.x_wins + more, results.draws, results.o_wins - more);
            let line = format!("34\t{a} {b} {c} {d}\t{images}\t{boards}\t{x_wins}\t{draws}\t{o_wins}\n");
            lines.push_str(&line);
        }
        fs::write(&file, lines).expect("written");
    };
    write(1);
    let said = fails(2, &target, out.path());
    assert!(
        said.contains("error: rank 0") && said.contains("section ") && said.contains("should be"),
        "{said}"
    );
    assert_eq!(build.missing(out.path()).expect("listed").first(), Some(&33), "it went on");
    write(0);
    let again = tempfile::tempdir().expect("a folder");
    built(2, &target, again.path());
    assert_eq!(compare(&build, &[again.path().to_owned()], expected.path()), build.slices().len());
}

/// A disk that is given back in the end.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// Where the disk is full, the job says so; with more room it goes on.
#[test]
fn a_full_disk_ends_the_job() {
    if !there_is_mpi() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let mount = |options: &str| {
        let command = ["-t", "tmpfs", "-o", options, "tmpfs", text(place.path())];
        Command::new("mount").args(command).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    if !mount("size=64k") {
        eprintln!("skipped: a small disk can't be mounted");
        return;
    }
    let build = section_build();
    let target = format!("section:{SECTION}");
    let _unmount = Mounted(place.path());
    let said = fails(2, &[&target], place.path());
    assert!(said.contains("error: rank") && said.contains("free some space"), "{said}");
    let went_on = mount("remount,size=1G").then(|| {
        built(2, &[&target], place.path());
        compare(&build, &[place.path().to_owned()], whole(&build).path())
    });
    assert!(went_on.is_none_or(|slices| slices == build.slices().len()));
}

/// Without mpirun there is one rank.
#[test]
fn a_single_process_is_a_job_of_one() {
    if !there_is_mpi() {
        return;
    }
    let out = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentago-cluster"));
    let output = command.args(["build", "slice:14", "--rules", "mini", "--out", text(out.path())]).output();
    assert!(output.is_ok_and(|output| output.status.success()));
    let found = Folder::open(&out.path().join("mini")).expect("read");
    assert_eq!(found.tables.len(), 3);
}
