//! Parses arbitrary strings as rules. Parsed rules must survive formatting and parsing. The span of
//! an error must lie within the string.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago::rules::Rules;
use pentago_fuzz::check_error;

fuzz_target!(|data: &[u8]| -> Corpus {
    let text = String::from_utf8_lossy(data);
    match text.parse::<Rules>() {
        Ok(rules) => {
            let canonical = rules.to_string();
            let reread: Rules = canonical.parse().expect("the canonical text is read back");
            assert_eq!(reread, rules);
            assert_eq!(reread.to_string(), canonical);
            let named = Rules::presets().iter().find(|(_, preset)| *preset == rules);
            match named {
                Some((name, _)) => assert_eq!(canonical, *name),
                None => assert!(canonical.starts_with("pentago:")),
            }
            assert!(!rules.shape.lines().is_empty());
        }
        Err(error) => check_error(&error, &text),
    }
    Corpus::Keep
});
