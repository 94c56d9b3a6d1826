// Answers requests in a worker, so that the page stays responsive: from the tables, or with the
// solver. The worker handles one request at a time. The page cancels a request with a message while
// the worker fetches, and terminates the worker while it computes.

import { isLarge, open } from "./gpu.js";
import { Fault, answered, giveUp } from "./tables.js";
import { start } from "./wasm.js";

const base = new URL("..", import.meta.url);

/** The least number of marbles of positions that need the second file of openings. */
const MANY = 5;
/** The least number of marbles of positions of Pentago XL that need no certificate. */
const CERTIFIED = 17;

/** Fetches a file. Throws an error if the host does not have it. */
async function bytesOf(name) {
  const response = await fetch(new URL(name, base));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Resolves `compiled` with the compiled module, which the page sends. */
let take;
const compiled = new Promise((resolve) => { take = resolve; });

/** Resolves to the first file of openings, or to null if the file cannot be fetched. */
const first = bytesOf("openings.bin").catch(() => null);

const ready = (async () => {
  const core = await start(await compiled);
  const bytes = await first;
  // Without this file, the openings have no exact values: the solver searches them like other early
  // positions.
  if (bytes) core.take("openings", bytes);
  return core;
})();

/** The promises of the other files, keyed by name. A file that cannot be fetched has none. */
const taken = new Map();

/** Fetches a file once, and passes it to the module by `take`. */
function takeOnce(name, take) {
  if (!taken.has(name)) taken.set(name, bytesOf(name).then(take).catch(() => taken.delete(name)));
  return taken.get(name);
}

/**
 * Passes the second file of openings or the certificate to the module if a question needs it. The
 * first visit does not fetch these files, because they are large.
 */
async function complete(core, [name, rules, position]) {
  const marbles = position?.match(/[A-Z]/g)?.length ?? 0;
  if (name === "values" && rules === "xl" && marbles < CERTIFIED) {
    // Without this file, the solver searches these positions.
    await takeOnce("certificate.bin", (bytes) => core.take("certificate", bytes));
  }
  if (!["values", "guesses"].includes(name) || rules !== "pentago" || marbles < MANY - 2 || marbles > MANY + 1) return;
  const second = takeOnce("openings-6.bin", async (bytes) => {
    core.take("openings", new Uint8Array(await new Blob([await first, bytes]).arrayBuffer()));
  });
  // Fetch the file early, but wait for it only if the answer depends on it.
  if (marbles >= MANY) await second;
}

/** The GPU. null until it is needed, or if there is none. */
let gpu = null;

/** The address of the open tables, and `true` if some of these tables are damaged. */
let [opened, lacking] = ["", false];

/** The id of the request that fetches, and the function that takes the page's decision on it. */
let [asking, word] = [0, null];

/** Thrown if the page has cancelled the request. */
class Ended extends Error {}

/** Fetches the tables' data about a position. Returns the number of boards to solve. */
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

/** Returns the answer. The GPU computes large positions, or the module if the GPU fails. */
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
  await complete(core, texts);
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
