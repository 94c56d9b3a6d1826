// The set-up of a position: with marbles on the board, or as text.

import { engine } from "./engine.js";
import { cells, fromText, rowsOf } from "./game.js";
import { $, complain, make, page, seatName, seatWord, sheetOf } from "./page.js";
import { show } from "./show.js";
import { number, say, word } from "./words.js";

export function setMarble(index) {
  const { setup } = page;
  setup.grid[index] = setup.grid[index] === setup.marble ? "" : setup.marble;
  $("text").value = $("text").defaultValue;
  // If the marbles allow only one side to move, select that side.
  $("side").value = look($("side").value, ...page.game.sheet.board.seats).to_move ?? $("side").value;
  tryPosition();
}

/**
 * Returns the position on the board with the first of `sides` that may be to move. Keeps the parts
 * of the previous position that the board does not show, such as captured stones, if they are still
 * valid.
 */
function look(...sides) {
  const { sheet } = page.game;
  const { grid, rest } = page.setup;
  const texts = [rest, []].flatMap((rest) => sides.map((side) => [rowsOf(grid, sheet.board), side, ...rest].join(" ")));
  const looks = texts.map((text) => ({ text, ...engine.look(sheet.name, text) }));
  return looks.find(({ error }) => !error) ?? looks.at(-1);
}

/** Validates and shows the position on the board, without its values. */
export function tryPosition() {
  const { error, position, text } = look($("side").value);
  const { grid } = page.setup;
  const counts = page.game.sheet.board.seats.map((seat) => `${seatName(seat)} ${number(grid.filter((cell) => cell === seat).length)}`);
  if (error) $("error").replaceChildren(word(make("p"), "impossible_why", { counts: counts.join(", ") }));
  else $("error").replaceChildren();
  Object.assign(page.setup, { text: error ? null : position, tried: text, side: $("side").value });
  show();
}

export function beginSetup() {
  const { sheet, node } = page.game;
  page.asking?.abort(new DOMException("setting up", "AbortError"));
  page.puzzle = null;
  page.placed = undefined;
  page.hint = null;
  const { draft } = page;
  page.setup = { node, grid: cells(node.position), rest: node.position.split(" ").slice(2), text: node.position, side: node.toMove };
  if (draft?.node === node) page.setup = draft;
  page.draft = null;
  page.setup.marble = sheet.board.seats[0];
  $("side").replaceChildren(...sheet.board.seats.map((seat) => word(new Option("", seat), seatWord(seat))));
  $("side").value = page.setup.side;
  const choices = [...sheet.board.seats, ""].map((seat, i) => {
    const radio = make("input", { type: "radio", name: "marble", value: seat, checked: i === 0 });
    radio.addEventListener("change", () => { if (page.setup) page.setup.marble = seat; });
    return make("label", { className: seat ? `seat-${seat}` : "empty" }, radio, word(make("span"), seat ? seatWord(seat) : "empty"));
  });
  $("palette").replaceChildren(...choices);
  $("error").replaceChildren();
  if (page.setup === draft) tryPosition();
  else show();
}

/** Parses the text field. Returns null and shows the error if the text is invalid. */
export async function loadText() {
  await engine.loaded;
  try {
    const read = fromText(engine, page.game.rules, $("text").value, sheetOf);
    page.setup = null;
    page.puzzle = null;
    return read;
  } catch (error) {
    complain($("error"), "text_unread", {}, error.message);
    $("error").scrollIntoView({ block: "nearest" });
    return null;
  }
}

export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission for the clipboard, select the text, so that the reader can copy it.
    $("text").value = text;
    $("text").select();
  }
  const word = button.dataset.word;
  button.textContent = say("copied");
  setTimeout(() => { button.textContent = say(word); }, 1200);
}
