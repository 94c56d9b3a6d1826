// Answers requests in a worker, so that the page stays responsive: from the tables, or with the
// solver. The worker handles one request at a time. The page cancels a request with a message while
// the worker fetches, and terminates the worker while it computes.

import { isLarge, open } from "./gpu.js";
import { Fault, answered, giveUp } from "./tables.js";
import { start } from "./wasm.js";

const base = new URL("..", import.meta.url);

/** Fetches and decompresses the values of the openings. */
async function openings() {
  const response = await fetch(new URL("openings.bin", base));
  if (!response.ok) return null;
  const stream = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Takes the compiled module from the page. */
let take;
const compiled = new Promise((resolve) => { take = resolve; });

const ready = (async () => {
  const core = await start(await compiled);
  try {
    const bytes = await openings();
    if (bytes) core.takeOpenings(bytes);
  } catch {
    // Without this file, the openings have no exact values: the solver searches them like other
    // early positions.
  }
  return core;
})();

/** The GPU. null until it is needed, or if there is none. */
let gpu = null;

/** The address of the open tables, and `true` if some of these tables are damaged. */
let [opened, lacking] = ["", false];

/**
 * The id of the request that fetches now, and the function that takes the page's decision to
 * continue it.
 */
let [asking, word] = [0, null];

/** Thrown if the page has cancelled the request. */
class Ended extends Error {}

/**
 * Opens the tables, and fetches their data about a position. Returns the number of boards to solve.
 */
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
 * Calls `fetched`, and tells the page when fetching begins and ends. Then waits for the page to
 * decide if the request continues, because the worker receives no messages while it computes.
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

/**
 * Returns the answer, computed by the GPU for large positions. The module answers if the GPU fails.
 */
async function solved(core, id, texts, boards) {
  if (isLarge(boards)) {
    try {
      gpu ??= await open();
      if (gpu) return await gpu.answer(core, texts, (done, total) => postMessage({ id, done, total }));
    } catch {
      // The device was lost, or lacks memory. The next request opens the GPU again.
      gpu?.close();
      gpu = null;
    }
  }
  return core.ask(...texts);
}

/**
 * Returns the answer. If the tables cannot be used, answers without them, and names the reason in
 * `fault`.
 */
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

addEventListener("message", ({ data: { id, texts, tables = "", goesOn, module } }) => {
  if (module) return take(module);
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
