//! [`Build`]: builds the tables of a game, or of the positions below a root.

use super::{DEFAULT_MEMORY, Threads};
use crate::error::{Error, ErrorKind};
use crate::estimate::BuildEstimate;
use crate::make::{Built, GameBuild, Resources, RootBuild};
use crate::rates::Rates;
use pentago_base::Control;
use pentago_core::kernel::Kernel;
use pentago_core::rules::{Position, Rules};
use pentago_tables::codec::Codec;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A build of the tables of a whole game, or of all positions below a root.
///
/// If a build is stopped or killed, or runs out of disk space, the same build resumes when it runs
/// again. The tables are the same, byte for byte, for every memory limit, number of threads and
/// CPU.
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
pub struct Build {
    rules: Rules,
    /// The root, or `None` for a whole game.
    root: Option<Position>,
    keep: Option<u8>,
    memory: u64,
    threads: Option<NonZeroUsize>,
    kernel: Option<Kernel>,
    scratch: Option<PathBuf>,
    scratch_limit: u64,
    codec: Codec,
    control: Arc<Control>,
    rates: Option<Rates>,
}

impl Build {
    /// Builds the tables of all positions below a root, in all rotations and symmetries. Positions
    /// close to the end of the game are quick to solve, so their tables are not kept: see
    /// [`Build::keep`].
    pub fn root(rules: Rules, position: Position) -> Build {
        Build { root: Some(position), ..Build::game(rules) }
    }

    /// Builds the tables of all positions of a game, from the full board down to the empty board. A
    /// build of Mini-Pentago takes a second. For Pentago, only slices with many marbles are
    /// feasible: see [`Build::keep`].
    pub fn game(rules: Rules) -> Build {
        Build {
            rules,
            root: None,
            keep: None,
            memory: DEFAULT_MEMORY,
            threads: None,
            kernel: None,
            scratch: None,
            scratch_limit: u64::MAX,
            codec: Codec::QUICK,
            control: Arc::default(),
            rates: None,
        }
    }

    /// Below a root, sets the largest number of marbles of a kept slice. For a game, sets the
    /// smallest number of marbles of a slice that is built.
    pub fn keep(mut self, marbles: u8) -> Build {
        self.keep = Some(marbles);
        self
    }

    /// Sets the memory limit in bytes. The default is 4 GB.
    pub fn memory(mut self, bytes: u64) -> Build {
        self.memory = bytes;
        self
    }

    /// Sets the number of threads. The default is one thread for each CPU that this process may
    /// use.
    pub fn threads(mut self, threads: NonZeroUsize) -> Build {
        self.threads = Some(threads);
        self
    }

    /// Sets the kernel. The default is the fastest kernel that this CPU supports.
    pub fn kernel(mut self, kernel: Kernel) -> Build {
        self.kernel = Some(kernel);
        self
    }

    /// Sets the folder for temporary files, and the size limit of these files in bytes. By default,
    /// the folder is the folder of the tables, and there is no limit.
    pub fn scratch(mut self, folder: impl Into<PathBuf>, limit: u64) -> Build {
        self.scratch = Some(folder.into());
        self.scratch_limit = limit;
        self
    }

    /// Sets the codec that compresses the tables. The default is [`Codec::QUICK`].
    pub fn codec(mut self, codec: Codec) -> Build {
        self.codec = codec;
        self
    }

    /// Sets the control, which cancels the build from another thread and reports the progress.
    pub fn control(mut self, control: Arc<Control>) -> Build {
        self.control = control;
        self
    }

    /// Sets the rates of the estimate, such as the result of [`Rates::measure`]. By default, the
    /// estimate uses the built-in rates, which were measured on one machine.
    pub fn rates(mut self, rates: Rates) -> Build {
        self.rates = Some(rates);
        self
    }

    /// Builds the tables that `folder` lacks. If the build fails, finished tables are kept.
    ///
    /// # Errors
    /// [`Input`](crate::ErrorKind::Input) if there are no such tables,
    /// [`Environment`](crate::ErrorKind::Environment) if memory or disk don't suffice or another
    /// process builds in the folder, [`Cancelled`](crate::ErrorKind::Cancelled) if the build was
    /// cancelled.
    pub fn run(self, folder: impl AsRef<Path>) -> Result<Built, Error> {
        let folder = folder.as_ref();
        let threads = Threads::new(self.threads)?;
        let resources = self.resources(&threads, folder);
        match &self.root {
            Some(root) => {
                let build = self.of_root(root)?;
                threads.run(|| build.run(folder, &resources, &self.control))
            }
            None => {
                let build = self.of_game()?;
                threads.run(|| build.run(folder, &resources, &self.control))
            }
        }
    }

    /// Estimates the cost of the build: exact counts multiplied by [rates](Build::rates).
    ///
    /// # Errors
    /// [`Input`](crate::ErrorKind::Input) if there are no such tables, or
    /// [`Environment`](crate::ErrorKind::Environment) if there is no memory for a sample of them.
    pub fn estimate(&self) -> Result<BuildEstimate, Error> {
        let threads = Threads::new(self.threads)?;
        let resources = self.resources(&threads, Path::new(""));
        let rates = self.rates.as_ref().unwrap_or_else(|| Rates::built_in());
        Ok(match &self.root {
            Some(root) => self.of_root(root)?.estimate(&resources, rates)?,
            None => {
                let build = self.of_game()?;
                build.estimate(&build.slices(), &resources, rates)
            }
        })
    }

    fn of_root(&self, root: &Position) -> Result<RootBuild, Error> {
        Ok(RootBuild::new(self.rules, root, self.keep.map(u32::from))?.codec(self.codec))
    }

    fn of_game(&self) -> Result<GameBuild, Error> {
        let (down_to, most) = (self.keep.unwrap_or(0), self.rules.shape.sockets());
        if usize::from(down_to) > most {
            let text = format!("slices have 0 to {most} marbles, not {down_to}");
            return Err(Error::new(ErrorKind::Input, text));
        }
        Ok(GameBuild::new(self.rules, down_to).codec(self.codec))
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
