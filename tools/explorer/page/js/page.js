// The state of the page, which its parts share, and the words that several of them say about it.

import { engine } from "./engine.js";
import { has, number, say, word } from "./words.js";

export const $ = (id) => document.getElementById(id);

export const page = {
  game: null,
  sheets: new Map(),
  /** The socket whose turn is to be chosen; "" while a turn of the position itself is pending. */
  placed: undefined,
  answer: null,
  /** What ends the question that is being asked. */
  asking: null,
  /** The move that a hint shows. */
  hint: null,
  /** The opponent is choosing a move. */
  thinking: false,
  /** The first screen is shown, not a game. */
  home: false,
  /** The game against the solver that is over, and whom the reader played in it. */
  rematch: null,
  /** A best line is being played on the board, and this is the game to come back to. */
  replaying: null,
  /** What the reader is asked to do with the position. */
  puzzle: null,
  setup: null,
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
export const seatName = (seat) => say(`seat.${seat}`);

/** Whether values are to be seen now. */
export const valuesShown = () => !page.home && !page.setup && $("show").checked && (!page.puzzle || page.puzzle.done);

export function valueText({ value, distance }) {
  if (distance === null || distance === undefined) return say(`value.${value}`);
  return say(`value.${value}_in`, { n: number(distance) });
}

export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

export const span = (textContent, className = "") => make("span", { textContent, className });

/** A button in a list of moves. */
export const moveButton = (move, value) => make("button", { type: "button", className: `move ${value ?? ""}`, textContent: move });

/**
 * Says what is wrong in a text of the page. What the solver adds is English: a sentence, and below it
 * perhaps a text with carets under a place.
 */
export function complain(element, key, values, said = "") {
  const [sentence, ...lines] = said.split("\n");
  const text = make("div", {}, word(make("span"), key, values));
  if (sentence) text.append(" ", make("span", { lang: "en" }, sentence));
  element.replaceChildren(text);
  if (lines.length) element.append(make("pre", { lang: "en", tabIndex: 0 }, lines.join("\n")));
}

/** Says something above everything else; it goes with the next thing that is done. */
export function notice(key = "", values = {}, said = "") {
  $("notice").hidden = !key;
  if (key) complain($("notice"), key, values, said);
  else $("notice").replaceChildren();
}
