//! The value of a position and of each of its moves: from the openings, or solved here.

use crate::boards::Game;
use crate::exports::clock;
use crate::json::{self, Object, object};
use crate::openings::Openings;
use crate::threads;
use pentago::ask::{AskError, Question};
use pentago::kernel::{Kernel, Pack, Passes, Turns};
use pentago::solve::RootedSolver;
use pentago::supers::Half;
use pentago::{Answer, Estimate, Origin, Request};
use pentago::{Clock, Control, Position, Rules, Value, Wdl};
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

/// A solver that keeps its memory from one position to the next.
#[derive(Default)]
pub struct Solvers {
    last: Option<RootedSolver>,
}

impl Solvers {
    /// The values of a position and all its moves, as JSON in the form of `pentago query --json`.
    ///
    /// # Errors
    /// What is wrong with the position.
    pub fn values(
        &mut self,
        game: &Game,
        text: &str,
        wanted: Wanted,
        openings: Option<&Openings>,
    ) -> Result<String, String> {
        let Game::Pentago(rules) = *game else {
            return Err("values of this game need the server".into());
        };
        let position = rules.parse_position(text).map_err(|e| e.to_string())?;
        if let Some(openings) = openings.filter(|_| rules == Rules::default())
            && let Some(answer) = published(rules, &position, openings)
        {
            return Ok(answer);
        }
        let solver = match self.last.take() {
            Some(solver) if solver.rules() == rules => solver,
            _ => solver(rules).with_clock(clock()),
        };
        let solver = self.last.insert(solver);
        let begun = solver.clock().now();
        let mut request = Request {
            distance: wanted.distance,
            time: Some(Duration::from_secs(wanted.seconds)),
            ..Request::default()
        };
        let control = Control::new();
        let answer = match Question::new(&position, &request).answer(solver, &control) {
            // From 15 marbles on it is the whole solution or nothing, unless a depth is given.
            Err(AskError::Memory(_)) => {
                request.depth = Some(deepest(solver, &position));
                Question::new(&position, &request).answer(solver, &control)
            }
            answer => answer,
        };
        let answer = answer.map_err(|e| e.to_string())?;
        let took = solver.clock().since(begun);
        Ok(report(rules, &position, &request, &answer, took, solver.kernel()))
    }
}

fn solver(rules: Rules) -> RootedSolver {
    RootedSolver::new(rules, Kernel::best(), threads::count(), MEMORY)
}

/// The boards below a position, which the whole solution computes: none if the openings hold it.
///
/// # Errors
/// What is wrong with the position.
pub fn effort(game: &Game, text: &str, openings: Option<&Openings>) -> Result<u64, String> {
    let Game::Pentago(rules) = *game else { return Ok(0) };
    let position = rules.parse_position(text).map_err(|e| e.to_string())?;
    if rules == Rules::default() && openings.is_some_and(|openings| openings.value(&position).is_some()) {
        return Ok(0);
    }
    let solver = solver(rules);
    Ok(solver.estimate(&position, solver.all_plies(&position)).boards)
}

/// The most plies for which a limited search fits in the memory and takes seconds.
fn deepest(solver: &RootedSolver, position: &Position) -> usize {
    let fits = |plies: &usize| {
        let estimate = solver.estimate(position, *plies);
        estimate.bytes <= MEMORY && estimate.boards <= LIMITED_BOARDS
    };
    (2..=solver.all_plies(position)).take_while(fits).last().unwrap_or(1)
}

/// The answer from the openings: none if they don't hold the position.
fn published(rules: Rules, position: &Position, openings: &Openings) -> Option<String> {
    let value = Value::from(openings.value(position)?);
    let mut moves: Vec<(pentago::Move, Position, Value)> = Vec::new();
    for m in rules.moves(position) {
        let after = rules.play(position, m).ok()?.position;
        let value = match openings.value(&after) {
            Some(Wdl::Win) => Value::Loss,
            Some(Wdl::Draw) => Value::Draw,
            Some(Wdl::Loss) => Value::Win,
            None => Value::Unknown,
        };
        moves.push((m, after, value));
    }
    moves.sort_by_key(|(_, _, value)| value.rank());
    let source = |value: Value| if value == Value::Unknown { "unknown" } else { "published" };
    Some(object(|o| {
        head(o, rules, position);
        o.text("value", value.name());
        o.text("source", source(value));
        o.maybe("distance", None);
        let best = moves.iter().filter(|m| m.2 == value);
        o.raw("best", &json::texts(best.map(|m| rules.format_move(m.0))));
        let moves = moves.iter().map(|(m, after, value)| {
            object(|o| {
                o.text("move", &rules.format_move(*m));
                o.text("value", value.name());
                o.text("source", source(*value));
                o.maybe("distance", None);
                o.text("position", &after.to_string());
            })
        });
        o.raw("moves", &json::list(moves));
        o.number("plies", 0);
        o.number("boards", 0);
        o.raw("seconds", "0");
        o.text("kernel", Kernel::best().name());
    }))
}

fn head(o: &mut Object, rules: Rules, position: &Position) {
    o.text("position", &position.to_string());
    o.text("rules", &rules.to_string());
    o.text("to_move", &position.to_move().letter().to_string());
    if position.pending() {
        o.flag("pending", true);
    }
}

/// Where a value comes from, how it was found, and if it is unknown, why and what is proved.
fn origin(o: &mut Object, origin: &Origin, value: Value, answer: &Answer, root: bool) {
    let (plies, ruled_out) = (answer.plies, answer.ruled_out);
    o.text("source", origin.name());
    match origin {
        Origin::Unknown(unknown) => o.text("reason", &unknown.to_string()),
        Origin::Proof { sockets, depth, within } => {
            let found = object(|o| {
                o.text("by", "proof");
                o.number("sockets", u64::from(*sockets));
                o.number("depth", u64::from(*depth));
                o.number("within", *within as u64);
            });
            o.raw("found", &found);
        }
        Origin::Solved if root && plies > 0 => {
            let found = object(|o| {
                o.text("by", "full width");
                o.number("plies", plies as u64);
            });
            o.raw("found", &found);
        }
        _ => {}
    }
    if value == Value::Unknown && !ruled_out.is_nothing() {
        let proved = object(|o| {
            o.number("no_win_within", ruled_out.win as u64);
            o.number("no_loss_within", ruled_out.loss as u64);
        });
        o.raw("proved", &proved);
    }
}

fn report(
    rules: Rules,
    position: &Position,
    request: &Request,
    answer: &Answer,
    took: Duration,
    kernel: Kernel,
) -> String {
    let distance = |plies: Option<usize>| plies.map(|plies| plies as u64);
    object(|o| {
        head(o, rules, position);
        o.text("value", answer.value.name());
        origin(o, &answer.origin, answer.value, answer, true);
        o.maybe("distance", distance(answer.distance));
        o.raw("best", &json::texts(answer.best_moves().iter().map(|m| rules.format_move(m.mv))));
        let moves = answer.moves.iter().map(|m| {
            object(|o| {
                o.text("move", &rules.format_move(m.mv));
                o.text("value", m.value.name());
                origin(o, &m.origin, m.value, answer, false);
                o.maybe("distance", distance(m.distance));
                o.text("position", &m.position.to_string());
            })
        });
        o.raw("moves", &json::list(moves));
        if request.distance {
            o.raw("line", &json::texts(answer.line.iter().map(|&m| rules.format_move(m))));
        }
        if answer.value == Value::Unknown {
            let Estimate { boards, bytes, .. } = answer.full;
            let full = object(|o| {
                o.number("boards", boards);
                o.number("bytes", bytes);
            });
            o.raw("full", &full);
        }
        o.number("plies", answer.plies as u64);
        o.number("boards", answer.boards);
        // As numbers, not as a float: formatting one is 20 KB of code.
        o.raw("seconds", &format!("{}.{:06}", took.as_secs(), took.subsec_micros()));
        o.text("kernel", kernel.name());
    })
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

/// About how many boards [`digest`] computes.
pub const DIGEST_BOARDS: u64 = 100_000_000;

/// Numbers that are the same for every kernel and any number of threads: of its passes over
/// pseudo-random half supers, of the values of positions that are solved, and of what is proved of
/// earlier ones, move by move. The tests compare those of this machine's kernels with those of
/// WebAssembly's.
pub fn digest(kernel: Kernel, threads: NonZeroUsize, seed: u64) -> String {
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
            let question = Question::new(&position, &request);
            let Ok(answer) = question.answer(&mut solver, &Control::new()) else { continue };
            answer.moves.iter().for_each(|m| proved.add(u64::from(m.value.rank())));
        }
    }
    object(|o| {
        o.text("kernel", kernel.name());
        o.text("passes", &passes.text());
        o.text("solved", &solved.text());
        o.text("proved", &proved.text());
    })
}
