//! Records of all games, written and read back.

use super::*;
use crate::{KINDS, read_rules};
use proptest::prelude::*;

proptest! {
    #[test]
    fn no_text_panics(
        first in prop::sample::select(vec!["game xl\n", "[Game \"Pente\"]\n", "1.", "rules mini\n", "", "{", "a1s "]),
        text in "(\\PC|\n){0,60}",
        moves in "[A-Ta-z0-9 .+/\\-\\[\\]\"\n{}$!?*#\\\\]{0,60}",
    ) {
        let _ = Record::read(KINDS, &format!("{first}{text}"));
        let _ = Record::read(KINDS, &format!("{first}{moves}"));
    }
}

fn played(rules: &str, moves: &[&str]) -> Record {
    let game = read_rules(rules).expect("rules");
    let start = game.start();
    let mut record = Record::new(game, start);
    moves.iter().for_each(|mv| record.play(mv).expect("a move"));
    record
}

/// Returns the annotations of the moves.
fn notes(record: &Record) -> impl Iterator<Item = &Note> {
    record.plies.iter().map(|ply| &ply.note)
}

#[test]
fn what_is_written_is_read() {
    for (rules, moves) in [
        ("pentago", &["c4/2+", "d3/1-", "a1/4+"]),
        ("xl:seats=3", &["c4/2+", "d3/1-", "a1/4+"]),
        ("xl", &["c4/2+", "d3/1-", "a1/4+"]),
        ("pente", &["k10", "a1", "K14"]),
        ("pente:n=5,k=4,opening=free", &["a1", "b2", "c3"]),
    ] {
        let mut record = played(rules, moves);
        let read = |text: &str| Record::read(KINDS, text).expect("a record");
        let text = record.write().unwrap();
        assert_eq!(read(&text).write().unwrap(), text);
        assert_eq!(read(&text).position(), record.position());
        // With three sides, nobody can resign: the other sides play on.
        let ends = rules != "xl:seats=3";
        assert_eq!(record.resign(), ends);
        let text = record.write().unwrap();
        let again = read(&text);
        assert_eq!((again.write().unwrap(), again.ended_early()), (text, record.ended_early()));
        assert_eq!(again.over(), record.over());
        let next = record.game().moves(record.position()).remove(0);
        assert_eq!(record.play(&next).is_err(), ends, "{rules}");
        record.take_back();
        assert_eq!(record.movers().len(), 3);
    }
}

#[test]
fn the_last_marble_turns_with_its_quadrant() {
    let mut record = played("pentago", &[]);
    assert_eq!(record.last_marble(), None);
    for (mv, at) in [("a6/1+", (0, 2)), ("a6/2-", (0, 0)), ("f1/4-", (3, 5)), ("d4/1+", (2, 3))] {
        record.play(mv).expect("a move");
        assert_eq!(record.last_marble(), Some(at), "{mv}");
    }
    record.take_back();
    assert_eq!(record.last_marble(), Some((3, 5)));
    assert_eq!(played("pente", &["k10"]).last_marble(), Some((9, 9)));
}

#[test]
fn moves_and_resignations_are_taken_back() {
    let mut record = played("pentago", &["c4/2+", "d3/1-"]);
    assert!(record.resign() && !record.resign());
    assert_eq!(record.over().map(|over| over.winners.as_str()), Some("o"));
    record.take_back();
    assert_eq!((record.movers(), record.over()), (vec!['x', 'o'], None));
    (0..3).for_each(|_| record.take_back());
    assert_eq!(record.moves().len(), 0);
}

#[test]
fn errors_name_the_line() {
    let error = |text: &str| Record::read(KINDS, text).unwrap_err().to_string();
    assert!(error("rules pentago\n").contains("the end of the text"));
    assert!(error("rules pentago\nc4/2+\n").starts_with("line 2: expected \"start ...\""));
    assert!(error("rulez pentago\n").starts_with("line 1: rulez: this is no game"));
    assert!(
        error("J10 K10").starts_with("line 1: J10: Pente doesn't begin so: opening=pro: the first stone")
    );
    let long = error(&"\0".repeat(60_000));
    assert!(long.contains("...") && long.len() < 300, "{long}");
    assert!(error("\n# nothing\n").starts_with("the text is empty"));
    assert!(error("rules pentagon\n").starts_with("line 1: unknown rules"));
    let start = "# a game\n\nrules pentago\nstart 6/6/6/6/6/6 x\n";
    assert!(error(&format!("{start}c4/2+\nc9/1+\n")).starts_with("line 6: "));
    assert!(error(&format!("{start}c4/2+\nd3\n")).starts_with("line 6: d3: this placement"));
    assert!(error("rules pentago\nstart 6/6/6 x\n").starts_with("line 2: "));
    assert!(error(&format!("{start}resign\nc4/2+\n")).starts_with("line 6: c4/2+: the game is over"));
    let tags = "[Rules \"pentago\"]\n[SetUp \"6/6/6/6/6/6 x\"]\n\n";
    for (text, said) in [
        ("c4/2+\nd9/1+", "line 5: expected a rank"),
        ("c4/2+\n3. d3/1-", "line 5: 3.: this is move 1: expected 1."),
        ("c4/2+ c4/2+", "line 4: c4/2+: "),
        ("c4/2+ {a comment\n\n", "line 4: this comment has no end"),
        ("c4/2+ a comment}", "line 4: expected a rank"),
        ("$1 c4/2+", "line 4: $1: a mark follows its move"),
        ("c4/2+ $256", "line 4: $256: marks are $0 to $255"),
        ("c4/2+ (d3/1-)", "line 4: variations aren't read"),
        ("c4/2+\n[Site \"here\"]", "line 5: [Site: tags stand before the moves"),
        ("c4/2+ x\nd3/1-", "line 5: d3/1-: the record ends with its result"),
        ("c4/2+ xo", "line 4: "),
        ("[Result \"won\"]", "line 4: won: the results are x, o, draw and *"),
        ("[Result \"x\"]\n*", "line 5: *: the tag in line 4 says otherwise"),
        ("[Site \"a\\b\"]", "line 4: in a tag \\ stands only before"),
        ("[Site]", "line 4: expected a tag"),
        ("[FEN \"8/8 w\"]\n1. c4/2+", "line 4: "),
        ("[Site \"here]", "line 4: expected a tag"),
    ] {
        let error = error(&format!("{tags}{text}"));
        // The tags begin in line 1, and the tested text in line 4.
        assert!(error.starts_with(said), "{text:?}: {error}");
    }
    // As in PGN, `FEN` holds the position, and `SetUp` says so.
    let fen = Record::read(KINDS, "[SetUp \"1\"]\n[FEN \"X5/6/6/6/6/6 o\"]\n1. b2/1+").expect("a record");
    assert!(fen.write().unwrap().contains("[SetUp \"X5/6/6/6/6/6 o\"]"));
    let won = "[SetUp \"OO1OO1/6/6/6/6/XXXX2 x\"]\n1. e1 o";
    assert!(
        error(won).contains("line 2: the moves before end with: x has won (5 in a row)"),
        "{}",
        error(won)
    );
}

#[test]
fn a_record_with_everything() {
    let text = "\u{feff}[Event \"a \\\"fine\\\" game \\\\ \"]\n{before it} 1. c4/2+!? {good\n or not} $7 d3/1-??\n\
                # no move\n2. a1/4+, a2/4- {a} {b} 3. b1/1+ draw";
    let record = Record::read(KINDS, text).expect("a record");
    assert_eq!(record.comment, "before it");
    let found: Vec<(Vec<u8>, &str)> =
        notes(&record).map(|note| (note.marks.clone(), note.comment.as_str())).collect();
    let expected = [(vec![5, 7], "good or not"), (vec![4], ""), (vec![], ""), (vec![], "a b"), (vec![], "")];
    assert_eq!(found, expected);
    assert!(record.ended_early() && record.over().is_some_and(|over| over.winners.is_empty()));
    let written = "[Game \"Pentago\"]\n[Rules \"pentago\"]\n[Result \"draw\"]\n\
                   [Event \"a \\\"fine\\\" game \\\\ \"]\n\n\
                   {before it} 1. c4/2+ $5 $7 {good or not} d3/1- $4 2. a1/4+ a2/4- {a b} 3. b1/1+\ndraw\n";
    assert_eq!(record.write().unwrap(), written);
    assert_eq!(Record::read(KINDS, written).expect("a record").write().unwrap(), written);
    // Tags and comments with special characters don't break the syntax of the text.
    let mut record = record;
    record.tags.push(("a]b\"c".into(), "x\ny]".into()));
    record.tags.push(("\n".into(), "nothing".into()));
    record.note_mut(0).expect("a move").comment = "} x {\n\u{7}[Rules \"mini\"]".into();
    let read = Record::read(KINDS, &record.write().unwrap()).expect("a record");
    assert_eq!(read.write().unwrap(), record.write().unwrap());
    assert_eq!(notes(&read).next().expect("a move").comment, ") x ( [Rules \"mini\"]");
}

#[test]
fn tags_and_marks_survive_in_each_format() {
    let mut record = played("pente", &["k10", "a1"]);
    let tags = [("Site", r"C:\games\"), ("Event", "\"Open\" \\"), ("Player 1", "a b")];
    let own = [("SetUp", "x"), ("Position", "x"), ("SetUp\n", "x"), ("\"Result\"", "x"), ("Game", "Go")];
    record.tags = tags.iter().chain(&own).map(|&(name, value)| (name.into(), value.into())).collect();
    for text in [record.write(), (pente::record::FORMAT.write)(&record)] {
        let read = Record::read(KINDS, &text.unwrap()).unwrap();
        assert!(read.positions().eq(record.positions()));
        assert!(read.tags.iter().map(|(name, value)| (&**name, &**value)).eq(tags));
    }
    record.note_mut(0).unwrap().marks = vec![7; 40];
    assert!(notes(&Record::read(KINDS, &record.write().unwrap()).unwrap()).eq(notes(&record)));
    record.comment = "x".repeat(MAX_RECORD);
    assert!(record.write().unwrap_err().to_string().contains("at most 65536"));
    let apart = Record::read(KINDS, "[Game \"Pentago\"]\na1/1+ !? {a} {} {b\nc}").unwrap();
    let note = notes(&apart).next().expect("a move");
    assert_eq!((&*note.marks, &*note.comment), (&[5][..], "a b c"));
    let unplaced = Record::read(KINDS, "[Game \"Pentago\"]\n! a1/1+").unwrap_err();
    assert!(unplaced.to_string().contains("a mark follows its move"), "{unplaced}");
    let nothing = (pentago::openspiel::FORMAT.write)(&played("pentago:place=turn", &[]));
    assert!(nothing.unwrap_err().to_string().contains("a game without moves"));
}

#[test]
fn moves_alone_say_which_game_it_is() {
    for (text, rules, moves) in [
        ("c4/2+ d3/1-", "pentago", 2),
        ("1.K10 L9 2.K14", "pente", 3),
        ("1. g9/3+ {far} h8/1-", "xl", 2),
        ("*", "pentago", 0),
        ("[Game \"mini-pentago\"]\n1. a1/1+ *", "mini", 1),
        ("[Game \"Keryo-Pente\"]\n1. K10 *", "pente:cap=2+3,win=15", 1),
    ] {
        let record = Record::read(KINDS, text).expect("a record");
        assert_eq!((record.game().rules(), record.moves().len()), (rules.to_owned(), moves), "{text}");
        // The writer keeps the name of the game in the text.
        let named = text.lines().next().filter(|line| line.starts_with("[Game ")).unwrap_or("[Game ");
        assert!(record.write().unwrap().starts_with(named), "{}", record.write().unwrap());
    }
    let mini = read_rules("mini").expect("rules");
    let record = Record::read_as(Some(&mini), KINDS, "a1/1+").expect("a record");
    assert_eq!(record.game().rules(), "mini");
}

/// Writes and parses whole games of random moves with annotations.
fn round_trips(games: u64) {
    let rules = [
        "pentago",
        "pentago-cs",
        "pentago:place=turn",
        "mini",
        "xl",
        "xl:seats=3,continue=yes",
        "xl:seats=4,mode=2v2",
        "pente",
        "pente:n=7,k=4,opening=free",
    ];
    for (i, rules) in rules.into_iter().enumerate() {
        let game = read_rules(rules).expect("rules");
        for number in 0..games {
            let mut state = number << 8 | i as u64;
            let mut below = move |n: usize| {
                // This is a linear congruential generator, whose high bits are the most random.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((u128::from(state) * n as u128) >> 64) as usize
            };
            let start = match below(3) {
                0 => game.play(&game.start(), &game.moves(&game.start())[0]).expect("a move"),
                _ => game.start(),
            };
            let mut record = Record::new(Arc::clone(&game), start);
            let most = below(120);
            while record.over().is_none() && record.moves().len() < most {
                let moves = game.moves(record.position());
                record.play(&moves[below(moves.len())]).expect("a legal move");
                let ply = record.moves().len() - 1;
                let note = record.note_mut(ply).expect("a move");
                if below(5) == 0 {
                    note.marks.push(below(256) as u8);
                    note.comment =
                        "1. x draw [Rules \"mini\"] $1 (a)".split_at(below(32)).0.trim().to_owned();
                }
            }
            if below(4) == 0 {
                record.resign();
            }
            let text = record.write().unwrap();
            let read = Record::read(KINDS, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(read.write().unwrap(), text);
            assert!(read.moves().eq(record.moves()) && notes(&read).eq(notes(&record)), "{text}");
            assert!(read.positions().eq(record.positions()), "{text}");
            assert_eq!((read.over(), read.ended_early()), (record.over(), record.ended_early()), "{text}");
        }
    }
}

#[test]
fn random_games_are_read_back() {
    round_trips(10);
}

#[test]
#[ignore = "long: finds a game of thousands whose text says something else"]
fn long_two_thousand_random_games_of_each_are_read_back() {
    round_trips(2000);
}
