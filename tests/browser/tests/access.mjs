// Accessibility tests with axe-core: all panels and boards, in light and dark theme. No content may
// exceed the screen.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { link } from "./playing.mjs";

const LATE = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Returns the findings of axe, one line each. */
async function violations(page) {
  await page.evaluate(await readFile(AXE, "utf8"));
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  });
}

export const access = [
  {
    name: "axe finds nothing, by day and by night",
    async run({ open, host, assert, picture }) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await open(host.url + link(LATE), { colorScheme, reducedMotion: "reduce" });
        await page.locator("#value", { hasText: "White wins in 4 moves" }).waitFor();
        await picture(page, `late-${colorScheme}`);
        for (const name of ["analyse", "setup", "puzzle", "more", "play"]) {
          await page.locator(`#tab-${name}`).click();
          assert.deepEqual(await violations(page), [], `${colorScheme}, ${name}`);
          await picture(page, `tab-${name}-${colorScheme}`);
        }
        await page.locator('#board [data-socket][aria-label^="b1,"]').click();
        assert.deepEqual(await violations(page), [], `${colorScheme}, turns`);
        await picture(page, `turns-${colorScheme}`);
        await page.goto(host.url);
        await page.locator("#begin-play").waitFor();
        assert.deepEqual(await violations(page), [], `${colorScheme}, first screen`);
        await picture(page, `start-${colorScheme}`);
        for (const rules of ["mini", "xl", "pente"]) {
          await page.selectOption("#rules", rules);
          await page.waitForTimeout(300);
          assert.deepEqual(await violations(page), [], `${colorScheme}, ${rules}`);
          await picture(page, `board-${rules}-${colorScheme}`);
        }
      }
    },
  },
  {
    name: "the page fits a phone of 360 pixels, in all languages",
    async run({ open, host, assert, picture }) {
      for (const locale of ["en", "de", "fr", "es"]) {
        const page = await open(host.url + link(LATE), { viewport: { width: 360, height: 740 }, locale, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
        assert.equal(await page.evaluate(() => document.documentElement.lang), locale);
        await page.locator("#value.win").waitFor();
        await page.locator('#board [data-socket][aria-label^="b1,"]').tap();
        for (const size of ["200%", ""]) {
          await page.evaluate((size) => { document.documentElement.style.fontSize = size; }, size);
          for (const name of ["setup", "puzzle", "more", "analyse", "play"]) {
            // The enlarged board, which is in place while the page scrolls, may cover the tab.
            await page.locator(`#tab-${name}`).dispatchEvent("click");
            const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            assert.equal(beyond, 0, `${locale}, ${name}, ${size}`);
          }
        }
        await page.evaluate(() => scrollTo(0, 0));
        await picture(page, `phone-${locale}`);
        const small = await page.evaluate(() => [...document.querySelectorAll("#board .chip.open, #board [data-socket], button, select")]
          .filter((element) => element.getClientRects().length)
          .map((element) => [element.id || element.getAttribute("class") || element.textContent, element.getBoundingClientRect()])
          .filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24)).map(([name]) => name));
        assert.deepEqual(small, [], "everything can be touched");
        assert.ok(await page.getByRole("link", { name: "Pentago" }).count() > 0, "the link home has a name");
        // In landscape the board and its buttons fit on the screen.
        await page.setViewportSize({ width: 740, height: 360 });
        const heights = await page.evaluate(() => ["board", "bar"].map((id) => document.getElementById(id).getBoundingClientRect().height));
        assert.ok(heights[0] + heights[1] <= 360, `${heights}`);
      }
    },
  },
];
