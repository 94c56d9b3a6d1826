// Requests for the values of the shown position, and the moves of the reader and the solver.

import { calm } from "./board.js";
import { engine, pause } from "./engine.js";
import { cells, parts } from "./game.js";
import { $, isOthers, mySeat, notice, page, seatName, stepped, valueText, valuesShown } from "./page.js";
import { perfect, reply, sorted } from "./play.js";
import { defence, isGone, judge, solution, tell, verdict } from "./puzzle.js";
import { PASSES, review } from "./review.js";
import { beginSetup } from "./setup.js";
import { boardView, show, showReview, shownGame } from "./show.js";
import { announce, showProgress } from "./status.js";
import { say } from "./words.js";

/**
 * Times in milliseconds: the least time before the solver moves, the time between a marble and its
 * turn, the time for each move of a best line, and the time between two looks at a move.
 */
const [THINKING, PLACED, SHOWN, TICK] = [350, 250, 900, 20];
/** The maximum number of moves of a best line. */
const LINE = 36;
/** The time in seconds of a limited search for a hint. */
const HINT = 2;

/** Cancels the current request. Returns the signal for a new one. */
export function begin(reason) {
  page.asking?.abort(new DOMException(reason, "AbortError"));
  page.asking = new AbortController();
  return page.asking.signal;
}

/** Requests the opponent's move, or else the values of the position and the review of the game. */
export async function ask() {
  const signal = begin("another position");
  const { game } = page;
  const { node, rules } = game;
  page.answer = node.over ? null : engine.seen(rules, node.position) ?? null;
  page.thinking = isLast() && (isOthers() || isDefender());
  page.refining = false;
  showProgress({ state: "new" });
  show();
  // For a reload of the page, save the data that the address does not contain.
  const { daily, later } = page.puzzle ?? {};
  const rematch = page.rematch?.game === game ? page.rematch.you : undefined;
  history.replaceState({ you: $("you").value, level: $("strength").value, show: $("show").checked, daily, later, rematch }, "");
  if (page.setup || page.home || page.replaying) return;
  announce(page.thinking ? say("thinking") : node.over || !valuesShown() ? $("value").textContent : "");
  try {
    if (page.thinking) return await opponentMoves(signal);
    const reviewed = valuesShown() && game.moves.length;
    const pass = (number) => reviewed && review(game, PASSES[number], signal, showReview);
    if (!node.over && (valuesShown() || page.puzzle)) await values(node, rules, signal, () => pass(0));
    if (isGone()) {
      page.busy = "verdict";
      await verdict(false).finally(() => { page.busy = false; });
      return page.game === game ? await openGame(game) : undefined;
    }
    await pass(0);
    await pass(1);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

/**
 * Requests the values of the shown position: first a quick answer of the browser, then the answer
 * without distances, then with them. Calls `meanwhile` after the quick answer.
 */
async function values(node, rules, signal, meanwhile) {
  const steps = [{ seconds: 0, here: true }, {}, { distance: true }];
  // The browser solves a late position no faster than the server.
  const quick = valuesShown() && (slow(node) || !engine.server);
  const long = $("distances").checked && valuesShown() && !slow(node);
  const progress = (state) => { if (!signal.aborted && (!page.answer || page.refining) && valuesShown()) showProgress(state); };
  for (const step of steps.slice(quick ? 0 : 1, long ? 3 : 2)) {
    const answer = await engine.values(rules, node.position, { ...step, signal, progress });
    signal.throwIfAborted();
    if (answer.error && page.answer) break;
    page.answer = answer;
    page.refining = step.here && !engine.known(rules, node.position, false);
    show();
    if (page.refining) await meanwhile();
    if (!step.here && !step.distance) announce(valuesShown() ? valueText(answer.error ? { value: "unknown" } : answer) : "");
    if (!step.here && (answer.error || answer.value === "unknown")) break;
  }
}

/** Returns `true` if the solution is long. Distances would double its time. */
function slow(node) {
  const { board } = page.game.sheet;
  const marbles = cells(node.position).filter(Boolean).length;
  return board.game === "pentago" && board.rows === 6 && marbles < (engine.server ? 17 : 19);
}

/** Returns `true` if the shown position is the last one, and the game is not over. */
const isLast = () => !page.setup && !page.home && !page.replaying && !page.game.node.over && page.game.at === page.game.moves.length;

/** Returns `true` if the solver is to move in a puzzle. */
const isDefender = () => Boolean(page.puzzle) && !page.puzzle.done && page.game.at > 0 && page.puzzle.seat !== page.game.node.toMove;

/** Shows why the solver has no answer. The solver then plays by the rules alone. */
const complainOf = ({ word = "program_says", error }) => notice(word, {}, word === "program_says" ? error : "");

async function opponentMoves(signal) {
  const began = performance.now();
  const progress = (state) => { if (!signal.aborted) showProgress(state); };
  const move = page.puzzle ? await defence(signal) : await reply(page.game, $("strength").value, signal, progress, complainOf);
  await pause(calm() ? 0 : THINKING - (performance.now() - began), signal);
  signal.throwIfAborted();
  if (move) return play(move, "solver");
  page.thinking = false;
  return show();
}

/** Fills the list of seats that the reader may play. Keeps the index of the chosen seat. */
export function fillSeats(seats) {
  const you = $("you");
  const chosen = Math.max(0, you.selectedIndex);
  you.replaceChildren(...["", ...seats].map((seat) => new Option(seat ? seatName(seat, seats) : say("all_sides"), seat)));
  you.selectedIndex = Math.min(chosen, seats.length);
}

/** Returns the address of the shown game and its task. */
function address() {
  const { game, puzzle } = page;
  return puzzle?.back ? puzzle.back.address(puzzle.kind, puzzle.at) : game.address(puzzle?.kind);
}

/**
 * Shows a game, or another position of the shown game. Another game gets an entry of its own in the
 * history (`push`), and a move replaces the entry, so that Back leaves the game. `keep` leaves the
 * address alone.
 */
export function openGame(game, entry = game === (page.replaying ?? page.game) ? "replace" : "push") {
  boardView.settle();
  if (page.game?.sheet !== game.sheet) fillSeats(game.sheet.board.seats);
  // Only a rematch uses the seat of an ended game.
  if (page.rematch && game !== page.game) {
    if (game === page.rematch.game) $("you").value = page.rematch.you;
    else if (page.game === page.rematch.game) $("you").value = "";
  }
  [page.game, page.replaying] = [game, null];
  if (page.home) {
    page.home = false;
    boardView.crop(false);
    scrollTo(0, 0);
  }
  page.placed = page.refused = undefined;
  page.hint = page.setup = null;
  $("text").value = $("text").defaultValue;
  if (!$("setup").hidden) beginSetup();
  if (entry !== "keep") notice();
  document.dispatchEvent(new CustomEvent("position"));
  if (entry !== "keep" && location.hash !== address()) history[`${entry}State`](null, "", address());
  return ask();
}

/** Leaves the set-up, and opens a valid position as a new game. `analysed` shows its values. */
export function endSetup(analysed) {
  const { setup } = page;
  const game = shownGame();
  page.setup = null;
  if (game !== page.game && analysed) [$("you").value, $("show").checked] = ["", true];
  if (game !== page.game) return void openGame(game);
  if (!setup.text) {
    page.draft = setup;
    notice("setup_left");
  }
  ask();
}

/** Waits until a move is played. The verdict on it comes later. */
export const settled = async () => { while (page.busy === true) await pause(TICK); };

/** Goes to the position with the index `index`, or `by` positions on (`stepped`). */
export async function go(index, by) {
  await settled();
  const { game } = page;
  if (page.replaying) return stopLine();
  const at = index ?? stepped(by);
  if (page.setup || page.busy || at < 0 || at > game.moves.length || at === game.at) return undefined;
  game.at = at;
  if (page.puzzle && !page.puzzle.done) tell("");
  return openGame(game);
}

/** Goes one move back (-1) or forward (1): against the solver, to the reader's next turn. */
export const step = (by) => go(undefined, by);

/** Plays a move. `by` is "reader" or "solver". */
export async function play(text, by = "reader") {
  const { puzzle } = page;
  let { game } = page;
  if (page.busy || page.replaying || (by === "reader" && (page.thinking || isOthers()))) return;
  const before = game.node;
  page.busy = true;
  begin("a move");
  let right = true;
  try {
    if (puzzle && !puzzle.done && by === "reader") right = await judge(text);
    if (page.game !== game || page.puzzle !== puzzle) return;
    page.hint = null;
    // In an analysis, the next move of the game keeps the game, and another move opens a copy.
    const analysis = !puzzle && !mySeat() && game.at < game.moves.length;
    if (!puzzle && !analysis) history.replaceState(history.state, "", Object.assign(Object.create(game), { moves: [...game.moves.slice(0, game.at), text], at: game.at + 1 }).address());
    await animated(text);
    if (page.game !== game || game.node !== before) return;
    if (analysis && game.moves[game.at] === text) game.at += 1;
    else {
      if (analysis) game = game.branch();
      game.play(text);
    }
    if (puzzle && !puzzle.done) {
      [page.placed, page.busy] = [undefined, "verdict"];
      show();
      if (by === "reader") await verdict(right);
      else if (game.node.over) await verdict(game.node.over.winners.includes(puzzle.seat));
      if (page.game !== game) return;
    }
  } finally {
    page.busy = false;
  }
  if (game.node.over && (mySeat() || !$("show").checked) && !page.puzzle) gameIsOver();
  await openGame(game);
}

/** Shows the values and the review after a game. */
function gameIsOver() {
  page.rematch = { game: page.game, you: mySeat() };
  $("show").checked = true;
  document.dispatchEvent(new CustomEvent("over"));
}

/** Animates a move: shows its marble, and then turns its quadrant. */
async function animated(text) {
  const { quadrant, clockwise, place } = parts(text);
  const placed = page.placed === place;
  page.placed = place;
  if (quadrant === undefined) return;
  show();
  if (!placed && !calm()) await pause(PLACED);
  await boardView.turn(quadrant, clockwise);
}

/** Shows a hint on the board: a marble and an arrow. */
export async function hint() {
  const { game, placed } = page;
  const { node } = game;
  if ($("hint").disabled) return;
  const isTask = page.puzzle && !page.puzzle.done;
  $("value").textContent = say("thinking");
  const text = isTask ? await solution() : (await perfect(game, { seconds: HINT, shown: page.answer?.moves && page.answer }))[0];
  // The reader may have gone on in the meantime.
  if (page.game !== game || game.node !== node || page.placed !== placed) return;
  if (!text) return void show();
  page.placed = undefined;
  page.hint = text;
  if (isTask) tell("hint_is", { move: text });
  show();
  announce(say("hint_is", { move: text }));
}

/** Plays a best line from the shown position on the board, and then returns to the game. */
export async function replay() {
  if (page.replaying) return stopLine();
  const { game } = page;
  const signal = begin("a line");
  page.replaying = game;
  page.game = game.branch();
  try {
    for (let i = 0; i < LINE && !page.game.node.over; i++) {
      const { node, rules } = page.game;
      const answer = await engine.values(rules, node.position, { distance: !slow(node), signal });
      page.answer = answer;
      show();
      if (answer.value === "unknown" && i > 0) break;
      const [best] = sorted(answer.moves ?? []);
      if (!best) break;
      await animated(best.move);
      signal.throwIfAborted();
      page.game.play(best.move);
      page.placed = undefined;
      page.answer = null;
      show();
      announce("");
      await pause(calm() ? SHOWN / 3 : SHOWN, signal);
    }
    await pause(2 * SHOWN, signal);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
  return page.replaying === game ? stopLine() : undefined;
}

/** Returns from a best line to the game. */
const stopLine = () => openGame(page.replaying);
