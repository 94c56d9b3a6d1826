// The solver's core as a WebAssembly module: texts in, JSON out (tools/explorer/wasm/src/lib.rs).

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Loads the module; `base` is the address of the page. */
export async function load(base) {
  const response = await fetch(new URL("pentago.wasm", base));
  if (!response.ok) throw new Error(`pentago.wasm: ${response.status}`);
  return start(await response.arrayBuffer());
}

/** The module from its bytes, or compiled. */
export async function start(module) {
  // What it needs: a clock.
  const host = { now: () => performance.now() };
  const { instance, exports } = await WebAssembly.instantiate(module, { host });
  return new Core(exports ?? instance.exports);
}

/** The module. */
class Core {
  constructor(exports) {
    this.exports = exports;
  }

  /** Bytes of the memory, as it is now. */
  view(at, length) {
    return new Uint8Array(this.exports.memory.buffer, at, length);
  }

  /** Copies bytes to where the module reads them. */
  put(bytes) {
    this.view(this.exports.reserve(bytes.length), bytes.length).set(bytes);
  }

  /** Asks a question: texts, of which the first says what is asked. */
  ask(...texts) {
    this.put(encoder.encode(texts.join("\0")));
    const length = this.exports.ask();
    return JSON.parse(decoder.decode(this.view(this.exports.answer(), length)));
  }

  /** Gives it the values of the openings; whether they are that. */
  takeOpenings(bytes) {
    this.put(bytes);
    return this.exports.openings() === 1;
  }

  /** Gives it bytes for a place in what its last answer asks for (`fetch`); whether they can be these. */
  bring(place, bytes) {
    this.put(bytes);
    return this.exports.bring(place) === 1;
  }

  /** The next part of the work for a graphics processor, in words; none when all was given out. */
  part() {
    const length = this.exports.part();
    return new Uint32Array(this.view(this.exports.answer(), length).slice().buffer);
  }

  /** Gives it the lines that the graphics processor has computed; whether they are that. */
  learn(bytes) {
    this.put(bytes);
    return this.exports.learn() === 1;
  }
}
