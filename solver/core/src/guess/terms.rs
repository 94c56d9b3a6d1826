//! The patterns on a board that an evaluation looks at.
//!
//! A *term* is one pattern at one place: a row, a file or a long diagonal of six sockets, a short
//! diagonal of five sockets, or a quadrant at any turn. Each pattern has a weight. Places that a
//! symmetry of the board maps to each other share their weights, and so do both directions of a
//! line. Strong Othello programs evaluate positions by such tables of patterns (Buro 1997,
//! "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for Othello").

use crate::rules::Shape;
use std::sync::OnceLock;

/// The number of terms of a board: 14 lines of six, 4 lines of five and 4 quadrants.
pub const TERMS: usize = 22;
/// The number of weights: 378 patterns for each of four kinds of lines of six, 135 patterns of
/// lines of five, 2,862 patterns of quadrants, and a constant.
pub const WEIGHTS: usize = 4 * 378 + 135 + 2862 + 1;
/// The index of the constant.
pub(super) const CONSTANT: usize = WEIGHTS - 1;

/// The number of states of a quadrant. A state has one base-3 digit for each cell: 0 for a free
/// cell, 1 for the player's marble, 2 for the opponent's.
pub(super) const STATES: usize = 19_683;

/// The number of different parts of lines in a quadrant: ranks, files, diagonals, pairs beside a
/// diagonal, and corners.
pub(super) const PARTS: usize = 16;

/// A line of sockets through `N` quadrants: six sockets in two quadrants, or five in three.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternLine<const N: usize> {
    /// The kind of a line of six, by its distance from the edge; 3 for a long diagonal.
    pub kind: usize,
    pub quadrants: [usize; N],
    /// The part of the line in each quadrant.
    pub parts: [usize; N],
}

/// The pairs of quadrants.
pub(super) const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];

/// The edge cells of a quadrant: neither corners nor the middle.
const EDGES: [usize; 4] = [1, 3, 5, 7];
/// The number of patterns of the edge cells.
pub(super) const EDGE_PATTERNS: usize = 81;

/// The places of the terms, and the indices of their weights.
pub(super) struct Geometry {
    /// The lines of six in the order of the terms, which the learned weights depend on.
    pub sixes: Vec<PatternLine<2>>,
    pub fives: [PatternLine<3>; 4],
    /// The lines of six in each pair of quadrants: three rows or files, or a long diagonal.
    pub pairs: [Vec<PatternLine<2>>; 6],
    /// The numbers of the lower end ([`PatternLine::end`]) of each line of five, with its quadrant
    /// turned 0 to 3 times, indexed by the pattern of the quadrant's edge cells
    /// ([`PatternLine::edges`]).
    pub ends: [[[u8; 4]; EDGE_PATTERNS]; 4],
    /// The base-3 number of each part, indexed by the state of the quadrant.
    pub parts: Vec<[u8; PARTS]>,
    /// The state in which the player has exactly the cells of a pattern, for each number of turns.
    pub states: Box<[[u16; 4]; 512]>,
    /// The weight of each pattern of a line of six, 729 for each kind.
    pub six_weights: Vec<u16>,
    /// The weight of each pattern of a line of five.
    pub five_weights: Vec<u16>,
    /// The weight of each state of a quadrant, the same for all of its images.
    pub quadrant_weights: Vec<u16>,
}

impl PatternLine<3> {
    /// Returns the quadrant that the line misses.
    pub fn missing(&self) -> usize {
        6 - self.quadrants.iter().sum::<usize>()
    }

    /// Returns the index, 0 or 2, of the end in the lower-numbered quadrant.
    pub fn end(&self) -> usize {
        if self.quadrants[0] < self.quadrants[2] { 0 } else { 2 }
    }

    /// Returns the pattern of the edge cells in the quadrant of an end, given the numbers of the
    /// end with the quadrant turned 0 to 3 times.
    pub fn edges(numbers: [u8; 4]) -> usize {
        9 * usize::from(numbers[0]) + usize::from(numbers[2])
    }
}

/// Returns one base-3 digit of a state or pattern.
fn digit(state: usize, cell: usize) -> usize {
    state / 3usize.pow(cell as u32) % 3
}

/// Returns the state in which the player has the cells of `pattern`.
fn state_of(pattern: u16) -> u16 {
    (0..9).filter(|cell| pattern >> cell & 1 != 0).map(|cell| 3u16.pow(cell)).sum()
}

/// Cuts the line of `len` sockets from `(row, column)` on into its parts in `N` quadrants. `cells`
/// lists the cells of each known part, and gets those of new parts.
fn line<const N: usize>(
    cells: &mut Vec<Vec<usize>>,
    kind: usize,
    [row, column]: [usize; 2],
    [down, right]: [isize; 2],
    len: isize,
) -> PatternLine<N> {
    let mut of_quadrants: Vec<(usize, Vec<usize>)> = Vec::new();
    for i in 0..len {
        let (row, column) = (row as isize + i * down, column as isize + i * right);
        let socket = Shape::Pentago.socket(column as usize, 5 - row as usize);
        match of_quadrants.last_mut() {
            Some((quadrant, part)) if *quadrant == socket.quadrant() => part.push(socket.cell()),
            _ => of_quadrants.push((socket.quadrant(), vec![socket.cell()])),
        }
    }
    let mut line = PatternLine { kind, quadrants: [0; N], parts: [0; N] };
    for (i, (quadrant, part)) in of_quadrants.into_iter().enumerate() {
        let number = cells.iter().position(|known| *known == part).unwrap_or(cells.len());
        if number == cells.len() {
            cells.push(part);
        }
        (line.quadrants[i], line.parts[i]) = (quadrant, number);
    }
    line
}

/// Returns the numbers in [`Geometry::ends`] of a line of five.
fn ends(five: &PatternLine<3>, parts: &[[u8; PARTS]], states: &[[u16; 4]; 512]) -> [[u8; 4]; EDGE_PATTERNS] {
    let mut ends = [[0; 4]; EDGE_PATTERNS];
    for pattern in 0..EDGE_PATTERNS {
        let set = |of: usize| -> usize {
            let edges = EDGES.iter().enumerate().filter(|&(i, _)| digit(pattern, i) == of);
            edges.map(|(_, cell)| 1 << cell).sum()
        };
        let (own, other) = (states[set(1)], states[set(2)]);
        let numbers: [u8; 4] =
            std::array::from_fn(|t| parts[usize::from(own[t] + 2 * other[t])][five.parts[five.end()]]);
        ends[PatternLine::edges(numbers)] = numbers;
    }
    ends
}

/// Returns the weight of each pattern of a line of `len` sockets. Both directions of a pattern
/// share a weight.
fn line_weights(len: usize, weights: &mut u16) -> Vec<u16> {
    let mut numbers: Vec<u16> = Vec::new();
    for pattern in 0..3usize.pow(len as u32) {
        let backwards = (0..len).fold(0, |back, i| 3 * back + digit(pattern, i));
        if backwards < pattern {
            numbers.push(numbers[backwards]);
        } else {
            numbers.push(*weights);
            *weights += 1;
        }
    }
    numbers
}

/// Returns the weight of each state of a quadrant. The eight images of a state share a weight.
fn quadrant_weights(weights: &mut u16) -> Vec<u16> {
    let mut numbers = vec![u16::MAX; STATES];
    for state in 0..STATES {
        if numbers[state] != u16::MAX {
            continue;
        }
        let set =
            |of: usize| (0..9).filter(|&cell| digit(state, cell) == of).fold(0, |set, cell| set | 1 << cell);
        let (own, other) = (set(1), set(2));
        for symmetry in 0..8 {
            let image = |set| state_of(Shape::Pentago.quadrant_image(set, symmetry));
            numbers[usize::from(image(own) + 2 * image(other))] = *weights;
        }
        *weights += 1;
    }
    numbers
}

impl Geometry {
    pub fn get() -> &'static Geometry {
        static GEOMETRY: OnceLock<Geometry> = OnceLock::new();
        GEOMETRY.get_or_init(Geometry::new)
    }

    fn new() -> Geometry {
        let mut cells = Vec::new();
        let mut sixes: Vec<PatternLine<2>> = Vec::new();
        for i in 0..6 {
            let kind = i.min(5 - i);
            sixes.push(line(&mut cells, kind, [i, 0], [0, 1], 6));
            sixes.push(line(&mut cells, kind, [0, i], [1, 0], 6));
        }
        sixes.push(line(&mut cells, 3, [0, 0], [1, 1], 6));
        sixes.push(line(&mut cells, 3, [0, 5], [1, -1], 6));
        let fives = [([0, 1], 1), ([1, 0], 1), ([0, 4], -1), ([1, 5], -1)];
        let fives = fives.map(|(from, right)| line(&mut cells, 0, from, [1, right], 5));
        assert!(cells.len() <= PARTS, "{} parts of lines", cells.len());

        let pairs = PAIRS.map(|[a, b]| {
            let of_pair = |six: &&PatternLine<2>| six.quadrants == [a, b] || six.quadrants == [b, a];
            sixes.iter().filter(of_pair).copied().collect()
        });
        let numbers = |state: usize| {
            let mut numbers = [0; PARTS];
            for (to, cells) in numbers.iter_mut().zip(&cells) {
                *to = cells.iter().fold(0, |number, &cell| 3 * number + digit(state, cell)) as u8;
            }
            numbers
        };
        let parts: Vec<[u8; PARTS]> = (0..STATES).map(numbers).collect();
        let states: Box<[[u16; 4]; 512]> = Box::new(std::array::from_fn(|pattern| {
            [0, 1, 2, 3].map(|turns| state_of(Shape::Pentago.rotate_quadrant(pattern as u16, turns)))
        }));
        let ends = fives.each_ref().map(|five| ends(five, &parts, &states));

        let mut weights = 0;
        let six_weights = (0..4).flat_map(|_| line_weights(6, &mut weights)).collect();
        let five_weights = line_weights(5, &mut weights);
        let quadrant_weights = quadrant_weights(&mut weights);
        assert_eq!(usize::from(weights), CONSTANT);
        Geometry { sixes, fives, pairs, ends, parts, states, six_weights, five_weights, quadrant_weights }
    }

    /// Returns the states of quadrant `b`, turned clockwise 0 to 3 times.
    #[inline]
    pub fn states(&self, own: u64, other: u64, b: usize) -> [usize; 4] {
        let digits = |set: u64| &self.states[(set >> (16 * b)) as usize % 512];
        let (own, other) = (digits(own), digits(other));
        let mut states = [0; 4];
        for (state, (own, other)) in states.iter_mut().zip(own.iter().zip(other)) {
            *state = usize::from(own + 2 * other);
        }
        states
    }
}

/// Returns the indices of the weights of an unturned board's terms, for the player with the marbles
/// `own`. This is the plain definition of an evaluation, apart from its constant.
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
