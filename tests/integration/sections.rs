//! Whole games by sections: Mini-Pentago from the full board to the empty one, and late sections of
//! Pentago.

use crate::common::{answer, kernel, shared};
use pentago::Control;
use pentago::rules::{Board, Color, Outcome, Position, Rules, Turn};
use pentago_core::answer::{Request, Value};
use pentago_core::index::Section;
use pentago_core::solve::{Next, SectionSolver};
use pentago_core::values::{BlockId, Memory, NullSink, Wdl, WdlCounts};
use pentago_tables::verify::counts::mini::{self, KnownValues};
use rayon::prelude::*;
use std::num::NonZeroUsize;

/// All slices of a game, from the empty board to the full one.
pub struct Game {
    pub solver: SectionSolver,
    pub slices: Vec<(Vec<Section>, Memory)>,
    pub counts: Vec<Vec<WdlCounts>>,
}

impl Game {
    /// Solves a small game completely.
    pub fn solve(rules: Rules, threads: usize, memory: u64) -> Game {
        let solver = SectionSolver::new(rules, kernel(), crate::common::threads(threads), memory);
        let mut slices: Vec<(Vec<Section>, Memory)> = Vec::new();
        let mut counts = Vec::new();
        let control = Control::new();
        let none = (Vec::new(), Memory::new(&[]));
        for marbles in (0..=rules.shape.sockets()).rev() {
            let sections = solver.sections().standard(marbles);
            let grids: Vec<_> = sections.iter().map(|&s| solver.grid(s)).collect();
            let values = Memory::new(&grids);
            let (held, source) = slices.last().unwrap_or(&none);
            let next = Next { sections: held, source };
            let start = BlockId { array: 0, block: 0 };
            let report =
                solver.solve(&sections, next, &values, start.., &control).expect("nothing goes wrong");
            counts.push(report.counts);
            slices.push((sections, values));
        }
        slices.reverse();
        counts.reverse();
        Game { solver, slices, counts }
    }

    /// The value of a board for the side to move.
    pub fn value(&self, board: Board) -> Wdl {
        let (sections, values) = &self.slices[board.marbles() as usize];
        value_of(&self.solver, sections, values, board)
    }
}

/// The value of a board of one of these sections for the side to move.
pub fn value_of(solver: &SectionSolver, sections: &[Section], values: &Memory, board: Board) -> Wdl {
    let address = solver.sections().locate(board);
    let array = sections.iter().position(|&other| other == address.section);
    let array = array.expect("the section is there");
    let (block, place) = solver.grid(address.section).locate(address.index);
    let block = values.block(BlockId { array: array as u32, block }).expect("all blocks are there");
    block[place].get(address.rotation)
}

/// The boards of a 4x4 game that play reaches where the game is not over, by marbles up to the most. Not
/// for variants that end games elsewhere.
fn reachable(rules: Rules, most: usize) -> Vec<Vec<Board>> {
    let shape = rules.shape;
    let mut slices = vec![vec![Board::EMPTY]];
    for marbles in 0..most {
        let color = if marbles % 2 == 0 { Color::X } else { Color::O };
        let boards = slices.last().expect("there is the empty board");
        let mut placed: Vec<Board> = boards
            .par_iter()
            .flat_map_iter(|&board| {
                let free = shape.sockets_of(board.free(shape));
                free.map(move |socket| board.with(color, socket)).filter(|b| !shape.has_line(b.of(color)))
            })
            .collect();
        placed.par_sort_unstable();
        placed.dedup();
        let mut turned: Vec<Board> = placed
            .par_iter()
            .flat_map_iter(|&board| {
                Turn::ALL.iter().map(move |&turn| {
                    let [x, o] = [board.x(), board.o()].map(|set| shape.turn(set, turn));
                    Board::new(x, o).expect("disjoint")
                })
            })
            .filter(|b| !shape.has_line(b.x()) && !shape.has_line(b.o()))
            .collect();
        turned.par_sort_unstable();
        turned.dedup();
        slices.push(turned);
    }
    slices
}

/// The known numbers of won, drawn and lost boards, by marbles.
fn known_of_mini() -> &'static [[u64; 3]; 16] {
    match mini::known(&Rules::mini()) {
        Some(KnownValues::Slices(known)) => known,
        other => panic!("{other:?}"),
    }
}

/// Won, drawn and lost boards.
fn wdl(game: &Game, boards: &[Board]) -> [u64; 3] {
    let values: Vec<Wdl> = boards.par_iter().map(|&board| game.value(board)).collect();
    [Wdl::Win, Wdl::Draw, Wdl::Loss]
        .map(|value| values.iter().filter(|&&other| other == value).count() as u64)
}

/// The 4x4 game against what two other programs computed.
#[test]
fn mini_pentago_of_few_marbles() {
    let game = Game::solve(Rules::mini(), 2, 1 << 30);
    for (marbles, boards) in reachable(Rules::mini(), 6).iter().enumerate() {
        assert_eq!(wdl(&game, boards), known_of_mini()[marbles], "{marbles} marbles");
    }
}

#[test]
#[ignore = "long: finds a late board that is wrong, and an option that is wrong alone"]
fn long_mini_pentago_under_all_variants() {
    mini_pentago_under(&[
        ("reply=place", Wdl::Draw, 1_911_697),
        ("skip=empty", Wdl::Win, 0),
        ("skip=neutral", Wdl::Win, 0),
        ("both=mover", Wdl::Win, 59_648),
        ("last=stop", Wdl::Win, 66_640),
        ("dir=cw", Wdl::Win, 1_341_846),
    ]);
}

/// Compares the default rules and these options: each with the value of the empty board, and the
/// number of reachable boards whose values differ from those of the default rules.
fn mini_pentago_under(variants: &[(&str, Wdl, usize)]) {
    let slices = reachable(Rules::mini(), 15);
    let game = Game::solve(Rules::mini(), 2, 1 << 30);
    for (marbles, boards) in slices.iter().enumerate() {
        assert_eq!(wdl(&game, boards), known_of_mini()[marbles], "{marbles} marbles");
    }
    let boards: Vec<Board> = slices.into_iter().flatten().collect();
    assert_eq!(boards.len(), 9_062_619);
    let values: Vec<Wdl> = boards.par_iter().map(|&board| game.value(board)).collect();
    for &(option, root, differing) in variants {
        let rules = format!("mini:{option}").parse().expect("these are rules");
        let game = Game::solve(rules, 1, 1 << 30);
        assert_eq!(game.value(Board::EMPTY), root, "{option}");
        let differ =
            boards.par_iter().zip(&values).filter(|&(&board, &value)| game.value(board) != value).count();
        assert_eq!(differ, differing, "{option}");
    }
}

#[test]
#[ignore = "long: finds a board that is wrong where the numbers of all wins, draws and losses are right by chance"]
fn long_three_in_a_row() {
    let rules = "mini:k=3".parse().expect("these are rules");
    let boards: Vec<Board> = reachable(rules, 15).into_iter().flatten().collect();
    assert_eq!(wdl(&Game::solve(rules, 1, 1 << 30), &boards), [3_440_453, 1_800, 7_178]);
}

/// The counts of the sections are those of their boards, finished and unreachable ones too.
#[test]
fn counts_are_those_of_the_boards() {
    let rules: Rules = "mini:dir=cw,both=mover,reply=place".parse().expect("these are rules");
    let game = Game::solve(rules, 1, 1 << 30);
    let socket_bits = |set: u64| set & 15 | (set & 240) << 12 | (set & 3840) << 24 | (set & 61440) << 36;
    for marbles in [0_u32, 3, 14, 15, 16] {
        let mut won = 0;
        let mut lost = 0;
        let mut boards = 0;
        for x in (0..1u64 << 16).filter(|x| x.count_ones() == marbles.div_ceil(2)) {
            let free = 0xffff & !x;
            let sets = std::iter::successors(Some(free), |&o| (o != 0).then(|| (o - 1) & free));
            for o in sets.filter(|o| o.count_ones() == marbles / 2) {
                boards += 1;
                let board = Board::new(socket_bits(x), socket_bits(o)).expect("disjoint");
                let value = game.value(board);
                won += u64::from(value == Wdl::Win);
                lost += u64::from(value == Wdl::Loss);
                let position = Position::of(rules.shape, board).expect("the counts fit");
                match rules.outcome(&position) {
                    Some(Outcome::Draw) => assert_eq!(value, Wdl::Draw),
                    Some(Outcome::Win(color)) => assert_eq!(value == Wdl::Win, color == position.to_move()),
                    None => {}
                }
            }
        }
        let marbles = marbles as usize;
        let (sections, _) = &game.slices[marbles];
        let multiplied = |part: fn(&WdlCounts) -> u64| {
            let of = |(&s, counts)| game.solver.sections().multiplicity(s) * part(counts);
            sections.iter().zip(&game.counts[marbles]).map(of).sum::<u64>()
        };
        assert_eq!(multiplied(|c| c.wins), won, "{marbles}");
        assert_eq!(multiplied(|c| c.losses), lost, "{marbles}");
        assert_eq!(multiplied(|c| c.wins + c.draws + c.losses), boards, "{marbles}");
    }
}

/// The values of a section of Pentago.
fn closure_of(solver: &SectionSolver, section: Section) -> (Memory, WdlCounts) {
    each_of_closure(solver, section, |_, _| {})
}

/// The values of a section and of what it depends on: slice by slice, from the full board down to
/// it, `each` is shown them. The values of the section stay.
pub fn each_of_closure(
    solver: &SectionSolver,
    section: Section,
    mut each: impl FnMut(&[Section], &Memory),
) -> (Memory, WdlCounts) {
    let mut next = (Vec::new(), Memory::new(&[]));
    let mut counts = WdlCounts::default();
    for sections in solver.sections().closure(&[section]).into_iter().rev() {
        let values = Memory::new(&sections.iter().map(|&s| solver.grid(s)).collect::<Vec<_>>());
        let held = Next { sections: &next.0, source: &next.1 };
        let start = BlockId { array: 0, block: 0 };
        let report =
            solver.solve(&sections, held, &values, start.., &Control::new()).expect("nothing goes wrong");
        counts = report.counts[0];
        each(&sections, &values);
        next = (sections, values);
    }
    (next.1, counts)
}

/// Solves all sections of the published counts whose closure has at most `most` entries; how many
/// in each slice from 24 on.
fn published_sections(most: u64) -> Option<Vec<usize>> {
    let path = shared("facts/section-counts.tsv")?;
    let text = std::fs::read_to_string(path).expect("the file is readable");
    let solver = SectionSolver::new(Rules::default(), kernel(), NonZeroUsize::MIN, 1 << 30);
    let solved = text.lines().skip(1).collect::<Vec<_>>();
    let solved = solved.par_iter().filter_map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |i: usize| fields[i].parse::<u64>().expect("a number");
        let marbles = number(0) as usize;
        let text = fields[2].replace(' ', ",");
        if marbles < 24 || number(9) > most {
            return None;
        }
        let (section, _) = solver.sections().standardise(text.parse().expect("a section"));
        assert_eq!(solver.grid(section).entries(), number(9));
        assert_eq!(solver.sections().multiplicity(section), number(3));
        let closure = solver.sections().closure(&[section]);
        if closure.iter().flatten().map(|&s| solver.grid(s).entries()).sum::<u64>() > most {
            return None;
        }
        let (_, counts) = closure_of(&solver, section);
        let expected = [number(5), number(6), number(7)];
        let WdlCounts { wins: win, draws: draw, losses: loss } = counts;
        let got = if marbles.is_multiple_of(2) { [win, draw, loss] } else { [loss, draw, win] };
        assert_eq!(got, expected, "{line}");
        Some(marbles)
    });
    let mut slices = vec![0; 36];
    solved.collect::<Vec<_>>().into_iter().for_each(|marbles| slices[marbles] += 1);
    println!("sections by slice: {slices:?}");
    Some(slices)
}

/// Sections with small closures against the published counts.
#[test]
fn published_counts_of_small_sections() {
    let Some(slices) = published_sections(40_000) else { return };
    assert!(slices[30..].iter().all(|&n| n > 0), "{slices:?}");
}

/// Boards of 34 and 35 marbles against the rooted solver, for all presets.
#[test]
fn late_positions_agree_with_the_rooted_solver() {
    for (_, rules) in Rules::presets().iter().filter(|(_, rules)| rules.shape.sockets() == 36) {
        let solver = SectionSolver::new(*rules, kernel(), NonZeroUsize::MIN, 1 << 30);
        for text in ["72,27,54,34", "81,18,53,35", "72,27,54,44"] {
            let section: Section = text.parse().expect("a section");
            let (section, _) = solver.sections().standardise(section);
            let (values, _) = closure_of(&solver, section);
            let grid = solver.grid(section);
            let mut seed = 1u64;
            let boards: Vec<(Board, Wdl)> = std::iter::repeat_with(|| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let index = grid.extents.map(|n| (seed.rotate_left(n) >> 33) as u32 % n);
                let r = [0, 2, 4, 6].map(|shift| (seed >> (32 + shift)) as u8 % 4);
                let (block, place) = grid.locate(index);
                let entries = values.block(BlockId { array: 0, block }).expect("it is solved");
                (solver.sections().board(section, index, r), entries[place].get(r))
            })
            .filter(|(board, _)| {
                let position = Position::of(rules.shape, *board).expect("the counts fit");
                rules.outcome(&position).is_none()
            })
            .take(300)
            .collect();
            boards.par_iter().for_each_init(
                || crate::common::solver(*rules),
                |rooted, &(board, value)| {
                    let position = Position::of(rules.shape, board).expect("the counts fit");
                    let got = answer(rooted, &position, &Request::default()).value;
                    let expected = match value {
                        Wdl::Win => Value::Win,
                        Wdl::Draw => Value::Draw,
                        Wdl::Loss => Value::Loss,
                    };
                    assert_eq!(got, expected, "{rules} {}", rules.format_position(&position));
                },
            );
        }
    }
}

/// All 330 sections of 35 marbles against the published counts, without keeping their values.
#[test]
#[ignore = "half a minute and 2 GB"]
fn slice_35_is_the_published_one() {
    let Some(path) = shared("facts/section-counts.tsv") else { return };
    let text = std::fs::read_to_string(path).expect("the file is readable");
    let solver = SectionSolver::new(Rules::default(), kernel(), crate::common::threads(2), 1 << 30);
    let (full, sections) = (solver.sections().standard(36), solver.sections().standard(35));
    let values = Memory::new(&full.iter().map(|&s| solver.grid(s)).collect::<Vec<_>>());
    let start = BlockId { array: 0, block: 0 };
    let control = Control::new();
    let none = Memory::new(&[]);
    let next = Next { sections: &[], source: &none };
    let begin = std::time::Instant::now();
    let report = solver.solve(&full, next, &values, start.., &control).expect("nothing goes wrong");
    println!("full board: {} entries, {:?}", report.entries, begin.elapsed());
    let begin = std::time::Instant::now();
    let next = Next { sections: &full, source: &values };
    let sink = NullSink { counts_alone: false };
    let report = solver.solve(&sections, next, &sink, start.., &control).expect("nothing goes wrong");
    println!(
        "35 marbles: {} entries, {:?}: computing {:?}, reading {} blocks {:?}",
        report.entries,
        begin.elapsed(),
        report.computing,
        report.blocks_read,
        report.reading
    );
    let mut checked = 0;
    for line in text.lines().filter(|line| line.starts_with("35\t")) {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |i: usize| fields[i].parse::<u64>().expect("a number");
        let section: Section = fields[2].replace(' ', ",").parse().expect("a section");
        let section = solver.sections().standardise(section).0;
        let array = sections.iter().position(|&other| other == section).expect("it is there");
        let WdlCounts { wins: win, draws: draw, losses: loss } = report.counts[array];
        assert_eq!([loss, draw, win], [number(5), number(6), number(7)], "{line}");
        checked += 1;
    }
    assert_eq!(checked, 330);
}
