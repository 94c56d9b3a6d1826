//! Reads certificates of version 2, and finds the lemmas that positions match.
//!
//! A file is never trusted: [`LemmaBook::read`] checks each lemma by the three conditions of
//! `certificate-format.md`. The check shares no code with the search that found the lemmas.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pentago_base::{Rows, Word, counted};
use pentago_search::sealed;

use super::pattern::{MAPS, Pattern};
use crate::geometry::{BOARD, FIVES, SIDE, Socket, SocketSet, Turn, sockets};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;

/// The first line of a certificate of version 2.
pub const LEMMAS_FIRST_LINE: &str = "pentago certificate 2\n";

/// The number of marbles of both seats.
const MARBLES: u32 = 80;

/// The winning sets that the conditions of lemmas refer to.
static SETS_OF_CONDITIONS: LazyLock<[Vec<SocketSet>; 2]> = LazyLock::new(|| {
    let turned = |sets: &[SocketSet]| {
        let images = Turn::all().flat_map(|turn| sets.iter().map(move |&set| turn.back().apply(set)));
        let mut all: Vec<SocketSet> = sets.iter().copied().chain(images).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let one = turned(&FIVES);
    let two = turned(&one);
    [one, two]
});

/// The lemmas of a checked certificate.
#[derive(Debug)]
pub struct LemmaBook {
    /// The position that the certificate is about.
    pub position: Position,
    lemmas: Vec<(Pattern, Move)>,
    /// The indices of the lemmas, keyed by the attacker's marbles that they require.
    by_own: BTreeMap<SocketSet, Vec<usize>>,
}

impl LemmaBook {
    /// Returns the lemmas that prove seat A's win of the empty board (`docs/results.md`). The
    /// program contains them.
    pub fn of_the_empty_board() -> &'static LemmaBook {
        static BOOK: LazyLock<LemmaBook> = LazyLock::new(|| {
            LemmaBook::read(include_str!("empty-board.txt")).expect("a test checks the certificate")
        });
        &BOOK
    }

    /// Parses a certificate of version 2, and checks all its lemmas.
    ///
    /// # Errors
    /// A sentence that names the damaged part of the text or the wrong lemma.
    pub fn read(text: &str) -> Result<LemmaBook, String> {
        let body = text.rfind("checksum ").map_or("", |at| &text[..at]);
        if sealed(body.to_owned()) != text {
            return Err("the checksum is wrong".to_owned());
        }
        let mut lines = body.lines();
        let mut field = |start: &str| {
            let line = lines.next().and_then(|line| line.strip_prefix(start));
            line.ok_or_else(|| format!("a line that begins with {:?} is missing", start.trim_end()))
        };
        field(LEMMAS_FIRST_LINE.trim_end())?;
        let rules: Rules = field("game ")?.parse().map_err(|_| "the rules are unknown")?;
        if rules != Rules::default() {
            return Err(format!("the rules are {rules}, but lemmas hold only for xl"));
        }
        let position =
            rules.parse_position(field("position ")?).map_err(|error| error.message().to_owned())?;
        let side = position.to_move.letter();
        let plies = field(&format!("claim {side} wins within "))?.parse::<u32>();
        let plies = plies.map_err(|_| "the number of plies is not a number")?;
        let count = field("lemmas ")?.parse::<usize>().map_err(|_| "the number of lemmas is not a number")?;
        let mut book = LemmaBook { position, lemmas: Vec::new(), by_own: BTreeMap::new() };
        let letters = if side == 'a' { "AB-" } else { "BA-" };
        for line in lines {
            let number = book.lemmas.len() + 1;
            let (lemma, uses) = book.lemma(line, letters).map_err(|why| format!("lemma {number}: {why}"))?;
            check(&lemma, &uses).map_err(|why| format!("lemma {number} is wrong: {why}"))?;
            book.by_own.entry(lemma.0.own).or_default().push(number - 1);
            book.lemmas.push(lemma);
        }
        if book.lemmas.len() != count {
            return Err(format!("{count} lemmas are announced, but {} follow", book.lemmas.len()));
        }
        if book.look_up(&position).is_none_or(|(found, _)| found > plies) {
            return Err("no lemma proves the claim".to_owned());
        }
        Ok(book)
    }

    /// Parses the line of a lemma. Returns the lemma, and the images of the patterns of the lemmas
    /// that it uses.
    fn lemma(&self, line: &str, letters: &str) -> Result<((Pattern, Move), Vec<Pattern>), String> {
        let mut words = line.split(' ');
        let mut word = || words.next().ok_or("the line is too short");
        let number = |word: &str, most: u8| word.parse::<u8>().ok().filter(|&number| number <= most);
        let plies = number(word()?, 81).filter(|plies| *plies >= 3 && plies % 2 == 1);
        let plies = plies.ok_or("the number of plies is not an odd number from 3 to 81")?;
        let others = number(word()?, 81).ok_or("the number of other marbles is not 0 to 81")?;
        let mut sets = [0; 3];
        let board = Word { text: word()?, at: 0 };
        let rows = Rows { size: [SIDE; 2], letters, places: "sockets", long_runs: false };
        let put = |file, rank, set: usize| sets[set] |= Socket::on(file, rank).map_or(0, Socket::bit);
        rows.read(board.text, &board, |letter| letters.find(letter), put)
            .map_err(|error| error.message().to_owned())?;
        let [own, known, empty] = sets;
        let m = Rules::default().parse_move(word()?).map_err(|error| error.message().to_owned())?;
        let mut uses = Vec::new();
        for word in words {
            let (line, map) = word.split_once('.').unwrap_or((word, "0"));
            let used = line.parse::<usize>().ok().and_then(|line| self.lemmas.get(line.checked_sub(1)?));
            let map = number(map, 7).ok_or_else(|| format!("{word}: no such map"))?;
            let (used, _) = used.ok_or_else(|| format!("{word}: no such earlier lemma"))?;
            uses.push(MAPS.pattern(map, used));
        }
        Ok(((Pattern { plies, own, empty, known, others }, m), uses))
    }

    /// Returns the number of lemmas.
    pub fn lemmas(&self) -> usize {
        self.lemmas.len()
    }

    /// Returns the number of plies within which the seat to move wins, and the first move. Among
    /// all lemmas that the position matches, uses one with the fewest plies. Returns `None` if the
    /// position matches no lemma. The game must not be over, and no move may win immediately.
    pub fn look_up(&self, p: &Position) -> Option<(u32, Move)> {
        let own = p.of(p.to_move);
        let mut best: Option<(u8, usize, u8)> = None;
        for map in 0..8 {
            let [own, taken] = [own, p.taken()].map(|set| MAPS.set(map, set));
            let fits = self.by_own.iter().filter(|(needed, _)| **needed & !own == 0);
            for &at in fits.flat_map(|(_, lemmas)| lemmas) {
                let Pattern { plies, empty, known, others, .. } = self.lemmas[at].0;
                let outside = (taken & !own & !known).count_ones();
                let in_time = u32::from(plies) + p.count() as u32 <= MARBLES;
                let found = (plies, at, map);
                if empty & taken == 0
                    && outside <= others.into()
                    && in_time
                    && best.is_none_or(|best| found < best)
                {
                    best = Some(found);
                }
            }
        }
        let (plies, at, map) = best?;
        let back = MAPS.inverse(map);
        let m = self.lemmas[at].1;
        let image = |socket: Socket| sockets(MAPS.set(back, socket.bit())).next();
        let turn = m.turn.and_then(|turn| MAPS.turn(back, turn));
        Some((plies.into(), Move { place: image(m.place)?, turn }))
    }
}

/// Checks that a lemma follows from the rules and from the lemmas `uses`.
fn check((pattern, m): &(Pattern, Move), uses: &[Pattern]) -> Result<(), String> {
    let Some(turn) = m.turn else { return Err("the move has no turn".to_owned()) };
    let place = m.place.bit();
    if pattern.empty & place == 0 {
        return Err("the socket of the move may be taken".to_owned());
    }
    let [one, two] = &*SETS_OF_CONDITIONS;
    let own = turn.apply(pattern.own | place);
    let empty = turn.apply(pattern.empty & !place);
    let (known, others) = (turn.apply(pattern.known), u32::from(pattern.others));
    let five = |set: &SocketSet| {
        let outside = (set & !(own | empty | known)).count_ones();
        set & own == 0 && (set & known).count_ones() + outside.min(others) + 1 >= 5
    };
    if known.count_ones() + others >= 4 && two.iter().any(five) {
        return Err("the defender may have five in a line".to_owned());
    }
    for reply in Turn::all() {
        let [own, empty, known] = [own, empty, known].map(|set| reply.apply(set));
        let mut open = BOARD & !own;
        for missing in one.iter().map(|set| set & !own) {
            if missing.count_ones() <= 1 && missing & !empty == 0 {
                open &= missing;
            }
        }
        for used in uses {
            if used.plies + 2 > pattern.plies || used.own & !own != 0 || used.empty & !empty != 0 {
                continue;
            }
            let outside = (known & !used.known).count_ones() + others;
            let most = u32::from(used.others);
            if outside < most {
                open &= used.empty;
            } else if outside == most {
                open &= used.empty | !(known | used.known);
            }
        }
        if open != 0 {
            let sockets = counted(open.count_ones(), "socket");
            return Err(format!("no answer to replies on {sockets}"));
        }
    }
    Ok(())
}
