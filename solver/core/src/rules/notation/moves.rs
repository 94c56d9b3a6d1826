//! The text of a move. `c4/2+` places a marble on c4 and turns quadrant 2 clockwise. `c4/2-` turns
//! the quadrant counterclockwise. `c4/0` declines the turn. `c4` is a placement that ends the game.
//! `/2+` is the turn of a pending position.

use crate::rules::{Move, Rules, Shape, Socket, Turn, TurnPart};
use pentago_base::{ParseError, Scan, quoted};

impl Rules {
    /// Parses a move. White space may surround the text, the file may be of either case, and the
    /// turn of a pending position may omit its `/`. The socket and the quadrant must exist;
    /// [`Rules::play`] checks whether the move is legal.
    ///
    /// # Errors
    /// If the text is not a move on this board.
    pub fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        let mut scan = Scan::new(text)?;
        if scan.peek().is_none() {
            return Err(scan.error("there is no move: expected a socket and a turn, as in c4/2+"));
        }
        let place = match scan.peek() {
            Some('/' | '0'..='9') => None,
            _ => Some(socket(&mut scan, self.shape)?),
        };
        let turn = match (scan.peek(), place) {
            (None, _) => TurnPart::None,
            (Some('/'), _) => {
                scan.skip();
                turn(&mut scan)?
            }
            (Some(_), None) => turn(&mut scan)?,
            (Some(c), Some(_)) => {
                let c = quoted(c);
                return Err(
                    scan.error(format!("unexpected character {c}: expected / before the turn, as in c4/2+"))
                );
            }
        };
        scan.end(Move { place, turn })
    }

    /// Returns the canonical text of a move, which [`Rules::parse_move`] parses. The text of a move
    /// without a placement and without a turn, which is never legal, is `-`.
    pub fn format_move(&self, m: Move) -> String {
        let place = m.place.map(|socket| self.shape.name(socket)).unwrap_or_default();
        match m.turn {
            TurnPart::None if place.is_empty() => String::from("-"),
            TurnPart::None => place,
            TurnPart::Skip => format!("{place}/0"),
            TurnPart::Turn(turn) => {
                let sign = if turn.clockwise { '+' } else { '-' };
                format!("{place}/{}{sign}", u16::from(turn.quadrant) + 1)
            }
        }
    }
}

impl Shape {
    /// Returns the name of a socket: its file and rank, such as `c4`.
    pub fn name(self, socket: Socket) -> String {
        let (file, rank) = self.file_rank(socket);
        format!("{}{}", (b'a' + file as u8) as char, rank + 1)
    }
}

/// Parses the file and the rank of a socket, such as `c4`.
fn socket(scan: &mut Scan, shape: Shape) -> Result<Socket, ParseError> {
    let (file, rank) = scan.socket(shape.size())?;
    Ok(shape.socket(file, rank))
}

/// Parses a turn, or the `0` that declines the turn.
fn turn(scan: &mut Scan) -> Result<TurnPart, ParseError> {
    let quadrant = match scan.peek() {
        Some('0') => {
            scan.skip();
            return Ok(TurnPart::Skip);
        }
        Some(digit @ '1'..='4') => digit as u8 - b'1',
        _ => return Err(scan.error("expected a quadrant, 1 to 4, or 0 to decline the turn")),
    };
    scan.skip();
    Ok(TurnPart::Turn(Turn { quadrant, clockwise: scan.clockwise("quadrant")? }))
}
