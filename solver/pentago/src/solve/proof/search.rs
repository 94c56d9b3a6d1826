//! The search around counted proofs: depth first over placements, with all rotations that are asked
//! about at once.
//!
//! A board with the attacker to move needs one placement that wins, one with the defender to move
//! needs a win after every reply. Each board is first tried by a counted proof on a few sockets,
//! fewer the deeper it lies; what it says of the board's children is kept too, so that of the
//! defender's replies only those are searched that the proof leaves open.

use super::choice::{choose, order};
use super::counted::{Question, Workspace};
use super::table::{Known, Table};
use super::watch::{End, Watch};
use crate::supers::Half;

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

/// How a search grows with its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    /// Sockets of a proof with nothing searched below it; one more for each ply of depth.
    pub base: usize,
    /// Placements of the attacker that are tried with nothing searched below.
    pub width: usize,
    /// So many more for each ply of depth.
    pub wider: usize,
    /// From this depth on, the other player's wins are looked for first, to this much less depth:
    /// where he wins there is nothing to search.
    pub refute: u8,
    /// See `refute`.
    pub refute_less: u8,
    /// Placements of the attacker come in the order of the wins known after them, so many pairs of
    /// turns around the rotations asked about; at these themselves none is known.
    pub around: u8,
}

impl Default for Growth {
    /// What decided most in the same time (`benches/README.md`).
    fn default() -> Growth {
        Growth { base: 7, width: 3, wider: 1, refute: u8::MAX, refute_less: 2, around: 0 }
    }
}

pub(super) struct Search<'a> {
    pub workspace: Workspace,
    /// By attacker.
    pub tables: [Table; 2],
    pub board: u64,
    pub growth: Growth,
    /// Sockets of a proof at most, memory permitting.
    pub most: usize,
    pub watch: Watch<'a>,
    /// Boards that it may compute.
    pub budget: u64,
    /// Boards computed.
    pub boards: u64,
}

impl Search<'_> {
    pub fn known(&self, attacker: usize, node: &Node) -> Known {
        self.tables[attacker].get(node.sets)
    }

    /// What is known of a board after a search of this depth for wins of `attacker` at the
    /// rotations `need`.
    pub fn visit(&mut self, attacker: usize, node: &Node, need: Half, depth: u8) -> Result<Known, End> {
        let mut known = self.tables[attacker].get(node.sets);
        let mut refuted = self.tables[1 - attacker].get(node.sets).won;
        let left = |known: &Known, refuted: Half| need & !known.won & !known.settled & !refuted;
        let free = self.board & !(node.sets[0] | node.sets[1]);
        let mut open = left(&known, refuted);
        let met = known.sockets > 0 || free == 0 && known.depth > 0;
        if met && (open == Half::NONE || known.depth > depth && open & !known.open == Half::NONE) {
            return Ok(known);
        }
        let Growth { base, refute, refute_less, .. } = self.growth;
        if depth >= refute {
            self.visit(1 - attacker, node, open, depth.saturating_sub(refute_less))?;
            refuted = self.tables[1 - attacker].get(node.sets).won;
            known = self.tables[attacker].get(node.sets);
            open = left(&known, refuted);
            if open == Half::NONE {
                return Ok(known);
            }
        }
        let sockets = (base + usize::from(depth)).min(self.most).min(free.count_ones() as usize);
        if usize::from(known.sockets) < sockets || !met {
            self.prove(attacker, node, open, sockets, &mut known)?;
            open = left(&known, refuted);
        }
        if depth > 0 && open != Half::NONE && free != 0 {
            if node.mover == attacker {
                self.attack(attacker, node, free, open, depth, &mut known)?;
            } else {
                self.defend(attacker, node, free, open, depth, &mut known)?;
            }
        }
        if known.depth == depth + 1 {
            known.open = known.open | need;
        } else if known.depth <= depth {
            known.open = need;
            known.depth = depth + 1;
        }
        self.tables[attacker].set(node.sets, known);
        Ok(known)
    }

    /// A counted proof, whose results for the children go into the table.
    fn prove(
        &mut self,
        attacker: usize,
        node: &Node,
        need: Half,
        s: usize,
        known: &mut Known,
    ) -> Result<(), End> {
        // About so many boards: what can't be ended isn't begun.
        if self.boards.saturating_add(3u64.pow(s as u32)) > self.budget {
            return Err(End::Spent);
        }
        let (own, other) = (node.sets[attacker], node.sets[1 - attacker]);
        let free = self.board & !(own | other);
        let sockets = choose(&self.workspace, [own, other, free], need, node.parity, s);
        let attacks = node.mover == attacker;
        let q = Question { own, other, free, sockets: &sockets, attacks, parity: node.parity, placements: s };
        let proved = self.workspace.prove(&q, &self.watch)?;
        self.boards += proved.boards;
        let plies = proved.plies.min(36) as u8;
        known.won = known.won | proved.root;
        known.settled = proved.settled;
        known.sockets = s as u8;
        known.plies = known.plies.max(plies);
        self.tables[attacker].set(node.sets, *known);
        let table = &mut self.tables[attacker];
        let mut outside = free;
        for (&socket, &won) in sockets.iter().zip(&proved.children) {
            outside &= !socket;
            if won != Half::NONE {
                table.add(node.child(socket).sets, won, plies - 1);
            }
        }
        if proved.outside != Half::NONE {
            while outside != 0 {
                let socket = outside & outside.wrapping_neg();
                outside &= outside - 1;
                table.add(node.child(socket).sets, proved.outside, plies - 1);
            }
        }
        match self.watch.ended() {
            Some(end) => Err(end),
            None if self.boards > self.budget => Err(End::Spent),
            None => Ok(()),
        }
    }

    /// The children after each free socket with how many of the rotations that are needed there are
    /// known to be won.
    fn children(&self, attacker: usize, node: &Node, mut free: u64, need: Half) -> Vec<(u32, Node)> {
        let mut all = Vec::new();
        while free != 0 {
            let child = node.child(free & free.wrapping_neg());
            free &= free - 1;
            all.push(((self.tables[attacker].get(child.sets).won & need).count(), child));
        }
        all
    }

    fn attack(
        &mut self,
        attacker: usize,
        node: &Node,
        free: u64,
        mut open: Half,
        depth: u8,
        known: &mut Known,
    ) -> Result<(), End> {
        let need = self.workspace.after(open, node.parity);
        let around = (0..self.growth.around).fold(need, |around, _| {
            let odd = self.workspace.after(around, node.parity ^ 1);
            self.workspace.after(odd, node.parity)
        });
        let mut children = self.children(attacker, node, free, around);
        // Of equals the heavier socket first: the order of the proof.
        let (own, other) = (node.sets[attacker], node.sets[1 - attacker]);
        let order = order(&self.workspace, [own, other, free], open, node.parity);
        let place = |child: &Node| {
            let socket = child.sets[attacker] & !own;
            order.iter().position(|&bit| bit == socket).unwrap_or(64)
        };
        children.sort_by_cached_key(|(won, child)| (u32::MAX - won, place(child)));
        children.truncate(self.growth.width + self.growth.wider * usize::from(depth));
        for (_, child) in children {
            let need = self.workspace.after(open, node.parity);
            let below = self.visit(attacker, &child, need, depth - 1)?;
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
        attacker: usize,
        node: &Node,
        free: u64,
        mut open: Half,
        depth: u8,
        known: &mut Known,
    ) -> Result<(), End> {
        let need = self.workspace.after(open, node.parity);
        let mut children = self.children(attacker, node, free, need);
        children.sort_by_key(|(won, _)| *won);
        let mut plies = 0;
        for (_, child) in children {
            let mut below = self.tables[attacker].get(child.sets);
            let failing = open & self.workspace.before(!below.won, node.parity);
            if failing != Half::NONE {
                let need = self.workspace.after(failing, node.parity);
                below = self.visit(attacker, &child, need, depth - 1)?;
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
