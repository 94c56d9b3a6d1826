// Measures the first visit on slow networks: `node slow.mjs [FOLDER]`. FOLDER contains the page.
// Prints the times in seconds until the first paint, until two players can play, and until the
// module is loaded. Also prints the number of bytes sent. Each figure is the median of three
// visits.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { staticHost } from "./host.mjs";

const folder = process.argv[2] ?? join(import.meta.dirname, "../../tools/explorer/page");
const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
/** Chromium's profiles: latency in milliseconds, and bits per second. */
const NETWORKS = { "Fast 3G": [150, 1.6e6], "Slow 3G": [400, 4e5] };

const packed = new Map();
/** Compresses the files, as most hosts do. */
function compress({ name, headers, bytes, ...sent }) {
  if (!packed.has(name)) packed.set(name, gzipSync(bytes));
  return { ...sent, headers: { ...headers, "content-encoding": "gzip" }, bytes: packed.get(name) };
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
for (const [kind, spoil] of [["a host that compresses", compress], ["a host that doesn't", (sent) => sent]]) {
  const host = await staticHost(folder, { spoil, instead: { "pentago.wasm.gz": gzipSync(readFileSync(join(folder, "pentago.wasm"))) } });
  for (const [network, [latency, bits]] of Object.entries(NETWORKS)) {
    const visits = [];
    for (let visit = 0; visit < 3; visit++) {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, serviceWorkers: "block" });
      const page = await context.newPage();
      const client = await context.newCDPSession(page);
      await client.send("Network.enable");
      let sent = 0;
      client.on("Network.loadingFinished", ({ encodedDataLength }) => { sent += encodedDataLength; });
      await client.send("Network.emulateNetworkConditions", { offline: false, latency, downloadThroughput: bits / 8, uploadThroughput: bits / 8 });
      await page.addInitScript(() => {
        new MutationObserver(() => { if (document.querySelectorAll("#board [data-socket]").length === 36) window.playable ??= performance.now(); }).observe(document, { subtree: true, childList: true });
      });
      await page.goto(host.url, { timeout: 120_000 });
      await page.waitForSelector("html[data-ready]", { timeout: 120_000 });
      const [paint, playable, ready] = await page.evaluate(() => [performance.getEntriesByName("first-contentful-paint")[0].startTime, window.playable, performance.now()]);
      visits.push([paint, playable, ready, sent]);
      await context.close();
    }
    const [paint, playable, ready, sent] = visits[0].map((_, i) => visits.map((visit) => visit[i]).sort((a, b) => a - b)[1]);
    console.log(`${network}, ${kind}: paint ${(paint / 1000).toFixed(1)} s, playable ${(playable / 1000).toFixed(1)} s, ready ${(ready / 1000).toFixed(1)} s, ${Math.round(sent)} bytes`);
  }
  await host.close();
}
await browser.close();
