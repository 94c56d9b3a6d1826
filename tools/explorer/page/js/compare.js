// The list of rule variants, and the value of the position under each of them.

import { sign } from "./board.js";
import { engine } from "./engine.js";
import { $, page, seatName, sentenceOf, titleOf, valueText } from "./page.js";
import { say } from "./words.js";

export async function compare() {
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
    result.textContent = answer.error ? say("no_answer") : `${sign(answer, sheet.board.seats.length)} ${valueText(answer)}`;
  }
}

/** Lists all presets with their sentences, without values. */
export function listSheets() {
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
