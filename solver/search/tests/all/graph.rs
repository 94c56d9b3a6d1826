//! Tests of random games against brute force. The games are acyclic graphs with many paths to each
//! position, any order of sides to move, and moves that lose immediately.

use std::collections::HashMap;

use pentago_search::{
    Budget, Deepening, Distance, Game, Goal, Method, NoCertificate, Notation, Outcome, ProofNumbers, Side,
    Table, Verdict, prove, value,
};
use proptest::prelude::*;

use crate::replay::replay;

/// A game in which every move leads from a position to a position with a larger index. A position
/// without moves is finished.
#[derive(Clone, Debug)]
pub struct Graph {
    pub nodes: Vec<Node>,
    /// `true` if `Game::moves` omits moves after which the other side has won or can win
    /// immediately.
    pub omit: bool,
    pub at: usize,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub side: Side,
    pub end: Outcome,
    pub children: Vec<usize>,
}

impl Graph {
    fn over(&self, at: usize) -> Option<Outcome> {
        self.nodes[at].children.is_empty().then_some(self.nodes[at].end)
    }

    fn win_at(&self, at: usize) -> Option<usize> {
        let node = &self.nodes[at];
        node.children.iter().copied().find(|&c| self.over(c) == Some(Outcome::Win(node.side)))
    }
}

impl Game for Graph {
    type Move = usize;
    type Undo = usize;

    fn side(&self) -> Side {
        self.nodes[self.at].side
    }

    fn outcome(&self) -> Option<Outcome> {
        self.over(self.at)
    }

    fn plies_left(&self) -> u32 {
        if self.over(self.at).is_some() { 0 } else { (self.nodes.len() - 1 - self.at) as u32 }
    }

    fn moves(&mut self, out: &mut Vec<usize>) {
        let node = &self.nodes[self.at];
        let other = node.side.other();
        let loses = |child: usize| match self.over(child) {
            Some(outcome) => outcome == Outcome::Win(other),
            None => self.nodes[child].side == other && self.win_at(child).is_some(),
        };
        // List the moves in another order than `all_moves` does, as the trait allows.
        out.extend(node.children.iter().rev().copied().filter(|&c| !self.omit || !loses(c)));
    }

    fn all_moves(&mut self, out: &mut Vec<usize>) {
        out.extend(&self.nodes[self.at].children);
    }

    fn make(&mut self, mv: usize) -> usize {
        std::mem::replace(&mut self.at, mv)
    }

    fn unmake(&mut self, mv: usize, undo: usize) {
        assert_eq!(self.at, mv);
        self.at = undo;
    }

    fn winning_move(&mut self) -> Option<usize> {
        assert!(self.outcome().is_none());
        self.win_at(self.at)
    }

    fn key(&self) -> u128 {
        self.at as u128
    }
}

impl Notation for Graph {
    fn game_text(&self) -> String {
        "graph".into()
    }

    fn position_text(&self) -> String {
        self.at.to_string()
    }

    fn move_text(&self, mv: usize) -> String {
        mv.to_string()
    }

    fn side_text(&self, side: Side) -> String {
        format!("{side:?}")
    }
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::First), Just(Side::Second)]
}

fn end() -> impl Strategy<Value = Outcome> {
    prop_oneof![2 => side().prop_map(Outcome::Win), 1 => Just(Outcome::Draw)]
}

/// Generates graphs of up to 60 positions. A move raises the index by at most `reach`, so that
/// games are long and many paths lead to a position.
pub fn graphs() -> impl Strategy<Value = Graph> {
    (3_usize..60, 2_usize..12, any::<bool>(), any::<bool>()).prop_flat_map(
        |(count, reach, omit, alternate)| {
            let node = (side(), end(), prop::collection::vec(1..=reach, 0..5), any::<bool>());
            prop::collection::vec(node, count).prop_map(move |parts| {
                let mut nodes = Vec::new();
                for (i, (side, end, jumps, over)) in parts.into_iter().enumerate() {
                    let mut children: Vec<usize> =
                        jumps.into_iter().map(|jump| i + jump).filter(|&to| to < count).collect();
                    children.sort_unstable();
                    children.dedup();
                    // So that games do not end early, add a move to the first position if it has
                    // none, and to half of the other positions without moves.
                    if children.is_empty() && i + 1 < count && (i == 0 || over) {
                        children.push(i + 1);
                    }
                    let side = match (alternate, i % 2) {
                        (false, _) => side,
                        (true, 0) => Side::First,
                        (true, _) => Side::Second,
                    };
                    nodes.push(Node { side, end, children });
                }
                Graph { nodes, omit, at: 0 }
            })
        },
    )
}

/// Returns `true` if the goal is reached from position `at` within `plies` plies. Follows the
/// definition literally.
fn reached(graph: &Graph, goal: Goal, at: usize, plies: u32, memo: &mut HashMap<(usize, u32), bool>) -> bool {
    if let Some(outcome) = graph.over(at) {
        return goal.reached(outcome);
    }
    if plies == 0 {
        return false;
    }
    if let Some(&known) = memo.get(&(at, plies)) {
        return known;
    }
    let attacker = graph.nodes[at].side == goal.side;
    let mut below = graph.nodes[at].children.iter().map(|&c| reached(graph, goal, c, plies - 1, memo));
    let answer = if attacker { below.any(|yes| yes) } else { below.all(|yes| yes) };
    memo.insert((at, plies), answer);
    answer
}

fn goals() -> [Goal; 4] {
    [Side::First, Side::Second]
        .map(|side| [Goal::win(side), Goal::not_lose(side)])
        .concat()
        .try_into()
        .unwrap()
}

/// Returns the least number of plies in which `side` can force a win, or `None` if it cannot.
fn distance(graph: &Graph, side: Side, at: usize) -> Option<u32> {
    let mut memo = HashMap::new();
    (0..=graph.nodes.len() as u32).find(|&n| reached(graph, Goal::win(side), at, n, &mut memo))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn proof_numbers_find_the_truth(mut graph in graphs(), bytes in prop_oneof![Just(64_usize), Just(4096)]) {
        for goal in goals() {
            let mut table = Table::new(bytes).unwrap();
            let mut search = ProofNumbers::new(&mut table, goal);
            let mut budget = Budget::nodes(1_000_000);
            let verdict = search.solve(&mut graph, &mut budget);
            prop_assert_eq!(graph.at, 0);
            // A table of 64 bytes loses nearly all results. The search then repeats them on every
            // path, and may exhaust its budget.
            let Ok(verdict) = verdict else {
                prop_assert_eq!(bytes, 64);
                continue;
            };
            let truth = reached(&graph, goal, 0, 100, &mut HashMap::new());
            prop_assert_eq!(verdict == Verdict::Proved, truth);
            let Ok(winner) = search.winner(&mut graph, &mut budget) else {
                prop_assert_eq!(bytes, 64);
                continue;
            };
            prop_assert_eq!(winner.is_some(), truth && graph.side() == goal.side);
            if let Some(mv) = winner {
                prop_assert!(reached(&graph, goal, mv, 100, &mut HashMap::new()));
            }
        }
    }

    #[test]
    fn full_width_finds_exact_distances(
        mut graph in graphs(),
        bytes in prop_oneof![Just(64_usize), Just(4096)],
    ) {
        let mut table = Table::new(bytes).unwrap();
        for goal in goals() {
            let mut budget = Budget::nodes(10_000_000);
            let mut search = Deepening::new(&mut table, goal);
            for plies in 0..12 {
                let limit = if goal.draw_is_enough { 100 } else { plies };
                let truth = reached(&graph, goal, 0, limit, &mut HashMap::new());
                let found = search.within(&mut graph, plies, &mut budget).unwrap();
                prop_assert_eq!(found, truth, "{:?} {}", goal, plies);
            }
            if goal.draw_is_enough {
                continue;
            }
            let expected = match distance(&graph, goal.side, 0) {
                Some(plies) => Distance::Exactly(plies),
                None => Distance::Never,
            };
            let found = search.shortest(&mut graph, 100, &mut budget);
            prop_assert_eq!(found, expected);
            let winner = search.winner(&mut graph, 100, &mut budget).unwrap();
            match found {
                Distance::Exactly(plies) if plies > 0 && graph.side() == goal.side => {
                    let (mv, within) = winner.expect("the attacker wins");
                    prop_assert_eq!(within, plies);
                    prop_assert_eq!(distance(&graph, goal.side, mv), Some(plies - 1));
                }
                _ => prop_assert!(winner.is_none()),
            }
        }
    }

    #[test]
    fn values_are_exact(mut graph in graphs()) {
        let mut table = Table::new(1 << 12).unwrap();
        let found = value(&mut graph, &mut table, 100, &mut Budget::nodes(10_000_000));
        let plies = [Side::First, Side::Second].map(|side| distance(&graph, side, 0));
        let expected = match plies {
            [Some(_), None] => Outcome::Win(Side::First),
            [None, Some(_)] => Outcome::Win(Side::Second),
            [None, None] => Outcome::Draw,
            both => panic!("both win: {both:?}"),
        };
        prop_assert_eq!(found.outcome, Some(expected));
        prop_assert_eq!(found.plies(), plies[0].or(plies[1]));
    }

    #[test]
    fn certificates_prove_what_they_say(
        mut graph in graphs(),
        bytes in prop_oneof![Just(64_usize), Just(4096)],
    ) {
        for goal in goals() {
            let truth = reached(&graph, goal, 0, 100, &mut HashMap::new());
            for method in [Method::Any, Method::Shortest(100)] {
                let mut table = Table::new(bytes).unwrap();
                let result = prove(&mut graph, goal, method, &mut table, &mut Budget::nodes(10_000_000));
                prop_assert_eq!(graph.at, 0);
                if !truth {
                    prop_assert_eq!(result.err(), Some(NoCertificate::Refuted));
                    continue;
                }
                let certificate = result.unwrap();
                let replayed = replay(&mut graph, goal, &certificate.text).unwrap();
                prop_assert_eq!(replayed, (certificate.plies, certificate.moves as usize));
                if method == Method::Shortest(100) && !goal.draw_is_enough {
                    prop_assert_eq!(Some(certificate.plies), distance(&graph, goal.side, 0));
                }
            }
        }
    }
}
