// What is said of the position: whose turn it is, its value and where that comes from, its best moves.

import { engine } from "./engine.js";
import { $, page, seatName, span, valueText, valuesShown } from "./page.js";
import { bytes, has, language, number, say } from "./words.js";

/** Best moves that are listed; more are counted. */
const LISTED = 6;

export function showStatus() {
  const { node } = page.game;
  const { answer } = page;
  const headline = $("value");
  $("best").replaceChildren();
  if (page.setup) {
    $("to-move").textContent = say("setup");
    headline.className = "value";
    headline.textContent = "\u00a0";
    $("detail").textContent = "\u00a0";
    return;
  }
  if (node.over) {
    const winners = node.over.winners.map(seatName);
    headline.className = "value over";
    $("to-move").textContent = say("over");
    headline.textContent = winners.length ? say("wins", { seat: new Intl.ListFormat(language).format(winners) }) : say("drawn");
    $("detail").textContent = say("source.rules");
    return;
  }
  $("to-move").textContent = page.puzzle && !page.hinted ? say("puzzle_to_move", { seat: seatName(node.toMove) }) : say("to_move", { seat: seatName(node.toMove) });
  headline.className = `value ${valuesShown() && answer ? answer.value ?? "" : ""}`;
  if (!valuesShown()) {
    headline.textContent = say("hidden");
    $("detail").textContent = say("hidden_help");
  } else if (!answer) {
    headline.textContent = say("asking");
    $("detail").textContent = engine.server ? say("asking_server") : say("asking_here");
  } else if (answer.error) {
    headline.textContent = say("no_answer");
    $("detail").textContent = answer.error;
  } else {
    headline.textContent = valueText(answer);
    $("detail").textContent = detail(answer);
    showBest(answer);
  }
}

/** What is proved of an unknown value. */
function ruledOut({ no_win_within: win, no_loss_within: loss }) {
  if (win === loss) return say("proved", { n: number(win) });
  return say("proved_each", { win: number(win), loss: number(loss) });
}

/** Where a value comes from; what is proved where it is unknown, and what it would cost. */
function detail(answer) {
  const texts = [];
  if (answer.value === "unknown") {
    if (Array.isArray(answer.proved)) texts.push(...answer.proved.map((text) => `${text}.`));
    else if (answer.proved) texts.push(ruledOut(answer.proved));
    if (answer.at_least === "draw") texts.push(say("at_least_draw"));
    if (answer.guess !== undefined) texts.push(say("guess_is", { n: number(answer.guess, { style: "percent" }) }));
    if (answer.full) {
      const size = { boards: number(answer.full.boards, { notation: "compact" }), memory: bytes(answer.full.bytes) };
      texts.push(say("would_take", size));
    }
  } else {
    const source = answer.found?.by === "proof" ? "proof" : answer.source ?? "solved";
    texts.push(has(`source.${source}`) ? say(`source.${source}`, { n: number(answer.found?.within ?? 0) }) : source);
    if (source === "solved" && answer.seconds > 0.001) {
      texts.push(say(answer.here ? "took_here" : "took", { seconds: number(answer.seconds, { maximumSignificantDigits: 2 }) }));
    }
  }
  return texts.join(" ");
}

/** How far the server is. */
export function showProgress({ state, waiting, done, total }) {
  if (state === "queued") $("detail").textContent = say("queued", { n: number(waiting) });
  else if (total > 0) $("detail").textContent = say("progress", { share: number(done / total, { style: "percent" }) });
}

function showBest(answer) {
  const best = (answer.best ?? []).slice(0, LISTED);
  const buttons = best.map((text) => moveButton(text, answer.moves.find((move) => move.move === text)));
  const more = (answer.best?.length ?? 0) - best.length;
  if (buttons.length) $("best").append(span(say(answer.guess === undefined ? "best" : "best_guess")), ...buttons);
  if (more > 0) $("best").append(span(say("and_more", { n: number(more) })));
}

function moveButton(text, value) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `move ${value?.value ?? ""}`;
  button.textContent = text;
  return button;
}

export function announce(text) {
  const { node } = page.game;
  const seat = node.over ? "" : say("to_move", { seat: seatName(node.toMove) });
  $("said").textContent = [node.last, seat, text].filter(Boolean).join(". ");
}
