//! Decodes open bits, without and with contexts, as defined in section 12 of `db-format.md`.

use crate::boards::{Pattern, turns};
use crate::{Failed, ahead, need, payload, rotation_index};

/// The tables of section 12.5 of `db-format.md`, compressed as a zstd frame.
const FILE: &[u8] = include_bytes!("../../../solver/tables/src/codec/open/contexts.bin.zst");

/// A rotation: the number of quarter turns of each quadrant, 0 to 3.
type R = [u8; 4];

/// Returns all rotations in the order of section 12.2 of `db-format.md`: the even rotations by
/// index, then the odd rotations by index.
fn rotations() -> Vec<R> {
    let mut all: Vec<R> = (0..=255u8).map(|i| [i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6]).collect();
    all.sort_by_key(|&r| rotation_index(r));
    all
}

/// A set of rotations: one flag per rotation.
#[derive(Clone, PartialEq, Eq)]
struct Set([bool; 256]);

impl Set {
    fn index(r: R) -> usize {
        let (odd, index) = rotation_index(r);
        128 * odd + index
    }

    fn has(&self, r: R) -> bool {
        self.0[Set::index(r)]
    }

    fn put(&mut self, r: R, bit: bool) {
        self.0[Set::index(r)] = bit;
    }

    /// Returns the set `not_lose` of an entry if `not_lose` is `true`, otherwise the set `win`.
    fn of(entry: &[u8; 64], not_lose: bool) -> Set {
        let first = if not_lose { 256 } else { 0 };
        Set(std::array::from_fn(|i| entry[(first + i) / 8] >> (i % 8) & 1 == 1))
    }
}

fn entry(win: &Set, not_lose: &Set) -> [u8; 64] {
    let mut entry = [0; 64];
    for (i, &bit) in win.0.iter().chain(&not_lose.0).enumerate() {
        entry[i / 8] |= u8::from(bit) << (i % 8);
    }
    entry
}

/// Everything that the decoder must know about a block besides the payload.
pub struct Block<'a> {
    /// The number of entries in the block.
    pub len: usize,
    /// The patterns of the block along each axis, or `None` for a block below a root.
    pub patterns: Option<&'a [Vec<Pattern>; 4]>,
    /// The guess of each entry. Empty if the payload needs no guess.
    pub guess: Vec<[u8; 64]>,
}

impl Block<'_> {
    /// Returns the guess of each entry for a block of a whole game, in the order of the entries.
    pub fn guesses(header: &crate::Header, patterns: &[Vec<Pattern>; 4]) -> Vec<[u8; 64]> {
        let mut guesses = Vec::new();
        for a in &patterns[0] {
            for b in &patterns[1] {
                for c in &patterns[2] {
                    for d in &patterns[3] {
                        let board = [a.clone(), b.clone(), c.clone(), d.clone()];
                        guesses.push(ahead::guess(header, &board));
                    }
                }
            }
        }
        guesses
    }

    /// Returns the bounds L and U of an entry, as defined in section 12.1 of `db-format.md`.
    fn bounds(&self, number: usize, guessed: bool) -> [Set; 2] {
        if guessed {
            [false, true].map(|not_lose| Set::of(&self.guess[number], not_lose))
        } else {
            [Set([false; 256]), Set([true; 256])]
        }
    }

    /// For each axis, returns the entry's pattern after 0, 1, 2 and 3 quarter turns. Returns `None`
    /// for a block below a root.
    fn turned(&self, number: usize) -> Option<[Vec<Pattern>; 4]> {
        let patterns = self.patterns?;
        Some(std::array::from_fn(|k| {
            let step: usize = patterns[k + 1..].iter().map(Vec::len).product();
            let pattern = &patterns[k][number / step % patterns[k].len()];
            turns(if pattern.len() == 9 { 3 } else { 2 }, pattern)
        }))
    }

    /// For each axis, returns the index of the entry's neighbour in the block, and the number of
    /// quarter turns that move the neighbour (section 12.3 of `db-format.md`).
    fn neighbours(&self, number: usize) -> [Option<(usize, u8)>; 4] {
        let Some(patterns) = self.patterns else {
            return std::array::from_fn(|k| number.checked_sub(k + 1).map(|n| (n, 0)));
        };
        std::array::from_fn(|k| {
            let step: usize = patterns[k + 1..].iter().map(Vec::len).product();
            let i = number / step % patterns[k].len();
            let side = if patterns[k][i].len() == 9 { 3 } else { 2 };
            let mut best: Option<(usize, usize, u8)> = None;
            for j in (0..i).rev() {
                for (t, likeness) in turns(side, &patterns[k][j]).iter().enumerate() {
                    let differ = likeness.iter().zip(&patterns[k][i]).filter(|(a, b)| a != b).count();
                    if best.is_none_or(|(least, ..)| differ < least) {
                        best = Some((differ, j, t as u8));
                    }
                }
            }
            best.map(|(_, j, t)| (number - (i - j) * step, t))
        })
    }
}

/// Decodes a payload whose tag is defined in section 12 of `db-format.md`.
///
/// # Errors
/// If the payload fails check P6.
pub fn decode(payload: &[u8], block: &Block<'_>) -> Result<Vec<[u8; 64]>, Failed> {
    need("P6", !payload.is_empty(), "an empty payload")?;
    match payload[0] {
        3 => plain(&payload[1..], block),
        tag @ 4..=5 => contexts(&payload[1..], block, tag == 5),
        tag => Err(Failed { check: "P6", found: format!("tag {tag}") }),
    }
}

/// Decodes a string of `len` bytes that is coded as in section 12.2 of `db-format.md`. Removes the
/// code of the string from the front of `code`.
fn shortened(code: &mut &[u8], len: usize) -> Result<Vec<u8>, Failed> {
    let take = |code: &mut &[u8], len: usize| {
        let taken = code.split_off(..len).map(<[u8]>::to_vec);
        taken.ok_or(Failed { check: "P6", found: format!("the body lacks {len} bytes") })
    };
    if len <= 2 {
        return take(code, len);
    }
    let bits = |code: &mut &[u8], len: usize| {
        let bytes = shortened(code, len.div_ceil(8))?;
        let mut bits: Vec<bool> = (0..8 * bytes.len()).map(|i| bytes[i / 8] >> (i % 8) & 1 == 1).collect();
        let padding = bits.split_off(len);
        need("P6", !padding.contains(&true), "a padding bit is 1")?;
        Ok(bits)
    };
    let uniform = bits(code, len)?;
    let count = uniform.iter().filter(|&&bit| bit).count();
    let mut ones = bits(code, count)?.into_iter();
    let mut others = take(code, len - count)?.into_iter();
    let byte = |&is_uniform: &bool| match is_uniform {
        true => ones.next().map(|is_ones| if is_ones { 255 } else { 0 }),
        false => others.next(),
    };
    Ok(uniform.iter().filter_map(byte).collect())
}

/// Decodes the body of a payload without contexts (section 12.2 of `db-format.md`).
fn plain(body: &[u8], block: &Block<'_>) -> Result<Vec<[u8; 64]>, Failed> {
    let (how, rest) = body.split_first().ok_or(Failed { check: "P6", found: "no byte".into() })?;
    let bytes = match how {
        0 => rest.to_vec(),
        1 => {
            let (len, mut code) =
                rest.split_first_chunk().ok_or(Failed { check: "P6", found: "no length".into() })?;
            let len = u32::from_le_bytes(*len) as usize;
            need("P6", len <= 64 * block.len + 2, format!("{len} bytes of bits"))?;
            let bytes = shortened(&mut code, len)?;
            need("P6", code.is_empty(), format!("{} bytes after the code", code.len()))?;
            bytes
        }
        _ => return need("P6", false, format!("{how} before the bits")).map(|()| Vec::new()),
    };
    let mut at = 0;
    let mut bit = || {
        let bit = bytes.get(at / 8).map(|byte| byte >> (at % 8) & 1 == 1);
        at += 1;
        bit.ok_or(Failed { check: "P6", found: "too few bits".into() })
    };
    let order = rotations();
    let mut sets = Vec::new();
    for number in 0..block.len {
        let [l, u] = block.bounds(number, true);
        let mut not_lose = l.clone();
        for &r in &order {
            if u.has(r) && !l.has(r) {
                not_lose.put(r, bit()?);
            }
        }
        sets.push((l.clone(), not_lose, l));
    }
    while at % 8 != 0 {
        let fill = bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 0);
        need("P6", fill, "a padding bit is 1")?;
        at += 1;
    }
    let mut bit = || {
        let bit = bytes.get(at / 8).map(|byte| byte >> (at % 8) & 1 == 1);
        at += 1;
        bit.ok_or(Failed { check: "P6", found: "too few bits".into() })
    };
    let mut entries = Vec::new();
    for (l, not_lose, mut win) in sets {
        for &r in &order {
            if not_lose.has(r) && !l.has(r) {
                win.put(r, bit()?);
            }
        }
        entries.push(entry(&win, &not_lose));
    }
    let fill = at % 8 == 0 || bytes[at / 8] >> (at % 8) == 0;
    need("P6", fill && bytes.len() == at.div_ceil(8), "too many bits")?;
    Ok(entries)
}

/// A reader of coded bits, as defined in sections 12.5 and 12.6 of `db-format.md`.
struct Reader<'a> {
    probabilities: Vec<u16>,
    tables: Vec<Vec<i8>>,
    states: Vec<u64>,
    words: std::slice::Chunks<'a, u8>,
    read: usize,
}

impl<'a> Reader<'a> {
    fn new(body: &'a [u8]) -> Result<Reader<'a>, Failed> {
        let file = payload::unzip(FILE, 135_168)?;
        let (probabilities, tables) = file.split_at(4096);
        let (states, words) = body.split_at(body.len().min(32));
        need("P6", matches!(states.len(), 0 | 32) && words.len().is_multiple_of(2), "no states and words")?;
        let states: Vec<u64> =
            states.chunks(4).map(|c| u64::from(u32::from_le_bytes([c[0], c[1], c[2], c[3]]))).collect();
        need("P6", states.iter().all(|&x| x >= 1 << 16), "a small state")?;
        Ok(Reader {
            probabilities: probabilities.chunks(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect(),
            tables: tables.chunks(32_768).map(|t| t.iter().map(|&b| b as i8).collect()).collect(),
            states,
            words: words.chunks(2),
            read: 0,
        })
    }

    fn bit(&mut self, contexts: &[usize; 4]) -> Result<bool, Failed> {
        let s: i64 = self.tables.iter().zip(contexts).map(|(table, &c)| i64::from(table[c])).sum();
        let p = self.probabilities[(4 * s + 1024).clamp(0, 2047) as usize];
        need("P6", !self.states.is_empty(), "no states")?;
        let x = &mut self.states[self.read % 8];
        self.read += 1;
        let (low, high, p) = (*x % 65_536, *x / 65_536, u64::from(p));
        let bit = low < p;
        *x = if bit { p * high + low } else { (65_536 - p) * high + low - p };
        if *x < 1 << 16 {
            let word = self.words.next().ok_or(Failed { check: "P6", found: "too few words".into() })?;
            *x = 65_536 * *x + u64::from(word[0]) + 256 * u64::from(word[1]);
        }
        Ok(bit)
    }

    fn end(mut self) -> Result<(), Failed> {
        let ended = self.words.next().is_none() && self.states.iter().all(|&x| x == 1 << 16);
        need("P6", ended && self.states.is_empty() == (self.read == 0), "the code doesn't end")
    }
}

/// Returns the eight rotations that differ from `r` by a quarter turn of one quadrant.
fn around(r: R) -> impl Iterator<Item = R> {
    (0..4).flat_map(move |k| {
        [1, 3].map(|by| {
            let mut s = r;
            s[k] = (s[k] + by) % 4;
            s
        })
    })
}

/// Returns the four rotations that differ from `r` by a half turn of one quadrant.
fn opposite(r: R) -> impl Iterator<Item = R> {
    (0..4).map(move |k| {
        let mut s = r;
        s[k] = (s[k] + 2) % 4;
        s
    })
}

fn q(n: usize) -> usize {
    [0, 1, 2, 3, 4, 4, 5, 6, 7][n]
}

fn share(x: usize, n: usize) -> usize {
    if n == 0 { 0 } else { 1 + 7 * x / (n + 1) }
}

/// Joins bit fields to one number. Each element is a field and its number of bits. The first field
/// has the highest bits.
fn join(fields: &[(usize, u32)]) -> usize {
    fields.iter().fold(0, |number, &(field, bits)| {
        assert!(field < 1 << bits);
        number << bits | field
    })
}

/// Decodes the body of a payload with contexts (sections 12.3 to 12.6 of `db-format.md`).
fn contexts(body: &[u8], block: &Block<'_>, guessed: bool) -> Result<Vec<[u8; 64]>, Failed> {
    let mut reader = Reader::new(body)?;
    let entries = walk(block, guessed, |contexts, _, _| reader.bit(contexts))?;
    reader.end()?;
    Ok(entries)
}

/// Walks over the coded bits of a block (sections 12.3 and 12.4 of `db-format.md`), and returns the
/// entries of the block. `bit` returns the value of each bit. Its arguments are the four contexts,
/// the index of the entry, and the index of the bit among the 512 bits of the entry.
///
/// # Errors
/// The first error of `bit`.
pub fn walk(
    block: &Block<'_>,
    guessed: bool,
    mut bit: impl FnMut(&[usize; 4], usize, usize) -> Result<bool, Failed>,
) -> Result<Vec<[u8; 64]>, Failed> {
    let order = rotations();
    // The decoded sets `win` and `not_lose` of each entry so far.
    let mut sets: Vec<[Set; 2]> = Vec::new();
    for number in 0..block.len {
        let [l, u] = block.bounds(number, guessed);
        // For each axis, the sets of the neighbour, moved to the rotations of this entry.
        let near: [Option<[Set; 2]>; 4] = {
            let links = block.neighbours(number);
            std::array::from_fn(|k| {
                links[k].map(|(of, t)| {
                    [0, 1].map(|set: usize| {
                        let mut moved = Set([false; 256]);
                        for &r in &order {
                            let mut from = r;
                            from[k] = (from[k] + t) % 4;
                            moved.put(r, sets[of][set].has(from));
                        }
                        moved
                    })
                })
            })
        };
        let turned = if guessed { block.turned(number) } else { None };
        let same_board = |r: R, s: R| match &turned {
            Some(turned) => (0..4).all(|k| turned[k][usize::from(r[k])] == turned[k][usize::from(s[k])]),
            None => false,
        };
        let mut entry = [l.clone(), l.clone()];
        for w in [0, 1] {
            // The index of the set in each pair of sets: 0 for `win`, 1 for `not_lose`.
            let set = 1 - w;
            let open: Vec<R> = order
                .iter()
                .copied()
                .filter(|&r| u.has(r) && !l.has(r) && (w == 0 || entry[1].has(r)))
                .collect();
            let mut is_open = Set([false; 256]);
            open.iter().for_each(|&r| is_open.put(r, true));
            let there: Vec<&[Set; 2]> = near.iter().flatten().collect();
            let pairs = there.iter().map(|n| open.iter().filter(|&&r| n[set].has(r)).count()).sum();
            let around_all = share(pairs, there.len() * open.len());
            let (mut coded, mut ones) = (Vec::new(), 0);
            for (p, c) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let b = 4 * w + 2 * p + c;
                let in_batch = |r: R, c: usize| r.iter().filter(|&&r| r >= 2).count() % 2 == c;
                let of_parity = |r: R| rotation_index(r).0 == p;
                let known = |r: R| !is_open.has(r) || c == 1 && in_batch(r, 0);
                let before = entry[set].clone();
                let density = share(ones, coded.len());
                let star = |s: R| !around(s).any(|r| u.has(r) && known(r) && !before.has(r));
                let batch: Vec<R> =
                    open.iter().copied().filter(|&r| of_parity(r) && in_batch(r, c)).collect();
                for r in batch {
                    if let Some(&s) = coded.iter().find(|&&s| same_board(r, s)) {
                        let bit = entry[set].has(s);
                        entry[set].put(r, bit);
                        continue;
                    }
                    let eight = |f: &dyn Fn(R) -> bool| around(r).filter(|&s| f(s)).count();
                    let four = |f: &dyn Fn(R) -> bool| opposite(r).filter(|&s| f(s)).count();
                    let bits =
                        |f: &dyn Fn(usize) -> bool| (0..4).map(|k| usize::from(f(k)) << k).sum::<usize>();
                    let win = w == 1;
                    let bound = if win { &l } else { &u };
                    let v = bits(&|k| near[k].as_ref().is_some_and(|n| n[set].has(r)));
                    let o = q(eight(&|s| if p == 1 { before.has(s) } else { bound.has(s) }));
                    let a = q(eight(&star));
                    let n8 = if win { q(eight(&|s| entry[1].has(s))) } else { 0 };
                    let t = four(&|s| known(s) && before.has(s));
                    let k = four(&known);
                    let g2 = four(&|s| l.has(s));
                    let n4 = if win { four(&|s| entry[1].has(s)) } else { 0 };
                    let g8 = q(eight(&|s| l.has(s)));
                    let l8 = q(eight(&|s| !u.has(s)));
                    let present = bits(&|k| near[k].is_some());
                    let b = (b, 3);
                    let contexts = [
                        join(&[b, (0, 1), (present, 4), (o, 3), (v, 4)]),
                        join(&[b, (t, 3), (n8, 3), (a, 3), (o, 3)]),
                        join(&[b, (density, 3), (around_all, 3), (l8, 3), (g8, 3)]),
                        join(&[b, (n4, 3), (g2, 3), (k, 3), (t, 3)]),
                    ];
                    let bit = bit(&contexts, number, 256 * set + Set::index(r))?;
                    entry[set].put(r, bit);
                    coded.push(r);
                    ones += usize::from(bit);
                }
            }
        }
        sets.push(entry);
    }
    Ok(sets.iter().map(|[win, not_lose]| self::entry(win, not_lose)).collect())
}
