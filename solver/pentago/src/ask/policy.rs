//! The choice of the engine that computes an answer.
//!
//! If there are openings or tables, the search consults them first, because a look-up takes
//! microseconds. Then one engine computes the missing values:
//!
//! | case | engine |
//! |---|---|
//! | the question sets a depth | a solution truncated at this depth |
//! | the full solution fits in memory and time, or is required | the full solution, after proofs |
//! | otherwise, if the value is known | a solution truncated at two plies |
//! | otherwise | proofs, then solutions of 1, 2, 3... plies |
//!
//! A solution truncated at two plies finds the moves that lose to the next reply.

use pentago_core::answer::{Estimate, Question, Unsolved};
#[cfg(feature = "tables")]
use pentago_core::rules::{Position, Rules};
#[cfg(feature = "tables")]
use pentago_tables::probe::OPENING_MARBLES;
use std::time::Duration;

/// The depth in plies of a search for a position of known value. A search of this depth finds the
/// moves that lose to the next reply. Deeper searches add little.
const REPLIES: usize = 2;
/// The number of boards that proofs may compute if the question sets no limit, or only a short time
/// limit. Proofs of this size take about ten seconds on two cores
/// (`bench/README.md#when-proofs-are-asked`).
const PROOF_BOARDS: u64 = 2_000_000_000;
/// The number of boards that proofs may compute, per thread and second of the time limit. No CPU
/// computes this many, so the time limit stops the proofs.
const PROOF_BOARDS_A_SECOND: u64 = 300_000_000;
/// The full solution of a position starts without proofs if it has fewer boards than this. Such
/// positions have 18 or more marbles and take half a second
/// (`bench/README.md#when-proofs-are-asked`).
const SOLVED_AT_ONCE: u64 = 200_000_000;
/// If the full solution fits in memory, proofs may compute at most its number of boards divided by
/// this number. Proofs that decide every move make the full solution unnecessary. Other proofs add
/// about 2% to its cost (`bench/README.md#when-proofs-are-asked`).
const PROOF_SHARE: u64 = 64;

/// The maximum expected time of a full solution that is started, as a fraction of the time limit. A
/// stopped solution yields no values, so the rest of the time is a reserve.
const EXPECTED_PART: f64 = 0.75;

/// The number of boards to evaluate for a guess if there is no time limit. In the middle of the
/// game, the guess is four or five plies deep and takes a ninth of a second on one core.
const GUESS_BOARDS: u64 = 500_000;
/// The number of boards to evaluate for a guess, per thread and millisecond of the time limit. The
/// evaluation takes a twentieth of the time limit, `1 / GUESS_PART`.
pub(super) const GUESS_PART: f64 = 20.0;
const GUESS_BOARDS_A_MILLISECOND: u64 = 200;
/// The maximum number of boards to evaluate for a guess. The guess is one ply deeper than a guess
/// without a time limit.
const MOST_GUESS_BOARDS: u64 = 4_000_000;
/// The minimum number of boards to evaluate for a guess if there is a time limit.
pub(super) const LEAST_GUESS_BOARDS: u64 = MOST_GUESS_BOARDS / 100;

/// The extent to which rules and tables determine the values of a position and of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "tables"), expect(dead_code, reason = "nothing is known without tables"))]
pub(super) enum Coverage {
    /// Neither the value nor a winning move is known.
    Undecided,
    /// The value and a move that keeps the value are known, but not the values of all moves.
    Decided,
    /// The values of all moves are known.
    Complete,
}

/// A way to compute an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// Computes nothing: only rules and tables are used. `Unsolved` is the reason why other values
    /// stay unknown.
    Stored(Unsolved),
    /// Computes the full solution, unless proofs of at most `proofs` boards decide every move.
    Full { proofs: u64 },
    /// Computes a solution truncated at this number of plies.
    Truncated(usize),
    /// Searches only for proofs, which compute at most this number of boards.
    Proofs(u64),
    /// Searches for proofs of at most `proofs` boards, then computes solutions truncated at 1, 2,
    /// 3... plies.
    Deepening { proofs: u64 },
}

/// Chooses the engine for a question.
///
/// `full` is the size of the full solution, and `seconds` its expected time. `memory` is the memory
/// limit in bytes. `known` is the coverage of the consulted tables, or `None` if no tables were
/// consulted.
pub(super) fn engine(
    question: &Question,
    (full, seconds): (Estimate, f64),
    memory: u64,
    threads: usize,
    known: Option<Coverage>,
) -> Engine {
    let in_memory = full.bytes <= memory;
    let within = |time: Duration| seconds <= EXPECTED_PART * time.as_secs_f64();
    let fits = in_memory && (question.time.is_none_or(within) || question.finish.is_some_and(within));
    let alone = Engine::Stored(Unsolved::NotAsked);
    let lacks_memory = Engine::Stored(Unsolved::Memory { need: full.bytes, limit: memory });
    match known {
        Some(_) if question.tables_only => return alone,
        Some(Coverage::Complete) if !question.distance => return alone,
        Some(Coverage::Complete) if !in_memory => return lacks_memory,
        Some(Coverage::Complete) if !fits && !question.exact => return Engine::Deepening { proofs: 0 },
        Some(Coverage::Decided) if !in_memory && question.exact => return lacks_memory,
        Some(Coverage::Decided) if !fits && question.depth.is_none() && !question.exact => {
            return Engine::Truncated(REPLIES);
        }
        _ => {}
    }
    match question.depth {
        Some(depth) if !question.exact => return Engine::Truncated(depth as usize),
        _ => {}
    }
    let proofs = proof_boards(question, threads);
    if fits || question.exact {
        let at_once = question.distance || full.boards < SOLVED_AT_ONCE;
        Engine::Full { proofs: if at_once { 0 } else { proofs.min(full.boards / PROOF_SHARE) } }
    } else if question.proofs_only && proofs > 0 {
        Engine::Proofs(proofs)
    } else {
        Engine::Deepening { proofs }
    }
}

/// Returns the maximum number of boards that proofs may compute.
pub(super) fn proof_boards(question: &Question, threads: usize) -> u64 {
    match (question.proof_boards, question.time) {
        _ if question.exact => 0,
        (Some(boards), _) => boards,
        (None, Some(time)) => {
            let seconds = time.as_secs().saturating_mul(threads as u64);
            PROOF_BOARDS.max(PROOF_BOARDS_A_SECOND.saturating_mul(seconds))
        }
        (None, None) => PROOF_BOARDS,
    }
}

/// Returns the number of boards to evaluate for a guess.
pub(super) fn guess_boards(question: &Question, threads: usize) -> u64 {
    match (question.guess_boards, question.time) {
        _ if question.tables_only => 0,
        (Some(boards), _) => boards,
        (None, None) => GUESS_BOARDS,
        (None, Some(time)) => {
            let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            milliseconds
                .saturating_mul(GUESS_BOARDS_A_MILLISECOND * threads as u64)
                .clamp(LEAST_GUESS_BOARDS, MOST_GUESS_BOARDS)
        }
    }
}

/// Returns `true` if the openings may answer a question. If the question sets a depth or requires
/// an exact solution, the solver answers instead.
#[cfg(feature = "tables")]
pub(super) fn openings_answer(rules: &Rules, position: &Position, question: &Question) -> bool {
    let few = position.board().marbles() <= OPENING_MARBLES;
    few && *rules == Rules::default() && question.depth.is_none() && !question.exact
}

/// Returns `true` if the openings contain the parents of a position, whose values bound its value.
#[cfg(feature = "tables")]
pub(super) fn openings_bound(rules: &Rules, position: &Position, question: &Question) -> bool {
    let next = position.board().marbles() == OPENING_MARBLES + 1;
    next && *rules == Rules::default() && question.depth.is_none() && !question.exact
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIGABYTE: u64 = 1_000_000_000;

    /// Checks the whole policy. Each row is a case and the engine that is chosen in this case.
    #[test]
    fn cases_and_their_engines() {
        // The depth in plies, the boards and the bytes of full solutions. The sizes are roughly
        // those of positions with 18, 15, 12 and 0 marbles.
        let late = (18, 150_000_000, GIGABYTE / 3);
        let middle = (21, 4_000_000_000, 7 * GIGABYTE);
        let early = (24, 300_000_000_000, 500 * GIGABYTE);
        let start = (36, u64::MAX, u64::MAX);
        let some = Question::default();
        let distance = Question { distance: true, ..some };
        let exact = Question { exact: true, ..some };
        let short = Question { time: Some(Duration::from_secs(4)), ..some };
        let short_exact = Question { exact: true, ..short };
        let short_distance = Question { distance: true, ..short };
        let finish = Question { finish: Some(Duration::MAX), ..short };
        let finish_soon = Question { finish: Some(Duration::from_secs(5)), ..short };
        let deep = Question { depth: Some(4), ..some };
        let exact_and_deep = Question { exact: true, ..deep };
        let only_tables = Question { tables_only: true, ..some };
        let only_proofs = Question { proofs_only: true, ..some };
        let few_proofs = Question { proof_boards: Some(1000), ..some };
        let no_proofs = Question { proof_boards: Some(0), proofs_only: true, ..some };
        let minute = Question { time: Some(Duration::from_secs(60)), ..some };
        let blink = Question { time: Some(Duration::ZERO), ..some };
        use Coverage::{Complete, Decided, Undecided};
        let lacks = |bytes| Engine::Stored(Unsolved::Memory { need: bytes, limit: 8 * GIGABYTE });
        let stored = Engine::Stored(Unsolved::NotAsked);
        let [full, after_proofs] = [0, 4_000_000_000 / PROOF_SHARE].map(|proofs| Engine::Full { proofs });
        let deepening = |proofs| Engine::Deepening { proofs };
        let rows = [
            // Cases without tables.
            (late, None, some, full),
            (middle, None, some, after_proofs),
            (early, None, some, deepening(PROOF_BOARDS)),
            (start, None, some, deepening(PROOF_BOARDS)),
            // Distances come from the full solution if it fits in memory, and otherwise from
            // truncated solutions.
            (middle, None, distance, full),
            (early, None, distance, deepening(PROOF_BOARDS)),
            (early, None, exact, full),
            (middle, None, exact, full),
            (late, None, deep, Engine::Truncated(4)),
            (early, None, deep, Engine::Truncated(4)),
            (early, None, exact_and_deep, full),
            // A full solution takes 10 ns a board here.
            (late, None, short, full),
            (middle, None, short, deepening(8 * PROOF_BOARDS_A_SECOND)),
            (middle, None, minute, after_proofs),
            (middle, None, finish, after_proofs),
            (middle, None, finish_soon, deepening(8 * PROOF_BOARDS_A_SECOND)),
            (middle, None, short_exact, full),
            (middle, Some(Complete), short_distance, deepening(0)),
            (middle, Some(Decided), short, Engine::Truncated(REPLIES)),
            (middle, Some(Decided), short_exact, full),
            // Cases with different limits on proofs.
            (early, None, only_proofs, Engine::Proofs(PROOF_BOARDS)),
            (middle, None, only_proofs, after_proofs),
            (early, None, few_proofs, deepening(1000)),
            (middle, None, few_proofs, Engine::Full { proofs: 1000 }),
            (early, None, no_proofs, deepening(0)),
            (early, None, minute, deepening(2 * 60 * PROOF_BOARDS_A_SECOND)),
            (early, None, blink, deepening(PROOF_BOARDS)),
            // Cases with tables that contain all, some or none of the values.
            (late, Some(Complete), some, stored),
            (late, Some(Complete), distance, full),
            (late, Some(Decided), some, full),
            (late, Some(Undecided), only_tables, stored),
            (early, Some(Complete), some, stored),
            (early, Some(Complete), distance, lacks(early.2)),
            (early, Some(Complete), only_tables, stored),
            (early, Some(Decided), some, Engine::Truncated(REPLIES)),
            (early, Some(Decided), deep, Engine::Truncated(4)),
            (early, Some(Decided), exact, lacks(early.2)),
            (early, Some(Undecided), some, deepening(PROOF_BOARDS)),
            (start, Some(Undecided), exact, full),
            (start, Some(Undecided), only_tables, stored),
        ];
        for (number, ((plies, boards, bytes), known, question, expected)) in rows.into_iter().enumerate() {
            let full = Estimate { plies, boards, bytes };
            let chosen = engine(&question, (full, boards as f64 * 1e-8), 8 * GIGABYTE, 2, known);
            assert_eq!(chosen, expected, "row {number}: {question:?}, {full:?}, {known:?}");
        }
    }

    #[cfg(feature = "tables")]
    #[test]
    fn openings_answer_for_the_first_plies_under_the_usual_rules() {
        let rules = Rules::default();
        let six: Position = "XOXOXO/6/6/6/6/6 x".parse().unwrap();
        let seven: Position = "XOXOXO/X5/6/6/6/6 o".parse().unwrap();
        let some = Question::default();
        assert!(openings_answer(&rules, &six, &some));
        assert!(!openings_answer(&rules, &seven, &some));
        assert!(!openings_answer(&rules, &six, &Question { depth: Some(9), ..some }));
        assert!(!openings_answer(&rules, &six, &Question { exact: true, ..some }));
        assert!(openings_answer(&rules, &six, &Question { distance: true, ..some }));
        let other = "pentago:last=stop".parse().unwrap();
        assert_ne!(rules, other);
        assert!(!openings_answer(&other, &six, &some));
    }
}
