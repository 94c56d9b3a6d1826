//! Computes one row: its boards with the attacker to move, and its boards with the defender to
//! move.

use super::proof::{LocatedLevel, LocatedProof, NO_ROW};
use super::sets::{LOW, Runs, SOCKETS, choose, place, rank, without};
use crate::kernel::{AttackRun, DefendRun, Numbers, PLACES, Pack};
use crate::rules::{Both, Place, Reply};
use crate::solve::proof::sets::subsets;
use crate::supers::Half;
use pentago_base::bits;
use std::ops::Range;

/// The constants of one row, which has the attacker's marbles A.
pub(super) struct LocatedRow {
    set: u64,
    /// W(A), the rotations at which A contains five in a row: first with the attacker to move, then
    /// with the defender to move.
    won: [Half; 2],
    /// For each socket x, W(A + x) at the rotations with the attacker to move. Empty under
    /// `place=turn`.
    threats: [Half; SOCKETS],
    /// For each socket x, an upper bound on the rotations at which boards of the row A + x are won.
    hopes: [Half; SOCKETS],
}

/// The buffers that one thread uses for each row that it computes.
#[derive(Default)]
pub(super) struct LocatedRowBuffers {
    /// For each board with the attacker to move: the rotations at which the attacker doesn't win.
    /// `fives` holds the defender's fives of these boards, at the rotations with the defender to
    /// move.
    pub(super) lost: Vec<Pack>,
    fives: Vec<Pack>,
    /// Three tables, indexed by the number of low marbles, then by low set. `numbers` has the ranks
    /// of the sets among all low sockets. `threats` and `hopes` have the unions of the threats and
    /// of the hopes on the free low sockets.
    numbers: Vec<Numbers>,
    threats: Vec<Vec<Pack>>,
    hopes: Vec<Vec<Pack>>,
    /// The union of the wins of all children whose new marble is on a low socket.
    more: Vec<Pack>,
    below: Vec<Vec<(u16, [Half; 2])>>,
}

impl LocatedProof<'_> {
    fn rotation_max(&self, x: &[Half; PLACES], turns: usize) -> [Half; PLACES] {
        self.workspace.passes.rotation_max(&Pack(*x), self.turns[turns]).0
    }

    pub(super) fn row(&self, level: &LocatedLevel, set: u64) -> LocatedRow {
        let number = rank(set);
        let won = self.parities.map(|p| self.own[level.a][p][number]);
        let mut row = LocatedRow { set, won, threats: [Half::NONE; SOCKETS], hopes: [Half::NONE; SOCKETS] };
        for x in 0..self.split.len() {
            if set >> x & 1 != 0 {
                continue;
            }
            let child = rank(set | 1 << x);
            if self.workspace.rules.place == Place::Wins {
                row.threats[x] = self.own[level.a + 1][self.parities[0]][child];
            }
            row.hopes[x] = match (level.last, self.workspace.rules.reply) {
                // With `reply=place`, the defender may reply to a five that the last turn makes, so
                // the proof counts no win.
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

    /// Returns `false` if no board of the row with the defender to move can be won.
    pub(super) fn hopeful(&self, row: &LocatedRow) -> bool {
        if row.won[1] != Half::NONE {
            return true;
        }
        let n = self.split.len();
        // For each socket, an upper bound on the rotations at which a placement on the socket wins.
        let mut wins = [Half::NONE; SOCKETS + PLACES];
        for x in (0..n).step_by(PLACES) {
            let hopes = std::array::from_fn(|i| row.hopes.get(x + i).copied().unwrap_or_default());
            for (i, turned) in self.rotation_max(&hopes, 0).into_iter().enumerate().take(n - x) {
                wins[x + i] = turned | row.threats[x + i];
            }
        }
        // If the defender occupies socket x, the attacker can still use the sockets before x and
        // the sockets after x. So unite `wins` from both ends.
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

    /// Computes the row's boards with the attacker to move into `buffers`.
    pub(super) fn attack(&self, level: &LocatedLevel, row: &LocatedRow, buffers: &mut LocatedRowBuffers) {
        let (split, most) = (&self.split, level.most);
        let (free_high, free_low) = self.free(row.set);
        let (nh, nl) = (free_high.count_ones() as usize, free_low.count_ones() as usize);
        let runs = Runs::new(nh, nl, most);
        let sets = &self.low_sets[nl];
        buffers.prepare(row, free_low, most, runs.all);
        // Look up the row after a placement on each free socket. The runs of that row have one free
        // socket less.
        let row_of = |x: usize| {
            let child = if level.last { None } else { level.child(row.set | 1 << x) };
            child.filter(|_| row.hopes[x] != Half::NONE)
        };
        let high: Vec<usize> = bits(free_high).map(|x| x + split.low).collect();
        let low: Vec<(usize, &[Pack])> =
            bits(free_low).enumerate().filter_map(|(i, x)| Some((i, row_of(x)?))).collect();
        let high_rows: Vec<Option<&[Pack]>> = high.iter().map(|&x| row_of(x)).collect();
        let high_runs = Runs::new(nh.saturating_sub(1), nl, most);
        let low_runs = Runs::new(nh, nl.saturating_sub(1), most);
        let mut children: Vec<&[Pack]> = Vec::with_capacity(nh);
        for h in most.saturating_sub(nl)..=most.min(nh) {
            let k = most - h;
            let lines = runs.lines[h];
            for (number, set) in subsets(nh, h).enumerate() {
                let (mut threat, mut hope) = (row.won[0], Half::NONE);
                children.clear();
                for (i, &x) in high.iter().enumerate().filter(|(i, _)| set >> i & 1 == 0) {
                    threat = threat | row.threats[x];
                    hope = hope | row.hopes[x];
                    let run = |child| high_runs.of(child, h, split.rank(without(set, i)));
                    children.extend(high_rows[i].map(run));
                }
                if !low.is_empty() && k < nl {
                    let runs = low.iter().map(|&(i, child)| (i, low_runs.of(child, h, number)));
                    unite(&mut buffers.more, lines, &sets.others[k], runs);
                }
                let at = split.run(most, place(set, &high) >> split.low, h);
                let run = AttackRun {
                    turns: self.turns[0],
                    children: &children,
                    more: if low.is_empty() || k == nl { &[] } else { &buffers.more },
                    threat,
                    low_threats: &buffers.threats[k],
                    last: level.last.then(|| (hope, buffers.hopes[k].as_slice())),
                    fives: self.parities.map(|p| &self.other[most][p][at..]),
                    numbers: &buffers.numbers[k],
                    mover: self.workspace.rules.both == Both::Mover,
                };
                let at = runs.at[h] + number * lines;
                let lost = &mut buffers.lost[at..at + lines];
                self.workspace.passes.attack_run(&run, lost, &mut buffers.fives[at..at + lines]);
                if self.workspace.rules.place == Place::Turn {
                    // Under `place=turn`, a five that the defender makes by a placement doesn't win
                    // before the turn.
                    buffers.fives[at..at + lines].fill(Pack::default());
                }
                // The end of the last line is padding and holds no boards, so mark it as lost.
                if let (Some(last), rest @ 1..) = (lost.last_mut(), choose(nl, k) % PLACES) {
                    last.0[rest..].fill(Half::ALL);
                }
            }
        }
    }

    /// Computes the row's boards with the defender to move, from the results of
    /// [`LocatedProof::attack`] in `buffers`.
    pub(super) fn defend(
        &self,
        level: &LocatedLevel,
        row: &LocatedRow,
        buffers: &mut LocatedRowBuffers,
        g: &mut [Pack],
    ) {
        let (split, most) = (&self.split, level.most);
        let (free_high, free_low) = self.free(row.set);
        let (nh, nl) = (free_high.count_ones() as usize, free_low.count_ones() as usize);
        let (runs, replies) = (Runs::new(nh, nl, most - 1), Runs::new(nh, nl, most));
        let sets = &self.low_sets[nl];
        let high: Vec<usize> = bits(free_high).map(|x| x + split.low).collect();
        let mut after: Vec<[&[Pack]; 2]> = Vec::with_capacity(nh);
        for h in (most - 1).saturating_sub(nl)..=(most - 1).min(nh) {
            let k = most - 1 - h;
            let lines = runs.lines[h];
            for (number, set) in subsets(nh, h).enumerate() {
                after.clear();
                for i in (0..nh).filter(|i| set >> i & 1 == 0) {
                    let number = split.rank(set | 1 << i);
                    after.push([&buffers.lost, &buffers.fives].map(|all| replies.of(all, h + 1, number)));
                }
                let at = split.run(most - 1, place(set, &high) >> split.low, h);
                let run = DefendRun {
                    rules: self.workspace.rules,
                    turns: self.turns[1],
                    replies: &after,
                    low: [&buffers.lost, &buffers.fives].map(|all| replies.of(all, h, number)),
                    low_replies: &sets.replies[k],
                    won: row.won[1],
                    fives: &self.other[most - 1][self.parities[1]][at..],
                    numbers: &buffers.numbers[k],
                };
                let at = runs.at[h] + number * lines;
                self.workspace.passes.defend_run(&run, &mut g[at..at + lines]);
            }
        }
    }
}

/// Unites the runs of the children whose new marble is on a low socket into `more`, which is
/// resized to `lines` lines. Each item of `runs` is a low socket and the run of its child.
/// `others`, indexed by low socket, has the rank in the parent's run of each element of the child's
/// run.
fn unite<'a>(
    more: &mut Vec<Pack>,
    lines: usize,
    others: &[Vec<u16>],
    runs: impl Iterator<Item = (usize, &'a [Pack])>,
) {
    more.clear();
    more.resize(lines, Pack::default());
    for (i, run) in runs {
        for (&to, half) in others[i].iter().zip(run.iter().flat_map(|pack| &pack.0)) {
            let place = &mut more[usize::from(to) / PLACES].0[usize::from(to) % PLACES];
            *place = *place | *half;
        }
    }
}

/// Groups the sets of `size` elements below `end` by their largest element. For each group, returns
/// the range of the ranks of its sets, and the largest element plus one.
fn by_largest(size: usize, end: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
    let empty = (size == 0).then_some((0..1, 0));
    let end = if size == 0 { 0 } else { end };
    let others = (size.max(1) - 1..end).map(move |m| (choose(m, size)..choose(m + 1, size), m + 1));
    empty.into_iter().chain(others)
}

impl LocatedRowBuffers {
    /// Makes room for `lines` lines, and fills in the tables of low sets. The sets of size k with
    /// the largest element m are listed in the order of the sets of size k - 1 below m, to each of
    /// which m is added.
    fn prepare(&mut self, row: &LocatedRow, free_low: u64, most: usize, lines: usize) {
        self.lost.resize(lines.max(self.lost.len()), Pack::default());
        self.fives.resize(lines.max(self.fives.len()), Pack::default());
        let low: Vec<usize> = bits(free_low).collect();
        let n = low.len();
        // For two elements, the union of the threats and the union of the hopes on the sockets from
        // the first element up to, but not including, the second.
        let mut between = [[[Half::NONE; 2]; LOW + 1]; LOW + 1];
        for (from, between) in between.iter_mut().enumerate().take(n) {
            for to in from..n {
                let [threats, hopes] = between[to];
                between[to + 1] = [threats | row.threats[low[to]], hopes | row.hopes[low[to]]];
            }
        }
        // For each size and each set: the rank among the sets of all low sockets, and the unions of
        // threats and of hopes on the free sockets below the set's largest element.
        self.below.resize_with(most + 1, Vec::new);
        self.below[0].clear();
        self.below[0].push((0, [Half::NONE; 2]));
        for k in 1..=most.min(n) {
            let (fewer, these) = self.below.split_at_mut(k);
            let (fewer, these) = (&fewer[k - 1], &mut these[0]);
            these.clear();
            for m in k - 1..n {
                let number = choose(low[m], k) as u16;
                for (range, next) in by_largest(k - 1, m) {
                    let gap = between[next][m];
                    these.extend(fewer[range].iter().map(|&(rest, [threats, hopes])| {
                        (rest + number, [threats | gap[0], hopes | gap[1]])
                    }));
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
                for (range, next) in by_largest(k, n) {
                    let rest = between[next][n][part];
                    for (below, half) in self.below[k][range].iter().zip(halves.by_ref()) {
                        *half = below.1[part] | rest;
                    }
                }
            }
        }
    }
}
