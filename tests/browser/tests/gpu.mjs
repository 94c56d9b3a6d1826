// Tests that the page's answers with WebGPU equal those of the module, and that the page falls back
// to the module. SwiftShader emulates the GPU a hundred times slower than the module, so most
// positions are small.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { core } from "../core.mjs";
import { staticHost } from "../host.mjs";
import { link } from "./playing.mjs";

const EIGHTEEN = "3OX1/OOXOX1/3XOX/OX2OO/2X1X1/3O1X x";
const PRESETS = ["pentago", "pentago-eu", "pentago-fi", "pentago-cs", "pentago-nl", "pentago:place=turn", "mini"];

/** Settings that allow an emulated GPU, and use it for small solutions. */
const CUTS = { piece: 2 ** 30, beside: 2 ** 24, batch: 2 ** 22, memory: 4e9, worth: 1000, software: true };

/** Starts a host whose file `gpu.js` is the result of `change`. */
async function hostWith(folder, change) {
  const source = await readFile(join(folder, "js/gpu.js"), "utf8");
  const changed = change(source);
  if (changed === source) throw new Error("nothing was changed in gpu.js");
  return staticHost(folder, { instead: { "js/gpu.js": changed } });
}

const withCuts = (cuts) => (source) => source.replace(/const CUTS = .*;/, `const CUTS = ${JSON.stringify({ ...CUTS, ...cuts })};`);

/**
 * Queries the page's worker. Returns the answer without its time, the time, and the number of
 * progress messages.
 */
function solved(page, ...texts) {
  return page.evaluate(async (texts) => {
    const { engine } = await import(new URL("js/engine.js", location.href));
    const began = performance.now();
    let told = 0;
    const { seconds: _, kernel, ...answer } = await engine.fromWorker(texts, undefined, () => { told += 1; });
    return { answer, kernel, told, seconds: (performance.now() - began) / 1000 };
  }, texts);
}

/** Queries the module without a browser. Returns the answer without its time. */
async function alone(folder) {
  const own = await core(folder);
  const ask = (...texts) => {
    const { seconds: _, kernel: __, ...answer } = own.ask(...texts);
    return answer;
  };
  return { ask, random: (rules, marbles, seed) => own.ask("random", rules, String(marbles), String(seed)).position };
}

/** Returns the position after a placement with its turn pending, if the game isn't over. */
function pending(own, rules, position) {
  const [board, seat] = position.split(" ");
  const placed = board.replace(/\d/, (free) => seat.toUpperCase() + (free > 1 ? free - 1 : ""));
  const looked = own.ask("look", rules, `${placed} ${seat} turn`);
  return looked.error || looked.over ? null : looked.position;
}

/** Compares the answers to questions, all of which the GPU must solve. Returns their number. */
async function compare(page, own, assert, questions) {
  let count = 0;
  for (const [rules, position, distance = "0"] of questions) {
    const texts = ["values", rules, position, distance, "5"];
    const { answer, kernel, told } = await solved(page, ...texts);
    assert.deepEqual(answer, own.ask(...texts), texts.join(" "));
    assert.equal(kernel, "gpu", texts.join(" "));
    assert.ok(told > 1, "progress is told");
    count += 1;
  }
  return count;
}

/** Returns true if the browser offers WebGPU. The first query may take some seconds. */
export async function hasAdapter(browser, url) {
  const page = await browser.newPage();
  await page.goto(url);
  const has = await page.evaluate(async () => {
    for (let tries = 0; tries < 5; tries++) {
      if (await navigator.gpu?.requestAdapter()) return true;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    return false;
  });
  await page.close();
  return has;
}

export const gpu = [
  {
    name: "gpu: the exported page solves by WebGPU, and its answers are the module's",
    needs: "webgpu",
    async run({ open, exported, assert }) {
      const own = await alone(exported);
      const host = await hostWith(exported, withCuts({}));
      const page = await open(host.url);
      const questions = [];
      for (const [i, rules] of PRESETS.entries()) {
        const late = rules === "mini" ? 5 : 25;
        for (let seed = 0; seed < 3; seed++) questions.push([rules, own.random(rules, late + seed % 2, 10 * i + seed), String(Number(seed === 2))]);
        const open = pending(own, rules, own.random(rules, late, 10 * i + 5));
        if (open) questions.push([rules, open]);
      }
      questions.push(["pentago", own.random("pentago", 22, 1)], ["pentago-cs", own.random("pentago-cs", 21, 1)]);
      const count = await compare(page, own, assert, questions);
      console.log(`compared ${count} positions`);
      // The page shows the use of the GPU.
      const position = own.random("pentago", 23, 7);
      await page.goto(`${host.url}${link(position)}`);
      await page.locator("#figures", { hasText: "The graphics processor took" }).waitFor();
      await host.close();
    },
  },
  {
    name: "gpu: 18 marbles by WebGPU, move by move",
    needs: "webgpu",
    async run({ open, exported, assert }) {
      const own = await alone(exported);
      const host = await hostWith(exported, withCuts({ worth: 5e7 }));
      const page = await open(host.url);
      const texts = ["values", "pentago", EIGHTEEN, "0", "5"];
      const { answer, kernel, told, seconds } = await solved(page, ...texts);
      const began = performance.now();
      assert.deepEqual(answer, own.ask(...texts));
      assert.equal(kernel, "gpu");
      assert.ok(told > 2);
      console.log(`18 marbles: ${seconds.toFixed(1)} s by SwiftShader, ${((performance.now() - began) / 1000).toFixed(1)} s by the module`);
      // The module solves small positions on the same page.
      assert.equal((await solved(page, "values", "pentago", own.random("pentago", 22, 1), "0", "5")).kernel, "simd128");
      await host.close();
    },
  },
  {
    name: "gpu: slices over each other, in many passes and small buffers",
    needs: "webgpu",
    async run({ open, exported, assert }) {
      const own = await alone(exported);
      const questions = ["pentago", "pentago-eu", "pentago:place=turn"].map((rules) => [rules, own.random(rules, 26, 3)]);
      for (const cuts of [{ beside: 0, batch: 1000 }, { beside: 0, batch: 500, piece: 2 ** 16 }, { piece: 2 ** 16 }]) {
        const host = await hostWith(exported, withCuts(cuts));
        const page = await open(host.url);
        await compare(page, own, assert, questions);
        await page.context().close();
        await host.close();
      }
    },
  },
  {
    name: "gpu: a lost device, one that is too small, and a shader that it refuses: the module answers",
    needs: "webgpu",
    async run({ open, exported, assert }) {
      const own = await alone(exported);
      const texts = ["values", "pentago", own.random("pentago", 24, 2), "0", "5"];
      const usual = withCuts({ batch: 1e5 });
      const replaced = (from, to) => (source) => {
        const changed = usual(source);
        assert.ok(changed.includes(from), from);
        return changed.replace(from, to);
      };
      for (const [change, later] of [
        // The first GPU device of the page is lost during the computation.
        [replaced("submit(part);", "submit(part); if (boards && !globalThis.was) { globalThis.was = true; device.destroy(); }"), "gpu"],
        [replaced("code: shader", "code: shader + '!'"), "simd128"],
        [replaced("task.words, STORAGE", "2 ** 40, STORAGE"), "simd128"],
        [replaced("adapter.requestDevice(", "adapter.refuse("), "simd128"],
        [withCuts({ memory: 1e6 }), "simd128"],
        // An emulated GPU is not used by default.
        [withCuts({ software: false }), "simd128"],
      ]) {
        const host = await hostWith(exported, change);
        const page = await open(host.url);
        for (const expected of ["simd128", later]) {
          const { answer, kernel } = await solved(page, ...texts);
          assert.deepEqual(answer, own.ask(...texts));
          assert.equal(kernel, expected);
        }
        await page.context().close();
        await host.close();
      }
    },
  },
  {
    name: "gpu: who leaves ends the work",
    needs: "webgpu",
    async run({ open, exported, assert }) {
      const own = await alone(exported);
      const host = await hostWith(exported, withCuts({ batch: 1e5 }));
      const page = await open(host.url);
      const left = await page.evaluate(async (texts) => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        const asking = new AbortController();
        const told = ({ done }) => { if (done > 0) asking.abort(new Error("left")); };
        return engine.fromWorker(texts, asking.signal, told).then(() => "answered", ({ message }) => message);
      }, ["values", "pentago", own.random("pentago", 21, 3), "0", "5"]);
      assert.equal(left, "left");
      await compare(page, own, assert, [["pentago", own.random("pentago", 26, 4)]]);
      await host.close();
    },
  },
  {
    name: "gpu: without an adapter the module answers",
    needs: "server",
    async run({ open, exported, assert }) {
      const own = await alone(exported);
      const host = await hostWith(exported, withCuts({}));
      const page = await open(host.url);
      assert.equal(await page.evaluate(async () => await navigator.gpu?.requestAdapter() ?? null), null);
      const texts = ["values", "pentago", own.random("pentago", 20, 2), "0", "5"];
      const { answer, kernel, told } = await solved(page, ...texts);
      assert.deepEqual(answer, own.ask(...texts));
      assert.deepEqual([kernel, told], ["simd128", 0]);
      await host.close();
    },
  },
];
