//! The levels of a located proof, from the level with the most placements of the attacker down to
//! the level with none.

use super::super::counted::{Proved, Question, Workspace};
use super::limits::is_possible;
use super::proof::{LocatedLevel, LocatedProof, LocatedRows, NO_ROW};
use super::rows::LocatedRowBuffers;
use super::sets::{Runs, SocketSplit};
use crate::kernel::{PLACES, Pack};
use crate::solve::proof::sets::subsets;
use crate::supers::Half;
use crate::threads;
use pentago_base::{Control, Stopped};

/// Runs a located proof in which the attacker places `q.placements` marbles. The attacker's last
/// move must make five by its placement or by its turn. Returns `None` if the proof would exceed
/// `memory` bytes, or if a level has more than `boards` boards. The largest level is usually
/// counted first, so an excess is found early.
///
/// # Errors
/// If `control` is cancelled or its time is up. The proof checks `control` after a few rows.
///
/// # Panics
/// If the proof isn't [possible](is_possible), or if S lacks an empty socket.
pub(in super::super) fn prove(
    workspace: &mut Workspace,
    q: &Question,
    memory: u64,
    boards: u64,
    control: &Control,
) -> Result<Option<Proved>, Stopped> {
    let split = SocketSplit::new(q);
    assert!(is_possible(split.len(), q.placements) && split.len() == q.free.count_ones() as usize);
    let most = q.placements - 1 + q.first();
    let Some(memory) = memory.checked_sub(split.table_bytes(q.placements, most)) else { return Ok(None) };
    workspace.levels = Default::default();
    LocatedProof::new(workspace, q, split, most, control).run(memory, boards)
}

impl LocatedProof<'_> {
    /// Computes all levels, then the board of the question. Returns `None` if a level exceeds the
    /// limit of memory or of boards.
    fn run(&self, memory: u64, boards: u64) -> Result<Option<Proved>, Stopped> {
        let first = self.q.first();
        let top = self.q.placements - 1;
        let mut proved = Proved { plies: self.q.plies(top), ..Proved::default() };
        let mut above = LocatedRows::default();
        let mut buffers = LocatedRowBuffers::default();
        for a in (1..=top).rev() {
            let level = LocatedLevel { a, most: a + first, last: a == top, above: &above };
            let Some((rows, of_level)) = self.level(&level, memory, boards)? else { return Ok(None) };
            proved.boards += of_level;
            // Keep only the newest level: replacing `above` frees the memory of the preceding
            // level.
            above = rows;
        }
        // The last level has one row, the row of the empty set A. This row contains the board of
        // the question.
        let level = LocatedLevel { a: 0, most: first, last: top == 0, above: &above };
        let row = self.row(&level, 0);
        let (high, low) = (self.split.high(), self.split.low);
        let runs = Runs::new(high, low, first);
        self.attack(&level, &row, &mut buffers);
        proved.boards += runs.boards as u64;
        self.control.add(1 + runs.boards as u64);
        let won = |line: usize, place: usize| !buffers.lost[line].0[place];
        if self.q.attacks {
            proved.root = won(0, 0);
            let child = |i: usize| {
                let hope = if top == 0 { None } else { level.child(1 << i) };
                hope.map_or(Half::NONE, |lines| lines[0].0[0])
            };
            // `split` has the sockets of the question in reverse order.
            proved.children = (0..self.split.len()).rev().map(child).collect();
        } else {
            let of = |i: usize| {
                if i < low { won(runs.at[0] + i / PLACES, i % PLACES) } else { won(runs.at[1] + i - low, 0) }
            };
            proved.children = (0..self.split.len()).rev().map(of).collect();
            let mut g = [Pack::default()];
            self.defend(&level, &row, &mut buffers, &mut g);
            proved.boards += 1;
            proved.root = g[0].0[0];
        }
        Ok(Some(proved))
    }

    /// Computes one level. Returns its rows and the number of its boards, or `None` if the level
    /// exceeds `most_memory` bytes or `most_boards` boards.
    fn level(
        &self,
        level: &LocatedLevel,
        most_memory: u64,
        most_boards: u64,
    ) -> Result<Option<(LocatedRows, u64)>, Stopped> {
        let threads = self.workspace.threads;
        let sets: Vec<u64> = subsets(self.split.len(), level.a).collect();
        let parallel = threads > 1 && sets.len() > 100;
        let tasks: Vec<&[u64]> = sets.chunks(1000).collect();
        let hopeful = |sets: &[u64]| -> Result<Vec<bool>, Stopped> {
            let one = |&set: &u64| self.hopeful(&self.row(level, set));
            self.control.check().map(|()| sets.iter().map(one).collect())
        };
        let hopeful =
            threads::map(parallel, tasks, hopeful).into_iter().collect::<Result<Vec<_>, Stopped>>()?;
        let mut rows = LocatedRows { index: vec![NO_ROW; sets.len()], ..LocatedRows::default() };
        let mut left = Vec::new();
        let (mut lines, mut boards) = (0u64, 0u64);
        for (i, (&set, &is_hopeful)) in sets.iter().zip(hopeful.iter().flatten()).enumerate() {
            if is_hopeful {
                rows.index[i] = left.len() as u32;
                rows.at.push(lines as usize);
                let runs = self.runs(set, level.most - 1);
                let of_row = (runs.boards + self.runs(set, level.most).boards) as u64;
                lines += runs.all as u64;
                boards += of_row;
                left.push((set, runs.all, of_row));
            }
        }
        // Each thread needs memory for two arrays of a row, and for the tables of low sets. `row`
        // is an upper bound on this memory, in lines.
        let row = 3 * self.runs(0, level.most).all + 1000;
        let all = lines + (level.above.lines + row * threads) as u64;
        let bytes = all.saturating_mul(size_of::<Pack>() as u64);
        if bytes > most_memory || boards > most_boards || rows.arena.reserve(lines).is_err() {
            return Ok(None);
        }
        // The lines fit in memory, so the number of lines fits in `usize`.
        rows.lines = lines as usize;
        let parts = if parallel { 64 * threads } else { 1 };
        rows.any = self.rows(level, &left, parts, rows.arena.slice_mut(rows.lines))?;
        Ok(Some((rows, boards)))
    }

    /// Computes rows into `out`, divided into `parts` tasks. Each item of `sets` has the set of a
    /// row, its number of lines and its number of boards. For each row, returns the rotations at
    /// which at least one board of the row is won.
    fn rows(
        &self,
        level: &LocatedLevel,
        sets: &[(u64, usize, u64)],
        parts: usize,
        out: &mut [Pack],
    ) -> Result<Vec<Half>, Stopped> {
        let mut rest = out;
        let mut tasks = Vec::new();
        for sets in sets.chunks(sets.len().div_ceil(parts).max(1)) {
            let (these, others) = rest.split_at_mut(sets.iter().map(|(_, lines, _)| lines).sum());
            rest = others;
            tasks.push((sets, these));
        }
        let compute = |(sets, mut out): (&[(u64, usize, u64)], &mut [Pack])| {
            let mut buffers = LocatedRowBuffers::default();
            let mut any = Vec::new();
            for &(set, lines, boards) in sets {
                self.control.check()?;
                let (g, rest) = std::mem::take(&mut out).split_at_mut(lines);
                out = rest;
                let row = self.row(level, set);
                self.attack(level, &row, &mut buffers);
                self.defend(level, &row, &mut buffers, g);
                self.control.add(boards);
                any.push(g.iter().flat_map(|pack| pack.0).fold(Half::NONE, |all, half| all | half));
            }
            Ok(any)
        };
        let any = threads::map(parts > 1, tasks, compute).into_iter().collect::<Result<Vec<_>, Stopped>>()?;
        Ok(any.into_iter().flatten().collect())
    }
}
