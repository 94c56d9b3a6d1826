//! The patterns on a board that an evaluation looks at.
//!
//! A *term* is one pattern at one place: a row, a file or a long diagonal of six sockets; a short
//! diagonal of five; a quadrant, however it lies. Each has a weight for its pattern, which all
//! places that symmetries of the board map to each other share, and both directions of a line. Such
//! tables of patterns are what strong Othello programs evaluate by (Buro 1997, "Experiments with
//! Multi-ProbCut and a New High-Quality Evaluation Function for Othello").

use crate::rules::Shape;
use std::sync::OnceLock;

/// Terms of a board: 14 lines of six, 4 of five, 4 quadrants.
pub const TERMS: usize = 22;
/// Weights: 378 patterns for each of four kinds of lines of six, 135 for lines of five, 2,862 for
/// quadrants, and a constant.
pub const WEIGHTS: usize = 4 * 378 + 135 + 2862 + 1;
/// The number of the constant.
pub(super) const CONSTANT: usize = WEIGHTS - 1;

/// States of a quadrant: a digit for each of its cells: 0 is free, 1 the player's, 2 the opponent's.
pub(super) const STATES: usize = 19_683;

/// Parts of lines in a quadrant: ranks, files, diagonals, pairs beside a diagonal, corners.
pub(super) const PARTS: usize = 16;

/// A line of six: its kind, and its part in each of two quadrants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Six {
    pub kind: usize,
    pub quadrants: [usize; 2],
    pub parts: [usize; 2],
}

/// The lines of six in a pair of quadrants.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sixes {
    /// Rows or files, of quadrants beside each other.
    Three([Six; 3]),
    /// A long diagonal.
    One(Six),
}

/// A line of five: its parts in three quadrants, of two cells, one, and two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Five {
    pub quadrants: [usize; 3],
    pub parts: [usize; 3],
}

/// The pairs of quadrants.
pub(super) const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];

/// The cells of a quadrant that lie in its edges, not in a corner or in the middle.
const EDGES: [usize; 4] = [1, 3, 5, 7];
/// Patterns of these cells.
pub(super) const EDGE_PATTERNS: usize = 81;

/// Where the terms lie, and the numbers of their weights.
pub(super) struct Geometry {
    /// In the order in which they are added up: learning depends on it.
    pub sixes: Vec<Six>,
    pub fives: [Five; 4],
    /// The lines of six in each pair of quadrants.
    pub pairs: [Sixes; 6],
    /// For each line of five, the numbers of its first or last part ([`Five::end`]) when its quadrant is
    /// turned 0 to 3 times, by what is in its edges ([`Five::edges`]).
    pub ends: [[[u8; 4]; EDGE_PATTERNS]; 4],
    /// For each state of a quadrant, the digits of each part as one number.
    pub parts: Vec<[u8; PARTS]>,
    /// For each pattern of a quadrant, its state if the player has it, for each number of turns.
    pub states: Box<[[u16; 4]; 512]>,
    /// The weight of each pattern of a line of six, 729 for each kind.
    pub six_weights: Vec<u16>,
    /// The weight of each pattern of a line of five.
    pub five_weights: Vec<u16>,
    /// The weight of each state of a quadrant, the same for all of its images.
    pub quadrant_weights: Vec<u16>,
}

impl Five {
    /// The quadrant where it has no part.
    pub fn missing(&self) -> usize {
        6 - self.quadrants.iter().sum::<usize>()
    }

    /// Which of its two ends lies in the quadrant with the lower number: 0 or 2.
    pub fn end(&self) -> usize {
        if self.quadrants[0] < self.quadrants[2] { 0 } else { 2 }
    }

    /// What is in the edges of the quadrant of an end, as a number, by the numbers of the end when the
    /// quadrant is turned 0 to 3 times.
    pub fn edges(numbers: [u8; 4]) -> usize {
        9 * usize::from(numbers[0]) + usize::from(numbers[2])
    }
}

impl Geometry {
    pub fn get() -> &'static Geometry {
        static GEOMETRY: OnceLock<Geometry> = OnceLock::new();
        GEOMETRY.get_or_init(Geometry::new)
    }

    fn new() -> Geometry {
        let mut known: Vec<Vec<usize>> = Vec::new();
        let (mut sixes, mut fives) = (Vec::new(), Vec::new());
        // The sockets of a line from (row, column) on, cut into the parts of its quadrants.
        let mut line = |row: usize, column: usize, down: isize, right: isize, len: usize| {
            let mut quadrants: Vec<usize> = Vec::new();
            let mut cells: Vec<Vec<usize>> = Vec::new();
            for i in 0..len as isize {
                let (row, column) = (row as isize + i * down, column as isize + i * right);
                let socket = Shape::Pentago.socket(column as usize, 5 - row as usize);
                if quadrants.last() != Some(&socket.quadrant()) {
                    quadrants.push(socket.quadrant());
                    cells.push(Vec::new());
                }
                cells.last_mut().expect("just pushed").push(socket.cell());
            }
            let parts: Vec<usize> = cells
                .into_iter()
                .map(|cells| {
                    known.iter().position(|k| *k == cells).unwrap_or_else(|| {
                        known.push(cells);
                        known.len() - 1
                    })
                })
                .collect();
            (quadrants, parts)
        };
        let two = |(quadrants, parts): (Vec<usize>, Vec<usize>), kind| Six {
            kind,
            quadrants: [quadrants[0], quadrants[1]],
            parts: [parts[0], parts[1]],
        };
        for i in 0..6 {
            let kind = i.min(5 - i);
            sixes.push(two(line(i, 0, 0, 1, 6), kind));
            sixes.push(two(line(0, i, 1, 0, 6), kind));
        }
        sixes.push(two(line(0, 0, 1, 1, 6), 3));
        sixes.push(two(line(0, 5, 1, -1, 6), 3));
        for (row, column, right) in [(0, 1, 1), (1, 0, 1), (0, 4, -1), (1, 5, -1)] {
            let (quadrants, parts) = line(row, column, 1, right, 5);
            fives.push(Five {
                quadrants: [quadrants[0], quadrants[1], quadrants[2]],
                parts: [parts[0], parts[1], parts[2]],
            });
        }

        let pairs = PAIRS.map(|[a, b]| {
            let of_pair = |six: &&Six| six.quadrants == [a, b] || six.quadrants == [b, a];
            let sixes: Vec<Six> = sixes.iter().filter(of_pair).copied().collect();
            match sixes[..] {
                [x, y, z] => Sixes::Three([x, y, z]),
                [x] => Sixes::One(x),
                _ => unreachable!("three rows or files, or a diagonal"),
            }
        });
        let fives: [Five; 4] = fives.try_into().expect("four lines of five");

        let digit = |state: usize, cell: usize| state / 3usize.pow(cell as u32) % 3;
        let number = |state: usize, cells: &[usize]| {
            cells.iter().fold(0, |number, &cell| 3 * number + digit(state, cell)) as u8
        };
        assert!(known.len() <= PARTS, "{} parts of lines", known.len());
        let parts: Vec<[u8; PARTS]> = (0..STATES)
            .map(|state| {
                let mut numbers = [0; PARTS];
                for (to, cells) in numbers.iter_mut().zip(&known) {
                    *to = number(state, cells);
                }
                numbers
            })
            .collect();
        let state_of = |pattern: u16| -> u16 {
            (0..9).filter(|cell| pattern >> cell & 1 != 0).map(|cell| 3u16.pow(cell)).sum()
        };
        let states: Box<[[u16; 4]; 512]> = Box::new(std::array::from_fn(|pattern| {
            let turned = |turns| state_of(Shape::Pentago.rotate_quadrant(pattern as u16, turns));
            [0, 1, 2, 3].map(turned)
        }));
        let ends = fives.map(|five| {
            let mut ends = [[0; 4]; EDGE_PATTERNS];
            for pattern in 0..EDGE_PATTERNS {
                let set = |of: usize| -> usize {
                    (0..)
                        .zip(EDGES)
                        .filter(|&(i, _)| digit(pattern, i) == of)
                        .map(|(_, cell)| 1 << cell)
                        .sum()
                };
                let (own, other) = (states[set(1)], states[set(2)]);
                let numbers: [u8; 4] = std::array::from_fn(|t| {
                    parts[usize::from(own[t] + 2 * other[t])][five.parts[five.end()]]
                });
                ends[Five::edges(numbers)] = numbers;
            }
            ends
        });

        let mut weights = 0u16;
        let mut next = || {
            weights += 1;
            weights - 1
        };
        let backwards = |pattern: usize, len: usize| (0..len).fold(0, |back, i| 3 * back + digit(pattern, i));
        let mut lines = |len: usize| {
            let mut numbers: Vec<u16> = Vec::new();
            for pattern in 0..3usize.pow(len as u32) {
                let first = backwards(pattern, len);
                numbers.push(if first < pattern { numbers[first] } else { next() });
            }
            numbers
        };
        let six_weights = (0..4).flat_map(|_| lines(6)).collect();
        let five_weights = lines(5);
        let mut quadrant_weights = vec![u16::MAX; STATES];
        for state in 0..STATES {
            if quadrant_weights[state] != u16::MAX {
                continue;
            }
            let weight = next();
            let set = |of: usize| {
                (0..9).filter(|&cell| digit(state, cell) == of).fold(0, |set, cell| set | 1 << cell)
            };
            let (own, other) = (set(1), set(2));
            for symmetry in 0..8 {
                let image = |set| state_of(Shape::Pentago.quadrant_image(set, symmetry));
                quadrant_weights[usize::from(image(own) + 2 * image(other))] = weight;
            }
        }
        assert_eq!(usize::from(weights), CONSTANT);
        Geometry { sixes, fives, pairs, ends, parts, states, six_weights, five_weights, quadrant_weights }
    }

    /// The states of quadrant `b`, turned clockwise 0 to 3 times.
    #[inline]
    pub fn states(&self, own: u64, other: u64, b: usize) -> [usize; 4] {
        let digits = |set: u64| &self.states[(set >> (16 * b)) as usize % 512];
        let (own, other) = (digits(own), digits(other));
        std::array::from_fn(|turns| usize::from(own[turns] + 2 * other[turns]))
    }
}

/// The weights of the terms of a board as it lies, the player to move first: the plain definition
/// of what an evaluation adds up, besides its constant.
#[must_use]
pub fn terms(own: u64, other: u64) -> [u16; TERMS] {
    let geometry = Geometry::get();
    let states: [usize; 4] = std::array::from_fn(|b| geometry.states(own, other, b)[0]);
    let part = |b: usize, part: usize| usize::from(geometry.parts[states[b]][part]);
    let mut terms = [0; TERMS];
    let sixes = geometry.sixes.iter().map(|six| {
        let [a, b] = [0, 1].map(|i| part(six.quadrants[i], six.parts[i]));
        geometry.six_weights[729 * six.kind + 27 * a + b]
    });
    let fives = geometry.fives.iter().map(|five| {
        let [a, b, c] = [0, 1, 2].map(|i| part(five.quadrants[i], five.parts[i]));
        geometry.five_weights[27 * a + 9 * b + c]
    });
    let quadrants = states.iter().map(|&state| geometry.quadrant_weights[state]);
    for (to, weight) in terms.iter_mut().zip(sixes.chain(fives).chain(quadrants)) {
        *to = weight;
    }
    terms
}
