//! The tree of play below a position of any game, as `perft` counts it.

use pentago::rules::{Position, Rules};

use super::{Game, GameRules, Other, Question, pente, xl};
use crate::input;

/// The tree of play below a position.
pub trait Tree: Send + Sync {
    /// Games of this length, and those that end earlier.
    fn perft(&self, depth: u32) -> u64;

    /// The number of such games for each first move; none at depth 0, or if the game is over.
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;
}

impl GameRules {
    /// The tree below a position: rows from the top, or - to read them from standard input.
    ///
    /// # Errors
    /// If the position can't be read.
    pub fn tree(self, position: &str) -> anyhow::Result<Box<dyn Tree>> {
        let question = Question::small();
        Ok(match self {
            GameRules::Pentago(rules) => {
                Box::new(PentagoTree { rules, position: input::position(&rules, position)? })
            }
            GameRules::Other(Other::Xl(rules)) => Box::new(below(xl::Xl::new(rules, &question), position)?),
            GameRules::Other(Other::Pente(rules)) => {
                Box::new(below(pente::Pente::new(rules, &question), position)?)
            }
        })
    }
}

struct PentagoTree {
    rules: Rules,
    position: Position,
}

impl Tree for PentagoTree {
    fn perft(&self, depth: u32) -> u64 {
        self.rules.perft(&self.position, depth)
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let Some(below) = depth.checked_sub(1) else { return Vec::new() };
        let count = |m| {
            let played = self.rules.play(&self.position, m).ok()?;
            let over = played.outcome.is_some();
            let count = if over { 1 } else { self.rules.perft(&played.position, below) };
            Some((self.rules.format_move(m), count))
        };
        self.rules.moves(&self.position).into_iter().filter_map(count).collect()
    }
}

struct Below<G: Game> {
    game: G,
    position: G::Position,
}

fn below<G: Game>(game: G, position: &str) -> anyhow::Result<Below<G>> {
    Ok(Below { position: game.read(&input::text(position)?)?, game })
}

impl<G: Game<Position: Send + Sync> + Send + Sync> Tree for Below<G> {
    fn perft(&self, depth: u32) -> u64 {
        self.game.perft(&self.position, depth)
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        self.game.divide(&self.position, depth)
    }
}
