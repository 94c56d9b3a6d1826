//! A proof with counted outsiders: the attacker may place on a few sockets only, the defender
//! anywhere, but his marbles on other sockets are only counted.
//!
//! What holds for the attacker here holds in the game: he has fewer moves, and the defender's
//! counted marbles are wherever they help him. So there are about 0.6 to 0.8 times 3^s boards
//! for s sockets where he is to move and places on two fifths of them at most, and up to 3^s where the
//! defender is, whatever else is empty; and all rotations of one parity are proved at once. The
//! recurrence is that of the kernel's row (`kernel::proof`); this file makes its tables and goes
//! through the rows, from the largest sets of attacker's marbles down to none.

use super::lines::TurnedLine;
use super::sets::{choose, subsets};
use crate::kernel::{Arena, Kernel, MOST_SOCKETS, Pack, Passes, ProofRow, Turns, row_packs};
use crate::rules::{Dir, Place, Rules};
use crate::supers::Half;
use crate::threads;
use pentago_base::{Control, Stopped};
use std::num::NonZeroUsize;

/// No line has more sockets: with so many outsiders a line is open to the defender if it is at all.
const MOST_ON_A_LINE: usize = 5;

/// Bytes by which the memory of two levels is more than they need: they have whole huge pages.
pub(super) const ARENAS: u64 = 2 << 21;

/// So many subsets of S are looked up at a time.
const FEW_SETS: usize = 16;

/// The numbers of their elements.
const ELEMENTS: [usize; FEW_SETS] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

/// A level with at least this many boards is computed by several threads (`bench/README.md#threads`).
const PARALLEL_BOARDS: u64 = 100_000;

/// What is to be proved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    /// The attacker's marbles in the frame.
    pub own: u64,
    /// The defender's.
    pub other: u64,
    /// The empty sockets.
    pub free: u64,
    /// S: the empty sockets that the attacker may use, each a set of one; at most [`MOST_SOCKETS`].
    pub sockets: &'a [u64],
    /// The attacker is to move, else the defender.
    pub attacks: bool,
    /// The parity of the rotations asked about.
    pub parity: u8,
    /// The attacker may place so many marbles, and one more that makes five.
    pub placements: usize,
}

/// What was proved, with counted or with located marbles: the rotations at which the attacker wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Proved {
    /// Of the board asked about.
    pub root: Half,
    /// After a placement of the player to move on each socket of S, in its order (at the other parity).
    pub children: Vec<Half>,
    /// After a placement of the defender elsewhere, wherever that is. None where the attacker is to
    /// move, and none if S has all empty sockets.
    pub outside: Half,
    /// Where the board itself says all: somebody has five, or the defender makes it by a placement. A
    /// located proof doesn't tell.
    pub settled: Half,
    /// Boards computed.
    pub boards: u64,
    /// The game ends within so many plies.
    pub plies: usize,
}

impl Question<'_> {
    /// Boards that the proof computes at most: as many as if the defender never had so many
    /// outsiders that everything is lost.
    pub fn most_boards(&self) -> u64 {
        let s = self.sockets.len();
        let outside = self.free.count_ones() as usize - s;
        let top = s.min(self.placements);
        let level = |a| {
            let most = a + usize::from(!self.attacks);
            Level { s, a, top, most, outside, dead: usize::MAX, parities: [0; 2] }
        };
        (0..=top).map(|a| level(a).boards()).sum()
    }
}

/// The memory that proofs share, and what they all need.
pub(super) struct Workspace {
    rules: Rules,
    kernel: Kernel,
    threads: usize,
    lines: Vec<TurnedLine>,
    /// By number of sockets, made when first needed: the number of a set among the sets of its
    /// size.
    ranks: Vec<Vec<u32>>,
    /// g of one level and of the one above it, in huge pages: the rows of a level are read from all
    /// over the one above.
    levels: [Arena; 2],
    row: RowMemory,
    tables: Tables,
}

/// The arrays of one row.
#[derive(Default)]
struct RowMemory {
    lost: Vec<Pack>,
    fives: Vec<Pack>,
}

/// The fives, by subset of S.
#[derive(Default)]
struct Tables {
    /// The attacker's, by parity.
    own: [Vec<Half>; 2],
    /// The defender's, by outsiders and parity.
    other: Vec<[Vec<Half>; 2]>,
    /// The defender's at the boards of one level, as a row wants them.
    level: [Vec<Half>; 3],
}

/// All the supersets unite what their subsets have.
fn close(table: &mut [Half]) {
    // The first steps within so many, whose number the compiler knows.
    let (few, rest) = table.as_chunks_mut::<FEW_SETS>();
    for sets in few {
        for step in [1, 2, 4, 8] {
            for with in 0..FEW_SETS {
                if with & step != 0 {
                    sets[with] = sets[with] | sets[with ^ step];
                }
            }
        }
    }
    let mut step = if rest.is_empty() { FEW_SETS } else { 1 };
    while step < table.len() {
        for pair in table.chunks_exact_mut(2 * step) {
            let (without, with) = pair.split_at_mut(step);
            for (a, b) in without.iter().zip(with) {
                *b = *b | *a;
            }
        }
        step *= 2;
    }
}

impl Workspace {
    pub fn new(rules: Rules, kernel: Kernel, threads: NonZeroUsize) -> Workspace {
        Workspace {
            rules,
            kernel,
            threads: threads.get(),
            lines: super::lines::turned_lines(rules.shape),
            ranks: vec![Vec::new(); MOST_SOCKETS + 1],
            levels: Default::default(),
            row: RowMemory::default(),
            tables: Tables::default(),
        }
    }

    pub fn rules(&self) -> Rules {
        self.rules
    }

    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Gives the memory of levels back to the system, until the next proof.
    pub fn free_levels(&mut self) {
        self.levels = Default::default();
    }

    pub fn lines(&self) -> &[TurnedLine] {
        &self.lines
    }

    /// Bytes that a proof on so many sockets takes at most, without [`Workspace::task_bytes`].
    pub fn bytes(&self, sockets: usize) -> u64 {
        let size = |a: usize| choose(sockets, a) * row_packs(sockets - a) as u64;
        let two = (0..sockets).map(|a| size(a) + size(a + 1)).max().unwrap_or(1);
        ARENAS + two * size_of::<Pack>() as u64 + self.bytes_without_levels(sockets)
    }

    /// The part of them that stays after [`Workspace::free_levels`].
    pub fn bytes_without_levels(&self, sockets: usize) -> u64 {
        let rows = 2 * row_packs(sockets) as u64;
        let tables = (2 + 2 * (MOST_ON_A_LINE as u64 + 1) + 3) << sockets;
        rows * size_of::<Pack>() as u64 + tables * size_of::<Half>() as u64 + (4 << sockets)
    }

    /// Bytes of the rows that all threads together compute in tasks: each thread has one row at a
    /// time, whichever proof it belongs to. The last level, with the longest row, has no tasks.
    pub fn task_bytes(&self, sockets: usize) -> u64 {
        let rows = if self.threads > 1 { 2 * self.threads as u64 } else { 0 };
        rows * (row_packs(sockets.saturating_sub(1)) * size_of::<Pack>()) as u64
    }

    /// The rotation max for results at rotations of parity `p`.
    pub fn turns(&self, p: u8) -> Turns {
        match self.rules.dir {
            Dir::Both => Turns::Both,
            Dir::Cw => Turns::Clockwise(p),
        }
    }

    /// Proves what can be proved with these sockets.
    ///
    /// # Errors
    /// If it was stopped, or time was up: within a few rows.
    pub fn prove(&mut self, q: &Question, control: &Control) -> Result<Proved, Stopped> {
        let s = q.sockets.len();
        assert!(s <= MOST_SOCKETS);
        let outside = q.free.count_ones() as usize - s;
        let first = usize::from(!q.attacks);
        let parities = [q.parity ^ first as u8, q.parity ^ first as u8 ^ 1].map(usize::from);
        if self.ranks[s].is_empty() {
            let mut next = [0u32; MOST_SOCKETS + 1];
            self.ranks[s] = (0..1u32 << s)
                .map(|set| {
                    let rank = &mut next[set.count_ones() as usize];
                    *rank += 1;
                    *rank - 1
                })
                .collect();
        }
        let planes = MOST_ON_A_LINE.min(outside).min(q.placements.min(s) + first) + 1;
        self.tables.fill(&self.lines, q, planes);
        let is_dead = |plane: &[Vec<Half>; 2]| plane.iter().all(|half| half[0] == Half::ALL);
        let dead = self.tables.other.iter().position(is_dead).unwrap_or(2 * MOST_SOCKETS);
        let top = s.min(q.placements).min((s + dead - first) / 2);
        let mut proved = Proved { plies: 2 * top + 1 + first, ..Proved::default() };
        for a in (0..=top).rev() {
            let most = a + first;
            let level = Level { s, a, top, most, outside, dead, parities };
            let boards = level.boards();
            proved.boards += boards;
            control.add(boards);
            self.tables.level(&level);
            self.level(&level, boards, q, control)?;
        }
        proved.settled = self.tables.settled(self.rules, q, s, outside);
        // The last level is one row, whose f is still there.
        let lost = |set: usize| !self.row.lost[set / 4].0[set % 4];
        if q.attacks {
            proved.root = lost(0);
            let row = row_packs(s.saturating_sub(1));
            // Above the top nothing is known.
            let child = |i: usize| match top {
                0 => Half::NONE,
                _ => self.levels[1].line((i * row) as u64).0[0],
            };
            proved.children = (0..s).map(child).collect();
        } else {
            proved.root = self.levels[0].line(0).0[0];
            proved.children = (0..s).map(|i| lost(1 << i)).collect();
            proved.outside = if outside > 0 { lost(0) } else { Half::NONE };
        }
        Ok(proved)
    }

    /// Computes one level into `levels[0]`; `levels[1]` holds the one above it. Where it is ended
    /// early, rows are missing.
    fn level(&mut self, level: &Level, boards: u64, q: &Question, control: &Control) -> Result<(), Stopped> {
        let &Level { s, a, top, .. } = level;
        let turns = level.parities.map(|p| self.turns(p as u8));
        self.levels.swap(0, 1);
        let [out, above] = &mut self.levels;
        let packs = row_packs(s - a);
        let size = choose(s, a) as usize * packs;
        if out.reserve(size as u64).is_err() {
            return Err(Stopped);
        }
        let above_size = if a < top { choose(s, a + 1) as usize * row_packs(s - a - 1) } else { 0 };
        let above = above.slice(above_size);
        let make = Rows {
            rules: self.rules,
            passes: Passes::of(self.kernel),
            turns,
            tables: &self.tables,
            ranks: &self.ranks[s],
            above,
            level,
            defends: a > 0 || !q.attacks,
        };
        let out = out.slice_mut(size);
        // A small level is done before it could end.
        let check = || if boards >= PARALLEL_BOARDS { control.check() } else { Ok(()) };
        if self.threads > 1 && boards >= PARALLEL_BOARDS && a > 0 {
            let sets: Vec<u64> = subsets(s, a).collect();
            // A few tasks for each thread, none too small.
            let tasks = (boards / (PARALLEL_BOARDS / 8)).clamp(1, 8 * self.threads as u64) as usize;
            let each = sets.len().div_ceil(tasks);
            let tasks = out.chunks_mut(packs * each).zip(sets.chunks(each)).collect();
            let ends = threads::map(true, tasks, |(out, sets): (&mut [Pack], &[u64])| {
                let mut memory = RowMemory::default();
                for (g, &set) in out.chunks_exact_mut(packs).zip(sets) {
                    check()?;
                    make.row(set as u32, &mut memory, g);
                }
                Ok(())
            });
            ends.into_iter().collect()
        } else {
            for (g, set) in out.chunks_exact_mut(packs).zip(subsets(s, a)) {
                check()?;
                make.row(set as u32, &mut self.row, g);
            }
            Ok(())
        }
    }
}

/// One level: the boards with so many marbles of the attacker on S.
struct Level {
    s: usize,
    a: usize,
    /// The level that is computed first.
    top: usize,
    /// The defender's marbles with the attacker to move.
    most: usize,
    outside: usize,
    /// With so many outsiders everything is lost.
    dead: usize,
    /// Of the rotations with the attacker and with the defender to move.
    parities: [usize; 2],
}

impl Level {
    /// Boards that count, with either player to move.
    fn boards(&self) -> u64 {
        let rest = self.s - self.a;
        let of = |most: usize| -> u64 {
            let least = most.saturating_sub(self.outside.min(self.dead));
            (least..=most.min(rest)).map(|b| choose(rest, b)).sum()
        };
        let defends = if self.most > 0 { of(self.most - 1) } else { 0 };
        choose(self.s, self.a) * (of(self.most) + defends)
    }
}

impl Tables {
    /// The fives of both players, the defender's with 0 to `planes` - 1 outsiders.
    fn fill(&mut self, lines: &[TurnedLine], q: &Question, planes: usize) {
        let size = 1usize << q.sockets.len();
        let mut empty = |table: &mut Vec<Half>| {
            table.clear();
            table.resize(size, Half::NONE);
        };
        self.own.iter_mut().for_each(&mut empty);
        self.other.resize_with(planes, Default::default);
        self.other.iter_mut().flatten().for_each(&mut empty);
        let mut number = [0u8; 64];
        for (i, bit) in q.sockets.iter().enumerate() {
            number[bit.trailing_zeros() as usize] = i as u8;
        }
        let inside = q.sockets.iter().fold(0, |all, bit| all | bit);
        for line in lines {
            let missing = line.set & q.free;
            let part = missing & inside;
            let counted = (missing & !inside).count_ones() as usize;
            let (owned, open) =
                (line.set & q.other == 0 && counted == 0, line.set & q.own == 0 && counted < planes);
            if !owned && !open {
                continue;
            }
            let mut set = 0usize;
            let mut rest = part;
            while rest != 0 {
                set |= 1 << number[rest.trailing_zeros() as usize];
                rest &= rest - 1;
            }
            let add = |tables: &mut [Vec<Half>; 2]| {
                for (table, rotations) in tables.iter_mut().zip(line.rotations) {
                    table[set] = table[set] | rotations;
                }
            };
            if owned {
                add(&mut self.own);
            }
            if open {
                add(&mut self.other[counted]);
            }
        }
        self.own.iter_mut().for_each(|table| close(table));
        for c in 0..planes {
            let (fewer, these) = self.other.split_at_mut(c);
            for p in 0..2 {
                close(&mut these[0][p]);
                if let Some(fewer) = fewer.last() {
                    for (a, b) in these[0][p].iter_mut().zip(&fewer[p]) {
                        *a = *a | *b;
                    }
                }
            }
        }
    }

    /// See [`Proved::settled`].
    fn settled(&self, rules: Rules, q: &Question, s: usize, outside: usize) -> Half {
        let p = usize::from(q.parity);
        let five = self.own[p][0] | self.other[0][p][0];
        if q.attacks || rules.place == Place::Turn {
            return five;
        }
        let elsewhere = if outside > 0 { self.other[1][p][0] } else { Half::NONE };
        (0..s).fold(five | elsewhere, |all, i| all | self.other[0][p][1 << i])
    }

    /// The defender's fives at the boards of a level. Levels come one after the other, from the top.
    fn level(&mut self, level: &Level) {
        let size = 1usize << level.s;
        let Tables { other, level: tables, .. } = self;
        // With the defender to move: what the level above had at these rotations.
        tables.swap(1, 2);
        for (i, table) in tables.iter_mut().enumerate() {
            table.resize(size.max(table.len()), Half::NONE);
            if i == 1 && level.a < level.top {
                continue;
            }
            let p = level.parities[usize::from(i > 0)];
            let most = if i == 2 { level.most.checked_sub(1) } else { Some(level.most) };
            // By number of located marbles: the plane with as many outsiders as are left, at most
            // five.
            let planes: [Option<&[Half]>; MOST_SOCKETS + 1] = std::array::from_fn(|located| {
                let c = most?.checked_sub(located).filter(|&c| c <= level.outside)?;
                Some(other[c.min(other.len() - 1)][p].as_slice())
            });
            // Of so many sets the numbers of elements are those of the first ones, plus the same.
            let whole = size.min(FEW_SETS);
            for (i, out) in table[..size].chunks_exact_mut(whole).enumerate() {
                let more = i.count_ones() as usize;
                let parts: [&[Half]; FEW_SETS.ilog2() as usize + 1] = std::array::from_fn(|few| {
                    let plane = planes.get(more + few).copied().flatten();
                    plane.map_or(&[Half::NONE; FEW_SETS][..], |plane| &plane[i * whole..])
                });
                for ((b, out), few) in out.iter_mut().enumerate().zip(ELEMENTS) {
                    *out = parts[few][b];
                }
            }
        }
    }
}

/// What all rows of a level need.
struct Rows<'a> {
    rules: Rules,
    passes: Passes,
    turns: [Turns; 2],
    tables: &'a Tables,
    ranks: &'a [u32],
    /// The level above, or nothing.
    above: &'a [Pack],
    level: &'a Level,
    defends: bool,
}

impl Rows<'_> {
    /// Computes the row of the attacker's marbles `set`.
    fn row(&self, set: u32, memory: &mut RowMemory, g: &mut [Pack]) {
        let Level { s, a, most, outside, dead, parities, .. } = *self.level;
        let free = !set & ((1u32 << s) - 1);
        let bits = s - a;
        let child_packs = row_packs(bits.saturating_sub(1));
        let mut children = [0; MOST_SOCKETS];
        let mut threats = [Half::NONE; MOST_SOCKETS];
        let mut rest = free;
        for i in 0..bits {
            let more = set | rest & rest.wrapping_neg();
            rest &= rest - 1;
            if self.rules.place == Place::Wins {
                threats[i] = self.tables.own[parities[0]][more as usize];
            }
            children[i] = self.ranks[more as usize] as usize * child_packs;
        }
        let row = ProofRow {
            rules: self.rules,
            turns: self.turns,
            free,
            above: self.above,
            children: if self.above.is_empty() { &[] } else { &children[..bits] },
            fives: [0, 1, 2].map(|i| self.tables.level[i].as_slice()),
            won: parities.map(|p| self.tables.own[p][set as usize]),
            threats: &threats[..bits],
            most,
            outside,
            dead,
            defends: self.defends,
        };
        let packs = row_packs(bits);
        for table in [&mut memory.lost, &mut memory.fives] {
            if table.len() < packs {
                table.resize(packs, Pack::default());
            }
        }
        self.passes.proof_row(&row, &mut memory.lost[..packs], &mut memory.fives[..packs], g);
    }
}
