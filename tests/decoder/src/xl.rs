//! Decodes tables of Pentago XL, as defined in section 14 of `db-format.md`.

use crate::{Container, Failed, need, packed};

/// The number of sockets of the board.
const SOCKETS: u32 = 81;

/// A decoded table that has passed all checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XlTable {
    /// The number of seats.
    pub seats: u8,
    /// `true` if the seats play two against two.
    pub teams: bool,
    /// The number of marbles that each seat has at the start of the game.
    pub supply: u8,
    /// The marbles of each seat on the root, as sets of sockets.
    pub root: [u128; 4],
    /// The number of marbles on each board of the table.
    pub marbles: u32,
    /// The boards in the order of the entries. A board consists of the marbles of each seat, as
    /// sets of sockets.
    pub boards: Vec<[u128; 4]>,
    /// The arrays in the order of the directory.
    pub arrays: Vec<XlArray>,
}

/// An array of the table. Each entry is a half super of 4,096 bytes, which belongs to one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XlArray {
    /// The key of the array: the side, the question and the phase.
    pub key: [u8; 3],
    /// The number of pairs of a board and a rotation for which the answer to the question is yes.
    pub count: u64,
    /// The half super of each board.
    pub entries: Vec<Vec<u8>>,
}

/// Decodes a table of Pentago XL, and performs all checks.
///
/// # Errors
/// The error names the first check that fails.
pub fn decode(file: &[u8]) -> Result<XlTable, Failed> {
    let container = Container::open(file)?;
    let b = container.fields.0;
    for (at, what, known) in [
        (11, "game", 2..=2),
        (12, "codec", 1..=1),
        (13, "filter", 1..=1),
        (14, "level", 1..=19),
        (15, "key length", 3..=3),
        (16, "counters", 1..=1),
    ] {
        need("X1", known.contains(&b[at]), format!("{what} {}", b[at]))?;
    }
    let target = container.target;
    need("X1", target.len() == 68, format!("a target of {} bytes", target.len()))?;
    let (seats, mode, supply) = (target[0], target[1], target[2]);
    need("X1", (2..=4).contains(&seats) && (mode == 0 || mode == 1 && seats == 4), "no such game")?;
    need("X1", (1..=81).contains(&supply) && target[3] == 0, format!("supply {supply}"))?;
    let set = |seat: usize| {
        u128::from_le_bytes(target[4 + 16 * seat..20 + 16 * seat].try_into().expect("sixteen bytes"))
    };
    let root = [set(0), set(1), set(2), set(3)];
    let all = root.iter().fold(0, |all, set| all | set);
    let placed: u32 = root.iter().map(|set| set.count_ones()).sum();
    need("X2", all >> SOCKETS == 0 && all.count_ones() == placed, "the root is no board")?;
    for (seat, set) in root.iter().enumerate() {
        let (seat, seats) = (seat as u32, u32::from(seats));
        let fair = if seat < seats { (placed + seats - 1 - seat) / seats } else { 0 };
        need("X2", set.count_ones() == fair && fair <= supply.into(), format!("seat {seat}"))?;
    }
    let marbles = container.fields.u32(20);
    let last = SOCKETS.min(u32::from(seats) * u32::from(supply));
    need("X2", (placed..=last).contains(&marbles), format!("{marbles} marbles"))?;

    let boards = boards(&root, seats.into(), (marbles - placed) as usize);
    let sides = if seats == 2 || mode == 1 { 1 } else { seats };
    let mut keys = Vec::new();
    for side in 0..sides {
        keys.extend([[side, 0, 0], [side, 0, 1], [side, 1, 0], [side, 1, 1]]);
    }
    let records = &container.records;
    need("X3", records.iter().map(|r| &r.key[..]).eq(keys.iter().map(|k| &k[..])), "other keys")?;
    let many = boards.len() as u32;
    for record in records {
        record.check_whole()?;
        let block = record.edges[3].min(many);
        need("X3", record.extents == [1, 1, 1, many] && block <= 1024, format!("{:?}", record.extents))?;
    }
    for four in records.chunks(4) {
        for phase in 0..2 {
            let (wins, not_lost) = (four[phase].counters[0], four[2 + phase].counters[0]);
            need("X4", wins <= not_lost && not_lost <= 32_768 * u64::from(many), "counters")?;
        }
    }
    let mut payloads = container.payloads()?.into_iter();
    let mut arrays = Vec::new();
    for (record, key) in records.iter().zip(keys) {
        let mut entries = Vec::new();
        for from in (0..many).step_by(record.edges[3] as usize) {
            let len = (many - from).min(record.edges[3]) as usize;
            let (payload, sum) = payloads.next().expect("D4");
            let content = packed::decode(payload, sum, 4096 * len)?;
            entries.extend(content.chunks(4096).map(<[u8]>::to_vec));
        }
        arrays.push(XlArray { key, count: record.counters[0], entries });
    }
    for four in arrays.chunks(4) {
        for phase in 0..2 {
            for (wins, not_lost) in four[phase].entries.iter().zip(&four[2 + phase].entries) {
                let subset = wins.iter().zip(not_lost).all(|(a, b)| a & !b == 0);
                need("X6", subset, "a position that is won and lost")?;
            }
        }
    }
    container.check_hash()?;
    Ok(XlTable { seats, teams: mode == 1, supply, root, marbles, boards, arrays })
}

/// Returns the boards in the order of their indices (section 14.3 of `db-format.md`). Tries every
/// way to fill the free sockets, so the function suits only roots with few free sockets.
fn boards(root: &[u128; 4], seats: usize, plies: usize) -> Vec<[u128; 4]> {
    let all = root.iter().fold(0, |all, set| all | set);
    let free: Vec<u32> = (0..SOCKETS).filter(|s| all >> s & 1 == 0).collect();
    let first = all.count_ones() as usize % seats;
    let mut counts = vec![0; seats];
    for ply in 0..plies {
        counts[(first + ply) % seats] += 1;
    }
    let mut boards = Vec::new();
    let base = seats as u64 + 1;
    for number in 0..base.pow(free.len() as u32) {
        let (mut board, mut placed, mut rest) = (*root, vec![0; seats], number);
        for socket in &free {
            let digit = (rest % base) as usize;
            rest /= base;
            if digit > 0 {
                board[digit - 1] |= 1 << socket;
                placed[digit - 1] += 1;
            }
        }
        if placed == counts {
            boards.push(board);
        }
    }
    boards
}

impl XlTable {
    /// Returns the value of board `number` for a side: +1, 0 or -1 for a win, draw or loss. `turns`
    /// holds the number of quarter turns of each block that can turn.
    pub fn value(&self, side: u8, number: usize, turns: [u8; 8]) -> i8 {
        if side == 1 && (self.seats == 2 || self.teams) {
            return -self.value(0, number, turns);
        }
        let gray = [0usize, 1, 3, 2];
        let code = turns.iter().enumerate().fold(0, |code, (i, &r)| code | gray[usize::from(r)] << (2 * i));
        let root: u32 = self.root.iter().map(|set| set.count_ones()).sum();
        let parity = turns.iter().map(|&r| u32::from(r)).sum::<u32>() % 2;
        let phase = ((parity + self.marbles - root) % 2) as u8;
        let yes = |question: u8| {
            let array = self.arrays.iter().find(|a| a.key == [side, question, phase]).expect("X3");
            let bit = code & 0x7fff;
            array.entries[number][bit / 8] >> (bit % 8) & 1 == 1
        };
        match (yes(0), yes(1)) {
            (true, _) => 1,
            (false, true) => 0,
            (false, false) => -1,
        }
    }

    /// Returns the cells of board `number` at a rotation, in rows from the top. A cell is 0 if the
    /// socket is free. Otherwise the cell is the index of the seat plus 1.
    pub fn cells(&self, number: usize, turns: [u8; 8]) -> [[u8; 9]; 9] {
        let mut cells = [[0; 9]; 9];
        for block in 0..9 {
            let turning = [0, 1, 2, 3, 5, 6, 7, 8].iter().position(|&b| b == block);
            for cell in 0..9 {
                let seat = (0..4).find(|&s| self.boards[number][s] >> (9 * block + cell) & 1 == 1);
                let (mut row, mut column) = (cell / 3, cell % 3);
                for _ in 0..turning.map_or(0, |i| turns[i]) {
                    (row, column) = (column, 2 - row);
                }
                cells[block / 3 * 3 + row][block % 3 * 3 + column] = seat.map_or(0, |s| s as u8 + 1);
            }
        }
        cells
    }
}
