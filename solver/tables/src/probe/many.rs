//! Look-up of many positions. All positions are located first, then looked up block by block. Each
//! block is thus decoded once for all of its positions, however small the cache is.

use super::tables::Tables;
use crate::tables::{Location, Reason, Table, TableError, Tablebase};
use pentago_base::Control;
use pentago_core::rules::{Move, Position, Rules, Turn, TurnPart};
use pentago_core::values::{BlockId, Wdl};
use rayon::prelude::*;

/// The code of a value that no table has. The codes of values are those of [`Wdl::number`].
pub const UNKNOWN: i8 = -128;

/// The code of an illegal move. The codes of values are those of [`Wdl::number`].
pub const ILLEGAL: i8 = -127;

/// The number of codes per socket in [`Tables::move_values`]: one for each of the eight turns, and
/// one for no turn.
pub const TURNS: usize = 9;

/// The number of positions that are located before their blocks are read: 16 MB of locations.
const CHUNK: usize = 1 << 19;

/// A value to read: its location in a list of tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingValue {
    /// The index of the table in the list, and the block in that table.
    block: (u32, BlockId),
    /// The index of the entry in the block.
    entry: u32,
    /// The rotation as a number of four digits in base 4.
    rotation: u8,
    /// The index of the position that has the value.
    pub(super) number: u32,
    /// The value, which [`read`] fills in.
    pub(super) value: Wdl,
}

impl PendingValue {
    /// Returns the pending value at `place`, in array `array` of table `of`. `table` is the index
    /// of this table in the list, `number` the index of the position.
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

/// Returns an error if the work was cancelled.
pub(super) fn stopped(tables: &Tables, control: &Control) -> Result<(), TableError> {
    if control.is_cancelled() { Err(TableError::new(tables.path(), Reason::Cancelled)) } else { Ok(()) }
}

/// Reads all pending values in the threads of the current rayon pool, and reorders them.
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

/// The tablebase of a target, and its tables indexed by slice, each with its index in a list of all
/// tables.
type OpenTarget<'t> = (&'t Tablebase, Vec<Vec<(usize, &'t Table)>>);

impl Tables {
    /// Looks up many positions, in the threads of the current rayon pool. The value of a position
    /// that no table holds is `None`. `control` counts the positions and can cancel.
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
        for family in self.families().iter().filter(|family| family.target().rules == *rules) {
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

    /// Returns the values of all moves of many positions, for the side to move there, in the
    /// threads of the current rayon pool. Each position has [`TURNS`] codes per socket, with the
    /// sockets row by row from the top. The first eight codes of a socket belong to the turns,
    /// quadrant by quadrant, clockwise first. The last code belongs to the placement without a
    /// turn, which ends the game or declines the turn. A code is a [`Wdl::number`], [`UNKNOWN`] or
    /// [`ILLEGAL`]. In a finished game, or with a turn pending, all moves are [`ILLEGAL`].
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
        // A position has up to 288 moves.
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

/// Returns the index of a move among the numbers of its position, or `None` for a turn without a
/// placement.
fn slot(position: &Position, mv: Move) -> Option<usize> {
    let turn = match mv.turn {
        TurnPart::Turn(turn) => Turn::ALL.iter().position(|t| *t == turn)?,
        TurnPart::Skip | TurnPart::None => TURNS - 1,
    };
    Some(TURNS * position.cell_of(mv.place?) + turn)
}

/// Locates a position, or returns `None` if no open table has it.
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
