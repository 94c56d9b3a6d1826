// Tests of the page's features: puzzles, trainer, mistakes, lines, openings, records, embeds. Also
// regression tests.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { staticHost } from "../host.mjs";
import { link } from "./playing.mjs";

const LATE = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";
/** A position with nine marbles in which no side wins by force soon. */
const NINE = "2O3/4O1/2O3/X1X3/1OX3/1XX3 o";
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const CALM = { reducedMotion: "reduce" };

const socket = (page, name) => page.locator(`#board [data-socket][aria-label^="${name},"]`);
const moves = (page) => page.locator("#moves button").allTextContents();
const headline = (page, text) => page.locator("#value", { hasText: text }).waitFor();
const tab = (page, name) => page.locator(`#tab-${name}`).click();
const played = (page, count) => page.waitForFunction((n) => document.querySelectorAll("#moves button").length === n, count);
const verdict = (page, text) => page.locator("#verdict", { hasText: text }).waitFor();
/** Returns the state of the page. */
const state = (page, see) => page.evaluate(`import(new URL("js/page.js", location.href)).then(({ page }) => (${see})(page))`);
/** Returns the contents of the file that a click downloads. */
async function downloaded(page, id) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#${id}`).click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}
/** Tables of three rule sets of two games. */
const TABLES = {
  targets: [
    { target: "mini", rules: "mini", source: "table", bytes: 1, slices: [0, 8, 16].map((marbles) => ({ marbles, sections: 1, bytes: 1, wins: 5, draws: 3, losses: 2 })) },
    { target: "below 1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o", rules: "pentago", source: "table", bytes: 1, slices: [22, 27].map((marbles) => ({ marbles, sections: 1, bytes: 1, wins: 1, draws: 1, losses: 1 })) },
    { target: "the game", rules: "pentago", source: "table", bytes: 1, slices: [0].map((marbles) => ({ marbles, sections: 1, bytes: 1, wins: 1, draws: 0, losses: 0 })) },
  ],
};

export const product = [
  {
    name: "puzzles have the depth of their level, help ends the streak, and today's is the same for all",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago`, CALM);
      await tab(page, "puzzle");
      const next = async (button) => {
        await page.locator(button).click();
        await page.waitForFunction(() => /task=puzzle/.test(location.hash) && !document.querySelector("#new-puzzle").disabled);
        return state(page, "(page) => page.puzzle.position");
      };
      for (const [level, plies] of [["easy", 3], ["medium", 5]]) {
        await page.selectOption("#level", level);
        const position = await next("#new-puzzle");
        const answer = await page.evaluate(async (position) => {
          const { engine } = await import(new URL("js/engine.js", location.href));
          return engine.values("pentago", position, { distance: true });
        }, position);
        assert.equal(answer.distance, plies);
        assert.equal(answer.moves.filter(({ value }) => value === "win").length, 1);
        assert.equal(await page.locator("#board .win").count(), 0, "values are hidden");
      }
      // One arrow shows the move. This help ends the streak, also if the page is loaded again.
      await page.evaluate(() => localStorage.setItem("pentago.streak", "4"));
      await page.locator("#solution").click();
      await verdict(page, "Try ");
      assert.equal(await page.locator("#board .advised").count(), 1);
      assert.equal(await page.locator("#board .advice .head").count(), 1);
      assert.match(await page.locator("#streak").innerText(), /: 0\./);
      await page.reload();
      await page.waitForSelector("html[data-ready]");
      await page.locator("#board .socket").first().waitFor();
      const solve = () => page.evaluate(async () => {
        const [{ page, $ }, { verdict }] = await Promise.all(["page", "puzzle"].map((name) => import(new URL(`js/${name}.js`, location.href))));
        const { game } = page;
        page.game = { node: { over: { winners: [page.puzzle.seat] } } };
        await verdict(true);
        page.game = game;
        return $("streak").textContent;
      });
      assert.match(await solve(), /: 0\./);
      // So does a link to a puzzle that was solved before.
      await next("#new-puzzle");
      const again = await page.evaluate(() => location.href);
      assert.match(await solve(), /: 1\./);
      await page.goto("about:blank");
      await page.goto(again);
      await page.waitForSelector("html[data-ready]");
      assert.match(await solve(), /: 1\./);
      // The daily puzzle is the same for another visitor.
      const daily = await next("#daily");
      const other = await open(`${host.url}#rules=pentago`, CALM);
      await tab(other, "puzzle");
      await other.locator("#daily").click();
      await other.waitForFunction(() => /task=puzzle/.test(location.hash));
      assert.equal(await state(other, "(page) => page.puzzle.position"), daily);
      // An unreadable stored puzzle is generated again.
      await other.evaluate(() => localStorage.setItem("pentago.daily", localStorage.getItem("pentago.daily").replace(/.$/, "?")));
      await other.goto(`${host.url}#rules=mini`);
      await tab(other, "puzzle");
      await other.locator("#daily").click();
      await other.waitForFunction(() => /task=puzzle/.test(location.hash));
      assert.equal(await state(other, "(page) => page.puzzle.position"), daily);
      // A visitor who does something else meanwhile gets no puzzle.
      await other.goto(`${host.url}?search#rules=pentago-eu`);
      await other.waitForSelector("html[data-ready]");
      await tab(other, "puzzle");
      // The search lasts until it is stopped.
      await other.evaluate(async () => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        engine.fromWorker = (question, signal) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      });
      await other.locator("#new-puzzle").click();
      await verdict(other, "Looking for a puzzle");
      await socket(other, "a1").click();
      await other.keyboard.press("1");
      await played(other, 1);
      await other.waitForFunction(() => !document.querySelector("#verdict").textContent);
      assert.ok(await other.locator("#new-puzzle").isEnabled());
      assert.equal(await state(other, "(page) => page.puzzle"), null);
    },
  },
  {
    name: "any won position is won against the hardest defence, and a link to one that isn't says so",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE), CALM);
      await headline(page, "White wins in 4 moves");
      await tab(page, "analyse");
      await page.locator("#win-this").click();
      await page.waitForURL(/task=win$/);
      assert.equal(await page.locator("#board .win").count(), 0);
      await socket(page, "b1").click();
      await page.locator('#board .open[data-quadrant="2"][data-clockwise="true"]').click();
      await played(page, 2);
      // The reply is the longest defence.
      const { defence, distances } = await page.evaluate(async () => {
        const { page } = await import(new URL("js/page.js", location.href));
        const { engine } = await import(new URL("js/engine.js", location.href));
        const { moves } = await engine.values("pentago", page.game.nodes[1].position, { distance: true });
        return { defence: moves.find(({ move }) => move === page.game.moves[1]), distances: moves.map(({ distance }) => distance) };
      });
      assert.equal(defence.distance, Math.max(...distances));
      await page.goto(`${host.url}${link(await state(page, "(page) => page.game.nodes[1].position"))}&task=win`);
      await page.locator("#notice", { hasText: "nothing to win" }).waitFor();
    },
  },
  {
    name: "a game is reviewed: marks, graph, accuracy by values lost, and better moves to find",
    async run({ open, host, assert }) {
      // e1/1+ loses a win. a6/1+ is as good as any other move in a lost position.
      const start = await open(host.url + link(LATE), CALM);
      const { bad, after } = await start.evaluate(async (position) => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        const { moves } = await engine.values("pentago", position);
        const bad = moves.find(({ value }) => value === "loss");
        return { bad: bad.move, after: (await engine.values("pentago", bad.position)).best[0] };
      }, LATE);
      const page = await open(`${host.url}${link(LATE)}&m=${bad},${after}`, CALM);
      await page.waitForFunction(() => document.querySelector("#moves .mark-win_lost") && document.querySelectorAll("#chart-game .point:not(.unknown)").length === 3);
      assert.equal(await page.locator("#moves [data-glyph='??']").textContent(), bad);
      assert.equal(await page.locator("#moves .mark-win_lost, #moves .mark-draw_lost").count(), 1, "an optimal move is no mistake");
      await tab(page, "analyse");
      const said = (await page.locator("#accuracy").innerText()).split("\n").filter(Boolean);
      assert.deepEqual(said.sort(), [
        "Black: accuracy 100%, no mistakes.",
        "White: accuracy 0%, 1 mistake.",
      ]);
      for (const [language, sentence] of [["de", "Weiß: Genauigkeit 0\u00a0%, 1 Fehler."], ["en", said[1]]]) {
        await page.selectOption("#language", language);
        await page.locator("#accuracy p", { hasText: sentence }).waitFor();
      }
      await page.locator('#chart-game [data-at="1"]').click();
      await page.locator("#judged", { hasText: `${bad}: win thrown away. Better: b1/3+` }).waitFor();
      // The record contains the marks.
      await tab(page, "setup");
      await page.selectOption("#format", "game");
      const text = await page.locator("#text").inputValue();
      assert.match(text, /^\[Game "Pentago"\]\n\[Rules "pentago"\]\n\[SetUp "1X1XXO.* o"\]\n\[Result "\*"\]\n\n1\. \S+ \$4 2\. /);
      // The lesson starts before the mistake. A better move ends the lesson and returns to the
      // game.
      await tab(page, "analyse");
      await page.locator("#learn").click();
      await played(page, 0);
      await page.goBack();
      await played(page, 2);
      assert.equal(await page.locator("#tab-analyse").getAttribute("aria-selected"), "true");
      await page.locator("#learn").click();
      await played(page, 0);
      await headline(page, "Find a better move");
      await page.locator("#solution").click();
      await page.locator("#board .advised").waitFor();
      const best = await state(page, "(page) => page.hint");
      const [place, turn] = best.split("/");
      await socket(page, place).click();
      await page.locator(`#board .open[data-quadrant="${parseInt(turn, 10) - 1}"][data-clockwise="${turn.endsWith("+")}"]`).click();
      await verdict(page, "Right");
      await played(page, 2);
      assert.deepEqual(await moves(page), [bad, after]);
    },
  },
  {
    name: "with the program: it reads the page's record, and reviews the game as the page does",
    needs: "server",
    async run({ open, host, root, assert }) {
      const page = await open(host.url + link(LATE), CALM);
      // Every second move is a mistake, if one is possible.
      const { text, marks, kept } = await page.evaluate(async (start) => {
        const modules = ["engine", "game", "page", "review"].map((name) => import(new URL(`js/${name}.js`, location.href)));
        const [{ engine }, { Game, toRecord }, { sheetOf }, review] = await Promise.all(modules);
        const game = new Game(engine, sheetOf("pentago"), start);
        for (let i = 0; i < 6 && !game.node.over; i++) {
          const { moves, value, best } = await engine.values("pentago", game.node.position, { distance: true });
          game.play((i % 2 === 0 && moves.find((move) => move.value !== value)?.move) || best[0]);
        }
        const kept = [...review.accuracy(game)].map(([seat, { kept }]) => [seat, kept]);
        return { text: toRecord(game, review.marks(game)), marks: review.marks(game).map(({ name }) => name), kept };
      }, LATE);
      const file = join(await mkdtemp(join(tmpdir(), "pentago-")), "game.txt");
      await writeFile(file, text);
      const program = process.env.PENTAGO ?? join(root, "target/debug/pentago");
      const told = JSON.parse((await promisify(execFile)(program, ["review", "--json", file])).stdout);
      const names = { "win thrown away": "win_lost", "draw thrown away": "draw_lost", "only move": "only" };
      const serious = (name) => (["win_lost", "draw_lost", "only"].includes(name) ? name : "");
      assert.deepEqual(told.moves.map(({ mark }) => names[mark] ?? ""), marks.map(serious));
      assert.ok(marks.includes("win_lost"));
      const rounded = (share) => (share === null || share === undefined ? null : Math.round(1000 * share));
      for (const { seat, accuracy } of told.sides) assert.equal(rounded(accuracy), rounded(new Map(kept).get(seat)), seat);
    },
  },
  {
    name: "the best line is played on the board, and the game comes back",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE), CALM);
      await headline(page, "White wins in 4 moves");
      await tab(page, "analyse");
      await page.locator("#replay").click();
      await page.locator(".value.over", { hasText: "White wins" }).waitFor();
      assert.equal((await moves(page)).length, 7);
      await played(page, 0);
      await headline(page, "White wins in 4 moves");
      assert.ok(!page.url().includes("m="), "the address is the game's");
      // A game that the visitor opens meanwhile stays open.
      await tab(page, "analyse");
      await page.locator("#replay").click();
      await played(page, 1);
      await page.selectOption("#rules", "mini");
      await page.waitForTimeout(800);
      assert.equal(await state(page, "(page) => `${page.game.rules} ${page.replaying}`"), "mini null");
    },
  },
  {
    name: "all moves stand in a list by value",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE), CALM);
      await headline(page, "White wins in 4 moves");
      await tab(page, "analyse");
      const legal = await state(page, "(page) => page.game.node.moves.length");
      const closed = page.locator("#all .group:not([open]) summary");
      while (await closed.count()) await closed.first().click();
      await page.waitForFunction((n) => document.querySelectorAll("#all [data-move]").length === n, legal);
      assert.deepEqual(await page.locator("#all summary").evaluateAll((all) => all.map((one) => one.className)), ["win", "draw", "loss"]);
      assert.match(await page.locator("#all [data-move]").first().textContent(), /^b1\/3\+\+4$/);
    },
  },
  {
    name: "openings up to symmetry with their replies, and fair openings",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago`, CALM);
      await headline(page, "Win");
      await tab(page, "more");
      await page.locator("#openings summary").click();
      await page.waitForFunction(() => document.querySelectorAll("#openings-list .opening").length === 6);
      const texts = await page.locator("#openings-list .opening").allTextContents();
      assert.equal(texts.filter((text) => text.startsWith("=")).length, 2, "the corner and the end of a quadrant's edge draw");
      for (const text of texts.filter((text) => text.startsWith("+"))) assert.match(text, /replies: 0 win, 0 draw, 280 lose/);
      await page.locator("#fair summary").click();
      await page.waitForFunction(() => [...document.querySelectorAll("#fair-list h3")].filter((title) => /[1-9]\d*$/.test(title.textContent)).length >= 2);
      const [one] = await page.locator("#fair-list h3").allTextContents();
      assert.equal(one, "Marbles: 1 · openings: 2");
      await page.locator("#fair-list .opening").nth(1).click();
      await headline(page, "Draw");
      // A number is shown once it is counted, and other rules have no published values.
      const numbers = (await page.locator("#fair-list h3").allTextContents()).map((title) => /: (\d+|…)$/.exec(title)[1]);
      assert.ok(numbers.every((found, i) => found === "…" || found === ["2", "3", "1,699"][i]), `${numbers}`);
      await page.selectOption("#rules", "pentago-eu");
      await page.locator("#fair-list", { hasText: "Published values are of Pentago" }).waitFor();
      assert.equal(await page.locator("#fair-list .opening").count(), 0);
    },
  },
  {
    name: "a record is written and read, and so are links to perfect-pentago.net",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago&m=c4/2+,d3/1-,a1/1+`);
      await tab(page, "setup");
      const saved = await downloaded(page, "save-text");
      assert.equal(saved.name, "pentago.txt");
      assert.match(saved.text, /^\[Game "Pentago"\]\n\[Rules "pentago"\]\n\[Result "\*"\]\n\n1\. c4\/2\+( \$\d)? d3\/1-( \$\d)? 2\. a1\/1\+( \$\d)? \*\n$/);
      const mini = await open(`${host.url}#rules=mini&m=a1/1+`);
      await tab(mini, "setup");
      assert.match((await downloaded(mini, "save-text")).text, /^\[Game "Mini-Pentago"\]\n\[Rules "mini"\]/);
      // A game without the rules of a preset has the name of its kind. In a round, only the seats
      // without a place have moves.
      const places = "rules=xl:seats=3,continue=yes&p=A1A1A1A1A/9/9/9/BBBB5/9/9/C1C1C1C2/9_b&m=e5,a1/1+,b1/1+,c1/1+";
      for (const [game, head, moved] of [["rules=mini:dir=cw&m=a1/1+", "Pentago", "1. a1/1+"], [places, "Pentago XL", "1. e5 a1/1+ 2. b1/1+ c1/1+"]]) {
        const other = await open(`${host.url}#${game}`);
        await tab(other, "setup");
        const { text } = await downloaded(other, "save-text");
        assert.ok(text.startsWith(`[Game "${head}"]`) && text.replaceAll(/ \$\d/g, "").includes(`\n${moved} *`), text);
        await other.locator("#text").fill(text);
        await other.locator("#load").click();
        await other.waitForFunction((end) => location.hash.endsWith(end) && document.querySelector("#setup").hidden, game.split("m=")[1]);
      }
      const drawn = await downloaded(page, "save-picture");
      assert.equal(drawn.name, "pentago.svg");
      const seen = await page.evaluate((text) => {
        const image = new DOMParser().parseFromString(text, "image/svg+xml");
        const marbles = [...image.querySelectorAll("circle")].filter((circle) => circle.getAttribute("r") === "40");
        return { box: image.documentElement.getAttribute("viewBox"), broken: image.querySelectorAll("parsererror").length, marbles: marbles.map((marble) => marble.getAttribute("fill")), styled: image.querySelectorAll("[class]").length };
      }, drawn.text);
      assert.equal(seen.broken, 0);
      assert.equal(seen.box, "0 98 694 694", "the board without the room for buttons");
      assert.deepEqual(seen.marbles.sort(), ["url(#shade-o)", "url(#shade-x)", "url(#shade-x)"]);
      assert.equal(seen.styled, 0);
      const load = async (text) => {
        await tab(page, "setup");
        await page.locator("#text").fill(text);
        await page.locator("#load").click();
      };
      const commented = saved.text.replace("1. c4", "# no move: a2/1+\n{Before all.} 1. c4").replace("d3/1-", "d3/1-! {a comment, with c4/1+ in it} $1");
      for (const [text, hash] of [
        [commented, /#rules=pentago&m=c4\/2\+,d3\/1-,a1\/1\+$/],
        ["https://perfect-pentago.net/#274440791932540184", /p=XOO1X1\/O2X2\/1XO2X\/1X2O1\/2OXX1\/1OXOO1_x$/],
        [`${host.url}#rules=mini&m=a1/1+`, /#rules=mini&m=a1\/1\+$/],
        ['[Rules "pente"]\n[Result "*"]\n\n1. K10 K11 2. N10 *\n', /#rules=pente&m=K10,K11,N10$/],
        ['[Rules "xl:seats=3"]\n\n1. a1/1+ b2/1- c3/2+ 2. d4/3- *\n', /#rules=xl:seats=3&m=a1\/1\+,b2\/1-,c3\/2\+,d4\/3-$/],
      ]) {
        await load(text);
        await page.waitForURL(hash);
      }
      await load('[Rules "pentago"]\n\n1. z9/1+ *\n');
      await page.locator("#error", { hasText: "z9/1+" }).waitFor();
    },
  },
  {
    name: "levels: a beginner takes a win, the careful one sees yours, and all of them move",
    async run({ open, host, assert }) {
      const page = await open(host.url + link(LATE), CALM);
      const ask = (position, level, times) => page.evaluate(async ({ position, level, times }) => {
        const { reply } = await import(new URL("js/play.js", location.href));
        const { Game } = await import(new URL("js/game.js", location.href));
        const { engine } = await import(new URL("js/engine.js", location.href));
        const { sheetOf } = await import(new URL("js/page.js", location.href));
        const game = new Game(engine, sheetOf("pentago"), position);
        const won = [];
        for (let i = 0; i < times; i++) {
          const text = await reply(game, String(level), new AbortController().signal);
          const { over, position } = game.node.moves.find(({ move }) => move === text);
          const next = over ? [] : engine.look("pentago", position).moves;
          won.push(over?.winners.includes(game.node.toMove) ? "wins" : next.some(({ over }) => over?.winners.length && !over.winners.includes(game.node.toMove)) ? "loses" : "goes on");
        }
        return won;
      }, { position, level, times });
      for (const level of [1, 2, 3, 4, 5]) assert.deepEqual(await ask("OO1OO1/6/6/6/6/XXXX2 x", level, 2), ["wins", "wins"], `level ${level}`);
      // White threatens five in a row. All levels except the beginner find a move that stops it.
      const threat = "OOOO2/6/6/6/1X4/X1X2X x";
      assert.ok((await ask(threat, 1, 12)).includes("loses"));
      for (const level of [2, 3]) assert.ok((await ask(threat, level, 3)).every((end) => end === "goes on"), `level ${level}`);
      assert.deepEqual(await ask(LATE, 5, 1), ["goes on"]);
    },
  },
  {
    name: "the opponent says that it thinks, and two players on one device are left alone",
    async run({ open, host, assert }) {
      // No proof decides this position with nine marbles, so the perfect opponent uses all its
      // time.
      const page = await open(host.url + link(NINE), CALM);
      await page.selectOption("#strength", "5");
      assert.match(await page.locator("#strength-said").innerText(), /Never gives a known value away/);
      await page.selectOption("#you", "x");
      await headline(page, "Thinking");
      assert.match(await page.locator("#said").textContent(), /Thinking/);
      assert.match(await page.locator("#detail").innerText(), /a move of White/);
      assert.ok(await page.locator("#hint").isDisabled());
      // A new game for two players starts meanwhile: no reply and no value may appear in it.
      await page.selectOption("#you", "");
      await page.locator("#show").uncheck();
      await page.locator("#begin").click();
      for (const [place, count] of [["a1", 1], ["f6", 2], ["c3", 3]]) {
        await socket(page, place).click();
        await page.locator("#board .chip.open").first().click();
        await played(page, count);
      }
      await page.waitForTimeout(700);
      assert.equal((await moves(page)).length, 3);
      assert.equal(await page.locator("#board :is(.win, .draw, .loss, .unknown)").count(), 0);
    },
  },
  {
    name: "on a phone nothing scrolls away, a stroke turns a quadrant, and small points are tapped twice",
    async run({ open, host, assert, picture }) {
      const page = await open(`${host.url}#rules=pentago`, { ...PHONE, ...CALM });
      await headline(page, "Win");
      for (const [place, turn] of [["a1", "1"], ["f6", "2"], ["c3", "3"], ["d4", "4"]]) {
        await socket(page, place).tap();
        await page.locator(`#board .open[data-quadrant="${turn - 1}"]`).first().tap();
      }
      await played(page, 4);
      assert.equal(await page.evaluate(() => scrollY), 0);
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      const board = await page.locator("#board").boundingBox();
      assert.ok(board.y >= 0 && board.y + board.height <= 740, "the board stays");
      for (const id of ["value", "moves"]) assert.ok(await page.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight));
      await page.evaluate(() => scrollTo(0, 0));
      // A swipe to the right turns a quadrant clockwise on its upper half, counterclockwise on its
      // lower half.
      const pending = `${host.url}#rules=pentago&p=6/2X3/6/6/6/6_x_turn`;
      for (const [low, turn] of [[false, "b2/3+"], [true, "e2/3-"], [false, "/3+"]]) {
        if (turn === "/3+") await page.goto(pending);
        const before = turn === "/3+" ? 0 : (await moves(page)).length;
        if (turn !== "/3+") await socket(page, turn.slice(0, 2)).tap();
        const box = await page.locator("#board .quadrant").nth(0).evaluateHandle(async (_) => {
          const { boardView } = await import(new URL("js/show.js", location.href));
          return boardView.quadrants[2].getBoundingClientRect().toJSON();
        }).then((handle) => handle.jsonValue());
        const y = box.y + box.height * (low ? 0.85 : 0.15);
        await page.mouse.move(box.x + box.width * 0.2, y);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.8, y, { steps: 4 });
        await page.mouse.up();
        await played(page, before + 1);
        assert.equal((await moves(page)).at(-1), turn);
      }
      await page.goto(`${host.url}#rules=pente`);
      await page.locator("#show").uncheck();
      await socket(page, "K10").tap();
      await page.locator("#value", { hasText: "once more" }).waitFor();
      assert.equal((await moves(page)).length, 0);
      await socket(page, "K10").tap();
      await played(page, 1);
      await picture(page, "phone-pente");
    },
  },
  {
    name: "tabs stand in one row, in all languages",
    async run({ open, host, assert }) {
      for (const locale of ["en", "de", "fr", "es"]) {
        for (const size of [{ viewport: { width: 1180, height: 900 } }, PHONE]) {
          const page = await open(`${host.url}#rules=pentago`, { locale, ...size });
          const rows = await page.locator("#tabs [role=tab]").evaluateAll((tabs) => {
            const row = document.querySelector("#tabs").getBoundingClientRect();
            return { rows: new Set(tabs.map((one) => one.getBoundingClientRect().top)).size, beyond: tabs.some((one) => one.getBoundingClientRect().right > row.right + 1 || one.scrollWidth > one.clientWidth) };
          });
          assert.deepEqual(rows, { rows: 1, beyond: false }, `${locale} ${size.viewport.width}`);
        }
      }
    },
  },
  {
    name: "Pente: star points, captured stones, no signs too small to read, and all of it in German",
    async run({ open, host, assert, picture }) {
      // White captures two stones.
      const page = await open(`${host.url}#rules=pente&m=K10,K11,N10,K12,K13`, { locale: "de" });
      assert.equal(await page.locator("#board .star").count(), 9);
      await page.locator("#to-move", { hasText: "Schwarz schlug 2, Weiß schlug 0" }).waitFor();
      await page.locator("#figures", { hasText: /Halbzüge/ }).waitFor();
      const said = await page.locator("#figures-text").textContent();
      assert.ok(!/\b(no|has|within|plies|forced)\b/.test(said), said);
      assert.equal(await page.locator("#board .unknown .sign").evaluateAll((signs) => signs.filter((sign) => sign.getClientRects().length).length), 0);
      await picture(page, "pente-captures");
      // The opening rule excludes some points. A click on such a point explains why.
      await page.goto(`${host.url}#rules=pente&m=K10,L11`);
      await page.locator('#board [aria-label="L10, jetzt nicht erlaubt"][aria-disabled="true"]').click({ force: true });
      await page.locator("#value", { hasText: "L10 ist in dieser Eröffnung nicht erlaubt" }).waitFor();
      await page.locator('#board [aria-label^="N10, leer"][aria-disabled="false"]').click();
      await page.waitForURL(/m=K10,L11,N10$/);
      assert.ok(!(await page.locator("#value").innerText()).includes("L10"));
      // Only the five winning marbles are ringed.
      await page.goto(`${host.url}#rules=pente&m=K10,A1,N10,A2,L10,A3,M10,A4,J10`);
      await page.locator(".value.over").waitFor();
      assert.equal(await page.locator("#board .five").count(), 5);
      assert.equal(await page.locator("#board .line, #board .grid.five").count(), 0);
      assert.equal(await page.locator("#board .grid").first().evaluate((line) => getComputedStyle(line).strokeWidth), "2px");
    },
  },
  {
    name: "setting up: what to do is said, the side to move follows, and what isn't possible is said, too",
    async run({ open, host, assert, picture }) {
      for (const [name, size] of [["desk", {}], ["phone", PHONE]]) {
        const page = await open(`${host.url}#rules=pentago`, { ...size, ...CALM });
        await tab(page, "setup");
        await headline(page, "Choose a colour, then click on the board.");
        assert.ok(await page.locator("#record").isHidden(), "no hint of how to play");
        await picture(page, `setup-${name}`);
        for (const [place, side] of [["a1", "o"], ["a1", "x"], ["a1", "o"]]) {
          await socket(page, place).click();
          assert.equal(await page.locator("#side").inputValue(), side);
          assert.equal(await page.locator("#error").innerText(), "");
        }
        await page.locator("#to-move", { hasText: "White to move" }).waitFor();
        await socket(page, "b1").click();
        await headline(page, "Not a possible position");
        assert.match(await page.locator("#error").innerText(), /No game leads to these marbles .*Black 2, White 0/);
        // Leaving an impossible position shows a message. Clearing the board keeps the editor open.
        await tab(page, "play");
        await page.locator("#notice", { hasText: "isn’t possible" }).waitFor();
        await tab(page, "setup");
        await page.locator("#new").click();
        await headline(page, "Choose a colour");
        await socket(page, "f6").click();
        await tab(page, "play");
        await page.waitForURL(/p=5X\/6\/6\/6\/6\/6_o$/);
        assert.ok(await page.locator("#notice").isHidden());
      }
      // The editor keeps invisible state while it applies: captured stones and a pending turn.
      const captures = "O1X1OO1/OOX1OXO/2XXOO1/X1OXOXX/XOOXXXX/1XOO1XX/XOXXOOO o cap=4-4";
      for (const [rules, position, place, marble, text] of [
        ["pente:n=7", captures, "B7", "x", captures],
        ["pentago", "1X4/6/6/6/6/6 x turn", "b5", "o", "1X4/1O4/6/6/6/6 o turn"],
        ["pentago", "1X4/6/6/6/6/6 x turn", "b6", "x", "6/6/6/6/6/6 x"],
      ]) {
        const page = await open(host.url + link(position, rules), CALM);
        await tab(page, "setup");
        await page.locator(`#palette input[value="${marble}"]`).check();
        await socket(page, place).click();
        if (text === position) await socket(page, place).click();
        assert.equal(await page.locator("#text").inputValue(), text);
        await tab(page, "play");
        assert.equal(await state(page, "(page) => page.game.node.position"), text);
      }
    },
  },
  {
    name: "on a narrow screen the hint of how to play is whole, in all languages",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}${link(LATE)}&task=puzzle`, PHONE);
      for (const locale of ["en", "de", "fr", "es"]) {
        await page.selectOption("#language", locale);
        await page.waitForFunction((tag) => document.documentElement.lang === tag, locale);
        for (const width of [320, 360]) {
          await page.setViewportSize({ width, height: 740 });
          const beyond = await page.locator("#moves").evaluate((list) => [list.scrollWidth - list.clientWidth, list.scrollHeight - list.clientHeight]);
          assert.deepEqual(beyond, [0, 0], `${locale} ${width}`);
        }
      }
    },
  },
  {
    name: "what is wrong with a link or a text is introduced in the reader's language, with carets where they belong",
    async run({ open, host, assert, picture }) {
      const page = await open(`${host.url}#rules=pentago&p=6/6/6/7/6/6_x`, { locale: "de" });
      const carets = async (id) => {
        // The carets span the wrong part of the text.
        const family = await page.locator(`#${id} pre`).evaluate((pre) => getComputedStyle(pre).fontFamily);
        assert.match(family, /monospace/);
        const [text, mark] = (await page.locator(`#${id} pre`).textContent()).split("\n");
        return text[mark.indexOf("^")];
      };
      const said = (id) => page.locator(`#${id} > div`).innerText();
      assert.equal(await said("notice"), "Der Link ist nicht lesbar: rank 3 has more than 6 sockets");
      assert.equal(await carets("notice"), "7");
      assert.equal(await page.locator("#notice [lang=en]").count(), 2);
      await picture(page, "wrong-link");
      await page.selectOption("#language", "fr");
      await page.waitForFunction(() => document.querySelector("#notice").innerText.startsWith("Le lien est illisible : rank 3"));
      await tab(page, "setup");
      await page.locator("#text").fill("6/6/6/7/6/6 x");
      await page.locator("#load").click();
      assert.equal(await said("error"), "Ce texte est illisible : rank 3 has more than 6 sockets");
      assert.equal(await carets("error"), "7");
      assert.ok(await page.locator("#error").evaluate((error) => error.getBoundingClientRect().bottom <= innerHeight), "it is in sight");
      // A pasted link with an illegal move is refused, too.
      await page.locator("#text").fill(`${host.url}#rules=pentago&m=c4/2+,z9/1+`);
      await page.locator("#load").click();
      await page.locator("#notice", { hasText: "coup impossible : z9/1+, le n° 2" }).waitFor();
      assert.deepEqual(await moves(page), ["c4/2+"]);
      await page.selectOption("#language", "es");
      await page.locator("#notice", { hasText: "jugada imposible: z9/1+, la número 2" }).waitFor();
    },
  },
  {
    name: "whoever changes the language finds nothing of the other one, nor in what is read out",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago`, CALM);
      await headline(page, "Win");
      assert.equal(await page.locator("#said").textContent(), "Black to move. Black wins");
      await page.selectOption("#language", "de");
      await headline(page, "Schwarz gewinnt");
      assert.equal(await page.locator("#said").textContent(), "Schwarz am Zug. Schwarz gewinnt");
      // Open panels stay open after a change of the language.
      await tab(page, "more");
      for (const id of ["openings", "fair"]) await page.locator(`#${id} summary`).click();
      await page.selectOption("#language", "fr");
      await page.locator("#openings-list", { hasText: "réponses" }).waitFor();
      await page.locator("#fair-list", { hasText: "Billes" }).waitFor();
      await page.locator("#sheets", { hasText: "cinq alignées" }).waitFor();
      await tab(page, "setup");
      await page.selectOption("#language", "es");
      await page.locator("#palette", { hasText: /Negro\s*Blanco\s*Vacío/ }).waitFor();
      assert.deepEqual(await page.locator("#side option").allTextContents(), ["Negro", "Blanco"]);
      await page.goto(`${host.url}${link(LATE)}&task=win`);
      await page.reload();
      await page.locator("#solution").click();
      await verdict(page, "Pruebe ");
      await page.selectOption("#language", "en");
      await verdict(page, "Try ");
      assert.equal(await page.locator("#puzzle-task").innerText(), "This position is won. Win it.");
      // The first screen announces no position to screen readers.
      await page.locator("#home-link").click();
      assert.equal(await page.locator("#said").textContent(), "");
    },
  },
  {
    name: "with keys alone the focus is never lost, and stops nowhere for nothing",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago`);
      await headline(page, "Win");
      const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label")?.split(",")[0] ?? document.activeElement.id);
      const press = (key) => page.keyboard.press(key);
      await page.locator("#theme").focus();
      await press("Tab");
      assert.equal(await focused(), "a6", "the board itself is no stop");
      await press("Enter");
      await press("Tab");
      assert.equal(await focused(), "Turn quadrant 1 clockwise");
      await press("Enter");
      await played(page, 1);
      assert.equal(await focused(), "a6");
      await page.locator("#best .move").first().focus();
      await press("Enter");
      await played(page, 2);
      assert.equal(await focused(), "a6");
      await page.locator("#moves button").first().focus();
      await press("Enter");
      await page.waitForURL(/at=1$/);
      assert.match(await focused(), /^a6\/1\+/);
      await page.locator("#undo").focus();
      await press("Enter");
      await page.waitForURL(/at=0$/);
      assert.equal(await focused(), "a6");
      // A digit key turns the focused quadrant.
      await press("Enter");
      await press("2");
      await played(page, 1);
      assert.equal(await focused(), "a6");
    },
  },
  {
    name: "titles and choices are whole, in all languages",
    async run({ open, host, assert }) {
      for (const size of [{ viewport: { width: 1180, height: 900 } }, PHONE, { ...PHONE, viewport: { width: 320, height: 640 } }]) {
        const page = await open(host.url, { ...size, ...CALM });
        for (const locale of ["en", "de", "fr", "es"]) {
          await page.locator("#home-link").click();
          await page.selectOption("#language", locale);
          await page.waitForFunction((tag) => document.documentElement.lang === tag, locale);
          const beyond = () => page.evaluate(() => [...document.querySelectorAll("button, select")].filter((one) => one.clientWidth && !one.closest(".icon") && (one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth)).map(({ id }) => id));
          assert.deepEqual(await beyond(), [], `${locale} ${size.viewport.width}, first screen`);
          await page.locator("#begin-analyse").click();
          for (const name of ["play", "puzzle", "setup", "analyse"]) {
            await tab(page, name);
            assert.deepEqual(await beyond(), [], `${locale} ${size.viewport.width}, ${name}`);
          }
          // Measure the options of selects separately: a select does not report truncated text.
          const cut = await page.evaluate(() => [...document.querySelectorAll("#you, #level, #language")].filter((select) => {
            const panel = select.closest("[role=tabpanel]");
            const { hidden } = panel ?? {};
            if (panel) panel.hidden = false;
            const context = document.createElement("canvas").getContext("2d");
            context.font = getComputedStyle(select).font;
            const style = getComputedStyle(select);
            const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 18;
            if (panel) panel.hidden = hidden;
            return context.measureText(select.selectedOptions[0].text).width > room;
          }).map(({ id }) => id));
          assert.deepEqual(cut, [], `${locale} ${size.viewport.width}, choices`);
        }
      }
    },
  },
  {
    name: "against the solver undo leads to one's own turn, and after the end there is another game",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago`, CALM);
      await page.selectOption("#you", "x");
      await headline(page, "Your move");
      for (const count of [2, 4]) {
        await page.locator("#board .socket:not(.filled)").first().click();
        await page.locator("#board .chip.open").first().click();
        await played(page, count);
        await headline(page, "Your move");
      }
      await page.locator("#undo").click();
      await page.waitForURL(/at=2$/);
      await headline(page, "Your move");
      await page.keyboard.press("u");
      await page.waitForURL(/at=0$/);
      await page.locator("#redo").click();
      await page.waitForURL(/at=2$/);
      // The game continues after a reload.
      await page.reload();
      await headline(page, "Your move");
      assert.equal(await page.locator("#you").inputValue(), "x");
      assert.ok(!await page.locator("#show").isChecked());
      // On the opponent's turn the page does not ask for a move.
      await page.locator("#moves button").first().click();
      await headline(page, "White to move");
      await page.locator("#to-move", { hasText: /^\s*$/ }).waitFor();
      await page.goto(`${host.url}${link("OO1OO1/6/6/6/6/XXXX2 x")}`);
      await headline(page, "Your move");
      await socket(page, "e1").click();
      await headline(page, "You won");
      await page.locator("#tab-analyse[aria-selected=true]").waitFor();
      assert.ok(await page.locator("#all-moves").isHidden(), "no moves are looked for after the end");
      await page.locator("#new").click();
      await headline(page, "Your move");
      assert.equal(await page.locator("#you").inputValue(), "x");
      assert.ok(await page.locator("#play").isVisible());
      // In another game, the player keeps the seat with the same index.
      for (const [rules, seat] of [["xl:seats=4", "a"], ["pentago", "x"]]) {
        await page.selectOption("#rules", rules);
        await headline(page, "Your move");
        assert.equal(await page.locator("#you").inputValue(), seat);
      }
      // The game goes on at its own level, and the player's first turn has no turn before it.
      await page.selectOption("#you", "o");
      await page.selectOption("#strength", "1");
      await page.locator("#begin").click();
      await played(page, 1);
      await headline(page, "Your move");
      assert.deepEqual([await page.locator("#undo").isDisabled(), await page.locator("#first").isDisabled()], [true, true]);
      await page.keyboard.press("u");
      assert.doesNotMatch(page.url(), /at=/);
      await page.evaluate(() => localStorage.setItem("pentago.strength", "4"));
      await page.reload();
      await headline(page, "Your move");
      assert.equal(await page.locator("#strength").inputValue(), "1");
    },
  },
  {
    name: "XL: what is proved is said as of Pente, in a sentence",
    async run({ open, host, assert }) {
      for (const [locale, sentence] of [["en", /^White can’t force a win within \d+ plies\./], ["de", /^Weiß kann innerhalb von \d+ Halbzügen keinen Sieg erzwingen\./]]) {
        const page = await open(`${host.url}${link("A8/9/9/9/9/9/9/9/9 b", "xl")}`, { locale });
        await page.locator("#figures-text", { hasText: sentence }).waitFor({ state: "attached" });
      }
    },
  },
  {
    name: "a hint is offered on the first screen of analysis, and why not where there is none",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pentago`);
      await headline(page, "Win");
      assert.ok(await page.locator("#hint").isEnabled());
      const signs = await page.locator("#board .socket.win").count();
      await page.locator("#hint").click();
      await page.locator("#board .advised").waitFor();
      assert.equal(await page.locator("#board .socket.win").count(), signs, "a hint changes no values");
      await socket(page, "a1").click();
      assert.equal(await page.locator("#board .advised").count(), 0, "a hint is there once");
      await page.goto(`${host.url}${link("OO1OO1/6/6/6/6/XXXX2 x")}&m=e1`);
      await page.locator(".value.over").waitFor();
      assert.ok(await page.locator("#hint").isDisabled());
      assert.equal(await page.locator("#hint").getAttribute("title"), "The game is over");
    },
  },
  {
    name: "one chart for each set of tables, of the rules that are shown",
    async run({ open, host, assert }) {
      const page = await open(host.url, { ...PHONE, serviceWorkers: "block" });
      await page.route("**/api/v1/rules", (route) => route.fulfill({ json: { presets: [] } }));
      await page.route("**/api/v1/tables", (route) => route.fulfill({ json: TABLES }));
      await page.route("**/api/v1/position*", (route) => route.fulfill({ json: { error: "not here" } }));
      for (const [rules, rows] of [["mini", [3]], ["pentago", [2, 1]]]) {
        await page.goto(`${host.url}?${rules}#rules=${rules}`);
        await page.waitForSelector("html[data-ready]");
        await tab(page, "more");
        await page.locator("#charts summary").click();
        await page.locator("#chart-tables figure").first().waitFor();
        assert.deepEqual(await page.locator("#chart-tables figure").evaluateAll((all) => all.map((one) => one.querySelectorAll("text").length)), rows);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
      }
    },
  },
  {
    name: "what the server refuses for good is solved here and said, and so is what it doesn't answer for",
    async run({ open, host, assert }) {
      const page = await open(host.url);
      const says = (status, kind) => page.evaluate(async ([status, kind]) => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        engine.server = true;
        window.fetch = async () => Response.json({ error: `${kind} it is`, kind }, { status });
      }, [status, kind]);
      for (const [status, kind] of [[503, "time"], [503, "machine"], [400, "input"]]) {
        await says(status, kind);
        await page.evaluate((hash) => { location.hash = hash; }, `${link(LATE)}&${kind}`);
        await headline(page, "White wins in 4 moves");
        if (status === 503) await page.locator("#detail", { hasText: "this browser answered" }).waitFor();
      }
    },
  },
  {
    name: "a page in a page has the board, what is said of it, and a link to the whole",
    async run({ open, host, assert, picture }) {
      const page = await open(`${host.url}?embed=1${link(LATE)}`, { viewport: { width: 480, height: 640 } });
      await headline(page, "White wins in 4 moves");
      for (const id of ["board", "value", "whole", "hint"]) assert.ok(await page.locator(`#${id}`).isVisible(), id);
      for (const id of ["rules", "tabs", "new"]) assert.ok(await page.locator(`#${id}`).isHidden(), id);
      const box = await page.locator("#value").boundingBox();
      assert.ok(box.y + box.height <= 640, "all of it is in sight");
      await picture(page, "embed");
      await page.locator("#whole").focus();
      assert.ok((await page.locator("#whole").getAttribute("href")).endsWith(`/explorer/${link(LATE)}`));
    },
  },
  {
    name: "with the server: a page of another site may hold it in a frame, at the address that says so",
    needs: "server",
    async run({ open, server, folder, assert }) {
      const frame = (query) => `<!doctype html><html lang="en" data-ready><title>Outer</title><link rel="icon" href="icon.svg"><iframe width="480" height="640" src="${server.url}${query}${link(LATE)}"></iframe>`;
      const instead = { "with.html": frame("?embed=1") };
      const host = await staticHost(folder, { instead, headers: { "content-security-policy": "default-src * 'unsafe-inline'" } });
      // Another host name of the same machine is a different site to the browser.
      const outer = host.url.replace("127.0.0.1", "localhost");
      const page = await open(`${outer}with.html`);
      await page.frameLocator("iframe").locator("#value", { hasText: "White wins in 4 moves" }).waitFor();
      await host.close();
      // An answer with a shorter time limit is labelled, and is not reused for a longer limit.
      const quick = await (await fetch(`${server.url}api/v1/position?${new URLSearchParams({ p: NINE, seconds: "0" })}`)).json();
      assert.equal(quick.value, "unknown");
      assert.ok(quick.moves.some(({ guess }) => guess !== undefined));
    },
  },
  {
    name: "the page and notebooks draw with one palette",
    async run({ root, folder, assert }) {
      const sheet = await readFile(join(folder, "style.css"), "utf8");
      const light = sheet.slice(0, sheet.indexOf("[data-theme=\"dark\"]"));
      const notebook = await readFile(join(root, "tools/python/src/picture.rs"), "utf8");
      const colors = [...new Set(notebook.match(/#[0-9a-f]{6}\b/g))];
      assert.ok(colors.length >= 9);
      for (const color of colors) assert.ok(light.includes(color), `${color} is a colour of the page`);
      // A seat has one marble on the page, and its colour has the same name on the terminal.
      const [, marbles] = /const MARBLES: [^=]+=\s*\[([^;]+)\];/.exec(notebook);
      const fills = [...marbles.matchAll(/\("(#\w+)",/g)].map(([, fill]) => fill);
      const variable = (name) => new RegExp(`--${name}: (#\\w+)`).exec(light)[1];
      assert.deepEqual(fills, ["black", "white-light", "teal", "amber"].map(variable));
      const terminal = await readFile(join(root, "tools/commands/src/picture.rs"), "utf8");
      const names = [...terminal.matchAll(/\("(\w+)", marble\(\d+\)\)/g)].map(([, name]) => name);
      const english = (await import(`${folder}/lang/en.js`)).default;
      assert.deepEqual(names, ["a", "b", "c", "d"].map((seat) => /\((\w+)\)/.exec(english[`seat.${seat}`])[1]));
      assert.deepEqual(names.slice(0, 2), ["x", "o"].map((seat) => english[`seat.${seat}`].toLowerCase()));
    },
  },
];
