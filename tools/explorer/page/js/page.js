// The state of the page, which its parts share, and the words that several of them say about it.

import { engine } from "./engine.js";
import { has, number, say } from "./words.js";

export const $ = (id) => document.getElementById(id);

export const page = {
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
export const valuesShown = () => page.hinted || ($("show").checked && !page.puzzle && !page.setup);

export const known = (position) => engine.known(page.game.rules, position, false);

export function valueText({ value, distance }) {
  if (distance === null || distance === undefined) return say(`value.${value}`);
  return say(`value.${value}_in`, { n: number(distance) });
}

export function span(text) {
  const element = document.createElement("span");
  element.textContent = text;
  return element;
}
