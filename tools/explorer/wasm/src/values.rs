//! The value of a position and of each of its moves: from the openings, or solved here.

use crate::exports::clock;
use crate::openings::Openings;
use crate::threads;
use pentago::ask;
use pentago::kernel::{Kernel, Pack, Passes, Turns};
use pentago::solve::RootedSolver;
use pentago::supers::Half;
use pentago::{Clock, Control, Request, Rules, Value, Wdl};
use pentago_games::{Answer, Game, MoveAnswer, NotEnoughMemory, Question, Source};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::time::Duration;

/// Bytes that a solution may take: enough for 18 marbles.
const MEMORY: u64 = 380_000_000;
/// Boards of the deepest limited search: a few seconds.
const LIMITED_BOARDS: u64 = 100_000_000;

/// What is wanted besides values.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Plies to the end of the game.
    pub distance: bool,
    /// Time for what isn't solved to the end, in seconds.
    pub seconds: u64,
}

/// The values of a position and all its moves, in the form of `pentago query --json`.
///
/// # Errors
/// What is wrong with the position.
pub fn values(
    game: &dyn Game,
    text: &str,
    wanted: Wanted,
    openings: Option<&Openings>,
) -> Result<Answer, pentago::Error> {
    let position = game.read(text)?;
    if let Some(answer) = published(game, &position, openings)? {
        return Ok(answer);
    }
    let (control, clock) = (Control::new(), clock());
    let question = Question {
        distance: wanted.distance,
        threads: threads::count().get(),
        clock: &clock,
        ..Question::new(Duration::from_secs(wanted.seconds), MEMORY, &control)
    };
    match game.answer(&position, &question) {
        // From 15 marbles on it is the whole solution or nothing, unless a depth is given.
        Err(error) if error.downcast_ref::<NotEnoughMemory>().is_some() => {
            let depth = Some(deepest(game, text)?);
            game.answer(&position, &Question { depth, ..question })
        }
        answer => answer,
    }
}

/// What an answer takes.
#[derive(Serialize)]
pub struct Effort {
    boards: u64,
}

impl Effort {
    /// Of a number of boards.
    pub fn of(boards: u64) -> Effort {
        Effort { boards }
    }
}

/// The boards below a position, which the whole solution computes: none if the openings hold it, or
/// the game isn't solved by boards.
///
/// # Errors
/// What is wrong with the position.
pub fn effort(game: &dyn Game, text: &str, openings: Option<&Openings>) -> Result<Effort, pentago::Error> {
    let position = game.read(text)?;
    let Ok(rules) = game.rules().parse::<Rules>() else { return Ok(Effort::of(0)) };
    if published(game, &position, openings)?.is_some() {
        return Ok(Effort::of(0));
    }
    let solver = RootedSolver::new(rules, Kernel::best(), threads::count(), MEMORY);
    let position = rules.parse_position(&position.text)?;
    Ok(Effort::of(solver.estimate(&position, solver.all_plies(&position)).boards))
}

/// The most plies for which a limited search of Pentago fits in the memory and takes seconds.
fn deepest(game: &dyn Game, text: &str) -> Result<u32, pentago::Error> {
    let Ok(rules) = game.rules().parse::<Rules>() else { return Ok(1) };
    let position = rules.parse_position(text)?;
    let solver = RootedSolver::new(rules, Kernel::best(), threads::count(), MEMORY);
    let fits = |plies: &usize| {
        let estimate = solver.estimate(&position, *plies);
        estimate.bytes <= MEMORY && estimate.boards <= LIMITED_BOARDS
    };
    Ok((2..=solver.all_plies(&position)).take_while(fits).last().unwrap_or(1) as u32)
}

/// The answer from the openings: none if they don't hold the position.
fn published(
    game: &dyn Game,
    position: &pentago_games::Position,
    openings: Option<&Openings>,
) -> Result<Option<Answer>, pentago::Error> {
    let rules = Rules::default();
    let Some(openings) = openings.filter(|_| game.rules() == rules.to_string()) else { return Ok(None) };
    let value_of = |text: &str| Ok::<_, pentago::Error>(openings.value(&rules.parse_position(text)?));
    let Some(value) = value_of(&position.text)?.map(Value::from) else { return Ok(None) };
    let source = |value: Value| if value == Value::Unknown { "unknown" } else { "published" };
    let mut answer = Answer::unknown(game.rules(), position);
    answer.value = value;
    answer.source = Source::of(source(value));
    for text in game.moves(position) {
        let after = game.play(position, &text)?.text;
        let value = match value_of(&after)? {
            Some(Wdl::Win) => Value::Loss,
            Some(Wdl::Draw) => Value::Draw,
            Some(Wdl::Loss) => Value::Win,
            None => Value::Unknown,
        };
        let source = Source::of(source(value));
        let (found, distance, proved) = (None, None, None);
        answer.moves.push(MoveAnswer { text, value, source, found, distance, position: after, proved });
    }
    answer.moves.sort_by_key(|m| m.value.rank());
    answer.choose_best();
    (answer.plies, answer.boards, answer.kernel) = (Some(0), Some(0), Some(Kernel::best().name()));
    Ok(Some(answer))
}

/// Numbers folded into one (FNV-1a with a rotation).
#[derive(Clone, Copy)]
struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }

    fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// What [`digest`] gives.
#[derive(Serialize)]
pub struct Digests {
    kernel: &'static str,
    passes: String,
    solved: String,
    proved: String,
}

/// About how many boards [`digest`] computes.
pub const DIGEST_BOARDS: u64 = 100_000_000;

/// Numbers that are the same for every kernel and any number of threads: of its passes over
/// pseudo-random half supers, of the values of positions that are solved, and of what is proved of
/// earlier ones, move by move. The tests compare those of this machine's kernels with those of
/// WebAssembly's.
pub fn digest(kernel: Kernel, threads: NonZeroUsize, seed: u64) -> Digests {
    let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 31
    };
    let [mut passes, mut solved, mut proved] = [Digest::default(); 3];
    for round in 0..2000 {
        let sparse = round % 2 == 1;
        let mut half = || Half([0, 1].map(|_| if sparse { word() & word() & word() } else { word() }));
        let pack = Pack(std::array::from_fn(|_| half()));
        for turns in [Turns::Both, Turns::Clockwise(0), Turns::Clockwise(1)] {
            let words = Passes::of(kernel).rotation_max(&pack, turns).0;
            words.iter().flat_map(|half| half.0).for_each(|word| passes.add(word));
        }
    }
    for (_, rules) in Rules::presets() {
        let small = rules.shape.size() == 4;
        for marbles in if small { [2, 5, 8] } else { [20, 23, 27] } {
            let drawn = pentago::rules::random::positions(rules, marbles, 2, seed, true);
            for position in drawn.into_iter().flatten() {
                let mut solver = RootedSolver::new(*rules, kernel, threads, MEMORY);
                let plies = solver.all_plies(&position);
                // Truncated, too: other leaves.
                for plies in [3, plies] {
                    let Ok(solution) = solver.solve(&position, plies, &Control::new()) else { continue };
                    solution.moves.iter().for_each(|m| solved.add(u64::from(m.value.rank())));
                }
            }
        }
        let drawn = pentago::rules::random::positions(rules, if small { 1 } else { 14 }, 2, seed, true);
        for position in drawn.into_iter().flatten() {
            let mut solver = RootedSolver::new(*rules, kernel, threads, 50_000_000).with_clock(Clock::none());
            let request = Request { proof_boards: Some(500_000), ..Request::default() };
            let question = ask::Question::new(&position, &request);
            let Ok(answer) = question.answer(&mut solver, &Control::new()) else { continue };
            answer.moves.iter().for_each(|m| proved.add(u64::from(m.value.rank())));
        }
    }
    Digests { kernel: kernel.name(), passes: passes.text(), solved: solved.text(), proved: proved.text() }
}
