//! The tables of a whole game: its slices by sections, from the full board down.

use super::{BuildError, Built, Means};
use crate::block::codec::Level;
use crate::block::{BlockId, Entry, Memory, Source};
use crate::index::Section;
use crate::rules::Rules;
use crate::solve::{Control, Next, SectionSolver, SectionsError, SolveError, Stopped};
use crate::table::{
    Access, Array, Cache, Content, Counts, Domain, Folder, Lock, Settings, Table, Target, Writer,
};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

/// The slices of a game from the full board down to some number of marbles.
#[derive(Clone, Debug)]
pub struct GameBuild {
    rules: Rules,
    /// Marbles of the last slice.
    down_to: u8,
}

/// Blocks of the next slice are decoded once for each piece: nothing is gained by keeping them.
const CACHE_BYTES: usize = 1 << 24;

impl GameBuild {
    /// All slices of the game down to the one with `down_to` marbles: 0 for the complete game.
    pub fn new(rules: Rules, down_to: u8) -> GameBuild {
        GameBuild { rules, down_to }
    }

    /// What the tables are about.
    pub fn target(&self) -> Target {
        Target { rules: self.rules, domain: Domain::Game }
    }

    /// The marbles of the slices, in the order in which they are built.
    pub fn slices(&self) -> impl Iterator<Item = u8> + use<> {
        (self.down_to..=self.rules.shape.sockets() as u8).rev()
    }

    fn solver(&self, means: &Means) -> SectionSolver {
        // The memory of the pieces of the next slice; the rest is for rows, codecs and blocks that wait.
        SectionSolver::new(self.rules, means.kernel, means.threads, means.memory / 2)
    }

    /// Entries of all slices, each standing for 256 boards.
    pub fn entries(&self, means: &Means) -> u64 {
        let solver = self.solver(means);
        let slice = |n: u8| {
            let sections = solver.sections().standard(n.into());
            sections.into_iter().map(|s| solver.grid(s).entries()).sum::<u64>()
        };
        self.slices().map(slice).sum()
    }

    /// Builds the tables under the folder `out`, or those that are missing. What was done of it before is not done again.
    ///
    /// # Errors
    /// If somebody else builds them, if memory or disk don't suffice, or if it was stopped. What was finished is kept.
    pub fn run(&self, out: &Path, means: &Means, control: &Control) -> Result<Built, BuildError> {
        let target = self.target();
        let folder = out.join(target.folder_name());
        let _lock = Lock::take(&folder)?;
        let there = Folder::open(&folder)?;
        let cache = Cache::new(CACHE_BYTES);
        let solver = Arc::new(self.solver(means));
        let mut next: Option<Table> = None;
        let mut already = true;
        for slice in self.slices() {
            let path = target.path(out, slice);
            if there.find(target, slice).is_none() {
                already = false;
                self.slice(slice, &path, &solver, next.as_ref(), control)?;
            }
            next = Some(Table::open(&path, Access::default(), cache.clone())?);
        }
        let paths = self.slices().map(|slice| target.path(out, slice)).collect();
        Ok(Built::new(paths, 0, already)?)
    }

    /// Builds one table from the one of the next slice.
    fn slice(
        &self,
        slice: u8,
        path: &Path,
        solver: &Arc<SectionSolver>,
        next: Option<&Table>,
        control: &Control,
    ) -> Result<(), BuildError> {
        let sections = solver.sections().standard(slice.into());
        let array = |s: &Section| Array { key: s.bytes(), grid: solver.grid(*s) };
        let content = Content { target: self.target(), slice, arrays: sections.iter().map(array).collect() };
        let (first_blocks, _) = content.first_blocks();
        let counter = (solver.clone(), sections.clone());
        let count = move |id: BlockId, entries: &[Entry]| {
            let (solver, sections) = &counter;
            let counts = solver.block_counts(sections[id.array as usize], id.block, entries);
            Counts { wins: counts.win, draws: counts.draw, losses: counts.loss }
        };
        let settings = Settings { count: Some(Box::new(count)), ..Settings::new(Level::KEPT) };
        let writer = Writer::begin(path, content, settings)?;
        let done = writer.done();
        let array = first_blocks.partition_point(|&first| first <= done) - 1;
        let start = BlockId { array: array as u32, block: done - first_blocks[array] };
        let solved = match next {
            None => solve(solver, &sections, &[], &Memory::new(&[]), &writer, start, control),
            Some(table) => {
                let keys = table.arrays().iter().map(|record| Section::from_bytes(record.array.key));
                solve(solver, &sections, &keys.collect::<Vec<_>>(), table, &writer, start, control)
            }
        };
        if solved.is_err() {
            // What was computed is kept for the next time; the first error is the one to tell.
            let _ = writer.flush();
        }
        solved?;
        writer.finish()?;
        Ok(())
    }
}

fn solve<S: Source<Error: Into<BuildError>>>(
    solver: &SectionSolver,
    sections: &[Section],
    next: &[Section],
    source: &S,
    writer: &Writer,
    start: BlockId,
    control: &Control,
) -> Result<(), BuildError> {
    let next = Next { sections: next, source };
    let solved = solver.solve(sections, next, writer, start, control);
    solved.map(|_| ()).map_err(|error| match error {
        SectionsError::Cancelled(cancelled) => SolveError::from(Stopped::from(cancelled)).into(),
        SectionsError::Missing(section) => BuildError::Missing(section),
        SectionsError::Get(error) => error.into(),
        SectionsError::Put(error) => BuildError::from(error),
    })
}

impl From<Infallible> for BuildError {
    fn from(never: Infallible) -> BuildError {
        match never {}
    }
}
