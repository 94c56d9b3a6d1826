//! Numbers of boards up to symmetry, and a law of symmetries.

use pentago_reference::Group;

use crate::{Random, rules};

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
    // The number of all positions up to the 8 symmetries of the whole board (Irving 2014).
    let counts = (0..=36).map(|marbles| options.count_boards_by_lemma(Group::Whole, marbles));
    assert_eq!(counts.sum::<u128>(), 3_009_081_623_421_558);
}

#[test]
fn symmetries_commute_with_the_moves() {
    let options = rules("pentago");
    let mut random = Random::new(5);
    for marbles in (0..20).step_by(3) {
        let state = random.position(&options, marbles);
        let results = |state| {
            let mut list: Vec<_> = options.moves(state).into_iter().map(|(_, after)| after).collect();
            list.sort_by_key(|after| format!("{after:?}"));
            list
        };
        // The images of the results of all moves are the results of all moves of the image.
        let images = options.images(Group::Whole, &state);
        for (index, image) in images.iter().enumerate() {
            let mut mapped = results(&state);
            for after in &mut mapped {
                if let pentago_reference::After::Goes(next) = after {
                    *next = options.images(Group::Whole, next)[index];
                }
            }
            mapped.sort_by_key(|after| format!("{after:?}"));
            assert_eq!(mapped, results(image));
        }
    }
}
