// The rules of Pentago in JavaScript, so that two players can begin before the module is loaded. A
// test compares this file with the module.

import { cells, lines, nameOf, rowsOf, turned } from "./game.js";

const quadrant = (number, row, column) => ({ number, row, column, rows: 3, columns: 3, turns: ["+", "-"] });
const blocks = [quadrant(1, 0, 0), quadrant(2, 0, 3), quadrant(3, 3, 0), quadrant(4, 3, 3)];
const seats = ["x", "o"].map((seat) => ({ seat, marble: seat.toUpperCase(), team: seat }));

/** The rule sheet of Pentago, as the module describes it. */
export const SHEET = {
  name: "pentago",
  title: "Pentago",
  sentence: "6x6 sockets, 3x3 quadrants, five in a row: all options at their defaults.",
  board: {
    game: "pentago", rows: 6, columns: 6, files: "abcdef", run: 5, blocks, seats,
    turn: true, decline: false, captures: false, start: "6/6/6/6/6/6 x",
  },
};
const BOARD = { ...SHEET.board, quadrants: blocks, line: 5 };

/** Returns the end of a game after a complete move, or null. */
function end(grid) {
  const winners = new Set([...lines(grid, BOARD)].map((index) => grid[index]));
  if (winners.size === 1) return { winners: [...winners] };
  return winners.size || grid.every(Boolean) ? { winners: [] } : null;
}

/** Returns a position and its moves, as the module does, or an error for impossible marbles. */
export function look(position) {
  const grid = cells(position);
  const to_move = position.split(" ")[1];
  const [x, o] = ["x", "o"].map((seat) => grid.filter((marble) => marble === seat).length);
  if (x - o !== Number(to_move === "o")) return { error: "these marbles are impossible with this side to move" };
  const over = end(grid);
  const moves = [];
  const add = (move, grid, over) => {
    const next = `${rowsOf(grid, BOARD)} ${to_move === "x" ? "o" : "x"}`;
    moves.push(over ? { move, position: next, over } : { move, position: next });
  };
  for (const [index, marble] of over ? [] : grid.entries()) {
    if (marble) continue;
    const placed = grid.with(index, to_move);
    const name = nameOf(index, BOARD);
    // Five in a row win before the turn.
    if (lines(placed, BOARD).size) {
      add(name, placed, { winners: [to_move] });
      continue;
    }
    for (const [q, sign] of [0, 1, 2, 3].flatMap((q) => [[q, "+"], [q, "-"]])) {
      const after = [];
      placed.forEach((cell, i) => { after[turned(i, q, sign === "+", BOARD)] = cell; });
      add(`${name}/${q + 1}${sign}`, after, end(after));
    }
  }
  return { rules: "pentago", position, to_move, over, moves, diagram: "" };
}
