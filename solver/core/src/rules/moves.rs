//! Lists the legal moves of a position, and plays a move.
//!
//! A move is a placement and a turn. In a pending position the marble has been placed already, and
//! a move is a turn alone.

use super::{Board, Color, Dir, Last, Outcome, Place, Position, Rules, Skip, Socket, Turn};

/// The second part of a move, which follows the placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TurnPart {
    /// Nothing: the game ended with the placement.
    None,
    /// The mover declines the turn, where the rules allow it: `/0`.
    Skip,
    /// One quadrant turns.
    Turn(Turn),
}

/// A move: a placement, then usually a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The socket of the marble. `None` in a pending position, where the marble has been placed
    /// already.
    pub place: Option<Socket>,
    /// The turn, or the reason why the move has none.
    pub turn: TurnPart,
}

/// The result of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Played {
    /// The position after the move, with the other player to move, even if the game is over.
    pub position: Position,
    /// The outcome, or `None` if the game continues. With `reply=place`, the position alone doesn't
    /// determine the outcome: a line made by a placement allows no reply.
    pub outcome: Option<Outcome>,
}

/// The reason why a move is illegal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The game has ended.
    #[error("the game is over, there are no more moves")]
    Over,
    /// The move has a placement, but its marble has been placed already: a pending position allows
    /// only a turn.
    #[error("the marble of this move has been placed already: only its turn is left, as in /2+")]
    AlreadyPlaced,
    /// The move has no placement, although no turn is pending.
    #[error("a move starts with a placement, as in c4/2+")]
    NoPlacement,
    /// The socket isn't on this board.
    #[error("there is no such socket on this board")]
    NoSuchSocket,
    /// The socket holds a marble.
    #[error("this socket holds a marble of {0} already")]
    Occupied(Color),
    /// The placement doesn't end the game, so the move needs a turn.
    #[error("this placement does not end the game: a quadrant must be turned, as in c4/2+")]
    TurnMissing,
    /// The placement ends the game, so the move has no turn.
    #[error("this placement ends the game: there is no turn after it")]
    NoTurnAfterEnd,
    /// The turn names a quadrant that does not exist.
    #[error("the quadrants are 1 to 4")]
    NoSuchQuadrant,
    /// The turn is counterclockwise, but the rules have `dir=cw`.
    #[error("these rules (dir=cw) allow clockwise turns only")]
    ClockwiseOnly,
    /// The turn is declined, but the rules have `skip=never`.
    #[error("these rules never allow declining the turn")]
    SkipNever,
    /// The turn is declined, but the rules have `skip=empty`, and each quadrant holds a marble.
    #[error("these rules (skip=empty) allow declining the turn only while some quadrant is empty")]
    SkipNeedsEmpty,
    /// The turn is declined, but the rules have `skip=neutral`, and each quadrant holds a marble
    /// off its centre.
    #[error(
        "these rules (skip=neutral) allow declining the turn only while some quadrant is empty \
         or holds only a centre marble"
    )]
    SkipNeedsNeutral,
}

impl Rules {
    /// Returns all legal moves, sorted by the number of the socket. For each socket, the legal
    /// turns follow quadrant by quadrant, clockwise first, and then [`TurnPart::Skip`] if legal. A
    /// placement that ends the game is listed once, without a turn. In a pending position the moves
    /// are turns alone. The list is empty if the game is over.
    pub fn moves(&self, p: &Position) -> Vec<Move> {
        if self.outcome(p).is_some() {
            return Vec::new();
        }
        let mut moves = Vec::new();
        if p.pending() {
            self.push_turns(&mut moves, None, &p.board());
            return moves;
        }
        for socket in self.shape.sockets_of(p.board().free(self.shape)) {
            let board = p.board().with(p.to_move(), socket);
            if self.end_of_placement(&board, p.to_move()).is_some() {
                moves.push(Move { place: Some(socket), turn: TurnPart::None });
            } else {
                self.push_turns(&mut moves, Some(socket), &board);
            }
        }
        moves
    }

    /// Returns the position after a move, and the outcome if the game is over.
    ///
    /// # Errors
    /// The reason why the move is illegal in this position.
    pub fn play(&self, p: &Position, m: Move) -> Result<Played, IllegalMove> {
        if self.outcome(p).is_some() {
            return Err(IllegalMove::Over);
        }
        let placed = match (m.place, p.pending()) {
            (Some(_), true) => return Err(IllegalMove::AlreadyPlaced),
            (None, false) => return Err(IllegalMove::NoPlacement),
            (None, true) => Played { position: *p, outcome: None },
            (Some(socket), false) => self.place(p, socket)?,
        };
        if placed.outcome.is_some() {
            return match m.turn {
                TurnPart::None => Ok(placed),
                TurnPart::Skip | TurnPart::Turn(_) => Err(IllegalMove::NoTurnAfterEnd),
            };
        }
        let board = placed.position.board();
        let board = match m.turn {
            TurnPart::None => return Err(IllegalMove::TurnMissing),
            TurnPart::Skip => {
                self.check_skip(&board)?;
                board
            }
            TurnPart::Turn(turn) => {
                if turn.quadrant >= 4 {
                    return Err(IllegalMove::NoSuchQuadrant);
                }
                if self.dir == Dir::Cw && !turn.clockwise {
                    return Err(IllegalMove::ClockwiseOnly);
                }
                self.turned(board, turn)
            }
        };
        let position = Position::after(self.shape, board, p.to_move().other(), false);
        Ok(Played { position, outcome: self.outcome(&position) })
    }

    /// Returns the position after a placement alone. If the game continues, the turn is pending and
    /// the player to move stays the same. If the placement ends the game, the other player is to
    /// move.
    ///
    /// # Errors
    /// If the game was over before the placement, a turn is pending already, or the socket is not
    /// free.
    pub fn place(&self, p: &Position, socket: Socket) -> Result<Played, IllegalMove> {
        if self.outcome(p).is_some() {
            return Err(IllegalMove::Over);
        }
        if p.pending() {
            return Err(IllegalMove::AlreadyPlaced);
        }
        if self.shape.numbered(socket.number()).is_none() {
            return Err(IllegalMove::NoSuchSocket);
        }
        if let Some(color) = p.board().at(socket) {
            return Err(IllegalMove::Occupied(color));
        }
        let board = p.board().with(p.to_move(), socket);
        let outcome = self.end_of_placement(&board, p.to_move());
        let position = match outcome {
            Some(_) => Position::after(self.shape, board, p.to_move().other(), false),
            None => Position::after(self.shape, board, p.to_move(), true),
        };
        Ok(Played { position, outcome })
    }

    /// Returns `true` if the rules let the mover decline the turn. `board` is the board after the
    /// placement.
    pub fn may_skip(&self, board: &Board) -> bool {
        self.check_skip(board).is_ok()
    }

    /// Returns the turns that the rules allow, quadrant by quadrant, clockwise first: eight, or
    /// four with `dir=cw`.
    pub fn turns(&self) -> impl Iterator<Item = Turn> + use<> {
        let clockwise_only = self.dir == Dir::Cw;
        Turn::ALL.into_iter().filter(move |turn| turn.clockwise || !clockwise_only)
    }

    /// Returns the outcome if the last placement ended the game, and otherwise `None`. `board` is
    /// the board after the placement, which `mover` made.
    fn end_of_placement(&self, board: &Board, mover: Color) -> Option<Outcome> {
        if self.place == Place::Wins && self.shape.has_line(board.of(mover)) {
            Some(Outcome::Win(mover))
        } else if self.last == Last::Stop && board.free(self.shape) == 0 {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    /// Returns the set of free sockets on which a placement of the player to move wins immediately.
    pub(crate) fn winning_placements(&self, p: &Position) -> u64 {
        match self.place {
            Place::Wins => self.shape.completions(p.own(), p.board().free(self.shape)),
            Place::Turn => 0,
        }
    }

    /// Returns the board after a turn.
    pub(super) fn turned(&self, board: Board, turn: Turn) -> Board {
        board.map(|set| self.shape.turn(set, turn))
    }

    fn push_turns(&self, moves: &mut Vec<Move>, place: Option<Socket>, board: &Board) {
        moves.extend(self.turns().map(|turn| Move { place, turn: TurnPart::Turn(turn) }));
        if self.may_skip(board) {
            moves.push(Move { place, turn: TurnPart::Skip });
        }
    }

    fn check_skip(&self, board: &Board) -> Result<(), IllegalMove> {
        let (ignored, refusal) = match self.skip {
            Skip::Never => return Err(IllegalMove::SkipNever),
            Skip::Empty => (0, IllegalMove::SkipNeedsEmpty),
            Skip::Neutral => (self.shape.centre_mask(), IllegalMove::SkipNeedsNeutral),
        };
        let marbles = board.occupied() & !ignored;
        let some_quadrant_is_empty = (0..4).any(|quadrant| marbles >> (16 * quadrant) & 0xffff == 0);
        if some_quadrant_is_empty { Ok(()) } else { Err(refusal) }
    }
}
