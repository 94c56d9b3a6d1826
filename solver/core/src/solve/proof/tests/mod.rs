//! Compares counted proofs with a plain implementation of their definition, one rotation at a time.

mod full_width;
mod soundness;

use super::counted::{Proved, Question, Workspace};
use crate::kernel::Kernel;
use crate::rules::tests::all_rules;
use crate::rules::{Both, Last, Place, Reply, Rules, Shape, Turn, random};
use crate::supers::Half;
use crate::supers::half::{half_index, half_rotation};
use crate::symmetry::{Rotation, turned};
use pentago_base::Control;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// A plain implementation of the definition of a counted proof, for one question.
struct Plain<'a> {
    rules: Rules,
    q: &'a Question<'a>,
    inside: u64,
    memo: HashMap<(u64, u64, u32, bool, Rotation), bool>,
}

impl Plain<'_> {
    fn turned(&self, set: u64, r: Rotation) -> u64 {
        (0..4).fold(0, |out, b| {
            let pattern = (set >> (16 * b)) as u16;
            out | u64::from(self.rules.shape.rotate_quadrant(pattern, r[b])) << (16 * b)
        })
    }

    fn outside(&self) -> u64 {
        self.q.free & !self.inside
    }

    fn full(&self, a: u64, b: u64, c: u32) -> bool {
        a | b == self.inside && c == self.outside().count_ones()
    }

    fn attacker_has(&self, a: u64, r: Rotation) -> bool {
        self.rules.shape.has_line(self.turned(self.q.own | a, r))
    }

    /// Returns `true` if the defender can have a line that uses located marbles, and at most `c`
    /// sockets outside S.
    fn defender_has(&self, b: u64, c: u32, r: Rotation) -> bool {
        let (located, outside) = (self.turned(self.q.other | b, r), self.turned(self.outside(), r));
        self.rules
            .shape
            .lines()
            .iter()
            .any(|line| line & !(located | outside) == 0 && (line & outside).count_ones() <= c)
    }

    fn after_turns(&mut self, r: Rotation, mut all: impl FnMut(&mut Self, Rotation) -> bool) -> Vec<bool> {
        let turns: Vec<Turn> = self.rules.turns().collect();
        turns.into_iter().map(|t| all(self, turned(r, usize::from(t.quadrant), t.clockwise))).collect()
    }

    fn wins(&mut self, a: u64, b: u64, c: u32, attacks: bool, r: Rotation) -> bool {
        if let Some(&known) = self.memo.get(&(a, b, c, attacks, r)) {
            return known;
        }
        let wins = if attacks { self.attacker(a, b, c, r) } else { self.defender(a, b, c, r) };
        self.memo.insert((a, b, c, attacks, r), wins);
        wins
    }

    fn attacker(&mut self, a: u64, b: u64, c: u32, r: Rotation) -> bool {
        let full = self.full(a, b, c);
        if full && self.rules.last == Last::Stop || self.defender_has(b, c, r) {
            return false;
        }
        if self.attacker_has(a, r) {
            return true;
        }
        let sockets: Vec<u64> = self.q.sockets.iter().copied().filter(|x| x & (a | b) == 0).collect();
        sockets.into_iter().any(|x| {
            self.rules.place == Place::Wins && self.attacker_has(a | x, r)
                || (a.count_ones() as usize) < self.q.placements
                    && self.after_turns(r, |of, to| of.wins(a | x, b, c, false, to)).contains(&true)
        })
    }

    fn defender(&mut self, a: u64, b: u64, c: u32, r: Rotation) -> bool {
        let full = self.full(a, b, c);
        let (w, d) = (self.attacker_has(a, r), self.defender_has(b, c, r));
        let mut replies: Vec<(u64, u32)> =
            self.q.sockets.iter().filter(|&y| y & (a | b) == 0).map(|&y| (b | y, c)).collect();
        if c < self.outside().count_ones() {
            replies.push((b, c + 1));
        }
        let threat =
            self.rules.place == Place::Wins && replies.iter().any(|&(b, c)| self.defender_has(b, c, r));
        if full {
            return self.rules.last == Last::Turn && w && (!d || self.rules.both == Both::Mover);
        }
        match (self.rules.reply, self.rules.both) {
            (Reply::None, Both::Draw) if d || w => return w && !d,
            (Reply::None, Both::Mover) if d || w => return w,
            (Reply::Place, _) if d || w => return w && !d && !threat,
            _ => {}
        }
        !threat
            && replies
                .into_iter()
                .all(|(b, c)| !self.after_turns(r, |of, to| of.wins(a, b, c, true, to)).contains(&false))
    }
}

fn check(rules: Rules, q: &Question, bits: impl Iterator<Item = usize>) {
    let all: Vec<Proved> = Kernel::available()
        .into_iter()
        .map(|kernel| Workspace::new(rules, kernel, NonZeroUsize::MIN).prove(q, &Control::new()).unwrap())
        .collect();
    for other in &all[1..] {
        assert_eq!(
            (other.root, &other.children, other.outside),
            (all[0].root, &all[0].children, all[0].outside)
        );
        assert_eq!(other.boards, all[0].boards);
    }
    let proved = &all[0];
    assert!(proved.boards <= q.most_boards());
    let inside = q.sockets.iter().fold(0, |all, x| all | x);
    let mut plain = Plain { rules, q, inside, memo: HashMap::new() };
    let what = format!("{rules} {q:x?}");
    for bit in bits {
        let r = half_rotation(q.parity, bit);
        assert_eq!(proved.root.get(bit), plain.wins(0, 0, 0, q.attacks, r), "{what} {r:?}");
        let after = half_rotation(q.parity ^ 1, bit);
        for (i, &x) in q.sockets.iter().enumerate() {
            let expected = if q.attacks {
                q.placements > 0 && plain.wins(x, 0, 0, false, after)
            } else {
                plain.wins(0, x, 0, true, after)
            };
            assert_eq!(proved.children[i].get(bit), expected, "{what} {after:?} {i}");
        }
        if !q.attacks && plain.outside() != 0 {
            assert_eq!(proved.outside.get(bit), plain.wins(0, 0, 1, true, after), "{what} {after:?}");
        } else {
            assert_eq!(proved.outside, Half::NONE);
        }
        assert_eq!(half_index(r), bit);
    }
}

/// Compares proofs with the plain definition, for a random position that has `free` empty sockets.
/// The set S has `s` of these sockets.
fn questions(rules: Rules, free: u32, s: usize, seed: u64, bits: usize) {
    let marbles = rules.shape.sockets() as u32 - free;
    let Ok(found) = random::positions(&rules, marbles, 1, seed, false) else { return };
    let board = found[0].board();
    let empty: Vec<u64> = rules.shape.sockets_of(board.free(rules.shape)).map(|x| x.bit()).collect();
    // Order S differently from the numbers of the sockets, so that the test would detect confusion
    // between the two orders.
    let mut sockets = empty.clone();
    sockets.rotate_left(seed as usize % empty.len());
    sockets.truncate(s);
    for attacks in [true, false] {
        let (own, other) = if seed.is_multiple_of(2) { (board.x, board.o) } else { (board.o, board.x) };
        let q = Question {
            own,
            other,
            free: board.free(rules.shape),
            sockets: &sockets,
            attacks,
            parity: (seed / 2 % 2) as u8,
            placements: if seed.is_multiple_of(3) { s.saturating_sub(2) } else { s },
        };
        check(rules, &q, (0..bits).map(|i| (i * 37 + seed as usize) % 128));
    }
}

#[test]
fn proofs_are_their_definition() {
    for rules in all_rules(Shape::Pentago) {
        for (i, (free, s)) in
            [(1, 1), (2, 1), (3, 3), (4, 2), (5, 4), (8, 3), (11, 4)].into_iter().enumerate()
        {
            questions(rules, free, s, 1 + i as u64, 4);
        }
    }
    for rules in all_rules(Shape::Mini3).into_iter().chain(all_rules(Shape::Mini4)) {
        for (i, (free, s)) in [(2, 2), (5, 4), (6, 4)].into_iter().enumerate() {
            questions(rules, free, s, 9 + i as u64, 4);
        }
    }
}

/// Compares larger proofs, whose rows consist of several blocks.
#[test]
fn longer_rows_are_their_definition() {
    for (i, rules) in all_rules(Shape::Pentago).into_iter().enumerate() {
        questions(rules, 9, 6, i as u64, 1);
        questions(rules, 7, 7, i as u64 + 1, 1);
    }
}
