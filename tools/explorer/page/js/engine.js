// The source of all answers: the server if there is one, else the solver in the browser and the
// tables that an exported page names. The WebAssembly module parses positions and moves. Until the
// module is loaded, `rules.js` answers for Pentago.

import { SHEET, look } from "./rules.js";
import { compile, start } from "./wasm.js";

const base = new URL("..", import.meta.url);
/** The number of positions in each cache. */
const KEPT = 2000;
/** The time in seconds of a limited search in the browser. */
const PATIENCE = 8;
/** The delay in milliseconds before the page asks the server for its progress. */
const LONG = 900;

class Engine {
  constructor() {
    this.core = null;
    this.server = null;
    /** The address of the tables, or "" if the page names none. */
    this.tables = "";
    this.kept = new Map();
    /** The answers that more time might improve. */
    this.glimpsed = new Map();
    this.worker = null;
    this.waiting = new Map();
    this.asked = 0;
  }

  /** Loads the module, and finds out if there is a server. `loaded` resolves after both. */
  start() {
    this.module = compile(base);
    this.loaded = this.load();
    return this.loaded;
  }

  async load() {
    const [core] = await Promise.all([this.module.then(start), this.findServer()]);
    this.core = core;
    // An older copy of the page lacks this element.
    const content = document.querySelector("meta[name=pentago-tables]")?.content;
    if (content && !this.server && URL.canParse(content, base)) this.tables = new URL(content, base).href;
  }

  /** Returns `true` if the page comes from the explorer's own server. */
  async findServer() {
    try {
      const response = await fetch(new URL("api/v1/rules", base), { headers: { accept: "application/json" } });
      const rules = response.ok ? await response.json() : null;
      this.server = Array.isArray(rules?.presets);
      if (this.server) this.served = rules;
    } catch {
      this.server = false;
    }
    return this.server;
  }

  /** Returns all presets with their boards. */
  presets() {
    if (!this.core) return [asSheet(SHEET)];
    const presets = this.core.ask("rules").presets;
    const names = new Set(presets.map((preset) => preset.name));
    return presets.concat((this.served?.presets ?? []).filter((preset) => !names.has(preset.name))).map(asSheet);
  }

  /** Returns any rules with their board, or an error. */
  board(rules) {
    const sheet = this.core ? this.core.ask("board", rules) : SHEET;
    return sheet.error ? sheet : asSheet(sheet);
  }

  /** Returns a position and its moves, without values. */
  look(rules, position) {
    return this.core ? this.core.ask("look", rules, position) : look(position);
  }

  /** Parses a pasted text. */
  read(rules, text) {
    return this.core.ask("read", rules, text);
  }

  /** Returns the cached values of a position. */
  known(rules, position, distance) {
    return this.kept.get(key(rules, position, true)) ?? (distance ? undefined : this.kept.get(key(rules, position, false)));
  }

  /** Returns the cached values of a position, including those that more time might improve. */
  seen(rules, position) {
    return this.known(rules, position, false) ?? this.glimpsed.get(key(rules, position, false));
  }

  /**
   * Returns the values of a position and its moves. `signal` cancels the request. `seconds` limits
   * the time of a limited search. `here` makes the browser answer even if there is a server.
   */
  async values(rules, position, { distance = false, signal, here = false, seconds, progress } = {}) {
    const known = this.known(rules, position, distance);
    if (known) return known;
    await this.loaded;
    signal?.throwIfAborted();
    let answer = this.server && !here ? await this.fromServer(rules, position, distance, seconds, signal, progress) : null;
    if (!answer?.moves) {
      const { fault } = answer ?? {};
      answer = await this.fromWorker(["values", rules, position, distance ? "1" : "0", String(seconds ?? PATIENCE)], signal, progress);
      answer.here = true;
      if (fault) answer.fault = fault;
    }
    if (answer.error) return answer;
    answer.given = seconds;
    const sure = answer.fault ? false : seconds === undefined || isComplete(answer);
    keep(sure ? this.kept : this.glimpsed, key(rules, position, distance), answer);
    return answer;
  }

  /**
   * Asks the server, and reports the progress of a long solution. Returns null if the server cannot
   * be reached or refuses the rules. If the server has no answer, the returned object has only the
   * field `fault`.
   */
  async fromServer(rules, position, distance, seconds, signal, progress) {
    const query = new URLSearchParams({ p: position, rules });
    if (distance) query.set("distance", "1");
    if (seconds !== undefined) query.set("seconds", String(seconds));
    let events = null;
    const watch = () => {
      events = new EventSource(new URL(`api/v1/events?${query}`, base));
      events.addEventListener("progress", ({ data }) => progress?.(JSON.parse(data)));
      for (const name of ["result", "failure", "error"]) events.addEventListener(name, () => events.close());
    };
    const timer = setTimeout(watch, LONG);
    try {
      return await this.fetchAnswer(query, signal, progress);
    } finally {
      clearTimeout(timer);
      events?.close();
    }
  }

  async fetchAnswer(query, signal, progress) {
    for (let turn = 0; turn < 20; turn++) {
      let response;
      try {
        response = await fetch(new URL(`api/v1/position?${query}`, base), { signal });
      } catch (error) {
        if (signal?.aborted) throw error;
        return null;
      }
      const answer = await response.json().catch(() => null);
      signal?.throwIfAborted();
      // Do not retry a question that exceeds the server's time or memory or needs a damaged table,
      // because the question would fail again.
      const forGood = ["time", "machine", "tables"].includes(answer?.kind);
      if (response.status === 429 || (response.status === 503 && !forGood)) {
        progress?.({ state: "busy" });
        await pause(1000 * Math.min(10, Number(response.headers.get("retry-after")) || 1), signal);
        continue;
      }
      // The module has parsed the rules and the position, so status 400 means that the server
      // refuses these rules.
      if (response.status === 400) return null;
      return response.ok && answer?.value && Array.isArray(answer.moves) ? answer : { fault: "server" };
    }
    return { fault: "server" };
  }

  /**
   * Asks the worker. A cancelled request terminates the worker, which receives no messages while it
   * computes. While it fetches, a message suffices.
   */
  fromWorker(texts, signal, progress) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const id = ++this.asked;
      const worker = this.hire();
      const end = () => {
        const { fetching } = this.waiting.get(id) ?? {};
        if (!this.waiting.delete(id)) return;
        if (fetching) worker.postMessage({ id, goesOn: false });
        else if (this.waiting.size === 0) this.dismiss();
        reject(signal.reason);
      };
      signal?.addEventListener("abort", end, { once: true });
      const take = (answer) => {
        signal?.removeEventListener("abort", end);
        resolve(answer);
      };
      this.waiting.set(id, { take, progress });
      worker.postMessage({ id, texts, tables: this.tables });
    });
  }

  hire() {
    if (this.worker) return this.worker;
    const worker = this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.module.then((module) => worker.postMessage({ module }), () => this.dismiss());
    worker.addEventListener("message", ({ data }) => {
      if (worker !== this.worker) return;
      const asked = this.waiting.get(data.id);
      if (data.fetching !== undefined) {
        if (asked) asked.fetching = data.fetching;
        // The worker waits for this message before it computes.
        if (!data.fetching) worker.postMessage({ id: data.id, goesOn: Boolean(asked) });
        return;
      }
      if (data.total) return asked?.progress?.({ here: true, done: data.done, total: data.total });
      this.waiting.delete(data.id);
      if (data.broken) this.dismiss();
      asked?.take(data.answer);
    });
    worker.addEventListener("error", () => this.dismiss());
    return worker;
  }

  dismiss() {
    this.worker?.terminate();
    this.worker = null;
    for (const { take } of this.waiting.values()) take({ error: "the solver in the browser has ended", word: "solver_ended" });
    this.waiting.clear();
  }
}

/** Converts the module's rule sheet: blocks become quadrants, and seats become letters. */
function asSheet({ name, title, sentence, board }) {
  const quadrants = board.blocks.map((block) => ({ ...block, turns: block.turns.length > 0 }));
  const seats = board.seats.map(({ seat }) => seat);
  const teams = new Map(board.seats.map(({ seat, team }) => [seat, team]));
  return { name, title, sentence, start: board.start, board: { ...board, quadrants, seats, teams, line: board.run } };
}

/** Returns `true` if the values of the position and of all its moves are known. */
export const isComplete = ({ value, moves }) => value !== "unknown" && moves.every((move) => move.value !== "unknown");

function keep(map, name, answer) {
  if (map.size >= KEPT) map.delete(map.keys().next().value);
  map.set(name, answer);
}

const key = (rules, position, distance) => `${rules}|${position}|${distance ? 1 : 0}`;

/** Waits. `signal` ends the wait with an error. */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

export const engine = new Engine();
