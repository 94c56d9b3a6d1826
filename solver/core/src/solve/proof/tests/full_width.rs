//! Compares full-width searches with a plain implementation of their definition, and with
//! solutions.

use super::super::counted::Workspace;
use super::super::full_width::{Board, Found, FullWidth, WinTable, is_possible};
use crate::kernel::Kernel;
use crate::rules::tests::all_rules;
use crate::rules::{Both, Reply, Rules, Shape, Turn, random};
use crate::supers::Half;
use crate::supers::half::half_rotation;
use crate::symmetry::{Rotation, turned};
use pentago_base::{Control, bits};
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// A plain implementation of the definition: the game, in which the attacker may place only a few
/// marbles.
struct Plain {
    rules: Rules,
    board: Board,
    placements: usize,
    memo: HashMap<(u64, u64, Rotation), bool>,
}

impl Plain {
    fn free(&self, a: u64, b: u64) -> u64 {
        self.rules.shape.board_mask() & !(self.board.own | self.board.other | a | b)
    }

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

    /// Returns `true` if the attacker wins. `a` and `b` are the new marbles of the attacker and of
    /// the defender. Their counts determine who is to move.
    fn wins(&mut self, a: u64, b: u64, r: Rotation) -> bool {
        if let Some(&known) = self.memo.get(&(a, b, r)) {
            return known;
        }
        let first = u32::from(!self.board.attacks);
        let wins = if b.count_ones() == a.count_ones() + first {
            self.attacker(a, b, r)
        } else {
            self.defender(a, b, r)
        };
        self.memo.insert((a, b, r), wins);
        wins
    }

    fn attacker(&mut self, a: u64, b: u64, r: Rotation) -> bool {
        let (own, other) = (self.board.own | a, self.board.other | b);
        if self.has(other, r) || self.has(own, r) {
            return !self.has(other, r);
        }
        let last = a.count_ones() as usize + 1 == self.placements;
        bits(self.free(a, b)).map(|i| 1 << i).collect::<Vec<u64>>().into_iter().any(|x| {
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
        let (own, other) = (self.board.own | a, self.board.other | b);
        let (w, d) = (self.has(own, r), self.has(other, r));
        let replies: Vec<u64> = bits(self.free(a, b)).map(|i| 1 << i).collect();
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

/// Searches a board at all rotations. The search pauses after every `most` boards.
fn found(workspace: &Workspace, board: &Board, placements: usize, most: u64) -> Found {
    let mut table = WinTable::new(1 << 20);
    let control = Control::new();
    let mut pauses = 0;
    loop {
        // Raise the limit after each pause: with a table that is too small, the search might never
        // end otherwise.
        let most = most.saturating_add(pauses * most / 4);
        let mut search = FullWidth::new(workspace, &mut table, most, &control);
        match search.run(board, placements, Half::ALL).unwrap() {
            Some(found) => return found,
            None => pauses += 1,
        }
    }
}

/// Compares searches with the plain definition, for a random position that has `free` empty
/// sockets.
fn question(rules: Rules, free: u32, placements: usize, seed: u64, few: usize) {
    let marbles = rules.shape.sockets() as u32 - free;
    let Ok(positions) = random::positions(&rules, marbles, 1, seed, false) else { return };
    let position = positions[0].board();
    let free = position.free(rules.shape);
    let (own, other) =
        if seed.is_multiple_of(2) { (position.x, position.o) } else { (position.o, position.x) };
    if !is_possible(free.count_ones() as usize, placements) {
        return;
    }
    for attacks in [true, false] {
        let parity = (seed / 2 % 2) as u8;
        let board = Board { own, other, attacks, parity };
        let workspace = Workspace::new(rules, Kernel::best(), NonZeroUsize::MIN);
        let result = found(&workspace, &board, placements, u64::MAX);
        assert_eq!(found(&workspace, &board, placements, 100), result);
        let mut plain = Plain { rules, board, placements, memo: HashMap::new() };
        let what = format!("{rules} {board:x?}");
        for bit in (0..few).map(|i| (i * 37 + seed as usize) % 128) {
            let r = half_rotation(parity, bit);
            assert_eq!(result.root.get(bit), plain.wins(0, 0, r), "{what} {r:?}");
            let after = half_rotation(parity ^ 1, bit);
            for &(x, won) in &result.children {
                let expected = match attacks {
                    true => placements > 1 && plain.wins(x, 0, after),
                    false => plain.wins(0, x, after),
                };
                assert_eq!(won.get(bit), expected, "{what} {after:?} {x:x}");
            }
            assert_eq!(result.children.len(), bits(free).count());
        }
    }
}

#[test]
fn full_width_searches_are_their_definition() {
    questions(5);
}

#[test]
#[ignore = "long: finds what goes wrong under one of the rules alone"]
fn long_full_width_searches_are_their_definition() {
    questions(1);
}

/// Compares searches under every `every`-th combination of rules. On the small boards, each kind of
/// question uses its own rules.
fn questions(every: usize) {
    for (i, rules) in all_rules(Shape::Pentago).into_iter().enumerate() {
        if i % every != 0 {
            continue;
        }
        let seed = i as u64;
        if (i / every).is_multiple_of(2) {
            question(rules, 9, 3, seed, 2);
            question(rules, 19, 2, seed + 3, 3);
        } else {
            question(rules, 10, 3, seed + 1, 1);
            question(rules, 18, 2, seed + 2, 3);
        }
        question(rules, 28, 1, seed + 4, 5);
    }
    for (shape, first) in [(Shape::Mini3, 0), (Shape::Mini4, 1)] {
        for (i, rules) in all_rules(shape).into_iter().enumerate() {
            if (i + first) % every == 0 {
                question(rules, 8, 3, i as u64, 2);
            }
            if (i + first + 1) % every == 0 {
                question(rules, 10, 4, i as u64 + 1, 1);
            }
        }
    }
}

/// A search agrees with the full solution truncated at the same number of plies.
#[test]
fn full_width_searches_agree_with_solutions() {
    use crate::answer::Value;
    use crate::solve::RootedSolver;
    let mut won = 0;
    for (i, options) in ["pentago", "pentago:both=mover", "pentago:dir=cw"].into_iter().enumerate() {
        let rules: Rules = options.parse().unwrap();
        let workspace = Workspace::new(rules, Kernel::best(), NonZeroUsize::MIN);
        for position in random::positions(&rules, 14, 4, 5 + i as u64, true).unwrap() {
            let mut solver = RootedSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 1 << 30);
            for plies in [3, 4, 5, 6] {
                let value = solver.solve(&position, plies, &Control::new()).unwrap().value;
                let attacks = plies % 2 == 1;
                let (mut own, mut other) = (position.own(), position.others());
                if !attacks {
                    std::mem::swap(&mut own, &mut other);
                }
                let board = Board { own, other, attacks, parity: 0 };
                let result = found(&workspace, &board, plies.div_ceil(2), u64::MAX);
                assert_eq!(result.plies, plies);
                let expected = if attacks { Value::Win } else { Value::Loss };
                assert_eq!(result.root.get(0), value == expected, "{rules} {position:?} {plies}");
                won += u32::from(result.root.get(0));
            }
        }
    }
    assert!(won > 5, "{won}");
}
