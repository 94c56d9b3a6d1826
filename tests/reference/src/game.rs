//! The course of the game: legal moves, the end of the game, and perft.
//!
//! A move has two steps, a placement and a turn. Between the two steps the position is *pending*: a
//! marble has been placed, and the same player must still turn a quadrant. All functions treat the
//! two steps separately.

use crate::grid::Cells;
use crate::{Options, Skip};

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The sockets in reading order from the top left: 0 is empty, 1 is X, 2 is O. The 4x4 game
    /// uses the first 16 elements, and the other elements stay 0.
    pub cells: [u8; 36],
    /// The player to act: 1 is X, 2 is O.
    pub to_move: u8,
    /// `true` if the player to act has placed a marble and must still turn a quadrant.
    pub pending: bool,
}

/// The result of a step or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The game is over. The field is the winner, 1 for X or 2 for O, or 0 for a draw.
    Over(u8),
    /// The game continues from this position.
    Goes(State),
}

/// The second step of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The turn of a quadrant by 90 degrees.
    Quadrant {
        /// The index of the quadrant in reading order, from 0. The notation counts from 1.
        quadrant: usize,
        clockwise: bool,
    },
    /// The player declines to turn a quadrant.
    Declined,
}

impl State {
    /// Returns the number of marbles on the board.
    pub fn marbles(&self) -> usize {
        self.cells.iter().filter(|&&cell| cell != 0).count()
    }
}

/// Returns the other player.
pub(crate) fn opponent(player: u8) -> u8 {
    3 - player
}

impl Options {
    /// Returns the empty board with X to move.
    pub fn start(&self) -> State {
        State { cells: [0; 36], to_move: 1, pending: false }
    }

    /// Returns the result of the game in this position (0 for a draw, 1 or 2 for the winner), or
    /// `None` if the game continues.
    ///
    /// Between moves, the player who is not to move has just turned a quadrant. The position
    /// doesn't show whether the placement or the turn made a line of that player. With
    /// `reply=place`, this function therefore assumes that the turn made the line, and allows the
    /// reply.
    ///
    /// A pending position is over if the player who placed the marble has a line, except with
    /// `place=turn`. With `last=stop`, a pending position is also over if the board is full. If the
    /// opponent has a line in a pending position, the game was already over before the placement,
    /// and the opponent has won.
    pub fn outcome(&self, state: &State) -> Option<u8> {
        let lines = self.lines(&state.cells);
        let full = !state.cells[..self.sockets()].contains(&0);
        let other = opponent(state.to_move);
        let (own_line, other_line) = (lines[state.to_move as usize], lines[other as usize]);

        if state.pending {
            return match (own_line, other_line) {
                _ if self.place_turn => None,
                (true, _) => Some(state.to_move),
                (false, true) => Some(other),
                (false, false) if full && self.last_stop => Some(0),
                (false, false) => None,
            };
        }
        match (own_line, other_line) {
            (true, true) if self.both_mover => Some(other),
            (true, true) => Some(0),
            (true, false) => Some(state.to_move),
            (false, true) if self.reply_place && self.reply_makes_line(state) => Some(0),
            (false, true) => Some(other),
            (false, false) if full => Some(0),
            (false, false) => None,
        }
    }

    /// Returns `true` if the player to move can make a line by placing one marble.
    fn reply_makes_line(&self, state: &State) -> bool {
        self.empty_sockets(&state.cells).any(|socket| {
            let mut cells = state.cells;
            cells[socket] = state.to_move;
            self.lines(&cells)[state.to_move as usize]
        })
    }

    pub(crate) fn empty_sockets<'a>(&self, cells: &'a Cells) -> impl Iterator<Item = usize> + 'a {
        (0..self.sockets()).filter(|&socket| cells[socket] == 0)
    }

    /// Makes the first step of a move: places a marble of the player to move in an empty socket.
    /// Returns the result of this step.
    pub(crate) fn place(&self, state: &State, socket: usize) -> After {
        self.judge(self.placed(state, socket))
    }

    /// Returns the position after a placement. The placement may have ended the game.
    fn placed(&self, state: &State, socket: usize) -> State {
        let mut placed = *state;
        placed.cells[socket] = state.to_move;
        placed.pending = true;
        placed
    }

    /// Returns the turns that are allowed in a pending position.
    pub(crate) fn turns(&self, state: &State) -> Vec<Turn> {
        let mut turns = Vec::with_capacity(9);
        for quadrant in 0..4 {
            turns.push(Turn::Quadrant { quadrant, clockwise: true });
            if !self.cw_only {
                turns.push(Turn::Quadrant { quadrant, clockwise: false });
            }
        }
        if self.may_decline(&state.cells) {
            turns.push(Turn::Declined);
        }
        turns
    }

    fn may_decline(&self, cells: &Cells) -> bool {
        // With `skip=neutral`, a marble in the centre socket doesn't prevent declining. Only a
        // quadrant of odd width has a centre socket.
        let may_be_taken = match self.skip {
            Skip::Never => return false,
            Skip::Neutral if self.bs % 2 == 1 => Some(self.bs * self.bs / 2),
            Skip::Neutral | Skip::Empty => None,
        };
        (0..4).any(|quadrant| {
            let mut sockets = self.quadrant_sockets(quadrant).enumerate();
            sockets.all(|(i, socket)| cells[socket] == 0 || Some(i) == may_be_taken)
        })
    }

    /// Makes the second step of a move: turns a quadrant, or declines to turn. Returns the result
    /// of this step.
    pub(crate) fn turn(&self, state: &State, turn: Turn) -> After {
        self.judge(self.turned(state, turn))
    }

    /// Returns the position after a turn. The turn may have ended the game.
    fn turned(&self, state: &State, turn: Turn) -> State {
        let cells = match turn {
            Turn::Quadrant { quadrant, clockwise } => self.turn_quadrant(&state.cells, quadrant, clockwise),
            Turn::Declined => state.cells,
        };
        State { cells, to_move: opponent(state.to_move), pending: false }
    }

    fn judge(&self, state: State) -> After {
        match self.outcome(&state) {
            Some(winner) => After::Over(winner),
            None => After::Goes(state),
        }
    }

    /// Returns the result of each possible next step. The steps are turns if the position is
    /// pending, and placements otherwise. The position must not be over.
    pub(crate) fn steps(&self, state: &State) -> Vec<After> {
        if state.pending {
            let turns = self.turns(state).into_iter();
            turns.map(|turn| self.turn(state, turn)).collect()
        } else {
            let empty = self.empty_sockets(&state.cells);
            empty.map(|socket| self.place(state, socket)).collect()
        }
    }

    /// Calls `visit` with the position after each possible next step. The step may have ended the
    /// game.
    pub(crate) fn for_each_step(&self, state: &State, mut visit: impl FnMut(&State)) {
        if state.pending {
            self.turns(state).into_iter().for_each(|turn| visit(&self.turned(state, turn)));
        } else {
            self.empty_sockets(&state.cells).for_each(|socket| visit(&self.placed(state, socket)));
        }
    }

    /// Returns every legal move with its result. A move is a placement with a turn. Sockets and
    /// quadrants are in reading order, and clockwise turns come first.
    ///
    /// Moves with equal results are all listed. A placement that ends the game is listed once,
    /// without a turn. In a pending position, each move is a turn without a placement (`/2+`). A
    /// finished game has no moves.
    pub fn moves(&self, state: &State) -> Vec<(String, After)> {
        if self.outcome(state).is_some() {
            return Vec::new();
        }
        if state.pending {
            return self.turn_moves("", state);
        }
        let mut moves = Vec::new();
        for socket in self.empty_sockets(&state.cells) {
            let placement = self.write_socket(socket);
            match self.place(state, socket) {
                After::Over(winner) => moves.push((placement, After::Over(winner))),
                After::Goes(placed) => moves.extend(self.turn_moves(&placement, &placed)),
            }
        }
        moves
    }

    /// Returns the turns of a pending position with their results. The text of each turn begins
    /// with the text of the placement.
    fn turn_moves(&self, placement: &str, placed: &State) -> Vec<(String, After)> {
        let turns = self.turns(placed).into_iter();
        let write = |turn| format!("{placement}/{}", self.write_turn(turn));
        turns.map(|turn| (write(turn), self.turn(placed, turn))).collect()
    }

    /// Plays one move. In a pending position, the move is a turn without a placement (`/2+`).
    ///
    /// # Errors
    /// If the game is over, the text isn't a move, or the move is illegal.
    pub fn play(&self, state: &State, text: &str) -> Result<After, String> {
        if self.outcome(state).is_some() {
            return Err(format!("`{text}`: the game is over"));
        }
        let (socket, turn) = self.read_move(text)?;
        let placed = match (socket, state.pending) {
            (None, true) => *state,
            (Some(_), true) => return Err(format!("`{text}`: the marble is placed already")),
            (None, false) => return Err(format!("`{text}`: no placement")),
            (Some(socket), false) if state.cells[socket] != 0 => {
                return Err(format!("`{text}`: the socket is taken"));
            }
            (Some(socket), false) => match (self.place(state, socket), turn) {
                (After::Goes(placed), _) => placed,
                (over, None) => return Ok(over),
                (_, Some(_)) => return Err(format!("`{text}`: the placement ends the game")),
            },
        };
        match turn {
            None => Err(format!("`{text}`: a quadrant must turn")),
            Some(turn) if self.turns(&placed).contains(&turn) => Ok(self.turn(&placed, turn)),
            Some(_) => Err(format!("`{text}`: this turn is not allowed")),
        }
    }

    /// Returns the number of move sequences of length `depth`. A placement with its turn is one
    /// move. A shorter sequence counts, too, if it ends the game. In a pending position, the first
    /// move is only the turn.
    pub fn perft(&self, state: &State, depth: u32) -> u64 {
        if depth == 0 || self.outcome(state).is_some() {
            return 1;
        }
        let moves = if state.pending {
            self.steps(state)
        } else {
            let mut moves = Vec::new();
            for placed in self.steps(state) {
                match placed {
                    After::Over(_) => moves.push(placed),
                    After::Goes(placed) => moves.extend(self.steps(&placed)),
                }
            }
            moves
        };
        let mut games = 0;
        for after in moves {
            games += match after {
                After::Over(_) => 1,
                After::Goes(next) => self.perft(&next, depth - 1),
            };
        }
        games
    }
}
