//! An adapter that presents Pentago positions as a game for the forward proofs of
//! [`pentago_search`]. X is side `First`, and O is side `Second`.

use crate::rules::{self, Board, Color, Move, Position, Rules, Socket, Turn, TurnPart};
use crate::symmetry::Group;
use pentago_search::{Game, Notation, Outcome, Side};

/// A position of Pentago or Mini-Pentago, under any rules. Moves can be made and unmade.
///
/// ```
/// use pentago_core::{rules::{Position, Rules}, solve::ForwardGame};
/// use pentago_search::{Budget, Deepening, Distance, Goal, Side, Table};
///
/// let position: Position = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o".parse()?;
/// let mut game = ForwardGame::new(Rules::default(), position).expect("no turn is pending");
/// let mut table = Table::new(1 << 20)?;
/// let mut search = Deepening::new(&mut table, Goal::win(Side::Second));
/// let distance = search.shortest(&mut game, 11, &mut Budget::nodes(10_000_000));
/// assert_eq!(distance, Distance::Exactly(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ForwardGame {
    rules: Rules,
    group: Group,
    position: Position,
    /// The outcome, or `None` if the game continues. Stored because, with `reply=place`, the board
    /// alone doesn't determine the outcome.
    outcome: Option<rules::Outcome>,
    /// All sockets of the board, in reading order.
    reading: Vec<Socket>,
}

impl ForwardGame {
    /// Creates a game from a position. Returns `None` if a turn is pending, or if the shapes of the
    /// position and the rules differ.
    pub fn new(rules: Rules, position: Position) -> Option<ForwardGame> {
        if position.pending() || position.shape() != rules.shape {
            return None;
        }
        let shape = rules.shape;
        let mut reading: Vec<Socket> = shape.sockets_of(shape.board_mask()).collect();
        reading.sort_by_key(|&socket| {
            let (file, rank) = shape.file_rank(socket);
            (shape.size() - rank, file)
        });
        let group = Group::whole_board(rules.dir);
        Some(ForwardGame { rules, group, position, outcome: rules.outcome(&position), reading })
    }

    /// Calls `each` for every legal move that places a marble on `socket`. The arguments are the
    /// move and the board after the move.
    fn turns(&self, socket: Socket, mut each: impl FnMut(Move, Board)) {
        let placed = self.rules.place(&self.position, socket).expect("a free socket");
        let board = placed.position.board();
        if placed.outcome.is_some() {
            return each(Move { place: Some(socket), turn: TurnPart::None }, board);
        }
        if self.rules.may_skip(&board) {
            each(Move { place: Some(socket), turn: TurnPart::Skip }, board);
        }
        for turn in self.rules.turns() {
            let turned = board.map(|set| self.rules.shape.turn(set, turn));
            each(Move { place: Some(socket), turn: TurnPart::Turn(turn) }, turned);
        }
    }

    fn wins(&self, place: Socket, turn: TurnPart) -> Option<Move> {
        let mv = Move { place: Some(place), turn };
        let played = self.rules.play(&self.position, mv).ok()?;
        (played.outcome == Some(rules::Outcome::Win(self.position.to_move()))).then_some(mv)
    }
}

/// Returns the side that plays `color`.
pub fn side_of(color: Color) -> Side {
    match color {
        Color::X => Side::First,
        Color::O => Side::Second,
    }
}

impl Game for ForwardGame {
    type Move = Move;
    type Undo = (Position, Option<rules::Outcome>);

    fn side(&self) -> Side {
        side_of(self.position.to_move())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome.map(|outcome| match outcome {
            rules::Outcome::Win(color) => Outcome::Win(side_of(color)),
            rules::Outcome::Draw => Outcome::Draw,
        })
    }

    fn plies_left(&self) -> u32 {
        match self.outcome {
            Some(_) => 0,
            None => self.position.free().count_ones(),
        }
    }

    fn moves(&mut self, out: &mut Vec<Move>) {
        let free = self.position.free();
        for socket in self.rules.shape.sockets_of(free) {
            // Turns after one placement often produce equal boards: both turns of an empty
            // quadrant, for example. List only one move for each board.
            let (mut boards, mut count) = ([Board::EMPTY; 9], 0);
            self.turns(socket, |mv, board| {
                if !boards[..count].contains(&board) {
                    boards[count] = board;
                    count += 1;
                    out.push(mv);
                }
            });
        }
    }

    fn all_moves(&mut self, out: &mut Vec<Move>) {
        let free = self.position.free();
        for &socket in self.reading.iter().filter(|socket| free & socket.bit() != 0) {
            self.turns(socket, |mv, _| out.push(mv));
        }
    }

    fn make(&mut self, mv: Move) -> Self::Undo {
        let undo = (self.position, self.outcome);
        let played = self.rules.play(&self.position, mv).expect("a legal move");
        (self.position, self.outcome) = (played.position, played.outcome);
        undo
    }

    fn unmake(&mut self, _: Move, (position, outcome): Self::Undo) {
        (self.position, self.outcome) = (position, outcome);
    }

    fn winning_move(&mut self) -> Option<Move> {
        let shape = self.rules.shape;
        let (own, free) = (self.position.own(), self.position.free());
        if let Some(socket) = shape.sockets_of(self.rules.winning_placements(&self.position)).next() {
            return self.wins(socket, TurnPart::None);
        }
        // Placing before a turn equals turning first and placing on the image of the socket. So
        // turn the board, search for winning sockets, and map the sockets back.
        self.rules.turns().find_map(|turn: Turn| {
            let (own, free) = (shape.turn(own, turn), shape.turn(free, turn));
            let sockets = if shape.has_line(own) { free } else { shape.completions(own, free) };
            let back = shape.turn(sockets, turn.inverse());
            shape.sockets_of(back).find_map(|socket| self.wins(socket, TurnPart::Turn(turn)))
        })
    }

    /// Returns an exact key, which no two inequivalent positions share: the canonical board as 36
    /// base-3 digits, and the side to move.
    fn key(&self) -> u128 {
        let board = self.group.canonical(self.rules.shape, self.position.board()).0;
        let digits = |set: u64| {
            let bits = (0..64).filter(move |&bit| bit % 16 < 9 && set >> bit & 1 == 1);
            bits.map(|bit| 3_u64.pow(bit / 16 * 9 + bit % 16)).sum::<u64>()
        };
        u128::from(digits(board.x) + 2 * digits(board.o)) << 1 | u128::from(self.side() == Side::Second)
    }
}

impl Notation for ForwardGame {
    fn game_text(&self) -> String {
        self.rules.to_string()
    }

    fn position_text(&self) -> String {
        self.rules.format_position(&self.position)
    }

    fn move_text(&self, mv: Move) -> String {
        self.rules.format_move(mv)
    }

    fn side_text(&self, side: Side) -> String {
        match side {
            Side::First => "x".into(),
            Side::Second => "o".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `winning_move` returns a move exactly if some legal move wins, and the returned move wins
    /// when it is played.
    #[test]
    fn winning_moves_are_exact() {
        for name in [
            "pentago",
            "pentago-eu",
            "pentago-fi",
            "pentago-cs",
            "pentago-nl",
            "pentago:place=turn",
            "mini",
            "mini:k=3",
        ] {
            let rules: Rules = name.parse().unwrap();
            let most = rules.shape.sockets() as u32 - 1;
            let few = if rules.shape.size() == 6 { 8 } else { 3 };
            let (mut wins, mut none) = (0, 0);
            for marbles in (few..=most).step_by(3) {
                let Ok(positions) = rules::random::positions(&rules, marbles, 25, 5, false) else { continue };
                for position in positions {
                    let mut game = ForwardGame::new(rules, position).unwrap();
                    let mut moves = Vec::new();
                    game.all_moves(&mut moves);
                    let mut listed = rules.moves(&position);
                    let mut sorted = moves.clone();
                    sorted.sort();
                    listed.sort();
                    assert_eq!(sorted, listed);
                    let wins_with = |game: &mut ForwardGame, mv| {
                        let side = game.side();
                        let undo = game.make(mv);
                        let wins = game.outcome() == Some(Outcome::Win(side));
                        game.unmake(mv, undo);
                        wins
                    };
                    let expected = moves.iter().any(|&mv| wins_with(&mut game, mv));
                    let found = game.winning_move();
                    assert_eq!(found.is_some(), expected, "{name} {}", game.position_text());
                    if let Some(mv) = found {
                        assert!(wins_with(&mut game, mv));
                        wins += 1;
                    } else {
                        none += 1;
                    }
                }
            }
            assert!(wins > 10 && none > 5, "{name}: {wins} won at once, {none} not");
        }
    }
}
