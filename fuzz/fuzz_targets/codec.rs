//! Decodes arbitrary bytes as a block of entries. Entries that decode must survive encoding and
//! decoding. The first two bytes of the input determine the number of entries, because a payload
//! can only be decoded with the right number.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago_core::values::Entry;
use pentago_tables::codec::{Level, check, decode, encode, longest_payload};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some((head, payload)) = data.split_first_chunk() else { return Corpus::Reject };
    let len = 1 + usize::from(u16::from_le_bytes(*head) % 5000);
    let mut entries = vec![Entry::default(); len];
    match decode(payload, &mut entries) {
        Ok(_) => {
            assert_eq!(check(&entries).is_ok(), entries.iter().all(Entry::is_consistent));
            let mut again = Vec::new();
            encode(&entries, Level::SCRATCH, &mut again);
            assert!(again.len() <= longest_payload(len));
            let mut back = vec![Entry::default(); len];
            decode(&again, &mut back).expect("an encoded block decodes");
            assert!(back == entries);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Corpus::Keep
});
