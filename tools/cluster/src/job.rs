//! The slices of a build, one after the other: each rank builds its share, the counts are compared,
//! and the shards are the table that the next slice is built from.

use crate::args;
use crate::remote::Desk;
use crate::report::{Reporter, SliceReport};
use crate::shelf::{self, Reach, Shelved, halves};
use crate::status;
use crate::team::{Spent, Team};
use anyhow::Context;
use pentago::rules::{Dir, Rules, Shape};
use pentago::shards::{
    BuildError, BySection, Difference, GameBuild, Resources, Results, Sections, Table, known_results,
    read_counts,
};
use pentago::{Control, Error, ErrorKind, Kernel, Section, WdlCounts};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Builds what the command line asks for.
///
/// # Errors
/// Before the ranks work together. Later errors end the job on all machines.
pub fn run(args: &args::Build) -> anyhow::Result<()> {
    let build = args.work.build()?;
    let published = published(args, &build)?;
    let desk = Arc::new(Desk::default());
    let team = Team::start(desk.clone())?;
    match (Job::new(args, &build, &published, &team, desk)).and_then(|job| job.run()) {
        Ok(()) => Ok(()),
        Err(error) => team.fail(format_args!("{error:#}"), status(&error)),
    }
}

/// The counts of `--against`.
fn published(args: &args::Build, build: &GameBuild) -> anyhow::Result<BySection> {
    let mut published = BySection::new();
    for path in &args.against {
        read_counts(path, Sections::of(Shape::Pentago, Dir::Both), &mut published)?;
    }
    if !args.against.is_empty() && build.target().rules != Rules::default() {
        let text = "--against has counts of the rules pentago: none are known for others";
        return Err(Error::new(ErrorKind::Input, text).into());
    }
    Ok(published)
}

/// One rank's part in a build.
struct Job<'a> {
    build: &'a GameBuild,
    published: &'a BySection,
    team: &'a Team,
    reach: Reach,
    out: PathBuf,
    /// Folder of tables to start from.
    from: Option<PathBuf>,
    counts_only: bool,
    resources: Resources,
    pool: ThreadPool,
    control: Control,
    reporter: Reporter,
}

impl<'a> Job<'a> {
    fn new(
        args: &args::Build,
        build: &'a GameBuild,
        published: &'a BySection,
        team: &'a Team,
        desk: Arc<Desk>,
    ) -> anyhow::Result<Job<'a>> {
        let neighbours = team.on_this_machine();
        let cpus = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = args.threads.or(NonZeroUsize::new(cpus / with_these_processors(team)));
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        if threads.get() > cpus {
            let what = format_args!(
                "{threads} threads share {cpus} of the processors here: the launcher binds ranks to cores \
                 unless it is told otherwise (mpirun --bind-to none, srun --cpu-bind=none)"
            );
            team.say("warning", what);
        }
        let own = |folder: &PathBuf| match args.local {
            true => PathBuf::from(folder.to_string_lossy().replace("%r", &team.rank().to_string())),
            false => folder.clone(),
        };
        let (out, from) = (own(&args.out), args.from.as_ref().map(own));
        let resources = Resources {
            kernel: args.kernel.unwrap_or_else(Kernel::best),
            threads,
            memory: args.memory.unwrap_or_else(|| pentago_memory::usable() / u64::from(neighbours)),
            scratch: out.clone(),
            scratch_limit: u64::MAX,
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build().context("starting threads")?;
        let reach = Reach { desk, rank: team.rank(), local: args.local };
        let reporter = Reporter::new(args.json, team.rank() == 0);
        let control = Control::new();
        let counts_only = args.counts_only;
        Ok(Job { build, published, team, reach, out, from, counts_only, resources, pool, control, reporter })
    }

    /// Whether this rank looks after a folder: its own, or that of all.
    fn keeps_the_folder(&self) -> bool {
        self.reach.local || self.team.rank() == 0
    }

    /// Whether this rank takes the lock on its folder: the first of those that have the same. A rank
    /// that was cut off from the others may still be at work there when they begin again.
    fn locks_the_folder(&self) -> bool {
        if !self.reach.local {
            return self.team.rank() == 0;
        }
        let place = format!("{}\0{}", self.team.host(), self.out.display());
        let places = self.team.gather_bytes(place.as_bytes());
        places.iter().position(|other| *other == place.as_bytes()) == Some(self.team.rank() as usize)
    }

    /// Work that all ranks do together.
    fn during<T: Send>(
        &self,
        goal: u64,
        work: impl FnOnce() -> anyhow::Result<T> + Send,
    ) -> anyhow::Result<(T, Spent)> {
        let began = self.control.done();
        let see = |done: u64| self.reporter.progress(done, goal);
        self.team.during(|| self.control.done() - began, see, work)
    }

    fn run(&self) -> anyhow::Result<()> {
        let _lock = self.locks_the_folder().then(|| self.build.lock(&self.out)).transpose()?;
        // MPI stays in this thread: what others do knows nothing of the team.
        let Job { build, out, reach, .. } = self;
        let own = self.keeps_the_folder();
        let tables = out.join(build.target().folder_name());
        let folders = [Some(&tables), self.from.as_ref()];
        let (shelf, _) = self.during(0, || {
            let folders = folders.into_iter().flatten().filter(|_| own);
            let found: Vec<_> =
                folders.map(|folder| shelf::look(build, folder, reach.rank)).collect::<Result<_, _>>()?;
            Ok(found.concat())
        })?;
        let shelf: Vec<Shelved> = self.all_of(&shelf)?;
        let (mut slices, mut files) = shelf::start(self.build, &shelf)?;
        let counted = self.counts_only && self.is_counted()?;
        if counted {
            slices.clear();
        } else if let Some(from) = self.from.as_ref().filter(|_| files.is_empty()) {
            let (folder, target, down_to) = (from.clone(), build.target(), self.last());
            return Err(BuildError::NothingThere { folder, target, down_to }.into());
        }
        self.reporter.begin(self.build, &slices, self.team.size(), &self.resources);
        let mut next = self.open(&files)?;
        for &slice in &slices {
            let counted = self.counts_only && slice == self.last();
            let (own, report) = self.slice(slice, next.as_ref(), counted)?;
            if counted {
                self.reporter.counted(&report, &build.target().counts_path(out, slice));
                continue;
            }
            files = self.all_of(&own)?;
            files.sort_by_key(|file| file.number);
            // All have read the slice before: it may go.
            drop(next);
            next = self.open(&files)?;
            if self.keeps_the_folder() {
                self.build.remove_shards(&self.out, slice, Some(self.team.size()))?;
                if !self.build.stays(slice + 1) {
                    self.build.remove_shards(&self.out, slice + 1, None)?;
                }
            }
            self.reporter.slice(&report, &files);
        }
        if slices.is_empty() {
            self.reporter.nothing_to_do(&files);
        }
        self.reporter.end();
        Ok(())
    }

    /// The number of marbles of the last slice.
    fn last(&self) -> u8 {
        self.build.slices().last().copied().unwrap_or(0)
    }

    /// Whether rank 0 has the counts of the last slice.
    fn is_counted(&self) -> anyhow::Result<bool> {
        let here = self.team.rank() == 0 && self.build.counted(&self.out, self.last())?;
        Ok(self.team.sum(&[here.into()])[0] > 0)
    }

    /// What each rank has, one after the other.
    fn all_of(&self, own: &[Shelved]) -> anyhow::Result<Vec<Shelved>> {
        let bytes = self.team.gather_bytes(&serde_json::to_vec(own)?);
        let parts = bytes.iter().map(|bytes| serde_json::from_slice::<Vec<Shelved>>(bytes));
        Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Opens the table that these files are, at all ranks.
    fn open(&self, files: &[Shelved]) -> anyhow::Result<Option<Table>> {
        let Job { build, reach, .. } = self;
        // Nobody asks for a file before its owner lends it.
        self.during(0, || reach.lend(files))?;
        Ok(self.during(0, || reach.open(build, files))?.0)
    }

    /// Builds this rank's share of a slice, or only counts it, and compares the counts of all.
    fn slice(
        &self,
        slice: u8,
        next: Option<&Table>,
        counted: bool,
    ) -> anyhow::Result<(Vec<Shelved>, SliceReport)> {
        let (team, began, before) = (self.team, Instant::now(), self.reach.desk.traffic());
        let shares = self.build.shares(slice, team.size());
        let goal = self.build.entries(&[slice]);
        let Job { build, out, resources, pool, control, .. } = self;
        let share = (team.rank(), &shares);
        let (shard, spent) = self.during(goal, || {
            let built = pool.install(|| match counted {
                true => build.count_shard(slice, share, next, resources, control),
                false => build.build_shard(out, slice, share, next, resources, control),
            });
            built.with_context(|| format!("building slice {slice}"))
        })?;
        let (sections, _) = self.build.sections(slice);
        let all = self.build.target().sections();
        let mut counts = vec![0; 3 * sections.len()];
        for (key, of_section) in &shard.counts {
            let at = sections.partition_point(|&section| all.key(section) < *key);
            let WdlCounts { wins, draws, losses } = *of_section;
            counts[3 * at..][..3].copy_from_slice(&[wins, draws, losses]);
        }
        let counts = team.sum(&counts);
        let counts = counts.chunks(3).map(|c| WdlCounts { wins: c[0], draws: c[1], losses: c[2] });
        let counts: Vec<WdlCounts> = counts.collect();
        let results: Vec<Results> = counts.iter().map(|&counts| Results::of(counts, slice)).collect();
        // All have the same counts, and one message is enough: the others wait for rank 0 below.
        if team.rank() == 0 {
            self.compare(slice, &sections, &results)?;
            if counted {
                build.write_counts(out, slice, &counts)?;
            }
        }

        let traffic = self.reach.desk.traffic();
        let entries = shard.report.as_ref().map_or(0, |report| report.entries);
        let numbers = [
            spent.busy.as_millis() as u64,
            spent.waiting.as_millis() as u64,
            shard.bytes,
            traffic[0] - before[0],
            traffic[1] - before[1],
            entries,
            shard.decoded,
        ];
        let report =
            SliceReport { slice, entries: goal, time: began.elapsed(), ranks: team.gather(&numbers) };
        let own = shard.path.map(|path| Shelved {
            slice,
            of: team.size(),
            number: team.rank(),
            path,
            bytes: shard.bytes,
            hash: halves(shard.hash),
            owner: team.rank(),
        });
        Ok((own.into_iter().collect(), report))
    }

    /// Compares counts with what is known: that each board is counted once, and the published
    /// numbers.
    fn compare(&self, slice: u8, sections: &[Section], results: &[Results]) -> anyhow::Result<()> {
        let rules = self.build.target().rules;
        let all = self.build.target().sections();
        let mut sum = Results::default();
        for (&section, &stored) in sections.iter().zip(results) {
            if stored.total() != Some(all.boards(section)) {
                let boards = all.boards(section);
                return Err(wrong(format!(
                    "section {section} has {boards} boards, but counted were {stored}"
                )));
            }
            if let Some(&expected) = self.published.get(&section).filter(|&&expected| expected != stored) {
                let section = Some(section);
                return Err(wrong(Difference { marbles: slice, section, stored, expected }.to_string()));
            }
            sum += stored.times(all.multiplicity(section));
        }
        let expected = known_results(&rules, slice).filter(|_| self.build.sections(slice).1);
        match expected.filter(|&expected| expected != sum) {
            None => Ok(()),
            Some(expected) => {
                let difference = Difference { marbles: slice, section: None, stored: sum, expected };
                Err(wrong(difference.to_string()))
            }
        }
    }
}

/// Ranks that may use the same processors of the same machine as this one, itself among them: all of
/// the machine, unless the launcher binds ranks to cores or sockets.
fn with_these_processors(team: &Team) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap_or_default();
    let place = format!("{}\0{allowed}", team.host());
    let places = team.gather_bytes(place.as_bytes());
    places.iter().filter(|other| *other == place.as_bytes()).count().max(1)
}

fn wrong(text: String) -> anyhow::Error {
    Error::new(ErrorKind::Contradiction, text).into()
}
