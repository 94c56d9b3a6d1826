//! The winning lines: the sets of sockets that form a straight run of the winning length in any of
//! the four directions.
//!
//! Six in a row contains five in a row, so longer lines are not listed. The tables are built from
//! the definition at compile time; a wrong number of lines is a compile error.

/// The lines of five in a row on the 6x6 board. 28 lines touch two quadrants, with 3 + 2 sockets.
/// Four lines touch three quadrants, with 2 + 1 + 2 sockets.
pub(super) static PENTAGO: [u64; 32] = lines(3, 5);

/// The lines of four in a row on the 4x4 board: four rows, four columns, two diagonals.
pub(super) static MINI_4: [u64; 10] = lines(2, 4);

/// The lines of three in a row on the 4x4 board.
pub(super) static MINI_3: [u64; 24] = lines(2, 3);

/// Returns all straight runs of `run` sockets on a board of four quadrants of `side` x `side`
/// sockets. The runs are sorted by their first socket, row by row.
const fn lines<const N: usize>(side: usize, run: usize) -> [u64; N] {
    // The steps (row, column) of the four directions: right, down, down right, and down left.
    const STEPS: [(isize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];
    let size = 2 * side as isize;
    let last = run as isize - 1;
    let mut lines = [0; N];
    let mut found = 0;
    let mut start = 0;
    while start < size * size {
        let (row, column) = (start / size, start % size);
        let mut direction = 0;
        while direction < 4 {
            let (down, right) = STEPS[direction];
            let end = (row + last * down, column + last * right);
            if end.0 < size && 0 <= end.1 && end.1 < size {
                let mut line = 0;
                let mut i = 0;
                while i <= last {
                    let (row, column) = (row + i * down, column + i * right);
                    line |= 1 << socket_number(side, row as usize, column as usize);
                    i += 1;
                }
                lines[found] = line;
                found += 1;
            }
            direction += 1;
        }
        start += 1;
    }
    assert!(found == N);
    lines
}

/// Returns the number of the socket in row `row` from the top and column `column` from the left, on
/// a board of four quadrants of `side` x `side` sockets.
pub(super) const fn socket_number(side: usize, row: usize, column: usize) -> u8 {
    let quadrant = row / side * 2 + column / side;
    let cell = row % side * side + column % side;
    (16 * quadrant + cell) as u8
}
