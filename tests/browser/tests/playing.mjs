// Tests of playing on the page with mouse and keyboard.

const LATE = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";
export const link = (position, rules = "pentago") => `#rules=${rules}&p=${position.replaceAll(" ", "_")}`;

const socket = (page, name) => page.locator(`#board [data-socket][aria-label^="${name},"]`);
const chip = (page, quadrant, clockwise) => page.locator(`#board .open[data-quadrant="${quadrant - 1}"][data-clockwise="${clockwise}"]`);
const moves = (page) => page.locator("#moves button").allTextContents();
const headline = (page, text) => page.locator("#value", { hasText: text }).waitFor();
const tab = (page, name) => page.locator(`#tab-${name}`).click();
/** Waits until the list of moves has a given length. */
const played = (page, count) => page.waitForFunction((n) => document.querySelectorAll("#moves button").length === n, count);

export const playing = [
  {
    name: "the first position is drawn at once, in place, with its values",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago`);
      assert.equal(await page.locator("#board [data-socket]").count(), 36);
      await page.locator("#board .socket.win, #board .socket.unknown").first().waitFor();
      const { shift, moved, drawn } = await page.evaluate(() => new Promise((resolve) => {
        let shift = 0;
        const moved = [];
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
          shift += entry.value;
          moved.push(...entry.sources.map(({ node }) => node?.id || node?.nodeName || "?"));
        })).observe({ type: "layout-shift", buffered: true });
        const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
        setTimeout(() => resolve({ shift, moved, drawn: paint }), 500);
      }));
      console.log(`first paint after ${drawn?.toFixed(0)} ms, layout shift ${shift}`);
      assert.deepEqual({ shift, moved }, { shift: 0, moved: [] });
    },
  },
  {
    name: "a marble and a turn by mouse",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE));
      await headline(page, "White wins in 4 moves");
      assert.match(await page.locator("#best").innerText(), /b1\/3\+/);
      await socket(page, "b1").click();
      assert.match(await chip(page, 3, true).getAttribute("aria-label"), /Turn quadrant 3 clockwise, White wins in 4 moves/);
      assert.equal(await page.locator("#board .chip.open").count(), 8);
      await chip(page, 3, true).click();
      await played(page, 1);
      assert.deepEqual(await moves(page), ["b1/3+"]);
      await headline(page, "White wins in 3 moves");
      assert.match(page.url(), /m=b1\/3\+$/);
    },
  },
  {
    name: "the board shows the listed move that the reader points at or focuses",
    async run({ open, host, assert, picture }) {
      for (const [title, size] of [["desktop", { width: 1180, height: 900 }], ["narrow", { width: 360, height: 740 }]]) {
        const page = await open(host.url + link(LATE), { viewport: size });
        await headline(page, "White wins in 4 moves");
        await tab(page, "analyse");
        await page.locator("#all summary.loss").click();
        const marked = () => page.evaluate(() => {
          const sockets = [...document.querySelectorAll("#board .advised")].map((one) => one.getAttribute("aria-label").slice(0, 2));
          return [...sockets, document.querySelectorAll("#board .advice path").length];
        });
        const lost = page.locator("#all .loss[data-move]").first();
        const place = (await lost.getAttribute("data-move")).slice(0, 2);
        for (const [shown, mark] of [[page.locator("#best button").first(), "b1"], [lost, place]]) {
          await shown.hover();
          assert.deepEqual(await marked(), [mark, 2]);
          await picture(page, `pointed-${title}-${mark}`);
          // At the edge, no move comes under the pointer when the focus scrolls the page.
          await page.mouse.move(1, 1);
          assert.deepEqual(await marked(), [0]);
          await shown.focus();
          assert.deepEqual(await marked(), [mark, 2]);
          await shown.blur();
          assert.deepEqual(await marked(), [0]);
        }
      }
    },
  },
  {
    name: "quadrants turn visibly, unless less motion is wanted",
    async run({ open, host, assert }) {
      for (const reducedMotion of ["no-preference", "reduce"]) {
        const page = await open(host.url + link(LATE), { reducedMotion });
        await headline(page, "White wins in 4 moves");
        await socket(page, "b1").click();
        await page.evaluate(() => {
          window.turns = 0;
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (...args) {
            window.turns += 1;
            return animate.apply(this, args);
          };
        });
        await chip(page, 3, true).click();
        await played(page, 1);
        assert.equal(await page.evaluate(() => window.turns), reducedMotion === "reduce" ? 0 : 1);
      }
    },
  },
  {
    name: "a game against the solver to its end",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE));
      await headline(page, "White wins in 4 moves");
      await page.selectOption("#strength", "5");
      await page.selectOption("#you", "o");
      await page.locator("#show").check();
      for (let ply = 0; ply < 12; ply += 2) {
        await page.locator("#best .move").first().click();
        await page.waitForFunction((n) => document.querySelectorAll("#moves button").length >= n + 2 || document.querySelector(".value.over"), ply);
        if (await page.locator(".value.over").count()) break;
        await page.locator("#value.win").waitFor();
      }
      await headline(page, "You won");
      assert.equal((await moves(page)).length, 7);
      assert.ok(await page.locator("#board .socket.five").count() >= 5);
      assert.equal(await page.locator("#chart-game .point").count(), 8);
    },
  },
  {
    name: "a game of Mini-Pentago from the first move, against a beginner",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=mini`);
      await page.selectOption("#strength", "1");
      await page.selectOption("#you", "x");
      await page.locator("#show").check();
      await headline(page, "Win");
      for (let ply = 0; ply < 16; ply += 2) {
        await page.locator("#best .move").first().click();
        await page.waitForFunction((n) => document.querySelectorAll("#moves button").length >= n + 2 || document.querySelector(".value.over"), ply);
        if (await page.locator(".value.over").count()) break;
        await page.locator("#value.win").waitFor();
      }
      await headline(page, "You won");
    },
  },
  {
    name: "every key",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE));
      await headline(page, "White wins in 4 moves");
      const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.id);
      const press = (key) => page.keyboard.press(key);
      await press("b");
      await press("Home");
      for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp"]) await press(key);
      assert.match(await focused(), /^a6, empty/);
      await press("End");
      assert.match(await focused(), /^f6, White/);
      await press("ArrowLeft");
      assert.match(await focused(), /^e6, Black/);
      await press("Home");
      for (let i = 0; i < 5; i++) await press("ArrowDown");
      await press("ArrowRight");
      assert.match(await focused(), /^b1, empty, White wins in 4 moves/);
      await press("Enter");
      assert.equal(await page.locator("#board .chip.open").count(), 8);
      await press("Escape");
      assert.equal(await page.locator("#board .chip.open").count(), 0);
      assert.match(await focused(), /^b1/);
      await press(" ");
      await press("3");
      await played(page, 1);
      await press("u");
      assert.match(page.url(), /at=0/);
      await headline(page, "White wins in 4 moves");
      await press("r");
      await headline(page, "White wins in 3 moves");
      await press("u");
      await press("b");
      await press("Enter");
      await press("Shift+Digit4");
      await page.waitForFunction(() => document.querySelector("#moves").textContent.includes("b1/4-"));
      assert.deepEqual(await moves(page), ["b1/4-"]);
      // The tab key also reaches the buttons for turns.
      await press("u");
      await press("b");
      await press("Enter");
      await press("Tab");
      assert.match(await focused(), /Turn quadrant 1 clockwise/);
      await press("Enter");
      await page.waitForFunction(() => document.querySelector("#moves").textContent.includes("b1/1+"));
      await page.locator("#show").uncheck();
      await page.locator("#to-move", { hasText: /^\s*$/ }).waitFor();
      await page.locator("#record-title").click();
      await press("h");
      await headline(page, "Try ");
      assert.equal(await page.locator("#board .advised").count(), 1);
      assert.equal(await page.locator("#board .advice .head").count(), 1);
      await press("n");
      await played(page, 0);
      assert.match(page.url(), /#rules=pentago$/);
      // Arrow keys switch tabs.
      await page.locator("#tab-play").focus();
      for (const name of ["analyse", "puzzle", "setup", "more", "play"]) {
        await press("ArrowRight");
        assert.equal(await focused(), `tab-${name}`);
        assert.ok(await page.locator(`#${name}`).isVisible());
      }
    },
  },
  {
    name: "a turn may be declined where the rules say so",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago-fi`);
      await page.locator("#show").uncheck();
      await socket(page, "a1").click();
      assert.ok(await page.locator("#decline").isVisible());
      await page.keyboard.press("0");
      await played(page, 1);
      assert.deepEqual(await moves(page), ["a1/0"]);
      await page.goto(`${host.url}#rules=pentago`);
      await socket(page, "a1").click();
      assert.ok(!(await page.locator("#decline").isVisible()));
    },
  },
  {
    name: "a position is set up by hand",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE));
      await headline(page, "White wins in 4 moves");
      await tab(page, "setup");
      await page.locator("#palette label").nth(2).click();
      await socket(page, "b6").click();
      assert.equal(await page.locator("#side").inputValue(), "x");
      await page.selectOption("#side", "o");
      assert.match(await page.locator("#error").innerText(), /No game leads to these marbles/);
      await page.locator("#palette label").nth(0).click();
      await socket(page, "a6").click();
      assert.equal((await page.locator("#error").innerText()).trim(), "");
      await tab(page, "play");
      assert.match(page.url(), /p=X2XXO\/O2XOX/);
      await page.locator("#value:is(.win, .loss, .draw)").waitFor();
      await tab(page, "setup");
      await page.locator("#clear").click();
      await tab(page, "play");
      await page.waitForFunction(() => document.querySelectorAll("#board .filled").length === 0);
    },
  },
  {
    name: "texts in all notations are read, and written",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE));
      const written = {};
      for (const format of ["rows", "compact", "diagram", "number", "game"]) {
        await tab(page, "setup");
        await page.selectOption("#format", format);
        written[format] = await page.locator("#text").inputValue();
        await page.locator("#text").fill("6/6/6/6/6/6 x");
        await page.locator("#load").click();
        await page.waitForURL(/#rules=pentago$/);
        await tab(page, "setup");
        await page.locator("#text").fill(written[format]);
        await page.locator("#load").click();
        await page.waitForURL(/p=1X1XXO/);
      }
      assert.equal(written.rows, LATE);
      assert.equal(new Set(Object.values(written)).size, 5);
      for (const [text, position] of [
        ["c4/2+ d3/1-", "m=c4/2+,d3/1-"],
        ["1. c4/2+ 2. d3/1-", "m=c4/2+,d3/1-"],
        ["0".repeat(36), "#rules=pentago$"],
        ["4/4/4/4 x", "rules=mini"],
        ["9/9/9/9/9/9/9/9/9 a", "rules=xl"],
      ]) {
        await tab(page, "setup");
        await page.locator("#text").fill(text);
        await page.locator("#load").click();
        await page.waitForURL((url) => new RegExp(position.replaceAll("+", "\\+")).test(url.href));
      }
      await tab(page, "setup");
      await page.locator("#text").fill("6/6/6/7/6/6 x");
      await page.locator("#load").click();
      assert.match(await page.locator("#error").innerText(), /\^/);
    },
  },
  {
    name: "links and reload",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}${link(LATE)}&m=b1/3+,a6/1-&at=1`);
      await headline(page, "White wins in 3 moves");
      assert.deepEqual(await moves(page), ["b1/3+", "a6/1-"]);
      await page.reload();
      await headline(page, "White wins in 3 moves");
      await page.locator("#redo").click();
      await page.waitForFunction(() => !location.hash.includes("at="));
      await page.locator("#first").click();
      await headline(page, "White wins in 4 moves");
      await page.goto(`${host.url}#rules=pentago&p=nonsense`);
      await page.reload();
      await page.waitForSelector("html[data-ready]");
      assert.match(await page.locator("#notice").innerText(), /not a position/);
      assert.ok((await page.locator("#notice").boundingBox()).y < 120, "it is said above the board");
      // A link with an illegal move keeps the moves before it.
      await page.goto(`${host.url}${link(LATE)}&m=b1/3+,a6/1-,z9/9+,a5/1+`);
      await page.reload();
      await page.waitForFunction(() => document.querySelector("#notice").innerText.includes("z9/9+, its number 3"));
      await headline(page, /./);
      assert.deepEqual(await moves(page), ["b1/3+", "a6/1-"]);
      // A fractional index selects the position before it.
      await page.goto(`${host.url}${link(LATE)}&m=b1/3+,a6/1-&at=1.5`);
      await headline(page, "White wins in 3 moves");
    },
  },
  {
    name: "rule sheets: chosen, explained and compared",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE));
      await headline(page, "White wins in 4 moves");
      await tab(page, "more");
      await page.locator("#sheets dt").nth(7).waitFor();
      await page.locator("#compare-now").click();
      await page.waitForFunction(() => document.querySelectorAll("#sheets td").length === 5 && ![...document.querySelectorAll("#sheets td")].some((cell) => cell.textContent.includes("…")));
      assert.match(await page.locator("#sheets tr").nth(1).innerText(), /White wins/);
      await page.selectOption("#rules", "pentago-eu");
      await page.waitForURL(/rules=pentago-eu&p=1X1XXO/);
      await page.locator("#value:is(.win, .loss, .draw)").waitFor();
    },
  },
  {
    name: "every game is drawn from the description of its board",
    async run({ open, host, assert, picture }) {
      const page = await open(`${host.url}#rules=pentago`);
      for (const [rules, sockets, quadrants, place] of [["mini", 16, 4, "a1"], ["xl", 81, 9, "e5"], ["xl:seats=4", 81, 9, "a1"], ["pente", 361, 0, "K10"]]) {
        await page.selectOption("#rules", rules);
        await page.waitForFunction((n) => document.querySelectorAll("#board [data-socket]").length === n, sockets);
        assert.equal(await page.locator("#board .plate").count(), quadrants);
        await socket(page, place).click();
        if (quadrants) {
          const open = await page.locator("#board .chip.open").count();
          assert.equal(open, quadrants === 9 ? 16 : 8);
          await page.locator("#board .chip.open").first().click();
        }
        await played(page, 1);
        await picture(page, `game-${rules.replaceAll(/\W/g, "-")}`);
      }
    },
  },
  {
    name: "an undecided position says what is proved and what it would take",
    async run({ open, host, assert }) {
      const page = await open(host.url + link("6/1X4/6/3O2/1X4/6 o"));
      await page.locator("#show").uncheck();
      await page.locator("#show").check();
      await headline(page, /./);
      const early = await open(host.url + link("1X4/1O2X1/6/3O2/1X2O1/2X3 o"));
      await early.locator("#value:is(.unknown, .win, .loss, .draw)").waitFor();
      const text = await early.locator("#about").textContent();
      assert.match(text, /would take .* boards and .*B of memory|Proved|Solved/, text);
    },
  },
  {
    name: "with the server: values, distances, charts of tables",
    needs: "server",
    async run({ open, server, assert }) {
      const page = await open(server.url + link(LATE));
      await headline(page, "White wins in 4 moves");
      await tab(page, "more");
      await page.locator("#charts summary").click();
      await page.locator("#chart-tables > *").first().waitFor();
      await page.goto(`${server.url}#rules=xl&p=A3B4/4AAA2/1B7/6B2/9/6B2/3A2A2/B8/8B_a`);
      await headline(page, "Win");
    },
  },
];
