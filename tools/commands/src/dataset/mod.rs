//! Data sets: boards with their values, and those of their moves, as files that programs for
//! training read. Any number of boards is written in bounded memory, and a file appears under its
//! name when it is complete.

mod npz;
mod parquet;

use std::path::{Path, PathBuf};

use anyhow::Context;
use pentago::TURNS;
use pentago::Wdl;
use pentago::rules::{Position, Rules};
use tempfile::NamedTempFile;

use crate::exit::bad_input;
use crate::output::{check_file, unnamed};

/// The kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Apache Parquet.
    Parquet,
    /// An archive of numpy arrays.
    Npz,
}

/// What all kinds of files are made of.
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// Sockets along the side of the board.
    side: usize,
    /// Whether there are values of moves.
    moves: bool,
}

impl Layout {
    fn sockets(self) -> usize {
        self.side * self.side
    }

    /// Numbers for the moves of a board.
    fn move_numbers(self) -> usize {
        TURNS * self.sockets()
    }
}

/// A file of one kind.
enum Inner {
    Parquet(parquet::ParquetFile),
    Npz(npz::NpzFile),
}

/// A data set that is being written.
pub struct Writer {
    path: PathBuf,
    file: NamedTempFile,
    inner: Inner,
}

impl Writer {
    /// Begins a file with boards by these rules; `moves`: and the values of their moves.
    ///
    /// # Errors
    /// If there can't be such a file.
    pub fn new(kind: Kind, path: &Path, rules: &Rules, moves: bool) -> anyhow::Result<Writer> {
        check_file(path)?;
        // A device, a pipe or a link would be replaced by the file.
        if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            let path = path.display();
            return Err(bad_input(format!("{path} is there, and is no file: name another by --out")).into());
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        let begin = || format!("writing {}", path.display());
        let file = begun(parent).map_err(unnamed).with_context(begin)?;
        let layout = Layout { side: rules.shape.size(), moves };
        let inner = match kind {
            Kind::Parquet => {
                Inner::Parquet(parquet::ParquetFile::new(file.reopen()?, *rules, layout).with_context(begin)?)
            }
            Kind::Npz => Inner::Npz(npz::NpzFile::new(parent, layout).with_context(begin)?),
        };
        Ok(Writer { path: path.to_owned(), file, inner })
    }

    /// Writes some boards with their values; `moves` if they were announced.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write(&mut self, boards: &[(Position, Wdl)], moves: Option<&[i8]>) -> anyhow::Result<()> {
        match &mut self.inner {
            Inner::Parquet(file) => file.write(boards, moves),
            Inner::Npz(file) => file.write(boards, moves),
        }
        .with_context(|| format!("writing {}", self.path.display()))
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// If that can't be done; there is no file then.
    pub fn finish(self) -> anyhow::Result<()> {
        let end = || format!("writing {}", self.path.display());
        match self.inner {
            Inner::Parquet(file) => file.finish().with_context(end)?,
            Inner::Npz(file) => file.finish(self.file.as_file()).with_context(end)?,
        }
        self.file.as_file().sync_all().with_context(end)?;
        self.file.persist(&self.path).map_err(|error| error.error).with_context(end)?;
        Ok(())
    }
}

/// A file beside the data set, with the permissions of any new file.
fn begun(folder: &Path) -> std::io::Result<NamedTempFile> {
    let builder = &mut tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
