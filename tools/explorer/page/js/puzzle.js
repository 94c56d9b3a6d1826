// The tasks for the reader: find the only winning move and win (a puzzle), win a won position, or
// find a better move than the one played (a mistake). The solver defends as long as possible. A
// move that gives the value away is taken back. Puzzles of Pentago come from a file of positions of
// played games (bench/puzzles.mjs). The module searches for puzzles under other rules.

import { engine, pause } from "./engine.js";
import { Game } from "./game.js";
import { $, make, page, sheetOf } from "./page.js";
import { sorted } from "./play.js";
import { number, recall, remember, say, word as worded } from "./words.js";

/**
 * For each level: the plies to the win (`least` to `most`), and the numbers of marbles at which
 * such wins are frequent, also on a `small` board.
 */
const LEVELS = {
  easy: { marbles: 24, small: 9, least: 3, most: 3 },
  medium: { marbles: 23, small: 9, least: 5, most: 5 },
  hard: { marbles: 22, small: 7, least: 7, most: 99 },
};
export const levels = Object.keys(LEVELS);
/** The level of the daily puzzle for each day of the week, from Sunday. */
const WEEK = ["hard", "easy", "easy", "medium", "easy", "medium", "hard"];
/** The maximum number of random positions that a search tries. A small board takes less time. */
const [TRIES, SMALL_TRIES] = [400, 4000];
/** The time in seconds of a search for the value of the reader's move. */
const JUDGED = 2;
/** The time in milliseconds that a wrong move stays on the board. */
const SHOWN = 1200;

/** Returns the positions of the file of puzzles whose win takes `least` to `most` plies. */
async function shipped(least, most) {
  const response = await fetch(new URL("../puzzles.txt", import.meta.url)).catch(() => null);
  const lines = response?.ok ? (await response.text()).matchAll(/^(\S+) ([xo]) (\d+) /gm) : [];
  const rows = (grid) => grid.match(/.{6}/g).join("/").replace(/\.+/g, ({ length }) => length);
  return [...lines].filter(([, , , plies]) => plies >= least && plies <= most).map(([, grid, side]) => `${rows(grid)} ${side}`);
}

/**
 * Returns a puzzle from the file. If the file has none for the rules and the level, tries random
 * positions from the seed `seed` on. Returns the first position with exactly one winning move and a
 * distance that suits the level, or null.
 */
async function findPuzzle(rules, level, seed, signal) {
  const { marbles, small, least, most } = LEVELS[level];
  const known = rules === "pentago" ? await shipped(least, most) : [];
  if (known.length) return known[seed % known.length];
  const isSmall = sheetOf(rules).board.rows < 6;
  const ask = (position, distance) => engine.fromWorker(["values", rules, position, distance, "2"], signal);
  for (let i = 0; i < (isSmall ? SMALL_TRIES : TRIES); i++) {
    const { position, error } = await engine.fromWorker(["random", rules, String(isSmall ? small : marbles), String(seed + i)], signal);
    if (error) return null;
    const { moves } = await ask(position, "0");
    if (moves?.filter(({ value }) => value === "win").length !== 1) continue;
    const { distance } = await ask(position, "1");
    if (distance >= least && distance <= most) return position;
  }
  return null;
}

/** Returns today's date as a name, a weekday and a seed. The seed is equal for all readers. */
function today() {
  const now = new Date();
  return { name: `${now.getFullYear()}-${now.getMonth() + 1}-${now.getDate()}`, day: now.getDay(), seed: Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / 86_400 };
}

export function leavePuzzle() {
  page.puzzle = null;
  tell("");
}

/** Shows a sentence about the task, or none. */
export function tell(word, values = {}, kind = "") {
  $("verdict").replaceChildren(...(word ? [worded(make("span"), word, values)] : []));
  $("verdict").className = `value sentence ${kind}`;
  worded($("puzzle-task"), `task.${page.puzzle?.kind ?? "puzzle"}`, { move: page.puzzle?.played });
}

/** Makes the last position of a game the current task. `more` has further fields of the task. */
export function task(kind, game, more = {}) {
  page.puzzle = { kind, position: game.nodes[0].position, rules: game.rules, seat: game.node.toMove, done: false, ...more };
  tell("");
  return game;
}

/** Searches for a puzzle, and makes it the current task. Returns null if there is none. */
async function found(search, signal) {
  tell("searching");
  const buttons = [$("new-puzzle"), $("daily")];
  for (const button of buttons) button.disabled = true;
  try {
    const [rules, position] = await search();
    signal.throwIfAborted();
    if (!position) {
      tell("no_puzzle");
      return null;
    }
    return task("puzzle", new Game(engine, sheetOf(rules), position));
  } catch (error) {
    if (!signal.aborted) throw error;
    tell("");
    return null;
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

export const newPuzzle = (signal) => found(async () => {
  const rules = page.game.sheet.board.game === "pentago" ? page.game.rules : "pentago";
  return [rules, await findPuzzle(rules, $("level").value, Math.floor(Math.random() * 2 ** 32), signal)];
}, signal);

/** Opens the daily puzzle, which is equal for all readers. Searches only once a day. */
export async function dailyPuzzle(signal) {
  const { name, day, seed } = today();
  const [kept, position] = recall("daily")?.split("|") ?? [];
  const known = kept === name && !engine.look("pentago", position).error;
  const game = await found(async () => ["pentago", known ? position : await findPuzzle("pentago", WEEK[day], seed, signal)], signal);
  if (!game) return null;
  page.puzzle.daily = name;
  remember("daily", `${name}|${game.node.position}`);
  return game;
}

/**
 * Returns `true` if a move of the reader keeps the value that the task requires, `false` if it
 * doesn't, and undefined if that is unknown. Searches the next position if the move is unknown.
 */
export async function judge(text) {
  const { puzzle, game } = page;
  const { rules, node, sheet } = game;
  const answer = await engine.values(rules, node.position);
  let { position, value } = answer.moves?.find(({ move }) => move === text) ?? { value: "unknown" };
  if (value === "unknown" && position && sheet.board.seats.length === 2) {
    const next = await engine.values(rules, position, { seconds: JUDGED });
    value = { win: "loss", draw: "draw", loss: "win" }[next.value] ?? value;
  }
  return value === "unknown" ? undefined : value === (puzzle.kind === "mistake" ? answer.value : "win");
}

/** Returns `true` if the reader is to win a position that is not won. */
export function isGone() {
  const { puzzle, game, answer } = page;
  return puzzle && !puzzle.done && puzzle.kind !== "mistake" && game.at > 0 && puzzle.seat === game.node.toMove && ["draw", "loss"].includes(answer?.value);
}

/** Shows the verdict on the last move of the reader. Takes back a wrong move. */
export async function verdict(right) {
  const { puzzle, game } = page;
  if (right === false) {
    score(false);
    // The solver may have replied, and earlier moves may have been wrong without being known so.
    const mine = game.nodes.slice(0, game.at).map(({ toMove, position }) => toMove === puzzle.seat && position);
    const won = mine.findLastIndex((position) => position && engine.seen(game.rules, position)?.value === "win");
    const at = won < 0 ? mine.findLastIndex(Boolean) : won;
    tell("wrong", { move: game.moves[at] }, "wrong");
    await pause(SHOWN);
    if (page.puzzle === puzzle) game.takeBack(at);
  } else if (puzzle.kind === "mistake") {
    solved(!right ? "unproved" : puzzle.later.length ? "right_move" : "last_mistake");
    puzzle.next();
  } else if (game.node.over) solved("solved");
  else tell(right ? "go_on" : "unproved", { move: game.node.last }, right ? "right" : "");
}

function solved(word) {
  const { puzzle } = page;
  puzzle.done = true;
  tell(word, { move: page.game.node.last }, word === "unproved" ? "" : "right");
  if (puzzle.daily) remember("daily_done", puzzle.daily);
  score(true);
}

/** Counts the puzzles solved in a row without help. Each of the latest 100 puzzles counts once. */
function score(right) {
  const { kind, position } = page.puzzle;
  if (kind !== "puzzle") return;
  const spent = recall("spent")?.split("|") ?? [];
  if (!spent.includes(position)) remember("streak", right ? String(Number(recall("streak") ?? 0) + 1) : "0");
  remember("spent", [position, ...spent].slice(0, 100).join("|"));
  showStreak();
}

export function showStreak() {
  const done = recall("daily_done") === today().name ? ` ${say("daily_done")}` : "";
  $("streak").textContent = say("streak", { n: number(Number(recall("streak") ?? 0)) }) + done;
}

/** Returns the best defence: the move with the longest loss. */
export async function defence(signal) {
  const { game } = page;
  const answer = await engine.values(game.rules, game.node.position, { distance: true, signal });
  return sorted(answer.moves ?? [])[0]?.move;
}

/** Returns the first move that is not known to be wrong, and counts the task as not solved. */
export async function solution() {
  const { game } = page;
  score(false);
  const answer = await engine.values(game.rules, game.node.position, { distance: true });
  for (const { move } of sorted(answer.moves ?? [])) {
    if ((await judge(move)) !== false) return move;
  }
}
