//! Counts the positions with known values in which the guess's preferred move keeps the value:
//!
//! ```sh
//! # marbles, positions, then the boards of each search
//! cargo run --release --manifest-path bench/Cargo.toml --example guess_strength -- 16 100 0 500000
//! ```
//!
//! The values of positions with 3 to 6 marbles are published. Other positions are solved
//! completely. In each position, some moves keep the value and others do not, and no move wins
//! immediately.

use pentago::rules::{Rules, random};
use pentago::{Control, Solver, Value};
use pentago_core::answer::Question;
use pentago_core::guess::{Evaluation, guess};
use pentago_core::kernel::Kernel;

/// The seed of the random positions.
const SEED: u64 = 14;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<u64>().expect("a number"));
    let mut next = |default| numbers.next().unwrap_or(default);
    let (marbles, count) = (next(16), next(100));
    let mut searches: Vec<(u64, usize)> = numbers.map(|boards| (boards, 0)).collect();
    let rules = Rules::default();
    let solver = Solver::builder().openings(true).memory(21_000_000_000).build()?;
    let question = Question { exact: marbles > 6, ..Question::default() };
    let (mut by_chance, mut tried) = (0.0, 0);
    for position in random::stream(rules, marbles as u32, SEED, true)? {
        let position = position?;
        let answer = solver.answer(&position, &question, &Control::new())?;
        let keeps = |value: Value| value == answer.value;
        let all = answer.moves.iter().filter(|m| keeps(m.value)).count();
        if all == answer.moves.len() {
            continue;
        }
        let moves: Vec<_> = answer.moves.iter().map(|m| m.mv).collect();
        for (boards, kept) in &mut searches {
            let evaluation = Evaluation::learned();
            let guess = guess(evaluation, &rules, &position, &moves, Kernel::best(), *boards, 4_000_000_000);
            let scores = guess.scores.iter().enumerate().rev();
            let (chosen, _) = scores.max_by_key(|(_, guess)| **guess).expect("there are moves");
            *kept += usize::from(keeps(answer.moves[chosen].value));
        }
        tried += 1;
        by_chance += all as f64 / moves.len() as f64;
        if tried == count {
            break;
        }
    }
    println!("{marbles} marbles, {tried} positions: random moves keep the value in {by_chance:.1}");
    for (boards, kept) in searches {
        println!("{boards} boards: {kept}");
    }
    Ok(())
}
