//! Pentago XL, as an implementation of the trait `Game`.

mod answer;
#[cfg(feature = "build")]
mod build;
mod certificate;
mod opponent;
mod tables;

pub use certificate::open_certificate;

use std::io;
use std::path::Path;
use std::sync::Arc;

use ::pentago::{Error, ErrorKind, Question};
use pentago_base::{counted_plies, shown_path};
use pentago_search::{Budget, Certificate, Goal, Side};
use pentago_xl::symmetry::SymmetryGroup;
use pentago_xl::{
    Duel, Kernel, LemmaJournal, Limits, Mode, Moment, Outcome, Request, Rules, Seat, Solver, Turn,
    prove_by_lemmas,
};

use crate::board::{Block, Board, SeatOf};
use crate::context::{SearchContext, time};
use crate::error::{Result, bad_input, out_of_memory};
use crate::game::{Draw, Drawn, Game, Kind, Orbit, Thought, first_word, think_by_answer};
use crate::search::{game_over, no_certificate, prove};
use crate::{Answer, Choice, Ending, Meaning, Position, Preset};
#[cfg(feature = "build")]
use crate::{Build, Order};
use answer::ending;
use opponent::{LEMMA_MARBLES, NODES_PER_SECOND, expected};

const PRESETS: [Preset; 4] = [
    Preset {
        name: "xl",
        title: "Pentago XL",
        options: "",
        explanation: "Pentago XL: 9x9 sockets, nine quadrants, the centre one fixed",
    },
    Preset {
        name: "xl:seats=3",
        title: "Pentago XL, three seats",
        options: "seats=3",
        explanation: "Pentago XL for three, everyone for himself",
    },
    Preset {
        name: "xl:seats=4",
        title: "Pentago XL, four seats",
        options: "seats=4",
        explanation: "Pentago XL for four, everyone for himself",
    },
    Preset {
        name: "xl:seats=4,mode=2v2",
        title: "Pentago XL, two teams",
        options: "seats=4,mode=2v2",
        explanation: "Pentago XL for two teams of two: A and C, B and D",
    },
];

const OPTIONS: [Choice; 4] = [
    Choice::of("seats", &[Meaning::new("2", "two players; also 3 or 4")]),
    Choice::of(
        "mode",
        &[
            Meaning::new("ffa", "everyone for himself"),
            Meaning::new("2v2", "seats A and C against B and D; with seats=4"),
        ],
    ),
    Choice::of(
        "supply",
        &[Meaning::new("40", "marbles of each seat, 1 to 81; 40 with two seats, otherwise 20")],
    ),
    Choice::of(
        "continue",
        &[
            Meaning::new("no", "the game ends with the first five"),
            Meaning::new("yes", "the others play on for the next places"),
        ],
    ),
];

/// The kind of the game Pentago XL.
pub static KIND: Kind = Kind {
    name: "xl",
    title: "Pentago XL",
    presets: &PRESETS,
    options: &OPTIONS,
    proofs: false,
    read: |text| {
        let read = || Ok(Arc::new(Xl { rules: text.parse()? }) as Arc<dyn Game>);
        (first_word(text) == "xl").then(read)
    },
    names: &[],
    open: Some(certificate::open),
};

/// The maximum size of the table of forward searches, in bytes.
const MOST_TABLE: u64 = 1 << 30;
/// The maximum length, in plies, of the forced wins to search for. The depth of a question
/// overrides this limit.
const WIN_PLIES: u32 = 5;

/// Pentago XL with given rules.
struct Xl {
    rules: Rules,
}

/// Returns the kernel of Pentago XL that has the same name as the kernel of the context. If there
/// is none, returns the best kernel.
fn kernel(context: &SearchContext) -> Kernel {
    context.kernel.and_then(|kernel| kernel.name().parse().ok()).unwrap_or_else(Kernel::best)
}

impl Xl {
    fn position(&self, moment: Moment, over: Option<Outcome>) -> Position {
        let board = moment.board();
        let text = self.rules.format_moment(&moment);
        let over = over.map(|outcome| ending(&self.rules, &outcome)).map(|ending| {
            // With `continue=yes`, the result in words already lists the places of all seats.
            let won = !ending.winners.is_empty() && !self.rules.continues();
            if won { ending.because("5 in a row") } else { ending }
        });
        let (to_move, pending) = (board.to_move.letter(), matches!(moment, Moment::Turn(_)));
        Position::new(moment, text, to_move, pending, board.count(), over)
    }

    fn solver(&self, question: &Question, context: &SearchContext) -> Result<Solver> {
        let nodes = (time(question).as_secs_f64() * NODES_PER_SECOND) as u64;
        let table = (context.memory / 8).clamp(1 << 12, MOST_TABLE);
        let limits = Limits {
            nodes: nodes.max(1),
            table_bytes: usize::try_from(table).unwrap_or(1 << 26),
            memory: context.memory.saturating_sub(table),
            ..Limits::default()
        };
        Solver::new(self.rules, limits, kernel(context)).map_err(out_of_memory)
    }

    /// Answers a question by the solver.
    fn solve(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        let (rules, moment): (_, &Moment) = (&self.rules, position.parsed()?);
        let mut solver = self.solver(question, context)?;
        let wrong = |error: pentago_xl::Refusal| bad_input(error.to_string());
        let (control, mover) = (context.in_time(question), moment.board().to_move);
        let distance = question.distance;
        let answer = match moment {
            Moment::Turn(pending) => {
                let request = Request { distance, ..Request::default() };
                let solved = solver.solve_turn(pending, &request, &control).map_err(wrong)?;
                let play = |turn| Some(rules.turn(pending, turn));
                answer::answer(rules, position, mover, &solved, |turn| rules.format_turn(turn), play)
            }
            Moment::Move(now) => {
                let win_within = Some(question.depth.unwrap_or(WIN_PLIES));
                let request = Request { moves: true, distance, win_within };
                let solved = solver.solve(now, &request, &control).map_err(wrong)?;
                let play = |m| rules.play(now, m).ok();
                answer::answer(rules, position, mover, &solved, |m| rules.format_move(m), play)
            }
        };
        context.not_cancelled()?;
        Ok(answer)
    }
}

impl Game for Xl {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn rules(&self) -> String {
        self.rules.to_string()
    }

    fn board(&self) -> Board {
        use pentago_xl::geometry::{CENTRE, SIDE};
        let rules = &self.rules;
        let seat = |seat: Seat| SeatOf {
            seat: seat.letter(),
            marble: seat.letter().to_ascii_uppercase(),
            team: rules.side_of(seat).iter().map(Seat::letter).collect(),
        };
        Board {
            game: KIND.name,
            rows: SIDE,
            columns: SIDE,
            files: Board::letters(SIDE),
            run: 5,
            blocks: Block::square(3, 3, &['+', '-'], Some(usize::from(CENTRE))),
            seats: rules.everyone().iter().map(seat).collect(),
            turn: true,
            decline: false,
            captures: false,
            start: rules.format_position(&pentago_xl::Position::EMPTY),
        }
    }

    fn read(&self, text: &str) -> Result<Position> {
        let moment = self.rules.parse_moment(text)?;
        let over = match &moment {
            Moment::Move(position) => self.rules.outcome(position),
            Moment::Turn(_) => None,
        };
        Ok(self.position(moment, over))
    }

    fn diagram(&self, position: &Position) -> String {
        let moment = position.parsed::<Moment>();
        moment.map_or_else(|_| String::new(), |moment| self.rules.diagram(moment.board()) + "\n")
    }

    fn moves(&self, position: &Position) -> Vec<String> {
        let rules = &self.rules;
        match position.parsed() {
            Ok(Moment::Move(_)) if position.over.is_some() => Vec::new(),
            Ok(Moment::Move(p)) => rules.moves(p).into_iter().map(|m| rules.format_move(m)).collect(),
            Ok(Moment::Turn(_)) => Turn::all().map(|turn| rules.format_turn(turn)).collect(),
            Err(_) => Vec::new(),
        }
    }

    fn read_move(&self, mv: &str) -> Result<String> {
        if mv.trim_start().starts_with('/') {
            return Ok(self.rules.format_turn(self.rules.parse_turn(mv)?));
        }
        Ok(self.rules.format_move(self.rules.parse_move(mv)?))
    }

    fn play(&self, position: &Position, mv: &str) -> Result<Position> {
        let played = match position.parsed()? {
            Moment::Move(now) => {
                let mv = self.rules.parse_move(mv)?;
                if let Some(over) = &position.over {
                    return Err(over.no_more_moves());
                }
                self.rules.play(now, mv).map_err(|error| bad_input(error.to_string()))?
            }
            Moment::Turn(pending) => self.rules.turn(pending, self.rules.parse_turn(mv)?),
        };
        Ok(self.position(Moment::Move(played.position), played.outcome))
    }

    fn example(&self) -> String {
        "c4/2+".to_owned()
    }

    fn help(&self) -> String {
        "  c4/2+      a marble on c4, then block 2 (of 1 2 3, 4 5 6, 7 8 9) clockwise; - is counterclockwise
  c4         a placement that makes five in a line"
            .to_owned()
    }

    fn perft(&self, position: &Position, depth: u32) -> u64 {
        match position.parsed() {
            Ok(Moment::Move(p)) => self.rules.perft(p, depth),
            Ok(Moment::Turn(_)) if depth > 0 => {
                let moves = self.moves(position).into_iter().filter_map(|m| self.play(position, &m).ok());
                moves.map(|next| self.perft(&next, depth - 1)).sum()
            }
            _ => 1,
        }
    }

    fn random<'g>(&'g self, draw: &Draw) -> Result<Drawn<'g>> {
        let Draw { marbles, seed, quiet } = *draw;
        let drawn = self.rules.random_stream(marbles, seed, quiet);
        Ok(Box::new(drawn?.map(|position| Ok(self.position(Moment::Move(position?), None)))))
    }

    fn symmetries(&self, position: &Position) -> Vec<Orbit> {
        let Ok(moment) = position.parsed::<Moment>() else { return Vec::new() };
        let (board, turn) = (moment.board(), if position.pending { " turn" } else { "" });
        let group = |(name, key, group): (&'static str, &'static str, SymmetryGroup)| Orbit {
            name,
            key,
            order: group.order(),
            canonical: self.rules.format_position(&group.canonical(board)) + turn,
            orbit: group.orbit_size(board),
            stabiliser: group.stabiliser_size(board),
        };
        let with_blocks = "symmetries with turns of blocks";
        vec![
            group(("symmetries of the board", "whole_board", SymmetryGroup::WholeBoard)),
            group((with_blocks, "with_blocks", SymmetryGroup::WithBlocks)),
        ]
    }

    fn answer(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        let began = context.clock.now();
        let rules = &self.rules;
        let early = certificate::is_early(rules, position.parsed::<Moment>()?.board());
        let looked_up =
            (early || context.tables.is_some()).then(|| tables::look_up(rules, context.tables, position));
        let stored = looked_up.transpose()?;
        let solve = || self.solve(position, question, context);
        let mut answer = Answer::stored_or_solved(stored, question, solve)?.required(question)?;
        if !question.tables_only
            && let Moment::Move(now) = position.parsed()?
        {
            let own = rules.side_of(now.to_move);
            let after = |mv: &str| rules.play(now, rules.parse_move(mv).ok()?).ok();
            answer.add_guesses(|mv| Some(expected(rules, own, &after(mv)?.position)));
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
        let Moment::Move(now) = position.parsed()? else {
            return Err(bad_input("the turn is pending: give a position between two moves"));
        };
        if position.over.is_some() {
            return Err(game_over());
        }
        let limit = question.depth.unwrap_or(u32::MAX);
        if now.count() <= LEMMA_MARBLES && self.rules.winning_move(now, kernel(context)).is_none() {
            // Leave half of the time for the search that also finds wins without lemmas.
            let control = context.within(time(question) / 2);
            let mut budget = Budget::watched(u64::MAX, &control);
            let journal = context
                .journal
                .map(|path| LemmaJournal::open(path).map_err(|error| bad_journal(path, error)));
            let mut journal = journal.transpose()?;
            let found = prove_by_lemmas(&self.rules, now, limit, &mut budget, journal.as_mut());
            if let Ok(Some(found)) = found {
                return Ok(found);
            }
            if let (Some(journal), Some(path)) = (journal, context.journal) {
                journal.close().map_err(|error| bad_journal(path, error))?;
            }
            context.control.check().map_err(|stopped| no_certificate(stopped.into(), context))?;
        }
        let side = self.rules.side_of(now.to_move);
        let duel = Duel::new(self.rules, *now, side, kernel(context));
        let mut duel = duel.ok_or_else(|| bad_input("there is no proof with continue=yes"))?;
        prove(&mut duel, Goal::win(Side::First), question, context)
    }

    fn think(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Thought> {
        let Moment::Move(now) = position.parsed()? else {
            return think_by_answer(self, position, question, context);
        };
        let win = certificate::certified(&self.rules, context.tables, now);
        if let Some((plies, m)) = win.filter(|(plies, _)| *plies > 1) {
            let says = format!("this wins within {}", counted_plies(plies));
            return Ok(Thought { mv: self.rules.format_move(m), says });
        }
        let (mv, says) = opponent::think(self.rules, question, context, now)?;
        Ok(Thought { mv: self.rules.format_move(mv), says })
    }

    fn resign(&self, position: &Position) -> Option<Ending> {
        let (rules, moment): (_, &Moment) = (&self.rules, position.parsed().ok()?);
        if rules.sides().len() != 2 {
            return None;
        }
        let loser = moment.board().to_move;
        let ending = ending(rules, &Outcome::of_fives(rules, rules.everyone().without(rules.side_of(loser))));
        Some(match rules.mode() {
            Mode::Teams => ending,
            _ => Ending { winners: self.board().others(loser.letter()), ..ending },
        })
    }

    #[cfg(feature = "build")]
    fn build(&self, order: &Order) -> Result<Box<dyn Build>> {
        build::build(self.rules, KIND.title, order)
    }
}

/// Returns the error for a journal that can't be used.
fn bad_journal(path: &Path, error: io::Error) -> Error {
    let path = shown_path(path);
    if error.kind() == io::ErrorKind::InvalidData {
        let advice = "remove the file, or choose another --out";
        return bad_input(format!("cannot continue from {path}: {error}\n  {advice}"));
    }
    Error::new(ErrorKind::Environment, format!("cannot write {path}: {error}"))
}
