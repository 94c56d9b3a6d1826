//! The AND/OR search around proofs. The search proceeds depth first over placements, and handles
//! all requested rotations in one mask.
//!
//! A board with the attacker to move needs one winning placement. A board with the defender to move
//! needs a win after each reply. For each board, the search first tries a counted proof on a few
//! sockets, with fewer sockets at greater distance from the root. The proof's results for the
//! children of the board also go into the table. The search then visits only the replies that the
//! proof leaves undecided.

use super::choice::{choose, order};
use super::counted::{Question, Workspace};
use super::full_width::{self, FullWidth, WinTable};
use super::table::{BoardResult, ResultTable};
use crate::rules::Reply;
use crate::supers::Half;
use pentago_base::{Clock, Control, Stopped, bits};
use std::time::Duration;

/// The limits of a search for proofs.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum number of boards to compute. If only this limit applies, the answer is
    /// reproducible.
    pub boards: u64,
    /// The time on `clock` at which the search stops, or `None` if there is no time limit.
    pub end: Option<Duration>,
    /// The clock for the time limit.
    pub clock: Clock,
    /// The memory limit in bytes.
    pub memory: u64,
    /// If `true`, the search continues until every move is decided. If `false`, the search ends
    /// when the position is decided.
    pub every_move: bool,
}

/// A board of the search. The board is stored with the quadrants turned as at the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The marble sets of player 0 and of player 1.
    pub sets: [u64; 2],
    /// The player who makes the next placement: 0 is the side to move at the root, 1 is the
    /// opponent.
    pub mover: usize,
    /// The parity of the rotations at which the search reaches the board.
    pub parity: u8,
}

impl Node {
    /// Returns the board after a placement on `socket` and any turn.
    pub fn child(&self, socket: u64) -> Node {
        let mut sets = self.sets;
        sets[self.mover] |= socket;
        Node { sets, mover: 1 - self.mover, parity: self.parity ^ 1 }
    }
}

/// The maximum depth of a search in plies. Deeper searches would take too long.
pub(super) const MOST_DEPTH: u8 = 30;

/// The cost of a board of the full-width search, as a multiple of the cost of a board of a counted
/// proof (`bench/README.md#full-width-searches`).
const FULL_WIDTH_COST: u64 = 32;

/// The number of sockets of a proof at depth 0. Each ply of depth adds one socket. This number and
/// [`WIDTH`] decided the most positions within equal time (`bench/README.md#growth-of-a-search`).
pub(super) const BASE: usize = 7;

/// The number of placements that the attacker tries at depth 0. Each ply of depth adds one
/// placement.
const WIDTH: usize = 3;

/// Returns the number of marbles that the attacker of a proof on `s` sockets may place before the
/// marble that makes five. The number is two fifths of `s`, rounded up. More placements hardly win
/// more positions (`bench/README.md#growth-of-a-search`).
fn placements(s: usize) -> usize {
    (2 * s).div_ceil(5)
}

/// The search for the wins of one player. While the searches of both players run, they share no
/// data, so they can run in parallel.
pub(super) struct ProofSearch {
    pub attacker: usize,
    pub workspace: Workspace,
    pub table: ResultTable,
    /// A copy of the table of the other player's search, made after the preceding stint.
    pub theirs: ResultTable,
    /// The maximum number of sockets of a counted proof that fits in memory.
    pub most: usize,
    /// Stops the search when the stint ends, and counts the computed boards.
    pub control: Control,
    pub progress: Progress,
    /// The table of the full-width search.
    pub full_width: WinTable,
    /// The wins that the full-width search has found for the position and for the boards after one
    /// move. Each item has the marble sets of both players, and the results. The items are in
    /// ascending order of the number of plies.
    pub wins: Vec<([u64; 2], BoardResult)>,
    /// The maximum cost of the search, in boards of counted proofs.
    pub budget: u64,
    /// The stint ends once the search has computed more than this number of boards in counted
    /// proofs.
    pub pause: u64,
    /// `true` if the stint ended at `pause`. The search can then resume.
    pub paused: bool,
}

/// The progress of a search. If one search decides the position, the progress of the other search
/// depends on timing. The progress of the other search is therefore reset to the start of the
/// stint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// The number of boards that counted proofs have computed so far.
    pub counted: u64,
    /// The number of boards that the full-width search has visited so far.
    pub visited: u64,
    /// The current depth of the search in plies.
    pub depth: u8,
    /// The number of placements of the attacker in the next full-width search.
    pub placements: usize,
    /// The number of plies within which the attacker cannot force a win of the position, according
    /// to the full-width search.
    pub ruled_out: usize,
    /// The number of wins in [`ProofSearch::wins`].
    pub wins: usize,
}

impl Progress {
    /// The initial progress. The first full-width search allows the attacker two placements.
    pub const BEGIN: Progress =
        Progress { counted: 0, visited: 0, depth: 0, placements: 2, ruled_out: 0, wins: 0 };

    /// Returns the number of boards that the search has computed so far.
    pub fn boards(&self) -> u64 {
        self.counted + self.visited
    }

    /// Returns the cost of the search so far, in boards of counted proofs.
    pub fn cost(&self) -> u64 {
        self.counted + FULL_WIDTH_COST * self.visited
    }
}

/// Returns `true` if all rotations in `need` are won. If `any` is `true`, one won rotation in
/// `need` suffices.
fn decided(result: &BoardResult, need: Half, any: bool) -> bool {
    need & !result.won == Half::NONE || any && need & result.won != Half::NONE
}

impl ProofSearch {
    /// Returns the result of the first full-width search that won a board at the rotation `bit`, or
    /// `None` if none did. The search keeps these results because the table may have replaced them.
    pub fn full_width_win(&self, node: &Node, bit: usize) -> Option<&BoardResult> {
        let mut of_board = self.wins.iter().filter(|(sets, _)| *sets == node.sets);
        of_board.find_map(|(_, win)| win.won.get(bit).then_some(win))
    }

    /// Returns `true` if the stint is over. Its length is measured in boards of counted proofs
    /// only, because the full-width search pauses by itself.
    fn stint_is_over(&self) -> bool {
        self.progress.counted > self.pause
    }

    /// Resets the search to the progress at the start of the stint. `table` is the copy of this
    /// search's table that the other search made at that time.
    pub fn set_back(&mut self, progress: Progress, table: &ResultTable) {
        self.progress = progress;
        self.wins.truncate(progress.wins);
        self.table.copy_from(table);
    }

    /// Searches at increasing depth until all rotations in `need` are won. If `any` is `true`, one
    /// won rotation in `need` suffices. A search that paused resumes from the results in the table.
    pub fn deepen(&mut self, node: &Node, need: Half, any: bool) -> Result<BoardResult, Stopped> {
        while self.progress.depth <= MOST_DEPTH {
            self.control.check()?;
            if let Some(result) = self.search_all(node, need, any)? {
                return Ok(result);
            }
            if self.stint_is_over() {
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

    /// Pauses the search, so that it can resume in the next stint. Always returns an error.
    fn rest<T>(&mut self) -> Result<T, Stopped> {
        self.paused = true;
        Err(Stopped)
    }

    /// Returns the question whether the attacker wins the board of `node` by a proof on `sockets`.
    fn question<'s>(&self, node: &Node, sockets: &'s [u64], placements: usize) -> Question<'s> {
        let [own, other, free] = self.sets(node);
        let attacks = node.mover == self.attacker;
        Question { own, other, free, sockets, attacks, parity: node.parity, placements }
    }

    /// Returns three sets: the attacker's marbles, the defender's marbles, and the free sockets.
    fn sets(&self, node: &Node) -> [u64; 3] {
        let (own, other) = (node.sets[self.attacker], node.sets[1 - self.attacker]);
        [own, other, self.workspace.rules.shape.board_mask() & !(own | other)]
    }

    /// Continues the full-width search until it has cost twice as much as the counted proofs, and
    /// adds the results to the table. Returns the results for the board if they decide the board,
    /// and otherwise `None`.
    fn search_all(&mut self, node: &Node, need: Half, any: bool) -> Result<Option<BoardResult>, Stopped> {
        let [own, other, free] = self.sets(node);
        let empty = free.count_ones() as usize;
        let attacks = node.mover == self.attacker;
        let board = full_width::Board { own, other, attacks, parity: node.parity };
        while full_width::is_possible(empty, self.progress.placements) {
            let share = 2 * self.progress.counted / FULL_WIDTH_COST;
            let most = share.saturating_sub(self.progress.visited);
            let mut search = FullWidth::new(&self.workspace, &mut self.full_width, most, &self.control);
            let found = search.run(&board, self.progress.placements, need);
            self.progress.visited += search.boards;
            self.control.add(FULL_WIDTH_COST * search.boards);
            let Some(found) = found? else { break };
            self.progress.placements += 1;
            // Under `reply=place` the search may miss wins, so it excludes nothing.
            if self.workspace.rules.reply == Reply::None && found.root == Half::NONE {
                self.progress.ruled_out = found.plies;
            }
            let plies = found.plies as u8;
            let children =
                found.children.iter().map(|&(socket, won)| (node.child(socket).sets, won, plies - 1));
            for (sets, won, plies) in children.chain([(node.sets, found.root, plies)]) {
                if won != Half::NONE {
                    self.table.add(sets, won, plies);
                    let win = BoardResult { won, sockets: empty as u8, plies, ..BoardResult::default() };
                    self.wins.push((sets, win));
                }
            }
            self.progress.wins = self.wins.len();
            let result = self.table.get(node.sets);
            if decided(&result, need, any) {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// Searches a board at the rotations `need`, to a depth of `depth` plies. Returns all results
    /// for the board.
    pub fn visit(&mut self, node: &Node, need: Half, depth: u8) -> Result<BoardResult, Stopped> {
        let mut result = self.table.get(node.sets);
        // Skip the rotations at which the other player has a proved win.
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
        let sockets = (BASE + usize::from(depth)).min(self.most).min(free.count_ones() as usize);
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

    /// Runs a counted proof of a board on `s` sockets. Adds the results for the board and for its
    /// children to the table.
    fn prove(&mut self, node: &Node, need: Half, s: usize, result: &mut BoardResult) -> Result<(), Stopped> {
        let sets = self.sets(node);
        let sockets = choose(&self.workspace, sets, need, node.parity, s);
        let q = self.question(node, &sockets, placements(s));
        // Don't start a proof that could exceed the budget.
        if self.progress.cost().saturating_add(q.most_boards()) > self.budget {
            return Err(Stopped);
        }
        let proved = self.workspace.prove(&q, &self.control)?;
        self.progress.counted += proved.boards;
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

    /// Returns the child after a placement on each free socket. The number before each child is the
    /// number of rotations in `need` at which the table has a win.
    fn children(&self, node: &Node, need: Half) -> Vec<(u32, Node)> {
        let child = |socket: usize| {
            let child = node.child(1u64 << socket);
            ((self.table.get(child.sets).won & need).count(), child)
        };
        bits(self.sets(node)[2]).map(child).collect()
    }

    /// Searches the most promising placements of the attacker, and adds their wins to `result`.
    fn attack(
        &mut self,
        node: &Node,
        mut open: Half,
        depth: u8,
        result: &mut BoardResult,
    ) -> Result<(), Stopped> {
        let need = self.workspace.after(open, node.parity);
        let mut children = self.children(node, need);
        // Sort first by the number of won rotations. Among equal numbers, use the order of sockets
        // that `order` returns.
        let sets = self.sets(node);
        let order = order(&self.workspace, sets, open, node.parity);
        let place = |child: &Node| {
            let socket = child.sets[self.attacker] & !sets[0];
            order.iter().position(|&bit| bit == socket).unwrap_or(64)
        };
        children.sort_by_cached_key(|(won, child)| (u32::MAX - won, place(child)));
        children.truncate(WIDTH + usize::from(depth));
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

    /// Searches the replies of the defender. Stops early once each rotation in `open` has a reply
    /// that prevents the win. Otherwise adds the remaining rotations to the wins of `result`.
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
