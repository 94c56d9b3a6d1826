// The record of a game as text: tags, numbered moves with marks and comments, and the result (docs/records.md).

import { Game } from "./game.js";

/** A tag on a line of its own; a quotation mark in it is written with a backslash before it. */
const TAG = /^\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$/gm;
/** The numbers of the marks that a review gives: a very bad move, a bad one, the only one. */
const NUMBERS = { win_lost: 4, draw_lost: 2, only: 8 };
/** What records call the games. */
const TITLES = { pentago: "Pentago", xl: "Pentago XL", pente: "Pente" };

/** Whether a text is such a record: it names its rules. */
export const isRecord = (text) => /^\[Rules\s+"/m.test(text);

/** The result: who won, a draw, or a game that goes on. */
export function resultOf(node) {
  if (!node.over) return "*";
  return node.over.winners.length ? node.over.winners.join("") : "draw";
}

/** The text of a game; `marks` are those of its review, as far as there are any. */
export function toRecord(game, marks = []) {
  const { board } = game.sheet;
  const start = game.nodes[0];
  const result = resultOf(game.nodes.at(-1));
  const tags = [["Game", TITLES[board.game] ?? board.game], ["Rules", game.rules]];
  if (start.position !== game.sheet.start) tags.push(["SetUp", start.position]);
  tags.push(["Result", result]);
  const seats = board.seats.length;
  const first = Math.max(0, board.seats.indexOf(start.toMove));
  const words = game.moves.flatMap((move, i) => {
    const at = i + first;
    const before = at % seats === 0 || i === 0 ? [`${Math.floor(at / seats) + 1}.`] : [];
    const number = NUMBERS[marks[i]?.name];
    return [...before, move, ...(number ? [`$${number}`] : [])];
  });
  const lines = [""];
  for (const word of [...words, result]) {
    if (lines.at(-1).length + word.length > 78) lines.push("");
    lines.push([lines.pop(), word].filter(Boolean).join(" "));
  }
  return `${tags.map(([name, value]) => `[${name} "${value}"]\n`).join("")}\n${lines.join("\n")}\n`;
}

/** Reads such a text. What is wrong with it is thrown. */
export function fromRecord(engine, text, sheetOf) {
  const tags = new Map([...text.matchAll(TAG)].map(([, name, value]) => [name, value.replace(/\\(.)/g, "$1")]));
  const sheet = sheetOf(tags.get("Rules"));
  const start = tags.get("SetUp");
  const read = start === undefined ? { position: sheet.start } : engine.read(sheet.name, start);
  if (read.error) throw new Error(read.error);
  const game = new Game(engine, sheet, read.position);
  // Neither comments nor lines that begin with # are moves.
  const body = text.replace(TAG, " ").replace(/\{[^}]*\}/g, " ").replace(/^\s*#.*$/gm, " ");
  const results = new Set(["*", "draw", "1-0", "0-1", "1/2-1/2", ...sheet.board.seats, ...sheet.board.seats.map((seat) => seat.toUpperCase())]);
  for (const word of body.split(/[\s,]+/)) {
    const move = word.replace(/^\d+\.+/, "").replace(/[!?]+$/, "");
    if (move && !/^\$\d+$/.test(move) && !results.has(move) && move !== tags.get("Result")) game.play(move);
  }
  return game;
}
