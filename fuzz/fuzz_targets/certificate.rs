//! Parses arbitrary bytes as the body of a certificate of version 2, with a correct checksum. The
//! solver must accept what the independent checker accepts, and the checker must refute nothing
//! that the solver accepts. The solver also accepts other spellings, such as positions in small
//! letters.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago_check::Failure;
use pentago_search::sealed;
use pentago_xl::{LEMMAS_FIRST_LINE, LemmaBook};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(body) = std::str::from_utf8(data) else { return Corpus::Reject };
    let text = sealed(format!("{LEMMAS_FIRST_LINE}{body}"));
    match (LemmaBook::read(&text), pentago_check::check(text.as_bytes())) {
        (Ok(book), Ok(proved)) => {
            assert_eq!(book.lemmas() as u64, proved.positions);
            assert!(book.look_up(&book.position).is_some_and(|(plies, _)| plies <= proved.plies));
        }
        (Ok(_), Err(Failure::Malformed(_))) => {}
        (Err(error), Err(failure)) => {
            assert!(!error.is_empty() && !error.contains('\n'), "{error:?}");
            assert!(!failure.to_string().is_empty());
        }
        (book, checked) => panic!("{:?}, but {checked:?}", book.map(|book| book.lemmas())),
    }
    Corpus::Keep
});
