// What is asked about the shown position, and what is played in it.

import { engine } from "./engine.js";
import { cells, parts } from "./game.js";
import { $, page, valueText, valuesShown } from "./page.js";
import { reply } from "./play.js";
import { judge } from "./puzzle.js";
import { boardView, show } from "./show.js";
import { announce, showProgress } from "./status.js";

/** How long the solver seems to think, in milliseconds. */
const THINKING = 350;

/** Asks for the values of the shown position: first without distances, which are quick to add. */
export async function ask() {
  page.asking?.abort(new DOMException("another position", "AbortError"));
  const asking = new AbortController();
  page.asking = asking;
  const { game } = page;
  const { node, rules } = { node: game.node, rules: game.rules };
  page.answer = node.over ? null : engine.known(rules, node.position, false) ?? null;
  show();
  if (node.over || page.setup || !(valuesShown() || isOpponent())) return;
  try {
    for (const distance of $("distances").checked && !slow(node) ? [false, true] : [false]) {
      const progress = (state) => { if (page.asking === asking && !page.answer && valuesShown()) showProgress(state); };
      const answer = await engine.values(rules, node.position, { distance, signal: asking.signal, progress });
      if (page.asking !== asking) return;
      if (answer.error && page.answer) break;
      page.answer = answer;
      show();
      if (!distance) announce(valuesShown() ? valueText(answer.error ? { value: "unknown" } : answer) : "");
      if (answer.error || answer.value === "unknown") break;
    }
    if (isOpponent()) await opponentMoves(asking.signal);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

/** Whether distances would take long: they cost twice the time. */
function slow(node) {
  const { board } = page.game.sheet;
  const marbles = cells(node.position, board).filter(Boolean).length;
  return board.game === "pentago" && board.rows === 6 && marbles < (engine.server ? 17 : 19);
}

const isOpponent = () =>
  !page.setup && !page.puzzle && !page.game.node.over && page.game.at === page.game.moves.length
  && $("opponent").value === page.game.node.toMove;

async function opponentMoves(signal) {
  await new Promise((resolve) => setTimeout(resolve, THINKING));
  if (signal.aborted || !isOpponent()) return;
  const move = reply(page.game.node, page.answer, Number($("mistakes").value) / 100);
  if (move) await play(move);
}

/** Shows another game or another of its positions. */
export function openGame(game, push = true) {
  boardView.settle();
  page.game = game;
  page.placed = undefined;
  page.hinted = false;
  page.setup = null;
  if (push && location.hash !== game.address()) history.pushState(null, "", game.address());
  return ask();
}

export function go(at) {
  const { game } = page;
  if (at < 0 || at > game.moves.length || at === game.at) return;
  game.at = at;
  openGame(game);
}

export async function play(text) {
  const { game } = page;
  if (page.busy) return;
  const { quadrant, clockwise, place } = parts(text);
  const before = game.node;
  page.busy = true;
  page.asking?.abort(new DOMException("a move", "AbortError"));
  try {
    const judged = page.puzzle && judge(text);
    page.placed = place;
    if (quadrant !== undefined) {
      show();
      await boardView.turn(quadrant, clockwise);
    }
    if (page.game !== game || game.node !== before) return;
    game.play(text);
    if (judged) page.hinted = true;
  } finally {
    page.busy = false;
  }
  const hinted = page.hinted;
  const shown = openGame(game);
  page.hinted = hinted && Boolean(page.puzzle);
  if (page.hinted) show();
  await shown;
}
