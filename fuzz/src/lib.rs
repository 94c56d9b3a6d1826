//! What the fuzz targets share: the rule sets, and what holds for every error of a reader.

use pentago_solver::rules::{MAX_TEXT, ParseError, Rules};

/// The rule sets that texts are read under: all presets, and others such that each value of each
/// option occurs.
#[must_use]
pub fn rule_sets() -> Vec<Rules> {
    let others =
        ["pentago:both=mover,skip=neutral,last=stop", "mini:k=3,reply=place", "mini:dir=cw,skip=empty"];
    let presets = Rules::presets().iter().map(|(_, rules)| *rules);
    presets.chain(others.map(|text| text.parse().expect("these are rules"))).collect()
}

/// Checks the error that a reader gave for `text`: that it points into it, and that all of it can
/// be shown in three lines that fit a terminal and do not steer it.
pub fn check_error(error: &ParseError, text: &str) {
    if text.len() <= MAX_TEXT {
        assert_eq!(error.text(), text);
    } else {
        assert!(text.starts_with(error.text()));
        assert!(error.text().len() <= MAX_TEXT);
    }
    let span = error.span();
    assert!(span.start <= span.end && span.end <= error.text().len(), "{span:?}");
    assert!(error.text().get(span.clone()).is_some(), "{span:?} cuts a character");

    let (message, excerpt) = (error.message(), error.excerpt());
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
    let lines: Vec<&str> = excerpt.split('\n').collect();
    let [line, carets] = lines[..] else { panic!("{excerpt:?} has not two lines") };
    assert!(!line.contains(char::is_control), "{line:?}");
    assert!(line.chars().count() <= 124, "{line:?} is too long");
    let before = carets.trim_start_matches(' ');
    assert!(!before.is_empty() && before.chars().all(|c| c == '^'), "{carets:?}");
    // An empty place may lie behind the line.
    assert!(carets.chars().count() <= line.chars().count() + 1, "{excerpt:?}");
    assert_eq!(error.to_string(), format!("{message}\n{excerpt}"));
    assert!(!format!("{error:?}").is_empty());
}
