//! A proof with located marbles: the attacker has a few placements, and all of the defender's marbles
//! count where they lie.
//!
//! With all empty sockets in S it is a search of full width for the wins of one player. It is cheaper
//! than the rooted solution to the same depth: there is one chain of values instead of two; the boards
//! with the attacker to move are kept for one row only, and the attacker's last placement takes no
//! boards; and a row that can't hold a win is left out.
//!
//! A *row* holds for one set A of the attacker's marbles all sets B of as many of the defender's as
//! there can be; boards with few marbles are in short rows. A row's boards are in *runs*
//! (`kernel::proof::located`): the sockets are split into low and high ones, and a run has all boards
//! with the same marbles on high sockets. Runs are in the order of the number of these, then of the
//! sets. What a run needs, the boards with one marble more on a high socket, is a run with the same
//! low sets.
//!
//! A row is left out if already a bound on it is empty: wherever the defender places, a board after it
//! is won only if a child of the attacker's is won for some B or he has five.

use super::counted::{Question, Workspace};
use super::watch::{End, Watch};
use crate::kernel::{Arena, AttackRun, DefendRun, Kernel, Numbers, PLACES, Pack, Turns};
use crate::rules::{Both, Reply, Rules};
use crate::supers::Half;
use crate::threads;

/// The attacker places at most so many marbles.
pub(super) const MOST_PLACEMENTS: usize = 8;

/// Low sockets, at least. More make for longer runs, but replies on low sockets are dearer.
const LOW: usize = 16;

/// Low sockets at most.
const LOW_SOCKETS: usize = 20;

/// A search makes proofs on fewer sockets by counting.
pub(super) const LEAST_SOCKETS: usize = 18;

/// Empty sockets at most.
const SOCKETS: usize = 36;

/// n over k, for the sizes of sets that occur.
static CHOOSE: [[u32; MOST_PLACEMENTS + 2]; SOCKETS + 1] = {
    let mut table = [[0; MOST_PLACEMENTS + 2]; SOCKETS + 1];
    let mut n = 0;
    while n <= SOCKETS {
        table[n][0] = 1;
        let mut k = 1;
        while n > 0 && k < MOST_PLACEMENTS + 2 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

fn choose(n: usize, k: usize) -> usize {
    CHOOSE[n][k] as usize
}

/// The subsets of `n` sockets with `size` elements, in the order of their numbers.
fn subsets(n: usize, size: usize) -> impl Iterator<Item = u64> {
    let mut next = Some((1u64 << size) - 1).filter(|_| size <= n);
    std::iter::from_fn(move || {
        let set = next?;
        let low = set & set.wrapping_neg();
        next = (set != 0).then(|| {
            let up = set + low;
            up | (((set ^ up) >> 2) / low)
        });
        next = next.filter(|next| next >> n == 0);
        Some(set)
    })
}

/// The number of a set among those of its size.
fn rank(set: u64) -> usize {
    elements(set).enumerate().map(|(i, socket)| choose(socket, i + 1)).sum()
}

fn elements(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

/// `set` without the place of socket `i`, those above it moved down.
fn without(set: u64, i: usize) -> u64 {
    set >> (i + 1) << i | set & ((1 << i) - 1)
}

/// `set` with an empty place for socket `i`, those above it moved up.
fn spread(set: u64, i: usize) -> u64 {
    set >> i << (i + 1) | set & ((1 << i) - 1)
}

/// The sets of low sockets, for one number of free ones.
#[derive(Default)]
struct LowSets {
    /// By size.
    sets: Vec<Vec<u32>>,
    /// By size and socket: of the sets without it, numbered as sets of the others, the numbers.
    others: Vec<Vec<Vec<u16>>>,
    /// By size: for each free socket in turn, the number of the set with that one, too.
    replies: Vec<Vec<Numbers>>,
}

impl LowSets {
    /// Those of `low` sockets of which up to `taken` are taken.
    fn all(low: usize, taken: usize, most: usize) -> Vec<LowSets> {
        let of = |n| if n + taken < low { LowSets::default() } else { LowSets::new(n, most) };
        (0..=low).map(of).collect()
    }

    fn new(n: usize, most: usize) -> LowSets {
        let sizes = 0..=most.min(n);
        let sets = |n: usize, k: usize| subsets(n, k).map(|set| set as u32);
        let others = |k: usize| {
            let of = |i| subsets(n - 1, k).map(|set| rank(spread(set, i)) as u16).collect();
            (0..n).map(of).collect()
        };
        let replies = |k: usize| {
            let full = (1u64 << n) - 1;
            let nth = |set: u64, c| elements(full & !set).nth(c).expect("as many are free");
            let of = |c| Numbers::new(subsets(n, k).map(|set| rank(set | 1 << nth(set, c)) as u16));
            (0..n - k).map(of).collect()
        };
        LowSets {
            sets: sizes.clone().map(|k| sets(n, k).collect()).collect(),
            others: sizes.clone().map(others).collect(),
            replies: sizes.map(replies).collect(),
        }
    }
}

/// What was proved: the rotations at which the attacker wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Located {
    /// Of the board asked about.
    pub root: Half,
    /// After a placement of the player to move on each socket that he may use.
    pub children: Vec<(u64, Half)>,
    /// Boards computed.
    pub boards: u64,
    /// The game ends within so many plies.
    pub plies: usize,
}

/// The empty sockets in the order of a proof: those outside S, then S. The first ones are low.
struct Split {
    sockets: Vec<u64>,
    outside: usize,
    low: usize,
    /// By set of high or of low sockets: its number among those of its size.
    ranks: Vec<u32>,
    /// By size: where the sets with so many high sockets begin, in the order of [`Split::at`].
    begin: [[usize; MOST_PLACEMENTS + 2]; MOST_PLACEMENTS + 1],
}

impl Split {
    fn new(q: &Question) -> Split {
        let inside = q.sockets.iter().fold(0, |all, bit| all | bit);
        let outside = elements(q.free & !inside).map(|i| 1u64 << i);
        // The attacker's likely placements are high ones.
        let sockets: Vec<u64> = outside.chain(q.sockets.iter().rev().copied()).collect();
        let outside = sockets.len() - q.sockets.len();
        let low = LOW.max(outside).min(sockets.len());
        let high = sockets.len() - low;
        let mut next = [0; SOCKETS + 1];
        let number = |set: u64| {
            let next = &mut next[set.count_ones() as usize];
            *next += 1;
            *next - 1
        };
        let ranks = (0..1 << low.max(high)).map(number).collect();
        let before = |size: usize, h: usize| (0..h.min(size + 1)).map(|h| choose(high, h) * choose(low, size - h)).sum();
        let begin = std::array::from_fn(|size| std::array::from_fn(|h| before(size, h)));
        Split { sockets, outside, low, ranks, begin }
    }

    fn rank(&self, set: u64) -> usize {
        self.ranks[set as usize] as usize
    }


    fn len(&self) -> usize {
        self.sockets.len()
    }

    fn high(&self) -> usize {
        self.len() - self.low
    }

    /// A set of empty sockets by their numbers.
    fn numbers(&self, set: u64) -> u64 {
        let is_in = |(_, bit): &(usize, &u64)| set & **bit != 0;
        self.sockets.iter().enumerate().filter(is_in).fold(0, |all, (i, _)| all | 1 << i)
    }

    /// Where the run begins, among all sets of so many sockets, that has `high` on high sockets; and
    /// the number of this set on low ones.
    fn at(&self, set: u64) -> (usize, usize) {
        let (high, low) = (set >> self.low, set & ((1 << self.low) - 1));
        let (h, k) = (high.count_ones() as usize, low.count_ones() as usize);
        (self.run(h + k, high, h), self.rank(low))
    }

    fn run(&self, size: usize, high: u64, h: usize) -> usize {
        self.begin[size][h] + self.rank(high) * choose(self.low, size - h)
    }
}

/// Fives by set of so many marbles: at rotations of both parities.
type Fives = Vec<[Vec<Half>; 2]>;

/// What all rows of a proof need.
struct Proof<'a> {
    rules: Rules,
    kernel: Kernel,
    turns: [Turns; 2],
    /// Of the rotations with the attacker and with the defender to move.
    parities: [usize; 2],
    split: Split,
    /// By number of free low sockets.
    low_sets: Vec<LowSets>,
    /// The attacker's, by number of the set among those of S.
    own: Fives,
    /// The defender's, in the order of [`Split::at`].
    other: Fives,
    q: &'a Question<'a>,
    watch: &'a Watch<'a>,
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

/// What a row is made of.
struct Row {
    set: u64,
    /// W(A), with the attacker and with the defender to move.
    won: [Half; 2],
    /// By socket x: W(A + x) with the attacker to move.
    threats: [Half; SOCKETS],
    /// By socket x: what can be won on boards of A + x.
    hopes: [Half; SOCKETS],
}

/// Where the runs of a row begin, in lines, by the number of marbles on high sockets.
#[derive(Clone, Copy)]
struct Runs {
    at: [usize; MOST_PLACEMENTS + 2],
    /// Lines of each of them.
    lines: [usize; MOST_PLACEMENTS + 2],
    /// All lines, and boards.
    all: usize,
    boards: usize,
}

impl Runs {
    /// With so many free high and low sockets, and marbles.
    fn new(high: usize, low: usize, size: usize) -> Runs {
        let mut runs =
            Runs { at: [0; MOST_PLACEMENTS + 2], lines: [0; MOST_PLACEMENTS + 2], all: 0, boards: 0 };
        for h in 0..=size {
            let boards = choose(low, size - h);
            runs.at[h] = runs.all;
            runs.lines[h] = boards.div_ceil(PLACES);
            runs.all += choose(high, h) * runs.lines[h];
            runs.boards += choose(high, h) * boards;
        }
        runs
    }

    /// The run with the `rank`-th set of `h` high sockets.
    fn of<T>(self, row: &[T], h: usize, rank: usize) -> &[T] {
        &row[self.at[h] + rank * self.lines[h]..][..self.lines[h]]
    }
}

/// The memory of a thread that computes rows.
#[derive(Default)]
struct RowMemory {
    /// Not f, and D at the rotations with the defender to move.
    lost: Vec<Pack>,
    fives: Vec<Pack>,
    /// By number of low marbles: where the sets are in tables of all low sockets; OR of the threats,
    /// and of the hopes, on free low sockets.
    numbers: Vec<Numbers>,
    threats: Vec<Vec<Pack>>,
    hopes: Vec<Vec<Pack>>,
    /// The children by low sockets.
    more: Vec<Pack>,
    below: Vec<Vec<(u16, [Half; 2])>>,
}

/// At most so many boards are computed in a proof with so many placements: all but those of rows that
/// are left out.
pub(super) fn most_boards(empty: usize, sockets: usize, placements: usize, attacks: bool) -> u64 {
    let first = usize::from(!attacks);
    let of = |a: usize| {
        let (most, rest) = (a + first, empty - a);
        let defends = if most > 0 { choose(rest, most - 1) } else { 0 };
        choose(sockets, a) as u64 * (choose(rest, most) + defends) as u64
    };
    (0..placements).map(of).sum()
}

/// Bytes that such a proof takes at most, nearly: those of the level with the longest rows, which is the
/// last one, and of a row for each of a few threads.
pub(super) fn most_bytes(empty: usize, sockets: usize, placements: usize, attacks: bool) -> u64 {
    let a = placements - 1;
    let most = a + usize::from(!attacks);
    let rows = if most == 0 { 0 } else { choose(sockets, a) as u64 * choose(empty - a, most - 1) as u64 };
    let row = choose(empty - a, most) as u64;
    // Lines that aren't full, and the level before.
    (rows + 16 * row) * size_of::<Half>() as u64 * 9 / 8
}

/// Whether a proof with so many placements can be made at all: no board of it may be full.
pub(super) fn is_possible(empty: usize, placements: usize) -> bool {
    (1..=MOST_PLACEMENTS).contains(&placements) && empty > 2 * placements + 1
}

/// Proves what can be proved with the attacker's marbles on S, of which he places
/// `q.placements`: the last one makes five at once, or by its turn. None where `memory` bytes don't
/// suffice: that shows as the rows are counted.
///
/// # Errors
/// If it was stopped, or time was up: within a few rows.
///
/// # Panics
/// If it isn't [possible](is_possible).
pub(super) fn prove(
    workspace: &mut Workspace,
    q: &Question,
    memory: u64,
    watch: &Watch,
) -> Result<Option<Located>, End> {
    let first = usize::from(!q.attacks);
    let parities = [q.parity ^ first as u8, q.parity ^ first as u8 ^ 1];
    let split = Split::new(q);
    assert!(is_possible(split.len(), q.placements));
    let most = q.placements - 1 + first;
    let tables = split.tables(q.placements, most);
    let Some(memory) = memory.checked_sub(tables) else { return Ok(None) };
    let mut proof = Proof {
        rules: workspace.rules(),
        kernel: workspace.kernel(),
        turns: parities.map(|p| workspace.turns(p)),
        parities: parities.map(usize::from),
        low_sets: LowSets::all(split.low, q.placements - 1, most),
        own: (0..=q.placements).map(|a| [0, 1].map(|_| vec![Half::NONE; choose(q.sockets.len(), a)])).collect(),
        other: (0..=most).map(|b| [0, 1].map(|_| vec![Half::NONE; choose(split.len(), b)])).collect(),
        split,
        q,
        watch,
    };
    proof.fill(workspace);
    let threads = workspace.threads();
    workspace.free_levels();
    proof.run(threads, memory)
}

impl Split {
    /// Bytes of the tables of a proof.
    fn tables(&self, placements: usize, most: usize) -> u64 {
        let own: usize = (0..=placements).map(|a| choose(self.len() - self.outside, a)).sum();
        let other: usize = (0..=most).map(|b| choose(self.len(), b)).sum();
        // A row's tables, and those of low sets.
        let low: usize = (0..=most.min(self.low)).map(|k| choose(self.low, k)).sum();
        (2 * (own + other) * size_of::<Half>() + low * self.low * (4 * self.low + 200)) as u64
    }
}

impl Proof<'_> {
    /// Fills the tables of fives.
    fn fill(&mut self, workspace: &Workspace) {
        let (split, q) = (&self.split, self.q);
        let inside = q.sockets.iter().fold(0, |all, bit| all | bit);
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
            if line.set & q.other == 0 && missing & !inside == 0 && n < self.own.len() {
                add(&mut self.own, rank(set >> split.outside));
            }
        }
        // Larger sets have what their subsets have.
        let close = |tables: &mut Fives, n: usize, at: &dyn Fn(u64) -> usize| {
            for size in 1..tables.len() {
                let (fewer, these) = tables.split_at_mut(size);
                let fewer = &fewer[size - 1];
                for set in subsets(n, size) {
                    let to = at(set);
                    for socket in elements(set) {
                        let from = at(set & !(1 << socket));
                        for p in 0..2 {
                            these[0][p][to] = these[0][p][to] | fewer[p][from];
                        }
                    }
                }
            }
        };
        close(&mut self.own, q.sockets.len(), &rank);
        let at = |set: u64| {
            let (run, low) = split.at(set);
            run + low
        };
        close(&mut self.other, split.len(), &at);
    }

    fn run(&self, threads: usize, memory: u64) -> Result<Option<Located>, End> {
        let first = usize::from(!self.q.attacks);
        let top = self.q.placements - 1;
        let mut located = Located { plies: 2 * top + 1 + first, ..Located::default() };
        let mut above = Rows::default();
        let mut row_memory = RowMemory::default();
        let (mut these, mut those) = (Arena::default(), Arena::default());
        for a in (1..=top).rev() {
            let lines = those.slice(above.lines);
            let level = Level { a, most: a + first, last: a == top, above: &above, lines };
            let Some((rows, boards)) = self.level(&level, threads, memory, &mut these)? else { return Ok(None) };
            located.boards += boards;
            above = rows;
            // The level that isn't needed any more goes.
            those = std::mem::take(&mut these);
        }
        // The board itself.
        let level =
            Level { a: 0, most: first, last: top == 0, above: &above, lines: those.slice(above.lines) };
        let row = self.row(&level, 0);
        let (high, low) = (self.split.high(), self.split.low);
        let runs = Runs::new(high, low, first);
        self.attack(&level, &row, &mut row_memory);
        located.boards += runs.boards as u64;
        let won = |line: usize, place: usize| !row_memory.lost[line].0[place];
        if self.q.attacks {
            located.root = won(0, 0);
            let child = |i: usize| {
                let hope = if top == 0 { None } else { level.child(1 << i) };
                hope.map_or(Half::NONE, |lines| lines[0].0[0])
            };
            let sockets = self.split.sockets[self.split.outside..].iter();
            located.children = sockets.enumerate().map(|(i, &bit)| (bit, child(i))).collect();
        } else {
            let of = |i: usize| {
                if i < low { won(runs.at[0] + i / PLACES, i % PLACES) } else { won(runs.at[1] + i - low, 0) }
            };
            located.children = self.split.sockets.iter().enumerate().map(|(i, &bit)| (bit, of(i))).collect();
            let mut g = [Pack::default()];
            self.defend(&level, &row, &mut row_memory, &mut g);
            located.boards += 1;
            located.root = g[0].0[0];
        }
        Ok(Some(located))
    }

    /// Free high and low sockets of a row.
    fn free(&self, set: u64) -> (u64, u64) {
        let free = !(set << self.split.outside) & ((1 << self.split.len()) - 1);
        (free >> self.split.low, free & ((1 << self.split.low) - 1))
    }

    /// The runs of a row with so many marbles of the defender.
    fn runs(&self, set: u64, size: usize) -> Runs {
        let (high, low) = self.free(set);
        Runs::new(high.count_ones() as usize, low.count_ones() as usize, size)
    }

    /// The rows of a level, and the boards computed for them; none where memory doesn't suffice.
    fn level(
        &self,
        level: &Level,
        threads: usize,
        memory: u64,
        arena: &mut Arena,
    ) -> Result<Option<(Rows, u64)>, End> {
        let s = self.q.sockets.len();
        let sets: Vec<u64> = subsets(s, level.a).collect();
        let parallel = threads > 1 && sets.len() > 100;
        let each = sets.len().div_ceil(if parallel { 8 * threads } else { 1 });
        let tasks: Vec<&[u64]> = sets.chunks(each).collect();
        let hopeful = |sets: &[u64]| -> Result<Vec<bool>, End> {
            let one = |&set: &u64| self.hopeful(&self.row(level, set));
            let ended = self.watch.ended().map_or(Ok(()), Err);
            ended.map(|()| sets.iter().map(one).collect())
        };
        let hopeful = threads::map(parallel, tasks, hopeful).into_iter().collect::<Result<Vec<_>, End>>()?;
        let mut rows = Rows { index: vec![NO_ROW; sets.len()], ..Rows::default() };
        let mut left = Vec::new();
        let (mut lines, mut boards) = (0, 0);
        for (i, (&set, _)) in sets.iter().zip(hopeful.iter().flatten()).enumerate().filter(|(_, (_, hope))| **hope) {
            rows.index[i] = left.len() as u32;
            rows.at.push(lines);
            let runs = self.runs(set, level.most - 1);
            lines += runs.all;
            boards += runs.boards + self.runs(set, level.most).boards;
            left.push((set, runs.all));
        }
        let row = self.runs(0, level.most).all * 3 + 1000;
        let bytes = (lines + level.lines.len() + row * threads) * size_of::<Pack>();
        if bytes as u64 > memory || arena.reserve(lines as u64).is_err() {
            return Ok(None);
        }
        self.watch.control.add(boards as u64);
        rows.lines = lines;
        let mut rest = arena.slice_mut(lines);
        let mut tasks = Vec::new();
        for sets in left.chunks(left.len().div_ceil(if parallel { 64 * threads } else { 1 }).max(1)) {
            let (these, others) = rest.split_at_mut(sets.iter().map(|(_, lines)| lines).sum());
            rest = others;
            tasks.push((sets, these));
        }
        let compute = |(sets, mut out): (&[(u64, usize)], &mut [Pack])| {
            let mut memory = RowMemory::default();
            let mut any = Vec::new();
            for &(set, lines) in sets {
                if let Some(end) = self.watch.ended() {
                    return Err(end);
                }
                let (g, rest) = std::mem::take(&mut out).split_at_mut(lines);
                out = rest;
                let row = self.row(level, set);
                self.attack(level, &row, &mut memory);
                self.defend(level, &row, &mut memory, g);
                any.push(g.iter().flat_map(|pack| pack.0).fold(Half::NONE, |all, half| all | half));
            }
            Ok(any)
        };
        let any = threads::map(parallel, tasks, compute).into_iter().collect::<Result<Vec<_>, End>>()?;
        rows.any = any.into_iter().flatten().collect();
        Ok(Some((rows, boards as u64)))
    }

    fn rotation_max(&self, x: &[Half; PLACES], turns: usize) -> [Half; PLACES] {
        self.kernel.rotation_max(&Pack(*x), self.turns[turns]).0
    }

    fn row(&self, level: &Level, set: u64) -> Row {
        let outside = self.split.outside;
        let number = rank(set);
        let won = self.parities.map(|p| self.own[level.a][p][number]);
        let mut row = Row { set, won, threats: [Half::NONE; SOCKETS], hopes: [Half::NONE; SOCKETS] };
        for x in 0..self.q.sockets.len() {
            if set >> x & 1 != 0 {
                continue;
            }
            let child = rank(set | 1 << x);
            row.threats[x + outside] = self.own[level.a + 1][self.parities[0]][child];
            row.hopes[x + outside] = match (level.last, self.rules.reply) {
                // A five that is made by the last turn may be answered.
                (true, Reply::Place) => Half::NONE,
                (true, Reply::None) => self.own[level.a + 1][self.parities[1]][child],
                (false, _) => match level.above.index[child] {
                    NO_ROW => Half::NONE,
                    index => level.above.any[index as usize],
                },
            };
        }
        row
    }

    /// Whether there can be wins with the defender to move.
    fn hopeful(&self, row: &Row) -> bool {
        if row.won[1] != Half::NONE {
            return true;
        }
        let n = self.split.len();
        // By socket: what a placement there can win.
        let mut wins = [Half::NONE; SOCKETS + PLACES];
        for x in (0..n).step_by(PLACES) {
            let hopes = std::array::from_fn(|i| row.hopes.get(x + i).copied().unwrap_or_default());
            for (i, turned) in self.rotation_max(&hopes, 0).into_iter().enumerate().take(n - x) {
                wins[x + i] = turned | row.threats[x + i];
            }
        }
        // The defender takes one of them.
        let mut after = [Half::NONE; SOCKETS + PLACES + 1];
        for x in (0..n).rev() {
            after[x] = after[x + 1] | wins[x];
        }
        let mut before = row.won[0];
        let mut bound = Half::ALL;
        for x in (0..n).step_by(PLACES) {
            let lost = std::array::from_fn(|i| {
                let open = if x + i < n { before | after[x + i + 1] } else { Half::ALL };
                before = before | wins[x + i];
                !open
            });
            for turned in self.rotation_max(&lost, 1) {
                bound = bound & !turned;
            }
        }
        bound != Half::NONE
    }

    /// The row's boards with the attacker to move, into `memory`.
    fn attack(&self, level: &Level, row: &Row, memory: &mut RowMemory) {
        let (split, most) = (&self.split, level.most);
        let (free_high, free_low) = self.free(row.set);
        let (nh, nl) = (free_high.count_ones() as usize, free_low.count_ones() as usize);
        let runs = Runs::new(nh, nl, most);
        let sets = &self.low_sets[nl];
        memory.prepare(row, free_low, most);
        memory.lost.resize(runs.all.max(memory.lost.len()), Pack::default());
        memory.fives.resize(runs.all.max(memory.fives.len()), Pack::default());
        // The rows of children, and where their runs begin: with one free socket less.
        let row_of = |x: usize| {
            let child = if level.last { None } else { level.child(row.set | 1 << (x - split.outside)) };
            child.filter(|_| row.hopes[x] != Half::NONE)
        };
        let in_s = |x: &usize| *x >= split.outside;
        let high: Vec<usize> = elements(free_high).map(|x| x + split.low).collect();
        let low: Vec<(usize, &[Pack])> = elements(free_low)
            .enumerate()
            .filter(|(_, x)| in_s(x))
            .filter_map(|(i, x)| Some((i, row_of(x)?)))
            .collect();
        let high_rows: Vec<Option<&[Pack]>> = high.iter().map(|&x| row_of(x)).collect();
        let high_runs = Runs::new(nh.saturating_sub(1), nl, most);
        let low_runs = Runs::new(nh, nl.saturating_sub(1), most);
        let mut children: Vec<&[Pack]> = Vec::with_capacity(nh);
        for h in 0..=most.min(nh) {
            let k = most - h;
            if k > nl {
                continue;
            }
            let lines = runs.lines[h];
            for (number, set) in subsets(nh, h).enumerate() {
                let (mut threat, mut hope) = (row.won[0], Half::NONE);
                children.clear();
                for (i, &x) in high.iter().enumerate().filter(|(i, _)| set >> i & 1 == 0) {
                    threat = threat | row.threats[x];
                    hope = hope | row.hopes[x];
                    if let Some(child) = high_rows[i] {
                        children.push(high_runs.of(child, h, split.rank(without(set, i))));
                    }
                }
                if !low.is_empty() && k < nl {
                    memory.more.clear();
                    memory.more.resize(lines, Pack::default());
                    for &(i, child) in &low {
                        let from = low_runs.of(child, h, number).iter().flat_map(|pack| &pack.0);
                        for (&to, half) in sets.others[k][i].iter().zip(from) {
                            let place = &mut memory.more[usize::from(to) / PLACES].0[usize::from(to) % PLACES];
                            *place = *place | *half;
                        }
                    }
                }
                let whole = place(set, &high) >> split.low;
                let at = split.run(most, whole, h);
                let run = AttackRun {
                    turns: self.turns[0],
                    children: &children,
                    more: if low.is_empty() || k == nl { &[] } else { &memory.more },
                    threat,
                    low_threats: &memory.threats[k],
                    last: level.last.then(|| (hope, memory.hopes[k].as_slice())),
                    fives: self.parities.map(|p| &self.other[most][p][at..]),
                    numbers: &memory.numbers[k],
                    mover: self.rules.both == Both::Mover,
                };
                let at = runs.at[h] + number * lines;
                let lost = &mut memory.lost[at..at + lines];
                self.kernel.attack_run(&run, lost, &mut memory.fives[at..at + lines]);
                // What fills up the last line is no board.
                if let (Some(last), 1..) = (lost.last_mut(), sets.sets[k].len() % PLACES) {
                    last.0[sets.sets[k].len() % PLACES..].fill(Half::ALL);
                }
            }
        }
    }

    /// The row's boards with the defender to move, from what [`Proof::attack`] left in `memory`.
    fn defend(&self, level: &Level, row: &Row, memory: &mut RowMemory, g: &mut [Pack]) {
        let (split, most) = (&self.split, level.most);
        let (free_high, free_low) = self.free(row.set);
        let (nh, nl) = (free_high.count_ones() as usize, free_low.count_ones() as usize);
        let (runs, replies) = (Runs::new(nh, nl, most - 1), Runs::new(nh, nl, most));
        let sets = &self.low_sets[nl];
        let high: Vec<usize> = elements(free_high).map(|x| x + split.low).collect();
        let mut after: Vec<[&[Pack]; 2]> = Vec::with_capacity(nh);
        for h in 0..=(most - 1).min(nh) {
            let k = most - 1 - h;
            if k > nl {
                continue;
            }
            let lines = runs.lines[h];
            for (number, set) in subsets(nh, h).enumerate() {
                after.clear();
                for i in (0..nh).filter(|i| set >> i & 1 == 0) {
                    let number = split.rank(set | 1 << i);
                    after.push([&memory.lost, &memory.fives].map(|all| replies.of(all, h + 1, number)));
                }
                let at = split.run(most - 1, place(set, &high) >> split.low, h);
                let run = DefendRun {
                    rules: self.rules,
                    turns: self.turns[1],
                    replies: &after,
                    low: [&memory.lost, &memory.fives].map(|all| replies.of(all, h, number)),
                    low_replies: &sets.replies[k],
                    won: row.won[1],
                    fives: &self.other[most - 1][self.parities[1]][at..],
                    numbers: &memory.numbers[k],
                };
                let at = runs.at[h] + number * lines;
                self.kernel.defend_run(&run, &mut g[at..at + lines]);
            }
        }
    }
}

/// A set of sockets of which only the numbers among `sockets` are known.
fn place(set: u64, sockets: &[usize]) -> u64 {
    elements(set).fold(0, |all, i| all | 1 << sockets[i])
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

impl RowMemory {
    /// Fills the tables of low sets. Those of size k with the largest element m are, in their order, the
    /// subsets of the elements below m of size k - 1, and m.
    fn prepare(&mut self, row: &Row, free_low: u64, most: usize) {
        let low: Vec<usize> = elements(free_low).collect();
        let n = low.len();
        // The union of threats and hopes from one element up to another.
        let mut between = [[[Half::NONE; 2]; LOW_SOCKETS + 1]; LOW_SOCKETS + 1];
        for from in 0..n {
            for to in from..n {
                let [threats, hopes] = between[from][to];
                between[from][to + 1] = [threats | row.threats[low[to]], hopes | row.hopes[low[to]]];
            }
        }
        // By size: the number among the sets of all low sockets, and the unions on free sockets below
        // the largest element.
        self.below.resize_with(most + 1, Vec::new);
        self.below[0].clear();
        self.below[0].push((0, [Half::NONE; 2]));
        for k in 1..=most.min(n) {
            let (fewer, these) = self.below.split_at_mut(k);
            let (fewer, these) = (&fewer[k - 1], &mut these[0]);
            these.clear();
            for m in k - 1..n {
                let number = choose(low[m], k) as u16;
                // By the largest element of the rest.
                for next in (k - 1).saturating_sub(1)..m.max(1) {
                    let (from, to) = if k == 1 { (0, 1) } else { (choose(next, k - 1), choose(next + 1, k - 1)) };
                    let gap = between[if k == 1 { 0 } else { next + 1 }][m];
                    these.extend(fewer[from..to].iter().map(|&(rest, [threats, hopes])| {
                        (rest + number, [threats | gap[0], hopes | gap[1]])
                    }));
                    if k == 1 {
                        break;
                    }
                }
            }
        }
        for table in [&mut self.threats, &mut self.hopes] {
            table.resize_with(most + 1, Vec::new);
        }
        self.numbers.resize_with(most + 1, Default::default);
        for k in 0..=most.min(n) {
            self.numbers[k].fill(self.below[k].iter().map(|(number, _)| *number));
            for (part, out) in [&mut self.threats[k], &mut self.hopes[k]].into_iter().enumerate() {
                out.clear();
                out.resize(self.below[k].len().div_ceil(PLACES), Pack::default());
                let mut halves = out.iter_mut().flat_map(|pack| &mut pack.0);
                for m in k.max(1) - 1..n.max(1) {
                    let (from, to) = if k == 0 { (0, 1) } else { (choose(m, k), choose(m + 1, k)) };
                    let rest = between[if k == 0 { 0 } else { m + 1 }][n][part];
                    for (below, half) in self.below[k][from..to].iter().zip(halves.by_ref()) {
                        *half = below.1[part] | rest;
                    }
                    if k == 0 {
                        break;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::all_rules;
    use super::*;
    use crate::control::Control;
    use crate::rules::{MiniRun, Shape, Turn, random};
    use crate::supers::half::half_rotation;
    use crate::symmetry::{Rotation, turned};
    use std::collections::HashMap;
    use std::num::NonZeroUsize;

    /// The definition, for one question: the game, with the attacker's placements restricted.
    struct Plain<'a> {
        rules: Rules,
        q: &'a Question<'a>,
        memo: HashMap<(u64, u64, Rotation), bool>,
    }

    impl Plain<'_> {
        fn has(&self, set: u64, r: Rotation) -> bool {
            let shape = self.rules.shape;
            let turned = (0..4).fold(0, |out, b| {
                out | u64::from(shape.rotate_quadrant((set >> (16 * b)) as u16, r[b])) << (16 * b)
            });
            shape.has_line(turned)
        }

        fn after_turns(&mut self, r: Rotation, mut of: impl FnMut(&mut Self, Rotation) -> bool) -> Vec<bool> {
            let turns: Vec<Turn> = self.rules.turns().collect();
            turns.into_iter().map(|t| of(self, turned(r, usize::from(t.quadrant), t.clockwise))).collect()
        }

        /// Whether the attacker is to move follows from the numbers of marbles.
        fn wins(&mut self, a: u64, b: u64, r: Rotation) -> bool {
            if let Some(&known) = self.memo.get(&(a, b, r)) {
                return known;
            }
            let first = u32::from(!self.q.attacks);
            let wins = if b.count_ones() == a.count_ones() + first {
                self.attacker(a, b, r)
            } else {
                self.defender(a, b, r)
            };
            self.memo.insert((a, b, r), wins);
            wins
        }

        fn attacker(&mut self, a: u64, b: u64, r: Rotation) -> bool {
            let (own, other) = (self.q.own | a, self.q.other | b);
            if self.has(other, r) || self.has(own, r) {
                return !self.has(other, r);
            }
            let last = a.count_ones() as usize + 1 == self.q.placements;
            let sockets = self.q.sockets.iter().copied().filter(|x| x & (a | b) == 0);
            sockets.collect::<Vec<_>>().into_iter().any(|x| {
                if self.has(own | x, r) {
                    return true;
                }
                let wins = |of: &mut Self, to: Rotation| {
                    if !last {
                        return of.wins(a | x, b, to);
                    }
                    let both = of.rules.both == Both::Mover || !of.has(other, to);
                    of.rules.reply == Reply::None && of.has(own | x, to) && both
                };
                self.after_turns(r, wins).contains(&true)
            })
        }

        fn defender(&mut self, a: u64, b: u64, r: Rotation) -> bool {
            let (own, other) = (self.q.own | a, self.q.other | b);
            let (w, d) = (self.has(own, r), self.has(other, r));
            let replies: Vec<u64> = elements(self.q.free & !(a | b)).map(|i| 1 << i).collect();
            let threat = replies.iter().any(|y| self.has(other | y, r));
            match (self.rules.reply, self.rules.both) {
                (Reply::None, Both::Draw) if d || w => return w && !d,
                (Reply::None, Both::Mover) if d || w => return w,
                (Reply::Place, _) if d || w => return w && !d && !threat,
                _ => {}
            }
            let mut safe = |y: u64| !self.after_turns(r, |of, to| of.wins(a, b | y, to)).contains(&false);
            !threat && replies.into_iter().all(&mut safe)
        }
    }

    /// A question about a random position with so many empty sockets, `s` of them in S.
    fn question(rules: Rules, free: u32, s: usize, placements: usize, seed: u64, bits: usize) {
        let marbles = rules.shape.sockets() as u32 - free;
        let Ok(found) = random::positions(&rules, marbles, 1, seed, false) else { return };
        let board = found[0].board();
        let free = board.free(rules.shape);
        let mut sockets: Vec<u64> = rules.shape.sockets_of(free).map(|x| x.bit()).collect();
        let empty = sockets.len();
        sockets.rotate_left(seed as usize % empty);
        sockets.truncate(s);
        let (own, other) = if seed.is_multiple_of(2) { (board.x, board.o) } else { (board.o, board.x) };
        for attacks in [true, false] {
            if !is_possible(empty, placements) {
                continue;
            }
            let parity = (seed / 2 % 2) as u8;
            let q = Question { own, other, free, sockets: &sockets, attacks, parity, placements };
            let mut all = Vec::new();
            for kernel in Kernel::available() {
                for threads in [1, 2] {
                    let threads = NonZeroUsize::new(threads).unwrap();
                    let mut workspace = Workspace::new(rules, kernel, threads);
                    let control = Control::new();
                    let watch = Watch::new(&control);
                    all.push(prove(&mut workspace, &q, 1 << 30, &watch).unwrap().unwrap());
                    assert_eq!(prove(&mut workspace, &q, 1000, &watch), Ok(None));
                }
            }
            assert!(all.iter().all(|one| *one == all[0]));
            let proved = &all[0];
            assert!(proved.boards <= most_boards(empty, s, placements, attacks));
            let mut plain = Plain { rules, q: &q, memo: HashMap::new() };
            let what = format!("{rules} {q:x?}");
            for bit in (0..bits).map(|i| (i * 37 + seed as usize) % 128) {
                let r = half_rotation(parity, bit);
                assert_eq!(proved.root.get(bit), plain.wins(0, 0, r), "{what} {r:?}");
                let after = half_rotation(parity ^ 1, bit);
                for &(x, won) in &proved.children {
                    let expected = match attacks {
                        true => placements > 1 && plain.wins(x, 0, after),
                        false => plain.wins(0, x, after),
                    };
                    assert_eq!(won.get(bit), expected, "{what} {after:?} {x:x}");
                }
                assert_eq!(proved.children.len(), if attacks { s } else { empty });
            }
        }
    }

    #[test]
    fn located_proofs_are_their_definition() {
        for (i, rules) in all_rules(Shape::Pentago).into_iter().enumerate() {
            let seed = i as u64;
            question(rules, 9, 9, 3, seed, 2);
            question(rules, 18, 11, 2, seed + 1, 3);
            question(rules, 19, 18, 2, seed + 2, 3);
            question(rules, 24, 4, 3, seed + 3, 1);
            question(rules, 28, 28, 1, seed + 4, 5);
        }
        for run in [MiniRun::Three, MiniRun::Four] {
            for (i, rules) in all_rules(Shape::Mini { run }).into_iter().enumerate() {
                question(rules, 8, 7, 3, i as u64, 2);
                question(rules, 10, 6, 4, i as u64 + 1, 1);
            }
        }
    }

    /// With all sockets a proof says what the full solution says within as many plies.
    #[test]
    fn with_all_sockets_it_is_full_width() {
        use crate::answer::Value;
        use crate::solve::RootedSolver;
        let mut won = 0;
        for (i, options) in ["pentago", "pentago:both=mover", "pentago:dir=cw"].into_iter().enumerate() {
            let rules: Rules = options.parse().unwrap();
            for position in random::positions(&rules, 14, 4, 5 + i as u64, true).unwrap() {
                let free = position.board().free(rules.shape);
                let sockets: Vec<u64> = rules.shape.sockets_of(free).map(|x| x.bit()).collect();
                let mut solver = RootedSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 1 << 30);
                let mut workspace = Workspace::new(rules, Kernel::best(), NonZeroUsize::MIN);
                for plies in [3, 4, 5, 6] {
                    let value = solver.solve(&position, plies, &Control::new()).unwrap().value;
                    let attacks = plies % 2 == 1;
                    let (mut own, mut other) = (position.own(), position.others());
                    if !attacks {
                        std::mem::swap(&mut own, &mut other);
                    }
                    let placements = plies.div_ceil(2);
                    let q = Question { own, other, free, sockets: &sockets, attacks, parity: 0, placements };
                    let control = Control::new();
                    let watch = Watch::new(&control);
                    let proved = prove(&mut workspace, &q, 1 << 30, &watch).unwrap().unwrap();
                    assert_eq!(proved.plies, plies);
                    let expected = if attacks { Value::Win } else { Value::Loss };
                    assert_eq!(proved.root.get(0), value == expected, "{rules} {position:?} {plies}");
                    won += u32::from(proved.root.get(0));
                }
            }
        }
        assert!(won > 5, "{won}");
    }

    /// The speed for the record: `PENTAGO_MARBLES` (10), `PENTAGO_PLACEMENTS` (5), `PENTAGO_THREADS` (1);
    /// nanoseconds by the clock for each board computed.
    #[test]
    #[ignore = "a measurement"]
    fn speed() {
        let number = |name, default| std::env::var(name).map_or(default, |n| n.parse::<usize>().unwrap());
        let rules = Rules::default();
        let marbles = number("PENTAGO_MARBLES", 10) as u32;
        let threads = NonZeroUsize::new(number("PENTAGO_THREADS", 1)).unwrap();
        for position in random::positions(&rules, marbles, 3, 14, true).unwrap() {
            for kernel in Kernel::available() {
                let mut workspace = Workspace::new(rules, kernel, threads);
                let free = position.board().free(rules.shape);
                let (own, other) = (position.own(), position.others());
                let sockets = super::super::choice::order(&workspace, [own, other, free], Half::ALL, 0);
                let placements = number("PENTAGO_PLACEMENTS", 5);
                let q = Question { own, other, free, sockets: &sockets, attacks: true, parity: 0, placements };
                for _ in 0..2 {
                    let began = std::time::Instant::now();
                    let proved =
                        prove(&mut workspace, &q, 12 << 30, &Watch::new(&Control::new())).unwrap().unwrap();
                    let took = began.elapsed().as_secs_f64();
                    println!(
                        "{kernel:?}: won {}, {} of {} million boards, {took:.2} s, {:.1} ns",
                        proved.root.get(0),
                        proved.boards / 1_000_000,
                        most_boards(sockets.len(), sockets.len(), placements, true) / 1_000_000,
                        took * 1e9 / proved.boards as f64
                    );
                }
            }
        }
    }
}
