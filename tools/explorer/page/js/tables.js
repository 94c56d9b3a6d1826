// Tables on a host: the bytes that the module asks for, fetched by range. The module compares them with
// their checksums; what is wrong with a host ends the question here, by its name in the words of the page.

/** How long hosts may send nothing, and take for all that is asked for at once, in milliseconds. */
const [SILENCE, PATIENCE] = [20_000, 120_000];
/** How often a question may ask for more: a list, ends of tables, their indices, blocks, each damaged once. */
const ROUNDS = 16;
/** The most bytes of one part: the longest directory is a fraction of it. */
const LONGEST = 2 ** 26;
/** More parts of one file bypass the browser's cache: Chromium's fetches them one after the other. */
const CACHED = 2;

/** What is wrong with the tables: `name` is that of a text, `tables.NAME`. */
export class Fault extends Error {
  constructor(name) {
    super(name);
    this.fault = name;
  }
}

/** Ends requests that were made together, when nothing has come for long. */
class Patience {
  constructor() {
    this.controller = new AbortController();
    this.last = performance.now() + PATIENCE;
    this.renew();
  }

  /** Something has come. */
  renew() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), Math.min(SILENCE, this.last - performance.now()));
  }

  end() {
    clearTimeout(this.timer);
    this.controller.abort();
  }
}

/** That of what is asked for now. */
let patience = null;

/** Ends what is asked for now. */
export function giveUp() {
  patience?.end();
}

/** The module's answer to a question, after everything was fetched that it takes; `fetching` is told. */
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
    if (!all.every((bytes, place) => core.bring(place, bytes))) throw new Fault("damaged");
  }
  throw new Fault("damaged");
}

/**
 * Bytes on a host. The browser asks it whether a copy is current, since tables may be published again; what
 * was `seen` before was damaged, so no copy of it will do.
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
    // The rest of it, which may be long, isn't taken.
    response?.body?.cancel().catch(() => {});
    throw error instanceof Fault ? error : new Fault("unreachable");
  }
}

/** Whether a host sends what it was asked for. */
function check(response, part, bytes) {
  if (response.status === 404) throw new Fault("missing");
  if (part && response.status === 200) throw new Fault("ranges");
  if (response.status === 416) throw new Fault("damaged");
  if (response.status !== (part ? 206 : 200)) throw new Fault("unreachable");
  // A host of another site may not say.
  const sent = response.headers.get("content-range");
  if (part && sent && sent !== `bytes ${part[0]}-${part[0] + bytes - 1}/${part[1]}`) throw new Fault("damaged");
}

/** The bytes of an answer, if there are as many. */
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
