// Two small charts, drawn as SVG.

import { engine } from "./engine.js";
import { $, known, page } from "./page.js";
import { number, say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function note(text) {
  const element = document.createElement("p");
  element.className = "none";
  element.textContent = text;
  return element;
}

/** Shows the chart of the game. Who chooses a point chooses the position with that number. */
export function showGame() {
  $("chart-game").replaceChildren(lineOfGame(page.game));
}

/** Asks about every position of the game. */
export async function analyse() {
  const { game } = page;
  $("analyse").disabled = true;
  try {
    for (const node of game.nodes) {
      if (!node.over) await engine.values(game.rules, node.position);
      if (page.game !== game) return;
      showGame();
    }
  } finally {
    $("analyse").disabled = false;
  }
}

/** Shows the chart of the tables at hand. */
export async function showTables() {
  const tables = await engine.get("api/v1/tables");
  $("chart-tables").replaceChildren(barsOfTables(tables));
}

/** The value of each position of the game for the first seat: above the middle it wins. */
function lineOfGame(game) {
  const { nodes, at } = game;
  const first = game.sheet.board.seats[0];
  const values = nodes.map((node) => {
    if (node.over) return node.over.winners.length === 0 ? 0 : node.over.winners.includes(first) ? 1 : -1;
    const value = known(node.position)?.value;
    const mine = node.toMove === first ? 1 : -1;
    return { win: mine, draw: 0, loss: -mine }[value];
  });
  if (nodes.length < 2) return note(say("chart_no_game"));
  const [width, height, left] = [320, 112, 8];
  const step = (width - 2 * left) / Math.max(nodes.length - 1, 12);
  const y = (value) => height / 2 - value * 40;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": say("chart_game") });
  svg.append(make("path", { class: "axis", d: `M0 ${y(0)}H${width}` }));
  let path = "";
  values.forEach((value, i) => {
    if (value === undefined) return;
    const joined = i > 0 && values[i - 1] !== undefined;
    path += `${joined ? "L" : "M"}${left + i * step} ${y(value)}`;
  });
  svg.append(make("path", { class: "values", d: path || "M0 0" }));
  const names = { 1: "win", 0: "draw", "-1": "loss" };
  values.forEach((value, i) => {
    const name = names[value] ?? "unknown";
    const label = `${i === 0 ? say("first") : game.moves[i - 1]}: ${say(`value.${name}`)}`;
    const point = make("circle", {
      class: `point ${name}${i === at ? " current" : ""}`, cx: left + i * step, cy: y(value ?? 0), r: i === at ? 6 : 4.5,
    }, make("title", {}, label));
    point.dataset.at = i;
    svg.append(point);
  });
  const text = make("text", { class: "note", x: width, y: 12 }, say("chart_above", { seat: say(`seat.${first}`) }));
  svg.append(text);
  return svg;
}

/** Wins, draws and losses of each slice of the tables at hand, as shares. */
function barsOfTables(tables) {
  const slices = rowsOf(tables);
  if (!slices.length) return note(say("chart_no_tables"));
  const [row, left, width] = [20, 34, 320];
  const svg = make("svg", { viewBox: `0 0 ${width} ${slices.length * row + 4}`, role: "img", "aria-label": say("chart_tables") });
  slices.forEach(({ marbles, wins, draws, losses }, i) => {
    const all = wins + draws + losses || 1;
    const top = i * row + 3;
    svg.append(make("text", { class: "note", x: left - 8, y: top + 12 }, String(marbles)));
    let x = left;
    for (const [name, count] of [["win", wins], ["draw", draws], ["loss", losses]]) {
      const length = ((width - left) * count) / all;
      const share = number(count / all, { style: "percent", maximumFractionDigits: 1 });
      svg.append(make("rect", { class: name, x, y: top, width: Math.max(0, length - 1), height: row - 5, rx: 2 },
        make("title", {}, `${marbles}: ${say(`value.${name}`)} ${share}`)));
      x += length;
    }
  });
  const box = document.createElement("div");
  const legend = document.createElement("p");
  legend.className = "legend";
  for (const name of ["win", "draw", "loss"]) {
    const item = document.createElement("span");
    item.className = name;
    item.textContent = say(`value.${name}`);
    legend.append(item);
  }
  box.append(legend, svg);
  return box;
}

/** The slices in the answer of the server, in whatever sets of tables they are. */
function rowsOf(tables) {
  const found = new Map();
  const visit = (value) => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value && typeof value === "object") {
      const { marbles = value.slice, wins, draws, losses } = value;
      if (Number.isInteger(marbles) && [wins, draws, losses].every((n) => n !== undefined && n !== null)) {
        found.set(marbles, { marbles, wins: Number(wins), draws: Number(draws), losses: Number(losses) });
      } else Object.values(value).forEach(visit);
    }
  };
  visit(tables);
  return [...found.values()].sort((a, b) => a.marbles - b.marbles);
}
