// The first screen: a demonstration of the game, the meaning of the signs, and three buttons to
// start.

import { SIGNS, calm } from "./board.js";
import { engine, pause } from "./engine.js";
import { Game, cells, lines, nameOf, parts } from "./game.js";
import { $, make, page, sheetOf, span } from "./page.js";
import { boardView, show } from "./show.js";
import { say } from "./words.js";

/** A position, and a move whose turn makes five in a row. */
const [POSITION, MOVE] = ["6/XXX1X1/6/4O1/1O1O2/2O3 x", "e6/2-"];
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

/** Shows the meaning of the signs, from the line that stands below the values. */
function explain() {
  const names = { [SIGNS.win]: "win", [SIGNS.draw]: "draw", [SIGNS.loss]: "loss", 57: "guess" };
  const items = say("signs").split(" \u00b7 ").map((item) => /^(\S+) (.*)$/.exec(item).slice(1)).filter(([sign]) => sign in names);
  $("legend").replaceChildren(...items.map(([sign, means]) => make("li", {}, span(sign, `sample ${names[sign]}`), span(means))));
}

/** Repeats the demonstration while the first screen is shown. */
async function demonstrate() {
  const game = new Game(engine, sheetOf("pentago"), POSITION);
  const { board } = game.sheet;
  const { place, quadrant, clockwise } = parts(MOVE);
  const socket = [...Array(board.rows * board.columns).keys()].find((index) => nameOf(index, board) === place);
  const frame = (node, placed) => {
    const grid = cells(node.position);
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
  if (calm()) {
    game.play(MOVE);
    return frame(game.node);
  }
  const shown = page.game;
  for (let step = 0; page.home && page.game === shown; step = (step + 1) % steps.length) {
    await steps[step]();
    await pause(STEPS[step]);
  }
}
