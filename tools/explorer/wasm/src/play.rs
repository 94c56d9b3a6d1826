//! Positions and moves of all games: read, listed and played, without values.

use crate::boards::Game;
use crate::json::{self, object};

/// How a game ended: the seats that won, none for a draw.
pub struct End {
    winners: Vec<String>,
}

impl End {
    /// The JSON of it.
    pub fn json(&self) -> String {
        object(|o| o.raw("winners", &json::texts(&self.winners)))
    }
}

/// A game as the page plays it. Texts are those that the command line reads and prints.
pub trait Play {
    /// A position.
    type Position: Clone;
    /// A move.
    type Move: Copy;

    /// Reads a position.
    fn position(&self, text: &str) -> Result<Self::Position, String>;
    /// The canonical text of a position.
    fn text(&self, position: &Self::Position) -> String;
    /// The position as a drawing of several lines.
    fn diagram(&self, position: &Self::Position) -> String;
    /// The letter of the seat to move.
    fn to_move(&self, position: &Self::Position) -> String;
    /// How the game has ended in a position, if it has.
    fn end(&self, position: &Self::Position) -> Option<End>;
    /// The legal moves.
    fn moves(&self, position: &Self::Position) -> Vec<Self::Move>;
    /// Reads a move.
    fn read_move(&self, text: &str) -> Result<Self::Move, String>;
    /// The canonical text of a move.
    fn move_text(&self, m: Self::Move) -> String;
    /// What a move leads to.
    fn play(&self, position: &Self::Position, m: Self::Move)
    -> Result<(Self::Position, Option<End>), String>;
}

impl Play for pentago::Rules {
    type Position = pentago::Position;
    type Move = pentago::Move;

    fn position(&self, text: &str) -> Result<pentago::Position, String> {
        self.parse_position(text).map_err(|e| e.to_string())
    }
    fn text(&self, position: &pentago::Position) -> String {
        position.to_string()
    }
    fn diagram(&self, position: &pentago::Position) -> String {
        pentago::Rules::diagram(self, position)
    }
    fn to_move(&self, position: &pentago::Position) -> String {
        position.to_move().letter().to_string()
    }
    fn end(&self, position: &pentago::Position) -> Option<End> {
        self.outcome(position).map(end_of)
    }
    fn moves(&self, position: &pentago::Position) -> Vec<pentago::Move> {
        pentago::Rules::moves(self, position)
    }
    fn read_move(&self, text: &str) -> Result<pentago::Move, String> {
        self.parse_move(text).map_err(|e| e.to_string())
    }
    fn move_text(&self, m: pentago::Move) -> String {
        self.format_move(m)
    }
    fn play(
        &self,
        position: &pentago::Position,
        m: pentago::Move,
    ) -> Result<(pentago::Position, Option<End>), String> {
        let played = pentago::Rules::play(self, position, m).map_err(|e| e.to_string())?;
        Ok((played.position, played.outcome.map(end_of)))
    }
}

fn end_of(outcome: pentago::Outcome) -> End {
    let winners = match outcome {
        pentago::Outcome::Win(color) => vec![color.letter().to_string()],
        pentago::Outcome::Draw => Vec::new(),
    };
    End { winners }
}

impl Play for pentago_xl::Rules {
    type Position = pentago_xl::Position;
    type Move = pentago_xl::Move;

    fn position(&self, text: &str) -> Result<pentago_xl::Position, String> {
        self.parse_position(text).map_err(|e| e.to_string())
    }
    fn text(&self, position: &pentago_xl::Position) -> String {
        self.format_position(position)
    }
    fn diagram(&self, position: &pentago_xl::Position) -> String {
        pentago_xl::Rules::diagram(self, position)
    }
    fn to_move(&self, position: &pentago_xl::Position) -> String {
        position.to_move.letter().to_string()
    }
    fn end(&self, position: &pentago_xl::Position) -> Option<End> {
        self.outcome(position).map(|outcome| xl_end(self, outcome))
    }
    fn moves(&self, position: &pentago_xl::Position) -> Vec<pentago_xl::Move> {
        pentago_xl::Rules::moves(self, position)
    }
    fn read_move(&self, text: &str) -> Result<pentago_xl::Move, String> {
        self.parse_move(text).map_err(|e| e.to_string())
    }
    fn move_text(&self, m: pentago_xl::Move) -> String {
        self.format_move(m)
    }
    fn play(
        &self,
        position: &pentago_xl::Position,
        m: pentago_xl::Move,
    ) -> Result<(pentago_xl::Position, Option<End>), String> {
        let played = pentago_xl::Rules::play(self, position, m).map_err(|e| e.to_string())?;
        Ok((played.position, played.outcome.map(|outcome| xl_end(self, outcome))))
    }
}

/// The seats that have the first place alone, or as a team.
fn xl_end(rules: &pentago_xl::Rules, outcome: pentago_xl::Outcome) -> End {
    let wins = |seat: &pentago_xl::Seat| outcome.value(rules, *seat) == pentago_xl::Value::Win;
    End { winners: rules.everyone().iter().filter(wins).map(|seat| seat.letter().to_string()).collect() }
}

impl Play for pentago_pente::Rules {
    type Position = pentago_pente::Position;
    type Move = pentago_pente::Move;

    fn position(&self, text: &str) -> Result<pentago_pente::Position, String> {
        self.parse_position(text).map_err(|e| e.to_string())
    }
    fn text(&self, position: &pentago_pente::Position) -> String {
        self.format_position(position)
    }
    fn diagram(&self, position: &pentago_pente::Position) -> String {
        pentago_pente::Rules::diagram(self, position)
    }
    fn to_move(&self, position: &pentago_pente::Position) -> String {
        position.to_move().letter().to_string()
    }
    fn end(&self, position: &pentago_pente::Position) -> Option<End> {
        self.outcome(position).map(pente_end)
    }
    fn moves(&self, position: &pentago_pente::Position) -> Vec<pentago_pente::Move> {
        pentago_pente::Rules::moves(self, position)
    }
    fn read_move(&self, text: &str) -> Result<pentago_pente::Move, String> {
        self.parse_move(text).map_err(|e| e.to_string())
    }
    fn move_text(&self, m: pentago_pente::Move) -> String {
        self.format_move(m)
    }
    fn play(
        &self,
        position: &pentago_pente::Position,
        m: pentago_pente::Move,
    ) -> Result<(pentago_pente::Position, Option<End>), String> {
        let played = pentago_pente::Rules::play(self, position, m).map_err(|e| e.to_string())?;
        Ok((played.position, played.outcome.map(pente_end)))
    }
}

fn pente_end(outcome: pentago_pente::Outcome) -> End {
    let winners = match outcome {
        pentago_pente::Outcome::Win(color) => vec![color.letter().to_string()],
        pentago_pente::Outcome::Draw => Vec::new(),
    };
    End { winners }
}

/// A position and its moves, as JSON.
///
/// # Errors
/// What is wrong with the text.
pub fn look(game: &Game, text: &str) -> Result<String, String> {
    match game {
        Game::Pentago(rules) => {
            let number = rules.parse_position(text).ok().and_then(|p| rules.board_number(&p));
            look_at(rules, game, text, number)
        }
        Game::Xl(rules) => look_at(rules, game, text, None),
        Game::Pente(rules) => look_at(rules, game, text, None),
    }
}

fn look_at<G: Play>(rules: &G, game: &Game, text: &str, number: Option<String>) -> Result<String, String> {
    let position = rules.position(text)?;
    let end = rules.end(&position);
    let moves: Vec<String> = if end.is_some() {
        Vec::new()
    } else {
        rules.moves(&position).into_iter().map(|m| played(rules, &position, m)).collect::<Result<_, _>>()?
    };
    Ok(object(|o| {
        o.text("position", &rules.text(&position));
        o.text("rules", &game.text());
        o.text("to_move", &rules.to_move(&position));
        if let Some(number) = &number {
            // The number of perfect-pentago.net.
            o.text("number", number);
        }
        o.text("diagram", rules.diagram(&position).trim_end());
        o.raw("over", &end.as_ref().map_or_else(|| "null".into(), End::json));
        o.raw("moves", &json::list(moves));
    }))
}

/// A move, the position that it leads to, and whether it ends the game.
fn played<G: Play>(rules: &G, position: &G::Position, m: G::Move) -> Result<String, String> {
    let (after, end) = rules.play(position, m)?;
    Ok(object(|o| {
        o.text("move", &rules.move_text(m));
        o.text("position", &rules.text(&after));
        if let Some(end) = &end {
            o.raw("over", &end.json());
        }
    }))
}

/// A random position in which nobody wins at once.
///
/// # Errors
/// If there is none.
pub fn random(game: &Game, marbles: u64, seed: u64) -> Result<String, String> {
    let Game::Pentago(rules) = game else { return Err("puzzles are those of Pentago".into()) };
    let marbles = u32::try_from(marbles).unwrap_or(u32::MAX);
    let positions =
        pentago::rules::random::positions(rules, marbles, 1, seed, true).map_err(|e| e.to_string())?;
    let position = positions.first().ok_or("no position was found")?;
    Ok(object(|o| o.text("position", &position.to_string())))
}
