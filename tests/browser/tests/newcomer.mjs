// Follows a newcomer through the page: the first screen, a complete game against level 2, its
// review, a puzzle, a shared link, and all of these offline.

import { staticHost } from "../host.mjs";
import { link } from "./playing.mjs";

/** A position in which White wins with b1/3+ in 7 plies. The move a6/1- loses the win. */
const LATE = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";
const SCREENS = [
  { name: "1280-light", viewport: { width: 1280, height: 860 }, colorScheme: "light" },
  { name: "360-dark", viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true, isMobile: true },
  { name: "1280-dark", viewport: { width: 1280, height: 860 }, colorScheme: "dark" },
  { name: "360-light", viewport: { width: 360, height: 740 }, colorScheme: "light", hasTouch: true, isMobile: true },
];

const count = (page, selector) => page.locator(selector).count();
const verdict = (page, text) => page.locator("#verdict", { hasText: text }).waitFor();
/** Plays a move by clicks on the board. */
async function move(page, text) {
  const [place, turn] = text.split("/");
  await page.locator(`#board [data-socket][aria-label^="${place},"]`).click();
  if (turn) await page.locator(`#board .open[data-quadrant="${parseInt(turn, 10) - 1}"][data-clockwise="${turn.endsWith("+")}"]`).click();
}
/** Queries the page's engine for the winning moves of the shown position, or for any move. */
const choose = (page, winning) => page.evaluate(async (winning) => {
  const { page: state } = await import(new URL("js/page.js", location.href));
  const { engine } = await import(new URL("js/engine.js", location.href));
  const { node, rules } = state.game;
  if (!winning) return (node.moves.find(({ over }) => over) ?? node.moves[Math.floor(node.moves.length / 2)]).move;
  const { moves } = await engine.values(rules, node.position, { distance: true });
  const of = (value) => moves.filter((move) => move.value === value).sort((a, b) => a.distance - b.distance)[0]?.move;
  return { win: of("win"), other: moves.find(({ value }) => value !== "win")?.move };
}, winning);
/** Waits for the reader's turn or the end of the game. */
const turn = (page) => page.waitForFunction(() => document.querySelector(".value.over") || /Your move/.test(document.querySelector("#value").textContent));

export const newcomer = SCREENS.map(({ name, ...screen }) => ({
  name: `newcomer: from the first screen to a shared link, ${name}`,
  async run({ open, folder, assert, picture }) {
    const asked = [];
    const host = await staticHost(folder, { asked });
    const page = await open(host.url, { ...screen, reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"] });

    // The first screen explains the game and shows all three next steps.
    assert.equal(await count(page, "#welcome p"), 3);
    assert.equal(await count(page, "#legend li"), 4);
    assert.ok(await count(page, "#board .five") >= 5, "the demonstration ends with five in a row");
    for (const id of ["begin-play", "begin-analyse", "begin-puzzle"]) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= screen.viewport.height, `${id} is in sight`);
    }
    await picture(page, `newcomer-${name}-1-first`);

    // Play a complete game against level 2.
    assert.equal(await page.locator("#home-level").inputValue(), "2");
    await page.locator("#begin-play").click();
    assert.equal(await count(page, "#board :is(.win, .draw, .loss)"), 0, "a game shows no values");
    for (let ply = 0; ply < 36; ply++) {
      await turn(page);
      if (await count(page, ".value.over")) break;
      await move(page, await choose(page, false));
      if (ply === 1) {
        await turn(page);
        const board = await page.locator("#board").boundingBox();
        assert.ok(board.y >= 0 && board.y + board.height <= screen.viewport.height, "the board is in sight");
        await picture(page, `newcomer-${name}-2-game`);
      }
    }
    await page.locator(".value.over").waitFor();

    // The review starts by itself: it fills the graph, marks moves, and offers lessons from
    // mistakes.
    await page.locator("#tab-analyse[aria-selected=true]").waitFor();
    const played = await count(page, "#moves button");
    assert.equal(await count(page, "#chart-game .point"), played + 1);
    await page.waitForFunction(() => document.querySelectorAll("#moves [class^=mark-]").length >= 3);
    await page.locator("#accuracy", { hasText: "accuracy" }).waitFor();
    await picture(page, `newcomer-${name}-3-review`);
    await page.locator("#moves button").first().click();
    await page.waitForFunction(() => /at=1\b/.test(location.hash));

    // A puzzle: wrong moves are taken back, and right moves win against the longest defence.
    await page.goto(`${host.url}${link(LATE)}&task=puzzle`);
    await page.reload();
    await page.waitForSelector("html[data-ready]");
    assert.equal(await count(page, "#board .win"), 0, "values are hidden");
    await picture(page, `newcomer-${name}-4-puzzle`);
    await move(page, (await choose(page, true)).other);
    await verdict(page, "lets it go");
    await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 0);
    for (let ply = 0; ply < 8; ply++) {
      const before = await count(page, "#moves button");
      await move(page, (await choose(page, true)).win);
      await page.waitForFunction((n) => document.querySelectorAll("#moves button").length >= n + 2 || /Solved/.test(document.querySelector("#verdict").textContent), before);
      if (/Solved/.test(await page.locator("#verdict").innerText())) break;
    }
    await verdict(page, "Solved!");

    // The shared link opens the same puzzle.
    await page.locator("#puzzle-link").click();
    const shared = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(shared, /#rules=pentago&p=1X1XXO\/O2XOX\/3OXX\/XOXX1O\/XXO1OX\/O1O1OO_o&task=puzzle$/);
    await page.evaluate(async () => { await navigator.serviceWorker.ready; });
    await page.waitForFunction(async () => (await caches.keys()).length > 0 && Boolean(navigator.serviceWorker.controller));

    // Everything works offline, after the host has stopped.
    await host.close();
    await page.goto("about:blank");
    await page.goto(shared);
    await page.waitForSelector("html[data-ready]");
    assert.ok(await page.locator("#tab-puzzle[aria-selected=true]").isVisible());
    await move(page, (await choose(page, true)).win);
    await verdict(page, "Right");
    await page.locator("#home-link").click();
    await page.locator("#begin-analyse").click();
    await page.locator("#value", { hasText: "Win" }).waitFor();
    assert.ok(await page.locator("#charts").isHidden(), "tables need the server");
    await page.locator("#tab-analyse").click();
    assert.equal(await page.locator("#all .group").count(), 2);
    assert.match(await page.locator("#all").innerText(), /Win 192/);
    await picture(page, `newcomer-${name}-5-offline`);
  },
}));
