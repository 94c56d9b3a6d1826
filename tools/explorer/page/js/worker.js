// Solves positions beside the page, so that it stays alive, and looks them up in the tables beside it. One
// question at a time; who loses patience ends the question while hosts are asked, and afterwards the worker.

import { isLarge, open } from "./gpu.js";
import { Fault, answered, giveUp } from "./tables.js";
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

/** The address whose tables are open, and whether some of them are damaged. */
let [opened, lacking] = ["", false];

/** The question that asks hosts now, and what takes the page's word on it. */
let [asking, word] = [0, null];

/** A question that the page no longer asks. */
class Ended extends Error {}

/** Boards below a position, after everything was fetched that tables say of it. */
async function fetched(core, texts, tables, fetching) {
  if (opened !== tables) {
    const { targets, damaged, error } = await answered(core, ["tables", tables], fetching);
    if (error || targets.length === 0) throw new Fault(error || damaged.length ? "damaged" : "missing");
    [opened, lacking] = [tables, damaged.length > 0];
  }
  const { boards, error } = await answered(core, ["effort", ...texts.slice(1)], fetching);
  if (error) throw new Fault("damaged");
  return boards;
}

/**
 * The same. The page knows while hosts are asked: a question that it ends then doesn't end the worker. Before
 * anything is computed it says whether the question goes on.
 */
async function effort(core, id, texts, tables) {
  const fetching = () => {
    if (asking !== id) postMessage({ id, fetching: true });
    asking = id;
  };
  try {
    return await fetched(core, texts, tables, fetching);
  } finally {
    if (asking === id) {
      const goes = new Promise((resolve) => { word = resolve; });
      postMessage({ id, fetching: false });
      const goesOn = await goes;
      [asking, word] = [0, null];
      if (!goesOn) throw new Ended();
    }
  }
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
    const answer = await solved(core, id, texts, await effort(core, id, texts, tables));
    if (answer.error || answer.fetch) throw new Fault("damaged");
    return lacking && answer.source !== "table" ? { ...answer, fault: "lacking" } : answer;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    core.ask("tables", "");
    [opened, lacking] = ["", false];
    const answer = await solved(core, id, texts, core.ask("effort", ...texts.slice(1)).boards);
    return answer.error || !tables ? answer : { ...answer, fault: error.fault };
  }
}

let last = Promise.resolve();

addEventListener("message", ({ data: { id, texts, tables = "", goesOn } }) => {
  if (goesOn !== undefined) {
    if (id !== asking) return;
    if (!goesOn) giveUp();
    return word?.(goesOn);
  }
  last = last.then(async () => {
    try {
      postMessage({ id, answer: await answer(id, texts, tables) });
    } catch (error) {
      if (!(error instanceof Ended)) postMessage({ id, answer: { error: String(error) }, broken: true });
    }
  });
});
