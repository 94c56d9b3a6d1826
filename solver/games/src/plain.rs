//! What a game gets that only knows its moves: values, certificates and random positions, by playing
//! them. Slow, and the same for every game of two sides; what a game computes faster is tested
//! against it.

use ::pentago::Value;
use pentago_base::Random;
use pentago_search::{
    Budget, Certificate, Game as _, Goal, Method, NoCertificate, Notation, Outcome, Side, Table,
};

use crate::{
    Answer, Draw, Drawn, Game, MoveAnswer, Position, Question, Result, Source, Thought, bad_input, missing,
};

/// A game by its moves alone.
pub struct Plain<'g, G: ?Sized> {
    game: &'g G,
}

/// The most bytes of the table of a search.
const MOST_TABLE: u64 = 1 << 30;
/// Draws in a row that may end in no position.
const TRIES: usize = 10_000;

impl<'g, G: Game + ?Sized> Plain<'g, G> {
    /// A game.
    pub fn new(game: &'g G) -> Plain<'g, G> {
        Plain { game }
    }

    /// The game as the searches play it.
    fn search(&self, position: &Position) -> Result<Played<'g, G>> {
        let seats = self.game.board().seats();
        let mut both = seats.chars();
        let (Some(first), Some(_), None) = (both.next(), both.next(), both.next()) else {
            let title = self.game.kind().title;
            return Err(bad_input(format!("{title} with {} seats has no solver", seats.len())));
        };
        let mut search = Played { game: self.game, first, line: Vec::new() };
        search.push(position.clone());
        Ok(search)
    }

    /// The table of a search.
    fn table(question: &Question) -> Result<Table> {
        let bytes = (question.memory / 2).clamp(1 << 12, MOST_TABLE);
        Table::new(usize::try_from(bytes).unwrap_or(1 << 26)).map_err(out_of_memory)
    }

    /// [`Game::answer`].
    ///
    /// # Errors
    /// As there.
    pub fn answer(&self, position: &Position, question: &Question) -> Result<Answer> {
        let began = question.clock.now();
        let mut answer = Answer::unknown(self.game.rules(), position);
        let mut search = self.search(position)?;
        let mut table = Self::table(question)?;
        let limit = question.depth.unwrap_or(u32::MAX);
        let mut budget = Budget::watched(u64::MAX, &question.in_time());
        if position.over.is_none() {
            let value = |search: &mut Played<'_, G>, budget: &mut Budget, table: &mut Table, limit| {
                let found = pentago_search::value(search, table, limit, budget);
                (found.outcome, found.plies())
            };
            let (root, plies) = value(&mut search, &mut budget, &mut table, limit);
            let mover = search.side();
            answer.value = value_of(root, mover);
            answer.source = Source::computed(answer.value, false);
            answer.distance = plies.map(|plies| plies as usize).filter(|_| question.distance);
            for (at, text) in self.game.moves(position).into_iter().enumerate() {
                search.make(at);
                let over = search.outcome();
                let (found, plies) = match over {
                    Some(outcome) => (Some(outcome), Some(0)),
                    None => value(&mut search, &mut budget, &mut table, limit.saturating_sub(1)),
                };
                let distance = plies.map(|plies| plies as usize + 1);
                let position = search.now().text.clone();
                search.unmake(at, ());
                let value = value_of(found, mover);
                let decided = matches!(value, Value::Win | Value::Loss) && question.distance;
                let distance = distance.filter(|_| decided);
                let source = Source::computed(value, over.is_some());
                answer.moves.push(MoveAnswer { distance, ..MoveAnswer::new(text, value, source, position) });
            }
        }
        question.not_cancelled()?;
        answer.engine = Some("full-width search".to_owned());
        answer.nodes = Some(budget.spent());
        answer.moves.sort_by_key(|m| m.value.order(m.distance));
        answer.choose_best();
        let answer = answer.after(question.clock.since(began));
        question.is_met(&answer)?;
        Ok(answer)
    }

    /// [`Game::prove`].
    ///
    /// # Errors
    /// As there.
    pub fn prove(&self, position: &Position, question: &Question) -> Result<Certificate> {
        if position.over.is_some() {
            return Err(game_over());
        }
        let mut search = self.search(position)?;
        let goal = Goal::win(search.side());
        prove(&mut search, goal, question)
    }

    /// [`Game::think`].
    ///
    /// # Errors
    /// As there.
    pub fn think(&self, position: &Position, question: &Question) -> Result<Thought> {
        let question = Question { distance: true, exact: false, ..*question };
        let answer = self.game.answer(position, &question)?;
        let best = answer.best.first().or_else(|| answer.moves.first().map(|m| &m.text));
        let mv = best.cloned().ok_or_else(|| bad_input("the game is over"))?;
        let says = match answer.value {
            Value::Win => "this wins",
            Value::Draw => "a draw",
            Value::Loss => "lost against best play",
            Value::Unknown => "not decided",
        };
        Ok(Thought { mv, says: says.to_owned() })
    }

    /// [`Game::random`]: by random moves from the start.
    ///
    /// # Errors
    /// As there.
    pub fn random(&self, draw: &Draw) -> Result<Drawn<'g>> {
        let (game, Draw { marbles, quiet, seed }) = (self.game, *draw);
        let mut random = Random::new(seed);
        let mut play = move || {
            let mut position = game.start();
            while position.marbles < marbles && position.over.is_none() {
                let moves = game.moves(&position);
                position = game.play(&position, &moves[random.below(moves.len())]).ok()?;
            }
            let fits = position.marbles == marbles && position.over.is_none();
            Some(position).filter(|p| fits && !(quiet && wins_at_once(game, p)))
        };
        let next = move || {
            let found = (0..TRIES).find_map(|_| play());
            let none = || {
                bad_input(format!("{TRIES} random games in a row led to no position with {marbles} marbles"))
            };
            Some(found.ok_or_else(none))
        };
        Ok(Box::new(std::iter::from_fn(next)))
    }
}

/// Whether some move wins immediately.
fn wins_at_once<G: Game + ?Sized>(game: &G, position: &Position) -> bool {
    let next = |m: &String| game.play(position, m).ok().and_then(|next| next.over);
    let wins = |m: &String| next(m).is_some_and(|over| over.value_for(position.to_move) == Value::Win);
    game.moves(position).iter().any(wins)
}

fn value_of(outcome: Option<Outcome>, mover: Side) -> Value {
    match outcome {
        None => Value::Unknown,
        Some(Outcome::Draw) => Value::Draw,
        Some(Outcome::Win(side)) if side == mover => Value::Win,
        Some(Outcome::Win(_)) => Value::Loss,
    }
}

/// An error of a table that doesn't fit in the memory.
pub(crate) fn out_of_memory(error: impl std::error::Error) -> ::pentago::Error {
    ::pentago::Error::new(::pentago::ErrorKind::Environment, format!("not enough memory: {error}"))
}

/// There is nothing to prove any more.
pub(crate) fn game_over() -> ::pentago::Error {
    missing("the game is over in this position: the side to move can't win any more")
}

/// Why there is no certificate.
pub(crate) fn no_certificate(error: NoCertificate, question: &Question) -> ::pentago::Error {
    match error {
        NoCertificate::Stopped if question.control.is_cancelled() => ::pentago::Stopped.into(),
        NoCertificate::Stopped => {
            missing("no win was proved in time: allow more with --time, or ask nearer to the end of the game")
        }
        NoCertificate::Refuted => missing("the side to move has no such win"),
        other => ::pentago::Error::new(::pentago::ErrorKind::Environment, other),
    }
}

/// A certificate for a goal, by forward search within the limits.
pub(crate) fn prove<G: Notation>(game: &mut G, goal: Goal, question: &Question) -> Result<Certificate> {
    let bytes = usize::try_from(question.memory / 2).unwrap_or(1 << 30);
    let mut table = Table::new(bytes).map_err(out_of_memory)?;
    let method = question.depth.map_or(Method::Any, Method::Shortest);
    let mut budget = Budget::watched(u64::MAX, &question.in_time());
    let proof = pentago_search::prove(game, goal, method, &mut table, &mut budget);
    proof.map_err(|error| no_certificate(error, question))
}

/// A game as the searches play it: the positions from the first to the current one.
struct Played<'g, G: ?Sized> {
    game: &'g G,
    /// The seat that is the first side.
    first: char,
    line: Vec<(Position, Vec<String>)>,
}

impl<G: Game + ?Sized> Played<'_, G> {
    fn push(&mut self, position: Position) {
        let moves = self.game.moves(&position);
        self.line.push((position, moves));
    }

    fn now(&self) -> &Position {
        &self.last().0
    }

    fn last(&self) -> &(Position, Vec<String>) {
        self.line.last().expect("the first position is never taken back")
    }

    fn side_of(&self, seat: char) -> Side {
        if seat == self.first { Side::First } else { Side::Second }
    }

    fn after(&self, at: usize) -> Position {
        let (position, moves) = self.last();
        self.game.play(position, &moves[at]).expect("a listed move is legal")
    }
}

impl<G: Game + ?Sized> pentago_search::Game for Played<'_, G> {
    type Move = usize;
    type Undo = ();

    fn side(&self) -> Side {
        self.side_of(self.now().to_move)
    }

    fn outcome(&self) -> Option<Outcome> {
        let over = self.now().over.as_ref()?;
        Some(over.winners.chars().next().map_or(Outcome::Draw, |seat| Outcome::Win(self.side_of(seat))))
    }

    fn plies_left(&self) -> u32 {
        if self.now().over.is_some() { 0 } else { self.game.plies_left(self.now()) }
    }

    fn moves(&mut self, out: &mut Vec<usize>) {
        self.all_moves(out);
    }

    fn all_moves(&mut self, out: &mut Vec<usize>) {
        out.extend(0..self.last().1.len());
    }

    fn make(&mut self, at: usize) {
        let next = self.after(at);
        self.push(next);
    }

    fn unmake(&mut self, _: usize, (): ()) {
        self.line.pop();
    }

    fn winning_move(&mut self) -> Option<usize> {
        let mover = self.now().to_move;
        let wins = |at: &usize| self.after(*at).over.is_some_and(|over| over.value_for(mover) == Value::Win);
        (0..self.last().1.len()).find(wins)
    }

    fn key(&self) -> u128 {
        // FNV-1a of 128 bits, with the last bits spread over all.
        let fold = |hash: u128, byte: u8| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        };
        let hash = self.now().text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, fold);
        (hash ^ hash >> 64).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }
}

impl<G: Game + ?Sized> Notation for Played<'_, G> {
    fn game_text(&self) -> String {
        self.game.rules()
    }

    fn position_text(&self) -> String {
        self.now().text.clone()
    }

    fn move_text(&self, at: usize) -> String {
        self.last().1[at].clone()
    }

    fn side_text(&self, side: Side) -> String {
        let seats = self.game.board().seats();
        seats.chars().find(|&seat| self.side_of(seat) == side).map(String::from).unwrap_or_default()
    }
}
