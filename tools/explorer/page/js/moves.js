// What is asked about the shown position, and what is played in it.

import { engine } from "./engine.js";
import { Game, cells, parts } from "./game.js";
import { $, notice, page, seatName, valueText, valuesShown } from "./page.js";
import { reply, sorted } from "./play.js";
import { defence, judge, solution, verdict } from "./puzzle.js";
import { review } from "./review.js";
import { beginSetup } from "./setup.js";
import { boardView, show, showReview } from "./show.js";
import { announce, showProgress } from "./status.js";
import { say } from "./words.js";

/** How long the solver seems to think at least, and how long a move of a best line is shown, in milliseconds. */
const THINKING = 350;
const SHOWN = 900;
/** Moves of a best line that are played at most. */
const LINE = 36;
/** Seconds for a hint where nothing can be solved to the end. */
const HINT = 2;

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const ended = (reason) => new DOMException(reason, "AbortError");

/** Ends what is asked, and begins anew. */
export function begin(reason) {
  page.asking?.abort(ended(reason));
  page.asking = new AbortController();
  return page.asking.signal;
}

/** Asks for what is to be shown of the position: the opponent's move, or its values, and then those of the game. */
export async function ask() {
  const signal = begin("another position");
  const { game } = page;
  const { node, rules } = game;
  page.answer = node.over ? null : engine.known(rules, node.position, false) ?? null;
  page.thinking = isOpponent() || isDefender();
  show();
  // A reload changes neither side nor what is seen.
  history.replaceState({ you: $("you").value, show: $("show").checked }, "");
  if (page.setup || page.home || page.replaying) return;
  try {
    if (page.thinking) return await opponentMoves(signal);
    if (!node.over && (valuesShown() || page.puzzle)) await values(node, rules, signal);
    if (valuesShown() && game.moves.length && !page.puzzle) await review(game, signal, showReview);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

/** The values of the shown position: first without distances, which are quick to add. */
async function values(node, rules, signal) {
  for (const distance of $("distances").checked && valuesShown() && !slow(node) ? [false, true] : [false]) {
    const progress = (state) => { if (!signal.aborted && !page.answer && valuesShown()) showProgress(state); };
    const answer = await engine.values(rules, node.position, { distance, signal, progress });
    signal.throwIfAborted();
    if (answer.error && page.answer) break;
    page.answer = answer;
    show();
    if (!distance) announce(valuesShown() ? valueText(answer.error ? { value: "unknown" } : answer) : "");
    if (answer.error || answer.value === "unknown") break;
  }
}

/** Whether distances would take long: they cost twice the time. */
function slow(node) {
  const { board } = page.game.sheet;
  const marbles = cells(node.position, board).filter(Boolean).length;
  return board.game === "pentago" && board.rows === 6 && marbles < (engine.server ? 17 : 19);
}

/** Whether the shown position is the game's last, and it goes on. */
const isLast = () => !page.setup && !page.home && !page.replaying && !page.game.node.over && page.game.at === page.game.moves.length;

const isOpponent = () => isLast() && !page.puzzle && $("you").value !== "" && $("you").value !== page.game.node.toMove;

/** Whether the solver defends in a puzzle. */
const isDefender = () => isLast() && Boolean(page.puzzle) && !page.puzzle.done && page.game.at > 0 && page.puzzle.seat !== page.game.node.toMove;

async function opponentMoves(signal) {
  announce(say("thinking"));
  const began = performance.now();
  const progress = (state) => { if (!signal.aborted) showProgress(state); };
  const move = page.puzzle ? await defence(signal) : await reply(page.game, $("strength").value, signal, progress);
  await pause(calm() ? 0 : Math.max(0, THINKING - (performance.now() - began)));
  signal.throwIfAborted();
  page.thinking = false;
  if (move) await play(move, "solver");
  else show();
}

/** Offers the seats of a game; whoever plays one goes on with that in the same place. */
export function fillSeats(seats) {
  const you = $("you");
  const chosen = Math.max(0, you.selectedIndex);
  you.replaceChildren(...["", ...seats].map((seat) => new Option(seat ? seatName(seat) : say("both_sides"), seat)));
  you.selectedIndex = Math.min(chosen, seats.length);
}

/** Shows another game or another of its positions. */
export function openGame(game, push = true) {
  boardView.settle();
  if (page.game?.sheet !== game.sheet) fillSeats(game.sheet.board.seats);
  page.game = game;
  page.replaying = null;
  if (page.home) {
    page.home = false;
    boardView.crop(false);
    scrollTo(0, 0);
  }
  page.placed = undefined;
  page.hint = null;
  page.setup = null;
  if (!$("setup").hidden) beginSetup();
  const address = game.address(page.puzzle && !page.puzzle.back && game.at === 0 ? page.puzzle.kind : undefined);
  if (push) notice();
  if (push && location.hash !== address) history.pushState(null, "", address);
  return ask();
}

/** The position that was set up becomes a game. */
export function endSetup() {
  const { setup, game } = page;
  if (!setup) return;
  page.setup = null;
  if (setup.text && setup.text !== game.node.position) return void openGame(new Game(engine, game.sheet, setup.text));
  if (!setup.text) notice("setup_left");
  ask();
}

export function go(at) {
  const { game } = page;
  if (page.replaying) return stopLine();
  if (page.setup) return undefined;
  if (at < 0 || at > game.moves.length || at === game.at) return undefined;
  game.at = at;
  return openGame(game);
}

/** Goes a move back (-1) or forth: where the solver plays, too, to where it is the reader's turn. */
export function step(by) {
  const { game, puzzle } = page;
  const me = puzzle && !puzzle.done ? puzzle.seat : $("you").value;
  let at = game.at + by;
  while (me && at > 0 && at < game.moves.length && game.nodes[at].toMove !== me) at += by;
  return go(at);
}

/** Plays a move of the reader, or of the solver. */
export async function play(text, by = "reader") {
  const { game, puzzle } = page;
  if (page.busy || page.replaying || (page.thinking && by === "reader")) return;
  const before = game.node;
  page.busy = true;
  begin("a move");
  let right = true;
  try {
    if (puzzle && !puzzle.done && by === "reader") right = await judge(text);
    if (page.game !== game || page.puzzle !== puzzle) return;
    page.hint = null;
    await animated(text);
    if (page.game !== game || game.node !== before) return;
    game.play(text);
    if (puzzle && !puzzle.done) {
      page.placed = undefined;
      show();
      if (by === "reader") await verdict(right);
      else if (game.node.over) await verdict(game.node.over.winners.includes(puzzle.seat));
      if (page.game !== game) return;
    }
  } finally {
    page.busy = false;
  }
  if (game.node.over && $("you").value && !page.puzzle) gameIsOver();
  await openGame(game);
}

/** A game against the solver is over: it is reviewed now, with its values. */
function gameIsOver() {
  page.rematch = { game: page.game, you: $("you").value };
  $("show").checked = true;
  $("you").value = "";
  document.dispatchEvent(new CustomEvent("over"));
}

/** Shows a move's marble and turns its quadrant. */
async function animated(text) {
  const { quadrant, clockwise, place } = parts(text);
  page.placed = place;
  if (quadrant === undefined) return;
  show();
  await boardView.turn(quadrant, clockwise);
}

/** Shows one move on the board, once: a marble and an arrow. */
export async function hint() {
  const { game } = page;
  const { node, rules } = game;
  if ($("hint").disabled) return;
  let text;
  if (page.puzzle && !page.puzzle.done) text = await solution();
  else {
    $("to-move").textContent = say("thinking");
    const known = page.answer?.moves ? page.answer : null;
    const answer = known ?? await engine.values(rules, node.position, { seconds: HINT });
    text = answer.best?.[0] ?? sorted(answer.moves ?? [])[0]?.move;
  }
  if (page.game !== game || game.node !== node) return;
  if (!text) return void show();
  page.placed = undefined;
  page.hint = text;
  show();
  announce(say("hint_is", { move: text }));
}

/** Plays the best moves of both sides on the board from here, and comes back. */
export async function replay() {
  if (page.replaying) return stopLine();
  const { game } = page;
  const signal = begin("a line");
  page.replaying = game;
  page.game = game.branch();
  const wait = async (milliseconds) => {
    await pause(milliseconds);
    signal.throwIfAborted();
  };
  try {
    for (let i = 0; i < LINE && !page.game.node.over; i++) {
      const { node, rules } = page.game;
      const answer = await engine.values(rules, node.position, { distance: !slow(node), signal });
      if (answer.value === "unknown" && i > 0) break;
      const [best] = sorted(answer.moves ?? []);
      if (!best) break;
      await animated(best.move);
      signal.throwIfAborted();
      page.game.play(best.move);
      page.placed = undefined;
      page.answer = null;
      show();
      announce(seatName(node.toMove));
      await wait(calm() ? SHOWN / 3 : SHOWN);
    }
    await wait(2 * SHOWN);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
  return page.replaying === game ? stopLine() : undefined;
}

/** Comes back from a best line. */
const stopLine = () => openGame(page.replaying);
