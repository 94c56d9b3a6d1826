// Tests of the page on a plain web host, and offline.

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
      await page.goto(`${host.url}#rules=pentago`);
      await page.waitForSelector("html[data-ready]");
      await page.locator("#value", { hasText: "Win" }).waitFor();
      assert.match(await page.locator("#detail").innerText(), /published/);
      // Every first move wins, except in a corner.
      assert.equal(await page.locator("#board .socket.win").count(), 32);
      assert.equal(await page.locator("#board .socket.draw").count(), 4);
      await page.goto(`${host.url}${link("3OX1/OOXOX1/3XOX/OXX1OO/1OX1X1/3O1X x")}`);
      await page.locator("#value:is(.win, .loss, .draw)").waitFor();
      for (const [rules, position, value] of [
        ["mini", "1XOX/X1OO/OXX1/XO1O x", null],
        ["xl", "ABAAABBBA/AABAABAAB/B1BBAAAAB/AAABBBAAB/BBBBAABBA/BBABBBABB/ABAAAAB1B/AAABAABAB/ABABBBAAB b", "win"],
        ["pente:n=5,k=4,opening=free", "5/1O3/1OX2/2XO1/4X x", "win"],
      ]) {
        await page.goto(`${host.url}${link(position, rules)}`);
        await page.locator(value ? `#value.${value}` : "#value:is(.win, .loss, .draw)").waitFor();
      }
      // The best move in the last position continues the diagonal.
      const shown = await page.locator("#best").innerText().catch(() => "");
      assert.match(shown || await page.locator("body").innerText(), /C4/);
      await page.selectOption("#language", "de");
      await page.locator("#to-move", { hasText: "am Zug" }).waitFor();
    },
  },
];
