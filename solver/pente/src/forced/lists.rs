//! The moves that a search for forced wins tries, and their order.

use crate::board::SearchBoard;
use crate::rules::{Color, Point};

/// The index that stands for a missing point.
pub(super) const NO_POINT: u16 = u16::MAX;

/// Appends all moves that can be threats. If `hint` is one of the moves, the function puts `hint`
/// first.
pub(super) fn list_threats(board: &SearchBoard, hint: u16, moves: &mut Vec<u16>) {
    let attacker = board.to_move();
    let first = moves.len();
    let options = board.rules().options();
    if options.k < 3 {
        moves.extend((0..board.points() as u16).filter(|&p| board.is_empty(p)));
    } else {
        moves.extend(board.threes(attacker));
    }
    moves.extend(board.captures(attacker));
    // A stone at one end of an open row threatens to capture the row from the other end. That
    // capture wins if it takes at least `need` stones. The capture can also take other rows that
    // can already be captured from the same point.
    let row = options.capture.longest_row();
    let need = options.win.saturating_sub(board.captured(attacker));
    if need <= row {
        moves.extend(board.open(attacker).flatten());
    } else {
        for p in board.captures(attacker).filter(|&p| board.gain(p, attacker) + row >= need) {
            for [a, b] in board.open(attacker) {
                if a == p {
                    moves.push(b);
                } else if b == p {
                    moves.push(a);
                }
            }
        }
    }
    moves[first..].sort_unstable();
    // If the defender threatens to win, keep only the moves that can parry the win.
    let threatened = board.has_win(attacker.other());
    let mut kept = first;
    for i in first..moves.len() {
        let p = moves[i];
        let repeated = kept > first && moves[kept - 1] == p;
        if !repeated && board.legal(p) && (!threatened || board.parries(p)) {
            moves[kept] = p;
            kept += 1;
        }
    }
    moves.truncate(kept);
    if let Some(at) = moves[first..].iter().position(|&p| p == hint) {
        moves[first..=first + at].rotate_right(1);
    }
}

/// Appends the quiet moves that can prepare threats, the most promising first. A quiet move is
/// listed if a window through its point contains enough attacking stones, or if its point is at the
/// end of a row that can be captured.
pub(super) fn list_preparing(board: &SearchBoard, order: &mut Vec<(u32, u16)>, moves: &mut Vec<u16>) {
    let attacker = board.to_move();
    let least = board.rules().k().saturating_sub(3).max(1);
    list_by_promise(board, order, moves, |p| {
        board.best_window(p, attacker) >= least
            || board.open(attacker).flatten().any(|q| q == p)
            || board.captures(attacker).any(|q| q == p)
    });
}

/// Appends the legal moves that `keep` accepts, the most promising first.
pub(super) fn list_by_promise(
    board: &SearchBoard,
    order: &mut Vec<(u32, u16)>,
    moves: &mut Vec<u16>,
    keep: impl Fn(u16) -> bool,
) {
    order.clear();
    for p in 0..board.points() as u16 {
        if board.is_empty(p) && board.legal(p) && keep(p) {
            order.push((board.promise(p), p));
        }
    }
    order.sort_unstable_by_key(|&(promise, p)| (std::cmp::Reverse(promise), p));
    moves.extend(order.iter().map(|&(_, p)| p));
}

/// Returns `true` if the defender has a neutral reply to every quiet move of the attacker: a reply
/// that gives the attacker no immediate win. `false` means that the function found no proof.
///
/// An empty point is a neutral reply if no capture line contains both the point and an attacking
/// stone. If two such points are far apart, the attacker's next move can spoil only one of the two,
/// so two points prove the claim. `neutral` caches the two points.
pub(super) fn has_neutral_replies(board: &SearchBoard, defender: Color, neutral: &mut [u16; 2]) -> bool {
    let attacker = defender.other();
    let good = |p: u16| p != NO_POINT && board.is_empty(p) && !board.touches(p, attacker);
    if neutral.iter().all(|&p| good(p)) {
        return true;
    }
    // A stone spoils a point only if one capture line contains both. The stone and the point are
    // then at most `reach` apart.
    let reach = usize::from(board.rules().options().capture.longest_row()) + 1;
    let points = board.points() as u16;
    for p in (0..points).filter(|&p| good(p)) {
        let far = |q: u16| board.rules().distance(Point(p), Point(q)) > 2 * reach;
        if let Some(q) = (p + 1..points).find(|&q| far(q) && good(q)) {
            *neutral = [p, q];
            return true;
        }
    }
    false
}
