//! Changes certificates at random. The checker must refuse a changed certificate, or the
//! certificate must still prove its claim.

use pentago_check::{Proved, check};

/// A simple random number generator: Knuth's linear congruential generator MMIX.
pub struct Numbers(pub u64);

impl Numbers {
    /// Returns a random number less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Appends the correct checksum to the text of a certificate.
fn sealed(text: &str) -> String {
    let sum = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{text}checksum {sum:016x}\n")
}

/// Applies `changes` random changes to a certificate, each to the original text, and checks the
/// results. There are four kinds of changes: change bytes; replace, swap, omit or double moves;
/// claim fewer plies; or change the position. All changes except those of bytes correct the
/// checksum. Returns the number of changed certificates that were accepted because their claims are
/// true.
pub fn survive(text: &str, changes: usize, numbers: &mut Numbers) -> usize {
    let original = check(text.as_bytes()).expect("the certificate is right");
    let body = &text[..text.rfind("checksum").expect("it has a check sum")];
    let lines: Vec<&str> = body.lines().collect();
    let moves: Vec<&str> =
        lines[5..].iter().flat_map(|line| line.split(' ')).filter(|m| !m.is_empty()).collect();
    let with = |position: &str, plies: u32, moves: &[&str]| {
        let goal = if original.wins { "wins" } else { "does not lose" };
        let header = format!(
            "{}\n{}\nposition {position}\nclaim {} {goal} within {plies}\nmoves {}\n",
            lines[0],
            lines[1],
            original.side,
            moves.len()
        );
        sealed(&(header + &moves.join(" ") + "\n"))
    };
    let mut survived = 0;
    for _ in 0..changes {
        let kind = numbers.below(8);
        let mut changed = moves.clone();
        let (i, j) = (numbers.below(moves.len()), numbers.below(moves.len()));
        let (mut position, mut plies) = (original.position.clone(), original.plies);
        match kind {
            // Change one or two bytes of the file without correcting the checksum.
            0 | 1 => {
                let mut bytes = text.as_bytes().to_vec();
                for _ in 0..=kind {
                    bytes[numbers.below(text.len())] ^= 1 << numbers.below(8);
                }
                let same = bytes == text.as_bytes();
                assert!(same || check(&bytes).is_err(), "{}", String::from_utf8_lossy(&bytes));
                continue;
            }
            2 if !moves.is_empty() => changed[i] = moves[j],
            3 if !moves.is_empty() => changed.swap(i, j),
            4 if !moves.is_empty() => _ = changed.remove(i),
            5 => changed.insert(i, moves.get(j).copied().unwrap_or("a1")),
            6 => plies -= 1,
            _ => {
                // Swap two characters of the board.
                let end = position.find(' ').expect("a side to move");
                let mut bytes = position.clone().into_bytes();
                bytes.swap(numbers.below(end), numbers.below(end));
                position = String::from_utf8(bytes).expect("it is still text");
            }
        }
        match check(with(&position, plies, &changed).as_bytes()) {
            Err(_) => {}
            Ok(Proved { game, position: of, side, wins, plies: within, .. }) => {
                assert_eq!((&game, &of, &side), (&original.game, &position, &original.side));
                assert!(wins == original.wins && within <= plies);
                assert!(kind != 6, "a shorter win than the certificate's own: {text}");
                survived += 1;
            }
        }
    }
    survived
}
