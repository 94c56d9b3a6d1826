//! Checks certificates of version 2: each lemma follows from the rules and from earlier lemmas.

use super::{BlockState, Blocks};
use crate::certificate::Proved;
use crate::failure::Failure;
use crate::rules::{Rules, Turn, number};

/// The condition of a lemma on a position with the attacker to move.
#[derive(Clone, Copy)]
struct Pattern {
    /// The number of plies within which the attacker wins.
    plies: u32,
    /// The maximum number of the defender's marbles outside `known`.
    others: u32,
    /// The sockets that hold marbles of the attacker.
    own: u128,
    /// The sockets that are empty.
    empty: u128,
    /// The sockets that may hold any number of the defender's marbles.
    known: u128,
}

impl Pattern {
    fn map(&self, image: impl Fn(u128) -> u128) -> Pattern {
        Pattern { own: image(self.own), empty: image(self.empty), known: image(self.known), ..*self }
    }

    /// Returns `true` if the defender may hold all sockets of a set once one more marble is placed.
    fn may_fill(&self, set: u128) -> bool {
        let known = (set & self.known).count_ones();
        let outside = (set & !(self.known | self.own | self.empty)).count_ones();
        set & self.own == 0 && known + outside.min(self.others) + 1 >= set.count_ones()
    }
}

/// The number of actions that may follow a placement: no turn, and 16 turns of blocks.
const TURNS: usize = 17;

impl Blocks {
    /// Checks the lemmas of a certificate. The last lemma must prove the claim.
    pub(crate) fn check_lemmas(&self, claim: Proved, text: &str) -> Result<Proved, Failure> {
        let malformed = |why: &str| Failure::Malformed(why.to_owned());
        if claim.game != "xl" || !claim.wins {
            return Err(malformed("version 2 has only wins of the game xl"));
        }
        let start = self.position(&claim.position).map_err(Failure::Malformed)?;
        self.possible(&start).map_err(Failure::Malformed)?;
        if self.side(&claim.side) != Some([0, 1, 2, 3].map(|seat| seat == usize::from(start.to_move))) {
            return Err(malformed("the side of the claim isn't to move"));
        }
        let marbles: u32 = start.marbles.iter().map(|set| set.count_ones()).sum();
        if claim.plies > 80 - marbles.min(80) {
            return Err(malformed("the marbles may be used up within so many plies"));
        }
        let maps = self.maps();
        let (mut lemmas, mut replies): (Vec<Pattern>, u64) = (Vec::new(), 0);
        for (line, text) in (1..).zip(text.split_terminator('\n')) {
            let refuted = |why: String| Failure::Refuted(format!("lemma {line}: {why}"));
            let (lemma, mv, uses) = self
                .lemma(text, &claim.side, lemmas.len())
                .map_err(|why| Failure::Malformed(format!("lemma {line}: {why}")))?;
            let uses: Vec<Pattern> =
                uses.into_iter().map(|(at, map)| lemmas[at].map(|set| image(&maps[map], set))).collect();
            let after = self.after_move(&lemma, mv).map_err(refuted)?;
            self.answered(&after, &uses).map_err(refuted)?;
            replies += TURNS as u64 - 1;
            lemmas.push(lemma);
        }
        let last = lemmas.last().ok_or_else(|| malformed("there is no lemma"))?;
        self.matches(last, &start).map_err(Failure::Refuted)?;
        if last.plies > claim.plies {
            let why = format!("the last lemma needs {} plies, but the claim is {}", last.plies, claim.plies);
            return Err(Failure::Refuted(why));
        }
        if lemmas.len() as u64 != claim.positions {
            let why = format!("{} lemmas follow, but {} are announced", lemmas.len(), claim.positions);
            return Err(Failure::Malformed(why));
        }
        Ok(Proved { plies: last.plies, replies, ..claim })
    }

    /// Returns an error unless a position matches a pattern.
    fn matches(&self, pattern: &Pattern, state: &BlockState) -> Result<(), String> {
        let own = state.marbles[usize::from(state.to_move)];
        let other = state.marbles[1 - usize::from(state.to_move)];
        let matches = pattern.own & !own == 0
            && pattern.empty & (own | other) == 0
            && (other & !pattern.known).count_ones() <= pattern.others;
        if matches { Ok(()) } else { Err("the last lemma doesn't match the position".into()) }
    }

    /// Parses the line of a lemma: the pattern, the move as a socket and a turn, and each used
    /// lemma with its map. `before` is the number of lemmas in earlier lines.
    #[allow(clippy::type_complexity)]
    fn lemma(
        &self,
        text: &str,
        side: &str,
        before: usize,
    ) -> Result<(Pattern, (u128, usize), Vec<(usize, usize)>), String> {
        let mut words = text.split(' ');
        let mut word = || words.next().ok_or("the line is too short");
        let plies = number(word()?).filter(|plies| (3..=81).contains(plies) && plies % 2 == 1);
        let plies = plies.ok_or("the number of plies isn't odd and at least 3")? as u32;
        let others = number(word()?).filter(|&others| others <= 81).ok_or("not a number of marbles")? as u32;
        let letters = if side == "a" { "AB-" } else { "BA-" };
        let mut lemma = Pattern { plies, others, own: 0, empty: 0, known: 0 };
        let places = crate::rules::rows(word()?, self.size, self.size, letters)?;
        for (place, letter) in places.into_iter().enumerate() {
            let bit = 1 << self.reading[place];
            match letter {
                Some(0) => lemma.own |= bit,
                Some(1) => lemma.known |= bit,
                Some(_) => lemma.empty |= bit,
                None => {}
            }
        }
        let mv = self.read_move(word()?).ok_or("not a move")?;
        let turn = match mv.turn {
            Turn::Block(block, clockwise) => {
                (1..TURNS).find(|&turn| self.turn_numbered(turn) == Some((block.into(), clockwise)))
            }
            _ => None,
        };
        let turn = turn.ok_or("the move has no legal turn")?;
        let mut uses = Vec::new();
        for word in words {
            let (line, map) = word.split_once('.').unwrap_or((word, "0"));
            let line = number(line).and_then(|line| line.checked_sub(1)).filter(|&line| line < before);
            let map = number(map).filter(|&map| map < 8);
            uses.push((line.ok_or("not the number of an earlier lemma")?, map.ok_or("not a map")?));
        }
        Ok((lemma, (1 << self.reading[usize::from(mv.point)], turn), uses))
    }

    /// Returns the block of a turn with a number from 1 to 16, and `true` for clockwise. Returns
    /// `None` for 0, which is no turn.
    fn turn_numbered(&self, turn: usize) -> Option<(usize, bool)> {
        let block = turn.checked_sub(1)? / 2;
        let block = block + usize::from(block >= 4);
        Some((block, turn % 2 == 1)).filter(|&(block, clockwise)| self.may_turn(block, clockwise))
    }

    fn turned_by(&self, turn: usize, set: u128) -> u128 {
        self.turn_numbered(turn).map_or(set, |(block, clockwise)| self.turn(set, block, clockwise))
    }

    fn turned_back(&self, turn: usize, set: u128) -> u128 {
        self.turn_numbered(turn).map_or(set, |(block, clockwise)| self.turn(set, block, !clockwise))
    }

    /// Returns the pattern after the move of a lemma, with the defender to move.
    fn after_move(&self, lemma: &Pattern, (place, turn): (u128, usize)) -> Result<Pattern, String> {
        if lemma.empty & place == 0 {
            return Err("the pattern doesn't keep the socket of the move empty".into());
        }
        let placed = Pattern { own: lemma.own | place, empty: lemma.empty & !place, ..*lemma };
        let after = placed.map(|set| self.turned_by(turn, set));
        if after.known.count_ones() + after.others < 4 {
            return Ok(after);
        }
        // The defender must have no five after the reply, nor after the attacker's next turn.
        for reply in 0..TURNS {
            for next in 0..TURNS {
                let before = |line| self.turned_back(reply, self.turned_back(next, line));
                if self.lines.iter().any(|&line| after.may_fill(before(line))) {
                    return Err("the defender may have five in a line after the reply".into());
                }
            }
        }
        Ok(after)
    }

    /// Returns an error unless each reply is answered by a win with the next move, or by one of the
    /// lemmas `uses`.
    fn answered(&self, after: &Pattern, uses: &[Pattern]) -> Result<(), String> {
        let board = (1 << (self.size * self.size)) - 1;
        for reply in 1..TURNS {
            let now = after.map(|set| self.turned_by(reply, set));
            // The sockets, as they lie after the turn, of the replies that have no answer so far.
            let mut open = board & !now.own;
            for next in 0..TURNS {
                for &line in &self.lines {
                    let missing = self.turned_back(next, line) & !now.own;
                    if missing.count_ones() <= 1 && missing & !now.empty == 0 {
                        open &= missing;
                    }
                }
            }
            for used in uses.iter().filter(|used| {
                used.plies + 2 <= after.plies && used.own & !now.own == 0 && used.empty & !now.empty == 0
            }) {
                let outside = (now.known & !used.known).count_ones() + now.others;
                if outside < used.others {
                    open &= used.empty;
                } else if outside == used.others {
                    open &= used.empty | !(now.known | used.known);
                }
            }
            if open != 0 {
                let replies = open.count_ones();
                return Err(format!("{replies} replies with turn {reply} of 16 have no answer"));
            }
        }
        Ok(())
    }

    /// Returns the eight symmetries of the board. Map 0 is the identity, maps 1 to 3 turn the board
    /// clockwise, and maps 4 to 7 first exchange left and right.
    fn maps(&self) -> Vec<Vec<usize>> {
        let last = self.size - 1;
        let map = |map: usize| {
            let mut image = vec![0; self.size * self.size];
            for (row, column) in
                (0..self.size).flat_map(|row| (0..self.size).map(move |column| (row, column)))
            {
                let start = (row, if map >= 4 { last - column } else { column });
                let (to_row, to_column) = (0..map % 4).fold(start, |(row, column), _| (column, last - row));
                image[self.socket(row, column)] = self.socket(to_row, to_column);
            }
            image
        };
        (0..8).map(map).collect()
    }
}

fn image(map: &[usize], set: u128) -> u128 {
    (0..map.len()).filter(|&socket| set >> socket & 1 == 1).map(|socket| 1 << map[socket]).sum()
}
