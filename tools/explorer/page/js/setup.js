// Setting up a position: by marbles on the board, or by a text.

import { engine } from "./engine.js";
import { Game, cells, fromText, rowsOf } from "./game.js";
import { ask, openGame } from "./moves.js";
import { $, page, seatName, sheetOf, span } from "./page.js";
import { show } from "./show.js";
import { say } from "./words.js";

export function setMarble(index) {
  const { setup } = page;
  setup.grid[index] = setup.grid[index] === setup.marble ? "" : setup.marble;
  tryPosition();
}

/** Whether what was set up is a position; it is shown at once, and asked about when it is left. */
export function tryPosition() {
  const { sheet } = page.game;
  const text = `${rowsOf(page.setup.grid, sheet.board)} ${$("side").value}`;
  const look = engine.look(sheet.name, text);
  $("error").textContent = look.error ?? "";
  page.setup.text = look.error ? null : look.position;
  show();
  $("text").value = text;
}

export function beginSetup() {
  const { sheet, node } = page.game;
  page.asking?.abort(new DOMException("setting up", "AbortError"));
  page.puzzle = null;
  page.placed = undefined;
  page.hint = null;
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
export function endSetup() {
  const { setup, game } = page;
  if (!setup) return;
  page.setup = null;
  if (setup.text && setup.text !== game.node.position) openGame(new Game(engine, game.sheet, setup.text));
  else ask();
}

export function loadText() {
  try {
    const game = fromText(engine, page.game.rules, $("text").value, sheetOf);
    page.setup = null;
    $("error").textContent = "";
    page.puzzle = null;
    openGame(game);
    return true;
  } catch (error) {
    $("error").textContent = error.message;
    return false;
  }
}

export async function copy(text, button) {
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
