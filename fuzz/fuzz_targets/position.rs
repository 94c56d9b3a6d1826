//! Parses arbitrary strings as positions, under several sets of rules.
//!
//! A parsed position must be possible in play, and must survive formatting and parsing in every
//! notation. The span of an error must lie within the string.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago::rules::{Position, Rules};
use pentago_fuzz::{check_error, rule_sets};

static RULES: LazyLock<Vec<Rules>> = LazyLock::new(rule_sets);

fuzz_target!(|data: &[u8]| -> Corpus {
    let text = String::from_utf8_lossy(data);
    let mut read = Vec::new();
    for rules in RULES.iter() {
        let result = rules.parse_position(&text);
        match &result {
            Ok(p) => check_position(rules, p),
            Err(error) => check_error(error, &text),
        }
        // Two shapes of the same size may differ in the length of a line. Compare the parsed
        // positions without their shapes.
        let result = result.map(|p| (p.board(), p.to_move(), p.pending()));
        read.push((rules.shape.size(), result));
    }
    // If two sets of rules have boards of the same size, a string must parse to the same result
    // under both, unless a turn is pending. After the end of a game, no turn can be pending, and
    // the rules differ in the length of a line that ends the game.
    read.sort_by_key(|(size, _)| *size);
    for pair in read.windows(2) {
        let pending = pair.iter().any(|(_, read)| matches!(read, Ok((_, _, true))));
        assert!(pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1 || pending, "{pair:?}");
    }
    Corpus::Keep
});

fn check_position(rules: &Rules, p: &Position) {
    assert_eq!(Position::new(rules.shape, p.board(), p.to_move(), p.pending()), Ok(*p));
    let canonical = rules.format_position(p);
    let reread = rules.parse_position(&canonical).expect("the canonical text is read back");
    assert_eq!(reread, *p);
    assert_eq!(rules.format_position(&reread), canonical);
    assert_eq!(rules.parse_position(&rules.diagram(p)).as_ref(), Ok(p));
    if let Some(number) = rules.board_number(p) {
        assert_eq!(rules.parse_position(&number).as_ref(), Ok(p));
    }
    assert_eq!(rules.moves(p).is_empty(), rules.outcome(p).is_some());
}
