// Tests of the installed package in node.

import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "pentago-solver";

const pentago = await load();

test("a position is solved", () => {
  const answer = pentago.solve("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o", { distance: true });
  assert.deepEqual([answer.value, answer.best, answer.distance], ["win", ["b1/3+"], 7]);
  assert.equal(answer.moves.length, pentago.look(answer.position).moves.length);
  // The opponent's value after the best move is the opposite.
  const { position } = answer.moves.find(({ move }) => move === "b1/3+");
  assert.equal(pentago.solve(position).value, "loss");
});

test("the first moves are known", () => {
  const answer = pentago.solve("6/6/6/6/6/6 x");
  assert.deepEqual([answer.value, answer.source, answer.moves.length], ["win", "published", 288]);
});

test("other games are played", () => {
  assert.equal(pentago.solve("5/1O3/1OX2/2XO1/4X x", { rules: "pente:n=5,k=4,opening=free" }).value, "win");
  assert.ok(pentago.presets().length >= 9);
  assert.deepEqual([pentago.rules("xl").board.rows, pentago.rules("mini").title], [9, "Mini-Pentago"]);
});

test("text is parsed", () => {
  const { moves, position } = pentago.read("1. c4/2+ d3/1- 2. a1/4+");
  assert.deepEqual(moves, ["c4/2+", "d3/1-", "a1/4+"]);
  assert.equal(pentago.look(position).to_move, "o");
  const drawn = pentago.random({ marbles: 20, seed: 7 });
  assert.equal(drawn, pentago.random({ marbles: 20, seed: 7 }));
  assert.equal(pentago.look(drawn).over, null);
});

test("bad input is an error", () => {
  assert.throws(() => pentago.solve("nonsense"), /not a position/);
  assert.throws(() => pentago.look("6/6/6/6/6/6 x", { rules: "chess" }), /unknown rules/);
  assert.throws(() => pentago.solve("6/6/6/6/6/6 x\0"), /zero byte/);
});

test("it loads from bytes, and without the openings", async () => {
  const { readFile } = await import("node:fs/promises");
  const wasm = await readFile(new URL(import.meta.resolve("pentago-solver/pentago.wasm")));
  const bare = await load({ wasm: await WebAssembly.compile(wasm), openings: false });
  assert.equal(bare.look("6/6/6/6/6/6 x").moves.length, 288);
  await assert.rejects(load({ openings: new Uint8Array([1, 2, 3]) }));
});
