//! Measures the searches for forced wins of Pente on random positions of 19x19 points:
//! `cargo run --release --manifest-path bench/Cargo.toml --example forced_wins -- PLIES`.
//! PLIES is the depth of the last measurement, which searches all moves. The default is 5.

use std::time::Instant;

use pentago_pente::Budget;
use pentago_pente::Rules;
use pentago_pente::forced::{AttackWidth, ForcedWinSearch};
use pentago_pente::rules::random::{self, PlayStyle};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = Rules::default();
    let mut positions = Vec::new();
    for stones in [10, 16, 24] {
        positions.extend(random::positions(&rules, PlayStyle::Purposeful, stones, 20, 60, true)?);
    }
    let mut search = ForcedWinSearch::new(&rules, 1 << 28);
    let deepest = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    for (width, plies) in [
        (AttackWidth::Threats, 25),
        (AttackWidth::Quiet(1), 11),
        (AttackWidth::Quiet(2), 9),
        (AttackWidth::Full, 5),
        (AttackWidth::Full, deepest),
    ] {
        let (mut wins, mut nodes, mut worst, mut longest) = (0, 0, 0.0f64, 0);
        let start = Instant::now();
        for p in &positions {
            search.clear();
            let mut work = Budget::nodes(u64::MAX);
            let one = Instant::now();
            let found = search.shortest_win(p, plies, width, &mut work)?;
            worst = worst.max(one.elapsed().as_secs_f64());
            wins += usize::from(found.is_some());
            longest = longest.max(found.map_or(0, |(_, plies)| plies));
            nodes += work.spent();
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{width:?} to {plies} plies: {wins} of {} won, the longest in {longest}; {nodes} nodes, \
             {:.1} ms mean, {:.1} ms worst, {:.2} M nodes/s",
            positions.len(),
            1e3 * seconds / positions.len() as f64,
            1e3 * worst,
            nodes as f64 / seconds / 1e6,
        );
    }
    Ok(())
}
