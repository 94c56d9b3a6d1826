// Fetches the bytes of remote tables that the module needs, by range requests. The module verifies
// their checksums. A faulty host ends the request with a Fault, which names a text of the page.

/** Time-outs in milliseconds: between two pieces of data, and for all simultaneous requests. */
const [SILENCE, PATIENCE] = [20_000, 120_000];
/** The maximum number of fetches of a request: file list, headers, indices, blocks, all twice. */
const ROUNDS = 16;
/** The maximum size of one part in bytes, well above the largest directory of a table. */
const LONGEST = 2 ** 26;
/**
 * The maximum number of parts of one file that use the browser's cache. Chromium fetches cached
 * parts one after the other.
 */
const CACHED = 2;

/** A problem with remote tables. The text `tables.NAME` of the page describes it. */
export class Fault extends Error {
  constructor(name) {
    super(name);
    this.fault = name;
  }
}

/** Cancels simultaneous requests after a time-out. */
class Patience {
  constructor() {
    this.controller = new AbortController();
    this.last = performance.now() + PATIENCE;
    this.renew();
  }

  /** Restarts the time-out between two pieces of data. */
  renew() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), Math.min(SILENCE, this.last - performance.now()));
  }

  end() {
    clearTimeout(this.timer);
    this.controller.abort();
  }
}

/** The time-outs of the current requests. */
let patience = null;

/** Cancels the current requests. */
export const giveUp = () => patience?.end();

/** Answers a request, and fetches the bytes it needs. Calls `fetching` before each fetch. */
export async function answered(core, texts, fetching) {
  const seen = new Set();
  for (let round = 0; round < ROUNDS; round++) {
    const answer = core.ask(...texts);
    if (!answer?.fetch) return answer;
    fetching();
    const many = ({ address }) => answer.fetch.filter((other) => other.address === address).length > CACHED;
    patience = new Patience();
    const asked = answer.fetch.map((needed) => fetched(needed, seen, many(needed)));
    const all = await Promise.all(asked).finally(() => patience.end());
    if (!all.every((bytes, place) => core.take("bring", bytes, place))) throw new Fault("damaged");
  }
  throw new Fault("damaged");
}

/**
 * Fetches bytes from a host. The browser revalidates cached copies, because tables may be published
 * again. Bytes that were `seen` before were damaged, so they bypass the cache.
 */
async function fetched({ address, bytes, part }, seen, many) {
  if (bytes > LONGEST) throw new Fault("damaged");
  const headers = {};
  if (part) headers.range = `bytes=${part[0]}-${part[0] + bytes - 1}`;
  const name = `${address} ${headers.range}`;
  const cache = many || seen.has(name) ? "no-store" : "no-cache";
  seen.add(name);
  let response;
  try {
    const { signal } = patience.controller;
    response = await fetch(address, { headers, cache, signal, redirect: "error", credentials: "omit" });
    check(response, part, bytes);
    return await read(response, part ? bytes : 0, bytes);
  } catch (error) {
    // Do not download the rest of the response, which may be long.
    response?.body?.cancel().catch(() => {});
    throw error instanceof Fault ? error : new Fault("unreachable");
  }
}

/** Throws a Fault unless the response has the requested range. */
function check(response, part, bytes) {
  if (response.status === 404) throw new Fault("missing");
  if (part && response.status === 200) throw new Fault("ranges");
  if (response.status === 416) throw new Fault("damaged");
  if (response.status !== (part ? 206 : 200)) throw new Fault("unreachable");
  // Another site's host may hide this header from the page.
  const sent = response.headers.get("content-range");
  if (part && sent && sent !== `bytes ${part[0]}-${part[0] + bytes - 1}/${part[1]}`) throw new Fault("damaged");
}

/** Reads the body of a response. Throws a Fault unless it has `least` to `most` bytes. */
async function read(response, least, most) {
  const pieces = [];
  let length = 0;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      patience.renew();
      length += value.length;
      if (length > most) throw new Fault("damaged");
      pieces.push(value);
    }
  } finally {
    reader.releaseLock();
  }
  if (length < least) throw new Fault("damaged");
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
