// The solver as an opponent, from a beginner to one that never gives a known value away.

import { engine } from "./engine.js";
import { cells } from "./game.js";

/** Values from the best to the worst for the side to move. */
const RANK = { win: 0, draw: 1, unknown: 2, loss: 3 };

/** Whether a move is better than another: by value, then the better guess, the shorter win or the longer loss. */
export function isBetter(a, b) {
  if (RANK[a.value] !== RANK[b.value]) return RANK[a.value] < RANK[b.value];
  const [x, y] = [a.distance ?? Infinity, b.distance ?? Infinity];
  if (a.guess !== b.guess) return (a.guess ?? 0) > (b.guess ?? 0);
  return a.value === "loss" ? x > y : x < y;
}

/** Moves from the best to the worst. */
export const sorted = (moves) => [...moves].sort((a, b) => (isBetter(a, b) ? -1 : isBetter(b, a) ? 1 : 0));

/**
 * What each level sees: plies ahead, seconds for what isn't solved, and how far its guesses are off. The
 * first two look at the rules alone.
 */
const LEVELS = {
  1: { ahead: 1 },
  2: { ahead: 2 },
  3: { ahead: 4, seconds: 0, blur: 0.1 },
  4: { ahead: 8, seconds: 1, blur: 0 },
  5: { ahead: Infinity },
};
export const levels = Object.keys(LEVELS);
/** Moves that are looked at for one that doesn't lose at once: all of Pentago's, and of Pente's. */
const LOOKED_AT = 400;
/** From so many marbles on plies to the end come quickly. */
const LATE = 19;

const any = (list) => list[Math.floor(Math.random() * list.length)];

function shuffled(list) {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

/** Whether somebody else can end the game with a win right after a move. */
function losesAtOnce(game, move) {
  if (move.over) return move.over.winners.length > 0 && !move.over.winners.includes(game.node.toMove);
  const next = engine.look(game.rules, move.position);
  return Boolean(next.moves?.some(({ over }) => over?.winners.length && !over.winners.includes(game.node.toMove)));
}

/** A move after which nobody else wins at once, if one is found. */
async function careful(game, moves, signal) {
  for (const [i, move] of moves.slice(0, LOOKED_AT).entries()) {
    if (!losesAtOnce(game, move)) return move.move;
    // The page stays alive meanwhile.
    if (i % 4 === 3) await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
  }
  return moves[0].move;
}

/** The move that the solver plays at a level; nothing if it has no answer. */
export async function reply(game, level, signal, progress) {
  const { node, rules } = game;
  const { ahead, seconds, blur } = LEVELS[level];
  const wins = node.moves.filter(({ over }) => over?.winners.includes(node.toMove));
  if (wins.length && ahead < Infinity) return any(wins).move;
  if (ahead === 1) return any(node.moves).move;
  if (ahead === 2) return careful(game, shuffled(node.moves), signal);
  const marbles = cells(node.position, game.sheet.board).filter(Boolean).length;
  const distance = marbles >= LATE || game.sheet.board.rows < 6;
  if (ahead === Infinity) {
    const answer = await engine.values(rules, node.position, { distance, signal, progress });
    if (!answer.moves?.length) return careful(game, shuffled(node.moves), signal);
    const [first] = sorted(answer.moves);
    return any(answer.moves.filter((move) => !isBetter(first, move))).move;
  }
  const answer = await engine.values(rules, node.position, { distance, signal, seconds, here: true });
  const far = ({ distance, found }) => (distance ?? found?.within ?? Infinity) > ahead;
  const worth = (move) => {
    if (!far(move) && move.value === "win") return 2;
    if (!far(move) && move.value === "loss") return -1;
    return (move.guess ?? 0.5) + blur * (2 * Math.random() - 1);
  };
  const valued = shuffled(answer.moves ?? []).map((move) => [worth(move), move]).sort(([a], [b]) => b - a);
  if (!valued.length) return careful(game, shuffled(node.moves), signal);
  if (valued[0][0] >= 2) return valued[0][1].move;
  const legal = new Map(node.moves.map((move) => [move.move, move]));
  return careful(game, valued.map(([, { move }]) => legal.get(move)), signal);
}
