// Matches between the levels of the page's opponent, in node instead of a browser:
//
//     node bench/levels.mjs RULES GAMES SEED PLAYER PLAYER [check [ADDRESS]]
//
// A player is a level from 1 to 5, `greedy` or `random`. The greedy player wins if it can, and
// otherwise makes its longest row as long as possible. The players take turns to begin. The script
// prints the score of the first player as one line of JSON. With `check`, an engine also looks at
// each move of level 5: a move errs if the values before and after the move are known and differ.
// With the address of `pentago serve`, level 5 asks this server instead of the page's module.

import { fileURLToPath } from "node:url";
import { core } from "../tests/browser/core.mjs";
import { engine } from "../tools/explorer/page/js/engine.js";
import { Game, cells } from "../tools/explorer/page/js/game.js";
import { reply } from "../tools/explorer/page/js/play.js";

const folder = fileURLToPath(new URL("../tools/explorer/page", import.meta.url));
/** The longest time in seconds of a limited search. The page allows 8. */
const SECONDS = 1;

const { fetch } = globalThis;
// The page watches the progress of a slow server. A match needs no progress.
globalThis.EventSource ??= class { addEventListener() {} close() {} };

/**
 * Makes the page's engine use the module in this process, and the server at `address` if there is
 * one. Makes random numbers depend on a seed.
 */
export async function prepare(seed, address) {
  engine.server = Boolean(address);
  globalThis.fetch = !address ? fetch : ({ pathname, searchParams }, options) => {
    searchParams.set("seconds", SECONDS);
    return fetch(new URL(`${pathname.replace(/.*(?=\/api\/)/, "")}?${searchParams}`, address), options);
  };
  engine.core = await core(folder);
  await engine.core.openings();
  await engine.core.certificate();
  engine.fromWorker = async ([name, rules, position, distance, seconds]) =>
    engine.core.ask(name, rules, position, distance, String(Math.min(SECONDS, Number(seconds))));
  engine.kept.clear();
  engine.glimpsed.clear();
  let state = seed >>> 0;
  // Mulberry32.
  Math.random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the length of the longest row of marbles of a seat. */
export function longest(position, board, seat) {
  const grid = cells(position);
  const { rows, columns } = board;
  let most = 0;
  for (let i = 0; i < grid.length; i++) {
    for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
      let [row, column, length] = [Math.floor(i / columns), i % columns, 0];
      while (row < rows && column >= 0 && column < columns && grid[row * columns + column] === seat) {
        [row, column, length] = [row + down, column + right, length + 1];
      }
      most = Math.max(most, length);
    }
  }
  return most;
}

/** Returns the move of a player. */
async function choose(game, player) {
  const { node, sheet } = game;
  const any = (list) => list[Math.floor(Math.random() * list.length)];
  if (player === "random") return any(node.moves).move;
  if (player !== "greedy") return reply(game, player);
  const wins = node.moves.filter(({ over }) => over?.winners.includes(node.toMove));
  if (wins.length) return any(wins).move;
  const rated = node.moves.map((move) => [longest(move.position, sheet.board, node.toMove), move]);
  const most = Math.max(...rated.map(([length]) => length));
  return any(rated.filter(([length]) => length === most)).at(1).move;
}

/** Plays one game. Calls `moved` after each move, with the positions before and after it. */
export async function playGame(rules, players, moved = () => {}) {
  const game = new Game(engine, engine.board(rules));
  while (!game.node.over) {
    const before = game.node;
    const player = players[game.moves.length % 2];
    game.play(await choose(game, player));
    moved(before, game.node, player);
  }
  return game;
}

/** Returns the points of a position for its side to move, or undefined if the value is unknown. */
export function points(rules, { position, over, toMove }) {
  const { value } = engine.core.ask("values", rules, position, "0", "2");
  if (over) return over.winners.length ? Number(over.winners.includes(toMove)) : 0.5;
  return { win: 1, draw: 0.5, loss: 0 }[value];
}

/** Plays a match. Returns the score of the first player, and the checked moves of level 5. */
export async function match(rules, games, [first, second], check) {
  let [score, checked] = [0, 0];
  const errors = [];
  const moved = (before, after, player) => {
    if (!check || player !== "5") return;
    const [was, is] = [points(rules, before), points(rules, after)];
    if (was === undefined || is === undefined) return;
    checked += 1;
    if (1 - is < was) errors.push(`${before.position}: ${after.last}`);
  };
  for (let i = 0; i < games; i++) {
    const game = await playGame(rules, i % 2 ? [second, first] : [first, second], moved);
    const { winners } = game.node.over;
    score += winners.length ? Number(winners.includes(game.nodes[i % 2].toMove)) : 0.5;
    engine.kept.clear();
    engine.glimpsed.clear();
  }
  return { rules, games, first, second, score, ...(check && { checked, errors }) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rules, games, seed, first, second, check, address] = process.argv.slice(2);
  await prepare(Number(seed), address);
  console.log(JSON.stringify(await match(rules, Number(games), [first, second], check)));
}
