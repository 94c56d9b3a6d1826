// The solver for web pages and node: a WebAssembly module that is loaded once and queried often.

import { start } from "./wasm.js";

/** Returns the bytes of a file in this module's folder. */
async function sibling(name) {
  const url = new URL(name, import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.arrayBuffer();
}

/** Loads the solver: its module and the values of the first moves. */
export async function load({ wasm, openings } = {}) {
  const core = await start(wasm ?? (await sibling("pentago.wasm")));
  if (openings !== false) {
    const given = openings ?? (await sibling("openings.bin"));
    const values = ArrayBuffer.isView(given) ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength) : new Uint8Array(given);
    if (!core.take("openings", values)) throw new Error("openings.bin is damaged");
  }
  return new Pentago(core);
}

/** The solver. Its methods compute in the calling thread: call them in a worker on a page. */
export class Pentago {
  #core;

  constructor(core) {
    this.#core = core;
  }

  #ask(...texts) {
    if (texts.some((text) => text.includes("\0"))) throw new Error("an argument contains a zero byte");
    const answer = this.#core.ask(...texts);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  /** Returns the named rule sets, with their boards. */
  presets() {
    return this.#ask("rules").presets;
  }

  /** Returns a rule set, with its board. */
  rules(rules = "pentago") {
    return this.#ask("board", rules);
  }

  /** Returns the value of a position and of each of its moves. */
  solve(position, { rules = "pentago", distance = false, seconds = 2 } = {}) {
    return this.#ask("values", rules, position, distance ? "1" : "0", String(Math.ceil(seconds)));
  }

  /** Returns a position and its moves, without values. */
  look(position, { rules = "pentago" } = {}) {
    return this.#ask("look", rules, position);
  }

  /** Parses a game: a position in any notation, a record, or moves. */
  read(text, { rules = "pentago" } = {}) {
    return this.#ask("read", rules, text);
  }

  /** Returns a random position without an immediately winning move. */
  random({ rules = "pentago", marbles = 18, seed = Math.floor(Math.random() * 2 ** 32) } = {}) {
    return this.#ask("random", rules, String(marbles), String(seed)).position;
  }
}
