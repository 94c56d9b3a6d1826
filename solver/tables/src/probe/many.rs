//! Many positions at once. All of them are located first, then looked up block by block: a block is
//! decoded once for all positions that lie in it, however small the cache is.

use super::tables::Tables;
use crate::tables::{Location, Reason, Table, TableError, Tablebase};
use pentago_base::Control;
use pentago_core::rules::{Move, Position, Rules, Turn, TurnPart};
use pentago_core::values::{BlockId, Wdl};
use rayon::prelude::*;

/// The number that stands for a value that no table holds, among those of [`Wdl::number`].
pub const UNKNOWN: i8 = -128;

/// The number that stands for a move that isn't legal.
pub const ILLEGAL: i8 = -127;

/// Numbers for each socket in [`Tables::move_values`]: the eight turns, and none.
pub const TURNS: usize = 9;

/// Positions that are located before their blocks are read: 16 MB of places.
const CHUNK: usize = 1 << 19;

/// The place of a value in a list of tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The number of the table in the list.
    table: u32,
    block: BlockId,
    /// The entry in the block, and its rotation in base 4.
    entry: u32,
    rotation: u8,
    /// Which of the positions it belongs to.
    pub(super) number: u32,
    /// Read by [`read`].
    pub(super) value: Wdl,
}

impl Spot {
    /// The place, whose key is that of array `array` of this table.
    pub(super) fn new(table: usize, of: &Table, array: u32, place: &Location, number: usize) -> Spot {
        let (block, entry) = of.arrays()[array as usize].array.grid.locate(place.index);
        let rotation = place.rotation.into_iter().fold(0, |all, r| 4 * all + r % 4);
        let block = BlockId { array, block };
        Spot {
            table: table as u32,
            block,
            entry: entry as u32,
            rotation,
            number: number as u32,
            value: Wdl::Loss,
        }
    }

    fn block(&self) -> (u32, BlockId) {
        (self.table, self.block)
    }
}

/// The error of a folder where the work was stopped.
pub(super) fn stopped(tables: &Tables, control: &Control) -> Result<(), TableError> {
    if control.is_cancelled() { Err(TableError::new(tables.path(), Reason::Cancelled)) } else { Ok(()) }
}

/// Reads the values of all places, in the threads of the current rayon pool, and changes their
/// order.
pub(super) fn read(
    tables: &[&Table],
    spots: &mut [Spot],
    stop: impl Fn() -> Result<(), TableError> + Sync,
) -> Result<(), TableError> {
    spots.par_sort_unstable_by_key(Spot::block);
    spots.par_chunk_by_mut(|a, b| a.block() == b.block()).try_for_each(|spots| {
        stop()?;
        let first = spots[0];
        let last = spots.iter().map(|spot| spot.entry).max().expect("no chunk is empty");
        let entries = tables[first.table as usize].first(first.block, last as usize + 1)?;
        for spot in spots {
            let rotation = [6, 4, 2, 0].map(|shift| spot.rotation >> shift & 3);
            spot.value = entries[spot.entry as usize].get(rotation);
        }
        Ok(())
    })
}

/// The tables of one target by slice, with their numbers in a list of all tables.
struct Opened<'t> {
    family: &'t Tablebase,
    by_slice: Vec<Vec<(usize, &'t Table)>>,
}

impl Tables {
    /// Probes the tables for many positions, in the threads of the current rayon pool; none where no
    /// table holds a position. `control` counts the positions and can cancel.
    ///
    /// # Errors
    /// If a table is damaged, or can't be read; or it was cancelled ([`Reason::Cancelled`]).
    pub fn look_up_many(
        &self,
        rules: &Rules,
        positions: &[Position],
        control: &Control,
    ) -> Result<Vec<Option<Wdl>>, TableError> {
        let mut tables: Vec<&Table> = Vec::new();
        let mut opened: Vec<Opened<'_>> = Vec::new();
        let slices = positions.par_iter().map(|p| 1u64 << p.marbles()).reduce(|| 0, |a, b| a | b);
        for family in self.families().iter().filter(|family| family.target().rules == *rules) {
            let mut by_slice = Vec::new();
            for slice in 0..=rules.shape.sockets() as u8 {
                let of_slice = if slices >> slice & 1 == 1 { family.tables(slice)? } else { Vec::new() };
                by_slice.push((tables.len()..).zip(of_slice.iter().copied()).collect());
                tables.extend(of_slice);
            }
            opened.push(Opened { family, by_slice });
        }
        let mut values = vec![None; positions.len()];
        for (positions, values) in positions.chunks(CHUNK).zip(values.chunks_mut(CHUNK)) {
            let mut spots: Vec<Spot> = (positions.par_iter().enumerate())
                .filter_map(|(number, position)| spot_of(&opened, rules, position, number))
                .collect();
            read(&tables, &mut spots, || stopped(self, control))?;
            for spot in spots {
                values[spot.number as usize] = Some(spot.value);
            }
            control.add(positions.len() as u64);
            stopped(self, control)?;
        }
        Ok(values)
    }

    /// The values of all moves of many positions, for the side to move there, in the threads of the
    /// current rayon pool: [`TURNS`] numbers for each socket, row by row from the top, first those
    /// of the turns (quadrant by quadrant, clockwise first), then that of the placement without a
    /// turn, which ends the game or declines the turn. They are those of [`Wdl::number`], [`UNKNOWN`]
    /// or [`ILLEGAL`]; of a finished game all moves are illegal, and so they are where only a turn is
    /// pending.
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
        // Up to 288 moves each.
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

/// Where a move stands among the numbers of its position.
fn slot(position: &Position, mv: Move) -> Option<usize> {
    let turn = match mv.turn {
        TurnPart::Turn(turn) => Turn::ALL.iter().position(|t| *t == turn)?,
        TurnPart::Skip | TurnPart::None => TURNS - 1,
    };
    Some(TURNS * position.cell_of(mv.place?) + turn)
}

fn spot_of(opened: &[Opened<'_>], rules: &Rules, position: &Position, number: usize) -> Option<Spot> {
    if position.pending() || position.shape() != rules.shape {
        return None;
    }
    opened.iter().find_map(|Opened { family, by_slice }| {
        let tables = &by_slice[position.marbles() as usize];
        if tables.is_empty() {
            return None;
        }
        let place = family.index().locate(position.board())?;
        tables
            .iter()
            .find_map(|(at, table)| Some(Spot::new(*at, table, table.array(&place.key)?, &place, number)))
    })
}
