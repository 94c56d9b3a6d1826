//! Builds the slices of a game one after another. Each rank builds its share of a slice as a shard.
//! Rank 0 then compares the counts. All shards together are the table from which the next slice is
//! built.

use crate::args;
use crate::remote::FileExchange;
use crate::report::{Reporter, SliceReport};
use crate::shard_files::{self, ShardAccess, ShardFile, halves};
use crate::team::{Team, exit_status};
use anyhow::Context;
use pentago::rules::{Dir, Rules, Shape};
use pentago::shards::{
    BySection, Difference, GameBuild, Resources, Results, Sections, Shard, Table, known_results, read_counts,
};
use pentago::{Control, Error, ErrorKind, Kernel, Section, WdlCounts};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs `pentago-cluster build`.
///
/// # Errors
/// If the arguments are invalid, or MPI cannot start. Any later error aborts the job on all
/// machines.
pub fn run(args: &args::Build) -> anyhow::Result<()> {
    let build = args.target.build()?;
    let published = published(args, &build)?;
    let exchange = Arc::new(FileExchange::default());
    let team = Team::start(exchange.clone())?;
    match (RankBuild::new(args, &build, &published, &team, exchange)).and_then(|job| job.run()) {
        Ok(()) => Ok(()),
        Err(error) => team.fail(format_args!("{error:#}"), exit_status(&error)),
    }
}

/// Reads the published counts from the files of `--against`.
///
/// # Errors
/// If a file cannot be read, or the rules of the build have no published counts.
fn published(args: &args::Build, build: &GameBuild) -> anyhow::Result<BySection> {
    let mut published = BySection::new();
    for path in &args.against {
        read_counts(path, Sections::of(Shape::Pentago, Dir::Both), &mut published)?;
    }
    if !args.against.is_empty() && build.target().rules != Rules::default() {
        let text = "--against needs the rules pentago: no counts are published for other rules";
        return Err(Error::new(ErrorKind::Input, text).into());
    }
    Ok(published)
}

/// The data with which one rank runs its part of the build.
struct RankBuild<'a> {
    build: &'a GameBuild,
    published: &'a BySection,
    team: &'a Team,
    access: ShardAccess,
    out: PathBuf,
    /// The folder of the option `--from`, or `None` without this option.
    from: Option<PathBuf>,
    counts_only: bool,
    resources: Resources,
    pool: ThreadPool,
    control: Control,
    reporter: Reporter,
}

impl<'a> RankBuild<'a> {
    fn new(
        args: &args::Build,
        build: &'a GameBuild,
        published: &'a BySection,
        team: &'a Team,
        exchange: Arc<FileExchange>,
    ) -> anyhow::Result<RankBuild<'a>> {
        let neighbours = team.on_this_machine();
        let cpus = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = args.threads.or(NonZeroUsize::new(cpus / ranks_on_these_cores(team)));
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        if threads.get() > cpus {
            let what = format_args!(
                "{threads} threads share {cpus} cores, to which the launcher has bound this rank: \
                 use mpirun --bind-to none, or srun --cpu-bind=none"
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
        let access = ShardAccess { exchange, rank: team.rank(), local: args.local };
        let reporter = Reporter::new(args.json, team.rank() == 0);
        let control = Control::new();
        let counts_only = args.counts_only;
        Ok(RankBuild {
            build,
            published,
            team,
            access,
            out,
            from,
            counts_only,
            resources,
            pool,
            control,
            reporter,
        })
    }

    /// Returns `true` if this rank lists the files of a folder and removes old ones. Every rank
    /// does so for a folder of its own. Only rank 0 does so for a shared folder.
    fn manages_folder(&self) -> bool {
        self.access.local || self.team.rank() == 0
    }

    /// Returns `true` if this rank locks its folder. Among ranks that use the same folder, only the
    /// first one locks it. The lock excludes a disconnected rank of an earlier job, which may still
    /// write to the folder.
    fn locks_folder(&self) -> bool {
        if !self.access.local {
            return self.team.rank() == 0;
        }
        let folder = format!("{}\0{}", self.team.host(), self.out.display());
        let folders = self.team.gather_bytes(folder.as_bytes());
        folders.iter().position(|other| *other == folder.as_bytes()) == Some(self.team.rank() as usize)
    }

    /// Runs `work` at all ranks, and reports progress towards `goal` entries. Returns the result of
    /// `work`, and two durations: the time of the work, and the time of waiting for other ranks.
    fn during<T: Send>(
        &self,
        goal: u64,
        work: impl FnOnce() -> anyhow::Result<T> + Send,
    ) -> anyhow::Result<(T, [Duration; 2])> {
        let began = self.control.done();
        let report = |done: u64| self.reporter.progress(done, goal);
        self.team.during(|| self.control.done() - began, report, work)
    }

    fn run(&self) -> anyhow::Result<()> {
        let _lock = self.locks_folder().then(|| self.build.lock(&self.out)).transpose()?;
        // `Team` must stay in this thread, so closures for other threads must not borrow `self`.
        // They borrow these fields instead.
        let RankBuild { build, out, access, .. } = self;
        let manages = self.manages_folder();
        let tables = out.join(build.target().folder_name());
        let folders = [Some(&tables), self.from.as_ref()];
        let (own, _) = self.during(0, || {
            let folders = folders.into_iter().flatten().filter(|_| manages);
            let found: Vec<_> = folders
                .map(|folder| shard_files::find(build, folder, access.rank))
                .collect::<Result<_, _>>()?;
            Ok(found.concat())
        })?;
        let (mut slices, mut files) = shard_files::slices_to_build(build, &self.all_of(&own)?)?;
        let counted = self.counts_only && self.is_counted()?;
        if counted {
            slices.clear();
        } else if let Some(from) = self.from.as_ref().filter(|_| files.is_empty()) {
            return Err(build.nothing_in(from).into());
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
            // All ranks have finished reading the preceding slice, so close it.
            drop(next);
            next = self.open(&files)?;
            if manages {
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

    /// Returns the last slice of the build, as its number of marbles.
    fn last(&self) -> u8 {
        self.build.slices().last().copied().unwrap_or(0)
    }

    /// Returns `true` at all ranks if rank 0 has already stored the counts of the last slice.
    fn is_counted(&self) -> anyhow::Result<bool> {
        let here = self.team.rank() == 0 && self.build.counted(&self.out, self.last())?;
        Ok(self.team.sum(&[here.into()])[0] > 0)
    }

    /// Gathers the lists of files of all ranks. Returns the files in the order of the ranks.
    fn all_of(&self, own: &[ShardFile]) -> anyhow::Result<Vec<ShardFile>> {
        let bytes = self.team.gather_bytes(&serde_json::to_vec(own)?);
        let parts = bytes.iter().map(|bytes| serde_json::from_slice::<Vec<ShardFile>>(bytes));
        Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Opens the table that consists of these files, at all ranks. Returns `None` if there are no
    /// files.
    fn open(&self, files: &[ShardFile]) -> anyhow::Result<Option<Table>> {
        let RankBuild { build, access, .. } = self;
        // `during` ends with a barrier, so no rank reads a file before the file's owner lends it.
        self.during(0, || access.lend(files))?;
        Ok(self.during(0, || access.open(build, files))?.0)
    }

    /// Builds or only counts this rank's share of a slice, and compares the counts of all ranks.
    /// Returns the files of this rank, and the report of the slice.
    fn slice(
        &self,
        slice: u8,
        next: Option<&Table>,
        counted: bool,
    ) -> anyhow::Result<(Vec<ShardFile>, SliceReport)> {
        let (team, began, before) = (self.team, Instant::now(), self.access.exchange.traffic());
        let shares = self.build.shares(slice, team.size());
        let goal = self.build.entries(&[slice]);
        let RankBuild { build, out, resources, pool, control, .. } = self;
        let share = (team.rank(), &shares);
        let (shard, [busy, waiting]) = self.during(goal, || {
            let built = pool.install(|| match counted {
                true => build.count_shard(slice, share, next, resources, control),
                false => build.build_shard(out, slice, share, next, resources, control),
            });
            built.with_context(|| format!("building slice {slice}"))
        })?;
        let (sections, _) = self.build.sections(slice);
        let counts = self.total_counts(&sections, &shard);
        let results: Vec<Results> = counts.iter().map(|&counts| Results::of(counts, slice)).collect();
        // All ranks have the same sums of counts, so only rank 0 compares them. The other ranks
        // wait in `gather` meanwhile.
        if team.rank() == 0 {
            self.compare(slice, &sections, &results)?;
            if counted {
                build.write_counts(out, slice, &counts)?;
            }
        }

        let traffic = self.access.exchange.traffic();
        let entries = shard.report.as_ref().map_or(0, |report| report.entries);
        let numbers = [
            busy.as_millis() as u64,
            waiting.as_millis() as u64,
            shard.bytes,
            traffic[0] - before[0],
            traffic[1] - before[1],
            entries,
            shard.decoded,
        ];
        let report =
            SliceReport { slice, entries: goal, time: began.elapsed(), ranks: team.gather(&numbers) };
        let own = shard.path.map(|path| ShardFile {
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

    /// Returns the counts of wins, draws and losses of each section, summed over the shards of all
    /// ranks.
    fn total_counts(&self, sections: &[Section], shard: &Shard) -> Vec<WdlCounts> {
        let all = self.build.target().sections();
        let mut counts = vec![0; 3 * sections.len()];
        for (key, of_section) in &shard.counts {
            let at = sections.partition_point(|&section| all.key(section) < *key);
            let WdlCounts { wins, draws, losses } = *of_section;
            counts[3 * at..][..3].copy_from_slice(&[wins, draws, losses]);
        }
        let counts = self.team.sum(&counts);
        counts.chunks(3).map(|c| WdlCounts { wins: c[0], draws: c[1], losses: c[2] }).collect()
    }

    /// Checks that the counts of each section add up to its number of boards, and agree with the
    /// published counts.
    ///
    /// # Errors
    /// The first difference, as a contradiction.
    fn compare(&self, slice: u8, sections: &[Section], results: &[Results]) -> anyhow::Result<()> {
        let rules = self.build.target().rules;
        let all = self.build.target().sections();
        let mut sum = Results::default();
        for (&section, &stored) in sections.iter().zip(results) {
            if stored.total() != Some(all.boards(section)) {
                let boards = all.boards(section);
                return Err(contradiction(format!(
                    "section {section} has {boards} boards, but the counts are {stored}"
                )));
            }
            if let Some(&expected) = self.published.get(&section).filter(|&&expected| expected != stored) {
                let section = Some(section);
                return Err(contradiction(Difference { marbles: slice, section, stored, expected }));
            }
            sum += stored.times(all.multiplicity(section));
        }
        let expected = known_results(&rules, slice).filter(|_| self.build.sections(slice).1);
        match expected.filter(|&expected| expected != sum) {
            None => Ok(()),
            Some(expected) => {
                Err(contradiction(Difference { marbles: slice, section: None, stored: sum, expected }))
            }
        }
    }
}

/// Returns the number of ranks on this machine that may use the same cores as this rank, including
/// this rank. These are all ranks of the machine, unless the launcher binds ranks to cores or
/// sockets.
fn ranks_on_these_cores(team: &Team) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap_or_default();
    let cores = format!("{}\0{allowed}", team.host());
    let all = team.gather_bytes(cores.as_bytes());
    all.iter().filter(|other| *other == cores.as_bytes()).count().max(1)
}

fn contradiction(text: impl ToString) -> anyhow::Error {
    Error::new(ErrorKind::Contradiction, text.to_string()).into()
}
