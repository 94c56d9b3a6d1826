// The list of all moves of the shown position: one group per value, the best moves first.

import { sign } from "./board.js";
import { $, make, moveButton, page, span, valuesShown } from "./page.js";
import { sorted } from "./play.js";
import { number, say } from "./words.js";

let shown = null;

export function showAll() {
  const answer = valuesShown() && !page.thinking ? page.answer : null;
  $("all-moves").hidden = Boolean(page.game.node.over);
  const what = answer ?? valuesShown();
  if ($("analyse").hidden || what === shown) return;
  shown = what;
  if (!answer?.moves?.length) {
    $("all").replaceChildren(make("p", { className: "none", textContent: say(answer?.error ? "no_answer" : valuesShown() ? "asking" : "hidden") }));
    return;
  }
  const groups = ["win", "draw", "unknown", "loss"].map((value) => [value, sorted(answer.moves).filter((move) => move.value === value)]);
  $("all").replaceChildren(...groups.filter(([, moves]) => moves.length).map(([value, moves], i) => group(value, moves, i === 0)));
}

/** Returns a group of moves. The group is filled when it is opened. */
function group(value, moves, open) {
  const list = make("div", { className: "moves" });
  const fill = () => {
    if (list.childElementCount) return;
    list.append(...moves.map((move) => {
      const button = moveButton(move.move, move.value);
      button.dataset.move = move.move;
      if (move.distance || move.guess !== undefined) button.append(span(sign(move, page.game.sheet.board.seats.length), "sign-of"));
      return button;
    }));
  };
  const head = make("summary", { className: value }, `${say(`value.${value}`)} `, span(number(moves.length), "count"));
  const details = make("details", { className: "group" }, head, list);
  details.addEventListener("toggle", fill);
  details.open = open;
  if (open) fill();
  return details;
}

/** Forces a rebuild of the list, after a change of the language. */
export function forgetAll() {
  shown = null;
}
