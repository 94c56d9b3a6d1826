//! Compares three implementations of the rules of all games: the solver's games, the slow
//! reference, and the checker of certificates. The comparison uses perft and, if the file is
//! present, the cases of the rule sheets.

use crate::common::shared;
use pentago_check::blocks::Blocks;
use pentago_check::pente::Pente;
use pentago_check::rules::{MoveResult as Next, Places, Rules};
use pentago_games::read_rules;
use pentago_reference::{After, Options, XlAfter, XlOptions, pente};

/// The names of the cases whose positions no game can reach, because of their numbers of marbles or
/// stones.
const STUDIES: [&str; 9] = ["XL19", "Q09", "Q10", "Q12", "Q13", "Q14", "Q15", "Q16", "Q33"];

/// A case of the rule sheets: a position, and moves to be played.
struct Case<'a> {
    name: &'a str,
    rules: String,
    position: String,
    moves: &'a str,
}

/// The result of a move.
struct Step<S> {
    /// The position after the move, or `None` if the game is over.
    next: Option<S>,
    /// The result of the game: `none` if the game continues, otherwise X, O, AC, BD, A1 B2..., or
    /// draw.
    end: String,
    /// The numbers of captured stones, such as `cap=2-0`, if the implementation reports them.
    captured: Option<String>,
}

impl<'a> Case<'a> {
    /// Parses a line with the fields `name | rules position side | moves | end | remark`.
    fn read(fields: &[&'a str]) -> Case<'a> {
        let (rules, position) = fields[1].split_once(' ').unwrap();
        let (name, options) = rules.split_once(':').unwrap_or((rules, ""));
        let (mut kept, mut placed) = (Vec::new(), String::new());
        for option in options.split(',').filter(|option| !option.is_empty()) {
            match (name, option.split_once('=').unwrap()) {
                ("xl", ("p", value)) => kept.push(format!("seats={value}")),
                ("xl", ("m", value)) => kept.push(format!("supply={value}")),
                ("xl", ("done", value)) => placed = format!(" {value}"),
                // This option only marks positions whose numbers of stones no game can reach.
                ("pente", ("placed", _)) => {}
                _ => kept.push(option.to_owned()),
            }
        }
        let rules = if kept.is_empty() { name.to_owned() } else { format!("{name}:{}", kept.join(",")) };
        Case { name: fields[0], rules, position: position.to_owned() + &placed, moves: fields[2] }
    }

    /// Plays the moves and returns the result and the captured stones. `step` plays one move, and
    /// returns `None` if the move is illegal.
    fn play<S>(&self, start: S, step: impl Fn(&S, &str) -> Option<Step<S>>) -> (String, Option<String>) {
        let mut now = Step { next: Some(start), end: "none".to_owned(), captured: None };
        for mv in self.moves.split_whitespace() {
            let Some(next) = now.next.as_ref().and_then(|state| step(state, mv)) else {
                return ("illegal".to_owned(), None);
            };
            now = next;
        }
        (now.end, now.captured)
    }

    /// Formats the places of all seats in the notation of the rule sheets.
    fn end(&self, places: Places) -> String {
        let text = match places {
            [1, 1, 0, 0] if !self.rules.starts_with("xl") => "draw",
            [1, 2, 0, 0] if !self.rules.starts_with("xl") => "X",
            [2, 1, 0, 0] if !self.rules.starts_with("xl") => "O",
            [1, 2, 1, 2] if self.rules.contains("2v2") => "AC",
            [2, 1, 2, 1] if self.rules.contains("2v2") => "BD",
            [1, 1, 1, 1] if self.rules.contains("2v2") => "draw",
            _ => {
                let seats = "ABCD".chars().zip(places).filter(|&(_, place)| place > 0);
                return seats.map(|(seat, place)| format!("{seat}{place}")).collect::<Vec<_>>().join(" ");
            }
        };
        text.to_owned()
    }

    fn by_the_solver(&self) -> (String, Option<String>) {
        let game = read_rules(&self.rules).unwrap();
        let start = game.read(&self.position);
        assert_eq!(start.is_err(), STUDIES.contains(&self.name), "{}", self.name);
        let Ok(start) = start else { return self.by_study() };
        self.play(start, |now, mv| {
            let next = game.play(now, mv).ok()?;
            let end = match &next.over {
                None => "none".to_owned(),
                Some(over) if self.rules.starts_with("xl") => over.text.clone(),
                Some(over) if over.winners.is_empty() => "draw".to_owned(),
                Some(over) => over.winners.to_uppercase(),
            };
            let captured = Some(next.text.split(' ').nth(2).unwrap_or("cap=0-0").to_owned());
            Some(Step { next: next.over.is_none().then_some(next), end, captured })
        })
    }

    /// Plays the case with the parsers for studies, which accept positions that no game can reach.
    fn by_study(&self) -> (String, Option<String>) {
        let Ok(rules) = self.rules.parse::<pentago_pente::Rules>() else {
            let rules: pentago_xl::Rules = self.rules.parse().unwrap();
            return self.play(rules.parse_any_position(&self.position).unwrap(), |p, mv| {
                let played = rules.play(p, rules.parse_move(mv).ok()?).ok()?;
                let end = played.outcome.map_or("none".to_owned(), |outcome| outcome.to_string());
                Some(Step { next: Some(played.position), end, captured: None })
            });
        };
        self.play(rules.parse_study(&self.position).unwrap(), |p, mv| {
            let played = rules.play(p, rules.parse_move(mv).ok()?).ok()?;
            let end = match played.outcome {
                Some(pentago_pente::Outcome::Win(color)) => color.to_string(),
                Some(pentago_pente::Outcome::Draw) => "draw".to_owned(),
                None => "none".to_owned(),
            };
            let [x, o] =
                [pentago_pente::Color::X, pentago_pente::Color::O].map(|c| played.position.captured(c));
            Some(Step { next: Some(played.position), end, captured: Some(format!("cap={x}-{o}")) })
        })
    }

    fn by_the_reference(&self) -> (String, Option<String>) {
        let two_sides = |winner: u8| ["draw", "X", "O"][usize::from(winner)].to_owned();
        if let Ok(rules) = pente::Rules::parse(&self.rules) {
            return self.play(rules.read(&self.position).unwrap(), |state, mv| {
                let (_, after) = rules.moves(state).into_iter().find(|(name, _)| name == mv)?;
                let [x, o] = after.state.captured;
                let end = after.over.map_or("none".to_owned(), two_sides);
                let next = after.over.is_none().then_some(after.state);
                Some(Step { next, end, captured: Some(format!("cap={x}-{o}")) })
            });
        }
        if let Ok(options) = XlOptions::parse(&self.rules) {
            return self.play(options.read(&self.position).unwrap(), |state, mv| {
                Some(match options.play(state, mv).ok()? {
                    XlAfter::Goes(next) => Step { next: Some(next), end: "none".to_owned(), captured: None },
                    XlAfter::Over(places) => Step { next: None, end: self.end(places), captured: None },
                })
            });
        }
        let options = Options::parse(&self.rules).unwrap();
        self.play(options.read(&self.position).unwrap(), |state, mv| {
            Some(match options.play(state, mv).ok()? {
                After::Goes(next) => Step { next: Some(next), end: "none".to_owned(), captured: None },
                After::Over(winner) => Step { next: None, end: two_sides(winner), captured: None },
            })
        })
    }

    /// Plays the case with the rules of the checker. Also checks that `won_by` and `moves` agree
    /// with `play`.
    fn by_rules<R: Rules>(
        &self,
        rules: &R,
        captured: impl Fn(&R::State) -> Option<String>,
    ) -> (String, Option<String>) {
        self.play(rules.position(&self.position).unwrap(), |state, text| {
            let mut listed = Vec::new();
            rules.moves(state, &mut listed);
            for &mv in &listed {
                let won = rules.won_by(state, mv);
                match rules.play(state, mv).unwrap() {
                    Next::Over(places) => {
                        assert!(won == Some(places) || won.is_none() && places[..2] == [1, 1])
                    }
                    Next::Goes(_) => assert_eq!(won, None, "{} {mv:?}", self.name),
                }
            }
            let mv = rules.read_move(text).unwrap();
            let played = rules.play(state, mv);
            assert_eq!(listed.contains(&mv), played.is_ok(), "{} {text}", self.name);
            Some(match played.ok()? {
                Next::Over(places) => Step { next: None, end: self.end(places), captured: None },
                Next::Goes(next) => {
                    Step { captured: captured(&next), next: Some(next), end: "none".to_owned() }
                }
            })
        })
    }

    fn by_the_checker(&self) -> (String, Option<String>) {
        let cap = |[x, o]: [u16; 2]| Some(format!("cap={x}-{o}"));
        match Pente::read(&self.rules) {
            Ok(rules) => self.by_rules(&rules, |state| cap(state.captured)),
            Err(_) => self.by_rules(&Blocks::read(&self.rules).unwrap(), |_| None),
        }
    }
}

#[test]
fn every_case_of_the_rule_sheets() {
    let Some(path) = shared("rules/cases.txt") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut checked = 0;
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let case = Case::read(&fields);
        let (end, captured) =
            fields[3].split_once(" cap=").map_or((fields[3], None), |(end, cap)| (end, Some(cap)));
        for found in [case.by_the_solver(), case.by_the_reference(), case.by_the_checker()] {
            assert_eq!(found.0, end, "{line}");
            if let (Some(found), Some(captured)) = (found.1, captured) {
                assert_eq!(found, format!("cap={captured}"), "{line}");
            }
        }
        checked += 1;
    }
    assert_eq!(checked, 30 + 22 + 31);
}

/// Returns the number of move sequences of length `depth`. A shorter sequence that ends the game
/// counts, too.
fn perft<R: Rules>(rules: &R, state: &R::State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    rules.moves(state, &mut moves);
    let below = |mv| match rules.play(state, mv).unwrap() {
        Next::Over(_) => 1,
        Next::Goes(next) => perft(rules, &next, depth - 1),
    };
    moves.into_iter().map(below).sum()
}

/// The solver reproduces all listed perft numbers up to the given limit. The other implementations
/// reproduce the numbers up to 400,000.
#[test]
fn perft_from_the_empty_boards() {
    perft_of_all(110_000);
}

#[test]
#[ignore = "long: finds errors in moves from the second ply on, on the large boards"]
fn long_perft_from_the_empty_boards() {
    perft_of_all(u64::MAX);
}

/// Compares perft with all listed numbers that are at most `most`.
fn perft_of_all(most: u64) {
    let lists: [(&str, &[u64]); 8] = [
        ("pentago", &[1, 288, 80_640, 21_934_080]),
        ("pentago-eu", &[1, 144, 36 * 4 * 35 * 4]),
        // At most three marbles are on the board, so at least one quadrant is empty, and the turn
        // can always be declined.
        ("pentago-fi", &[1, 36 * 9, 36 * 9 * 35 * 9, 36 * 9 * 35 * 9 * 34 * 9]),
        ("mini", &[1, 16 * 8, 16 * 8 * 15 * 8, 16 * 8 * 15 * 8 * 14 * 8]),
        ("xl", &[1, 1296, 1_658_880]),
        ("pente", &[1, 1, 360, 120_624]),
        ("pente:opening=free", &[1, 361, 129_960, 46_655_640]),
        ("pente:n=5,opening=free", &[1, 25, 600, 13_800, 303_600, 6_375_824]),
    ];
    for (text, counts) in lists {
        let game = read_rules(text).unwrap();
        let start = game.start();
        for (depth, &count) in (0..).zip(counts).filter(|&(_, &count)| count <= most) {
            assert_eq!(game.perft(&start, depth), count, "{text} {depth}");
            if count > 400_000 {
                continue;
            }
            let (reference, checked) = if let Ok(rules) = Pente::read(text) {
                let slow = pente::Rules::parse(text).unwrap();
                (
                    Some(slow.perft(&slow.start(), depth)),
                    perft(&rules, &rules.position(&start.text).unwrap(), depth),
                )
            } else {
                let rules = Blocks::read(text).unwrap();
                let slow = Options::parse(text).ok();
                let state = rules.position(&start.text).unwrap();
                (slow.map(|slow| slow.perft(&slow.start(), depth)), perft(&rules, &state, depth))
            };
            assert!(reference.is_none_or(|found| found == count), "{text} {depth}: {reference:?}");
            assert_eq!(checked, count, "{text} {depth}");
        }
    }
}
