//! The board of a game: four square quadrants of 3x3 or 2x2 sockets, and the length of a winning
//! line.

use super::sockets::Socket;
use super::{lines, pattern};
use pentago_base::bits;

/// A quarter turn of one quadrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn {
    /// The quadrant, 0..4 in reading order. Text counts quadrants from 1.
    pub quadrant: u8,
    /// `true` for a clockwise turn (`+` in text), `false` for counterclockwise (`-`).
    pub clockwise: bool,
}

impl Turn {
    /// All eight turns: quadrant by quadrant, clockwise first.
    pub const ALL: [Turn; 8] = {
        let mut all = [Turn { quadrant: 0, clockwise: true }; 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Turn { quadrant: i as u8 / 2, clockwise: i % 2 == 0 };
            i += 1;
        }
        all
    };

    /// Returns the inverse turn.
    #[must_use]
    pub const fn inverse(self) -> Turn {
        Turn { quadrant: self.quadrant, clockwise: !self.clockwise }
    }

    /// Returns the number of clockwise quarter turns that have the same effect as this turn: 1 or
    /// 3.
    pub const fn quarters(self) -> u8 {
        if self.clockwise { 1 } else { 3 }
    }
}

/// The shape of the board, and the length of a winning line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// 6x6 sockets, quadrants of 3x3, five in a row win.
    Pentago,
    /// 4x4 sockets, quadrants of 2x2, three in a row win.
    Mini3,
    /// 4x4 sockets, quadrants of 2x2, four in a row win.
    Mini4,
}

impl Shape {
    /// Returns the number of sockets along a side of the board: 6 or 4.
    pub const fn size(self) -> usize {
        2 * self.quadrant_side()
    }

    /// Returns the number of sockets along a side of a quadrant: 3 or 2.
    pub const fn quadrant_side(self) -> usize {
        match self {
            Shape::Pentago => 3,
            Shape::Mini3 | Shape::Mini4 => 2,
        }
    }

    /// Returns the length of a winning line: 5, 4 or 3.
    pub const fn run(self) -> usize {
        match self {
            Shape::Pentago => 5,
            Shape::Mini3 => 3,
            Shape::Mini4 => 4,
        }
    }

    /// Returns the number of sockets of the board: 36 or 16.
    pub const fn sockets(self) -> usize {
        4 * self.quadrant_sockets()
    }

    /// Returns the number of sockets of a quadrant: 9 or 4.
    pub const fn quadrant_sockets(self) -> usize {
        self.quadrant_side() * self.quadrant_side()
    }

    /// Returns the set of all sockets of one quadrant, as the lowest bits of a lane.
    pub const fn quadrant_mask(self) -> u64 {
        (1 << self.quadrant_sockets()) - 1
    }

    /// Returns the set of all sockets.
    pub const fn board_mask(self) -> u64 {
        self.quadrant_mask() * 0x0001_0001_0001_0001
    }

    /// Returns the set of the centres of all quadrants. Quadrants of 2x2 have no centre.
    pub(super) const fn centre_mask(self) -> u64 {
        match self {
            Shape::Pentago => 0x0010_0010_0010_0010,
            Shape::Mini3 | Shape::Mini4 => 0,
        }
    }

    /// Returns all winning lines as sets of sockets. The 6x6 board has 32 lines. The 4x4 board has
    /// 10 lines of four or 24 lines of three.
    pub fn lines(self) -> &'static [u64] {
        match self {
            Shape::Pentago => &lines::PENTAGO,
            Shape::Mini4 => &lines::MINI_4,
            Shape::Mini3 => &lines::MINI_3,
        }
    }

    /// Returns `true` if the set contains a winning line.
    pub fn has_line(self, set: u64) -> bool {
        self.lines().iter().any(|&line| line & !set == 0)
    }

    /// Returns the sockets of `free` on which one more marble, added to `set`, completes a line.
    pub fn completions(self, set: u64, free: u64) -> u64 {
        let mut sockets = 0;
        for &line in self.lines() {
            let missing = line & !set;
            if missing & missing.wrapping_sub(1) == 0 {
                sockets |= missing;
            }
        }
        sockets & free
    }

    /// Returns the set after a quarter turn of one quadrant, whose number is reduced modulo 4.
    pub fn turn(self, set: u64, turn: Turn) -> u64 {
        let lane = 16 * u32::from(turn.quadrant % 4);
        let old = (set >> lane) as u16;
        let new = self.rotate_quadrant(old, turn.quarters());
        set & !(0xffff << lane) | u64::from(new) << lane
    }

    /// Returns the pattern of a quadrant after clockwise quarter turns (modulo 4). Bits outside the
    /// quadrant are dropped.
    pub fn rotate_quadrant(self, pattern: u16, clockwise_quarters: u8) -> u16 {
        self.quadrant_image(pattern, clockwise_quarters % 4)
    }

    /// Returns the image of the pattern of a quadrant under a symmetry of the square. Symmetry `s`,
    /// taken modulo 8, makes `s mod 4` quarter turns clockwise. If `s >= 4`, the symmetry then
    /// reflects across the diagonal from the top left to the bottom right. Bits outside the
    /// quadrant are dropped.
    pub fn quadrant_image(self, pattern: u16, symmetry: u8) -> u16 {
        let symmetry = usize::from(symmetry % 8);
        match self {
            Shape::Pentago => pattern::IMAGES_3[symmetry][usize::from(pattern) % 512],
            Shape::Mini3 | Shape::Mini4 => pattern::IMAGES_2[symmetry][usize::from(pattern) % 16],
        }
    }

    /// Returns the socket on file `file` (0 is a) and rank `rank` (0 is rank 1, the bottom).
    ///
    /// # Panics
    /// If the socket is not on the board. [`Shape::try_socket`] returns `None` instead.
    pub fn socket(self, file: usize, rank: usize) -> Socket {
        self.try_socket(file, rank).expect("a socket of the board")
    }

    /// Returns the socket on file `file` (0 is a) and rank `rank` (0 is rank 1, the bottom).
    /// Returns `None` if the board has no such socket.
    pub const fn try_socket(self, file: usize, rank: usize) -> Option<Socket> {
        let (size, side) = (self.size(), self.quadrant_side());
        if file >= size || rank >= size {
            return None;
        }
        Some(Socket(lines::socket_number(side, size - 1 - rank, file)))
    }

    /// Returns the socket with this number, or `None` if the board has no such socket.
    pub const fn numbered(self, number: u8) -> Option<Socket> {
        if number < 64 && self.board_mask() >> number & 1 == 1 { Some(Socket(number)) } else { None }
    }

    /// Returns the file (0 is a) and the rank (0 is rank 1, the bottom) of a socket of this shape.
    pub const fn file_rank(self, socket: Socket) -> (usize, usize) {
        let side = self.quadrant_side();
        let cell = socket.cell() % self.quadrant_sockets();
        let row = socket.quadrant() / 2 * side + cell / side;
        let column = socket.quadrant() % 2 * side + cell % side;
        (column, self.size() - 1 - row)
    }

    /// Returns the sockets with these bits, in ascending order. Bits outside the board are dropped.
    pub fn sockets_of(self, set: u64) -> impl Iterator<Item = Socket> {
        bits(set & self.board_mask()).map(|number| Socket(number as u8))
    }
}
