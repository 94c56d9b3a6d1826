// The solver's core as a WebAssembly module: texts in, JSON out (tools/explorer/wasm/src/lib.rs).

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Loads the module; `base` is the address of the page. */
export async function load(base) {
  const host = { now: () => performance.now() };
  const response = await fetch(new URL("pentago.wasm", base));
  if (!response.ok) throw new Error(`pentago.wasm: ${response.status}`);
  const bytes = await response.arrayBuffer();
  const { instance } = await WebAssembly.instantiate(bytes, { host });
  return new Core(instance.exports);
}

/** One instance of the module. */
class Core {
  constructor(exports) {
    this.exports = exports;
  }

  /** Copies bytes to where the module reads them. */
  put(bytes) {
    const at = this.exports.reserve(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  /** Asks a question: texts, of which the first says what is asked. */
  ask(...texts) {
    this.put(encoder.encode(texts.join("\0")));
    const length = this.exports.ask();
    const answer = new Uint8Array(this.exports.memory.buffer, this.exports.answer(), length);
    return JSON.parse(decoder.decode(answer));
  }

  /** Gives it the values of the openings; whether they are that. */
  takeOpenings(bytes) {
    this.put(bytes);
    return this.exports.openings() === 1;
  }

  /** Bytes of memory that the module has. */
  memory() {
    return this.exports.memory.buffer.byteLength;
  }
}
