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
    /// The game with its rules, as in the certificate.
    pub game: String,
    /// The position from which the goal is reached.
    pub position: String,
    /// The side that reaches the goal: `x`, `b` or `ac`.
    pub side: String,
    /// `true` if the side wins, and `false` if the side doesn't lose.
    pub wins: bool,
    /// The number of plies within which the goal is reached.
    pub plies: u32,
    /// The number of positions with a move in the certificate.
    pub positions: u64,
    /// The number of replies that were played.
    pub replies: u64,
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = if self.wins { "wins" } else { "does not lose" };
        let Self { game, position, side, .. } = self;
        let count =
            |number: u64, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
        let plies = count(self.plies.into(), "ply", "plies");
        let positions = count(self.positions, "position", "positions");
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
    read(bytes).map_err(Failure::Malformed)?.check()
}

/// The fields of a certificate.
struct Certificate<'a> {
    game: &'a str,
    position: &'a str,
    side: &'a str,
    wins: bool,
    plies: u32,
    count: u64,
    moves: &'a str,
}

/// Returns the FNV-1a hash with 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn read(bytes: &[u8]) -> Result<Certificate<'_>, String> {
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
    if line("pentago")? != "certificate 1" {
        return Err("expected pentago certificate 1 in the first line".into());
    }
    let (game, position, claim, count) = (line("game")?, line("position")?, line("claim")?, line("moves")?);
    let (side, goal) = claim.split_once(' ').ok_or("the claim is not complete")?;
    let (wins, plies) = match (goal.strip_prefix("wins within "), goal.strip_prefix("does not lose within "))
    {
        (Some(plies), _) => (true, plies),
        (_, Some(plies)) => (false, plies),
        _ => return Err("the claim is neither a win nor a draw at least".into()),
    };
    let plies = crate::rules::number(plies).and_then(|plies| u32::try_from(plies).ok());
    let plies = plies.ok_or("the claim has no number of plies")?;
    let count = crate::rules::number(count).ok_or("the number of moves is missing")? as u64;
    Ok(Certificate { game, position, side, wins, plies, count, moves: rest })
}

impl Certificate<'_> {
    fn check(&self) -> Result<Proved, Failure> {
        if self.game.starts_with("pente") {
            self.check_with(&Pente::read(self.game).map_err(Failure::Malformed)?)
        } else {
            self.check_with(&Blocks::read(self.game).map_err(Failure::Malformed)?)
        }
    }

    fn check_with<R: Rules>(&self, rules: &R) -> Result<Proved, Failure> {
        let start = rules.position(self.position).map_err(Failure::Malformed)?;
        rules.possible(&start).map_err(Failure::Malformed)?;
        let seats = rules
            .side(self.side)
            .ok_or_else(|| Failure::Malformed(format!("{}: no side of this game", self.side)))?;
        let goal = Goal { seats, alone: self.wins };
        let (plies, positions, replies) = walk(rules, &start, goal, self.moves)?;
        if plies > self.plies {
            let claimed = self.plies;
            return Err(Failure::Refuted(format!(
                "the moves need {plies} plies, but the claim is {claimed}"
            )));
        }
        if positions != self.count {
            let why = format!("the certificate has {} moves, but announces {}", positions, self.count);
            return Err(Failure::Malformed(why));
        }
        Ok(Proved {
            game: self.game.into(),
            position: self.position.into(),
            side: self.side.into(),
            wins: self.wins,
            plies,
            positions,
            replies,
        })
    }
}
