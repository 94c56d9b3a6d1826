//! Decodes tables of Pente, as defined in section 15 of `db-format.md`.

use crate::{Container, Failed, need, packed};

/// A decoded table that has passed all checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PenteTable {
    /// The number of columns of the board.
    pub width: u8,
    /// The number of rows of the board.
    pub height: u8,
    /// The values of the options k, opening, captures and longer rows, in this order.
    pub options: [u8; 4],
    /// The number of captured stones that wins the game.
    pub win: u16,
    /// The number of stones that X has captured, and the number of stones that O has captured.
    pub captured: [u16; 2],
    /// The arrays in the order of the directory.
    pub arrays: Vec<PenteArray>,
}

/// All positions of a table with the same number of stones on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PenteArray {
    /// The number of stones on the board.
    pub stones: u8,
    /// The numbers of won, drawn and lost positions for the side to move.
    pub counts: [u64; 3],
    /// The points of X and the points of O in the position of each entry, as bit sets.
    pub positions: Vec<[u32; 2]>,
    /// The stored code of each entry: 3 for a win, 2 for a draw, 1 for a loss, 0 for a position
    /// that can't occur.
    pub codes: Vec<u8>,
}

/// Decodes a table of Pente, and performs all checks.
///
/// # Errors
/// The error names the first check that fails.
pub fn decode(file: &[u8]) -> Result<PenteTable, Failed> {
    let container = Container::open(file)?;
    let b = container.fields.0;
    for (at, what, known) in [
        (11, "game", 3..=3),
        (12, "codec", 1..=1),
        (13, "filter", 1..=1),
        (14, "level", 1..=19),
        (15, "key length", 1..=1),
        (16, "counters", 3..=3),
    ] {
        need("Q1", known.contains(&b[at]), format!("{what} {}", b[at]))?;
    }
    let target = container.target;
    need("Q1", target.len() == 8, format!("a target of {} bytes", target.len()))?;
    let (width, height) = (target[0], target[1]);
    let win = u16::from_le_bytes([target[6], target[7]]);
    let sides = (1..=19).contains(&width) && (1..=19).contains(&height);
    need("Q1", sides && u16::from(width) * u16::from(height) <= 25, format!("{width}x{height}"))?;
    need("Q1", (2..=19).contains(&target[2]) && (1..=400).contains(&win), "k or win")?;
    need("Q1", target[3] <= 1 && target[4] <= 2 && target[5] <= 1, "an option")?;
    let room = width % 2 == 1 && height % 2 == 1 && width.max(height) >= 7;
    need("Q1", target[3] == 1 || room, "no room for the pro opening")?;

    let layer = container.fields.u32(20);
    let captured = [layer as u16, (layer >> 16) as u16];
    let possible = |n: u16| {
        n < win
            && match target[4] {
                0 => n.is_multiple_of(2),
                1 => n != 1,
                _ => n == 0,
            }
    };
    need("Q2", captured.iter().all(|&n| possible(n)), format!("{captured:?} captured"))?;
    let points = width * height;
    // For each number of stones with which positions exist, from the most stones to the fewest:
    // this number, and the number of X among the stones.
    let slices: Vec<(u8, u32)> = (0..points).rev().filter_map(|s| Some((s, x_of(s, captured)?))).collect();
    need("Q2", !slices.is_empty(), "no positions")?;

    let records = &container.records;
    let keys: Vec<[u8; 1]> = slices.iter().map(|(s, _)| [points - s]).collect();
    need("Q3", records.iter().map(|r| &r.key[..]).eq(keys.iter().map(|k| &k[..])), "other keys")?;
    let mut payloads = container.payloads()?.into_iter();
    let mut arrays = Vec::new();
    for (record, &(stones, x)) in records.iter().zip(&slices) {
        record.check_whole()?;
        let positions = positions(width, height, stones, x);
        let many = positions.len() as u32;
        need("Q3", record.extents == [1, 1, 1, many], format!("{:?}", record.extents))?;
        let sum: u128 = record.counters.iter().map(|&n| u128::from(n)).sum();
        need("Q4", sum <= many.into(), format!("{sum} counted"))?;
        let mut codes = Vec::new();
        for from in (0..many).step_by(record.edges[3] as usize) {
            let len = (many - from).min(record.edges[3]) as usize;
            let (payload, sum) = payloads.next().expect("D4");
            let content = packed::decode(payload, sum, len.div_ceil(4))?;
            for i in 0..4 * content.len() {
                let code = content[i / 4] >> (2 * (i % 4)) & 3;
                if i < len {
                    codes.push(code);
                } else {
                    need("Q6", code == 0, "bits after the last entry")?;
                }
            }
        }
        let counts = record.counters[..].try_into().expect("Q1");
        arrays.push(PenteArray { stones, counts, positions, codes });
    }
    container.check_hash()?;
    let options = [target[2], target[3], target[4], target[5]];
    Ok(PenteTable { width, height, options, win, captured, arrays })
}

/// Returns the number of X among `stones` stones on the board, if X has captured `a` stones and O
/// has captured `b` stones. Returns `None` if no such position exists (section 15.1 of
/// `db-format.md`).
fn x_of(stones: u8, [a, b]: [u16; 2]) -> Option<u32> {
    let plies = u32::from(stones) + u32::from(a) + u32::from(b);
    let x = plies.div_ceil(2).checked_sub(b.into())?;
    (plies / 2).checked_sub(a.into())?;
    Some(x)
}

/// Returns the points of X and the points of O in all positions with `stones` stones, in the order
/// of section 15.3 of `db-format.md`.
fn positions(width: u8, height: u8, stones: u8, x: u32) -> Vec<[u32; 2]> {
    let (w, h) = (u32::from(width), u32::from(height));
    let mut maps: Vec<Vec<u32>> = Vec::new();
    for symmetry in 0..if w == h { 8 } else { 4 } {
        let map = |point: u32| {
            let (mut file, mut rank) = (point % w, point / w);
            if symmetry & 1 != 0 {
                file = w - 1 - file;
            }
            if symmetry & 2 != 0 {
                rank = h - 1 - rank;
            }
            if symmetry & 4 != 0 {
                (file, rank) = (rank, file);
            }
            w * rank + file
        };
        maps.push((0..w * h).map(map).collect());
    }
    let image = |map: &[u32], set: u32| {
        (0..w * h).filter(|i| set >> i & 1 == 1).fold(0, |image, i| image | 1 << map[i as usize])
    };
    let mut all = Vec::new();
    for set in 0..1u32 << (w * h) {
        if set.count_ones() != stones.into() || maps.iter().any(|map| image(map, set) < set) {
            continue;
        }
        let points: Vec<u32> = (0..32).filter(|i| set >> i & 1 == 1).collect();
        // Ascending subsets with x elements are in colexicographic order, like the indices of
        // positions.
        for subset in 0..1u32 << stones {
            if subset.count_ones() == x {
                let of_x = (0..points.len()).filter(|i| subset >> i & 1 == 1);
                let of_x = of_x.fold(0, |of_x, i| of_x | 1 << points[i]);
                all.push([of_x, set & !of_x]);
            }
        }
    }
    all
}
