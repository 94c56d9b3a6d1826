//! Computes the guess of an entry, as defined in section 6.1 of `db-format.md`.

use crate::boards::{Pattern, turns};
use crate::{Header, rotation_index};

/// The lines on a board at one rotation: the flags N, M and P of section 6.1 of `db-format.md`.
#[derive(Clone, Copy)]
struct BoardLines {
    /// `true` if the other player has a line.
    n: bool,
    /// `true` if the side to move has a line.
    m: bool,
    /// `true` if the side to move has a line, or completes a line by placing one marble.
    p: bool,
}

/// Returns all lines of `run` cells on a board. Each line is a list of cells (row, column).
fn lines(size: usize, run: usize) -> Vec<Vec<[usize; 2]>> {
    let mut lines = Vec::new();
    for row in 0..size {
        for column in 0..size {
            for [down, right] in [[0, 1], [1, 0], [1, 1], [1, -1i32]] {
                let cell = |k: usize| {
                    let at = [row as i32 + down * k as i32, column as i32 + right * k as i32];
                    at.iter().all(|&c| c >= 0 && c < size as i32).then(|| at.map(|c| c as usize))
                };
                lines.extend((0..run).map(cell).collect::<Option<Vec<_>>>());
            }
        }
    }
    lines
}

/// Returns the guess of the board with these four patterns.
pub fn guess(header: &Header, patterns: &[Pattern; 4]) -> [u8; 64] {
    let (size, side) = (usize::from(header.size), usize::from(header.size / 2));
    let lines = lines(size, header.run.into());
    let mover = header.slice % 2 + 1;
    let turned: Vec<Vec<Pattern>> = patterns.iter().map(|p| turns(side as u8, p)).collect();
    let look = |r: [u8; 4]| {
        let mut board = vec![vec![0; size]; size];
        for (q, turned) in turned.iter().enumerate() {
            for (c, &marble) in turned[usize::from(r[q])].iter().enumerate() {
                board[q / 2 * side + c / side][q % 2 * side + c % side] = marble;
            }
        }
        let (mut n, mut m, mut p) = (false, false, false);
        for line in &lines {
            // The number of free cells in the line, and the number of cells that each player has in
            // the line.
            let mut cells = [0; 3];
            for &[row, column] in line {
                cells[usize::from(board[row][column])] += 1;
            }
            let [free, own, other] = [0, mover, 3 - mover].map(|player| cells[usize::from(player)]);
            n |= other == line.len();
            m |= own == line.len();
            // If the option `last` is 2, only lines that are already complete count.
            p |= other == 0 && free <= usize::from(header.options[4] != 2);
        }
        BoardLines { n, m, p }
    };
    let all = |f: &mut dyn FnMut([u8; 4])| {
        for i in 0..=255u8 {
            f([i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6]);
        }
    };
    let mut looks = Vec::new();
    all(&mut |r| looks.push(look(r)));
    let at = |r: [u8; 4]| &looks[usize::from(r[0] + 4 * r[1] + 16 * r[2]) + 64 * usize::from(r[3])];

    let [dir, both, reply, _, last] = header.options;
    let free = size * size - usize::from(header.slice);
    let no_turn = free == 0 || free == 1 && last == 1;
    let mut entry = [0; 64];
    all(&mut |r| {
        let mut after = Vec::new();
        for q in 0..4 {
            for quarters in if dir == 1 { vec![1] } else { vec![1, 3] } {
                let mut r = r;
                r[q] = (r[q] + quarters) % 4;
                after.push(at(r));
            }
        }
        let BoardLines { n, m, p } = *at(r);
        let x = match (both, reply == 1 && free > 0) {
            (0, false) => m,
            (1, false) => false,
            (0, true) => p,
            _ => p && !m,
        };
        let wins = !no_turn && after.iter().any(|l| l.p && !l.n);
        let draws = no_turn || after.iter().any(|l| l.p || !l.n);
        let (odd, index) = rotation_index(r);
        for (first, bit) in [(0, !n && (p || wins)), (256, if n { x } else { p || draws })] {
            let i = first + 128 * odd + index;
            entry[i / 8] |= u8::from(bit) << (i % 8);
        }
    });
    entry
}
