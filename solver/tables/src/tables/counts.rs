//! Counts the won, drawn and lost positions in a table.

use super::manifest::{ArrayInfo, Domain, Target};
use pentago_core::supers::Super;
use pentago_core::values::{Entry, WdlCounts};

impl Target {
    /// Counts the wins, draws and losses in a block of `array`. In a whole game, each board counts
    /// once, even if several rotations of an entry show the board. Below a root, all 256 rotations
    /// of an entry count.
    ///
    /// # Panics
    /// If `entries` doesn't have the length of the block.
    pub fn count_block(&self, array: &ArrayInfo, block: u64, entries: &[Entry]) -> WdlCounts {
        assert_eq!(entries.len(), array.grid.len(block));
        let mut sum = WdlCounts::default();
        let mut add = |entry: &Entry, times: u64| {
            // Each board appears at `times` rotations of the entry, so divide the counts by
            // `times`.
            let (wins, not_lost) = (ones(entry.win) / times, ones(entry.not_lose) / times);
            sum += WdlCounts { wins, draws: not_lost - wins, losses: 256 / times - not_lost };
        };
        match self.domain {
            Domain::Root(_) => entries.iter().for_each(|entry| add(entry, 1)),
            Domain::Game => {
                let (shape, patterns) = (self.rules.shape, self.sections().patterns());
                let lists = self.section_of(array.key).counts().map(|counts| patterns.list(counts));
                let ranges = array.grid.ranges(block);
                let [a, b, c, d]: [Vec<u64>; 4] = std::array::from_fn(|q| {
                    let along = ranges[q].clone().map(|i| lists[q][i as usize].stabiliser(shape).into());
                    along.collect()
                });
                let mut entries = entries.iter();
                for i in &a {
                    for j in &b {
                        for k in &c {
                            d.iter().zip(&mut entries).for_each(|(l, entry)| add(entry, i * j * k * l));
                        }
                    }
                }
            }
        }
        sum
    }
}

/// Returns the number of rotations in a super, which is its number of 1 bits.
fn ones(s: Super) -> u64 {
    s.0.iter().flat_map(|half| half.0).map(|word| u64::from(word.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_core::rules::{Board, Rules};
    use pentago_core::values::Grid;

    #[test]
    fn counts_below_a_root_are_numbers_of_bits() {
        let mut entry = Entry::default();
        entry.win.0[1].0[0] = 0b11;
        entry.not_lose.0[1].0[0] = 0b1011;
        let target = Target { rules: Rules::default(), domain: Domain::Root(Board::EMPTY) };
        let array = ArrayInfo { key: [0; 8], grid: Grid::list(2, 2) };
        let counts = target.count_block(&array, 0, &[entry, entry]);
        assert_eq!(counts, WdlCounts { wins: 4, draws: 2, losses: 2 * 256 - 6 });
    }

    /// Boards are counted once, even in sections whose patterns have many symmetries.
    #[test]
    fn boards_of_a_section_are_counted_once() {
        for (text, text_of_section) in [("pentago", "20,01,01,00"), ("mini", "02,11,11,20")] {
            let target = Target { rules: text.parse().expect("rules"), domain: Domain::Game };
            let sections = target.sections();
            let (section, _) = sections.standardise(text_of_section.parse().expect("a section"));
            let grid = Grid::new(sections.extents(section), 2);
            let array = ArrayInfo { key: sections.key(section), grid };
            let mut sum = WdlCounts::default();
            for block in 0..grid.blocks() {
                let won = Entry { win: Super::from_fn(|_| true), not_lose: Super::from_fn(|_| true) };
                sum += target.count_block(&array, block, &vec![won; grid.len(block)]);
            }
            assert_eq!(
                (u128::from(sum.wins), sum.total()),
                (target.positions(&array), target.positions(&array))
            );
        }
    }
}
