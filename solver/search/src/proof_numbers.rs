//! Depth-first proof-number search, which decides whether a goal is reached by force.
//!
//! The proof number of a position is the least number of positions that have to be solved to prove
//! that the attacker reaches the goal. The disproof number is the least number of positions that
//! have to be solved to refute the goal (Allis, "Searching for solutions in games and artificial
//! intelligence", thesis, Maastricht 1994). The search always expands a position that contributes
//! to both numbers. At the attacker's moves it follows the child with the least proof number, at
//! the defender's moves the child with the least disproof number. The search is depth-first: it
//! stays in a subtree while the numbers of the subtree are below two thresholds. A transposition
//! table of fixed size therefore replaces the tree (Nagai, "Df-pn algorithm for searching AND/OR
//! trees and its applications", thesis, Tokyo 2002).
//!
//! Two refinements come from the literature:
//! - The threshold of a child is a quarter above the number of the second best child (1 + epsilon:
//!   Pawlewicz and Lew, "Improving depth-first PN-search: 1 + epsilon trick", CG 2006). The search
//!   then switches less often between distant subtrees. Each switch costs time.
//! - A plain sum of numbers counts a position several times if several paths reach the position, up
//!   to exponentially often. The search would then avoid positions that are nearly solved
//!   (Kishimoto and Mueller, "About the completeness of depth-first proof-number search", CG 2008;
//!   Kishimoto, "Dealing with infinite loops, underestimation, and overestimation of depth-first
//!   proof-number search", AAAI 2010). Children with the same key are therefore counted once. The
//!   sum is replaced by the largest number, plus one for each other open child (weak proof numbers:
//!   Ueda, Hashimoto, Hashimoto and Iida, "Weak proof-number search", CG 2008).
//!
//! The games have no cycles, so results don't depend on the path to a position.

use crate::table::{EntryKind, Table, TableSlot};
use crate::tag_set::TagSet;
use crate::{Game, Goal};
use pentago_base::{Budget, Stopped};

/// The result of a finished search for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The attacker reaches the goal, whatever the defender plays.
    Proved,
    /// The defender can prevent the attacker from reaching the goal.
    Refuted,
}

/// The disproof number of a proved position and the proof number of a refuted position. Greater
/// than all other numbers.
const INFINITE: u32 = (1 << 26) - 1;
const LARGEST: u32 = INFINITE - 1;

/// The proof number and the disproof number of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    const PROVED: Self = Self { proof: 0, disproof: INFINITE };
    const REFUTED: Self = Self { proof: INFINITE, disproof: 0 };

    fn of(verdict: bool) -> Self {
        if verdict { Self::PROVED } else { Self::REFUTED }
    }

    fn verdict(self) -> Option<Verdict> {
        match self {
            Self { proof: 0, .. } => Some(Verdict::Proved),
            Self { disproof: 0, .. } => Some(Verdict::Refuted),
            _ => None,
        }
    }

    /// Returns two numbers: first the minimum over the children, then the combination of all
    /// children. With the attacker to move, the minimum is the proof number and the combination is
    /// the disproof number. With the defender to move, they are exchanged.
    fn for_mover(self, attacker: bool) -> (u32, u32) {
        if attacker { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    fn from_mover(attacker: bool, one: u32, all: u32) -> Self {
        if attacker { Self { proof: one, disproof: all } } else { Self { proof: all, disproof: one } }
    }

    fn pack(self) -> u64 {
        u64::from(self.proof) << 26 | u64::from(self.disproof)
    }

    fn unpack(payload: u64) -> Self {
        let field = |shift: u32| (payload >> shift) as u32 & INFINITE;
        Self { proof: field(26), disproof: field(0) }
    }
}

/// A child of a position, with the move that leads to it. The child is not solved when it is
/// listed.
struct Child<M> {
    mv: M,
    slot: TableSlot,
    numbers: Numbers,
}

/// A depth-first proof-number search for one goal.
pub struct ProofNumbers<'t, G: Game> {
    table: &'t mut Table,
    goal: Goal,
    kind: EntryKind,
    /// A stack of the unsolved children of all positions on the current path.
    children: Vec<Child<G::Move>>,
    moves: Vec<G::Move>,
    seen: TagSet,
}

impl<'t, G: Game> ProofNumbers<'t, G> {
    /// Creates a search that stores its results in `table`.
    pub fn new(table: &'t mut Table, goal: Goal) -> Self {
        Self {
            table,
            goal,
            kind: EntryKind::numbers(goal),
            children: Vec::new(),
            moves: Vec::new(),
            seen: TagSet::default(),
        }
    }

    /// Decides whether the goal is reached from the position of `game`. Leaves `game` unchanged.
    ///
    /// # Errors
    /// If the budget is exhausted. Results stay in the table, so a call with another budget
    /// continues the search.
    pub fn solve(&mut self, game: &mut G, budget: &mut Budget) -> Result<Verdict, Stopped> {
        let (mut numbers, slot) = self.look_up(game);
        let limits = Numbers { proof: INFINITE, disproof: INFINITE };
        loop {
            if let Some(verdict) = numbers.verdict() {
                return Ok(verdict);
            }
            let slot = slot.expect("a position without a slot is solved");
            numbers = self.search(game, slot, limits, budget)?;
        }
    }

    /// Returns a move of the attacker that reaches the goal by force. Returns `None` if no move
    /// does so, or if the defender is to move.
    ///
    /// # Errors
    /// If the budget is exhausted.
    pub fn winner(&mut self, game: &mut G, budget: &mut Budget) -> Result<Option<G::Move>, Stopped> {
        if game.outcome().is_some() || game.side() != self.goal.side {
            return Ok(None);
        }
        if let Some(mv) = game.winning_move() {
            return Ok(Some(mv));
        }
        if self.solve(game, budget)? == Verdict::Refuted {
            return Ok(None);
        }
        // Prefer a child that the table lists as proved. If the table no longer lists one, search
        // the open children, starting with the least proof number.
        let first_move = self.moves.len();
        game.moves(&mut self.moves);
        let mut open = Vec::new();
        let mut found = None;
        for i in first_move..self.moves.len() {
            let mv = self.moves[i];
            let (numbers, _) = game.with_move(mv, |game| self.look_up(game));
            match numbers.verdict() {
                Some(Verdict::Proved) => {
                    found = Some(mv);
                    break;
                }
                Some(Verdict::Refuted) => {}
                None => open.push((numbers.proof, mv)),
            }
        }
        self.moves.truncate(first_move);
        if found.is_some() {
            return Ok(found);
        }
        open.sort_by_key(|&(proof, _)| proof);
        self.prove_one_of(game, &open, budget)
    }

    /// Returns a winning move among `open`, or `None` if all these moves are refuted. Searches
    /// every move with the same small limit, then doubles the limit until a move is proved. This is
    /// necessary because a single refutation can be far harder than the proof.
    fn prove_one_of(
        &mut self,
        game: &mut G,
        open: &[(u32, G::Move)],
        budget: &mut Budget,
    ) -> Result<Option<G::Move>, Stopped> {
        let mut limit = 16;
        loop {
            let mut undecided = false;
            for &(_, mv) in open {
                let limits = Numbers { proof: limit, disproof: limit };
                let result = game.with_move(mv, |game| {
                    let slot = self.table.slot(game.key());
                    self.search(game, slot, limits, budget)
                });
                match result?.verdict() {
                    Some(Verdict::Proved) => return Ok(Some(mv)),
                    Some(Verdict::Refuted) => {}
                    None => undecided = true,
                }
            }
            if !undecided {
                return Ok(None);
            }
            limit = limit.saturating_mul(2).min(INFINITE);
        }
    }

    /// Returns the exact numbers of a position that needs no search: the game is over, or the side
    /// to move wins immediately. Returns `None` for any other position.
    #[inline]
    fn solved_at_sight(&self, game: &mut G) -> Option<Numbers> {
        if let Some(outcome) = game.outcome() {
            return Some(Numbers::of(self.goal.reached(outcome)));
        }
        game.winning_move().map(|_| Numbers::of(game.side() == self.goal.side))
    }

    /// Returns the numbers of a position before a search. If the position needs no search, the
    /// numbers are exact. Otherwise they come from the table, or from an estimate if the table has
    /// none. Also returns the location in the table, or `None` for a position that needs no search.
    #[inline]
    fn look_up(&self, game: &mut G) -> (Numbers, Option<TableSlot>) {
        if let Some(numbers) = self.solved_at_sight(game) {
            return (numbers, None);
        }
        let slot = self.table.slot(game.key());
        let numbers = self.table.get(slot, self.kind).map_or_else(
            || {
                let (proof, disproof) = game.estimate(self.goal);
                Numbers { proof: proof.clamp(1, LARGEST), disproof: disproof.clamp(1, LARGEST) }
            },
            Numbers::unpack,
        );
        (numbers, Some(slot))
    }

    /// Searches an unsolved position until the position is solved, or until its proof number or
    /// disproof number reaches the limit in `limits`.
    fn search(
        &mut self,
        game: &mut G,
        slot: TableSlot,
        limits: Numbers,
        budget: &mut Budget,
    ) -> Result<Numbers, Stopped> {
        let before = budget.spent();
        let first = self.children.len();
        let attacker = game.side() == self.goal.side;
        let result = match self.expand(game, attacker, budget) {
            Ok(Some(solved)) => Ok(solved),
            Ok(None) => self.descend(game, first, attacker, limits, budget),
            Err(stopped) => Err(stopped),
        };
        self.children.truncate(first);
        let numbers = result?;
        self.table.put(slot, self.kind, numbers.pack(), budget.spent() - before);
        Ok(numbers)
    }

    /// Adds the unsolved children of the position to `children`. If a child decides the position,
    /// returns the numbers of that child.
    fn expand(
        &mut self,
        game: &mut G,
        attacker: bool,
        budget: &mut Budget,
    ) -> Result<Option<Numbers>, Stopped> {
        let first_move = self.moves.len();
        game.moves(&mut self.moves);
        self.seen.start(self.moves.len() - first_move);
        let mut decided = Ok(None);
        for i in first_move..self.moves.len() {
            if budget.tick().is_err() {
                decided = Err(Stopped);
                break;
            }
            let mv = self.moves[i];
            let (numbers, slot) = game.with_move(mv, |game| self.look_up(game));
            if let Some(slot) = slot
                && numbers.verdict().is_none()
                && self.seen.insert(slot.tag)
            {
                self.children.push(Child { mv, slot, numbers });
            }
            if numbers.for_mover(attacker).0 == 0 {
                decided = Ok(Some(numbers));
                break;
            }
        }
        self.moves.truncate(first_move);
        decided
    }

    /// Searches the most promising child repeatedly, until the position is solved, or until its
    /// proof number or disproof number reaches the limit in `limits`. Returns the numbers of the
    /// position.
    fn descend(
        &mut self,
        game: &mut G,
        first: usize,
        attacker: bool,
        limits: Numbers,
        budget: &mut Budget,
    ) -> Result<Numbers, Stopped> {
        let (one_limit, all_limit) = limits.for_mover(attacker);
        loop {
            let ChildSummary { best, one, second, all, others } = self.choose(first, attacker);
            let Some(best) = best else {
                return Ok(Numbers::from_mover(attacker, INFINITE, 0));
            };
            if one == 0 || one >= one_limit || all >= all_limit {
                return Ok(Numbers::from_mover(attacker, one, all));
            }
            let (mv, slot) = (self.children[best].mv, self.children[best].slot);
            // Meanwhile, another path may have led the search to this child: use the newer numbers
            // from the table.
            if let Some(known) = self.table.get(slot, self.kind).map(Numbers::unpack)
                && known != self.children[best].numbers
            {
                self.children[best].numbers = known;
                continue;
            }
            let (_, own) = self.children[best].numbers.for_mover(attacker);
            let one_limit = one_limit.min(second.saturating_add(second.div_ceil(4)).min(INFINITE));
            let all_limit = match all_limit {
                INFINITE => INFINITE,
                limit => limit.saturating_sub(others).max(own + 1),
            };
            let limits = Numbers::from_mover(attacker, one_limit.max(one + 1), all_limit);
            self.children[best].numbers =
                game.with_move(mv, |game| self.search(game, slot, limits, budget))?;
        }
    }

    /// Combines the numbers of the children from index `first` on.
    fn choose(&self, first: usize, attacker: bool) -> ChildSummary {
        let mut choice = ChildSummary { best: None, one: INFINITE, second: INFINITE, all: 0, others: 0 };
        let (mut largest, mut open) = (0, 0_u32);
        for (i, child) in self.children.iter().enumerate().skip(first) {
            let (one, all) = child.numbers.for_mover(attacker);
            if all == 0 {
                continue;
            }
            open += 1;
            largest = largest.max(all);
            if one < choice.one {
                choice.second = choice.one;
                choice.one = one;
                choice.best = Some(i);
            } else {
                choice.second = choice.second.min(one);
            }
        }
        if choice.one == 0 {
            choice.all = INFINITE;
            return choice;
        }
        choice.others = open.saturating_sub(1);
        choice.all = largest.saturating_add(choice.others).min(LARGEST);
        choice
    }
}

/// The combined numbers of a position's children.
struct ChildSummary {
    /// The index of the child to search next, whose number `one` is the least. `None` if all
    /// children are decided against the mover.
    best: Option<usize>,
    one: u32,
    /// The least corresponding number of all children except `best`.
    second: u32,
    /// The disproof number of the position if the attacker moves, otherwise the proof number.
    all: u32,
    /// The contribution of all children except `best` to the number `all`.
    others: u32,
}
