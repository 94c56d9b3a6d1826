//! Look-up tables for turns of quadrants 0 and 1. Such a turn moves values only within a byte, in
//! which bit `4h + r1` belongs to h and r1. A union over turns is linear, so the result for a byte
//! is the union of one look-up for each of its nibbles.

/// Two tables, each indexed by a nibble. An element of the first table is the byte that results
/// from the values at `h = 0`. An element of the second table is the byte that results from the
/// values at `h = 1`.
pub(super) type Nibbles = [[u8; 16]; 2];

/// The tables for turns in both directions of quadrants 0 and 1.
pub(super) static BOTH_TURNS: Nibbles = nibbles(None);
/// The tables for clockwise turns only. The first element is for bytes with an even `p + r2 + r3`,
/// the second for bytes with an odd `p + r2 + r3`. Here, p is the parity of the rotations of the
/// results.
pub(super) static CLOCKWISE: [Nibbles; 2] = [nibbles(Some(0)), nibbles(Some(1))];

/// A mask that is 0xff in each byte `4 r3 + r2` with an even `r2 + r3`, and 0 in the other bytes.
pub(super) static EVEN_BYTES: [u8; 16] = {
    let mut mask = [0; 16];
    let mut i = 0;
    while i < 16 {
        if (i / 4 + i) % 2 == 0 {
            mask[i] = 0xff;
        }
        i += 1;
    }
    mask
};

/// Builds the tables for turns in both directions if `clockwise` is `None`. Otherwise builds the
/// tables for clockwise turns, in bytes whose `p + r2 + r3` has the parity `clockwise`.
const fn nibbles(clockwise: Option<usize>) -> Nibbles {
    let mut tables = [[0; 16]; 2];
    let mut h = 0;
    while h < 2 {
        let mut set = 0;
        while set < 16 {
            let mut out = 0;
            let mut r1 = 0;
            while r1 < 4 {
                if set >> r1 & 1 != 0 {
                    // Add the results that depend on the value at r1. A clockwise turn of quadrant
                    // 1 leads from r1 - 1 to r1. A clockwise turn of quadrant 0 changes h where r0
                    // is odd.
                    let below = (r1 + 3) % 4;
                    out |= 1 << (4 * h + below);
                    match clockwise {
                        None => out |= 1 << (4 * h + (r1 + 1) % 4) | 1 << r1 | 1 << (4 + r1),
                        Some(byte) => out |= 1 << (4 * (h ^ (byte ^ r1) & 1) + r1),
                    }
                }
                r1 += 1;
            }
            tables[h][set] = out;
            set += 1;
        }
        h += 1;
    }
    tables
}
