//! Reports the progress and the end of a build at rank 0. The reports are text on standard error,
//! or one JSON object per line on standard output.

use crate::shard_files::ShardFile;
use bytesize::ByteSize;
use pentago::shards::{GameBuild, Resources};
use serde_json::json;
use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

/// The minimum time between two progress reports.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Prints the reports of a build at rank 0. The reporters of all other ranks print nothing.
pub struct Reporter {
    json: bool,
    speaks: bool,
    began: Instant,
    state: RefCell<ReporterState>,
}

#[derive(Default)]
struct ReporterState {
    /// The current slice, the time when its build started, and the time of the latest progress
    /// report. `None` if no slice is left.
    now: Option<(u8, Instant, Instant)>,
    left: Vec<u8>,
    /// Five sums over the finished slices, indexed by rank: milliseconds of work, milliseconds of
    /// waiting, bytes stored, bytes received, bytes sent.
    sums: Vec<[u64; 5]>,
    entries: u64,
}

/// The times, sizes and counts of one finished slice.
pub struct SliceReport {
    pub slice: u8,
    /// The number of entries that all ranks together have computed.
    pub entries: u64,
    pub time: Duration,
    /// Seven numbers, indexed by rank: milliseconds of work, milliseconds of waiting, bytes stored,
    /// bytes received, bytes sent, entries computed, blocks decoded.
    pub ranks: Vec<Vec<u64>>,
}

impl Reporter {
    /// Creates a reporter. `json` selects JSON instead of text. `speaks` is `true` at rank 0, and
    /// `false` at all other ranks, which print nothing.
    pub fn new(json: bool, speaks: bool) -> Reporter {
        Reporter { json, speaks, began: Instant::now(), state: RefCell::default() }
    }

    fn event(&self, event: &serde_json::Value) {
        if self.json && self.speaks {
            println!("{event}");
        }
    }

    fn line(&self, text: &str) {
        if !self.json && self.speaks {
            eprintln!("{text}");
        }
    }

    /// Reports the start of the build, with the slices to build and the resources of each rank.
    pub fn begin(&self, build: &GameBuild, slices: &[u8], ranks: u32, resources: &Resources) {
        let (threads, memory) = (resources.threads, resources.memory);
        let target = build.target().to_string();
        self.event(&json!({
            "event": "begin", "target": target, "slices": slices, "ranks": ranks,
            "threads": threads, "memory": memory,
        }));
        let memory = bytes(memory);
        if let [first, .., last] | [first @ last] = slices {
            self.line(&format!(
                "{target}: slices {first} to {last}, {ranks} ranks, {threads} threads and {memory} each"
            ));
        }
        let mut state = self.state.borrow_mut();
        state.left = slices.to_vec();
        state.now = slices.first().map(|&slice| (slice, Instant::now(), Instant::now()));
    }

    /// Reports that all ranks together have finished `done` of the `goal` entries of the current
    /// slice. Prints nothing if the latest progress report is too recent.
    pub fn progress(&self, done: u64, goal: u64) {
        let mut state = self.state.borrow_mut();
        let Some((slice, began, last)) = state.now.filter(|_| goal > 0 && done > 0) else { return };
        if last.elapsed() < LINE_EVERY {
            return;
        }
        state.now = Some((slice, began, Instant::now()));
        let seconds = began.elapsed().as_secs_f64();
        let rate = done as f64 / seconds;
        let left = goal.saturating_sub(done) as f64 / rate;
        self.event(&json!({
            "event": "progress", "slice": slice, "entries": done, "of": goal, "seconds": seconds,
        }));
        let share = 100.0 * done as f64 / goal as f64;
        self.line(&format!("slice {slice}: {share:.0}%, {rate:.0} supers/s, about {left:.0} s left"));
    }

    /// Reports that a slice is finished, and lists its shards.
    pub fn slice(&self, report: &SliceReport, files: &[ShardFile]) {
        let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
        let stored: u64 = files.iter().map(|file| file.bytes).sum();
        self.finished(report, ("shards", &paths), &format!("{} in {} shards", bytes(stored), files.len()));
    }

    /// Reports that the last slice was counted. `path` is the file of the counts.
    pub fn counted(&self, report: &SliceReport, path: &Path) {
        self.finished(report, ("counts", &[path]), "counted only");
    }

    fn finished(&self, report: &SliceReport, (what, paths): (&str, &[&Path]), stored: &str) {
        let SliceReport { slice, entries, time, ranks } = report;
        let mut state = self.state.borrow_mut();
        state.sums.resize(ranks.len(), [0; 5]);
        for (sums, of_rank) in state.sums.iter_mut().zip(ranks) {
            sums.iter_mut().zip(of_rank).for_each(|(sum, more)| *sum += more);
        }
        state.entries += entries;
        state.left.retain(|left| left != slice);
        state.now = state.left.first().map(|&slice| (slice, Instant::now(), Instant::now()));
        let of = |at: usize| ranks.iter().map(|rank| rank[at]).sum::<u64>();
        self.event(&json!({
            "event": "slice", "slice": slice, "entries": entries, "seconds": time.as_secs_f64(),
            "bytes": of(2), "received": of(3), what: paths,
            "ranks": ranks.iter().map(|rank| json!({
                "busy": rank[0] as f64 / 1e3, "waiting": rank[1] as f64 / 1e3, "bytes": rank[2],
                "received": rank[3], "sent": rank[4], "computed": rank[5], "decoded": rank[6],
            })).collect::<Vec<_>>(),
        }));
        if self.speaks && !self.json {
            paths.iter().for_each(|path| println!("{}", path.display()));
        }
        let (seconds, received) = (time.as_secs_f64(), bytes(of(3)));
        let longest = ranks.iter().map(|rank| rank[0]).max().unwrap_or(0) as f64;
        let balance = longest * ranks.len() as f64 / of(0).max(1) as f64;
        self.line(&format!(
            "slice {slice}: {entries} supers in {seconds:.1} s, {stored}, {received} sent, \
             longest share {balance:.2} of the mean"
        ));
    }

    /// Reports that all slices exist already, so that there is nothing to build.
    pub fn nothing_to_do(&self, files: &[ShardFile]) {
        let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
        self.event(&json!({ "event": "nothing to do", "shards": paths }));
        self.line("all slices exist already");
    }

    /// Reports the end of the build, with the sums over all slices.
    pub fn end(&self) {
        let state = self.state.borrow();
        let seconds = self.began.elapsed().as_secs_f64();
        self.event(&json!({
            "event": "end", "seconds": seconds, "entries": state.entries,
            "ranks": state.sums.iter().map(|[busy, waiting, stored, received, sent]| json!({
                "busy": *busy as f64 / 1e3, "waiting": *waiting as f64 / 1e3, "bytes": stored,
                "received": received, "sent": sent,
            })).collect::<Vec<_>>(),
        }));
        if state.sums.is_empty() {
            return;
        }
        self.line(&format!("{} supers in {seconds:.1} s", state.entries));
        self.line("  rank       busy    waiting     stored   received       sent");
        for (rank, [busy, waiting, stored, received, sent]) in state.sums.iter().enumerate() {
            let [busy, waiting] = [busy, waiting].map(|ms| format!("{:.1} s", *ms as f64 / 1e3));
            let [stored, received, sent] = [stored, received, sent].map(|&n| bytes(n));
            self.line(&format!("{rank:>6} {busy:>10} {waiting:>10} {stored:>10} {received:>10} {sent:>10}"));
        }
    }
}

/// Returns the text for a number of bytes, in decimal units such as MB.
pub fn bytes(bytes: u64) -> String {
    ByteSize::b(bytes).display().si().to_string()
}
