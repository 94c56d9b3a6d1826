// Solves positions beside the page, so that it stays alive. One question at a time; who loses
// patience ends the worker and starts another.

import { isLarge, open } from "./gpu.js";
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

/** The graphics processor, once it is needed and if there is one. */
let gpu = null;

/** The answer; what a graphics processor doesn't manage is solved by the module. */
async function answer(id, texts) {
  const core = await ready;
  if (texts[0] === "values" && isLarge(core.ask("effort", ...texts.slice(1)).boards)) {
    try {
      gpu ??= await open();
      if (gpu) return await gpu.answer(core, texts, (done, total) => postMessage({ id, done, total }));
    } catch {
      // It may be lost, or short of memory. The next question tries again.
      gpu?.close();
      gpu = null;
    }
  }
  return core.ask(...texts);
}

let last = Promise.resolve();

addEventListener("message", ({ data: { id, texts } }) => {
  last = last.then(async () => {
    try {
      postMessage({ id, answer: await answer(id, texts) });
    } catch (error) {
      postMessage({ id, answer: { error: String(error) }, broken: true });
    }
  });
});
