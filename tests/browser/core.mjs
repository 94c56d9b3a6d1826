// Runs the page's WebAssembly module in node, without a browser.

import { readFile } from "node:fs/promises";

/** Loads the module, with the opening values if they exist. */
export async function core(folder) {
  const bytes = await readFile(`${folder}/pentago.wasm`);
  const { instance } = await WebAssembly.instantiate(bytes, { host: { now: () => performance.now() } });
  const { reserve, ask, answer, openings, certificate, memory } = instance.exports;
  const put = (bytes) => {
    const at = reserve(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  };
  const said = () => {
    const length = ask();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length)));
  };
  return {
    ask(...texts) {
      put(new TextEncoder().encode(texts.join("\0")));
      return said();
    },
    takeOpenings: (bytes) => {
      put(bytes);
      return openings() === 1;
    },
    async openings() {
      const files = ["openings.bin", "openings-6.bin"].map((name) => readFile(`${folder}/${name}`));
      return this.takeOpenings(Buffer.concat(await Promise.all(files)));
    },
    async certificate() {
      put(await readFile(`${folder}/certificate.bin`));
      return certificate() === 1;
    },
    memory: () => memory.buffer.byteLength,
  };
}
