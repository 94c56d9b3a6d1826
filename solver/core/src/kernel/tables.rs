//! Look-up tables for turns of quadrants 0 and 1: both stay inside a byte (bit `4h + r1`), and a
//! union over turns is linear, so the result is the union of one look-up for each nibble.

/// Tables for both nibbles: the byte that the values at `h = 0`, and those at `h = 1`, contribute.
pub(super) type Nibbles = [[u8; 16]; 2];

/// Both turns of both quadrants.
pub(super) static BOTH_TURNS: Nibbles = nibbles(None);
/// Clockwise turns, where a byte's `p + r2 + r3` is even, and odd.
pub(super) static CLOCKWISE: [Nibbles; 2] = [nibbles(Some(0)), nibbles(Some(1))];

/// 0xff in the bytes `4 r3 + r2` for which `r2 + r3` is even.
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
                    // The results that look at this value: r1 is one turn away from r1 - 1, and for
                    // quadrant 0 a clockwise turn changes h where r0 is odd.
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
