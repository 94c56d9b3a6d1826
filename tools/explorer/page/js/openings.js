// The published values of the first moves: the moves of a position up to symmetry, and the fair
// positions, which are drawn.

import { make as drawn, sign } from "./board.js";
import { engine } from "./engine.js";
import { cells, rowsOf } from "./game.js";
import { $, make, page, sheetOf, span } from "./page.js";
import { number, say } from "./words.js";

const RULES = "pentago";
/** The number of marbles from which not all moves and replies have published values. */
const MOST = 4;
/** The numbers of marbles of fair openings, and the number of openings shown initially for each. */
const FAIR = [1, 2, 3];
const SHOWN = 24;

/** Returns the least image of a board under the eight symmetries: as a key and as a position. */
function canonical(position, board) {
  const n = board.rows;
  const grid = cells(position);
  const side = position.split(" ")[1];
  const images = [];
  for (const flip of [false, true]) {
    let image = flip ? grid.map((_, i) => grid[Math.floor(i / n) * n + n - 1 - (i % n)]) : grid;
    for (let turn = 0; turn < 4; turn++) {
      const from = image;
      image = from.map((_, i) => from[(n - 1 - (i % n)) * n + Math.floor(i / n)]);
      images.push(image.map((cell) => cell || ".").join(""));
    }
  }
  const [least] = images.sort();
  return { key: least, position: `${rowsOf([...least].map((cell) => (cell === "." ? "" : cell)), board)} ${side}` };
}

const ask = (position) => engine.values(RULES, position, { here: true });

/** Returns the positions after one move, up to symmetry, with their values for the mover. */
async function after(position, board) {
  const found = new Map();
  for (const move of (await ask(position)).moves ?? []) {
    const { key, position: next } = canonical(move.position, board);
    const entry = found.get(key) ?? { position: next, value: move.value, moves: [] };
    entry.moves.push(move.move);
    found.set(key, entry);
  }
  return [...found.values()];
}

/** Counts the moves of a position that win, draw and lose. */
async function replies(position) {
  const counts = { win: 0, draw: 0, loss: 0 };
  for (const { value } of (await ask(position)).moves ?? []) if (value in counts) counts[value] += 1;
  return counts;
}

/** Draws a small board. */
function small(position, board) {
  const size = board.rows * 10;
  const svg = drawn("svg", { viewBox: `-1 -1 ${size + 4} ${size + 4}`, class: "small", "aria-hidden": "true" });
  const draw = (...element) => svg.append(drawn(...element));
  const at = (i) => i * 10 + (i >= board.rows / 2 ? 2 : 0);
  for (const { row, column, rows } of board.quadrants) draw("rect", { class: "plate", x: at(column), y: at(row), width: rows * 10, height: rows * 10, rx: 2 });
  cells(position).forEach((cell, i) => {
    const [cx, cy] = [at(i % board.columns) + 5, at(Math.floor(i / board.columns)) + 5];
    if (cell) draw("circle", { class: `disc-${cell}`, cx, cy, r: 4.2 });
    else draw("circle", { class: "hole", cx, cy, r: 1.6 });
  });
  return svg;
}

/** Returns a button that opens a position (main.js). */
const entry = (position, text, board) => make("button", { type: "button", className: "opening", title: position }, small(position, board), ...text);

const note = (word) => make("p", { className: "none", textContent: say(word) });

/** Lists the positions after each move of the shown position. */
export async function showOpenings() {
  const { sheet, node } = page.game;
  const { board } = sheet;
  const marbles = cells(node.position).filter(Boolean).length;
  if (sheet.name !== RULES || marbles >= MOST || node.over) return $("openings-list").replaceChildren(note("openings_none"));
  $("openings-list").replaceChildren(note("asking"));
  const list = make("div", { className: "openings" });
  const all = await after(node.position, board);
  all.sort((a, b) => ["win", "draw", "loss"].indexOf(a.value) - ["win", "draw", "loss"].indexOf(b.value));
  for (const { position, value, moves } of all) {
    if (page.game.node !== node) return undefined;
    const { win, draw, loss } = await replies(position);
    const of = say("replies", { win: number(win), draw: number(draw), loss: number(loss) });
    list.append(entry(position, [span(`${sign({ value })} ${moves[0]}`, `tag ${value}`), span(of, "none")], board));
    if (list.childElementCount === 1) $("openings-list").replaceChildren(note("openings_help"), list);
  }
  return undefined;
}

/** Lists the drawn positions with one to three marbles, which are fair to both sides. */
export async function showFair() {
  if (page.game.sheet.name !== RULES) return void $("fair-list").replaceChildren(note("openings_none"));
  if ($("fair-list").querySelector("h3")) return;
  const { board, start } = sheetOf(RULES);
  const parts = FAIR.map((n) => {
    const [title, list] = [make("h3", {}, say("fair_with", { n: number(n), found: "\u2026" })), make("div", { className: "openings" })];
    return { n, title, list, fair: [] };
  });
  $("fair-list").replaceChildren(note("fair_help"), ...parts.flatMap(({ title, list }) => [title, list]));
  let level = [{ position: start }];
  for (const { title, list, fair, n } of parts) {
    const next = new Map();
    for (const { position } of level) {
      for (const found of await after(position, board)) {
        if (next.has(found.position)) continue;
        next.set(found.position, found);
        if (found.value !== "draw") continue;
        fair.push(found);
        if (fair.length <= SHOWN) list.append(entry(found.position, [], board));
      }
    }
    level = [...next.values()];
    title.textContent = say("fair_with", { n: number(n), found: number(fair.length) });
    if (fair.length > SHOWN) {
      const more = make("button", { type: "button" }, say("and_more", { n: number(fair.length - SHOWN) }));
      more.addEventListener("click", () => more.replaceWith(...fair.slice(SHOWN).map(({ position }) => entry(position, [], board))));
      list.append(more);
    }
  }
}
