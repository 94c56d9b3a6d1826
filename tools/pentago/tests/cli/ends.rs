//! The end of the program: exit statuses, closed pipes and signals.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Folder, program, sh, signal, words};

/// A position that X wins with the next move.
const WON: &str = "OO1OO1/6/6/6/6/XXXX2 x";

/// A position with 18 free sockets. The solution takes seconds and 0.4 GB.
const LONG: &str = "O1OX2/2X1OX/2OOXX/X4X/2O1XO/OO1X2 x";

#[test]
fn a_reader_that_leaves_is_no_failure() {
    for arguments in [
        &["random", "--marbles", "20", "--count", "100000"][..],
        &["perft", "6/6/6/6/6/6", "2", "--divide"],
        &["completions", "zsh"],
        &["rules"],
    ] {
        let mut child = program().args(arguments).spawn().unwrap();
        let mut first = String::new();
        let mut out = BufReader::with_capacity(16, child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        drop(out);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!err.contains("error") && !err.contains("panic"), "{arguments:?}: {err}");
    }
}

/// Returns `true` if a process handles SIGINT and SIGTERM: bits 1 and 14 of the hexadecimal mask
/// `SigCgt`.
#[cfg(target_os = "linux")]
fn listens(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> 1 & mask >> 14 & 1 == 1)
}

/// Waits until a process has probably installed its handlers, on systems without `/proc`.
#[cfg(all(unix, not(target_os = "linux")))]
fn listens(_: u32) -> bool {
    std::thread::sleep(Duration::from_millis(300));
    true
}

/// Each command must end with status 130. A command that ignores the signal would end with another
/// status, or never.
#[cfg(unix)]
#[test]
fn ctrl_c_and_sigterm_end_with_130() {
    let commands = [
        &["solve", LONG, "--distance", "--kernel", "portable", "--threads", "1"][..],
        &["perft", "6/6/6/6/6/6", "9", "--threads", "1"],
        // The remaining commands wait for input.
        &["play"],
        &["solve", "-"],
        &["solve", "--batch"],
    ];
    // Run all commands at the same time, because some take half a second to end.
    let mut children = commands.map(|arguments| {
        let mut child = program().args(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        (child, input)
    });
    for (child, _) in &mut children {
        let mut patience = 0..60_000;
        while !listens(child.id()) && patience.next().is_some() {
            assert!(child.try_wait().unwrap().is_none(), "it listens to signals at last");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    // Wait until the commands have started their work.
    std::thread::sleep(Duration::from_millis(100));
    for (i, (child, _)) in children.iter_mut().enumerate() {
        assert!(child.try_wait().unwrap().is_none(), "still at work");
        signal(child, ["-INT", "-TERM"][i % 2]);
    }
    for (arguments, (child, input)) in commands.into_iter().zip(children) {
        let output = child.wait_with_output().unwrap();
        drop(input);
        assert_eq!(output.status.code(), Some(130), "{arguments:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(err.ends_with("stopped\n"), "{arguments:?}: {err}");
    }
}

/// Ctrl-C stops a verification. At first, the program waits for standard input, so that the signal
/// arrives before the first block is read.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_a_verification() {
    let path: &str = &Folder::of("mini");
    let verify = ["verify", path, "--hash", "--counts", "--against", "/dev/stdin"];
    let mut child = program().args(verify).stdin(Stdio::piped()).spawn().unwrap();
    let mut counts = child.stdin.take().unwrap();
    let threads = || fs::read_dir(Path::new("/proc").join(child.id().to_string()).join("task"));
    // The program has two threads once it waits for signals.
    while !listens(child.id()) || threads().unwrap().count() < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let before = threads().unwrap().count();
    signal(&child, "-INT");
    // After the signal, the program starts a thread that ends the process after a short delay. Wait
    // until that thread exists.
    while threads().is_ok_and(|threads| threads.count() == before) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // Write the whole file. The write fails if the program has already ended.
    let text = "N\tsection_TL_TR_BL_BR(xo)\ttotal\tx_wins\tties\to_wins\n0\t00 00 00 00\t1\t1\t0\t0\n";
    let _ = counts.write_all(text.as_bytes());
    drop(counts);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "nothing is verified");
    assert!(String::from_utf8(output.stderr).unwrap().ends_with("stopped\n"));
}

/// The program raises the soft limit of open files. With too few files for tables or for the
/// handlers of signals, the program ends with status 4.
#[cfg(target_os = "linux")]
#[test]
fn too_few_open_files_are_an_error() {
    let out: &str = &Folder::of("pente:w=7,h=1,k=3,cap=2+3,over=yes,opening=free");
    let (verify, publish) = (format!("verify {out}"), format!("publish {out}"));
    let many = [("-Sn 24", &*verify, 0), ("-n 24", &verify, 4), ("-n 24", &publish, 4)];
    let few =
        ["-n 6", "-n 7", "-n 8", "-n 9", "-n 10", "-n 11"].map(|limit| (limit, "perft 6/6/6/6/6/6 1", 4));
    for (limit, command, code) in many.into_iter().chain(few) {
        let line = format!("ulimit {limit}; exec '{}' {command}", env!("CARGO_BIN_EXE_pentago"));
        let output = Command::new("sh").args(["-c", &line]).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {err}");
        assert_eq!(err.contains("Too many open files"), code == 4, "{line}: {err}");
    }
}

/// A write beyond the limit of `ulimit -f` fails with status 4, and the error names the file.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let limited = |limit: u32, arguments: &[&str]| {
        let mut shell = Command::new("sh");
        let line = format!("ulimit -f {limit}; exec '{}' \"$@\"", env!("CARGO_BIN_EXE_pentago"));
        shell.args(["-c", &line, "pentago"]).args(arguments).output().unwrap()
    };
    let path = folder.path().to_str().unwrap();
    for arguments in [&["build", "mini", "--out", path, "--quiet"][..], &["serve", "--export", path]] {
        let output = limited(1, arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {err}");
        assert!(err.contains(path) && err.contains("ulimit -f"), "{arguments:?}: {err}");
    }
    // A journal that cannot be written is not left empty.
    let file = format!("{path}/win.txt");
    let output = limited(0, &["prove", "9/1B7/9/9/4A4/9/9/9/9 a", "--rules", "xl", "--out", &file]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(4) && err.contains("cannot write"), "{err}");
    assert!(!folder.path().join("win.txt.journal").exists());
}

/// Under a limit on the address space, the program prints an answer or an error, but never aborts
/// or panics.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_memory_is_an_error() {
    let folder: &str = &Folder::of("mini");
    let lines = [
        "solve --time 0.2 --threads 1 6/2X2O/4O1/1X3O/5O/X1XO1X".to_owned(),
        format!("verify {folder} --full --sample 10"),
        format!("build 'root:{LONG}' --keep 26 --out {folder}"),
        format!("build mini:k=3 --out {folder}/fresh"),
    ];
    let limited = |limit: u32, line: &str| {
        let mut shell = Command::new("sh");
        let run = format!("ulimit -v {limit}; exec '{}' {line}", env!("CARGO_BIN_EXE_pentago"));
        let output = shell.args(["-c", &run]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (limit, line) in
        [40_000, 60_000, 100_000, 160_000].iter().flat_map(|n| lines.iter().map(move |l| (n, l)))
    {
        let (ended, err) = limited(*limit, line);
        assert!(
            ended == Some(0) || ended == Some(4) && err.contains("error: "),
            "{limit} {line}: {ended:?} {err}"
        );
    }
    // The build fits below 100,000 KiB, so it also fits below a higher limit.
    fs::remove_dir_all(format!("{folder}/fresh")).unwrap();
    assert_eq!(limited(160_000, &lines[3]).0, Some(0));
    // The default of `prove` is 1 GB, but at most the memory that the limit leaves.
    assert_eq!(limited(400_000, &format!("prove '{WON}'")).0, Some(0));
    let (ended, err) = limited(400_000, &format!("prove '{WON}' --memory 1G"));
    assert!(ended == Some(4) && err.contains("\n  lower --memory, or raise"), "{err}");
    assert_eq!(err.matches("not enough memory").count(), 1, "{err}");
}

/// Every command runs in a pool of `--threads` threads. Rayon's global pool would start 60,000
/// threads here, and their stacks would exceed the address space.
#[cfg(target_os = "linux")]
#[test]
fn no_command_starts_the_global_pool() {
    let out: &str = &Folder::new();
    for line in [
        format!("build mini --out {out} -q"),
        format!("build pente:n=3,k=3,opening=free --out {out} -q"),
        "plan pente:n=4,k=4,opening=free --memory 1k --disk 1k".to_owned(),
        "plan mini --memory 1k --disk 1k".to_owned(),
        format!("verify {out} --full"),
        format!("publish {out}"),
        format!("query --rules mini '4/4/4/4 x' --tables {out}"),
        format!("solve '{WON}' --distance"),
    ] {
        let mut shell = Command::new("sh");
        let run = format!("ulimit -v 3000000; exec '{}' {line} --threads 1", env!("CARGO_BIN_EXE_pentago"));
        let run = if line.starts_with("publish") { run.replace(" --threads 1", "") } else { run };
        let output = shell.args(["-c", &run]).env("RAYON_NUM_THREADS", "60000").output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// If the device of standard output is full, every command reports an error.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["solve", "--help"],
        &["man"],
        &["completions", "zsh"],
        &["rules"],
        &["perft", "6/6/6/6/6/6", "1"],
        &["random", "--marbles", "4"],
        &["symmetries", "6/6/6/6/6/6"],
        &["prove", WON],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = program().args(arguments).stdout(full).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {err}");
        let expected = "error: cannot write standard output: No space left on device";
        assert!(err.starts_with(expected), "{arguments:?}: {err}");
    }
}

/// In every command, a write error has status 4, and a missing slice has status 3.
#[cfg(target_os = "linux")]
#[test]
fn tables_have_the_same_status_in_every_command() {
    let out: &str = &Folder::of("mini");
    let (nowhere, shard) = (format!("{out}/none/file.svg"), format!("{out}/mini/slice-03.pentago"));
    for (line, code, expected) in [
        (format!("prove '{WON}' --out {nowhere}"), 4, nowhere.as_str()),
        (format!("info {out} --plot {nowhere}"), 4, &nowhere),
        (format!("merge {shard} --out {nowhere}"), 4, &nowhere),
        // Binary files can't go to standard output.
        (format!("merge {shard} --out -"), 2, "with --out FILE"),
        (format!("export --tables {out} --marbles 2 --format npz --out -"), 2, "with --out FILE"),
        (format!("export --tables {out} --marbles 2 --seed 3"), 2, "--seed"),
        (format!("export --tables {out} --marbles 20"), 3, "only with 0 to 16"),
    ] {
        let error = sh(&line).fails(code);
        assert!(error.contains(expected) && !error.contains(".new"), "{line}: {error}");
    }
    // The error message contains only the write error itself.
    let error = sh(&format!("prove '{WON}' --out /dev/full")).fails(4);
    assert_eq!(error, "error: cannot write /dev/full: No space left on device\n");
    for slice in ["03", "04"] {
        fs::remove_file(format!("{out}/mini/slice-{slice}.pentago")).unwrap();
    }
    let answer = sh(&format!("query 4/4/4/XOX1 --rules mini --tables {out} --no-solve"));
    let said = answer.out + &answer.err;
    assert!(said.contains("there is none of positions with 3 marbles"), "{said}");
}

/// Commands that do work finish it if nobody reads their output. A full device is an error.
#[cfg(target_os = "linux")]
#[test]
fn work_goes_on_when_nobody_listens() {
    let out: &str = &Folder::of("mini");
    let input = format!("{out}/input");
    fs::write(&input, "isready\n").unwrap();
    let status = |line: &str, full: bool| {
        // The pipe has no reader.
        let (_, pipe) = std::io::pipe().unwrap();
        let full = full.then(|| fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
        let to = full.map_or(Stdio::from(pipe), Stdio::from);
        let from = fs::File::open(&input).unwrap();
        program().args(words(line)).stdin(from).stdout(to).output().unwrap().status.code()
    };
    for (full, code) in [(false, Some(0)), (true, Some(4))] {
        assert_eq!(status(&format!("publish {out}"), full), code);
        for name in ["SHA256SUMS", "index.html", "pentago-tables.tsv"] {
            fs::remove_file(format!("{out}/{name}")).unwrap();
        }
        assert_eq!(status(&format!("verify {out}"), full), code);
        assert_eq!(status("ugi", full), code);
    }
    fs::write(format!("{out}/mini/slice-05.pentago"), "").unwrap();
    assert_eq!([false, true].map(|full| status(&format!("verify {out}"), full)), [Some(1); 2]);
}
