//! The options of a build of a game, and the names of its files.

use crate::error::{Error, ErrorKind};
use crate::make::Resources;
use crate::make::share::{Memory, few_waiting};
use pentago_base::Control;
use pentago_core::index::{EDGE, Section, Sections};
use pentago_core::rules::Rules;
use pentago_core::solve::{SectionSolver, SolveError};
use pentago_core::values::Grid;
use pentago_store::RawSettings;
use pentago_tables::codec::Codec;
use pentago_tables::tables::{ArrayInfo, ArrayKey, Domain, Manifest, Settings, Tablebase, Target, holding};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A build of slices of a game, from the first missing slice down to a number of marbles.
#[derive(Clone, Debug)]
pub struct GameBuild {
    rules: Rules,
    /// The number of marbles of the last slice.
    pub(crate) down_to: u8,
    /// For each slice from the last one up: the sections that a section of the last slice depends
    /// on. `None` for all sections.
    closure: Option<Vec<Vec<Section>>>,
    pub(crate) counts_only: bool,
    from: Option<PathBuf>,
    codec: Codec,
    /// The kept slices.
    kept: RangeInclusive<u8>,
    /// `true` if kept slices are written with their codec directly, without a copy.
    pub(super) direct: bool,
    /// `true` if the counts of complete slices are compared with the published ones.
    pub(super) published: bool,
}

/// The slices to build, and their starting point.
#[derive(Debug)]
pub(super) struct Remaining {
    /// The slices in the order of the build.
    pub slices: Vec<u8>,
    /// The slice to start from, and the files of its table.
    pub next: Option<(u8, Vec<PathBuf>)>,
    /// The kept slices after that one that have no table. No other slice needs them.
    pub gaps: Vec<u8>,
}

/// The subfolder for temporary slices, and for copies of kept slices.
pub(super) const PASSING: &str = "passing";

/// The extension of copies. A copy isn't named like a table, because its blocks are freed soon.
const COPY: &str = "copy";

/// Returns the path of a file moved to the subfolder of its folder for temporary slices.
fn in_passing(path: &Path) -> PathBuf {
    path.with_file_name(PASSING).join(path.file_name().unwrap_or_default())
}

impl GameBuild {
    /// Builds all slices of the game down to the one with `down_to` marbles: 0 for the complete
    /// game.
    pub fn new(rules: Rules, down_to: u8) -> GameBuild {
        GameBuild {
            rules,
            down_to,
            closure: None,
            counts_only: false,
            from: None,
            codec: Codec::QUICK,
            kept: 0..=u8::MAX,
            direct: false,
            published: true,
        }
    }

    /// Builds one section, and everything that the section depends on.
    ///
    /// # Errors
    /// If the game has no such section.
    pub fn of_section(rules: Rules, section: Section) -> Result<GameBuild, Error> {
        if !section.is_legal(rules.shape) {
            let text = format!(
                "{section} is no section of this game: a quadrant has too many marbles, or X doesn't have as \
                 many marbles as O or one more"
            );
            return Err(Error::new(ErrorKind::Input, text));
        }
        let closure = Sections::of(rules.shape, rules.dir).closure(&[section]);
        let down_to = section.marbles() as u8;
        Ok(GameBuild { closure: Some(closure), ..GameBuild::new(rules, down_to) })
    }

    /// Counts the values of the last slice without storing them.
    #[must_use]
    pub fn counts_only(self) -> GameBuild {
        GameBuild { counts_only: true, ..self }
    }

    /// Sets the codec of kept slices. The default is [`Codec::QUICK`].
    ///
    /// With another codec, each slice that a further slice is computed from is first written with
    /// [`Codec::QUICK`], and compressed once it is finished: the further slice reads most blocks
    /// several times, so they must decode quickly. The tables are the same as those of
    /// [`GameBuild::direct`].
    #[must_use]
    pub fn codec(self, codec: Codec) -> GameBuild {
        GameBuild { codec, ..self }
    }

    /// Sets the numbers of marbles of the kept slices. By default, all slices are kept. Other
    /// slices are temporary: they are encoded with [`Codec::QUICK`] in a subfolder, freed section
    /// by section while the following slice is built, and then deleted. A temporary last slice
    /// isn't deleted, because a later build starts from it.
    #[must_use]
    pub fn keep_slices(self, kept: RangeInclusive<u8>) -> GameBuild {
        GameBuild { kept, ..self }
    }

    /// Writes kept slices with their codec directly, which takes less disk space and more time.
    #[must_use]
    pub fn direct(self) -> GameBuild {
        GameBuild { direct: true, ..self }
    }

    /// Turns off the comparison with published counts, for tests that start from made-up values.
    #[doc(hidden)]
    #[must_use]
    pub fn made_up(self) -> GameBuild {
        GameBuild { published: false, ..self }
    }

    /// Returns `true` if the table of a slice is kept.
    #[must_use]
    pub fn stays(&self, slice: u8) -> bool {
        self.kept.contains(&slice)
    }

    /// Returns the codec of a slice.
    pub(crate) fn codec_of(&self, slice: u8) -> Codec {
        if self.kept.contains(&slice) { self.codec } else { Codec::QUICK }
    }

    /// Starts from the slice with the fewest marbles in a folder.
    #[must_use]
    pub fn going_on_from(self, folder: PathBuf) -> GameBuild {
        GameBuild { from: Some(folder), ..self }
    }

    /// Returns the target of the tables.
    pub fn target(&self) -> Target {
        Target { rules: self.rules, domain: Domain::Game }
    }

    pub(super) fn keys(&self, sections: &[Section]) -> Vec<ArrayKey> {
        let all = self.target().sections();
        sections.iter().map(|&section| all.key(section)).collect()
    }

    /// Returns the required sections of a slice, and `true` if they are all of its sections.
    pub fn sections(&self, slice: u8) -> (Vec<Section>, bool) {
        let all = self.target().sections().standard(slice.into());
        match &self.closure {
            None => (all, true),
            Some(closure) => {
                let some = closure[usize::from(slice - self.down_to)].clone();
                let complete = some.len() == all.len();
                (some, complete)
            }
        }
    }

    /// Returns the path of the table of a kept slice. The name depends on the set of sections.
    pub(super) fn table_path(&self, out: &Path, slice: u8) -> PathBuf {
        match self.sections(slice) {
            (_, true) => self.target().path(out, slice),
            (some, false) => self.target().path_of(out, slice, &self.keys(&some)),
        }
    }

    /// Returns the path of the table of a slice, kept or temporary.
    pub(super) fn path(&self, out: &Path, slice: u8) -> PathBuf {
        let path = self.table_path(out, slice);
        if self.stays(slice) { path } else { in_passing(&path) }
    }

    /// Returns `true` if a slice is first written as a temporary copy in the codec `quick`, from
    /// which the table is compressed later.
    pub(crate) fn has_copy(&self, slice: u8) -> bool {
        let needed = slice > self.down_to && self.target().rules.has_turn(usize::from(slice) - 1);
        needed && !self.direct && self.stays(slice) && self.codec_of(slice) != Codec::QUICK
    }

    /// Returns the path that a copy of a slice has.
    pub(super) fn copy_path(&self, out: &Path, slice: u8) -> PathBuf {
        in_passing(&self.table_path(out, slice).with_extension(COPY))
    }

    /// Returns the missing slices of the folder `out`. Without a folder, all slices below the slice
    /// to start from are missing. With `copies`, the slice after a slice with a finished copy isn't
    /// needed.
    pub(super) fn remaining(&self, out: Option<&Path>, copies: bool) -> Result<Remaining, Error> {
        let target = self.target();
        let mut tablebases = Vec::new();
        if let Some(out) = out {
            let (own, scan) = Tablebase::open_target(&out.join(target.folder_name()), target)?;
            let staying = self.slices().into_iter().filter(|&slice| self.stays(slice));
            own.missing(&scan, staying, |slice| self.path(out, slice))?;
            tablebases.push(own);
        }
        if let Some(from) = &self.from {
            tablebases.push(Tablebase::open_target(from, target)?.0);
        }
        let find = |slice: u8| {
            let needed = self.keys(&self.sections(slice).0);
            let mut found = tablebases.iter().map(|tablebase| holding(tablebase, slice, &needed));
            found.find_map(Result::transpose).transpose()
        };
        let last = self.rules.shape.sockets() as u8;
        let mut remaining = Remaining { slices: Vec::new(), next: None, gaps: Vec::new() };
        for slice in self.down_to..=last {
            if let Some(table) = find(slice)? {
                remaining.next = Some((slice, table.paths().map(Path::to_owned).collect()));
                // The folder of `from` may lack slices without harm.
                let kept = (slice + 1..=last).filter(|&slice| self.from.is_none() && self.stays(slice));
                for slice in kept {
                    if find(slice)?.is_none() {
                        remaining.gaps.push(slice);
                    }
                }
                break;
            }
            remaining.slices.insert(0, slice);
            if copies && out.is_some_and(|out| self.copy_path(out, slice).is_file()) {
                break;
            }
            if let (true, Some(folder)) = (slice == last, &self.from) {
                return Err(self.nothing_in(folder));
            }
        }
        Ok(remaining)
    }

    /// Returns the error for a folder without a slice to start from.
    pub fn nothing_in(&self, folder: &Path) -> Error {
        let (folder, target, down_to) = (folder.display(), self.target(), self.down_to);
        let text = format!(
            "{folder} has no complete slice of {target} with more than {down_to} marbles to start from"
        );
        Error::new(ErrorKind::Missing, text)
    }

    /// Returns the slices to build in a folder in the order of the build. Without a folder, all
    /// slices.
    ///
    /// # Errors
    /// If a folder can't be read, or there is no slice to start from.
    pub fn missing(&self, out: Option<&Path>) -> Result<Vec<u8>, Error> {
        Ok(self.remaining(out, true).map_err(Error::of_build)?.slices)
    }

    /// Returns the numbers of marbles of all slices in the order of the build.
    pub fn slices(&self) -> Vec<u8> {
        (self.down_to..=self.rules.shape.sockets() as u8).rev().collect()
    }

    /// Returns the number of entries in some slices. An entry holds the values of 256 boards.
    pub fn entries(&self, slices: &[u8]) -> u64 {
        let all = self.target().sections();
        let entries = |s: Section| all.extents(s).map(u64::from).iter().product::<u64>();
        slices.iter().flat_map(|&slice| self.sections(slice).0).map(entries).sum()
    }

    /// Returns the manifest of the table of a slice.
    pub(super) fn manifest(&self, slice: u8) -> Manifest {
        let all = self.target().sections();
        let array = |s: &Section| ArrayInfo { key: all.key(*s), grid: Grid::new(all.extents(*s), EDGE) };
        Manifest { target: self.target(), slice, arrays: self.sections(slice).0.iter().map(array).collect() }
    }

    /// Returns the settings for writing tables and copies. The limit of waiting blocks doesn't
    /// include blocks that wait because of the order of rows.
    pub(super) fn settings(&self, codec: Codec, resources: &Resources, control: &Control) -> Settings {
        let (waiting, control) = (few_waiting(resources.memory), control.clone());
        let Settings { codec, file } = Settings::new(codec);
        Settings { codec, file: RawSettings { waiting, control, ..file } }
    }

    /// Returns the solver of sections.
    pub(crate) fn solver(&self, resources: &Resources) -> SectionSolver {
        let memory = Memory::of(resources.memory, resources.threads.get());
        SectionSolver::new(self.rules, resources.kernel, resources.threads, memory.for_pieces())
    }

    /// Checks that half of the memory holds the largest row of blocks of these sections, with its
    /// children, once for every thread.
    pub(super) fn check_rows(&self, sections: &[Section], resources: &Resources) -> Result<(), SolveError> {
        let solver = self.solver(resources);
        let row = sections.iter().map(|&section| solver.least_memory(section)).max().unwrap_or(0);
        let need = 2 * resources.threads.get() as u64 * row;
        let limit = resources.memory;
        if need > limit { Err(SolveError::Memory { need, limit }) } else { Ok(()) }
    }
}
