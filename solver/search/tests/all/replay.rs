//! Replays a certificate by means of the trait `Notation`. The algorithm is that of the format's
//! document, implemented independently of the writer.

use std::collections::HashMap;

use pentago_search::{Goal, Notation};

/// Replays the moves of a certificate. Returns the number of plies within which the moves reach the
/// goal, and the number of moves.
pub fn replay<G: Notation>(game: &mut G, goal: Goal, text: &str) -> Result<(u32, usize), String> {
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "pentago certificate 1");
    assert_eq!(lines[1].strip_prefix("game "), Some(game.game_text().as_str()));
    assert_eq!(lines[2].strip_prefix("position "), Some(game.position_text().as_str()));
    let claim = if goal.draw_is_enough { "does not lose" } else { "wins" };
    let claim = lines[3].strip_prefix(&format!("claim {} {claim} within ", game.side_text(goal.side)));
    let claimed: u32 = claim.expect("the claim").parse().expect("a number of plies");
    let count: usize = lines[4].strip_prefix("moves ").unwrap().parse().unwrap();
    let body = &lines[5..lines.len() - 1];
    assert!(body.iter().all(|line| line.len() <= 100));
    let moves: Vec<&str> = body.iter().flat_map(|line| line.split_ascii_whitespace()).collect();
    assert_eq!(moves.len(), count);
    let mut next = moves.into_iter();
    let plies = walk(game, goal, &mut next, &mut HashMap::new())?;
    if next.next().is_some() {
        return Err("moves are left over".into());
    }
    assert_eq!(plies, claimed);
    Ok((plies, count))
}

fn walk<'a, G: Notation>(
    game: &mut G,
    goal: Goal,
    next: &mut impl Iterator<Item = &'a str>,
    known: &mut HashMap<String, u32>,
) -> Result<u32, String> {
    if let Some(outcome) = game.outcome() {
        return if goal.reached(outcome) { Ok(0) } else { Err("the goal is missed".into()) };
    }
    let mut moves = Vec::new();
    game.all_moves(&mut moves);
    let attacker = game.side() == goal.side;
    if attacker {
        let wins = moves.iter().any(|&mv| {
            let undo = game.make(mv);
            let wins = game.outcome().is_some_and(|outcome| Goal::win(goal.side).reached(outcome));
            game.unmake(mv, undo);
            wins
        });
        if wins {
            return Ok(1);
        }
    }
    let key = game.position_text();
    if let Some(&plies) = known.get(&key) {
        return Ok(plies);
    }
    if attacker {
        let text = next.next().ok_or("the moves have run out")?;
        moves.retain(|&mv| game.move_text(mv) == text);
        if moves.len() != 1 {
            return Err(format!("{text}: not a legal move"));
        }
    }
    let mut most = 0;
    for mv in moves {
        let undo = game.make(mv);
        let below = walk(game, goal, next, known);
        game.unmake(mv, undo);
        most = most.max(below?);
    }
    known.insert(key, most + 1);
    Ok(most + 1)
}
