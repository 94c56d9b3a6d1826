// The list of rule variants, and the value of the position under each of them.

import { sign } from "./board.js";
import { engine } from "./engine.js";
import { $, endText, make, page, sentenceOf, titleOf, valueText } from "./page.js";
import { say } from "./words.js";

export async function compare() {
  const { game } = page;
  const { position } = game.node;
  const same = (sheet) => sheet.board.game === game.sheet.board.game && sheet.board.seats.length === game.sheet.board.seats.length
    && !engine.look(sheet.name, position).error;
  const sheets = [...page.sheets.values()].filter(same);
  const table = make("table", {}, make("tr", {}, ...["rules", "value"].map((word) => make("th", { scope: "col" }, say(word)))));
  const results = sheets.map((sheet) => {
    const result = make("td", {}, say("asking"));
    table.append(make("tr", {}, make("th", { scope: "row" }, titleOf(sheet), make("small", {}, sentenceOf(sheet))), result));
    return [sheet, result];
  });
  $("sheets").replaceChildren(table);
  for (const [sheet, result] of results) {
    const look = engine.look(sheet.name, position);
    if (look.over) {
      result.textContent = endText(look.over);
      continue;
    }
    const answer = await engine.values(sheet.name, position);
    result.className = answer.value ?? "";
    result.textContent = answer.error ? say("no_answer") : `${sign(answer, sheet.board.seats.length)} ${valueText(answer)}`;
  }
}

/** Lists all presets with their sentences, without values. */
export function listSheets() {
  const sheets = [...page.sheets.values()].filter(({ title }) => title);
  $("sheets").replaceChildren(make("dl", {}, ...sheets.flatMap((sheet) => [make("dt", {}, titleOf(sheet)), make("dd", {}, sentenceOf(sheet))])));
}
