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
