//! The search for wins in more than five plies, by proof numbers above the search for short wins.
//!
//! The *proof number* of a position is a lower bound on the number of positions whose wins would
//! prove the win of this position (Allis, 1994). The search always examines a position in which few
//! further wins complete a proof. After a move of the attacker, only the replies without an answer
//! by a lemma count. Each further lemma may answer several of these replies.

use std::collections::HashMap;

use pentago_base::{ALONE, Stopped};

use super::pattern::{Answer, MAPS, Spot};
use super::search::{EXHAUSTIVE, Found, LemmaSearch, Placement};

/// The maximum number of replies without an answer, up to symmetries, after a move that the search
/// considers. The first move on the empty board has 14 replies.
const ALLOWED: usize = 14;
/// The number of the attacker's moves that the search considers in a position.
const MOVES: usize = 60;
/// The proof number of a position without a proof, and the disproof number of a won position.
const NEVER: u32 = 1 << 24;

/// The tree of the positions in which the attacker is to move.
pub(super) struct ProofTree<'s, 'b> {
    search: &'s mut LemmaSearch<'b>,
    nodes: Vec<Node>,
    /// The index of the node of each position.
    index: HashMap<Spot, usize>,
    /// The number of marbles of the first position, plus the maximum number of plies.
    end: u32,
    /// The number of moves that the search has numbered.
    numbered: u64,
}

/// A position with the attacker to move.
struct Node {
    /// The position, as its least image.
    spot: Spot,
    proof: u32,
    disproof: u32,
    /// The moves that may win, or `None` before the search has examined the position.
    moves: Option<Vec<Candidate>>,
}

/// A move of the attacker after which some replies have no answer.
struct Candidate {
    mv: Placement,
    /// The nodes after these replies.
    replies: Vec<usize>,
    proof: u32,
    disproof: u32,
}

impl<'s, 'b> ProofTree<'s, 'b> {
    /// Creates the tree of a position, in which the attacker has no immediate win.
    pub(super) fn new(search: &'s mut LemmaSearch<'b>) -> ProofTree<'s, 'b> {
        ProofTree { search, nodes: Vec::new(), index: HashMap::new(), end: 0, numbered: 0 }
    }

    /// Searches for a win within `most` plies. Tries shorter wins first, because a smaller limit on
    /// the length keeps the search from examining long and hopeless lines.
    pub(super) fn win(&mut self, spot: &Spot, most: u8) -> Found<Answer> {
        let mut limit = 1;
        loop {
            limit = most.min(limit + 2);
            self.end = marbles(spot) + u32::from(limit);
            (self.nodes, self.index) = Default::default();
            let root = self.node(MAPS.least(spot).0);
            while limit > EXHAUSTIVE && (1..NEVER).contains(&self.nodes[root].proof) {
                self.examine(root)?;
                self.report(limit);
            }
            let found = self.search.win(spot, limit, 0)?;
            if found.is_some() || limit == most {
                return Ok(found);
            }
        }
    }

    /// Reports how many positions are won, refuted and open.
    fn report(&self, limit: u8) {
        let count = |is: fn(&Node) -> bool| self.nodes.iter().filter(|node| is(node)).count();
        let (won, refuted) = (count(|node| node.proof == 0), count(|node| node.proof == NEVER));
        let open = self.nodes.len() - won - refuted;
        self.search.report(format!("within {limit} plies, {won} won, {refuted} refuted, {open} open"));
    }

    /// Returns the node of a position.
    fn node(&mut self, spot: Spot) -> usize {
        let next = self.nodes.len();
        let id = *self.index.entry(spot).or_insert(next);
        if id == next {
            self.nodes.push(Node { spot, proof: 1, disproof: 1, moves: None });
        }
        id
    }

    /// Examines the most promising position below a node, and updates the numbers up to this node.
    fn examine(&mut self, id: usize) -> Result<(), Stopped> {
        let Some(moves) = &self.nodes[id].moves else { return self.expand(id) };
        let Some(best) = moves.iter().min_by_key(|candidate| candidate.proof) else {
            self.update(id);
            return Ok(());
        };
        let (mv, nodes) = (best.mv, &self.nodes);
        let is_won = |reply: &&usize| nodes[**reply].proof == 0;
        let open = best.replies.iter().min_by_key(|&&reply| (nodes[reply].disproof, !nodes[reply].proof));
        let reply = best.replies.iter().find(is_won).or(open);
        if let Some(&reply) = reply {
            if nodes[reply].proof > 0 {
                self.examine(reply)?;
            }
            if self.nodes[reply].proof == 0 {
                // The new lemma may answer other replies, too.
                let candidate = self.candidate(id, mv)?;
                let moves = self.nodes[id].moves.get_or_insert_default();
                moves.retain(|old| old.mv != mv);
                moves.extend(candidate);
            }
        }
        self.update(id);
        Ok(())
    }

    /// Lists the moves of a node that may win.
    fn expand(&mut self, id: usize) -> Result<(), Stopped> {
        let spot = self.nodes[id].spot;
        let mut moves = Vec::new();
        if self.left(&spot) > EXHAUSTIVE {
            moves = self.search.promising(&spot, true);
            self.search.by_threat(&spot, &mut moves)?;
        }
        moves.truncate(MOVES);
        let limits = (self.left(&spot).saturating_sub(2), ALLOWED);
        let first = self.numbered;
        self.numbered += moves.len() as u64;
        if !ALONE && rayon::current_num_threads() > 1 {
            self.search.examine_ahead(&spot, (first, &moves), limits);
        }
        let mut candidates = Vec::new();
        for (number, mv) in (first..).zip(moves) {
            self.search.short.reach(number);
            candidates.extend(self.candidate(id, mv)?);
            if self.nodes[id].proof == 0 {
                return Ok(());
            }
        }
        self.nodes[id].moves = Some(candidates);
        self.update(id);
        Ok(())
    }

    /// Examines a move. Marks the node as won if all replies have an answer. Returns `None` in this
    /// case, and if too many replies have none.
    fn candidate(&mut self, id: usize, mv: Placement) -> Found<Candidate> {
        let spot = self.nodes[id].spot;
        let most = self.left(&spot) - 2;
        let Some(mut replies) = self.search.replies(&self.search.after(&spot, mv), most, ALLOWED)? else {
            return Ok(None);
        };
        let hard = std::mem::take(&mut replies.hard);
        if hard.is_empty() {
            if let Some(answer) = self.search.lemma(&spot, mv, replies) {
                self.search.add_proved(spot, answer);
                let node = &mut self.nodes[id];
                (node.proof, node.disproof) = (0, NEVER);
            }
            return Ok(None);
        }
        let replies = hard.into_iter().map(|spot| self.node(spot)).collect();
        Ok(Some(Candidate { mv, replies, proof: 1, disproof: 1 }))
    }

    /// Computes the numbers of a node from the numbers of the nodes below.
    fn update(&mut self, id: usize) {
        let Some(mut moves) = self.nodes[id].moves.take() else { return };
        for candidate in &mut moves {
            let replies = || candidate.replies.iter().map(|&reply| &self.nodes[reply]);
            let proof = replies().map(|node| node.proof).sum::<u32>().clamp(1, NEVER);
            let disproof = replies().map(|node| node.disproof).min().unwrap_or(0);
            (candidate.proof, candidate.disproof) = (proof, disproof);
        }
        moves.retain(|candidate| candidate.proof < NEVER);
        let node = &mut self.nodes[id];
        if node.proof > 0 {
            node.proof = moves.iter().map(|candidate| candidate.proof).min().unwrap_or(NEVER);
            node.disproof = moves.iter().map(|candidate| candidate.disproof).sum::<u32>().min(NEVER);
            node.moves = Some(moves);
        }
    }

    /// Returns the number of plies that remain for a win.
    fn left(&self, spot: &Spot) -> u8 {
        self.end.saturating_sub(marbles(spot)) as u8
    }
}

impl Drop for ProofTree<'_, '_> {
    /// Ends the work of other threads.
    fn drop(&mut self) {
        self.search.short.reach(u64::MAX);
    }
}

fn marbles(spot: &Spot) -> u32 {
    spot.own.count_ones() + spot.others()
}
