// Shows the state of the page: the board with values, the moves, and the controls.

import { Board, sign } from "./board.js";
import { showGame } from "./charts.js";
import { engine } from "./engine.js";
import { Game, cells, lines, nameOf, parts, rounds, toRecord, turned } from "./game.js";
import { $, isOthers, isSetUp, make, moveButton, page, seatName, span, stepped, titleOf, valueText, valuesShown } from "./page.js";
import { advised, isBetter, sorted } from "./play.js";
import { GLYPHS, accuracy, marks } from "./review.js";
import { showJudged, showStatus } from "./status.js";
import { count, number, say } from "./words.js";

/** The board. `main.js` sets its callbacks. */
export const boardView = new Board($("board"), say, {});

export function show() {
  const { game } = page;
  const { node, sheet: { board } } = game;
  boardView.set(board, titleOf(game.sheet));
  document.documentElement.classList.toggle("home", page.home);
  // A page in a frame shows this link, which opens the whole page.
  $("whole").href = `${location.pathname}${location.hash}`;
  $("record").hidden = Boolean(page.setup);
  if (page.home) return;
  if (node.moves[0]?.move.startsWith("/")) page.placed = "";
  const grid = page.setup?.grid ?? cells(node.position);
  const answer = valuesShown() && !page.thinking ? page.answer : null;
  const moves = new Map((answer?.moves ?? []).map((move) => [move.move, move]));
  const best = new Set(advised(answer));
  const byPlace = new Map();
  for (const { move } of node.moves) {
    const { place } = parts(move);
    const value = moves.get(move);
    const entry = byPlace.get(place) ?? { legal: true };
    if (value && (!entry.value || isBetter(value, entry))) {
      const { distance, guess } = value;
      Object.assign(entry, { value: value.value, distance, guess });
    }
    entry.best ||= best.has(move);
    byPlace.set(place, entry);
  }
  const over = Boolean(node.over);
  boardView.draw({
    grid,
    seat: node.toMove,
    placed: page.placed === undefined ? undefined : indexOf(page.placed),
    last: over || page.setup ? undefined : lastMarble(),
    line: over ? lines(grid, board) : new Set(),
    quiet: over || page.thinking || page.placed === "" || isOthers(),
    turned: node.last && !page.setup ? parts(node.last) : null,
    editing: Boolean(page.setup),
    hint: advice(page.hint),
    socket(index) {
      const name = nameOf(index, board);
      const marble = grid[index] || (name === page.placed ? node.toMove : "");
      if (marble) return { label: say("socket_taken", { socket: name, seat: seatName(marble) }) };
      const about = byPlace.get(name);
      // Opening rules may forbid sockets. Without a side to move, or with a pending turn, no socket
      // is forbidden.
      if (!about && !over && !page.setup && page.placed !== "") return { label: say("socket_forbidden", { socket: name }), forbidden: true };
      return { ...about, ...labels(say("socket_free", { socket: name }), about) };
    },
    turn(quadrant, clockwise) {
      if (page.placed === undefined || page.setup || page.busy || page.thinking) return null;
      const text = `${page.placed}/${quadrant + 1}${clockwise ? "+" : "-"}`;
      if (!node.moves.some(({ move }) => move === text)) return null;
      const value = moves.get(text);
      const label = say(clockwise ? "turn_clockwise" : "turn_back", { quadrant: quadrant + 1 });
      return { ...value, best: best.has(text), ...labels(label, value) };
    },
  });
  $("decline").hidden = !node.moves.some(({ move }) => move === `${page.placed}/0`);
  showStatus();
  showControls();
  showReview();
  showAll();
}

/** Marks a move on the board. By default, marks the hint instead. */
export const indicate = (text = page.hint) => boardView.advise(advice(text));

/** Converts a hint to the form that the board draws. */
function advice(text) {
  if (!text) return null;
  const { place, quadrant, clockwise } = parts(text);
  return { index: place ? indexOf(place) : undefined, quadrant, clockwise };
}

/** Shows the review of the game: the marks of its moves, its chart, and the accuracies. */
export function showReview() {
  const { game } = page;
  const shown = valuesShown() && !page.replaying;
  showRecord(shown ? marks(game) : []);
  showGame(shown);
  showJudged(shown);
  $("learn").disabled = !shown || !lessons().length;
  if (page.replaying) return;
  const sums = shown ? [...accuracy(game)] : [];
  $("accuracy").replaceChildren(...sums.map(([seat, { kept, mistakes, unseen, judged, moves }]) => {
    const wrong = count("mistakes", mistakes.length + unseen);
    return make("p", {}, say(`accuracy${kept === null ? "_nothing" : ""}${judged < moves ? "_part" : ""}`, {
      seat: seatName(seat), share: number(kept ?? 0, { style: "percent" }), judged: number(judged), moves: number(moves),
      mistakes: judged < moves && mistakes.length + unseen ? say("at_least", { mistakes: wrong }) : wrong,
    }));
  }));
  if (!sums.length) $("accuracy").append(make("p", { className: "none", textContent: say("accuracy_unknown") }));
}

/** Returns the mistakes of the game: the reader's own after a game against the solver, or all. */
export function lessons() {
  const { game, rematch } = page;
  const seats = [...accuracy(game)].filter(([seat]) => rematch?.game !== game || !rematch.you || seat === rematch.you);
  return seats.flatMap(([, { mistakes }]) => mistakes).sort((a, b) => a - b);
}

const indexOf = (name) => {
  const { board } = page.game.sheet;
  const column = board.files.indexOf(name[0]);
  return (board.rows - Number(name.slice(1))) * board.columns + column;
};

/** Returns the socket of the last move's marble, after its turn. */
function lastMarble() {
  const { last } = page.game.node;
  if (!last) return undefined;
  const { place, quadrant, clockwise } = parts(last);
  if (!place || quadrant === undefined) return place && indexOf(place);
  return turned(indexOf(place), quadrant, clockwise, page.game.sheet.board);
}

/** Returns the label for screen readers and the tooltip of a socket or turn, with the value. */
function labels(name, about) {
  if (!about?.value) return { label: name, title: "" };
  const label = `${name}, ${valueText(about)}`;
  return { label, title: label };
}

function showRecord(all) {
  const { game } = page;
  const numbers = rounds(game);
  const items = game.moves.map((text, i) => {
    const item = document.createElement("li");
    const button = make("button", { type: "button" }, text);
    const mark = all[i];
    if (mark) {
      button.classList.add(`mark-${mark.name}`);
      button.dataset.glyph = GLYPHS[mark.name];
      button.title = say(`mark.${mark.name}`);
      button.setAttribute("aria-label", `${text}, ${say(`mark.${mark.name}`)}`);
    }
    if (game.at === i + 1) button.setAttribute("aria-current", "true");
    button.dataset.at = i + 1;
    if (numbers[i]) item.append(span(`${numbers[i]}.`, "round"));
    item.append(button);
    return item;
  });
  if (!items.length) items.push(make("li", { className: "none", textContent: say(game.sheet.board.quadrants.length ? "no_moves" : "no_moves_points") }));
  const list = $("moves");
  const focused = list.contains(document.activeElement) && document.activeElement.dataset.at;
  list.replaceChildren(...items);
  if (focused) list.querySelector(`[data-at="${focused}"]`)?.focus({ preventScroll: true });
  // Scroll only the list: `scrollIntoView` would also move the board.
  const current = list.querySelector("[aria-current]")?.parentNode;
  const middle = (size, at, length) => (current ? Math.max(0, at - (size - length) / 2) : 0);
  list.scrollTop = middle(list.clientHeight, current?.offsetTop, current?.offsetHeight);
  list.scrollLeft = middle(list.clientWidth, current?.offsetLeft, current?.offsetWidth);
}

function showControls() {
  const { game } = page;
  // Some browsers take the focus from a button as soon as it is disabled.
  const focused = document.activeElement;
  $("first").disabled = $("undo").disabled = Boolean(page.setup) || game.at === 0 || stepped(-1) === game.at;
  $("last").disabled = $("redo").disabled = Boolean(page.setup) || game.at === game.moves.length;
  $("hint").disabled = Boolean(game.node.over) || Boolean(page.setup) || page.thinking || page.busy || isOthers() || Boolean(page.replaying);
  $("hint").title = say(game.node.over ? "over" : page.thinking ? "thinking" : "hint_help");
  const { puzzle } = page;
  $("solution").disabled = !puzzle || puzzle.done || $("hint").disabled;
  $("again").disabled = !puzzle;
  $("puzzle-link").disabled = !puzzle || Boolean(puzzle.back);
  $("replay").disabled = Boolean(game.node.over) || Boolean(puzzle && !puzzle.done);
  $("replay").textContent = say(page.replaying ? "stop" : "replay");
  $("win-this").disabled = Boolean(puzzle) || Boolean(page.replaying) || page.answer?.value !== "win" || !valuesShown();
  if (![...$("rules").options].some((option) => option.value === game.rules)) $("rules").add(new Option(titleOf(game.sheet), game.rules));
  $("rules").value = game.rules;
  // Keep a text that the reader has typed.
  const text = $("text");
  if (focused !== text && text.value === text.defaultValue) text.value = text.defaultValue = textIn($("format").value);
  // Keep the keyboard focus on the page when its button is disabled or hidden.
  if (focused.disabled || !focused.getClientRects().length) boardView.focusSocket(undefined, { preventScroll: true });
}

/** Returns the shown game. A set-up position is a game without moves. */
export const shownGame = () => (isSetUp() && page.setup.text ? new Game(engine, page.game.sheet, page.setup.text) : page.game);

export function textIn(format) {
  if (page.setup && !page.setup.text) return page.setup.tried;
  const game = shownGame();
  const { node } = game;
  const { board } = game.sheet;
  switch (format) {
    case "compact": return `${cells(node.position).map((cell) => cell.toUpperCase() || ".").join("")} ${node.toMove}`;
    case "diagram": return engine.look(game.rules, node.position).diagram;
    case "number": return engine.look(game.rules, node.position).number ?? node.position;
    case "game": return toRecord(game, $("show").checked && !page.puzzle ? marks(game) : []);
    default: return node.position;
  }
}

/** The answer whose moves are listed. */
let listed = null;

/** Lists all moves of the shown position: one group per value, the best moves first. */
function showAll() {
  const answer = valuesShown() && !page.thinking ? page.answer : null;
  $("all-moves").hidden = Boolean(page.game.node.over);
  const what = answer ?? valuesShown();
  if ($("analyse").hidden || (what === listed && $("all").hasChildNodes())) return;
  listed = what;
  if (!answer?.moves?.length) {
    $("all").replaceChildren(make("p", { className: "none", textContent: say(answer?.error ? "no_answer" : valuesShown() ? "asking" : "hidden_help") }));
    return;
  }
  const groups = ["win", "draw", "unknown", "loss"].map((value) => [value, sorted(answer.moves).filter((move) => move.value === value)]);
  $("all").replaceChildren(...groups.filter(([, moves]) => moves.length).map(([value, moves], i) => group(value, moves, i === 0)));
}

/** Returns a group of moves. The group is filled when it is opened. */
function group(value, moves, open) {
  const list = make("div", { className: "moves" });
  const fill = () => {
    if (list.childElementCount) return;
    list.append(...moves.map((move) => {
      const button = moveButton(move.move, move.value);
      if (move.distance || move.guess !== undefined) button.append(span(sign(move, page.game.sheet.board.seats.length), "sign-of"));
      return button;
    }));
  };
  const head = make("summary", { className: value }, `${say(`value.${value}`)} `, span(number(moves.length), "count"));
  const details = make("details", { className: "group" }, head, list);
  details.addEventListener("toggle", fill);
  details.open = open;
  if (open) fill();
  return details;
}
