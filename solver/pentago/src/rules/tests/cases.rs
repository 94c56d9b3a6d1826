//! The cases that the rule sheets were checked with, one a line:
//! `name | rules position side | move | X, O, draw, none or illegal | remark`.

use super::*;

#[test]
fn all_cases_of_pentago() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/rules/cases.txt");
    let Ok(cases) = std::fs::read_to_string(path) else {
        println!("skipped: there is no {path}");
        return;
    };
    let mut checked = 0;
    for line in cases.lines().filter(|line| line.starts_with('P')) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let (rules, text) = fields[1].split_once(' ').unwrap();
        let (rules, p) = position(rules, text);
        assert_eq!(rules.format_position(&p), text, "{line}");
        let played = match rules.parse_move(fields[2]) {
            Ok(m) => rules.play(&p, m).map(|played| played.outcome).map_err(|_| ()),
            Err(_) => Err(()),
        };
        let expected = match fields[3] {
            "X" => Ok(Some(Outcome::Win(Color::X))),
            "O" => Ok(Some(Outcome::Win(Color::O))),
            "draw" => Ok(Some(Outcome::Draw)),
            "none" => Ok(None),
            "illegal" => Err(()),
            other => panic!("{other} in {line}"),
        };
        assert_eq!(played, expected, "{line}");
        checked += 1;
    }
    assert_eq!(checked, 30, "cases of Pentago in {path}");
}
