//! Plays Pentago XL by the certificates of a folder against two kinds of defenders: random moves,
//! and the program itself without certificates. Every game must be won within the certified number
//! of plies.
//!
//! Usage: cargo run --release --example certificate_games -- FOLDER RANDOM SEARCHED SECONDS

use std::path::Path;
use std::time::Duration;

use pentago::{Control, Question};
use pentago_base::Random;
use pentago_games::{Evidence, Game, KINDS, Position, SearchContext, Tablebase, read_rules};

/// Returns the number of plies within which the certificates end the game.
fn within(game: &dyn Game, position: &Position, context: &SearchContext) -> usize {
    let question = Question { tables_only: true, ..Question::default() };
    let answer = game.answer(position, &question, context).expect("an answer");
    match answer.evidence {
        Some(Evidence::Certificate { within }) => within,
        _ => panic!("no certificate proves {}", position.text),
    }
}

/// Plays a game and returns its number of plies. The defender searches each reply for `seconds`. If
/// `seconds` is `None`, the defender replies at random.
fn game(game: &dyn Game, start: &str, tables: &Tablebase, seed: u64, seconds: Option<f64>) -> usize {
    let control = Control::new();
    let defender = SearchContext::new(1 << 28, &control);
    let attacker = SearchContext { tables: Some(tables), ..defender };
    let time = Some(Duration::from_secs_f64(seconds.unwrap_or(0.0)));
    let question = Question { time, ..Question::default() };
    let mut random = Random::new(seed);
    let mut position = game.read(start).expect("a position");
    let (seat, most) = (position.to_move, within(game, &position, &attacker));
    let mut plies = 0;
    while position.over.is_none() {
        let mv = if position.to_move == seat {
            game.think(&position, &question, &attacker).expect("a move").mv
        } else if seconds.is_some() {
            game.think(&position, &question, &defender).expect("a move").mv
        } else {
            let moves = game.moves(&position);
            moves[random.below(moves.len())].clone()
        };
        position = game.play(&position, &mv).expect("a legal move");
        plies += 1;
    }
    let won = position.over.as_ref().is_some_and(|over| over.winners == seat.to_string());
    assert!(won && plies <= most, "{start}, seed {seed}: {plies} of {most} plies");
    plies
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, random, searched, seconds] = &arguments[..] else {
        panic!("usage: certificate_games FOLDER RANDOM SEARCHED SECONDS");
    };
    let tables = Tablebase::open(KINDS, Some(Path::new(folder)), 0).expect("a folder");
    let targets: Vec<String> = tables.targets().map(|target| target.target()).collect();
    let starts: Vec<&str> = targets.iter().filter_map(|of| of.strip_prefix("xl, certificate:")).collect();
    let xl = read_rules("xl").expect("rules");
    let seconds: f64 = seconds.parse().expect("seconds");
    for (name, count, time) in [("random", random, None), ("searched", searched, Some(seconds))] {
        let count: usize = count.parse().expect("a number of games");
        let play = |number: usize| {
            let start = starts[number % starts.len()];
            (number % starts.len(), game(&*xl, start, &tables, number as u64, time))
        };
        let games: Vec<(usize, usize)> = (0..count).map(play).collect();
        for (at, start) in starts.iter().enumerate() {
            let plies: Vec<usize> =
                games.iter().filter(|(of, _)| *of == at).map(|(_, plies)| *plies).collect();
            let (all, most) = (plies.len(), plies.iter().max().copied().unwrap_or(0));
            let mean = plies.iter().sum::<usize>() as f64 / all.max(1) as f64;
            println!("{name}: {start}: {all} of {all} games won, {mean:.2} plies on average, at most {most}");
        }
    }
}
