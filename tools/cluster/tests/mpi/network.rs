//! A test in which each rank has a network namespace of its own, with an address and a host name.
//! All communication passes through a virtual network, which the test can disconnect.
//!
//! If network namespaces cannot be created, the test prints a message and passes.

use super::{SECTION, becomes, compare, ends, mpi, section_build, text, whole};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

const RANKS: u32 = 3;

/// A virtual network: a bridge in the namespace of mpirun, and a virtual cable from the bridge to
/// the namespace of each rank.
struct Network {
    /// A folder for two kinds of files: the script with which mpirun starts ranks, and the output
    /// of jobs.
    folder: tempfile::TempDir,
}

/// Returns the name of the namespace of the bridge (number 0) or of a rank (numbers from 1).
fn namespace(number: u32) -> String {
    format!("pentago-{}-{number}", std::process::id())
}

/// Runs the command `ip` with these arguments. Returns `true` if the command succeeds.
fn ip(arguments: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(arguments.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Network {
    /// Creates the network. On failure, prints that the test is skipped, and returns `None`.
    fn new() -> Option<Network> {
        let network = Network { folder: tempfile::tempdir().expect("a folder") };
        let hub = namespace(0);
        let mut commands = vec![
            format!("netns add {hub}"),
            format!("-n {hub} link set lo up"),
            format!("-n {hub} link add name hub type bridge"),
            format!("-n {hub} addr add 10.77.0.100/24 dev hub"),
            format!("-n {hub} link set hub up"),
        ];
        for number in 1..=RANKS {
            let own = namespace(number);
            commands.extend([
                format!("netns add {own}"),
                format!("-n {own} link set lo up"),
                format!("-n {hub} link add name port{number} type veth peer name eth0 netns {own}"),
                format!("-n {hub} link set port{number} master hub"),
                format!("-n {hub} link set port{number} up"),
                format!("-n {own} addr add 10.77.0.{number}/24 dev eth0"),
                format!("-n {own} link set eth0 up"),
            ]);
        }
        if let Some(failed) = commands.iter().find(|command| !ip(command)) {
            eprintln!("skipped: network namespaces cannot be created here: ip {failed}");
            return None;
        }
        // mpirun calls this script instead of ssh, with an address and a command as arguments.
        let script = format!(
            "#!/bin/sh\n\
             node=${{1##*.}}\n\
             shift\n\
             exec ip netns exec pentago-{}-$node unshare --uts sh -c \"hostname node-$node; $*\"\n",
            std::process::id()
        );
        fs::write(network.agent(), script).expect("written");
        fs::set_permissions(network.agent(), Permissions::from_mode(0o755)).expect("set");
        Some(network)
    }

    fn agent(&self) -> PathBuf {
        self.folder.path().join("agent")
    }

    /// Disconnects the cable of the namespace with this number.
    fn disconnect(&self, number: u32) {
        assert!(ip(&format!("-n {} link set port{number} down", namespace(0))));
    }

    /// Reconnects the cable of the namespace with this number, and waits until the system reports
    /// both ends as up.
    fn reconnect(&self, number: u32) {
        let [hub, own] = [0, number].map(namespace);
        let port = format!("port{number}");
        assert!(ip(&format!("-n {hub} link set {port} up")));
        let is_up = |name: &str, device: &str| {
            let output = Command::new("ip").args(["-n", name, "link", "show", device]).output();
            String::from_utf8_lossy(&output.expect("ip is there").stdout).contains(" state UP ")
        };
        assert!(becomes(600, || is_up(&hub, &port) && is_up(&own, "eth0")), "the cable stays down");
    }

    /// Starts a build with a separate folder for each rank, and waits for the first event that rank
    /// 0 writes. In about one of a hundred starts, mpirun of Open MPI 4.1 fails to start its
    /// daemons before any rank runs. In this case, starts mpirun again.
    fn build(&self, folder: &Path) -> MpiJob {
        for _ in 0..3 {
            let mut running = self.start(folder);
            let begins_or_ends = || running.has_begun() || running.job.try_wait().expect("known").is_some();
            assert!(becomes(600, begins_or_ends), "no rank starts: {}", running.said());
            let said = running.said();
            if running.has_begun() || !said.contains("unable to reliably start one or more daemons") {
                return running;
            }
            eprintln!("starting mpirun again: {said}");
        }
        panic!("mpirun cannot start its daemons");
    }

    /// Starts mpirun in the namespace of the bridge, with one rank for each other namespace.
    fn start(&self, folder: &Path) -> MpiJob {
        let [said, listed] = ["said", "listed"].map(|name| self.folder.path().join(name));
        let hosts: Vec<String> = (1..=RANKS).map(|number| format!("10.77.0.{number}:1")).collect();
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &namespace(0), "mpirun", "--allow-run-as-root"]);
        command.args(["--host", &hosts.join(","), "-n", &RANKS.to_string()]);
        // Set the options that the README recommends for networks that may fail.
        for (name, value) in [
            ("plm_rsh_agent", text(&self.agent())),
            ("oob_tcp_keepalive_time", "15"),
            ("oob_tcp_keepalive_intvl", "5"),
            ("oob_tcp_keepalive_probes", "3"),
            ("pml", "ob1"),
            ("btl", "tcp,self"),
        ] {
            command.args(["--mca", name, value]);
        }
        command.arg(env!("CARGO_BIN_EXE_pentago-cluster"));
        command.args(["build", &format!("section:{SECTION}"), "--threads", "1", "--memory", "1G"]);
        command.args(["--local", "--json", "--out", text(&folder.join("%r"))]);
        let file = |path| File::create(path).expect("created");
        command.stdin(Stdio::null()).stdout(file(&listed)).stderr(file(&said));
        MpiJob { job: command.spawn().expect("started"), said, listed }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for number in 0..=RANKS {
            for process in processes(number) {
                let _ = Command::new("kill").args(["-9", &process]).status();
            }
            ip(&format!("netns del {}", namespace(number)));
        }
    }
}

/// Returns the ids of the processes that run in the namespace with this number.
fn processes(number: u32) -> Vec<String> {
    let output = Command::new("ip").args(["netns", "pids", &namespace(number)]).output();
    let listed = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&listed).split_whitespace().map(str::to_owned).collect()
}

/// A running job, and the files to which it writes its output.
struct MpiJob {
    job: Child,
    /// The file to which standard error is redirected.
    said: PathBuf,
    /// The file to which standard output is redirected. It contains events as JSON, one per line.
    listed: PathBuf,
}

impl MpiJob {
    /// Returns `true` if rank 0 has written at least one event.
    fn has_begun(&self) -> bool {
        !fs::read(&self.listed).expect("read").is_empty()
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.said).expect("read")
    }

    /// Waits for the end of the job. Panics if the job still runs after `within` seconds.
    fn end(&mut self, within: u32) -> ExitStatus {
        ends(&mut self.job, within).unwrap_or_else(|| panic!("the job still runs: {}", self.said()))
    }
}

/// Returns the names of the shards that a rank has finished, then the names of the shards that it
/// has only begun.
fn slices(folder: &Path, rank: u32) -> [Vec<String>; 2] {
    let entries = fs::read_dir(folder.join(rank.to_string()).join("pentago"));
    let names = entries.into_iter().flatten().map(|entry| entry.expect("listed").file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    let ending = |end: &str| names.iter().filter(|name| name.ends_with(end)).cloned().collect();
    [ending(".pentago"), ending(".part")]
}

#[test]
fn a_job_resumes_after_a_rank_was_disconnected() {
    let Some(()) = mpi() else { return };
    let Some(network) = Network::new() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let build = section_build();
    let slice = *build.slices().iter().rev().nth(1).expect("there are several");

    // Disconnect the last rank in the middle of a slice. The other ranks cannot finish this slice
    // alone. On a busy machine, the job may end before the test disconnects the rank. In this case,
    // start over.
    let begun = format!("slice-{slice:02}");
    let said = loop {
        let mut first = network.build(folder.path());
        let has_begun = || slices(folder.path(), RANKS - 1)[1].iter().any(|name| name.starts_with(&begun));
        while !has_begun() && first.job.try_wait().expect("known").is_none() {
            sleep(Duration::from_millis(5));
        }
        network.disconnect(RANKS);
        if !first.end(600).success() {
            break first.said();
        }
        network.reconnect(RANKS);
        fs::remove_dir_all(folder.path()).expect("removed");
        fs::create_dir(folder.path()).expect("created");
    };
    let lost = format!("rank 0 of 3 on node-1: no message from rank {} on node-{RANKS} for ", RANKS - 1);
    assert!(said.contains(&lost), "{said}");
    let finished = slices(folder.path(), 0)[0].clone();
    assert!(!finished.is_empty(), "nothing was kept");

    // The processes of the disconnected rank must also end, without being killed.
    let none_is_left = || (1..=RANKS).all(|number| processes(number).is_empty());
    assert!(becomes(600, none_is_left), "ranks are left: {said}");

    network.reconnect(RANKS);
    let mut second = network.build(folder.path());
    let status = second.end(600);
    assert!(status.success(), "{}", second.said());
    let events = fs::read_to_string(&second.listed).expect("read");
    let last: serde_json::Value = serde_json::from_str(events.lines().last().expect("events")).expect("JSON");
    let ranks = last["ranks"].as_array().expect("what each rank did");
    assert_eq!(ranks.len(), RANKS as usize);
    assert!(ranks.iter().all(|rank| rank["received"].as_u64() > Some(0)), "{last}");
    let folders: Vec<PathBuf> = (0..RANKS).map(|rank| folder.path().join(rank.to_string())).collect();
    assert_eq!(compare(&build, &folders, whole(&build).path()), build.slices().len());
}
