//! Proves that a side wins a game of Pentago, and writes the certificate to standard output:
//!
//! ```sh
//! cargo run --release -p pentago-search --example prove -- mini "4/4/4/4 x" win x > mini.certificate
//! cargo run --release -p pentago-check -- mini.certificate
//! ```
//!
//! The goal is `win` or `not-lose`; a number of plies behind the side asks for the shortest win of
//! at most so many.

use std::time::Instant;

use pentago::rules::Rules;
use pentago_search::{Budget, Goal, Method, Side, Table, prove};

#[path = "../tests/all/pentago_game.rs"]
mod pentago_game;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, position, goal, side, plies @ ..] = &arguments[..] else {
        return Err("expected RULES POSITION win|not-lose x|o [PLIES]".into());
    };
    let rules: Rules = rules.parse()?;
    let mut game = pentago_game::PentagoGame::new(rules, rules.parse_position(position)?);
    let side = if side == "x" { Side::First } else { Side::Second };
    let goal = if goal == "win" { Goal::win(side) } else { Goal::not_lose(side) };
    let method = match plies {
        [] => Method::Any,
        [plies, ..] => Method::Shortest(plies.parse()?),
    };
    let mut table = Table::new(1 << 30)?;
    let mut budget = Budget::nodes(2_000_000_000);
    let start = Instant::now();
    let certificate = prove(&mut game, goal, method, &mut table, &mut budget)?;
    print!("{}", certificate.text);
    let (moves, plies, nodes) = (certificate.moves, certificate.plies, budget.spent());
    eprintln!("{moves} moves, {plies} plies, {nodes} nodes, {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
