// Tests of the habits of players: the history, tasks after a reload, narrow screens, screen readers,
// and the words of the page.

import { link } from "./playing.mjs";

const LATE = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";
const CALM = { reducedMotion: "reduce" };

const socket = (page, name) => page.locator(`#board [data-socket][aria-label^="${name},"]`);
const moves = (page) => page.locator("#moves button").allTextContents();
const headline = (page, text) => page.locator("#value", { hasText: text }).waitFor();
const played = (page, count) => page.waitForFunction((n) => document.querySelectorAll("#moves button").length === n, count);
/** Plays a move by clicks on the board. */
async function move(page, text) {
  const [place, turn] = text.split("/");
  await socket(page, place).click();
  if (turn) await page.locator(`#board .open[data-quadrant="${parseInt(turn, 10) - 1}"][data-clockwise="${turn.endsWith("+")}"]`).click();
}
/** Plays the first move that the board offers. */
async function any(page) {
  await page.locator("#board .socket:not(.filled)").first().click();
  await page.locator("#board .chip.open").first().click();
}

export const habits = [
  {
    name: "back leaves a game, and nothing is discarded without a question",
    async run({ open, host, assert }) {
      const page = await open(host.url, CALM);
      await page.selectOption("#home-level", "1");
      await page.locator("#begin-play").click();
      for (const count of [2, 4]) {
        await headline(page, "Your move");
        await any(page);
        await played(page, count);
      }
      await page.goBack();
      await page.locator("#begin-play").waitFor();
      await page.goForward();
      await headline(page, "Your move");
      assert.equal((await moves(page)).length, 4);
      // A new game asks first. The answer "no" keeps the game.
      page.removeAllListeners("dialog");
      let asked = 0;
      page.on("dialog", (dialog) => { asked += 1; return dialog.dismiss(); });
      await page.locator("#new").click();
      await page.selectOption("#rules", "mini");
      assert.equal(await page.locator("#rules").inputValue(), "pentago");
      assert.deepEqual([asked, (await moves(page)).length], [2, 4]);
      // In an analysis, another move opens a copy, and Back returns to the whole game.
      const other = await open(`${host.url}${link(LATE)}&m=b1/3+,a6/1-&at=0`, CALM);
      await move(other, "b1/3+");
      await other.waitForURL(/m=b1\/3\+,a6\/1-&at=1$/);
      await move(other, "a6/1+");
      await other.waitForURL(/m=b1\/3\+,a6\/1\+$/);
      await other.goBack();
      await other.waitForURL(/m=b1\/3\+,a6\/1-&at=1$/);
      assert.deepEqual(await moves(other), ["b1/3+", "a6/1-"]);
    },
  },
  {
    name: "a reload keeps the task, and shows no solution",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}${link(LATE)}&task=puzzle`, CALM);
      await move(page, "b1/3+");
      await played(page, 2);
      await headline(page, "Find the move");
      await page.reload();
      await headline(page, "Find the move");
      assert.deepEqual([(await moves(page)).length, await page.locator("#board .win, #best .move").count()], [2, 0]);
      await page.goto(`${host.url}${link(LATE)}&m=a6/1-&at=0&task=mistake`);
      await page.reload();
      await headline(page, "Find a better move");
      await page.locator("#puzzle-task", { hasText: "a6/1-" }).waitFor();
      assert.equal(await page.locator("#board .win, #best .move").count(), 0);
    },
  },
  {
    name: "rules chosen on the first screen start a game, and a pasted game is analysed",
    async run({ open, host, assert }) {
      const page = await open(host.url, CALM);
      await page.selectOption("#rules", "mini");
      await headline(page, "Your move");
      assert.equal(await page.locator("#you").inputValue(), "x");
      await page.locator("#tab-setup").click();
      await page.locator("#text").fill("c4/2+ d3/1-");
      await page.locator("#load").click();
      await page.locator("#tab-analyse[aria-selected=true]").waitFor();
      assert.equal(await page.locator("#you").inputValue(), "");
      // An impossible set-up is kept, and its message is not.
      await page.locator("#tab-setup").click();
      for (const place of ["a1", "b1", "a2"]) await socket(page, place).click();
      await headline(page, "Not a possible position");
      await page.locator("#tab-play").click();
      await page.locator("#notice", { hasText: "isn’t possible" }).waitFor();
      await page.locator("#tab-setup").click();
      await headline(page, "Not a possible position");
      assert.ok(await page.locator("#notice").isHidden());
    },
  },
  {
    name: "screen readers hear each move and turn, and no button without a name has the focus",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}${link("6/6/2X3/3O2/6/6 x")}`, CALM);
      await page.evaluate(() => {
        window.heard = [];
        new MutationObserver(() => window.heard.push(document.querySelector("#said").textContent)).observe(document.querySelector("#said"), { childList: true });
      });
      await page.selectOption("#strength", "1");
      await page.selectOption("#you", "x");
      await headline(page, "Your move");
      assert.equal(await page.locator("[aria-live], [role=status]").count(), 2, "nothing is read twice");
      await socket(page, "b5").focus();
      await page.keyboard.press("Enter");
      assert.equal(await socket(page, "b5").getAttribute("aria-label"), "b5, Black");
      await page.keyboard.press("Tab");
      await page.keyboard.press("1");
      await played(page, 2);
      await headline(page, "Your move");
      assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^[a-f][1-6], /);
      const heard = await page.evaluate(() => window.heard);
      assert.ok(heard.some((text) => /^Black played b5\/1\+\. White to move\. Thinking/.test(text)), heard.join("\n"));
      assert.match(heard.at(-1), /^White played [a-f][1-6]\/[1-4][+-]\. Black to move\. Your move$/);
      // While the solver moves, no turn is offered, and no value is mentioned.
      assert.ok(!heard.some((text) => text.includes("Value hidden")));
    },
  },
  {
    name: "the chart of a game is reached by keys, and the list of moves follows",
    async run({ open, host, assert }) {
      const line = "a1/1+,f6/2+,a2/1+,f5/2+,c3/1+,d2/4+,b5/1+,e2/2+,c1/1+,d4/1+,a4/1+,f3/1+,b2/1+,e6/1+";
      for (const viewport of [{ width: 1180, height: 700 }, { width: 360, height: 740 }]) {
        const page = await open(`${host.url}#rules=pentago&m=${line}`, { ...CALM, viewport });
        await page.locator("#chart-game .point").nth(14).waitFor();
        const follows = () => page.waitForFunction(() => {
          const [list, box] = ["#moves", "#moves [aria-current]"].map((name) => document.querySelector(name).getBoundingClientRect());
          return box.top >= list.top - 1 && box.bottom <= list.bottom + 1 && box.left >= list.left - 1 && box.right <= list.right + 1;
        });
        await follows();
        await page.locator("#chart-game").focus();
        await page.keyboard.press("ArrowLeft");
        await page.waitForURL(/at=13$/);
        assert.equal(await page.locator("#chart-game").getAttribute("aria-valuenow"), "13");
        assert.match(await page.locator("#chart-game").getAttribute("aria-valuetext"), /^b2\/1\+: /);
        assert.equal(await page.evaluate(() => document.activeElement.id), "chart-game");
        await page.keyboard.press("Home");
        await page.waitForURL(/at=0$/);
        await page.keyboard.press("End");
        await page.waitForURL(/e6\/1\+$/);
        await follows();
      }
    },
  },
  {
    name: "the marble comes first, then the turn, whose quadrant stays marked",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE));
      await page.locator("#show").uncheck();
      await page.evaluate(() => {
        window.times = {};
        const note = (name) => { window.times[name] ??= performance.now(); };
        new MutationObserver(() => document.querySelector("#board .placed") && note("marble")).observe(document.querySelector("#board"), { subtree: true, attributes: true });
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...args) {
          note("turn");
          window.open = document.querySelectorAll("#board .chip.open").length;
          return animate.apply(this, args);
        };
      });
      await page.selectOption("#strength", "1");
      await page.selectOption("#you", "x");
      await played(page, 1);
      const { times, open: offered } = await page.evaluate(() => ({ times: window.times, open: window.open }));
      assert.ok(times.turn - times.marble >= 200, JSON.stringify(times));
      assert.equal(offered, 0);
      const [, quadrant, sign] = /\/(\d)([+-])$/.exec((await moves(page))[0]);
      assert.equal(await page.locator("#board .quadrant.turned").count(), 1);
      assert.equal(await page.locator(`#board .chip.turned[data-quadrant="${quadrant - 1}"][data-clockwise="${sign === "+"}"]`).count(), 1);
    },
  },
];
