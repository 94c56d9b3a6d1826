//! The text form of a move. `c4/2+` places a marble on c4 and turns block 2 clockwise. `c4/2-`
//! turns the block counter-clockwise. A move without a turn, such as `c4`, makes five in a line
//! with its placement. Blocks are numbered from 1 to 9 in reading order, and block 5 never turns.

use crate::geometry::{CENTRE, SIDE, Socket, Turn};
use crate::moves::Move;
use crate::options::Rules;
use pentago_base::{ParseError, Scan, quoted};

impl Socket {
    /// Returns the name of the socket: the letter of its file and the number of its rank, such as
    /// `c4`.
    pub fn name(self) -> String {
        let (file, rank) = self.file_rank();
        format!("{}{}", (b'a' + file as u8) as char, rank + 1)
    }
}

impl Rules {
    /// Parses a move, with optional white space around the text. The letter of the file may be
    /// upper or lower case. The move may be illegal: [`Rules::play`] checks this.
    ///
    /// # Errors
    /// If the text is not a move, the socket does not exist or the block cannot turn.
    pub fn parse_move(&self, text: &str) -> Result<Move, ParseError> {
        let mut scan = Scan::new(text)?;
        if scan.peek().is_none() {
            return Err(scan.error("there is no move: expected a socket and a turn, as in c4/2+"));
        }
        let place = socket(&mut scan)?;
        let turn = match scan.peek() {
            None => None,
            Some('/') => {
                scan.skip();
                Some(turn(&mut scan)?)
            }
            Some(c) => {
                let message =
                    format!("unexpected character {}: expected / before the turn, as in c4/2+", quoted(c));
                return Err(scan.error(message));
            }
        };
        scan.end(Move { place, turn })
    }

    /// Parses the text of a turn, such as `/2+`, with optional white space around the text.
    ///
    /// # Errors
    /// If the text is not a turn.
    pub fn parse_turn(&self, text: &str) -> Result<Turn, ParseError> {
        let mut scan = Scan::new(text)?;
        if scan.peek() != Some('/') {
            return Err(scan.error("the marble is placed: expected its turn, as in /2+"));
        }
        scan.skip();
        let turn = turn(&mut scan)?;
        scan.end(turn)
    }

    /// Returns the canonical text of a pending turn. [`Rules::parse_turn`] parses this text.
    pub fn format_turn(&self, turn: Turn) -> String {
        let sign = if turn.clockwise() { '+' } else { '-' };
        format!("/{}{sign}", turn.block() + 1)
    }

    /// Returns the canonical text of a move. [`Rules::parse_move`] parses this text.
    pub fn format_move(&self, m: Move) -> String {
        m.place.name() + &m.turn.map_or_else(String::new, |turn| self.format_turn(turn))
    }
}

/// Parses the name of a socket, such as `c4`.
fn socket(scan: &mut Scan) -> Result<Socket, ParseError> {
    let (file, rank) = scan.socket(SIDE)?;
    Socket::on(file, rank).ok_or_else(|| scan.error("this socket does not exist"))
}

/// Parses the number of a block and the direction of its turn, such as `2+`.
fn turn(scan: &mut Scan) -> Result<Turn, ParseError> {
    let block = match scan.peek() {
        Some(digit @ '1'..='9') => digit as u8 - b'1',
        Some('0') => return Err(scan.error("a block must be turned: expected its number, 1 to 9 but 5")),
        _ => return Err(scan.error("expected a block, 1 to 9 but 5")),
    };
    if block == CENTRE {
        return Err(scan.error("block 5, in the centre, is fixed: expected another block, 1 to 9"));
    }
    scan.skip();
    let clockwise = scan.clockwise("block")?;
    Turn::new(block, clockwise).ok_or_else(|| scan.error("this block does not turn"))
}
