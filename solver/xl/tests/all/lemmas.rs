//! Tests of proofs by lemmas. The independent checker must accept the proofs and refuse changes.

use pentago_check::check;
use pentago_search::{Budget, Certificate, Distance, sealed};
use pentago_xl::geometry::{BOARD, sockets};
use pentago_xl::symmetry::BoardMap;
use pentago_xl::{
    Kernel, LemmaBook, LemmaJournal, Move, Outcome, Played, Position, Rules, Seat, Socket, SocketSet, Turn,
    Value, WinSearch, prove_by_lemmas, win_by_lemmas,
};

use crate::mutate::Numbers;

fn proved(position: &str, most: u32) -> Option<Certificate> {
    let rules = Rules::default();
    let position = rules.parse_position(position).unwrap();
    prove_by_lemmas(&rules, &position, most, &mut Budget::nodes(1_000_000), None).unwrap()
}

/// Positions with few marbles, the maximum number of plies, and the number of plies of the proof.
/// In the fourth position, `b` attacks. The fifth has no win within five plies. The last is an
/// image of the third.
const BOARDS: [(&str, u32, Option<u32>); 6] = [
    ("9/9/9/5A3/4A4/4B4/9/9/B8 a", 5, Some(5)),
    ("9/1B2B4/9/5A3/4A4/9/9/9/2B2A3 a", 7, Some(5)),
    ("9/1B7/9/9/4A4/9/9/9/9 a", 9, Some(9)),
    ("9/9/9/5B3/4B4/4A4/A8/9/A8 b", 5, Some(5)),
    ("9/9/9/5A3/4A4/3BB4/9/9/9 a", 5, None),
    ("9/9/9/9/4A4/9/9/7B1/9 a", 9, Some(9)),
];

/// The certificate of the empty board.
const EMPTY_BOARD: &str = include_str!("../../src/lemmas/empty-board.txt");

#[test]
fn the_checker_accepts_the_win_of_the_empty_board() {
    let checked = check(EMPTY_BOARD.as_bytes()).unwrap();
    assert_eq!((checked.plies, checked.version), (17, 2));
    assert!(EMPTY_BOARD.contains("\nposition 9/9/9/9/9/9/9/9/9 a\n"));
}

#[test]
fn the_checker_accepts_proofs_by_lemmas() {
    for (position, most, plies) in BOARDS {
        let found = proved(position, most);
        assert_eq!(found.as_ref().map(|found| found.plies), plies, "{position}");
        let Some(found) = found else { continue };
        let checked = check(found.text.as_bytes()).unwrap_or_else(|failure| panic!("{position}: {failure}"));
        assert_eq!((checked.plies, checked.positions, checked.version), (found.plies, found.moves, 2));
        // The first move is the move of the last lemma.
        let (rules, mut budget) = (Rules::default(), Budget::nodes(1_000_000));
        let (_, m) = win_by_lemmas(&rules, &rules.parse_position(position).unwrap(), most, &mut budget)
            .unwrap()
            .unwrap();
        let last = found.text.lines().rev().find(|line| !line.starts_with("checksum")).unwrap();
        assert!(last.contains(&format!(" {}", rules.format_move(m))), "{position}: {last}");
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
        let found = prove_by_lemmas(&rules, &p, 3, &mut Budget::nodes(u64::MAX), None).unwrap();
        assert_eq!(found.is_some(), search.shortest(&p, 3) == Distance::Exactly(3), "{p:?}");
        wins += u32::from(found.is_some());
    }
    assert!(wins > 1, "{wins}");
}

#[test]
fn a_proof_is_the_same_from_its_journal_and_with_more_threads() {
    let (rules, folder) = (Rules::default(), tempfile::tempdir().unwrap());
    let position = rules.parse_position("9/1B7/9/9/4A4/9/9/9/9 a").unwrap();
    let path = folder.path().join("journal");
    let prove = |nodes| {
        let (mut budget, mut journal) = (Budget::nodes(nodes), LemmaJournal::open(&path).unwrap());
        let found = prove_by_lemmas(&rules, &position, 9, &mut budget, Some(&mut journal));
        journal.close().unwrap();
        found.ok().flatten().map(|found| (found, budget.spent()))
    };
    let mut fresh = Budget::nodes(1_000_000);
    let whole = prove_by_lemmas(&rules, &position, 9, &mut fresh, None).unwrap().unwrap();
    // The first search stops half-way, and its last line is cut off.
    assert!(prove(fresh.spent() / 2).is_none());
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 3]).unwrap();
    let (found, nodes) = prove(1_000_000).unwrap();
    assert!(found.text == whole.text && nodes < fresh.spent(), "{nodes} of {}", fresh.spent());
    pentago_check::check(found.text.as_bytes()).unwrap();
    // More threads find the same lemmas, with the same number of nodes.
    let mut budget = Budget::nodes(fresh.spent());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let found = pool.install(|| prove_by_lemmas(&rules, &position, 9, &mut budget, None));
    assert_eq!((found.unwrap().unwrap().text, budget.spent()), (whole.text, fresh.spent()));
    for (line, damaged) in [(2, text.replacen("\n", "\nx", 1)), (1, text[1..].to_owned())] {
        std::fs::write(&path, damaged).unwrap();
        let error = LemmaJournal::open(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("line {line} is not")), "{error}");
    }
}

/// A line of a certificate.
#[derive(Clone)]
struct Line {
    plies: u32,
    others: u32,
    /// The sets *own*, *known* and *empty*.
    sets: [SocketSet; 3],
    m: Move,
    /// The index of each used lemma, and its map.
    uses: Vec<(usize, usize)>,
}

impl Line {
    fn parse(line: &str, letters: [char; 3]) -> Line {
        let words: Vec<&str> = line.split(' ').collect();
        let mut sets = [0; 3];
        for (row, text) in words[2].split('/').enumerate() {
            let mut file = 0;
            for c in text.chars() {
                if let Some(set) = letters.iter().position(|&letter| letter == c) {
                    sets[set] |= Socket::on(file, 8 - row).unwrap().bit();
                }
                file += c.to_digit(10).unwrap_or(1) as usize;
            }
        }
        let used = |word: &&str| {
            let (line, map) = word.split_once('.').unwrap_or((word, "0"));
            (line.parse::<usize>().unwrap() - 1, map.parse().unwrap())
        };
        let [plies, others] = [0, 1].map(|i| words[i].parse().unwrap());
        let m = Rules::default().parse_move(words[3]).unwrap();
        Line { plies, others, sets, m, uses: words[4..].iter().map(used).collect() }
    }

    fn format(&self, letters: [char; 3]) -> String {
        let row = |rank: usize| {
            let sockets = (0..9).map(|file| Socket::on(file, rank).unwrap().bit());
            let marks: String = sockets
                .map(|bit| (0..3).find(|&i| self.sets[i] & bit != 0).map_or('1', |i| letters[i]))
                .collect();
            let runs: Vec<&str> = marks.split_inclusive(|c| c != '1').collect();
            let short = |run: &str| match run.trim_end_matches(letters) {
                "" => run.to_owned(),
                ones => format!("{}{}", ones.len(), &run[ones.len()..]),
            };
            runs.into_iter().map(short).collect::<String>()
        };
        let rows: Vec<String> = (0..9).rev().map(row).collect();
        let uses = self.uses.iter().map(|(line, map)| format!(" {}.{map}", line + 1));
        let m = Rules::default().format_move(self.m);
        format!("{} {} {} {m}{}", self.plies, self.others, rows.join("/"), uses.collect::<String>())
    }

    fn matches(&self, p: &Position, map: BoardMap) -> bool {
        let [own, known, empty] = self.sets.map(|set| map.set(set));
        let mine = p.of(p.to_move);
        let others = (p.taken() & !mine & !known).count_ones();
        own & !mine == 0 && empty & p.taken() == 0 && others <= self.others
    }

    /// Returns a random position that the pattern matches, with as many marbles of the defender as
    /// the pattern allows on half of the calls.
    fn position(&self, to_move: Seat, numbers: &mut Numbers) -> Position {
        let [own, known, empty] = self.sets;
        let mut other: SocketSet = 0;
        let free = |other: SocketSet| BOARD & !(own | empty | known | other);
        let count = if numbers.below(2) == 0 { self.others as usize } else { numbers.below(4) };
        for _ in 0..count.min(self.others as usize) {
            let all: Vec<Socket> = sockets(free(other)).collect();
            other |= all.get(numbers.below(all.len().max(1))).map_or(0, |socket| socket.bit());
        }
        other |= sockets(known).filter(|_| numbers.below(4) > 0).fold(0, |set, socket| set | socket.bit());
        let marbles = if to_move == Seat::A { [own, other, 0, 0] } else { [other, own, 0, 0] };
        Position { marbles, to_move, ..Position::EMPTY }
    }
}

/// Changes one lemma: a socket of the pattern becomes irrelevant, a used lemma is left out or
/// replaced, the number of plies falls, the number of other marbles rises, or the move changes.
/// Returns the index of the lemma.
fn change(lines: &mut [Line], numbers: &mut Numbers) -> usize {
    let at = numbers.below(lines.len());
    let line = &mut lines[at];
    let pick = |set: SocketSet, numbers: &mut Numbers| {
        sockets(set).nth(numbers.below(set.count_ones().max(1) as usize)).map_or(0, Socket::bit)
    };
    match numbers.below(8) {
        kind @ 0..3 => line.sets[kind] &= !pick(line.sets[kind], numbers),
        3 if !line.uses.is_empty() => drop(line.uses.remove(numbers.below(line.uses.len()))),
        4 if !line.uses.is_empty() => {
            let used = numbers.below(line.uses.len());
            line.uses[used] = (numbers.below(at), numbers.below(8));
        }
        5 => line.others += 1,
        6 => line.m.turn = Turn::all().nth(numbers.below(16)),
        7 => line.m.place = sockets(pick(line.sets[2], numbers)).next().unwrap_or(line.m.place),
        _ => line.plies -= 2,
    }
    at
}

/// Returns `true` if the lemma has a gap: the attacker makes the move of the lemma in a random
/// position that matches, and some reply leads to a position without an immediate win that matches
/// none of the used lemmas. Plays by the rules, and uses none of the conditions of the checkers.
fn has_gap(lines: &[Line], at: usize, to_move: Seat, samples: usize, numbers: &mut Numbers) -> bool {
    let (rules, line) = (Rules::default(), &lines[at]);
    let maps: Vec<BoardMap> = BoardMap::all().collect();
    let lost = |p: &Position| {
        let wins = |&(used, map): &(usize, usize)| {
            lines[used].plies + 2 <= line.plies && lines[used].matches(p, maps[map])
        };
        !line.uses.iter().any(wins) && rules.winning_move(p, Kernel::best()).is_none()
    };
    (0..samples).any(|_| {
        let p = line.position(to_move, numbers);
        if rules.outcome(&p).is_some() || rules.winning_move(&p, Kernel::best()).is_some() {
            return false;
        }
        let Ok(played) = rules.play(&p, line.m) else { return true };
        let replies = rules.moves(&played.position);
        replies.into_iter().any(|reply| match rules.play(&played.position, reply).unwrap() {
            Played { outcome: Some(outcome), .. } => outcome.value(&rules, to_move) != Value::Win,
            Played { position, .. } => lost(&position),
        })
    })
}

/// Changes lemmas at random, and returns the changed certificates, each with `true` if the changed
/// lemma has a gap or wins too late.
fn mutants(board: (&str, u32, Option<u32>), count: usize, samples: usize) -> Vec<(String, bool)> {
    let text = proved(board.0, board.1).unwrap().text;
    let to_move = Rules::default().parse_position(board.0).unwrap().to_move;
    let letters = if to_move == Seat::A { ['A', 'B', '-'] } else { ['B', 'A', '-'] };
    let (header, rest) = text.split_at(text.match_indices('\n').nth(4).unwrap().0 + 1);
    let lines: Vec<Line> =
        rest[..rest.rfind("checksum").unwrap()].lines().map(|line| Line::parse(line, letters)).collect();
    let written = |lines: &[Line]| {
        let lines: Vec<String> = lines.iter().map(|line| line.format(letters)).collect();
        sealed(format!("{header}{}\n", lines.join("\n")))
    };
    assert!(check(written(&lines).as_bytes()).is_ok());
    let mut numbers = Numbers(5);
    let mutant = |_| {
        let mut lines = lines.clone();
        let at = change(&mut lines, &mut numbers);
        let matters = lines[at].plies < 3 || has_gap(&lines, at, to_move, samples, &mut numbers);
        (written(&lines), matters)
    };
    (0..count).map(mutant).collect()
}

#[test]
fn lemmas_with_a_gap_are_refused() {
    let mut refused = 0;
    for (text, matters) in [0, 3].into_iter().flat_map(|board| mutants(BOARDS[board], 400, 3)) {
        let accepted = check(text.as_bytes()).is_ok();
        assert_eq!(LemmaBook::read(&text).is_ok(), accepted, "{text}");
        assert!(!(matters && accepted), "{text}");
        refused += usize::from(matters);
    }
    assert!(refused > 300, "{refused}");
    let text = proved(BOARDS[0].0, 5).unwrap().text;
    let header = |from: &str, to: &str| sealed(text[..text.rfind("checksum").unwrap()].replace(from, to));
    for (from, to) in [
        ("within 5", "within 3"),
        ("game xl", "game xl:supply=30"),
        ("claim a", "claim b"),
        ("B8 a", "BA7 b"),
        ("lemmas ", "lemmas 1"),
    ] {
        let text = header(from, to);
        assert!(check(text.as_bytes()).is_err() && LemmaBook::read(&text).is_err(), "{to}");
    }
    assert!(LemmaBook::read(&text.replace("within 5", "within 7")).is_err());
}

/// Gives the mutants to the checker in Python, too, and examines each mutant with many positions.
#[test]
#[ignore = "only this test compares both checkers with the rules on changes that matter"]
fn long_both_checkers_refuse_lemmas_with_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let mutants = [0, 3].into_iter().flat_map(|i| mutants(BOARDS[i], 800, 40));
    let all: Vec<(String, bool)> = mutants.chain([(EMPTY_BOARD.to_owned(), false)]).collect();
    let mut files = Vec::new();
    for (number, (text, _)) in all.iter().enumerate() {
        files.push(folder.path().join(number.to_string()));
        std::fs::write(&files[number], text).unwrap();
    }
    let code = "import runpy, sys\nscript, *files = sys.argv[1:]\nchecker = runpy.run_path(script)\n\
                for sys.argv[1:] in [[file] for file in files]:\n  print(checker['main']())\n";
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/lemma-check.py");
    let mut python = std::process::Command::new("python3");
    let output = python.args(["-c", code, script]).args(&files).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    // The checker prints a sentence about each file, and the program above its exit status.
    let statuses: Vec<&str> = printed.lines().skip(1).step_by(2).collect();
    assert_eq!(statuses.len(), all.len(), "{printed}");
    let mut counts = [[0; 2]; 2];
    for ((text, matters), status) in all.iter().zip(statuses) {
        let accepted = check(text.as_bytes()).is_ok();
        assert_eq!(status == "0", accepted, "{text}");
        counts[usize::from(*matters)][usize::from(accepted)] += 1;
    }
    eprintln!("refused and accepted without a gap: {:?}, with a gap: {:?}", counts[0], counts[1]);
    assert!(counts[1][0] >= 500 && counts[1][1] == 0, "{counts:?}");
}

/// Plays games with the lemmas of a certificate, from all images of its position. The defender
/// plays at random, or the reply that delays the win most.
#[test]
fn the_lemmas_of_a_certificate_win_every_game() {
    let rules = Rules::default();
    let mut numbers = Numbers(11);
    let texts = [(1, 24), (2, 4), (3, 6)]
        .map(|(board, games)| (proved(BOARDS[board].0, BOARDS[board].1).unwrap().text, games));
    for (text, games) in texts.into_iter().chain([(EMPTY_BOARD.to_owned(), 8)]) {
        let book = LemmaBook::read(&text).unwrap();
        let start = book.position;
        let best = |p: &Position| {
            let win = rules.winning_move(p, Kernel::best()).map(|m| (1, m));
            win.or_else(|| book.look_up(p)).unwrap_or_else(|| panic!("{}", rules.format_position(p)))
        };
        for game in 0..games {
            let mut p = BoardMap::all().nth(game % 8).unwrap().position(&start);
            let mut left = best(&p).0;
            let last = loop {
                let (plies, m) = best(&p);
                assert!(plies <= left);
                let played = rules.play(&p, m).unwrap();
                if let Some(outcome) = played.outcome {
                    break outcome;
                }
                let replies = rules.moves(&played.position);
                let after = |&m: &Move| rules.play(&played.position, m).unwrap();
                let length = |m: &Move| after(m).outcome.map_or_else(|| best(&after(m).position).0, |_| 0);
                let reply = match game % 2 {
                    0 => replies[numbers.below(replies.len())],
                    _ => replies.into_iter().max_by_key(length).unwrap(),
                };
                if let Some(outcome) = after(&reply).outcome {
                    break outcome;
                }
                (p, left) = (after(&reply).position, plies - 2);
            };
            assert_eq!(last.value(&rules, start.to_move), Value::Win);
        }
    }
}
