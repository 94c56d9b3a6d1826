//! The rule cases that all programs of the project are checked with, where they are present.

use std::path::Path;

use pentago_check::blocks::Blocks;
use pentago_check::pente::Pente;
use pentago_check::rules::{After, Places, Rules};

/// Plays the moves: the places at the end, or the last position, or `None` if a move is illegal.
fn play<R: Rules>(rules: &R, position: &str, moves: &str) -> Option<(Option<Places>, R::State)> {
    let mut state = rules.position(position).unwrap_or_else(|why| panic!("{position}: {why}"));
    let mut over = None;
    for text in moves.split_whitespace() {
        if over.is_some() {
            return None;
        }
        let mv = rules.read_move(text).unwrap_or_else(|| panic!("{text} is not a move"));
        let mut listed = Vec::new();
        rules.moves(&state, &mut listed);
        for &other in &listed {
            let won = rules.won_by(&state, other);
            match rules.play(&state, other) {
                Ok(After::Over(places)) => {
                    assert!(won == Some(places) || won.is_none() && places[..2] == [1, 1])
                }
                _ => assert_eq!(won, None, "{position} {other:?}"),
            }
        }
        let result = rules.play(&state, mv);
        assert_eq!(listed.contains(&mv), result.is_ok(), "{position} {text}");
        match result {
            Ok(After::Over(places)) => over = Some(places),
            Ok(After::Goes(next)) => state = next,
            Err(_) => return None,
        }
    }
    Some((over, state))
}

/// The result as the cases write it.
fn two_sides(over: Option<Places>) -> &'static str {
    match over {
        None => "none",
        Some([1, 2, 0, 0]) => "X",
        Some([2, 1, 0, 0]) => "O",
        Some([1, 1, 0, 0]) => "draw",
        Some(places) => panic!("{places:?}"),
    }
}

/// Of XL: the places of all seats, or the teams.
fn seats(over: Option<Places>, teams: bool) -> String {
    match over {
        None => "none".into(),
        Some([1, 2, 1, 2]) if teams => "AC".into(),
        Some([2, 1, 2, 1]) if teams => "BD".into(),
        Some([1, 1, 1, 1]) if teams => "draw".into(),
        Some(places) => {
            let seats = "ABCD".chars().zip(places).filter(|&(_, place)| place > 0);
            seats.map(|(seat, place)| format!("{seat}{place}")).collect::<Vec<_>>().join(" ")
        }
    }
}

/// The game's options in the words of the rules; what belongs to the position is given back.
fn translate(game: &str) -> (String, Option<String>) {
    let Some((name, options)) = game.split_once(':') else { return (game.into(), None) };
    let (mut kept, mut placed) = (Vec::new(), None);
    for option in options.split(',') {
        let (key, value) = option.split_once('=').unwrap();
        match (name, key) {
            ("xl", "p") => kept.push(format!("seats={value}")),
            ("xl", "m") => kept.push(format!("supply={value}")),
            ("xl", "done") => placed = Some(value.into()),
            // The number of stones placed follows from the position where play could lead to it.
            ("pente", "placed") => {}
            _ => kept.push(option.into()),
        }
    }
    (format!("{name}:{}", kept.join(",")), placed)
}

#[test]
fn every_case_of_the_rule_sheets() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rules/cases.txt");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
    let mut checked = [0; 3];
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let (game, position) = fields[1].split_once(' ').unwrap();
        let (moves, expected) = (fields[2], fields[3]);
        let (game, placed) = translate(game);
        if game.starts_with("pente") {
            let rules = Pente::read(&game).unwrap();
            let (outcome, captures) =
                expected.split_once(" cap=").map_or((expected, None), |(o, c)| (o, Some(c)));
            let found = match play(&rules, position, moves) {
                None => "illegal",
                Some((over, state)) => {
                    if let (None, Some(captures)) = (over, captures) {
                        let [x, o] = state.captured();
                        assert_eq!(format!("{x}-{o}"), captures, "{line}");
                    }
                    two_sides(over)
                }
            };
            assert_eq!(found, outcome, "{line}");
            checked[2] += 1;
        } else {
            let xl = game.starts_with("xl");
            let rules = Blocks::read(&game).unwrap_or_else(|why| panic!("{game}: {why}"));
            let position =
                format!("{position}{}", placed.map(|seats| format!(" {seats}")).unwrap_or_default());
            let found = play(&rules, &position, moves);
            let found = match found {
                None => "illegal".into(),
                Some((over, _)) if xl => seats(over, game.contains("2v2")),
                Some((over, _)) => two_sides(over).into(),
            };
            assert_eq!(found, expected, "{line}");
            checked[usize::from(xl)] += 1;
        }
    }
    println!("Pentago, XL, Pente: {checked:?} cases");
    assert_eq!(checked, [30, 22, 31]);
}

/// The number of games of this length, a game that ends earlier counting as one.
fn perft<R: Rules>(rules: &R, state: &R::State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    rules.moves(state, &mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let below = |mv| match rules.play(state, mv).unwrap() {
        After::Over(_) => 1,
        After::Goes(next) => perft(rules, &next, depth - 1),
    };
    moves.into_iter().map(below).sum()
}

#[test]
fn perft_from_the_empty_boards() {
    let pentago = Blocks::read("pentago").unwrap();
    let start = pentago.position("6/6/6/6/6/6 x").unwrap();
    assert_eq!([1, 2].map(|depth| perft(&pentago, &start, depth)), [288, 80_640]);
    let xl = Blocks::read("xl").unwrap();
    let start = xl.position("9/9/9/9/9/9/9/9/9 a").unwrap();
    assert_eq!([1, 2].map(|depth| perft(&xl, &start, depth)), [1_296, 1_658_880]);
    let empty = |n: usize| format!("{} x", vec![n.to_string(); n].join("/"));
    let pente = Pente::read("pente").unwrap();
    let start = pente.position(&empty(19)).unwrap();
    assert_eq!([1, 2, 3].map(|depth| perft(&pente, &start, depth)), [1, 360, 120_624]);
    let small = Pente::read("pente:n=5,opening=free").unwrap();
    let start = small.position(&empty(5)).unwrap();
    assert_eq!([1, 2, 3, 4].map(|depth| perft(&small, &start, depth)), [25, 600, 13_800, 303_600]);
    assert_eq!(perft(&small, &start, 5), 6_375_824);
}

#[test]
fn refusals() {
    for game in [
        "go",
        "pentago:",
        "pentago:dir",
        "pentago:dir=up",
        "pentago:dir=cw,dir=cw",
        "pentago:n=4",
        "mini:k=5",
        "xl:n=6",
        "xl:seats=5",
        "xl:mode=2v2",
        "xl:supply=0",
        "xl:supply=82",
        "xl:seats=4,mode=2v2,continue=yes",
        "pentago:seats=2",
    ] {
        assert!(Blocks::read(game).is_err(), "{game}");
    }
    for game in [
        "pente:n=20",
        "pente:n=0",
        "pente:n=6",
        "pente:w=4",
        "pente:k=1",
        "pente:win=0",
        "pente:cap=3",
        "pentex",
    ] {
        assert!(Pente::read(game).is_err(), "{game}");
    }
    let pentago = Blocks::read("pentago").unwrap();
    for position in [
        "",
        "6/6/6/6/6/6",
        "6/6/6/6/6 x",
        "6/6/6/6/6/6/6 x",
        "6/6/6/6/6/7 x",
        "6/6/6/6/6/5 x",
        "6/6/6/6/6/5Z x",
        "6/6/6/6/6/6 a",
        "6/6/6/6/6/6 xx",
        "6/6/6/6/6/06 x",
        "6/6/6/6/6/6 x turn",
        "6/6/6/6/6/6  x",
        "6/6/6/6/6/5é x",
        "6/6/6/6/6/99999999999999999999 x",
    ] {
        assert!(pentago.position(position).is_err(), "{position}");
    }
    for position in ["6/6/6/6/6/6 o", "6/6/6/6/6/X5 x", "6/6/6/6/6/O5 o", "OOOO2/6/6/6/6/XXXXX1 o"] {
        assert!(pentago.possible(&pentago.position(position).unwrap()).is_err(), "{position}");
    }
    for mv in ["", "c", "g1", "a7", "a0", "c4/", "c4/1", "c4/0+", "c4/1*", "c4/1+ ", "é4", "c4/1+1"] {
        assert!(pentago.read_move(mv).is_none(), "{mv}");
    }
    let pente = Pente::read("pente:n=5,opening=free").unwrap();
    for position in [
        "5/5/5/5/5 o",
        "5/5/5/5/XX3 x",
        "5/5/5/5/5 x cap=2-0",
        "5/5/XXX2/5/OO3 o cap=1-0",
        "XXXXX/OOOO1/5/5/5 o",
    ] {
        assert!(pente.possible(&pente.position(position).unwrap()).is_err(), "{position}");
    }
    for mv in ["", "A", "A0", "A6", "F1", "I1", "A01", "A1/1+", "A99999999999999999999"] {
        assert!(pente.read_move(mv).is_none(), "{mv}");
    }
    let xl = Blocks::read("xl:supply=1").unwrap();
    assert!(xl.possible(&xl.position("AB7/9/9/9/9/9/9/9/9 a").unwrap()).is_err());
    assert!(xl.possible(&xl.position("XO7/9/9/9/9/9/9/9/9 a").unwrap()).is_err());
    assert!(xl.possible(&xl.position("X8/9/9/9/9/9/9/9/9 b").unwrap()).is_ok());
    assert!(xl.position("C8/9/9/9/9/9/9/9/9 b").is_err());
    let three = Blocks::read("xl:seats=3").unwrap();
    assert!(three.position("X8/9/9/9/9/9/9/9/9 b").is_err());
}
