// The review of a game: the mark of each move, the accuracy of each side, and the mistakes. A move
// has no mark if its value or the value of the position is unknown.

import { engine, isComplete } from "./engine.js";
import { advised } from "./play.js";

/** The points of each value for the side to move. */
const WORTH = { win: 1, draw: 0.5, loss: 0 };
/**
 * The passes of a review over a game. The first pass is quick and runs in the browser. The second
 * pass takes up to a second for each position.
 */
export const PASSES = [{ seconds: 0, here: true }, { seconds: 1 }];
/** The glyph of each mark in the list of moves. */
export const GLYPHS = { win_lost: "??", draw_lost: "?", only: "!", best: "\u2713", good: "" };

/**
 * Returns the mark of the move with the index `at`, or null if a value is unknown. If the value of
 * the move is unknown, uses the value of the next position.
 */
export function markOf(game, at) {
  const [text, node, next] = [game.moves[at], game.nodes[at], game.nodes[at + 1]];
  const answer = engine.seen(game.rules, node.position);
  const move = answer?.moves?.find(({ move }) => move === text);
  const before = WORTH[answer?.value];
  // Every move loses in a lost position.
  let after = before === 0 ? 0 : WORTH[move?.value];
  const hasTwo = game.sheet.board.seats.length === 2;
  if (after === undefined && !next.over && hasTwo) after = 1 - WORTH[engine.seen(game.rules, next.position)?.value];
  if (before === undefined || after === undefined || Number.isNaN(after)) return null;
  const least = Math.min(...answer.moves.map(({ value }) => WORTH[value] ?? before));
  const isKnown = (name) => answer.moves.find(({ move }) => move === name).value === answer.value;
  const mark = { before, lost: before - after, best: advised(answer).filter(isKnown) };
  if (after < before) mark.name = answer.value === "win" ? "win_lost" : "draw_lost";
  // If all moves have the same value, no move deserves praise.
  else if (before === least) mark.name = "good";
  else if (answer.moves.filter(({ value }) => [answer.value, "unknown"].includes(value)).length === 1) mark.name = "only";
  else mark.name = mark.best.includes(text) ? "best" : "good";
  return mark;
}

/** Returns the marks of all moves of a game. A mark is null if unknown. */
export const marks = (game) => game.moves.map((_, i) => markOf(game, i));

/**
 * Converts the points of a seat to the value for the first seat, from -1 to 1. undefined if the
 * points of another side say nothing about it.
 */
export function forFirst({ seats: [first], teams }, seat, points) {
  if (teams.get(seat) === teams.get(first)) return 2 * points - 1;
  return new Set(teams.values()).size === 2 || points === 1 ? 1 - 2 * points : undefined;
}

/**
 * Returns the value of each position for the first seat: 1 for a win, 0 for a draw, -1 for a loss.
 * undefined if unknown.
 */
export function valuesOf({ nodes, rules, sheet }, marks) {
  const [first] = sheet.board.seats;
  return nodes.map(({ over, position, toMove }, i) => {
    if (over) return over.winners.length ? (over.winners.includes(first) ? 1 : -1) : 0;
    const points = WORTH[engine.seen(rules, position)?.value];
    if (points !== undefined) return forFirst(sheet.board, toMove, points);
    return marks[i - 1] ? forFirst(sheet.board, nodes[i - 1].toMove, marks[i - 1].before - marks[i - 1].lost) : undefined;
  });
}

/**
 * Returns the mistakes and the accuracy (`kept`) of each seat, or nothing if no move is judged. The
 * accuracy is the share of points that the moves kept: a won position has 1 point, a drawn one 0.5.
 * null for 0 points. No move raises the value for its own seat. So if the value falls for a seat
 * across moves without marks, this seat made a mistake among them, which `unseen` counts.
 */
export function accuracy(game) {
  const { seats } = game.sheet.board;
  const all = marks(game);
  const sums = new Map(game.nodes.slice(0, -1).map(({ toMove }) => [toMove, { lost: 0, held: 0, judged: 0, moves: 0, unseen: 0, mistakes: [] }]));
  for (const [i, mark] of all.entries()) {
    const sum = sums.get(game.nodes[i].toMove);
    sum.moves += 1;
    if (!mark) continue;
    sum.judged += 1;
    sum.held += mark.before;
    sum.lost += mark.lost;
    if (mark.lost > 0) sum.mistakes.push(i);
  }
  let last;
  for (const [i, value] of seats.length === 2 ? valuesOf(game, all).entries() : []) {
    const sum = sums.get(seats[value < last ? 0 : 1]);
    const lost = Math.abs(value - last) / 2;
    if (sum && lost > 0 && !all[i - 1]) {
      sum.unseen += 1;
      sum.held += (1 + (value < last ? last : -last)) / 2;
      sum.lost += lost;
    }
    last = value ?? last;
  }
  for (const sum of sums.values()) sum.kept = sum.held === 0 ? null : 1 - sum.lost / sum.held;
  return [...sums.values()].some(({ judged, unseen }) => judged || unseen) ? sums : new Map();
}

/**
 * Requests the missing values of a game, from the last position to the first: late positions are
 * solved faster. Calls `each` after each answer.
 */
export async function review(game, pass, signal, each) {
  for (const node of [...game.nodes].reverse()) {
    signal.throwIfAborted();
    const seen = engine.seen(game.rules, node.position);
    if (node.over || (seen && (isComplete(seen) || (seen.given ?? Infinity) >= pass.seconds))) continue;
    await engine.values(game.rules, node.position, { ...pass, signal });
    each();
  }
}
