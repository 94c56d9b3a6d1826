// The solver's core for other pages and for node: a WebAssembly module, loaded once, asked often.

import { start } from "./wasm.js";

/** The bytes of a file beside this one. */
async function beside(name) {
  const url = new URL(name, import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.arrayBuffer();
}

/** What gzip has compressed. */
async function expanded(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Loads the solver. */
export async function load({ wasm, openings } = {}) {
  const core = await start(wasm ?? (await beside("pentago.wasm")));
  if (openings !== false) {
    const values = await expanded(openings ?? (await beside("openings.bin")));
    if (!core.takeOpenings(values)) throw new Error("openings.bin is damaged");
  }
  return new Pentago(core);
}

/** The solver. Its methods compute in the calling thread; a page calls them in a worker. */
export class Pentago {
  #core;

  constructor(core) {
    this.#core = core;
  }

  #ask(...texts) {
    if (texts.some((text) => text.includes("\0"))) throw new Error("a text has a zero byte");
    const answer = this.#core.ask(...texts);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  /** The rule sets with a name, with their boards. */
  presets() {
    return this.#ask("rules").presets;
  }

  /** A rule set, with its board. */
  rules(rules = "pentago") {
    return this.#ask("board", rules);
  }

  /** The value of a position, and of each of its moves. */
  solve(position, { rules = "pentago", distance = false, seconds = 2 } = {}) {
    return this.#ask("values", rules, position, distance ? "1" : "0", String(Math.ceil(seconds)));
  }

  /** A position and its moves, without values. */
  look(position, { rules = "pentago" } = {}) {
    return this.#ask("look", rules, position);
  }

  /** A text as a game: a position in any notation, a record, or moves. */
  read(text, { rules = "pentago" } = {}) {
    return this.#ask("read", rules, text);
  }

  /** A random position in which no move wins at once. */
  random({ rules = "pentago", marbles = 18, seed = Math.floor(Math.random() * 2 ** 32) } = {}) {
    return this.#ask("random", rules, String(marbles), String(seed)).position;
  }
}
