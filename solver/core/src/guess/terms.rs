//! The patterns on a board that an evaluation looks at.
//!
//! A *term* is the pattern of marbles on one part of the board: a row, a file or a long diagonal of
//! six sockets, a short diagonal of five sockets, or a quadrant. Each pattern has a weight. Two
//! parts of the board share their weights if a symmetry of the board maps one part to the other.
//! The two directions of a line share their weights, too. Strong Othello programs evaluate
//! positions by such tables of patterns (Buro 1997, "Experiments with Multi-ProbCut and a New
//! High-Quality Evaluation Function for Othello").

use crate::rules::Shape;
use std::sync::OnceLock;

/// The number of terms of a board: 14 lines of six, 4 lines of five and 4 quadrants.
pub const TERMS: usize = 22;
/// The number of weights: 378 patterns for each of four kinds of lines of six, 135 patterns of
/// lines of five, 2,862 patterns of quadrants, and one constant.
pub const WEIGHTS: usize = 4 * 378 + 135 + 2862 + 1;
/// The index of the constant in the list of weights.
pub(super) const CONSTANT: usize = WEIGHTS - 1;

/// The number of states of a quadrant. A state has one base-3 digit for each cell: 0 for a free
/// cell, 1 for the player's marble, 2 for the opponent's.
pub(super) const STATES: usize = 19_683;

/// The maximum number of different sets of cells in which a line crosses a quadrant: ranks, files,
/// diagonals, pairs beside a diagonal, and corners.
pub(super) const PARTS: usize = 16;

/// A line of sockets through `N` quadrants: six sockets in two quadrants, or five in three.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternLine<const N: usize> {
    /// The kind of a line of six: its distance from the edge of the board, or 3 for a long
    /// diagonal.
    pub kind: usize,
    pub quadrants: [usize; N],
    /// For each quadrant in `quadrants`, the index of the part of the line in this quadrant.
    pub parts: [usize; N],
}

/// All pairs of quadrants that have lines of six in common.
pub(super) const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];

/// The edge cells of a quadrant, which are neither corners nor the middle cell.
const EDGES: [usize; 4] = [1, 3, 5, 7];
/// The number of patterns on the four edge cells of a quadrant: 3^4.
pub(super) const EDGE_PATTERNS: usize = 81;

/// The sockets of the terms, and the indices of their weights in `Weights`.
pub(super) struct Geometry {
    /// The lines of six. The learned weights depend on their order, which is the order of the
    /// terms.
    pub sixes: Vec<PatternLine<2>>,
    pub fives: [PatternLine<3>; 4],
    /// The lines of six in each pair of `PAIRS`: three rows, three files, or a long diagonal.
    pub pairs: [Vec<PatternLine<2>>; 6],
    /// For each line of five, the base-3 numbers of the part at its lower end
    /// ([`PatternLine::end`]). The second index is the pattern of the edge cells in the quadrant of
    /// this end ([`PatternLine::edges`]). The last index is the number of turns of the quadrant, 0
    /// to 3.
    pub ends: [[[u8; 4]; EDGE_PATTERNS]; 4],
    /// The base-3 numbers of all parts of lines in a quadrant. The first index is the state of the
    /// quadrant, the second index is the part.
    pub parts: Vec<[u8; PARTS]>,
    /// The state of a quadrant on which only the player has marbles. The first index is the set of
    /// these marbles before the turns, the second index is the number of turns.
    pub states: Box<[[u16; 4]; 512]>,
    /// The index of the weight of each pattern on a line of six: 729 patterns for each kind of
    /// line.
    pub six_weights: Vec<u16>,
    /// The index of the weight of each pattern on a line of five.
    pub five_weights: Vec<u16>,
    /// The index of the weight of each state of a quadrant. All symmetric images of a state share
    /// an index.
    pub quadrant_weights: Vec<u16>,
}

impl PatternLine<3> {
    /// Returns the index of the quadrant through which the line doesn't run.
    pub fn missing(&self) -> usize {
        6 - self.quadrants.iter().sum::<usize>()
    }

    /// Returns the position in `quadrants` of the lower end of the line: 0 or 2, whichever end lies
    /// in the lower-numbered quadrant.
    pub fn end(&self) -> usize {
        if self.quadrants[0] < self.quadrants[2] { 0 } else { 2 }
    }

    /// Returns the pattern of the edge cells in the quadrant where a line ends. `numbers` are the
    /// base-3 numbers of the end, for the quadrant turned 0 to 3 times.
    pub fn edges(numbers: [u8; 4]) -> usize {
        9 * usize::from(numbers[0]) + usize::from(numbers[2])
    }
}

/// Returns the digit with index `cell` of `state` in base 3. `state` may also be a pattern on a
/// line.
fn digit(state: usize, cell: usize) -> usize {
    state / 3usize.pow(cell as u32) % 3
}

/// Returns the state in which the player has marbles on the cells of `pattern` and all other cells
/// are free.
fn state_of(pattern: u16) -> u16 {
    (0..9).filter(|cell| pattern >> cell & 1 != 0).map(|cell| 3u16.pow(cell)).sum()
}

/// Cuts a line of `len` sockets, which starts at `(row, column)`, into its parts in `N` quadrants.
/// `cells` lists the cells of each part that is known so far. The function appends new parts.
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

/// Returns the element of [`Geometry::ends`] for the line `five`.
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

/// Returns the index of the weight of each pattern on a line of `len` sockets. A pattern and its
/// reversal share a weight. `weights` is the next unused index.
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

/// Returns the index of the weight of each state of a quadrant. The eight symmetric images of a
/// state share a weight. `weights` is the next unused index.
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

    /// Returns the state of quadrant `b` after 0 to 3 clockwise turns.
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

/// Returns the indices of the weights of a board's terms, for the player with the marbles `own`.
/// The board is not turned. The sum of these weights and the constant is the plain definition of an
/// evaluation.
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
