// The first screen: a demonstration of the game, the meaning of the signs, and three buttons to
// start.

import { SIGNS } from "./board.js";
import { engine } from "./engine.js";
import { Game, cells, lines, nameOf, parts } from "./game.js";
import { $, make, page, sheetOf, span } from "./page.js";
import { boardView, show } from "./show.js";
import { say } from "./words.js";

/** A position, and a move whose turn makes five in a row. */
const POSITION = "6/XXX1X1/6/4O1/1O1O2/2O3 x";
const MOVE = "e6/2-";
/** The duration of each step of the demonstration, in milliseconds. */
const STEPS = [1100, 900, 2600];

/** Shows the first screen until a game is opened. */
export function goHome() {
  page.asking?.abort(new DOMException("the first screen", "AbortError"));
  page.game = new Game(engine, sheetOf("pentago"));
  page.home = true;
  page.setup = page.placed = page.hint = page.replaying = null;
  $("said").textContent = "";
  boardView.set(page.game.sheet.board, say("board"));
  boardView.crop(true);
  show();
  explain();
  demonstrate();
}

/** Shows the meaning of the signs. */
function explain() {
  const items = [["win", SIGNS.win], ["draw", SIGNS.draw], ["loss", SIGNS.loss], ["guess", "57"]];
  $("legend").replaceChildren(...items.map(([name, sign]) => make("li", {}, span(sign, `sample ${name}`), span(say(`sign.${name}`)))));
}

/** Repeats the demonstration while the first screen is shown. */
async function demonstrate() {
  const game = new Game(engine, sheetOf("pentago"), POSITION);
  const { board } = game.sheet;
  const { place, quadrant, clockwise } = parts(MOVE);
  const socket = [...Array(board.rows * board.columns).keys()].find((index) => nameOf(index, board) === place);
  const frame = (node, placed) => {
    const grid = cells(node.position, board);
    boardView.draw({
      grid, placed, seat: "x", quiet: true, line: node.over ? lines(grid, board) : new Set(),
      socket: (index) => ({ label: say(grid[index] ? "socket_taken" : "socket_free", { socket: nameOf(index, board), seat: say(`seat.${grid[index] || "x"}`) }) }),
      turn: () => null,
    });
  };
  const steps = [
    () => { game.at = 0; frame(game.node); },
    () => frame(game.node, socket),
    async () => {
      await boardView.turn(quadrant, clockwise);
      if (!page.home) return;
      game.play(MOVE);
      frame(game.node);
    },
  ];
  // With reduced motion, show only the last step.
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    game.play(MOVE);
    return frame(game.node);
  }
  const shown = page.game;
  for (let step = 0; page.home && page.game === shown; step = (step + 1) % steps.length) {
    await steps[step]();
    await new Promise((resolve) => setTimeout(resolve, STEPS[step]));
  }
}
