// Solves positions beside the page, so that it stays alive, and looks them up in the tables beside it. One
// question at a time; who loses patience ends the worker and starts another.

import { isLarge, open } from "./gpu.js";
import { Fault, answered } from "./tables.js";
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

/** The address whose tables are open. */
let opened = "";

/** Boards below a position, after everything was fetched that tables say of it. */
async function effort(core, texts, tables) {
  if (opened !== tables) {
    const { targets, damaged, error } = await answered(core, "tables", tables);
    if (error || targets.length === 0) throw new Fault(error || damaged.length ? "damaged" : "missing");
    opened = tables;
  }
  const { boards, error } = await answered(core, "effort", ...texts.slice(1));
  if (error) throw new Fault("damaged");
  return boards;
}

/** The answer; what a graphics processor doesn't manage is solved by the module. */
async function solved(core, id, texts, boards) {
  if (isLarge(boards)) {
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

/** The answer. Where tables are of no use, it is the one without them and says why. */
async function answer(id, texts, tables) {
  const core = await ready;
  if (texts[0] !== "values") return core.ask(...texts);
  try {
    const answer = await solved(core, id, texts, await effort(core, texts, tables));
    if (!answer.error && !answer.fetch) return answer;
    throw new Fault("damaged");
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    core.ask("tables", "");
    opened = "";
    const answer = await solved(core, id, texts, core.ask("effort", ...texts.slice(1)).boards);
    return answer.error || !tables ? answer : { ...answer, fault: error.fault };
  }
}

let last = Promise.resolve();

addEventListener("message", ({ data: { id, texts, tables = "" } }) => {
  last = last.then(async () => {
    try {
      postMessage({ id, answer: await answer(id, texts, tables) });
    } catch (error) {
      postMessage({ id, answer: { error: String(error) }, broken: true });
    }
  });
});
