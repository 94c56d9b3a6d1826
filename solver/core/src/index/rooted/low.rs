//! The low sockets: the order of the boards in an array, the offsets of their children, and the
//! offsets of the sets of marbles of one player.
//!
//! A [`Class`] has all boards with c marbles of player 0 and d marbles of player 1 on the low
//! sockets. The boards of a class form an array, sorted by the set of player 0, then by the set of
//! player 1. Sets are compared as numbers. The order of class (c, 0) is also the order of the sets
//! of size c.

use std::sync::OnceLock;

/// The maximum number of low sockets. With 7 low sockets, an array has at most 210 cache lines (13
/// KB), so the arrays of the children whose new marble is on a low socket fit in the first-level
/// cache (`bench/README.md#low-sockets`).
pub const MAX_LOW: usize = 7;

/// The number of boards of the largest class.
pub const MAX_CLASS: usize = 210;
/// The number of boards of the largest class (c, 0), which has marbles of one player only.
pub const MAX_SUBSETS: usize = 35;

/// The size of a cache line in bytes.
const LINE_BYTES: usize = 64;

/// A player: 0 is to move at the root, 1 is the other player.
pub type Player = usize;

/// Offsets of cache lines in another array. Every board of a class has the same number of offsets.
#[derive(Clone, Debug)]
pub struct Offsets {
    /// The offsets in bytes, as the vector instructions need them.
    bytes: Vec<u16>,
    each: usize,
    /// An upper bound in cache lines: every offset is less than this.
    bound: usize,
}

impl Offsets {
    /// Creates an empty list that will have `each` offsets for each board.
    pub fn new(each: usize) -> Offsets {
        Offsets { bytes: Vec::new(), each, bound: 0 }
    }

    /// Appends the offset of the cache line with index `line`.
    ///
    /// # Panics
    /// If the offset in bytes doesn't fit in 16 bits.
    pub fn push(&mut self, line: usize) {
        self.bound = self.bound.max(line + 1);
        self.bytes.push(u16::try_from(line * LINE_BYTES).expect("offsets of small arrays"));
    }

    /// Returns the number of offsets for each board.
    #[inline]
    pub fn each(&self) -> usize {
        self.each
    }

    /// Returns the offsets of all boards, in bytes.
    #[inline]
    pub fn bytes(&self) -> &[u16] {
        &self.bytes
    }

    /// Returns `true` if the list has exactly `each` offsets for each of `len` boards, and all
    /// offsets are less than `lines` cache lines.
    #[inline]
    pub fn fit(&self, len: usize, each: usize, lines: usize) -> bool {
        self.each == each && self.bytes.len() == len * each && self.bound <= lines
    }
}

/// All boards that have c marbles of player 0 and d marbles of player 1 on the low sockets.
pub struct Class {
    /// The number of boards in the class.
    pub len: usize,
    /// For each board, the sets of marbles of player 0 and of player 1.
    pub boards: Vec<[u16; 2]>,
    /// Indexed by the player who places a marble: for each board and each free socket, the offset
    /// of the child in its array. The child belongs to the class with one more marble of this
    /// player.
    pub children: [Offsets; 2],
    /// Indexed by player: for each board, the offset of the player's set among all sets of the same
    /// size.
    pub subset: [Offsets; 2],
    /// Indexed by player: for each board and each free socket, the player's set is extended by the
    /// socket. The element is the offset of the extended set among all sets of its size.
    pub grown: [Offsets; 2],
}

/// All classes for a certain number of low sockets.
pub struct Low {
    sockets: usize,
    classes: Vec<Class>,
}

/// Returns the subsets of `of` with `size` elements, in ascending order.
fn subsets(of: u16, size: usize) -> impl Iterator<Item = u16> {
    (0..=of).filter(move |s| s & !of == 0 && s.count_ones() as usize == size)
}

impl Low {
    /// Returns the classes for `sockets` low sockets. The first call for this number computes the
    /// classes.
    ///
    /// # Panics
    /// If `sockets` is greater than [`MAX_LOW`].
    pub fn get(sockets: usize) -> &'static Low {
        static ALL: [OnceLock<Low>; MAX_LOW + 1] = [const { OnceLock::new() }; MAX_LOW + 1];
        ALL[sockets].get_or_init(|| Low::compute(sockets))
    }

    /// Returns the class with `c` marbles of player 0 and `d` marbles of player 1. `c + d` must be
    /// at most the number of low sockets.
    #[inline]
    pub fn class(&self, c: usize, d: usize) -> &Class {
        &self.classes[c * (self.sockets + 1) + d]
    }

    fn compute(sockets: usize) -> Low {
        let all = ((1u32 << sockets) - 1) as u16;
        let boards = |c: usize, d: usize| -> Vec<[u16; 2]> {
            subsets(all, c).flat_map(|a| subsets(all & !a, d).map(move |b| [a, b])).collect()
        };
        // The rank of each board, indexed by the sets of both players, in the array of its class.
        let side = 1usize << sockets;
        let mut rank = vec![0; side * side];
        for c in 0..=sockets {
            for d in 0..=sockets - c {
                for (i, [a, b]) in boards(c, d).into_iter().enumerate() {
                    rank[usize::from(a) * side + usize::from(b)] = i;
                }
            }
        }
        let rank = |[a, b]: [u16; 2]| rank[usize::from(a) * side + usize::from(b)];
        let mut classes = Vec::new();
        for c in 0..=sockets {
            for d in 0..=sockets {
                let boards = boards(c, d);
                let free = sockets.saturating_sub(c + d);
                let [mut children, mut subset, mut grown] =
                    [free, 1, free].map(|each| [Offsets::new(each), Offsets::new(each)]);
                for board in &boards {
                    let free = (0..sockets as u16).map(|s| 1 << s).filter(|s| s & (board[0] | board[1]) == 0);
                    for player in 0..2 {
                        subset[player].push(rank([board[player], 0]));
                        for socket in free.clone() {
                            let mut child = *board;
                            child[player] |= socket;
                            children[player].push(rank(child));
                            grown[player].push(rank([child[player], 0]));
                        }
                    }
                }
                classes.push(Class { len: boards.len(), boards, children, subset, grown });
            }
        }
        Low { sockets, classes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_subsets_are_found() {
        for sockets in 0..=MAX_LOW {
            let low = Low::get(sockets);
            let mut total = 0;
            for c in 0..=sockets {
                for d in 0..=sockets - c {
                    let class = low.class(c, d);
                    total += class.len;
                    assert!(class.len <= MAX_CLASS && low.class(c, 0).len <= MAX_SUBSETS);
                    let free = sockets - c - d;
                    for (i, &board) in class.boards.iter().enumerate() {
                        for player in 0..2 {
                            let size = [c, d][player];
                            let subset = usize::from(class.subset[player].bytes()[i]) / LINE_BYTES;
                            assert_eq!(low.class(size, 0).boards[subset][0], board[player]);
                            let mut grown = Vec::new();
                            for j in 0..free {
                                let to =
                                    usize::from(class.children[player].bytes()[i * free + j]) / LINE_BYTES;
                                let child = low.class(c + 1 - player, d + player).boards[to];
                                assert_eq!(child[1 - player], board[1 - player]);
                                assert_eq!(child[player] & board[player], board[player]);
                                let to = usize::from(class.grown[player].bytes()[i * free + j]) / LINE_BYTES;
                                assert_eq!(low.class(size + 1, 0).boards[to][0], child[player]);
                                grown.push(child[player]);
                            }
                            grown.dedup();
                            assert_eq!(grown.len(), free);
                        }
                    }
                }
            }
            assert_eq!(total, 3usize.pow(sockets as u32));
        }
    }
}
