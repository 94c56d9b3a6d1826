//! The games: their boards, their presets, and how they begin. One description of a board is all
//! that the page needs to draw and play a game.

use crate::json::{self, Object, object};
use pentago::rules::{Dir, Skip};

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

/// The presets of the command line, and what the server offers besides: the page shows the same list
/// with a server and without. A test in `tests/browser` holds it against the server's.
const PRESETS: [Preset; 12] = [
    Preset {
        rules: "pentago",
        title: "Pentago",
        sentence: "6x6 sockets, 3x3 quadrants, five in a row: all options at their defaults.",
    },
    Preset {
        rules: "pentago-eu",
        title: "Pentago, Basque rules",
        sentence: "The Basque rules: quadrants turn clockwise only.",
    },
    Preset {
        rules: "pentago-fi",
        title: "Pentago, Finnish rules",
        sentence: "The Finnish rules: a turn that gives both players five wins; turns may be declined early.",
    },
    Preset {
        rules: "pentago-cs",
        title: "Pentago, Czech and Slovak rules",
        sentence: "The Czech and Slovak rules: a five made by a turn may be answered.",
    },
    Preset {
        rules: "pentago-nl",
        title: "Pentago, Dutch rules",
        sentence: "The Dutch rules, read literally: no turn after the last marble.",
    },
    Preset {
        rules: "mini",
        title: "Mini-Pentago",
        sentence: "Mini-Pentago: 4x4 sockets, 2x2 quadrants, four in a row.",
    },
    Preset {
        rules: "xl",
        title: "Pentago XL",
        sentence: "Pentago XL: 9x9 sockets, nine quadrants, the centre one fixed.",
    },
    Preset { rules: "pente", title: "Pente", sentence: "Pente: five in a row or ten captured stones." },
    Preset {
        rules: "xl:seats=3",
        title: "Pentago XL, three seats",
        sentence: "Pentago XL for three, everyone for himself.",
    },
    Preset {
        rules: "xl:seats=4",
        title: "Pentago XL, four seats",
        sentence: "Pentago XL for four, everyone for himself.",
    },
    Preset {
        rules: "xl:seats=4,mode=2v2",
        title: "Pentago XL, two teams",
        sentence: "Pentago XL for two teams of two: A and C, B and D.",
    },
    Preset {
        rules: "pente:n=5,k=4,opening=free",
        title: "Pente, small",
        sentence: "Pente on 5x5 points, four in a row, a free opening.",
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

    /// The board as data, in the form of the server's `/api/v1/rules`.
    fn describe(&self, out: &mut Object) {
        let (game, rows, columns, run, side) = match self {
            Game::Pentago(rules) => {
                let size = rules.shape.size();
                ("pentago", size, size, rules.shape.run(), rules.shape.quadrant_side())
            }
            Game::Xl(_) => ("xl", 9, 9, 5, 3),
            Game::Pente(rules) => ("pente", rules.height(), rules.width(), rules.k(), 0),
        };
        out.text("game", game);
        out.number("rows", rows as u64);
        out.number("columns", columns as u64);
        // The names of the columns, from the left.
        let files = if matches!(self, Game::Pente(_)) { "ABCDEFGHJKLMNOPQRST" } else { "abcdefghi" };
        out.text("files", &files[..columns.min(files.len())]);
        out.number("run", run as u64);
        let across = rows.checked_div(side).unwrap_or(0);
        let directions: &[&str] = match self {
            Game::Pentago(rules) if rules.dir == Dir::Cw => &["+"],
            _ => &["+", "-"],
        };
        let blocks = (0..across * across).map(|q| {
            object(|o| {
                o.number("number", q as u64 + 1);
                o.number("row", (q / across * side) as u64);
                o.number("column", (q % across * side) as u64);
                o.number("rows", side as u64);
                o.number("columns", side as u64);
                // The centre block of nine is fixed.
                let fixed = across == 3 && q == 4;
                o.raw("turns", &json::texts(if fixed { &[] } else { directions }));
            })
        });
        out.raw("blocks", &json::list(blocks));
        let seat = |seat: String, team: String| {
            object(|o| {
                o.text("seat", &seat);
                o.text("marble", &seat.to_ascii_uppercase());
                o.text("team", &team);
            })
        };
        let seats: Vec<String> = match self {
            Game::Xl(rules) => {
                let team = |of| rules.side_of(of).iter().map(|seat| seat.letter()).collect();
                rules.everyone().iter().map(|of| seat(of.letter().to_string(), team(of))).collect()
            }
            Game::Pentago(_) | Game::Pente(_) => ["x", "o"].map(|of| seat(of.into(), of.into())).to_vec(),
        };
        out.raw("seats", &json::list(seats));
        out.flag("turn", side > 0);
        out.flag("decline", matches!(self, Game::Pentago(rules) if rules.skip != Skip::Never));
        let captures = match self {
            Game::Pente(rules) => rules.options().capture != pentago_pente::rules::Capture::Never,
            _ => false,
        };
        out.flag("captures", captures);
        out.text("start", &self.start());
    }
}

/// These rules and their board.
pub fn board(game: &Game) -> String {
    let known = PRESETS.iter().find(|preset| Game::read(preset.rules) == Ok(*game));
    object(|o| {
        o.text("name", &game.text());
        o.text("title", known.map_or("", |preset| preset.title));
        o.text("sentence", known.map_or("", |preset| preset.sentence));
        o.raw("board", &object(|o| game.describe(o)));
    })
}

/// All presets.
pub fn presets() -> String {
    let games = PRESETS.iter().filter_map(|preset| Game::read(preset.rules).ok());
    object(|o| o.raw("presets", &json::list(games.map(|game| board(&game)))))
}
