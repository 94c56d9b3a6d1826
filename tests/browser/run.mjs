// Tests the explorer's page in headless Chromium: `node run.mjs [WORD...]` runs all tests, or those
// whose names contain one of the words.
//
// $PENTAGO is the program; the default is target/debug/pentago. $CHROMIUM is the browser. $PICTURES
// is a folder for screenshots; by default none are taken.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { programHost, staticHost } from "./host.mjs";
import { tests } from "./tests/all.mjs";
import { hasAdapter } from "./tests/gpu.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const folder = join(root, "tools/explorer/page");
const program = process.env.PENTAGO ?? join(root, "target/debug/pentago");
const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const pictures = process.env.PICTURES;

const words = process.argv.slice(2);
const chosen = tests.filter(({ name }) => !words.length || words.some((word) => name.includes(word)));

/** Options of Chromium for a GPU that SwiftShader emulates. */
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

const launch = (...args) => chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", ...args] });
const browser = await launch();
const server = existsSync(program) ? await programHost(program) : null;
const host = await staticHost(folder);
const scratch = await mkdtemp(join(tmpdir(), "pentago-browser-"));
const exported = join(scratch, "page");
if (server) execFileSync(program, ["serve", "--export", exported]);
if (pictures) mkdirSync(pictures, { recursive: true });

let withWebgpu;
/** Starts the browser with the emulated GPU. Returns null if WebGPU is still missing. */
const webgpu = () => withWebgpu ??= (async () => {
  const other = await launch(...WEBGPU);
  if (await hasAdapter(other, host.url)) return other;
  await other.close();
  return null;
})();

/** Opens the page and collects its errors. */
async function visit(browser, url, { waitFor = "html[data-ready]", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1180, height: 900 }, locale: "en", ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    // Failed requests are expected: the page probes for a server, tables and a compressed module.
    const missing = ["/api/v1/", "/tables/", "/pentago.wasm.gz"].some((part) => message.location().url.includes(part));
    if (message.type() === "error" && !missing) wrong.push(`${message.text()} (${message.location().url})`);
  });
  // The page asks before it leaves an unfinished game.
  page.on("dialog", (dialog) => dialog.accept());
  page.on("pageerror", (error) => wrong.push(String(error)));
  await page.goto(url);
  await page.waitForSelector(waitFor);
  return { page, context, wrong };
}

let failed = 0;
for (const { name, needs, run } of chosen) {
  if (needs === "server" && !server) {
    console.log(`skipped: ${name}: there is no ${program}`);
    continue;
  }
  if (needs === "webgpu" && (!server || !await webgpu())) {
    console.log(`skipped: ${name}: ${server ? "this Chromium has no WebGPU" : `there is no ${program}`}`);
    continue;
  }
  const began = performance.now();
  const visits = [];
  const world = {
    server, host, root, folder, program, scratch, exported, assert,
    open: async (url, options) => {
      const visited = await visit(needs === "webgpu" ? await webgpu() : browser, url, options);
      visits.push(visited);
      return visited.page;
    },
    picture: async (page, title) => {
      if (pictures) await page.screenshot({ path: join(pictures, `${title}.png`) });
    },
  };
  try {
    await run(world);
    for (const { wrong } of visits) assert.deepEqual(wrong, [], "nothing goes wrong in the page");
    console.log(`ok ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${error.stack}`);
    for (const { wrong, page } of visits) {
      if (wrong.length) console.log(`in the page: ${wrong.join("\n")}`);
      if (pictures) await page.screenshot({ path: join(pictures, `failed-${name.replaceAll(/\W+/g, "-")}.png`) }).catch(() => {});
    }
  }
  for (const { context } of visits) await context.close();
}

await browser.close();
await (await withWebgpu)?.close();
await rm(scratch, { recursive: true });
await server?.close();
await host.close();
console.log(`test result: ${failed ? "FAILED" : "ok"}. ${chosen.length - failed} passed; ${failed} failed;`);
process.exit(failed ? 1 : 0);
