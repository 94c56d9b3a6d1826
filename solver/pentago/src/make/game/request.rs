//! The options of a build of a game, and the names of its files.

use crate::error::{Error, ErrorKind};
use crate::make::Resources;
use crate::make::share::{Memory, few_waiting, overhead};
use pentago_base::{Control, shown_path};
use pentago_core::index::{EDGE, Section, Sections};
use pentago_core::rules::Rules;
use pentago_core::solve::{SectionSolver, SolveError};
use pentago_core::values::Grid;
use pentago_store::{PAGE_BLOCKS, RECORD_BYTES, RawSettings, working_files};
use pentago_tables::codec::Codec;
use pentago_tables::tables::{ArrayInfo, ArrayKey, Domain, Manifest, Settings, Tablebase, Target, holding};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A build of slices of a game, from the first missing slice down to the slice with `down_to`
/// marbles.
#[derive(Clone, Debug)]
pub struct GameBuild {
    rules: Rules,
    /// The number of marbles of the last slice to build.
    pub(crate) down_to: u8,
    /// The sections on which a section of the last slice depends, one list for each slice. The last
    /// slice comes first. `None` if all sections are built.
    closure: Option<Vec<Vec<Section>>>,
    pub(crate) counts_only: bool,
    from: Option<PathBuf>,
    codec: Codec,
    /// The range of marble counts of the kept slices.
    kept: RangeInclusive<u8>,
    /// `true` if kept slices are written directly with their codec, without a copy.
    pub(super) direct: bool,
    /// `true` if the counts of complete slices are compared with published counts.
    pub(super) published: bool,
}

/// The slices that remain to be built, and the slice from which the build starts.
#[derive(Debug)]
pub(super) struct Remaining {
    /// The numbers of marbles of the slices to build, in the order of the build.
    pub slices: Vec<u8>,
    /// The number of marbles of the slice from which the build starts, and the files of its table.
    /// `None` if the build needs no such table.
    pub next: Option<(u8, Vec<PathBuf>)>,
    /// The slices with more marbles than `next` that should be kept but have no table. No other
    /// slice needs them.
    pub gaps: Vec<u8>,
}

/// The subfolder for the tables of temporary slices, and for copies of kept slices.
pub(super) const PASSING: &str = "passing";

/// The file extension of copies. A copy must not have the name of a table, because its blocks are
/// freed soon.
const COPY: &str = "copy";

/// Returns `true` if a file was begun and isn't finished.
pub(super) fn is_begun(path: impl AsRef<Path>) -> bool {
    working_files(path.as_ref())[0].exists()
}

/// Returns the path that a file has when it is moved to the subfolder for temporary slices.
fn in_passing(path: &Path) -> PathBuf {
    path.with_file_name(PASSING).join(path.file_name().unwrap_or_default())
}

impl GameBuild {
    /// Makes a build of all slices of the game down to the slice with `down_to` marbles. If
    /// `down_to` is 0, the build covers the complete game.
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

    /// Makes a build of one section and of all sections on which its values depend.
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

    /// Makes the build count the values of the last slice without storing the values.
    #[must_use]
    pub fn counts_only(self) -> GameBuild {
        GameBuild { counts_only: true, ..self }
    }

    /// Sets the codec of kept slices. The default is [`Codec::QUICK`].
    ///
    /// With another codec, a slice from which the preceding slice is computed is first written with
    /// [`Codec::QUICK`]. The computation reads most blocks several times, so the blocks must decode
    /// quickly. The finished slice is then compressed. The tables are the same as tables that are
    /// written with [`GameBuild::direct`].
    #[must_use]
    pub fn codec(self, codec: Codec) -> GameBuild {
        GameBuild { codec, ..self }
    }

    /// Sets the range of marble counts of the kept slices. By default, all slices are kept. Other
    /// slices are temporary: they are encoded with [`Codec::QUICK`] in a subfolder, freed section
    /// by section while the preceding slice is built, and then deleted. If the last slice is
    /// temporary, it isn't deleted, because a later build starts from it.
    #[must_use]
    pub fn keep_slices(self, kept: RangeInclusive<u8>) -> GameBuild {
        GameBuild { kept, ..self }
    }

    /// Makes the build write kept slices directly with their codec, which takes less disk space and
    /// more time.
    #[must_use]
    pub fn direct(self) -> GameBuild {
        GameBuild { direct: true, ..self }
    }

    /// Turns off the comparison with published counts, for tests that start from artificial values.
    #[doc(hidden)]
    #[must_use]
    pub fn made_up(self) -> GameBuild {
        GameBuild { published: false, ..self }
    }

    /// Returns `true` if the table of a slice is kept.
    pub fn stays(&self, slice: u8) -> bool {
        self.kept.contains(&slice)
    }

    /// Returns the codec of the table of a slice.
    pub(crate) fn codec_of(&self, slice: u8) -> Codec {
        if self.kept.contains(&slice) { self.codec } else { Codec::QUICK }
    }

    /// Makes the build start from a slice in `folder`: the slice with the fewest marbles there.
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

    /// Returns the sections of a slice that the build needs, and `true` if they are all sections of
    /// the slice.
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

    /// Returns the path of the table of a kept slice. If the table has only some sections, its name
    /// depends on these sections.
    pub(super) fn table_path(&self, out: &Path, slice: u8) -> PathBuf {
        match self.sections(slice) {
            (_, true) => self.target().path(out, slice),
            (some, false) => self.target().path_of(out, slice, &self.keys(&some)),
        }
    }

    /// Returns the path of the table of a slice, whether the slice is kept or temporary.
    pub(super) fn path(&self, out: &Path, slice: u8) -> PathBuf {
        if self.stays(slice) { self.table_path(out, slice) } else { self.temporary_path(out, slice) }
    }

    /// Returns the path that the table of a slice has if the slice is temporary.
    pub(super) fn temporary_path(&self, out: &Path, slice: u8) -> PathBuf {
        in_passing(&self.table_path(out, slice))
    }

    /// Returns the path of a table that can become the copy of a slice: an earlier build, which
    /// didn't keep the slice, has left it. Returns `None` if there is no such table, or if blocks
    /// of it may be freed, because the preceding slice was begun.
    pub(super) fn left_over(&self, out: &Path, slice: u8) -> Option<PathBuf> {
        let path = self.temporary_path(out, slice);
        let precedes = |slice| {
            let is_known = slice >= self.down_to;
            let table = if is_known { self.table_path(out, slice) } else { self.target().path(out, slice) };
            [in_passing(&table), in_passing(&table.with_extension(COPY)), table].iter().any(is_begun)
        };
        let is_left = self.stays(slice) && path.is_file() && !self.table_path(out, slice).is_file();
        (is_left && !slice.checked_sub(1).is_some_and(precedes)).then_some(path)
    }

    /// Returns `true` if a slice is first written as a temporary copy in the codec `quick`, from
    /// which the table is compressed later.
    pub(crate) fn has_copy(&self, slice: u8) -> bool {
        let needed = slice > self.down_to && self.target().rules.has_turn(usize::from(slice) - 1);
        needed && !self.direct && self.stays(slice) && self.codec_of(slice) != Codec::QUICK
    }

    /// Returns the path of the copy of a slice. The copy need not exist.
    pub(super) fn copy_path(&self, out: &Path, slice: u8) -> PathBuf {
        in_passing(&self.table_path(out, slice).with_extension(COPY))
    }

    /// Returns the slices that the folder `out` lacks. If `out` is `None`, all slices with fewer
    /// marbles than the slice to start from are missing. If `copies` is `true` and a slice has a
    /// finished copy, slices with more marbles aren't needed.
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
        let left_over = |slice| out.filter(|_| copies).and_then(|out| self.left_over(out, slice));
        let find = |slice: u8| {
            let needed = self.keys(&self.sections(slice).0);
            let mut found = tablebases.iter().map(|tablebase| holding(tablebase, slice, &needed));
            let found = found.find_map(Result::transpose).transpose();
            let left_over = left_over(slice);
            found.map(|found| found.filter(|table| Some(table.path()) != left_over.as_deref()))
        };
        let last = self.rules.shape.sockets() as u8;
        let mut remaining = Remaining { slices: Vec::new(), next: None, gaps: Vec::new() };
        for slice in self.down_to..=last {
            let table = find(slice)?;
            let is_found = table.is_some();
            if let Some(table) = table {
                remaining.next = Some((slice, table.paths().map(Path::to_owned).collect()));
            } else {
                remaining.slices.insert(0, slice);
            }
            let copy = out.filter(|_| copies).map(|out| self.copy_path(out, slice));
            if is_found || copy.is_some_and(|copy| copy.is_file()) || left_over(slice).is_some() {
                // If the build starts from the folder `from`, missing slices are no gaps, because
                // that folder need not have all slices.
                let kept = (slice + 1..=last).filter(|&slice| self.from.is_none() && self.stays(slice));
                for slice in kept {
                    if find(slice)?.is_none() {
                        remaining.gaps.push(slice);
                    }
                }
                break;
            }
            if let (true, Some(folder)) = (slice == last, &self.from) {
                return Err(self.nothing_in(folder));
            }
        }
        Ok(remaining)
    }

    /// Returns the error for a folder that has no slice from which the build could start.
    pub fn nothing_in(&self, folder: &Path) -> Error {
        if !folder.is_dir() {
            return Error::new(ErrorKind::Missing, format!("there is no folder {}", shown_path(folder)));
        }
        let (folder, target, down_to) = (shown_path(folder), self.target(), self.down_to);
        let text = format!(
            "{folder} has no complete slice of {target} with more than {down_to} marbles to start from"
        );
        Error::new(ErrorKind::Missing, text)
    }

    /// Returns the slices that the folder `out` lacks, in the order of the build. If `out` is
    /// `None`, returns all slices of the build.
    ///
    /// # Errors
    /// If a folder can't be read, or there is no slice from which the build could start.
    pub fn missing(&self, out: Option<&Path>) -> Result<Vec<u8>, Error> {
        Ok(self.remaining(out, true).map_err(Error::of_build)?.slices)
    }

    /// Returns the numbers of marbles of all slices, in the order of the build.
    pub fn slices(&self) -> Vec<u8> {
        (self.down_to..=self.rules.shape.sockets() as u8).rev().collect()
    }

    /// Returns the total number of entries in some slices. An entry holds the values of a board in
    /// all 256 rotations.
    pub fn entries(&self, slices: &[u8]) -> u64 {
        let all = self.target().sections();
        let entries = |s: Section| all.extents(s).map(u64::from).iter().product::<u64>();
        slices.iter().flat_map(|&slice| self.sections(slice).0).map(entries).sum()
    }

    /// Returns the manifest of the table of a slice.
    pub(crate) fn manifest(&self, slice: u8) -> Manifest {
        let all = self.target().sections();
        let array = |s: &Section| ArrayInfo { key: all.key(*s), grid: Grid::new(all.extents(*s), EDGE) };
        Manifest { target: self.target(), slice, arrays: self.sections(slice).0.iter().map(array).collect() }
    }

    /// Returns the settings for writing tables and copies. Their limit on waiting blocks doesn't
    /// include blocks that wait because rows are computed out of order.
    pub(super) fn settings(&self, codec: Codec, resources: &Resources, control: &Control) -> Settings {
        let (waiting, control) = (few_waiting(resources.memory), control.clone());
        let Settings { codec, file } = Settings::new(codec);
        Settings { codec, file: RawSettings { waiting, control, ..file } }
    }

    /// Returns a solver of sections with the resources of the build.
    pub(crate) fn solver(&self, resources: &Resources) -> SectionSolver {
        let memory = Memory::of(resources.memory, resources.threads.get());
        SectionSolver::new(self.rules, resources.kernel, resources.threads, memory.for_pieces())
    }

    /// Checks that the memory suffices for these sections, which must belong to one slice.
    pub(super) fn check_memory(&self, sections: &[Section], resources: &Resources) -> Result<(), SolveError> {
        let need = least_memory(&self.solver(resources), sections, resources.threads);
        let limit = resources.memory;
        if need > limit { Err(SolveError::Memory { need, limit }) } else { Ok(()) }
    }
}

/// Returns the minimum memory in bytes to compute sections. Half of the memory holds one row per
/// thread: the largest row of blocks, with its children. A quarter is for codecs and blocks that
/// wait, and a quarter for the piece that a thread between two rows holds in addition.
pub(crate) fn least_memory(solver: &SectionSolver, sections: &[Section], threads: NonZeroUsize) -> u64 {
    let row = sections.iter().map(|&section| solver.least_memory(section)).max().unwrap_or(0);
    let blocks: u64 = sections.iter().map(|&section| solver.grid(section).blocks()).sum();
    // The pages of the index of this slice and of the next slice, which has at most four times as
    // many blocks.
    let index = 5 * blocks.div_ceil(PAGE_BLOCKS) * RECORD_BYTES as u64;
    overhead(threads.get()) + 2 * row * threads.get() as u64 + index
}
