//! Parse errors of invalid rules, positions and moves. The tests check the message of each error,
//! and the part of the text that the message marks.

use pentago::ParseError;
use pentago_games::read_rules;

#[test]
fn wrong_texts_are_explained_where_they_are_wrong() {
    let mut counts = [0; 3];
    for line in include_str!("../data/refusals.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<String> = line.split('\t').map(unescaped).collect();
        let [what, rules, text, marked, message] = &fields[..] else { panic!("five fields: {line}") };
        let game = || read_rules(rules).expect("rules");
        let (error, number) = match what.as_str() {
            "rules" => (read_rules(text).err(), 0),
            "position" => (game().read(text).err(), 1),
            "move" => (game().read_move(text).err(), 2),
            _ => panic!("{line}"),
        };
        let error = error.unwrap_or_else(|| panic!("{line} is read"));
        let error = error.downcast_ref::<ParseError>().unwrap_or_else(|| panic!("{line}: {error}"));
        assert!(error.message().contains(message), "{line}: {error}");
        assert!(marked == "*" || error.text()[error.span()] == *marked, "{line}: {error}");
        assert!(text.trim().is_empty() || error.to_string().ends_with('^'), "{line}: {error}");
        counts[number] += 1;
    }
    assert_eq!(counts, [40, 94, 34]);
}

fn unescaped(field: &str) -> String {
    let mut text = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                other => other.expect("a letter after the backslash"),
            },
            letter => letter,
        });
    }
    text
}
