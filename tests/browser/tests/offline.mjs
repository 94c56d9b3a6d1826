// From any web host, and without a network.

import { staticHost } from "../host.mjs";
import { link } from "./playing.mjs";

export const offline = [
  {
    name: "offline after the first visit: the opening is exact, late positions are solved",
    async run({ open, folder, assert }) {
      const host = await staticHost(folder);
      const page = await open(host.url);
      await page.evaluate(async () => { await navigator.serviceWorker.ready; });
      await page.waitForFunction(async () => (await caches.keys()).length > 0 && Boolean(navigator.serviceWorker.controller));
      await host.close();
      await page.goto("about:blank");
      await page.goto(host.url);
      await page.waitForSelector("html[data-ready]");
      await page.locator("#value", { hasText: "Win" }).waitFor();
      assert.match(await page.locator("#detail").innerText(), /published/);
      // Every first move but one in a corner wins.
      assert.equal(await page.locator("#board .socket.win").count(), 32);
      assert.equal(await page.locator("#board .socket.draw").count(), 4);
      await page.goto(`${host.url}${link("3OX1/OOXOX1/3XOX/OXX1OO/1OX1X1/3O1X x")}`);
      await page.locator("#value:is(.win, .loss, .draw)").waitFor();
      await page.selectOption("#language", "de");
      await page.locator("#to-move", { hasText: "am Zug" }).waitFor();
    },
  },
];
