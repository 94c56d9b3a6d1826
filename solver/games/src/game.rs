//! The trait, and what its methods speak of.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::pentago::{Clock, Control, Error, ErrorKind, Kernel};
use ::pentago_core::solve::ProofCache as Kept;
use ::pentago_core::solve::rooted::gpu::Outside;
use pentago_search::Certificate;

#[cfg(feature = "tables")]
use crate::Tables;
use crate::{Answer, Board, Kind, Plain, Result};

/// A game with its rules, as a front end needs it. Positions and moves are texts, which only the
/// game itself reads and writes.
///
/// A game of two sides needs the methods without a body, and gets the others, which compute by its
/// moves alone: enough for a small game. A game that knows better overrides them.
///
/// Work is done in the calling thread and in those of its rayon pool, of which
/// [`Question::threads`] tells the number.
pub trait Game: Send + Sync {
    /// What this is, whatever its rules are.
    fn kind(&self) -> &'static Kind;

    /// The rules, as `--rules` reads them.
    fn rules(&self) -> String;

    /// The board as data.
    fn board(&self) -> Board;

    /// Reads a position in any notation.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if it is none.
    fn read(&self, text: &str) -> Result<Position>;

    /// The board with its marbles as lines of text, without the side to move; each line ends in a
    /// line break.
    fn diagram(&self, position: &Position) -> String;

    /// The legal moves; none if the game is over.
    fn moves(&self, position: &Position) -> Vec<String>;

    /// Plays a move.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if it can't be read, or isn't legal.
    fn play(&self, position: &Position, mv: &str) -> Result<Position>;

    /// The canonical text of a move.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if it can't be read.
    fn read_move(&self, mv: &str) -> Result<String> {
        Ok(mv.trim().to_owned())
    }

    /// At most this number of moves is played to the end of the game, which is not over.
    fn plies_left(&self, position: &Position) -> u32 {
        let board = self.board();
        (board.rows * board.columns).saturating_sub(position.marbles) as u32
    }

    /// The position before the first move.
    fn start(&self) -> Position {
        self.read(&self.board().start).expect("the text of the start is a position")
    }

    /// The number that perfect-pentago.net gives the position, if it gives one.
    fn number(&self, _position: &Position) -> Option<String> {
        None
    }

    /// A move as an example for a person.
    fn example(&self) -> String {
        self.moves(&self.start()).first().cloned().unwrap_or_default()
    }

    /// The lines of a help about moves.
    fn help(&self) -> String {
        format!("  {}", self.example())
    }

    /// The number of games of a length from a position, and of those that end earlier.
    fn perft(&self, position: &Position, depth: u32) -> u64 {
        let below = depth.checked_sub(1).filter(|_| position.over.is_none());
        let Some(below) = below else { return 1 };
        let moves = self.moves(position);
        moves.iter().filter_map(|m| self.play(position, m).ok()).map(|next| self.perft(&next, below)).sum()
    }

    /// The number of such games for each first move; none at depth 0, or if the game is over.
    fn divide(&self, position: &Position, depth: u32) -> Vec<(String, u64)> {
        let Some(below) = depth.checked_sub(1) else { return Vec::new() };
        let count = |m: String| self.play(position, &m).ok().map(|next| (m, self.perft(&next, below)));
        self.moves(position).into_iter().filter_map(count).collect()
    }

    /// Random positions on which the game isn't over, the same from the same seed.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if there are no such positions.
    fn random<'g>(&'g self, draw: &Draw) -> Result<Drawn<'g>> {
        Plain::new(self).random(draw)
    }

    /// The groups of symmetries, and a position under each; none that is known by default.
    fn symmetries(&self, position: &Position) -> Vec<Orbit> {
        let _ = position;
        Vec::new()
    }

    /// What is known about a position: the value of each move, from tables, or computed.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] if it was stopped, [`ErrorKind::Environment`] if there isn't enough
    /// memory, [`ErrorKind::Missing`] if the exact value was asked for, but not found.
    fn answer(&self, position: &Position, question: &Question) -> Result<Answer> {
        Plain::new(self).answer(position, question)
    }

    /// The same answer if no more than about `boards` boards are to be computed for it (a million takes
    /// milliseconds), so that many such questions can be answered at the same time, each in a thread of its
    /// own. None if the question deserves all threads and all memory.
    ///
    /// # Errors
    /// As for [`Game::answer`].
    fn quick_answer(&self, position: &Position, question: &Question, boards: u64) -> Result<Option<Answer>> {
        let _ = (position, question, boards);
        Ok(None)
    }

    /// A certificate that the side to move wins.
    ///
    /// # Errors
    /// [`ErrorKind::Missing`] if there is no such win, or none was found in time,
    /// [`ErrorKind::Cancelled`] if it was stopped.
    fn prove(&self, position: &Position, question: &Question) -> Result<Certificate> {
        Plain::new(self).prove(position, question)
    }

    /// What the program as a player can tell of a position within about the time of the question.
    ///
    /// # Errors
    /// As for [`Game::answer`].
    fn judge(&self, position: &Position, question: &Question) -> Result<Answer> {
        self.answer(position, question)
    }

    /// The program's move as a player, within about the time of the question. The game must not be
    /// over.
    ///
    /// # Errors
    /// As for [`Game::answer`].
    fn think(&self, position: &Position, question: &Question) -> Result<Thought> {
        Plain::new(self).think(position, question)
    }

    /// How the game ends if the side to move gives it up; none if the others play on.
    fn resign(&self, position: &Position) -> Option<Ending> {
        let others = self.board().others(position.to_move);
        Some(Ending::won_by(&others))
    }

    /// Random positions of a table, each with the same chance, the same from the same seed.
    ///
    /// # Errors
    /// [`ErrorKind::Missing`] if there is no table of such positions.
    #[cfg(feature = "tables")]
    fn draw_stored<'g>(&'g self, tables: &'g Tables, draw: &Draw) -> Result<Drawn<'g>> {
        let _ = (tables, draw);
        let title = self.kind().title;
        Err(crate::bad_input(format!("positions of {title} aren't drawn from tables: add --solve")))
    }

    /// A build of tables.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if there are no such tables, or the order doesn't fit them.
    #[cfg(feature = "build")]
    fn build(&self, order: &crate::Order) -> Result<Box<dyn crate::Build>> {
        let _ = order;
        Err(crate::bad_input(format!("{} has no tables", self.kind().title)))
    }
}

impl fmt::Debug for dyn Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Game({})", self.rules())
    }
}

/// A position as a game has read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Its canonical text, which [`Game::read`] reads.
    pub text: String,
    /// The seat to move.
    pub to_move: char,
    /// The marble is placed, its turn is still to be made.
    pub pending: bool,
    /// How the game has ended, if it has. The text alone doesn't always tell.
    pub over: Option<Ending>,
    /// Marbles or stones on the board.
    pub marbles: usize,
}

/// How a game has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// The seats that have won, or share the first place; none after a draw.
    pub winners: String,
    /// The result in words: `x has won`, `a draw`.
    pub words: String,
    /// The result as JSON has it.
    pub text: String,
}

impl Ending {
    /// A win of these seats; a draw if there are none.
    #[must_use]
    pub fn won_by(seats: &str) -> Ending {
        let names: Vec<String> = seats.chars().map(String::from).collect();
        let words = match seats.len() {
            0 => "a draw".to_owned(),
            1 => format!("{seats} has won"),
            _ => format!("{} have won", names.join(" and ")),
        };
        Ending { winners: seats.to_owned(), text: words.clone(), words }
    }

    /// The ending of a game of X and O.
    #[must_use]
    pub fn of(outcome: ::pentago::Outcome) -> Ending {
        match outcome {
            ::pentago::Outcome::Win(color) => Ending::won_by(&color.letter().to_string()),
            ::pentago::Outcome::Draw => Ending::draw(),
        }
    }

    /// A draw.
    #[must_use]
    pub fn draw() -> Ending {
        Ending::won_by("")
    }

    /// What the ending is worth for a seat.
    #[must_use]
    pub fn value_for(&self, seat: char) -> ::pentago::Value {
        match self.winners.as_str() {
            "" => ::pentago::Value::Draw,
            winners if winners.contains(seat) => ::pentago::Value::Win,
            _ => ::pentago::Value::Loss,
        }
    }
}

/// What is asked of a position, and what the answer may take.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// With the distance to the end, and a line of best moves.
    pub distance: bool,
    /// The search is limited to this number of plies.
    pub depth: Option<u32>,
    /// Whether an unknown value is an error.
    pub exact: bool,
    /// The time for what isn't solved to the end.
    pub time: Duration,
    /// Bytes of memory.
    pub memory: u64,
    /// Threads of the current rayon pool; with one, the calling thread does all work.
    pub threads: usize,
    /// The kernel, if not the fastest.
    pub kernel: Option<Kernel>,
    /// What stops the work, and tells how far it is.
    pub control: &'a Control,
    /// The clock that measures the time.
    pub clock: &'a Clock,
    /// Boards that proofs may compute; as many as there is time for if none is given.
    pub proof_boards: Option<u64>,
    /// Whether proofs are enough where a position can't be solved to the end.
    pub proofs_only: bool,
    /// Whether values that no table holds are computed, and guesses where none is known.
    pub solve: bool,
    /// Where what proofs show is kept for later questions, and taken from. Then an answer depends on what
    /// was asked before. Pentago alone makes proofs.
    pub kept: Option<&'a Arc<Kept>>,
    /// A graphics processor outside of the process, which computes large solutions of Pentago: where it
    /// is to, the answer is the error [`SolveError::Device`](::pentago_core::solve::SolveError::Device).
    pub outside: Option<&'a Arc<Outside>>,
    /// The tables to look in first.
    #[cfg(feature = "tables")]
    pub tables: Option<&'a Tables>,
}

impl<'a> Question<'a> {
    /// The values of all moves, within a time and a number of bytes, in one thread.
    #[must_use]
    pub fn new(time: Duration, memory: u64, control: &'a Control) -> Question<'a> {
        static CLOCK: std::sync::OnceLock<Clock> = std::sync::OnceLock::new();
        Question {
            distance: false,
            depth: None,
            exact: false,
            time,
            memory,
            threads: 1,
            kernel: None,
            control,
            clock: CLOCK.get_or_init(Clock::default),
            proof_boards: None,
            proofs_only: false,
            solve: true,
            kept: None,
            outside: None,
            #[cfg(feature = "tables")]
            tables: None,
        }
    }

    /// What stops work that begins now: its time is up, or it is stopped with everything else.
    pub(crate) fn in_time(&self) -> Control {
        self.control.within(self.clock, self.time)
    }

    /// An error if the work was stopped.
    pub(crate) fn not_cancelled(&self) -> Result<()> {
        Ok(self.control.check()?)
    }

    /// What tables say, if they were asked, completed by `solve` if that is to be done.
    pub(crate) fn completed(
        &self,
        stored: Option<Answer>,
        solve: impl FnOnce() -> Result<Answer>,
    ) -> Result<Answer> {
        let Some(mut answer) = stored else { return solve() };
        let open = answer.over.is_none() && (!answer.is_complete() || self.distance);
        if open && self.solve {
            answer.complete(solve()?);
        }
        Ok(answer)
    }

    /// An error if the exact value was asked for, but isn't in the answer.
    pub(crate) fn is_met(&self, answer: &Answer) -> Result<()> {
        if !self.exact || answer.value != ::pentago::Value::Unknown {
            return Ok(());
        }
        let proved = answer.proved.as_ref().map(|proved| format!(" ({proved})")).unwrap_or_default();
        Err(Error::new(
            ErrorKind::Missing,
            format!(
                "the value was not found{proved}: allow more with --time and --memory, or leave out --exact"
            ),
        ))
    }
}

/// Positions that are drawn one after the other, without end.
pub type Drawn<'g> = Box<dyn Iterator<Item = Result<Position>> + 'g>;

/// Which random positions are drawn.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    /// Marbles or stones on the board.
    pub marbles: usize,
    /// The seed.
    pub seed: u64,
    /// None in which a move wins immediately.
    pub quiet: bool,
}

/// A position under a group of symmetries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orbit {
    /// What the group consists of, behind the number of its elements.
    pub name: &'static str,
    /// The name in JSON.
    pub key: &'static str,
    /// Elements of the group.
    pub order: u64,
    /// The least position of the orbit.
    pub canonical: String,
    /// Positions in the orbit.
    pub orbit: u64,
    /// Elements that leave the position unchanged.
    pub stabiliser: u64,
}

/// What the program would play.
#[derive(Debug, Clone)]
pub struct Thought {
    /// The move.
    pub mv: String,
    /// What the program knows of the position, in a few words.
    pub says: String,
}

/// The word with which the text of rules begins: that of a game or of a preset.
pub(crate) fn first_word(text: &str) -> &str {
    text.trim().split(':').next().unwrap_or_default().trim()
}
