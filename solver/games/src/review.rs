//! Judges a played game move by move: which moves kept the value, and which moves threw the value
//! away.
//!
//! Only values count. If no value is known, the review shows a guess, but never compares a guess
//! with a value. A move that keeps the value of its position is never a mistake.

use ::pentago::Value;
use serde::Serialize;

use crate::answer::value_name;
use crate::{Answer, Note, Position, Record};

/// The effect of a move on the value of the game, for the side that made the move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Mark {
    /// The move turned a won position into a position that is not won.
    #[serde(rename = "win thrown away")]
    WinThrownAway,
    /// The move turned a drawn position into a lost position.
    #[serde(rename = "draw thrown away")]
    DrawThrownAway,
    /// Every other move has a lower value.
    #[serde(rename = "only move")]
    OnlyMove,
    /// No move has a higher value. As far as distances are known, no move wins sooner or loses
    /// later.
    #[serde(rename = "best")]
    Best,
    /// The move keeps the value, but another move wins sooner or loses later.
    #[serde(rename = "fine")]
    Fine,
}

impl Mark {
    /// Returns the name of the mark, as in JSON.
    pub fn words(self) -> &'static str {
        match self {
            Mark::WinThrownAway => "win thrown away",
            Mark::DrawThrownAway => "draw thrown away",
            Mark::OnlyMove => "only move",
            Mark::Best => "best",
            Mark::Fine => "fine",
        }
    }

    /// Returns the number of the mark in PGN: 4 very bad, 2 bad, 8 the only move. `None` for other
    /// marks.
    fn number(self) -> Option<u8> {
        match self {
            Mark::WinThrownAway => Some(4),
            Mark::DrawThrownAway => Some(2),
            Mark::OnlyMove => Some(8),
            Mark::Best | Mark::Fine => None,
        }
    }
}

/// A move of the game, with its effect.
#[derive(Debug, Clone, Serialize)]
pub struct Reviewed {
    /// The number of the round, counted from 1.
    pub round: usize,
    /// The letter of the seat that made the move.
    pub seat: char,
    /// The canonical text of the move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The value of the position before the move, for the seat that made the move.
    #[serde(serialize_with = "value_name")]
    pub before: Value,
    /// The value of the position after the move, for the seat that made the move.
    #[serde(serialize_with = "value_name")]
    pub after: Value,
    /// The effect of the move, or `None` if the value before or after the move is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// The moves that are known to keep the value.
    pub best: Vec<String>,
    /// A guess of the expected score of the seat before the move, from 0 to 1, if the value is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess_before: Option<f64>,
    /// A guess of the expected score of the seat after the move, from 0 to 1, if the value is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess_after: Option<f64>,
}

/// A summary of the moves of one seat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The letter of the seat.
    pub seat: char,
    /// The number of moves that the seat made.
    pub moves: usize,
    /// The number of decided moves: moves for which the values before and after the move are known.
    pub decided: usize,
    /// The number of wins that the seat threw away.
    pub wins_thrown_away: usize,
    /// The number of draws that the seat threw away.
    pub draws_thrown_away: usize,
    /// The sum of the points after the decided moves, divided by the sum of the points before the
    /// moves. A won position is worth 1 point, a drawn position half a point. `None` if the divisor
    /// is 0.
    pub accuracy: Option<f64>,
}

/// The review of a game.
#[derive(Debug, Clone, Serialize)]
pub struct Review {
    /// The rules, in the syntax of `--rules`.
    pub rules: String,
    /// The text of the first position.
    pub start: String,
    /// The result, if the game is over.
    pub result: Option<String>,
    /// The moves with their effects, in the order of play.
    pub moves: Vec<Reviewed>,
    /// A summary for each seat, in turn order.
    pub sides: Vec<Summary>,
}

/// Returns the points of a value, or `None` if the value is unknown.
fn points(value: Value) -> Option<f64> {
    match value {
        Value::Win => Some(1.0),
        Value::Draw => Some(0.5),
        Value::Loss => Some(0.0),
        Value::Unknown => None,
    }
}

/// Returns the value for the opponent, in a game of two sides.
fn opposite(value: Value) -> Value {
    match value {
        Value::Win => Value::Loss,
        Value::Loss => Value::Win,
        same => same,
    }
}

impl Review {
    /// Reviews a game. Calls `ask` for each position in which a move was made, in the order of
    /// play, and `show` for each move as soon as its effect is known. Returns the first error of
    /// `ask` or `show`, with the review of the moves before the error.
    pub fn of<E>(
        record: &Record,
        mut ask: impl FnMut(&Position) -> std::result::Result<Answer, E>,
        mut show: impl FnMut(&Reviewed) -> std::result::Result<(), E>,
    ) -> (Review, std::result::Result<(), E>) {
        let mut moves = Vec::new();
        let mut add = |reviewed: Reviewed| {
            let shown = show(&reviewed);
            moves.push(reviewed);
            shown
        };
        let (mut ended, mut i) = (Ok(()), 0);
        let mut answers = record.positions().take(record.moves().len()).map(&mut ask);
        // The previous answer, if the judgement of its move needs the next answer.
        let mut last: Option<Answer> = None;
        while ended.is_ok() {
            let next = answers.next().transpose().unwrap_or_else(|error| {
                ended = Err(error);
                None
            });
            if let Some(answer) = last.take() {
                ended = ended.and(add(Reviewed::of(record, i - 1, &answer, next.as_ref())));
            }
            let Some(answer) = next else { break };
            let reviewed = Reviewed::of(record, i, &answer, None);
            if reviewed.after == Value::Unknown {
                last = Some(answer);
            } else {
                ended = ended.and(add(reviewed));
            }
            i += 1;
        }
        let sides = record.game().board().seats().chars().map(|seat| Summary::of(seat, &moves)).collect();
        let review = Review {
            rules: record.game().rules(),
            start: record.start().text.clone(),
            result: record.over().map(|over| over.text.clone()),
            moves,
            sides,
        };
        (review, ended)
    }

    /// Returns the record with the marks as annotations. A mark becomes its PGN number. After a
    /// thrown win or draw, a comment states the lost value and a move that keeps the value.
    pub fn annotate(&self, record: &Record) -> Record {
        let mut record = record.clone();
        for (i, reviewed) in self.moves.iter().enumerate() {
            let Some(note) = record.note_mut(i) else { continue };
            let Some(mark) = reviewed.mark else { continue };
            if let Some(number) = mark.number().filter(|number| !note.marks.contains(number)) {
                note.marks.push(number);
            }
            if matches!(mark, Mark::WinThrownAway | Mark::DrawThrownAway) {
                let (before, after) = (reviewed.before.name(), reviewed.after.name());
                let keeps = reviewed.best.first().map(|mv| format!(": {mv} keeps it")).unwrap_or_default();
                let said = format!("{before}, now {after}{keeps}");
                let Note { comment, .. } = note;
                // A record that was reviewed before already has this comment.
                if !comment.contains(&said) {
                    *comment = if comment.is_empty() { said } else { format!("{comment}; {said}") };
                }
            }
        }
        record
    }
}

/// Returns the effect of a move, or `None` if the value before or after the move is unknown.
fn mark(before: Value, after: Value, answer: &Answer, mv: &str, led_to: &Position) -> Option<Mark> {
    let (held, kept) = (points(before)?, points(after)?);
    if kept < held {
        return Some(if before == Value::Win { Mark::WinThrownAway } else { Mark::DrawThrownAway });
    }
    // Moves that lead to the same position count as one move.
    let mut others = answer.moves.iter().filter(|m| m.text != mv && m.position != led_to.text).peekable();
    let is_only = before != Value::Loss
        && others.peek().is_some()
        && others.all(|m| points(m.value).is_some_and(|other| other < held));
    // A move of unknown distance may be as fast as the best move.
    let is_known = || answer.moves.iter().any(|m| m.text == mv && m.distance.is_some());
    let best = || answer.best.is_empty() || answer.best.iter().any(|best| best == mv) || !is_known();
    Some(match () {
        () if is_only => Mark::OnlyMove,
        () if answer.value != before || best() => Mark::Best,
        () => Mark::Fine,
    })
}

impl Reviewed {
    /// Judges the move with the index `i`. `answer` is the answer for the position before the move,
    /// and `next` the answer for the position after the move.
    fn of(record: &Record, i: usize, answer: &Answer, next: Option<&Answer>) -> Reviewed {
        let two = record.game().board().seats.len() == 2;
        let (mv, seat) = record.moves().zip(record.movers()).nth(i).expect("a move of the record");
        let after = record.positions().nth(i + 1).expect("a position after each move");
        let played = answer.moves.iter().find(|m| m.text == mv);
        // The value after the move comes from the ending. Otherwise it comes from the answer about
        // this move, or from the answer about the next position.
        let value = match (&after.over, played.map(|m| m.value), next) {
            (Some(over), ..) => over.value_for(seat),
            (None, Some(value), _) if value != Value::Unknown => value,
            (None, _, Some(next)) if two => opposite(next.value),
            _ => Value::Unknown,
        };
        let before = match (answer.value, value) {
            // If the played move wins, the position before the move was won.
            (_, Value::Win) => Value::Win,
            (known, _) => known,
        };
        // In a game of two sides, every move from a lost position loses.
        let value = if two && before == Value::Loss { Value::Loss } else { value };
        let unknown = value == Value::Unknown;
        Reviewed {
            round: record.rounds()[i],
            seat,
            mv: mv.to_owned(),
            before,
            after: value,
            mark: mark(before, value, answer, mv, after),
            best: answer.best.clone(),
            guess_before: answer.guess.filter(|_| before == Value::Unknown),
            guess_after: played.and_then(|m| m.guess).filter(|_| unknown),
        }
    }
}

impl Summary {
    fn of(seat: char, moves: &[Reviewed]) -> Summary {
        let own = || moves.iter().filter(|m| m.seat == seat);
        let marked = |mark| own().filter(|m| m.mark == Some(mark)).count();
        let decided: Vec<(f64, f64)> =
            own().filter_map(|m| Some((points(m.before)?, points(m.after)?))).collect();
        let held: f64 = decided.iter().map(|(held, _)| held).sum();
        let kept: f64 = decided.iter().map(|(held, kept)| held.min(*kept)).sum();
        Summary {
            seat,
            moves: own().count(),
            decided: decided.len(),
            wins_thrown_away: marked(Mark::WinThrownAway),
            draws_thrown_away: marked(Mark::DrawThrownAway),
            accuracy: (held > 0.0).then(|| (kept / held * 1000.0).round() / 1000.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ::pentago::Control;

    use super::*;
    use crate::{KINDS, MoveAnswer, Question, SearchContext, read_rules, searched_answer};

    fn review(record: &Record, distance: bool) -> Review {
        let control = Control::new();
        let question = Question { distance, ..within(10) };
        let context = SearchContext::new(200_000_000, &control);
        let ask = |position: &_| record.game().answer(position, &question, &context);
        let (review, ended) = Review::of(record, ask, |_| Ok(()));
        ended.expect("answers");
        review
    }

    fn within(seconds: u64) -> Question {
        Question { time: Some(Duration::from_secs(seconds)), ..Question::default() }
    }

    fn read(text: &str) -> Record {
        Record::read(KINDS, text).expect("a record")
    }

    #[test]
    fn values_that_are_lost_are_mistakes_and_no_others() {
        // Random games are compared with the plain search, move by move.
        let mut seen = std::collections::HashMap::new();
        for (rules, marbles) in [("mini", 11), ("mini:place=turn", 11), ("pente:n=4,k=3,opening=free", 4)] {
            let game = read_rules(rules).expect("rules");
            let draw = crate::Draw { marbles, seed: 3, quiet: false };
            for (i, start) in game.random(&draw).expect("positions").take(8).enumerate() {
                let mut record = Record::new(game.clone(), start.expect("a position"));
                while record.over().is_none() {
                    let moves = game.moves(record.position());
                    let mv = moves[(i * 31 + record.moves().len() * 17) % moves.len()].clone();
                    record.play(&mv).expect("a move");
                }
                let control = Control::new();
                // Each search allocates half of this memory for its table.
                let context = SearchContext::new(1_000_000, &control);
                let reviewed = review(&record, false);
                let after: Vec<&Position> = record.positions().skip(1).collect();
                for (before, (m, after)) in record.positions().zip(reviewed.moves.iter().zip(after)) {
                    let plain = searched_answer(&*game, before, &within(10), &context);
                    let plain = plain.expect("an answer");
                    let value = plain.value;
                    let led = plain.moves.iter().find(|led| led.text == m.mv).expect("a legal move").value;
                    assert_eq!((m.before, m.after), (value, led), "{rules} {} {}", before.text, m.mv);
                    let thrown = matches!(m.mark, Some(Mark::WinThrownAway | Mark::DrawThrownAway));
                    assert_eq!(thrown, points(led) < points(value));
                    let others = plain.moves.iter().filter(|other| other.position != after.text);
                    let worths: Vec<Value> = others.map(|other| other.value).collect();
                    let only = !thrown
                        && value != Value::Loss
                        && !worths.is_empty()
                        && worths.iter().all(|other| points(*other) < points(value));
                    assert_eq!(m.mark == Some(Mark::OnlyMove), only, "{rules} {} {}", before.text, m.mv);
                    *seen.entry(m.mark.expect("decided").words()).or_insert(0) += 1;
                }
                for side in &reviewed.sides {
                    let all_kept = side.wins_thrown_away + side.draws_thrown_away == 0;
                    assert!(side.accuracy.is_none_or(|accuracy| (accuracy == 1.0) == all_kept), "{side:?}");
                    assert_eq!(side.decided, side.moves);
                }
            }
        }
        for words in ["win thrown away", "draw thrown away", "only move", "best"] {
            assert!(seen.contains_key(words), "{seen:?}");
        }
    }

    #[test]
    fn a_won_move_of_unknown_distance_is_best() {
        let record = read("1. c4/2+ x");
        let [start, led_to] = [0, 1].map(|i| record.positions().nth(i).expect("a position"));
        let moves = [("a1/1+", Value::Win), ("c4/2+", Value::Unknown)];
        let answer = Answer {
            value: Value::Win,
            best: vec![moves[0].0.to_owned()],
            moves: moves
                .map(|(mv, value)| MoveAnswer::new(mv.to_owned(), value, "solved", String::new()))
                .into(),
            ..Answer::unknown(record.game().rules(), start)
        };
        assert_eq!(mark(Value::Win, Value::Win, &answer, moves[1].0, led_to), Some(Mark::Best));
    }

    #[test]
    fn slow_wins_are_fine() {
        let record = read("[SetUp \"1OOXOO/XOXO1O/XOOX1X/OX1O1X/1XX1X1/OX1X1O x\"]\n1. d2/3+ x");
        assert_eq!(review(&record, true).moves[0].mark, Some(Mark::Best));
        let game = record.game().clone();
        let control = Control::new();
        let (question, context) =
            (Question { distance: true, ..within(10) }, SearchContext::new(200_000_000, &control));
        let answer = game.answer(record.start(), &question, &context).expect("an answer");
        let slow = answer.moves.iter().find(|m| m.value == Value::Win && m.distance > answer.distance);
        let mut slow_record = Record::new(game, record.start().clone());
        slow_record.play(&slow.expect("a slow win").text).expect("a move");
        assert_eq!(review(&slow_record, true).moves[0].mark, Some(Mark::Fine));
        assert_eq!(review(&slow_record, false).moves[0].mark, Some(Mark::Best));
    }

    #[test]
    fn what_is_unknown_has_no_mark_and_counts_for_nothing() {
        let record = read("1. c4/2+ d3/1- *");
        let unknown = |position: &Position| {
            let mut answer = Answer::unknown("pentago".into(), position);
            answer.guess = Some(0.7);
            Ok::<_, ::pentago::Error>(answer)
        };
        let (review, _) = Review::of(&record, unknown, |_| Ok(()));
        assert!(review.moves.iter().all(|m| m.mark.is_none() && m.guess_before == Some(0.7)));
        assert!(
            review.sides.iter().all(|side| side.decided == 0 && side.accuracy.is_none() && side.moves == 1)
        );
        assert_eq!(review.annotate(&record).write().unwrap(), record.write().unwrap());
        // A review that is stopped keeps the moves before the stop, and shows each move once.
        let (mut shown, mut asked) = (0, 0);
        let ask = |position: &Position| {
            asked += 1;
            if asked == 2 { Err("stopped") } else { Ok(Answer::unknown("pentago".into(), position)) }
        };
        let (review, ended) = Review::of(&record, ask, |_| {
            shown += 1;
            Ok(())
        });
        assert_eq!((review.moves.len(), shown, ended), (1, 1, Err("stopped")));
    }

    #[test]
    fn notes_say_what_was_thrown_away() {
        let record = read("[Rules \"mini\"]\n[SetUp \"1OO1/1X2/OX1O/X1X1 x\"]\n1. d4/1+ {hm} *");
        let review = review(&record, false);
        assert_eq!(review.moves[0].before, Value::Win);
        assert_eq!(review.moves[0].mark, Some(Mark::WinThrownAway));
        let annotated = review.annotate(&record);
        let text = annotated.write().unwrap();
        assert!(text.contains("d4/1+ $4 {hm; win, now draw: "), "{text}");
        assert_eq!(review.annotate(&annotated).write().unwrap(), text);
    }
}
