//! Estimates a build on many machines. Partitions each slice exactly as a build does, and adds up
//! the work and the traffic of every rank.

use crate::args;
use crate::report::bytes;
use pentago::shards::{GameBuild, Load, Resources, SharedSlice, Shares, loads, section_bytes};
use pentago::{Kernel, Rates, Section, SliceEstimate};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// The estimate of one slice. Most fields hold the largest value of any rank.
#[derive(Serialize)]
struct SlicePlan {
    marbles: u8,
    entries: u64,
    /// The largest CPU time of a rank, divided by the mean over all ranks.
    balance: f64,
    /// The time to compute and encode one entry, in nanoseconds.
    own_ns: f64,
    /// The time to decode one entry of the next slice, in nanoseconds.
    decoded_ns: f64,
    /// The largest number of bytes that any rank receives.
    received: f64,
    /// The largest number of bytes that any rank sends.
    sent: f64,
    /// The largest number of bytes that any rank reads from its disk.
    read: f64,
    /// The number of bytes that all ranks together send.
    traffic: f64,
    /// The largest number of bytes that any rank writes to its disk.
    written: f64,
    /// The largest disk space in bytes that any machine needs during the build of the slice.
    disk: f64,
    /// The CPU time of all ranks together, in core-hours.
    core_hours: f64,
    /// The time in seconds until all ranks have finished the slice.
    seconds: f64,
    /// The resource that limits the speed: `cpu`, `net` or `disk`.
    bound: &'static str,
}

/// Runs `pentago-cluster plan`: prints the estimate.
///
/// # Errors
/// If the game has no such slice or section.
pub fn run(args: &args::Plan) -> anyhow::Result<()> {
    let build = args.target.build()?;
    let slices = build.slices();
    let resources = Resources {
        kernel: Kernel::best(),
        threads: args.cores,
        memory: args.memory,
        scratch: PathBuf::new(),
        scratch_limit: u64::MAX,
    };
    let rates = Rates::built_in();
    // A cluster compresses shards with the final codec immediately, without temporary copies.
    let estimate = build.clone().direct().estimate(&slices, &resources, rates);
    let mut plans: Vec<SlicePlan> = Vec::new();
    let mut kept = 0.0;
    let mut below: Option<PartitionedSlice> = None;
    for slice in &estimate.slices {
        let (sections, _) = build.sections(slice.marbles);
        let bytes = section_bytes(build.target().rules, &sections, slice.table_bytes, rates);
        let part = PartitionedSlice {
            slice,
            sections,
            shares: build.shares(slice.marbles, args.nodes.get()),
            bytes,
        };
        plans.push(one(args, &build, &part, below.as_ref(), kept));
        below = Some(part);
        if slice.is_kept {
            kept += slice.table_bytes as f64 / f64::from(args.nodes.get());
        }
    }
    let least = estimate.memory_bytes;
    if args.json {
        let [balance, disk, core_hours, hours] = totals(&plans);
        let report = json!({
            "target": build.target().to_string(), "nodes": args.nodes, "cores": args.cores,
            "slices": plans, "balance": balance, "disk": disk, "memory": least,
            "core_hours": core_hours, "hours": hours,
        });
        println!("{report}");
    } else {
        print(args, &build, &plans, least);
    }
    Ok(())
}

/// A slice, and its partition into shares of the ranks.
struct PartitionedSlice<'a> {
    slice: &'a SliceEstimate,
    sections: Vec<Section>,
    shares: Shares,
    /// The estimated size of each section in the table in bytes, in the order of `sections`.
    bytes: Vec<f64>,
}

impl PartitionedSlice<'_> {
    fn shared(&self) -> SharedSlice<'_> {
        SharedSlice { sections: &self.sections, shares: &self.shares, bytes: &self.bytes }
    }
}

fn one(
    args: &args::Plan,
    build: &GameBuild,
    part: &PartitionedSlice,
    below: Option<&PartitionedSlice>,
    kept: f64,
) -> SlicePlan {
    let (slice, next) = (part.slice, below.map(|below| below.slice));
    let all = build.target().sections();
    let nodes = args.nodes.get();
    // The first slice to build has no next slice, so no rank reads anything.
    let nothing = SharedSlice { sections: &[], shares: &part.shares, bytes: &[] };
    let loads =
        loads(all, part.shared(), below.map_or(nothing, PartitionedSlice::shared), args.memory, args.cores);
    let next_entries = next.map_or(0.0, |next| next.entries as f64);
    let per_own = (slice.kernel_seconds + slice.encode_seconds) / (slice.entries as f64).max(1.0);
    let per_decoded = slice.decode_seconds / (slice.decodes * next_entries).max(1.0);
    let cpu = |load: &Load| load.own * per_own + load.decoded * per_decoded;
    let core_seconds: f64 = loads.iter().map(cpu).sum();
    let most = |of: &dyn Fn(&Load) -> f64| loads.iter().map(of).fold(0.0, f64::max);
    let received = most(&|load| load.received);
    let sent = most(&|load| load.sent);
    // A rank reads two kinds of blocks from its disk: blocks for itself, and blocks to send to
    // other ranks.
    let read = most(&|load| load.got - load.received + load.sent);
    let written = most(&|load| load.written);
    let net = args.net.map_or(0.0, |bits| 8.0 * received.max(sent) / bits as f64);
    let disk = args.disk_speed.map_or(0.0, |speed| (read + written) / speed as f64);
    let below_bytes = next.map_or(0.0, |next| next.table_bytes as f64 / f64::from(nodes));
    let below_kept = next.is_some_and(|next| next.is_kept);
    let bounds = [("cpu", most(&cpu) / args.cores.get() as f64), ("net", net), ("disk", disk)];
    let longest = bounds.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (bound, seconds) = longest.expect("three bounds");
    SlicePlan {
        marbles: slice.marbles,
        entries: slice.entries,
        balance: most(&cpu) / (core_seconds / f64::from(nodes)).max(f64::MIN_POSITIVE),
        own_ns: 1e9 * per_own,
        decoded_ns: 1e9 * per_decoded,
        received,
        sent,
        read,
        traffic: loads.iter().map(|load| load.sent).sum(),
        written,
        disk: kept + written + if below_kept { 0.0 } else { below_bytes },
        core_hours: core_seconds / 3600.0,
        seconds,
        bound,
    }
}

/// Returns four totals: the balance, the disk space in bytes, the core-hours, and the hours. The
/// balance and the disk space are maxima over slices. The balance includes only slices with more
/// than 1% of the work.
fn totals(plans: &[SlicePlan]) -> [f64; 4] {
    let core_hours: f64 = plans.iter().map(|slice| slice.core_hours).sum();
    let large = plans.iter().filter(|slice| slice.core_hours > 0.01 * core_hours);
    let balance = large.map(|slice| slice.balance).fold(1.0, f64::max);
    let disk = plans.iter().map(|slice| slice.disk).fold(0.0, f64::max);
    let seconds: f64 = plans.iter().map(|slice| slice.seconds).sum();
    [balance, disk, core_hours, seconds / 3600.0]
}

fn print(args: &args::Plan, build: &GameBuild, plans: &[SlicePlan], least: u64) {
    let nodes = args.nodes;
    println!("{}, {nodes} machines of {} cores; of the machine with the most:", build.target(), args.cores);
    println!(
        "marbles           supers  balance   received       sent       read    written       disk  \
         core-hours   hours  bound"
    );
    for slice in plans {
        let [received, sent, read, written, disk] =
            [slice.received, slice.sent, slice.read, slice.written, slice.disk].map(|n| bytes(n as u64));
        println!(
            "{:>7} {:>16} {:>8.3} {received:>10} {sent:>10} {read:>10} {written:>10} {disk:>10} {:>11.2} {:>7.3}  {}",
            slice.marbles,
            slice.entries,
            slice.balance,
            slice.core_hours,
            slice.seconds / 3600.0,
            slice.bound
        );
    }
    let [balance, disk, core_hours, hours] = totals(plans);
    let word = |fits: bool| if fits { "fits" } else { "does NOT fit" };
    println!("balance  at most {balance:.3} in slices with more than 1% of the work");
    println!("memory   {} needed at least: {}", bytes(least), word(least <= args.memory));
    let fits = args.disk.map_or(String::new(), |have| format!(": {}", word(disk <= have as f64)));
    println!("disk     {} at most{fits}", bytes(disk as u64));
    println!("time     {hours:.1} h on {nodes} machines, {core_hours:.0} core-hours");
}
