use super::*;
use crate::kernel::Kernel;
use crate::rules::{Board, Outcome, Position, Rules, Shape, random};
use crate::supers::half::half_rotation;
use crate::symmetry::Rotation;
use pentago_base::Random;

fn turned(set: u64, r: Rotation) -> u64 {
    let pattern = |b: usize| u64::from(Shape::Pentago.rotate_quadrant((set >> (16 * b)) as u16 & 511, r[b]));
    (0..4).fold(0, |all, b| all | pattern(b) << (16 * b))
}

/// Returns an evaluation with random weights, which have no symmetry that could hide an error.
fn some(seed: u64) -> Evaluation {
    let mut random = Random::new(seed);
    let mut stage = || Weights::new((0..WEIGHTS).map(|_| random.below(101) as i16 - 50).collect());
    Evaluation::new(STAGES.map(|_| stage()).collect())
}

/// The score at each rotation equals the plain score of the turned board.
#[test]
fn scores_are_those_of_the_plain_definition() {
    let evaluation = some(1);
    for marbles in [0, 1, 9, 16, 23, 30] {
        for position in random::positions(&Rules::default(), marbles, 3, 4, false).unwrap() {
            let stage = evaluation.weights(marbles);
            let mut sums = stage.sums();
            let (own, other) = (position.own(), position.others());
            // The second board has one marble less than the first, so that sums are reused.
            for (parity, own) in [(0, own), (0, own & own.wrapping_sub(1)), (1, own)] {
                let scores = sums.scores(own, other, parity);
                for (i, &score) in scores.0.iter().enumerate() {
                    let r = half_rotation(parity, i);
                    let [own, other] = [own, other].map(|set| turned(set, r));
                    assert_eq!(score, stage.score(own, other), "{position} turned by {r:?}");
                }
            }
        }
    }
}

/// The images of a board under the symmetries of the whole board have the same weights as the
/// board.
#[test]
fn symmetries_preserve_the_weights() {
    let mut kinds = std::collections::BTreeSet::new();
    for position in random::positions(&Rules::default(), 17, 20, 5, false).unwrap() {
        let weights = |own, other| {
            let mut weights = terms(own, other);
            weights.sort_unstable();
            weights
        };
        let these = weights(position.own(), position.others());
        kinds.extend(these);
        for g in 0..8 {
            let by = crate::symmetry::Element::new(g, [0; 4]);
            let image = by.apply(Shape::Pentago, position.board());
            assert_eq!(weights(image.of(position.to_move()), image.of(position.to_move().other())), these);
        }
    }
    assert!(kinds.len() > 100 && kinds.iter().all(|&weight| usize::from(weight) < WEIGHTS - 1));
}

/// Returns the score of a position by a plain search of all moves, one position at a time.
fn plain(rules: &Rules, evaluation: &Evaluation, position: &Position, plies: usize) -> u8 {
    match rules.outcome(position) {
        Some(Outcome::Draw) => return DRAW,
        Some(Outcome::Win(color)) => return if color == position.to_move() { WIN } else { LOSS },
        None if plies == 0 => {
            return evaluation.weights(position.marbles()).score(position.own(), position.others());
        }
        None => {}
    }
    let scores = rules.moves(position).into_iter().map(|m| {
        let played = rules.play(position, m).unwrap();
        match played.outcome {
            Some(Outcome::Win(color)) => {
                if color == position.to_move() {
                    WIN
                } else {
                    LOSS
                }
            }
            Some(Outcome::Draw) => DRAW,
            None => plain(rules, evaluation, &played.position, plies - 1).wrapping_neg(),
        }
    });
    scores.max().unwrap()
}

/// A search at all rotations returns, at each rotation, the score of a plain search.
#[test]
fn searches_are_those_of_all_moves() {
    let (rules, evaluation) = (Rules::default(), some(2));
    for (marbles, plies) in [(2, 1), (24, 1), (31, 2), (30, 3), (33, 3), (32, 4)] {
        for position in random::positions(&rules, marbles, 2, 6, false).unwrap() {
            let search = |parallel| {
                let (own, other) = (position.own(), position.others());
                GuessSearch::new(&evaluation, Kernel::best(), parallel, own, other, 0).root(plies)
            };
            let scores = search(false);
            assert_eq!(scores, search(true));
            for i in [0, 1, 77, 127] {
                let r = half_rotation(0, i);
                let [x, o] = [position.board().x, position.board().o].map(|set| turned(set, r));
                let at = Position::of(Shape::Pentago, Board::new(x, o).unwrap()).unwrap();
                if rules.outcome(&at).is_none() {
                    assert_eq!(scores.0[i], plain(&rules, &evaluation, &at, plies), "{at}, {plies} plies");
                }
            }
        }
    }
}

/// The score of a placement doesn't depend on the other placements that the search visits.
#[test]
fn searches_of_some_placements_agree_with_those_of_all() {
    let (rules, evaluation) = (Rules::default(), some(3));
    for (marbles, plies) in [(8, 1), (8, 2), (20, 3), (30, 4), (31, 5)] {
        for position in random::positions(&rules, marbles, 2, 7, false).unwrap() {
            let (own, other) = (position.own(), position.others());
            let search = |placements| {
                GuessSearch::new(&evaluation, Kernel::best(), false, own, other, 0).of(placements)
            };
            let all = search(u64::MAX).placements(plies);
            let asked = 0b1_0110;
            for (i, (some, of_all)) in search(asked).placements(plies).into_iter().zip(all).enumerate() {
                assert_eq!(some, of_all.filter(|_| asked >> i & 1 != 0), "{position}, {plies} plies");
            }
        }
    }
}

/// If evaluations remain, the best placements are searched one ply deeper. No other move then has a
/// better score.
#[test]
fn what_is_left_deepens_the_best_placements() {
    let (rules, evaluation) = (Rules::default(), some(4));
    for position in random::positions(&rules, 20, 4, 8, true).unwrap() {
        let moves = rules.moves(&position);
        let ask = |boards| guess(&evaluation, &rules, &position, &moves, Kernel::best(), boards, 1 << 30);
        // With 16 free sockets there are 240 boards after two plies and 1,680 after three. Nine of
        // the 16 first placements lead to 1,386 of the 1,680 boards.
        let [shallow, more, deep] = [240, 1679, 1680].map(ask);
        assert_eq!([shallow.boards, more.boards, deep.boards], [240, 240 + 1386, 1680]);
        assert_ne!(shallow.scores, more.scores);
        // The best move is one of the moves that the search examined one ply deeper.
        let best = more.scores.iter().max();
        let looked_at = more.scores.iter().zip(&deep.scores).filter(|(more, deep)| more == deep);
        assert_eq!(looked_at.map(|(more, _)| more).max(), best);
    }
}
