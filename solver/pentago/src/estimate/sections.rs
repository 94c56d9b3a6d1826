//! Measures the compressed sizes of the sections of a build on a sample of their blocks.

use super::sample::quotient;
use crate::make::GameBuild;
use pentago_base::{Control, Random};
use pentago_core::index::{Section, Sections};
use pentago_core::kernel::{Combine, Kernel, Pack, Passes, Turns};
use pentago_core::rules::{Board, Color, Dir, Place, Rules};
use pentago_core::solve::{Next, SectionSolver};
use pentago_core::supers::{Half, Super, WinMasks};
use pentago_core::values::{BlockId, Entry, Memory};
use pentago_tables::codec::Codec;
use pentago_tables::tables::{ArrayInfo, BlockCodec};
use std::collections::HashMap;

/// The maximum number of entries of a build that is solved in memory for its estimate, which takes
/// a twentieth of a second.
const SOLVED_ENTRIES: u64 = 250_000;
/// The number of blocks of a sample with at most two free sockets. Each further free socket halves
/// this number, because it doubles the number of boards that a block depends on. All samples of a
/// build take at most a second of CPU time.
const BLOCKS: u64 = 128;
/// The maximum number of free sockets of a slice of which blocks are sampled.
const MOST_FREE: usize = 4;
/// The number of standard errors by which the estimate exceeds the mean of a sample.
const ERRORS: f64 = 2.0;
/// The maximum size of an entry as a multiple of the size in the nearest sampled slice with the
/// same player to move (`bench/README.md#estimates`).
const FARTHER: f64 = 1.25;

/// Returns an upper bound for the size in bytes of the payloads of each slice, with each codec that
/// the build uses. The sizes of a small build are exact. Returns nothing for other builds of whole
/// slices.
pub(super) fn payloads(build: &GameBuild, solver: &SectionSolver) -> Vec<(u8, Codec, f64)> {
    let (slices, sockets) = (build.slices(), build.target().rules.shape.sockets());
    let is_small = build.entries(&slices) <= SOLVED_ENTRIES;
    let mut sizes: Vec<(u8, Codec, f64)> = Vec::new();
    if !is_small && build.sections(build.down_to).1 {
        return sizes;
    }
    let mut values = (Vec::new(), Memory::new(&[]));
    for (free, slice) in slices.into_iter().enumerate() {
        let codecs = [build.codec_of(slice), Codec::QUICK];
        let bytes = if is_small {
            values = solved(build, solver, slice, &values);
            sampled(build, slice, codecs, u64::MAX, |_, id| values.1.block(id).expect("solved").to_vec())
        } else if free <= MOST_FREE {
            let rules = build.target().rules;
            let computed = |array: &ArrayInfo, id: BlockId| Boards::new(rules).block(array, id.block);
            sampled(build, slice, codecs, BLOCKS >> free.saturating_sub(2), computed)
        } else {
            let near = (sockets - MOST_FREE + (free - MOST_FREE) % 2) as u8;
            let ratio = FARTHER * build.entries(&[slice]) as f64 / build.entries(&[near]) as f64;
            let size = |codec| sizes.iter().find(|at| (at.0, at.1) == (near, codec)).map_or(0.0, |at| at.2);
            codecs.map(|codec| ratio * size(codec))
        };
        sizes.extend(codecs.into_iter().zip(bytes).map(|(codec, bytes)| (slice, codec, bytes)));
    }
    sizes
}

/// Computes the sections of a slice from those of the next slice, in memory.
fn solved(
    build: &GameBuild,
    solver: &SectionSolver,
    slice: u8,
    (next, source): &(Vec<Section>, Memory),
) -> (Vec<Section>, Memory) {
    let sections = build.sections(slice).0;
    let values = Memory::new(&sections.iter().map(|&section| solver.grid(section)).collect::<Vec<_>>());
    let every = BlockId { array: 0, block: 0 }..BlockId::END;
    let next = Next { sections: next, source };
    solver.solve(&sections, next, &values, every, &Control::new()).expect("the values are in memory");
    (sections, values)
}

/// Encodes a sample of at most `count` blocks of a slice, whose entries `entries` returns. Returns
/// an upper bound for the size in bytes of all blocks with each codec.
fn sampled(
    build: &GameBuild,
    slice: u8,
    codecs: [Codec; 2],
    count: u64,
    entries: impl Fn(&ArrayInfo, BlockId) -> Vec<Entry>,
) -> [f64; 2] {
    let arrays = build.manifest(slice).arrays;
    let all: u64 = arrays.iter().map(|array| array.grid.blocks()).sum();
    let (count, mut random) = (count.min(all), Random::new(1));
    let coders = codecs.map(|codec| BlockCodec::new(codec, &build.target(), slice));
    // The sample has one block from each of `count` equally long parts of the slice. Its columns
    // are the numbers of entries, and the numbers of bytes with each codec.
    let mut measured = |i| {
        let (array, id) = block_at(&arrays, (i * all + random.below(all as usize) as u64) / count);
        let entries = entries(array, id);
        let size =
            |coder: &BlockCodec| coder.encode(array, id.block, &entries, None).expect("consistent").len();
        [entries.len(), size(&coders[0]), size(&coders[1])].map(|n| n as f64)
    };
    let sample: Vec<[f64; 3]> = (0..count).map(&mut measured).collect();
    // If all blocks are in the sample, the sum has no error.
    let unknown = (all - count) as f64 / all.max(1) as f64;
    [1, 2].map(|column| {
        let (each, error) = quotient(sample.iter().map(|block| [block[column], block[0]]));
        build.entries(&[slice]) as f64 * (each + ERRORS * unknown.sqrt() * error)
    })
}

/// Returns the block with the index `number` among the blocks of all arrays, and its array.
fn block_at(arrays: &[ArrayInfo], mut number: u64) -> (&ArrayInfo, BlockId) {
    for (array, info) in (0..).zip(arrays) {
        if number < info.grid.blocks() {
            return (info, BlockId { array, block: number });
        }
        number -= info.grid.blocks();
    }
    unreachable!("the arrays have fewer blocks")
}

/// Computes the values of single boards, and remembers them.
struct Boards {
    rules: Rules,
    passes: Passes,
    /// The rotations at which the side to move wins, and those at which it doesn't lose.
    known: HashMap<Board, [Super; 2]>,
}

impl Boards {
    fn new(rules: Rules) -> Boards {
        Boards { rules, passes: Passes::of(Kernel::best()), known: HashMap::new() }
    }

    /// Computes the entries of a block.
    fn block(&mut self, array: &ArrayInfo, block: u64) -> Vec<Entry> {
        let sections = Sections::of(self.rules.shape, self.rules.dir);
        let section = sections.of_key(array.key).expect("the key of a section");
        let boards = array.grid.indices(block).map(|index| sections.board(section, index, [0; 4]));
        boards.map(|board| self.values(board)).map(|[win, not_lose]| Entry { win, not_lose }).collect()
    }

    /// Computes the values of a board from those of its children, by the formulas of [`Combine`].
    fn values(&mut self, board: Board) -> [Super; 2] {
        if let Some(&values) = self.known.get(&board) {
            return values;
        }
        let (rules, passes, marbles) = (self.rules, self.passes, board.marbles() as usize);
        let (shape, has_turn) = (rules.shape, rules.has_turn(marbles));
        let mover = if marbles.is_multiple_of(2) { Color::X } else { Color::O };
        let fives = |color: Color, board: Board| passes.fives(&WinMasks::get(shape).lines(board.of(color)));
        let (m, n) = (fives(mover, board), fives(mover.other(), board));
        // If no turn follows the last placement, the game ends in a draw unless it was won.
        let (mut p, mut win, mut not_lose) =
            (m, [if has_turn { Half::ALL } else { Half::NONE }; 2], [Half::ALL; 2]);
        for socket in shape.sockets_of(shape.board_mask() & !(board.x | board.o)) {
            let child = board.with(mover, socket);
            if rules.place == Place::Wins {
                let fives = fives(mover, child);
                p = [0, 1].map(|i| p[i] | fives[i]);
            }
            if has_turn {
                let [wins, holds] = self.values(child);
                (win, not_lose) =
                    ([0, 1].map(|i| win[i] & wins.0[i]), [0, 1].map(|i| not_lose[i] & holds.0[i]));
            }
        }
        let is_full = marbles == shape.sockets();
        let combine = if is_full { Combine::of_full(rules) } else { Combine::of(rules, false) };
        let mut values = [Super::default(); 2];
        for i in 0..2 {
            let turns = if rules.dir == Dir::Both { Turns::Both } else { Turns::Clockwise(i as u8) };
            // A turn changes the parity of the rotation.
            let children = Pack([!not_lose[1 - i], !win[1 - i], Half::NONE, Half::NONE]);
            let Pack([wins, holds, ..]) = passes.rotation_max(&children, turns);
            let (m, n, p) = (m[i], n[i], p[i]);
            values[0].0[i] = !n & (p | wins);
            values[1].0[i] = match combine {
                Combine::Unless => !n & (p | holds),
                Combine::Mixed => n & m | !n & (p | holds),
                Combine::Answer => p | !n & holds,
                Combine::AnswerAlone => p & !(m & n) | !n & holds,
            };
        }
        self.known.insert(board, values);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    /// Checks that the values of sampled blocks are those that the solver of sections computes.
    #[test]
    fn sampled_values_are_those_of_the_solver() {
        for options in [
            "both=draw",
            "dir=cw",
            "place=turn",
            "last=stop",
            "both=mover",
            "reply=place",
            "both=mover,reply=place",
        ] {
            let rules: Rules = format!("pentago:{options}").parse().expect("rules");
            let build =
                GameBuild::of_section(rules, "36,53,90,08".parse().expect("a section")).expect("legal");
            let solver = SectionSolver::new(rules, Kernel::best(), NonZeroUsize::MIN, 1 << 28);
            let mut next = (Vec::new(), Memory::new(&[]));
            for slice in build.slices() {
                next = solved(&build, &solver, slice, &next);
                let arrays = build.manifest(slice).arrays;
                let all: u64 = arrays.iter().map(|array| array.grid.blocks()).sum();
                for (array, id) in (0..all).step_by(7).map(|number| block_at(&arrays, number)) {
                    let sampled = Boards::new(rules).block(array, id.block);
                    assert_eq!(next.1.block(id), Some(&sampled[..]), "{options}");
                }
            }
        }
    }
}
