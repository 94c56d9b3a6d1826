//! A handwritten certificate, and a function that adds a checksum.

/// The text of a certificate without its checksum. In Pente on a 7x7 board, an open three becomes
/// an open four, which wins against every reply.
pub const BY_TWO: &str = "\
pentago certificate 1
game pente:n=7,opening=free
position 7/7/7/1XXX3/7/7/OO4O x
claim x wins within 3
moves 1
E4
";

/// Appends the checksum to the text of a certificate.
pub fn sealed(text: &str) -> String {
    let sum = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{text}checksum {sum:016x}\n")
}
