//! The board as a diagram: with marbles on a terminal, with letters elsewhere.

use std::io::IsTerminal;

use anstyle::{Ansi256Color, Color, Style};
use pentago_games::{Board, Game, Position, SeatOf};

/// How a board is drawn. Colours are always written; the stream drops them where they aren't
/// wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Filled marbles are X's, hollow ones O's.
    Marbles,
    /// Letters, which can be read back as a position.
    Letters,
}

/// The colours of the seats, in turn order, as in the explorer and in notebooks: on the brown of the
/// board, which shows black and white whatever the terminal's own background is.
const SEATS: [(&str, Style); 4] =
    [("black", marble(16)), ("white", marble(231)), ("teal", marble(23)), ("amber", marble(221))];
/// The board between the marbles.
const BOARD: Style = Style::new().fg_color(color(58)).bg_color(color(137));
/// The marbles of two seats.
const MARBLES: [char; 2] = ['●', '○'];
/// The last of them.
const LAST_MARBLES: [char; 2] = ['◉', '◎'];
const FRAME: Style = Style::new().dimmed();

/// One of 256 colours.
const fn color(number: u8) -> Option<Color> {
    Some(Color::Ansi256(Ansi256Color(number)))
}

const fn marble(number: u8) -> Style {
    Style::new().bold().fg_color(color(number)).bg_color(color(137))
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
    /// the numbers of four quadrants in the corners, a mark on the `last` marble, given by its row and
    /// column, and a legend.
    pub fn board(self, game: &dyn Game, position: &Position, last: Option<(usize, usize)>) -> String {
        let board = game.board();
        let drawing = Drawing { look: self, board: &board, last };
        let mut lines = Vec::new();
        let mut row = 0;
        for line in game.diagram(position).lines() {
            // Only lines with the number of a rank hold marbles; others name the files, or tell what
            // was captured.
            let ranked = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
            lines.push(drawing.line(line, ranked.then_some(row)));
            row += usize::from(ranked);
        }
        if self == Look::Marbles {
            drawing.add_corners(&mut lines, game.diagram(position).lines().next().unwrap_or_default());
            lines.push(drawing.legend());
        }
        lines.iter().map(|line| line.clone() + "\n").collect()
    }
}

/// A board that is drawn.
struct Drawing<'b> {
    look: Look,
    board: &'b Board,
    last: Option<(usize, usize)>,
}

impl Drawing<'_> {
    /// What stands for the marbles of a seat; `last`: for the last one.
    fn marble(&self, seat: usize, last: bool) -> String {
        let two = self.look == Look::Marbles && self.board.seats.len() == 2;
        let marbles = if last { &LAST_MARBLES } else { &MARBLES };
        let letter = self.board.seats[seat].marble;
        let (_, style) = SEATS[seat % SEATS.len()];
        let style = if last && !two && self.look == Look::Marbles { style.underline() } else { style };
        styled(style, if two { marbles[seat] } else { letter })
    }

    /// A line of the diagram; `row`: which row of the board it shows.
    fn line(&self, line: &str, row: Option<usize>) -> String {
        let marbles = self.look == Look::Marbles;
        let frame = line.trim().chars().all(|c| matches!(c, '+' | '-'));
        let mut column = 0;
        let mut text = String::new();
        for c in line.chars() {
            let seat = self.board.seats.iter().position(|seat| seat.marble == c);
            let shown = match (seat, c) {
                (Some(seat), _) if row.is_some() => self.marble(seat, row.zip(Some(column)) == self.last),
                (_, '.') if row.is_some() => styled(BOARD, if marbles { '·' } else { c }),
                (_, '|') if row.is_some() => styled(BOARD, if marbles { '│' } else { c }),
                (_, ' ') if column > 0 => styled(BOARD, c),
                (_, '-') if frame => styled(FRAME, if marbles { '─' } else { c }),
                (_, '+') if frame => styled(FRAME, if marbles { '┼' } else { c }),
                _ => c.to_string(),
            };
            column += usize::from(row.is_some() && (seat.is_some() || c == '.'));
            text.push_str(&shown);
        }
        text
    }

    /// Writes the numbers of four quadrants into the corners, of which those below have a line of
    /// their own.
    fn add_corners(&self, lines: &mut Vec<String>, labels: &str) {
        if self.board.blocks.len() == 4
            && let Some(first) = lines.first_mut()
        {
            let [one, two, three, four] = ['①', '②', '③', '④'].map(|c| styled(FRAME, c));
            *first = format!("{one}{} {two}", labels.get(1..).unwrap_or_default());
            lines.push(format!("{three}{}{four}", " ".repeat(labels.chars().count())));
        }
    }

    /// What the marbles stand for.
    fn legend(&self) -> String {
        let seats = &self.board.seats;
        let name = |(seat, of): (usize, &SeatOf)| {
            format!("{} is {} ({})", self.marble(seat, false), of.seat, SEATS[seat % SEATS.len()].0)
        };
        let mut text = format!("  {}", seats.iter().enumerate().map(name).collect::<Vec<_>>().join(", "));
        if self.last.is_some() && seats.len() == 2 {
            text += &format!(", {} or {} the last marble", self.marble(0, true), self.marble(1, true));
        }
        match self.board.blocks.len() {
            4 => text += "; ① to ④ are the quadrants",
            9 => text += "; the blocks are 1 2 3, 4 5 6, 7 8 9 from the top",
            _ => {}
        }
        text
    }
}

fn styled(style: Style, c: char) -> String {
    format!("{style}{c}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pentago_games::read_rules;

    fn plain(look: Look, rules: &str, text: &str, last: Option<(usize, usize)>) -> String {
        let game = read_rules(rules).unwrap();
        let position = game.read(text).unwrap();
        anstream::adapter::strip_str(&look.board(&*game, &position, last)).to_string()
    }

    const TEXT: &str = "OO1OO1/6/6/6/6/XXXX2 x";

    #[test]
    fn letters_are_read_back() {
        let game = read_rules("pentago").unwrap();
        assert_eq!(game.read(&plain(Look::Letters, "pentago", TEXT, None)).unwrap().text, TEXT);
    }

    #[test]
    fn marbles() {
        let drawn = plain(Look::Marbles, "pentago", TEXT, None);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "① a b c   d e f ②");
        assert_eq!(lines[1], "6 ○ ○ · │ ○ ○ ·");
        assert_eq!(lines[4], "  ──────┼──────");
        assert_eq!(lines[7], "1 ● ● ● │ ● · ·");
        assert_eq!(lines[8], "③               ④");
        assert_eq!(lines[9], "  ● is x (black), ○ is o (white); ① to ④ are the quadrants");
        assert_eq!(lines.len(), 10);
        let text = "19/19/19/19/19/19/19/19/19/9X9/19/19/19/19/19/19/19/19/19 o";
        let pente = plain(Look::Marbles, "pente", text, None);
        assert!(pente.lines().next().unwrap().contains(" N O P "), "{pente}");
        assert!(pente.contains('●') && pente.contains("captured by X: 0"));
        let xl = plain(Look::Marbles, "xl:seats=3", "A8/B8/C8/9/9/9/9/9/9 a", None);
        assert!(
            xl.ends_with(
                "  A is a (black), B is b (white), C is c (teal); the blocks are 1 2 3, 4 5 6, 7 8 9 from the top
"
            ) && xl.contains("9 │ A · ·"),
            "{xl}"
        );
    }

    #[test]
    fn the_last_marble_is_marked() {
        for (last, line, marked) in [((0, 4), 1, "6 ○ ○ · │ ○ ◎ ·"), ((5, 3), 7, "1 ● ● ● │ ◉ · ·")]
        {
            let drawn = plain(Look::Marbles, "pentago", TEXT, Some(last));
            assert_eq!(drawn.lines().nth(line), Some(marked));
            assert_eq!(drawn.matches(['◉', '◎']).count(), 3, "one, and two in the legend");
        }
    }
}
