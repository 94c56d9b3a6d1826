//! Pente, as an implementation of the trait `Game`.

#[cfg(feature = "build")]
mod build;
mod opponent;
pub(crate) mod record;
mod tables;

use std::sync::{Arc, Mutex};

use ::pentago::Question;
use pentago_base::{counted_plies, lock};
use pentago_pente::forced::{AttackWidth, ForcedWinSearch, MAX_PLIES};
use pentago_pente::rules::random::{self, PlayStyle};
use pentago_pente::rules::{Capture, RuleOptions};
use pentago_pente::{Limits, Outcome, Rules, Solver};
use pentago_search::{Budget, Certificate, NoCertificate};

use crate::answer::source;
use crate::board::{Board, SeatOf};
use crate::context::SearchContext;
use crate::error::{Result, bad_input, missing, out_of_memory};
use crate::game::{Draw, Drawn, Game, Kind, Orbit, Thought, first_word};
use crate::search::{game_over, no_certificate};
use crate::{Answer, Choice, Ending, Meaning, MoveAnswer, Position, Preset, Proved};
#[cfg(feature = "build")]
use crate::{Build, Order};
use opponent::{PenteOpponent, expected};

/// The rules of Keryo-Pente.
pub const KERYO: &str = "pente:cap=2+3,win=15";

const PRESETS: [Preset; 2] = [
    Preset {
        name: "pente",
        title: "Pente",
        options: "",
        explanation: "Pente: five in a row or ten captured stones",
    },
    Preset {
        name: "pente:n=5,k=4,opening=free",
        title: "Pente, small",
        options: "n=5,k=4,opening=free",
        explanation: "Pente on 5x5 points, four in a row, a free opening",
    },
];

const OPTIONS: [Choice; 6] = [
    Choice::of("n", &[Meaning::new("19", "side of the board, 1 to 19; or w and h for its width and height")]),
    Choice::of("k", &[Meaning::new("5", "stones in a row that win")]),
    Choice::of(
        "opening",
        &[
            Meaning::new(
                "pro",
                "the first stone in the centre, the second of that player at least three away",
            ),
            Meaning::new("free", "no restriction"),
        ],
    ),
    Choice::of(
        "cap",
        &[
            Meaning::new("2", "pairs are captured"),
            Meaning::new("2+3", "pairs and threes are captured (Keryo)"),
            Meaning::new("0", "nothing is captured"),
        ],
    ),
    Choice::of("win", &[Meaning::new("10", "captured stones that win")]),
    Choice::of(
        "over",
        &[
            Meaning::new("yes", "a row of more than k wins, too"),
            Meaning::new("no", "only exactly k in a row win"),
        ],
    ),
];

/// The kind of the game Pente.
pub static KIND: Kind = Kind {
    name: "pente",
    title: "Pente",
    presets: &PRESETS,
    options: &OPTIONS,
    proofs: false,
    read: |text| {
        let read = || Ok(Arc::new(Pente::new(text.parse()?)) as Arc<dyn Game>);
        (first_word(text) == "pente").then(read)
    },
    names: &[("Speed Pente", "pente"), ("Keryo-Pente", KERYO), ("Speed Keryo-Pente", KERYO)],
    open: Some(crate::tables::open::<pentago_pente::tables::PenteSchema>),
};

/// The memory limit of search tables in bytes. Larger tables don't make searches faster.
const MOST_MEMORY: u64 = 4 << 30;
/// The memory limit in bytes of the search tables of the computer player. The player keeps these
/// tables from move to move.
const PLAYERS_MEMORY: u64 = 1 << 28;

/// Pente with given rules.
struct Pente {
    rules: Rules,
    /// The memory limit in bytes and the solver of the computer player, or `None` before the
    /// player's first move.
    player: Mutex<Option<(u64, Solver)>>,
}

impl Pente {
    fn new(rules: Rules) -> Pente {
        Pente { rules, player: Mutex::default() }
    }

    fn position(&self, position: pentago_pente::Position, over: Option<Outcome>) -> Position {
        let text = self.rules.format_position(&position);
        let (to_move, stones) = (position.to_move().letter(), position.occupied().len());
        let RuleOptions { k, win, .. } = self.rules.options();
        let reason = |outcome| match outcome {
            Outcome::Win(color) if position.captured(color) >= win => "captured stones".to_owned(),
            Outcome::Win(_) => format!("{k} in a row"),
            Outcome::Draw => "the board is full".to_owned(),
        };
        let over = over.map(|outcome| Ending::of(outcome).because(&reason(outcome)));
        Position::new(position, text, to_move, false, stones, over)
    }

    /// Converts the solver's answer.
    fn answer_of(&self, position: &Position, answer: &pentago_pente::Answer) -> Answer {
        let rules = &self.rules;
        let mut proved: Vec<String> = answer.proved.iter().map(ToString::to_string).collect();
        if let Some(plies) = answer.wins_within.filter(|_| answer.distance.is_none()) {
            proved.push(format!("a win within {}", counted_plies(plies as usize)));
        }
        let moves = answer.moves.iter().map(|m| {
            let source = source(m.value, rules.outcome(&m.position).is_some());
            let position = rules.format_position(&m.position);
            let distance = m.distance.map(|plies| plies as usize);
            MoveAnswer { distance, ..MoveAnswer::new(rules.format_move(m.m), m.value, source, position) }
        });
        let mut found = Answer {
            value: answer.value,
            source: source(answer.value, position.over.is_some()),
            captures: opponent::captures(&answer.position),
            distance: answer.distance.map(|plies| plies as usize),
            moves: moves.collect(),
            engine: Some(answer.engine.word().to_owned()),
            proved: (!proved.is_empty()).then_some(Proved::Said(proved)),
            nodes: Some(answer.nodes),
            ..Answer::unknown(rules.to_string(), position)
        };
        found.choose_best();
        found
    }

    /// Adds a guess for each move to the answer if no best move is known.
    fn guess(&self, position: &Position, answer: &mut Answer) -> Result<()> {
        let expected = expected(&self.rules, position.parsed()?);
        answer.add_guesses(|mv| self.rules.parse_move(mv).ok().map(&expected));
        Ok(())
    }

    /// Answers a question by the solver.
    fn solve(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        let now = position.parsed()?;
        let memory = context.memory.min(MOST_MEMORY);
        let mut solver = Solver::new(&self.rules, memory).map_err(out_of_memory)?;
        let limits = Limits {
            nodes: u64::MAX,
            plies: question.depth.unwrap_or(Limits::default().plies),
            control: context.in_time(question),
            distance: question.distance,
            every_move: true,
        };
        let answer = solver.solve(now, limits);
        context.not_cancelled()?;
        Ok(self.answer_of(position, &answer))
    }

    /// Runs `work` with the solver of the computer player.
    fn as_player<T>(
        &self,
        question: &Question,
        context: &SearchContext,
        work: impl FnOnce(PenteOpponent) -> Result<T>,
    ) -> Result<T> {
        let memory = context.memory.min(PLAYERS_MEMORY);
        let mut solver = match lock(&self.player).take() {
            Some((made_for, solver)) if made_for == memory => solver,
            _ => Solver::new(&self.rules, memory).map_err(out_of_memory)?,
        };
        let result = work(PenteOpponent { rules: self.rules, solver: &mut solver, question, context });
        *lock(&self.player) = Some((memory, solver));
        result
    }
}

impl Game for Pente {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn rules(&self) -> String {
        self.rules.to_string()
    }

    fn board(&self) -> Board {
        let rules = &self.rules;
        let file = |file| rules.point(file, 0).map(|point| rules.format_move(point));
        Board {
            game: KIND.name,
            rows: rules.height(),
            columns: rules.width(),
            files: (0..rules.width()).filter_map(file).filter_map(|name| name.chars().next()).collect(),
            run: rules.k(),
            blocks: Vec::new(),
            seats: SeatOf::x_and_o(),
            turn: false,
            decline: false,
            captures: rules.options().capture != Capture::Never,
            start: rules.format_position(&rules.start()),
        }
    }

    fn read(&self, text: &str) -> Result<Position> {
        let position = self.rules.parse_position(text)?;
        let over = self.rules.outcome(&position);
        Ok(self.position(position, over))
    }

    fn diagram(&self, position: &Position) -> String {
        let Ok(position) = position.parsed() else { return String::new() };
        let diagram = self.rules.diagram(position);
        // Omit the last line, which shows the side to move.
        diagram.rsplit_once('\n').map_or(diagram.as_str(), |(board, _)| board).to_owned() + "\n"
    }

    fn moves(&self, position: &Position) -> Vec<String> {
        let Ok(now) = position.parsed() else { return Vec::new() };
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
        if let Some(over) = &position.over {
            return Err(over.no_more_moves());
        }
        let played = self.rules.play(position.parsed()?, mv);
        let played = played.map_err(|error| bad_input(error.to_string()))?;
        Ok(self.position(played.position, played.outcome))
    }

    fn plies_left(&self, position: &Position) -> u32 {
        let Ok(now) = position.parsed::<pentago_pente::Position>() else { return 0 };
        // Each captured stone frees a point for one more move. Before the game ends, a side
        // captures at most `win - 1` stones.
        let RuleOptions { capture, win, .. } = self.rules.options();
        let captures = if capture == Capture::Never { 0 } else { 2 * (u32::from(win) - 1) };
        (self.rules.points() - now.occupied().len()) as u32 + captures
    }

    fn example(&self) -> String {
        // `K10` is the centre of the standard board. `A1` exists on every board.
        let centre = "K10";
        if self.rules.parse_move(centre).is_ok() { centre } else { "A1" }.to_owned()
    }

    fn help(&self) -> String {
        "  K10        a stone on K10; there is no file I".to_owned()
    }

    fn perft(&self, position: &Position, depth: u32) -> u64 {
        if position.over.is_some() {
            return 1;
        }
        position.parsed().map_or(0, |position| self.rules.perft(position, depth))
    }

    fn random<'g>(&'g self, draw: &Draw) -> Result<Drawn<'g>> {
        let Draw { marbles, seed, quiet } = *draw;
        let drawn = random::stream(&self.rules, PlayStyle::Uniform, marbles, seed, quiet);
        Ok(Box::new(drawn?.map(|position| Ok(self.position(position?, None)))))
    }

    fn symmetries(&self, position: &Position) -> Vec<Orbit> {
        let Ok(now) = position.parsed() else { return Vec::new() };
        let all = self.rules.symmetries();
        let order = all.len() as u64;
        let same = all.iter().filter(|&&s| self.rules.image(now, s) == *now).count() as u64;
        vec![Orbit {
            name: "symmetries of the board",
            key: "whole_board",
            order,
            canonical: self.rules.format_position(&self.rules.canonical(now).0),
            orbit: order / same,
            stabiliser: same,
        }]
    }

    fn answer(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        let began = context.clock.now();
        let stored =
            context.tables.map(|tables| tables::look_up(&self.rules, tables, position)).transpose()?;
        let solve = || self.solve(position, question, context);
        let mut answer = Answer::stored_or_solved(stored, question, solve)?.required(question)?;
        if !question.tables_only {
            self.guess(position, &mut answer)?;
        }
        Ok(answer.after(context.clock.since(began)))
    }

    #[cfg(feature = "build")]
    fn prove(
        &self,
        position: &Position,
        question: &Question,
        context: &SearchContext,
    ) -> Result<Certificate> {
        let now = position.parsed()?;
        if position.over.is_some() {
            return Err(game_over());
        }
        let bytes = usize::try_from(context.memory.min(MOST_MEMORY) / 2).unwrap_or(1 << 28);
        let mut forced = ForcedWinSearch::new(&self.rules, bytes);
        let plies = question.depth.unwrap_or(MAX_PLIES).min(MAX_PLIES);
        // Run the narrow searches first: they are quick, and every win that they find is proved.
        let widths = [
            (AttackWidth::Threats, 25),
            (AttackWidth::Quiet(1), 11),
            (AttackWidth::Quiet(2), 9),
            (AttackWidth::Full, 9),
        ];
        let control = context.in_time(question);
        let found = widths.into_iter().find_map(|(width, most)| {
            let mut budget = Budget::watched(u64::MAX, &control);
            let found = forced.certify(now, plies.min(most), width, &mut budget);
            (!matches!(found, Err(NoCertificate::Refuted))).then_some(found)
        });
        // The position may still have a longer win, or a win with more quiet moves.
        let none = || {
            missing(format!(
                "no win was found by threats within {}, with one quiet move within {}, or by all \
                 moves within {}: try a later position",
                counted_plies(plies.min(25) as usize),
                plies.min(11),
                plies.min(9)
            ))
        };
        found.ok_or_else(none)?.map_err(|error| no_certificate(error, context))
    }

    fn judge(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        let now = position.parsed()?;
        let answer = self.as_player(question, context, |mut player| player.answer(now, true))?;
        let mut answer = self.answer_of(position, &answer);
        self.guess(position, &mut answer)?;
        Ok(answer)
    }

    fn think(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Thought> {
        let now = position.parsed()?;
        let (mv, says) = self.as_player(question, context, |mut player| player.think(now))?;
        Ok(Thought { mv: self.rules.format_move(mv), says })
    }

    #[cfg(feature = "build")]
    fn build(&self, order: &Order) -> Result<Box<dyn Build>> {
        build::build(self.rules, KIND.title, order)
    }
}
