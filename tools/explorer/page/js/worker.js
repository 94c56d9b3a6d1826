// Solves positions beside the page, so that it stays alive. One question at a time; who loses
// patience ends the worker and starts another.

import { load } from "./wasm.js";

const base = new URL("..", import.meta.url);

/** The values of the first moves: a compressed file that the browser itself undoes. */
async function openings() {
  const response = await fetch(new URL("openings.bin", base));
  if (!response.ok) return null;
  const stream = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const ready = (async () => {
  const core = await load(base);
  try {
    const bytes = await openings();
    if (bytes) core.takeOpenings(bytes);
  } catch {
    // Without them the openings are what everything early is: searched, and mostly unknown.
  }
  return core;
})();

addEventListener("message", async ({ data: { id, texts } }) => {
  try {
    const core = await ready;
    postMessage({ id, answer: core.ask(...texts), memory: core.memory() });
  } catch (error) {
    postMessage({ id, answer: { error: String(error) }, broken: true });
  }
});
