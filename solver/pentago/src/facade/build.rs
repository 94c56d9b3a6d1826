//! [`Build`]: tables from a request.

use super::{DEFAULT_MEMORY, Threads};
use crate::error::{Error, ErrorKind};
use crate::estimate::SliceEstimate;
use crate::make::{Built, GameBuild, Resources, RootBuild};
use crate::rates::Rates;
use pentago_base::Control;
use pentago_core::kernel::Kernel;
use pentago_core::rules::{Position, Rules};
use pentago_tables::codec::Codec;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A request for tables: everything below a position, or a whole game.
///
/// A build that was stopped, killed or ran out of disk is continued when it is run again with the
/// same request. The tables are the same, byte for byte, whatever the memory, the threads and the
/// processor.
///
/// ```
/// use pentago::{Build, Position, Rules, Tablebase};
///
/// let folder = tempfile::tempdir()?;
/// let root: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;
/// Build::root(Rules::default(), root).keep(28).memory(200_000_000).run(folder.path())?;
/// let value = Tablebase::open(folder.path())?.probe(&root)?;
/// assert!(value.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Build<T> {
    what: T,
    memory: u64,
    threads: Option<NonZeroUsize>,
    kernel: Option<Kernel>,
    scratch: Option<PathBuf>,
    scratch_limit: u64,
    codec: Codec,
    control: Arc<Control>,
    rates: Option<Rates>,
}

/// What a [`Build`] makes: [`BelowRoot`] or [`WholeGame`].
pub trait Buildable {
    #[doc(hidden)]
    fn job(&self, codec: Codec) -> Result<Job, Error>;
}

/// The tables of everything below a position.
#[derive(Clone, Copy, Debug)]
pub struct BelowRoot {
    rules: Rules,
    root: Position,
    keep: Option<u32>,
}

/// The tables of a whole game.
#[derive(Clone, Copy, Debug)]
pub struct WholeGame {
    rules: Rules,
    down_to: u8,
}

impl Buildable for BelowRoot {
    fn job(&self, codec: Codec) -> Result<Job, Error> {
        Ok(Job::Root(RootBuild::new(self.rules, &self.root, self.keep)?.codec(codec)))
    }
}

impl Buildable for WholeGame {
    fn job(&self, codec: Codec) -> Result<Job, Error> {
        let (down_to, most) = (self.down_to, self.rules.shape.sockets());
        if usize::from(down_to) > most {
            let text = format!("slices have 0 to {most} marbles, not {down_to}");
            return Err(Error::new(ErrorKind::Input, text));
        }
        Ok(Job::Game(GameBuild::new(self.rules, down_to).codec(codec)))
    }
}

impl Build<BelowRoot> {
    /// The tables of everything below a position, whichever way its quadrants are turned and the
    /// board is looked at. Positions near the end of the game are quick to solve and are not kept,
    /// unless [`Build::keep`] says so.
    pub fn root(rules: Rules, position: Position) -> Build<BelowRoot> {
        Build::new(BelowRoot { rules, root: position, keep: None })
    }

    /// Keeps the slices with up to this number of marbles.
    pub fn keep(mut self, marbles: u8) -> Build<BelowRoot> {
        self.what.keep = Some(marbles.into());
        self
    }
}

impl Build<WholeGame> {
    /// The tables of all positions of a game, from the full board down to the empty one. For
    /// Mini-Pentago that takes a second; of Pentago only the slices with the most marbles are
    /// within reach ([`Build::down_to`]).
    pub fn game(rules: Rules) -> Build<WholeGame> {
        Build::new(WholeGame { rules, down_to: 0 })
    }

    /// Ends with the slice with this number of marbles.
    pub fn down_to(mut self, marbles: u8) -> Build<WholeGame> {
        self.what.down_to = marbles;
        self
    }
}

impl<T: Buildable> Build<T> {
    fn new(what: T) -> Build<T> {
        Build {
            what,
            memory: DEFAULT_MEMORY,
            threads: None,
            kernel: None,
            scratch: None,
            scratch_limit: u64::MAX,
            codec: Codec::default(),
            control: Arc::default(),
            rates: None,
        }
    }

    /// Bytes of memory that the build may take; otherwise 4 GB.
    pub fn memory(mut self, bytes: u64) -> Build<T> {
        self.memory = bytes;
        self
    }

    /// Threads; otherwise one for each processor that this process may use.
    pub fn threads(mut self, threads: NonZeroUsize) -> Build<T> {
        self.threads = Some(threads);
        self
    }

    /// The kernel; otherwise the fastest that this processor runs.
    pub fn kernel(mut self, kernel: Kernel) -> Build<T> {
        self.kernel = Some(kernel);
        self
    }

    /// The folder for what doesn't fit in memory, and the most bytes that may lie there; otherwise
    /// that of the tables, without a limit.
    pub fn scratch(mut self, folder: impl Into<PathBuf>, limit: u64) -> Build<T> {
        self.scratch = Some(folder.into());
        self.scratch_limit = limit;
        self
    }

    /// How the tables are compressed; otherwise [`Codec::QUICK`].
    pub fn codec(mut self, codec: Codec) -> Build<T> {
        self.codec = codec;
        self
    }

    /// What stops the build from another thread, and tells how far it is.
    pub fn control(mut self, control: Arc<Control>) -> Build<T> {
        self.control = control;
        self
    }

    /// The rates of the estimate, such as those of [`Rates::measure`]; otherwise those of a named machine.
    pub fn rates(mut self, rates: Rates) -> Build<T> {
        self.rates = Some(rates);
        self
    }

    /// Builds the tables under a folder, or those that are missing.
    ///
    /// # Errors
    /// [`Input`](crate::ErrorKind::Input) if there are no such tables,
    /// [`Environment`](crate::ErrorKind::Environment) if memory or disk don't suffice, or another
    /// process builds there, [`Cancelled`](crate::ErrorKind::Cancelled) if it was stopped. What was
    /// finished is kept.
    pub fn run(self, folder: impl AsRef<Path>) -> Result<Built, Error> {
        let folder = folder.as_ref();
        let threads = Threads::new(self.threads)?;
        let resources = self.resources(&threads, folder);
        let control = &*self.control;
        match self.what.job(self.codec)? {
            Job::Root(build) => Ok(threads.run(|| build.run(folder, &resources, control))?),
            Job::Game(build) => Ok(threads.run(|| build.run(folder, &resources, control))?),
        }
    }

    /// Estimates what building all these tables takes: exact counts times [rates](Build::rates).
    ///
    /// # Errors
    /// [`Input`](crate::ErrorKind::Input) if there are no such tables.
    pub fn estimate(&self) -> Result<BuildEstimate, Error> {
        let threads = Threads::new(self.threads)?;
        let resources = self.resources(&threads, Path::new(""));
        let rates = match &self.rates {
            Some(rates) => rates,
            None => Rates::built_in(),
        };
        Ok(match self.what.job(self.codec)? {
            Job::Root(build) => {
                let root = build.estimate(&resources, rates);
                BuildEstimate {
                    boards: root.needs.boards,
                    memory_bytes: root.needs.memory,
                    scratch_bytes: root.scratch_bytes,
                    kept_bytes: root.kept_bytes,
                    seconds: root.cost.seconds(resources.threads.get(), None),
                    slices: Vec::new(),
                }
            }
            Job::Game(build) => {
                let game = build.estimate(&build.slices(), &resources, rates);
                BuildEstimate {
                    boards: game.slices.iter().map(|slice| slice.entries).sum(),
                    memory_bytes: game.memory_bytes(),
                    scratch_bytes: 0,
                    kept_bytes: game.kept_bytes(),
                    seconds: game.seconds(resources.threads.get(), None),
                    slices: game.slices,
                }
            }
        })
    }

    fn resources(&self, threads: &Threads, folder: &Path) -> Resources {
        Resources {
            kernel: self.kernel.unwrap_or_else(Kernel::best),
            threads: threads.count,
            memory: self.memory,
            scratch: self.scratch.clone().unwrap_or_else(|| folder.to_owned()),
            scratch_limit: self.scratch_limit,
        }
    }
}

/// A request that makes sense.
#[doc(hidden)]
pub enum Job {
    Root(RootBuild),
    Game(GameBuild),
}

/// What a [`Build`] takes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuildEstimate {
    /// Boards to compute, each standing for 256 rotations.
    pub boards: u64,
    /// Memory in bytes; of a game the least that will do.
    pub memory_bytes: u64,
    /// Temporary files in bytes, at most.
    pub scratch_bytes: u64,
    /// The tables in bytes.
    pub kept_bytes: u64,
    /// Seconds.
    pub seconds: f64,
    /// Of a game, its slices in the order of building; none below a root.
    pub slices: Vec<SliceEstimate>,
}
