// The page: what the reader does with it.

import { engine } from "./engine.js";
import { Game, fromAddress, nameOf, parts } from "./game.js";
import { analyse, showTables } from "./charts.js";
import { compare, listSheets } from "./compare.js";
import { ask, go, openGame, play } from "./moves.js";
import { $, page, seatName, sheetOf, titleOf } from "./page.js";
import { leavePuzzle, newPuzzle, showSolution } from "./puzzle.js";
import { beginSetup, copy, endSetup, loadText, setMarble, tryPosition } from "./setup.js";
import { boardView, show, textIn } from "./show.js";
import { announce } from "./status.js";
import { LANGUAGES, language, number, recall, remember, say, speak } from "./words.js";

const LEVELS = [["easy", 28], ["medium", 25], ["hard", 22]];

function chooseSocket(index) {
  if (page.busy) return;
  const { node, sheet } = page.game;
  if (page.setup) return setMarble(index);
  if (node.over || page.placed === "") return undefined;
  const name = nameOf(index, sheet.board);
  const options = node.moves.filter(({ move }) => parts(move).place === name);
  if (page.placed === name || options.length === 0) {
    page.placed = undefined;
    return show();
  }
  if (options.length === 1 && parts(options[0].move).quadrant === undefined) return play(options[0].move);
  page.placed = name;
  show();
  announce(say("choose_turn", { socket: name }));
  return undefined;
}

function chooseTurn(quadrant, clockwise) {
  if (page.placed === undefined) return undefined;
  const text = `${page.placed}/${quadrant + 1}${clockwise ? "+" : "-"}`;
  return page.game.node.moves.some(({ move }) => move === text) ? play(text) : undefined;
}

const cancel = () => {
  if (page.placed && !page.busy) {
    page.placed = undefined;
    show();
    boardView.focusSocket();
  }
};

/** The keys, where nothing is being typed. */
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, [role=tab]")) return;
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];
  if (digit !== undefined && page.placed !== undefined) {
    if (digit === "0") {
      if (!$("decline").hidden) play(`${page.placed}/0`);
    } else chooseTurn(Number(digit) - 1, !event.shiftKey);
    event.preventDefault();
    return;
  }
  const { game } = page;
  const action = {
    Escape: cancel,
    u: () => go(game.at - 1),
    r: () => go(game.at + 1),
    h: hint,
    n: newGame,
    b: () => boardView.focusSocket(),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) {
    action();
    event.preventDefault();
  }
}

function hint() {
  if ($("hint").disabled) return;
  page.hinted = true;
  ask();
}

function newGame() {
  leavePuzzle();
  openGame(new Game(engine, page.game.sheet));
}

function selectTab(name, focus = false) {
  for (const tab of $("tabs").children) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !chosen;
    if (chosen && focus) tab.focus();
  }
  if (name === "setup" && !page.setup) beginSetup();
  else if (name !== "setup" && page.setup) endSetup();
  if (name === "compare") listSheets();
  if (name === "charts") showTables();
  if (name !== "puzzle" && page.puzzle) {
    leavePuzzle();
    ask();
  }
}

function tabKey(event) {
  const tabs = [...$("tabs").children];
  const at = tabs.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  selectTab(tabs[(to + tabs.length) % tabs.length].id.slice(4), true);
  event.preventDefault();
}

function fillChoices() {
  const { game } = page;
  const option = (value, text) => new Option(text, value);
  const chosen = (select, options) => {
    const { value } = select;
    select.replaceChildren(...options);
    if ([...select.options].some((o) => o.value === value)) select.value = value;
  };
  const presets = [...page.sheets.values()].filter((sheet) => sheet.title || sheet === game?.sheet);
  chosen($("rules"), presets.map((sheet) => option(sheet.name, titleOf(sheet))));
  chosen($("language"), Object.entries(LANGUAGES).map(([tag, name]) => option(tag, name)));
  $("language").value = language;
  const seats = game?.sheet.board.seats ?? ["x", "o"];
  chosen($("opponent"), [option("", say("nobody")), ...seats.map((seat) => option(seat, seatName(seat)))]);
  chosen($("level"), LEVELS.map(([name, marbles]) => option(marbles, say(`level.${name}`))));
  chosen($("format"), ["rows", "compact", "diagram", "number", "game"].map((name) => option(name, say(`format.${name}`))));
  $("text").setAttribute("aria-label", say("text"));
  $("moves").setAttribute("aria-label", say("moves"));
  $("tabs").setAttribute("aria-label", say("panels"));
  for (const id of ["first", "undo", "redo", "last", "theme"]) $(id).title = say(id);
  const keys = ["arrows", "enter", "digits", "shift_digits", "zero", "escape", "u", "r", "h", "n", "b"];
  $("key-list").replaceChildren(...keys.flatMap((name) => [
    Object.assign(document.createElement("dt"), { textContent: say(`key.${name}`) }),
    Object.assign(document.createElement("dd"), { textContent: say(`key.${name}.does`) }),
  ]));
}

function loadAddress() {
  try {
    const game = fromAddress(engine, location.hash, sheetOf);
    if (game.nodes[0].position !== page.puzzle?.position) leavePuzzle();
    openGame(game, false);
  } catch (error) {
    $("error").textContent = error.message;
    openGame(new Game(engine, sheetOf("pentago")), false);
    selectTab("setup");
    $("error").textContent = error.message;
  }
  fillChoices();
}

function listen() {
  boardView.on = { socket: chooseSocket, turn: chooseTurn };
  const click = (id, action) => $(id).addEventListener("click", action);
  click("first", () => go(0));
  click("undo", () => go(page.game.at - 1));
  click("redo", () => go(page.game.at + 1));
  click("last", () => go(page.game.moves.length));
  click("decline", () => play(`${page.placed}/0`));
  click("hint", hint);
  click("new", newGame);
  click("clear", () => { page.setup.grid.fill(""); $("side").value = page.game.sheet.board.seats[0]; tryPosition(); });
  click("load", () => { if (loadText()) selectTab("play"); });
  click("copy", (event) => copy($("text").value, event.currentTarget));
  click("link", (event) => copy(location.href, event.currentTarget));
  click("new-puzzle", async () => {
    const game = await newPuzzle();
    if (!game) return;
    await openGame(game);
    boardView.focusSocket();
  });
  click("solution", () => {
    showSolution();
    ask();
  });
  click("compare-now", compare);
  click("analyse", analyse);
  click("theme", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember("theme", root.dataset.theme);
  });
  // What is made anew with every position is listened to from outside.
  const within = (id, choice, action) => $(id).addEventListener("click", (event) => {
    const chosen = event.target.closest(choice);
    if (chosen) action(chosen);
  });
  within("best", "button", (button) => play(button.textContent));
  within("moves", "button", (button) => go(Number(button.dataset.at)));
  within("chart-game", "[data-at]", (point) => go(Number(point.dataset.at)));
  const change = (id, action) => $(id).addEventListener("change", action);
  change("rules", () => {
    page.puzzle = null;
    const sheet = sheetOf($("rules").value);
    const same = engine.look(sheet.name, page.game.node.position);
    const fits = !same.error && sheet.board.game === page.game.sheet.board.game && sheet.board.rows === page.game.sheet.board.rows;
    openGame(new Game(engine, sheet, fits ? page.game.node.position : sheet.start));
    fillChoices();
  });
  change("language", async () => {
    await speak($("language").value);
    remember("language", language);
    fillChoices();
    boardView.board = null;
    show();
  });
  change("opponent", () => ask());
  change("show", () => ask());
  change("distances", () => ask());
  change("side", () => tryPosition());
  change("format", () => { $("text").value = textIn($("format").value); });
  $("mistakes").addEventListener("input", () => { $("mistakes-value").textContent = number(Number($("mistakes").value) / 100, { style: "percent" }); });
  $("tabs").addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) selectTab(tab.id.slice(4));
  });
  $("tabs").addEventListener("keydown", tabKey);
  document.addEventListener("keydown", key);
  addEventListener("popstate", loadAddress);
}

async function start() {
  await Promise.all([engine.start(), speak()]);
  for (const sheet of engine.presets()) page.sheets.set(sheet.name, sheet);
  $("mistakes-value").textContent = number(0, { style: "percent" });
  if (recall("language") === null) remember("language", language);
  fillChoices();
  listen();
  loadAddress();
  document.documentElement.dataset.ready = "true";
  navigator.serviceWorker?.register("sw.js").catch(() => {
    // Without it the page works, but not offline: over plain http, for one.
  });
}

start().catch((error) => {
  $("to-move").textContent = say("no_answer");
  $("detail").textContent = String(error);
});
