//! Shows that seat A can't force a win of Pentago XL with two seats within nine plies of the empty
//! board. Names a reply of seat B to each first move, up to symmetry, and finds a reply to each
//! second move of A, after which an exhaustive search finds no win within five plies.
//!
//! Usage: cargo run --release --example xl_lower_bound

use std::collections::HashSet;

use pentago_search::Distance;
use pentago_xl::symmetry::SymmetryGroup;
use pentago_xl::{Budget, Kernel, Move, Position, Rules, Seat, Seats, WinSearch};

/// The number of plies that remain after two moves of each seat.
const LEFT: u32 = 5;

/// The moves of seat B that refuted earlier positions, the latest first.
type Killers = Vec<Move>;

/// Returns the different positions, up to symmetry, after one move, each with a move to it.
fn after_each_move(rules: &Rules, p: &Position) -> Vec<(Move, Position)> {
    let mut seen = HashSet::new();
    let moves = rules.moves(p).into_iter();
    let next = moves.map(|m| (m, rules.play(p, m).expect("a legal move").position));
    next.filter(|(_, next)| seen.insert(SymmetryGroup::WholeBoard.canonical(next).marbles)).collect()
}

/// Returns `true` if seat A, who is to move, has no win within five plies. The search is
/// exhaustive.
fn is_safe(rules: Rules, p: &Position) -> bool {
    let budget = Budget::nodes(u64::MAX);
    let mut search = WinSearch::new(rules, Seats::only(Seat::A), Kernel::best(), budget).expect("memory");
    matches!(search.shortest(p, LEFT), Distance::MoreThan(LEFT))
}

/// Returns `true` if seat B, who is to move, has a reply after which A has no win within five
/// plies.
fn has_reply(rules: Rules, p: &Position, killers: &mut Killers) -> bool {
    let all = after_each_move(&rules, p);
    let tried = killers.clone().into_iter().chain(all.into_iter().map(|(m, _)| m));
    for m in tried.filter(|m| p.at(m.place).is_none()) {
        let next = rules.play(p, m).expect("a legal move").position;
        if is_safe(rules, &next) {
            killers.retain(|killer| *killer != m);
            killers.insert(0, m);
            return true;
        }
    }
    false
}

fn main() {
    let rules = Rules::default();
    for (first, p) in after_each_move(&rules, &Position::EMPTY) {
        let mut killers = Killers::new();
        let mut replies = after_each_move(&rules, &p).into_iter();
        let found = replies.find_map(|(reply, p)| {
            let seconds = after_each_move(&rules, &p);
            let safe = seconds.iter().all(|(_, p)| has_reply(rules, p, &mut killers));
            eprintln!("{} {} {safe} {}", rules.format_move(first), rules.format_move(reply), killers.len());
            safe.then_some((reply, seconds.len()))
        });
        let (reply, seconds) = found.expect("a reply");
        let [first, reply] = [first, reply].map(|m| rules.format_move(m));
        println!("{first} {reply}: no win within nine plies after {seconds} second moves");
    }
}
