//! The trait that every game implements, with a plain search for games that have no better search.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ::pentago::{Question, Value};
use pentago_base::Random;
use pentago_search::{Budget, Certificate, Game as _, Goal, Notation, Outcome, Side, Table};

use crate::answer::source;
use crate::context::SearchContext;
use crate::error::{Result, bad_input, out_of_memory};
use crate::search::{game_over, prove};
use crate::tables::Tablebase;
use crate::{Answer, Board, Choice, Ending, MoveAnswer, Position, Preset};
#[cfg(feature = "build")]
use crate::{Build, Order};

/// The maximum size of the table of a plain search, in bytes.
const MOST_TABLE: u64 = 1 << 30;
/// The largest number of random games in a row that may reach no suitable position. After these
/// games, drawing a position fails.
const TRIES: usize = 10_000;

/// The kind of a game, which is independent of the options of its rules.
pub struct Kind {
    /// The name of the game. The text of its rules begins with this name, or with the name of a
    /// preset.
    pub name: &'static str,
    /// The name of the game for display in sentences.
    pub title: &'static str,
    /// The named rule sets, the default rules first.
    pub presets: &'static [Preset],
    /// The rule options.
    pub options: &'static [Choice],
    /// `true` if the game supports a limit on the boards of a proof, and questions that allow only
    /// proofs.
    pub proofs: bool,
    /// The function that parses rules. Returns `None` if the text begins with the name of another
    /// game.
    pub read: ReadRules,
    /// The names of the game in other programs, each with the text of its rules.
    pub names: &'static [(&'static str, &'static str)],
    /// The function that opens the tables in a folder, or the embedded tables if there is no
    /// folder. Its last argument is the cache size for decoded blocks, in bytes.
    pub open: Option<OpenTables>,
}

/// A function that parses rules. Returns `None` if the text begins with the name of another game.
pub type ReadRules = fn(&str) -> Option<Result<Arc<dyn Game>>>;

/// A function that opens the tables of a game in a folder and adds them to a tablebase.
pub type OpenTables = fn(&mut Tablebase, Option<&Path>, usize) -> Result<()>;

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A game with its rules. Moves are texts that only the game itself parses.
///
/// A game of two sides must implement the methods without a body. The default methods search with
/// these required methods alone, which suffices for small games. Other games override the default
/// methods.
///
/// Methods work in the calling thread and in the [`SearchContext::threads`] threads of its rayon
/// pool.
pub trait Game: Send + Sync {
    /// Returns the kind of the game, which is independent of the options of the rules.
    fn kind(&self) -> &'static Kind;

    /// Returns the rules, in the syntax of `--rules`.
    fn rules(&self) -> String;

    /// Returns the description of the board.
    fn board(&self) -> Board;

    /// Parses a position in any notation that the game supports.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if the text is not a position.
    fn read(&self, text: &str) -> Result<Position>;

    /// Draws the board with its marbles as lines of text, without the side to move. Each line ends
    /// in a line break.
    fn diagram(&self, position: &Position) -> String;

    /// Returns the canonical texts of the legal moves. The list is empty if the game is over.
    fn moves(&self, position: &Position) -> Vec<String>;

    /// Plays a move, and returns the position after the move.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if the text is not a move, or the move isn't legal.
    fn play(&self, position: &Position, mv: &str) -> Result<Position>;

    /// Returns the canonical text of a move.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if the text is not a move.
    fn read_move(&self, mv: &str) -> Result<String> {
        Ok(mv.trim().to_owned())
    }

    /// Returns an upper bound on the number of moves until the game ends. The game must not be
    /// over.
    fn plies_left(&self, position: &Position) -> u32 {
        let board = self.board();
        (board.rows * board.columns).saturating_sub(position.marbles) as u32
    }

    /// Returns the position before the first move.
    fn start(&self) -> Position {
        self.read(&self.board().start).expect("the text of the start is a position")
    }

    /// Returns the number that identifies the position on perfect-pentago.net, or `None` if the
    /// position has no number there.
    fn number(&self, _position: &Position) -> Option<String> {
        None
    }

    /// Returns an example of a move, for help texts.
    fn example(&self) -> String {
        self.moves(&self.start()).first().cloned().unwrap_or_default()
    }

    /// Returns lines of help text about the notation of moves.
    fn help(&self) -> String {
        format!("  {}", self.example())
    }

    /// Counts the games that begin at a position and have `depth` moves, or fewer if they end
    /// earlier.
    fn perft(&self, position: &Position, depth: u32) -> u64 {
        let below = depth.checked_sub(1).filter(|_| position.over.is_none());
        let Some(below) = below else { return 1 };
        let moves = self.moves(position);
        moves.iter().filter_map(|m| self.play(position, m).ok()).map(|next| self.perft(&next, below)).sum()
    }

    /// Draws random positions in which the game isn't over. The same seed always yields the same
    /// positions.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if the game has no such positions.
    fn random<'g>(&'g self, draw: &Draw) -> Result<Drawn<'g>> {
        Ok(random_positions(self, draw))
    }

    /// Returns the orbit of a position under each group of symmetries. By default, the list is
    /// empty.
    fn symmetries(&self, position: &Position) -> Vec<Orbit> {
        let _ = position;
        Vec::new()
    }

    /// Answers a question about a position, from tables or by a search.
    ///
    /// # Errors
    /// [`Cancelled`](::pentago::ErrorKind::Cancelled) if the work was cancelled,
    /// [`Environment`](::pentago::ErrorKind::Environment) if the memory doesn't suffice,
    /// [`Missing`](::pentago::ErrorKind::Missing) if the question requires a value that was not
    /// found.
    fn answer(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        searched_answer(self, position, question, context)
    }

    /// Returns the same answer as [`Game::answer`] if about `boards` boards suffice for the answer
    /// (a million boards take milliseconds). With a small limit, a caller can answer many questions
    /// at the same time, each in one thread. Returns `None` if the question needs all threads and
    /// all memory.
    ///
    /// # Errors
    /// As for [`Game::answer`].
    fn quick_answer(
        &self,
        position: &Position,
        question: &Question,
        context: &SearchContext,
        boards: u64,
    ) -> Result<Option<Answer>> {
        let _ = (position, question, context, boards);
        Ok(None)
    }

    /// Returns a certificate which proves that the side to move wins.
    ///
    /// # Errors
    /// [`Missing`](::pentago::ErrorKind::Missing) if there is no win, or no win was found in time,
    /// [`Cancelled`](::pentago::ErrorKind::Cancelled) if the work was cancelled.
    #[cfg(feature = "build")]
    fn prove(
        &self,
        position: &Position,
        question: &Question,
        context: &SearchContext,
    ) -> Result<Certificate> {
        if position.over.is_some() {
            return Err(game_over());
        }
        let mut search = SearchLine::new(self, position)?;
        let goal = Goal::win(search.side());
        prove(&mut search, goal, question, context)
    }

    /// Evaluates a position as the computer player does, within about the time limit of the
    /// question.
    ///
    /// # Errors
    /// As for [`Game::answer`].
    fn judge(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Answer> {
        self.answer(position, question, context)
    }

    /// Chooses a move for the computer player, within about the time limit of the question. The
    /// game must not be over.
    ///
    /// # Errors
    /// As for [`Game::answer`].
    fn think(&self, position: &Position, question: &Question, context: &SearchContext) -> Result<Thought> {
        think_by_answer(self, position, question, context)
    }

    /// Returns the ending of the game if the side to move resigns, or `None` if the other seats
    /// play on.
    fn resign(&self, position: &Position) -> Option<Ending> {
        let others = self.board().others(position.to_move);
        Some(Ending::won_by(&others))
    }

    /// Draws random positions from a table, each with the same probability. The same seed always
    /// yields the same positions.
    ///
    /// # Errors
    /// [`Missing`](::pentago::ErrorKind::Missing) if no table has such positions.
    fn draw_stored<'g>(&'g self, tables: &'g Tablebase, draw: &Draw) -> Result<Drawn<'g>> {
        let _ = (tables, draw);
        let title = self.kind().title;
        Err(bad_input(format!("positions of {title} aren't drawn from tables: add --solve")))
    }

    /// Prepares a build of tables.
    ///
    /// # Errors
    /// [`Input`](::pentago::ErrorKind::Input) if the game has no such tables, or doesn't support an
    /// option of the order.
    #[cfg(feature = "build")]
    fn build(&self, order: &Order) -> Result<Box<dyn Build>> {
        let _ = order;
        Err(bad_input(format!("{} has no tables", self.kind().title)))
    }
}

impl fmt::Debug for dyn Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Game({})", self.rules())
    }
}

/// An endless iterator over random positions. Yields an error if no position is found.
pub type Drawn<'g> = Box<dyn Iterator<Item = Result<Position>> + 'g>;

/// The properties of random positions to draw.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    /// The number of marbles or stones on the board.
    pub marbles: usize,
    /// The seed of the random numbers.
    pub seed: u64,
    /// `true` to omit positions in which a move wins immediately.
    pub quiet: bool,
}

/// The orbit of a position under a group of symmetries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orbit {
    /// The name of the group's elements, for display.
    pub name: &'static str,
    /// The key of the orbit in JSON.
    pub key: &'static str,
    /// The number of elements of the group.
    pub order: u64,
    /// The text of the least position of the orbit.
    pub canonical: String,
    /// The number of different positions in the orbit.
    pub orbit: u64,
    /// The number of group elements that leave the position unchanged.
    pub stabiliser: u64,
}

/// A move that the program chose as a computer player.
#[derive(Debug, Clone)]
pub struct Thought {
    /// The canonical text of the move.
    pub mv: String,
    /// A short assessment of the position by the program.
    pub says: String,
}

/// Returns the first word of rules: the name of a game or of a preset.
pub(crate) fn first_word(text: &str) -> &str {
    text.trim().split(':').next().unwrap_or_default().trim()
}

/// Answers a question by a full-width search, for any game of two sides.
///
/// # Errors
/// As for [`Game::answer`].
pub fn searched_answer<G: Game + ?Sized>(
    game: &G,
    position: &Position,
    question: &Question,
    context: &SearchContext,
) -> Result<Answer> {
    let began = context.clock.now();
    let mut answer = Answer::unknown(game.rules(), position);
    let mut search = SearchLine::new(game, position)?;
    let bytes = (context.memory / 2).clamp(1 << 12, MOST_TABLE);
    let mut table = Table::new(usize::try_from(bytes).unwrap_or(1 << 26)).map_err(out_of_memory)?;
    let limit = question.depth.unwrap_or(u32::MAX);
    let mut budget = Budget::watched(u64::MAX, &context.in_time(question));
    if position.over.is_none() {
        let mut value = |search: &mut SearchLine<'_, G>, limit| {
            let found = pentago_search::value(search, &mut table, limit, &mut budget);
            (found.outcome, found.plies())
        };
        let (root, plies) = value(&mut search, limit);
        let mover = search.side();
        answer.value = value_of(root, mover);
        answer.source = source(answer.value, false);
        answer.distance = plies.map(|plies| plies as usize).filter(|_| question.distance);
        for (at, text) in game.moves(position).into_iter().enumerate() {
            search.make(at);
            let over = search.outcome();
            let (found, plies) = match over {
                Some(outcome) => (Some(outcome), Some(0)),
                None => value(&mut search, limit.saturating_sub(1)),
            };
            let position = search.now().text.clone();
            search.unmake(at, ());
            let value = value_of(found, mover);
            let decided = matches!(value, Value::Win | Value::Loss) && question.distance;
            let distance = plies.map(|plies| plies as usize + 1).filter(|_| decided);
            let source = source(value, over.is_some());
            answer.moves.push(MoveAnswer { distance, ..MoveAnswer::new(text, value, source, position) });
        }
    }
    context.not_cancelled()?;
    answer.engine = Some("full-width search".to_owned());
    answer.nodes = Some(budget.spent());
    answer.moves.sort_by_key(|m| m.value.order(m.distance));
    answer.choose_best();
    answer.after(context.clock.since(began)).required(question)
}

/// Answers the question by [`Game::answer`], and chooses the first of the best moves.
///
/// # Errors
/// As for [`Game::answer`].
pub fn think_by_answer<G: Game + ?Sized>(
    game: &G,
    position: &Position,
    question: &Question,
    context: &SearchContext,
) -> Result<Thought> {
    let question = Question { distance: true, exact: false, ..*question };
    let answer = game.answer(position, &question, context)?;
    context.control.add(answer.nodes.unwrap_or(0));
    let best = answer.advised().first().or_else(|| answer.moves.first().map(|m| &m.text));
    let mv = best.cloned().ok_or_else(|| bad_input("the game is over"))?;
    let says = match answer.value {
        Value::Win => "this wins",
        Value::Draw => "a draw",
        Value::Loss => "loses against best play",
        Value::Unknown => "not decided",
    };
    Ok(Thought { mv, says: says.to_owned() })
}

/// Draws random positions by playing random moves from the start.
fn random_positions<'g, G: Game + ?Sized>(game: &'g G, draw: &Draw) -> Drawn<'g> {
    let Draw { marbles, quiet, seed } = *draw;
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
        let none =
            || bad_input(format!("{TRIES} random games in a row led to no position with {marbles} marbles"));
        Some(found.ok_or_else(none))
    };
    Box::new(std::iter::from_fn(next))
}

/// Returns `true` if some move wins immediately.
pub fn wins_at_once<G: Game + ?Sized>(game: &G, position: &Position) -> bool {
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

/// The line of a search: the positions from the first to the current position, each with its moves.
struct SearchLine<'g, G: ?Sized> {
    game: &'g G,
    /// The seat that the search calls [`Side::First`].
    first: char,
    line: Vec<(Position, Vec<String>)>,
}

impl<'g, G: Game + ?Sized> SearchLine<'g, G> {
    fn new(game: &'g G, position: &Position) -> Result<SearchLine<'g, G>> {
        let seats = game.board().seats();
        let mut both = seats.chars();
        let (Some(first), Some(_), None) = (both.next(), both.next(), both.next()) else {
            let title = game.kind().title;
            return Err(bad_input(format!("{title} with {} seats has no solver", seats.len())));
        };
        let mut search = SearchLine { game, first, line: Vec::new() };
        search.push(position.clone());
        Ok(search)
    }

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

impl<G: Game + ?Sized> pentago_search::Game for SearchLine<'_, G> {
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
        // This is the FNV-1a hash of 128 bits. The multiplication at the end mixes the last bits
        // into all others.
        let fold = |hash: u128, byte: u8| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        };
        let hash = self.now().text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, fold);
        (hash ^ hash >> 64).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }
}

impl<G: Game + ?Sized> Notation for SearchLine<'_, G> {
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
