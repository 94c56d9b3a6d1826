// Tests that the solver's moves, hints and marks agree with the known values, with and without a
// server.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { core } from "../core.mjs";
import { staticHost } from "../host.mjs";
import { engine } from "../../../tools/explorer/page/js/engine.js";
import { Game } from "../../../tools/explorer/page/js/game.js";
import { reply } from "../../../tools/explorer/page/js/play.js";
import { match, prepare } from "../../../bench/levels.mjs";
import { link } from "./playing.mjs";

/** A drawn position of five marbles: 12 moves draw, and 236 lose. */
const FIVE = "2O3/2XO2/X1X3/6/6/6 o";
const RULES = '{"presets":[]}';

/** Serves the page with an API whose positions get the answer that `position` returns. */
async function withApi(folder, position) {
  const spoil = async (sent) => {
    if (sent.name === "api/v1/events") return { ...sent, headers: { "content-type": "text/event-stream" } };
    return sent.name === "api/v1/position" ? { ...sent, ...await position() } : sent;
  };
  const names = ["api/v1/rules", "api/v1/position", "api/v1/events"];
  const instead = Object.fromEntries(names.map((name) => [name, Buffer.from(RULES)]));
  return staticHost(folder, { instead, spoil });
}

export const right = [
  {
    name: "right: every level keeps what is known, and never completes the other side’s five",
    async run({ assert }) {
      await prepare(1);
      const own = engine.core;
      const sheet = engine.board("pentago");
      const value = (position) => own.ask("values", "pentago", position, "1", "2");
      for (const [position, levels, right] of [
        [FIVE, "5", (next) => value(next).value === "draw"],
        ["XOX1XX/2XO2/2O3/X2O1X/XOX1OO/O4O x", "5", (next) => value(next).distance === 7],
        ["1O1X2/O1OOXO/1XX2X/1OO2X/O1XO2/1X1X2 x", "5", (next) => value(next).distance === 9],
        ["1O4/2X3/1X1X1O/2X1O1/3XO1/3OX1 o", "2345", (next, over) => !over],
        ["6/6/6/6/1X4/6 o", "5", (next) => value(next).value === "win"],
      ]) {
        for (const level of levels) {
          const game = new Game(engine, sheet, position);
          const move = await reply(game, level);
          const { over } = game.play(move);
          assert.ok(right(game.node.position, over), `level ${level}: ${move} in ${position}`);
        }
      }
    },
  },
  {
    name: "right: the strongest level gives no value away that is known or proved",
    async run({ server, assert }) {
      for (const address of server ? [undefined, server.url] : [undefined]) {
        await prepare(2, address);
        for (const other of ["random", "greedy"]) {
          const { checked, errors } = await match("pentago", 1, ["5", other], true);
          assert.deepEqual(errors, []);
          assert.ok(checked > 2, `${other}: ${checked} moves were checked`);
        }
      }
      await prepare(2);
    },
  },
  {
    name: "right: an exported page wins every game of Pentago XL that it begins at the perfect level",
    needs: "server",
    async run({ open, exported, assert }) {
      const host = await staticHost(exported);
      const tab = await open(`${host.url}#rules=xl`, { reducedMotion: "reduce", serviceWorkers: "block" });
      await tab.selectOption("#strength", "5");
      await tab.selectOption("#you", { label: "White" });
      for (let round = 0; round < 3; round++) {
        await tab.locator(round ? "#rematch" : "#begin").click();
        await tab.locator("#detail", { hasText: "Nobody can beat this opponent" }).waitFor();
        const { winners, plies } = await tab.evaluate(async () => {
          const [{ page }, { play }] = await Promise.all(["page", "moves"].map((name) => import(new URL(`js/${name}.js`, location.href))));
          for (;;) {
            const { node, moves } = page.game;
            if (node.over) return { winners: node.over.winners, plies: moves.length };
            if (!page.thinking && !page.busy && node.toMove === "b") play(node.moves[Math.floor(Math.random() * node.moves.length)].move);
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        });
        assert.deepEqual(winners, ["a"]);
        assert.ok(plies <= 17, `${plies} plies`);
      }
      await host.close();
    },
  },
  {
    name: "right: the shipped puzzles have one winning move, and others that draw",
    async run({ folder, assert }) {
      await prepare(3);
      const lines = (await readFile(join(folder, "puzzles.txt"), "utf8")).trim().split("\n").map((line) => line.split(" "));
      assert.ok(lines.length >= 200 && 3 * lines.filter(([, , , quiet]) => quiet === "1").length >= lines.length);
      for (const [grid, side, plies] of lines.filter((_, i) => i % 20 === 0)) {
        const position = `${grid} ${side}`;
        const { distance, moves } = engine.core.ask("values", "pentago", position, "1", "2");
        const count = (value) => moves.filter((move) => move.value === value).length;
        assert.deepEqual([distance, count("win"), count("draw") > 0], [Number(plies), 1, true], position);
      }
    },
  },
  {
    name: "right: without a server, the hint and the review know the sixth marble",
    async run({ open, host, folder, assert }) {
      const own = await core(folder);
      await own.openings();
      const page = await open(host.url + link(FIVE));
      await page.locator("#value", { hasText: "Draw" }).waitFor();
      await page.locator("#show").uncheck();
      await page.locator("#hint").click();
      const hint = page.locator("#value", { hasText: "Try " });
      const move = (await hint.innerText()).slice("Try ".length);
      const { moves } = own.ask("values", "pentago", FIVE, "0", "0");
      assert.equal(moves.find((known) => known.move === move).value, "draw", move);
      const lost = moves.find(({ value }) => value === "loss").move;
      const played = await open(`${host.url}${link(FIVE)}&m=${lost}`);
      await played.locator("#moves .mark-draw_lost").waitFor();
    },
  },
  {
    name: "right: the hint is the move of the strongest level, and never helps the other side",
    async run({ open, host, assert }) {
      const pente = "K10,G9,G10,D4,H10,J10,H9,J8,H8,L13,H7,F11,H9,T10";
      const late = "a6/1+,f2/2+,b6/1+,e6/3+,a6/4+,f3/2+,c6/2+,a1/1-,e6/1+,f5/2+,e6/2-,e2/2+,b6/1+,f6/1-";
      for (const [hash, right] of [
        [`rules=pente&m=${pente}`, /^H(6|11)$/], [`rules=pentago&m=${late}`, /^d6/], ["rules=xl", /^e5/], ["rules=xl:seats=3", /^e5/],
        ["rules=mini&m=b2/3-,a4/1+,c2/2-,a4/1+,b2/1-", /^d2\/3\+$|^(?!a3\/1\+)/],
      ]) {
        const page = await open(`${host.url}#${hash}`);
        await page.locator("#best [data-move]").first().waitFor();
        for (const best of await page.locator("#best [data-move]").allInnerTexts()) assert.match(best, right, hash);
        await page.locator("#tab-play").click();
        await page.locator("#show").uncheck();
        await page.locator("#hint").click();
        const hint = page.locator("#value", { hasText: "Try " });
        const move = (await hint.innerText()).slice("Try ".length);
        assert.match(move, right, hash);
      }
      const page = await open(`${host.url}#rules=pentago&p=X1OOOX/1XXXOX/2O2O/1O2XX/2O1XX/4OO_x&task=puzzle`);
      await page.locator('#board [data-socket][aria-label^="b6,"]').click();
      await page.locator('#board .open[data-quadrant="0"][data-clockwise="true"]').click();
      await page.locator("#verdict", { hasText: "lets it go" }).waitFor();
      assert.deepEqual(await page.locator("#hint:disabled, #solution").count(), 2);
      await page.locator("#solution:disabled").waitFor({ state: "attached" });
      await page.locator("#hint:enabled").click();
      await page.locator("#verdict", { hasText: /^Try (?!b6\/2\+)/ }).waitFor();
      assert.ok(await page.locator("#value").isHidden(), "the move is said once");
    },
  },
  {
    name: "right: an unknown move may be right, and no move is the only one beside it",
    async run({ open, host, assert }) {
      const moves = "d4/4-,f6/1+,c4/4-,e6/1+,e4/1-,f4/1+,a5/1-,a4/1-,b6/1+,d6/2-,c6/1+,e6/1-,a3/2+";
      const page = await open(`${host.url}#rules=pentago&m=${moves}`, { reducedMotion: "reduce" });
      await page.locator("#moves .mark-best", { hasText: "a3/2+" }).waitFor();
      assert.equal(await page.locator("#moves .mark-only", { hasText: "a3/2+" }).count(), 0);
      const last = await open(`${host.url}#rules=pentago&m=${moves},a6/1-`, { reducedMotion: "reduce" });
      await last.locator("#value", { hasText: "Black wins in 1 move" }).waitFor();
      await last.locator("#tab-play").click();
      await last.locator("#show").uncheck();
      await last.locator("#said", { hasText: /^White played a6\/1-\. Black to move$/ }).waitFor({ state: "attached" });
      for (const move of ["b3/2+", "c3/2+"]) {
        const task = await open(`${host.url}${link("2XOOO/2XO1X/OXXO1X/6/6/6 x")}&task=win`, { reducedMotion: "reduce" });
        await task.locator(`#board [data-socket][aria-label^="${move.slice(0, 2)},"]`).click();
        await task.locator('#board .open[data-quadrant="1"][data-clockwise="true"]').click();
        await task.locator("#verdict:not(:empty)", { hasText: "Right. Go on." }).waitFor({ timeout: 20_000 });
      }
    },
  },
  {
    name: "right: the accuracy counts the judged moves, and a fall of the value is a mistake of its side",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago&m=d4/4-`);
      const said = (values) => page.evaluate(async (values) => {
        const modules = ["engine", "game", "page", "show"].map((name) => import(new URL(`js/${name}.js`, location.href)));
        const [{ engine }, { Game }, { page, sheetOf }, { showReview }] = await Promise.all(modules);
        const game = new Game(engine, sheetOf("pentago"), undefined, ["a1/1+", "b1/1+", "c1/1+", "d1/2+", "e1/2+"]);
        const answers = new Map(game.nodes.map(({ position, moves }, i) => [position, { value: values[i] ?? "unknown", moves: moves.map(({ move }) => ({ move, value: "unknown" })), best: [] }]));
        engine.seen = (rules, position) => answers.get(position);
        page.game = game;
        showReview();
        return [...document.querySelectorAll("#accuracy p")].map((line) => line.textContent);
      }, values);
      for (const [values, black, white] of [
        // Black throws a win away in the moves from 2 to 4.
        [[, "loss", , , "loss"], "accuracy 0%, at least 1 mistake; 1 of 3 moves judged.", "1 of 2 moves judged."],
        [["draw", "draw", , , , "win"], "accuracy 50%, at least 1 mistake; 1 of 3 moves judged.", "0 of 2 moves judged."],
        [["loss", "win", , , , "win"], "1 of 3 moves judged.", "0 of 2 moves judged."],
        [["loss", "win", "loss", "win", "loss", "win"], "Black had nothing to lose.", "accuracy 100%, no mistakes."],
      ]) {
        assert.deepEqual((await said(values)).map((line) => line.replace(/^\w+: /, "")), [black, white], values.join());
      }
    },
  },
  {
    name: "right: the browser answers instead of a server that fails, and says so",
    async run({ open, folder, assert }) {
      let answer;
      const host = await withApi(folder, () => answer);
      const late = link("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o");
      const error = (kind) => Buffer.from(JSON.stringify({ error: "/srv/tables: damaged", kind }));
      for (answer of [
        { status: 500, bytes: error("internal") }, { status: 503, bytes: error("time") },
        { status: 503, bytes: error("tables") }, { status: 200, bytes: Buffer.from("{}") },
      ]) {
        const page = await open(host.url + late, { serviceWorkers: "block" });
        await page.locator("#value", { hasText: "White wins in 4 moves" }).waitFor();
        const text = await page.locator("#detail").innerText();
        assert.match(text, /this browser answered/, `${answer.status} ${answer.bytes}`);
        assert.doesNotMatch(await page.locator("body").innerText(), /srv|value\.undefined/);
      }
      await host.close();
    },
  },
  {
    name: "right: known values and guesses are shown before the server answers, and progress never falls",
    async run({ open, folder, assert }) {
      let release;
      const answered = new Promise((resolve) => { release = resolve; });
      const host = await withApi(folder, async () => {
        await answered;
        return { status: 500 };
      });
      for (const [position, headline] of [["2O3/2XO2/X1X3/6/6/O5 x", "Win"], ["1X4/1O2X1/6/3O2/1X2O1/2X3 o", ""]]) {
        const page = await open(host.url + link(position), { serviceWorkers: "block" });
        await page.locator("#value:is(.win, .unknown)", { hasText: headline }).waitFor();
        await page.locator("#best button").first().waitFor();
        assert.match(await page.locator("#detail").innerText(), /The server is being asked/);
        const shares = await page.evaluate(async () => {
          const { showProgress } = await import(new URL("js/status.js", location.href));
          showProgress({ state: "new" });
          return [0.13, 0.09, 0.94, 1].map((done) => {
            showProgress({ state: "solving", done, total: 1 });
            return document.getElementById("detail").textContent.match(/\d+/)[0];
          });
        });
        assert.deepEqual(shares, ["13", "13", "94", "99"]);
      }
      release();
      await host.close();
    },
  },
  {
    name: "right: an upgrade brings all files of the new version, and no wrong ones",
    async run({ open, folder, assert }) {
      let [version, age, html] = ["1", 60 * 86_400e3, false];
      const spoil = (sent) => {
        const extra = { "index.html": `<meta name="version" content="${version}">`, "js/theme.js": `\nwindow.scriptVersion = "${version}";\n` }[sent.name];
        const headers = { ...sent.headers, "last-modified": new Date(Date.now() - age).toUTCString() };
        delete headers["cache-control"];
        const bytes = Buffer.concat([sent.bytes, Buffer.from(extra ?? "")]);
        if (html && sent.name.startsWith("js/")) return { status: 200, headers: { "content-type": "text/html" }, bytes: Buffer.from("<html>") };
        return { ...sent, headers, bytes };
      };
      const host = await staticHost(folder, { spoil });
      const page = await open(host.url);
      await page.waitForFunction(async () => Boolean(navigator.serviceWorker.controller) && (await (await caches.open((await caches.keys())[0])).keys()).length > 30);
      // Each visit has a new tab, because a tab keeps the scripts of the first visit in its memory.
      const visit = async () => {
        const tab = await page.context().newPage();
        await tab.goto(host.url);
        await tab.waitForSelector("html[data-ready]");
        const versions = await tab.evaluate(() => [document.querySelector("meta[name=version]").content, window.scriptVersion]);
        await tab.close();
        return versions;
      };
      assert.deepEqual(await visit(), ["1", "1"]);
      [version, age] = ["2", 5000];
      // For the page itself, the browser may use its own cache before the worker answers, so allow
      // a few visits.
      for (let i = 0; i < 3 && (await visit()).join() !== "2,2"; i++);
      assert.deepEqual(await visit(), ["2", "2"]);
      // The host now sends HTML instead of scripts, so the worker must keep its old copies.
      html = true;
      assert.deepEqual(await visit(), ["2", "2"]);
      await host.close();
      assert.deepEqual(await visit(), ["2", "2"]);
    },
  },
];
