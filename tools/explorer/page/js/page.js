// The state of the page, and helpers that several files use to show it.

import { engine } from "./engine.js";
import { count, has, language, number, say, word } from "./words.js";

export const $ = (id) => document.getElementById(id);

export const page = {
  game: null,
  sheets: new Map(),
  /** The socket of the placement that has no turn yet. "" if the position has a pending turn. */
  placed: undefined,
  answer: null,
  /** `true` while a better answer than the shown one is computed. */
  refining: false,
  /** The AbortController of the current request. */
  asking: null,
  /** The move of the shown hint. */
  hint: null,
  /** The empty socket that the reader chose last, if the rules forbid it. */
  refused: undefined,
  /** `true` while the solver chooses its move. */
  thinking: false,
  /** `true` while the first screen is shown. */
  home: false,
  /** The last finished game, and the seat of the reader: "" for two players. */
  rematch: null,
  /** The game to return to, while a best line is shown. */
  replaying: null,
  /** The current task: a puzzle, a won position, or a mistake. */
  puzzle: null,
  setup: null,
  /** The last set-up of the reader, if its position was impossible. */
  draft: null,
  /** `true` while a move is played, "verdict" while the page shows the verdict on it. */
  busy: false,
};

export const sheetOf = (name) => {
  const known = page.sheets.get(name);
  if (known) return known;
  const sheet = engine.board(name);
  if (sheet.error) throw new Error(sheet.error);
  page.sheets.set(name, sheet);
  return sheet;
};

export const titleOf = (sheet) => (has(`rules.${sheet.name}`) ? say(`rules.${sheet.name}`) : sheet.title || sheet.name);
export const sentenceOf = (sheet) => (has(`sentence.${sheet.name}`) ? say(`sentence.${sheet.name}`) : sheet.sentence);

/** Returns the key of a seat's name. Two seats have the same names in every game. */
export const seatWord = (seat, seats = page.game?.sheet.board.seats ?? []) => `seat.${(seats.length === 2 && "xo"[seats.indexOf(seat)]) || seat}`;
export const seatName = (...seat) => say(seatWord(...seat));

/**
 * Returns the seat of the reader, or "" if the solver has no seat. After a game has ended, the list
 * of seats is for the next game.
 */
export const mySeat = () => (page.rematch?.game === (page.replaying ?? page.game) ? "" : $("you").value);

/** Returns `true` if the solver has the side to move. */
export const isOthers = () => !page.puzzle && mySeat() !== "" && mySeat() !== page.game.node.toMove;

/** Returns `true` if the reader has set up another position than the shown one. */
export const isSetUp = () => Boolean(page.setup) && page.setup.text !== page.game.node.position;

/** Returns `true` if the page shows values now. */
export const valuesShown = () => !page.home && !page.setup && $("show").checked && (!page.puzzle || page.puzzle.done);

/**
 * Returns the index of the position one move back (-1) or forward (1): against the solver, of the
 * reader's next turn. If the reader had no turn before, returns the index of the shown position.
 */
export function stepped(by) {
  const { game, puzzle } = page;
  const me = puzzle && !puzzle.done ? puzzle.seat : mySeat();
  let at = game.at + by;
  while (me && at > 0 && at < game.moves.length && game.nodes[at].toMove !== me) at += by;
  return me && at === 0 && game.nodes[0].toMove !== me ? game.at : at;
}

/** Returns the number of moves of one seat in a number of plies. */
export const movesIn = (plies) => Math.ceil(plies / page.game.sheet.board.seats.length);

/** Returns a value in words, for the side to move: its winner, or the chances of a guess. */
export function valueText({ value, source, distance: plies, guess, moves = [] }) {
  const { seats } = page.game.sheet.board;
  const { toMove } = page.game.node;
  const distance = source === "rules" || moves.some((known) => known.source === "rules" && known.value === "win") ? 1 : plies;
  const other = seats.length === 2 ? seats.find((seat) => seat !== toMove) : null;
  if (value === "unknown" && guess !== undefined) {
    const [seat, share] = guess < 0.5 && other ? [other, 1 - guess] : [toMove, guess];
    return say(share >= 0.6 ? "likely" : other ? "even" : "chances", { seat: seatName(seat), share: number(share, { style: "percent" }) });
  }
  if (value === "loss" && !other) return say("loses", { seat: seatName(toMove) });
  if (value !== "win" && value !== "loss") return say(`value.${value}`);
  const seat = seatName(value === "win" ? toMove : other);
  return distance ? count("wins_in", movesIn(distance), { seat }) : say("wins", { seat });
}

/** Returns the end of a game in words: its winners, or a draw. */
export function endText({ winners }) {
  const seats = new Intl.ListFormat(language).format(winners.map((seat) => seatName(seat)));
  return winners.length === 1 ? say("wins", { seat: seats }) : say(winners.length ? "win_together" : "value.draw", { seats });
}

export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

export const span = (textContent, className = "") => make("span", { textContent, className });

/** Returns a button of a list of moves. */
export function moveButton(move, value) {
  const button = make("button", { type: "button", className: `move ${value ?? ""}`, textContent: move });
  button.dataset.move = move;
  return button;
}

/**
 * Shows an error: a text of the page, and the message of the program (`said`). The message is in
 * English. Its first line is a sentence, and more lines may show the input with carets under the
 * error.
 */
export function complain(element, key, values, said = "") {
  const [sentence, ...lines] = said.split("\n");
  const text = make("div", {}, word(make("span"), key, values));
  if (sentence) text.append(" ", make("span", { lang: "en" }, sentence));
  element.replaceChildren(text);
  if (lines.length) element.append(make("pre", { lang: "en", tabIndex: 0 }, lines.join("\n")));
}

/** Shows a message at the top of the page, or hides it if `key` is empty. */
export function notice(key = "", values = {}, said = "") {
  $("notice").hidden = !key;
  if (key) complain($("notice"), key, values, said);
}
