//! Finds the value of empty boards of Pente by proof-number search, independently of the tables:
//!
//! ```text
//! cargo run --release --manifest-path bench/Cargo.toml --example first_moves -- \
//!     100 512 pente:n=5,k=4,opening=free
//! ```
//!
//! The first argument is the limit of nodes in millions, the second the size of the search table in
//! MiB. All other arguments are rules. Two searches alternate, with twice as many nodes in each
//! round. The first decides whether the first player wins, the second whether the first player does
//! not lose. One of these questions can be far easier than the other.

use std::time::Instant;

use pentago_pente::{Color, PenteGame, Position, Rules, side};
use pentago_search::{Budget, Goal, ProofNumbers, Table, Verdict};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let millions: u64 =
        arguments.next().ok_or("usage: first_moves MILLIONS_OF_NODES MIB RULES...")?.parse()?;
    let mebibytes: usize =
        arguments.next().ok_or("usage: first_moves MILLIONS_OF_NODES MIB RULES...")?.parse()?;
    for text in arguments {
        let rules: Rules = text.parse()?;
        let mut game = PenteGame::new(&rules, &Position::EMPTY);
        let mut table = Table::new(mebibytes << 20)?;
        let goals = [Goal::win(side(Color::X)), Goal::not_lose(side(Color::X))];
        let mut verdicts = [None; 2];
        let start = Instant::now();
        let limit = millions.saturating_mul(1_000_000);
        let (mut share, mut spent) = (1_000_000, 0);
        while spent < limit {
            for (goal, verdict) in goals.into_iter().zip(&mut verdicts) {
                if verdict.is_some() || spent >= limit {
                    continue;
                }
                let mut budget = Budget::nodes(share.min(limit - spent));
                *verdict = ProofNumbers::new(&mut table, goal).solve(&mut game, &mut budget).ok();
                spent += budget.spent();
                let asked = if goal.draw_is_enough { "does not lose" } else { "wins" };
                let seconds = start.elapsed().as_secs_f64();
                println!("{text}: X {asked}: {verdict:?}, {spent} nodes for both, {seconds:.1} s");
            }
            share *= 2;
            let value = match verdicts {
                [Some(Verdict::Proved), _] => "X wins",
                [_, Some(Verdict::Refuted)] => "O wins",
                [Some(Verdict::Refuted), Some(Verdict::Proved)] => "a draw",
                _ => continue,
            };
            println!("{text}: {value}");
            break;
        }
    }
    Ok(())
}
