//! Plays games between two players that order undecided moves differently. Both players see five
//! plies ahead:
//!
//! ```sh
//! cargo build --release --manifest-path bench/Cargo.toml --example guess_games
//! G=bench/target/release/examples/guess_games
//! $G 200 150000 lines        # games, boards of a guess
//! $G 200 150000 weights.bin  # against other weights
//! RAYON_NUM_THREADS=1 $G 200 1s lines
//! ```
//!
//! The first argument is the number of games. The second argument is the number of boards that a
//! guess of the first player searches, with the learned weights. If the second argument is a time,
//! the first player is the whole program instead, on one thread, with that time per move. The third
//! argument is `lines` or a file of other weights: the second player counts the lines that only one
//! side can still complete, or uses a guess with those weights. Except for the whole program, no
//! player uses proofs or published values. The fourth argument is the number of random moves in the
//! opening, by default 2. Each opening is played twice, with exchanged colours. From 20 marbles on,
//! the full solution determines the result of a game.
//!
//! Prints the late positions of games that the whole program did not win.
//! `pentago solve --batch --exact` shows which of these positions were won.

use pentago::rules::{Color, Position, Rules};
use pentago::{Control, Kernel, MoveEval, Solver, Value};
use pentago_base::Random;
use pentago_core::answer::Question;
use pentago_core::guess::{Evaluation, guess, prospects};
use pentago_games::{SearchContext, read_rules};
use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::time::Duration;

/// The least number of marbles at which the full solution decides the game.
const SOLVED: u32 = 20;
/// The least number of marbles of the positions that are printed.
const LATE: u32 = 14;
/// The number of plies that both players look ahead.
const SEEN: u32 = 5;
/// The memory limit of a solution, in bytes.
const MEMORY: u64 = 4_000_000_000;

/// A player: its method of choosing among undecided moves.
enum Player {
    /// Chooses by the number of lines that only one side can still complete.
    Lines,
    /// Chooses by a guess. The fields are the weights, and the number of boards that the guess
    /// searches.
    Guess(Box<Evaluation>, u64),
    /// Lets the whole program choose. The field is the time for each move.
    Program(Duration),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let games: u64 = arguments[0].parse()?;
    let first_moves = arguments.get(3).map_or(Ok(2), |n| n.parse())?;
    let boards = |text: &str| text.parse::<u64>().expect("a number of boards");
    let player = match arguments[1].strip_suffix('s') {
        Some(seconds) => Player::Program(Duration::from_secs(seconds.parse()?)),
        None => Player::Guess(Box::new(Evaluation::learned().clone()), boards(&arguments[1])),
    };
    let other = match arguments[2].as_str() {
        "lines" => Player::Lines,
        file => Player::Guess(Box::new(Evaluation::of_bytes(&std::fs::read(file)?)), boards(&arguments[1])),
    };
    let pairs = (0..games / 2).into_par_iter().map(|seed| {
        let opening = opening(seed, first_moves);
        let (first, late) = play(opening, [&player, &other]);
        let (of_other, late_second) = play(opening, [&other, &player]);
        let second = 2 - of_other;
        for (_, late) in [(first, late), (second, late_second)].into_iter().filter(|(points, _)| *points < 2)
        {
            late.iter().for_each(|position| println!("{}", Rules::default().format_position(position)));
        }
        eprintln!("pair {seed}: {first} and {second} half points");
        first + second
    });
    let points = pairs.collect::<Vec<_>>();
    let mut shares = [0; 5];
    points.iter().for_each(|&p| shares[p] += 1);
    let all: usize = points.iter().sum();
    eprintln!(
        "{:.1}% of {games} games, {} against {}; pairs with 0, 1/2, 1, 3/2, 2 points: {shares:?}",
        50.0 * all as f64 / games as f64,
        arguments[1],
        arguments[2]
    );
    Ok(())
}

/// Plays `moves` random moves from the empty board. Returns the resulting position.
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

/// Plays a game in which `players[0]` moves first. Returns the half points of this player, and the
/// late positions in which the whole program was to move.
fn play(opening: Position, players: [&Player; 2]) -> (usize, Vec<Position>) {
    let (rules, control) = (Rules::default(), Control::new());
    let solver = Solver::builder().memory(MEMORY).threads(NonZeroUsize::MIN).build().expect("a solver");
    let game = read_rules("pentago").expect("the usual rules");
    let first = opening.to_move();
    let (mut position, mut late) = (opening, Vec::new());
    loop {
        let mover = position.to_move();
        let points = |value: Value, of: Color| match value {
            Value::Draw => 1,
            Value::Win => 2 * usize::from(of == first),
            _ => 2 * usize::from(of != first),
        };
        if let Some(outcome) = rules.outcome(&position) {
            return (points(Value::of(outcome, mover), mover), late);
        }
        let player = players[usize::from(mover != first)];
        let exact = position.marbles() >= SOLVED;
        if let (Player::Program(time), false) = (player, exact) {
            late.extend((position.marbles() >= LATE).then_some(position));
            let asked = game.read(&rules.format_position(&position)).expect("a position");
            let question = Question { time: Some(*time), ..Question::default() };
            let context = SearchContext::new(MEMORY, &control);
            let thought = game.think(&asked, &question, &context).expect("a move");
            let played = rules.parse_move(&thought.mv).expect("a move that can be read");
            position = rules.play(&position, played).expect("a legal move").position;
            continue;
        }
        let depth = if exact { None } else { Some(SEEN) };
        let question =
            Question { depth, guess_boards: Some(0), proof_boards: Some(0), ..Question::default() };
        let answer = solver.answer(&position, &question, &control).expect("an answer");
        if answer.value != Value::Unknown {
            return (points(answer.value, mover), late);
        }
        let open: Vec<MoveEval> =
            answer.moves.iter().filter(|m| m.value == Value::Unknown).cloned().collect();
        let chosen = match player {
            Player::Guess(evaluation, boards) => {
                let moves: Vec<_> = open.iter().map(|m| m.mv).collect();
                let guess = guess(evaluation, &rules, &position, &moves, Kernel::best(), *boards, 1 << 30);
                open.iter().zip(guess.scores).rev().max_by_key(|(_, guess)| *guess).map(|(m, _)| m)
            }
            _ => {
                let worth = |m: &&MoveEval| {
                    let board = m.position.board();
                    prospects(&rules, board.of(mover), board.of(mover.other()))
                };
                open.iter().rev().max_by_key(worth)
            }
        };
        position = chosen.expect("a move that five plies don't lose").position;
    }
}
