// The solver's core as a WebAssembly module: requests are text, answers are JSON
// (tools/explorer/wasm/src/lib.rs).

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Fetches and compiles the module; `base` is the address of the page. If the host does not compress
 * files, fetches and unpacks the compressed copy, which `serve --export` writes.
 */
export async function compile(base) {
  const plain = new AbortController();
  let response = await fetch(new URL("pentago.wasm", base), { signal: plain.signal });
  if (!response.ok) throw new Error(`pentago.wasm: ${response.status}`);
  if (!response.headers.has("content-encoding")) {
    const packed = await fetch(new URL("pentago.wasm.gz", base)).catch(() => null);
    const { headers } = packed ?? {};
    if (packed?.ok && !headers.get("content-type")?.includes("html")) {
      plain.abort();
      // Some hosts send the copy with the header Content-Encoding. The browser then unpacks the
      // copy.
      const body = headers.has("content-encoding") ? packed.body : packed.body.pipeThrough(new DecompressionStream("gzip"));
      response = new Response(body);
    }
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Instantiates the module, from its bytes or from a compiled module. */
export async function start(module) {
  // The only import of the module is a clock.
  const host = { now: () => performance.now() };
  const { instance, exports } = await WebAssembly.instantiate(module, { host });
  return new Core(exports ?? instance.exports);
}

/** An instance of the module. */
class Core {
  constructor(exports) {
    this.exports = exports;
  }

  /** Returns a view of the module's memory. Valid only until the memory grows. */
  view(at, length) {
    return new Uint8Array(this.exports.memory.buffer, at, length);
  }

  /** Copies bytes to the request buffer of the module. */
  put(bytes) {
    this.view(this.exports.reserve(bytes.length), bytes.length).set(bytes);
  }

  /** Sends a request, whose first string is its name. Returns the answer. */
  ask(...texts) {
    this.put(encoder.encode(texts.join("\0")));
    const length = this.exports.ask();
    return JSON.parse(decoder.decode(this.view(this.exports.answer(), length)));
  }

  /**
   * Passes bytes to the module, and returns `true` if they are right. `name` says what they are:
   * the values of the `openings`, the `certificate` of Pentago XL, the results of the GPU
   * (`learn`), or a part that the last `fetch` asks for (`bring`, with the index of the part).
   */
  take(name, bytes, ...index) {
    this.put(bytes);
    return this.exports[name](...index) === 1;
  }

  /** Returns the next part of the GPU work in 32-bit words. Empty after the last part. */
  part() {
    const length = this.exports.part();
    return new Uint32Array(this.view(this.exports.answer(), length).slice().buffer);
  }
}
