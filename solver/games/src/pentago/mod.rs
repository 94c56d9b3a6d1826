//! Pentago and Mini-Pentago.

mod answer;
#[cfg(feature = "build")]
mod build;
#[cfg(feature = "tables")]
mod counts;
mod device;
mod numbers;
mod openspiel;
mod opponent;
mod options;
#[cfg(feature = "tables")]
mod tables;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use ::pentago::Outcome;
#[cfg(feature = "tables")]
use ::pentago::ask::Stored;
use ::pentago::ask::{self, AskError};
use ::pentago::rules::{Dir, Rules, Skip, random};
use ::pentago_core::answer::{Answer as Found, Request};
use ::pentago_core::kernel::{Graphics, Kernel};
use ::pentago_core::solve::{ForwardGame, RootedSolver, side_of};
use ::pentago_core::symmetry::Group;
use pentago_base::lock;
use pentago_search::{Certificate, Goal};

pub use device::{Device, Task};

use crate::board::{Block, Board, SeatOf};
use crate::game::first_word;
use crate::plain::{game_over, prove};
use crate::{Answer, Draw, Drawn, Ending, Game, Kind, Orbit, Position, Question, Result, Thought, bad_input};
#[cfg(feature = "tables")]
use ::pentago_tables::probe::Tables;

/// Pentago, with the presets of its rules.
pub static KIND: Kind = Kind {
    name: "pentago",
    title: "Pentago",
    presets: &options::PRESETS,
    options: &options::OPTIONS,
    proofs: true,
    read: |text| {
        let known = options::PRESETS.iter().any(|preset| preset.name == first_word(text));
        let game = |rules| Arc::new(Pentago::new(rules)) as Arc<dyn Game>;
        known.then(|| Ok(game(text.parse()?)))
    },
    names: &[],
    formats: &[openspiel::FORMAT, numbers::FORMAT],
    #[cfg(feature = "tables")]
    open: Some(tables::open),
};

/// Boards that a quick answer may compute on a graphics processor: positions of 20 marbles, so that many
/// of a batch are on their way at a time.
const QUICK_BOARDS_ON_GPU: u64 = 20_000_000;

/// Pentago by some rules, with the solvers that are not in use.
struct Pentago {
    rules: Rules,
    idle: Mutex<Vec<Idle>>,
}

/// A solver that keeps its memory for the next question of the same kind.
struct Idle {
    solver: RootedSolver,
    made_for: (Kernel, NonZeroUsize, u64),
}

/// The published values of the first plies.
#[cfg(feature = "openings")]
fn openings() -> Result<&'static Tables> {
    static OPENINGS: std::sync::OnceLock<Tables> = std::sync::OnceLock::new();
    if let Some(openings) = OPENINGS.get() {
        return Ok(openings);
    }
    let openings = Tables::none().with_openings()?;
    Ok(OPENINGS.get_or_init(|| openings))
}

/// The request that a question is.
fn request(question: &Question) -> Request {
    Request {
        depth: question.depth.map(|plies| plies as usize),
        exact: question.exact,
        distance: question.distance,
        time: Some(question.time),
        proof_boards: question.proof_boards,
        proofs_only: question.proofs_only,
        // Nor is a guess, where nothing is to be computed.
        guess_boards: if question.solve { None } else { Some(0) },
        tables_only: !question.solve,
    }
}

impl Pentago {
    fn new(rules: Rules) -> Pentago {
        Pentago { rules, idle: Mutex::default() }
    }

    /// The position as the solver has it. The text was canonical, or somebody made it up.
    fn parse(&self, position: &Position) -> Result<::pentago::Position> {
        Ok(self.rules.parse_position(&position.text)?)
    }

    fn position(&self, position: &::pentago::Position, over: Option<Outcome>) -> Position {
        Position {
            text: self.rules.format_position(position),
            to_move: position.to_move().letter(),
            pending: position.pending(),
            over: over.map(Ending::of),
            marbles: position.board().marbles() as usize,
        }
    }

    /// Does some work with a solver of its own.
    fn with_solver<T>(&self, question: &Question, work: impl FnOnce(&mut RootedSolver) -> T) -> T {
        let kernel = question.kernel.unwrap_or_else(Kernel::best);
        let threads = NonZeroUsize::new(question.threads).unwrap_or(NonZeroUsize::MIN);
        let made_for = (kernel, threads, question.memory);
        let fits = |idle: &Idle| idle.made_for == made_for;
        let found = {
            let mut idle = lock(&self.idle);
            let at = idle.iter().position(fits);
            // Another's memory isn't kept.
            let found = at.map(|at| idle.swap_remove(at));
            if found.is_none() {
                idle.clear();
            }
            found
        };
        let make = || RootedSolver::new(self.rules, kernel, threads, question.memory);
        let solver = found.map_or_else(make, |idle| idle.solver);
        let mut solver = solver
            .with_clock(question.clock.clone())
            .with_outside(question.outside.cloned())
            .with_kept(question.kept.cloned());
        let result = work(&mut solver);
        lock(&self.idle).push(Idle { solver, made_for });
        result
    }

    /// Answers with a solver of its own.
    fn ask(
        &self,
        position: &Position,
        question: &Question,
        ask: impl FnOnce(&ask::Question, &mut RootedSolver) -> std::result::Result<Option<Found>, AskError>,
    ) -> Result<Option<Answer>> {
        let now = self.parse(position)?;
        let began = question.clock.now();
        let request = request(question);
        let asked = ask::Question::new(&now, &request);
        #[cfg(feature = "tables")]
        let asked = asked.with(stored(question)?);
        self.with_solver(question, |solver| {
            let Some(found) = ask(&asked, solver)? else { return Ok(None) };
            let answer = answer::answer(&self.rules, position, question, &found, solver.used());
            Ok(Some(answer.after(question.clock.since(began))))
        })
    }

    /// What the solver as a player makes of a position.
    fn thought(&self, position: &Position, question: Question) -> Result<(opponent::Thought, Kernel)> {
        let now = self.parse(position)?;
        self.with_solver(&question, |solver| {
            let thought = opponent::Opponent::new(solver, question, self.rules).think(&now)?;
            Ok((thought, solver.used()))
        })
    }
}

/// What is looked up first: the tables of the question, or the published values of the first plies.
#[cfg(feature = "tables")]
fn stored<'q>(question: &Question<'q>) -> Result<Stored<'q>> {
    if let Some(tables) = question.tables.and_then(|tables| tables.of::<::pentago::Tablebase>()) {
        return Ok(Stored::Tables(tables.tables()));
    }
    #[cfg(feature = "openings")]
    return openings().map(Stored::Openings);
    #[cfg(not(feature = "openings"))]
    Ok(Stored::Nothing)
}

impl Game for Pentago {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn rules(&self) -> String {
        self.rules.to_string()
    }

    fn board(&self) -> Board {
        let (rules, shape) = (&self.rules, self.rules.shape);
        let directions: &[char] = if rules.dir == Dir::Cw { &['+'] } else { &['+', '-'] };
        Board {
            game: KIND.name,
            rows: shape.size(),
            columns: shape.size(),
            files: Board::letters(shape.size()),
            run: shape.run(),
            blocks: Block::square(2, shape.quadrant_side(), directions, None),
            seats: SeatOf::x_and_o(),
            turn: true,
            decline: rules.skip != Skip::Never,
            captures: false,
            start: rules.format_position(&rules.start()),
        }
    }

    fn number(&self, position: &Position) -> Option<String> {
        self.rules.board_number(&self.parse(position).ok()?)
    }

    fn read(&self, text: &str) -> Result<Position> {
        let position = self.rules.parse_position(text)?;
        Ok(self.position(&position, self.rules.outcome(&position)))
    }

    fn diagram(&self, position: &Position) -> String {
        let Ok(position) = self.parse(position) else { return String::new() };
        let diagram = self.rules.diagram(&position);
        // The last line is the side to move.
        diagram.rsplit_once('\n').map_or(diagram.as_str(), |(board, _)| board).to_owned() + "\n"
    }

    fn moves(&self, position: &Position) -> Vec<String> {
        let Ok(now) = self.parse(position) else { return Vec::new() };
        if position.over.is_some() {
            return Vec::new();
        }
        self.rules.moves(&now).into_iter().map(|m| self.rules.format_move(m)).collect()
    }

    fn read_move(&self, mv: &str) -> Result<String> {
        Ok(self.rules.format_move(self.rules.parse_move(mv)?))
    }

    fn play(&self, position: &Position, mv: &str) -> Result<Position> {
        let mv = self.rules.parse_move(mv)?;
        // The position alone doesn't always tell.
        if position.over.is_some() {
            return Err(::pentago::rules::IllegalMove::Over.into());
        }
        let played = self.rules.play(&self.parse(position)?, mv)?;
        Ok(self.position(&played.position, played.outcome))
    }

    fn example(&self) -> String {
        "c4/2+".to_owned()
    }

    fn help(&self) -> String {
        "  c4/2+      a marble on c4, then quadrant 2 (of 1 2 above 3 4) clockwise; - is counterclockwise
  c4         a placement that ends the game"
            .to_owned()
    }

    fn perft(&self, position: &Position, depth: u32) -> u64 {
        if position.over.is_some() {
            return 1;
        }
        self.parse(position).map_or(0, |position| self.rules.perft(&position, depth))
    }

    fn random<'g>(&'g self, draw: &Draw) -> Result<Drawn<'g>> {
        let marbles = u32::try_from(draw.marbles).unwrap_or(u32::MAX);
        let drawn = random::stream(self.rules, marbles, draw.seed, draw.quiet)?;
        Ok(Box::new(drawn.map(|position| Ok(self.position(&position?, None)))))
    }

    fn symmetries(&self, position: &Position) -> Vec<Orbit> {
        let Ok(position) = self.parse(position) else { return Vec::new() };
        let (shape, board) = (self.rules.shape, position.board());
        let under = |name, key, group: Group| {
            let canonical = group.canonical(shape, board).by().image(&position);
            Orbit {
                name,
                key,
                order: group.order().into(),
                canonical: self.rules.format_position(&canonical),
                orbit: group.orbit_size(shape, board).into(),
                stabiliser: group.stabiliser_size(shape, board).into(),
            }
        };
        vec![
            under("symmetries of the board", "whole_board", Group::whole_board(self.rules.dir)),
            under(
                "symmetries with rotations of quadrants",
                "with_blocks",
                Group::with_quadrants(self.rules.dir),
            ),
        ]
    }

    fn answer(&self, position: &Position, question: &Question) -> Result<Answer> {
        let answer =
            self.ask(position, question, |asked, solver| asked.answer(solver, question.control).map(Some))?;
        Ok(answer.expect("without a limit there is an answer or an error"))
    }

    fn quick_answer(&self, position: &Position, question: &Question, boards: u64) -> Result<Option<Answer>> {
        self.ask(position, question, |asked, solver| {
            let on_gpu = solver.kernel().graphics() == Graphics::Always;
            let boards = if on_gpu { QUICK_BOARDS_ON_GPU } else { boards };
            asked.quick_answer(solver, question.control, boards.into())
        })
    }

    fn prove(&self, position: &Position, question: &Question) -> Result<Certificate> {
        let now = self.parse(position)?;
        let game = ForwardGame::new(self.rules, now);
        let mut game =
            game.ok_or_else(|| bad_input("the turn is pending: give a position between two moves"))?;
        if position.over.is_some() {
            return Err(game_over());
        }
        prove(&mut game, Goal::win(side_of(now.to_move())), question)
    }

    fn judge(&self, position: &Position, question: &Question) -> Result<Answer> {
        let question = Question { distance: false, ..*question };
        let (thought, kernel) = self.thought(position, question)?;
        Ok(answer::answer(&self.rules, position, &question, &thought.answer, kernel))
    }

    fn think(&self, position: &Position, question: &Question) -> Result<Thought> {
        let (thought, _) = self.thought(position, *question)?;
        Ok(Thought { mv: self.rules.format_move(thought.mv), says: answer::describe(&thought.answer) })
    }

    #[cfg(feature = "tables")]
    fn draw_stored<'g>(&'g self, tables: &'g crate::Tablebase, draw: &Draw) -> Result<Drawn<'g>> {
        let sets = tables.of::<::pentago::Tablebase>().map_or(&[][..], |tables| tables.tables().families());
        let marbles = u8::try_from(draw.marbles).unwrap_or(u8::MAX);
        for set in sets.iter().filter(|set| set.target().rules == self.rules) {
            if let Some(table) = set.table(marbles)? {
                let drawn = ::pentago_tables::probe::sample(vec![(set, table)], draw.seed);
                return Ok(Box::new(drawn.map(|(_, stored)| {
                    let position = stored.position;
                    Ok(self.position(&position, self.rules.outcome(&position)))
                })));
            }
        }
        let (folder, rules) = (tables.path().display(), self.rules);
        let marbles = pentago_base::counted(draw.marbles as u64, "marble");
        Err(crate::missing(format!(
            "no table of {rules} positions with {marbles} in {folder}: `pentago info {folder}` lists the \
             tables; --solve needs none"
        )))
    }

    #[cfg(feature = "build")]
    fn build(&self, order: &crate::Order) -> Result<Box<dyn crate::Build>> {
        build::build(self, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kept, read_rules};
    use ::pentago::{Control, Value};
    use std::time::Duration;

    /// What a proof has shown is known at once: of the position, of those after its moves, and of their
    /// images; and only where it is asked for.
    #[test]
    fn proofs_are_kept() {
        let (game, control, kept) = (read_rules("pentago").expect("rules"), Control::new(), Arc::default());
        let (long, short) = (Some(2_000_000), Some(1));
        let ask = |text: &str, proof_boards, kept: Option<&Arc<Kept>>| {
            let question = Question::new(Duration::from_secs(3), 1 << 28, &control);
            let question = Question { proof_boards, proofs_only: true, kept, ..question };
            game.answer(&game.read(text).expect("a position"), &question).expect("an answer")
        };
        let kept = Some(&kept);
        // Twelve marbles, won, and its image in a mirror.
        let (won, image) = ("3X2/3X1X/1X3O/3O1O/1XO2O/4XO x", "2X3/X1X3/O3X1/O1O3/O2OX1/OX4 x");
        let shown = ask(won, long, kept);
        assert_eq!((shown.value, ask(won, short, None).value), (Value::Win, Value::Unknown));
        for text in [won, image] {
            let again = ask(text, short, kept);
            assert_eq!(again.value, Value::Win);
            assert_eq!(again.best.len(), shown.best.len());
        }
        let mut decided = [0; 2];
        for m in shown.moves.iter().filter(|m| m.value != Value::Unknown).step_by(20) {
            let after = game.play(&game.read(won).expect("a position"), &m.text).expect("a move");
            if after.over.is_some() {
                continue;
            }
            let answer = ask(&after.text, short, kept);
            assert_eq!(answer.value, m.value.negate(), "{}", after.text);
            // Where all moves lose, each is known to; where one wins, perhaps not which.
            assert!(answer.value == Value::Win || answer.moves.iter().all(|m| m.value == Value::Loss));
            decided[usize::from(m.value == Value::Win)] += 1;
        }
        assert!(decided[1] > 0, "{decided:?}");
    }
}
