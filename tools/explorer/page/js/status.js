// The status of the position: the side to move, the value with its source, and the best moves.

import { engine } from "./engine.js";
import { $, complain, endText, make, moveButton, movesIn, mySeat, page, seatName, sentenceOf, span, valueText, valuesShown } from "./page.js";
import { cells, lines } from "./game.js";
import { advised, plies } from "./play.js";
import { markOf } from "./review.js";
import { bytes, has, number, say } from "./words.js";

/** The maximum number of best moves listed. The rest is only counted. */
const LISTED = 6;

export function showStatus() {
  const { node } = page.game;
  const { answer } = page;
  const headline = $("value");
  $("best").replaceChildren();
  $("best").hidden = !valuesShown();
  $("figures").hidden = true;
  $("detail").textContent = "\u00a0";
  $("signs").hidden = !answer?.moves || !valuesShown();
  showNext();
  $("about-below").hidden = Boolean(page.setup);
  if (page.setup) {
    const possible = page.setup.text !== null;
    $("to-move").textContent = say("to_move", { seat: seatName($("side").value) });
    headline.className = `value sentence ${possible ? "" : "loss"}`;
    headline.textContent = say(possible ? "setup_help" : "impossible");
    return;
  }
  if (node.over) {
    const { winners } = node.over;
    const you = page.rematch?.game === page.game && page.rematch.you;
    const { board } = page.game.sheet;
    headline.className = "value over";
    $("to-move").textContent = say("over");
    headline.textContent = you && winners.length ? say(winners.includes(you) ? "you_won" : "you_lost") : endText(node.over);
    const who = you && winners.length && board.seats.length > 2 ? `${endText(node.over)}. ` : "";
    const fives = new Set([...lines(cells(node.position), board)].map((index) => cells(node.position)[index]));
    const row = fives.size ? say(winners.length || fives.size > 1 ? "in_a_row" : "reply_in_a_row", { n: number(board.line) }) : "";
    $("detail").textContent = `${who}${row}${captured(node)}`.replace(/^ \u00b7 /, "") || "\u00a0";
    return;
  }
  const { puzzle } = page;
  const seat = seatName(node.toMove);
  const asked = puzzle && !puzzle.done && puzzle.seat === node.toMove && puzzle.kind !== "mistake";
  $("to-move").textContent = say(asked ? "puzzle_to_move" : "to_move", { seat }) + captured(node);
  headline.className = `value ${valuesShown() && answer ? answer.value ?? "" : ""}`;
  if (page.thinking) {
    headline.className = "value";
    headline.textContent = say("thinking");
    $("detail").textContent = say("thinking_help", { seat });
  } else if (page.refused || (page.placed && node.moves.some(({ move }) => move === page.placed) && !page.busy)) {
    headline.className = "value sentence";
    headline.textContent = say(page.refused ? "forbidden" : "tap_again", { socket: page.refused ?? page.placed });
  } else if (page.hint) {
    // In a task, the verdict names the move.
    headline.className = puzzle ? "value sentence" : "value";
    headline.textContent = say("hint_is", { move: page.hint });
  } else if (!valuesShown()) {
    const you = mySeat() === node.toMove;
    const turning = page.placed !== undefined && !page.busy;
    const { seats } = page.game.sheet.board;
    // If the solver has no seat, the headline names the side to move.
    if (!turning && !puzzle && !you) [headline.textContent, $("to-move").textContent] = [$("to-move").textContent, "\u00a0"];
    else headline.textContent = turning ? say("now_turn") : say(!puzzle ? "your_turn" : puzzle.kind === "puzzle" ? "find" : `task.${puzzle.kind}`, { move: puzzle?.played });
    headline.className = puzzle || turning ? "value sentence" : "value";
    $("detail").textContent = turning ? say("turn_help") : isUnbeatable() ? say("unbeatable") : seats.length > 2 ? sentenceOf(page.game.sheet) : puzzle || mySeat() ? "\u00a0" : say("hidden_help");
  } else if (!answer) {
    headline.textContent = say("asking");
    $("detail").textContent = engine.server ? say("asking_server") : say("asking_here");
  } else if (answer.error) {
    headline.textContent = say("no_answer");
    complain($("detail"), answer.word ?? "program_says", {}, answer.word ? "" : answer.error);
  } else {
    headline.textContent = valueText(answer);
    $("detail").textContent = detail(answer);
    $("figures-text").textContent = figures(answer);
    $("figures").hidden = !$("figures-text").textContent;
    showBest(answer);
  }
}

/** Returns `true` if the perfect level began the game, and has just played by a certificate. */
function isUnbeatable() {
  const { game, puzzle } = page;
  const [{ position, toMove }] = game.nodes;
  const before = game.at > 0 && engine.seen(game.rules, game.nodes[game.at - 1].position);
  const asked = !puzzle && $("strength").value === "5" && mySeat() === game.node.toMove && position === game.sheet.start && toMove !== game.node.toMove;
  return asked && before?.source === "certificate" && before.best.includes(game.node.last);
}

/** Shows the buttons after the end of a game or a puzzle. */
function showNext() {
  const { game, puzzle, rematch } = page;
  const ended = rematch?.game === game && !puzzle && !page.setup && Boolean(game.node.over);
  const solved = puzzle?.kind === "puzzle" && puzzle.done;
  for (const id of ["review", "rematch"]) $(id).hidden = !ended;
  $("next-level").hidden = !ended || !rematch.you || $("strength").selectedIndex === $("strength").length - 1;
  $("next-puzzle").hidden = !solved;
  $("next").hidden = !ended && !solved;
}

const sourceOf = ({ found, source }) => (found?.by === "proof" ? "proof" : source ?? "solved");

/**
 * Returns the least known bound on the plies to the end: that of the answer, or what the moves of
 * the game have left of an earlier bound.
 */
function bound(answer) {
  const { nodes, moves, at, rules } = page.game;
  let within = Infinity;
  for (const [i, text] of moves.slice(0, at).entries()) {
    const before = engine.seen(rules, nodes[i].position);
    const move = before?.moves.find(({ move }) => move === text);
    const lengths = move && move.value === before.value ? [plies(move)] : [];
    // Every move of the loser keeps the bound.
    if (before?.value === "loss") lengths.push(within, plies(before));
    within = Math.min(...lengths) - 1;
  }
  return Math.min(within, plies(answer));
}

/** Describes the source of a value in a sentence. */
function detail(answer) {
  const source = answer.value === "unknown" ? (answer.guess === undefined ? "unknown" : "guess") : sourceOf(answer);
  const texts = [has(`source.${source}`) ? say(`source.${source}`, { n: number(movesIn(bound(answer))) }) : source];
  if (Object.keys(answer.seats ?? {}).length > 2 && answer.value !== "unknown") texts.unshift(`${Object.entries(answer.seats).map(([seat, value]) => `${seatName(seat.toLowerCase())}: ${say(`value.${value}`)}`).join(" \u00b7 ")}.`);
  if (answer.at_least === "draw") texts.push(say("at_least_draw"));
  if (answer.fault) texts.push(say(`tables.${answer.fault}`));
  if (page.refining) texts.push(say(engine.server ? "asking_server" : "asking_here"));
  return texts.join(" ");
}

/** Lists the figures of an answer: its time, the plies of proofs, and the cost of a solution. */
function figures({ value, proved, full, seconds, here, kernel, ...answer }) {
  const texts = [];
  if (value === "unknown") {
    if (Array.isArray(proved)) texts.push(...proved.map(proof));
    else if (proved) texts.push(say("proved", { n: number(Math.min(proved.no_win_within, proved.no_loss_within)) }));
    if (full) texts.push(say("would_take", { boards: number(full.boards, { notation: "compact" }), memory: bytes(full.bytes) }));
  } else if (sourceOf(answer) === "solved" && seconds > 0.001) {
    texts.push(say(here && kernel === "gpu" ? "took_gpu" : "took", { seconds: number(seconds, { maximumSignificantDigits: 2 }) }));
  }
  return texts.join(" ");
}

/** The translations of the proofs by the engines of the other games. */
const PROOFS = [
  [/^no win by threats within (\d+) plies$/, (n) => say("proof.threats", { n: number(n) })],
  [/^no win found by threats and (\d+) quiet moves? within (\d+) plies$/, (quiet, n) => say("proof.quiet", { quiet: number(quiet), n: number(n) })],
  [/^no forced win within (\d+) plies$/, (n) => say("proof.forced", { seat: seatName(page.game.node.toMove), n: number(n) })],
  [/^([A-Z]) has no forced win within (\d+) plies$/, (seat, n) => say("proof.forced", { seat: seatName(seat.toLowerCase()), n: number(n) })],
];

function proof(text) {
  const [pattern, words] = PROOFS.find(([pattern]) => pattern.test(text)) ?? [];
  return pattern ? words(...pattern.exec(text).slice(1)) : `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** Describes the captured stones, or the places of seats that have left the game. */
function captured({ diagram, position }) {
  const counts = [...diagram.matchAll(/by ([A-Z]): (\d+)/g)];
  const placed = /[a-d] ([A-D=,]+)$/.exec(position)?.[1] ?? "";
  const placeOf = (index) => 1 + placed.slice(0, placed.lastIndexOf(",", index) + 1).replace(/\W/g, "").length;
  const each = [...placed.matchAll(/\w/g)].map(({ 0: seat, index }) => `${placeOf(index)}. ${seatName(seat.toLowerCase())}`);
  if (counts.some(([, , n]) => n !== "0")) each.push(...counts.map(([, seat, n]) => say("captured_by", { seat: seatName(seat.toLowerCase()), n: number(n) })));
  return each.length ? ` \u00b7 ${each.join(", ")}` : "";
}

/** Shows the mark of the last move. */
export function showJudged(shown) {
  const { game } = page;
  const mark = shown && game.at > 0 ? markOf(game, game.at - 1) : null;
  $("judged").hidden = !mark || mark.name === "good";
  if (!mark || mark.name === "good") return;
  $("judged").className = `mark-${mark.name}`;
  const best = mark.lost > 0 && mark.best.length ? ` ${say("better", { move: mark.best.slice(0, 2).join(", ") })}` : "";
  $("judged").textContent = `${game.node.last}: ${say(`mark.${mark.name}`)}.${best}`;
}

/** The greatest share of finished work that the page has shown for the current request. */
let shown = 0;

/**
 * Shows the progress of the server, or of the GPU in this browser. A request may have several
 * stages, but the shown share never falls. The state "new" begins a request.
 */
export function showProgress({ state, waiting, done, total }) {
  if (state === "new") shown = 0;
  else if (state === "busy") $("detail").textContent = say("server_busy");
  else if (state === "queued") $("detail").textContent = say("queued", { n: number(waiting) });
  else if (total > 0) {
    // After the last stage, the answer still takes a moment.
    shown = Math.max(shown, Math.min(done / total, 0.99));
    $("detail").textContent = say("progress", { share: number(shown, { style: "percent", maximumFractionDigits: 0 }) });
  }
}

function showBest(answer) {
  const moves = advised(answer);
  const best = moves.slice(0, LISTED);
  const buttons = best.map((text) => moveButton(text, answer.moves.find((move) => move.move === text)?.value));
  const more = moves.length - best.length;
  const lost = answer.value === "loss" && moves.length === answer.moves.length;
  if (buttons.length) $("best").append(span(say(lost ? "all_lose" : answer.guess === undefined ? "best" : "best_guess")), ...buttons);
  if (more > 0) $("best").append(make("button", { type: "button", id: "more-moves", className: "more", textContent: say("and_more", { n: number(more) }) }));
}

/** Reports the last move, the side to move and a text to screen readers. */
export function announce(text) {
  const { node, nodes, at } = page.game;
  const played = node.last && say("played", { seat: seatName(nodes[at - 1].toMove), move: node.last });
  const seat = node.over ? "" : say("to_move", { seat: seatName(node.toMove) });
  $("said").textContent = [played, text.startsWith(seat) ? "" : seat, text].filter(Boolean).join(". ");
}
