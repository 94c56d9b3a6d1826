//! `build` and `plan`: the tables do not depend on the options, and an interrupted build resumes.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Folder, files, json_of, kill, objects, positions, program, sh, solve, tables, words};

/// Returns a random root, quoted for a command line.
fn root(marbles: u32, seed: u32) -> String {
    format!("'root:{}'", positions("pentago", marbles, 1, seed)[0])
}

#[test]
fn mini_is_complete_in_17_tables() {
    let out: &str = &Folder::new();
    let reports = ["mini", "mini:k=3"].map(|rules| {
        let report = json_of(&format!("build {rules} --out {out} --threads 1"));
        let again = json_of(&format!("build {rules} --out {out}"));
        assert_eq!((&again["tables"], &again["already_there"]), (&report["tables"], &true.into()));
        (report["tables"].as_array().unwrap().len(), report["already_there"].clone())
    });
    assert_eq!((reports, files(Path::new(out))), ([(17, json!(false)), (17, json!(false))], 2 * 17));
    // If no other slice depends on a missing slice, `build` does not rebuild the slice, but notes
    // that it is missing.
    let (build, slice) = (format!("build mini --out {out}"), format!("{out}/mini/slice-08.pentago"));
    let whole = fs::read(&slice).unwrap();
    fs::remove_file(&slice).unwrap();
    let again = sh(&build).err;
    let advice = format!(
        "incomplete: slice 8 is missing\n  to build it: `pentago build slice:8 --rules mini --out {out}`\n"
    );
    assert!(again.ends_with(&advice), "{again}");
    // `--quiet` doesn't suppress the note. Building the first slice of a run builds the whole run.
    for slice in ["02", "13", "14", "15"] {
        fs::remove_file(format!("{out}/mini/slice-{slice}.pentago")).unwrap();
    }
    let again = sh(&format!("{build} --quiet")).err;
    assert!(again.starts_with("incomplete: slices 2, 8 and 13 to 15 are missing"), "{again}");
    for slice in ["slice:2", "slice:13"] {
        assert!(again.contains(&format!("`pentago build {slice} --rules mini --out ")), "{again}");
        sh(&format!("build {slice} --rules mini --out {out}")).ok();
    }
    let report = json_of(&build);
    assert_eq!((&report["missing"], report["tables"].as_array().unwrap().len()), (&json!([8]), 16));
    sh(&format!("build --rules mini slice:8 --out {out}")).ok();
    assert_eq!(fs::read(&slice).unwrap(), whole);
    // If a file can't be read as a table, the error names the file.
    for bytes in [&[][..], &whole[..9000], b"something else"] {
        fs::write(&slice, bytes).unwrap();
        let error = sh(&build).fails(3);
        assert!(error.contains("slice-08.pentago: "), "{error}");
        assert_eq!(fs::read(&slice).unwrap(), bytes);
    }
}

/// Builds the tables of a root with different options. Checks that all builds write equal bytes,
/// and that no temporary data are left. The tables without options are in the folder `plain`.
fn same_tables(root: &str, folder: &Folder, builds: &[&str]) {
    let build = format!("build {root} --keep 23 --out {}", &**folder);
    sh(&format!("{build}/plain")).ok();
    let plain = tables(Path::new(&folder.at("plain")));
    for (i, more) in builds.iter().enumerate() {
        sh(&format!("{build}/{i} --scratch {}/scratch {more}", &**folder)).ok();
        assert_eq!(tables(Path::new(&folder.at(&i.to_string()))), plain, "{more}");
        let files = [i.to_string().as_str(), "scratch"].map(|name| files(Path::new(&folder.at(name))));
        assert_eq!(files, [4, 0]);
    }
}

#[test]
#[ignore = "long: finds differences between kernels in a build of many groups"]
fn long_a_root_has_the_same_tables_with_the_portable_kernel() {
    let builds = ["--memory 50M --threads 3 --kernel portable", "--threads 2 --kernel portable"];
    same_tables(&root(20, 1), &Folder::new(), &builds);
}

/// Builds with little memory or few threads make the same tables.
#[test]
fn a_root_has_the_same_tables_however_it_is_built() {
    let (root, folder) = (root(20, 1), Folder::new());
    same_tables(&root, &folder, &["--memory 44M --threads 1", "--memory 50M --threads 3"]);
    // Symmetric roots have the same tables, so nothing is left to build.
    let (rows, _) = root.trim_start_matches("'root:").split_once(' ').unwrap();
    let upside_down = rows.split('/').rev().collect::<Vec<_>>().join("/");
    let plain = folder.at("plain");
    assert!(sh(&format!("build root:{upside_down} --keep 23 --out {plain}")).err.contains("existed already"));
    // A damaged table is reported before the build starts, because a build can take hours. A
    // resumed build also reports a damaged block of a finished table.
    let all = tables(Path::new(&plain));
    let ends = [all.first_key_value(), all.last_key_value()].map(|end| end.unwrap());
    let [(first, head), (last, tail)] =
        ends.map(|(name, bytes)| (Path::new(&plain).join(name), bytes.clone()));
    let mut bytes = tail;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&last, bytes).unwrap();
    fs::remove_file(&first).unwrap();
    let error = sh(&format!("build {root} --keep 23 --out {plain}")).fails(3);
    assert!(error.contains("block") && error.contains("delete it and build it again"), "{error}");
    let mut bytes = head;
    bytes[60] ^= 1;
    fs::write(&first, bytes).unwrap();
    let error = sh(&format!("build {root} --keep 23 --out {plain}")).fails(3);
    assert!(error.contains("the header is damaged"), "{error}");
    assert!(error.contains("delete it and build it again"), "{error}");
}

/// A build that deletes the slices above 3 section by section, while it computes the next slice.
const PASSED_THROUGH: &str = "build mini:dir=cw --codec compact --keep-slices 0..3";
/// A build that compresses each slice again once the slice is finished.
const STAYING: &str = "build mini:dir=cw --codec compact";

/// Returns a build of a root with too little memory for all groups at the same time.
fn in_little_memory() -> String {
    format!("build {} --keep 22 --memory 48M", root(19, 2))
}

#[test]
fn a_killed_build_goes_on() {
    kill(&in_little_memory(), Path::new(&*Folder::new()), 5);
}

#[test]
fn a_killed_build_goes_on_from_what_it_has_left() {
    kill(PASSED_THROUGH, Path::new(&*Folder::new()), 6);
}

#[test]
fn a_killed_build_goes_on_with_slices_that_stay() {
    kill(STAYING, Path::new(&*Folder::new()), 6);
}

#[test]
#[ignore = "long: finds bugs that need a kill within a few milliseconds"]
fn long_builds_killed_fifty_times_go_on() {
    for line in [&in_little_memory(), PASSED_THROUGH, STAYING] {
        kill(line, Path::new(&*Folder::new()), 50);
    }
}

#[test]
fn one_builds_at_a_time() {
    let folder = Folder::new();
    let build = format!("build {} --keep 23 --out {}", root(20, 3), &*folder);
    let mut first = program().args(words(&build)).args(["--threads", "1"]).spawn().unwrap();
    let has_begun = || {
        let mut entries = fs::read_dir(&*folder).unwrap();
        entries.any(|entry| entry.unwrap().path().join("scratch/state").exists())
    };
    while !has_begun() {
        std::thread::sleep(Duration::from_millis(2));
        assert!(first.try_wait().unwrap().is_none(), "the first one has begun");
    }
    // Stop the first build with a signal, so that it can't finish before the second build starts.
    #[cfg(unix)]
    crate::common::signal(&first, "-STOP");
    let error = sh(&build).fails(4);
    assert!(error.contains("another process") && error.contains(&first.id().to_string()), "{error}");
    first.kill().unwrap();
    first.wait().unwrap();
    // A killed build leaves its lock behind. The next build ignores that lock.
    let error = sh(&build.replace("--keep 23", "--keep 24")).fails(2);
    assert!(error.contains("this build was started with --keep 23: continue it that way"), "{error}");
    sh(&build).ok();
}

#[test]
fn a_full_disk_loses_nothing() {
    let (root, folder) = (root(20, 5), Folder::new());
    let (plain, out) = (folder.at("plain"), folder.at("out"));
    let build = |out: &str, more: &str| sh(&format!("build {root} --keep 23 --out {out} {more}"));
    build(&plain, "--quiet").ok();
    let limited = "--memory 48M --scratch-limit 200k";
    let plan = sh(&format!("plan {root} --keep 23 {limited}")).ok();
    assert!(plan.contains("cannot finish: needs "), "{plan}");
    assert!(plan.contains(" of temporary data (200.0 kB"), "{plan}");
    assert!(plan.contains("\nkeeps      the positions with 20 to 23 marbles\n"), "{plan}");
    let error = build(&out, limited).fails(4);
    assert!(error.contains("it would fit with --scratch-limit ") && !Path::new(&out).exists(), "{error}");
    // A build that stopped resumes, even if it now has more memory.
    for memory in ["48M", "2G"] {
        let error = build(&out, &format!("{limited} --anyway")).fails(4);
        assert!(error.contains("limit of 200,000 bytes"), "{error}");
        assert!(tables(Path::new(&out)).is_empty());
        build(&out, &format!("--memory {memory}")).ok();
        assert_eq!(tables(Path::new(&out)), tables(Path::new(&plain)));
        fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn roots_with_few_slices_stay_within_their_plan() {
    let folder = tempfile::tempdir().unwrap();
    for (marbles, seed, keep, codec) in [(19, 21, 23, "quick"), (20, 5, 22, "quick"), (20, 5, 23, "compact")]
    {
        let target = format!("{} --keep {keep} --codec {codec}", root(marbles, seed));
        let plan = json_of(&format!("plan {target}"));
        let out = folder.path().join(format!("{keep}-{codec}"));
        let built = json_of(&format!("build {target} --out {} --quiet", out.display()));
        for (most, used) in [("scratch_bytes", "scratch_bytes"), ("kept_bytes", "bytes")] {
            let (most, used) = (plan[most].as_u64().unwrap(), built[used].as_u64().unwrap());
            assert!(used <= most && most <= 3 * used, "{target}: {used} of {most}");
        }
    }
}

#[test]
fn plans_say_what_it_takes() {
    let root = root(20, 5);
    let plan = |more: &str| json_of(&format!("plan {root} {more}"));
    let text = |more: &str| {
        let text = sh(&format!("plan {root} {more}")).ok();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let all = plan("--quiet");
    assert_eq!((&all["boards"], &all["top_sockets"]), (&10_165_779.into(), &0.into()));
    // The GPU needs memory for two slices at a time.
    let graphics = all["graphics_bytes"].as_u64().unwrap();
    assert!((50_000_000..200_000_000).contains(&graphics), "{graphics}");
    let little = plan("--memory 48M");
    assert!(little["memory_bytes"].as_u64().unwrap() <= 48_000_000);
    assert!(little["scratch_bytes"].as_u64().unwrap() > 5_000_000);
    assert_eq!(little["boards"], all["boards"]);
    // Plan for another machine, which has more cores and a slow disk.
    let seconds = |plan: &Value| plan["seconds"].as_f64().unwrap();
    let (one, many) = (plan("--cores 1"), plan("--cores 16"));
    assert!((seconds(&one) / seconds(&many) - 16.0).abs() < 1e-6, "{one} {many}");
    let slow = plan("--memory 48M --disk-speed 1k");
    assert!(seconds(&slow) > 1000.0 * seconds(&little), "{slow}");
    // In the last two cases, the memory is too small for any number of groups.
    for (more, expected) in [
        ("--memory 48M --disk 1M", "verdict cannot finish: needs 9.7 MB of disk (1.0 MB available); "),
        ("--memory 48M --disk 1M", "would fit a disk with 9.7 MB free"),
        ("--memory 48M --disk 11M", "of memory (48.0 MB available) and 9.7 MB of disk (11.0 MB available); "),
        ("--memory 1M", "of memory (1.0 MB available)"),
        ("--memory 1M", "would fit --memory "),
    ] {
        assert!(text(more).contains(expected), "{}", text(more));
    }
    let little = plan("--memory 1M");
    assert!(little["fits"] == false && little["memory_bytes"].as_u64() > Some(1 << 20), "{little}");
}

/// Runs a command that writes to a folder. Returns the peak sizes in bytes of the files in this
/// folder and of the memory of the command, without mapped files.
#[cfg(target_os = "linux")]
fn peaks(line: &str, folder: &Folder) -> [u64; 2] {
    let mut run = program().args(words(line)).stdout(Stdio::null()).spawn().unwrap();
    let (status, mut peaks) = (format!("/proc/{}/status", run.id()), [0; 2]);
    loop {
        let ended = run.try_wait().unwrap();
        let status = fs::read_to_string(&status).unwrap_or_default();
        let own = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = own.map_or(0, |own| own.trim().trim_end_matches(" kB").parse::<u64>().unwrap());
        for (peak, now) in peaks.iter_mut().zip([size(Path::new(&**folder)), 1024 * kilobytes]) {
            *peak = now.max(*peak);
        }
        if let Some(ended) = ended {
            assert!(ended.success(), "{line}");
            return peaks;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the size in bytes of all files under a folder. Files that disappear don't count.
#[cfg(target_os = "linux")]
fn size(folder: &Path) -> u64 {
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => size(&entry.path()),
        Ok(about) => about.len().min(512 * std::os::unix::fs::MetadataExt::blocks(&about)),
        Err(_) => 0,
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(of).sum()
}

/// Checks that builds with the least memory stay within the disk space that `plan` promises, and
/// exceed the memory by at most the size of the program.
#[cfg(target_os = "linux")]
#[test]
fn builds_stay_within_their_plans() {
    let roots = [(19, 11, 21), (20, 12, 33), (21, 13, 22)];
    let roots = roots.map(|(marbles, seed, keep)| format!("{} --keep {keep}", root(marbles, seed)));
    let xl = format!("'root:{}' --rules xl", positions("xl", 70, 1, 1)[0]);
    let section = "section:54,08,62,62";
    let others = ["mini --codec compact", "slice:36", "pente:w=4,h=3,k=4,opening=free", section, &xl];
    for target in roots.iter().map(String::as_str).chain(others) {
        let least = json_of(&format!("plan {target} --memory 1"))["memory_bytes"].as_u64().unwrap();
        let plan = json_of(&format!("plan {target} --memory {least}"));
        assert_eq!(plan["memory_bytes"].as_u64(), Some(least), "{target}");
        let (folder, promised) = (Folder::new(), plan["disk_bytes"].as_u64().unwrap());
        let line = format!("build {target} --memory {least} --quiet --out {}", &*folder);
        let [disk, memory] = peaks(&line, &folder);
        assert!(disk <= promised, "{target}: {disk} bytes on the disk, {promised} were promised");
        assert!(memory <= least + (16 << 20), "{target}: {memory} bytes of memory, the limit is {least}");
        let is_close = 4 * disk >= 3 * promised;
        assert!(is_close || target != section, "{target}: {disk} bytes of {promised} were used");
    }
}

/// Checks that the memory of searches one after the other stays within the limit. Their threads end
/// with each search, and must not leave their heaps behind.
#[cfg(target_os = "linux")]
#[test]
fn searches_in_turn_stay_within_the_memory() {
    let line =
        "random --where loss --solve --marbles 19 --count 12 --seed 3 --threads 8 --memory 12M --quiet";
    let [_, memory] = peaks(line, &Folder::new());
    assert!(memory <= 12_000_000 + (16 << 20), "{memory} bytes of memory");
}

/// `plan` uses the rates in the user's file. Here, the rates describe a core that is a thousand
/// times slower.
#[test]
fn rates_come_from_the_file() {
    let settings = Folder::new();
    let line = format!("plan {} --json", root(20, 5));
    let plan = || {
        let output = program().args(words(&line)).env("XDG_CONFIG_HOME", &*settings).output().unwrap();
        let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (objects(&out).remove(0), error)
    };
    let (built_in, _) = plan();
    assert!(built_in["rates"].as_str().unwrap().starts_with("built in"), "{built_in}");
    let text = include_str!("../../../../solver/pentago/src/rates/built_in.json");
    let mut pentago: Value = serde_json::from_str(text).unwrap();
    pentago["root"]["board"] = (1000.0 * pentago["root"]["board"].as_f64().unwrap()).into();
    let seat = json!({"solve": 1.0, "pack": 1.0, "ratio": 0.5});
    let all = json!({
        "machine": "a slow one",
        "pentago": pentago,
        "xl": {"two": seat, "three": seat, "four": seat},
        "pente": {"position": 1.0, "ratio": 0.5},
    });
    fs::create_dir(settings.at("pentago")).unwrap();
    fs::write(settings.at("pentago/rates.json"), all.to_string()).unwrap();
    let (slow, _) = plan();
    assert_eq!(slow["rates"], "a slow one");
    assert!(slow["seconds"].as_f64().unwrap() > 500.0 * built_in["seconds"].as_f64().unwrap(), "{slow}");
    let negative = all.to_string().replace(":0.5", ":-0.5");
    for (text, said) in [("{}", "cannot read "), (&negative, "a rate is negative")] {
        fs::write(settings.at("pentago/rates.json"), text).unwrap();
        let (found, error) = plan();
        assert_eq!(found, built_in);
        assert!(error.contains(said) && error.contains("pentago bench --save"), "{error}");
    }
}

/// The tables are the same if slices are built one by one, if a build starts from another folder,
/// or if some slices are not kept.
#[test]
fn slices_go_on_from_those_that_are_there() {
    let folder = Folder::new();
    let build = |out: &str, line: &str| {
        json_of(&format!("build --rules mini --codec compact --out '{}' {line}", folder.at(out)))
    };
    let found = |out: &str| tables(Path::new(&folder.at(out)));
    build("all", "slice:0");
    let name = |slice: u8| PathBuf::from(format!("mini/slice-{slice:02}.pentago"));
    let all = found("all");
    let some = |slices: Range<u8>| -> BTreeMap<_, _> {
        slices.map(|slice| (name(slice), all[&name(slice)].clone())).collect()
    };
    for slice in ["slice:14", "slice:11", "slice:9"] {
        build("by slice", slice);
    }
    assert_eq!(found("by slice"), some(9..17));
    let from = format!("--from '{}'", folder.at("by slice"));
    let plan = |target: &str| {
        json_of(&format!("plan {target} --rules mini {from}"))["slices"].as_array().map(Vec::len)
    };
    assert_eq!([plan("slice:0"), plan("slice:9")], [Some(9), None]);
    build("after", &format!("slice:0 {from}"));
    assert_eq!(found("after"), some(0..9));
    // Slice 3 exists already, so nothing is left to build, although slices with more marbles are
    // missing.
    assert_eq!(build("after", "slice:3")["already_there"], true);
    // A slice that is not kept leaves no file behind. A block that several sections need stays in
    // memory.
    let report = build("passed", "slice:0 --keep-slices 0..4 --threads 3");
    assert_eq!((found("passed"), files(Path::new(&folder.at("passed")))), (some(0..5), 5));
    let decoded = [0, 1].map(|i| report["blocks_decoded"][i].as_u64().unwrap());
    assert!(0 < decoded[0] && decoded[0] < decoded[1], "{decoded:?}");
    // The latest slice stays on disk even if it is outside of `--keep-slices`, because the next
    // build resumes from it.
    build("steps", "slice:9 --keep-slices 0..4");
    assert!(found("steps").keys().eq([Path::new("mini/passing/slice-09.pentago")]));
    build("steps", "slice:0 --keep-slices 0..4 --memory 8M --threads 1");
    assert_eq!((found("steps"), files(Path::new(&folder.at("steps")))), (some(0..5), 5));
    // A later build keeps this slice, too. It reports the other missing slices, and its advice
    // completes the folder.
    build("most", "slice:0 --keep-slices 3..8");
    let report = build("most", "slice:0");
    let missing = report["missing"].as_array().unwrap();
    assert_eq!((report["already_there"].clone(), missing.len()), (false.into(), 10), "{report}");
    build("most", "slice:1");
    build("most", "slice:9");
    assert_eq!((found("most"), files(Path::new(&folder.at("most")))), (all.clone(), 17));
}

/// A section is built together with all sections that it depends on. `query` then finds its
/// positions.
#[test]
fn a_section_has_its_own_tables() {
    let out: &str = &Folder::new();
    let section = |counts: &str| json_of(&format!("build section:{counts} --rules mini --out {out}"));
    let built = section("20,11,11,12");
    assert_eq!((built["tables"].as_array().unwrap().len(), &built["already_there"]), (8, &false.into()));
    assert_eq!(section("20,11,11,12")["already_there"], true);
    // If a second section is built that shares many sections with the first, all sections of the
    // first are kept.
    section("30,11,11,02");
    for position in ["X1XO/1X2/XOXO/2O1 o", "1XXO/X3/XOXO/2O1 o"] {
        let found = json_of(&format!("query '{position}' --rules mini --tables {out}"));
        assert_eq!(found["source"], "table", "{position}");
        assert_eq!(found["value"], solve(&["--rules", "mini", position])["value"]);
    }
    let verified = sh(&format!("verify {out} --hash --full")).ok();
    assert!(verified.contains("agree with their moves") && !verified.contains("NOT"), "{verified}");
}

/// `--counts-only` computes the same counts as a build of the table. A killed run resumes.
#[test]
fn counts_without_values() {
    let folder = Folder::new();
    let (all, counted) = (folder.at("all"), folder.at("counted"));
    sh(&format!("build mini --out {all}")).ok();
    let count = format!("build slice:9 --counts-only --rules mini --out {counted}");
    sh(&count).ok();
    let path = PathBuf::from(format!("{counted}/mini/slice-09.counts.tsv"));
    let text = fs::read_to_string(&path).unwrap();
    assert!(!Path::new(&counted).join("mini/slice-09.pentago").exists());
    // The counts cover only standard sections, as in the tables. With 9 marbles, O is to move, so
    // the columns are in reverse order.
    let sum = |column: usize| {
        let number = |line: &str| line.split('\t').nth(column).unwrap().parse::<u64>().unwrap();
        text.lines().skip(1).map(number).sum::<u64>()
    };
    let info = json_of(&format!("info {all}"));
    let slice = &info["targets"][0]["slices"][9];
    let expected = ["wins", "draws", "losses"].map(|name| slice[name].as_u64().unwrap());
    assert_eq!((&slice["marbles"], [sum(6), sum(5), sum(4)]), (&9.into(), expected), "{info}");
    assert!(sh(&count).err.contains("already"));
    // Cut the file in the middle of a line, as if the run had been killed.
    let part = path.with_extension("tsv.part");
    fs::write(&part, &text.as_bytes()[..text.len() / 2]).unwrap();
    fs::remove_file(&path).unwrap();
    sh(&count).ok();
    assert_eq!((fs::read_to_string(&path).unwrap(), part.exists()), (text, false));
}

/// The plan of a game lists each slice, and suggests options with which the build would fit.
#[test]
fn a_plan_of_a_game_has_a_line_for_each_slice() {
    let plan = json_of("plan mini --codec compact --keep-slices 0..5");
    let slices = plan["slices"].as_array().unwrap();
    assert!(slices.iter().map(|slice| slice["marbles"].as_u64().unwrap()).eq((0..=16).rev()), "{plan}");
    for (line, expected) in [
        ("plan mini --codec compact --disk 60k", "would fit  --keep-slices 0..8 (58.7 kB, "),
        ("plan slice:3 --rules mini --memory 8G --disk 10k", "of disk (10.0 kB available); "),
        // The slice with the most marbles is small enough for the disk, so the plan suggests it.
        (
            "plan slice:3 --rules mini --memory 8G --disk 10k",
            "would fit  slice:16 instead of slice:3; or a disk with ",
        ),
    ] {
        let text = sh(line).ok();
        assert!(text.contains(expected), "{text}");
    }
}

/// Follows each suggestion of a plan: options, another slice as the target, and a larger disk.
#[test]
fn every_suggestion_of_a_plan_fits() {
    let root = root(20, 5);
    for (target, options) in [
        ("slice:3 --rules mini", "--memory 1k --disk 10k --cores 4"),
        ("slice:31", "--memory 100M --disk 10M --cores 4"),
        (&format!("{root} --keep 23"), "--memory 1M --disk 1M --scratch-limit 200k"),
        (&format!("{root} --keep 23"), "--memory 48M --disk 1T --scratch-limit 200k"),
    ] {
        let text = sh(&format!("plan {target} {options}")).ok();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let advice = text.split(" would fit ").nth(1).unwrap().split(" rates ").next().unwrap();
        for remedy in advice.split("; or ") {
            let (mut target, mut line) = (target.to_owned(), options.to_owned());
            for change in remedy.split(" and ") {
                let words: Vec<&str> = change.split(' ').collect();
                let (name, value) = match words[..] {
                    ["a", "disk", "with", size, unit, "free"] => ("--disk", format!("{size}{unit}")),
                    [slice, "instead", "of", old, ..] => {
                        target = target.replace(old, slice);
                        continue;
                    }
                    _ => (words[0], words[1].to_owned()),
                };
                let others = line.split(" --").map(|option| option.trim_start_matches("--"));
                let others = others.filter(|option| !format!("--{option} ").starts_with(&format!("{name} ")));
                let others: Vec<String> = others.map(|option| format!("--{option}")).collect();
                line = format!("{} {name} {value}", others.join(" "));
            }
            let verdict = sh(&format!("plan {target} {line}")).ok();
            assert!(verdict.contains("can finish"), "{advice}: {target} {line}: {verdict}");
        }
    }
}

#[test]
#[ignore = "long: finds bugs in the plan of the complete game, which takes a second"]
fn long_a_plan_of_the_complete_game() {
    let machine = "plan game --codec compact --cores 64 --memory 256G";
    let game = json_of(machine);
    let entries = game["slices"].as_array().unwrap().iter().map(|slice| slice["entries"].as_u64().unwrap());
    let entries = entries.sum::<u64>();
    assert!((1.35e13..1.36e13).contains(&(entries as f64)), "{entries}");
    let passed = json_of(&format!("{machine} --disk 12T --disk-speed 5G --keep-slices 0..18"));
    let disk = passed["disk_bytes"].as_u64().unwrap();
    assert_eq!((&passed["fits"], disk / 100_000_000_000), (&true.into(), 100));
    // For a small disk, the plan suggests which slices to keep.
    let text = sh("plan game --cores 64 --memory 256G --disk 12T").ok();
    assert!(text.contains("verdict    cannot finish: needs "), "{text}");
    assert!(text.contains("would fit  --keep-slices 0..18"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
}

/// A build that would exceed the disk is refused, and the error suggests options that would fit.
#[test]
fn a_build_that_can_not_end_is_refused() {
    refused_for_its_disk("slice:25");
}

#[test]
#[ignore = "long: finds bugs that only the plan of the complete game has"]
fn long_a_game_that_can_not_end_is_refused() {
    refused_for_its_disk("game");
}

fn refused_for_its_disk(target: &str) {
    let out = Folder::new().at("tables");
    let error = sh(&format!("build {target} --memory 3G --threads 1 --out {out}")).fails(4);
    assert!(error.contains("building pentago: the build cannot finish: needs "), "{error}");
    assert!(error.contains(" of disk (") && error.contains(" days on 1 core"), "{error}");
    assert!(error.contains("it would fit with ") && error.contains("slice:3"), "{error}");
    assert!(error.contains("--anyway builds until"), "{error}");
    assert!(!Path::new(&out).exists(), "nothing was begun");
}

/// With `--progress-file`, a build reports the slice, the progress and the comparison of counts.
#[test]
fn progress_is_written_for_whoever_is_away() {
    let folder = Folder::new();
    let (out, file) = (folder.at("tables"), folder.at("progress"));
    // Use a slow codec, so that the build lasts long enough for a report.
    let options = "--codec zstd:19 --quiet --threads 1 --memory 1G";
    let build = format!("build mini {options} --out {out} --progress-file {file}");
    sh(&build).ok();
    let lines = objects(&fs::read_to_string(&file).unwrap());
    let (last, first) = (lines.last().unwrap(), &lines[0]);
    assert_eq!(last["ended"], true);
    // Counts are published only for the game under the default rules.
    assert_eq!(last["counts"], "slice 0: nothing to compare");
    assert!(lines.iter().all(|line| line["time"].as_u64() > Some(0) && line["disk_free"].as_u64() > Some(0)));
    assert!(first["doing"].as_str().unwrap().contains("slice"), "{first}");
    assert!(first["slice"].as_u64() <= Some(16) && first["unit"] == "supers", "{first}");
    assert!(first["done"].as_u64() <= first["total"].as_u64());
    // The first line may precede the first measured rate.
    assert!(first["seconds_left"].as_f64().is_none_or(|left| left >= 0.0), "{first}");
    // If a build fails, its last report contains the error.
    fs::remove_dir_all(format!("{out}/mini")).unwrap();
    fs::write(format!("{out}/mini"), "no folder").unwrap();
    assert!(sh(&build).fails(4).contains("a file has the name of the folder: remove the file"));
    let last = objects(&fs::read_to_string(&file).unwrap()).pop().unwrap();
    assert_eq!(last["ended"], false);
    assert!(last["error"].as_str().unwrap().contains("tables"), "{last}");
}
