//! The choice of the engine that answers for a position.
//!
//! Positions whose game is over are left to the rules. The openings and the tables come first, if
//! there are any: looking up takes microseconds. What they leave open is computed:
//!
//! | situation | engine |
//! |---|---|
//! | a depth is asked for | a solution truncated at this depth |
//! | the full solution fits in memory, or the exact value is asked for | the full solution, after short proofs |
//! | it doesn't, but the value is known | a solution truncated at two plies: which moves lose at once |
//! | it doesn't, and the value isn't known | proofs, then solutions truncated at 1, 2, 3... plies |

use pentago_core::answer::{Estimate, Request, Unsolved};
#[cfg(feature = "tables")]
use pentago_core::rules::{Position, Rules};
#[cfg(feature = "tables")]
use pentago_tables::probe::OPENING_MARBLES;

/// To a value that is known, a search adds which moves lose to the next reply, and little else.
const REPLIES: usize = 2;
/// Boards that proofs compute at most, where nothing else limits them: some ten seconds on two
/// cores (`bench/README.md#when-proofs-are-asked`).
const PROOF_BOARDS: u64 = 2_000_000_000;
/// Boards for each second and thread where time limits proofs: more than there is time for.
const PROOF_BOARDS_A_SECOND: u64 = 300_000_000;
/// Positions whose full solution has fewer boards are solved at once: those with 18 or more
/// marbles, which takes half a second (`bench/README.md#when-proofs-are-asked`).
const SOLVED_AT_ONCE: u64 = 200_000_000;
/// Where the full solution fits, proofs may take this part of its boards: if they decide every
/// move, it isn't needed. Where they don't, they cost 2% or so
/// (`bench/README.md#when-proofs-are-asked`).
const PROOF_SHARE: u64 = 64;

/// Boards that are evaluated for a guess, where no time is given: four or five plies in the middle of
/// the game, in a ninth of a second on one core.
const GUESS_BOARDS: u64 = 500_000;
/// The same for each thread and millisecond of the time that is given: a twentieth of it.
const GUESS_BOARDS_A_MILLISECOND: u64 = 200;
/// The most, whatever time is given: a ply more.
const MOST_GUESS_BOARDS: u64 = 4_000_000;

/// Everything that the choice depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    /// What the full solution takes.
    pub full: Estimate,
    /// Bytes that a solution may take.
    pub memory: u64,
    /// Threads of the solver.
    pub threads: usize,
    /// What is asked.
    pub request: Request,
    /// What rules and tables know; none if no tables were asked.
    pub known: Option<Summary>,
}

/// How much rules and tables know of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "tables"), expect(dead_code, reason = "nothing is known without tables"))]
pub(super) enum Summary {
    /// Neither its value nor a winning move.
    Undecided,
    /// The value and a move that keeps it, but not every move.
    Decided,
    /// Every move.
    Complete,
}

/// What answers for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// Rules and tables alone. Values that they lack stay unknown, for this reason.
    Stored(Unsolved),
    /// The full solution, unless proofs of at most this number of boards decide every move.
    Full { proofs: u64 },
    /// A solution truncated at this number of plies.
    Truncated(usize),
    /// Proofs of at most this number of boards, and nothing else.
    Proofs(u64),
    /// Proofs of at most this number of boards, then solutions truncated at 1, 2, 3... plies.
    Deepening { proofs: u64 },
}

impl Situation {
    /// The engine that answers.
    pub fn engine(&self) -> Engine {
        let Situation { full, memory, request, .. } = *self;
        let fits = full.bytes <= memory;
        let alone = Engine::Stored(Unsolved::NotAsked);
        let lacks_memory = Engine::Stored(Unsolved::Memory { need: full.bytes, limit: memory });
        match self.known {
            Some(_) if request.tables_only => return alone,
            Some(Summary::Complete) if !request.distance => return alone,
            Some(Summary::Complete) if !fits => return lacks_memory,
            Some(Summary::Decided) if !fits && request.exact => return lacks_memory,
            Some(Summary::Decided) if !fits && request.depth.is_none() => return Engine::Truncated(REPLIES),
            _ => {}
        }
        match request.depth {
            Some(depth) if !request.exact => return Engine::Truncated(depth),
            _ => {}
        }
        let proofs = proof_boards(&request, self.threads);
        if fits || request.exact {
            let at_once = request.distance || full.boards < SOLVED_AT_ONCE;
            Engine::Full { proofs: if at_once { 0 } else { proofs.min(full.boards / PROOF_SHARE) } }
        } else if request.proofs_only && proofs > 0 {
            Engine::Proofs(proofs)
        } else {
            Engine::Deepening { proofs }
        }
    }
}

/// Boards that proofs may compute, as far as the request says.
pub(super) fn proof_boards(request: &Request, threads: usize) -> u64 {
    match (request.proof_boards, request.time) {
        _ if request.exact => 0,
        (Some(boards), _) => boards,
        (None, Some(time)) => {
            let seconds = time.as_secs().saturating_mul(threads as u64);
            PROOF_BOARDS.max(PROOF_BOARDS_A_SECOND.saturating_mul(seconds))
        }
        (None, None) => PROOF_BOARDS,
    }
}

/// Boards that are evaluated for a guess.
pub(super) fn guess_boards(request: &Request, threads: usize) -> u64 {
    match (request.guess_boards, request.time) {
        (Some(boards), _) => boards,
        (None, None) => GUESS_BOARDS,
        (None, Some(time)) => {
            let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            milliseconds
                .saturating_mul(GUESS_BOARDS_A_MILLISECOND * threads as u64)
                .clamp(MOST_GUESS_BOARDS / 100, MOST_GUESS_BOARDS)
        }
    }
}

/// Whether the openings may answer a question: a depth and an exact solution are asked of the
/// solver.
#[cfg(feature = "tables")]
pub(super) fn openings_answer(rules: &Rules, position: &Position, request: &Request) -> bool {
    let few = position.board().marbles() <= OPENING_MARBLES;
    few && *rules == Rules::default() && request.depth.is_none() && !request.exact
}

/// Whether they may bound a position: those before it are in them.
#[cfg(feature = "tables")]
pub(super) fn openings_bound(rules: &Rules, position: &Position, request: &Request) -> bool {
    let next = position.board().marbles() == OPENING_MARBLES + 1;
    next && *rules == Rules::default() && request.depth.is_none() && !request.exact
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const GIGABYTE: u64 = 1_000_000_000;

    /// The whole policy: each row is a situation and the engine that answers in it.
    #[test]
    fn situations_and_their_engines() {
        // Plies with boards and bytes of the full solution, about those of Pentago with 18, 15, 12 marbles.
        let late = (18, 150_000_000, GIGABYTE / 3);
        let middle = (21, 4_000_000_000, 7 * GIGABYTE);
        let early = (24, 300_000_000_000, 500 * GIGABYTE);
        let start = (36, u64::MAX, u64::MAX);
        let some = Request::default();
        let distance = Request { distance: true, ..some };
        let exact = Request { exact: true, ..some };
        let deep = Request { depth: Some(4), ..some };
        let exact_and_deep = Request { exact: true, ..deep };
        let only_tables = Request { tables_only: true, ..some };
        let only_proofs = Request { proofs_only: true, ..some };
        let few_proofs = Request { proof_boards: Some(1000), ..some };
        let no_proofs = Request { proof_boards: Some(0), proofs_only: true, ..some };
        let minute = Request { time: Some(Duration::from_secs(60)), ..some };
        let blink = Request { time: Some(Duration::ZERO), ..some };
        use Summary::{Complete, Decided, Undecided};
        let lacks = |bytes| Engine::Stored(Unsolved::Memory { need: bytes, limit: 8 * GIGABYTE });
        let stored = Engine::Stored(Unsolved::NotAsked);
        let [full, after_proofs] = [0, 4_000_000_000 / PROOF_SHARE].map(|proofs| Engine::Full { proofs });
        let deepening = |proofs| Engine::Deepening { proofs };
        let rows = [
            // Without tables.
            (late, None, some, full),
            (middle, None, some, after_proofs),
            (early, None, some, deepening(PROOF_BOARDS)),
            (start, None, some, deepening(PROOF_BOARDS)),
            // Distances are those of the full solution, or of truncated ones.
            (middle, None, distance, full),
            (early, None, distance, deepening(PROOF_BOARDS)),
            (early, None, exact, full),
            (middle, None, exact, full),
            (late, None, deep, Engine::Truncated(4)),
            (early, None, deep, Engine::Truncated(4)),
            (early, None, exact_and_deep, full),
            // Proofs.
            (early, None, only_proofs, Engine::Proofs(PROOF_BOARDS)),
            (middle, None, only_proofs, after_proofs),
            (early, None, few_proofs, deepening(1000)),
            (middle, None, few_proofs, Engine::Full { proofs: 1000 }),
            (early, None, no_proofs, deepening(0)),
            (early, None, minute, deepening(2 * 60 * PROOF_BOARDS_A_SECOND)),
            (early, None, blink, deepening(PROOF_BOARDS)),
            // Tables that hold everything, something, nothing.
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
        for (number, ((plies, boards, bytes), known, request, engine)) in rows.into_iter().enumerate() {
            let full = Estimate { plies, boards, bytes };
            let situation = Situation { full, memory: 8 * GIGABYTE, threads: 2, request, known };
            assert_eq!(situation.engine(), engine, "row {number}: {situation:?}");
        }
    }

    #[cfg(feature = "tables")]
    #[test]
    fn openings_answer_for_the_first_plies_under_the_usual_rules() {
        let rules = Rules::default();
        let six: Position = "XOXOXO/6/6/6/6/6 x".parse().unwrap();
        let seven: Position = "XOXOXO/X5/6/6/6/6 o".parse().unwrap();
        let some = Request::default();
        assert!(openings_answer(&rules, &six, &some));
        assert!(!openings_answer(&rules, &seven, &some));
        assert!(!openings_answer(&rules, &six, &Request { depth: Some(9), ..some }));
        assert!(!openings_answer(&rules, &six, &Request { exact: true, ..some }));
        assert!(openings_answer(&rules, &six, &Request { distance: true, ..some }));
        let other = "pentago:last=stop".parse().unwrap();
        assert_ne!(rules, other);
        assert!(!openings_answer(&other, &six, &some));
    }
}
