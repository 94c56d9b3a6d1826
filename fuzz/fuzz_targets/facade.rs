//! Solves arbitrary positions under arbitrary rules and limits, in little memory.
//!
//! The first line of the input is parsed as rules, the second line as options, and the rest as a
//! position. The answer must be consistent with the rules. An error must have a kind that fits the
//! request.

#![no_main]

use std::num::NonZeroUsize;
use std::time::Duration;

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago::{Answer, Control, ErrorKind, Position, Question, Rules, Solver, Value};

/// The memory limit of the solver in bytes. The full solution of a position with about 12 empty
/// sockets fits in this memory, and takes a few milliseconds.
const MEMORY: u64 = 12_000_000;

fuzz_target!(|data: &[u8]| -> Corpus {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.splitn(3, '\n');
    let (Some(rules), Some(options), Some(position)) = (parts.next(), parts.next(), parts.next()) else {
        return Corpus::Reject;
    };
    let Ok(rules) = rules.parse::<Rules>() else { return Corpus::Reject };
    let read = match options.contains('p') {
        true => position.parse::<Position>(),
        false => rules.parse_position(position),
    };
    let Ok(position) = read else { return Corpus::Reject };
    let mut builder = Solver::builder().rules(rules).threads(NonZeroUsize::MIN);
    builder = builder.memory(if options.contains('m') { 0 } else { MEMORY });
    let question = Question {
        time: Some(Duration::from_millis(20)),
        exact: options.contains('e'),
        distance: options.contains('d'),
        depth: options.chars().find_map(|c| c.to_digit(10)),
        ..Question::default()
    };
    let solver = builder.build().expect("one thread needs no pool");
    let control = Control::new();
    if options.contains('c') {
        control.cancel();
    }
    match solver.answer(&position, &question, &control) {
        Ok(answer) => check(&rules, &position, &answer),
        Err(error) => {
            let expected = match error.kind() {
                ErrorKind::Input => position.shape() != rules.shape,
                ErrorKind::Environment => solver.estimate(&position).bytes > 0,
                ErrorKind::Cancelled => options.contains('c'),
                // An exact question fails if the full solution takes longer than the time limit.
                ErrorKind::Missing => question.exact,
                _ => false,
            };
            assert!(expected, "{error}");
        }
    }
    Corpus::Keep
});

fn check(rules: &Rules, position: &Position, answer: &Answer) {
    let mut expected = rules.moves(position);
    let mut found: Vec<_> = answer.moves.iter().map(|m| m.mv).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    // If moves have guesses, the moves are sorted by guess instead of by value. Otherwise they must
    // be sorted by value.
    let guessed = answer.moves.iter().any(|m| m.guess.is_some());
    assert!(guessed || answer.moves.is_sorted_by_key(|m| m.value.rank()));
    assert!(answer.moves.iter().all(|m| m.guess.is_none() || m.value == Value::Unknown));
    let best = answer.moves.iter().map(|m| m.value).min_by_key(|v| v.rank());
    match best {
        Some(Value::Win | Value::Draw | Value::Loss) if answer.complete => {
            assert_eq!(Some(answer.value), best);
        }
        Some(Value::Loss) => assert_eq!(answer.value, Value::Loss),
        _ => {}
    }
    assert_eq!(
        answer.best_moves().is_empty(),
        answer.moves.is_empty() || answer.value == Value::Unknown && !guessed
    );
}
