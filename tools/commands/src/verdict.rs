//! The verdict on a build: whether memory and disk suffice, and which options would make the build
//! fit.

use std::fmt;
use std::num::NonZero;
use std::path::Path;

use pentago::{BuildEstimate, SliceEstimate};
use pentago_base::counted;
use pentago_games::{Order, Resources, Scope};

use crate::output::{bytes, duration};

/// The free disk space in bytes that a build leaves unused. A file occupies whole blocks of
/// the disk, so a build of a hundred files takes more space than its files have bytes.
const DISK_RESERVE: u64 = 1 << 19;

/// Returns the free space in bytes that a build may use on a disk.
pub fn usable(disk: pentago_memory::Disk) -> u64 {
    disk.free.saturating_sub(DISK_RESERVE)
}

/// The memory and disk space that a build may use.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    /// The memory limit in bytes.
    memory: u64,
    /// The free space on the disk of the tables in bytes, or `None` if unknown. Temporary data use
    /// this disk too, unless `scratch` describes a separate disk.
    disk: Option<u64>,
    /// The free space in bytes on a separate disk for temporary data, or `None` if there is no
    /// separate disk.
    scratch: Option<u64>,
    /// The size limit of temporary data in bytes, or `None` without a limit.
    limit: Option<u64>,
    /// The free memory of this machine in bytes, or `None` if another machine is planned for.
    free: Option<u64>,
}

impl Capacity {
    /// Returns the capacity of a planned machine, with one disk for tables and temporary data.
    pub fn planned(resources: &Resources, disk: Option<u64>) -> Capacity {
        let limit = Some(resources.scratch_limit).filter(|&limit| limit < u64::MAX);
        Capacity { memory: resources.memory, disk, scratch: None, limit, free: None }
    }

    /// Sets the free memory of this machine, so that no option with more memory is suggested.
    pub fn of_this_machine(self) -> Capacity {
        // `usable` returns 7/8 of the free memory, so compute the free memory from it.
        Capacity { free: Some(pentago_memory::usable() / 7 * 8), ..self }
    }

    /// Returns the capacity of this machine for tables in `out`.
    pub fn here(out: &Path, resources: &Resources) -> Capacity {
        let disk = pentago_memory::disk(out);
        let scratch = pentago_memory::disk(&resources.scratch)
            .filter(|other| disk.is_some_and(|disk| disk.device != other.device));
        let planned = Capacity::planned(resources, disk.map(usable));
        Capacity { scratch: scratch.map(usable), ..planned }.of_this_machine()
    }
}

/// A comparison of the requirements of a build with a capacity.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// For each resource, its name, the number of bytes that the build needs, and the number of
    /// bytes that are available.
    requirements: Vec<(&'static str, u64, u64)>,
    time: String,
}

impl Verdict {
    /// Compares an estimate with a capacity.
    pub fn of(estimate: &BuildEstimate, capacity: &Capacity) -> Verdict {
        let BuildEstimate { disk_bytes, scratch_bytes, there_bytes, .. } = *estimate;
        let own = capacity.scratch.map_or(disk_bytes, |_| disk_bytes.saturating_sub(scratch_bytes));
        let with_tables = |free: u64| free.saturating_add(there_bytes);
        let requirements = [
            ("memory", estimate.memory_bytes, Some(capacity.memory)),
            ("disk", own, capacity.disk.map(with_tables)),
            ("temporary disk", scratch_bytes, capacity.scratch.map(with_tables)),
            ("temporary data", scratch_bytes, capacity.limit),
        ];
        let known = requirements.into_iter().filter_map(|(what, need, free)| Some((what, need, free?)));
        let cores = counted(estimate.cores as u64, "core");
        Verdict { requirements: known.collect(), time: format!("{} on {cores}", duration(estimate.seconds)) }
    }

    /// Returns `true` if the build can finish.
    pub fn fits(&self) -> bool {
        self.requirements.iter().all(|(_, need, available)| need <= available)
    }

    /// Returns `true` if the build needs more of a resource than is available.
    pub fn lacks(&self, resource: &str) -> bool {
        self.requirements.iter().any(|(what, need, available)| *what == resource && need > available)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = self.fits();
        let shown = self.requirements.iter().filter(|(_, need, available)| fits || need > available);
        let needs: Vec<String> = shown
            .map(|(what, need, available)| {
                format!("{} of {what} ({} available)", bytes(*need), bytes(*available))
            })
            .collect();
        let (word, needs) = (if fits { "can" } else { "cannot" }, needs.join(" and "));
        write!(f, "{word} finish: needs {needs}; {}", self.time)
    }
}

/// The input of a search for options with which a build would fit.
pub struct Alternatives<'t> {
    /// The order that doesn't fit.
    pub order: &'t Order,
    /// The estimate of the order.
    pub estimate: &'t BuildEstimate,
    /// The resources of the build.
    pub resources: &'t Resources,
    /// The option that sets the number of cores.
    pub cores_option: &'static str,
    /// The memory and disk space that the build may use.
    pub capacity: Capacity,
    /// The function that estimates another order with other resources.
    pub again: &'t (dyn Fn(&Order, &Resources) -> Option<BuildEstimate> + Sync),
}

/// A change of a build or of a machine, described by `text`, and the build after the change.
struct Change {
    text: String,
    order: Order,
    resources: Resources,
    capacity: Capacity,
}

impl Alternatives<'_> {
    /// Describes the alternatives with which the build would fit, joined by "; or ". Most
    /// alternatives are options of the command. If the build lacks several resources, each
    /// alternative lists several changes, joined by " and ".
    pub fn remedies(&self) -> String {
        let found = self.changes();
        if found.is_empty() { "none of the options".to_owned() } else { found.join("; or ") }
    }

    fn changes(&self) -> Vec<String> {
        let verdict = Verdict::of(self.estimate, &self.capacity);
        let lacking = |verdict: &Verdict| verdict.requirements.iter().position(|(_, need, free)| need > free);
        let Some(at) = lacking(&verdict) else { return Vec::new() };
        let (what, need, _) = verdict.requirements[at];
        let mut found = Vec::new();
        for Change { text, order, resources, capacity } in self.changes_of(what, need) {
            let Some(estimate) = (self.again)(&order, &resources) else { continue };
            let (order, estimate, resources) = (&order, &estimate, &resources);
            match lacking(&Verdict::of(estimate, &capacity)) {
                None => found.push(text),
                Some(next) if next > at => {
                    let rest = Alternatives { order, estimate, resources, capacity, ..*self }.changes();
                    found.extend(rest.iter().map(|rest| format!("{text} and {rest}")));
                }
                Some(_) => {}
            }
        }
        found
    }

    /// Returns the changes that may provide enough of a resource, of which the build needs `need`
    /// bytes.
    fn changes_of(&self, what: &str, need: u64) -> Vec<Change> {
        let enough = rounded_up(need);
        // The free space of this machine includes the reserve. A size given by `--disk` does not.
        let reserve = self.capacity.free.map_or(0, |_| DISK_RESERVE);
        let free = bytes(enough.saturating_add(reserve));
        let (text, capacity) = match what {
            "memory" => return self.fewer_cores().into_iter().chain([self.more_memory(need)]).collect(),
            "disk" => {
                let text = format!("a disk with {free} free");
                (text, Capacity { disk: Some(enough), ..self.capacity })
            }
            "temporary disk" => {
                let text = format!("--scratch on a disk with {free} free");
                (text, Capacity { scratch: Some(enough), ..self.capacity })
            }
            _ => {
                let text = format!("--scratch-limit {}", option(enough));
                (text, Capacity { limit: Some(enough), ..self.capacity })
            }
        };
        let slices = [self.fewer_slices(), self.later_slice()].into_iter().flatten();
        let slices = slices.filter(|_| what == "disk");
        slices.chain([Change { capacity, ..self.change(text) }]).collect()
    }

    /// Returns a change with the description `text` that keeps the order and all resources.
    fn change(&self, text: String) -> Change {
        let (order, resources, capacity) = (self.order.clone(), self.resources.clone(), self.capacity);
        Change { text, order, resources, capacity }
    }

    /// Returns the memory of which the build needs `need` bytes: the option `--memory`, or a larger
    /// machine if this machine has too little memory.
    fn more_memory(&self, need: u64) -> Change {
        let needed = rounded_up(need.div_ceil(7) * 8);
        let (text, memory) = match self.capacity.free {
            Some(free) if free < need => {
                let (needs, free) = (bytes(needed), bytes(free));
                (format!("a machine with {needs} of memory: this one has {free} free"), needed / 8 * 7)
            }
            _ => (format!("--memory {}", option(needed)), needed),
        };
        let resources = Resources { memory, ..self.resources.clone() };
        Change { resources, capacity: Capacity { memory, ..self.capacity }, ..self.change(text) }
    }

    /// Returns an option with fewer cores, with which the memory may suffice. Most memory is used
    /// per core. Returns `None` if the build has one core.
    fn fewer_cores(&self) -> Option<Change> {
        let cores = self.resources.threads.get();
        let share = self.capacity.memory as f64 / self.estimate.memory_bytes.max(1) as f64;
        let fewer =
            NonZero::new((cores as f64 * share * 7.0 / 8.0) as usize).unwrap_or(NonZero::<usize>::MIN);
        let change = self.change(format!("{} {fewer}", self.cores_option));
        let resources = Resources { threads: fewer, ..self.resources.clone() };
        (fewer.get() < cores).then_some(Change { resources, ..change })
    }

    /// Returns an option that keeps fewer slices: half of the slices, or only the slice with the
    /// fewest marbles. Slices that are deleted after use take the least disk space.
    fn fewer_slices(&self) -> Option<Change> {
        let slices = &self.estimate.slices;
        let (first, last) = (slices.last()?.marbles, slices.first()?.marbles);
        [first + (last - first) / 2, first].into_iter().find_map(|to| {
            let order = Order { keep_slices: Some(first..=to), ..self.order.clone() };
            let estimate = (self.again)(&order, self.resources)?;
            let (disk, time) = (bytes(estimate.disk_bytes), duration(estimate.seconds));
            let change = self.change(format!("--keep-slices {first}..{to} ({disk}, {time})"));
            let lacks = Verdict::of(&estimate, &self.capacity).lacks("disk");
            (!lacks).then_some(Change { order, ..change })
        })
    }

    /// Returns the last slice of the build that fits on the disk, or `None` if no slice fits or the
    /// order is not a game or a slice.
    fn later_slice(&self) -> Option<Change> {
        let disk = self.capacity.disk?;
        let fits =
            |slice: &&SliceEstimate| slice.disk_bytes <= disk.saturating_add(self.estimate.there_bytes);
        let last = self.estimate.slices.iter().take_while(fits).last()?;
        let all = match self.order.scope {
            Scope::Game => "the whole game".to_owned(),
            Scope::Slice(marbles) => format!("slice:{marbles}"),
            _ => return None,
        };
        let order = Order { scope: Scope::Slice(last.marbles), ..self.order.clone() };
        Some(Change { order, ..self.change(format!("slice:{} instead of {all}", last.marbles)) })
    }
}

/// Rounds a size up to one that [`bytes`] and [`option`] format exactly.
fn rounded_up(size: u64) -> u64 {
    let step = match size {
        ..1_000_000 => 100,
        1_000_000..1_000_000_000 => 100_000,
        1_000_000_000..1_000_000_000_000 => 100_000_000,
        _ => 100_000_000_000,
    };
    size.next_multiple_of(step)
}

/// Formats a size as the value of an option, rounded up: `12.4G`.
pub fn option(bytes: u64) -> String {
    let (unit, name) = match bytes {
        ..1_000_000 => (1_000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    let tenths = bytes.div_ceil(unit / 10);
    format!("{}.{}{name}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacity(memory: u64, disk: Option<u64>) -> Capacity {
        Capacity { memory, disk, scratch: None, limit: None, free: None }
    }

    #[test]
    fn what_is_lacking_is_said_with_the_time() {
        let estimate = BuildEstimate {
            memory_bytes: 2_000_000_000,
            disk_bytes: 5_000_000_000,
            there_bytes: 1_000_000_000,
            seconds: 7200.0,
            cores: 2,
            ..BuildEstimate::default()
        };
        let verdict = |memory, disk| Verdict::of(&estimate, &capacity(memory, disk));
        let fits = verdict(2_000_000_000, Some(4_000_000_000));
        assert!(fits.fits());
        assert_eq!(
            fits.to_string(),
            "can finish: needs 2.0 GB of memory (2.0 GB available) and 5.0 GB of disk (5.0 GB available); 2.0 h \
             on 2 cores"
        );
        let full = verdict(2_000_000_000, Some(3_999_999_999));
        assert!(!full.fits() && full.lacks("disk") && !full.lacks("memory"));
        let text = full.to_string();
        assert!(text.starts_with("cannot finish: needs 5.0 GB of disk (5.0 GB available); "), "{text}");
        assert!(verdict(1, None).lacks("memory") && verdict(2_000_000_000, None).fits());
    }

    #[test]
    fn more_memory_than_there_is_is_no_option() {
        let estimate = BuildEstimate { memory_bytes: 70_000_000_000, ..BuildEstimate::default() };
        let order = Order::default();
        let resources = Resources {
            kernel: pentago::Kernel::best(),
            threads: NonZero::<usize>::MIN,
            memory: 0,
            scratch: std::path::PathBuf::new(),
            scratch_limit: 0,
        };
        let memory = |free| {
            let capacity = Capacity { free, ..capacity(1_000_000_000, None) };
            let again = |_: &Order, _: &Resources| Some(estimate.clone());
            let (order, estimate, cores_option) = (&order, &estimate, "--threads");
            Alternatives { order, estimate, resources: &resources, cores_option, capacity, again: &again }
                .remedies()
        };
        assert_eq!(memory(None), "--memory 80.0G");
        assert_eq!(memory(Some(100_000_000_000)), "--memory 80.0G");
        let machine = "a machine with 80.0 GB of memory: this one has 8.0 GB free";
        assert_eq!(memory(Some(8_000_000_000)), machine);
    }

    #[test]
    fn sizes_are_rounded_up() {
        assert_eq!([999, 1_000_001, 12_345_000_000].map(option), ["1.0k", "1.1M", "12.4G"]);
    }
}
