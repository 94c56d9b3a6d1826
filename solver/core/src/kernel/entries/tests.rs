//! Tests that compare the passes over entries with the definition, bit by bit, for every kernel.

use super::row::{MOST, WIDTH};
use super::{BlockLines, BlockRows, Blocks, EntryRow, Places, RowLines, RowScratch, UnionList, View};
use crate::index::sections::patterns::{Pattern, PatternPlace};
use crate::index::sections::section::Sections;
use crate::kernel::axis::{KINDS, MOVER, NEAR, OTHER};
use crate::kernel::{AxisLines, AxisRange, Combine, Kernel, LineGroups, Pack, Passes, fence};
use crate::rules::{Place, Rules, Shape};
use crate::supers::half::half_rotation;
use crate::supers::{Half, Super, WinMasks};
use crate::symmetry::{Element, Rotation, turned};
use std::ops::Range;

/// A generator of pseudo-random words.
struct Words64(u64);

impl Words64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 ^ self.0 >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }

    /// Returns a random entry with most bits set, so that the AND of several children isn't empty.
    fn entry(&mut self) -> Pack {
        let mut word = || self.next() | self.next() | self.next();
        Pack(std::array::from_fn(|_| Half([word(), word()])))
    }

    /// Returns random lines for an axis of `patterns` patterns. Each of the `lines` lines is
    /// complete at an eighth of the rotations.
    fn axis(&mut self, lines: usize, patterns: usize) -> AxisLines {
        let mut sets = || self.next() & self.next() & self.next();
        let kinds: [Vec<u8>; 2] =
            std::array::from_fn(|_| (0..lines * patterns).map(|_| sets() as u8 % 16).collect());
        let near = kinds[1].iter().map(|turns| turns | (sets() as u8 % 16)).collect();
        let [other, mover] = kinds;
        AxisLines { number: self.next(), turns: [other, mover, near].concat(), patterns, free: 1 }
    }
}

fn planes(line: &Pack) -> [Super; 2] {
    let [a, b, c, d] = line.0;
    [Super([a, b]), Super([c, d])]
}

fn added(r: Rotation, axis: usize, by: u8) -> Rotation {
    let mut to = r;
    to[axis] = (to[axis] + by) % 4;
    to
}

fn rotations() -> impl Iterator<Item = Rotation> {
    (0..2).flat_map(|p| (0..128).map(move |i| half_rotation(p, i)))
}

/// A random row of boards that owns its data.
struct Example {
    place: Place,
    len: usize,
    unions: Vec<(usize, u8, Vec<Vec<Pack>>)>,
    own: Vec<Pack>,
    own_places: Vec<PatternPlace>,
    own_each: usize,
    groups: LineGroups,
    /// The lines along the four axes: of one pattern on axes 0 to 2, and of `len` patterns on axis
    /// 3.
    axes: [AxisLines; 4],
}

impl Example {
    fn new(random: &mut Words64, len: usize, unions: usize, own_each: usize) -> Example {
        let groups = LineGroups::new(Shape::Pentago);
        let place = |random: &mut Words64, n: u64| PatternPlace {
            index: random.below(n) as u16,
            quarters: random.below(4) as u8,
        };
        let row = |random: &mut Words64, n: usize| (0..n).map(|_| random.entry()).collect::<Vec<_>>();
        let unions = (0..unions)
            .map(|i| {
                let rows = 1 + random.below(MOST as u64) as usize;
                (i % 3, random.below(4) as u8, (0..rows).map(|_| row(random, len)).collect())
            })
            .collect();
        Example {
            len,
            unions,
            own: row(random, 9),
            own_places: (0..len * own_each).map(|_| place(random, 9)).collect(),
            own_each,
            axes: std::array::from_fn(|q| {
                random.axis(groups.of_quadrant[q].len(), if q == 3 { len } else { 1 })
            }),
            groups,
            place: Place::Wins,
        }
    }

    fn run(&self, kernel: Kernel, combine: Combine, clockwise: bool) -> Vec<Pack> {
        let mut out = vec![Pack::default(); self.len];
        // The row to be read is the second of three rows in its blocks.
        let in_blocks = |row: &Vec<Pack>| {
            let others = vec![Pack::default(); WIDTH];
            let parts = row.chunks(WIDTH);
            parts.map(|part| [&others[..part.len()], part, &others[..part.len()]].concat()).collect()
        };
        let blocks = self.unions.iter().flat_map(|(_, _, rows)| rows).map(in_blocks);
        let blocks: Vec<Vec<Vec<Pack>>> = blocks.collect();
        let in_blocks = blocks.iter().map(|row| BlockRows::new(3, self.len, row.iter().map(|b| &b[..])));
        let in_blocks: Vec<BlockRows> = in_blocks.collect();
        let mut rest = in_blocks.iter();
        let mut unions = UnionList::default();
        unions.begin(self.len);
        for (axis, by, rows) in &self.unions {
            rest.by_ref().take(rows.len()).for_each(|rows| unions.push(*axis as u8, *by, rows, 1));
        }
        let own_places = self.own_places.clone().into();
        let along = self.axes.each_ref().map(|axis| (axis, 0..axis.patterns));
        let mut lines = BlockLines::default();
        Passes::of(kernel).prepare_lines(&self.groups, &along, &mut lines);
        Passes::of(kernel).enter_lines(&mut lines, [0, 0]);
        let row = EntryRow {
            ahead: false,
            unions: &unions,
            own: &self.own,
            own_places: &own_places,
            own_each: self.own_each,
            lines: RowLines::Block(&lines, 0),
            place: self.place,
        };
        Passes::of(kernel).row(combine, clockwise, &row, &mut out, None, &mut RowScratch::default());
        out
    }

    /// Returns `true` if board j has a line at rotation r. A line counts if its part in each
    /// quadrant q is complete with the kind of lines `kinds[q]`.
    fn met(&self, kinds: [usize; KINDS + 1], j: usize, r: Rotation) -> bool {
        let complete = |line: u8, q: usize| {
            let lines = &self.groups.of_quadrant[q];
            let turns = |i: usize| {
                let pattern = if q == 3 { j } else { 0 };
                let AxisLines { turns, patterns, .. } = &self.axes[q];
                turns[(kinds[q] * lines.len() + i) * patterns + pattern]
            };
            lines.iter().position(|&other| other == line).is_none_or(|i| turns(i) >> r[q] & 1 != 0)
        };
        (0..Shape::Pentago.lines().len() as u8).any(|line| (0..4).all(|q| complete(line, q)))
    }

    /// Returns the value of entry j at rotation r by the definition, as a pair: "wins" and "doesn't
    /// lose".
    fn expected(&self, combine: Combine, clockwise: bool, j: usize, r: Rotation) -> [bool; 2] {
        let (n, m) = (self.met([OTHER; 4], j, r), self.met([MOVER; 4], j, r));
        let near = |q: usize| {
            let mut kinds = [MOVER; 4];
            kinds[q] = NEAR;
            self.met(kinds, j, r)
        };
        let p = if self.place == Place::Turn { m } else { (0..4).any(near) };
        let no_turn = self.unions.is_empty() && self.own_each == 0;
        // A turn is good for the mover if it leads to a child that isn't good for the other player.
        let by_turn = |plane: usize| {
            let bad = |r: Rotation| {
                let of_union = |(axis, by, rows): &(usize, u8, Vec<Vec<Pack>>)| {
                    rows.iter().any(|row| !planes(&row[j])[plane].get(added(r, *axis, *by)))
                };
                let own = &self.own_places[j * self.own_each..(j + 1) * self.own_each];
                let of_own = |c: &PatternPlace| {
                    !planes(&self.own[usize::from(c.index)])[plane].get(added(r, 3, c.quarters))
                };
                self.unions.iter().any(of_union) || own.iter().any(of_own)
            };
            (0..4).any(|q| bad(turned(r, q, true)) || !clockwise && bad(turned(r, q, false)))
        };
        let win = if no_turn { false } else { by_turn(1) };
        let not_lose = if no_turn { true } else { by_turn(0) };
        let behind = match combine {
            Combine::Unless => false,
            Combine::Mixed => m,
            Combine::Answer => p,
            Combine::AnswerAlone => p && !m,
        };
        [!n && (p || win), if n { behind } else { p || not_lose }]
    }
}

#[test]
fn rows_are_the_definition() {
    let mut random = Words64(1);
    for (i, (len, unions, own_each)) in
        [(5, 5, 2), (1, 3, 0), (33, 0, 1), (3, 0, 0), (70, 2, 0), (2, 12, 3)].into_iter().enumerate()
    {
        let place = if i % 2 == 0 { Place::Wins } else { Place::Turn };
        let example = Example { place, ..Example::new(&mut random, len, unions, own_each) };
        for combine in [Combine::Unless, Combine::Mixed, Combine::Answer, Combine::AnswerAlone] {
            for clockwise in [false, true] {
                let outs = Kernel::available().into_iter().map(|k| (k, example.run(k, combine, clockwise)));
                for (kernel, out) in outs.collect::<Vec<_>>() {
                    // In a long row, a few entries suffice as a sample.
                    for j in (0..len).step_by(1 + len / 6) {
                        let [win, not_lose] = planes(&out[j]);
                        for r in rotations() {
                            assert_eq!(
                                [win.get(r), not_lose.get(r)],
                                example.expected(combine, clockwise, j, r),
                                "{kernel} {i} {combine:?} {clockwise} {j} {r:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// A row that is computed from the lines of a block equals the row that is computed from the lines
/// of each board.
#[test]
fn rows_of_blocks_are_those_of_their_lines() {
    let mut true_bits = 0;
    for (text, marbles) in [
        ("pentago", 18),
        ("pentago", 27),
        ("pentago:dir=cw", 36),
        ("pentago-fi", 33),
        ("mini", 10),
        ("mini:k=3", 7),
    ] {
        let rules: Rules = text.parse().expect("these are rules");
        let (sections, fives) = (Sections::of(rules.shape, rules.dir), WinMasks::get(rules.shape));
        let groups = LineGroups::new(rules.shape);
        let all = sections.standard(marbles);
        for (i, section) in all.iter().copied().step_by(all.len().div_ceil(9)).enumerate() {
            let axes: [AxisLines; 4] = std::array::from_fn(|q| {
                AxisLines::new(sections, &groups, q, section.counts()[q], marbles % 2)
            });
            let ends = sections.extents(section).map(|n| n as usize);
            // Every other section has rows that are longer than a block.
            let most = [7, 7, 7, [7, 21][i % 2]];
            let ranges: [Range<usize>; 4] = std::array::from_fn(|q| ends[q].saturating_sub(most[q])..ends[q]);
            let along: [AxisRange; 4] = std::array::from_fn(|q| (&axes[q], ranges[q].clone()));
            let len = ranges[3].len();
            // For each kind, the complete lines of each pattern at each rotation.
            let (shape, mover) = (rules.shape, marbles % 2);
            let lines = |q: usize| -> [Vec<[u32; 4]>; 3] {
                let list = &sections.patterns().list(section.counts()[q])[ranges[q].clone()];
                let near = |p: &Pattern| {
                    let mut lines = fives.of_quadrant(q, p.0[mover]);
                    for cell in (0..9).filter(|cell| p.free(shape) >> cell & 1 != 0) {
                        let more = fives.of_quadrant(q, p.0[mover] | 1 << cell);
                        lines = std::array::from_fn(|r| lines[r] | more[r]);
                    }
                    lines
                };
                let complete =
                    |player: usize| list.iter().map(|p| fives.of_quadrant(q, p.0[player])).collect();
                [complete(1 - mover), complete(mover), list.iter().map(near).collect()]
            };
            let [a, b, c, d] = [0, 1, 2, 3].map(lines);
            let at = [ranges[0].len() / 2, ranges[1].len() - 1, ranges[2].len() / 3];
            let boards: Vec<[[[u32; 4]; 4]; KINDS]> = (0..len)
                .map(|j| [0, 1, 2].map(|kind| [a[kind][at[0]], b[kind][at[1]], c[kind][at[2]], d[kind][j]]))
                .collect();
            for (kernel, same) in Kernel::available()
                .into_iter()
                .flat_map(|k| [0, 0b0111, 0b1000, 0b1010, 0b1111].map(|s| (k, s)))
            {
                let mut lines = BlockLines::default();
                // Fill `lines` with other patterns first. The old contents must have no effect,
                // whether an axis already has the new patterns or not.
                let others = std::array::from_fn(|q| {
                    if same >> q & 1 != 0 { along[q].clone() } else { (&axes[q], 0..ends[q].min(3)) }
                });
                Passes::of(kernel).prepare_lines(&groups, &others, &mut lines);
                Passes::of(kernel).prepare_lines(&groups, &along, &mut lines);
                Passes::of(kernel).enter_lines(&mut lines, [0, 0]);
                Passes::of(kernel).enter_lines(&mut lines, [at[0], at[1]]);
                let combines = [Combine::Unless, Combine::Mixed, Combine::Answer, Combine::AnswerAlone];
                let places = [Place::Wins, Place::Turn];
                for (combine, place) in combines.into_iter().flat_map(|c| places.map(|place| (c, place))) {
                    let ahead = |lines, len| alone(kernel, combine, place, lines, true, len);
                    let found = ahead(RowLines::Block(&lines, at[2]), len);
                    let expected: Vec<Pack> =
                        boards.iter().map(|board| ahead(RowLines::Board(board), 1)[0]).collect();
                    assert!(found == expected, "{kernel} {text} {section} {combine:?} {same}");
                    if len.is_multiple_of(2) {
                        // Compute a longer row, which starts at index 0 of axis 2. The end of this
                        // row must be the row `found`.
                        let [.., z] = at;
                        let rows = ahead(RowLines::Block(&lines, 0), (z + 1) * len);
                        assert!(found == rows[z * len..]);
                    }
                    true_bits += found.iter().filter(|line| planes(line)[0] != Super::default()).count();
                }
            }
        }
    }
    assert!(true_bits > 200, "{true_bits}");
}

/// Computes a row without children. If `ahead` is `true`, the result consists of predictions.
fn alone(
    kernel: Kernel,
    combine: Combine,
    place: Place,
    lines: RowLines,
    ahead: bool,
    len: usize,
) -> Vec<Pack> {
    let mut out = vec![Pack::default(); len];
    let row = EntryRow {
        ahead,
        unions: &UnionList::default(),
        own: &[],
        own_places: &Places::default(),
        own_each: 0,
        lines,
        place,
    };
    Passes::of(kernel).row(combine, false, &row, &mut out, None, &mut RowScratch::default());
    out
}

/// All kernels return the same results for long rows. The definition is too slow to check such
/// rows.
#[test]
fn kernels_agree_on_long_rows() {
    let mut random = Words64(2);
    let example = Example::new(&mut random, 420, 9, 3);
    for combine in [Combine::Unless, Combine::Mixed, Combine::Answer, Combine::AnswerAlone] {
        for clockwise in [false, true] {
            let mut outs = Kernel::available().into_iter().map(|k| example.run(k, combine, clockwise));
            let first = outs.next().expect("the portable kernel is there");
            assert!(outs.all(|out| out == first));
        }
    }
}

/// `settle` copies a row to its blocks, and adds the weighted numbers of true values.
#[test]
fn rows_are_settled() {
    let mut random = Words64(5);
    for len in [1, 8, 50] {
        let entries: Vec<Pack> = (0..len).map(|_| random.entry()).collect();
        let weights: Vec<u8> = (0..len).map(|_| 1 << random.below(3)).collect();
        let sums = |(entries, weights): (&[Pack], &[u8])| {
            let sum = |plane: usize| {
                let of = |(entry, &weight): (&Pack, &u8)| {
                    rotations().filter(|&r| planes(entry)[plane].get(r)).count() as u64 * u64::from(weight)
                };
                3 * entries.iter().zip(weights).map(of).sum::<u64>()
            };
            [sum(0), sum(1)]
        };
        let expected: Vec<[u64; 2]> = entries.chunks(8).zip(weights.chunks(8)).map(sums).collect();
        for (kernel, past_caches) in
            Kernel::available().into_iter().flat_map(|kernel| [(kernel, false), (kernel, true)])
        {
            let mut out = vec![Pack::default(); 3 * len];
            let mut sums = vec![[1, 2]; expected.len()];
            let (lines, sums_of) = (&mut out, &mut sums);
            let blocks = &mut lines.chunks_mut(24).collect::<Vec<_>>()[..];
            let mut to = Blocks { blocks, row: 1, edge: 8, past_caches, weight: 3, sums: sums_of };
            Passes::of(kernel).settle(&entries, &weights, &mut to);
            let added: Vec<[u64; 2]> = sums.iter().map(|[won, kept]| [won - 1, kept - 2]).collect();
            assert_eq!(added, expected);
            let found = out.chunks(24).flat_map(|block| {
                let width = block.len() / 3;
                &block[width..2 * width]
            });
            assert!(found.eq(&entries));
            assert_eq!(out.iter().filter(|&&line| line != Pack::default()).count(), len);
        }
    }
}

#[test]
fn copied_rows_are_those_of_the_blocks() {
    let mut random = Words64(4);
    for len in [1, 8, 21] {
        let rows: Vec<Vec<Pack>> = (0..3).map(|_| (0..len).map(|_| random.entry()).collect()).collect();
        let part = |from: usize| rows.iter().flat_map(move |row| &row[from..len.min(from + WIDTH)]);
        let blocks: Vec<Vec<Pack>> =
            (0..len).step_by(WIDTH).map(|from| part(from).copied().collect()).collect();
        let blocks = BlockRows::new(3, len, blocks.iter().map(|block| &block[..]));
        for (kernel, (number, row)) in
            Kernel::available().into_iter().flat_map(|k| (0..).zip(&rows).map(move |r| (k, r)))
        {
            let mut out = vec![Pack::default(); len];
            Passes::of(kernel).copy_row(&blocks, number, &mut out);
            assert!(&out == row, "{kernel} {len} {number}");
        }
    }
}

/// The computed images of entries equal the images that [`Super::image`] defines.
#[test]
fn images_are_the_definition() {
    let mut random = Words64(3);
    let entries: Vec<Pack> = (0..11).map(|_| random.entry()).collect();
    for kernel in Kernel::available() {
        for global in 1..8 {
            let element = Element::whole_board(global);
            for round in 0..6 {
                let mut turns = || if round == 0 { 0 } else { random.below(4) as u8 };
                let quarters = std::array::from_fn(|_| turns());
                let places = (0..11).map(|i| PatternPlace { index: i * 7 % 11, quarters: turns() });
                let places = Places::from(places.collect::<Vec<_>>());
                let mut got = vec![Pack::default(); 11];
                let past_caches = round % 2 == 1;
                let ahead = &entries;
                let view = View { places: &places, global, quarters, past_caches, ahead };
                Passes::of(kernel).view(&entries, &view, &mut got);
                fence();
                for (place, entry) in places.all().iter().zip(&got) {
                    let [a, b, c] = quarters;
                    let back = Element::quadrants([a, b, c, place.quarters]);
                    for (got, old) in
                        planes(entry).into_iter().zip(planes(&entries[usize::from(place.index)]))
                    {
                        // By definition, (k f)(r) = f(k^-1 r). So the symmetry acts first, then the
                        // rotation.
                        assert_eq!(got, old.image(element.inverse()).image(back), "{kernel} {global}");
                    }
                }
            }
        }
    }
}

/// The masks that an entry pass computes from the lines of a board's quadrants equal the masks of
/// `Passes::fives`.
#[test]
fn words_meet_the_last_quadrant_in_fives() {
    let mut random = Words64(4);
    let shape = Shape::Pentago;
    let fives = crate::supers::WinMasks::get(shape);
    for _ in 0..50 {
        let set = random.next() & shape.board_mask();
        let lines = [fives.lines(set); KINDS];
        let expected = Super(Passes::of(Kernel::best()).fives(&lines[0]));
        for kernel in Kernel::available() {
            // Both players have the same marbles, and no turn is left. So nobody wins. With
            // `Mixed`, a player loses only if exactly one player has five, which can't happen with
            // equal marbles.
            let board =
                |combine| planes(&alone(kernel, combine, Place::Wins, RowLines::Board(&lines), false, 1)[0]);
            let [win, not_lose] = board(Combine::Mixed);
            assert!(rotations().all(|r| !win.get(r) && not_lose.get(r)));
            let [_, not_lose] = board(Combine::Unless);
            assert!(rotations().all(|r| not_lose.get(r) != expected.get(r)));
        }
    }
}
