//! The schema of Pentago XL: the blocks and entries of the tables below a root, and look-ups in
//! these tables.

use std::sync::Arc;

use pentago_store::{
    GameId, Probe, RawHeader, RawRecord, Reason, Schema, StoreError, longest_packed, unpack,
};

use super::below::{BoardAddress, BoardIndex};
use super::target::{ENTRY_BYTES, ENTRY_WORDS, Header, ROTATIONS, Target};
use crate::outcome::Value;
use crate::position::Position;
use crate::seat::Seat;

/// A table of Pentago XL.
pub type Table = pentago_store::Table<XlSchema>;
/// All tables below one root.
pub type Tablebase = pentago_store::Tablebase<XlSchema>;

/// The schema of Pentago XL. An entry is a half super of 4 KiB. A decoded block is a list of 64-bit
/// words.
#[derive(Clone, Copy, Debug)]
pub struct XlSchema;

impl Schema for XlSchema {
    const GAME: GameId = GameId::PENTAGO_XL;
    type Header = Header;
    type Target = Target;
    /// The slice of a table, as the number of marbles on each of its boards.
    type Slice = usize;
    type Record = RawRecord;
    type Index = BoardIndex;
    type Item = u64;
    type Entry = TableEntry;

    fn header(header: &RawHeader) -> Result<Header, Reason> {
        Header::of(header)
    }

    fn place(header: &Header) -> (Target, usize) {
        (header.target, header.marbles)
    }

    fn records(header: &Header, records: &[RawRecord], _parts: bool) -> Result<Vec<RawRecord>, Reason> {
        header.check(records)?;
        Ok(records.to_vec())
    }

    fn of(_header: &Header) -> XlSchema {
        XlSchema
    }

    fn index(target: &Target) -> BoardIndex {
        BoardIndex::new(target.rules, target.root)
    }

    fn items(entries: usize) -> usize {
        entries * ENTRY_WORDS
    }

    fn longest_payload(entries: usize) -> u64 {
        longest_packed(entries * ENTRY_BYTES)
    }

    fn decode(
        &self,
        _array: &RawRecord,
        _block: u64,
        payload: &[u8],
        into: &mut [u64],
    ) -> Result<(), Reason> {
        let content = unpack(payload, size_of_val(into)).map_err(|error| Reason::Payload(Box::new(error)))?;
        for (word, bytes) in into.iter_mut().zip(content.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Ok(())
    }

    fn entry(block: &Arc<[u64]>, place: usize) -> TableEntry {
        TableEntry { words: block.clone(), first: place * ENTRY_WORDS }
    }

    fn wdl(header: &Header, records: &[RawRecord]) -> [u64; 3] {
        let rules = &header.target.rules;
        let mover = rules.seat_after(Seat::A, header.marbles);
        let side = rules.sides().iter().position(|side| side.has(mover)).unwrap_or(0);
        let all = 2 * ROTATIONS * header.boards;
        // With two sides, only the first side is stored. The second side wins where the first side
        // loses.
        let stored = if rules.sides().len() == 2 { 0 } else { side };
        let counts: Vec<u64> = records[4 * stored..4 * stored + 4].iter().map(|r| r.counts[0]).collect();
        let wins = counts[0] + counts[1];
        let not_lost = (counts[2] + counts[3]).min(all);
        let [wins, draws, losses] = [wins, not_lost.saturating_sub(wins), all - not_lost];
        if stored == side { [wins, draws, losses] } else { [losses, draws, wins] }
    }
}

impl Probe for XlSchema {
    type Position = Position;
    /// The value for each seat, indexed by seat. An element is `None` if its seat is not in the
    /// game. The whole result is `None` if no table holds the position.
    type Value = Option<[Option<Value>; 4]>;

    fn look_up(set: &Tablebase, p: &Position) -> Result<Self::Value, StoreError> {
        if p.places != [0; 4] {
            return Ok(None);
        }
        let Some(table) = set.table(p.count())? else { return Ok(None) };
        let Some(place) = set.index().locate(p) else { return Ok(None) };
        Ok(Some(values(table, &place)?))
    }
}

/// Returns the value for each seat, indexed by seat, of the position at an address. `table` must
/// hold the slice of the address. An element is `None` if its seat is not in the game.
///
/// # Errors
/// If a block can't be read, or if two blocks contradict each other.
pub fn values(table: &Table, place: &BoardAddress) -> Result<[Option<Value>; 4], StoreError> {
    let rules = &table.header().target.rules;
    let mut of_sides = Vec::new();
    for four in 0..table.arrays().len() / 4 {
        let yes = |not_loses: usize| {
            let array = 4 * four + 2 * not_loses + usize::from(place.phase());
            Ok::<_, StoreError>(table.entry_of_list(array as u32, place.rank)?.get(place.bit()))
        };
        of_sides.push(match (yes(0)?, yes(1)?) {
            (true, true) => Value::Win,
            (false, true) => Value::Draw,
            (false, false) => Value::Loss,
            (true, false) => {
                return Err(table.error(Reason::Inconsistent("a position that is won and lost")));
            }
        });
    }
    if rules.sides().len() == 2 {
        of_sides.push(of_sides[0].negate());
    }
    Ok(Seat::ALL.map(|seat| rules.sides().iter().position(|side| side.has(seat)).map(|side| of_sides[side])))
}

/// One entry of a table: the half super of a board.
pub struct TableEntry {
    words: Arc<[u64]>,
    first: usize,
}

impl TableEntry {
    /// Returns the 512 words of the half super.
    pub fn words(&self) -> &[u64] {
        &self.words[self.first..self.first + ENTRY_WORDS]
    }

    fn get(&self, bit: usize) -> bool {
        self.words()[bit / 64] >> (bit % 64) & 1 != 0
    }
}
