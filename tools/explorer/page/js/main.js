// The page: what is on the board, what is known about it, and what the reader does.

import { Board, sign } from "./board.js";
import { barsOfTables, lineOfGame } from "./charts.js";
import { engine } from "./engine.js";
import { Game, cells, fromAddress, fromText, lines, nameOf, parts, rowsOf } from "./game.js";
import { LANGUAGES, bytes, has, language, number, recall, remember, say, speak } from "./words.js";
import { findPuzzle, isBetter, reply } from "./play.js";

const $ = (id) => document.getElementById(id);
/** Best moves that are listed; more are counted. */
const LISTED = 6;
/** How long the solver seems to think, in milliseconds. */
const THINKING = 350;
const LEVELS = [["easy", 28], ["medium", 25], ["hard", 22]];

const page = {
  game: null,
  sheets: new Map(),
  /** The socket whose turn is to be chosen; "" while a turn of the position itself is pending. */
  placed: undefined,
  answer: null,
  /** What ends the question that is being asked. */
  asking: null,
  hinted: false,
  puzzle: null,
  setup: null,
  busy: false,
};

const sheetOf = (name) => {
  const known = page.sheets.get(name);
  if (known) return known;
  const sheet = engine.board(name);
  if (sheet.error) throw new Error(sheet.error);
  page.sheets.set(name, sheet);
  return sheet;
};

const titleOf = (sheet) => (has(`rules.${sheet.name}`) ? say(`rules.${sheet.name}`) : sheet.title || sheet.name);
const sentenceOf = (sheet) => (has(`sentence.${sheet.name}`) ? say(`sentence.${sheet.name}`) : sheet.sentence);
const seatName = (seat) => say(`seat.${seat}`);

// ---- What is shown ----

/** Whether values are to be seen now. */
const open = () => page.hinted || ($("show").checked && !page.puzzle && !page.setup);

function show() {
  const { game } = page;
  const { board } = game.sheet;
  const { node } = game;
  boardView.set(board, titleOf(game.sheet));
  if (node.moves[0]?.move.startsWith("/")) page.placed = "";
  const grid = page.setup?.grid ?? cells(node.position, board);
  const answer = open() ? page.answer : null;
  const moves = new Map((answer?.moves ?? []).map((move) => [move.move, move]));
  const best = new Set(answer?.best ?? []);
  const byPlace = new Map();
  for (const { move } of node.moves) {
    const { place } = parts(move);
    const value = moves.get(move);
    const entry = byPlace.get(place) ?? { legal: true };
    if (value && (!entry.value || isBetter(value, entry))) {
      const { distance, source, found, reason } = value;
      Object.assign(entry, { value: value.value, distance, source, found, reason });
    }
    entry.best ||= best.has(move);
    byPlace.set(place, entry);
  }
  const over = Boolean(node.over);
  boardView.draw({
    grid,
    seat: node.toMove,
    placed: page.placed === undefined || page.placed === "" ? undefined : indexOf(page.placed),
    last: over || page.setup ? undefined : lastMarble(),
    line: over ? lines(grid, board) : new Set(),
    quiet: over || page.placed === "",
    editing: Boolean(page.setup),
    socket(index) {
      const name = nameOf(index, board);
      const marble = grid[index];
      if (marble) return { label: say("socket_taken", { socket: name, seat: seatName(marble) }) };
      const about = byPlace.get(name);
      return { ...about, ...labels(say("socket_free", { socket: name }), about) };
    },
    turn(quadrant, clockwise) {
      if (page.placed === undefined || page.setup) return null;
      const text = `${page.placed}/${quadrant + 1}${clockwise ? "+" : "-"}`;
      if (!node.moves.some(({ move }) => move === text)) return null;
      const value = moves.get(text);
      const label = say(clockwise ? "turn_clockwise" : "turn_back", { quadrant: quadrant + 1 });
      return { ...value, best: best.has(text), ...labels(label, value) };
    },
  });
  $("decline").hidden = !node.moves.some(({ move }) => move === `${page.placed}/0`);
  showStatus();
  showRecord();
  showControls();
  $("chart-game").replaceChildren(lineOfGame(game, known, say, go));
}

const known = (position) => engine.known(page.game.rules, position, false);

const indexOf = (name) => {
  const { board } = page.game.sheet;
  const column = board.files.indexOf(name[0]);
  return (board.rows - Number(name.slice(1))) * board.columns + column;
};

/** Where the marble of the last move lies now. */
function lastMarble() {
  const { last } = page.game.node;
  if (!last) return undefined;
  const { place, quadrant, clockwise } = parts(last);
  return place ? boardView.after(indexOf(place), quadrant, clockwise) : undefined;
}

/** What is read out of a socket or a turn, and what is shown where the pointer rests: with the source of the value. */
function labels(name, about) {
  if (!about?.value) return { label: name, title: "" };
  const source = about.found?.by === "proof" ? "proof" : about.source ?? "solved";
  const from = has(`from.${source}`) ? say(`from.${source}`) : source;
  const label = `${name}, ${valueText(about)} (${from})`;
  return { label, title: about.reason ? `${label}: ${about.reason}` : label };
}

function valueText({ value, distance }) {
  if (distance === null || distance === undefined) return say(`value.${value}`);
  return say(`value.${value}_in`, { n: number(distance) });
}

function showStatus() {
  const { node } = page.game;
  const { answer } = page;
  const headline = $("value");
  $("best").replaceChildren();
  if (page.setup) {
    $("to-move").textContent = say("setup");
    headline.className = "value";
    headline.textContent = "\u00a0";
    $("detail").textContent = "\u00a0";
    return;
  }
  if (node.over) {
    const winners = node.over.winners.map(seatName);
    headline.className = "value over";
    $("to-move").textContent = say("over");
    headline.textContent = winners.length ? say("wins", { seat: new Intl.ListFormat(language).format(winners) }) : say("drawn");
    $("detail").textContent = say("source.rules");
    return;
  }
  $("to-move").textContent = page.puzzle && !page.hinted ? say("puzzle_to_move", { seat: seatName(node.toMove) }) : say("to_move", { seat: seatName(node.toMove) });
  headline.className = `value ${open() && answer ? answer.value ?? "" : ""}`;
  if (!open()) {
    headline.textContent = say("hidden");
    $("detail").textContent = say("hidden_help");
  } else if (!answer) {
    headline.textContent = say("asking");
    $("detail").textContent = engine.server ? say("asking_server") : say("asking_here");
  } else if (answer.error) {
    headline.textContent = say("no_answer");
    const alone = !engine.server && page.game.sheet.board.game !== "pentago";
    $("detail").textContent = alone ? say("needs_server") : answer.error;
  } else {
    headline.textContent = valueText(answer);
    $("detail").textContent = detail(answer);
    showBest(answer);
  }
}

/** What is proved of an unknown value. */
function ruledOut({ no_win_within: win, no_loss_within: loss }) {
  if (win === loss) return say("proved", { n: number(win) });
  return say("proved_each", { win: number(win), loss: number(loss) });
}

/** Where a value comes from; what is proved where it is unknown, and what it would cost. */
function detail(answer) {
  const texts = [];
  if (answer.value === "unknown") {
    if (Array.isArray(answer.proved)) texts.push(...answer.proved.map((text) => `${text}.`));
    else if (answer.proved) texts.push(ruledOut(answer.proved));
    if (answer.full) {
      const size = { boards: number(answer.full.boards, { notation: "compact" }), memory: bytes(answer.full.bytes) };
      texts.push(say("would_take", size));
    }
  } else {
    const source = answer.found?.by === "proof" ? "proof" : answer.source ?? "solved";
    texts.push(has(`source.${source}`) ? say(`source.${source}`, { n: number(answer.found?.within ?? 0) }) : source);
    if (source === "solved" && answer.seconds > 0.001) {
      texts.push(say(answer.here ? "took_here" : "took", { seconds: number(answer.seconds, { maximumSignificantDigits: 2 }) }));
    }
  }
  return texts.join(" ");
}

/** How far the server is. */
function showProgress({ state, waiting, done, total }) {
  if (state === "queued") $("detail").textContent = say("queued", { n: number(waiting) });
  else if (total > 0) $("detail").textContent = say("progress", { share: number(done / total, { style: "percent" }) });
}

function showBest(answer) {
  const best = (answer.best ?? []).slice(0, LISTED);
  const buttons = best.map((text) => moveButton(text, answer.moves.find((move) => move.move === text)));
  const more = (answer.best?.length ?? 0) - best.length;
  if (buttons.length) $("best").append(span(say("best")), ...buttons);
  if (more > 0) $("best").append(span(say("and_more", { n: number(more) })));
}

function moveButton(text, value) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `move ${value?.value ?? ""}`;
  button.textContent = text;
  button.addEventListener("click", () => play(text));
  return button;
}

function span(text) {
  const element = document.createElement("span");
  element.textContent = text;
  return element;
}

function showRecord() {
  const { game } = page;
  const seats = game.sheet.board.seats.length;
  const first = game.sheet.board.seats.indexOf(game.nodes[0].toMove);
  const items = game.moves.map((text, i) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    if (game.at === i + 1) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => go(i + 1));
    const round = Math.floor((i + Math.max(first, 0)) / seats) + 1;
    if (i === 0 || (i + Math.max(first, 0)) % seats === 0) item.append(Object.assign(span(`${round}.`), { className: "round" }));
    item.append(button);
    return item;
  });
  if (!items.length) {
    const item = document.createElement("li");
    item.className = "none";
    item.textContent = say("no_moves");
    items.push(item);
  }
  $("moves").replaceChildren(...items);
  $("moves").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function showControls() {
  const { game } = page;
  $("first").disabled = $("undo").disabled = game.at === 0;
  $("last").disabled = $("redo").disabled = game.at === game.moves.length;
  $("hint").disabled = Boolean(game.node.over) || Boolean(page.setup) || open();
  $("solution").disabled = !page.puzzle;
  $("rules").value = [...$("rules").options].some((option) => option.value === game.rules) ? game.rules : "";
  if (document.activeElement !== $("text")) $("text").value = textIn($("format").value);
}

// ---- What is asked ----

/** Asks for the values of the shown position: first without distances, which are quick to add. */
async function ask() {
  page.asking?.abort(new DOMException("another position", "AbortError"));
  const asking = new AbortController();
  page.asking = asking;
  const { game } = page;
  const { node, rules } = { node: game.node, rules: game.rules };
  page.answer = node.over ? null : engine.known(rules, node.position, false) ?? null;
  show();
  if (node.over || page.setup || !(open() || isOpponent())) return;
  try {
    for (const distance of $("distances").checked && !slow(node) ? [false, true] : [false]) {
      const progress = (state) => { if (page.asking === asking && !page.answer && open()) showProgress(state); };
      const answer = await engine.values(rules, node.position, { distance, signal: asking.signal, progress });
      if (page.asking !== asking) return;
      if (answer.error && page.answer) break;
      page.answer = answer;
      show();
      if (!distance) announce(open() ? valueText(answer.error ? { value: "unknown" } : answer) : "");
      if (answer.error || answer.value === "unknown") break;
    }
    if (isOpponent()) await opponentMoves(asking.signal);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

/** Whether distances would take long: they cost twice the time. */
function slow(node) {
  const { board } = page.game.sheet;
  const marbles = cells(node.position, board).filter(Boolean).length;
  return board.game === "pentago" && board.rows === 6 && marbles < (engine.server ? 17 : 19);
}

const isOpponent = () =>
  !page.setup && !page.puzzle && !page.game.node.over && page.game.at === page.game.moves.length
  && $("opponent").value === page.game.node.toMove;

async function opponentMoves(signal) {
  await new Promise((resolve) => setTimeout(resolve, THINKING));
  if (signal.aborted || !isOpponent()) return;
  const move = reply(page.game.node, page.answer, Number($("mistakes").value) / 100);
  if (move) await play(move);
}

function announce(text) {
  const { node } = page.game;
  const seat = node.over ? "" : say("to_move", { seat: seatName(node.toMove) });
  $("said").textContent = [node.last, seat, text].filter(Boolean).join(". ");
}

// ---- What the reader does ----

/** Shows another game or another of its positions. */
function open_game(game, push = true) {
  boardView.settle();
  page.game = game;
  page.placed = undefined;
  page.hinted = false;
  page.setup = null;
  if (push && location.hash !== game.address()) history.pushState(null, "", game.address());
  return ask();
}

function go(at) {
  const { game } = page;
  if (at < 0 || at > game.moves.length || at === game.at) return;
  game.at = at;
  open_game(game);
}

async function play(text) {
  const { game } = page;
  if (page.busy) return;
  const { quadrant, clockwise, place } = parts(text);
  const before = game.node;
  page.busy = true;
  page.asking?.abort(new DOMException("a move", "AbortError"));
  try {
    const judged = page.puzzle && judge(text);
    page.placed = place;
    if (quadrant !== undefined) {
      show();
      await boardView.turn(quadrant, clockwise);
    }
    if (page.game !== game || game.node !== before) return;
    game.play(text);
    if (judged) page.hinted = true;
  } finally {
    page.busy = false;
  }
  const hinted = page.hinted;
  const shown = open_game(game);
  page.hinted = hinted && Boolean(page.puzzle);
  if (page.hinted) show();
  await shown;
}

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

function leavePuzzle() {
  page.puzzle = null;
  $("verdict").textContent = "\u00a0";
}

function newGame() {
  leavePuzzle();
  open_game(new Game(engine, page.game.sheet));
}

// ---- Setting up ----

function setMarble(index) {
  const { setup } = page;
  setup.grid[index] = setup.grid[index] === setup.marble ? "" : setup.marble;
  tryPosition();
}

/** Whether what was set up is a position; it is shown at once, and asked about when it is left. */
function tryPosition() {
  const { sheet } = page.game;
  const text = `${rowsOf(page.setup.grid, sheet.board)} ${$("side").value}`;
  const look = engine.look(sheet.name, text);
  $("error").textContent = look.error ?? "";
  page.setup.text = look.error ? null : look.position;
  show();
  $("text").value = text;
}

function beginSetup() {
  const { sheet, node } = page.game;
  page.asking?.abort(new DOMException("setting up", "AbortError"));
  page.puzzle = null;
  page.placed = undefined;
  page.setup = { grid: cells(node.position, sheet.board), marble: sheet.board.seats[0], text: node.position };
  $("side").replaceChildren(...sheet.board.seats.map((seat) => new Option(seatName(seat), seat)));
  $("side").value = node.toMove;
  const choices = [...sheet.board.seats, ""].map((seat, i) => {
    const label = document.createElement("label");
    const radio = Object.assign(document.createElement("input"), { type: "radio", name: "marble", value: seat, checked: i === 0 });
    radio.addEventListener("change", () => { if (page.setup) page.setup.marble = seat; });
    label.className = seat ? `seat-${seat}` : "empty";
    label.append(radio, span(seat ? seatName(seat) : say("empty")));
    return label;
  });
  $("palette").replaceChildren(...choices);
  $("palette").setAttribute("aria-label", say("setup_help"));
  $("error").textContent = "";
  show();
}

/** The position that was set up becomes a game. */
function endSetup() {
  const { setup, game } = page;
  if (!setup) return;
  page.setup = null;
  if (setup.text && setup.text !== game.node.position) open_game(new Game(engine, game.sheet, setup.text));
  else ask();
}

function textIn(format) {
  const { game } = page;
  const { node } = game;
  const { board } = game.sheet;
  switch (format) {
    case "compact": return `${cells(node.position, board).map((cell) => cell.toUpperCase() || ".").join("")} ${node.toMove}`;
    case "diagram": return node.diagram;
    case "number": return node.number ?? node.position;
    case "game": return game.text();
    default: return node.position;
  }
}

function loadText() {
  try {
    const game = fromText(engine, page.game.rules, $("text").value, sheetOf);
    page.setup = null;
    $("error").textContent = "";
    page.puzzle = null;
    open_game(game);
    selectTab("play");
  } catch (error) {
    $("error").textContent = error.message;
  }
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the permission the text is there to be copied by hand.
    $("text").value = text;
    $("text").select();
  }
  const word = button.dataset.word;
  button.textContent = say("copied");
  setTimeout(() => { button.textContent = say(word); }, 1200);
}

// ---- Puzzles ----

async function newPuzzle() {
  $("verdict").textContent = say("searching");
  $("new-puzzle").disabled = true;
  page.asking?.abort(new DOMException("a puzzle", "AbortError"));
  const rules = page.game.sheet.board.game === "pentago" ? page.game.rules : "pentago";
  try {
    const puzzle = await findPuzzle(engine, sheetOf(rules), Number($("level").value));
    if (!puzzle) {
      $("verdict").textContent = say("no_puzzle");
      return;
    }
    page.puzzle = puzzle;
    $("verdict").textContent = "\u00a0";
    await open_game(new Game(engine, sheetOf(puzzle.rules), puzzle.position));
    boardView.focusSocket();
  } finally {
    $("new-puzzle").disabled = false;
  }
}

/** Says whether a move solves the puzzle. */
function judge(text) {
  const { puzzle, game } = page;
  if (game.at !== 0 || puzzle.done) return false;
  const right = puzzle.best.includes(text);
  puzzle.done = true;
  $("verdict").className = right ? "right" : "wrong";
  $("verdict").textContent = right ? say("right") : say("wrong", { move: puzzle.best[0] });
  return true;
}

function showSolution() {
  const { puzzle } = page;
  if (!puzzle) return;
  puzzle.done = true;
  $("verdict").className = "";
  $("verdict").textContent = say("the_solution", { move: puzzle.best.join(", ") });
  page.hinted = true;
  ask();
}

// ---- Rules side by side ----

async function compare() {
  const { game } = page;
  const { position } = game.node;
  const same = (sheet) => sheet.board.game === game.sheet.board.game && sheet.board.rows === game.sheet.board.rows
    && sheet.board.seats.length === game.sheet.board.seats.length;
  const sheets = [...page.sheets.values()].filter(same);
  const cell = (name, text = "") => Object.assign(document.createElement(name), { textContent: text });
  const table = document.createElement("table");
  const head = document.createElement("tr");
  head.append(...["rules", "value"].map((word) => Object.assign(cell("th", say(word)), { scope: "col" })));
  table.append(head);
  const results = sheets.map((sheet) => {
    const row = document.createElement("tr");
    const name = Object.assign(cell("th", titleOf(sheet)), { scope: "row" });
    name.append(Object.assign(cell("small", sentenceOf(sheet))));
    const result = cell("td", say("asking"));
    row.append(name, result);
    table.append(row);
    return [sheet, result];
  });
  $("sheets").replaceChildren(table);
  for (const [sheet, result] of results) {
    const look = engine.look(sheet.name, position);
    if (look.over) {
      result.textContent = look.over.winners.length ? say("wins", { seat: look.over.winners.map(seatName).join(", ") }) : say("drawn");
      continue;
    }
    const answer = await engine.values(sheet.name, position);
    result.className = answer.value ?? "";
    result.textContent = answer.error ? say("no_answer") : `${sign(answer)} ${valueText(answer)}`;
  }
}

/** Every preset with its sentence, before values are asked for. */
function listSheets() {
  const list = document.createElement("dl");
  for (const sheet of page.sheets.values()) {
    if (!sheet.title) continue;
    list.append(
      Object.assign(document.createElement("dt"), { textContent: titleOf(sheet) }),
      Object.assign(document.createElement("dd"), { textContent: sentenceOf(sheet) }),
    );
  }
  $("sheets").replaceChildren(list);
}

// ---- Charts ----

async function analyse() {
  const { game } = page;
  $("analyse").disabled = true;
  try {
    for (const node of game.nodes) {
      if (!node.over) await engine.values(game.rules, node.position);
      if (page.game !== game) return;
      $("chart-game").replaceChildren(lineOfGame(game, known, say, go));
    }
  } finally {
    $("analyse").disabled = false;
  }
}

async function showTables() {
  const tables = await engine.get("api/v1/tables");
  $("chart-tables").replaceChildren(barsOfTables(tables, say, number));
}

// ---- The rest of the page ----

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
    open_game(game, false);
  } catch (error) {
    $("error").textContent = error.message;
    open_game(new Game(engine, sheetOf("pentago")), false);
    selectTab("setup");
    $("error").textContent = error.message;
  }
  fillChoices();
}

const boardView = new Board($("board"), say, { socket: chooseSocket, turn: chooseTurn });

function listen() {
  const click = (id, action) => $(id).addEventListener("click", action);
  click("first", () => go(0));
  click("undo", () => go(page.game.at - 1));
  click("redo", () => go(page.game.at + 1));
  click("last", () => go(page.game.moves.length));
  click("decline", () => play(`${page.placed}/0`));
  click("hint", hint);
  click("new", newGame);
  click("clear", () => { page.setup.grid.fill(""); $("side").value = page.game.sheet.board.seats[0]; tryPosition(); });
  click("load", loadText);
  click("copy", (event) => copy($("text").value, event.currentTarget));
  click("link", (event) => copy(location.href, event.currentTarget));
  click("new-puzzle", newPuzzle);
  click("solution", showSolution);
  click("compare-now", compare);
  click("analyse", analyse);
  click("theme", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember("theme", root.dataset.theme);
  });
  const change = (id, action) => $(id).addEventListener("change", action);
  change("rules", () => {
    page.puzzle = null;
    const sheet = sheetOf($("rules").value);
    const same = engine.look(sheet.name, page.game.node.position);
    const fits = !same.error && sheet.board.game === page.game.sheet.board.game && sheet.board.rows === page.game.sheet.board.rows;
    open_game(new Game(engine, sheet, fits ? page.game.node.position : sheet.start));
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
