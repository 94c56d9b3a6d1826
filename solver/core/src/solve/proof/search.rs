//! The AND/OR search around proofs: depth first over placements, with all requested rotations in
//! one mask.
//!
//! A board with the attacker to move needs one winning placement. A board with the defender to move
//! needs a win after each reply. The search first tries a counted proof of each board, on a few
//! sockets: fewer sockets at greater depth. The results of a proof for the board's children go into
//! the table, too. The search then visits only the replies that the proof leaves open.

use super::choice::{choose, order};
use super::counted::{Question, Workspace};
use super::located;
use super::table::{BoardResult, ResultTable};
use crate::rules::Reply;
use crate::supers::Half;
use pentago_base::{Clock, Control, Stopped, bits};
use std::time::Duration;

/// The limits of a search for proofs.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum number of boards to compute. The same limit gives the same answer.
    pub boards: u64,
    /// The time of `clock` at which the search stops, or `None` for no limit of time.
    pub end: Option<Duration>,
    /// The clock that measures time.
    pub clock: Clock,
    /// The memory limit in bytes.
    pub memory: u64,
    /// Whether the search continues until every move is decided, rather than the position alone.
    pub every_move: bool,
    /// The growth of the search with its depth.
    pub growth: Growth,
}

/// A board with the quadrants turned as at the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The marbles of both players.
    pub sets: [u64; 2],
    /// The player who places next.
    pub mover: usize,
    /// The parity of the rotations at which the search meets the board.
    pub parity: u8,
}

impl Node {
    /// Returns the board after a placement and some turn.
    pub fn child(&self, socket: u64) -> Node {
        let mut sets = self.sets;
        sets[self.mover] |= socket;
        Node { sets, mover: 1 - self.mover, parity: self.parity ^ 1 }
    }
}

/// The maximum depth in plies: deeper searches take too long.
pub(super) const MOST_DEPTH: u8 = 30;

/// The maximum number of boards of a located proof, as a multiple of the number of boards computed
/// before. A located proof decides more than a search of equally many boards
/// (`bench/README.md#located-proofs`).
const LOCATED: u64 = 8;

/// The search tries a located proof if every `LEFT_OUT`-th row fits in memory together. A proof
/// omits the rows that can't hold a win. With many empty sockets and few placements, these are two
/// thirds of the rows or more (`bench/README.md#located-proofs`).
const LEFT_OUT: u64 = 4;

/// The part of the remaining time that the largest level of a located proof may take, at the pace
/// of earlier proofs. Two fifths of the time remain for the other levels, for an overestimated
/// pace, and for counted proofs (`bench/README.md#located-proofs`).
const LARGEST_LEVEL: f64 = 0.6;

/// The number of boards from which on a located proof is large enough to measure its pace.
const TELLING: u64 = 1_000_000;

/// The growth of a search with its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The number of sockets of a proof at depth 0. Each ply of depth adds one socket.
    pub base: usize,
    /// The number of placements that the attacker tries at depth 0.
    pub width: usize,
    /// The number of placements that each ply of depth adds.
    pub wider: usize,
}

impl Default for Growth {
    /// Returns the growth that decided the most positions within the same time
    /// (`bench/README.md#growth-of-a-search`).
    fn default() -> Growth {
        Growth { base: 7, width: 3, wider: 1 }
    }
}

/// Returns the number of placements of the attacker in a proof on `s` sockets, before the one that
/// makes five: two fifths of `s`, rounded up. More placements hardly win more
/// (`bench/README.md#growth-of-a-search`).
fn placements(s: usize) -> usize {
    (2 * s).div_ceil(5)
}

/// The search for the wins of one player. The searches of both players share nothing while they
/// run, so both can run in parallel.
pub(super) struct ProofSearch<'a> {
    pub attacker: usize,
    pub workspace: Workspace,
    pub table: ResultTable,
    /// A copy of the table of the other player's search, made after the last stint.
    pub theirs: ResultTable,
    pub limits: &'a Limits,
    /// The maximum number of sockets of a proof that fits in memory.
    pub most: usize,
    /// Ends the stint, and counts boards.
    pub control: Control,
    pub progress: Progress,
    /// The speed of the fastest large located proof so far, in boards per second. Slower proofs are
    /// ignored, because other work on the machine may have slowed them.
    pub pace: Option<u64>,
    /// The memory limit of a located proof in bytes.
    pub memory: u64,
    /// The wins of the position and of the boards after one move that located proofs have found, in
    /// ascending order of their plies: the marbles of both players, and the results.
    pub wins: Vec<([u64; 2], BoardResult)>,
    /// The maximum number of boards to compute.
    pub budget: u64,
    /// The number of boards of counted proofs at which the stint ends.
    pub pause: u64,
    /// Whether the stint ended at `pause` or for a located proof, so that the search can resume.
    pub paused: bool,
}

/// The progress of a search. If one search decides the position, the progress of the other search
/// depends on chance, so it is reset to the start of the stint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// The number of computed boards.
    pub boards: u64,
    /// The part of `boards` in located proofs.
    pub boards_of_located: u64,
    /// The current depth.
    pub depth: u8,
    /// The number of placements of the next located proof, or `None` once a proof has exceeded the
    /// memory limit or the time limit.
    pub placements: Option<usize>,
    /// The number of plies within which located proofs exclude a win of the position.
    pub ruled_out: usize,
    /// The length of [`ProofSearch::wins`].
    pub wins: usize,
}

impl Progress {
    /// The initial progress. The first located proof has two placements.
    pub const BEGIN: Progress =
        Progress { boards: 0, boards_of_located: 0, depth: 0, placements: Some(2), ruled_out: 0, wins: 0 };
}

/// Returns `true` if all rotations in `need` are won, or, with `any`, at least one of them.
fn decided(result: &BoardResult, need: Half, any: bool) -> bool {
    need & !result.won == Half::NONE || any && need & result.won != Half::NONE
}

impl ProofSearch<'_> {
    /// Returns the result of a located proof that wins a board at the rotation `bit`, or `None` if
    /// there is none. The table may have replaced the result already.
    pub fn located_win(&self, node: &Node, bit: usize) -> Option<&BoardResult> {
        let mut of_board = self.wins.iter().filter(|(sets, _)| *sets == node.sets);
        of_board.find_map(|(_, win)| win.won.get(bit).then_some(win))
    }

    /// Returns `true` if the stint is over. A stint counts the boards of counted proofs only, since
    /// these proofs run on one thread for each search.
    fn stint_is_over(&self) -> bool {
        self.progress.boards - self.progress.boards_of_located > self.pause
    }

    /// Resets the search to earlier progress. `table` is the copy that the other search has.
    pub fn set_back(&mut self, progress: Progress, table: &ResultTable) {
        self.progress = progress;
        self.wins.truncate(progress.wins);
        self.table.copy_from(table);
    }

    /// Searches at increasing depth until all rotations in `need` are won, or, with `any`, at least
    /// one of them. A search that paused resumes from the results in the table. The search also
    /// pauses when a located proof is due.
    pub fn deepen(&mut self, node: &Node, need: Half, any: bool) -> Result<BoardResult, Stopped> {
        while self.progress.depth <= MOST_DEPTH {
            self.control.check()?;
            if self.stint_is_over() || self.due(node).is_some() {
                return self.rest();
            }
            let result = self.visit(node, need, self.progress.depth)?;
            if decided(&result, need, any) {
                return Ok(result);
            }
            self.progress.depth += 1;
        }
        Err(Stopped)
    }

    /// Ends the stint before the search is complete: always returns an error.
    fn rest<T>(&mut self) -> Result<T, Stopped> {
        self.paused = true;
        Err(Stopped)
    }

    /// Returns the question of a proof of a board on the given sockets.
    fn question<'s>(&self, node: &Node, sockets: &'s [u64], placements: usize) -> Question<'s> {
        let [own, other, free] = self.sets(node);
        let attacks = node.mover == self.attacker;
        Question { own, other, free, sockets, attacks, parity: node.parity, placements }
    }

    /// Returns the marbles of the attacker and of the defender, and the free sockets.
    fn sets(&self, node: &Node) -> [u64; 3] {
        let (own, other) = (node.sets[self.attacker], node.sets[1 - self.attacker]);
        [own, other, self.workspace.rules.shape.board_mask() & !(own | other)]
    }

    /// Returns the number of placements of the next located proof of a board if the proof is due,
    /// and otherwise `None`. A proof is due if it takes at most [`LOCATED`] times as many boards as
    /// the search has computed.
    fn due(&self, node: &Node) -> Option<usize> {
        let empty = self.sets(node)[2].count_ones() as usize;
        let attacks = node.mover == self.attacker;
        let placements = self.progress.placements.filter(|&n| located::is_possible(empty, n))?;
        let boards = located::most_boards(empty, placements, attacks);
        let bytes = located::most_bytes(empty, placements, attacks);
        let ends =
            self.progress.boards.saturating_add(boards) <= self.budget && bytes / LEFT_OUT <= self.memory;
        (ends && boards / LOCATED <= self.progress.boards).then_some(placements)
    }

    /// Runs the located proof of a board if it is due, and adds its results to the table. Returns
    /// the results for the board if they decide it.
    pub fn locate(&mut self, node: &Node, need: Half, any: bool) -> Result<Option<BoardResult>, Stopped> {
        let Some(placements) = self.due(node) else { return Ok(None) };
        // The proof uses all free sockets. On fewer sockets, a counted proof is as good
        // (`bench/README.md#located-proofs`).
        let sets = self.sets(node);
        let empty = sets[2].count_ones() as usize;
        let sockets = choose(&self.workspace, sets, need, node.parity, empty);
        let q = self.question(node, &sockets, placements);
        let left = self.control.left().zip(self.pace);
        let boards =
            left.map_or(u64::MAX, |(left, pace)| (LARGEST_LEVEL * pace as f64 * left.as_secs_f64()) as u64);
        let began = self.limits.clock.now();
        let Some(proved) = located::prove(&mut self.workspace, &q, self.memory, boards, &self.control)?
        else {
            self.progress.placements = None;
            return Ok(None);
        };
        let took = self.limits.clock.since(began).as_secs_f64();
        if proved.boards >= TELLING {
            self.pace = self.pace.max(Some((proved.boards as f64 / took) as u64));
        }
        self.progress.placements = Some(placements + 1);
        self.progress.boards += proved.boards;
        self.progress.boards_of_located += proved.boards;
        // A full-width search without a win excludes one, but with `reply=place` it may miss wins.
        if self.workspace.rules.reply == Reply::None && need & proved.root == Half::NONE {
            self.progress.ruled_out = proved.plies;
        }
        let plies = proved.plies as u8;
        let children = sockets.iter().zip(&proved.children);
        let children = children.map(|(&socket, &won)| (node.child(socket).sets, won, plies - 1));
        for (sets, won, plies) in children.chain([(node.sets, proved.root, plies)]) {
            if won != Half::NONE {
                self.table.add(sets, won, plies);
                let win = BoardResult { won, sockets: empty as u8, plies, ..BoardResult::default() };
                self.wins.push((sets, win));
            }
        }
        self.progress.wins = self.wins.len();
        Ok(Some(self.table.get(node.sets)).filter(|result| decided(result, need, any)))
    }

    /// Searches a board to `depth` plies at the rotations `need`, and returns the board's results.
    pub fn visit(&mut self, node: &Node, need: Half, depth: u8) -> Result<BoardResult, Stopped> {
        let mut result = self.table.get(node.sets);
        // Rotations that the other player wins need no search.
        let hopeful = need & !self.theirs.get(node.sets).won;
        if hopeful == Half::NONE {
            return Ok(result);
        }
        let left = |result: &BoardResult| hopeful & !result.won & !result.settled;
        let free = self.sets(node)[2];
        let mut open = left(&result);
        let met = result.sockets > 0 || free == 0 && result.depth > 0;
        if met && (open == Half::NONE || result.depth > depth && open & !result.open == Half::NONE) {
            return Ok(result);
        }
        let sockets =
            (self.limits.growth.base + usize::from(depth)).min(self.most).min(free.count_ones() as usize);
        if usize::from(result.sockets) < sockets || !met {
            self.prove(node, open, sockets, &mut result)?;
            open = left(&result);
        }
        if depth > 0 && open != Half::NONE && free != 0 {
            if node.mover == self.attacker {
                self.attack(node, open, depth, &mut result)?;
            } else {
                self.defend(node, open, depth, &mut result)?;
            }
        }
        if result.depth == depth + 1 {
            result.open = result.open | need;
        } else if result.depth <= depth {
            result.open = need;
            result.depth = depth + 1;
        }
        self.table.set(node.sets, result);
        Ok(result)
    }

    /// Runs a counted proof of a board on `s` sockets, and adds its results for the board and the
    /// children to the table.
    fn prove(&mut self, node: &Node, need: Half, s: usize, result: &mut BoardResult) -> Result<(), Stopped> {
        let sets = self.sets(node);
        let sockets = choose(&self.workspace, sets, need, node.parity, s);
        let q = self.question(node, &sockets, placements(s));
        // A proof that would exceed the budget doesn't start.
        if self.progress.boards.saturating_add(q.most_boards()) > self.budget {
            return Err(Stopped);
        }
        let proved = self.workspace.prove(&q, &self.control)?;
        self.progress.boards += proved.boards;
        let plies = proved.plies.min(36) as u8;
        result.won = result.won | proved.root;
        result.settled = proved.settled;
        result.sockets = s as u8;
        result.plies = result.plies.max(plies);
        self.table.set(node.sets, *result);
        let mut outside = sets[2];
        for (&socket, &won) in sockets.iter().zip(&proved.children) {
            outside &= !socket;
            if won != Half::NONE {
                self.table.add(node.child(socket).sets, won, plies - 1);
            }
        }
        if proved.outside != Half::NONE {
            for socket in bits(outside) {
                self.table.add(node.child(1 << socket).sets, proved.outside, plies - 1);
            }
        }
        self.control.check()?;
        if self.stint_is_over() { self.rest() } else { Ok(()) }
    }

    /// Returns the child after a placement on each free socket. The number beside each child counts
    /// the rotations in `need` at which the table shows a win.
    fn children(&self, node: &Node, need: Half) -> Vec<(u32, Node)> {
        let child = |socket: usize| {
            let child = node.child(1u64 << socket);
            ((self.table.get(child.sets).won & need).count(), child)
        };
        bits(self.sets(node)[2]).map(child).collect()
    }

    /// Searches the most promising placements of the attacker.
    fn attack(
        &mut self,
        node: &Node,
        mut open: Half,
        depth: u8,
        result: &mut BoardResult,
    ) -> Result<(), Stopped> {
        let need = self.workspace.after(open, node.parity);
        let mut children = self.children(node, need);
        // Ties go to the heavier socket, in the order of the proof.
        let sets = self.sets(node);
        let order = order(&self.workspace, sets, open, node.parity);
        let place = |child: &Node| {
            let socket = child.sets[self.attacker] & !sets[0];
            order.iter().position(|&bit| bit == socket).unwrap_or(64)
        };
        children.sort_by_cached_key(|(won, child)| (u32::MAX - won, place(child)));
        children.truncate(self.limits.growth.width + self.limits.growth.wider * usize::from(depth));
        for (_, child) in children {
            let need = self.workspace.after(open, node.parity);
            let below = self.visit(&child, need, depth - 1)?;
            let won = self.workspace.before(below.won, node.parity) & !result.settled;
            if won & !result.won != Half::NONE {
                result.won = result.won | won;
                result.plies = result.plies.max(below.plies + 1);
            }
            open = open & !won;
            if open == Half::NONE {
                break;
            }
        }
        Ok(())
    }

    /// Searches the replies of the defender, until each open rotation has a reply that prevents the
    /// win.
    fn defend(
        &mut self,
        node: &Node,
        mut open: Half,
        depth: u8,
        result: &mut BoardResult,
    ) -> Result<(), Stopped> {
        let need = self.workspace.after(open, node.parity);
        let mut children = self.children(node, need);
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
        result.won = result.won | open;
        result.plies = result.plies.max(plies + 1);
        Ok(())
    }
}
