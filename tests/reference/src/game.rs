//! The game: legal moves, how a position ends, perft.
//!
//! A move has two steps, a placement and a turn. Between them the position is *pending*: the marble
//! is placed, the same player still has to turn. Everything below treats the two steps one after
//! the other.

use crate::grid::Cells;
use crate::{Options, Skip};

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The sockets in reading order from the top left: 0 empty, 1 X, 2 O. The 4x4 game uses the
    /// first 16; the others stay 0.
    pub cells: [u8; 36],
    /// The player to act: 1 X, 2 O.
    pub to_move: u8,
    /// Whether that player has placed his marble and must still turn.
    pub pending: bool,
}

/// What a step or a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The game is over: 1 X has won, 2 O has won, 0 draw.
    Over(u8),
    /// The game goes on.
    Goes(State),
}

/// The second step of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// A quadrant, 0 to 3 in reading order, turns by 90 degrees.
    Quadrant {
        /// Which quadrant; its number in the notation is one more.
        quadrant: usize,
        /// In which direction.
        clockwise: bool,
    },
    /// The player declines to turn.
    Declined,
}

impl State {
    /// How many marbles are on the board.
    pub fn marbles(&self) -> usize {
        self.cells.iter().filter(|&&cell| cell != 0).count()
    }
}

/// The other player.
pub(crate) fn opponent(player: u8) -> u8 {
    3 - player
}

impl Options {
    /// The empty board, X to move.
    pub fn start(&self) -> State {
        State { cells: [0; 36], to_move: 1, pending: false }
    }

    /// How the game has ended in this position (0 draw, 1 or 2 the winner), or `None` when it goes
    /// on.
    ///
    /// Between moves, the player who is not to move is the one who has just turned, and the
    /// position is judged as after a turn. It does not show whether a line was made by the
    /// placement already, so with `reply=place` a line of that player always leaves room for the
    /// reply.
    ///
    /// A pending position is over when the player who placed has a line (but by `place=turn` it never
    /// is), and by `last=stop` when it is full. A line of his opponent there means that the game was
    /// over before; the opponent has won.
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

    /// Whether the player to move can make a line by placing one marble.
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

    /// The first step of a move: a marble of the player to move in an empty socket.
    pub(crate) fn place(&self, state: &State, socket: usize) -> After {
        self.judge(self.placed(state, socket))
    }

    /// The position after it, over or not.
    fn placed(&self, state: &State, socket: usize) -> State {
        let mut placed = *state;
        placed.cells[socket] = state.to_move;
        placed.pending = true;
        placed
    }

    /// The turns that are allowed in a pending position.
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
        // Only a quadrant of odd width has a socket in its middle.
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

    /// The second step of a move.
    pub(crate) fn turn(&self, state: &State, turn: Turn) -> After {
        self.judge(self.turned(state, turn))
    }

    /// The position after it, over or not.
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

    /// What each next single step leads to: the placements, or the turns when the position is
    /// pending. The position must not be over.
    pub(crate) fn steps(&self, state: &State) -> Vec<After> {
        if state.pending {
            let turns = self.turns(state).into_iter();
            turns.map(|turn| self.turn(state, turn)).collect()
        } else {
            let empty = self.empty_sockets(&state.cells);
            empty.map(|socket| self.place(state, socket)).collect()
        }
    }

    /// Calls `visit` with the position after each of these steps, which may be over.
    pub(crate) fn for_each_step(&self, state: &State, mut visit: impl FnMut(&State)) {
        if state.pending {
            self.turns(state).into_iter().for_each(|turn| visit(&self.turned(state, turn)));
        } else {
            self.empty_sockets(&state.cells).for_each(|socket| visit(&self.placed(state, socket)));
        }
    }

    /// Every legal move with what it leads to: every placement with every turn, in the order of the
    /// sockets and quadrants in reading order, clockwise first.
    ///
    /// Moves with equal results are all listed. A placement that ends the game is listed once,
    /// without a turn. In a pending position the moves are the turns alone (`/2+`). A position that
    /// is over has none.
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

    /// The turns of a pending position with what they lead to, written behind the placement.
    fn turn_moves(&self, placement: &str, placed: &State) -> Vec<(String, After)> {
        let turns = self.turns(placed).into_iter();
        let write = |turn| format!("{placement}/{}", self.write_turn(turn));
        turns.map(|turn| (write(turn), self.turn(placed, turn))).collect()
    }

    /// Plays one move, or the turn alone (`/2+`) in a pending position.
    ///
    /// # Errors
    /// A position that is over, text that is no move, or an illegal move.
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

    /// The number of games of `depth` moves from here, where a placement with its turn is one move,
    /// and a game that ends earlier counts as one. A pending position begins with the turn alone,
    /// as one move.
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
