//! The program as a computer player of Pentago XL.
//!
//! The player makes a winning move if there is one. Otherwise the player searches for a forced win:
//! by lemmas if few marbles are on the board, and by a search of all moves within a few plies. If
//! few sockets are free, the player then searches for the exact value. If these searches fail, the
//! player chooses the move with the best open lines, among the moves after which no other side has
//! a short forced win.

use std::time::Duration;

use ::pentago::Question;
use pentago_base::counted_plies;
use pentago_search::Distance;
use pentago_xl::geometry::FIVES;
use pentago_xl::{
    Budget, Control, Kernel, Limits, Move, Position, Request, Rules, Seats, Solver, Value, WinSearch,
    win_by_lemmas,
};

use crate::context::{SearchContext, time};
use crate::error::{Result, bad_input, out_of_memory};

/// The number of nodes that forward searches visit per second of the time limit.
pub const NODES_PER_SECOND: f64 = 500_000.0;
/// The maximum number of free sockets for which the player searches for the exact value.
const LATE: usize = 44;
/// The memory limit of searches and of dense solutions in bytes.
const MOST_MEMORY: u64 = 1 << 30;
/// The opponent first searches for lemmas in positions with at most this number of marbles.
pub const LEMMA_MARBLES: usize = 12;
/// The maximum length, in plies, of a forced win that the player searches for.
const WIN_PLIES: u32 = 5;
/// The maximum length, in plies, of a forced win of another side that the player searches for.
const LOSS_PLIES: u32 = 3;
/// The minimum number of nodes that a search may visit, regardless of the time limit.
const LEAST_NODES: u64 = 20_000;

/// Returns the exact value for the side to move, and a move that keeps the value. Returns `None` if
/// the value is unknown or a loss.
fn exact(
    rules: Rules,
    context: &SearchContext,
    p: &Position,
    time: Duration,
) -> Result<Option<(Value, Move)>> {
    if p.empty() > LATE && !rules.continues() {
        return Ok(None);
    }
    let memory = context.memory.min(MOST_MEMORY);
    let table_bytes = usize::try_from(memory / 8).unwrap_or(1 << 24).max(1 << 12);
    let nodes = ((time.as_secs_f64() * NODES_PER_SECOND) as u64).max(LEAST_NODES);
    let limits = Limits { nodes, table_bytes, memory, ..Limits::default() };
    let mut solver = Solver::new(rules, limits, Kernel::best()).map_err(out_of_memory)?;
    let request = Request { moves: rules.continues(), ..Request::default() };
    let answer = solver.solve(p, &request, &context.within(time));
    let answer = answer.map_err(|error| bad_input(error.to_string()))?;
    context.control.add(answer.nodes);
    context.not_cancelled()?;
    let value = answer.of(p.to_move).value().filter(|&value| value > Value::Loss);
    let best = answer.best.or_else(|| answer.best_moves().first().copied());
    Ok(value.zip(best))
}

/// Chooses a move in a position whose game is not over. Also describes the position in a few
/// words.
///
/// # Errors
/// If the work was cancelled, or the memory doesn't suffice.
pub fn think(
    rules: Rules,
    question: &Question,
    context: &SearchContext,
    p: &Position,
) -> Result<(Move, String)> {
    let time = time(question);
    if let Some(m) = rules.winning_move(p, Kernel::best()) {
        let says = match p.placed().len() {
            0 => "this wins".to_owned(),
            taken => format!("this takes place {}", taken + 1),
        };
        return Ok((m, says));
    }
    let began = context.clock.now();
    let left = || time.saturating_sub(context.clock.since(began));
    let mut seen = 1;
    if p.count() <= LEMMA_MARBLES {
        let mut budget = budget(context, time);
        let win = win_by_lemmas(&rules, p, u32::MAX, &mut budget);
        context.control.add(budget.spent());
        context.not_cancelled()?;
        if let Ok(Some((plies, m))) = win {
            return Ok((m, format!("this wins within {}", counted_plies(plies as usize))));
        }
    }
    if !rules.continues() {
        // First, search for the shortest forced win in a third of the time.
        match forced_win(rules, context, p, time)? {
            (Distance::Exactly(plies), Some(m)) => {
                return Ok((m, format!("this wins within {}", counted_plies(plies as usize))));
            }
            (Distance::Exactly(_), None) => {}
            (Distance::MoreThan(plies), _) => seen = plies,
            (Distance::Never, _) => seen = WIN_PLIES,
        }
    }
    if let Some((value, m)) = exact(rules, context, p, left() / 2)? {
        let says = match (value, rules.sides().len()) {
            (Value::Win, _) => "this wins",
            (_, 2) => "a draw",
            _ => "half of the points are sure",
        };
        return Ok((m, says.to_owned()));
    }
    let best = safest(rules, context, p, &context.within(left()))?;
    let best = best.ok_or_else(|| bad_input("the game is over"))?;
    let says = match seen {
        1 => "not decided: no win at once".to_owned(),
        plies => format!("not decided: no forced win within {}", counted_plies(plies as usize)),
    };
    Ok((best, says))
}

/// Returns the budget of a search for a forced win: a third of `time`.
fn budget(context: &SearchContext, time: Duration) -> Budget {
    let limit = if time.is_zero() { LEAST_NODES } else { u64::MAX };
    Budget::watched(limit, &context.within(time / 3))
}

/// Searches for the shortest forced win in a third of the time. Returns the distance of the win and
/// its first move. The move is `None` if no win is found.
fn forced_win(
    rules: Rules,
    context: &SearchContext,
    p: &Position,
    time: Duration,
) -> Result<(Distance, Option<Move>)> {
    let side = rules.side_of(p.to_move);
    let budget = budget(context, time);
    let mut search = WinSearch::new(rules, side, Kernel::best(), budget).map_err(out_of_memory)?;
    let found = search.shortest(p, WIN_PLIES);
    let winner = match found {
        Distance::Exactly(plies) => search.winner(p, plies),
        _ => None,
    };
    context.control.add(search.nodes());
    context.not_cancelled()?;
    Ok((found, winner))
}

/// Returns the first candidate after which the search finds no forced win of another side. If there
/// is none, returns the first candidate with the longest resistance.
fn safest(rules: Rules, context: &SearchContext, p: &Position, control: &Control) -> Result<Option<Move>> {
    let all = candidates(&rules, p);
    if rules.continues() {
        return Ok(all.first().map(|&(m, _)| m));
    }
    let own = rules.side_of(p.to_move);
    let others = rules.sides().into_iter().filter(|&side| side != own);
    let budget = || Budget::watched(u64::MAX, control);
    let mut searches: Vec<WinSearch> = others
        .map(|side| WinSearch::new(rules, side, Kernel::best(), budget()))
        .collect::<std::result::Result<_, _>>()
        .map_err(out_of_memory)?;
    let mut longest: Option<(u32, Move)> = None;
    for (m, next) in all {
        let lost_in = match rules.outcome(&next) {
            Some(outcome) => (outcome.value(&rules, p.to_move) == Value::Loss).then_some(0),
            None => searches
                .iter_mut()
                .filter_map(|search| match search.shortest(&next, LOSS_PLIES) {
                    Distance::Exactly(plies) => Some(plies),
                    _ => None,
                })
                .min(),
        };
        context.not_cancelled()?;
        let plies = lost_in.unwrap_or(u32::MAX);
        if longest.is_none_or(|(most, _)| plies > most) {
            longest = Some((plies, m));
        }
        if lost_in.is_none() {
            break;
        }
    }
    context.control.add(searches.iter().map(WinSearch::nodes).sum());
    Ok(longest.map(|(_, m)| m))
}

/// Returns the worth of the lines that hold marbles of only one seat. Lines of the seats `own`
/// count positively, lines of other seats negatively. Each marble multiplies the worth of a line by
/// four.
fn prospects(rules: &Rules, p: &Position, own: Seats) -> i64 {
    let worth = |line: &u128| {
        let mut worth = 0;
        for seat in rules.everyone().iter() {
            let marbles = (p.of(seat) & line).count_ones();
            let others = p.taken() & !p.of(seat) & line;
            if marbles > 0 && others == 0 {
                worth += if own.has(seat) { 1 << (2 * marbles) } else { -(1 << (2 * marbles)) };
            }
        }
        worth
    };
    FIVES.iter().map(worth).sum()
}

/// The difference in worth that multiplies the odds of a win by e. Fitted to games of the program
/// against itself.
const UNIT: f64 = 300.0;

/// Guesses the expected score of the side `own` from the open lines, from 0 to 1. A move of this
/// side led to `next`. The score is 0 if another side can win with its next move. Without marbles,
/// all sides have the same score. The place of a seat (`continue=yes`) determines its score.
pub fn expected(rules: &Rules, own: Seats, next: &Position) -> f64 {
    if let Some(seat) = own.iter().find(|seat| next.places[seat.index()] > 0) {
        let half_points = rules.places_so_far(next).half_points(seat);
        return f64::from(half_points) / f64::from(rules.best_half_points());
    }
    if !own.has(next.to_move) && rules.can_win_at_once(next, Kernel::best()) {
        return 0.0;
    }
    let others = (rules.everyone().len() / own.len() - 1) as f64;
    1.0 / (1.0 + others * (-(prospects(rules, next, own) as f64) / UNIT).exp())
}

/// Returns all moves and the positions after them, sorted by prospects, best first. Moves after
/// which another side can win at once come last.
fn candidates(rules: &Rules, p: &Position) -> Vec<(Move, Position)> {
    let own = rules.side_of(p.to_move);
    let kernel = Kernel::best();
    let mut moves: Vec<(i64, Move, Position)> = Vec::new();
    for m in rules.moves(p) {
        let Ok(played) = rules.play(p, m) else { continue };
        let next = played.position;
        let lost = match played.outcome {
            Some(outcome) => outcome.value(rules, p.to_move) == Value::Loss,
            None => !own.has(next.to_move) && rules.can_win_at_once(&next, kernel),
        };
        let worth = match next.places[p.to_move.index()] {
            0 if lost => prospects(rules, &next, own) - i64::from(u32::MAX),
            0 => prospects(rules, &next, own),
            // The seat has left the game with this place.
            place => i64::from(u32::MAX) - i64::from(place),
        };
        moves.push((worth, m, next));
    }
    // The sort is stable, so equal moves keep the order in which the rules list them.
    moves.sort_by_key(|&(worth, ..)| std::cmp::Reverse(worth));
    moves.into_iter().map(|(_, m, next)| (m, next)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sides_of_an_empty_board_have_the_same_score() {
        for (text, share) in [("xl", 0.5), ("xl:seats=4", 0.25), ("xl:seats=4,mode=2v2", 0.5)] {
            let rules: Rules = text.parse().unwrap();
            let start = Position::EMPTY;
            assert_eq!(expected(&rules, rules.side_of(start.to_move), &start), share, "{text}");
        }
    }

    #[test]
    fn a_place_is_better_than_hopes() {
        for (text, board) in [
            ("xl:seats=3,continue=yes", "AAAA5/9/BBBB5/9/CCCC5/9/9/9/9 a"),
            ("xl:seats=4,continue=yes", "AAAA5/9/BBBB5/9/CCCC5/9/DDDD5/9/9 a"),
        ] {
            let rules: Rules = text.parse().unwrap();
            let p = rules.parse_position(board).unwrap();
            let (best, next) = candidates(&rules, &p)[0];
            assert_eq!(rules.format_move(best), "e9");
            assert_eq!(expected(&rules, rules.side_of(p.to_move), &next), 1.0);
        }
    }

    #[test]
    fn candidates_are_all_moves_and_those_that_lose_at_once_come_last() {
        for text in ["xl", "xl:seats=3", "xl:seats=4,mode=2v2", "xl:seats=4,continue=yes"] {
            let rules: Rules = text.parse().unwrap();
            let mut divided = 0;
            for p in rules.random_positions(40, 3, 3, true).unwrap() {
                let all = candidates(&rules, &p);
                assert_eq!(all.len(), rules.moves(&p).len());
                let loses = |next: &Position| {
                    !rules.side_of(p.to_move).has(next.to_move)
                        && rules.winning_move(next, Kernel::best()).is_some()
                };
                let first = all.iter().position(|(_, next)| loses(next)).unwrap_or(all.len());
                let over = |next: &Position| rules.outcome(next).is_some();
                assert!(all[first..].iter().all(|(_, next)| loses(next) || over(next)), "{text}");
                divided += usize::from((1..all.len()).contains(&first));
            }
            assert!(divided > 0, "no position of {text} has moves of both kinds");
        }
    }
}
