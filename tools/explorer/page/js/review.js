// A game reviewed: what each of its moves did with the value, how much of it each side kept, and the
// moments to learn from. Nothing is said of a move whose value, or whose position's, isn't known.

import { engine } from "./engine.js";

/** What a value is worth to the side to move. */
const WORTH = { win: 1, draw: 0.5, loss: 0 };
/** Seconds for a position that can't be solved to the end: first a glance at all of them, then more. */
const SECONDS = [0, 1];
/** What stands behind a move in the list. */
export const GLYPHS = { win_lost: "??", draw_lost: "?", only: "!", best: "\u2713", good: "" };

/** What a move did, of which the position's answer tells: nothing if that isn't known. */
export function markOf(answer, text) {
  const move = answer?.moves?.find(({ move }) => move === text);
  const [before, after] = [WORTH[answer?.value], WORTH[move?.value]];
  if (before === undefined || after === undefined) return null;
  const least = Math.min(...answer.moves.map(({ value }) => WORTH[value] ?? before));
  const mark = { before, lost: before - after, best: answer.best ?? [] };
  if (after < before) mark.name = answer.value === "win" ? "win_lost" : "draw_lost";
  // Where every move has the same value there is nothing to choose.
  else if (before === least) mark.name = "good";
  else if (answer.moves.filter(({ value }) => value === answer.value).length === 1) mark.name = "only";
  else mark.name = mark.best.includes(text) ? "best" : "good";
  return mark;
}

/** The marks of all moves of a game, as far as they are known. */
export const marks = (game) => game.moves.map((text, i) => markOf(engine.seen(game.rules, game.nodes[i].position), text));

/**
 * For each seat that has judged moves: its mistakes, and of the points that it held before them (a won
 * position is 1, a drawn one a half) the part that was left after them; none if it held nothing.
 */
export function accuracy(game) {
  const seats = new Map();
  for (const [i, mark] of marks(game).entries()) {
    if (!mark) continue;
    const { toMove } = game.nodes[i];
    const sum = seats.get(toMove) ?? { lost: 0, held: 0, judged: 0, mistakes: [] };
    sum.lost += mark.lost;
    sum.held += mark.before;
    sum.judged += 1;
    if (mark.lost > 0) sum.mistakes.push(i);
    seats.set(toMove, sum);
  }
  for (const sum of seats.values()) sum.kept = sum.held === 0 ? null : 1 - sum.lost / sum.held;
  return seats;
}

/** Asks about the positions of a game that nothing is known of, from the last on: those are solved soonest. */
export async function review(game, signal, each) {
  for (const seconds of SECONDS) {
    for (const node of [...game.nodes].reverse()) {
      signal.throwIfAborted();
      const seen = engine.seen(game.rules, node.position);
      if (node.over || (seen && (seen.value !== "unknown" || (seen.given ?? Infinity) >= seconds))) continue;
      await engine.values(game.rules, node.position, { signal, seconds });
      each();
    }
  }
}
