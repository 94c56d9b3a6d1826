//! A full-width search for the wins of one player within a few plies.
//!
//! The attacker may place on any free socket, so a search without a win proves that the attacker
//! has no win within its depth. The search proceeds depth first, for many rotations at once, and a
//! table stores its results. For a board with the attacker's marbles A and the defender's marbles
//! B, the search computes the rotations at which the attacker wins:
//!
//! ```text
//! attacker to move:  f(A, B) = not D(B) and (W(A) or OR_x W(A + x) or rmax(OR_x g(A + x, B)))
//! defender to move:  g(A, B) = not D(B) and (W(A) or not T and not rmax(OR_y not f(A, B + y)))
//! ```
//!
//! W: the attacker has five. D: the defender has five. T: a placement of the defender makes five.
//! The move with the attacker's last placement must make five. x and y are free sockets, and A + x
//! is A with a marble on x. rmax: the rotations from which a turn leads to a rotation of the set.
//!
//! Three facts keep the search small. A marble of the defender never helps the attacker, so `f` of
//! the board after a pass of the defender bounds `g` from above. Only lines without a marble of the
//! defender matter, and only if the remaining placements can complete them. The search passes the
//! lists of these lines on to the children, and the lists soon become short. Before the attacker's
//! last placement, only replies on sockets of these lines matter.

use super::counted::Workspace;
use super::lines::TurnedLine;
use crate::rules::{Both, Place, Reply};
use crate::supers::Half;
use pentago_base::{Control, Stopped, bits};
use std::ops::Range;

/// The number of boards between two checks of the control. A power of two.
const CHECK: u64 = 1 << 12;
/// The maximum number of placements of the attacker for which the search computes the result of
/// every move of the root. With more placements, the search stops when the root is decided.
const ALL_MOVES: usize = 4;
/// The number of sockets of the largest board.
const SOCKETS: usize = 36;
/// The number of slots of a group of the table.
const WAYS: usize = 4;

/// A board of the search, with the quadrants turned as at the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    /// The attacker's marbles.
    pub own: u64,
    /// The defender's marbles.
    pub other: u64,
    /// `true` if the attacker is to move, `false` if the defender is.
    pub attacks: bool,
    /// The parity of the rotations of the board.
    pub parity: u8,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// The requested rotations at which the attacker wins.
    pub root: Half,
    /// For each free socket, in ascending order: rotations at which the attacker wins after a
    /// placement of the player to move on this socket. With more than [`ALL_MOVES`] placements,
    /// some wins may be missing.
    pub children: Vec<(u64, Half)>,
    /// The maximum number of plies to the end of the game, for all wins of this search.
    pub plies: usize,
}

/// One slot of the table: the attacker's marbles, the defender's marbles with the tag of the board
/// in the highest bits, the rotations that a search has covered, and the rotations that are won.
#[derive(Clone, Copy)]
struct WinSlot {
    own: u64,
    key: u64,
    known: Half,
    won: Half,
}

/// A table of boards and their wins. The slots form groups. In a full group, a new board replaces
/// the oldest of the boards with the fewest placements left.
pub(super) struct WinTable(Vec<[u64; 6]>);

impl WinTable {
    /// Creates an empty table of at most `bytes` bytes, but at least one group.
    pub fn new(bytes: u64) -> WinTable {
        let groups = (bytes / (WAYS * size_of::<WinSlot>()) as u64).max(1);
        WinTable(vec![[0; 6]; WAYS << groups.ilog2().min(40)])
    }

    fn group(&self, own: u64, key: u64) -> usize {
        let mut hash = own.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        hash ^= hash >> 32;
        hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash >> 24) as usize & (self.0.len() / WAYS - 1)) * WAYS
    }

    /// Returns the covered rotations of a board, and the won rotations.
    fn get(&self, own: u64, key: u64) -> (Half, Half) {
        let from = self.group(own, key);
        let slot = self.0[from..from + WAYS].iter().find(|slot| slot[..2] == [own, key]);
        slot.map_or((Half::NONE, Half::NONE), |s| (Half([s[2], s[3]]), Half([s[4], s[5]])))
    }

    /// Adds the results of a search to the slot of its board. A new board gets a slot.
    fn add(&mut self, WinSlot { own, key, known, won }: WinSlot) {
        let from = self.group(own, key);
        let group = &mut self.0[from..from + WAYS];
        let new = [own, key, known.0[0], known.0[1], won.0[0], won.0[1]];
        match group.iter_mut().find(|slot| slot[..2] == [own, key]) {
            Some(slot) => (2..6).for_each(|i| slot[i] |= new[i]),
            None => {
                let least = (0..WAYS).rev().min_by_key(|&i| group[i][1] >> TAG).expect("a group has slots");
                group[..=least].rotate_right(1);
                group[0] = new;
            }
        }
    }
}

/// The index of the lowest bit of the tag in the key of a board. The tag is twice the number of
/// placements left, plus one if the defender is to move. The index of each socket is less than
/// `TAG`.
const TAG: u32 = 58;

/// Returns the key of a board: the defender's marbles and the tag.
fn key(other: u64, placements: usize, defends: bool) -> u64 {
    other | ((2 * placements + usize::from(defends)) as u64) << TAG
}

/// Returns `true` if a search with this number of placements of the attacker is possible below a
/// board with `empty` free sockets. No board of the search may be full.
pub(super) fn is_possible(empty: usize, placements: usize) -> bool {
    (1..1 << (62 - TAG)).contains(&placements) && empty > 2 * placements + 1
}

/// The ranges of two lists in [`FullWidth::lines`]: the lines that the attacker can complete, and
/// the lines that the defender can complete.
type Lines = [Range<usize>; 2];

/// A search that is in progress.
pub(super) struct FullWidth<'a> {
    workspace: &'a Workspace,
    table: &'a mut WinTable,
    control: &'a Control,
    /// A stack of lists of lines. Each board of the current path has two lists.
    lines: Vec<TurnedLine>,
    /// The parity of the rotations of boards with the attacker to move, and the parity for boards
    /// with the defender to move.
    parities: [usize; 2],
    /// The number of visited boards.
    pub boards: u64,
    /// The number of visited boards at which the search pauses.
    most: u64,
}

/// The reason why a search ended without a result.
enum End {
    Stopped,
    Paused,
}

impl<'a> FullWidth<'a> {
    /// Creates a search that visits at most `most` boards.
    pub fn new(
        workspace: &'a Workspace,
        table: &'a mut WinTable,
        most: u64,
        control: &'a Control,
    ) -> FullWidth<'a> {
        FullWidth { workspace, table, control, lines: Vec::new(), parities: [0; 2], boards: 0, most }
    }

    /// Searches a board at the rotations `need`. The attacker places at most `placements` marbles.
    /// Returns `None` if the search paused. A search with the same table then resumes.
    ///
    /// # Errors
    /// If `control` is cancelled.
    ///
    /// # Panics
    /// If the search isn't [possible](is_possible).
    pub fn run(&mut self, board: &Board, placements: usize, need: Half) -> Result<Option<Found>, Stopped> {
        match self.root(board, placements, need) {
            Ok(found) => Ok(Some(found)),
            Err(End::Paused) => Ok(None),
            Err(End::Stopped) => Err(Stopped),
        }
    }

    fn root(&mut self, board: &Board, n: usize, need: Half) -> Result<Found, End> {
        let &Board { own, other, attacks, parity } = board;
        let free = self.free(own, other);
        assert!(is_possible(free.count_ones() as usize, n));
        self.parities =
            [usize::from(parity) ^ usize::from(!attacks), usize::from(parity) ^ usize::from(attacks)];
        self.lines.clone_from(&self.workspace.lines);
        let all = 0..self.lines.len();
        let lines = [self.completable(all.clone(), own, other, n), self.completable(all, other, own, n)];
        let root = match attacks {
            true => self.attack(&lines, own, other, n, need)?,
            false => self.defend(&lines, own, other, n, need)?,
        };
        let mut found = Found { root, plies: 2 * n - usize::from(attacks), ..Found::default() };
        let after = self.workspace.after(need, parity);
        let left = n - usize::from(attacks);
        for socket in bits(free).map(|i| 1 << i) {
            let (own, other) = if attacks { (own | socket, other) } else { (own, other | socket) };
            let won = if n > ALL_MOVES {
                self.table.get(own, key(other, left, attacks)).1
            } else if left == 0 {
                Half::NONE
            } else {
                self.child(&lines, [own, other], left, after, attacks)?
            };
            found.children.push((socket, won));
        }
        Ok(found)
    }

    /// Searches a child. `defends` is `true` if the defender is to move. `lines` are the lines of
    /// the parent.
    fn child(
        &mut self,
        lines: &Lines,
        [own, other]: [u64; 2],
        n: usize,
        need: Half,
        defends: bool,
    ) -> Result<Half, End> {
        let top = self.lines.len();
        let [mine, theirs] = lines.clone();
        let mine = self.completable(mine, own, other, n);
        let theirs = self.completable(theirs, other, own, n - usize::from(!defends));
        let won = match defends {
            _ if mine.is_empty() => Ok(Half::NONE),
            true => self.defend(&[mine, theirs], own, other, n, need),
            false => self.attack(&[mine, theirs], own, other, n, need),
        };
        self.lines.truncate(top);
        won
    }

    /// Copies to the top of the stack all lines of a list that the owner of `own` can complete with
    /// at most `most` placements. Returns the range of the copies.
    fn completable(&mut self, from: Range<usize>, own: u64, other: u64, most: usize) -> Range<usize> {
        let start = self.lines.len();
        for i in from {
            let line = self.lines[i];
            if line.set & other == 0 && (line.set & !own).count_ones() as usize <= most {
                self.lines.push(line);
            }
        }
        start..self.lines.len()
    }

    fn free(&self, own: u64, other: u64) -> u64 {
        self.workspace.rules.shape.board_mask() & !(own | other)
    }

    /// Returns the rotations from which a turn leads to a rotation of `to`. `parity` is the parity
    /// of the result.
    fn before(&self, to: Half, parity: usize) -> Half {
        self.workspace.before(to, parity as u8)
    }

    /// Returns the rotations at which the attacker, who is to move, has five, or makes five with
    /// one move. `five` has the rotations of the attacker's complete lines, and `near` those of the
    /// lines that lack one marble. `theirs` has the rotations of the defender's complete lines.
    fn wins_at_once(&self, five: [Half; 2], near: [Half; 2], theirs: [Half; 2]) -> Half {
        let [at, turned] = self.parities;
        let rules = self.workspace.rules;
        let now = union(five, near);
        let placed = if rules.place == Place::Wins { now[at] } else { five[at] };
        let by_turn = match (rules.reply, rules.both) {
            (Reply::Place, _) => Half::NONE,
            (Reply::None, Both::Mover) => now[turned],
            (Reply::None, Both::Draw) => now[turned] & !theirs[turned],
        };
        (placed | self.before(by_turn, at)) & !theirs[at]
    }

    /// Counts a visited board. Returns an error if the search must pause or is cancelled.
    fn visit(&mut self) -> Result<(), End> {
        self.boards += 1;
        if self.boards.is_multiple_of(CHECK) {
            self.control.check().map_err(|Stopped| End::Stopped)?;
        }
        if self.boards > self.most { Err(End::Paused) } else { Ok(()) }
    }

    /// Returns the rotations, by parity, at which a set of the list is a line and lacks exactly
    /// `missing` marbles of `own`.
    fn rotations(&self, list: &Range<usize>, own: u64, missing: u32) -> [Half; 2] {
        let lines = self.lines[list.clone()].iter();
        let lines = lines.filter(|line| (line.set & !own).count_ones() == missing);
        lines.fold([Half::NONE; 2], |all, line| union(all, line.rotations))
    }

    /// Returns the sockets of `free` in descending order of their worth for the lines of a list.
    /// The worth of a line grows with the number of marbles in `own`.
    fn order(&self, list: &Range<usize>, own: u64, free: u64) -> impl Iterator<Item = u64> + use<> {
        let mut worth = [0u32; 64];
        for line in &self.lines[list.clone()] {
            let missing = line.set & !own;
            bits(missing).for_each(|socket| worth[socket] += 4096 >> (2 * missing.count_ones()));
        }
        let (mut order, mut count) = ([0u8; SOCKETS], 0);
        for socket in bits(free) {
            order[count] = socket as u8;
            count += 1;
        }
        order[..count].sort_unstable_by_key(|&i| (u32::MAX - worth[usize::from(i)], i));
        order.into_iter().take(count).map(|socket| 1 << socket)
    }

    /// Searches a board with the attacker to move and `n` placements left. Returns the rotations of
    /// `need` at which the attacker wins.
    fn attack(&mut self, lines: &Lines, own: u64, other: u64, n: usize, need: Half) -> Result<Half, End> {
        let key = key(other, n, false);
        let (known, mut won) = if n > 1 { self.table.get(own, key) } else { (Half::NONE, Half::NONE) };
        if need & !known == Half::NONE {
            return Ok(won & need);
        }
        self.visit()?;
        let [mine, theirs] = lines;
        let at = self.parities[0];
        let theirs_now = self.rotations(theirs, other, 0);
        let five = self.rotations(mine, own, 0);
        let near = self.rotations(mine, own, 1);
        won = won | self.wins_at_once(five, near, theirs_now);
        let mut open = need & !known & !won & !theirs_now[at];
        if n == 1 {
            return Ok(won & need);
        }
        if open != Half::NONE {
            let free = self.free(own, other);
            let sockets = if n == 2 { self.hopeful(lines, own, free, open) } else { free };
            for socket in self.order(mine, own, sockets) {
                let after = self.workspace.after(open, at as u8);
                let below = self.child(lines, [own | socket, other], n - 1, after, true)?;
                let more = self.before(below, at) & open;
                won = won | more;
                open = open & !more;
                if open == Half::NONE {
                    break;
                }
            }
        }
        self.table.add(WinSlot { own, key, known: need, won: won & need });
        Ok(won & need)
    }

    /// Returns the sockets for the second to last placement after which the attacker could win at a
    /// rotation of `open`, if the defender passed.
    fn hopeful(&self, [mine, _]: &Lines, own: u64, free: u64, open: Half) -> u64 {
        let [at, turned] = self.parities;
        let mut now = [Half::NONE; 2];
        // For each socket, `near` has the rotations of the lines that lack one more marble after a
        // placement on this socket. `five` has the rotations of the lines that are complete.
        let (mut near, mut five) = ([[Half::NONE; 2]; 64], [[Half::NONE; 2]; 64]);
        for line in &self.lines[mine.clone()] {
            let missing = line.set & !own;
            match missing.count_ones() {
                0 | 1 => {
                    now = union(now, line.rotations);
                    let sockets = if missing == 0 { free } else { missing };
                    bits(sockets).for_each(|x| five[x] = union(five[x], line.rotations));
                }
                _ => bits(missing).for_each(|x| near[x] = union(near[x], line.rotations)),
            }
        }
        let is_hopeful = |&x: &usize| {
            let lines = union(now, near[x]);
            let won = lines[at] | self.before(lines[turned], at);
            let after = !self.before(!won, turned) | five[x][turned];
            self.before(after, at) & open != Half::NONE
        };
        bits(free).filter(is_hopeful).fold(0, |all, x| all | 1 << x)
    }

    /// Searches a board with the defender to move, on which the attacker has `n` placements left.
    /// Returns the rotations of `need` at which the attacker wins.
    fn defend(&mut self, lines: &Lines, own: u64, other: u64, n: usize, need: Half) -> Result<Half, End> {
        let key = key(other, n, true);
        let (known, mut won) = if n > 1 { self.table.get(own, key) } else { (Half::NONE, Half::NONE) };
        if need & !known == Half::NONE {
            return Ok(won & need);
        }
        self.visit()?;
        let [mine, theirs] = lines;
        let [_, at] = self.parities;
        let rules = self.workspace.rules;
        let five = self.rotations(mine, own, 0)[at];
        let theirs_now = self.rotations(theirs, other, 0)[at];
        let threat = match rules.place {
            Place::Wins => self.rotations(theirs, other, 1)[at],
            Place::Turn => Half::NONE,
        };
        won = won
            | match (rules.reply, rules.both) {
                (Reply::None, Both::Draw) => five & !theirs_now,
                (Reply::None, Both::Mover) => five,
                (Reply::Place, _) => five & !theirs_now & !threat,
            };
        let mut open = need & !known & !(five | theirs_now | threat);
        if n == 1 {
            return Ok((won | self.answered(lines, own, other, open)) & need);
        }
        if open != Half::NONE {
            let free = self.free(own, other);
            // The first reply is a pass. If the attacker can't win after a pass, no other reply
            // needs a search.
            let replies = std::iter::once(0).chain(self.order(mine, own, free));
            for reply in replies {
                let after = self.workspace.after(open, at as u8);
                let below = self.child(lines, [own, other | reply], n, after, false)?;
                open = open & !self.before(after & !below, at);
                if open == Half::NONE {
                    break;
                }
            }
        }
        won = (won | open) & need;
        self.table.add(WinSlot { own, key, known: need, won });
        Ok(won)
    }

    /// Returns the rotations of `open` at which no reply prevents the attacker's last placement
    /// from winning. The defender is to move. Replies on sockets of no line all have the effect of
    /// a pass.
    fn answered(&self, [mine, theirs]: &Lines, own: u64, other: u64, mut open: Half) -> Half {
        let at = self.parities[1];
        // For each player, `five` has the rotations of complete lines. For each player and socket,
        // `near` has the rotations of the lines that lack only this socket.
        let (mut five, mut near) = ([[Half::NONE; 2]; 2], [[[Half::NONE; 2]; 64]; 2]);
        let mut sockets = 0;
        for (i, (list, marbles)) in [(mine, own), (theirs, other)].into_iter().enumerate() {
            for line in &self.lines[list.clone()] {
                let missing = line.set & !marbles;
                let to = match missing {
                    0 => &mut five[i],
                    _ => &mut near[i][missing.trailing_zeros() as usize],
                };
                *to = union(*to, line.rotations);
                sockets |= missing;
            }
        }
        for reply in std::iter::once(64).chain(bits(sockets)) {
            if open == Half::NONE {
                break;
            }
            let left = bits(sockets).filter(|&x| x != reply);
            let near_left = left.fold([Half::NONE; 2], |all, x| union(all, near[0][x]));
            let lost = near[1].get(reply).map_or(five[1], |more| union(five[1], *more));
            let won = self.wins_at_once(five[0], near_left, lost);
            open = open & !self.before(!won, at);
        }
        open
    }
}

/// Returns the union of `a` and `b` for each parity.
fn union(a: [Half; 2], b: [Half; 2]) -> [Half; 2] {
    [a[0] | b[0], a[1] | b[1]]
}
