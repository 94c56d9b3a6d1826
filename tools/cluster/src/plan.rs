//! What a build by many machines takes: the partition of each slice as a build makes it, and what
//! every rank computes, sends, receives, reads and writes.

use crate::args;
use crate::report::bytes;
use pentago::shards::{GameBuild, Load, Resources, SharedSlice, Shares, loads, section_bytes};
use pentago::{Kernel, Rates, Section, SliceEstimate};
use serde_json::json;
use std::path::PathBuf;

/// A slice, as its ranks see it.
struct Planned {
    marbles: u8,
    entries: u64,
    /// The most that a rank computes, as a multiple of the mean.
    balance: f64,
    /// Bytes of the rank with the most: received, sent, read, written.
    received: f64,
    sent: f64,
    read: f64,
    written: f64,
    /// Bytes that all ranks send together.
    traffic: f64,
    /// Bytes on the disk of one machine while it is built.
    disk: f64,
    /// Core-seconds of all ranks.
    core_seconds: f64,
    /// Nanoseconds to compute and encode an entry, and to decode one of the next slice.
    each: [f64; 2],
    /// Seconds for the rank that takes longest, by what bounds it: CPU, network, disk.
    seconds: [f64; 3],
}

const BOUNDS: [&str; 3] = ["cpu", "net", "disk"];

impl Planned {
    fn longest(&self) -> f64 {
        self.seconds.into_iter().fold(0.0, f64::max)
    }

    fn bound(&self) -> &'static str {
        let at = (0..3).max_by(|&a, &b| self.seconds[a].total_cmp(&self.seconds[b])).unwrap_or(0);
        BOUNDS[at]
    }
}

/// Prints the estimate.
///
/// # Errors
/// If there is no such target.
pub fn run(args: &args::Plan) -> anyhow::Result<()> {
    let build = args.work.build()?;
    let slices = build.slices();
    let resources = Resources {
        kernel: Kernel::best(),
        threads: args.cores,
        memory: args.memory,
        scratch: PathBuf::new(),
        scratch_limit: u64::MAX,
    };
    let rates = Rates::built_in();
    // Shards are written with the codec of their slice at once.
    let estimate = build.clone().direct().estimate(&slices, &resources, None, rates);
    let mut planned: Vec<Planned> = Vec::new();
    let mut kept = 0.0;
    let mut below: Option<Part> = None;
    for slice in &estimate.slices {
        let (sections, _) = build.sections(slice.marbles);
        let bytes = section_bytes(build.target().rules, &sections, slice.table_bytes, rates);
        let part = Part { slice, sections, shares: build.shares(slice.marbles, args.nodes.get()), bytes };
        planned.push(one(args, &build, &part, below.as_ref(), kept));
        below = Some(part);
        if slice.is_kept {
            kept += slice.table_bytes as f64 / f64::from(args.nodes.get());
        }
    }
    let least = estimate.memory_bytes;
    if args.json {
        println!("{}", as_json(args, &build, &planned, least));
    } else {
        print(args, &build, &planned, least);
    }
    Ok(())
}

/// A slice and how it is shared.
struct Part<'a> {
    slice: &'a SliceEstimate,
    sections: Vec<Section>,
    shares: Shares,
    /// About how large each section is in the table.
    bytes: Vec<f64>,
}

impl Part<'_> {
    fn shared(&self) -> SharedSlice<'_> {
        SharedSlice { sections: &self.sections, shares: &self.shares, bytes: &self.bytes }
    }
}

fn one(args: &args::Plan, build: &GameBuild, part: &Part, below: Option<&Part>, kept: f64) -> Planned {
    let (slice, next) = (part.slice, below.map(|below| below.slice));
    let all = build.target().sections();
    let nodes = args.nodes.get();
    // Nothing is read where there is no next slice.
    let nothing = SharedSlice { sections: &[], shares: &part.shares, bytes: &[] };
    let loads = loads(all, part.shared(), below.map_or(nothing, Part::shared), args.memory, args.cores);
    let next_entries = next.map_or(0.0, |next| next.entries as f64);
    let per_own = (slice.kernel_seconds + slice.encode_seconds) / (slice.entries as f64).max(1.0);
    let per_decoded = slice.decode_seconds / (slice.decodes * next_entries).max(1.0);
    let cpu = |load: &Load| load.own * per_own + load.decoded * per_decoded;
    let core_seconds: f64 = loads.iter().map(cpu).sum();
    let most = |of: &dyn Fn(&Load) -> f64| loads.iter().map(of).fold(0.0, f64::max);
    let received = most(&|load| load.received);
    let sent = most(&|load| load.sent);
    // What a rank reads for itself and for others.
    let read = most(&|load| load.got - load.received + load.sent);
    let written = most(&|load| load.written);
    let net = args.net.map_or(0.0, |bits| 8.0 * received.max(sent) / bits as f64);
    let disk = args.disk_speed.map_or(0.0, |speed| (read + written) / speed as f64);
    let below_bytes = next.map_or(0.0, |next| next.table_bytes as f64 / f64::from(nodes));
    let below_kept = next.is_some_and(|next| next.is_kept);
    Planned {
        marbles: slice.marbles,
        entries: slice.entries,
        balance: most(&cpu) / (core_seconds / f64::from(nodes)).max(f64::MIN_POSITIVE),
        received,
        sent,
        read,
        written,
        traffic: loads.iter().map(|load| load.sent).sum(),
        disk: kept + written + if below_kept { 0.0 } else { below_bytes },
        core_seconds,
        each: [per_own, per_decoded].map(|seconds| 1e9 * seconds),
        seconds: [most(&cpu) / args.cores.get() as f64, net, disk],
    }
}

/// The slices that matter: each with more than a hundredth of the work.
fn large(planned: &[Planned]) -> impl Iterator<Item = &Planned> {
    let all: f64 = planned.iter().map(|slice| slice.core_seconds).sum();
    planned.iter().filter(move |slice| slice.core_seconds > 0.01 * all)
}

fn as_json(args: &args::Plan, build: &GameBuild, planned: &[Planned], least: u64) -> serde_json::Value {
    let slice = |slice: &Planned| {
        json!({
            "marbles": slice.marbles, "entries": slice.entries, "balance": slice.balance,
            "own_ns": slice.each[0], "decoded_ns": slice.each[1],
            "received": slice.received, "sent": slice.sent, "read": slice.read,
            "traffic": slice.traffic,
            "written": slice.written, "disk": slice.disk,
            "core_hours": slice.core_seconds / 3600.0, "seconds": slice.longest(), "bound": slice.bound(),
        })
    };
    json!({
        "target": build.target().to_string(), "nodes": args.nodes, "cores": args.cores,
        "slices": planned.iter().map(slice).collect::<Vec<_>>(),
        "balance": large(planned).map(|slice| slice.balance).fold(1.0, f64::max),
        "disk": planned.iter().map(|slice| slice.disk).fold(0.0, f64::max),
        "memory": least,
        "core_hours": planned.iter().map(|slice| slice.core_seconds).sum::<f64>() / 3600.0,
        "hours": planned.iter().map(Planned::longest).sum::<f64>() / 3600.0,
    })
}

fn print(args: &args::Plan, build: &GameBuild, planned: &[Planned], least: u64) {
    let nodes = args.nodes;
    println!("{}, {nodes} machines of {} cores; of the machine with the most:", build.target(), args.cores);
    println!(
        "marbles           supers  balance   received       sent       read    written       disk  \
         core-hours   hours  bound"
    );
    for slice in planned {
        let [received, sent, read, written, disk] =
            [slice.received, slice.sent, slice.read, slice.written, slice.disk].map(|n| bytes(n as u64));
        println!(
            "{:>7} {:>16} {:>8.3} {received:>10} {sent:>10} {read:>10} {written:>10} {disk:>10} {:>11.2} {:>7.3}  {}",
            slice.marbles,
            slice.entries,
            slice.balance,
            slice.core_seconds / 3600.0,
            slice.longest() / 3600.0,
            slice.bound()
        );
    }
    let core_hours = planned.iter().map(|slice| slice.core_seconds).sum::<f64>() / 3600.0;
    let hours = planned.iter().map(Planned::longest).sum::<f64>() / 3600.0;
    let balance = large(planned).map(|slice| slice.balance).fold(1.0, f64::max);
    let disk = planned.iter().map(|slice| slice.disk).fold(0.0, f64::max);
    let word = |fits: bool| if fits { "fits" } else { "does NOT fit" };
    println!("balance  at most {balance:.3} in slices with more than 1% of the work");
    println!("memory   {} needed at least: {}", bytes(least), word(least <= args.memory));
    let fits = args.disk.map_or(String::new(), |have| format!(": {}", word(disk <= have as f64)));
    println!("disk     {} at most{fits}", bytes(disk as u64));
    println!("time     {hours:.1} h on {nodes} machines, {core_hours:.0} core-hours");
}
