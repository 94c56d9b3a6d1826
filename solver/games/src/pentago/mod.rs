//! Pentago and Mini-Pentago, as implementations of the trait `Game`.

mod answer;
#[cfg(feature = "build")]
mod build;
mod counts;
mod device;
pub(crate) mod numbers;
pub(crate) mod openspiel;
mod opponent;
mod options;
mod tables;

use std::sync::{Arc, Mutex};

use ::pentago::ask::Search;
use ::pentago::rules::{Dir, Rules, Skip, random};
use ::pentago::{Outcome, Question};
use ::pentago_core::answer::Answer as Solved;
use ::pentago_core::kernel::{Graphics, Kernel};
use ::pentago_core::solve::{ForwardGame, RootedSolver, SolveError, side_of};
use ::pentago_core::symmetry::Group;
use pentago_base::{lock, quoted_path};
use pentago_search::{Certificate, Goal};

pub use device::{Device, Task};
pub use opponent::take_openings;

use crate::board::{Block, Board, SeatOf};
use crate::context::SearchContext;
use crate::error::{Result, bad_input};
use crate::game::{Draw, Drawn, Game, Kind, Orbit, Thought, first_word};
use crate::search::{game_over, prove};
use crate::{Answer, Ending, Position};
#[cfg(feature = "build")]
use crate::{Build, Order};
use opponent::PentagoOpponent;

/// The kind of the game Pentago, which includes Mini-Pentago.
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
    open: Some(tables::open),
};

/// The largest number of boards of a quick answer on a GPU, which suffices for positions of 20
/// marbles. The limit lets the GPU work on many positions of a batch at the same time.
const QUICK_BOARDS_ON_GPU: u64 = 20_000_000;

/// Pentago or Mini-Pentago with given rules.
struct Pentago {
    rules: Rules,
    /// Idle solvers, which keep their memory for later questions with the same settings.
    idle: Mutex<Vec<RootedSolver>>,
}

impl Pentago {
    fn new(rules: Rules) -> Pentago {
        Pentago { rules, idle: Mutex::default() }
    }

    /// Returns the solver's representation of a position.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) for a position of another game, or of another shape
    /// than the rules.
    fn now<'p>(&self, position: &'p Position) -> Result<&'p ::pentago::Position> {
        let now: &::pentago::Position = position.parsed()?;
        if now.shape() != self.rules.shape {
            return Err(SolveError::Shape.into());
        }
        Ok(now)
    }

    fn position(&self, position: &::pentago::Position, over: Option<Outcome>) -> Position {
        let text = self.rules.format_position(position);
        let marbles = position.board().marbles() as usize;
        let (to_move, pending) = (position.to_move().letter(), position.pending());
        let over = over.map(|outcome| Ending::of(outcome).because(&self.reason(position.board(), outcome)));
        Position::new(*position, text, to_move, pending, marbles, over)
    }

    /// Returns the reason why the game ended on this board with this outcome.
    fn reason(&self, board: ::pentago::Board, outcome: Outcome) -> String {
        let row = format!("{} in a row", self.rules.shape.run());
        match (outcome, [board.x, board.o].map(|set| self.rules.shape.has_line(set))) {
            (Outcome::Win(_), _) => row,
            (Outcome::Draw, [true, true]) => format!("both have {row}"),
            (Outcome::Draw, [false, false]) => "the board is full".to_owned(),
            (Outcome::Draw, _) => format!("the reply makes {row}"),
        }
    }

    /// Runs `work` with a solver that no other thread uses.
    fn with_solver<T>(&self, context: &SearchContext, work: impl FnOnce(&mut RootedSolver) -> T) -> T {
        let kernel = context.kernel.unwrap_or_else(Kernel::best);
        let wanted = (kernel, context.threads, context.memory);
        let mut idle = lock(&self.idle);
        let found = idle.iter().position(|idle| (idle.kernel, idle.threads, idle.memory) == wanted);
        let mut solver = match found {
            Some(at) => idle.swap_remove(at),
            None => {
                // No idle solver has these settings. Drop the idle solvers, whose memory would
                // otherwise stay allocated without use.
                idle.clear();
                RootedSolver::new(self.rules, kernel, context.threads, context.memory)
            }
        };
        drop(idle);
        solver.clock = context.clock.clone();
        solver.rate = context.rate.unwrap_or(solver.rate);
        solver.outside = context.outside.cloned();
        solver.kept = context.kept.cloned();
        let result = work(&mut solver);
        lock(&self.idle).push(solver);
        result
    }

    /// Answers a question by a search, which `run` performs. Returns `None` if `run` declines to
    /// answer.
    fn search(
        &self,
        position: &Position,
        question: &Question,
        context: &SearchContext,
        run: impl FnOnce(Search) -> Result<Option<Solved>>,
    ) -> Result<Option<Answer>> {
        let now = self.now(position)?;
        let began = context.clock.now();
        let stored = opponent::stored(context)?;
        self.with_solver(context, |solver| {
            let search = Search::new(now, question, solver, context.control).with(stored);
            let Some(solved) = run(search)? else { return Ok(None) };
            let answer = answer::answer(&self.rules, position, question, &solved, solver.used());
            Ok(Some(answer.after(context.clock.since(began))))
        })
    }
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
        self.rules.board_number(self.now(position).ok()?)
    }

    fn read(&self, text: &str) -> Result<Position> {
        let position = self.rules.parse_position(text)?;
        Ok(self.position(&position, self.rules.outcome(&position)))
    }

    fn diagram(&self, position: &Position) -> String {
        let Ok(position) = self.now(position) else { return String::new() };
        let diagram = self.rules.diagram(position);
        // Omit the last line, which shows the side to move.
        diagram.rsplit_once('\n').map_or(diagram.as_str(), |(board, _)| board).to_owned() + "\n"
    }

    fn moves(&self, position: &Position) -> Vec<String> {
        let Ok(now) = self.now(position) else { return Vec::new() };
        if position.over.is_some() {
            return Vec::new();
        }
        self.rules.moves(now).into_iter().map(|m| self.rules.format_move(m)).collect()
    }

    fn read_move(&self, mv: &str) -> Result<String> {
        Ok(self.rules.format_move(self.rules.parse_move(mv)?))
    }

    fn play(&self, position: &Position, mv: &str) -> Result<Position> {
        let mv = self.rules.parse_move(mv)?;
        // The marbles alone don't always show that the game is over, so check the stored ending
        // first.
        if let Some(over) = &position.over {
            return Err(over.no_more_moves());
        }
        let played = self.rules.play(self.now(position)?, mv)?;
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
        self.now(position).map_or(0, |position| self.rules.perft(position, depth))
    }

    fn random<'g>(&'g self, draw: &Draw) -> Result<Drawn<'g>> {
        let marbles = u32::try_from(draw.marbles).unwrap_or(u32::MAX);
        let drawn = random::stream(self.rules, marbles, draw.seed, draw.quiet)?;
        Ok(Box::new(drawn.map(|position| Ok(self.position(&position?, None)))))
    }

    fn symmetries(&self, position: &Position) -> Vec<Orbit> {
        let Ok(position) = self.now(position) else { return Vec::new() };
        let (shape, board) = (self.rules.shape, position.board());
        let under = |name, key, group: Group| {
            let canonical = group.canonical(shape, board).1.image(position);
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

    fn answer(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        let answer = self.search(position, question, context, |search| search.answer().map(Some))?;
        Ok(answer.expect("without a limit there is an answer or an error"))
    }

    fn quick_answer(
        &self,
        position: &Position,
        question: &Question,
        context: &SearchContext,
        boards: u64,
    ) -> Result<Option<Answer>> {
        let on_gpu = context.kernel.unwrap_or_else(Kernel::best).graphics() == Graphics::Always;
        let boards = if on_gpu { QUICK_BOARDS_ON_GPU } else { boards };
        self.search(position, question, context, |search| search.quick_answer(boards.into()))
    }

    #[cfg(feature = "build")]
    fn prove(
        &self,
        position: &Position,
        question: &Question,
        context: &SearchContext,
    ) -> Result<Certificate> {
        let now = self.now(position)?;
        let mut game = ForwardGame::new(self.rules, *now)
            .ok_or_else(|| bad_input("the turn is pending: give a position between two moves"))?;
        if position.over.is_some() {
            return Err(game_over());
        }
        prove(&mut game, Goal::win(side_of(now.to_move())), question, context)
    }

    fn judge(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        let question = Question { distance: false, ..*question };
        let now = self.now(position)?;
        self.with_solver(context, |solver| {
            let (_, solved) = PentagoOpponent::new(solver, &question, context, self.rules).think(now)?;
            Ok(answer::answer(&self.rules, position, &question, &solved, solver.used()))
        })
    }

    fn think(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Thought> {
        let now = self.now(position)?;
        self.with_solver(context, |solver| {
            let (mv, solved) = PentagoOpponent::new(solver, question, context, self.rules).think(now)?;
            Ok(Thought { mv: self.rules.format_move(mv), says: answer::describe(&solved) })
        })
    }

    fn draw_stored<'g>(&'g self, tables: &'g crate::Tablebase, draw: &Draw) -> Result<Drawn<'g>> {
        let sets = tables.of::<::pentago::Tablebase>().map_or(&[][..], |tables| &tables.tables().families);
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
        let (folder, rules) = (quoted_path(&tables.path), self.rules);
        let marbles = pentago_base::counted(draw.marbles as u64, "marble");
        Err(crate::error::missing(format!(
            "no table of {rules} positions with {marbles} in {folder}: `pentago info {folder}` lists the \
             tables; --solve needs none"
        )))
    }

    #[cfg(feature = "build")]
    fn build(&self, order: &Order) -> Result<Box<dyn Build>> {
        build::build(self.rules, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProofCache, read_rules};
    use ::pentago::{Control, Value};
    use std::time::Duration;

    /// Checks that a kept proof answers for the position, for the positions after its moves, and
    /// for the mirror images of these positions.
    #[test]
    fn proofs_are_kept() {
        let (game, control, kept) = (read_rules("pentago").expect("rules"), Control::new(), Arc::default());
        let (long, short) = (Some(2_000_000), Some(1));
        let ask = |text: &str, proof_boards, kept: Option<&Arc<ProofCache>>| {
            let time = Some(Duration::from_secs(3));
            let question = Question { time, proof_boards, proofs_only: true, ..Question::default() };
            let context = SearchContext { kept, ..SearchContext::new(1 << 28, &control) };
            game.answer(&game.read(text).expect("a position"), &question, &context).expect("an answer")
        };
        let kept = Some(&kept);
        // A won position of twelve marbles, and its mirror image.
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
            // In a lost position, all moves must be known to lose. In a won position, the winning
            // move may be unknown.
            assert!(answer.value == Value::Win || answer.moves.iter().all(|m| m.value == Value::Loss));
            decided[usize::from(m.value == Value::Win)] += 1;
        }
        assert!(decided[1] > 0, "{decided:?}");
    }
}
