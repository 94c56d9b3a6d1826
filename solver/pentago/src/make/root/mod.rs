//! Builds the tables of a root: the first slices of all positions that can follow the root, in all
//! rotations.

mod state;

use super::share::give_back;
use super::{Built, Resources};
use crate::error::{Error, ErrorKind};
use pentago_base::{Control, Stage, shown_path, thousands};
use pentago_core::rules::{Last, Position, Rules};
use pentago_core::solve::board_count;
use pentago_core::solve::rooted::downstream::{Downstream, DownstreamEstimate};
use pentago_core::solve::rooted::gpu::device_bytes;
use pentago_core::symmetry::Group;
use pentago_tables::codec::Codec;
use pentago_tables::tables::{
    ArrayInfo, Domain, HalfSlices, Lock, Manifest, Settings, TableError, Tablebase, Target, Writer,
};
use state::BuildState;
use std::fs;
use std::path::{Path, PathBuf};

/// The number of entries per block. Decoding a block of this size takes 0.1 milliseconds
/// (`bench/README.md#blocks`).
pub const RUN: u32 = 1024;

/// The largest number of empty sockets of a position that can be solved on demand in less than a
/// second.
const QUICK: u32 = 18;

/// A build of the tables of a root.
#[derive(Clone, Debug)]
pub struct RootBuild {
    rules: Rules,
    /// The canonical root, which represents all roots with the same tables.
    pub(crate) position: Position,
    /// The number of kept slices in addition to the slice of the root.
    keep: usize,
    /// The codec of the tables.
    pub(crate) codec: Codec,
}

impl RootBuild {
    /// Makes a build of the tables below `position`. The tables also apply to all positions that
    /// differ from `position` only by symmetry and turned quadrants. `marbles` is the number of
    /// marbles of the last kept slice. By default, all slices are kept whose positions are slow to
    /// solve on demand.
    ///
    /// # Errors
    /// If the position can't be a root, or has no slice with this number of marbles.
    pub fn new(rules: Rules, position: &Position, marbles: Option<u32>) -> Result<RootBuild, Error> {
        let bad = |text: &str| Err(Error::new(ErrorKind::Input, text));
        if position.pending() {
            return bad("the turn is pending: choose a position at the start of a move");
        }
        if position.shape() != rules.shape {
            return bad("the board of the position doesn't fit the rules");
        }
        if rules.outcome(position).is_some() {
            return bad("the game is over: no positions follow");
        }
        let board = Group::with_quadrants(rules.dir).canonical(rules.shape, position.board()).0;
        let position = position.with_board(board);
        // If the last placement ends the game, positions with a full board don't occur.
        let most = rules.shape.sockets() as u32 - u32::from(rules.last == Last::Stop);
        let (first, last) = (board.marbles(), most);
        // Keep at least one slice after the root's slice, because it contains the values of the
        // root's moves.
        let default = last.saturating_sub(QUICK).max(first + 1).min(last);
        let marbles = marbles.unwrap_or(default);
        if !(first..=last).contains(&marbles) {
            return bad(&format!("this root has slices of {first} to {last} marbles"));
        }
        Ok(RootBuild { rules, position, keep: (marbles - first) as usize, codec: Codec::QUICK })
    }

    /// Sets the codec of the tables. The default is [`Codec::QUICK`].
    #[must_use]
    pub fn codec(self, codec: Codec) -> RootBuild {
        RootBuild { codec, ..self }
    }

    /// Returns the target of the tables.
    pub fn target(&self) -> Target {
        Target { rules: self.rules, domain: Domain::Root(self.position.board()) }
    }

    /// Returns the number of bytes of GPU memory for computing the values of the root's moves. A
    /// GPU can't build tables.
    pub fn graphics_bytes(&self) -> u64 {
        device_bytes(self.rules, self.position.free().count_ones() as usize)
    }

    /// Returns the range of marble counts of the kept slices.
    pub fn slices(&self) -> std::ops::RangeInclusive<u8> {
        let first = self.position.board().marbles() as u8;
        first..=first + self.keep as u8
    }

    /// Returns the number of boards in all slices, kept or not. A board stands for its 256
    /// rotations.
    pub fn boards(&self) -> u128 {
        let empty = self.rules.shape.sockets() - self.position.board().marbles() as usize;
        board_count(empty, empty)
    }

    /// Checks that no kept slice has more than 2^32 boards, the maximum that a table can index.
    /// This check computes no value.
    ///
    /// # Errors
    /// If a slice is too large. The error names the first slice that is too large.
    pub fn fits_tables(&self, resources: &Resources) -> Result<(), Error> {
        let solution = self.solution(resources);
        (0..=self.keep).try_for_each(|plies| self.manifest(&solution, plies).map(|_| ()))
    }

    /// Returns the numbers of marbles of the kept slices that have no finished table in the folder
    /// `out`.
    ///
    /// # Errors
    /// If the folder can't be read, or if an unusable file has the name of a table.
    pub fn missing(&self, out: &Path) -> Result<Vec<u8>, TableError> {
        let target = self.target();
        let (there, scan) = Tablebase::open_target(&out.join(target.folder_name()), target)?;
        there.missing(&scan, self.slices(), |slice| target.path(out, slice))
    }

    pub(crate) fn solution(&self, resources: &Resources) -> Downstream {
        Downstream::new(self.rules, resources.kernel, resources.threads, &self.position)
    }

    /// Returns the manifest of the table of the slice that is `plies` plies below the root.
    ///
    /// # Errors
    /// If the slice has more boards than a table can index.
    fn manifest(&self, solution: &Downstream, plies: usize) -> Result<Manifest, Error> {
        let slice = self.position.board().marbles() as u8 + plies as u8;
        let boards = solution.slice_boards(plies);
        let too_large = || {
            let (boards, most) = (thousands(boards), thousands(u32::MAX.into()));
            let text = format!(
                "the slice with {slice} marbles has {boards} boards, but a table holds at most {most}: keep \
                 fewer slices, or choose a later root; `pentago plan game` estimates the whole game"
            );
            Error::new(ErrorKind::Input, text)
        };
        let grid = solution.grid(plies, RUN).ok_or_else(too_large)?;
        Ok(Manifest { target: self.target(), slice, arrays: vec![ArrayInfo { key: [0; 8], grid }] })
    }

    /// Returns the folder for temporary data of these tables, which is inside the folder of
    /// `resources`.
    pub fn scratch_folder(&self, resources: &Resources) -> PathBuf {
        resources.scratch.join(self.target().folder_name()).join("scratch")
    }

    /// Builds the missing tables in the folder `out`. Resumes an interrupted build.
    ///
    /// # Errors
    /// If a slice has more boards than a table can index (2^32), which is reported before anything
    /// is computed. Also if another process builds in the folder, if memory or disk space don't
    /// suffice, or if the build was cancelled. All data written so far is kept.
    pub fn run(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built, Error> {
        self.build(out, resources, control).map_err(Error::of_build)
    }

    fn build(&self, out: &Path, resources: &Resources, control: &Control) -> Result<Built, Error> {
        let target = self.target();
        let solution = self.solution(resources);
        // Check the sizes now, because the computation may take hours.
        self.fits_tables(resources)?;
        let folder = out.join(target.folder_name());
        let _lock = Lock::take(&folder)?;
        let scratch_folder = self.scratch_folder(resources);
        let missing = self.missing(out)?;
        let mut scratch_bytes = 0;
        let already = missing.is_empty();
        if !already {
            fs::create_dir_all(&scratch_folder)
                .map_err(|error| TableError::io(&scratch_folder, "create", error))?;
            let _scratch_lock = Lock::take(&scratch_folder)?;
            Tablebase::open_target(&folder, target)?.0.check(control)?;
            let scratch = HalfSlices::open(&scratch_folder, resources.scratch_limit)?;
            let state = self.solve(&solution, resources, &scratch, control)?;
            // The tables need other buffers than the solution.
            give_back(u64::MAX, resources.memory);
            for slice in missing {
                let path = target.path(out, slice);
                let plies = usize::from(slice - self.slices().start());
                let manifest = self.manifest(&solution, plies)?;
                let writer = Writer::begin(&path, manifest, Settings::new(self.codec))?;
                solution.collect(plies, state.top, RUN, &scratch, &writer)?;
                writer.finish()?;
            }
            scratch_bytes = scratch.files.most();
        }
        if scratch_folder.exists() {
            fs::remove_dir_all(&scratch_folder)
                .map_err(|error| TableError::io(&scratch_folder, "remove", error))?;
            // Also remove the parent folder if it is empty. Otherwise the call fails, which does no
            // harm.
            let _ = scratch_folder.parent().map(fs::remove_dir);
        }
        let paths: Vec<PathBuf> = self.slices().map(|slice| target.path(out, slice)).collect();
        Ok(Built { scratch_bytes, ..pentago_store::Built::of(paths, already)?.into() })
    }

    /// Runs the tasks that are not finished yet. Returns the final state of the build.
    fn solve(
        &self,
        solution: &Downstream,
        resources: &Resources,
        scratch: &HalfSlices,
        control: &Control,
    ) -> Result<BuildState, Error> {
        let begun = BuildState::read(scratch.files.folder())?;
        let needs = match begun {
            None => solution.fit(resources.memory, self.keep)?,
            Some(state) => self.needs_of_begun(solution, resources, state, scratch.files.folder())?,
        };
        let mut state = begun.unwrap_or(BuildState { top: needs.top, keep: self.keep, done: 0 });
        let tasks = solution.tasks(needs.top);
        if begun.is_none() {
            state.write(scratch.files.folder())?;
        }
        let boards = |done: usize| (0..done).map(|i| solution.boards_of(tasks[i])).sum::<u64>();
        let earlier = boards(state.done);
        control.begin(Stage::new("all plies", needs.boards, 4).resumed(earlier));
        if state.done < tasks.len() {
            let tables = solution.tables();
            let mut workspace = solution.workspace(needs.top)?;
            for i in state.done..tasks.len() {
                // An interrupted task starts from the beginning, so remove its results first.
                for half_slice in solution.results(tasks[i], state.keep) {
                    scratch.remove(half_slice)?;
                }
                solution.run(tasks[i], state.keep, &tables, &mut workspace, scratch, control)?;
                give_back(0, resources.memory);
                scratch.files.sync()?;
                state.done = i + 1;
                state.write(scratch.files.folder())?;
                for half_slice in solution.dead(&tasks, i, state.keep) {
                    scratch.remove(half_slice)?;
                }
            }
        }
        Ok(state)
    }

    /// Returns the estimate for resuming an interrupted build with the settings in `state`.
    ///
    /// # Errors
    /// If these settings contradict the request.
    fn needs_of_begun(
        &self,
        solution: &Downstream,
        resources: &Resources,
        state: BuildState,
        folder: &Path,
    ) -> Result<DownstreamEstimate, Error> {
        let begun = |kind, what: String| {
            let folder = shown_path(folder);
            let text = format!(
                "this build was started with {what}: continue it that way, or delete {folder} to start over"
            );
            Error::new(kind, text)
        };
        if state.keep < self.keep {
            let last = usize::from(*self.slices().start()) + state.keep;
            return Err(begun(ErrorKind::Input, format!("--keep {last}")));
        }
        let tasks = if state.top <= solution.most_top() { solution.tasks(state.top).len() } else { 0 };
        if state.done > tasks {
            return Err(begun(ErrorKind::Environment, "another division into groups".to_owned()));
        }
        let needs = solution.needs(state.top, state.keep);
        if needs.memory > resources.memory {
            return Err(begun(
                ErrorKind::Environment,
                format!("a memory limit of {} bytes or more", needs.memory),
            ));
        }
        Ok(needs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::kernel::Kernel;
    use pentago_core::rules::random::positions;
    use pentago_core::solve::board_count;

    /// Checks that a slice with more than 2^32 boards is refused before anything is computed or
    /// written, and that the error has the right number of boards.
    #[test]
    fn slices_too_large_for_a_table_are_refused_at_once() {
        let rules = Rules::default();
        let position = positions(&rules, 12, 1, 1, true).expect("there are such positions")[0];
        let folder = tempfile::tempdir().expect("a folder");
        let resources = Resources {
            kernel: Kernel::best(),
            threads: std::num::NonZeroUsize::MIN,
            memory: 0,
            scratch: folder.path().to_owned(),
            scratch_limit: 0,
        };
        let build = RootBuild::new(rules, &position, Some(26)).expect("a root");
        let refused = build.run(folder.path(), &resources, &Control::new());
        let refused = refused.unwrap_err().to_string();
        assert!(refused.starts_with("the slice with 26 marbles has 6,731,030,592 boards, "), "{refused}");
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
        let kept: u64 = (0..=14).map(|plies| build.solution(&resources).slice_boards(plies)).sum();
        assert_eq!(u128::from(kept), board_count(24, 14));
        assert_eq!(kept / 1_000_000, 15_392);
        // The preceding slice fits in a table, so the build is refused only for lack of memory.
        let build = RootBuild::new(rules, &position, Some(25)).expect("a root");
        let refused = build.run(folder.path(), &resources, &Control::new());
        assert!(refused.unwrap_err().lacks_memory());
    }
}
