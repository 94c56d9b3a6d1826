//! Draws a position as SVG, for notebooks.

use pentago_games::{Game, Position};
use std::fmt::Write;
use std::sync::Arc;

/// The side length of the square that contains a socket, in SVG units.
const UNIT: usize = 40;
/// The width of the left and bottom margins, which contain the coordinates, in SVG units.
const EDGE: usize = 22;
/// The fill colour and the rim colour of each seat's marbles, in the order of turns: black, white,
/// teal, amber. The colours match the light theme of the explorer
/// (`tools/explorer/page/style.css`).
const MARBLES: [(&str, &str); 4] =
    [("#1c1f24", "#0d0f12"), ("#ffffff", "#958d7c"), ("#0d6b63", "#0d0f12"), ("#b97a08", "#0d0f12")];
/// The fill colour of a quadrant.
const PLATE: &str = "#e7dfcf";
/// The rim colour of quadrants and of empty sockets.
const RIM: &str = "#b7aa91";
/// The fill colour of an empty socket.
const HOLE: &str = "#d3c8b2";

/// Returns a drawing of the board as SVG, with quadrants, marbles and coordinates.
pub fn svg(game: &Arc<dyn Game>, position: &Position) -> String {
    let board = game.board();
    let (width, height) = (board.columns * UNIT + EDGE, board.rows * UNIT + EDGE);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{}</title>\
         <g font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\" fill=\"#888\">",
        position.text
    );
    for (column, file) in board.files.chars().enumerate() {
        let x = column * UNIT + UNIT / 2 + EDGE;
        let _ = write!(text, "<text x=\"{x}\" y=\"{}\">{file}</text>", height - 6);
    }
    for row in 0..board.rows {
        let (y, rank) = (row * UNIT + UNIT / 2 + 5, board.rows - row);
        let _ = write!(text, "<text x=\"{}\" y=\"{y}\">{rank}</text>", EDGE / 2);
    }
    text.push_str("</g>");
    let mut rectangle = |row: usize, column: usize, rows: usize, columns: usize| {
        let (x, y) = (column * UNIT + EDGE + 2, row * UNIT + 2);
        let (width, height) = (columns * UNIT - 4, rows * UNIT - 4);
        let _ = write!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{PLATE}\" \
             stroke=\"{RIM}\"/>"
        );
    };
    match board.blocks.as_slice() {
        [] => rectangle(0, 0, board.rows, board.columns),
        blocks => blocks.iter().for_each(|b| rectangle(b.row, b.column, b.rows, b.columns)),
    }
    for (at, &marble) in game.cells(position).iter().enumerate() {
        let (row, column) = (at / board.columns, at % board.columns);
        let (x, y) = (column * UNIT + UNIT / 2 + EDGE, row * UNIT + UNIT / 2);
        let ((fill, stroke), radius) = match marble {
            0 => ((HOLE, RIM), 8),
            marble => (MARBLES[(marble as usize - 1) % MARBLES.len()], 15),
        };
        let _ = write!(
            text,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
        );
    }
    text.push_str("</svg>");
    text
}
