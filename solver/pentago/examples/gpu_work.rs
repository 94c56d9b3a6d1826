//! What solutions have a graphics processor do, counted: a line for each number of marbles. No
//! processor is needed.

use pentago::Rules;
use pentago::solve::rooted::gpu::{Cuts, Work};

fn main() {
    println!("marbles,boards_of_both_chains,lines,gigabytes,fives_megabytes,passes,batches,megabytes_sent");
    for marbles in [26, 20, 18, 17, 16, 15] {
        let Work { boards, lines, memory, fives, passes, batches, words } =
            Work::of(Rules::default(), 36 - marbles, Cuts::default());
        let (memory, fives, sent) = (memory as f64 * 64e-9, fives as f64 * 64e-6, words as f64 * 4e-6);
        println!("{marbles},{boards},{lines},{memory:.3},{fives:.1},{passes},{batches},{sent:.1}");
    }
}
