//! The search around counted proofs: depth first over placements, with all rotations that are asked
//! about at once.
//!
//! A board with the attacker to move needs one placement that wins, one with the defender to move
//! needs a win after every reply. Each board is first tried by a counted proof on a few sockets,
//! fewer the deeper it lies; what it says of the board's children is kept too, so that of the
//! defender's replies only those are searched that the proof leaves open.

use super::choice::{choose, order};
use super::counted::{Question, Workspace};
use super::located::{self, Most};
use super::table::{Known, Table};
use crate::rules::Reply;
use crate::supers::Half;
use pentago_base::{Clock, Control, Stopped};

/// A board in the frame of the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The marbles of both players.
    pub sets: [u64; 2],
    /// Who is to place.
    pub mover: usize,
    /// The parity of the rotations at which it is met.
    pub parity: u8,
}

impl Node {
    /// After a placement and some turn.
    pub fn child(&self, socket: u64) -> Node {
        let mut sets = self.sets;
        sets[self.mover] |= socket;
        Node { sets, mover: 1 - self.mover, parity: self.parity ^ 1 }
    }
}

/// Deeper searches are out of reach.
pub(super) const MOST_DEPTH: u8 = 30;

/// A located proof is made once it takes at most so many times as many boards as were computed before.
/// It decides more than a search of as many boards would add (`bench/README.md#located-proofs`).
const LOCATED: u64 = 8;

/// Rows without hope are left out of a located proof: with many empty sockets and few placements two
/// thirds and more. It is tried where one in so many rows finds room
/// (`bench/README.md#located-proofs`).
const LEFT_OUT: u64 = 4;

/// The largest level of a located proof may take this part of the time that is left, at the pace of
/// earlier proofs. Two fifths are left for its other levels, for a pace that was too high, and for
/// counted proofs (`bench/README.md#located-proofs`).
const LARGEST_LEVEL: f64 = 0.6;

/// With fewer boards a located proof doesn't tell the pace of larger ones.
const TELLING: u64 = 1_000_000;

/// How a search grows with its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Sockets of a proof with nothing searched below it; one more for each ply of depth.
    pub base: usize,
    /// Placements of the attacker that are tried with nothing searched below.
    pub width: usize,
    /// So many more for each ply of depth.
    pub wider: usize,
}

impl Default for Growth {
    /// What decided most in the same time (`bench/README.md#growth-of-a-search`).
    fn default() -> Growth {
        Growth { base: 7, width: 3, wider: 1 }
    }
}

/// How many marbles the attacker may place in a proof on `s` sockets, before one that makes five: two
/// fifths of them, rounded up. More win hardly anything (`bench/README.md#growth-of-a-search`).
fn placements(s: usize) -> usize {
    (2 * s).div_ceil(5)
}

/// Wins of one board that a located proof has shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedWin {
    /// The board.
    pub sets: [u64; 2],
    /// The rotations at which it is won.
    pub won: Half,
    /// Sockets of the proof.
    pub sockets: u8,
    /// The game ends within so many plies.
    pub plies: u8,
}

/// The search for wins of one of the players. Those for both share nothing while they run, so that
/// they may run at the same time.
pub(super) struct Search {
    pub attacker: usize,
    pub workspace: Workspace,
    pub table: Table,
    /// What the search for the other player's wins had found when both were last compared.
    pub theirs: Table,
    pub board: u64,
    pub growth: Growth,
    /// Sockets of a proof at most, memory permitting.
    pub most: usize,
    /// What ends its stint, and counts boards.
    pub control: Control,
    /// The clock.
    pub clock: Clock,
    /// How far it is.
    pub progress: Progress,
    /// Boards a second of the fastest one of either search that was large enough to tell: others may have
    /// been held up.
    pub pace: Option<u64>,
    /// Bytes that a located proof may take.
    pub memory: u64,
    /// What located proofs have shown of the position and the boards after it, those with fewer plies
    /// first.
    pub wins: Vec<LocatedWin>,
    /// Boards that it may compute.
    pub budget: u64,
    /// Boards of counted proofs after which its stint is over.
    pub pause: u64,
    /// Whether it ended because its stint is over, or a located proof is due.
    pub paused: bool,
}

/// How far a search is: what is set back where the other one decides the position, since how far this
/// one came meanwhile is a matter of chance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// Boards computed.
    pub boards: u64,
    /// Of them, those of located proofs.
    pub boards_of_located: u64,
    /// How deep it searches now.
    pub depth: u8,
    /// Placements of the next located proof of the position, unless memory or time don't suffice for it.
    pub placements: Option<usize>,
    /// Plies within which located proofs rule out a win of the position.
    pub ruled_out: usize,
    /// The number of [`Search::wins`].
    pub wins: usize,
}

impl Progress {
    /// Nothing done; the first located proof has two placements.
    pub const BEGIN: Progress =
        Progress { boards: 0, boards_of_located: 0, depth: 0, placements: Some(2), ruled_out: 0, wins: 0 };
}

/// Whether of the rotations `need` all are won, or `any`.
fn decided(known: &Known, need: Half, any: bool) -> bool {
    need & !known.won == Half::NONE || any && need & known.won != Half::NONE
}

impl Search {
    pub fn known(&self, node: &Node) -> Known {
        self.table.get(node.sets)
    }

    /// What a located proof has shown of a board at a rotation. The table may have given it up.
    pub fn located_win(&self, node: &Node, bit: usize) -> Option<&LocatedWin> {
        self.wins.iter().find(|win| win.sets == node.sets && win.won.get(bit))
    }

    /// Whether the stint is over. Stints are of equally many boards of counted proofs: for these both
    /// searches have a thread.
    fn stint_is_over(&self) -> bool {
        self.progress.boards - self.progress.boards_of_located > self.pause
    }

    /// Sets the search back to where it was when it had come this far; the table is the one that the
    /// other search knows.
    pub fn set_back(&mut self, progress: Progress, table: &Table) {
        self.progress = progress;
        self.wins.truncate(progress.wins);
        self.table.copy_from(table);
    }

    /// Searches ever deeper, until of the rotations `need` all are won, or `any`. After a pause it goes
    /// on where it was, by what it finds in the table. It pauses where a located proof is due, too.
    pub fn deepen(&mut self, node: &Node, need: Half, any: bool) -> Result<Known, Stopped> {
        while self.progress.depth <= MOST_DEPTH {
            self.control.check()?;
            if self.stint_is_over() || self.due(node).is_some() {
                return self.rest();
            }
            let known = self.visit(node, need, self.progress.depth)?;
            if decided(&known, need, any) {
                return Ok(known);
            }
            self.progress.depth += 1;
        }
        Err(Stopped)
    }

    /// Ends a stint before the search is done.
    fn rest<T>(&mut self) -> Result<T, Stopped> {
        self.paused = true;
        Err(Stopped)
    }

    /// Placements of the next located proof of a board, if it is time for it: if it takes at most
    /// [`LOCATED`] times as many boards as were computed so far.
    fn due(&self, node: &Node) -> Option<usize> {
        let empty = (self.board & !(node.sets[0] | node.sets[1])).count_ones() as usize;
        let attacks = node.mover == self.attacker;
        let placements = self.progress.placements.filter(|&n| located::is_possible(empty, n))?;
        let boards = located::most_boards(empty, placements, attacks);
        let bytes = located::most_bytes(empty, placements, attacks);
        let ends =
            self.progress.boards.saturating_add(boards) <= self.budget && bytes / LEFT_OUT <= self.memory;
        (ends && boards / LOCATED <= self.progress.boards).then_some(placements)
    }

    /// Makes a located proof if one is due. Its results go into the table. What is known of the board if
    /// they decide it.
    pub fn locate(&mut self, node: &Node, need: Half, any: bool) -> Result<Option<Known>, Stopped> {
        let Some(placements) = self.due(node) else { return Ok(None) };
        let (own, other) = (node.sets[self.attacker], node.sets[1 - self.attacker]);
        let free = self.board & !(own | other);
        let empty = free.count_ones() as usize;
        let attacks = node.mover == self.attacker;
        // On all sockets: on fewer a counted proof does as well (`bench/README.md#located-proofs`).
        let sockets = choose(&self.workspace, [own, other, free], need, node.parity, empty);
        let q = Question { own, other, free, sockets: &sockets, attacks, parity: node.parity, placements };
        let left = self.control.left().zip(self.pace);
        let boards =
            left.map_or(u64::MAX, |(left, pace)| (LARGEST_LEVEL * pace as f64 * left.as_secs_f64()) as u64);
        let began = self.clock.now();
        let most = Most { memory: self.memory, boards };
        let Some(proved) = located::prove(&mut self.workspace, &q, most, &self.control)? else {
            self.progress.placements = None;
            return Ok(None);
        };
        let took = self.clock.since(began).as_secs_f64();
        if proved.boards >= TELLING {
            self.pace = self.pace.max(Some((proved.boards as f64 / took) as u64));
        }
        self.progress.placements = Some(placements + 1);
        self.progress.boards += proved.boards;
        self.progress.boards_of_located += proved.boards;
        // It is a search of full width; but with `reply=place` it may miss wins.
        if self.workspace.rules().reply == Reply::None && need & proved.root == Half::NONE {
            self.progress.ruled_out = proved.plies;
        }
        let plies = proved.plies as u8;
        let children = sockets.iter().zip(&proved.children);
        let children = children.map(|(&socket, &won)| (node.child(socket).sets, won, plies - 1));
        for (sets, won, plies) in children.chain([(node.sets, proved.root, plies)]) {
            if won != Half::NONE {
                self.table.add(sets, won, plies);
                self.wins.push(LocatedWin { sets, won, sockets: empty as u8, plies });
            }
        }
        self.progress.wins = self.wins.len();
        let known = self.table.get(node.sets);
        Ok(Some(known).filter(|known| decided(known, need, any)))
    }

    /// What is known of a board after a search of this depth at the rotations `need`.
    pub fn visit(&mut self, node: &Node, need: Half, depth: u8) -> Result<Known, Stopped> {
        let mut known = self.table.get(node.sets);
        // Where the other player wins there is nothing to search.
        let hopeful = need & !self.theirs.get(node.sets).won;
        if hopeful == Half::NONE {
            return Ok(known);
        }
        let left = |known: &Known| hopeful & !known.won & !known.settled;
        let free = self.board & !(node.sets[0] | node.sets[1]);
        let mut open = left(&known);
        let met = known.sockets > 0 || free == 0 && known.depth > 0;
        if met && (open == Half::NONE || known.depth > depth && open & !known.open == Half::NONE) {
            return Ok(known);
        }
        let sockets = (self.growth.base + usize::from(depth)).min(self.most).min(free.count_ones() as usize);
        if usize::from(known.sockets) < sockets || !met {
            self.prove(node, open, sockets, &mut known)?;
            open = left(&known);
        }
        if depth > 0 && open != Half::NONE && free != 0 {
            if node.mover == self.attacker {
                self.attack(node, free, open, depth, &mut known)?;
            } else {
                self.defend(node, free, open, depth, &mut known)?;
            }
        }
        if known.depth == depth + 1 {
            known.open = known.open | need;
        } else if known.depth <= depth {
            known.open = need;
            known.depth = depth + 1;
        }
        self.table.set(node.sets, known);
        Ok(known)
    }

    /// A counted proof, whose results for the children go into the table.
    fn prove(&mut self, node: &Node, need: Half, s: usize, known: &mut Known) -> Result<(), Stopped> {
        let (own, other) = (node.sets[self.attacker], node.sets[1 - self.attacker]);
        let free = self.board & !(own | other);
        let sockets = choose(&self.workspace, [own, other, free], need, node.parity, s);
        let attacks = node.mover == self.attacker;
        let placements = placements(s);
        let q = Question { own, other, free, sockets: &sockets, attacks, parity: node.parity, placements };
        // What can't be ended isn't begun.
        if self.progress.boards.saturating_add(q.most_boards()) > self.budget {
            return Err(Stopped);
        }
        let proved = self.workspace.prove(&q, &self.control)?;
        self.progress.boards += proved.boards;
        let plies = proved.plies.min(36) as u8;
        known.won = known.won | proved.root;
        known.settled = proved.settled;
        known.sockets = s as u8;
        known.plies = known.plies.max(plies);
        self.table.set(node.sets, *known);
        let mut outside = free;
        for (&socket, &won) in sockets.iter().zip(&proved.children) {
            outside &= !socket;
            if won != Half::NONE {
                self.table.add(node.child(socket).sets, won, plies - 1);
            }
        }
        if proved.outside != Half::NONE {
            while outside != 0 {
                let socket = outside & outside.wrapping_neg();
                outside &= outside - 1;
                self.table.add(node.child(socket).sets, proved.outside, plies - 1);
            }
        }
        self.control.check()?;
        if self.stint_is_over() { self.rest() } else { Ok(()) }
    }

    /// The children after each free socket with how many of the rotations that are needed there are
    /// known to be won.
    fn children(&self, node: &Node, mut free: u64, need: Half) -> Vec<(u32, Node)> {
        let mut all = Vec::new();
        while free != 0 {
            let child = node.child(free & free.wrapping_neg());
            free &= free - 1;
            all.push(((self.table.get(child.sets).won & need).count(), child));
        }
        all
    }

    fn attack(
        &mut self,
        node: &Node,
        free: u64,
        mut open: Half,
        depth: u8,
        known: &mut Known,
    ) -> Result<(), Stopped> {
        let need = self.workspace.after(open, node.parity);
        let mut children = self.children(node, free, need);
        // Of equals the heavier socket first: the order of the proof.
        let (own, other) = (node.sets[self.attacker], node.sets[1 - self.attacker]);
        let order = order(&self.workspace, [own, other, free], open, node.parity);
        let place = |child: &Node| {
            let socket = child.sets[self.attacker] & !own;
            order.iter().position(|&bit| bit == socket).unwrap_or(64)
        };
        children.sort_by_cached_key(|(won, child)| (u32::MAX - won, place(child)));
        children.truncate(self.growth.width + self.growth.wider * usize::from(depth));
        for (_, child) in children {
            let need = self.workspace.after(open, node.parity);
            let below = self.visit(&child, need, depth - 1)?;
            let won = self.workspace.before(below.won, node.parity) & !known.settled;
            if won & !known.won != Half::NONE {
                known.won = known.won | won;
                known.plies = known.plies.max(below.plies + 1);
            }
            open = open & !won;
            if open == Half::NONE {
                break;
            }
        }
        Ok(())
    }

    fn defend(
        &mut self,
        node: &Node,
        free: u64,
        mut open: Half,
        depth: u8,
        known: &mut Known,
    ) -> Result<(), Stopped> {
        let need = self.workspace.after(open, node.parity);
        let mut children = self.children(node, free, need);
        children.sort_by_key(|(won, _)| *won);
        let mut plies = 0;
        for (_, child) in children {
            let mut below = self.table.get(child.sets);
            let failing = open & self.workspace.before(!below.won, node.parity);
            if failing != Half::NONE {
                let need = self.workspace.after(failing, node.parity);
                below = self.visit(&child, need, depth - 1)?;
                open = open & !self.workspace.before(!below.won, node.parity);
            }
            plies = plies.max(below.plies);
            if open == Half::NONE {
                return Ok(());
            }
        }
        known.won = known.won | open;
        known.plies = known.plies.max(plies + 1);
        Ok(())
    }
}
