// Makes the puzzles of the page from games of its level 2 against itself, whose moves depend only
// on the seed:
//
//     for seed in $(seq 20); do node bench/puzzles.mjs 10 $seed; done | LC_ALL=C sort -k3n -k1
//
// A puzzle has exactly one winning move, which does not win at once, and other moves that draw.
// Each line of the output has the sockets from the top row down, the side to move, the number of
// plies to the win, and 1 if the first move is quiet. A dot is a free socket. A quiet move makes no
// row of four. At least every third puzzle has a quiet first move. The plies are the depth that a
// level needs to find the win.

import { engine } from "../tools/explorer/page/js/engine.js";
import { cells } from "../tools/explorer/page/js/game.js";
import { longest, playGame, prepare } from "./levels.mjs";

/**
 * The least number of marbles of a puzzle. Positions with this number are solved in tenths of a
 * second.
 */
const LEAST = 22;

const [count, seed] = process.argv.slice(2).map(Number);
const ask = (position, distance) => engine.core.ask("values", "pentago", position, distance, "0");

/** Returns a puzzle, or undefined if a position is none. */
function puzzle(position) {
  const { moves } = ask(position, "0");
  const of = (value) => moves.filter((move) => move.value === value);
  if (of("win").length !== 1 || !of("draw").length || of("win")[0].source === "rules") return undefined;
  const { distance, to_move } = ask(position, "1");
  return { position, distance, quiet: longest(of("win")[0].position, board, to_move) < 4 };
}

await prepare(seed);
const { board } = engine.board("pentago");
const found = { quiet: [], loud: [] };
const most = { quiet: count, loud: Math.floor((2 * count) / 3) };
const seen = new Set();
while (found.quiet.length + Math.min(found.loud.length, most.loud) < count) {
  const late = [];
  const game = await playGame("pentago", ["2", "2"]);
  for (const { position, over } of game.nodes) {
    if (!over && cells(position).filter(Boolean).length >= LEAST) late.push(position);
  }
  for (const position of late) {
    const made = seen.has(position) ? undefined : puzzle(position);
    seen.add(position);
    if (!made) continue;
    found[made.quiet ? "quiet" : "loud"].push(made);
    process.stderr.write(`${found.quiet.length} quiet, ${found.loud.length} others\n`);
    break;
  }
  engine.kept.clear();
  engine.glimpsed.clear();
}
const chosen = [...found.quiet, ...found.loud.slice(0, count - found.quiet.length)];
for (const { position, distance, quiet } of chosen) {
  const grid = cells(position).map((cell) => cell.toUpperCase() || ".").join("");
  console.log(`${grid} ${position.split(" ")[1]} ${distance} ${Number(quiet)}`);
}
