use super::*;
use pentago_core::kernel::repeats::FAR;
use proptest::prelude::*;

/// Encodes and decodes lines with all kernels. Checks that all kernels produce the same code, and
/// returns it.
fn round_trip(lines: &[Pack]) -> Vec<u8> {
    let mut codes = Vec::new();
    for kernel in Kernel::available() {
        let mut code = vec![7];
        Encoder::new(kernel).unwrap().encode(lines, &mut code).unwrap();
        let mut back = vec![Pack::default(); lines.len()];
        Decoder::new(kernel).unwrap().decode(&code[1..], &mut back).unwrap();
        assert!(back == lines, "{kernel}");
        codes.push(code);
    }
    assert!(codes.windows(2).all(|pair| pair[0] == pair[1]));
    codes.swap_remove(0)
}

/// Returns lines that contain at most `of` different half supers, so that half supers are repeated,
/// both nearby and far away.
fn lines(choices: &[u32], of: u32) -> Vec<Pack> {
    let half = |c: u32| {
        let c = u64::from(c % of.max(1)).wrapping_mul(0x1234_5678_9abc_def1);
        Half([c, c.rotate_left(17)])
    };
    choices.chunks_exact(4).map(|c| Pack(std::array::from_fn(|i| half(c[i])))).collect()
}

/// Returns lines in which each half super differs from a recent half super in a few bytes.
fn similar_lines(changes: &[(u8, u64)]) -> Vec<Pack> {
    let mut recent = vec![Half::NONE];
    for &(which, random) in changes {
        let Half([a, b]) = recent[recent.len().saturating_sub(1 + usize::from(which % 24))];
        // `which / 64 + 1` is the number of changed bytes. Groups of 3 bits of `random` are the
        // indices of these bytes.
        let bytes = (0..which / 64 + 1)
            .fold(0u64, |bits, i| bits | (random & 255) << (8 * (random >> (8 + 3 * i) & 7)));
        recent.push(if random >> 63 != 0 { Half([a ^ bytes, b]) } else { Half([a ^ bytes, b ^ bytes]) });
    }
    recent.chunks_exact(4).map(|four| Pack(std::array::from_fn(|i| four[i]))).collect()
}

/// Decodes a code with all kernels. Checks that all kernels agree, and returns the result.
fn decode(code: &[u8], len: usize) -> Result<Vec<Pack>, DecodeError> {
    let mut results = Kernel::available().into_iter().map(|kernel| {
        let mut into = vec![Pack::default(); len];
        Decoder::new(kernel).unwrap().decode(code, &mut into).map(|()| into)
    });
    let first = results.next().unwrap();
    assert!(results.all(|other| other == first));
    first
}

proptest! {
    #[test]
    fn any_lines_come_back(choices in prop::collection::vec(any::<u32>(), 0..3000), of in 1u32..2000) {
        let lines = lines(&choices, of);
        prop_assert_eq!(round_trip(&lines), round_trip(&lines));
    }

    #[test]
    fn similar_half_supers_come_back(changes in prop::collection::vec(any::<(u8, u64)>(), 0..3000)) {
        let lines = similar_lines(&changes);
        let code = round_trip(&lines);
        prop_assert!(code.len() <= size_of_val(&lines[..]) / 4 * 3 + 300);
    }

    #[test]
    fn damage_is_an_error_or_other_lines(
        choices in prop::collection::vec(any::<u32>(), 4..400),
        changes in prop::collection::vec(any::<(u8, u64)>(), 0..300),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut lines = lines(&choices, 50);
        lines.extend(similar_lines(&changes));
        let mut code = round_trip(&lines)[1..].to_vec();
        let cut = cut.index(code.len());
        prop_assert!(decode(&code[..cut], lines.len()).is_err());
        for (at, with) in damage {
            let at = at.index(code.len());
            code[at] ^= with;
        }
        let _ = decode(&code, lines.len());
    }

    /// Tests codes whose parts disagree. All frames are valid, because the decoder would otherwise
    /// return before it reads their content.
    #[test]
    fn parts_that_disagree_are_an_error(
        literals in 0..40u32,
        far in prop::collection::vec(prop_oneof![0..30u16, any::<u16>()], 0..4),
        distances in prop::collection::vec(prop_oneof![4 => Just(LITERAL), 4 => 1..20u8, 1 => Just(FAR)], 24),
        masks in prop::collection::vec(any::<u8>(), 80),
        more_bytes in -1..2i32,
        choices in prop::collection::vec(any::<u8>(), 20),
        at_random in any::<bool>(),
    ) {
        let counted = distances.iter().filter(|&&byte| byte == LITERAL).count() as u32;
        let literals = if at_random { literals } else { counted };
        let masks = &masks[..2 * literals as usize];
        let ones: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
        let bytes = vec![5u8; ones.saturating_add_signed(more_bytes) as usize];
        let frames = [&distances[..], masks, &bytes].map(|part| zstd::bulk::compress(part, 1).unwrap());
        let mut code = Vec::new();
        let lengths = frames.iter().map(|frame| frame.len() as u32);
        for number in [literals, far.len() as u32, bytes.len() as u32].into_iter().chain(lengths) {
            code.extend(number.to_le_bytes());
        }
        code.extend(frames.concat());
        code.extend(far.iter().flat_map(|distance| distance.to_le_bytes()));
        code.extend(&choices[..literals.div_ceil(2) as usize]);
        let mut fars = far.iter().map(|&distance| usize::from(distance));
        let leads_back = distances.iter().enumerate().all(|(i, &byte)| match byte {
            LITERAL => true,
            FAR => fars.next().is_some_and(|distance| (1..=i).contains(&distance)),
            distance => usize::from(distance) <= i,
        });
        let agree =
            literals == counted && ones as usize == bytes.len() && leads_back && fars.next().is_none();
        match decode(&code, 6) {
            Ok(lines) => {
                prop_assert!(agree);
                round_trip(&lines);
            }
            Err(error) => prop_assert!(!agree && error == DecodeError::Disagreement, "{}", error),
        }
    }
}

#[test]
fn the_longest_list_and_the_empty_one() {
    round_trip(&[]);
    let choices: Vec<u32> = (0..4 * MAX_LINES as u32).collect();
    // Test half supers that are all different, then all equal, then repeated at the largest
    // distances.
    round_trip(&lines(&choices, u32::MAX));
    // A Huffman code has at least one bit per symbol, so even equal half supers take some space.
    assert!(round_trip(&lines(&choices, 1)).len() < 4 * MAX_LINES / 8 + 200);
    round_trip(&lines(&choices, 2 * MAX_LINES as u32));
    round_trip(&lines(&choices, 4 * MAX_LINES as u32 - 1));
}

/// Compares a code byte by byte with the documentation of the module.
#[test]
fn the_format_is_as_documented() {
    let [a, b] = [Half([0x0100, 0]), Half([0x0200, 7 << 56])];
    let lines = [Pack([a, b, b, a]), Pack([a, b, Half::NONE, Half::NONE])];
    let code = round_trip(&lines)[1..].to_vec();
    let number = |i: usize| u32::from_le_bytes(code[4 * i..4 * i + 4].try_into().unwrap()) as usize;
    // The columns of the two lines are `a a`, `b b`, `b 0` and `a 0`: three literals and no far
    // distance.
    assert_eq!([number(0), number(1), number(2)], [3, 0, 3]);
    let mut rest = &code[24..];
    let mut part = |i: usize| {
        let (frame, more) = rest.split_at(number(3 + i));
        rest = more;
        zstd::bulk::decompress(frame, 100).unwrap()
    };
    assert_eq!(part(0), [0, 1, 0, 1, 1, 0, 5, 2]);
    // Literal b differs equally from literal a and from the zeros that precede all literals. It is
    // compared with a, which is nearer. The third literal, all zeros, is compared with the zeros.
    assert_eq!(part(1), [2, 2, 0, 0, 0x80, 0]);
    assert_eq!(part(2), [1, 3, 7]);
    assert_eq!(rest, [0x00, 0x02]);
}
