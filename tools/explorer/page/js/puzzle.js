// Puzzles: a position in which exactly one move wins, and what is said of the reader's move in it.

import { engine } from "./engine.js";
import { Game } from "./game.js";
import { $, page, sheetOf } from "./page.js";
import { say } from "./words.js";

/** Random positions that are tried for one puzzle. */
const TRIES = 150;

/** A position in which exactly one move wins, and not at once. */
async function findPuzzle(sheet, marbles) {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const served = await engine.get(`api/v1/puzzle?${new URLSearchParams({ rules: sheet.name, marbles, seed })}`);
  if (served?.position) {
    const answer = await engine.values(sheet.name, served.position);
    if (answer.best?.length && answer.guess === undefined) return { position: served.position, rules: sheet.name, best: answer.best };
  }
  const small = sheet.board.rows < 6;
  for (let i = 0; i < TRIES; i++) {
    const drawn = await engine.fromWorker(["random", sheet.name, String(small ? 6 : marbles), String(seed + i)]);
    if (drawn.error) return null;
    const answer = await engine.fromWorker(["values", sheet.name, drawn.position, "0", "2"]);
    const wins = answer.moves?.filter(({ value }) => value === "win") ?? [];
    if (wins.length === 1) return { position: drawn.position, rules: sheet.name, best: [wins[0].move] };
  }
  return null;
}

export function leavePuzzle() {
  page.puzzle = null;
  $("verdict").textContent = "\u00a0";
}

export async function newPuzzle() {
  $("verdict").textContent = say("searching");
  $("new-puzzle").disabled = true;
  page.asking?.abort(new DOMException("a puzzle", "AbortError"));
  const rules = page.game.sheet.board.game === "pentago" ? page.game.rules : "pentago";
  try {
    const puzzle = await findPuzzle(sheetOf(rules), Number($("level").value));
    if (!puzzle) {
      $("verdict").textContent = say("no_puzzle");
      return null;
    }
    page.puzzle = puzzle;
    $("verdict").textContent = "\u00a0";
    return new Game(engine, sheetOf(puzzle.rules), puzzle.position);
  } finally {
    $("new-puzzle").disabled = false;
  }
}

/** Says whether a move solves the puzzle. */
export function judge(text) {
  const { puzzle, game } = page;
  if (game.at !== 0 || puzzle.done) return false;
  const right = puzzle.best.includes(text);
  puzzle.done = true;
  $("verdict").className = right ? "right" : "wrong";
  $("verdict").textContent = right ? say("right") : say("wrong", { move: puzzle.best[0] });
  return true;
}

export function showSolution() {
  const { puzzle } = page;
  if (!puzzle) return;
  puzzle.done = true;
  $("verdict").className = "";
  $("verdict").textContent = say("the_solution", { move: puzzle.best.join(", ") });
  page.hinted = true;
}
