//! Whether a build can finish with the memory and the disk that there are, and what would make it fit.

use std::fmt;
use std::path::Path;

use pentago_base::counted;
use pentago_games::{Estimate, Order, Resources, Wanted};

use crate::output::{bytes, duration};

/// What a build may take.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes of memory.
    memory: u64,
    /// Bytes that are free for the tables, and for temporary data if that lies there too; none where
    /// that isn't known.
    disk: Option<u64>,
    /// Bytes that are free for temporary data on a disk of its own.
    scratch: Option<u64>,
    /// Bytes that temporary data may take wherever it lies; none without a limit.
    limit: Option<u64>,
    /// Bytes of memory that are free on the machine, if it is this one.
    free: Option<u64>,
}

impl Room {
    /// A machine that is planned for: one disk for all.
    pub fn planned(resources: &Resources, disk: Option<u64>) -> Room {
        let limit = Some(resources.scratch_limit).filter(|&limit| limit < u64::MAX);
        Room { memory: resources.memory, disk, scratch: None, limit, free: None }
    }

    /// The same as the room of this machine, which has only so much memory.
    pub fn of_this_machine(self) -> Room {
        // What may be used leaves an eighth to others.
        Room { free: Some(pentago_memory::usable() / 7 * 8), ..self }
    }

    /// What is free here for tables in `out`.
    pub fn here(out: &Path, resources: &Resources) -> Room {
        let disk = pentago_memory::disk(out);
        let scratch = pentago_memory::disk(&resources.scratch)
            .filter(|other| disk.is_some_and(|disk| disk.device != other.device));
        let free = |disk: pentago_memory::Disk| disk.free;
        let planned = Room::planned(resources, disk.map(free));
        Room { scratch: scratch.map(free), ..planned }.of_this_machine()
    }
}

/// One of the things that a build needs.
#[derive(Debug, Clone, Copy)]
struct Need {
    what: &'static str,
    bytes: u64,
    there: u64,
}

/// Whether a build fits, in a line.
#[derive(Debug, Clone)]
pub struct Verdict {
    needs: Vec<Need>,
    time: String,
}

impl Verdict {
    /// Compares what a build takes with what there is.
    pub fn of(estimate: &Estimate, room: &Room) -> Verdict {
        let Estimate { disk_bytes, scratch_bytes, there_bytes, .. } = *estimate;
        let own = if room.scratch.is_some() { disk_bytes.saturating_sub(scratch_bytes) } else { disk_bytes };
        let memory = Need { what: "memory", bytes: estimate.memory_bytes, there: room.memory };
        let need = |what, bytes, free: u64| Need { what, bytes, there: free.saturating_add(there_bytes) };
        let disk = room.disk.map(|free| need("disk", own, free));
        let scratch = room.scratch.map(|free| need("temporary disk", scratch_bytes, free));
        let limit = room.limit.map(|there| Need { what: "temporary data", bytes: scratch_bytes, there });
        let cores = counted(estimate.cores as u64, "core");
        Verdict {
            needs: [Some(memory), disk, scratch, limit].into_iter().flatten().collect(),
            time: format!("{} on {cores}", duration(estimate.seconds)),
        }
    }

    /// Whether the build can finish.
    pub fn fits(&self) -> bool {
        self.lacking().next().is_none()
    }

    fn lacking(&self) -> impl Iterator<Item = &Need> {
        self.needs.iter().filter(|need| need.bytes > need.there)
    }

    fn lacks(&self, what: &str) -> bool {
        self.lacking().any(|need| need.what == what)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = self.fits();
        let shown = |need: &&Need| fits || need.bytes > need.there;
        let text =
            |need: &Need| format!("{} of {} ({} there)", bytes(need.bytes), need.what, bytes(need.there));
        let needs: Vec<String> = self.needs.iter().filter(shown).map(text).collect();
        let (word, needs) = (if fits { "can" } else { "cannot" }, needs.join(" and "));
        write!(f, "{word} finish: it takes {needs}; {}", self.time)
    }
}

/// What can be tried in place of an order.
pub struct Trial<'t> {
    /// The order.
    pub order: &'t Order,
    /// Its estimate.
    pub estimate: &'t Estimate,
    /// The number of cores, and the option that sets it.
    pub cores: (usize, &'static str),
    /// What there is.
    pub room: Room,
    /// Estimates another order, with another number of cores.
    pub again: &'t dyn Fn(&Order, usize) -> Option<Estimate>,
}

impl Trial<'_> {
    /// The options that would make the build fit, each by itself, in words; with what else would.
    pub fn remedies(&self) -> Vec<String> {
        let verdict = Verdict::of(self.estimate, &self.room);
        let mut remedies = Vec::new();
        if verdict.lacks("memory") {
            remedies.extend(self.fewer_cores());
            remedies.push(self.more_memory());
        }
        if verdict.lacks("disk") {
            remedies.extend(self.fewer_slices());
            remedies.extend(self.later_slice());
            remedies.push(format!("a disk with {} free", bytes(self.estimate.disk_bytes)));
        }
        if verdict.lacks("temporary disk") {
            remedies.push("--scratch on another disk, or more --memory".to_owned());
        }
        if verdict.lacks("temporary data") {
            let needed = option(self.estimate.scratch_bytes);
            remedies.push(format!("--scratch-limit {needed}, or more --memory"));
        }
        remedies
    }

    /// The memory with which the build fits, as an option where the machine has that much.
    fn more_memory(&self) -> String {
        let needed = self.estimate.memory_bytes / 7 * 8;
        match self.room.free {
            Some(free) if free < self.estimate.memory_bytes => {
                format!("a machine with {} of memory: this one has {} free", bytes(needed), bytes(free))
            }
            _ => format!("--memory {}", option(needed)),
        }
    }

    fn fits(&self, order: &Order, cores: usize) -> Option<Estimate> {
        let estimate = (self.again)(order, cores)?;
        Verdict::of(&estimate, &self.room).fits().then_some(estimate)
    }

    /// A number of cores with which the memory suffices: what each takes is what is needed most of.
    fn fewer_cores(&self) -> Option<String> {
        let (cores, name) = self.cores;
        let share = self.room.memory as f64 / self.estimate.memory_bytes.max(1) as f64;
        let fewer = ((cores as f64 * share * 7.0 / 8.0) as usize).max(1);
        self.fits(self.order, fewer)?;
        (fewer < cores).then(|| format!("{name} {fewer}"))
    }

    /// Slices that are passed through take least. Of the others half are kept, or if that is too many,
    /// the last one.
    fn fewer_slices(&self) -> Option<String> {
        let slices = &self.estimate.slices;
        let (first, last) = (slices.last()?.marbles, slices.first()?.marbles);
        [first + (last - first) / 2, first].into_iter().find_map(|to| {
            let order = Order { keep_slices: Some(first..=to), ..self.order.clone() };
            let estimate = self.fits(&order, self.cores.0)?;
            let (disk, time) = (bytes(estimate.disk_bytes), duration(estimate.seconds));
            Some(format!("--keep-slices {first}..{to} ({disk}, {time})"))
        })
    }

    /// The last slice that fits, of several that are asked for.
    fn later_slice(&self) -> Option<String> {
        let disk = self.room.disk?;
        let fits = |slice: &&pentago_games::SlicePlan| {
            slice.disk_bytes <= disk.saturating_add(self.estimate.there_bytes)
        };
        let last = self.estimate.slices.iter().take_while(fits).last()?;
        let all = match self.order.what {
            Wanted::Game => "the whole game".to_owned(),
            Wanted::Slice(marbles) => format!("slice:{marbles}"),
            _ => return None,
        };
        Some(format!("slice:{} instead of {all}", last.marbles))
    }
}

/// A size as an option takes it, rounded up: `12.4G`.
fn option(bytes: u64) -> String {
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

    /// Room without a limit of its own for temporary data.
    fn room(memory: u64, disk: Option<u64>) -> Room {
        Room { memory, disk, scratch: None, limit: None, free: None }
    }

    #[test]
    fn what_is_lacking_is_said_with_the_time() {
        let estimate = Estimate {
            memory_bytes: 2_000_000_000,
            disk_bytes: 5_000_000_000,
            there_bytes: 1_000_000_000,
            seconds: 7200.0,
            cores: 2,
            ..Estimate::default()
        };
        let verdict = |memory, disk| Verdict::of(&estimate, &room(memory, disk));
        let fits = verdict(2_000_000_000, Some(4_000_000_000));
        assert!(fits.fits());
        assert_eq!(
            fits.to_string(),
            "can finish: it takes 2.0 GB of memory (2.0 GB there) and 5.0 GB of disk (5.0 GB there); 2.0 h on 2 cores"
        );
        let full = verdict(2_000_000_000, Some(3_999_999_999));
        assert!(!full.fits() && full.lacks("disk") && !full.lacks("memory"));
        let text = full.to_string();
        assert!(text.starts_with("cannot finish: it takes 5.0 GB of disk (5.0 GB there); "), "{text}");
        assert!(verdict(1, None).lacks("memory") && verdict(2_000_000_000, None).fits());
    }

    #[test]
    fn more_memory_than_there_is_is_no_option() {
        let estimate = Estimate { memory_bytes: 70_000_000_000, ..Estimate::default() };
        let order = Order::default();
        let memory = |free| {
            let room = Room { free, ..room(1_000_000_000, None) };
            let again = |_: &Order, _| None;
            Trial { order: &order, estimate: &estimate, cores: (1, "--threads"), room, again: &again }
                .remedies()
        };
        assert_eq!(memory(None), ["--memory 80.0G"]);
        assert_eq!(memory(Some(100_000_000_000)), ["--memory 80.0G"]);
        let machine = "a machine with 80.0 GB of memory: this one has 8.0 GB free";
        assert_eq!(memory(Some(8_000_000_000)), [machine]);
    }

    #[test]
    fn sizes_are_rounded_up() {
        assert_eq!([999, 1_000_001, 12_345_000_000].map(option), ["1.0k", "1.1M", "12.4G"]);
    }
}
