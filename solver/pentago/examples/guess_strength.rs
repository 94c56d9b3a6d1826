//! How often the move that the guess prefers keeps the value, on positions whose value is known:
//!
//! ```sh
//! cargo run --release --example guess_strength -- 16 100 500000      # marbles, positions, boards of a search
//! ```
//!
//! Values of 3 to 6 marbles are the published ones, others are solved to the end. Positions are
//! quiet (the side to move doesn't win at once), and some but not all of their moves keep the value.

use pentago::answer::Request;
use pentago::guess::{Evaluation, guess};
use pentago::kernel::Kernel;
use pentago::rules::{Rules, random};
use pentago::{Control, Solver, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<u64>().expect("a number"));
    let mut next = |default| numbers.next().unwrap_or(default);
    let (marbles, count, boards, seed) = (next(16), next(100), next(500_000), next(14));
    let rules = Rules::default();
    let solver = Solver::builder().openings(true).memory(16_000_000_000).build()?;
    let request = Request { exact: marbles > 6, ..Request::default() };
    let (mut kept, mut by_chance, mut tried) = (0, 0.0, 0);
    for position in random::stream(rules, marbles as u32, seed, true)? {
        let position = position?;
        let answer = solver.answer(&position, &request, &Control::new())?;
        let keeps = |value: Value| value == answer.value;
        let all = answer.moves.iter().filter(|m| keeps(m.value)).count();
        if all == answer.moves.len() {
            continue;
        }
        let moves: Vec<_> = answer.moves.iter().map(|m| m.mv).collect();
        let guess =
            guess(Evaluation::learned(), &rules, &position, &moves, Kernel::best(), boards, 4_000_000_000);
        let (chosen, _) =
            guess.scores.iter().enumerate().rev().max_by_key(|(_, guess)| **guess).expect("there are moves");
        tried += 1;
        by_chance += all as f64 / moves.len() as f64;
        kept += usize::from(keeps(answer.moves[chosen].value));
        if tried == count {
            break;
        }
    }
    println!(
        "{marbles} marbles, {boards} boards: {kept} of {tried} moves keep the value; of random moves {by_chance:.1}",
    );
    Ok(())
}
