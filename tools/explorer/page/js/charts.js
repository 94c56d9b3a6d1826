// Two small charts, drawn as SVG.

import { make } from "./board.js";
import { engine } from "./engine.js";
import { $, make as element, page, seatName, sheetOf, span, titleOf } from "./page.js";
import { forFirst, marks, valuesOf } from "./review.js";
import { number, say } from "./words.js";

/** Shows the chart of the game if `shown`. The chart is a slider over the positions. */
export function showGame(shown) {
  const { game } = page;
  const chart = shown && game.moves.length > 0;
  $("chart-game").hidden = !chart;
  $("chart-game").replaceChildren(...(chart ? [lineOfGame(game)] : []));
  const aria = { "aria-label": say("chart_game"), "aria-valuemin": 0, "aria-valuemax": game.moves.length, "aria-valuenow": game.at };
  aria["aria-valuetext"] = $("chart-game").querySelector(".current title")?.textContent ?? "";
  for (const [key, value] of Object.entries(aria)) $("chart-game").setAttribute(key, value);
}

/** Returns the index of the position that a click or key on the chart selects, if any. */
export function chosenPoint({ key, clientX }) {
  const { at, moves } = page.game;
  if (key) return { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: moves.length }[key];
  const [first, second] = [...$("chart-game").querySelectorAll(".point")].map((point) => point.getBoundingClientRect());
  const middle = first.left + first.width / 2;
  const place = Math.round((clientX - middle) / (second.left + second.width / 2 - middle));
  return Math.max(0, Math.min(place, moves.length));
}

/** Shows the charts of the server's tables for the rules of the game. */
export async function showTables() {
  const tables = await fetch(new URL("../api/v1/tables", import.meta.url)).then((response) => response.json()).catch(() => null);
  const sets = (tables?.targets ?? []).filter(({ rules, source }) => rules === page.game.rules && source !== "certificate");
  const charts = sets.map(barsOfSet);
  $("chart-tables").replaceChildren(...(charts.length ? [legend(), ...charts] : [element("p", { className: "none", textContent: say("chart_no_tables", { rules: titleOf(page.game.sheet) }) })]));
}

/** Draws the values for the first seat: a win at the top, a guess between, a loss at the bottom. */
function lineOfGame(game) {
  const { nodes, at } = game;
  const first = game.sheet.board.seats[0];
  const values = valuesOf(game, marks(game));
  const heights = nodes.map(({ position, toMove }, i) => {
    const guess = engine.seen(game.rules, position)?.guess;
    return values[i] ?? (guess === undefined ? undefined : forFirst(game.sheet.board, toMove, guess));
  });
  const [width, height, left, middle] = [320, 96, 8, 56];
  const step = (width - 2 * left) / Math.max(nodes.length - 1, 12);
  const y = (value) => middle - value * 32;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  svg.append(make("path", { class: "axis", d: `M0 ${y(0)}H${width}` }));
  let path = "";
  heights.forEach((value, i) => {
    if (value === undefined) return;
    const joined = i > 0 && heights[i - 1] !== undefined;
    path += `${joined ? "L" : "M"}${left + i * step} ${y(value)}`;
  });
  svg.append(make("path", { class: "values", d: path || "M0 0" }));
  const names = { 1: "win", 0: "draw", "-1": "loss" };
  values.forEach((value, i) => {
    const name = names[value] ?? "unknown";
    const other = game.sheet.board.seats.length === 2 && game.sheet.board.seats[1];
    const winner = { win: first, loss: other }[name];
    const label = `${i === 0 ? say("first") : game.moves[i - 1]}: ${winner ? say("wins", { seat: seatName(winner) }) : say(`value.${name}`)}`;
    const point = make("circle", {
      class: `point ${name}${i === at ? " current" : ""}`, cx: left + i * step, cy: y(heights[i] ?? 0), r: i === at ? 6 : 4.5,
    }, make("title", {}, label));
    point.dataset.at = i;
    svg.append(point);
  });
  svg.append(make("text", { class: "note first", x: 0, y: 12 }, say("chart_above", { seat: seatName(first) })));
  return svg;
}

/** Returns the legend of the bars. */
const legend = () => element("p", { className: "legend" }, ...["win", "draw", "loss"].map((name) => span(say(`value.${name}`), name)));

/** Draws the shares of wins, draws and losses of each table of a target. */
function barsOfSet({ target, rules, slices }) {
  const rows = slices.map(({ marbles, captures, wins, draws, losses }) => ({
    name: marbles === undefined ? Object.values(captures ?? {}).join("-") : String(marbles), wins, draws, losses,
  }));
  const [row, left, width] = [20, 34, 320];
  const svg = make("svg", { viewBox: `0 0 ${width} ${rows.length * row + 4}`, role: "img", "aria-label": `${say("chart_tables")}: ${target}` });
  rows.forEach(({ name, wins, draws, losses }, i) => {
    const all = wins + draws + losses || 1;
    const top = i * row + 3;
    svg.append(make("text", { class: "note", x: left - 8, y: top + 12 }, name));
    let x = left;
    for (const [value, count] of [["win", wins], ["draw", draws], ["loss", losses]]) {
      const length = ((width - left) * count) / all;
      const share = number(count / all, { style: "percent", maximumFractionDigits: 1 });
      svg.append(make("rect", { class: value, x, y: top, width: Math.max(0, length - 1), height: row - 5, rx: 2 },
        make("title", {}, `${name}: ${say(`value.${value}`)} ${share}`)));
      x += length;
    }
  });
  return element("figure", {}, element("figcaption", {}, target === rules ? titleOf(sheetOf(rules)) : target), svg);
}
