// The solver as an opponent: five levels, from a beginner to perfect play.

import { engine, pause } from "./engine.js";
import { cells } from "./game.js";

/** The rank of each value for the side to move: 0 is the best. */
const RANK = { win: 0, draw: 1, unknown: 2, loss: 3 };

/** Returns the known number of plies to the end after a move, or an upper bound on it. */
export const plies = ({ source, distance, found }) => (source === "rules" ? 1 : distance ?? found?.within ?? Infinity);

/**
 * Returns `true` if move `a` is better than `b`: by value, then by the shorter win or the longer
 * loss, then by guess.
 */
export function isBetter(a, b) {
  if (RANK[a.value] !== RANK[b.value]) return RANK[a.value] < RANK[b.value];
  const [x, y] = [plies(a), plies(b)];
  if (x !== y && a.value === "win") return x < y;
  if (x !== y && a.value === "loss") return x > y;
  return (a.guess ?? 0) > (b.guess ?? 0);
}

/** Returns the best moves of an answer, or no moves if nothing is known or guessed of any move. */
export function advised(answer) {
  if (!answer?.moves?.length) return [];
  const best = answer.moves.reduce((a, b) => (isBetter(b, a) ? b : a));
  if (best.value === "unknown" && best.guess === undefined) return [];
  return answer.moves.filter((move) => !isBetter(best, move)).map(({ move }) => move);
}

/** Returns the moves from the best to the worst. */
export const sorted = (moves) => [...moves].sort((a, b) => (isBetter(a, b) ? -1 : isBetter(b, a) ? 1 : 0));

/**
 * The strength of each level: `ahead` is the number of plies that it sees, `seconds` the time of a
 * limited search, and `blur` the maximum error of its guesses, relative to their spread. In Pentago
 * XL, the maximum error is `xl`. The first two levels use only the
 * rules. In matches (bench/levels.mjs), each level scores at least 60% against the level below.
 */
const LEVELS = {
  1: { ahead: 1 },
  2: { ahead: 2 },
  3: { ahead: 2, seconds: 0, blur: 2, xl: 8 },
  4: { ahead: 4, seconds: 0, blur: 0.1 },
  5: { ahead: Infinity },
};
export const levels = Object.keys(LEVELS);
/** The number of moves that are tested for an immediate loss: more than Pentago or Pente has. */
const LOOKED_AT = 400;
/** The number of marbles from which distances are quick to compute. */
const LATE = 19;
/** The plies to an end that a quick search finds. */
const NEAR = 3;
/** The time in seconds of a search for the longest resistance or the shortest win. */
const LENGTHS = 2;

const any = (list) => list[Math.floor(Math.random() * list.length)];

function shuffled(list) {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

/** Returns `true` if another seat can win immediately after a move. */
function losesAtOnce(game, move) {
  if (move.over) return move.over.winners.length > 0 && !move.over.winners.includes(game.node.toMove);
  const next = engine.look(game.rules, move.position);
  return Boolean(next.moves?.some(({ over }) => over?.winners.length && !over.winners.includes(game.node.toMove)));
}

/**
 * Returns the first move after which no other seat wins immediately. If there is none, returns the
 * first move that does not end the game.
 */
async function careful(game, moves, signal) {
  for (const [i, move] of moves.slice(0, LOOKED_AT).entries()) {
    if (!losesAtOnce(game, move)) return move.move;
    // Let the page handle events between the tests.
    if (i % 4 === 3) await pause(0);
    signal?.throwIfAborted();
  }
  return (moves.find(({ over }) => !over) ?? moves[0]).move;
}

/**
 * The expected score of a move without a guess, by its value. A level does not see the win or loss
 * itself, because the end of the game is too far away.
 */
const FAR = { win: 0.8, draw: 0.5, loss: 0.2, unknown: 0.5 };
const expected = ({ guess, value }) => guess ?? FAR[value];

/** Returns how far the best expected score of moves exceeds the mean. */
function spread(moves) {
  const guesses = moves.map(expected);
  return Math.max(...guesses) - guesses.reduce((sum, guess) => sum + guess, 0) / guesses.length;
}

/** Returns `true` if the distances of a position are quick to compute. */
const isLate = ({ node, sheet }) => sheet.board.rows < 6 || cells(node.position).filter(Boolean).length >= LATE;

/**
 * Returns the best moves of a position, as far as they can be found, or the error of the engine. If
 * nothing is known or guessed of any move, chooses a move by the opponent of the module. `shown` is
 * an answer that the page has already.
 */
export async function perfect(game, { shown, ...options }) {
  const { node, rules } = game;
  const distance = isLate(game);
  let answer = shown ?? await engine.values(rules, node.position, { distance, ...options });
  if (answer.error) return answer;
  const length = (move) => plies(answer.moves.find((known) => known.move === move));
  const decided = answer.value === "loss" || (answer.value === "win" && answer.source !== "published");
  if (decided && advised(answer).every((move) => length(move) === Infinity)) {
    const lengths = await engine.values(rules, node.position, { ...options, distance: true, seconds: LENGTHS, here: true });
    if (lengths.value === answer.value) answer = lengths;
  }
  const best = advised(answer);
  if (best.length) return best;
  const { move } = await engine.fromWorker(["think", rules, node.position, String(LENGTHS)], options.signal);
  return move ? [move] : answer.moves.map(({ move }) => move);
}

/** Returns the solver's move at a level. Calls `failed` with the error if the solver has ended. */
export async function reply(game, level, signal, progress, failed = () => {}) {
  const { node, rules } = game;
  const { ahead, seconds, blur, xl = blur } = LEVELS[level];
  const wins = node.moves.filter(({ over }) => over?.winners.includes(node.toMove));
  if (wins.length) return any(wins).move;
  if (ahead === 1) return any(node.moves).move;
  if (ahead === 2 && !blur) return careful(game, shuffled(node.moves), signal);
  const legal = new Map(node.moves.map((move) => [move.move, move]));
  const instead = (answer) => {
    failed(answer);
    return careful(game, shuffled(node.moves), signal);
  };
  if (ahead === Infinity) {
    const best = await perfect(game, { signal, progress });
    return best.error ? instead(best) : any(best);
  }
  const answer = await engine.fromWorker(["guesses", rules, node.position, isLate(game) ? "1" : "0", String(seconds)], signal);
  if (answer.error) return instead(answer);
  const error = (rules.startsWith("xl") ? xl : blur) * spread(answer.moves);
  const worth = (move) => {
    // A quick search that knows no distance has found the end near by.
    const length = plies(move) === Infinity && move.source === "solved" ? NEAR : plies(move);
    if (length <= ahead && move.value === "win") return 2;
    if (length <= ahead && move.value === "loss") return -2 + length / 100;
    return expected(move) + error * (2 * Math.random() - 1);
  };
  const valued = shuffled(answer.moves).map((move) => [worth(move), move]).sort(([a], [b]) => b - a);
  if (valued[0][0] >= 2) return valued[0][1].move;
  return careful(game, valued.map(([, { move }]) => legal.get(move)), signal);
}
