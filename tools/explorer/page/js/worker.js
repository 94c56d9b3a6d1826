// Solves positions beside the page, so that it stays alive. One question at a time; who loses
// patience ends the worker and starts another.

import { gather, wanted } from "./threads.js";
import { load } from "./wasm.js";

const base = new URL("..", import.meta.url);
/** From so many boards on all threads solve; fewer take milliseconds. */
const LARGE = 1_000_000;
/** Milliseconds until helpers that don't come are done without. */
const PATIENCE = 10_000;

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

/** The module with threads, once it is needed. */
let together = null;
/** Called when all helpers are there. */
let helped = null;

/** Lets the page start helpers: it can, while this worker computes, and sees if one of them breaks. */
function hire(helpers) {
  return new Promise((resolve, reject) => {
    helped = resolve;
    setTimeout(() => reject(new Error("the helpers don't come")), PATIENCE);
    postMessage({ helpers });
  });
}

/** The answer, and from how many threads. */
async function answer(texts, alone) {
  const core = await ready;
  const threads = alone ? 1 : wanted();
  if (threads > 1 && core.ask("effort", ...texts).boards >= LARGE) {
    together ??= gather(base, threads, hire);
    // What goes wrong here is told: the page asks again, for one thread.
    const all = await together;
    return { answer: all.ask(...texts), memory: all.memory(), threads };
  }
  return { answer: core.ask(...texts), memory: core.memory(), threads: 1 };
}

let last = Promise.resolve();

addEventListener("message", ({ data: { id, texts, alone, gathered } }) => {
  if (gathered) return helped?.();
  last = last.then(async () => {
    try {
      postMessage({ id, ...await answer(texts, alone) });
    } catch (error) {
      postMessage({ id, answer: { error: String(error) }, broken: true, together: together !== null });
    }
  });
});
