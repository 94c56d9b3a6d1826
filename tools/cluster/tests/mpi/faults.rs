//! Tests of failures. Each failure must end the job within a minute, with one clear message. The
//! same command must then resume the job.

use super::{SECTION, built, compare, ends, job, mpi, section_build, start, text, whole};
use pentago::make::GameBuild;
use pentago::rules::{Dir, Rules, Shape};
use pentago_core::index::Sections;
use pentago_tables::probe::Tables;
use pentago_tables::verify::counts::stored;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Runs a build that must fail. Returns the text that it wrote to standard error.
fn fails(ranks: u32, arguments: &[&str], out: &Path) -> String {
    let mut running = start(ranks, arguments, out);
    let status = ends(&mut running, 60).expect("the job ends");
    let output = running.wait_with_output().expect("it has ended");
    assert!(!status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the process ids of the ranks of a running job.
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

/// Waits until a job ends, after one of its ranks was killed. Panics if the job does not end.
fn end(running: &mut Child, processes: &[u32]) -> ExitStatus {
    if let Some(ended) = ends(running, 60) {
        return ended;
    }
    let all = [&[running.id()], processes].concat().iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let listed = Command::new("ps").args(["-o", "pid,stat,wchan:20,time,args", "-p", &all]).output();
    let listed =
        listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let _ = running.kill();
    panic!("the job still runs without a rank:\n{listed}");
}

/// Starts a job, kills a random rank at a random moment, and resumes the job. Repeats this `times`
/// times, and resumes every third job with another number of ranks.
fn kill_and_resume(times: u64, seed: u64) {
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
        // Do not kill a rank before the ranks have started to work: mpirun of Open MPI 4.1 may wait
        // forever for a process that dies during its start.
        while !out.path().join("pentago").exists() && running.try_wait().expect("known").is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(random(alone.as_millis() as u64)));
        let processes = ranks_of(&running);
        if let Some(&process) = processes.get(random(processes.len().max(1) as u64) as usize) {
            let kill = Command::new("kill").args(["-9", &process.to_string()]).status();
            assert!(kill.is_ok());
        }
        let ended = end(&mut running, &processes);
        if ended.success() {
            continue;
        }
        killed += 1;
        // Change the number of ranks every third time: from 2 to 3, from 3 to 4, from 4 to 2.
        let again = if killed % 3 == 0 { 2 + (ranks - 1) % 3 } else { ranks };
        built(again, &[&target], out.path());
        // The slices that the two jobs built together must be complete and correct.
        assert_eq!(compare(&build, &[out.path().to_owned()], expected.path()), build.slices().len());
        println!("{ranks} ranks, one of {processes:?} killed, resumed by {again}");
    }
}

#[test]
fn a_job_resumes_after_a_rank_was_killed() {
    let Some(()) = mpi() else { return };
    kill_and_resume(2, 1);
}

/// Run this test with `cargo test a_rank_is_killed_twenty_times -- --ignored --nocapture`.
#[test]
#[ignore = "minutes"]
fn a_rank_is_killed_twenty_times() {
    let Some(()) = mpi() else { return };
    kill_and_resume(20, 2);
}

/// If a shard is damaged, the error message names it. If a shard is missing, it is rebuilt, and the
/// other shards are kept.
#[test]
fn bad_shards_are_named() {
    let Some(()) = mpi() else { return };
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

    // Delete the damaged shard, so that its slice is unfinished. Only this shard must be rebuilt.
    fs::remove_file(&victim).expect("removed");
    built(3, &["slice:8", "--rules", "mini"], out.path());
    assert!(fs::read(&victim).expect("built again") == good);
    assert_eq!(compare(&build, &[out.path().to_owned()], expected.path()), 9);

    // Ranks with separate folders must also rebuild a missing shard.
    let each = tempfile::tempdir().expect("a folder");
    let folder = each.path().join("%r");
    built(3, &["slice:9", "--rules", "mini", "--local"], &folder);
    let lost = build.shard_name(&each.path().join("2"), 9, 2, 3).path();
    fs::remove_file(&lost).expect("removed");
    built(3, &["slice:8", "--rules", "mini", "--local"], &folder);
    let folders: Vec<PathBuf> = (0..3).map(|rank| each.path().join(rank.to_string())).collect();
    assert_eq!(compare(&build, &folders, expected.path()), 9);
}

/// If the counts of a slice differ from the counts of `--against`, the build stops before the next
/// slice.
#[test]
fn wrong_counts_stop_the_build() {
    let Some(()) = mpi() else { return };
    let (build, all) = (section_build(), Sections::of(Shape::Pentago, Dir::Both));
    let expected = whole(&build);
    let folder = Tables::open(&expected.path().join("pentago"), 0).expect("read");
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
    assert_eq!(build.missing(Some(out.path())).expect("listed").first(), Some(&33), "the build continued");
    write(0);
    let again = tempfile::tempdir().expect("a folder");
    built(2, &target, again.path());
    assert_eq!(compare(&build, &[again.path().to_owned()], expected.path()), build.slices().len());
}

/// The mount point of a file system, which is unmounted when this value is dropped.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// If the disk is full, the job ends with a message. Once there is more space, the same command
/// resumes the job.
#[test]
fn a_full_disk_ends_the_job() {
    let Some(()) = mpi() else { return };
    let place = tempfile::tempdir().expect("a folder");
    let mount = |options: &str| {
        let command = ["-t", "tmpfs", "-o", options, "tmpfs", text(place.path())];
        Command::new("mount").args(command).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    if !mount("size=64k") {
        eprintln!("skipped: a small file system cannot be mounted");
        return;
    }
    let build = section_build();
    let target = format!("section:{SECTION}");
    let _unmount = Mounted(place.path());
    let said = fails(2, &[&target], place.path());
    assert!(said.contains("error: rank") && said.contains("free some space"), "{said}");
    let slices = mount("remount,size=1G").then(|| {
        built(2, &[&target], place.path());
        compare(&build, &[place.path().to_owned()], whole(&build).path())
    });
    assert!(slices.is_none_or(|slices| slices == build.slices().len()));
}
