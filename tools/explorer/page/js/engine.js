// Where answers come from: the server if there is one, else the solver in the browser and the tables that
// an exported page names. Positions and moves are always read by the module, which is on the page already.

import { load } from "./wasm.js";

const base = new URL("..", import.meta.url);
/** Positions whose values are kept. */
const KEPT = 2000;
/** Seconds that the browser spends on a position that it can't solve to the end. */
const PATIENCE = 8;
/** After so many milliseconds the progress of the server is asked for. */
const LONG = 900;

class Engine {
  constructor() {
    this.core = null;
    this.server = null;
    /** The address of the tables, where the page names one. */
    this.tables = "";
    this.kept = new Map();
    /** What was found in less time than it takes to be sure. */
    this.glimpsed = new Map();
    this.worker = null;
    this.waiting = new Map();
    this.asked = 0;
  }

  /** Loads the module and looks for the server. */
  async start() {
    const [core] = await Promise.all([load(base), this.findServer()]);
    this.core = core;
    // An older copy of the page names none.
    const content = document.querySelector("meta[name=pentago-tables]")?.content;
    if (content && !this.server && URL.canParse(content, base)) this.tables = new URL(content, base).href;
  }

  /** Whether there is a server; a page from any other host has none. */
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

  /** All presets with their boards. */
  presets() {
    const presets = this.core.ask("rules").presets;
    const names = new Set(presets.map((preset) => preset.name));
    return presets.concat((this.served?.presets ?? []).filter((preset) => !names.has(preset.name))).map(asSheet);
  }

  /** Rules that may not be a preset, with their board. */
  board(rules) {
    const sheet = this.core.ask("board", rules);
    return sheet.error ? sheet : asSheet(sheet);
  }

  /** A position and its moves, without values. */
  look(rules, position) {
    return this.core.ask("look", rules, position);
  }

  /** What a pasted text says. */
  read(rules, text) {
    return this.core.ask("read", rules, text);
  }

  /** What is known already. */
  known(rules, position, distance) {
    return this.kept.get(key(rules, position, true)) ?? (distance ? undefined : this.kept.get(key(rules, position, false)));
  }

  /** What is known already, or was at least looked at for a moment. */
  seen(rules, position) {
    return this.known(rules, position, false) ?? this.glimpsed.get(key(rules, position, false));
  }

  /**
   * The values of a position and its moves; `signal` ends the question. `seconds`: for what can't be
   * solved to the end, if it is to be less than usual; `here`: by the browser alone.
   */
  async values(rules, position, { distance = false, signal, here = false, seconds, progress } = {}) {
    const known = this.known(rules, position, distance);
    if (known) return known;
    let answer;
    if (this.server && !here) {
      answer = await this.fromServer(rules, position, distance, seconds, signal, progress);
    }
    if (!answer) {
      answer = await this.fromWorker(["values", rules, position, distance ? "1" : "0", String(seconds ?? PATIENCE)], signal, progress);
      answer.here = true;
    }
    if (answer.error) return answer;
    answer.given = seconds;
    const sure = answer.fault ? false : seconds === undefined || (answer.value !== "unknown" && answer.moves.every(({ value }) => value !== "unknown"));
    keep(sure ? this.kept : this.glimpsed, key(rules, position, distance), answer);
    return answer;
  }

  /** Asks the server; nothing if it can't be reached or doesn't answer for the rules. What takes long tells its progress. */
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
      return await this.fetchAnswer(query, signal);
    } finally {
      clearTimeout(timer);
      events?.close();
    }
  }

  async fetchAnswer(query, signal) {
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
      // What takes too long there, or more memory than there is, does so later, too.
      const forGood = ["time", "machine"].includes(answer?.kind);
      if (response.status === 429 || (response.status === 503 && !forGood)) {
        await pause(1000 * Math.min(10, Number(response.headers.get("retry-after")) || 1), signal);
        continue;
      }
      // The module has read the rules and the position: the server doesn't answer for them.
      return response.status === 400 ? null : answer;
    }
    return null;
  }

  /** JSON from the server, if there is one and it has it. */
  async get(path) {
    if (!this.server) return null;
    try {
      const response = await fetch(new URL(path, base));
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    }
  }

  /** Asks the worker. Ending a question ends the worker, which can't listen while it computes, but not while it asks hosts. */
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
    worker.addEventListener("message", ({ data }) => {
      if (worker !== this.worker) return;
      const asked = this.waiting.get(data.id);
      if (data.fetching !== undefined) {
        if (asked) asked.fetching = data.fetching;
        // It waits for this word.
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

/** A rule sheet as the page uses it: blocks are quadrants, and a seat is its letter. */
function asSheet({ name, title, sentence, board }) {
  const quadrants = board.blocks.map((block) => ({ ...block, turns: block.turns.length > 0 }));
  const seats = board.seats.map(({ seat }) => seat);
  return { name, title, sentence, start: board.start, board: { ...board, quadrants, seats, line: board.run } };
}

function keep(map, name, answer) {
  if (map.size >= KEPT) map.delete(map.keys().next().value);
  map.set(name, answer);
}

const key = (rules, position, distance) => `${rules}|${position}|${distance ? 1 : 0}`;

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

export const engine = new Engine();
