//! Parses arbitrary bytes as counts by section. The result is an error of one line, or counts with
//! a plausible number of boards.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago::rules::{Dir, Shape};
use pentago_core::index::Sections;
use pentago_tables::verify::counts::BySection;
use pentago_tables::verify::counts::file::parse;

fuzz_target!(|data: &[u8]| -> Corpus {
    let (mut read, sections) = (BySection::new(), Sections::of(Shape::Pentago, Dir::Both));
    match parse(data, sections, &mut read) {
        Ok(()) => {
            assert!(!read.is_empty());
            for (section, results) in &read {
                assert_eq!(section.to_string().parse(), Ok(*section));
                // No section has more boards than all slices together.
                assert!(results.total().is_some_and(|total| 0 < total && total < 1 << 55));
            }
            // Parsing the same counts again is no contradiction.
            let before = read.clone();
            assert_eq!(parse(data, sections, &mut read), Ok(()));
            assert_eq!(read, before);
        }
        Err(error) => assert!(!error.to_string().is_empty() && !error.to_string().contains('\n')),
    }
    Corpus::Keep
});
