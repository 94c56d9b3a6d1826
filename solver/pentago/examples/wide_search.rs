//! Proofs beside a search of full width: who decides more positions in the same time, and sooner.
//!
//! ```sh
//! cargo run --release --example wide_search -- 10 67 30 3     # marbles, positions, seed, seconds
//! cargo test -p pentago --example wide_search                 # its values are exact
//! ```
//!
//! The search follows the idea of the forward search of 2013 (Irving 2014, "Pentago is a first player
//! win", arXiv:1404.0743): depth first over placements, all rotations of one parity at once, ever
//! deeper, with a table of the boards met. It asks for one player, the attacker, at which rotations he
//! wins within a number of plies; a mask says which rotations are of interest. Boards stay in the frame
//! of the position: those that differ by turns are one, images of each other are not. It knows the
//! default rules only.
//!
//! Positions are quiet (the side to move doesn't win at once). Each program has one thread; the table
//! of the search has 1 GiB. Where they contradict each other, this ends with an error.

use pentago::answer::{Origin, Request};
use pentago::kernel::{Kernel, Pack, Passes, Turns};
use pentago::rules::{Position, Rules, Shape, random};
use pentago::supers::half::half_rotation;
use pentago::supers::{Half, WinMasks};
use pentago::{Control, Solver, Value};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Entries of the table: 1 GiB.
const ENTRIES: usize = 1 << 24;
/// The search looks at the clock after so many boards.
const BOARDS_AT_ONCE: u64 = 256;

/// The time is up.
struct TimeUp;

/// What is known of one board for one attacker.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// His marbles, with one more bit for who he is, and the defender's.
    key: [u64; 2],
    /// The rotations at which he wins.
    won: Half,
    /// Those at which he doesn't within `depth` plies.
    failed: Half,
    depth: u8,
    /// The number of the search: others are forgotten.
    search: u32,
}

impl Entry {
    /// The rotations of these of which a search of some depth would have to find out.
    fn open(&self, need: Half, depth: u8) -> Half {
        let failed = if self.depth >= depth { self.failed } else { Half::NONE };
        need & !self.won & !failed
    }
}

/// A table of bounded size: two entries for each hash, of which the shallower one is given up.
struct Table {
    entries: Vec<[Entry; 2]>,
    search: u32,
}

impl Table {
    fn slot(&self, key: [u64; 2]) -> usize {
        let mixed = key[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key[1].wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 24) as usize & (self.entries.len() - 1)
    }

    fn get(&self, key: [u64; 2]) -> Entry {
        let known = |entry: &&Entry| entry.key == key && entry.search == self.search;
        self.entries[self.slot(key)].iter().find(known).copied().unwrap_or_default()
    }

    /// Adds what a search of some depth has found.
    fn add(&mut self, key: [u64; 2], won: Half, failed: Half, depth: u8) {
        let (slot, search) = (self.slot(key), self.search);
        let pair = &mut self.entries[slot];
        let work = |entry: &Entry| (entry.key == key, entry.search != search, Reverse(entry.depth));
        let entry = if work(&pair[0]) >= work(&pair[1]) { &mut pair[0] } else { &mut pair[1] };
        if entry.key != key || entry.search != search {
            *entry = Entry { key, search, ..Entry::default() };
        }
        entry.won = entry.won | won;
        if depth > entry.depth {
            (entry.failed, entry.depth) = (failed, depth);
        } else if depth == entry.depth {
            entry.failed = entry.failed | failed;
        }
    }
}

/// A board for one attacker, in the frame of the position.
#[derive(Clone, Copy)]
struct Node {
    attacker: u64,
    defender: u64,
    /// The parity of the rotations at which it is met.
    parity: usize,
    /// A bit for the table if the attacker is to move in the position.
    mark: u64,
}

impl Node {
    fn key(&self) -> [u64; 2] {
        [self.attacker | self.mark, self.defender]
    }

    fn after_attack(&self, socket: u64) -> Node {
        Node { attacker: self.attacker | socket, parity: 1 - self.parity, ..*self }
    }

    fn after_defence(&self, socket: u64) -> Node {
        Node { defender: self.defender | socket, parity: 1 - self.parity, ..*self }
    }
}

fn union(halves: [Half; 2], more: &[Half; 2]) -> [Half; 2] {
    [halves[0] | more[0], halves[1] | more[1]]
}

/// A search of full width.
struct Wide {
    masks: WinMasks,
    passes: Passes,
    /// Sets of sockets with the rotations, by parity, at which they are five in a row.
    lines: Vec<(u64, [Half; 2])>,
    table: Table,
    boards: u64,
    end: Instant,
}

impl Wide {
    fn new(entries: usize) -> Wide {
        let shape = Shape::Pentago;
        let mut lines: BTreeMap<u64, [Half; 2]> = BTreeMap::new();
        for (line, p) in shape.lines().iter().flat_map(|line| [(line, 0), (line, 1)]) {
            for i in 0..128 {
                let r = half_rotation(p, i);
                let back = |q: usize| shape.rotate_quadrant((line >> (16 * q)) as u16 & 511, 4 - r[q]);
                let set = (0..4).fold(0, |set, q| set | u64::from(back(q)) << (16 * q));
                let half = &mut lines.entry(set).or_default()[usize::from(p)];
                *half = half.with(i, true);
            }
        }
        Wide {
            masks: WinMasks::new(shape),
            passes: Passes::of(Kernel::best()),
            lines: lines.into_iter().collect(),
            table: Table { entries: vec![[Entry::default(); 2]; entries / 2], search: 0 },
            boards: 0,
            end: Instant::now(),
        }
    }

    /// The value and the plies to the end; if the time doesn't suffice, the plies that were searched.
    fn solve(&mut self, position: &Position, time: Duration) -> (Value, u8) {
        self.end = Instant::now() + time;
        self.table.search += 1;
        self.boards = 0;
        let (own, other) = (position.own(), position.others());
        let need = Half::NONE.with(0, true);
        let free = (Shape::Pentago.board_mask() & !(own | other)).count_ones() as u8;
        for depth in 1..=free {
            let (won, value) = if depth % 2 == 1 {
                let node = Node { attacker: own, defender: other, parity: 0, mark: 1 << 63 };
                (self.attack(&node, need, depth), Value::Win)
            } else {
                let node = Node { attacker: other, defender: own, parity: 0, mark: 0 };
                (self.defend(&node, need, depth), Value::Loss)
            };
            match won {
                Ok(won) if won.get(0) => return (value, depth),
                Ok(_) => (),
                Err(TimeUp) => return (Value::Unknown, depth - 1),
            }
        }
        (Value::Draw, free)
    }

    fn fives(&self, set: u64) -> [Half; 2] {
        self.passes.fives(&self.masks.lines(set))
    }

    /// The fives of a set with one more marble, for each socket.
    fn fives_with(&self, set: u64, sockets: &[u64]) -> Vec<[Half; 2]> {
        sockets.iter().map(|socket| self.fives(set | socket)).collect()
    }

    /// Replaces each set of rotations by those that are one turn away.
    fn turn(&self, halves: &mut [Half]) {
        for four in halves.chunks_mut(4) {
            let mut pack = Pack::default();
            pack.0[..four.len()].copy_from_slice(four);
            four.copy_from_slice(&self.passes.rotation_max(&pack, Turns::Both).0[..four.len()]);
        }
    }

    fn turned(&self, half: Half) -> Half {
        let mut halves = [half];
        self.turn(&mut halves);
        halves[0]
    }

    fn count(&mut self) -> Result<(), TimeUp> {
        self.boards += 1;
        let up = self.boards.is_multiple_of(BOARDS_AT_ONCE) && Instant::now() > self.end;
        if up { Err(TimeUp) } else { Ok(()) }
    }

    /// Where the attacker wins who is to move, within so many plies: an odd number. Of rotations that
    /// aren't needed it may say less.
    fn attack(&mut self, node: &Node, need: Half, depth: u8) -> Result<Half, TimeUp> {
        let known = if depth > 1 { self.table.get(node.key()) } else { Entry::default() };
        let unknown = known.open(need, depth);
        if unknown == Half::NONE {
            return Ok(known.won);
        }
        self.count()?;
        let (p, q) = (node.parity, 1 - node.parity);
        let sockets = free(node);
        let (own, other) = (self.fives(node.attacker), self.fives(node.defender));
        let made = self.fives_with(node.attacker, &sockets).iter().fold([Half::NONE; 2], union);
        let at_once = made[p] | self.turned(made[q] & !other[q]);
        let mut won = known.won | (own[p] | at_once) & !other[p];
        let mut open = unknown & !won & !other[p];
        if depth > 1 && open != Half::NONE {
            for socket in self.order(node, &sockets, open) {
                let child = node.after_attack(socket);
                let below = self.defend(&child, self.turned(open), depth - 1)?;
                won = won | self.turned(below) & !other[p];
                open = open & !won;
                if open == Half::NONE {
                    break;
                }
            }
            self.table.add(node.key(), won, need & !won, depth);
        }
        Ok(won)
    }

    /// The attacker's placements: first those after which most is known to be won, then those on lines
    /// with most of his marbles.
    fn order(&self, node: &Node, sockets: &[u64], open: Half) -> Vec<u64> {
        let need = self.turned(open);
        let mut near = [self.turned(need); 2];
        near[1 - node.parity] = self.turned(near[0]);
        let mut weights = [0; 64];
        for (set, rotations) in self.lines.iter().filter(|(set, _)| set & node.defender == 0) {
            let places = (rotations[0] & near[0]).count() + (rotations[1] & near[1]).count();
            let weight = u64::from(places) << (3 * (set & node.attacker).count_ones());
            pentago_base::bits(set & !node.attacker).for_each(|bit| weights[bit] += weight);
        }
        let mut order = sockets.to_vec();
        order.sort_by_cached_key(|socket| {
            let known = self.table.get(node.after_attack(*socket).key()).won & need;
            Reverse((known.count(), weights[socket.trailing_zeros() as usize]))
        });
        order
    }

    /// Where the attacker wins though the defender is to move, within so many plies: an even number. Of
    /// rotations that aren't needed it may say less.
    fn defend(&mut self, node: &Node, need: Half, depth: u8) -> Result<Half, TimeUp> {
        let known = self.table.get(node.key());
        let unknown = known.open(need, depth);
        if unknown == Half::NONE {
            return Ok(known.won);
        }
        self.count()?;
        let (p, q) = (node.parity, 1 - node.parity);
        let sockets = free(node);
        let (own, other) = (self.fives(node.attacker), self.fives(node.defender));
        let mut won = known.won | own[p] & !other[p];
        // With five in a row of his own the defender doesn't lose.
        let answers = self.fives_with(node.defender, &sockets);
        let made = answers.iter().fold([Half::NONE; 2], union);
        let saved = other[p] | made[p] | self.turned(made[q]);
        let mut open = unknown & !won & !saved;
        if open != Half::NONE && !sockets.is_empty() {
            let mut below = self.at_once(node, own, &sockets, &answers);
            if depth > 2 {
                for (won, socket) in below.iter_mut().zip(&sockets) {
                    *won = *won | self.table.get(node.after_defence(*socket).key()).won;
                }
            }
            below.iter_mut().for_each(|won| *won = !*won);
            self.turn(&mut below);
            let mut replies: Vec<_> = below.into_iter().zip(sockets).collect();
            if depth > 2 {
                replies.sort_by_cached_key(|(escapes, _)| Reverse((*escapes & open).count()));
            }
            for (escapes, socket) in replies {
                let mut escapes = escapes & open;
                if depth > 2 && escapes != Half::NONE {
                    let child = node.after_defence(socket);
                    let won = self.attack(&child, self.turned(escapes), depth - 1)?;
                    escapes = self.turned(!won);
                }
                open = open & !escapes;
                if open == Half::NONE {
                    break;
                }
            }
            won = won | open;
        }
        self.table.add(node.key(), won, need & !won, depth);
        Ok(won)
    }

    /// After each of the defender's placements: where the attacker has five or makes them at once.
    fn at_once(&self, node: &Node, own: [Half; 2], sockets: &[u64], answers: &[[Half; 2]]) -> Vec<Half> {
        let (p, q) = (node.parity, 1 - node.parity);
        // What is made on any socket but this one.
        let with = self.fives_with(node.attacker, sockets);
        let mut made = vec![[Half::NONE; 2]; sockets.len()];
        let (mut before, mut after) = ([Half::NONE; 2], [Half::NONE; 2]);
        for i in 0..sockets.len() {
            let j = sockets.len() - 1 - i;
            made[i] = union(made[i], &before);
            made[j] = union(made[j], &after);
            (before, after) = (union(before, &with[i]), union(after, &with[j]));
        }
        let mut won: Vec<_> = made.iter().zip(answers).map(|(made, answer)| made[p] & !answer[p]).collect();
        self.turn(&mut won);
        let each = won.into_iter().zip(&made).zip(answers);
        each.map(|((won, made), answer)| (won | made[q] | own[q]) & !answer[q]).collect()
    }
}

/// The free sockets, each a set of one.
fn free(node: &Node) -> Vec<u64> {
    let free = Shape::Pentago.board_mask() & !(node.attacker | node.defender);
    pentago_base::bits(free).map(|bit| 1 << bit).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<f64>().expect("a number"));
    let mut next = |default| numbers.next().unwrap_or(default);
    let (marbles, count, seed) = (next(10.0) as u32, next(20.0) as usize, next(30.0) as u64);
    let time = Duration::from_secs_f64(next(3.0));
    let rules = Rules::default();
    let solver = Solver::builder().threads(NonZeroUsize::MIN).build()?;
    let request =
        Request { time: Some(time), proofs_only: true, guess_boards: Some(0), ..Request::default() };
    let mut wide = Wide::new(ENTRIES);
    let (mut decided, mut sooner, mut boards) = ([0; 4], 0, 0);
    let (mut seconds, mut searched) = ([0.0; 2], 0.0);
    for position in random::stream(rules, marbles, seed, true)?.take(count) {
        let position = position?;
        let begin = Instant::now();
        let (value, plies) = wide.solve(&position, time);
        let took = begin.elapsed().as_secs_f64();
        (boards, searched) = (boards + wide.boards, searched + took);
        let begin = Instant::now();
        let answer = solver.answer(&position, &request, &Control::new())?;
        let ours = begin.elapsed().as_secs_f64();
        let by = match answer.origin {
            Origin::Proof { sockets, depth, within } => format!("{sockets}+{depth} within {within}"),
            Origin::Unknown(_) => format!("({})", answer.ruled_out),
            ref other => other.name().to_string(),
        };
        let (text, proved) = (rules.format_position(&position), answer.value);
        println!("{text}: wide {value:?} in {plies}, {took:.3} s; proofs {proved:?} {by}, {ours:.3} s");
        let both = value != Value::Unknown && proved != Value::Unknown;
        if both && value != proved {
            return Err(format!("{text}: a contradiction").into());
        }
        decided[2 * usize::from(value == Value::Unknown) + usize::from(proved == Value::Unknown)] += 1;
        if both {
            sooner += u32::from(took < ours);
            seconds = [seconds[0] + took, seconds[1] + ours];
        }
    }
    let ([both, wide_alone, proofs_alone, none], pace) = (decided, boards as f64 / searched / 1e6);
    println!(
        "{marbles} marbles, {count} positions, {time:?} each: decided by both {both}, by the wide search alone \
         {wide_alone}, by proofs alone {proofs_alone}, by none {none}; of both the wide search was sooner in \
         {sooner}, all took it {:.2} s and proofs {:.2} s; {pace:.2} million boards a second",
        seconds[0], seconds[1]
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values and distances are those of the full solution.
    #[test]
    fn values_are_exact() {
        let (rules, mut wide) = (Rules::default(), Wide::new(1 << 16));
        let solver = Solver::builder().threads(NonZeroUsize::MIN).build().unwrap();
        let request = Request { exact: true, distance: true, ..Request::default() };
        let mut seen = [0; 3];
        for (marbles, count) in [(24, 12), (26, 40), (28, 100)] {
            for position in random::positions(&rules, marbles, count, 5, true).unwrap() {
                let exact = solver.answer(&position, &request, &Control::new()).unwrap();
                let (value, plies) = wide.solve(&position, Duration::from_secs(600));
                let distance = exact.distance.map_or(36 - marbles as u8, |plies| plies as u8);
                assert_eq!((value, plies), (exact.value, distance), "{}", rules.format_position(&position));
                seen[exact.value as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
    }
}
