//! Tests of proofs by lemmas. The independent checker must accept the proofs and refuse changes.

use pentago_check::{Failure, check};
use pentago_search::{Budget, Certificate, Distance, sealed};
use pentago_xl::{Kernel, Outcome, Rules, Seat, Value, WinSearch, prove_by_lemmas, win_by_lemmas};

use crate::mutate::Numbers;

fn proved(position: &str, most: u32) -> Option<Certificate> {
    let rules = Rules::default();
    let position = rules.parse_position(position).unwrap();
    prove_by_lemmas(&rules, &position, most, &mut Budget::nodes(1_000_000)).unwrap()
}

/// Positions with few marbles, the maximum number of plies, and the number of plies of the proof.
/// In the fourth position, `b` attacks. The fifth has no win within five plies.
const BOARDS: [(&str, u32, Option<u32>); 5] = [
    ("9/9/9/5A3/4A4/4B4/9/9/B8 a", 5, Some(5)),
    ("9/1B2B4/9/5A3/4A4/9/9/9/2B2A3 a", 7, Some(5)),
    ("9/1B7/9/9/4A4/9/9/9/9 a", 9, Some(9)),
    ("9/9/9/5B3/4B4/4A4/A8/9/A8 b", 5, Some(5)),
    ("9/9/9/5A3/4A4/3BB4/9/9/9 a", 5, None),
];

#[test]
fn the_checker_accepts_proofs_by_lemmas() {
    for (position, most, plies) in BOARDS {
        let found = proved(position, most);
        assert_eq!(found.as_ref().map(|found| found.plies), plies, "{position}");
        let Some(found) = found else { continue };
        let checked = check(found.text.as_bytes()).unwrap_or_else(|failure| panic!("{position}: {failure}"));
        assert_eq!((checked.plies, checked.positions, checked.version), (found.plies, found.moves, 2));
    }
}

/// Plays games against random replies. Each move of the attacker wins immediately, or is the first
/// move of a proof.
#[test]
fn every_random_defence_loses() {
    let rules = Rules::default();
    let mut numbers = Numbers(9);
    let start = rules.parse_position(BOARDS[1].0).unwrap();
    for _ in 0..40 {
        let (mut p, mut left) = (start, 5);
        let won = |outcome: Outcome| assert_eq!(outcome.value(&rules, Seat::A), Value::Win);
        loop {
            let best = rules.winning_move(&p, Kernel::best()).map(|m| (1, m));
            let best =
                best.or_else(|| win_by_lemmas(&rules, &p, left, &mut Budget::nodes(1_000_000)).unwrap());
            let (plies, m) = best.unwrap_or_else(|| panic!("{} within {left}", rules.format_position(&p)));
            assert!(plies <= left);
            let played = rules.play(&p, m).unwrap();
            if let Some(outcome) = played.outcome {
                won(outcome);
                break;
            }
            let replies = rules.moves(&played.position);
            let reply = rules.play(&played.position, replies[numbers.below(replies.len())]).unwrap();
            if let Some(outcome) = reply.outcome {
                won(outcome);
                break;
            }
            (p, left) = (reply.position, plies - 2);
        }
    }
}

/// Compares wins within three plies with the exhaustive search.
#[test]
fn wins_within_three_plies_as_by_trying_all_moves() {
    let rules = Rules::default();
    let mut wins = 0;
    for p in rules.random_positions(6, 300, 1, true).unwrap() {
        let side = rules.side_of(p.to_move);
        let mut search = WinSearch::new(rules, side, Kernel::best(), Budget::nodes(u64::MAX)).unwrap();
        let found = prove_by_lemmas(&rules, &p, 3, &mut Budget::nodes(u64::MAX)).unwrap();
        assert_eq!(found.is_some(), search.shortest(&p, 3) == Distance::Exactly(3), "{p:?}");
        wins += u32::from(found.is_some());
    }
    assert!(wins > 1, "{wins}");
}

/// Returns the certificate with one change in the line of a lemma: a socket of the pattern becomes
/// irrelevant, a used lemma is left out, the number of plies or of other marbles changes, or the
/// turn is reversed.
fn changed(text: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.pop();
    let at = 5 + numbers.below(lines.len() - 5);
    let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
    match numbers.below(5) {
        0 => {
            let rows =
                words[2].chars().flat_map(|c| c.to_digit(10).map_or(vec![c], |n| vec!['1'; n as usize]));
            let mut cells: Vec<char> = rows.collect();
            let used: Vec<usize> = (0..cells.len()).filter(|&i| !"1/".contains(cells[i])).collect();
            cells[used[numbers.below(used.len())]] = '1';
            let run = |row: &str| {
                let marks = row
                    .split(|c| c != '1')
                    .map(|run| if run.is_empty() { String::new() } else { run.len().to_string() });
                let between = row.chars().filter(|&c| c != '1').map(String::from).chain([String::new()]);
                marks.zip(between).map(|(run, mark)| run + &mark).collect::<String>()
            };
            words[2] = String::from_iter(cells).split('/').map(run).collect::<Vec<_>>().join("/");
        }
        1 if words.len() > 4 => drop(words.remove(4 + numbers.below(words.len() - 4))),
        1 | 2 => words[0] = (words[0].parse::<u32>().unwrap() - 2).to_string(),
        3 => words[1] = (words[1].parse::<u32>().unwrap() + 1).to_string(),
        _ => {
            words[3] =
                if words[3].ends_with('+') { words[3].replace('+', "-") } else { words[3].replace('-', "+") }
        }
    }
    lines[at] = words.join(" ");
    sealed(lines.join("\n") + "\n")
}

#[test]
fn changed_lemmas_are_refused() {
    let text = proved(BOARDS[0].0, 5).unwrap().text;
    let mut numbers = Numbers(5);
    let mut accepted = 0;
    for _ in 0..500 {
        let changed = changed(&text, &mut numbers);
        match check(changed.as_bytes()) {
            Ok(proved) => {
                // A pattern may have a socket that its proof doesn't need. A change there may be
                // accepted.
                assert_eq!((proved.side.as_str(), proved.plies), ("a", 5));
                accepted += 1;
            }
            Err(Failure::Refuted(_) | Failure::Malformed(_)) => {}
        }
    }
    assert!(accepted < 100, "{accepted}");
    let header = |from: &str, to: &str| sealed(text[..text.rfind("checksum").unwrap()].replace(from, to));
    for (from, to) in [("within 5", "within 3"), ("game xl", "game xl:supply=30"), ("claim a", "claim b")] {
        assert!(check(header(from, to).as_bytes()).is_err(), "{to}");
    }
}
