//! The schema of Pente's tables: blocks, codes and look-ups.

use std::sync::{Arc, OnceLock};

use pentago_base::Wdl;
use pentago_store::{
    BlockId, GameId, Probe, RawHeader, RawRecord, Reason, Schema, StoreError, longest_packed, unpack,
};

use super::plain::PlainBoard;
use super::target::{Layer, LayerHeader, slices_of};
use crate::rules::{Position, Rules};
use crate::table::{BoardIndex, SliceId, code_at, value_of_code};

/// A table of Pente: one layer of a game.
pub type Table = pentago_store::Table<PenteSchema>;
/// The tables of one game of Pente.
pub type Tablebase = pentago_store::Tablebase<PenteSchema>;

/// The schema of Pente. An entry is a 2-bit code; a decoded block is a list of bytes with four
/// codes each.
#[derive(Clone, Copy, Debug)]
pub struct PenteSchema;

/// The index of a game's positions, for look-ups and for verification.
pub struct TableIndex {
    /// The index for look-ups.
    pub(super) board: BoardIndex,
    /// The board for verification, made on first use.
    plain: OnceLock<PlainBoard>,
}

impl TableIndex {
    /// Returns the board for verification.
    pub(super) fn plain_board(&self) -> &PlainBoard {
        self.plain.get_or_init(|| PlainBoard::new(&self.board.rules))
    }
}

impl Schema for PenteSchema {
    const GAME: GameId = GameId::PENTE;
    type Header = LayerHeader;
    type Target = Rules;
    type Slice = Layer;
    type Record = RawRecord;
    type Index = TableIndex;
    type Item = u8;
    /// The code for the side to move: 1 loss, 2 draw, 3 win, 0 unreachable.
    type Entry = u8;

    fn header(header: &RawHeader) -> Result<LayerHeader, Reason> {
        LayerHeader::of(header)
    }

    fn place(header: &LayerHeader) -> (Rules, Layer) {
        (header.rules, header.layer)
    }

    fn records(header: &LayerHeader, records: &[RawRecord], _parts: bool) -> Result<Vec<RawRecord>, Reason> {
        header.check(records)?;
        Ok(records.to_vec())
    }

    fn of(_header: &LayerHeader) -> PenteSchema {
        PenteSchema
    }

    fn index(rules: &Rules) -> TableIndex {
        TableIndex { board: BoardIndex::new(rules), plain: OnceLock::new() }
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
            return Err(Reason::Inconsistent("nonzero codes after the last position"));
        }
        into.copy_from_slice(&bytes);
        Ok(())
    }

    fn entry(block: &Arc<[u8]>, offset: usize) -> u8 {
        code_at(block, offset as u64)
    }

    fn wdl(header: &LayerHeader, _records: &[RawRecord]) -> [u64; 3] {
        header.wdl
    }
}

impl Probe for PenteSchema {
    type Position = Position;
    /// The value for the side to move, or `None` if no table holds the position or the position is
    /// unreachable.
    type Value = Option<Wdl>;

    fn look_up(set: &Tablebase, p: &Position) -> Result<Option<Wdl>, StoreError> {
        if let Some(outcome) = set.target().outcome(p) {
            return Ok(Some(Wdl::of(outcome, p.to_move())));
        }
        let Some(table) = set.table(p.captured)? else { return Ok(None) };
        let Some((id, offset)) = set.index().board.locate(p) else { return Ok(None) };
        let Some(array) = array_of(table, id) else { return Ok(None) };
        Ok(value_of_code(table.entry_of_list(array, offset)?))
    }
}

/// Returns the slices of a table, in the order of its arrays.
pub(super) fn slices(table: &Table) -> Vec<SliceId> {
    let LayerHeader { layer, rules, .. } = table.header();
    slices_of(rules, *layer)
}

/// Returns the index of the array that holds a slice, or `None` if the table has no such array.
pub(super) fn array_of(table: &Table, id: SliceId) -> Option<u32> {
    slices(table).iter().position(|&known| known == id).map(|at| at as u32)
}

/// Reads all codes of an array and returns them packed, four codes per byte.
///
/// # Errors
/// If a block cannot be read or is damaged.
pub(super) fn codes(table: &Table, array: u32) -> Result<Vec<u8>, StoreError> {
    let Some(grid) = table.grid(array) else { return Ok(Vec::new()) };
    let mut bytes = Vec::with_capacity(grid.entries().div_ceil(4) as usize);
    if grid.edges[3].is_multiple_of(4) {
        for block in 0..grid.blocks() {
            bytes.extend_from_slice(&table.block(BlockId { array, block })?);
        }
        return Ok(bytes);
    }
    // In a table that another program wrote, a block can end within a byte, so copy one code at a
    // time.
    bytes.resize(bytes.capacity(), 0);
    for offset in 0..grid.entries() {
        bytes[(offset / 4) as usize] |= table.entry_of_list(array, offset)? << (2 * (offset % 4));
    }
    Ok(bytes)
}
