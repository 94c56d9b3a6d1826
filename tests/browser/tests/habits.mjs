// Tests of the habits of players: the history, tasks after a reload, narrow screens, screen
// readers, and the words of the page.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { core } from "../core.mjs";
import { staticHost } from "../host.mjs";
import { link } from "./playing.mjs";

const LATE = "1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o";
const NINE = "2O3/4O1/2O3/X1X3/1OX3/1XX3 o";
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

/** Opens a game against the first level, and wins it as Black. */
async function wonGame(open, host) {
  const page = await open(`${host.url}${link("OO1OO1/6/6/6/6/XXXX2 x")}`, CALM);
  await page.selectOption("#strength", "1");
  await page.selectOption("#you", "x");
  await move(page, "e1");
  await headline(page, "You won");
  return page;
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
        await page.locator("#board .socket:not(.filled)").first().click();
        await page.locator("#board .chip.open").first().click();
        await played(page, count);
      }
      await page.goBack();
      await page.locator("#begin-play").waitFor();
      await page.goForward();
      await headline(page, "Your move");
      // A move that is being played stays in the game: Undo takes back this move only.
      const quick = await open(`${host.url}#rules=pentago&m=c4/2+,d3/1+`);
      await move(quick, "a1/1+");
      await quick.keyboard.press("u");
      await quick.waitForURL(/m=c4\/2\+,d3\/1\+,a1\/1\+&at=2$/);
      await quick.keyboard.press("r");
      await move(quick, "b2/1+");
      await quick.locator("#home-link").click();
      await quick.locator("#begin-play").waitFor();
      await quick.goBack();
      await quick.waitForURL(/a1\/1\+,b2\/1\+$/);
      // If the reader answers "no", the game remains.
      page.removeAllListeners("dialog");
      let asked = 0;
      page.on("dialog", (dialog) => { asked += 1; return dialog.dismiss(); });
      await page.locator("#new").click();
      await page.selectOption("#rules", "mini");
      await page.locator("#tab-more").click();
      await page.locator("#fair summary").click();
      await page.locator("#fair-list .opening").first().click();
      assert.deepEqual([asked, (await moves(page)).length, await page.locator("#rules").inputValue()], [3, 4, "pentago"]);
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
      for (const task of ["Find the move", "Find a better move"]) {
        await page.reload();
        await headline(page, task);
        assert.equal(await page.locator("#board .win, #best .move").count(), 0);
        await page.goto(`${host.url}${link(LATE)}&m=a6/1-&at=0&task=mistake`);
      }
    },
  },
  {
    name: "rules chosen on the first screen start a game, a pasted game is analysed, and an impossible set-up is kept",
    async run({ open, host, assert }) {
      const page = await open(host.url, CALM);
      await page.selectOption("#rules", "mini");
      await headline(page, "Your move");
      await page.locator("#tab-setup").click();
      await page.locator("#text").fill("c4/2+ d3/1-");
      await page.locator("#load").click();
      await page.locator("#tab-analyse[aria-selected=true]").waitFor();
      await page.locator("#tab-setup").click();
      for (const place of ["a1", "b1", "a2"]) await socket(page, place).click();
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
      const heard = (await page.evaluate(() => window.heard)).join("\n");
      assert.match(heard, /\nBlack played b5\/1\+\. White to move\. Thinking.…\nWhite played [a-f][1-6]\/[1-4][+-]\. Black to move\. Your move$/);
    },
  },
  {
    name: "the chart of a game is reached by keys, and the list of moves follows",
    async run({ open, host, assert }) {
      const line = "a1/1+,f6/2+,a2/1+,f5/2+,c3/1+,d2/4+,b5/1+,e2/2+,c1/1+,d4/1+,a4/1+,f3/1+,b2/1+,e6/1+";
      for (const viewport of [{ width: 1180, height: 700 }, { width: 360, height: 740 }]) {
        const page = await open(`${host.url}#rules=pentago&m=${line}`, { ...CALM, viewport });
        const follows = (at) => page.waitForFunction((at) => {
          const [list, box] = ["#moves", `#moves [data-at="${at}"]`].map((name) => document.querySelector(name).getBoundingClientRect());
          return box.top >= list.top - 1 && box.bottom <= list.bottom + 1 && box.left >= list.left - 1 && box.right <= list.right + 1;
        }, at);
        await follows(14);
        await page.locator("#chart-game").focus();
        await page.keyboard.press("ArrowLeft");
        await page.waitForURL(/at=13$/);
        assert.match(await page.locator("#chart-game").getAttribute("aria-valuetext"), /^b2\/1\+: /);
        await page.keyboard.press("Home");
        await page.waitForURL(/at=0$/);
        await page.keyboard.press("End");
        await follows(14);
      }
    },
  },
  {
    name: "the marble comes first, then the turn, whose quadrant stays marked",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}${link("6/6/2X3/3O2/6/6 x")}`);
      await page.evaluate(() => {
        window.times = {};
        new MutationObserver(() => { if (document.querySelector("#board .placed")) window.times.marble ??= performance.now(); }).observe(document.querySelector("#board"), { subtree: true, attributes: true });
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...args) {
          Object.assign(window.times, { turn: performance.now(), open: document.querySelectorAll("#board .chip.open").length });
          return animate.apply(this, args);
        };
      });
      await page.selectOption("#strength", "1");
      await page.selectOption("#you", "o");
      await played(page, 1);
      const { marble, turn, open: offered } = await page.evaluate(() => window.times);
      assert.ok(turn - marble >= 200 && offered === 0, `${marble} ${turn} ${offered}`);
      const [, quadrant, sign] = /\/(\d)([+-])$/.exec((await moves(page))[0]);
      assert.equal(await page.locator("#board .quadrant.turned").count(), 1);
      assert.equal(await page.locator(`#board .chip.turned[data-quadrant="${quadrant - 1}"][data-clockwise="${sign === "+"}"]`).count(), 1);
    },
  },
  {
    name: "verdict, next puzzle, last move and value are in sight on every screen",
    async run({ open, host, assert, picture }) {
      for (const [width, height] of [[360, 740], [390, 844], [740, 360], [1280, 800]]) {
        const page = await open(`${host.url}${link(LATE)}&m=b1/3+&task=puzzle`, { ...CALM, viewport: { width, height }, hasTouch: width < 800, isMobile: width < 800 });
        const inSight = async (...ids) => {
          for (const id of ids) {
            await page.locator(`#${id}`).waitFor();
            const { y, height: high } = await page.locator(`#${id}`).boundingBox();
            assert.ok(y >= 0 && y + high <= height, `${id} at ${width}x${height}: ${y}, ${high}`);
          }
          await picture(page, `sight-${width}-${ids.join("-")}`);
        };
        await played(page, 2);
        await page.locator("#board .socket:not(.filled)").first().click();
        await page.locator("#board .open").first().click();
        await page.locator("#verdict", { hasText: "lets it go" }).waitFor();
        await inSight("board", "verdict", "moves");
        await played(page, 2);
        for (let count = 4; !/Solved/.test(await page.locator("#verdict").textContent()); count += 2) {
          await move(page, await page.evaluate(async () => {
            const [{ page: { game } }, { engine }, { sorted }] = await Promise.all(["page", "engine", "play"].map((name) => import(new URL(`js/${name}.js`, location.href))));
            return sorted((await engine.values(game.rules, game.node.position, { distance: true })).moves)[0].move;
          }));
          await page.waitForFunction((n) => document.querySelectorAll("#moves button").length >= n || /Solved/.test(document.querySelector("#verdict").textContent), count);
        }
        await inSight("verdict", "value", "moves", "next-puzzle");
        await page.goto(`${host.url}?home`);
        await inSight("board", "begin-play", "begin-puzzle");
        assert.ok((await page.locator("#board").boundingBox()).height >= 200);
      }
    },
  },
  {
    name: "a wrong move of a puzzle is taken back after Undo, and after the solver's win",
    async run({ open, host, assert }) {
      const puzzle = `${host.url}#rules=pentago&p=2OOXX/1OOX2/X1O2O/1XX2O/OXOOXX/XXXOXO_o&task=puzzle`;
      const page = await open(puzzle, CALM);
      const isTakenBack = async () => {
        await page.locator("#verdict", { hasText: "e3/3+ lets it go" }).waitFor();
        await page.locator("#undo").click({ timeout: 1000 }).catch(() => {});
        await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 0 && document.querySelector("#redo").disabled);
        assert.equal(page.url(), puzzle);
      };
      await move(page, "e3/3+");
      await isTakenBack();
      await page.goto("about:blank");
      await page.goto(puzzle.replace("&task", "&m=e3/3%2B&task"));
      await isTakenBack();
    },
  },
  {
    name: "a task calls no move right whose value is unknown, and returns to a won position",
    async run({ open, host, assert }) {
      const verdict = (page, text) => page.locator("#verdict", { hasText: text }).waitFor();
      // A won position of the published solution: the values of the next positions are unknown.
      const page = await open(`${host.url}#rules=pentago&m=e2/3-,e3/1%2B,b5/2-,d3/1%2B,f3/3%2B,d1/4%2B`, CALM);
      await page.locator("#win-this").click();
      await move(page, "f6/3+");
      await verdict(page, "not known whether f6/3+ keeps it");
      await played(page, 2);
      // If a position proves lost, the page returns to the last position that is known to be won.
      await page.evaluate(async () => {
        const [{ engine }, { ask }] = await Promise.all(["engine", "moves"].map((name) => import(new URL(`js/${name}.js`, location.href))));
        const { values } = engine;
        engine.values = async (rules, position, ...more) => {
          const { moves } = engine.look(rules, position);
          return engine.seen(rules, position)?.value === "win" ? values.call(engine, rules, position, ...more) : { value: "loss", moves: moves.map((move) => ({ ...move, value: "loss" })) };
        };
        ask();
      });
      await verdict(page, "f6/3+ lets it go");
      await played(page, 0);
      const mistake = await open(`${host.url}#rules=pentago&m=a3/3-,b3/1%2B,f1/2-,c4/1%2B,f3/3%2B,a5/3-,d2/3-&at=6&task=mistake`, CALM);
      await mistake.locator("#again").waitFor();
      await move(mistake, "b5/1-");
      await verdict(mistake, "not known whether b5/1- keeps it");
      // The answer to a question belongs to its task: who leaves the task doesn't see it.
      await mistake.locator("#again").click();
      await mistake.evaluate(async () => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        const { values } = engine;
        window.free = new Promise((resolve) => { window.go = resolve; });
        engine.values = async (...asked) => { await window.free; return values.apply(engine, asked); };
      });
      await mistake.locator("#solution").click();
      await headline(mistake, "Thinking");
      await mistake.locator("#tab-analyse").click();
      await mistake.evaluate(() => window.go());
      await mistake.waitForFunction(() => !document.querySelector("#value").textContent.startsWith("Thinking"));
      await mistake.waitForTimeout(500);
      assert.equal(await mistake.locator("#verdict").textContent(), "");
    },
  },
  {
    name: "the end says who has won, and offers review, rematch, the next level, and one's own mistakes",
    async run({ open, host, assert }) {
      const page = await wonGame(open, host);
      await page.reload();
      await headline(page, "You won");
      for (const id of ["review", "rematch", "next-level"]) assert.ok(await page.locator(`#${id}`).isVisible(), id);
      await page.locator("#next-level").click();
      await headline(page, "Your move");
      assert.equal(await page.locator("#strength").inputValue(), "2");
      const other = await open(`${host.url}${link(LATE)}&m=a6/1-`, CALM);
      await other.locator("#learn:enabled").waitFor();
      const lessons = (you) => other.evaluate(async (you) => {
        const [{ page }, { lessons }] = await Promise.all(["page", "show"].map((name) => import(new URL(`js/${name}.js`, location.href))));
        page.rematch = { game: page.game, you };
        return lessons().length;
      }, you);
      assert.deepEqual([await lessons("o"), await lessons("x")], [1, 0]);
    },
  },
  {
    name: "after a game the list of seats is for the next game, and the solver's marbles are its own",
    async run({ open, host, assert }) {
      const page = await wonGame(open, host);
      await page.locator("#tab-play").click();
      assert.equal(await page.locator("#you").inputValue(), "x");
      // The chosen seat is kept while the reader steps through the ended game.
      await page.selectOption("#you", "o");
      await page.locator("#first").click();
      await page.locator("#last").click();
      await page.locator("#begin").click();
      await headline(page, "Your move");
      assert.deepEqual([await page.locator("#you").inputValue(), (await moves(page)).length], ["o", 1]);
      await page.locator("#board .socket:not(.filled)").first().click();
      await page.locator("#board .chip.open").first().click();
      await played(page, 3);
      await headline(page, "Your move");
      await page.locator("#first").click();
      await page.locator("#board .socket:not(.filled)").first().click({ force: true });
      assert.deepEqual([await page.locator("#board .placed").count(), (await moves(page)).length], [0, 3]);
      // A reader who changes sides at an earlier position goes on in a copy of the game.
      await page.selectOption("#you", "x");
      await page.selectOption("#you", "o");
      await played(page, 1);
      await page.goBack();
      await played(page, 3);
      // Another position of an ended game is analysed without the solver as opponent.
      const other = await wonGame(open, host);
      await other.locator("#first").click();
      await move(other, "a5/1+");
      await played(other, 1);
      assert.equal(await other.locator("#you").inputValue(), "");
    },
  },
  {
    name: "what belongs to a task, a set-up or a hint stays with it, also after a reload",
    async run({ open, host, assert }) {
      // The verdict on a move does not stay after the move is taken back.
      const page = await open(`${host.url}${link(LATE)}&task=puzzle`, CALM);
      await move(page, "b1/3+");
      await page.locator("#verdict", { hasText: "Right" }).waitFor();
      await played(page, 2);
      await page.locator("#solution:enabled").click();
      await page.locator("#verdict", { hasText: "Try " }).waitFor();
      await page.locator("#undo").click();
      assert.equal(await page.locator("#verdict").innerText(), "");
      // A solved puzzle has its review after a reload.
      await page.goto(`${host.url}${link("OO1OO1/6/6/6/6/XXXX2 x")}&m=e1&task=puzzle`);
      await page.reload();
      await page.waitForFunction(() => document.querySelectorAll("#chart-game .point.win").length === 2);
      // The mistakes that are left are known after a reload.
      const game = await open(`${host.url}${link(LATE)}&m=a6/1-`, CALM);
      await game.locator("#learn:enabled").waitFor();
      await game.locator("#learn").click();
      await headline(game, "Here a6/1- gave value away");
      await game.evaluate(() => history.replaceState({ ...history.state, later: [0] }, ""));
      await game.reload();
      await headline(game, "Here a6/1- gave value away");
      await move(game, "b1/3+");
      await game.locator("#verdict", { hasText: /keeps it\.$/ }).waitFor();
      // A position that is set up and analysed shows its values, also after a game with the solver.
      const analysed = await open(host.url, CALM);
      await analysed.selectOption("#home-you", "o");
      await analysed.locator("#begin-play").click();
      await headline(analysed, "Your move");
      await analysed.locator("#tab-setup").click();
      await analysed.locator("#clear").click();
      await analysed.locator("#tab-analyse").click();
      await headline(analysed, "wins");
      assert.deepEqual(await moves(analysed), []);
      // A set-up is left only after a question.
      const own = await open(`${host.url}${link(LATE)}`, CALM);
      await own.locator("#tab-setup").click();
      await socket(own, "b1").click();
      own.removeAllListeners("dialog");
      let asked = 0;
      own.on("dialog", (dialog) => { asked += 1; return dialog.dismiss(); });
      for (const id of ["new", "home-link"]) await own.locator(`#${id}`).click();
      assert.equal(asked, 2);
      assert.ok(await own.locator("#board .filled[aria-label^='b1,']").count());
      // The text field, the link and the language follow the set-up.
      const set = await open(`${host.url}#rules=pentago`, CALM);
      await set.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
      await set.locator("#tab-setup").click();
      await socket(set, "b5").click();
      const field = () => set.locator("#text").inputValue();
      await set.selectOption("#format", "compact");
      assert.equal(await field(), `${".".repeat(7)}X${".".repeat(28)} o`);
      await set.selectOption("#format", "rows");
      await set.selectOption("#language", "de");
      assert.equal(await field(), "6/1X4/6/6/6/6 o");
      await set.locator("#link").click();
      assert.match(await set.evaluate(() => window.copied), /#rules=pentago&p=6\/1X4\/6\/6\/6\/6_o$/);
      await set.selectOption("#side", "x");
      await set.locator("#tab-play").click();
      await set.locator("#tab-setup").click();
      assert.equal(await field(), "6/1X4/6/6/6/6 x");
      await set.locator("#text").fill("typed");
      await set.locator("#tab-play").click();
      await set.locator("#tab-setup").click();
      assert.equal(await field(), "typed");
      // A search without a puzzle asks again for the values that it has interrupted.
      const none = await open(`${host.url}#rules=mini`, CALM);
      await none.evaluate(async () => {
        const { engine } = await import(new URL("js/engine.js", location.href));
        const { fromWorker } = engine;
        engine.fromWorker = (texts, ...rest) => (texts[0] === "random" ? Promise.resolve({ error: "none" }) : fromWorker.call(engine, texts, ...rest));
      });
      await none.locator("#tab-puzzle").click();
      await none.locator("#new-puzzle").click();
      await none.locator("#verdict", { hasText: "No puzzle was found" }).waitFor();
      await headline(none, /wins|Draw/);
      // A puzzle of a small board has the length of its level.
      const small = await open(`${host.url}#rules=mini`, CALM);
      await small.locator("#tab-puzzle").click();
      await small.locator("#new-puzzle").click();
      await small.waitForURL(/task=puzzle$/);
      const position = await small.evaluate(async () => (await import(new URL("js/page.js", location.href))).page.game.node.position);
      const distance = await small.evaluate(async (position) => (await import(new URL("js/engine.js", location.href))).engine.core.ask("values", "mini", position, "1", "5").distance, position);
      assert.equal(distance, 3, position);
      // A daily puzzle that is solved again adds nothing to the streak.
      const daily = await small.evaluate(async () => {
        const [{ page, $ }, { task, verdict }, { Game }, { engine }] = await Promise.all(["page", "puzzle", "game", "engine"].map((name) => import(new URL(`js/${name}.js`, location.href))));
        for (let i = 0; i < 2; i++) {
          page.game = task("puzzle", new Game(engine, page.sheets.get("pentago"), "OO1OO1/6/6/6/6/XXXX2 x"), { daily: "today" });
          page.game.play("e1");
          await verdict(true);
        }
        return $("streak").textContent;
      });
      assert.match(daily, /: 1\./);
      // A marble that is placed while a hint is computed stays.
      const hinted = await open(`${host.url}${link(NINE)}`, CALM);
      await hinted.locator("#show").uncheck();
      await hinted.locator("#hint").click();
      await socket(hinted, "a1").click();
      await hinted.waitForTimeout(3000);
      await headline(hinted, "Now turn a quadrant");
    },
  },
  {
    name: "the end by captures, the rules of a link, and the chances of more than two seats are said",
    async run({ open, host, assert }) {
      const rules = "pente:n=7,opening=free,win=2";
      const page = await open(`${host.url}#rules=${rules}&m=B1,A1,C1,D1`, CALM);
      await headline(page, "White wins");
      assert.match(await page.locator("#detail").innerText(), /White captured 2$/);
      assert.equal(await page.locator("#rules").inputValue(), rules);
      // The list of rules also names rules that it doesn't offer.
      await page.locator("#tab-setup").click();
      await page.locator("#text").fill("c3v d4s e2t b5v");
      await page.locator("#load").click();
      await played(page, 4);
      assert.equal(await page.locator("#rules").inputValue(), "pentago:place=turn");
      const solved = await open(`${host.url}#rules=xl:seats=4&p=BDADBCCDB/1BCAADDCC/DBBCABCCA/ABCCDAADA/CDABCBCDC/CCBACBAD1/AABDDAACA/BDDBBAAB1/BDADDDC1B_b`, CALM);
      await headline(solved, "Draw");
      assert.match(await solved.locator("#detail").innerText(), /^A \(black\): Loss · B \(white\): Draw · C/);
      // A game for places goes on until one seat is left.
      const places = await open(`${host.url}#rules=xl:seats=3,continue=yes&p=AAAA5/9/BBBB5/9/CCCC5/9/9/9/9_a&m=e9`, CALM);
      await move(places, "e7");
      await headline(places, "A (black) wins");
      // A marble that the opponent may still place makes a draw.
      const reply = await open(`${host.url}#rules=pentago-cs&p=XXX3/3X2/6/6/6/OOOO2_x&m=d4/2+`, CALM);
      await headline(reply, "Draw");
      assert.equal(await reply.locator("#detail").innerText(), "The reply makes 5 in a row.");
      const encoded = await open(`${host.url}#${encodeURIComponent("rules=mini&m=a1/1+")}`, CALM);
      assert.deepEqual(await moves(encoded), ["a1/1+"]);
      const four = await open(`${host.url}#rules=xl:seats=4`, CALM);
      await headline(four, /^Chances of A \(black\): [1-3]\d%$/);
      assert.equal(await four.locator("#you option").first().innerText(), "all sides");
      const placed = await open(`${host.url}#rules=xl:seats=4,continue=yes&p=AAAAA1A2/BB1BB1B2/CCCCC4/DD1DD1D2/9/9/9/9/9_b_A=C`, CALM);
      await placed.locator("#to-move", { hasText: /^B \(white\) to move \u00b7 1\. A \(black\), 1\. C \(teal\)$/ }).waitFor();
      // A board on which the game is over is no beginning of a game under other rules.
      await page.selectOption("#rules", "pente");
      await page.waitForURL(/#rules=pente$/);
      const ended = await open(`${host.url}${link("OO1OO1/6/6/6/6/XXXX2 x")}&m=e1`, CALM);
      await ended.selectOption("#rules", "pentago-eu");
      await ended.waitForURL(/#rules=pentago-eu$/);
      assert.equal(await ended.locator("#board .filled").count(), 0);
      // The chart and the end of a game of teams are those of the first team.
      const teams = "B1DDCDABA/BDBABCA1A/DDCCBDABD/BBCBDDDAD/ABBDADA1A/BCDAABCCB/CA1ABCBAC/CBCDACACC/BDCCCDAD1_a";
      const two = await open(`${host.url}#rules=xl:seats=4,mode=2v2&p=${teams}&m=h5/6-,c3/6+,i1/6-`, CALM);
      await headline(two, /^A \(black\) and C \(teal\) win$/);
      await two.waitForFunction(() => document.querySelectorAll("#chart-game .point.win").length === 4);
      // The open sections of the tab "More" follow the position.
      const more = await open(`${host.url}#rules=pentago`, CALM);
      await more.locator("#tab-more").click();
      await more.locator("#openings summary").click();
      const listed = (least) => more.waitForFunction((n) => document.querySelectorAll("#openings-list .opening").length > n, least);
      await listed(5);
      await more.locator("#openings-list .opening").first().click();
      await listed(6);
      // A larger text of the browser enlarges buttons and lists, too.
      const sizes = () => more.evaluate(() => ["#new", "#rules", "#tab-more"].map((id) => parseFloat(getComputedStyle(document.querySelector(id)).fontSize)));
      const usual = await sizes();
      await more.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
      assert.deepEqual(await sizes(), usual.map((size) => 2 * size));
      // A bound on the end of the game never grows along the best moves.
      const bound = await open(`${host.url}${link("3OX1/4X1/2O3/2X3/1O1X2/3O2 x")}`, CALM);
      await bound.locator("#detail", { hasText: "Moves to the end" }).waitFor();
      const most = async () => Number(/(\d+)\.$/.exec(await bound.locator("#detail").innerText())[1]);
      const before = await most();
      await bound.locator("#best [data-move]").first().click();
      await played(bound, 1);
      await bound.locator("#detail", { hasText: "Moves to the end" }).waitFor();
      assert.ok(await most() < before, `${await most()} after ${before}`);
    },
  },
  {
    name: "after review, learn, rematch, load and a new puzzle, the page is at its top and the board has the focus",
    async run({ open, host, assert }) {
      for (const [width, height] of [[360, 740], [740, 360], [1280, 800]]) {
        const page = await open(`${host.url}${link("OO1OO1/6/6/6/6/XXXX2 x")}`, { ...CALM, viewport: { width, height } });
        await page.selectOption("#you", "x");
        await move(page, "e1");
        const atTop = async (id) => {
          await page.locator(`#${id}:enabled`).click();
          await page.waitForFunction(() => scrollY === 0 && document.activeElement.closest("#board"), null, { timeout: 5000 }).catch(() => assert.fail(`${id} at ${width}x${height}`));
        };
        await atTop("review");
        await page.locator("#last").click();
        await atTop("rematch");
        await page.locator("#tab-setup").click();
        await page.locator("#text").fill("OO1OO1/6/6/6/6/XXXX2 x\n");
        await atTop("load");
        await page.goto(`${host.url}${link(LATE)}&m=a6/1-`);
        await page.reload();
        await page.locator("#tab-analyse").click();
        await atTop("learn");
        await headline(page, "Here a6/1- gave value away");
        await move(page, "b1/3+");
        await page.locator("#verdict", { hasText: "That was the last known mistake" }).waitFor();
        await page.goto(`${host.url}${link(LATE)}&m=b1/3+,a6/1-,a5/1+,a4/1+,b4/1-&at=0`);
        await page.reload();
        assert.deepEqual(await page.evaluate(() => [document.querySelector("#moves").scrollTop, document.querySelector("#moves").scrollLeft]), [0, 0]);
      }
    },
  },
  {
    name: "Pente on a phone asks for the second tap, and a forbidden point moves nothing",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}#rules=pente`, { ...CALM, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
      await page.locator("#tab-play").click();
      await page.locator("#show").uncheck();
      const steady = async (name, text) => {
        const { y } = await page.locator("#board").boundingBox();
        await socket(page, name).tap({ force: true });
        await headline(page, text);
        assert.equal((await page.locator("#board").boundingBox()).y, y, name);
      };
      await steady("K10", "K10: once more to place");
      await socket(page, "K10").tap();
      await socket(page, "A1").tap();
      await socket(page, "A1").tap();
      await played(page, 2);
      await steady("K11", "K11 isn’t allowed in this opening");
      await steady("K14", "K14: once more to place");
      assert.ok(await page.locator("#notice").isHidden());
    },
  },
  {
    name: "two players see whose turn it is, and get a review and a rematch at the end",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}${link("OO1OO1/6/6/6/6/XXXX2 x")}`, CALM);
      await page.locator("#tab-play").click();
      await page.locator("#show").uncheck();
      await headline(page, "Black to move");
      await move(page, "e1");
      await headline(page, "Black wins");
      for (const [id, shown] of [["review", true], ["rematch", true], ["next-level", false]]) assert.equal(await page.locator(`#${id}`).isVisible(), shown, id);
      await page.locator("#rematch").click();
      await headline(page, "Black to move");
    },
  },
  {
    name: "a new game in mid-puzzle asks first and hides values, and an impossible set-up is explained in every language",
    async run({ open, host, assert }) {
      const page = await open(`${host.url}${link(LATE)}&task=puzzle`, CALM);
      // With a font of 200%, the tabs wrap.
      await page.setViewportSize({ width: 360, height: 740 });
      await page.evaluate(() => { document.documentElement.style.fontSize = "200%"; });
      assert.ok(await page.evaluate(() => document.querySelector("#tabs").scrollWidth <= document.querySelector("#tabs").clientWidth));
      await page.evaluate(() => { document.documentElement.style.fontSize = ""; });
      assert.equal(await page.locator("label[for=level]").innerText(), "Level of new puzzles");
      await move(page, "b1/3+");
      await played(page, 2);
      page.removeAllListeners("dialog");
      let agree = false;
      page.on("dialog", (dialog) => (agree ? dialog.accept() : dialog.dismiss()));
      await page.locator("#new").click();
      assert.equal((await moves(page)).length, 2);
      // So does a tab, even before the first move, and the solution stays hidden.
      await page.locator("#again").click();
      for (const name of ["play", "analyse"]) await page.locator(`#tab-${name}`).click();
      await page.locator("#tab-puzzle").press("ArrowRight");
      assert.match(page.url(), /task=puzzle$/);
      assert.equal(await page.locator("#board .win, #best .move").count(), 0);
      assert.ok(await page.locator("#puzzle").isVisible());
      await move(page, "b1/3+");
      await played(page, 2);
      agree = true;
      await page.locator("#new").click();
      await headline(page, "Your move");
      assert.equal(await page.locator("#show").isChecked(), false);
      // A move that is being played comes first: it solves the puzzle, so nothing is asked.
      const quick = await open(`${host.url}${link("6/XXX1X1/6/4O1/1O1O2/2O3 x")}&task=puzzle`);
      quick.removeAllListeners("dialog");
      const asked = [];
      quick.on("dialog", (dialog) => { asked.push(dialog.message()); return dialog.dismiss(); });
      await move(quick, "e6/2-");
      await quick.evaluate(() => document.querySelector("#new-puzzle").click());
      await quick.waitForFunction(() => document.querySelectorAll("#moves button").length === 0 && document.querySelector("#streak").textContent.includes("1"));
      assert.deepEqual(asked, []);
      for (const [locale, text] of [["en", "Black 3, White 0"], ["de", "Schwarz 3, Weiß 0"], ["fr", "Noir 3, Blanc 0"], ["es", "Negro 3, Blanco 0"]]) {
        const other = await open(`${host.url}#rules=pentago`, { ...CALM, locale });
        await other.locator("#tab-setup").click();
        for (const place of ["a1", "b1", "a2"]) await socket(other, place).click();
        assert.ok((await other.locator("#error").innerText()).includes(`(${text})`), locale);
      }
    },
  },
  {
    name: "values are said in moves and chances, in all languages, with figures on request",
    async run({ open, host, assert }) {
      for (const [locale, win] of [["en", "White wins in 4 moves"], ["de", "Weiß gewinnt in 4 Zügen"], ["fr", "Blanc gagne en 4 coups"], ["es", "Blanco gana en 4 jugadas"]]) {
        const page = await open(host.url + link(LATE), { ...CALM, locale });
        await headline(page, win);
        assert.deepEqual(await page.locator("#board .number").allTextContents(), ["1", "2", "3", "4"]);
        await page.evaluate((hash) => { location.hash = hash; }, link(NINE));
        await headline(page, /\d\s?%$/);
        assert.ok(await page.locator("#signs").isVisible(), "the signs are explained");
        assert.ok(!/\d/.test(await page.locator("#detail").innerText()));
        await page.locator("#figures summary").click();
        assert.match(await page.locator("#figures-text").innerText(), /\d.*\d/);
      }
    },
  },
  {
    name: "every text and mark of the board has contrast, and every target has 24 pixels",
    async run({ open, host, assert }) {
      for (const [colorScheme, hash] of ["light", "dark"].flatMap((scheme) => [link(LATE), link(NINE), "#rules=xl", "#rules=pente"].map((hash) => [scheme, hash]))) {
        const page = await open(host.url + hash, { ...CALM, colorScheme, viewport: { width: 360, height: 740 } });
        const poor = () => page.evaluate(() => {
          const all = (selector) => [...document.querySelectorAll(`#board ${selector}`)].filter((one) => getComputedStyle(one).visibility !== "hidden" && getComputedStyle(one).display !== "none");
          const part = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
          const light = (color) => color.match(/[\d.]+/g).slice(0, 3).reduce((sum, value, i) => sum + [0.2126, 0.7152, 0.0722][i] * part(value / 255), 0.05);
          const fill = (element) => getComputedStyle(element).fill;
          const [plate, frame, outside] = [fill(all(":is(.plate, .points .frame)")[0] ?? all(".frame")[0]), fill(all(".frame")[0]), getComputedStyle(document.body).backgroundColor];
          const own = (element, shape, other) => (/^rgb\(/.test(fill(element.parentNode.querySelector(shape))) ? fill(element.parentNode.querySelector(shape)) : other);
          const pairs = [
            ...all(".socket:not(.filled) .sign:not(:empty)").map((one) => [one, fill(one), own(one, ".hole", plate), 4.5]),
            ...all(".open .sign").map((one) => [one, fill(one), own(one, ".body", outside), 4.5]),
            ...all(".labels text").map((one) => [one, fill(one), one.matches(".number") ? outside : frame, 4.5]),
            ...all(":is(.plate ~ .socket:not(.filled) .hole, .grid)").map((one) => [one, getComputedStyle(one).stroke, plate, 3]),
          ];
          const faint = (one) => one.closest("svg") && (Number(getComputedStyle(one).opacity) < 1 || faint(one.parentNode));
          return pairs.filter(([one, a, b, least]) => faint(one) || Math.max(light(a), light(b)) / Math.min(light(a), light(b)) < least).map(([one, ...rest]) => [one.parentNode.getAttribute("class"), ...rest].join(" "));
        });
        await page.locator("#board .best").first().waitFor();
        assert.deepEqual(await poor(), [], `${colorScheme} ${hash}`);
        if (!hash.includes("pente")) await page.locator("#board .socket:not(.filled)").first().click();
        assert.deepEqual(await poor(), [], `${colorScheme} ${hash}, turns`);
        const small = await page.evaluate(() => [...document.querySelectorAll("#board .chip.open, button, select, input")].map((one) => one.getBoundingClientRect()).filter(({ width, height }) => width > 0 && Math.min(width, height) < 24).length);
        assert.equal(small, 0);
      }
    },
  },
  {
    name: "the page's own rules of Pentago are the module's",
    async run({ folder, assert }) {
      const module = await core(folder);
      const { SHEET, look } = await import(`${folder}/js/rules.js`);
      assert.deepEqual(module.ask("board", "pentago"), SHEET);
      for (let seed = 1; seed <= 40; seed++) {
        for (const marbles of [seed % 12, 24 + (seed % 12)]) {
          const { position } = module.ask("random", "pentago", String(marbles), String(seed));
          const { to_move, over, moves } = module.ask("look", "pentago", position);
          const own = look(position);
          const sorted = (moves) => moves.toSorted((a, b) => a.move.localeCompare(b.move));
          assert.deepEqual([own.to_move, own.over, sorted(own.moves)], [to_move, over, sorted(moves)], position);
        }
      }
    },
  },
  {
    name: "two players begin before the module is loaded, and a host without compression sends a compressed module",
    async run({ open, folder, assert }) {
      const asked = [];
      let release;
      const released = new Promise((resolve) => { release = resolve; });
      const module = gzipSync(await readFile(join(folder, "pentago.wasm")));
      const host = await staticHost(folder, { asked, instead: { "pentago.wasm.gz": module }, async spoil(sent) {
        if (sent.name === "pentago.wasm.gz") await released;
        return sent;
      } });
      const context = { ...CALM, waitFor: "html[data-live]" };
      const page = await open(host.url, context);
      assert.match(await page.locator("#welcome").innerText(), /Five marbles/);
      await page.selectOption("#home-you", "");
      await page.locator("#begin-play").click();
      for (const count of [1, 2]) {
        await page.locator("#board .socket:not(.filled)").first().click();
        await page.locator("#board .chip.open").first().click();
        await played(page, count);
      }
      // A text waits for the module, and impossible marbles are refused without it.
      await page.locator("#tab-setup").click();
      await page.locator("#board .socket:not(.filled)").first().click();
      await page.locator("#board .socket:not(.filled)").first().click();
      await headline(page, "Not a possible position");
      await page.locator("#text").fill("OO1OO1/6/6/6/6/XXXX2 x");
      await page.locator("#load").click();
      assert.ok(!await page.locator("html[data-ready]").count());
      release();
      await page.locator("#board .filled[aria-label^='a1,']").waitFor();
      await page.waitForSelector("html[data-ready]");
      assert.ok(await page.locator("#rules option").count() > 5);
      await page.locator("#show").check();
      await headline(page, /wins|Draw/);
      assert.ok(asked.includes("pentago.wasm.gz"));
      // Without scripts, the page still shows the board and the welcome text.
      const still = await open(host.url, { ...CALM, javaScriptEnabled: false, waitFor: "#welcome" });
      assert.equal(await still.locator("#board :is(.plate, use)").count(), 4);
      await host.close();
    },
  },
];
