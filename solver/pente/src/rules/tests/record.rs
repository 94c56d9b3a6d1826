//! Game records.

use crate::rules::{Color, Outcome, Record, Rules};

/// A game played on pente.org, the names left out.
const GAME: &str = "\
[Game \"Pente\"]
[Site \"Pente.org\"]
[Date \"01/19/2014\"]
[Result \"1-0\"]

1. K10 M9 2. N10 M7 3. M8 O7 4. L10 J10 5. M10 O10 6. L9 N7 7. L7 P7 8. Q7 L11
9. L8 L6 10. K8 J9 11. J11 H12 12. J8 N8 13. H8 1-0
";

#[test]
fn a_game_of_pente_org() {
    let record = Record::parse(GAME, None).unwrap();
    assert_eq!(record.rules, Rules::default());
    assert_eq!(record.moves.len(), 25);
    assert_eq!(record.result, Some(Outcome::Win(Color::X)));
    assert_eq!(record.headers[2], (String::from("Date"), String::from("01/19/2014")));
    assert_eq!(record.rules.outcome(&record.last()), Some(Outcome::Win(Color::X)));
    assert!(record.is_pro());
    assert_eq!(Record::parse(&record.format(), None).unwrap(), record);
}

#[test]
fn records_round_trip() {
    let rules: Rules = "pente:n=7,k=4,opening=free".parse().unwrap();
    for text in ["*\n", "1. D4 *\n", "1. D4 A1 2. D5 B1 *\n", "1. D4 A1 2. D5 B1 0-1\n"] {
        let record = Record::parse(text, Some(rules)).unwrap();
        assert_eq!(record.format(), text);
    }
    // Numbers and the result may be missing, and lines broken anywhere.
    let record = Record::parse("d4\r\na1 D5\tB1 D6\nC1 D7", Some(rules)).unwrap();
    assert_eq!(record.format(), "1. D4 A1 2. D5 B1 3. D6 C1 4. D7 1-0\n");
    assert_eq!(Record::new(rules, record.moves.clone()), Ok(record));
    assert_eq!(Record::parse("", None).unwrap().format(), "*\n");
}

#[test]
fn wrong_records_are_refused_where_they_are_wrong() {
    for (text, place, message) in [
        ("[Game Pente]\n", "[Game Pente]", "expected a header"),
        ("[Game \"Go\"]\n1. K10", "[Game \"Go\"]", "not known"),
        ("1. K11", "K11", "centre"),
        ("1. K10 L9 2. L11", "L11", "three or more"),
        ("1. K10 K10", "K10", "there is a stone"),
        ("2. K10", "2.", "expected 1. or a move"),
        ("1. K10 2. L9", "2.", "expected a move"),
        ("1. K10 I9", "I", "no file I"),
        ("1. K10 L20", "20", "1 to 19"),
        ("1. K10 1-0 L9", "L9", "ends with its result"),
    ] {
        let error = Record::parse(text, None).unwrap_err();
        assert_eq!(&text[error.span()], place, "{error}");
        assert!(error.message().contains(message), "{error}");
    }
    let wrong = GAME.replace("13. H8 1-0", "13. H8 0-1");
    assert!(Record::parse(&wrong, None).unwrap_err().message().contains("end otherwise"));
}

#[test]
fn rules_and_positions_without_a_name_have_headers() {
    for (rules, start) in [
        ("pente", None),
        ("pente:cap=2+3,win=15", None),
        ("pente:n=7,k=4,opening=free", None),
        ("pente:n=7,k=4,opening=free", Some("7/7/2XO3/7/7/7/7 x")),
        ("pente:n=7,opening=free", Some("7/7/2XO3/2X4/7/7/7 o")),
    ] {
        let rules: Rules = rules.parse().unwrap();
        let start = start.map_or(rules.start(), |text| rules.parse_position(text).unwrap());
        let moves = rules.moves(&start)[..1].to_vec();
        let mut record = Record::from_position(rules, start, moves).unwrap();
        record.headers.push((String::from("Site"), String::from("a table")));
        let record = record.with_headers();
        let text = record.format();
        assert_eq!(Record::parse(&text, None).unwrap(), record, "{text}");
        assert_eq!(record.clone().with_headers(), record);
        assert!(text.starts_with("[Game \"") && text.contains("[Result \"*\"]"));
    }
    let keryo = Record::parse("[Game \"Keryo-Pente\"]\n*", None).unwrap().with_headers();
    assert_eq!(keryo.format(), "[Game \"Keryo-Pente\"]\n[Result \"*\"]\n\n*\n");
    for (text, place) in [
        ("[Rules \"pente:n=99\"]\n", "99"),
        ("[Rules \"pente:n=7\"]\n[Position \"7/7/7/7/7/7 x\"]\n", ""),
        ("[Position \"19/19 x\"]\n1. K10", ""),
    ] {
        let error = Record::parse(text, None).unwrap_err();
        assert_eq!(&text[error.span()], place, "{error}");
    }
}
