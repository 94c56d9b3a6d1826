//! A proof with located marbles: the attacker has a few placements, and all of the defender's marbles
//! count where they lie.
//!
//! All empty sockets are in S: it is a search of full width for the wins of one player. It is cheaper
//! than the rooted solution to the same depth: there is one chain of values instead of two; the boards
//! with the attacker to move are kept for one row only, and the attacker's last placement takes no
//! boards; and a row that can't hold a win is left out.
//!
//! A *row* holds, for one set A of the attacker's marbles, the boards with every set B of the defender's
//! marbles of the size that this level has. A row's boards are in *runs*
//! (`kernel::proof::located`): the sockets are split into low and high ones, and a run has all boards
//! with the same marbles on high sockets. Runs are in the order of the number of these, then of the
//! sets. What a run needs, the boards with one marble more on a high socket, is a run with the same
//! low sets.
//!
//! A row is left out if an upper bound on its wins is empty: after any reply, a board can be won only
//! where the attacker has five, or where some child can be won for some B.

mod rows;
mod sets;
#[cfg(test)]
mod tests;

use super::counted::{Proved, Question, Workspace};
use crate::kernel::{Arena, PLACES, Pack, Passes, Turns};
use crate::rules::Rules;
use crate::supers::Half;
use crate::threads;
use pentago_base::{Control, Stopped, bits};
use rows::RowMemory;
use sets::{LowSets, Runs, Split, choose, low_and_high, rank, subsets};

/// The attacker places at most so many marbles.
pub(super) const MOST_PLACEMENTS: usize = 8;

/// What a proof may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    /// Bytes.
    pub memory: u64,
    /// Boards of a level.
    pub boards: u64,
}

/// Fives by set of so many marbles: at rotations of both parities.
type Fives = Vec<[Vec<Half>; 2]>;

/// What all rows of a proof need.
struct Proof<'a> {
    rules: Rules,
    passes: Passes,
    turns: [Turns; 2],
    /// Of the rotations with the attacker and with the defender to move.
    parities: [usize; 2],
    split: Split,
    /// By number of free low sockets.
    low_sets: Vec<LowSets>,
    /// The attacker's, by number of the set.
    own: Fives,
    /// The defender's, in the order of [`Split::at`].
    other: Fives,
    q: &'a Question<'a>,
    control: &'a Control,
}

/// The rows of one level that are there.
#[derive(Default)]
struct Rows {
    /// By number of the set: which one it is, or [`NO_ROW`].
    index: Vec<u32>,
    /// Where each begins.
    at: Vec<usize>,
    /// The rotations that are won on some board of a row.
    any: Vec<Half>,
    /// All their lines.
    lines: usize,
}

const NO_ROW: u32 = u32::MAX;

/// One level: boards with so many marbles of the attacker.
struct Level<'a> {
    a: usize,
    /// The defender's marbles with the attacker to move.
    most: usize,
    /// The last placement follows.
    last: bool,
    above: &'a Rows,
    lines: &'a [Pack],
}

/// At most so many boards are computed in a proof with so many placements: all but those of rows that
/// are left out.
pub(super) fn most_boards(empty: usize, placements: usize, attacks: bool) -> u64 {
    let first = usize::from(!attacks);
    let of = |a: usize| {
        let (most, rest) = (a + first, empty - a);
        let defends = if most > 0 { choose(rest, most - 1) } else { 0 };
        choose(empty, a) as u64 * (choose(rest, most) + defends) as u64
    };
    (0..placements).map(of).sum()
}

/// Bytes that the levels of such a proof take, if no row of the last one, which is the largest, is left
/// out. Where rows are, the level before it finds room, too; if it doesn't, [`prove`] finds out.
pub(super) fn most_bytes(empty: usize, placements: usize, attacks: bool) -> u64 {
    let a = placements - 1;
    let most = a + usize::from(!attacks);
    let (low, high) = low_and_high(empty);
    // By the number of the attacker's marbles on low sockets.
    let lines = |on_low: usize| {
        let rows = choose(low, on_low) * choose(high, a - on_low);
        let row = |size: usize| Runs::new(high.saturating_sub(a - on_low), low - on_low, size).all;
        if rows == 0 || most == 0 { 0 } else { rows as u64 * row(most - 1) as u64 }
    };
    (0..=a.min(low)).map(lines).sum::<u64>() * size_of::<Pack>() as u64
}

/// Whether a proof with so many placements can be made at all: no board of it may be full. In a browser,
/// where the size of the program counts, there are none.
pub(super) fn is_possible(empty: usize, placements: usize) -> bool {
    !cfg!(target_arch = "wasm32") && (1..=MOST_PLACEMENTS).contains(&placements) && empty > 2 * placements + 1
}

/// Proves what can be proved if the attacker places `q.placements` marbles: the last one makes five at
/// once, or by its turn. None where it would take more than it may: that shows as the rows are counted,
/// those of the largest level first.
///
/// # Errors
/// If it was stopped, or time was up: within a few rows.
///
/// # Panics
/// If it isn't [possible](is_possible), or S lacks an empty socket.
pub(super) fn prove(
    workspace: &mut Workspace,
    q: &Question,
    may: Most,
    control: &Control,
) -> Result<Option<Proved>, Stopped> {
    let first = usize::from(!q.attacks);
    let parities = [q.parity ^ first as u8, q.parity ^ first as u8 ^ 1];
    let split = Split::new(q);
    assert!(is_possible(split.len(), q.placements) && split.len() == q.free.count_ones() as usize);
    let most = q.placements - 1 + first;
    let tables = split.tables(q.placements, most);
    let Some(memory) = may.memory.checked_sub(tables) else { return Ok(None) };
    let may = Most { memory, ..may };
    workspace.free_levels();
    let mut proof = Proof {
        rules: workspace.rules(),
        passes: Passes::of(workspace.kernel()),
        turns: parities.map(|p| workspace.turns(p)),
        parities: parities.map(usize::from),
        low_sets: LowSets::all(split.low, q.placements - 1, most),
        own: (0..=q.placements).map(|a| [0, 1].map(|_| vec![Half::NONE; choose(split.len(), a)])).collect(),
        other: (0..=most).map(|b| [0, 1].map(|_| vec![Half::NONE; choose(split.len(), b)])).collect(),
        split,
        q,
        control,
    };
    proof.fill(workspace);
    let threads = workspace.threads();
    proof.run(threads, may)
}

impl Proof<'_> {
    /// Fills the tables of fives.
    fn fill(&mut self, workspace: &Workspace) {
        let (split, q) = (&self.split, self.q);
        for line in workspace.lines() {
            let missing = line.set & q.free;
            let n = missing.count_ones() as usize;
            let set = split.numbers(missing);
            let add = |tables: &mut Fives, at: usize| {
                for (table, rotations) in tables[n].iter_mut().zip(line.rotations) {
                    table[at] = table[at] | rotations;
                }
            };
            if line.set & q.own == 0 && n < self.other.len() {
                let (run, low) = split.at(set);
                add(&mut self.other, run + low);
            }
            if line.set & q.other == 0 && n < self.own.len() {
                add(&mut self.own, rank(set));
            }
        }
        // Larger sets have what their subsets have.
        let close = |tables: &mut Fives, n: usize, at: &dyn Fn(u64) -> usize| {
            for size in 1..tables.len() {
                let (fewer, these) = tables.split_at_mut(size);
                let fewer = &fewer[size - 1];
                for set in subsets(n, size) {
                    let to = at(set);
                    for socket in bits(set) {
                        let from = at(set & !(1 << socket));
                        for p in 0..2 {
                            these[0][p][to] = these[0][p][to] | fewer[p][from];
                        }
                    }
                }
            }
        };
        close(&mut self.own, split.len(), &rank);
        let at = |set: u64| {
            let (run, low) = split.at(set);
            run + low
        };
        close(&mut self.other, split.len(), &at);
    }

    fn run(&self, threads: usize, may: Most) -> Result<Option<Proved>, Stopped> {
        let first = usize::from(!self.q.attacks);
        let top = self.q.placements - 1;
        let mut proved = Proved { plies: 2 * top + 1 + first, ..Proved::default() };
        let mut above = Rows::default();
        let mut row_memory = RowMemory::default();
        let (mut these, mut those) = (Arena::default(), Arena::default());
        for a in (1..=top).rev() {
            let lines = those.slice(above.lines);
            let level = Level { a, most: a + first, last: a == top, above: &above, lines };
            let Some((rows, boards)) = self.level(&level, threads, may, &mut these)? else {
                return Ok(None);
            };
            proved.boards += boards;
            above = rows;
            // The level that isn't needed any more is freed.
            those = std::mem::take(&mut these);
        }
        // The board itself.
        let level =
            Level { a: 0, most: first, last: top == 0, above: &above, lines: those.slice(above.lines) };
        let row = self.row(&level, 0);
        let (high, low) = (self.split.high(), self.split.low);
        let runs = Runs::new(high, low, first);
        self.attack(&level, &row, &mut row_memory);
        proved.boards += runs.boards as u64;
        self.control.add(1 + runs.boards as u64);
        let won = |line: usize, place: usize| !row_memory.lost[line].0[place];
        if self.q.attacks {
            proved.root = won(0, 0);
            let child = |i: usize| {
                let hope = if top == 0 { None } else { level.child(1 << i) };
                hope.map_or(Half::NONE, |lines| lines[0].0[0])
            };
            // The split has the sockets of the question from the last to the first.
            proved.children = (0..self.split.len()).rev().map(child).collect();
        } else {
            let of = |i: usize| {
                if i < low { won(runs.at[0] + i / PLACES, i % PLACES) } else { won(runs.at[1] + i - low, 0) }
            };
            proved.children = (0..self.split.len()).rev().map(of).collect();
            let mut g = [Pack::default()];
            self.defend(&level, &row, &mut row_memory, &mut g);
            proved.boards += 1;
            proved.root = g[0].0[0];
        }
        Ok(Some(proved))
    }

    /// Free high and low sockets of a row.
    fn free(&self, set: u64) -> (u64, u64) {
        let free = !set & ((1 << self.split.len()) - 1);
        (free >> self.split.low, free & ((1 << self.split.low) - 1))
    }

    /// The runs of a row with so many marbles of the defender.
    fn runs(&self, set: u64, size: usize) -> Runs {
        let (high, low) = self.free(set);
        Runs::new(high.count_ones() as usize, low.count_ones() as usize, size)
    }

    /// The rows of a level, and the boards computed for them; none where it would take more than it may.
    fn level(
        &self,
        level: &Level,
        threads: usize,
        may: Most,
        arena: &mut Arena,
    ) -> Result<Option<(Rows, u64)>, Stopped> {
        let sets: Vec<u64> = subsets(self.split.len(), level.a).collect();
        let parallel = threads > 1 && sets.len() > 100;
        let tasks: Vec<&[u64]> = sets.chunks(1000).collect();
        let hopeful = |sets: &[u64]| -> Result<Vec<bool>, Stopped> {
            let one = |&set: &u64| self.hopeful(&self.row(level, set));
            self.control.check().map(|()| sets.iter().map(one).collect())
        };
        let hopeful =
            threads::map(parallel, tasks, hopeful).into_iter().collect::<Result<Vec<_>, Stopped>>()?;
        let mut rows = Rows { index: vec![NO_ROW; sets.len()], ..Rows::default() };
        let mut left = Vec::new();
        let (mut lines, mut boards) = (0u64, 0u64);
        for (i, (&set, _)) in
            sets.iter().zip(hopeful.iter().flatten()).enumerate().filter(|(_, (_, hope))| **hope)
        {
            rows.index[i] = left.len() as u32;
            rows.at.push(lines as usize);
            let runs = self.runs(set, level.most - 1);
            let of_row = (runs.boards + self.runs(set, level.most).boards) as u64;
            lines += runs.all as u64;
            boards += of_row;
            left.push((set, runs.all, of_row));
        }
        // Both arrays of a thread, and its tables of low sets.
        let row = 3 * self.runs(0, level.most).all + 1000;
        let all = lines + (level.lines.len() + row * threads) as u64;
        let bytes = all.saturating_mul(size_of::<Pack>() as u64);
        if bytes > may.memory || boards > may.boards || arena.reserve(lines).is_err() {
            return Ok(None);
        }
        // There is memory for them, so they are counted in `usize`.
        let lines = lines as usize;
        rows.lines = lines;
        let mut rest = arena.slice_mut(lines);
        let mut tasks = Vec::new();
        for sets in left.chunks(left.len().div_ceil(if parallel { 64 * threads } else { 1 }).max(1)) {
            let (these, others) = rest.split_at_mut(sets.iter().map(|(_, lines, _)| lines).sum());
            rest = others;
            tasks.push((sets, these));
        }
        let compute = |(sets, mut out): (&[(u64, usize, u64)], &mut [Pack])| {
            let mut memory = RowMemory::default();
            let mut any = Vec::new();
            for &(set, lines, boards) in sets {
                self.control.check()?;
                let (g, rest) = std::mem::take(&mut out).split_at_mut(lines);
                out = rest;
                let row = self.row(level, set);
                self.attack(level, &row, &mut memory);
                self.defend(level, &row, &mut memory, g);
                self.control.add(boards);
                any.push(g.iter().flat_map(|pack| pack.0).fold(Half::NONE, |all, half| all | half));
            }
            Ok(any)
        };
        let any = threads::map(parallel, tasks, compute).into_iter().collect::<Result<Vec<_>, Stopped>>()?;
        rows.any = any.into_iter().flatten().collect();
        Ok(Some((rows, boards)))
    }
}

impl<'a> Level<'a> {
    /// The row above of this set, from its beginning on.
    fn child(&self, set: u64) -> Option<&'a [Pack]> {
        match self.above.index[rank(set)] {
            NO_ROW => None,
            index => Some(&self.lines[self.above.at[index as usize]..]),
        }
    }
}
