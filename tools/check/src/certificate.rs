//! Reading a certificate: its header, its moves, its check sum.

use std::fmt;

use crate::blocks::Blocks;
use crate::failure::Failure;
use crate::pente::Pente;
use crate::rules::Rules;
use crate::walk::{Goal, walk};

/// What a certificate has proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The game with its rules, as the certificate gives it.
    pub game: String,
    /// The position from which the goal is reached.
    pub position: String,
    /// Who reaches it: `x`, `b`, `ac`.
    pub side: String,
    /// He wins; otherwise he doesn't lose.
    pub wins: bool,
    /// Within so many plies.
    pub plies: u32,
    /// Positions with a move of the certificate.
    pub positions: u64,
    /// Replies that were played.
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

/// Checks a certificate: plays every reply to the attacker's moves.
///
/// # Errors
/// If it is malformed, or doesn't prove what it claims.
pub fn check(bytes: &[u8]) -> Result<Proved, Failure> {
    read(bytes).map_err(Failure::Malformed)?.check()
}

/// A certificate as it is written.
struct Certificate<'a> {
    game: &'a str,
    position: &'a str,
    side: &'a str,
    wins: bool,
    plies: u32,
    count: u64,
    moves: &'a str,
}

/// FNV-1a, 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn read(bytes: &[u8]) -> Result<Certificate<'_>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text")?;
    let whole = text.strip_suffix('\n').ok_or("the last line is not complete")?;
    let (_, last) = whole.rsplit_once('\n').ok_or("it has only one line")?;
    let text = &text[..whole.len() - last.len()];
    let sum = last.strip_prefix("checksum ").ok_or("the last line is not a check sum")?;
    if sum != format!("{:016x}", checksum(text.as_bytes())) {
        return Err("the check sum is wrong: the file was changed or cut off".into());
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
            return Err(Failure::Refuted(format!("it takes {plies} plies, the claim is {claimed}")));
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
