// The record of a game as text: tags, numbered moves with marks and comments, and the result (docs/records.md).

import { Game } from "./game.js";

/** A tag on a line of its own; a quotation mark in it is written with a backslash before it. */
const TAG = /^\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$/gm;
/** Marks as numbers, and as they are written behind a move. */
const NAGS = { "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6 };

/** Whether a text is such a record: it names its rules. */
export const isRecord = (text) => /^\[Rules\s+"/m.test(text);

/** The result: who won, a draw, or a game that goes on. */
export function resultOf(node) {
  if (!node.over) return "*";
  return node.over.winners.length ? node.over.winners.join("") : "draw";
}

/** The text of a game; `marks` has what stands behind some of its moves, by their numbers from 0. */
export function toRecord(game, marks = []) {
  const { board } = game.sheet;
  const start = game.nodes[0];
  const result = resultOf(game.nodes.at(-1));
  const tags = [["Game", board.game.replace(/^./, (first) => first.toUpperCase())], ["Rules", game.rules]];
  if (start.position !== game.sheet.start) tags.push(["SetUp", start.position]);
  tags.push(["Result", result]);
  const seats = board.seats.length;
  const first = Math.max(0, board.seats.indexOf(start.toMove));
  const words = game.moves.flatMap((move, i) => {
    const at = i + first;
    const number = `${Math.floor(at / seats) + 1}.`;
    // A game that doesn't begin with the first seat says so, as in 3... d3/1-
    const before = at % seats === 0 ? [number] : i === 0 ? [`${number}..`] : [];
    const nag = NAGS[marks[i]];
    return [...before, move, ...(nag ? [`$${nag}`] : [])];
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
  const body = text.replace(TAG, " ").replace(/\{[^}]*\}/g, " ");
  const results = new Set(["*", "draw", ...sheet.board.seats, ...sheet.board.seats.map((seat) => seat.toUpperCase())]);
  for (const word of body.split(/\s+/)) {
    if (!word || /^(\d+\.+|\$\d+)$/.test(word) || results.has(word) || word === tags.get("Result")) continue;
    game.play(word.replace(/[!?]+$/, ""));
  }
  return game;
}
