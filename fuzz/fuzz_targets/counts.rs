//! Parses arbitrary bytes as a file of counts by section. The result is a one-line error, or counts
//! with a plausible number of boards per section.

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
                // Every section has fewer boards than all slices together, which have fewer than
                // 2^55.
                assert!(results.total().is_some_and(|total| 0 < total && total < 1 << 55));
            }
            // Parsing the same counts again must succeed and change nothing.
            let before = read.clone();
            assert_eq!(parse(data, sections, &mut read), Ok(()));
            assert_eq!(read, before);
        }
        Err(error) => assert!(!error.to_string().is_empty() && !error.to_string().contains('\n')),
    }
    Corpus::Keep
});
