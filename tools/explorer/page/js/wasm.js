// The solver's core as a WebAssembly module: texts in, JSON out (tools/explorer/wasm/src/lib.rs).

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What the module needs: a clock, which tells the same in all threads. */
export const host = { now: () => performance.timeOrigin + performance.now() };

/** The bytes of a module; `base` is the address of the page. */
export async function fetched(name, base) {
  const response = await fetch(new URL(name, base));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.arrayBuffer();
}

/** Loads the module with one thread. */
export async function load(base) {
  const { instance } = await WebAssembly.instantiate(await fetched("pentago.wasm", base), { host });
  return new Core(instance.exports);
}

/** One instance of a module. */
export class Core {
  constructor(exports, memory = exports.memory) {
    this.exports = exports;
    this.bytes = memory;
  }

  /** Bytes of the memory, as it is now. */
  view(at, length) {
    // If a helper made it grow, this thread may not know yet.
    if (this.bytes.buffer.byteLength < at + length) this.bytes.grow(0);
    return new Uint8Array(this.bytes.buffer, at, length);
  }

  /** Copies bytes to where the module reads them. */
  put(bytes) {
    this.view(this.exports.reserve(bytes.length), bytes.length).set(bytes);
  }

  /** Asks a question: texts, of which the first says what is asked. */
  ask(...texts) {
    this.put(encoder.encode(texts.join("\0")));
    const length = this.exports.ask();
    // A copy, for a decoder doesn't read shared memory.
    return JSON.parse(decoder.decode(this.view(this.exports.answer(), length).slice()));
  }

  /** Gives it the values of the openings; whether they are that. */
  takeOpenings(bytes) {
    this.put(bytes);
    return this.exports.openings() === 1;
  }

  /** Bytes of memory that the module has. */
  memory() {
    return this.bytes.buffer.byteLength;
  }
}
