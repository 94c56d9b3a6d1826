//! Values of empty boards by proof-number search, the second way besides the tables:
//!
//! ```text
//! cargo run --release -p pentago-pente --example first_moves -- 100 pente:n=5,k=4,opening=free
//! ```
//!
//! The first argument is the most nodes in millions, for each of the two questions: does the first
//! player win, and does he at least not lose.

use std::time::Instant;

use pentago_pente::{Color, Game, Position, Rules, side};
use pentago_search::{Budget, Goal, ProofNumbers, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let millions: u64 = arguments.next().ok_or("how many million nodes?")?.parse()?;
    for text in arguments {
        let rules: Rules = text.parse()?;
        let mut game = Game::new(&rules, &Position::EMPTY);
        let mut table = Table::new(1 << 29)?;
        for goal in [Goal::win(side(Color::X)), Goal::not_lose(side(Color::X))] {
            let start = Instant::now();
            let mut budget = Budget::nodes(millions * 1_000_000);
            let verdict = ProofNumbers::new(&mut table, goal).solve(&mut game, &mut budget);
            let asked = if goal.draw_is_enough { "does not lose" } else { "wins" };
            let seconds = start.elapsed().as_secs_f64();
            println!("{text}: X {asked}: {verdict:?}, {} nodes, {seconds:.1} s", budget.spent());
            if verdict.is_ok_and(|v| v == pentago_search::Verdict::Proved) {
                break;
            }
        }
    }
    Ok(())
}
