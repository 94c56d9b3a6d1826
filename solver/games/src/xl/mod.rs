//! Pentago XL.

#[cfg(feature = "build")]
mod build;
mod opponent;
mod record;
#[cfg(feature = "tables")]
mod tables;

use std::sync::Arc;

use ::pentago::Value;
use pentago_base::counted_plies;
use pentago_search::{Certificate, Goal, Side};
use pentago_xl::symmetry::SymmetryGroup;
use pentago_xl::{
    Bounds, Duel, Kernel, Limits, Mode, Moment, Outcome, Played, Request, Rules, Seat, Solver, Turn,
};

use crate::board::{Block, Board, SeatOf};
use crate::game::first_word;
use crate::plain::{game_over, out_of_memory, prove};
use crate::{
    Answer, Choice, Draw, Drawn, Ending, Game, Kind, Meaning, MoveAnswer, Orbit, Position, Preset, Proved,
    Question, Result, Source, Thought, bad_input,
};

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

/// Pentago XL.
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
    formats: &[record::FORMAT],
    #[cfg(feature = "tables")]
    open: Some(crate::tables::open::<pentago_xl::tables::XlSchema>),
};

/// Moves of the forward searches for each second that may be spent.
const NODES_PER_SECOND: f64 = 500_000.0;
/// The most bytes of the table of forward searches.
const MOST_TABLE: u64 = 1 << 30;
/// Plies of the forced wins that are looked for where no depth is given.
const WIN_PLIES: u32 = 5;

/// Pentago XL by some rules.
struct Xl {
    rules: Rules,
}

fn value_of(bounds: Bounds) -> Value {
    bounds.value().map_or(Value::Unknown, known)
}

fn known(value: pentago_xl::Value) -> Value {
    value.into()
}

/// How a game has ended.
fn ending(rules: &Rules, outcome: &Outcome) -> Ending {
    let wins = |seat: &Seat| outcome.value(rules, *seat) == pentago_xl::Value::Win;
    let winners: String = rules.everyone().iter().filter(wins).map(Seat::letter).collect();
    Ending { winners, words: in_words(rules, outcome), text: outcome.to_string() }
}

fn in_words(rules: &Rules, outcome: &Outcome) -> String {
    let names = |seats: Vec<Seat>| {
        let names: Vec<String> = seats.iter().map(|seat| seat.letter().to_string()).collect();
        names.join(" and ")
    };
    let first: Vec<Seat> = match outcome {
        Outcome::Teams(None) => return "a draw".to_owned(),
        Outcome::Teams(Some(winner)) => rules.side_of(*winner).iter().collect(),
        Outcome::Places(_) if rules.continues() => return format!("the places are {outcome}"),
        Outcome::Places(places) => rules.everyone().iter().filter(|seat| places[seat.index()] == 1).collect(),
    };
    match first.len() {
        all if all == rules.seats() => "a draw".to_owned(),
        1 => format!("{} has won", names(first)),
        _ if matches!(outcome, Outcome::Teams(_)) => format!("{} have won", names(first)),
        _ => format!("{} share the first place", names(first)),
    }
}

/// The kernel of a question. Both games have kernels of the same names.
fn kernel(question: &Question) -> Kernel {
    question.kernel.and_then(|kernel| kernel.name().parse().ok()).unwrap_or_else(Kernel::best)
}

impl Xl {
    fn parse(&self, position: &Position) -> Result<Moment> {
        Ok(self.rules.parse_moment(&position.text)?)
    }

    fn between_moves(&self, position: &pentago_xl::Position, over: Option<Outcome>) -> Position {
        Position {
            text: self.rules.format_position(position),
            to_move: position.to_move.letter(),
            pending: false,
            over: over.map(|outcome| ending(&self.rules, &outcome)),
            marbles: position.count(),
        }
    }

    fn solver(&self, question: &Question) -> Result<Solver> {
        let nodes = (question.time.as_secs_f64() * NODES_PER_SECOND) as u64;
        let table = (question.memory / 8).clamp(1 << 12, MOST_TABLE);
        let limits = Limits {
            nodes: nodes.max(1),
            table_bytes: usize::try_from(table).unwrap_or(1 << 26),
            memory: question.memory.saturating_sub(table),
            ..Limits::default()
        };
        Solver::new(self.rules, limits, kernel(question)).map_err(out_of_memory)
    }

    /// What each seat can be sure of, as JSON has it.
    fn seats(&self, of: impl Fn(Seat) -> Value) -> Option<std::collections::BTreeMap<String, &'static str>> {
        Some(self.rules.everyone().iter().map(|seat| (seat.to_string(), of(seat).name())).collect())
    }

    /// What the solver says of a position, and of its moves or turns: how each is written, and what it leads to.
    fn answer_of<M: Copy>(
        &self,
        position: &Position,
        mover: Seat,
        solved: &pentago_xl::Answer<M>,
        text: impl Fn(M) -> String,
        play: impl Fn(M) -> Option<Played>,
    ) -> Answer {
        let plies = |plies: Option<u32>| plies.map(|plies| plies as usize);
        let moves = solved.moves.iter().map(|m| {
            let (value, after) = (value_of(m.bounds), play(m.m));
            let over = after.as_ref().is_some_and(|after| after.outcome.is_some());
            let position =
                after.map_or_else(String::new, |after| self.rules.format_position(&after.position));
            let answer = MoveAnswer::new(text(m.m), value, Source::computed(value, over), position);
            MoveAnswer { distance: plies(m.plies), ..answer }
        });
        let value = value_of(solved.of(mover));
        let within = |plies| format!("no forced win within {}", counted_plies(plies as usize));
        let said = solved.no_win_within.map(within);
        Answer {
            value,
            source: Source::computed(value, position.over.is_some()),
            seats: self.seats(|seat| value_of(solved.of(seat))),
            distance: plies(solved.plies),
            best: solved.best_moves().into_iter().map(&text).collect(),
            moves: moves.collect(),
            engine: Some(solved.engine.name().to_owned()),
            proved: said.map(|said| Proved::Said(vec![said])),
            nodes: Some(solved.nodes),
            ..Answer::unknown(self.rules.to_string(), position)
        }
    }

    /// What the solver says about a position.
    fn solve(&self, position: &Position, question: &Question) -> Result<Answer> {
        let (rules, moment) = (&self.rules, self.parse(position)?);
        let mut solver = self.solver(question)?;
        let wrong = |error: pentago_xl::SolveError| bad_input(error.to_string());
        let (control, mover) = (question.in_time(), moment.board().to_move);
        let distance = question.distance;
        let answer = match &moment {
            Moment::Turn(pending) => {
                let request = Request { distance, ..Request::default() };
                let solved = solver.solve_turn(pending, &request, &control).map_err(wrong)?;
                let play = |turn| Some(rules.turn(pending, turn));
                self.answer_of(position, mover, &solved, |turn| rules.format_turn(turn), play)
            }
            Moment::Move(now) => {
                let win_within = Some(question.depth.unwrap_or(WIN_PLIES));
                let request = Request { moves: true, distance, win_within, ..Request::default() };
                let solved = solver.solve(now, &request, &control).map_err(wrong)?;
                let play = |m| rules.play(now, m).ok();
                self.answer_of(position, mover, &solved, |m| rules.format_move(m), play)
            }
        };
        question.not_cancelled()?;
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
        Ok(match &moment {
            Moment::Move(position) => self.between_moves(position, self.rules.outcome(position)),
            Moment::Turn(_) => Position {
                text: self.rules.format_moment(&moment),
                pending: true,
                ..self.between_moves(moment.board(), None)
            },
        })
    }

    fn diagram(&self, position: &Position) -> String {
        self.parse(position)
            .map_or_else(|_| String::new(), |moment| self.rules.diagram(moment.board()) + "\n")
    }

    fn moves(&self, position: &Position) -> Vec<String> {
        let rules = &self.rules;
        match self.parse(position) {
            Ok(Moment::Move(_)) if position.over.is_some() => Vec::new(),
            Ok(Moment::Move(p)) => rules.moves(&p).into_iter().map(|m| rules.format_move(m)).collect(),
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
        let played = match self.parse(position)? {
            Moment::Move(now) => {
                let mv = self.rules.parse_move(mv)?;
                self.rules.play(&now, mv).map_err(|error| bad_input(error.to_string()))?
            }
            Moment::Turn(pending) => self.rules.turn(&pending, self.rules.parse_turn(mv)?),
        };
        Ok(self.between_moves(&played.position, played.outcome))
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
        match self.parse(position) {
            Ok(Moment::Move(p)) => self.rules.perft(&p, depth),
            Ok(Moment::Turn(_)) if depth > 0 => self.divide(position, depth).iter().map(|(_, n)| n).sum(),
            _ => 1,
        }
    }

    fn random<'g>(&'g self, draw: &Draw) -> Result<Drawn<'g>> {
        let Draw { marbles, seed, quiet } = *draw;
        let drawn = self.rules.random_stream(marbles, seed, quiet);
        Ok(Box::new(drawn?.map(|position| Ok(self.between_moves(&position?, None)))))
    }

    fn symmetries(&self, position: &Position) -> Vec<Orbit> {
        let Ok(moment) = self.parse(position) else { return Vec::new() };
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

    fn answer(&self, position: &Position, question: &Question) -> Result<Answer> {
        let began = question.clock.now();
        #[cfg(feature = "tables")]
        let stored = question.tables.map(|tables| tables::look_up(self, tables, position)).transpose()?;
        #[cfg(not(feature = "tables"))]
        let stored = None;
        let mut answer = question.completed(stored, || self.solve(position, question))?;
        question.is_met(&answer)?;
        if question.solve
            && let Moment::Move(now) = self.parse(position)?
        {
            let own = self.rules.side_of(now.to_move);
            let after = |mv: &str| self.rules.play(&now, self.rules.parse_move(mv).ok()?).ok();
            answer.add_guesses(|mv| Some(opponent::expected(&self.rules, own, &after(mv)?.position)));
        }
        Ok(answer.after(question.clock.since(began)))
    }

    fn prove(&self, position: &Position, question: &Question) -> Result<Certificate> {
        let Moment::Move(now) = self.parse(position)? else {
            return Err(bad_input("the turn is pending: give a position between two moves"));
        };
        if position.over.is_some() {
            return Err(game_over());
        }
        let side = self.rules.side_of(now.to_move);
        let duel = Duel::new(self.rules, now, side, kernel(question));
        let mut duel = duel.ok_or_else(|| bad_input("there is no proof with continue=yes"))?;
        prove(&mut duel, Goal::win(Side::First), question)
    }

    fn think(&self, position: &Position, question: &Question) -> Result<Thought> {
        let Moment::Move(now) = self.parse(position)? else {
            return crate::Plain::new(self).think(position, question);
        };
        let (mv, says) = opponent::Opponent { rules: self.rules, question }.think(&now)?;
        Ok(Thought { mv: self.rules.format_move(mv), says })
    }

    fn resign(&self, position: &Position) -> Option<Ending> {
        let (rules, moment) = (&self.rules, self.parse(position).ok()?);
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
    fn build(&self, order: &crate::Order) -> Result<Box<dyn crate::Build>> {
        build::build(self, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_words() {
        for (text, places, words) in [
            ("xl", [1, 2, 0, 0], "a has won"),
            ("xl", [1, 1, 0, 0], "a draw"),
            ("xl:seats=4", [1, 1, 3, 3], "a and b share the first place"),
            ("xl:seats=4", [1, 1, 1, 1], "a draw"),
            ("xl:seats=3,continue=yes", [1, 3, 2, 0], "the places are A1 B3 C2"),
        ] {
            let rules: Rules = text.parse().unwrap();
            assert_eq!(in_words(&rules, &Outcome::Places(places)), words);
        }
        let teams: Rules = "xl:seats=4,mode=2v2".parse().unwrap();
        assert_eq!(in_words(&teams, &Outcome::Teams(Some(Seat::B))), "b and d have won");
        assert_eq!(in_words(&teams, &Outcome::Teams(None)), "a draw");
    }
}
