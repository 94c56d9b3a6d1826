//! Pente: the rule cases, where they are present, perft, and the values of tiny boards.

use std::path::Path;

use pentago_reference::pente::{Rules, Solver};

/// Plays the moves; how that ends, as the cases write it, with the captures.
fn outcome(game: &str, position: &str, moves: &str) -> Result<(String, [i32; 2]), String> {
    // `placed=24` says that the numbers of stones are not those of play.
    let rules = Rules::parse(&game.replace(",placed=24", ""))?;
    let mut state = rules.read(position)?;
    let mut over = None;
    for text in moves.split_whitespace() {
        let found = rules.moves(&state).into_iter().find(|(name, _)| name == text);
        match found {
            Some((_, after)) => (state, over) = (after.state, after.over),
            None => return Ok((String::from("illegal"), state.captured)),
        }
    }
    let text = ["draw", "X", "O"];
    Ok((over.map_or("none", |winner| text[usize::from(winner)]).to_owned(), state.captured))
}

#[test]
fn every_case_of_pente() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/rules/cases.txt");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
    let mut checked = 0;
    for line in text.lines().filter(|line| line.starts_with('Q')) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let (game, position) = fields[1].split_once(' ').unwrap();
        let (found, [a, b]) = outcome(game, position, fields[2]).unwrap();
        let (expected, captured) = fields[3].split_once(' ').unwrap_or((fields[3], ""));
        assert_eq!(found, expected, "{line}");
        assert!(captured.is_empty() || captured == format!("cap={a}-{b}"), "{line}");
        checked += 1;
    }
    assert!(checked >= 31, "only {checked} cases");
}

#[test]
fn perft_of_pente() {
    for (text, counts) in [
        ("pente", vec![1, 1, 360]),
        ("pente:opening=free", vec![1, 361, 129_960]),
        ("pente:n=5,opening=free", vec![1, 25, 600, 13_800, 303_600]),
    ] {
        let rules = Rules::parse(text).unwrap();
        for (depth, count) in counts.into_iter().enumerate() {
            assert_eq!(rules.perft(&rules.start(), depth as u32), count, "{text} {depth}");
        }
    }
}

#[test]
fn values_of_tiny_boards() {
    for (text, value) in [
        ("pente:n=3,k=3,opening=free", 0),
        ("pente:n=3,k=3,opening=free,win=2", 0),
        ("pente:n=2,k=2,opening=free", 1),
        ("pente:w=5,h=1,k=3,opening=free,win=2", 0),
    ] {
        let rules = Rules::parse(text).unwrap();
        assert_eq!(Solver::new(rules.clone()).solve(&rules.start()).0, value, "{text}");
    }
}
