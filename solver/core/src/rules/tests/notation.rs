//! Tests of notation: written texts parse to the same values, and no text makes a parser panic.

use super::*;

/// Returns one character for each socket, row by row from the top left. `letters` has the
/// characters for an empty socket, X and O.
fn letters(rules: &Rules, p: &Position, letters: [char; 3]) -> Vec<char> {
    let size = rules.shape.size();
    (0..rules.shape.sockets())
        .map(|i| match p.board().at(rules.shape.socket(i % size, size - 1 - i / size)) {
            None => letters[0],
            Some(color) => letters[1 + color.index()],
        })
        .collect()
}

/// Returns the text of a board in every accepted form, without the side to move.
fn board_texts(rules: &Rules, p: &Position) -> Vec<String> {
    let size = rules.shape.size();
    let rows = |chars: [char; 3], between: &str| {
        let all = letters(rules, p, chars);
        let rows = all.chunks(size).map(|row| {
            let row: Vec<String> = row.iter().map(char::to_string).collect();
            row.join(between)
        });
        rows.collect::<Vec<String>>()
    };
    let canonical = rules.format_position(p);
    let diagram = rules.diagram(p);
    let (picture, _) = diagram.rsplit_once('\n').unwrap();
    let mut texts = vec![
        canonical.split(' ').next().unwrap().to_string(),
        canonical.split(' ').next().unwrap().to_lowercase(),
        rows(['.', 'X', 'O'], "").concat(),
        rows(['0', '1', '2'], "").concat(),
        rows(['1', 'X', 'O'], "").join("/"),
        rows(['.', 'X', 'O'], " ").join("\n"),
        rows(['_', 'x', 'o'], "").join("\n"),
        rows(['-', 'X', 'o'], "\t").join("\r\n"),
        picture.to_string(),
    ];
    if rules.shape == Shape::Pentago {
        let number = rules.board_number(p).unwrap();
        texts.push(number.trim_end_matches('m').to_string());
    }
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_form_of_a_position_is_read_back((rules, p) in any_position()) {
        let side = p.to_move().letter();
        for board in board_texts(&rules, &p) {
            let mut texts = Vec::new();
            let gap = if board.contains('\n') { "\n" } else { " " };
            if p.pending() {
                for tail in ["turn", "S turn", "S M", "S to turn"] {
                    let tail = tail.replace('S', &side.to_string());
                    texts.push(format!("{board}{gap}{tail}"));
                }
            } else {
                texts.push(board.clone());
                texts.push(format!("  {board}{gap}{side}\n"));
                texts.push(format!("{board}{gap}{} to move", side.to_ascii_uppercase()));
            }
            for text in texts {
                match rules.parse_position(&text) {
                    Ok(read) => prop_assert_eq!(read, p, "{}", text),
                    Err(error) => prop_assert!(false, "{}", error),
                }
            }
        }
        prop_assert_eq!(rules.parse_position(&rules.format_position(&p)), Ok(p));
        prop_assert_eq!(rules.parse_position(&rules.diagram(&p)), Ok(p));
        if let Some(number) = rules.board_number(&p) {
            prop_assert_eq!(rules.parse_position(&number), Ok(p));
            prop_assert_eq!(rules.parse_position(&format!("{number} {side}")), Ok(p));
        }
    }

    #[test]
    fn every_move_is_read_back((rules, p) in any_position()) {
        for m in rules.moves(&p) {
            let text = rules.format_move(m);
            prop_assert_eq!(rules.parse_move(&text), Ok(m));
            prop_assert_eq!(rules.parse_move(&format!(" {}\n", text.to_uppercase())), Ok(m));
        }
    }

    #[test]
    fn the_other_side_is_refused((rules, p) in any_position()) {
        let other = p.to_move().other();
        prop_assert!(Position::new(rules.shape, p.board(), other, p.pending()).is_err());
        let word = |color: Color| format!(" {}", color.letter());
        let swapped = |text: String| text.replace(&word(p.to_move()), &word(other));
        let text = swapped(rules.format_position(&p));
        prop_assert!(rules.parse_position(&text).is_err(), "{text}");
    }

    #[test]
    fn nothing_makes_the_readers_panic(
        rules in any_rules(),
        text in "\\PC{0,80}|[XOxo./|_+0-9a-h \n-]{0,120}",
    ) {
        read_all(&rules, &text);
    }

    #[test]
    fn nearly_right_texts_do_not_either(
        (rules, p) in any_position(),
        form in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        put in "\\PC|[XO/ \n0-9é€m-]|",
        cut in 0usize..3,
    ) {
        let mut texts = board_texts(&rules, &p);
        texts.extend([rules.format_position(&p), rules.diagram(&p), rules.to_string()]);
        texts.extend(rules.moves(&p).first().map(|&m| rules.format_move(m)));
        let mut text: Vec<char> = form.get(&texts).chars().collect();
        let at = at.index(text.len());
        let end = (at + cut).min(text.len());
        text.splice(at..end, put.chars());
        read_all(&rules, &text.into_iter().collect::<String>());
    }
}

/// Parses a text with each parser. An error must have a range inside the text. A parsed value must
/// be unchanged after it is written and parsed again.
fn read_all(rules: &Rules, text: &str) {
    let check = |error: ParseError| {
        assert_eq!(error.text(), text);
        assert!(text.get(error.span()).is_some(), "{:?}", error.span());
        let shown = error.to_string();
        let (lines, end) = if text.trim().is_empty() { (1, "") } else { (3, "^") };
        assert_eq!(shown.lines().count(), lines, "{shown}");
        assert!(shown.starts_with(error.message()) && shown.ends_with(end), "{shown}");
    };
    match rules.parse_position(text) {
        Ok(p) => {
            assert_eq!(Position::new(rules.shape, p.board(), p.to_move(), p.pending()), Ok(p));
            assert_eq!(rules.parse_position(&rules.format_position(&p)), Ok(p));
        }
        Err(error) => check(error),
    }
    match rules.parse_move(text) {
        Ok(m) => assert_eq!(rules.parse_move(&rules.format_move(m)), Ok(m)),
        Err(error) => check(error),
    }
    match text.parse::<Rules>() {
        Ok(rules) => assert_eq!(rules.to_string().parse(), Ok(rules)),
        Err(error) => check(error),
    }
}

#[test]
fn rules_have_one_text() {
    for rules in rules_of_all_boards() {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
    for (name, rules) in Rules::presets() {
        assert_eq!(name.parse(), Ok(*rules));
        assert_eq!(&rules.to_string(), name);
    }
    let canonical = |text: &str| text.parse::<Rules>().unwrap_or_else(|e| panic!("{e}")).to_string();
    for (text, expected) in [
        (" pentago\n", "pentago"),
        ("pentago:dir=both,last=turn", "pentago"),
        ("pentago:dir=cw", "pentago-eu"),
        ("pentago:skip=empty,both=mover", "pentago-fi"),
        ("pentago-fi:skip=never", "pentago:both=mover"),
        ("pentago-eu:last=stop", "pentago:dir=cw,last=stop"),
        ("pentago:n=4,bs=2,k=4", "mini"),
        ("mini:n=6,bs=3,k=5", "pentago"),
        ("mini:k=3,reply=place", "pentago:reply=place,n=4,bs=2,k=3"),
    ] {
        assert_eq!(canonical(text), expected);
    }
    assert_eq!(format!("{:>10}|", Rules::mini()), "      mini|");
}

#[test]
fn a_diagram_looks_like_this() {
    let (rules, p) = position("pentago", "OO1OO1/6/6/6/6/XXXX2 x");
    let expected = "  a b c   d e f
6 O O . | O O .
5 . . . | . . .
4 . . . | . . .
  ------+------
3 . . . | . . .
2 . . . | . . .
1 X X X | X . .
x to move";
    assert_eq!(rules.diagram(&p), expected);
    // Diagrams with all labels, and without labels.
    let (rules, p) = position("mini", "X3/4/4/3O x");
    let framed = "   a b   c d
 4 X . | . . 4

 3 . . | . . 3
---------------
 2 _ _ | _ _ 2
 1 - - | - O 1
   A B   C D

 X TO MOVE";
    assert_eq!(rules.parse_position(framed), Ok(p));
}

/// The worked example in the description of the published files has the patterns 540, 3, 1 and 1.
#[test]
fn board_numbers_are_those_of_the_published_files() {
    let (rules, p) = position("pentago", "6/X5/3X2/1O4/6/1O1X2");
    let number = 540 | 3 << 16 | 1 << 32 | 1u64 << 48;
    assert_eq!(rules.board_number(&p), Some(number.to_string()));
    // Pattern 34 and its images after 1, 2 and 3 counterclockwise quarter turns. Each number has
    // one of these patterns in one quadrant.
    for (text, patterns) in [
        ("6/6/6/6/O5/XX4", [34u64, 0, 0, 0]),
        ("6/6/6/6/2X3/1OX3", [2970, 0, 0, 0]),
        ("1XX3/2O3/6/6/6/6", [0, 11178, 0, 0]),
        ("6/6/6/3XO1/3X2/6", [0, 0, 498, 0]),
        ("6/3O2/3XX1/6/6/6", [0, 0, 0, 34]),
    ] {
        let [a, b, c, d] = patterns;
        let number = (a | b << 16 | c << 32 | d << 48).to_string();
        assert_eq!(rules.parse_position(&number), rules.parse_position(text));
    }
}
