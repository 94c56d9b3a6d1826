//! Converts the solver's answer to an [`Answer`].

use ::pentago::rules::{Move, Rules};
use ::pentago::{Question, Value};
use ::pentago_core::answer::{Answer as Solved, Origin, RuledOut};
use ::pentago_core::kernel::Kernel;

use pentago_base::counted_plies;

use crate::{Answer, Evidence, MoveAnswer, Position, Proved};

/// Returns the reason why a value is unknown, or `None` if the value is known.
fn reason(origin: &Origin) -> Option<String> {
    match origin {
        Origin::Unknown(unknown) => Some(unknown.to_string()),
        _ => None,
    }
}

fn evidence(origin: &Origin, plies: usize) -> Option<Evidence> {
    match *origin {
        Origin::Proof { sockets, depth, within } => Some(Evidence::Proof { sockets, depth, within }),
        Origin::Solved if plies > 0 => Some(Evidence::FullWidth { plies }),
        _ => None,
    }
}

fn proved(value: Value, ruled_out: RuledOut) -> Option<Proved> {
    let RuledOut { win, loss } = ruled_out;
    (value == Value::Unknown && !ruled_out.is_nothing())
        .then_some(Proved::Within { no_win_within: win, no_loss_within: loss })
}

/// Returns the expected score if a guess chose the best moves, and `None` otherwise.
fn best_guess(solved: &Solved) -> Option<f64> {
    // In a lost position, every move keeps the value. Guesses then only order the moves, and are no
    // expected scores.
    let first = solved.best_moves().first().filter(|m| m.value != Value::Loss);
    first.and_then(|m| m.guess).map(expected)
}

/// Converts thousandths to a number from 0 to 1.
fn expected(guess: u16) -> f64 {
    f64::from(guess) / 1000.0
}

/// Converts the solver's answer `solved`. `kernel` is the kernel that computed the answer.
pub fn answer(
    rules: &Rules,
    position: &Position,
    question: &Question,
    solved: &Solved,
    kernel: Kernel,
) -> Answer {
    let texts = |moves: &mut dyn Iterator<Item = Move>| moves.map(|m| rules.format_move(m)).collect();
    let unknown = solved.value == Value::Unknown;
    let guess = best_guess(solved);
    let best = texts(&mut solved.best_moves().iter().map(|m| m.mv));
    let (best, best_guess) = if guess.is_none() { (best, Vec::new()) } else { (Vec::new(), best) };
    let moves = solved.moves.iter().map(|m| MoveAnswer {
        text: rules.format_move(m.mv),
        value: m.value,
        guess: m.guess.map(expected),
        source: m.origin.name(),
        reason: reason(&m.origin),
        evidence: evidence(&m.origin, 0),
        distance: m.distance,
        position: rules.format_position(&m.position),
        proved: proved(m.value, solved.ruled_out),
    });
    Answer {
        value: solved.value,
        at_least: solved.at_least.map(Value::name),
        guess,
        // The origin of the best move may be its end of the game.
        source: match solved.origin.name() {
            "rules" if position.over.is_none() => "solved",
            name => name,
        },
        reason: reason(&solved.origin),
        evidence: evidence(&solved.origin, solved.plies),
        distance: solved.distance,
        best,
        best_guess,
        moves: moves.collect(),
        line: question.distance.then(|| texts(&mut solved.line.iter().copied())),
        proved: proved(solved.value, solved.ruled_out),
        full: unknown.then_some(solved.full),
        plies: Some(solved.plies),
        boards: Some(solved.boards),
        kernel: Some(kernel.name()),
        // The JSON of Pentago omits this field, because an empty list of moves already shows that
        // the game is over.
        over: None,
        ..Answer::unknown(rules.to_string(), position)
    }
}

/// Describes an answer in a few words, from the view of the side to move.
pub fn describe(answer: &Solved) -> String {
    match (answer.value, &answer.origin) {
        (Value::Win, Origin::Proof { within, .. }) => format!("this wins, within {}", counted_plies(*within)),
        (Value::Win, _) => "this wins".to_owned(),
        (Value::Draw, _) => "a draw".to_owned(),
        (Value::Loss, Origin::Proof { within, .. }) => {
            format!("loses against best play, within {}", counted_plies(*within))
        }
        (Value::Loss, _) => "loses against best play".to_owned(),
        (Value::Unknown, _) => match best_guess(answer) {
            Some(guess) => format!("{}; expected score {guess:.2}, a guess", answer.ruled_out),
            None => answer.ruled_out.to_string(),
        },
    }
}
