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

    /// The board, without the side to move, on lines that each end in a line break. Marbles come with
    /// the numbers of the quadrants in the corners, a mark on the `last` marble, given by its file
    /// and rank, and a legend.
    pub fn board(self, rules: &Rules, position: &Position, last: Option<(usize, usize)>) -> String {
        let diagram = rules.diagram(position);
        // The last line of a diagram is the side to move.
        let board = diagram.rsplit_once('\n').map_or(diagram.as_str(), |(board, _)| board);
        match self {
            Look::Letters => board.chars().map(letter).collect::<String>() + "\n",
            Look::Marbles => marbles(board, rules.shape.size(), last),
        }
    }
}

/// A character of a diagram in its colour.
fn letter(c: char) -> String {
    match c {
        'X' => styled(X, c),
        'O' => styled(O, c),
        '.' | '|' | '-' | '+' => styled(FRAME, c),
        _ => c.to_string(),
    }
}

fn styled(style: Style, c: char) -> String {
    format!("{style}{c}{style:#}")
}

/// A diagram with marbles: labels of the files, then a line for each rank, with a border between the
/// quadrants.
fn marbles(board: &str, size: usize, last: Option<(usize, usize)>) -> String {
    let mut text = String::new();
    let mut rank = size;
    for (i, line) in board.lines().enumerate() {
        let ranked = line.starts_with(|c: char| c.is_ascii_digit());
        rank -= usize::from(ranked);
        let mut file = 0;
        for (column, c) in line.chars().enumerate() {
            if !ranked && i == 0 && column == 0 {
                text.push_str(&styled(FRAME, '①'));
                continue;
            }
            let here = last == Some((file, rank));
            let socket = matches!(c, 'X' | 'O' | '.');
            text.push_str(&match c {
                'X' => styled(X, if here { '◉' } else { '●' }),
                'O' => styled(O, if here { '◎' } else { '○' }),
                '.' => styled(FRAME, '·'),
                '|' => styled(FRAME, '│'),
                '-' => styled(FRAME, '─'),
                '+' => styled(FRAME, '┼'),
                _ => c.to_string(),
            });
            file += usize::from(socket);
        }
        if i == 0 {
            text.push_str(&format!(" {}", styled(FRAME, '②')));
        }
        text.push('\n');
    }
    // The labels stand above: below them are only the corners.
    let width = board.lines().next().map_or(0, |line| line.chars().count());
    let (third, fourth) = (styled(FRAME, '③'), styled(FRAME, '④'));
    text.push_str(&format!("{third}{}{fourth}\n", " ".repeat(width)));
    let mark = if last.is_some() {
        format!(", {} or {} the last marble", styled(X, '◉'), styled(O, '◎'))
    } else {
        String::new()
    };
    text + &format!("  {} is x, {} is o{mark}; ① to ④ are the quadrants\n", styled(X, '●'), styled(O, '○'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(look: Look) -> String {
        let rules = Rules::default();
        let position = rules.parse_position("OO1OO1/6/6/6/6/XXXX2 x").unwrap();
        anstream::adapter::strip_str(&look.board(&rules, &position, None)).to_string()
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
        assert_eq!(lines[0], "① a b c   d e f ②");
        assert_eq!(lines[1], "6 ○ ○ · │ ○ ○ ·");
        assert_eq!(lines[4], "  ──────┼──────");
        assert_eq!(lines[7], "1 ● ● ● │ ● · ·");
        assert_eq!(lines[8], "③               ④");
        assert_eq!(lines[9], "  ● is x, ○ is o; ① to ④ are the quadrants");
        assert_eq!(lines.len(), 10);
    }

    #[test]
    fn the_last_marble_is_marked() {
        for (text, last, line, marked) in [
            ("OO1OO1/6/6/6/6/XXXX2 x", (4, 5), 1, "6 ○ ○ · │ ○ ◎ ·"),
            ("OO1OO1/6/6/6/6/XXXX2 x", (3, 0), 7, "1 ● ● ● │ ◉ · ·"),
        ] {
            let rules = Rules::default();
            let board = Look::Marbles.board(&rules, &rules.parse_position(text).unwrap(), Some(last));
            let drawn = anstream::adapter::strip_str(&board).to_string();
            assert_eq!(drawn.lines().nth(line), Some(marked));
            assert_eq!(drawn.matches(['◉', '◎']).count(), 3, "one, and two in the legend");
        }
    }
}
