//! The progress of a build of a root's tables. The progress is stored in a small file in the
//! scratch folder, which is replaced atomically after each task.

use pentago_tables::tables::{Reason, TableError, durable, storage};
use std::io;
use std::path::Path;

const NAME: &str = "state";

/// The settings of the build that owns a scratch folder, and its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildState {
    /// The number of sockets that the first pass fills.
    pub top: usize,
    /// The number of kept slices below the root.
    pub keep: usize,
    /// The number of finished tasks.
    pub done: usize,
}

/// The text with which the file begins. If a file begins differently, its scratch files come from
/// another version of the program or of the scratch codec, and can't be used.
const TITLE: &str = concat!("pentago ", env!("CARGO_PKG_VERSION"), " build, codec 2");

impl BuildState {
    /// Reads the state of the build in `folder`. Returns `None` if no build was started there.
    ///
    /// # Errors
    /// If the file can't be read, or comes from another version of the program.
    pub fn read(folder: &Path) -> Result<Option<BuildState>, TableError> {
        let path = folder.join(NAME);
        match storage::read_text(&path) {
            Ok(text) => match BuildState::parse(&text) {
                Some(state) => Ok(Some(state)),
                None => {
                    let what = "the state of a build can't be read, or is of another version";
                    Err(TableError::new(&path, Reason::Scratch(what)))
                }
            },
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TableError::io(&path, "read", error)),
        }
    }

    fn parse(text: &str) -> Option<BuildState> {
        let numbers = text.strip_prefix(TITLE)?.strip_suffix('\n')?;
        let mut words = numbers.split_whitespace();
        let mut number = |name: &str| {
            (words.next()? == name).then_some(())?;
            words.next()?.parse().ok()
        };
        let state = BuildState { top: number("top")?, keep: number("keep")?, done: number("done")? };
        words.next().is_none().then_some(state)
    }

    /// Writes the state to `folder` atomically and durably.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn write(&self, folder: &Path) -> Result<(), TableError> {
        let BuildState { top, keep, done } = self;
        let text = format!("{TITLE} top {top} keep {keep} done {done}\n");
        // The write also syncs the folder, so the names of finished files survive a power failure.
        durable::replace(&folder.join(NAME), |file| file.write_all(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn states_are_read_as_written() {
        let folder = std::env::temp_dir().join(format!("pentago-state-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(BuildState::read(&folder).unwrap(), None);
        for done in [0, 17] {
            let state = BuildState { top: 2, keep: 6, done };
            state.write(&folder).unwrap();
            assert_eq!(BuildState::read(&folder).unwrap(), Some(state));
        }
        let good = fs::read_to_string(folder.join(NAME)).unwrap();
        for bad in [
            "",
            "nonsense",
            &good[1..],
            &good[..good.len() - 1],
            &format!("{good}1"),
            "pentago 9.9 build top",
        ] {
            fs::write(folder.join(NAME), bad).unwrap();
            assert!(BuildState::read(&folder).is_err(), "{bad}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
