//! [`Tablebase`]: the values of a folder of tables.

use crate::answer::{Answer, Missing};
use crate::error::{Error, ErrorKind};
use crate::probe::{Ask, Lookup, ProbeError, Tables};
use crate::rules::{Position, Rules};
use crate::tables::Access;
use crate::values::Wdl;
use std::path::Path;

/// Decoded blocks that are kept: 64 MB, a few positions with all their moves.
const CACHE_BYTES: usize = 64 << 20;

/// All tables of a folder. Any number of threads may probe it at once.
///
/// ```
/// use pentago::{Build, Rules, Tablebase, Wdl};
///
/// let folder = tempfile::tempdir()?;
/// let mini = Rules::mini();
/// Build::game(mini).memory(100_000_000).run(folder.path())?;
/// let tablebase = Tablebase::open(folder.path())?.with_rules(mini);
/// assert_eq!(tablebase.probe(&mini.start())?, Some(Wdl::Win));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tablebase {
    tables: Tables,
    rules: Rules,
}

impl Tablebase {
    /// Opens all tables of a folder and of the folders in it, for the rules of [`Rules::default`].
    /// Files are mapped, not read: this is quick however large they are.
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) if there is no such folder, or no usable table in it,
    /// [`Environment`](ErrorKind::Environment) if it can't be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Tablebase, Error> {
        let folder = folder.as_ref();
        let tables = Tables::open(folder, Access::default(), CACHE_BYTES)?;
        if tables.families().is_empty() {
            let text = match tables.damaged().first() {
                Some(error) => format!("no usable table in {}: {error}", folder.display()),
                None => format!("no tables in {}", folder.display()),
            };
            return Err(Error::new(ErrorKind::Missing, text));
        }
        Ok(Tablebase { tables, rules: Rules::default() })
    }

    /// The published values of the first plies, which are part of the program: all positions with 0
    /// to 6 marbles under the rules of [`Rules::default`].
    ///
    /// ```
    /// use pentago::{Rules, Tablebase, Wdl};
    ///
    /// let openings = Tablebase::openings()?;
    /// assert_eq!(openings.probe(&Rules::default().start())?, Some(Wdl::Win));
    /// # Ok::<(), pentago::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) if the program is damaged.
    #[cfg(feature = "openings")]
    pub fn openings() -> Result<Tablebase, Error> {
        Ok(Tablebase { tables: Tables::none().with_openings()?, rules: Rules::default() })
    }

    /// The same tables and, where they hold nothing, the published values of the first plies.
    ///
    /// # Errors
    /// As for [`Tablebase::openings`].
    #[cfg(feature = "openings")]
    pub fn with_openings(self) -> Result<Tablebase, Error> {
        Ok(Tablebase { tables: self.tables.with_openings()?, ..self })
    }

    /// The same tables for other rules.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Tablebase {
        Tablebase { rules, ..self }
    }

    /// The value of a position for the side to move; none if no table holds it.
    ///
    /// # Errors
    /// [`Missing`](ErrorKind::Missing) if a table is damaged,
    /// [`Environment`](ErrorKind::Environment) if it can't be read.
    pub fn probe(&self, position: &Position) -> Result<Option<Wdl>, Error> {
        Ok(match self.tables.look_up(&self.rules, position)? {
            Lookup::Value(wdl) => Some(wdl),
            Lookup::Missing(_) => None,
        })
    }

    /// Why no table holds a position; none if one does.
    ///
    /// # Errors
    /// As for [`Tablebase::probe`].
    pub fn missing(&self, position: &Position) -> Result<Option<Missing>, Error> {
        Ok(match self.tables.look_up(&self.rules, position)? {
            Lookup::Value(_) => None,
            Lookup::Missing(missing) => Some(missing),
        })
    }

    /// What the tables say of a position and of every move; what they don't hold is
    /// [`Value::Unknown`](crate::Value::Unknown), with the reason. [`SolverBuilder::tablebase`]
    /// asks the solver for the rest.
    ///
    /// # Errors
    /// As for [`Tablebase::probe`]; [`Contradiction`](ErrorKind::Contradiction) if a position's
    /// value is not that of its moves.
    ///
    /// [`SolverBuilder::tablebase`]: crate::SolverBuilder::tablebase
    pub fn moves(&self, position: &Position) -> Result<Answer, Error> {
        let nothing = || Err(Error::new(ErrorKind::Missing, "the solver was not to be asked"));
        self.complete(&self.rules, position, Ask::default(), nothing)
    }

    /// What the tables say, completed by `solve`.
    pub(super) fn complete<E: Into<Error>>(
        &self,
        rules: &Rules,
        position: &Position,
        ask: Ask,
        solve: impl FnOnce() -> Result<Answer, E>,
    ) -> Result<Answer, Error> {
        self.tables.answer(rules, position, ask, solve).map_err(|error| match error {
            ProbeError::Table(error) => error.into(),
            ProbeError::Contradiction(error) => error.into(),
            ProbeError::Solve(error) => error.into(),
        })
    }
}
