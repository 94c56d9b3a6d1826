//! Looks up many positions. All positions are located first. Then the values are read block by
//! block, so each block is decoded only once, even if the cache is small.

use super::tables::Tables;
use crate::tables::{Location, Reason, Table, TableError, Tablebase};
use pentago_base::Control;
use pentago_core::rules::{Move, Position, Rules, Turn, TurnPart};
use pentago_core::values::{BlockId, Wdl};
use rayon::prelude::*;

/// The code of a value that no table contains. The codes of known values are the numbers of
/// [`Wdl::number`].
pub const UNKNOWN: i8 = -128;

/// The code of an illegal move.
pub const ILLEGAL: i8 = -127;

/// The number of codes per socket in the result of [`Tables::move_values`]: eight codes for the
/// turns, and one for the placement without a turn.
pub const TURNS: usize = 9;

/// The maximum number of positions that are located before their values are read. The locations
/// take 16 MB.
const CHUNK: usize = 1 << 19;

/// A value to be read, and its location in a list of tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingValue {
    /// The index of the table in the list, and the identifier of the block in this table.
    block: (u32, BlockId),
    /// The index of the entry in the block.
    entry: u32,
    /// The rotation, encoded as a number of four digits in base 4.
    rotation: u8,
    /// The index of the position in the list of requested positions.
    pub(super) number: u32,
    /// The value of the position. The value is arbitrary until [`read`] has set it.
    pub(super) value: Wdl,
}

impl PendingValue {
    /// Creates a pending value at the location `place` in array `array` of the table `of`. `table`
    /// is the index of the table in the list, and `number` is the index of the position.
    pub(super) fn new(table: usize, of: &Table, array: u32, place: &Location, number: usize) -> PendingValue {
        let (block, entry) = of.arrays()[array as usize].array.grid.locate(place.index);
        let rotation = place.rotation.into_iter().fold(0, |all, r| 4 * all + r % 4);
        PendingValue {
            block: (table as u32, BlockId { array, block }),
            entry: entry as u32,
            rotation,
            number: number as u32,
            value: Wdl::Loss,
        }
    }
}

/// Returns an error if `control` has been cancelled.
pub(super) fn stopped(tables: &Tables, control: &Control) -> Result<(), TableError> {
    if control.is_cancelled() { Err(TableError::new(&tables.path, Reason::Cancelled)) } else { Ok(()) }
}

/// Reads all pending values, in the threads of the current rayon pool. Sorts `pending` by block.
pub(super) fn read(
    tables: &[&Table],
    pending: &mut [PendingValue],
    stop: impl Fn() -> Result<(), TableError> + Sync,
) -> Result<(), TableError> {
    pending.par_sort_unstable_by_key(|value| value.block);
    pending.par_chunk_by_mut(|a, b| a.block == b.block).try_for_each(|of_block| {
        stop()?;
        let (table, block) = of_block[0].block;
        let last = of_block.iter().map(|value| value.entry).max().expect("no chunk is empty");
        let entries = tables[table as usize].first(block, last as usize + 1)?;
        for pending in of_block {
            let rotation = [6, 4, 2, 0].map(|shift| pending.rotation >> shift & 3);
            pending.value = entries[pending.entry as usize].get(rotation);
        }
        Ok(())
    })
}

/// The tablebase of a target, and its tables. The tables are indexed by slice. Each table comes
/// with its index in a list of all tables.
type OpenTarget<'t> = (&'t Tablebase, Vec<Vec<(usize, &'t Table)>>);

impl Tables {
    /// Looks up many positions, in the threads of the current rayon pool. The result contains
    /// `None` for each position that no table contains. `control` counts the finished positions,
    /// and can cancel the work.
    ///
    /// # Errors
    /// If a table is damaged or can't be read, or the work was cancelled ([`Reason::Cancelled`]).
    pub fn look_up_many(
        &self,
        rules: &Rules,
        positions: &[Position],
        control: &Control,
    ) -> Result<Vec<Option<Wdl>>, TableError> {
        let mut tables: Vec<&Table> = Vec::new();
        let mut opened: Vec<OpenTarget<'_>> = Vec::new();
        let slices = positions.par_iter().map(|p| 1u64 << p.marbles()).reduce(|| 0, |a, b| a | b);
        for family in self.families.iter().filter(|family| family.target().rules == *rules) {
            let mut by_slice = Vec::new();
            for slice in 0..=rules.shape.sockets() as u8 {
                let of_slice = if slices >> slice & 1 == 1 { family.tables(slice)? } else { Vec::new() };
                by_slice.push((tables.len()..).zip(of_slice.iter().copied()).collect());
                tables.extend(of_slice);
            }
            opened.push((family, by_slice));
        }
        let mut values = vec![None; positions.len()];
        for (positions, values) in positions.chunks(CHUNK).zip(values.chunks_mut(CHUNK)) {
            let mut pending: Vec<PendingValue> = (positions.par_iter().enumerate())
                .filter_map(|(number, position)| locate(&opened, rules, position, number))
                .collect();
            read(&tables, &mut pending, || stopped(self, control))?;
            for read in pending {
                values[read.number as usize] = Some(read.value);
            }
            control.add(positions.len() as u64);
            stopped(self, control)?;
        }
        Ok(values)
    }

    /// Returns the values of all moves in many positions, in the threads of the current rayon pool.
    /// Each value is the value for the player who makes the move. The result contains [`TURNS`]
    /// codes for each socket of each position. Sockets are listed row by row from the top. The
    /// first eight codes of a socket belong to the turns, quadrant by quadrant, clockwise first.
    /// The last code belongs to the placement without a turn, which ends the game or declines the
    /// turn. A code is a [`Wdl::number`], [`UNKNOWN`] or [`ILLEGAL`]. If the game is over or a turn
    /// is pending, all codes are [`ILLEGAL`].
    ///
    /// # Errors
    /// As for [`Tables::look_up_many`].
    pub fn move_values(
        &self,
        rules: &Rules,
        positions: &[Position],
        control: &Control,
    ) -> Result<Vec<i8>, TableError> {
        let width = TURNS * rules.shape.sockets();
        let mut values = Vec::with_capacity(positions.len() * width);
        // A position has up to 288 moves, so a chunk of positions has about `CHUNK` moves.
        for positions in positions.chunks(CHUNK / 256) {
            let begin = values.len();
            values.resize(begin + positions.len() * width, ILLEGAL);
            let played = positions.par_iter().zip(values[begin..].par_chunks_mut(width)).enumerate();
            let children: Vec<(usize, Position)> = played
                .flat_map_iter(|(number, (position, values))| {
                    let mut children = Vec::new();
                    let moves = if position.pending() { Vec::new() } else { rules.moves(position) };
                    for mv in moves {
                        let Some(slot) = slot(position, mv) else { continue };
                        let played = rules.play(position, mv).expect("the rules list legal moves");
                        values[slot] = UNKNOWN;
                        match played.outcome {
                            Some(pentago_core::rules::Outcome::Draw) => values[slot] = 0,
                            Some(pentago_core::rules::Outcome::Win(winner)) => {
                                values[slot] = if winner == position.to_move() { 1 } else { -1 };
                            }
                            None => children.push((number * width + slot, played.position)),
                        }
                    }
                    children
                })
                .collect();
            let (slots, children): (Vec<usize>, Vec<Position>) = children.into_iter().unzip();
            let found = self.look_up_many(rules, &children, control)?;
            for (slot, value) in slots.into_iter().zip(found) {
                values[begin + slot] = value.map_or(UNKNOWN, |value| -value.number());
            }
        }
        Ok(values)
    }
}

/// Returns the index of a move among the codes of its position. Returns `None` for a turn without a
/// placement.
fn slot(position: &Position, mv: Move) -> Option<usize> {
    let turn = match mv.turn {
        TurnPart::Turn(turn) => Turn::ALL.iter().position(|t| *t == turn)?,
        TurnPart::Skip | TurnPart::None => TURNS - 1,
    };
    Some(TURNS * position.cell_of(mv.place?) + turn)
}

/// Locates the value of a position in the open tables. Returns `None` if no table contains the
/// position.
fn locate(
    opened: &[OpenTarget<'_>],
    rules: &Rules,
    position: &Position,
    number: usize,
) -> Option<PendingValue> {
    if position.pending() || position.shape() != rules.shape {
        return None;
    }
    opened.iter().find_map(|(family, by_slice)| {
        let tables = &by_slice[position.marbles() as usize];
        tables.first()?;
        let place = family.index().locate(position.board())?;
        tables.iter().find_map(|(at, table)| {
            Some(PendingValue::new(*at, table, table.array(&place.key)?, &place, number))
        })
    })
}
