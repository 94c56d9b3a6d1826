//! Patterns, lemmas, and the images of both under the eight symmetries of the board.

use crate::geometry::{Socket, SocketSet, sockets};
use crate::symmetry::BoardMap;

/// The bit of a reply on a socket that no pattern mentions.
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
    /// The sockets whose content is irrelevant although the defender may hold them.
    pub known: SocketSet,
    /// The maximum number of marbles of the defender outside `known`.
    pub others: u8,
}

/// A lemma: its pattern, the attacker's move, and the lemmas that answer the replies.
pub(super) struct Lemma {
    pub pattern: Pattern,
    pub place: SocketSet,
    /// The number of the turn, from 1 to 16.
    pub turn: usize,
    /// The index of each lemma that answers replies, and the map under which it does.
    pub uses: Vec<(u32, u8)>,
}

/// The image of a lemma under a map. A win by the next move has no lemma.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub pattern: Pattern,
    pub lemma: u32,
    pub map: u8,
}

/// A position with the attacker's marbles and those marbles of the defender whose sockets matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Spot {
    pub own: SocketSet,
    pub other: SocketSet,
    /// The number of the defender's marbles on other sockets.
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
    /// Returns the sockets on which the defender can place a marble without leaving this pattern,
    /// including [`ELSEWHERE`]. `free` are the free sockets before the reply. Returns 0 if the
    /// position `spot` doesn't match.
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

/// The eight symmetries of the board, as permutations of the sockets.
pub(super) struct Maps {
    sockets: Vec<[u8; 81]>,
    inverse: [u8; 8],
    composed: [[u8; 8]; 8],
}

impl Maps {
    pub(super) fn new() -> Maps {
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

    /// Returns the least image of a position, and the map that leads to it.
    pub(super) fn least(&self, spot: &Spot) -> (Spot, u8) {
        let image =
            |map| (Spot { own: self.set(map, spot.own), other: self.set(map, spot.other), ..*spot }, map);
        (1..8).map(image).fold((*spot, 0), |least, image| least.min(image))
    }
}
