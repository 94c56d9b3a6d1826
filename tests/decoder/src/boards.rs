//! Lists the boards of a table's entries, as defined in sections 3 and 7 of `db-format.md`.

use crate::{Array, Failed, Header, need};

/// Returns the sockets of the board, in ascending order.
fn sockets(size: u8) -> Vec<u32> {
    let cells = u32::from(size / 2 * (size / 2));
    (0..4).flat_map(|q| (0..cells).map(move |c| 16 * q + c)).collect()
}

/// Performs check P2 of section 8 of `db-format.md` on the root of a table.
pub fn check_root(header: &Header) -> Result<(), Failed> {
    let sockets = sockets(header.size);
    let [x, o] = header.root;
    need("P2", usize::from(header.slice) <= sockets.len(), "more marbles than sockets")?;
    if header.domain == 0 {
        return need("P2", x == 0 && o == 0, "a whole game with a root");
    }
    let board = sockets.iter().fold(0u64, |set, s| set | 1 << s);
    need("P2", x & o == 0 && (x | o) & !board == 0, "the root is no board")?;
    let (more, less) = (x.count_ones(), o.count_ones());
    need("P2", more == less || more == less + 1, format!("{more} X, {less} O"))?;
    need("P2", more + less <= u32::from(header.slice), "the root has more marbles than the slice")
}

/// Performs checks P3 to P5 of section 8 of `db-format.md` on the arrays of a table.
pub fn check_arrays(header: &Header, arrays: &[Array]) -> Result<(), Failed> {
    if header.domain == 1 {
        let [array] = arrays else { return need("P3", false, "several arrays") };
        let boards = count_root_boards(header);
        let list = array.extents[..3] == [1, 1, 1] && u128::from(array.extents[3]) == boards;
        need("P3", array.key == [0; 8] && list, format!("{:?} of {boards} boards", array.extents))?;
        return need("P5", total(array) == 256 * boards, "the counts don't add up");
    }
    let cells = header.size / 2 * (header.size / 2);
    for array in arrays {
        let own = section(header, &array.key);
        let fits = own.iter().all(|[x, o]| u32::from(*x) + u32::from(*o) <= u32::from(cells));
        let sum = |color: usize| own.iter().map(|b| u32::from(b[color])).sum::<u32>();
        let n = u32::from(header.slice);
        need("P4", fits && sum(0) == n.div_ceil(2) && sum(1) == n / 2, format!("section {:?}", array.key))?;
        let key = images(header, own).into_iter().map(|image| list(header, &image)).min().expect("itself");
        need("P4", array.key == key, format!("{:?}: the key is {key:?}", array.key))?;
        let quadrants = standard(header, &array.key);
        for (q, [x, o]) in quadrants.into_iter().enumerate() {
            let patterns = minimal_patterns(header.size / 2, x, o).len();
            need("P4", array.extents[q] as usize == patterns, format!("{patterns} patterns on axis {q}"))?;
        }
        let factorial = |n: u8| (1..=u128::from(n)).product::<u128>();
        let fillings =
            |&[x, o]: &[u8; 2]| factorial(cells) / factorial(x) / factorial(o) / factorial(cells - x - o);
        need("P5", total(array) == quadrants.iter().map(fillings).product(), "the counts don't add up")?;
    }
    Ok(())
}

fn total(array: &Array) -> u128 {
    array.counts.iter().map(|&n| u128::from(n)).sum()
}

/// A section: for each quadrant, the number of X and the number of O.
type Section = [[u8; 2]; 4];

/// Returns the eight numbers that list a section. A section's key is the list of its least image
/// (section 7.2 of `db-format.md`).
fn list(header: &Header, section: &Section) -> [u8; 8] {
    let mover = usize::from(header.slice % 2);
    let mut list = [0; 8];
    for q in 0..4 {
        list[q] = section[q][1 - mover];
        list[4 + q] = section[q][mover];
    }
    list
}

/// Returns the section that has these eight numbers.
fn section(header: &Header, list: &[u8; 8]) -> Section {
    let mut section = Section::default();
    for q in 0..4 {
        let [still, moving] = [list[q], list[4 + q]];
        section[q] = if header.slice.is_multiple_of(2) { [moving, still] } else { [still, moving] };
    }
    section
}

/// Returns the images of a section under quarter turns of the board and, if turns go both ways,
/// under reflections.
fn images(header: &Header, section: Section) -> Vec<Section> {
    // The quadrants are numbered row by row in a square of two by two.
    let turned = |b: Section| [b[2], b[0], b[3], b[1]];
    let mirrored = |b: Section| [b[1], b[0], b[3], b[2]];
    let mut images = vec![section];
    for i in 0..3 {
        images.push(turned(images[i]));
    }
    if header.options[0] != 1 {
        for i in 0..4 {
            images.push(mirrored(images[i]));
        }
    }
    images
}

/// Returns the standard section that belongs to a key (section 7.2 of `db-format.md`).
pub fn standard(header: &Header, key: &[u8; 8]) -> Section {
    let section = section(header, key);
    let patterns = |[x, o]: [u8; 2]| minimal_patterns(header.size / 2, x, o).len();
    let most = section.into_iter().map(patterns).max();
    let images = images(header, section).into_iter();
    images.filter(|image| Some(patterns(image[3])) == most).min().expect("any quadrant can be the last")
}

fn count_root_boards(header: &Header) -> u128 {
    let [x, o] = header.root;
    let marbles = u128::from(x.count_ones() + o.count_ones());
    let choose = |n: u128, k: u128| (0..k).fold(1, |c, i| c * (n - i) / (i + 1));
    let free = sockets(header.size).len() as u128 - marbles;
    let plies = u128::from(header.slice) - marbles;
    choose(free, plies) * choose(plies, plies / 2)
}

/// Returns the boards (X, O) of a table below a root, in the order of its entries. Tries every way
/// to fill the free sockets, so the function suits only roots with few free sockets.
pub fn root_boards(header: &Header) -> Vec<[u64; 2]> {
    let [x, o] = header.root;
    let free: Vec<u32> = sockets(header.size).into_iter().filter(|s| (x | o) >> s & 1 == 0).collect();
    let mover = ((x.count_ones() + o.count_ones()) % 2) as usize;
    let plies = u32::from(header.slice) - x.count_ones() - o.count_ones();
    let mut boards = Vec::new();
    for number in 0..3u64.pow(free.len() as u32) {
        let (mut board, mut rest) = (header.root, number);
        let mut placed = [0; 3];
        for socket in &free {
            let digit = (rest % 3) as usize;
            rest /= 3;
            placed[digit] += 1;
            if digit > 0 {
                board[if digit == 1 { mover } else { 1 - mover }] |= 1 << socket;
            }
        }
        if placed[1] == plies.div_ceil(2) && placed[2] == plies / 2 {
            boards.push(board);
        }
    }
    boards
}

/// A pattern of one quadrant. Each cell is 0 (free), 1 (X) or 2 (O).
pub type Pattern = Vec<u8>;

/// Returns the pattern of quadrant `q` of a board (X, O).
pub fn pattern(side: u8, [x, o]: &[u64; 2], q: usize) -> Pattern {
    let cell = |c: u8| {
        let socket = 16 * q + usize::from(c);
        (x >> socket & 1) as u8 + 2 * (o >> socket & 1) as u8
    };
    (0..side * side).map(cell).collect()
}

fn number(pattern: &[u8]) -> u32 {
    pattern.iter().rev().fold(0, |n, &d| 3 * n + u32::from(d))
}

/// Turns a pattern clockwise by a quarter turn: the cell at row i, column j moves to row j, column
/// side - 1 - i.
fn turn(side: usize, pattern: &[u8]) -> Pattern {
    let mut turned = vec![0; pattern.len()];
    for i in 0..side {
        for j in 0..side {
            turned[side * j + side - 1 - i] = pattern[side * i + j];
        }
    }
    turned
}

fn mirror(side: usize, pattern: &[u8]) -> Pattern {
    (0..pattern.len()).map(|c| pattern[c / side * side + side - 1 - c % side]).collect()
}

/// Returns four patterns: the given pattern after 0, 1, 2 and 3 clockwise quarter turns.
pub fn turns(side: u8, pattern: &[u8]) -> Vec<Pattern> {
    let mut all = vec![pattern.to_vec()];
    for i in 0..3 {
        all.push(turn(side.into(), &all[i]));
    }
    all
}

/// Returns the minimal patterns of a quadrant with `x` marbles of X and `o` marbles of O, in the
/// order of section 7.2 of `db-format.md`.
pub fn minimal_patterns(side: u8, x: u8, o: u8) -> Vec<Pattern> {
    let cells = u32::from(side) * u32::from(side);
    let mut keyed = Vec::new();
    for n in 0..3u32.pow(cells) {
        let pattern: Pattern = (0..cells).map(|c| (n / 3u32.pow(c) % 3) as u8).collect();
        let count = |d: u8| pattern.iter().filter(|&&e| e == d).count() as u8;
        if count(1) != x || count(2) != o {
            continue;
        }
        let least = |p: &[u8]| turns(side, p).iter().map(|p| number(p)).min().expect("four turns");
        if least(&pattern) == n {
            let partner = least(&mirror(side.into(), &pattern));
            keyed.push((partner == n, n.min(partner), n, pattern));
        }
    }
    keyed.sort();
    keyed.into_iter().map(|(.., pattern)| pattern).collect()
}
