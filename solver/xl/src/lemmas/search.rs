//! The search for lemmas that prove a win within five plies.
//!
//! To answer the defender's replies to a move, the search first assumes a reply on a socket that
//! doesn't matter. The answer is a lemma, which also answers all replies outside its empty sockets.
//! The search then examines only replies on these empty sockets, and only turns that move sockets
//! of the lemma need other lemmas.
//!
//! If the defender has fewer than five marbles when the attacker wins, a lemma holds for all
//! arrangements of the defender's marbles outside its pattern. Otherwise, the lemma lists the
//! defender's marbles, and requires sockets to be empty if a marble there could help the defender
//! to five in a line.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pentago_base::{Budget, Stopped};

use super::journal::LemmaJournal;
use super::lines::{ANY_TURN, SETS, TURNS, WinSets};
use super::pattern::{Answer, ELSEWHERE, Lemma, MAPS, Pattern, Spot};
use super::short::{ShortWin, ShortWins};
use crate::geometry::{BOARD, SOCKETS, Socket, SocketSet, sockets};

/// The maximum number of moves that the search compares if they win within three plies. The search
/// uses the move whose lemma leaves the fewest replies open.
const COMPARED: usize = 8;
/// The maximum number of plies of a win for which this search tries all moves.
pub(super) const EXHAUSTIVE: u8 = 5;
/// The number of recent successful moves that are tried first.
const RECENT: usize = 40;

/// If turns leave at least this number of blocks unchanged, the search may assume a reply without a
/// turn. The next marbles of the attacker and of the defender change at most two of these blocks,
/// so one block remains that the defender can turn without effect.
const IDLE: usize = 3;

/// The set that contains the socket in the middle of the board.
const MIDDLE: SocketSet = 1 << 40;

/// The greatest number of marbles with which the defender can't have five in a line.
const HARMLESS: u32 = 4;

pub(super) struct LemmaSearch<'a> {
    sets: &'static WinSets,
    pub lemmas: Vec<Lemma>,
    /// The longer wins that are proved, keyed by the least image of the position.
    proved: Arc<HashMap<Spot, Answer>>,
    /// The number of times that a reply on each socket had no answer.
    refuters: [u32; SOCKETS],
    /// The successful moves, the latest move first.
    recent: Vec<Placement>,
    /// The results of searches for wins in five plies of all threads.
    pub short: Arc<ShortWins>,
    /// The number of the move that this search examines ahead for another search.
    ahead: Option<u64>,
    budget: &'a mut Budget,
    /// Keeps the positions without a win within five plies for a later proof.
    journal: Option<&'a mut LemmaJournal>,
}

/// A move: its socket, as it lies after the turn, and the number of the turn.
pub(super) type Placement = (SocketSet, usize);

/// The lemmas that answer the replies to a move.
#[derive(Default)]
pub(super) struct Replies {
    /// The number of plies within which the attacker wins after each answered reply.
    pub plies: u8,
    /// The positions after the replies without an answer, each as its least image.
    pub hard: Vec<Spot>,
    /// The sockets that must hold marbles of the attacker before the reply.
    own: SocketSet,
    /// The sockets that must be empty before the reply.
    empty: SocketSet,
    answers: Vec<Answer>,
    uses: Vec<(u32, u8)>,
    /// `true` if the search has examined a reply on each socket separately. The whole position then
    /// matters.
    whole: bool,
}

pub(super) type Found<T> = Result<Option<T>, Stopped>;

impl<'a> LemmaSearch<'a> {
    pub(super) fn new(budget: &'a mut Budget, journal: Option<&'a mut LemmaJournal>) -> LemmaSearch<'a> {
        let short = journal.as_ref().map(|journal| ShortWins::without(&journal.failures));
        LemmaSearch {
            sets: &SETS,
            lemmas: Vec::new(),
            proved: Arc::default(),
            refuters: [0; SOCKETS],
            recent: Vec::new(),
            short: Arc::new(short.unwrap_or_default()),
            ahead: None,
            budget,
            journal,
        }
    }

    /// Searches for a win of the attacker, who is to move and has no immediate win, within `most`
    /// plies. Finds wins within five plies, and longer wins that are proved. Prefers lemmas that
    /// leave few replies on the sockets `open` unanswered.
    pub(super) fn win(&mut self, spot: &Spot, most: u8, open: SocketSet) -> Found<Answer> {
        // Wins are proved only for positions without unseen marbles. The least image takes time, so
        // compute it only if the position may have a proved win.
        if spot.unseen == 0 && most >= EXHAUSTIVE && !self.proved.is_empty() {
            let (least, map) = MAPS.least(spot);
            if let Some(answer) = self.proved.get(&least).filter(|answer| answer.pattern.plies <= most) {
                return Ok(Some(MAPS.answer(MAPS.inverse(map), answer)));
            }
        }
        let found = if most >= 3 { self.win_in_three(spot, open)? } else { None };
        if found.is_some() || most < EXHAUSTIVE { Ok(found) } else { self.win_in_five(spot) }
    }

    /// Reports the current step of the search.
    pub(super) fn report(&self, step: String) {
        self.budget.report(step);
    }

    /// Adds a proved win of a position that is its least image.
    pub(super) fn add_proved(&mut self, least: Spot, answer: Answer) {
        Arc::make_mut(&mut self.proved).insert(least, answer);
    }

    fn win_in_three(&mut self, spot: &Spot, open: SocketSet) -> Found<Answer> {
        self.budget.tick()?;
        let mut best: Option<(u32, SocketSet, usize, (SocketSet, SocketSet))> = None;
        let mut compared = 0;
        let idle = self.idle_turns(spot) >= IDLE;
        'turns: for (turn, after) in self.turns(spot) {
            let good = self.double_threats_after(&after, usize::from(!idle));
            let open = self.sets.after(turn, open & BOARD);
            for place in sockets(good) {
                let next = Spot { own: after.own | place.bit(), ..after };
                let Some((own, empty)) = self.threats(&next) else { continue };
                let cost = 100 * ((empty | place.bit()) & open).count_ones() + (own | empty).count_ones();
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, place.bit(), turn, (own, empty)));
                }
                compared += 1;
                if compared == COMPARED {
                    break 'turns;
                }
            }
        }
        Ok(best.map(|(_, place, turn, zone)| self.add(spot, 3, (place, turn), zone, Vec::new())))
    }

    /// Returns the sockets on which a marble gives the attacker two different winning moves after
    /// each turn of the defender, and prevents five of the defender. `first` is the number of the
    /// first turn: 0 or 1.
    fn double_threats_after(&self, spot: &Spot, first: usize) -> SocketSet {
        let good = self.blocking(spot) & !spot.taken();
        (first..TURNS).fold(
            good,
            |good, reply| {
                if good == 0 { 0 } else { self.double_threats(spot, reply, good) }
            },
        )
    }

    /// Returns the sockets on which a marble of the attacker leaves the defender without a winning
    /// set that the next marble completes.
    fn blocking(&self, spot: &Spot) -> SocketSet {
        let mut blocking = BOARD;
        if spot.others() >= HARMLESS {
            self.sets.each(spot.other, spot.own, ANY_TURN, |_, missing| {
                if missing.count_ones() <= 1 {
                    blocking &= missing;
                }
            });
        }
        blocking
    }

    /// Returns the sockets of `among` on which a marble gives the attacker two different winning
    /// moves. The defender's turn in between is `reply`.
    fn double_threats(&self, spot: &Spot, reply: usize, among: SocketSet) -> SocketSet {
        let mut partners = [0; SOCKETS];
        let (mut touched, mut single, mut whole) = (0, 0, false);
        self.sets.each(spot.own, spot.other, reply, |_, missing| match missing.count_ones() {
            0 => whole = true,
            1 => single |= missing,
            2 => {
                let (low, high) = (missing.trailing_zeros(), 127 - missing.leading_zeros());
                partners[low as usize] |= 1 << high;
                partners[high as usize] |= 1 << low;
                touched |= missing;
            }
            _ => {}
        });
        let several = |set: SocketSet| set & set.wrapping_sub(1) != 0;
        if whole || several(single) {
            return among;
        }
        let good = sockets((touched | single) & among).filter(|socket| {
            single & socket.bit() != 0 || several(single | partners[usize::from(socket.number())])
        });
        good.fold(0, |all, socket| all | socket.bit())
    }

    /// Returns the zone in which the attacker wins with the next move after every reply: the
    /// attacker's marbles, and the empty sockets. Returns `None` if some reply prevents this.
    fn threats(&self, spot: &Spot) -> Option<(SocketSet, SocketSet)> {
        let first = self.two_wins(spot, 0, 0).unwrap_or(0);
        let mut zone = first;
        for reply in 1..TURNS {
            let block = 0x1ff << (9 * u32::from(self.sets.turn(reply).block()));
            if first == 0 || first & block != 0 {
                zone |= self.two_wins(spot, reply, zone)?;
            }
        }
        let zone = (zone & spot.own, zone & !spot.own);
        self.without_five(spot, zone)
    }

    /// Returns the union of two winning sets that one marble of the defender can't both block, or a
    /// winning set that is already complete. The defender's turn in between is `reply`. Chooses the
    /// union that adds the fewest sockets to `zone`. Returns `None` if there is none.
    fn two_wins(&self, spot: &Spot, reply: usize, zone: SocketSet) -> Option<SocketSet> {
        let mut wins: Vec<(SocketSet, SocketSet)> = Vec::new();
        self.sets.each(spot.own, spot.other, reply, |set, missing| {
            if missing.count_ones() <= 1 && !wins.contains(&(set, missing)) {
                wins.push((set, missing));
            }
        });
        let pairs = wins.iter().enumerate().flat_map(|(i, &(set, missing))| {
            let earlier = wins[..i].iter().filter(move |(_, other)| *other != missing);
            let alone = (missing == 0).then_some(set);
            earlier.map(move |(other, _)| set | other).chain(alone)
        });
        pairs.min_by_key(|set| (set & !zone).count_ones())
    }

    /// Extends a zone so that the defender can't have five in a line after the next reply, nor
    /// after a turn that follows. Returns `None` if there is no such zone.
    fn without_five(
        &self,
        spot: &Spot,
        (mut own, mut empty): (SocketSet, SocketSet),
    ) -> Option<(SocketSet, SocketSet)> {
        if spot.others() < HARMLESS {
            return Some((own, empty));
        }
        // `WinSets::each` omits sets with fewer than two known marbles. With more than two unseen
        // marbles, such sets would matter.
        if spot.unseen > 2 {
            return None;
        }
        let unseen = u32::from(spot.unseen);
        let mut safe = true;
        self.sets.each(spot.other, own, ANY_TURN, |set, missing| {
            let held = set.count_ones() - missing.count_ones();
            let mut left = missing & !empty;
            if missing & own != 0 || held + left.count_ones().min(unseen) + 1 < 5 {
            } else if missing & spot.own != 0 {
                own |= lowest(missing & spot.own);
            } else {
                while held + left.count_ones().min(unseen) + 1 >= 5 {
                    safe &= left != 0;
                    if left == 0 {
                        break;
                    }
                    empty |= lowest(left);
                    left &= left - 1;
                }
            }
        });
        safe.then_some((own, empty))
    }

    /// Returns `true` if the attacker wins within three plies after an irrelevant reply. `spot` is
    /// the position before this reply.
    fn wins_in_three(&self, spot: &Spot) -> bool {
        let spot = Spot { unseen: spot.unseen + 1, ..*spot };
        self.turns(&spot).into_iter().any(|(_, after)| {
            sockets(self.double_threats_after(&after, 0))
                .any(|s| self.threats(&Spot { own: after.own | s.bit(), ..after }).is_some())
        })
    }

    /// Searches for a win within five plies. Shorter searches have found no win.
    fn win_in_five(&mut self, spot: &Spot) -> Found<Answer> {
        let (least, map) = MAPS.least(spot);
        let search = || LemmaSearch::short_win(&least, self.budget.rest());
        let mut found = self.short.get(&least, self.ahead, search)?;
        if found.nodes > 0 && self.ahead.is_none() {
            // The proof uses this result for the first time.
            self.budget.spend(found.nodes)?;
            let begun = self.lemmas.len() as u32;
            for mut lemma in found.lemmas {
                lemma.uses.iter_mut().for_each(|(used, _)| *used += begun);
                self.lemmas.push(lemma);
            }
            match (&mut found.answer, &mut self.journal) {
                (Some(answer), _) => answer.lemma += begun,
                (None, Some(journal)) => journal.note(&least),
                (None, None) => {}
            }
            self.short.keep(&least, found.answer);
        }
        let back = MAPS.inverse(map);
        Ok(found.answer.map(|answer| MAPS.answer(back, &answer)))
    }

    /// Searches for a win within five plies by trying all promising moves. The result depends only
    /// on the position.
    fn short_win(spot: &Spot, mut budget: Budget) -> Result<ShortWin, Stopped> {
        let mut search = LemmaSearch::new(&mut budget, None);
        let idle = search.idle_turns(spot) >= IDLE;
        let mut answer = None;
        for mv in search.promising(spot, false) {
            let next = search.after(spot, mv);
            if idle && !search.wins_in_three(&next) {
                search.budget.tick()?;
            } else if let Some(replies) = search.replies(&next, EXHAUSTIVE - 2, 0)? {
                answer = search.lemma(spot, mv, replies);
                if answer.is_some() {
                    break;
                }
            }
        }
        let lemmas = search.lemmas;
        Ok(ShortWin { answer, lemmas, nodes: budget.spent() })
    }

    /// Returns the attacker's promising moves, best first, for a win in five plies or for a longer
    /// one. Omits sockets that are in no winning set with enough marbles of the attacker. The
    /// attacker's first marble goes to the middle of the board.
    pub(super) fn promising(&self, spot: &Spot, longer: bool) -> Vec<Placement> {
        if spot.own == 0 {
            return if spot.other & MIDDLE == 0 { vec![(MIDDLE, 1)] } else { Vec::new() };
        }
        let mut moves = Vec::new();
        // The number of the attacker's marbles that a set must contain, so that this move and the
        // later moves can complete the set.
        let needed = if longer { 1 } else { 2 };
        for (turn, after) in self.turns(spot) {
            for place in sockets(self.blocking(&after) & !after.taken()) {
                let mut score = 0_i64;
                self.sets.each_through(place, &after, |held| {
                    score += if held >= needed { 1 << (2 * (held - 1)) } else { 0 };
                });
                if score > 0 {
                    let rank = self.recent.iter().position(|&m| m == (place.bit(), turn));
                    let rank = rank.map_or(score, |rank| i64::MAX - rank as i64);
                    moves.push((-rank, turn, place.bit()));
                }
            }
        }
        moves.sort_unstable();
        moves.into_iter().map(|(_, turn, place)| (place, turn)).collect()
    }

    /// Sorts moves by their threats: first the moves after which the attacker wins within three
    /// plies if the reply is irrelevant, sorted by the number of relevant replies.
    pub(super) fn by_threat(&mut self, spot: &Spot, moves: &mut [Placement]) -> Result<(), Stopped> {
        let mut ranks = HashMap::new();
        let begun = self.lemmas.len();
        for &mv in &*moves {
            let next = self.after(spot, mv);
            let answer = self.win(&Spot { unseen: next.unseen + 1, ..next }, 3, 0)?;
            let replies = answer.map_or(u32::MAX, |answer| answer.pattern.empty.count_ones());
            ranks.insert(mv, replies);
        }
        self.lemmas.truncate(begun);
        moves.sort_by_key(|m| ranks[m]);
        Ok(())
    }

    /// Lets the other threads of the rayon pool examine moves before this search does, in the same
    /// order. They only add results of searches for wins in five plies earlier, so the number of
    /// threads doesn't change what this search finds. `first` is the number of the first move.
    pub(super) fn examine_ahead(
        &self,
        spot: &Spot,
        (first, moves): (u64, &[Placement]),
        (most, allowed): (u8, usize),
    ) {
        for (number, &mv) in (first..).zip(moves) {
            let (short, proved) = (Arc::clone(&self.short), Arc::clone(&self.proved));
            let (refuters, mut budget, next) = (self.refuters, self.budget.rest(), self.after(spot, mv));
            rayon::spawn(move || {
                let new = LemmaSearch::new(&mut budget, None);
                let mut search = LemmaSearch { short, proved, refuters, ahead: Some(number), ..new };
                let _ = search.replies(&next, most, allowed);
            });
        }
    }

    /// Returns the position after a move.
    pub(super) fn after(&self, spot: &Spot, (place, turn): Placement) -> Spot {
        let after = self.turned(spot, turn);
        Spot { own: after.own | place, ..after }
    }

    /// Returns the turns that lead to different positions, each with its position. A turn that
    /// changes nothing comes first.
    fn turns(&self, spot: &Spot) -> Vec<(usize, Spot)> {
        let mut turns: Vec<(usize, Spot)> = Vec::with_capacity(TURNS);
        for turn in 1..TURNS {
            let after = self.turned(spot, turn);
            if turns.iter().all(|(_, other)| *other != after) {
                turns.push((turn, after));
            }
        }
        turns.sort_by_key(|(_, after)| after != spot);
        turns
    }

    fn turned(&self, spot: &Spot, turn: usize) -> Spot {
        let after = |set| self.sets.after(turn, set);
        Spot { own: after(spot.own), other: after(spot.other), ..*spot }
    }

    /// Returns the number of blocks whose turn changes nothing.
    fn idle_turns(&self, spot: &Spot) -> usize {
        (1..TURNS).step_by(2).filter(|&turn| self.turned(spot, turn) == *spot).count()
    }

    /// Finds lemmas that answer the replies to a position with the defender to move, and win within
    /// `most` plies. Returns `None` if more than `allowed` replies have no answer.
    pub(super) fn replies(&mut self, spot: &Spot, most: u8, allowed: usize) -> Found<Replies> {
        let mut replies = Replies::default();
        let begun = self.lemmas.len();
        for turn in self.reply_turns(spot) {
            if !self.answer_turn(spot, turn, (most, allowed), &mut replies)? {
                if most < EXHAUSTIVE {
                    self.lemmas.truncate(begun);
                }
                return Ok(None);
            }
        }
        if replies.whole {
            (replies.own, replies.empty) = (spot.own, BOARD & !spot.taken());
        }
        Ok(Some(replies))
    }

    /// Returns the numbers of the defender's turns, in the order in which the search examines them.
    fn reply_turns(&self, spot: &Spot) -> Vec<usize> {
        let mut turns: Vec<usize> = (1..TURNS).collect();
        turns.sort_by_key(|&turn| self.turned(spot, turn) == *spot);
        if self.idle_turns(spot) >= IDLE {
            // First search the replies whose turn changes nothing, because most refutations are
            // among them.
            turns.insert(0, 0);
        }
        turns
    }

    /// Returns `true` if more than `limit` positions, up to symmetries, can follow `spot`, in which
    /// the defender is to move.
    fn more_replies_than(&self, limit: usize, spot: &Spot) -> bool {
        let mut seen = HashSet::new();
        for turn in 1..TURNS {
            let after = self.turned(spot, turn);
            for socket in sockets(BOARD & !after.taken()) {
                seen.insert(MAPS.least(&Spot { other: after.other | socket.bit(), ..after }).0);
                if seen.len() > limit {
                    return true;
                }
            }
        }
        false
    }

    /// Answers all replies with the turn `turn`, or with a turn that changes nothing if `turn` is
    /// 0. Returns `false` if more than `allowed` replies have no answer.
    fn answer_turn(
        &mut self,
        spot: &Spot,
        turn: usize,
        (most, allowed): (u8, usize),
        replies: &mut Replies,
    ) -> Result<bool, Stopped> {
        let after = self.turned(spot, turn);
        let free = BOARD & !after.taken();
        let mut here = replies.answers.clone();
        self.sets.each(after.own, after.other, 0, |set, missing| {
            if missing.count_ones() <= 1 {
                here.push(next_win(set & after.own, missing));
            }
        });
        here.retain(|answer| answer.pattern.answers(&after, free) != 0);
        let mut open = if replies.whole { free } else { free | ELSEWHERE };
        loop {
            while let Some(answer) = self.best_answer(&here, &after, turn, open, replies) {
                open &= !answer.pattern.answers(&after, free);
                if turn > 0 {
                    replies.plies = replies.plies.max(answer.pattern.plies);
                    replies.own |= self.sets.before(turn, answer.pattern.own);
                    replies.empty |= self.sets.before(turn, answer.pattern.empty);
                    let used = (answer.lemma, answer.map);
                    if answer.pattern.plies > 1 && !replies.uses.contains(&used) {
                        replies.uses.push(used);
                    }
                }
            }
            if open == 0 {
                return Ok(true);
            }
            let found = if open & ELSEWHERE == 0 {
                self.answer_one(&after, most, &mut open, replies)?
            } else {
                let found = self.answer_elsewhere(&after, most, open)?;
                if found.is_none() {
                    // No single lemma answers a reply elsewhere. Each socket may still have an
                    // answer of its own.
                    replies.whole = true;
                    open &= !ELSEWHERE;
                    if allowed > 0 && self.more_replies_than(allowed, spot) {
                        return Ok(false);
                    }
                }
                found
            };
            if replies.hard.len() > allowed {
                return Ok(false);
            }
            // On a symmetric board, images of the answer may answer other replies.
            let maps = if allowed > 0 { 8 } else { 1 };
            for image in found.iter().flat_map(|answer| (0..maps).map(|map| MAPS.answer(map, answer))) {
                replies.answers.push(image);
                here.push(image);
            }
        }
    }

    /// Returns the element of `here` that answers at least one of the `open` replies and adds the
    /// least to the zone, or `None` if no element answers any.
    fn best_answer(
        &self,
        here: &[Answer],
        after: &Spot,
        turn: usize,
        open: SocketSet,
        replies: &Replies,
    ) -> Option<Answer> {
        let free = BOARD & !after.taken();
        let cost = |answer: &Answer| {
            let answered = (answer.pattern.answers(after, free) & open).count_ones();
            if answered == 0 {
                return None;
            }
            let before = |set| self.sets.before(turn, set);
            let (own, empty) = (before(answer.pattern.own), before(answer.pattern.empty));
            let added = 4 * (empty & !replies.empty).count_ones() + (own & !replies.own).count_ones();
            Some((if turn == 0 { 0 } else { added }, u32::MAX - answered))
        };
        here.iter()
            .filter_map(|answer| Some((cost(answer)?, answer)))
            .min_by_key(|(cost, _)| *cost)
            .map(|(_, answer)| *answer)
    }

    /// Searches for an answer to one of the `open` replies. If there is none, adds the reply to the
    /// replies without an answer.
    fn answer_one(
        &mut self,
        after: &Spot,
        most: u8,
        open: &mut SocketSet,
        replies: &mut Replies,
    ) -> Found<Answer> {
        let rank = |s: &Socket| (self.refuters[usize::from(s.number())], u8::MAX - s.number());
        let Some(socket) = sockets(*open).max_by_key(rank) else { return Ok(None) };
        let reply = Spot { other: after.other | socket.bit(), ..*after };
        let found = self.win(&reply, most, *open & !socket.bit())?;
        if found.is_none() {
            self.refuters[usize::from(socket.number())] += 1;
            *open &= !socket.bit();
            let least = MAPS.least(&reply).0;
            if !replies.hard.contains(&least) {
                replies.hard.push(least);
            }
        }
        Ok(found)
    }

    /// Searches for a lemma that answers all replies on sockets that don't matter.
    fn answer_elsewhere(&mut self, after: &Spot, most: u8, open: SocketSet) -> Found<Answer> {
        let reply = Spot { unseen: after.unseen + 1, ..*after };
        let harmless = (1..=most).rev().find(|&plies| harmless(&reply, plies)).unwrap_or(0);
        let found = self.win(&reply, harmless, open & BOARD)?;
        if found.is_some() || harmless >= most || reply.unseen > 2 {
            return Ok(found);
        }
        self.win(&reply, most, open & BOARD)
    }

    /// Adds the lemma of a move whose replies all have an answer. Returns `None` if the defender
    /// could have five in a line.
    pub(super) fn lemma(&mut self, spot: &Spot, mv: Placement, replies: Replies) -> Option<Answer> {
        let zone = self.without_five(&self.after(spot, mv), (replies.own, replies.empty))?;
        self.recent.retain(|&m| m != mv);
        self.recent.insert(0, mv);
        self.recent.truncate(RECENT);
        Some(self.add(spot, replies.plies + 2, mv, zone, replies.uses))
    }

    /// Adds the image of the lemma of an answer, which then needs no map.
    pub(super) fn add_image(&mut self, answer: &Answer) -> Option<Answer> {
        let (map, lemma) = (answer.map, &self.lemmas[answer.lemma as usize]);
        let image = MAPS.turn(map, self.sets.turn(lemma.turn))?;
        let turn = (1..TURNS).find(|&turn| self.sets.turn(turn) == image)?;
        let uses = lemma.uses.iter().map(|&(used, inner)| (used, MAPS.compose(map, inner))).collect();
        let place = MAPS.set(map, lemma.place);
        self.lemmas.push(Lemma { pattern: answer.pattern, place, turn, uses });
        Some(Answer { lemma: self.lemmas.len() as u32 - 1, map: 0, ..*answer })
    }

    /// Adds the lemma of a move. `place` is the move's socket, as it lies after the turn. `own` and
    /// `empty` are the zone after the move.
    fn add(
        &mut self,
        spot: &Spot,
        plies: u8,
        (place, turn): Placement,
        (own, empty): (SocketSet, SocketSet),
        uses: Vec<(u32, u8)>,
    ) -> Answer {
        let (known, others) = if harmless(spot, plies) {
            (0, HARMLESS as u8 - (plies - 1) / 2)
        } else {
            (spot.other, spot.unseen)
        };
        let (own, empty) = (self.sets.before(turn, own & !place), self.sets.before(turn, empty | place));
        let pattern = Pattern { plies, own, empty, known, others };
        self.lemmas.push(Lemma { pattern, place: self.sets.before(turn, place), turn, uses });
        Answer { pattern, lemma: self.lemmas.len() as u32 - 1, map: 0 }
    }
}

/// Returns `true` if the defender has too few marbles for five in a line when the attacker wins
/// within `plies` plies.
fn harmless(spot: &Spot, plies: u8) -> bool {
    spot.others() + u32::from(plies.saturating_sub(1)) / 2 <= HARMLESS
}

/// Returns the answer for a win with the next move, if the attacker holds `own` and `empty` is
/// free.
fn next_win(own: SocketSet, empty: SocketSet) -> Answer {
    let pattern = Pattern { plies: 1, own, empty, known: BOARD, others: u8::MAX };
    Answer { pattern, lemma: 0, map: 0 }
}

fn lowest(set: SocketSet) -> SocketSet {
    set & set.wrapping_neg()
}
