//! Compares the rules with the slow reference in complete random games on many boards.

use pentago_reference::pente as slow;

use crate::rules::{Color, Outcome, Rules};

#[test]
fn random_games_with_the_reference() {
    let mut positions = 0;
    let mut captured = 0;
    for board in ["n=4", "n=5", "w=7,h=3", "w=3,h=8", "w=9,h=1", "n=7"] {
        for rest in ["cap=2", "cap=2+3", "cap=0"] {
            for more in ["k=3,over=no,win=6", "k=4,win=4", "win=15,over=no", "k=4"] {
                let mut text = format!("pente:{board},{rest},{more}");
                // Use the free opening if the board doesn't allow the pro opening, and in some of
                // the other games.
                if text.parse::<Rules>().is_err() || positions % 2 == 0 {
                    text.push_str(",opening=free");
                }
                let rules: Rules = text.parse().unwrap();
                let reference = slow::Rules::parse(&text).unwrap();
                for seed in 0..3 {
                    let mut random: u64 = seed + 1;
                    let (mut p, mut state) = (rules.start(), reference.start());
                    loop {
                        let line = rules.format_position(&p);
                        assert_eq!(reference.write(&state), line, "{text}");
                        assert_eq!(rules.parse_position(&line), Ok(p), "{text} {line}");
                        let over = rules.outcome(&p).map(|outcome| match outcome {
                            Outcome::Win(color) => color.index() as u8 + 1,
                            Outcome::Draw => 0,
                        });
                        assert_eq!(over, reference.over(&state), "{text} {line}");
                        let mut moves = reference.moves(&state);
                        let mut names: Vec<String> =
                            rules.moves(&p).into_iter().map(|m| rules.format_move(m)).collect();
                        names.sort();
                        moves.sort_by(|(a, _), (b, _)| a.cmp(b));
                        assert!(moves.iter().map(|(name, _)| name).eq(&names), "{text} {line}");
                        positions += 1;
                        if moves.is_empty() {
                            break;
                        }
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        // Prefer captures, which are rare in uniform random games.
                        let takes =
                            moves.iter().position(|(_, after)| after.state.captured != state.captured);
                        let any = (random >> 33) as usize % moves.len();
                        let at = takes.filter(|_| !(random >> 20).is_multiple_of(4)).unwrap_or(any);
                        let (name, after) = moves.swap_remove(at);
                        let played = rules.play(&p, rules.parse_move(&name).unwrap()).unwrap();
                        captured += played.taken.len();
                        p = played.position;
                        state = after.state;
                        let by = [p.captured(Color::X), p.captured(Color::O)].map(i32::from);
                        assert_eq!(by, state.captured, "{text} {line} {name}");
                    }
                }
            }
        }
    }
    assert!(positions > 3000 && captured > 300, "{positions} positions, {captured} captured");
}
