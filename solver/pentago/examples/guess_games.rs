//! Games between two orders of the moves that nothing decides, each player knowing what five plies show:
//!
//! ```sh
//! cargo run --release --example guess_games -- 200 150000 lines        # games, boards of a guess
//! cargo run --release --example guess_games -- 200 150000 weights.bin  # against other weights
//! ```
//!
//! The first player goes by the guess that was learned; the other by the lines that are open to one
//! player alone, or by a guess with other weights. The first moves of each pair of games are random,
//! as many as the last argument says (2), and both players play them with both colours. Where the
//! full solution is quick, it decides the game. Neither player has proofs or published values.

use pentago::answer::Request;
use pentago::guess::{Evaluation, guess, prospects};
use pentago::rules::{Color, Position, Rules};
use pentago::{Control, Kernel, MoveEval, Solver, Value};
use pentago_base::Random;
use rayon::prelude::*;
use std::num::NonZeroUsize;

/// Positions with so many marbles are decided by the full solution.
const SOLVED: u32 = 20;
/// Plies that both players see.
const SEEN: usize = 5;

/// How a player orders moves.
enum Order {
    Lines,
    Guess(Box<Evaluation>),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [games, boards] = [0, 1].map(|i| arguments[i].parse::<u64>().expect("a number"));
    let first_moves = arguments.get(3).map_or(2, |n| n.parse().expect("a number of moves"));
    let guesses = Order::Guess(Box::new(Evaluation::learned().clone()));
    let other = match arguments[2].as_str() {
        "lines" => Order::Lines,
        file => Order::Guess(Box::new(Evaluation::of_bytes(&std::fs::read(file)?))),
    };
    let pairs = (0..games / 2).into_par_iter().map(|seed| {
        let opening = opening(seed, first_moves);
        let first = play(opening, [&guesses, &other], boards);
        let second = 2 - play(opening, [&other, &guesses], boards);
        first + second
    });
    let points = pairs.collect::<Vec<_>>();
    let mut shares = [0; 5];
    points.iter().for_each(|&p| shares[p] += 1);
    let all: usize = points.iter().sum();
    println!(
        "{:.1}% of {games} games, {boards} boards against {}; pairs with 0, 1/2, 1, 3/2, 2 points: {shares:?}",
        50.0 * all as f64 / games as f64,
        arguments[2]
    );
    Ok(())
}

/// A position after random moves.
fn opening(seed: u64, moves: u32) -> Position {
    let rules = Rules::default();
    let mut random = Random::new(seed);
    let mut position = rules.parse_position("6/6/6/6/6/6 x").expect("the first position");
    for _ in 0..moves {
        let legal = rules.moves(&position);
        let played = rules.play(&position, legal[random.below(legal.len())]).expect("a legal move");
        position = played.position;
    }
    position
}

/// Half points of the side to move at the beginning, which the first of two orders plays.
fn play(opening: Position, orders: [&Order; 2], boards: u64) -> usize {
    let (rules, control) = (Rules::default(), Control::new());
    let solver =
        Solver::builder().memory(4_000_000_000).threads(NonZeroUsize::MIN).build().expect("a solver");
    let first = opening.to_move();
    let mut position = opening;
    loop {
        let mover = position.to_move();
        let points = |value: Value, of: Color| match value {
            Value::Draw => 1,
            Value::Win => 2 * usize::from(of == first),
            _ => 2 * usize::from(of != first),
        };
        if let Some(outcome) = rules.outcome(&position) {
            return points(Value::of(outcome, mover), mover);
        }
        let exact = position.marbles() >= SOLVED;
        let depth = if exact { None } else { Some(SEEN) };
        let request = Request { depth, guess_boards: Some(0), proof_boards: Some(0), ..Request::default() };
        let answer = solver.answer(&position, &request, &control).expect("an answer");
        if answer.value != Value::Unknown {
            return points(answer.value, mover);
        }
        let open: Vec<MoveEval> =
            answer.moves.iter().filter(|m| m.value == Value::Unknown).cloned().collect();
        let chosen = match orders[usize::from(mover != first)] {
            Order::Lines => {
                let worth = |m: &&MoveEval| {
                    let board = m.position.board();
                    prospects(&rules, board.of(mover), board.of(mover.other()))
                };
                open.iter().rev().max_by_key(worth)
            }
            Order::Guess(evaluation) => {
                let moves: Vec<_> = open.iter().map(|m| m.mv).collect();
                let guesses = guess(evaluation, &rules, &position, &moves, Kernel::best(), boards, 1 << 30);
                open.iter().zip(guesses).rev().max_by_key(|(_, guess)| *guess).map(|(m, _)| m)
            }
        };
        position = chosen.expect("a move that five plies don't lose").position;
    }
}
