//! Tests the certificates of this crate with the separate checker. The checker must accept every
//! certificate, and reject every changed certificate unless its claim is true.

use pentago_check::check;
use pentago_core::rules::{Rules, random};
use pentago_reference::{Options, Solver};
use pentago_search::{Budget, Certificate, Game, Goal, Method, Side, Table, prove};
use proptest::prelude::*;

use pentago_core::solve::ForwardGame;

const BUDGET: u64 = 100_000_000;

fn certificate(game: &mut ForwardGame, goal: Goal, method: Method) -> Option<Certificate> {
    let mut table = Table::new(1 << 22).unwrap();
    prove(game, goal, method, &mut table, &mut Budget::nodes(BUDGET)).ok()
}

/// Asserts that the checker accepts the certificates of random positions, and finds the numbers
/// that the writer returned. Returns the number of certificates.
fn accepted(name: &str, marbles: u32, count: usize) -> usize {
    let rules: Rules = name.parse().unwrap();
    let mut proofs = 0;
    for position in random::positions(&rules, marbles, count, 12, true).unwrap_or_default() {
        for side in [Side::First, Side::Second] {
            for goal in [Goal::win(side), Goal::not_lose(side)] {
                for method in [Method::Any, Method::Shortest(u32::MAX)] {
                    let mut game = ForwardGame::new(rules, position).unwrap();
                    let Some(written) = certificate(&mut game, goal, method) else { continue };
                    let proved = check(written.text.as_bytes())
                        .unwrap_or_else(|failure| panic!("{failure}\n{}", written.text));
                    assert_eq!((proved.plies, proved.positions), (written.plies, written.moves));
                    assert_eq!(proved.wins, !goal.draw_is_enough);
                    proofs += 1;
                }
            }
        }
    }
    proofs
}

#[test]
fn what_is_written_is_accepted() {
    for name in [
        "mini",
        "mini:dir=cw",
        "mini:both=mover,skip=empty",
        "mini:reply=place,last=stop",
        "mini:k=3,skip=neutral",
        "mini:dir=cw,reply=place,skip=empty",
    ] {
        let proofs: usize = [8, 9, 11].into_iter().map(|marbles| accepted(name, marbles, 6)).sum();
        assert!(proofs > 20 || name.contains("k=3"), "{name}: {proofs}");
    }
    for name in ["pentago", "pentago-eu", "pentago-fi", "pentago-cs", "pentago-nl", "pentago:skip=neutral"] {
        let proofs = accepted(name, 33, 6) + accepted(name, 32, 1);
        assert!(proofs > 10, "{name}: {proofs}");
    }
}

/// Appends the checksum line to a certificate that has none.
fn seal(text: &str) -> String {
    let sum = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{text}checksum {sum:016x}\n")
}

/// Returns `true` if brute force confirms the claim of a certificate.
fn is_true(proved: &pentago_check::Proved) -> bool {
    let options = Options::parse(&proved.game).unwrap();
    let state = options.read(&proved.position).unwrap();
    let (value, plies) = Solver::new(options).distance(&state);
    let to_move = if proved.position.ends_with('x') { "x" } else { "o" };
    let value = if proved.side == to_move { value } else { -value };
    if proved.wins { value == 1 && plies <= proved.plies } else { value >= 0 }
}

/// Returns the texts of some certificates whose positions brute force solves quickly.
fn some() -> Vec<String> {
    let mut texts = Vec::new();
    for name in ["mini", "mini:reply=place", "mini:dir=cw"] {
        let rules: Rules = name.parse().unwrap();
        for position in random::positions(&rules, 8, 12, 3, true).unwrap() {
            let mut game = ForwardGame::new(rules, position).unwrap();
            for goal in [Goal::win(game.side()), Goal::not_lose(game.side().other())] {
                let written = certificate(&mut game, goal, Method::Any);
                texts.extend(written.filter(|written| written.moves > 3).map(|written| written.text));
            }
        }
    }
    assert!(texts.len() > 5);
    texts
}

#[test]
fn every_early_end_and_every_changed_bit_is_refused() {
    let texts = some();
    let text = texts.iter().min_by_key(|text| text.len()).unwrap();
    assert!(check(text.as_bytes()).is_ok());
    for end in 0..text.len() {
        assert!(check(&text.as_bytes()[..end]).is_err(), "{end}");
    }
    for (at, bit) in (0..text.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut changed = text.as_bytes().to_vec();
        changed[at] ^= 1 << bit;
        assert!(check(&changed).is_err(), "{at} {bit}");
    }
}

/// A change of a certificate's text: bytes are replaced, removed, repeated or swapped.
#[derive(Clone, Debug)]
enum Change {
    Replace(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    SwapWords(prop::sample::Index, prop::sample::Index),
    CopyWord(prop::sample::Index, prop::sample::Index),
    Cut(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    let byte = prop::sample::select(b"0123456789abcdXO/+- xo\n".to_vec());
    prop_oneof![
        6 => (index(), byte).prop_map(|(at, byte)| Change::Replace(at, byte)),
        1 => index().prop_map(Change::Remove),
        2 => (index(), index()).prop_map(|(a, b)| Change::SwapWords(a, b)),
        3 => (index(), index()).prop_map(|(a, b)| Change::CopyWord(a, b)),
        1 => index().prop_map(Change::Cut),
    ]
}

fn apply(text: &str, change: &Change) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let words = || -> Vec<String> { text.split_inclusive([' ', '\n']).map(String::from).collect() };
    match change {
        Change::Replace(at, byte) => bytes[at.index(text.len())] = *byte,
        Change::Remove(at) => drop(bytes.remove(at.index(text.len()))),
        Change::Cut(at) => bytes.truncate(at.index(text.len())),
        Change::SwapWords(a, b) => {
            let mut words = words();
            let (a, b) = (a.index(words.len()), b.index(words.len()));
            words.swap(a, b);
            return words.concat();
        }
        Change::CopyWord(a, b) => {
            let mut words = words();
            let (a, b) = (a.index(words.len()), b.index(words.len()));
            words[a] = words[b].clone();
            return words.concat();
        }
    }
    String::from_utf8(bytes).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changes_are_refused_or_true(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        thread_local!(static TEXTS: Vec<String> = some());
        TEXTS.with(|texts| {
            let original = which.get(texts);
            let changed = changes.iter().fold(original.clone(), |text, change| {
                if text.is_empty() { text } else { apply(&text, change) }
            });
            if changed != *original {
                // The checksum detects the change.
                prop_assert!(check(changed.as_bytes()).is_err());
            }
            // With a corrected checksum, the rules have to detect the change.
            let (body, _) = original.split_at(original.len() - "checksum 0123456789abcdef\n".len());
            let body = changes.iter().fold(body.to_string(), |text, change| {
                if text.is_empty() { text } else { apply(&text, change) }
            });
            if let Ok(proved) = check(seal(&body).as_bytes()) {
                prop_assert!(is_true(&proved), "{proved}\n{body}");
            }
            Ok(())
        })?;
    }
}
