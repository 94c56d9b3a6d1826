//! The board as a diagram: with marbles on a terminal, with letters elsewhere.

use std::io::IsTerminal;

use anstyle::{AnsiColor, Color, Style};
use pentago::rules::{Position, Rules};

/// How a board is drawn. Colours are always written; the stream drops them where they aren't
/// wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Filled marbles are X's, hollow ones O's.
    Marbles,
    /// Letters, which can be read back as a position.
    Letters,
}

const X: Style = bold(AnsiColor::BrightYellow);
const O: Style = bold(AnsiColor::BrightCyan);
const FRAME: Style = Style::new().dimmed();

const fn bold(color: AnsiColor) -> Style {
    Style::new().bold().fg_color(Some(Color::Ansi(color)))
}

impl Look {
    /// Marbles on a terminal that can show them.
    pub fn of_stdout() -> Look {
        let unicode = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty())
            .is_some_and(|value| value.to_ascii_lowercase().replace('-', "").contains("utf8"));
        if std::io::stdout().is_terminal() && unicode { Look::Marbles } else { Look::Letters }
    }

    /// The board, without the side to move, on lines that each end in a line break.
    pub fn board(self, rules: &Rules, position: &Position) -> String {
        let diagram = rules.diagram(position);
        // The last line of a diagram is the side to move.
        let board = diagram.rsplit_once('\n').map_or(diagram.as_str(), |(board, _)| board);
        let mut text = String::new();
        for c in board.chars() {
            let marbles = self == Look::Marbles;
            let (style, shown) = match c {
                'X' => (X, if marbles { '●' } else { c }),
                'O' => (O, if marbles { '○' } else { c }),
                '.' => (FRAME, if marbles { '·' } else { c }),
                '|' => (FRAME, if marbles { '│' } else { c }),
                '-' => (FRAME, if marbles { '─' } else { c }),
                '+' => (FRAME, if marbles { '┼' } else { c }),
                _ => {
                    text.push(c);
                    continue;
                }
            };
            text.push_str(&format!("{style}{shown}{style:#}"));
        }
        text.push('\n');
        text
    }

    /// The letter or marble that stands for the players, for a text beside the board.
    pub fn legend(self) -> &'static str {
        match self {
            Look::Marbles => "● is x, ○ is o",
            Look::Letters => "X is x, O is o",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(look: Look) -> String {
        let rules = Rules::default();
        let position = rules.parse_position("OO1OO1/6/6/6/6/XXXX2 x").unwrap();
        anstream::adapter::strip_str(&look.board(&rules, &position)).to_string()
    }

    #[test]
    fn letters_are_read_back() {
        let rules = Rules::default();
        let position = rules.parse_position(&plain(Look::Letters)).unwrap();
        assert_eq!(rules.format_position(&position), "OO1OO1/6/6/6/6/XXXX2 x");
    }

    #[test]
    fn marbles() {
        let drawn = plain(Look::Marbles);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[1], "6 ○ ○ · │ ○ ○ ·");
        assert_eq!(lines[4], "  ──────┼──────");
        assert_eq!(lines[7], "1 ● ● ● │ ● · ·");
        assert_eq!(lines.len(), 8);
    }
}
