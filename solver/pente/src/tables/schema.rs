//! The schema of Pente: blocks, codes and look-ups in the tables of a game.

use std::sync::{Arc, OnceLock};

use pentago_store::{
    BlockId, GameId, Probe, RawHeader, RawRecord, Reason, Schema, StoreError, longest_packed, unpack,
};

use super::plain::PlainBoard;
use super::target::{Header, Layer};
use super::{Table, Tablebase};
use crate::rules::{Color, Position, Rules};
use crate::table::{Places, SliceId, Value, value_of_code};

/// The schema: an entry is a code of two bits, a block a list of bytes.
#[derive(Clone, Copy, Debug)]
pub struct PenteSchema;

/// Where the positions of a game stand in its tables.
pub struct Index {
    rules: Rules,
    places: OnceLock<Option<Places>>,
    plain: OnceLock<PlainBoard>,
}

impl Index {
    /// Where positions stand; made on first use.
    pub(super) fn places(&self) -> Option<&Places> {
        self.places.get_or_init(|| Places::new(&self.rules).ok()).as_ref()
    }

    /// The board for verification; made on first use.
    pub(super) fn plain_board(&self) -> &PlainBoard {
        self.plain.get_or_init(|| PlainBoard::new(&self.rules))
    }
}

impl Schema for PenteSchema {
    const GAME: GameId = GameId::PENTE;
    type Header = Header;
    type Target = Rules;
    type Slice = Layer;
    type Record = RawRecord;
    type Index = Index;
    type Item = u8;
    /// 1 lost, 2 drawn, 3 won for the side to move; 0 where no game leads.
    type Entry = u8;

    fn header(header: &RawHeader) -> Result<Header, Reason> {
        Header::of(header)
    }

    fn place(header: &Header) -> (Rules, Layer) {
        (header.rules, header.layer)
    }

    fn records(header: &Header, records: &[RawRecord], _parts: bool) -> Result<Vec<RawRecord>, Reason> {
        header.check(records)?;
        Ok(records.to_vec())
    }

    fn of(_header: &Header) -> PenteSchema {
        PenteSchema
    }

    fn index(rules: &Rules) -> Index {
        Index { rules: *rules, places: OnceLock::new(), plain: OnceLock::new() }
    }

    fn items(entries: usize) -> usize {
        entries.div_ceil(4)
    }

    fn longest_payload(entries: usize) -> u64 {
        longest_packed(entries.div_ceil(4))
    }

    fn decode(&self, array: &RawRecord, block: u64, payload: &[u8], into: &mut [u8]) -> Result<(), Reason> {
        let bytes = unpack(payload, into.len()).map_err(|error| Reason::Payload(Box::new(error)))?;
        let len = array.array.grid.len(block);
        if !len.is_multiple_of(4) && bytes[len / 4] >> (2 * (len % 4)) != 0 {
            return Err(Reason::Inconsistent("codes behind the last position"));
        }
        into.copy_from_slice(&bytes);
        Ok(())
    }

    fn entry(block: &Arc<[u8]>, place: usize) -> u8 {
        block[place / 4] >> (2 * (place % 4)) & 3
    }

    fn wdl(header: &Header, _records: &[RawRecord]) -> [u64; 3] {
        header.wdl
    }
}

impl Probe for PenteSchema {
    type Position = Position;
    /// The value for the side to move; nothing if no table holds it, or no game leads to it.
    type Value = Option<Value>;

    fn look_up(set: &Tablebase, p: &Position) -> Result<Option<Value>, StoreError> {
        if let Some(outcome) = set.target().outcome(p) {
            return Ok(Some(Value::of(outcome, p.to_move())));
        }
        let layer = Layer([p.captured(Color::X), p.captured(Color::O)]);
        let Some(table) = set.table(layer)? else { return Ok(None) };
        let Some((id, place)) = set.index().places().and_then(|places| places.place(p)) else {
            return Ok(None);
        };
        let Some(array) = array_of(table, id) else { return Ok(None) };
        Ok(value_of_code(table.entry_of_list(array, place)?))
    }
}

/// The slices of a table, in the order of its arrays.
pub(super) fn slices(table: &Table) -> Vec<SliceId> {
    let Header { layer, rules, .. } = table.header();
    layer.slices(rules)
}

/// The number of the array of a slice.
pub(super) fn array_of(table: &Table, id: SliceId) -> Option<u32> {
    slices(table).iter().position(|&known| known == id).map(|at| at as u32)
}

/// All codes of an array, four in a byte.
///
/// # Errors
/// If a block can't be read, or is damaged.
pub(super) fn codes(table: &Table, array: u32) -> Result<Vec<u8>, StoreError> {
    let Some(grid) = table.grid(array) else { return Ok(Vec::new()) };
    let mut bytes = Vec::with_capacity(grid.entries().div_ceil(4) as usize);
    if grid.edges[3].is_multiple_of(4) {
        for block in 0..grid.blocks() {
            bytes.extend_from_slice(&table.block(BlockId { array, block })?);
        }
        return Ok(bytes);
    }
    // Blocks of another writer that don't end with whole bytes.
    bytes.resize(bytes.capacity(), 0);
    for place in 0..grid.entries() {
        bytes[(place / 4) as usize] |= table.entry_of_list(array, place)? << (2 * (place % 4));
    }
    Ok(bytes)
}
