//! Decodes arbitrary bytes as a block of open bits. Entries that decode must survive encoding and
//! decoding. The first three bytes of the input determine the number of entries and the guess; the
//! rest is the payload.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use pentago::rules::Rules;
use pentago_core::index::Section;
use pentago_core::values::Entry;
use pentago_tables::codec::entry_from_bytes;
use pentago_tables::codec::open::{Neighbours, Preset, decode, encode};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some((&[len, few, of], payload)) = data.split_first_chunk() else { return Corpus::Reject };
    let (len, neighbours) = if of & 1 == 0 {
        let len = 1 + usize::from(len);
        (len, Neighbours::List(len))
    } else {
        let ranges =
            [0..1 + u32::from(len % 3), 3..4, 0..1 + u32::from(len / 3 % 5), 8..9 + u32::from(few % 4)];
        let neighbours = Neighbours::Section(
            Rules::default(),
            Section::new([[3, 3]; 4]).expect("a section"),
            ranges.clone(),
        );
        (neighbours.len(), neighbours)
    };
    // A guess that leaves some rotations open. The bytes `few` and `of` determine the number of
    // open rotations.
    let guess: Vec<Entry> = (0..len)
        .map(|i| {
            let mut bytes = [0; 64];
            for (j, byte) in bytes[..32].iter_mut().enumerate() {
                *byte = (i * 37 + j * 11) as u8 & few & of;
            }
            for j in 0..32 {
                bytes[32 + j] = bytes[j] | (i * 73 + j * 29) as u8 & (few | of);
            }
            entry_from_bytes(&bytes)
        })
        .collect();
    let give = |into: &mut [Entry]| into.copy_from_slice(&guess);
    let mut entries = vec![Entry::default(); len];
    match decode(payload, give, &neighbours, &mut entries) {
        Ok(()) => {
            assert!(entries.iter().all(Entry::is_consistent));
            for preset in Preset::ALL {
                let mut again = Vec::new();
                encode(&entries, Some(&guess), &neighbours, preset, &mut again).expect("consistent");
                // A model encodes given entries in one way only, so encoding again with the same
                // tag must return the payload. Tags below 4 are exempt.
                assert!(again[0] != payload[0] || again[0] < 4 || again == payload);
                let mut back = vec![Entry::default(); len];
                decode(&again, give, &neighbours, &mut back).expect("an encoded block decodes");
                assert!(back == entries);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Corpus::Keep
});
