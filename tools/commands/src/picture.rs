//! The board as a diagram: with marbles on a terminal, with letters elsewhere.

use std::io::IsTerminal;

use anstyle::{Ansi256Color, Color, Style};
use pentago_games::{Board, Game, Position, SeatOf};

use crate::output::is_utf8;

/// The symbols for marbles in a diagram. The diagram contains colour codes with both kinds of
/// symbols. The output stream removes the codes if the output has no colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbols {
    /// Filled marbles for X, hollow marbles for O.
    Marbles,
    /// Letters, so that the diagram can be parsed as a position.
    Letters,
}

/// The names and colours of the seats in turn order, as in the explorer and in notebooks. On the
/// brown board, black and white marbles are visible on any terminal background.
const SEATS: [(&str, Style); 4] =
    [("black", marble(16)), ("white", marble(231)), ("teal", marble(23)), ("amber", marble(221))];
/// The colour of empty sockets and of the lines between quadrants.
const BOARD: Style = Style::new().fg_color(color(58)).bg_color(color(137));
/// The symbols for marbles in a game with two seats, indexed by seat.
const MARBLES: [char; 2] = ['●', '○'];
/// The symbols for the marble placed last in a game with two seats, indexed by seat.
const LAST_MARBLES: [char; 2] = ['◉', '◎'];
const FRAME: Style = Style::new().dimmed();

/// Returns one of the terminal's 256 colours.
const fn color(number: u8) -> Option<Color> {
    Some(Color::Ansi256(Ansi256Color(number)))
}

const fn marble(number: u8) -> Style {
    Style::new().bold().fg_color(color(number)).bg_color(color(137))
}

impl Symbols {
    /// Returns `Marbles` if standard output is a terminal with a UTF-8 locale, otherwise `Letters`.
    pub fn of_stdout() -> Symbols {
        if std::io::stdout().is_terminal() && is_utf8() { Symbols::Marbles } else { Symbols::Letters }
    }

    /// Returns the diagram of a board without the side to move. Each line ends with a line break.
    /// `Marbles` adds the numbers of the four quadrants in the corners, a legend, and a mark on the
    /// `last` marble, given by its row and column.
    pub fn board(self, game: &dyn Game, position: &Position, last: Option<(usize, usize)>) -> String {
        let board = game.board();
        let drawing = Drawing { symbols: self, board: &board, last };
        let mut lines = Vec::new();
        let mut row = 0;
        for line in game.diagram(position).lines() {
            // Only lines that begin with a rank hold marbles. The other lines name the files, or
            // count captures.
            let ranked = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
            lines.push(drawing.line(line, ranked.then_some(row)));
            row += usize::from(ranked);
        }
        if self == Symbols::Marbles {
            drawing.add_corners(&mut lines, game.diagram(position).lines().next().unwrap_or_default());
            lines.push(drawing.legend());
        }
        lines.iter().map(|line| line.clone() + "\n").collect()
    }
}

/// Returns the position that a diagram shows, or `None` if `text` is no diagram of a board of this
/// game. The diagram may use either kind of symbols. If the diagram doesn't name the side to move,
/// the function returns the first possible position.
pub fn undrawn(game: &dyn Game, text: &str) -> Option<Position> {
    let (board, mut rows) = (game.board(), Vec::new());
    let (mut side, mut captured) = (None, String::new());
    let marble = |c: char| {
        let seat = [MARBLES, LAST_MARBLES].iter().find_map(|marbles| marbles.iter().position(|&m| m == c));
        seat.map_or(c, |seat| board.seats[seat].marble)
    };
    for line in text.lines().map(str::trim) {
        let sockets = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if sockets.len() < line.len() {
            let (mut row, mut empty, mut count) = (String::new(), 0, 0);
            for c in sockets.chars().map(marble).filter(|c| !c.is_whitespace() && !"|│".contains(*c)) {
                count += 1;
                if ".·".contains(c) {
                    empty += 1;
                } else {
                    row += &format!("{}{c}", if empty > 0 { empty.to_string() } else { String::new() });
                    empty = 0;
                }
            }
            row += &if empty > 0 { empty.to_string() } else { String::new() };
            rows.push((count == board.columns).then_some(row)?);
        } else if let Some(numbers) = line.strip_prefix("captured by X: ") {
            captured = format!(" cap={}", numbers.replace(", by O: ", "-"));
        } else if let Some((seat, what @ ("move" | "turn"))) = line.split_once(" to ") {
            side = Some(format!(" {seat}{}", if what == "turn" { " turn" } else { "" }));
        }
    }
    let rows = (rows.len() == board.rows).then(|| rows.join("/"))?;
    let possible = board.seats.iter().map(|seat| format!(" {}", seat.seat));
    let sides = side.map_or_else(|| [String::new()].into_iter().chain(possible).collect(), |side| vec![side]);
    sides.iter().find_map(|side| game.read(&format!("{rows}{side}{captured}")).ok())
}

/// The parameters of one diagram.
struct Drawing<'b> {
    symbols: Symbols,
    board: &'b Board,
    last: Option<(usize, usize)>,
}

impl Drawing<'_> {
    /// Returns the symbol for a marble of a seat. `last` is `true` for the marble placed last.
    fn marble(&self, seat: usize, last: bool) -> String {
        let two = self.symbols == Symbols::Marbles && self.board.seats.len() == 2;
        let marbles = if last { &LAST_MARBLES } else { &MARBLES };
        let letter = self.board.seats[seat].marble;
        let (_, style) = SEATS[seat % SEATS.len()];
        let style = if last && !two && self.symbols == Symbols::Marbles { style.underline() } else { style };
        styled(style, if two { marbles[seat] } else { letter })
    }

    /// Draws a line of the diagram. `row` is the row of the board, or `None` for a line without
    /// marbles.
    fn line(&self, line: &str, row: Option<usize>) -> String {
        let marbles = self.symbols == Symbols::Marbles;
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

    /// Writes the numbers of four quadrants into the corners. Appends a line for the two lower
    /// numbers.
    fn add_corners(&self, lines: &mut Vec<String>, labels: &str) {
        if self.board.blocks.len() == 4
            && let Some(first) = lines.first_mut()
        {
            let [one, two, three, four] = ['①', '②', '③', '④'].map(|c| styled(FRAME, c));
            *first = format!("{one}{} {two}", labels.get(1..).unwrap_or_default());
            lines.push(format!("{three}{}{four}", " ".repeat(labels.chars().count())));
        }
    }

    /// Returns a line that explains the marbles and the numbers of the blocks.
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

    fn plain(symbols: Symbols, rules: &str, text: &str, last: Option<(usize, usize)>) -> String {
        let game = read_rules(rules).unwrap();
        let position = game.read(text).unwrap();
        anstream::adapter::strip_str(&symbols.board(&*game, &position, last)).to_string()
    }

    const TEXT: &str = "OO1OO1/6/6/6/6/XXXX2 x";

    #[test]
    fn boards_are_read_back() {
        for (rules, text) in [
            ("pentago", TEXT),
            ("mini", "4/1X2/2O1/4 x"),
            ("xl", "9/9/4A4/9/3B5/9/9/9/9 a"),
            ("xl:seats=4", "A8/1B7/C8/D8/9/9/9/9/A8 b"),
            ("pente", "19/19/19/19/19/19/19/19/19/9X9/19/19/19/19/X1O15X/19/19/19/19 x cap=2-0"),
        ] {
            let game = read_rules(rules).unwrap();
            for (symbols, last) in [(Symbols::Letters, None), (Symbols::Marbles, Some((0, 4)))] {
                let drawn = plain(symbols, rules, text, last);
                assert_eq!(undrawn(&*game, &drawn).unwrap().text, text, "{drawn}");
                assert!(game.kind().name != "pentago" || game.read(&drawn).unwrap().text == text);
            }
            assert_eq!((undrawn(&*game, text), undrawn(&*game, "1 . .\n")), (None, None));
        }
    }

    #[test]
    fn marbles() {
        let drawn = plain(Symbols::Marbles, "pentago", TEXT, None);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "① a b c   d e f ②");
        assert_eq!(lines[1], "6 ○ ○ · │ ○ ○ ·");
        assert_eq!(lines[4], "  ──────┼──────");
        assert_eq!(lines[7], "1 ● ● ● │ ● · ·");
        assert_eq!(lines[8], "③               ④");
        assert_eq!(lines[9], "  ● is x (black), ○ is o (white); ① to ④ are the quadrants");
        assert_eq!(lines.len(), 10);
        let text = "19/19/19/19/19/19/19/19/19/9X9/19/19/19/19/19/19/19/19/19 o";
        let pente = plain(Symbols::Marbles, "pente", text, None);
        assert!(pente.lines().next().unwrap().contains(" N O P "), "{pente}");
        assert!(pente.contains('●') && pente.contains("captured by X: 0"));
        let xl = plain(Symbols::Marbles, "xl:seats=3", "A8/B8/C8/9/9/9/9/9/9 a", None);
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
            let drawn = plain(Symbols::Marbles, "pentago", TEXT, Some(last));
            assert_eq!(drawn.lines().nth(line), Some(marked));
            assert_eq!(drawn.matches(['◉', '◎']).count(), 3, "one, and two in the legend");
        }
    }
}
