//! How far a build has come: a small file in the scratch folder, replaced as a whole after each
//! task.

use pentago_tables::tables::{Reason, TableError, durable, storage};
use std::io;
use std::path::Path;

const NAME: &str = "state";

/// What the scratch folder of a root's build is for, and how much of it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildState {
    /// Top sockets.
    pub top: usize,
    /// Slices kept, in plies below the root.
    pub keep: usize,
    /// Tasks done.
    pub done: usize,
}

/// The first words of the file: scratch files of another version of the program, or of another one
/// of their codec, are of no use.
const TITLE: &str = concat!("pentago ", env!("CARGO_PKG_VERSION"), " build, codec 2");

impl BuildState {
    /// The state of the build in `folder`, if one was begun there.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read(folder: &Path) -> Result<Option<BuildState>, TableError> {
        let path = folder.join(NAME);
        match storage::open_file(&path).and_then(io::read_to_string) {
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

    /// Puts the state into `folder`, all of it or not at all, for good.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, folder: &Path) -> Result<(), TableError> {
        let BuildState { top, keep, done } = self;
        let text = format!("{TITLE} top {top} keep {keep} done {done}\n");
        // The names of the files that were finished before are then found after a power failure
        // too.
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
