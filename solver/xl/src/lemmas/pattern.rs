//! Patterns, lemmas, and the images of both under the eight symmetries of the board.

use std::sync::LazyLock;

use crate::geometry::{Socket, SocketSet, Turn, sockets};
use crate::symmetry::BoardMap;

/// The bit that stands for a reply on any socket that no pattern mentions.
pub(super) const ELSEWHERE: SocketSet = 1 << 127;

/// The condition of a lemma on a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Pattern {
    /// The number of plies within which the attacker wins.
    pub plies: u8,
    /// The sockets that hold marbles of the attacker.
    pub own: SocketSet,
    /// The sockets that are empty.
    pub empty: SocketSet,
    /// The sockets whose content is irrelevant. The defender's marbles on these sockets don't count
    /// towards `others`.
    pub known: SocketSet,
    /// The maximum number of marbles of the defender outside `known`.
    pub others: u8,
}

/// A lemma: its pattern, the attacker's move, and the lemmas that answer the replies.
#[derive(Clone)]
pub(super) struct Lemma {
    pub pattern: Pattern,
    pub place: SocketSet,
    /// The number of the turn, from 1 to 16.
    pub turn: usize,
    /// For each lemma that answers replies: its index, and the map under which the lemma answers
    /// them.
    pub uses: Vec<(u32, u8)>,
}

/// The image of a lemma under a map. For a win by the next move, which needs no lemma, `lemma` and
/// `map` have no meaning.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub pattern: Pattern,
    pub lemma: u32,
    pub map: u8,
}

/// A position in which the sockets of some of the defender's marbles are unknown, because they
/// don't matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Spot {
    pub own: SocketSet,
    pub other: SocketSet,
    /// The number of the defender's marbles that are not in `other`. Their sockets are unknown.
    pub unseen: u8,
}

impl Spot {
    pub(super) fn taken(&self) -> SocketSet {
        self.own | self.other
    }

    /// Returns the number of the defender's marbles.
    pub(super) fn others(&self) -> u32 {
        self.other.count_ones() + u32::from(self.unseen)
    }
}

impl Pattern {
    /// Returns the sockets of the replies after which the position matches this pattern, possibly
    /// including [`ELSEWHERE`]. `spot` is the position before the reply, and `free` its free
    /// sockets. Returns 0 if there is no such reply.
    pub(super) fn answers(&self, spot: &Spot, free: SocketSet) -> SocketSet {
        if self.own & !spot.own != 0 || self.empty & spot.taken() != 0 {
            return 0;
        }
        let outside = (spot.other & !self.known).count_ones() + u32::from(spot.unseen);
        let most = u32::from(self.others);
        let inside = if outside <= most { self.known & free } else { 0 };
        let all = if outside < most { free | ELSEWHERE } else { inside };
        all & !self.empty
    }
}

/// The eight symmetries of the board.
pub(super) static MAPS: LazyLock<Maps> = LazyLock::new(Maps::new);

/// The eight symmetries of the board, as permutations of the sockets.
#[derive(Debug)]
pub(super) struct Maps {
    sockets: Vec<[u8; 81]>,
    inverse: [u8; 8],
    composed: [[u8; 8]; 8],
}

impl Maps {
    fn new() -> Maps {
        let image = |map: BoardMap| {
            std::array::from_fn(|i| Socket::numbered(i as u8).map_or(0, |s| map.socket(s).number()))
        };
        let maps: Vec<[u8; 81]> = BoardMap::all().map(image).collect();
        let find = |a: &[u8; 81], b: &[u8; 81]| {
            let both: [u8; 81] = std::array::from_fn(|i| a[usize::from(b[i])]);
            maps.iter().position(|map| *map == both).unwrap_or(0) as u8
        };
        let composed: [[u8; 8]; 8] =
            std::array::from_fn(|a| std::array::from_fn(|b| find(&maps[a], &maps[b])));
        let inverse =
            std::array::from_fn(|a| composed[a].iter().position(|&map| map == 0).unwrap_or(0) as u8);
        Maps { sockets: maps, inverse, composed }
    }

    pub(super) fn set(&self, map: u8, set: SocketSet) -> SocketSet {
        let map = &self.sockets[usize::from(map)];
        sockets(set).fold(0, |image, socket| image | 1 << map[usize::from(socket.number())])
    }

    pub(super) fn turn(&self, map: u8, turn: Turn) -> Option<Turn> {
        // The image of any socket of the block lies in the image of the block.
        let socket = Socket::numbered(self.sockets[usize::from(map)][9 * usize::from(turn.block())])?;
        Turn::new(socket.block(), turn.clockwise() != (map >= 4))
    }

    pub(super) fn pattern(&self, map: u8, pattern: &Pattern) -> Pattern {
        Pattern {
            own: self.set(map, pattern.own),
            empty: self.set(map, pattern.empty),
            known: self.set(map, pattern.known),
            ..*pattern
        }
    }

    /// Returns the image of an answer under a map.
    pub(super) fn answer(&self, map: u8, answer: &Answer) -> Answer {
        Answer { pattern: self.pattern(map, &answer.pattern), map: self.compose(map, answer.map), ..*answer }
    }

    /// Returns the map that applies `second` after `first`.
    pub(super) fn compose(&self, second: u8, first: u8) -> u8 {
        self.composed[usize::from(second)][usize::from(first)]
    }

    pub(super) fn inverse(&self, map: u8) -> u8 {
        self.inverse[usize::from(map)]
    }

    /// Returns the least image of a position, and the map from the position to this image.
    pub(super) fn least(&self, spot: &Spot) -> (Spot, u8) {
        let image =
            |map| (Spot { own: self.set(map, spot.own), other: self.set(map, spot.other), ..*spot }, map);
        (1..8).map(image).fold((*spot, 0), |least, image| least.min(image))
    }
}
