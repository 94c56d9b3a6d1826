//! A proof with counted outsiders. The attacker may place only on a few sockets, the set S. The
//! defender may place anywhere. Defender marbles outside S, the *outsiders*, are counted but not
//! located.
//!
//! The attacker's wins in such a proof are also wins in the game: the proof gives the attacker
//! fewer moves, and treats each outsider as if it lay wherever it helps the defender most. The
//! proof covers all rotations of one parity. Its number of boards doesn't depend on the empty
//! sockets outside S. If S has s sockets, the proof has about 0.6 to 0.8 times 3^s boards, provided
//! that the attacker is to move and places on at most two fifths of the sockets. If the defender is
//! to move, the proof has up to 3^s boards. `kernel::proof` has the recurrence of a row. This file
//! makes the tables for the recurrence, and computes the rows, from the largest sets of the
//! attacker's marbles down to the empty set.

use super::lines::TurnedLine;
use super::sets::{choose, ranks, subsets};
use crate::kernel::{Arena, Kernel, MOST_SOCKETS, Pack, Passes, ProofRow, Turns, row_packs};
use crate::rules::{Dir, Place, Rules};
use crate::supers::Half;
use crate::threads;
use pentago_base::{Control, Stopped, bits};
use std::num::NonZeroUsize;

/// The maximum number of sockets on a line. If there are this many outsiders, they could fill any
/// line, so the proof treats each line that the defender can still complete as complete.
const MOST_ON_A_LINE: usize = 5;

/// The maximum size in bytes by which the arenas of two levels exceed the levels themselves. The
/// excess arises because an arena consists of whole huge pages.
pub(super) const ARENAS: u64 = 2 << 21;

/// The number of subsets of S that one step of a table look-up processes.
const FEW_SETS: usize = 16;

/// The number of elements of each of the first [`FEW_SETS`] subsets, indexed by subset.
const ELEMENTS: [usize; FEW_SETS] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

/// The minimum number of boards at which a level is computed on several threads
/// (`bench/README.md#threads`).
const PARALLEL_BOARDS: u64 = 100_000;

/// The board and the limits of a proof.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    /// The attacker's marbles, on the board with all quadrants unturned.
    pub own: u64,
    /// The defender's marbles, on the board with all quadrants unturned.
    pub other: u64,
    /// The empty sockets.
    pub free: u64,
    /// S, the empty sockets on which the attacker may place. Each element is a set of one socket. S
    /// has at most [`MOST_SOCKETS`] sockets.
    pub sockets: &'a [u64],
    /// `true` if the attacker is to move, `false` if the defender is.
    pub attacks: bool,
    /// The parity of the requested rotations.
    pub parity: u8,
    /// The maximum number of marbles that the attacker places before the marble that makes five.
    pub placements: usize,
}

/// The result of a counted proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Proved {
    /// The rotations at which the attacker wins the board of the question.
    pub root: Half,
    /// The rotations at which the attacker wins after the player to move has placed on a socket of
    /// S, indexed by socket of S. The rotations have the other parity.
    pub children: Vec<Half>,
    /// The rotations at which the attacker wins after the defender has placed on a socket outside
    /// S. Empty if the attacker is to move, or if S contains all empty sockets.
    pub outside: Half,
    /// The rotations at which the board needs no search: a player has five in a row, or the
    /// defender can complete five by a placement.
    pub settled: Half,
    /// The number of computed boards.
    pub boards: u64,
    /// The maximum number of plies to the end of the game, for all wins of this proof.
    pub plies: usize,
}

impl Question<'_> {
    /// Returns the number of marbles that the defender places before the attacker's first move: 1
    /// if the defender is to move, otherwise 0.
    pub fn first(&self) -> usize {
        usize::from(!self.attacks)
    }

    /// Returns two parities: of the rotations of boards with the attacker to move, and of the
    /// rotations of boards with the defender to move.
    pub fn parities(&self) -> [usize; 2] {
        [0, 1].map(|defends| usize::from(self.parity) ^ self.first() ^ defends)
    }

    /// Returns the number of empty sockets outside S.
    fn outside(&self) -> usize {
        self.free.count_ones() as usize - self.sockets.len()
    }

    /// Returns the maximum number of plies of a proof in which the attacker places `top` marbles
    /// before the marble that makes five.
    pub fn plies(&self, top: usize) -> usize {
        2 * top + 1 + self.first()
    }

    /// Returns an upper bound on the number of boards of the proof. The bound includes boards that
    /// are skipped because their many outsiders make them lost.
    pub fn most_boards(&self) -> u64 {
        let top = self.sockets.len().min(self.placements);
        (0..=top).map(|a| CountedLevel { q: self, a, top, dead: usize::MAX }.boards()).sum()
    }
}

/// The memory and the constant data that the proofs of one search share.
pub(super) struct Workspace {
    pub rules: Rules,
    pub passes: Passes,
    pub threads: usize,
    pub lines: Vec<TurnedLine>,
    /// The [`ranks`] of the subsets, indexed by the number of sockets. Each list is computed at
    /// first use.
    ranks: Vec<Vec<u32>>,
    /// The boards with the defender to move: of the current level, and of the level with one more
    /// marble of the attacker. Each row reads from scattered places of the other level, so the
    /// arenas use huge pages.
    pub levels: [Arena; 2],
    row: RowArrays,
    tables: FiveTables,
}

/// Two arrays for the boards of one row with the attacker to move: the rotations at which the
/// attacker doesn't win, and the rotations at which the defender has five in a row.
type RowArrays = [Vec<Pack>; 2];

/// The rotations with five in a row, indexed by subset of S.
#[derive(Default)]
struct FiveTables {
    /// The rotations at which the attacker has five in a row. The first index is the parity, the
    /// second is the subset of S that holds the attacker's marbles.
    own: [Vec<Half>; 2],
    /// The rotations at which the defender can have five in a row. The indices are the number of
    /// outsiders, the parity, and the subset of S that holds the defender's marbles.
    other: Vec<[Vec<Half>; 2]>,
    /// The defender's fives on the boards of one level, indexed by the subset of S that holds the
    /// defender's marbles. Table 0 is for the boards with the attacker to move. Table 1 is for the
    /// same boards, but at the rotations of the other parity. Table 2 is for the boards with the
    /// defender to move.
    level: [Vec<Half>; 3],
}

/// Unites the rotations of each set with the rotations of all its subsets. `table` is indexed by
/// set.
fn close(table: &mut [Half]) {
    // The first steps work on blocks of a constant size, so that the compiler unrolls them.
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
            passes: Passes::of(kernel),
            threads: threads.get(),
            lines: super::lines::turned_lines(rules.shape),
            ranks: vec![Vec::new(); MOST_SOCKETS + 1],
            levels: Default::default(),
            row: RowArrays::default(),
            tables: FiveTables::default(),
        }
    }

    /// Returns the maximum memory in bytes of a proof on `sockets` sockets. The memory of parallel
    /// tasks ([`Workspace::task_bytes`]) is not included.
    pub fn bytes(&self, sockets: usize) -> u64 {
        let size = |a: usize| choose(sockets, a) * row_packs(sockets - a) as u64;
        let two = (0..sockets).map(|a| size(a) + size(a + 1)).max().unwrap_or(1);
        let rows = 2 * row_packs(sockets) as u64;
        let tables = (2 + 2 * (MOST_ON_A_LINE as u64 + 1) + 3) << sockets;
        ARENAS + (two + rows) * size_of::<Pack>() as u64 + tables * size_of::<Half>() as u64 + (4 << sockets)
    }

    /// Returns the total size in bytes of the rows of parallel tasks. Each thread computes one row
    /// at a time for each of the two searches. The last level, which has the longest row, is not
    /// divided into tasks.
    pub fn task_bytes(&self, sockets: usize) -> u64 {
        let rows = if self.threads > 1 { 2 * self.threads as u64 } else { 0 };
        rows * (row_packs(sockets.saturating_sub(1)) * size_of::<Pack>()) as u64
    }

    /// Returns the argument `turns` of [`Passes::rotation_max`] for results of parity `p`.
    pub fn turns(&self, p: u8) -> Turns {
        match self.rules.dir {
            Dir::Both => Turns::Both,
            Dir::Cw => Turns::Clockwise(p),
        }
    }

    /// Runs the counted proof of a question.
    ///
    /// # Errors
    /// If `control` is cancelled or its time is up, or if an allocation fails. The proof checks
    /// `control` after a few rows.
    pub fn prove(&mut self, q: &Question, control: &Control) -> Result<Proved, Stopped> {
        let s = q.sockets.len();
        assert!(s <= MOST_SOCKETS);
        let (first, outside) = (q.first(), q.outside());
        if self.ranks[s].is_empty() {
            self.ranks[s] = ranks(s);
        }
        let planes = MOST_ON_A_LINE.min(outside).min(q.placements.min(s) + first) + 1;
        self.tables.fill(&self.lines, q, planes);
        let is_dead = |plane: &[Vec<Half>; 2]| plane.iter().all(|half| half[0] == Half::ALL);
        let dead = self.tables.other.iter().position(is_dead).unwrap_or(2 * MOST_SOCKETS);
        let top = s.min(q.placements).min((s + dead - first) / 2);
        let mut proved = Proved { plies: q.plies(top), ..Proved::default() };
        for a in (0..=top).rev() {
            let level = CountedLevel { q, a, top, dead };
            let boards = level.boards();
            proved.boards += boards;
            control.add(boards);
            self.tables.level(&level);
            self.level(&level, boards, control)?;
        }
        proved.settled = self.tables.settled(self.rules, q);
        // The last level consists of one row, whose boards with the attacker to move are still in
        // `row`.
        let won = |set: usize| !self.row[0][set / 4].0[set % 4];
        if q.attacks {
            proved.root = won(0);
            let row = row_packs(s.saturating_sub(1));
            // If `top` is 0, the attacker can place no marble before the one that makes five, so no
            // child is won.
            let child = |i: usize| match top {
                0 => Half::NONE,
                _ => self.levels[1].line((i * row) as u64).0[0],
            };
            proved.children = (0..s).map(child).collect();
        } else {
            proved.root = self.levels[0].line(0).0[0];
            proved.children = (0..s).map(|i| won(1 << i)).collect();
            proved.outside = if outside > 0 { won(0) } else { Half::NONE };
        }
        Ok(proved)
    }

    /// Computes one level into `levels[0]`. The previously computed level, with one more marble of
    /// the attacker, moves from `levels[0]` to `levels[1]`.
    ///
    /// # Errors
    /// If `control` is cancelled or its time is up, or if an allocation fails. The contents of both
    /// levels are then unspecified.
    fn level(&mut self, level: &CountedLevel, boards: u64, control: &Control) -> Result<(), Stopped> {
        let &CountedLevel { q, a, top, .. } = level;
        let s = q.sockets.len();
        let [above, mut out] = std::mem::take(&mut self.levels);
        let mut arrays = std::mem::take(&mut self.row);
        let packs = row_packs(s - a);
        let size = choose(s, a) as usize * packs;
        out.reserve(size as u64).map_err(|_| Stopped)?;
        let above_size = if a < top { choose(s, a + 1) as usize * row_packs(s - a - 1) } else { 0 };
        let read = above.slice(above_size);
        let is_large = boards >= PARALLEL_BOARDS;
        let row = |(g, set): (&mut [Pack], u64), arrays: &mut RowArrays| {
            // A small level finishes quickly, so only a large one checks for cancellation.
            if is_large {
                control.check()?;
            }
            self.row(level, read, set as u32, arrays, g);
            Ok(())
        };
        let rows = out.slice_mut(size);
        if self.threads > 1 && is_large && a > 0 {
            let sets: Vec<u64> = subsets(s, a).collect();
            // Make several tasks for each thread, but no task with fewer than about
            // `PARALLEL_BOARDS / 8` boards.
            let tasks = (boards / (PARALLEL_BOARDS / 8)).clamp(1, 8 * self.threads as u64) as usize;
            let each = sets.len().div_ceil(tasks);
            let tasks = rows.chunks_mut(packs * each).zip(sets.chunks(each)).collect();
            let ends = threads::map(true, tasks, |(out, sets): (&mut [Pack], &[u64])| {
                let mut arrays = RowArrays::default();
                let mut rows = out.chunks_exact_mut(packs).zip(sets.iter().copied());
                rows.try_for_each(|next| row(next, &mut arrays))
            });
            ends.into_iter().collect::<Result<(), Stopped>>()?;
        } else {
            let mut rows = rows.chunks_exact_mut(packs).zip(subsets(s, a));
            rows.try_for_each(|next| row(next, &mut arrays))?;
        }
        (self.levels, self.row) = ([out, above], arrays);
        Ok(())
    }

    /// Computes the row of the boards on which the attacker has the marbles `set` on S. `above` is
    /// the level with one more marble of the attacker. `above` is empty for the top level. `g`
    /// receives the results of the boards with the defender to move.
    fn row(&self, level: &CountedLevel, above: &[Pack], set: u32, arrays: &mut RowArrays, g: &mut [Pack]) {
        let (q, tables, parities) = (level.q, &self.tables, level.q.parities());
        let s = q.sockets.len();
        let free = !set & ((1u32 << s) - 1);
        let bits = s - level.a;
        let child_packs = row_packs(bits.saturating_sub(1));
        let mut children = [0; MOST_SOCKETS];
        let mut threats = [Half::NONE; MOST_SOCKETS];
        let mut rest = free;
        for i in 0..bits {
            let more = set | rest & rest.wrapping_neg();
            rest &= rest - 1;
            if self.rules.place == Place::Wins {
                threats[i] = tables.own[parities[0]][more as usize];
            }
            children[i] = self.ranks[s][more as usize] as usize * child_packs;
        }
        let row = ProofRow {
            rules: self.rules,
            turns: parities.map(|p| self.turns(p as u8)),
            free,
            above,
            children: if above.is_empty() { &[] } else { &children[..bits] },
            fives: tables.level.each_ref().map(Vec::as_slice),
            won: parities.map(|p| tables.own[p][set as usize]),
            threats: &threats[..bits],
            most: level.most(),
            outside: q.outside(),
            dead: level.dead,
            defends: level.a > 0 || !q.attacks,
        };
        let packs = row_packs(bits);
        for array in arrays.iter_mut().filter(|array| array.len() < packs) {
            array.resize(packs, Pack::default());
        }
        let [lost, fives] = arrays;
        self.passes.proof_row(&row, &mut lost[..packs], &mut fives[..packs], g);
    }
}

/// One level of the proof: all boards on which the attacker has placed `a` marbles on S.
struct CountedLevel<'a> {
    q: &'a Question<'a>,
    a: usize,
    /// The value of `a` in the level that is computed first. This is the largest value.
    top: usize,
    /// The smallest number of outsiders with which every board is lost for the attacker.
    dead: usize,
}

impl CountedLevel<'_> {
    /// Returns the number of marbles that the defender has placed when the attacker is to move.
    fn most(&self) -> usize {
        self.a + self.q.first()
    }

    /// Returns the number of boards of the level, with either player to move. Boards with `dead` or
    /// more outsiders are excluded.
    fn boards(&self) -> u64 {
        let s = self.q.sockets.len();
        let rest = s - self.a;
        let of = |most: usize| -> u64 {
            let least = most.saturating_sub(self.q.outside().min(self.dead));
            (least..=most.min(rest)).map(|b| choose(rest, b)).sum()
        };
        choose(s, self.a) * (of(self.most()) + self.most().checked_sub(1).map_or(0, of))
    }
}

impl FiveTables {
    /// Fills in the fives of both players. The defender's fives are computed for 0 to `planes - 1`
    /// outsiders.
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
            let counted = (missing & !inside).count_ones() as usize;
            let (owned, open) =
                (line.set & q.other == 0 && counted == 0, line.set & q.own == 0 && counted < planes);
            if !owned && !open {
                continue;
            }
            let set = bits(missing & inside).fold(0, |set, socket| set | 1usize << number[socket]);
            if owned {
                line.add_to(&mut self.own, set);
            }
            if open {
                line.add_to(&mut self.other[counted], set);
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

    /// Returns [`Proved::settled`].
    fn settled(&self, rules: Rules, q: &Question) -> Half {
        let p = usize::from(q.parity);
        let five = self.own[p][0] | self.other[0][p][0];
        if q.attacks || rules.place == Place::Turn {
            return five;
        }
        let elsewhere = if q.outside() > 0 { self.other[1][p][0] } else { Half::NONE };
        (0..q.sockets.len()).fold(five | elsewhere, |all, i| all | self.other[0][p][1 << i])
    }

    /// Fills in the defender's fives on the boards of one level. The levels must be passed in
    /// descending order of `a`, starting with the top level.
    fn level(&mut self, level: &CountedLevel) {
        let (size, most) = (1usize << level.q.sockets.len(), level.most());
        let FiveTables { other, level: tables, .. } = self;
        // Table 2 of the preceding level belongs to boards with as many defender marbles as table 1
        // of this level, at the same rotations. So reuse it instead of computing table 1.
        tables.swap(1, 2);
        for (i, table) in tables.iter_mut().enumerate() {
            table.resize(size.max(table.len()), Half::NONE);
            if i == 1 && level.a < level.top {
                continue;
            }
            let p = level.q.parities()[usize::from(i > 0)];
            let most = if i == 2 { most.checked_sub(1) } else { Some(most) };
            // The plane of `other` for each number of located marbles. The defender's other marbles
            // are outsiders. The last plane also covers all larger numbers of outsiders.
            let planes: [Option<&[Half]>; MOST_SOCKETS + 1] = std::array::from_fn(|located| {
                let c = most?.checked_sub(located).filter(|&c| c <= level.q.outside())?;
                Some(other[c.min(other.len() - 1)][p].as_slice())
            });
            // Fill `whole` consecutive sets at a time. These sets have the same high bits, so
            // `more` counts the elements among the high bits, and `ELEMENTS` those among the low
            // bits.
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
