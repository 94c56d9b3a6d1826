//! Solves small boards from the end and prints what each took and its value:
//!
//! ```text
//! cargo run --release -p pentago-pente --example small_boards -- pente:n=4,k=4,opening=free
//! ```

use std::time::Instant;

use pentago_pente::table::{Builder, Value, estimate, slices};
use pentago_pente::{Position, Rules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for text in std::env::args().skip(1) {
        let rules: Rules = text.parse()?;
        let estimate = estimate(&rules)?;
        let start = Instant::now();
        let mut builder = Builder::new(&rules, false, 8 << 30)?;
        let indexed = start.elapsed();
        let mut last = None;
        for id in slices(&rules) {
            last = Some(builder.solve(id)?);
        }
        let seconds = start.elapsed().as_secs_f64();
        // The last slice is the empty board, one position.
        let value = match last.map(|slice| slice.bytes()[0] & 3) {
            Some(1) => Value::Loss,
            Some(2) => Value::Draw,
            _ => Value::Win,
        };
        println!(
            "{text}: {} to move: {value:?}; {} positions, {} bytes, largest slice {}, peak {}; \
             {seconds:.2} s (index {:.2} s), {:.1} M positions/s",
            Position::EMPTY.to_move(),
            estimate.positions,
            estimate.bytes,
            estimate.largest,
            estimate.peak,
            indexed.as_secs_f64(),
            estimate.positions as f64 / seconds / 1e6,
        );
    }
    Ok(())
}
