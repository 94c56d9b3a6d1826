//! What is built of a game, and under which names.

use crate::make::share::{Memory, few_waiting};
use crate::make::{BuildError, Resources};
use pentago_base::Control;
use pentago_core::index::{EDGE, Section, Sections};
use pentago_core::rules::Rules;
use pentago_core::solve::{SectionSolver, SolveError};
use pentago_core::values::Grid;
use pentago_store::RawSettings;
use pentago_tables::codec::Codec;
use pentago_tables::tables::{
    ArrayInfo, ArrayKey, Domain, Folder, Listed, Manifest, Settings, Target, holding,
};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A build of slices of a game: from the first missing one down to a number of marbles.
#[derive(Clone, Debug)]
pub struct GameBuild {
    rules: Rules,
    /// Marbles of the last slice.
    pub(crate) down_to: u8,
    /// None: all sections. Otherwise, for each slice from the last one up, those that the last one
    /// depends on.
    closure: Option<Vec<Vec<Section>>>,
    pub(crate) counts_only: bool,
    from: Option<PathBuf>,
    codec: Codec,
    /// Slices that stay.
    kept: RangeInclusive<u8>,
    /// Whether slices that stay are written with their codec at once.
    pub(super) direct: bool,
    /// Whether the counts of whole slices are compared with the published ones.
    pub(super) published: bool,
}

/// A section that the game doesn't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is no section of this game: a quadrant has too many marbles, or X doesn't have as many \
     marbles as O or one more"
)]
pub struct BadSection(pub Section);

/// The slices to build, and their starting point.
#[derive(Debug)]
pub(super) struct Remaining {
    /// The slices, in the order in which they are built.
    pub slices: Vec<u8>,
    /// The table of the slice to start from.
    pub next: Option<Listed>,
    /// Slices after that one that were to stay, and have no table: none of the others needs them.
    pub gaps: Vec<u8>,
}

/// The folder of slices that are only passed through, and of copies of those that stay.
pub(super) const PASSING: &str = "passing";

/// The extension of copies. Other readers don't take copies for tables, which is right because copies
/// soon have holes.
const COPY: &str = "copy";

impl GameBuild {
    /// All slices of the game down to the one with `down_to` marbles: 0 for the complete game.
    pub fn new(rules: Rules, down_to: u8) -> GameBuild {
        GameBuild {
            rules,
            down_to,
            closure: None,
            counts_only: false,
            from: None,
            codec: Codec::default(),
            kept: 0..=u8::MAX,
            direct: false,
            published: true,
        }
    }

    /// One section, and everything that it depends on.
    ///
    /// # Errors
    /// If the game has no such section.
    pub fn of_section(rules: Rules, section: Section) -> Result<GameBuild, BadSection> {
        if !section.is_legal(rules.shape) {
            return Err(BadSection(section));
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

    /// How the blocks of slices that stay are encoded; by default [`Codec::QUICK`].
    ///
    /// With another codec, a slice that another one is computed from is written with
    /// [`Codec::QUICK`] first, and encoded again when it is finished: the next slice reads most blocks
    /// several times, and so reads what is quick to decode. The tables are the same as without ([`GameBuild::direct`]).
    #[must_use]
    pub fn codec(self, codec: Codec) -> GameBuild {
        GameBuild { codec, ..self }
    }

    /// Only slices with so many marbles stay; by default all. The others are encoded with
    /// [`Codec::QUICK`] in a folder of their own, given back to the disk section by section while
    /// the next one is built, and then deleted. The last slice is not: a later build starts from it.
    #[must_use]
    pub fn keep_slices(self, kept: RangeInclusive<u8>) -> GameBuild {
        GameBuild { kept, ..self }
    }

    /// Slices that stay are written with their codec at once, which takes less of the disk and
    /// more time.
    #[must_use]
    pub fn direct(self) -> GameBuild {
        GameBuild { direct: true, ..self }
    }

    /// The slice to start from has values that somebody made up: counts aren't compared with the
    /// published ones.
    #[doc(hidden)]
    #[must_use]
    pub fn made_up(self) -> GameBuild {
        GameBuild { published: false, ..self }
    }

    /// Whether the table of a slice stays when the slice before it is there.
    #[must_use]
    pub fn stays(&self, slice: u8) -> bool {
        self.kept.contains(&slice)
    }

    /// How the blocks of a slice are encoded.
    pub(crate) fn codec_of(&self, slice: u8) -> Codec {
        if self.kept.contains(&slice) { self.codec } else { Codec::QUICK }
    }

    /// Starts from the lowest slice in this folder.
    #[must_use]
    pub fn going_on_from(self, folder: PathBuf) -> GameBuild {
        GameBuild { from: Some(folder), ..self }
    }

    /// The target of the tables.
    pub fn target(&self) -> Target {
        Target { rules: self.rules, domain: Domain::Game }
    }

    pub(super) fn keys(&self, sections: &[Section]) -> Vec<ArrayKey> {
        let all = self.target().sections();
        sections.iter().map(|&section| all.key(section)).collect()
    }

    /// The required sections of a slice, and whether these are all of its sections.
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

    /// The path of the table of a slice that stays; each set of sections has its own.
    pub(super) fn table_path(&self, out: &Path, slice: u8) -> PathBuf {
        match self.sections(slice) {
            (_, true) => self.target().path(out, slice),
            (some, false) => self.target().path_of(out, slice, &self.keys(&some)),
        }
    }

    /// The path of the table of a slice, whether it stays or not.
    pub(super) fn path(&self, out: &Path, slice: u8) -> PathBuf {
        let path = self.table_path(out, slice);
        match (self.stays(slice), path.parent(), path.file_name()) {
            (false, Some(folder), Some(name)) => folder.join(PASSING).join(name),
            _ => path,
        }
    }

    /// Whether a slice has a copy.
    pub(crate) fn has_copy(&self, slice: u8) -> bool {
        let needed = slice > self.down_to && self.target().rules.has_turn(usize::from(slice) - 1);
        needed && !self.direct && self.stays(slice) && self.codec_of(slice) != Codec::QUICK
    }

    /// The path of the copy of a slice, whether it has one or not.
    pub(super) fn copy_path(&self, out: &Path, slice: u8) -> PathBuf {
        let path = self.table_path(out, slice).with_extension(COPY);
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => folder.join(PASSING).join(name),
            _ => path,
        }
    }

    /// The missing slices, without a folder those after the slice to start from. Where `copies` count, a slice
    /// that has one and no table is the first of them, and the one after it isn't needed any more.
    pub(super) fn remaining(&self, out: Option<&Path>, copies: bool) -> Result<Remaining, BuildError> {
        let target = self.target();
        let mut own = Folder::default();
        if let Some(out) = out {
            own = Folder::if_there(&out.join(target.folder_name()))?;
            let staying = self.slices().into_iter().filter(|&slice| self.stays(slice));
            own.missing(target, staying, |slice| self.path(out, slice))?;
        }
        let from = self.from.as_deref().map(Folder::if_there).transpose()?;
        let find = |slice: u8| {
            let needed = self.keys(&self.sections(slice).0);
            let of = |folder| holding(folder, target, slice, &needed);
            let found = of(&own)?;
            if found.is_some() { Ok(found) } else { from.as_ref().map_or(Ok(None), of) }
        };
        let last = self.rules.shape.sockets() as u8;
        let mut remaining = Remaining { slices: Vec::new(), next: None, gaps: Vec::new() };
        for slice in self.down_to..=last {
            if let Some(listed) = find(slice)? {
                remaining.next = Some(listed.clone());
                // What lies elsewhere need not be whole.
                let kept = (slice + 1..=last).filter(|&slice| from.is_none() && self.stays(slice));
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
                let folder = folder.clone();
                return Err(BuildError::NothingThere { folder, target, down_to: self.down_to });
            }
        }
        Ok(remaining)
    }

    /// The slices to build in a folder, or without one in an empty one, in order.
    ///
    /// # Errors
    /// If a folder can't be read, or there is no slice to start from.
    pub fn missing(&self, out: Option<&Path>) -> Result<Vec<u8>, BuildError> {
        Ok(self.remaining(out, true)?.slices)
    }

    /// All slices down to the last one.
    pub fn slices(&self) -> Vec<u8> {
        (self.down_to..=self.rules.shape.sockets() as u8).rev().collect()
    }

    /// Entries of some slices, each standing for 256 boards.
    pub fn entries(&self, slices: &[u8]) -> u64 {
        let all = self.target().sections();
        let entries = |s: Section| all.extents(s).map(u64::from).iter().product::<u64>();
        slices.iter().flat_map(|&slice| self.sections(slice).0).map(entries).sum()
    }

    /// What the table of a slice holds.
    pub(super) fn manifest(&self, slice: u8) -> Manifest {
        let all = self.target().sections();
        let array = |s: &Section| ArrayInfo { key: all.key(*s), grid: Grid::new(all.extents(*s), EDGE) };
        Manifest { target: self.target(), slice, arrays: self.sections(slice).0.iter().map(array).collect() }
    }

    /// How tables and copies are written, but for blocks that wait because of the order in which rows are
    /// computed.
    pub(super) fn settings(&self, codec: Codec, resources: &Resources, control: &Control) -> Settings {
        let (waiting, control) = (few_waiting(resources.memory), control.clone());
        let Settings { codec, file } = Settings::new(codec);
        Settings { codec, file: RawSettings { waiting, control, ..file } }
    }

    /// What computes its sections.
    pub(crate) fn solver(&self, resources: &Resources) -> SectionSolver {
        let memory = Memory::of(resources.memory, resources.threads.get());
        SectionSolver::new(self.rules, resources.kernel, resources.threads, memory.for_pieces())
    }

    /// Checks that half of the memory holds, for every thread, the largest row of blocks of these
    /// sections with its children.
    pub(super) fn check_rows(&self, sections: &[Section], resources: &Resources) -> Result<(), SolveError> {
        let solver = self.solver(resources);
        let row = sections.iter().map(|&section| solver.least_memory(section)).max().unwrap_or(0);
        let need = 2 * resources.threads.get() as u64 * row;
        let limit = resources.memory;
        if need > limit { Err(SolveError::Memory { need, limit }) } else { Ok(()) }
    }
}
