//! Parses a certificate (header, moves, checksum) and checks its claim.

use std::fmt;

use crate::blocks::Blocks;
use crate::failure::Failure;
use crate::pente::Pente;
use crate::rules::Rules;
use crate::walk::{Goal, walk};

/// The proved claim of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The game with its rules, as written in the certificate.
    pub game: String,
    /// The position from which the side reaches its goal.
    pub position: String,
    /// The side that reaches the goal, such as `x`, `b` or `ac`.
    pub side: String,
    /// The goal: `true` if the side wins, and `false` if the side doesn't lose.
    pub wins: bool,
    /// The maximum number of plies until the goal is reached.
    pub plies: u32,
    /// The number of positions for which the certificate contains a move. In version 2 of the
    /// format, the number of lemmas.
    pub positions: u64,
    /// The number of replies that the check has played. In version 2 of the format, each turn of a
    /// reply counts once for all placements.
    pub replies: u64,
    /// The version of the certificate's format, 1 or 2.
    pub version: u8,
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = if self.wins { "wins" } else { "does not lose" };
        let Self { game, position, side, .. } = self;
        let count =
            |number: u64, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
        let plies = count(self.plies.into(), "ply", "plies");
        let positions = match self.version {
            1 => count(self.positions, "position", "positions"),
            _ => count(self.positions, "lemma", "lemmas"),
        };
        let replies = count(self.replies, "reply", "replies");
        write!(
            f,
            "{side} {goal} within {plies}: {positions}, {replies}
{game} {position}"
        )
    }
}

/// Checks a certificate by playing every reply to the attacker's moves.
///
/// # Errors
/// If the certificate is malformed or doesn't prove its claim.
pub fn check(bytes: &[u8]) -> Result<Proved, Failure> {
    let (claim, moves) = read(bytes).map_err(Failure::Malformed)?;
    if claim.version == 2 {
        Blocks::read(&claim.game).map_err(Failure::Malformed)?.check_lemmas(claim, moves)
    } else if claim.game.starts_with("pente") {
        check_with(&Pente::read(&claim.game).map_err(Failure::Malformed)?, claim, moves)
    } else {
        check_with(&Blocks::read(&claim.game).map_err(Failure::Malformed)?, claim, moves)
    }
}

/// Returns the 64-bit FNV-1a hash of the bytes.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Parses a certificate. Returns its claim, and the text of its moves.
fn read(bytes: &[u8]) -> Result<(Proved, &str), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the file is not UTF-8 text")?;
    let whole = text.strip_suffix('\n').ok_or("the last line is not complete")?;
    let (_, last) = whole.rsplit_once('\n').ok_or("the file has only one line")?;
    let text = &text[..whole.len() - last.len()];
    let sum = last.strip_prefix("checksum ").ok_or("the last line is not a checksum")?;
    if sum != format!("{:016x}", checksum(text.as_bytes())) {
        return Err("the checksum is wrong: the file was changed or truncated".into());
    }
    let mut rest = text;
    let mut line = |name: &str| {
        let (line, after) = rest.split_once('\n').ok_or(format!("the line {name} is missing"))?;
        rest = after;
        let value = line.strip_prefix(name).and_then(|value| value.strip_prefix(' '));
        value.ok_or(format!("expected the line {name} ..."))
    };
    let version = match line("pentago")? {
        "certificate 1" => 1,
        "certificate 2" => 2,
        _ => return Err("expected pentago certificate 1 or 2 in the first line".into()),
    };
    let (game, position, claim) = (line("game")?, line("position")?, line("claim")?);
    let count = line(if version == 1 { "moves" } else { "lemmas" })?;
    let (side, goal) = claim.split_once(' ').ok_or("the claim is not complete")?;
    let (wins, plies) = match (goal.strip_prefix("wins within "), goal.strip_prefix("does not lose within "))
    {
        (Some(plies), _) => (true, plies),
        (_, Some(plies)) => (false, plies),
        _ => return Err("the claim is neither a win nor a draw at least".into()),
    };
    let plies = crate::rules::number(plies).and_then(|plies| u32::try_from(plies).ok());
    let plies = plies.ok_or("the claim has no number of plies")?;
    let positions = crate::rules::number(count).ok_or("the number of moves is missing")? as u64;
    let [game, position, side] = [game, position, side].map(str::to_owned);
    Ok((Proved { game, position, side, wins, plies, positions, replies: 0, version }, rest))
}

/// Checks a claim by the rules of its game.
fn check_with<R: Rules>(rules: &R, claim: Proved, moves: &str) -> Result<Proved, Failure> {
    let start = rules.position(&claim.position).map_err(Failure::Malformed)?;
    rules.possible(&start).map_err(Failure::Malformed)?;
    let no_side = || Failure::Malformed(format!("{}: no side of this game", claim.side));
    let goal = Goal { seats: rules.side(&claim.side).ok_or_else(no_side)?, alone: claim.wins };
    let (plies, positions, replies) = walk(rules, &start, goal, moves)?;
    if plies > claim.plies {
        let claimed = claim.plies;
        return Err(Failure::Refuted(format!("the moves need {plies} plies, but the claim is {claimed}")));
    }
    if positions != claim.positions {
        let why = format!("the certificate has {positions} moves, but announces {}", claim.positions);
        return Err(Failure::Malformed(why));
    }
    Ok(Proved { plies, replies, ..claim })
}
