// Several threads solve where the page is cross-origin isolated, and one does everywhere else: the
// answers are the same.

import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { core } from "../core.mjs";
import { ISOLATION, staticHost } from "../host.mjs";

const EIGHTEEN = "3OX1/OOXOX1/3XOX/OX2OO/2X1X1/3O1X x";
const TWENTY = "3OX1/OOXOX1/3XOX/OXX1OO/1OX1X1/3O1X x";
/** Threads that the page wants on this machine. */
const WANTED = Math.min(8, availableParallelism());

/** Asks the page's own worker: the answer without its time, and how it was found. */
function solved(page, ...texts) {
  return page.evaluate(async (texts) => {
    const { engine } = await import(new URL("js/engine.js", location.href));
    const began = performance.now();
    const answer = await engine.fromWorker(texts);
    const seconds = (performance.now() - began) / 1000;
    delete answer.seconds;
    return { answer, seconds, threads: engine.threads, memory: engine.memory, helpers: engine.helpers.length };
  }, texts);
}

/** The same from the module with one thread, without a browser. */
async function alone(folder) {
  const own = await core(folder);
  return (...texts) => {
    const answer = own.ask(...texts);
    delete answer.seconds;
    return answer;
  };
}

/** Positions of all kinds: 18 and 20 marbles, with distances, other presets, small ones. */
function* questions(own) {
  yield ["values", "pentago", EIGHTEEN, "0", "5"];
  yield ["values", "pentago", TWENTY, "1", "5"];
  for (const [rules, marbles, seeds] of [["pentago", 20, 2], ["pentago", 22, 4], ["pentago-eu", 20, 2], ["pentago-cs", 20, 2], ["mini", 0, 1], ["mini", 3, 2], ["pentago", 27, 4]]) {
    for (let seed = 0; seed < seeds; seed++) yield ["values", rules, own("random", rules, String(marbles), String(seed)).position, String(seed % 2), "5"];
  }
}

/** Compares all of them; how many threads solved. */
async function compare(page, folder, assert) {
  const own = await alone(folder);
  const counts = {};
  for (const texts of questions(own)) {
    const { answer, threads } = await solved(page, ...texts);
    counts[threads] = (counts[threads] ?? 0) + 1;
    assert.deepEqual(answer, own(...texts), texts.join(" "));
  }
  return counts;
}

const isolated = (page) => page.evaluate(() => crossOriginIsolated);

/** Whether the helpers are gone, and the page is as it was. */
const workers = (page) => page.workers().length;

export const threads = [
  {
    name: "threads: the program's page is isolated, and their answers are those of one thread",
    needs: "server",
    async run({ server, open, folder, assert }) {
      const page = await open(server.url);
      assert.ok(await isolated(page));
      assert.equal(workers(page), 0);
      const counts = await compare(page, folder, assert);
      assert.ok(counts[WANTED] >= 5 && (WANTED === 1 || counts[1] >= 2), JSON.stringify(counts));
      assert.equal(workers(page), WANTED);
    },
  },
  {
    name: "threads: any host that sends two headers has them, and the first load takes one module",
    async run({ open, folder, assert }) {
      const asked = [];
      const host = await staticHost(folder, { headers: ISOLATION, asked });
      const page = await open(host.url);
      assert.ok(await isolated(page));
      await page.goto(`${host.url}#rules=pentago`);
      await page.locator("#value", { hasText: "Win" }).waitFor();
      await page.evaluate(async () => { await navigator.serviceWorker.ready; });
      assert.ok(asked.includes("pentago.wasm") && asked.includes("openings.bin"));
      assert.ok(!asked.includes("pentago-threads.wasm"), asked.join(" "));
      const counts = await compare(page, folder, assert);
      assert.ok(counts[WANTED] >= 5, JSON.stringify(counts));
      assert.equal(asked.includes("pentago-threads.wasm"), WANTED > 1);
      await host.close();
    },
  },
  {
    name: "threads: without the headers one thread solves, and from the second visit on all do",
    async run({ open, folder, assert }) {
      const asked = [];
      const host = await staticHost(folder, { asked });
      const page = await open(host.url);
      assert.ok(!await isolated(page));
      const { answer, threads, helpers } = await solved(page, "values", "pentago", TWENTY, "1", "5");
      assert.equal(threads, 1);
      assert.equal(helpers, 0);
      assert.ok(!asked.includes("pentago-threads.wasm"));
      await page.waitForFunction(async () => (await caches.keys()).length > 0 && Boolean(navigator.serviceWorker.controller));
      await page.reload();
      await page.waitForSelector("html[data-ready]");
      assert.ok(await isolated(page));
      const again = await solved(page, "values", "pentago", TWENTY, "1", "5");
      assert.deepEqual(again.answer, answer);
      assert.equal(again.threads, WANTED);
      // And without a network: what was used is kept.
      await host.close();
      await page.goto("about:blank");
      await page.goto(host.url);
      await page.waitForSelector("html[data-ready]");
      const offline = await solved(page, "values", "pentago", TWENTY, "1", "5");
      assert.deepEqual(offline.answer, answer);
      assert.equal(offline.threads, WANTED);
    },
  },
  {
    name: "threads: their module computes what this machine's kernels compute",
    async run({ open, root, folder, assert }) {
      const source = await readFile(join(root, "tools/explorer/wasm/src/tests.rs"), "utf8");
      const [, expected] = /const DIGESTS: &str =\s+r#"(.+)"#;/.exec(source);
      const host = await staticHost(folder, { headers: ISOLATION });
      const page = await open(host.url);
      const { answer, threads } = await solved(page, "digest", "7");
      assert.deepEqual(answer, JSON.parse(`{"kernel":"simd128",${expected}`));
      assert.equal(threads, WANTED);
      await host.close();
    },
  },
  {
    name: "threads: what goes wrong is solved by one thread, and who leaves ends them all",
    async run({ open, folder, assert }) {
      const own = await alone(folder);
      const question = ["values", "pentago", TWENTY, "1", "5"];
      // No module; a helper that breaks at once; one that breaks when it has begun.
      for (const instead of [
        { "pentago-threads.wasm": "nothing" },
        { "js/helper.js": "throw new Error('broken');" },
        { "js/helper.js": `addEventListener("message", () => { postMessage("ready"); setTimeout(() => postMessage("broken"), 300); });` },
      ]) {
        const host = await staticHost(folder, { headers: ISOLATION, instead });
        const page = await open(host.url);
        const { answer, threads, helpers } = await solved(page, ...question);
        assert.deepEqual(answer, own(...question));
        assert.deepEqual([threads, helpers], [1, 0]);
        await host.close();
      }
      const host = await staticHost(folder, { headers: ISOLATION });
      const page = await open(host.url);
      const left = await page.evaluate(async (texts) => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        const asking = new AbortController();
        setTimeout(() => asking.abort(new Error("left")), 700);
        return engine.fromWorker(texts, asking.signal).then(() => "answered", ({ message }) => message);
      }, ["values", "pentago", "3XO1/X1XO2/O1OX1O/1O3X/1XX1O1/1O1X2 x", "0", "8"]);
      assert.equal(left, "left");
      await page.waitForFunction(async () => (await import(new URL("js/engine.js", location.href))).engine.worker === null);
      for (let tries = 0; workers(page) > 0 && tries < 50; tries++) await page.waitForTimeout(100);
      assert.equal(workers(page), 0);
      assert.deepEqual((await solved(page, ...question)).answer, own(...question));
      await host.close();
    },
  },
  {
    name: "threads: more of them than the machine has",
    async run({ open, folder, assert }) {
      const own = await alone(folder);
      const source = await readFile(join(folder, "js/threads.js"), "utf8");
      const many = source.replace("navigator.hardwareConcurrency || 1", "8");
      assert.notEqual(many, source);
      const host = await staticHost(folder, { headers: ISOLATION, instead: { "js/threads.js": many } });
      const page = await open(host.url);
      for (const position of [TWENTY, EIGHTEEN]) {
        const question = ["values", "pentago", position, "0", "5"];
        const { answer, threads, seconds, memory } = await solved(page, ...question);
        assert.notEqual(answer.value, "unknown");
        assert.deepEqual(answer, own(...question));
        assert.equal(threads, 8);
        console.log(`8 threads: ${seconds.toFixed(2)} s, ${(memory / 1e6).toFixed(0)} MB`);
        assert.ok(memory < 400e6);
      }
      await host.close();
    },
  },
  {
    name: "threads: the time of 18 marbles",
    async run({ open, folder, assert }) {
      const times = [];
      for (const headers of [{}, ISOLATION]) {
        const host = await staticHost(folder, { headers });
        const page = await open(host.url);
        // The second time the module is there, and compiled.
        for (const position of [TWENTY, EIGHTEEN, EIGHTEEN]) times.push(await solved(page, "values", "pentago", position, "0", "5"));
        await host.close();
      }
      const told = ({ threads, seconds, memory }) => `${threads} ${threads === 1 ? "thread" : "threads"} ${seconds.toFixed(2)} s, ${(memory / 1e6).toFixed(0)} MB`;
      console.log(`18 marbles: ${told(times[2])}; ${told(times[5])}`);
      assert.deepEqual(times[2].answer, times[5].answer);
      assert.ok(times[5].memory < 400e6);
    },
  },
];
