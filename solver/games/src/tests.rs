//! Tests of every game.

use std::time::Duration;

use ::pentago::{Control, Value};

use crate::{Draw, Game, KINDS, MoveAnswer, Position, Question, SearchContext, read_rules, searched_answer};

/// Rules of short games, each with a number of marbles near the end of the game.
const SHORT: [(&str, usize); 6] = [
    ("mini:k=3", 10),
    ("mini", 12),
    ("mini:dir=cw,skip=empty", 12),
    ("mini:reply=place", 11),
    ("pente:n=3,k=3,opening=free", 3),
    ("pente:n=4,k=4,opening=free", 11),
];

fn drawn(game: &dyn Game, marbles: usize, count: usize) -> Vec<Position> {
    let draw = Draw { marbles, seed: 7, quiet: false };
    game.random(&draw).expect("a stream").take(count).map(|p| p.expect("a position")).collect()
}

#[test]
fn texts_are_read_back_and_moves_are_played() {
    for rules in KINDS.iter().flat_map(|kind| kind.presets).map(|preset| preset.name) {
        let game = read_rules(rules).expect("rules");
        assert_eq!(read_rules(&game.rules()).expect("canonical rules").rules(), game.rules());
        for p in drawn(&*game, 9, 5) {
            // A byte order mark may precede every text.
            assert_eq!(game.read(&format!("\u{feff}{}", p.text)).expect("a position"), p);
            assert_eq!(p.marbles, 9);
            let diagram = game.diagram(&p);
            assert!(diagram.ends_with('\n') && !diagram.contains("to move"), "{diagram}");
            let moves = game.moves(&p);
            assert!(!moves.is_empty());
            for mv in &moves {
                assert_eq!(game.read_move(&format!("\u{feff}{mv}")).expect("a move"), *mv);
                let next = game.play(&p, mv).expect("legal");
                let read = game.read(&next.text).expect("a position");
                assert_eq!((read.to_move, read.marbles), (next.to_move, next.marbles), "{mv}");
            }
            assert_eq!(game.perft(&p, 1), moves.len() as u64);
        }
        for bad in ["", "q", "6/6/6/6/6/6/6 x", "c4/2+"] {
            assert!(game.read(bad).is_err(), "{bad}");
            assert!(game.play(&game.start(), "zz9/9").is_err());
        }
    }
}

/// Compares the count of `perft` with the count of a slow method that plays all moves.
#[test]
fn perft_counts_what_is_played() {
    struct Slow<'g>(&'g dyn Game);
    impl Slow<'_> {
        fn perft(&self, p: &Position, depth: u32) -> u64 {
            if depth == 0 || p.over.is_some() {
                return 1;
            }
            let next = |mv: &String| self.0.play(p, mv).expect("legal");
            self.0.moves(p).iter().map(|mv| self.perft(&next(mv), depth - 1)).sum()
        }
    }
    for (rules, marbles) in SHORT.into_iter().chain([("xl", 72), ("pentago-fi", 31)]) {
        let game = read_rules(rules).expect("rules");
        for p in drawn(&*game, marbles, 1) {
            assert_eq!(game.perft(&p, 2), Slow(&*game).perft(&p, 2), "{rules} {}", p.text);
        }
    }
}

/// Compares every game's solver with the plain search.
#[test]
fn solvers_agree_with_plain_search() {
    let control = Control::new();
    let time = Some(Duration::from_secs(60));
    let question = Question { time, distance: true, ..Question::default() };
    let context = SearchContext::new(100_000_000, &control);
    let mut known = [0; 3];
    for (rules, marbles) in SHORT {
        let game = read_rules(rules).expect("rules");
        // Each plain search allocates half of this memory for its table.
        let little = SearchContext { memory: 1_000_000, ..context };
        let plain = |p: &Position| searched_answer(&*game, p, &question, &little).expect("an answer");
        for p in drawn(&*game, marbles, 4) {
            let fast = game.answer(&p, &question, &context).expect("an answer");
            let slow = plain(&p);
            assert!(slow.is_complete(), "{rules} {}", p.text);
            assert_eq!((fast.value, fast.distance), (slow.value, slow.distance), "{rules} {}", p.text);
            known[usize::from(fast.value.rank().min(2))] += 1;
            for m in &fast.moves {
                let other = slow.moves.iter().find(|other| other.text == m.text).expect("the same moves");
                assert_eq!(m.value, other.value, "{rules} {} {}", p.text, m.text);
                assert_eq!(m.position, other.position);
            }
            assert!(!fast.advised().is_empty());
            assert!(fast.moves.is_sorted_by_key(|m| m.value.order(m.distance)), "{rules} {}", p.text);
            let of_best = |m: &&MoveAnswer| m.value == fast.value && m.distance == fast.distance;
            let best: Vec<&String> = fast.moves.iter().filter(of_best).map(|m| &m.text).collect();
            assert!(fast.best.iter().eq(best), "{rules} {}", p.text);
            let no_time = Question { time: Some(Duration::ZERO), ..question };
            let thought = game.think(&p, &no_time, &context).expect("a move");
            let next = game.play(&p, &thought.mv).expect("a legal move");
            let after = plain(&next).value;
            let worst = [Value::Loss, Value::Draw, Value::Win][usize::from(slow.value.rank().min(2))];
            assert!(next.over.is_some() || after == worst, "{rules} {} {}", p.text, thought.mv);
        }
    }
    assert!(known.iter().all(|&count| count > 0), "{known:?}");
}

/// A search that ends early gives a position the value of its best known move.
#[test]
fn a_position_is_worth_what_its_best_move_is_worth() {
    let control = Control::new();
    let context = SearchContext::new(100_000_000, &control);
    let question = Question { time: Some(Duration::ZERO), ..Question::default() };
    let mut decided = 0;
    for (rules, marbles) in [("xl", 44), ("xl:seats=3", 50), ("pente:n=7,opening=free", 20), ("pentago", 22)]
    {
        let game = read_rules(rules).expect("rules");
        for p in drawn(&*game, marbles, 6) {
            let answer = game.answer(&p, &question, &context).expect("an answer");
            let best = answer.moves.first().expect("a move").value;
            let all = answer.moves.iter().all(|m| m.value != Value::Unknown);
            if all || best == Value::Win {
                assert_eq!(answer.value, best, "{rules} {}", p.text);
                assert!(best == Value::Loss || !answer.best.is_empty(), "{rules} {}", p.text);
                decided += 1;
            }
        }
    }
    assert!(decided > 3, "{decided} positions");
}

#[test]
fn answers_are_json() {
    let control = Control::new();
    let question = Question { time: Some(Duration::from_secs(1)), ..Question::default() };
    let game = read_rules("pente:n=3,k=3,opening=free").expect("rules");
    let p = game.read("1X1/XO1/3 o").expect("a position");
    let context = SearchContext::new(100_000_000, &control);
    let answer = game.answer(&p, &question, &context).expect("an answer");
    let json = serde_json::to_string(&answer).expect("JSON");
    let begins = r#"{"position":"1X1/XO1/3 o","rules":"pente:n=3,k=3,opening=free","to_move":"o","value":""#;
    assert!(json.starts_with(begins), "{json}");
}

#[test]
fn every_preset_is_explained_and_spelled_out() {
    for kind in KINDS {
        for preset in kind.presets {
            assert!(!preset.explanation.is_empty() && !preset.title.is_empty(), "{}", preset.name);
            let game = read_rules(preset.name).expect("a preset");
            assert_eq!(game.kind().name, kind.name);
            let options = preset.options;
            let text = if options.is_empty() { kind.name.into() } else { format!("{}:{options}", kind.name) };
            assert_eq!(read_rules(&text).expect("rules").rules(), game.rules(), "{text}");
        }
    }
    assert_eq!(KINDS[0].presets.len(), ::pentago::Rules::presets().len());
}

#[test]
fn every_value_is_one_and_the_default_is_the_first() {
    for kind in KINDS {
        for choice in kind.options {
            for (i, meaning) in choice.values.iter().enumerate() {
                let option = format!("{}={}", choice.key, meaning.value);
                // A smaller board of Pentago needs three options at once, which `mini` sets. Teams
                // need four seats.
                let size = kind.name == "pentago" && matches!(choice.key, "n" | "bs" | "k") && i > 0;
                let game = if size { "mini" } else { kind.name };
                let more = if option == "mode=2v2" { ",seats=4" } else { "" };
                let rules = read_rules(&format!("{game}:{option}{more}")).expect("rules");
                assert_eq!(rules.rules() == kind.name, i == 0, "{option}");
            }
        }
    }
}

#[test]
fn unknown_rules_name_all_games() {
    let error = read_rules("pentagon").unwrap_err();
    assert_eq!(error.kind(), ::pentago::ErrorKind::Input);
    for kind in KINDS {
        assert!(error.to_string().contains(kind.name), "{error}");
    }
}

/// Checks that the computer player loses as late as possible, and never completes a line of the
/// opponent in a lost position.
#[test]
fn lost_positions_are_defended_to_the_end() {
    let control = Control::new();
    let context = SearchContext::new(1 << 29, &control);
    let question = Question { time: Some(Duration::from_secs(2)), ..Question::default() };
    let distances = Question { distance: true, ..question };
    for (rules, marbles) in [("mini", 10), ("pente:n=5,k=4,opening=free", 9)] {
        let game = read_rules(rules).expect("rules");
        let mut lost = 0;
        for p in drawn(&*game, marbles, 60) {
            if lost == 4 {
                break;
            }
            let answer = game.answer(&p, &distances, &context).expect("an answer");
            let Some(distance) = answer.distance.filter(|_| answer.value == Value::Loss) else { continue };
            let thought = game.think(&p, &question, &context).expect("a move");
            let chosen = answer.moves.iter().find(|m| m.text == thought.mv).expect("a legal move");
            assert_eq!(chosen.distance, Some(distance), "{rules} {}: {}", p.text, thought.mv);
            lost += 1;
        }
        assert_eq!(lost, 4, "{rules}");
    }
    for (rules, text) in
        [("pentago", "1O4/2X3/1X1X1O/2X1O1/3XO1/3OX1 o"), ("xl", "A3A3A/9/9/7B1/2BBBB3/9/9/9/A7A a")]
    {
        let game = read_rules(rules).expect("rules");
        let p = game.read(text).expect("a position");
        let thought = game.think(&p, &question, &context).expect("a move");
        let next = game.play(&p, &thought.mv).expect("a legal move");
        assert!(next.over.is_none(), "{rules}: {} ends the game", thought.mv);
    }
}
