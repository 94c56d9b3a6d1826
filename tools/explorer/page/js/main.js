// The reader's input: buttons, keys, tabs and the address.

import { engine } from "./engine.js";
import { Game, cells, fromAddress, nameOf, parts } from "./game.js";
import { chosenPoint, showTables } from "./charts.js";
import { goHome } from "./home.js";
import { ask, begin, endSetup, fillSeats, go, hint, openGame, play, replay, settled, step } from "./moves.js";
import { $, isOthers, isSetUp, make, mySeat, notice, page, seatName, sheetOf, titleOf, valueText, valuesShown } from "./page.js";
import { levels as strengths } from "./play.js";
import { dailyPuzzle, leavePuzzle, levels, newPuzzle, showStreak, task } from "./puzzle.js";
import { beginSetup, copy, loadText, setMarble, tryPosition } from "./setup.js";
import { boardView, indicate, lessons, show, shownGame, textIn } from "./show.js";
import { announce } from "./status.js";
import { LANGUAGES, has, language, recall, remember, say, speak } from "./words.js";

/** `true` if another page frames this one, which then shows only the board and its value. */
const embedded = new URLSearchParams(location.search).has("embed");
/** Returns a function that loads a file after the first screen, and calls its export `name`. */
const lazily = (file, name) => async () => (await import(`./${file}.js`))[name]();
const [compare, listSheets] = ["compare", "listSheets"].map((name) => lazily("compare", name));
const [showFair, showOpenings] = ["showFair", "showOpenings"].map((name) => lazily("openings", name));
const [savePicture, saveText] = ["savePicture", "saveText"].map((name) => lazily("save", name));
/** The time in milliseconds before the next mistake is shown, after one was corrected. */
const SHOWN = 2500;

function chooseSocket(index) {
  if (page.home) return beginPlay("home-");
  if (page.busy || page.thinking || page.replaying) return undefined;
  const { node, sheet } = page.game;
  if (page.setup) return setMarble(index);
  if (node.over || page.placed === "" || isOthers()) return undefined;
  const name = nameOf(index, sheet.board);
  const options = node.moves.filter(({ move }) => parts(move).place === name);
  const only = options.length === 1 && parts(options[0].move).quadrant === undefined ? options[0].move : null;
  // If the sockets are too small for a finger, only a second tap on the socket plays the move.
  if (only && (page.placed === name || !boardView.small)) return play(only);
  page.hint = null;
  page.refused = options.length || cells(node.position)[index] ? undefined : name;
  if (page.placed === name || options.length === 0) {
    page.placed = undefined;
    show();
    return page.refused && announce(say("forbidden", { socket: name }));
  }
  page.placed = name;
  show();
  return announce(say(only ? "tap_again" : "choose_turn", { socket: name }));
}

function chooseTurn(quadrant, clockwise) {
  if (page.placed === undefined || page.busy) return undefined;
  const text = `${page.placed}/${quadrant + 1}${clockwise ? "+" : "-"}`;
  return page.game.node.moves.some(({ move }) => move === text) ? play(text) : undefined;
}

/** Handles keyboard shortcuts, unless the reader types into a field. */
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, [role=tab]")) return;
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];
  if (digit !== undefined && page.placed !== undefined) {
    if (digit > 0) chooseTurn(digit - 1, !event.shiftKey);
    else if (!$("decline").hidden) play(`${page.placed}/0`);
    event.preventDefault();
    return;
  }
  const action = {
    Escape: () => { if (!page.placed || page.busy) return; page.placed = undefined; show(); boardView.focusSocket(); },
    u: () => step(-1),
    r: () => step(1),
    h: hint,
    n: () => leave(newGame),
    b: () => boardView.focusSocket(),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  action();
  event.preventDefault();
}

/** Calls `action` if no unfinished game or set-up would be lost, or if the reader agrees. */
async function leave(action) {
  await settled();
  const game = page.replaying ?? page.game;
  const kept = page.puzzle?.back || page.puzzle?.done || !game.moves.length || game.nodes.at(-1).over;
  if (page.home || (kept && !isSetUp()) || confirm(say("leave"))) action();
}

/**
 * Starts a new game under the same rules. After a finished game, starts a rematch. After a puzzle,
 * starts the game of the first screen.
 */
function newGame() {
  const { game, rematch, puzzle } = page;
  leavePuzzle();
  if (puzzle) return beginPlay("home-");
  if (rematch?.game === game) {
    page.rematch = null;
    $("show").checked = false;
    selectTab("play");
  }
  openGame(new Game(engine, game.sheet));
  return toTop();
}

/** Starts a game. `from` is the prefix of the form's fields, or "" for the tab "Play". */
function beginPlay(from = "") {
  if (from) {
    // The list of the first screen ends with the choice of no seat. The list of the game begins
    // with this choice.
    $("you").selectedIndex = ($("home-you").selectedIndex + 1) % 3;
    $("strength").value = $("home-level").value;
    keepStrength();
  }
  $("show").checked = false;
  selectTab("play");
  newGame();
}

/** Opens a game without an opponent, and shows its values. */
function analyse(game) {
  leavePuzzle();
  $("you").value = "";
  $("show").checked = true;
  selectTab("analyse");
  openGame(game);
}

function keepStrength() {
  const level = $("strength").value;
  $("home-level").value = level;
  $("strength-said").textContent = say(`strength.${level}.does`);
  remember("strength", level);
}

/**
 * Opens a puzzle or another task. `entry` says how the task enters the history: `push` adds an
 * entry, and `replace` replaces the current one.
 */
function openTask(game, entry = "push") {
  if (!game) return;
  selectTab("puzzle");
  openGame(game, entry);
  toTop();
}

/** Scrolls to the board and its verdict, and moves the focus to the board. */
function toTop() {
  scrollTo(0, 0);
  boardView.focusSocket(undefined, { preventScroll: true });
}

/** Searches a puzzle, and opens it unless the reader has cancelled the search. */
const choosePuzzle = (find) => leave(async () => {
  if (page.replaying) replay();
  const signal = begin("a puzzle");
  const game = await find(signal);
  openTask(game);
  // The search has ended the request for the shown position.
  if (!game && !signal.aborted) ask();
});

/** Opens the position before a mistake as a task, and then those before the `later` mistakes. */
function openMistake(game, at, later = [], entry = "replace") {
  const before = new Game(engine, game.sheet, game.nodes[0].position, game.moves.slice(0, at));
  const next = () => setTimeout(() => {
    if (page.game !== before || !page.puzzle) return;
    if (later.length) openMistake(game, later[0], later.slice(1));
    else selectTab("analyse");
  }, SHOWN);
  openTask(task("mistake", before, { at, later, played: game.moves[at], back: game, next }), entry);
}

/** Opens the lessons of the game as tasks, one after the other. */
function learn() {
  const [first, ...later] = lessons();
  if (first !== undefined) openMistake(page.game, first, later, "push");
}

function selectTab(name, focus = false) {
  notice();
  for (const tab of $("tabs").children) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !chosen;
    if (chosen && focus) tab.focus();
  }
  if (name === "setup" && !page.setup) beginSetup();
  else if (name !== "setup" && page.setup) endSetup(name === "analyse");
  if (name === "more") fillMore();
  if (name === "puzzle") showStreak();
  if (name !== "puzzle" && page.puzzle) {
    const { back } = page.puzzle;
    leavePuzzle();
    openGame(back ?? page.game, "replace");
  } else if (name === "analyse" && page.game) show();
}

/** Fills the open sections of the tab "more", which depend on the shown position. */
function fillMore() {
  listSheets();
  if ($("openings").open) showOpenings();
  if ($("charts").open) showTables();
  if ($("fair").open) showFair();
}

/** Chooses a tab for the reader. Asks first if the tab would end an unfinished task. */
async function chooseTab(name, focus) {
  await settled();
  const { puzzle } = page;
  if (name === "puzzle" || !puzzle || puzzle.done || puzzle.back || confirm(say("leave"))) selectTab(name, focus);
}

function tabKey(event) {
  const tabs = [...$("tabs").children];
  const at = tabs.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  chooseTab(tabs[(to + tabs.length) % tabs.length].id.slice(4), true);
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
  if (game) $("rules").value = game.rules;
  chosen($("language"), Object.entries(LANGUAGES).map(([tag, name]) => option(tag, name)));
  $("language").value = language;
  fillSeats(game?.sheet.board.seats ?? ["x", "o"]);
  chosen($("home-you"), [...["x", "o"].map((seat) => option(seat, seatName(seat))), option("", say("all_sides"))]);
  for (const id of ["strength", "home-level"]) chosen($(id), strengths.map((n) => option(n, `${n} ${say(`strength.${n}`)}`)));
  $("strength-said").textContent = say(`strength.${$("strength").value}.does`);
  chosen($("level"), levels.map((name) => option(name, say(`level.${name}`))));
  chosen($("format"), ["rows", "compact", "diagram", "number", "game"].map((name) => option(name, say(`format.${name}`))));
  const labels = { text: "text", moves: "moves", tabs: "panels", palette: "setup_help" };
  for (const [id, word] of Object.entries(labels)) $(id).setAttribute("aria-label", say(word));
  for (const id of ["first", "undo", "redo", "last", "theme"]) $(id).title = say(id);
  const keys = { notation: "d6/3-", arrows: "", enter: "", digits: "1 2 3 4 …", zero: "0", escape: "", undo: "U", redo: "R", hint: "H", new_game: "N", b: "B" };
  const does = (name) => (has(`key.${name}.does`) ? say(`key.${name}.does`) : say(name));
  $("key-list").replaceChildren(...Object.entries(keys).flatMap(([name, key]) => [make("dt", {}, key || say(`key.${name}`)), make("dd", {}, does(name))]));
  showStreak();
}

async function loadAddress() {
  notice();
  if (location.hash.length < 2 && !embedded) {
    leavePuzzle();
    goHome();
    fillChoices();
    return;
  }
  const { state } = history;
  let game, kind, wrong, unread;
  try {
    ({ game, task: kind, wrong } = fromAddress(engine, location.hash, sheetOf));
  } catch (error) {
    game = new Game(engine, sheetOf("pentago"));
    unread = error.message;
  }
  leavePuzzle();
  fillSeats(game.sheet.board.seats);
  if (state) {
    $("you").value = state.you;
    $("show").checked = state.show;
    $("strength").value = state.level ?? $("strength").value;
    keepStrength();
    if (state.rematch !== undefined) page.rematch = { game, you: state.rematch };
  }
  const { daily, later } = state ?? {};
  const [{ position, toMove: seat }] = game.nodes;
  const asked = ["puzzle", "win"].includes(kind);
  if (kind === "mistake" && game.at < game.moves.length) openMistake(game, game.at, later);
  else {
    if (asked) task(kind, game, { seat, daily, done: Boolean(game.nodes.at(-1).over) });
    if (asked || (game.moves.length && !(state && $("puzzle").hidden))) selectTab(asked ? "puzzle" : "analyse");
    openGame(game, "keep");
  }
  fillChoices();
  if (wrong) notice("link_move", wrong);
  if (unread) notice("link_position", {}, unread);
  if (!asked) return;
  // The address may name a position that is not won: show it without a task.
  const answer = await engine.values(game.rules, position);
  if (page.game !== game || !page.puzzle || answer.value === "win" || answer.value === "unknown") return;
  selectTab("analyse");
  notice("link_task");
}

function listen() {
  boardView.on = { socket: chooseSocket, turn: chooseTurn };
  const click = (id, action) => $(id).addEventListener("click", action);
  click("first", () => go(0));
  click("undo", () => step(-1));
  click("redo", () => step(1));
  click("last", () => go(page.game.moves.length));
  click("decline", () => play(`${page.placed}/0`));
  for (const id of ["hint", "solution"]) click(id, hint);
  click("begin", () => leave(beginPlay));
  click("begin-play", () => beginPlay("home-"));
  click("begin-analyse", () => analyse(new Game(engine, page.game.sheet)));
  for (const id of ["begin-puzzle", "daily"]) click(id, () => choosePuzzle(dailyPuzzle));
  click("learn", learn);
  click("replay", replay);
  click("win-this", () => openTask(task("win", new Game(engine, page.game.sheet, page.game.node.position))));
  click("again", () => {
    const { kind, back, at, later, daily, rules, position } = page.puzzle;
    if (back) openMistake(back, at, later);
    else openTask(task(kind, new Game(engine, sheetOf(rules), position), { daily }), "replace");
  });
  click("puzzle-link", (event) => copy(new URL(new Game(engine, sheetOf(page.puzzle.rules), page.puzzle.position).address(page.puzzle.kind), location.href).href, event.currentTarget));
  click("save-text", saveText);
  click("save-picture", savePicture);
  click("new", () => leave(newGame));
  click("clear", () => { page.setup.grid.fill(""); page.setup.rest = []; $("side").value = page.game.sheet.board.seats[0]; tryPosition(); });
  click("load", () => leave(async () => {
    const read = await loadText();
    if (!read) return;
    analyse(read.game);
    toTop();
    if (read.wrong) notice("link_move", read.wrong);
  }));
  click("copy", (event) => copy($("text").value, event.currentTarget));
  click("link", (event) => copy(isSetUp() ? new URL(shownGame().address(), location.href).href : location.href, event.currentTarget));
  click("home-link", (event) => {
    if (location.hash.length < 2) goHome();
    else if (isSetUp() && !confirm(say("leave"))) event.preventDefault();
  });
  addEventListener("beforeunload", (event) => { if (isSetUp()) event.preventDefault(); });
  for (const id of ["new-puzzle", "next-puzzle"]) click(id, () => choosePuzzle(newPuzzle));
  click("review", () => {
    selectTab("analyse");
    go(0);
    toTop();
  });
  click("rematch", newGame);
  click("next-level", () => {
    $("strength").selectedIndex += 1;
    keepStrength();
    newGame();
  });
  click("compare-now", compare);
  click("theme", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember("theme", root.dataset.theme);
  });
  // Each position replaces these elements, so their containers have the listeners.
  const within = (id, choice, action) => $(id).addEventListener("click", (event) => {
    const chosen = event.target.closest(choice);
    if (chosen) action(chosen);
  });
  for (const id of ["best", "all"]) {
    within(id, "[data-move]", (button) => {
      play(button.dataset.move);
      // The focused button disappears with the next position.
      boardView.focusSocket(undefined, { preventScroll: true });
    });
    // The board shows the move that the reader points at, otherwise the focused one.
    for (const type of ["pointerover", "focusin"]) $(id).addEventListener(type, ({ target }) => indicate((target.closest("[data-move]") ?? document.activeElement).dataset.move));
    for (const type of ["pointerleave", "focusout"]) $(id).addEventListener(type, () => indicate(document.activeElement.dataset.move));
  }
  for (const id of ["openings", "fair"]) within(id, ".opening", ({ title }) => leave(() => openGame(new Game(engine, sheetOf("pentago"), title))));
  within("best", "#more-moves", () => selectTab("analyse", true));
  within("moves", "button", (button) => go(Number(button.dataset.at)));
  for (const type of ["click", "keydown"]) {
    $("chart-game").addEventListener(type, (event) => {
      const at = chosenPoint(event);
      if (at !== undefined) { go(at); event.preventDefault(); }
    });
  }
  const change = (id, action) => $(id).addEventListener("change", action);
  change("rules", () => {
    const sheet = sheetOf($("rules").value);
    if (page.home) {
      page.game = new Game(engine, sheet);
      fillSeats(sheet.board.seats);
      return beginPlay("home-");
    }
    show();
    return leave(() => {
      leavePuzzle();
      const same = engine.look(sheet.name, page.game.node.position);
      const fits = !same.error && !same.over && sheet.board.game === page.game.sheet.board.game;
      openGame(new Game(engine, sheet, fits ? page.game.node.position : sheet.start));
      fillChoices();
    });
  });
  change("language", async () => {
    await speak($("language").value);
    remember("language", language);
    fillChoices();
    boardView.board = null;
    for (const id of ["all", "fair-list"]) $(id).replaceChildren();
    if (page.home) goHome();
    else {
      if (page.setup) tryPosition();
      else show();
      announce(page.answer?.value && valuesShown() ? valueText(page.answer) : "");
    }
    if (!$("more").hidden) fillMore();
  });
  change("you", () => {
    if (mySeat()) $("show").checked = false;
    // At an earlier position, the solver goes on in a copy of the game.
    if (isOthers() && !page.setup && page.game.at < page.game.moves.length) return openGame(page.game.branch());
    return ask();
  });
  change("strength", () => { keepStrength(); if (history.state) history.replaceState({ ...history.state, level: $("strength").value }, ""); });
  document.addEventListener("over", () => selectTab("analyse"));
  document.addEventListener("position", () => { if (!$("more").hidden) fillMore(); });
  for (const [id, fill] of [["openings", showOpenings], ["fair", showFair], ["charts", showTables]]) {
    $(id).addEventListener("toggle", () => { if ($(id).open) fill(); });
  }
  for (const id of ["show", "distances"]) change(id, () => ask());
  change("side", () => tryPosition());
  change("format", () => { $("text").value = $("text").defaultValue = textIn($("format").value); });
  within("tabs", "[role=tab]", (tab) => chooseTab(tab.id.slice(4)));
  $("tabs").addEventListener("keydown", tabKey);
  document.addEventListener("keydown", key);
  addEventListener("popstate", loadAddress);
}

/** On a narrow screen, moves the details of the position and the chart below the board. */
function narrow() {
  const screen = matchMedia("(max-width: 820px), (max-width: 960px) and (max-height: 500px)");
  const place = () => {
    (screen.matches ? $("about-below") : $("status")).append($("about"));
    (screen.matches ? $("graph-below") : $("graph")).append($("chart-game"));
  };
  screen.addEventListener("change", place);
  place();
}

/** Adds the engine's presets to the lists of rules. */
function fillSheets() {
  for (const sheet of engine.presets()) if (!page.sheets.has(sheet.name)) page.sheets.set(sheet.name, sheet);
  fillChoices();
}

async function start() {
  await speak();
  const loaded = engine.start();
  // A game of Pentago begins without the module. Other rules, positions and tasks need it.
  if (!/^#?(rules=pentago(&(m|at)=[^&]*)*)?$/.test(location.hash)) await loaded;
  document.body.classList.toggle("embed", embedded);
  if (recall("language") === null) remember("language", language);
  $("whole").hidden = !embedded;
  fillSheets();
  $("strength").value = $("home-level").value = strengths.includes(recall("strength")) ? recall("strength") : "2";
  $("home-you").value = "x";
  keepStrength();
  narrow();
  listen();
  loadAddress();
  document.documentElement.dataset.live = "true";
  await loaded;
  fillSheets();
  // Only the server has charts of tables.
  $("charts").hidden = !engine.server;
  document.documentElement.dataset.ready = "true";
  navigator.serviceWorker?.register("sw.js").catch(() => {
    // Without a service worker, the page works only online. Browsers refuse one over plain HTTP.
  });
}

start().catch(async (error) => {
  await speak().catch(() => {});
  document.querySelector("main").hidden = true;
  notice("not_started", {}, String(error));
});
