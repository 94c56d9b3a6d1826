//! Compares the numbers of boards up to symmetry with published numbers.

use pentago_reference::Group;

use crate::rules;

/// The numbers of boards with 0 to 10 marbles up to the 2,048 symmetries (Irving 2014, arXiv
/// 1404.0743).
const UP_TO_ALL: [u128; 11] = [1, 3, 30, 227, 2013, 13065, 90641, 493844, 2746022, 12420352, 56322888];

#[test]
fn boards_up_to_symmetry_by_the_lemma() {
    let options = rules("pentago");
    for (marbles, &expected) in UP_TO_ALL.iter().enumerate() {
        let counted = options.count_boards_by_lemma(Group::All, marbles);
        assert_eq!(counted, expected);
    }
    // The number of all boards up to the 8 symmetries of the whole board (Irving 2014).
    let counts = (0..=36).map(|marbles| options.count_boards_by_lemma(Group::Whole, marbles));
    assert_eq!(counts.sum::<u128>(), 3_009_081_623_421_558);
}
