//! Writes the lemmas of a proof as a certificate of version 2.

use std::collections::HashMap;
use std::fmt::Write as _;

use pentago_base::{Budget, Stopped, write_rows};
use pentago_search::{Certificate, sealed};

use super::journal::LemmaJournal;
use super::lines::SETS;
use super::pattern::{Answer, MAPS, Pattern, Spot};
use super::search::LemmaSearch;
use super::tree::ProofTree;
use crate::geometry::{SIDE, Socket, sockets};
use crate::moves::Move;
use crate::options::Rules;
use crate::position::Position;

/// Searches for a win of the seat to move within `most` plies, and writes its certificate. Returns
/// `None` if the search finds no win, although a win may exist, and for rules other than the
/// default. The search expects a position without an immediate win. With a journal, the search
/// skips the failures of earlier searches. The certificate is the same for any journal and any
/// number of threads of the current rayon pool.
///
/// # Errors
/// If the budget is exhausted.
pub fn prove_by_lemmas(
    rules: &Rules,
    position: &Position,
    most: u32,
    budget: &mut Budget,
    journal: Option<&mut LemmaJournal>,
) -> Result<Option<Certificate>, Stopped> {
    let proof = prove(rules, position, most, budget, journal)?;
    Ok(proof.map(|(search, answer)| written(rules, position, &search, &answer)))
}

/// Searches for a win like [`prove_by_lemmas`]. Returns the number of plies within which the seat
/// to move wins, and the first move.
///
/// # Errors
/// If the budget is exhausted.
pub fn win_by_lemmas(
    rules: &Rules,
    position: &Position,
    most: u32,
    budget: &mut Budget,
) -> Result<Option<(u32, Move)>, Stopped> {
    let proof = prove(rules, position, most, budget, None)?;
    Ok(proof.and_then(|(search, answer)| {
        let lemma = &search.lemmas[answer.lemma as usize];
        let place = sockets(lemma.place).next()?;
        Some((answer.pattern.plies.into(), Move { place, turn: Some(SETS.turn(lemma.turn)) }))
    }))
}

/// Searches for a win. Returns the search, which holds the lemmas, and the answer for the position.
fn prove<'a>(
    rules: &Rules,
    position: &Position,
    most: u32,
    budget: &'a mut Budget,
    journal: Option<&'a mut LemmaJournal>,
) -> Result<Option<(LemmaSearch<'a>, Answer)>, Stopped> {
    let left = 80_usize.saturating_sub(position.count());
    let most = most.min(u32::try_from(left).unwrap_or(0)).min(MOST_PLIES) as u8;
    if *rules != Rules::default() || most < 3 {
        return Ok(None);
    }
    let own = position.of(position.to_move);
    let spot = Spot { own, other: position.taken() & !own, unseen: 0 };
    let mut search = LemmaSearch::new(budget, journal);
    let answer = ProofTree::new(&mut search).win(&spot, most)?;
    let answer = answer.and_then(|answer| search.add_image(&answer));
    Ok(answer.map(|answer| (search, answer)))
}

/// The maximum length of a win in plies.
const MOST_PLIES: u32 = 31;

fn written(rules: &Rules, position: &Position, search: &LemmaSearch<'_>, answer: &Answer) -> Certificate {
    let own = position.to_move.letter().to_ascii_uppercase();
    let letters = if own == 'A' { ['A', 'B'] } else { ['B', 'A'] };
    let mut writer = LemmaWriter {
        rules,
        search,
        letters,
        known: HashMap::new(),
        images: HashMap::new(),
        text: String::new(),
    };
    writer.lemma(answer.lemma);
    let lemmas = writer.images.len();
    let (plies, side) = (answer.pattern.plies, position.to_move.letter());
    let text = sealed(format!(
        "pentago certificate 2\ngame {rules}\nposition {}\nclaim {side} wins within {plies}\nlemmas {lemmas}\n{}",
        rules.format_position(position),
        writer.text,
    ));
    Certificate { text, plies: plies.into(), moves: lemmas as u64 }
}

struct LemmaWriter<'a> {
    rules: &'a Rules,
    search: &'a LemmaSearch<'a>,
    /// The letters of the attacker and the defender.
    letters: [char; 2],
    /// For each lemma of the search, the written lemma that replaces it, and the map from the
    /// written lemma to this lemma.
    known: HashMap<u32, (usize, u8)>,
    /// The number of each written lemma, and the map from its pattern to the key. The key is the
    /// least image of the pattern.
    images: HashMap<Pattern, (usize, u8)>,
    text: String,
}

impl LemmaWriter<'_> {
    /// Writes a lemma after all lemmas that it uses, unless a lemma with the same pattern is
    /// written. Returns the number of the written lemma, and the map from it to this lemma.
    fn lemma(&mut self, index: u32) -> (usize, u8) {
        if let Some(&known) = self.known.get(&index) {
            return known;
        }
        let lemma = &self.search.lemmas[index as usize];
        let images = (0..8).map(|map| (MAPS.pattern(map, &lemma.pattern), map));
        let (least, to_least) = images.min().unwrap_or((lemma.pattern, 0));
        let written = match self.images.get(&least) {
            Some(&(number, map)) => (number, MAPS.compose(MAPS.inverse(to_least), map)),
            None => {
                let mut uses: Vec<(usize, u8)> = Vec::new();
                for &(used, map) in &lemma.uses {
                    let (number, inner) = self.lemma(used);
                    uses.push((number, MAPS.compose(map, inner)));
                }
                uses.sort_unstable();
                uses.dedup();
                let number = self.images.len() + 1;
                self.images.insert(least, (number, to_least));
                self.line(index, &uses);
                (number, 0)
            }
        };
        self.known.insert(index, written);
        written
    }

    /// Writes the line of a lemma: plies, other marbles, pattern, move, and the lemmas that the
    /// lemma uses.
    fn line(&mut self, index: u32, uses: &[(usize, u8)]) {
        let lemma = &self.search.lemmas[index as usize];
        let Pattern { plies, own, empty, known, others } = lemma.pattern;
        let _ = write!(self.text, "{plies} {others} ");
        let sets = [(own, self.letters[0]), (known, self.letters[1]), (empty, '-')];
        let letter = |file, rank| {
            let bit = Socket::on(file, rank)?.bit();
            sets.iter().find(|(set, _)| set & bit != 0).map(|(_, letter)| *letter)
        };
        let _ = write_rows(&mut self.text, [SIDE; 2], letter);
        let turn = Some(SETS.turn(lemma.turn));
        for place in sockets(lemma.place) {
            let _ = write!(self.text, " {}", self.rules.format_move(Move { place, turn }));
        }
        for (number, map) in uses {
            let _ = write!(self.text, " {number}");
            if *map > 0 {
                let _ = write!(self.text, ".{map}");
            }
        }
        self.text.push('\n');
    }
}
