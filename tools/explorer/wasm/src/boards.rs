//! The games: their boards, their presets, and how they begin. One description of a board is all
//! that the page needs to draw and play a game.

use crate::json::{self, Object, object};
use pentago::rules::Dir;

/// The rules of any game of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Game {
    /// Pentago or Mini-Pentago.
    Pentago(pentago::Rules),
    /// Pentago XL.
    Xl(pentago_xl::Rules),
    /// Pente.
    Pente(pentago_pente::Rules),
}

/// A preset as the page lists it: its text, its title, and what its rule sheet says.
struct Preset {
    rules: &'static str,
    title: &'static str,
    sentence: &'static str,
}

const PRESETS: [Preset; 9] = [
    Preset {
        rules: "pentago",
        title: "Pentago",
        sentence: "6x6 sockets, five in a row: place a marble, then turn a quadrant either way.",
    },
    Preset { rules: "pentago-eu", title: "Pentago, Basque", sentence: "Quadrants turn clockwise only." },
    Preset {
        rules: "pentago-fi",
        title: "Pentago, Finnish",
        sentence: "A turn that gives both players five wins; the turn may be declined while a quadrant is empty.",
    },
    Preset {
        rules: "pentago-cs",
        title: "Pentago, Czech and Slovak",
        sentence: "A five made by a turn may be answered with one marble; a five then makes it a draw.",
    },
    Preset {
        rules: "pentago-nl",
        title: "Pentago, Dutch",
        sentence: "No turn follows the last marble.",
    },
    Preset {
        rules: "mini",
        title: "Mini-Pentago",
        sentence: "4x4 sockets, quadrants of 2x2, four in a row.",
    },
    Preset {
        rules: "xl",
        title: "Pentago XL",
        sentence: "9x9 sockets, five in a row; eight blocks turn, the centre one is fixed.",
    },
    Preset {
        rules: "xl:seats=4",
        title: "Pentago XL, four players",
        sentence: "Pentago XL for four, everyone for himself.",
    },
    Preset {
        rules: "pente",
        title: "Pente",
        sentence: "19x19 points, five in a row or ten captured stones; the first stone in the centre, the third at least three away.",
    },
];

impl Game {
    /// Reads rules of any game.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(text: &str) -> Result<Game, String> {
        match text.trim().split(':').next().unwrap_or_default().trim() {
            "xl" => text.parse().map(Game::Xl).map_err(|e: pentago_xl::ParseError| e.to_string()),
            "pente" => {
                text.parse().map(Game::Pente).map_err(|e: pentago_pente::rules::ParseError| e.to_string())
            }
            _ => text.parse().map(Game::Pentago).map_err(|e: pentago::ParseError| e.to_string()),
        }
    }

    /// The canonical text of the rules.
    pub fn text(&self) -> String {
        match self {
            Game::Pentago(rules) => rules.to_string(),
            Game::Xl(rules) => rules.to_string(),
            Game::Pente(rules) => rules.to_string(),
        }
    }

    /// The text of the position before the first move.
    fn start(&self) -> String {
        match self {
            Game::Pentago(rules) => rules.start().to_string(),
            Game::Xl(rules) => rules.format_position(&pentago_xl::Position::EMPTY),
            Game::Pente(rules) => rules.format_position(&pentago_pente::Position::EMPTY),
        }
    }

    /// Rows, columns, how many in a row win, the seats, and whether quadrants turn one way only.
    fn describe(&self, out: &mut Object) {
        let (game, rows, columns, line) = match self {
            Game::Pentago(rules) => {
                let size = rules.shape.size();
                ("pentago", size, size, rules.shape.run())
            }
            Game::Xl(_) => ("xl", 9, 9, 5),
            Game::Pente(rules) => {
                ("pente", rules.height(), rules.width(), usize::from(rules.options().k))
            }
        };
        out.text("game", game);
        out.number("rows", rows as u64);
        out.number("columns", columns as u64);
        out.number("line", line as u64);
        // The names of the columns, from the left.
        let files = if matches!(self, Game::Pente(_)) { "ABCDEFGHJKLMNOPQRST" } else { "abcdefghi" };
        out.text("files", &files[..columns.min(files.len())]);
        let seats: Vec<String> = match self {
            Game::Xl(rules) => rules.everyone().iter().map(|seat| seat.letter().to_string()).collect(),
            Game::Pentago(_) | Game::Pente(_) => vec!["x".into(), "o".into()],
        };
        out.raw("seats", &json::texts(seats));
        let side = match self {
            Game::Pentago(rules) => rules.shape.quadrant_side(),
            Game::Xl(_) => 3,
            Game::Pente(_) => 0,
        };
        let across = if side == 0 { 0 } else { rows / side };
        let quadrants = (0..across * across).map(|q| {
            object(|o| {
                o.number("row", (q / across * side) as u64);
                o.number("column", (q % across * side) as u64);
                o.number("rows", side as u64);
                o.number("columns", side as u64);
                // The centre block of nine is fixed.
                o.flag("turns", across == 2 || q != 4);
            })
        });
        out.raw("quadrants", &json::list(quadrants));
        out.flag("clockwise_only", matches!(self, Game::Pentago(rules) if rules.dir == Dir::Cw));
    }
}

/// These rules, how a game by them begins, and their board.
pub fn board(game: &Game) -> String {
    let known = PRESETS.iter().find(|preset| Game::read(preset.rules) == Ok(*game));
    object(|o| {
        o.text("name", &game.text());
        o.text("title", known.map_or("", |preset| preset.title));
        o.text("sentence", known.map_or("", |preset| preset.sentence));
        o.text("start", &game.start());
        o.raw("board", &object(|o| game.describe(o)));
    })
}

/// All presets.
pub fn presets() -> String {
    let games = PRESETS.iter().filter_map(|preset| Game::read(preset.rules).ok());
    object(|o| o.raw("presets", &json::list(games.map(|game| board(&game)))))
}
