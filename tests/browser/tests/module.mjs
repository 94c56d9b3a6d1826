// Compares the module's answers with the server's, and with those of this machine's kernels.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { core } from "../core.mjs";

const PRESETS = ["pentago", "pentago-eu", "pentago-fi", "pentago-cs", "pentago-nl", "mini"];
/** The number of positions to compare. */
const POSITIONS = 500;

/** Returns the parts of an answer that must agree. */
function gist(answer, distances) {
  const moves = answer.moves.map((move) => [move.move, move.value, distances ? move.distance : null, move.position]);
  moves.sort(([a], [b]) => (a < b ? -1 : 1));
  return { value: answer.value, distance: distances ? answer.distance : null, best: [...answer.best].sort(), moves };
}

export const module = [
  {
    name: "the module computes what this machine's kernels compute",
    async run({ folder, root, assert }) {
      const source = await readFile(join(root, "tools/explorer/wasm/src/tests.rs"), "utf8");
      const [, expected] = /const DIGESTS: &str =\s+r#"(.+)"#;/.exec(source);
      const digests = (await core(folder)).ask("digest", "7");
      assert.deepEqual(digests, JSON.parse(`{"kernel":"simd128",${expected}`));
    },
  },
  {
    name: "the module knows the boards that the server knows",
    needs: "server",
    async run({ folder, server, assert }) {
      const served = await (await fetch(`${server.url}api/v1/rules`)).json();
      assert.deepEqual((await core(folder)).ask("rules"), served);
    },
  },
  {
    name: `the module's answers are the server's on ${POSITIONS} positions`,
    needs: "server",
    async run({ folder, server, assert }) {
      const own = await core(folder);
      assert.ok(await own.openings());
      let [most, seconds, sources] = [0, 0, new Set()];
      for (let i = 0; i < POSITIONS; i++) {
        const rules = PRESETS[i % PRESETS.length];
        // Some early positions, whose values are published. Most are late, which are solved
        // quickly.
        const early = rules === "pentago" && i % 5 === 0;
        const marbles = rules === "mini" ? 2 + (i % 9) : early ? i % 6 : i % 100 === 1 ? 20 : 23 + (i % 11);
        const distances = i % 3 === 0 && !early;
        const { position } = own.ask("random", rules, String(marbles), String(i));
        const began = performance.now();
        const mine = own.ask("values", rules, position, distances ? "1" : "0", "5");
        const took = performance.now() - began;
        [most, seconds] = [Math.max(most, took), seconds + took / 1000];
        const query = new URLSearchParams({ p: position, rules, ...(distances ? { distance: "1" } : {}) });
        const served = await (await fetch(`${server.url}api/v1/position?${query}`)).json();
        assert.equal(served.error, undefined, `${rules} ${position}`);
        if (early && served.value === "unknown") {
          continue;
        } else assert.deepEqual(gist(mine, distances), gist(served, distances), `${rules} ${position}`);
        sources.add(mine.source);
      }
      console.log(`in the module: ${seconds.toFixed(1)} s, ${most.toFixed(0)} ms at most; sources ${[...sources]}`);
    },
  },
  {
    name: "positions of 18 and 20 marbles are solved in memory and time",
    async run({ folder, assert }) {
      const own = await core(folder);
      for (const [marbles, position] of [[20, "3OX1/OOXOX1/3XOX/OXX1OO/1OX1X1/3O1X x"], [18, "3OX1/OOXOX1/3XOX/OX2OO/2X1X1/3O1X x"]]) {
        const [began, used] = [performance.now(), process.cpuUsage().user];
        const answer = own.ask("values", "pentago", position, "0", "5");
        const cpu = (process.cpuUsage().user - used) / 1e6;
        assert.notEqual(answer.value, "unknown");
        console.log(`${marbles} marbles: ${((performance.now() - began) / 1000).toFixed(2)} s, ${cpu.toFixed(2)} s of CPU, ${(own.memory() / 1e6).toFixed(0)} MB`);
      }
      assert.ok(own.memory() < 400e6);
    },
  },
];
