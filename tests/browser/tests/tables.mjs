// Tests that the exported page answers from tables in its folder. The host supports only files and
// byte ranges.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { core } from "../core.mjs";
import { staticHost } from "../host.mjs";
import { link } from "./playing.mjs";

const LIST = "tables/pentago-tables.tsv";
const PENTE = "pente:n=4,k=4,opening=free";
const XL_ROOT = "ABA1A1AAB/BBBABAABB/B1A1ABBBB/AA1BA1AAA/BBBBABB1B/AAABAABAB/AAA2BBB1/BABBAAABA/BAB1BBAAA a";
/** A position with 12 marbles, too early for a full solution in a browser. */
const ROOT = "1XXOO1/O2OXO/1OXO2/XOXO1O/XXX2X/XXXOO1 o";
/** A position that the module solves without tables. */
const LATE = "1XOX/X1OO/OXX1/XO1O x";

/** The page, exported once, with tables of all games in its folder. */
function site({ program, scratch }) {
  const folder = join(scratch, "site");
  if (existsSync(folder)) return folder;
  const run = (...texts) => execFileSync(program, [...texts, "--quiet"]);
  const out = ["--out", join(folder, "tables")];
  run("build", "mini", ...out);
  run("build", PENTE, ...out);
  run("build", `root:${ROOT}`, "--keep", "36", ...out);
  run("build", "--rules", "xl", `root:${XL_ROOT}`, ...out);
  run("publish", out[1]);
  run("serve", "--export", folder, "--tables", out[1]);
  return folder;
}

/** Returns the answer of the page's engine, as the worker sends it. */
const asked = (page, rules, position) => page.evaluate(async ([rules, position]) => {
  const { engine } = await import(new URL("js/engine.js", location.href));
  return engine.values(rules, position);
}, [rules, position]);

const gist = ({ value, moves }) => ({ value, moves: moves.map((m) => [m.move, m.value]).sort(([a], [b]) => (a < b ? -1 : 1)) });

const detail = (page, text) => page.locator("#detail", { hasText: text }).waitFor();

export const tables = [
  {
    name: "tables beside the page answer for all games",
    needs: "server",
    async run({ open, program, scratch, folder: source, assert }) {
      const folder = site({ program, scratch });
      const names = [];
      const host = await staticHost(folder, { asked: names });
      const page = await open(`${host.url}${link("4/4/4/4 x", "mini")}`);
      await detail(page, "From a table");
      await page.locator("#value", { hasText: "Win" }).waitFor();
      // The requests: the list, the ends of two small tables, and a block of each.
      const taken = () => names.splice(0).filter((name) => name.startsWith("tables/"));
      const first = taken();
      assert.equal(first[0], LIST);
      assert.ok(first.length <= 5, first.join(" "));
      const own = await core(source);
      for (const [rules, position, marbles] of [["mini", "4/4/4/4 x", 3], ["mini", null, 7], [PENTE, "4/4/4/4 x", 3], [PENTE, null, 5], ["pentago", ROOT, 28], ["xl", XL_ROOT, 73]]) {
        const random = position ?? own.ask("random", rules, String(marbles), "5").position;
        const said = JSON.parse(execFileSync(program, ["query", random, "--rules", rules, "--tables", join(folder, "tables"), "--json", "--quiet"]));
        const answer = await asked(page, rules, random);
        assert.deepEqual(gist(answer), gist(said), `${rules} ${random}`);
        assert.equal(answer.source, "table", `${rules} ${random}`);
        assert.ok(answer.moves.every(({ source }) => ["table", "rules"].includes(source)), `${rules} ${random}`);
      }
      assert.ok(taken().every((name) => name !== LIST), "the list is read once");
      // Bytes that were read stay cached, even if the answer is not.
      await page.evaluate(async () => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        engine.kept.clear();
      });
      assert.equal((await asked(page, "xl", XL_ROOT)).source, "table");
      assert.deepEqual(taken(), []);
      await host.close();
    },
  },
  {
    name: "tables that are of no use change no answer, and the page says why",
    needs: "server",
    async run({ open, program, scratch, assert }) {
      const folder = site({ program, scratch });
      const list = await readFile(join(folder, LIST), "utf8");
      let fault;
      const host = await staticHost(folder, { spoil: (sent) => (fault && sent.name.startsWith("tables/") ? fault(sent) : sent) });
      const page = await open(`${host.url}${link(LATE, "mini")}`);
      await detail(page, "From a table");
      const right = gist(await asked(page, "mini", LATE));
      const part = (change) => (sent) => (sent.status === 206 ? { ...sent, ...change(sent) } : sent);
      const faults = {
        missing: (sent) => ({ ...sent, status: 404 }),
        unreachable: (sent) => ({ ...sent, status: 503 }),
        ranges: part(({ whole }) => ({ status: 200, bytes: whole })),
        damaged: part(({ bytes }) => ({ bytes: bytes.map((byte) => byte ^ 4) })),
        "damaged, as short": part(({ bytes }) => ({ bytes: bytes.subarray(1) })),
        "damaged, as long": part(({ bytes }) => ({ bytes: Buffer.concat([bytes, bytes]) })),
        "damaged, as another range": part(({ headers }) => ({ headers: { ...headers, "content-range": "bytes 1-2/3" } })),
        "damaged, as another list": (sent) => (sent.name === LIST ? { ...sent, bytes: Buffer.from("<html>") } : sent),
        "damaged, as headers": (sent) => (sent.name === LIST ? { ...sent, bytes: Buffer.from(list.replaceAll(/(\t[0-9a-f]{40})../g, "$1ff")) } : sent),
        "unreachable, cut": part(() => ({ cut: true })),
        "unreachable, sent elsewhere": (sent) => ({ ...sent, status: 302, headers: { location: `${host.url}index.html` } }),
      };
      for (const [name, change] of Object.entries(faults)) {
        const [kind] = name.split(",");
        fault = change;
        await page.reload();
        await page.waitForSelector("html[data-ready]");
        const answer = await asked(page, "mini", LATE);
        assert.equal(answer.fault, kind, name);
        assert.equal(answer.source, "solved", name);
        assert.deepEqual(gist(answer), right, name);
        const text = { missing: "There are no tables", unreachable: "be reached", ranges: "whole files only", damaged: "are damaged" }[kind];
        await detail(page, text);
        // After the failure, the next question is answered from the tables.
        fault = null;
        const after = await asked(page, "mini", LATE);
        assert.deepEqual([after.fault, after.source], [undefined, "table"], name);
      }
      await host.close();
    },
  },
  {
    name: "tables beside damaged ones answer, and the page says that some are missing",
    needs: "server",
    async run({ open, program, scratch, assert }) {
      const folder = site({ program, scratch });
      const lines = (await readFile(join(folder, LIST), "utf8")).split("\n");
      const spoiled = lines.map((line) => (line.includes("pente") ? line.replace(/(\t[0-9a-f]{40})../, "$1ff") : line)).join("\n");
      const host = await staticHost(folder, { instead: { [LIST]: Buffer.from(spoiled) } });
      const page = await open(`${host.url}${link(LATE, "mini")}`);
      await detail(page, "From a table");
      const answer = await asked(page, PENTE, "4/4/4/4 x");
      assert.deepEqual([answer.source === "table", answer.fault], [false, "lacking"]);
      assert.equal((await asked(page, "mini", LATE)).fault, undefined);
      await host.close();
    },
  },
  {
    name: "a question that is ended while a host is asked costs nothing of what was read",
    needs: "server",
    async run({ open, program, scratch, assert }) {
      const folder = site({ program, scratch });
      const names = [];
      let slow = false;
      const spoil = async (sent) => {
        if (slow && sent.status === 206) await new Promise((resolve) => setTimeout(resolve, 1500));
        return sent;
      };
      const host = await staticHost(folder, { asked: names, spoil });
      const page = await open(`${host.url}${link(LATE, "mini")}`);
      await detail(page, "From a table");
      // Until the offline cache is complete, the page requests its own files, too.
      await page.evaluate(async () => { await navigator.serviceWorker.ready; });
      names.splice(0);
      slow = true;
      const ended = await page.evaluate(async ([rules, position]) => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        const worker = engine.worker;
        const control = new AbortController();
        setTimeout(() => control.abort(new Error("ended")), 500);
        const error = await engine.values(rules, position, { signal: control.signal }).then(() => "answered", (error) => error.message);
        return [error, engine.worker === worker];
      }, ["xl", XL_ROOT]);
      assert.deepEqual(ended, ["ended", true]);
      assert.ok(names.length > 0, "a host was asked");
      slow = false;
      assert.equal((await asked(page, "xl", XL_ROOT)).source, "table");
      assert.ok(names.every((name) => name.startsWith("tables/") && name !== LIST), names.join(" "));
      // A computing worker receives no messages: the page terminates it.
      const computing = await page.evaluate(async () => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        const control = new AbortController();
        setTimeout(() => control.abort(new Error("ended")), 1000);
        return engine.values("pentago", "X5/1O4/2X3/3O2/5X/O3X1 o", { signal: control.signal }).then(() => "answered", (error) => [error.message, engine.worker]);
      });
      assert.deepEqual(computing, ["ended", null]);
      await host.close();
    },
  },
  {
    name: "tables on another host are read where it allows that",
    needs: "server",
    async run({ open, program, scratch, assert }) {
      const folder = site({ program, scratch });
      for (const [headers, expected] of [[{ "access-control-allow-origin": "*" }, undefined], [{}, "unreachable"]]) {
        const far = await staticHost(folder, { headers });
        const index = (await readFile(join(folder, "index.html"), "utf8")).replace('content="tables"', `content="${far.url}tables"`);
        const near = await staticHost(folder, { instead: { "index.html": Buffer.from(index) }, headers: { "content-security-policy": `connect-src 'self' ${new URL(far.url).origin}` } });
        const page = await open(`${near.url}${link(LATE, "mini")}`);
        assert.equal((await asked(page, "mini", LATE)).fault, expected);
        await near.close();
        await far.close();
      }
    },
  },
  {
    name: "tables that are published again are read anew",
    needs: "server",
    async run({ open, program, scratch, assert }) {
      const folder = site({ program, scratch });
      const names = [];
      // The host allows the browser to cache everything for an hour.
      const host = await staticHost(folder, { asked: names, headers: { "cache-control": "max-age=3600" } });
      const page = await open(`${host.url}${link(LATE, "mini")}`);
      await detail(page, "From a table");
      const first = names.splice(0).filter((name) => name.startsWith("tables/"));
      await page.goto("about:blank");
      await page.goto(`${host.url}${link(LATE, "mini")}`);
      await detail(page, "From a table");
      assert.deepEqual(names.filter((name) => name.startsWith("tables/")).sort(), first.sort());
      assert.ok(first.includes(LIST), first.join(" "));
      await host.close();
    },
  },
];
