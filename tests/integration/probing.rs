//! Compares answers from tables with the solver below a root. Also verifies correct tables and
//! spoiled tables.

use crate::common::{Dice, answer, positions, resources, rules, solver};
use crate::tables::write_at;
use pentago::Control;
use pentago::ask::{Search, Stored};
use pentago::make::{GameBuild, RootBuild};
use pentago::rules::{Position, Rules, random};
use pentago_core::answer::{Answer, Missing, Origin, Question, Unsolved, Value};
use pentago_core::solve::RootedSolver;
use pentago_core::symmetry::Group;
use pentago_tables::codec::{Codec, Level};
use pentago_tables::probe::{Lookup, Tables};
use pentago_tables::tables::{Manifest, Settings};
use pentago_tables::verify;
use pentago_tables::verify::VerifyError;
use std::path::Path;

/// The rules under test: the presets of the 6x6 board, and rules that combine the other options.
const RULES: [&str; 7] = [
    "pentago",
    "pentago-eu",
    "pentago-fi",
    "pentago-cs",
    "pentago-nl",
    "pentago:dir=cw,both=mover,reply=place,skip=neutral,last=stop",
    "pentago:place=turn",
];

/// Builds the tables below a random root with `marbles` marbles. `keep` is the last slice that is
/// stored. Returns the root.
fn build_root(folder: &Path, rules: Rules, marbles: u32, keep: u32, seed: u64) -> Position {
    let root = positions(&rules, marbles, 1, seed, true)[0];
    let build = RootBuild::new(rules, &root, Some(keep)).expect("it has tables");
    build.run(folder, &resources(1, folder), &Control::new()).expect("built");
    root
}

pub fn open(folder: &Path) -> Tables {
    Tables::open(folder, 1 << 24).expect("opened")
}

impl Dice {
    /// Plays `plies` random moves from the root. Returns the reached position under a random
    /// symmetry, with randomly turned quadrants.
    fn below_root(&mut self, rules: &Rules, root: &Position, plies: usize) -> Position {
        let mut position = *root;
        for _ in 0..plies {
            let moves = rules.moves(&position);
            let open: Vec<Position> =
                moves.iter().map(|&m| rules.play(&position, m).unwrap().position).collect();
            if open.is_empty() {
                break;
            }
            position = open[self.below(open.len())];
        }
        let group = Group::with_quadrants(rules.dir);
        let by = group.elements().nth(self.below(group.order() as usize)).expect("an element");
        by.image(&position)
    }
}

/// Returns the answer that uses tables, and the answer of the solver alone. If `memory` is given, a
/// solver with this memory limit in bytes computes the values that the tables lack.
pub fn ask(
    tables: &Tables,
    solver: &mut RootedSolver,
    position: &Position,
    memory: Option<u64>,
) -> (Answer, Answer) {
    let expected = answer(solver, position, &Question::default());
    let mut limited = RootedSolver::new(solver.rules, solver.kernel, solver.threads, memory.unwrap_or(0));
    let question = Question { tables_only: memory.is_none(), ..Question::default() };
    let control = Control::new();
    let search = Search::new(position, &question, &mut limited, &control).with(Stored::Tables(tables));
    (search.answer().expect("answered"), expected)
}

/// Asserts that two answers have the same values, best moves and values of all moves.
pub fn same(found: &Answer, expected: &Answer) {
    assert_eq!(found.value, expected.value);
    assert_eq!(found.best, expected.best);
    let sorted = |answer: &Answer| {
        let moves = answer.moves.iter().map(|m| (m.mv, m.position.board(), m.value.name()));
        let mut moves: Vec<_> = moves.collect();
        moves.sort_by_key(|m| m.0);
        moves
    };
    assert_eq!(sorted(found), sorted(expected));
    assert!(found.moves.is_sorted_by_key(|m| m.value.rank()));
}

#[test]
fn positions_below_a_root_are_worth_what_the_solver_says() {
    for (seed, text) in (0..).zip(RULES) {
        let rules = rules(text);
        let folder = tempfile::tempdir().expect("a folder");
        let root = build_root(folder.path(), rules, 25 + (seed % 2) as u32, 28, seed);
        let tables = open(folder.path());
        let mut solver = solver(rules);
        let mut dice = Dice(seed);
        for round in 0..24 {
            let position = dice.below_root(&rules, &root, round % 5);
            let (found, expected) = ask(&tables, &mut solver, &position, Some(1 << 30));
            same(&found, &expected);
            let marbles = position.board().marbles();
            match rules.outcome(&position) {
                Some(_) => assert_eq!(found.origin, Origin::Rules),
                None if marbles <= 28 => assert_eq!(found.origin, Origin::Table),
                None => assert!(matches!(found.origin, Origin::Solved | Origin::Rules)),
            }
            // If the table reports a loss, every move loses, so the table is also the source of the
            // values of the moves.
            let by_table = marbles < 28 || marbles == 28 && found.value == Value::Loss;
            let kept = if by_table { Origin::Table } else { Origin::Solved };
            for m in &found.moves {
                let over = rules.play(&position, m.mv).expect("legal").outcome.is_some();
                assert_eq!(m.origin, if over { Origin::Rules } else { kept.clone() });
            }
            // Compare a position with a turn pending.
            let Some(socket) = rules.shape.sockets_of(position.board().free(rules.shape)).next() else {
                continue;
            };
            if let Ok(placed) = rules.place(&position, socket) {
                let (found, expected) = ask(&tables, &mut solver, &placed.position, Some(1 << 30));
                same(&found, &expected);
            }
        }
    }
}

#[test]
fn what_no_table_holds_is_said() {
    let rules = Rules::default();
    let folder = tempfile::tempdir().expect("a folder");
    let root = build_root(folder.path(), rules, 26, 27, 3);
    let tables = open(folder.path());
    let mut solver = solver(rules);
    // A table contains a position only if some image of the position contains all marbles of the
    // root.
    for position in positions(&rules, 27, 50, 8, false) {
        let holds = Group::with_quadrants(rules.dir).elements().any(|by| {
            let image = by.apply(rules.shape, position.board());
            root.board().x & !image.x == 0 && root.board().o & !image.o == 0
        });
        let found = tables.look_up(&rules, &position).expect("looked up");
        assert_eq!(matches!(found, Lookup::Value(_)), holds);
    }
    let elsewhere = positions(&rules, 26, 1, 9, true)[0];
    let (found, _) = ask(&tables, &mut solver, &elsewhere, Some(1000));
    assert_eq!(found.value, Value::Unknown);
    let Origin::Unknown(unknown) = &found.origin else { panic!("{found:?}") };
    assert_eq!(unknown.missing, Some(Missing::Elsewhere));
    assert!(matches!(unknown.unsolved, Unsolved::Memory { limit: 1000, .. }));
    // Positions in the last stored slice have values, but the values of their moves aren't stored.
    let mut dice = Dice(5);
    let last = std::iter::repeat_with(|| dice.below_root(&rules, &root, 1));
    let last = { last }.find(|p| rules.outcome(p).is_none()).expect("the game goes on somewhere");
    let (found, expected) = ask(&tables, &mut solver, &last, None);
    assert_eq!((found.value, &found.origin), (expected.value, &Origin::Table));
    assert!(found.moves.iter().all(|m| matches!(m.origin, Origin::Rules | Origin::Unknown(_))));
    // If a turn is pending, the answer reports the same reason as for the positions after the turn.
    let socket = rules.shape.sockets_of(elsewhere.board().free(rules.shape)).next().expect("a free socket");
    let placed = rules.place(&elsewhere, socket).expect("legal").position;
    let Origin::Unknown(unknown) = ask(&tables, &mut solver, &placed, None).0.origin else { panic!("known") };
    assert_eq!(unknown.missing, Some(Missing::Elsewhere));
    let other = crate::common::rules("pentago-cs");
    assert_eq!(tables.look_up(&other, &root).expect("looked up"), Lookup::Missing(Missing::Rules(other)));
}

#[test]
fn every_position_of_a_complete_game_is_found() {
    complete_games_are_found(&["mini:k=3,both=mover,reply=place,skip=empty"]);
}

#[test]
#[ignore = "long: finds errors in rules whose last slices differ"]
fn long_every_position_of_complete_games_is_found() {
    complete_games_are_found(&["mini", "mini:dir=cw,last=stop", "mini:place=turn"]);
}

fn complete_games_are_found(texts: &[&str]) {
    for text in texts {
        let rules = rules(text);
        let folder = tempfile::tempdir().expect("a folder");
        let build = GameBuild::new(rules, 0).codec(Codec::COMPACT);
        build.run(folder.path(), &resources(1, folder.path()), &Control::new()).expect("built");
        let tables = open(folder.path());
        let mut solver = solver(rules);
        for marbles in 0..16 {
            for position in random::positions(&rules, marbles, 6, 4, false).unwrap_or_default() {
                let (found, expected) = ask(&tables, &mut solver, &position, None);
                same(&found, &expected);
                assert_eq!(found.origin, Origin::Table);
            }
        }
        let family = &tables.families[0];
        for header in family.headers() {
            let table = family.table(header.slice).expect("opened").expect("there");
            let checked = verify::full(family, table, &Control::new()).expect("right");
            assert_eq!(checked.entries, header.entries);
        }
    }
}

#[test]
fn verification_passes_what_is_right() {
    for (seed, text) in (10..).zip(RULES) {
        let rules = rules(text);
        let folder = tempfile::tempdir().expect("a folder");
        // Store all slices. With `last=stop`, the full board needs no slice, because no value
        // depends on it.
        let last = if rules.last == pentago::rules::Last::Stop { 35 } else { 36 };
        build_root(folder.path(), rules, 29, last, seed);
        let tables = open(folder.path());
        let family = &tables.families[0];
        for header in family.headers() {
            let table = family.table(header.slice).expect("opened").expect("there");
            let checked = verify::full(family, table, &Control::new()).expect("right");
            assert_eq!((checked.entries, checked.without_moves), (header.entries, 0), "{text}");
        }
        let all: Vec<_> =
            family.headers().map(|header| (family, family.table(header.slice).unwrap().unwrap())).collect();
        let sampled = verify::random(&all, 200, seed, solver, &Control::new()).expect("right");
        assert_eq!((sampled.positions, sampled.unchecked), (200, 0));
        assert!(sampled.by_moves == sampled.by_solver && sampled.by_moves + sampled.over == 200);
    }
}

#[test]
fn checksums_are_counted_in_bytes_and_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    build_root(folder.path(), Rules::default(), 26, 32, 3);
    let tables = open(folder.path());
    let family = &tables.families[0];
    let header = family.headers().last().expect("the last slice");
    let table = family.table(header.slice).expect("opened").expect("there");
    let bytes = std::fs::metadata(table.path()).expect("there").len();

    let control = Control::new();
    verify::hash(table, &control).expect("intact");
    let (number, stage) = control.stage().expect("announced");
    assert_eq!((number, stage.what.as_str(), stage.unit), (1, "checksums", "bytes"));
    assert_eq!((stage.total(), stage.done), (bytes, bytes));

    let control = Control::new();
    control.cancel();
    let error = verify::hash(table, &control).expect_err("cancelled");
    assert!(matches!(error, VerifyError::Stopped(_)), "{error}");
    assert!(control.stage().expect("announced").1.done < bytes);
}

#[test]
fn verification_finds_a_single_wrong_value() {
    let rules = Rules::default();
    let folder = tempfile::tempdir().expect("a folder");
    build_root(folder.path(), rules, 28, 31, 7);
    let tables = open(folder.path());
    let family = &tables.families[0];
    for (slice, rotation) in [(28, [0, 0, 0, 0]), (29, [3, 1, 2, 0]), (30, [1, 2, 3, 3])] {
        let table = family.table(slice).expect("opened").expect("there");
        let file = table.path().to_owned();
        let spoiled = tempfile::tempdir().expect("a folder");
        let bad = (family.target().path(spoiled.path(), slice), table.header().entries / 2);
        std::fs::create_dir_all(bad.0.parent().unwrap()).expect("made");
        let arrays = table.arrays().iter().map(|r| r.array).collect();
        let manifest = Manifest { target: *family.target(), slice, arrays };
        write_at(&bad.0, &manifest, Settings::new(Codec::Zstd(Level::KEPT)), |array, index| {
            let mut entry = table.entry(array, index).expect("read");
            if u64::from(index[3]) == bad.1 {
                // Spoil one value: turn a win into a loss, and a draw or a loss into a win.
                let win = !entry.win.get(rotation);
                let index = pentago_core::supers::half::half_index(rotation);
                let parity = usize::from(pentago_core::symmetry::parity(rotation));
                entry.win.0[parity] = entry.win.0[parity].with(index, win);
                entry.not_lose.0[parity] = entry.not_lose.0[parity].with(index, win);
            }
            entry
        });
        for (header, file) in family.headers().zip(family.files()).filter(|(header, _)| header.slice != slice)
        {
            std::fs::copy(&file.path, family.target().path(spoiled.path(), header.slice)).expect("copied");
        }
        let tables = open(spoiled.path());
        let family = &tables.families[0];
        let wrong = match verify::full(family, family.table(slice).unwrap().unwrap(), &Control::new()) {
            Err(VerifyError::Wrong(wrong)) => wrong,
            other => panic!("{file:?}: {other:?}"),
        };
        let stored = family.index().stored(slice, [0; 8], [0, 0, 0, bad.1 as u32], rotation);
        assert_eq!(wrong.position, rules.format_position(&stored.position));
        let text = wrong.to_string();
        assert!(text.contains(&rules.format_position(&stored.position)), "{text}");
        let expected = solver(rules).solve(&stored.position, 99, &Control::new()).expect("solved").value;
        assert_eq!(wrong.expected, format!("a {}", expected.name()));
    }
    // The values of the last stored slice can't be checked, because the next slice isn't stored.
    let checked =
        verify::full(family, family.table(31).unwrap().unwrap(), &Control::new()).expect("nothing is wrong");
    assert_eq!(checked.entries, 0);
    assert!(checked.without_moves > 0);
}
