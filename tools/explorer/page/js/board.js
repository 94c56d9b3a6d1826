// The board as SVG, for any game: sockets, marbles and quadrants from the description of its board.

import { turned } from "./game.js";

const SVG = "http://www.w3.org/2000/svg";
/** Units: a socket's side, the space between quadrants, and for the buttons of turns. */
const CELL = 100;
const GAP = 22;
const CHIP = 92;
/** The frame around the quadrants, on which the names of rows and columns stand. */
const EDGE = 36;
/** The size of these names on a board that is no wider than ten sockets. */
const NAME = 23;
/** How long a quadrant turns, in milliseconds. */
const TURNING = 420;

/** What stands for a value where colours aren't seen. */
export const SIGNS = { win: "+", draw: "=", loss: "\u2212", unknown: "?" };
/** The sign of a value, with the plies to the end. */
export const sign = ({ value, distance, guess }) => (guess === undefined ? SIGNS[value] + (distance ?? "") : String(Math.round(100 * guess)));

/** What has no value but a guess, in percent. */
const guessed = (about) => about?.guess !== undefined && "guess";

function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export class Board {
  /** `say` gives labels, `on` is told what is chosen: `socket(index)`, `turn(quadrant, clockwise)`. */
  constructor(svg, say, on) {
    this.svg = svg;
    this.say = say;
    this.on = on;
    this.focused = 0;
    svg.addEventListener("click", (event) => this.chosen(event.target));
    svg.addEventListener("keydown", (event) => this.key(event));
    // From outside: Chromium lets the tab key lead to a drawing that is listened to for the focus.
    svg.parentNode.addEventListener("focusin", (event) => this.focus(event.target));
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointerup", (event) => this.lift(event));
  }

  /** Draws the empty board of a game. */
  set(board, title) {
    if (this.board === board) return;
    this.board = board;
    this.focused = Math.min(this.focused, board.rows * board.columns - 1);
    this.measure();
    this.crop(false);
    this.svg.classList.toggle("points", board.quadrants.length === 0);
    this.svg.replaceChildren(definitions(board), make("title", {}, title));
    this.sockets = [];
    this.quadrants = [];
    this.svg.append(this.frame(), this.labels());
    const groups = board.quadrants.map((quadrant) => this.quadrant(quadrant));
    if (groups.length === 0) groups.push(this.plain());
    const chips = make("g", { class: "chips" });
    this.chips = [];
    board.quadrants.forEach((quadrant, q) => {
      if (!quadrant.turns) return;
      for (const clockwise of [true, false]) {
        const chip = this.chip(quadrant, q, clockwise);
        this.chips.push(chip);
        chips.append(chip.group);
      }
    });
    // In the order of the sockets, by rows: that is the order in which they are read out.
    for (let index = 0; index < board.rows * board.columns; index++) {
      const q = board.quadrants.findIndex((quadrant) => inside(quadrant, index, board));
      const socket = this.socket(index);
      this.sockets.push(socket);
      groups[Math.max(q, 0)].append(socket.group);
    }
    this.quadrants = groups;
    this.arrow = make("g", { class: "advice", "aria-hidden": "true" });
    this.svg.append(...groups, chips, this.arrow);
    this.rove(this.focused);
  }

  /** Where everything lies. */
  measure() {
    const { board } = this;
    const turning = board.quadrants.filter((quadrant) => quadrant.turns);
    const breaks = (key) => [...new Set(board.quadrants.map((quadrant) => quadrant[key]))].sort((a, b) => a - b);
    // A large board is drawn smaller, but its names are to be read.
    const scale = Math.max(1, board.columns / 10);
    this.edge = EDGE * scale;
    this.name = NAME * scale;
    // Buttons lie beyond an outer edge of their quadrant: above or below, else beside it.
    this.edgeOf = ({ row, column, rows, columns }) =>
      row === 0 ? "top" : row + rows === board.rows ? "bottom"
        : column === 0 ? "left" : column + columns === board.columns ? "right" : "top";
    const needs = (edge) => (turning.some((quadrant) => this.edgeOf(quadrant) === edge) ? CHIP : 0);
    this.left = this.edge + needs("left");
    this.top = this.edge + needs("top");
    const spread = (n, starts) => (i) => i * CELL + GAP * (starts.filter((start) => start > 0 && start <= i).length);
    this.across = spread(board.columns, breaks("column"));
    this.down = spread(board.rows, breaks("row"));
    this.right = this.left + this.across(board.columns - 1) + CELL;
    this.bottom = this.top + this.down(board.rows - 1) + CELL;
    this.width = this.right + this.edge + needs("right");
    this.height = this.bottom + this.edge + needs("bottom");
  }

  /** Shows the board without the room for the buttons of turns, or with it. */
  crop(on) {
    const [x, y] = on ? [this.left - this.edge, this.top - this.edge] : [0, 0];
    const [width, height] = on ? [this.right - x + this.edge, this.bottom - y + this.edge] : [this.width, this.height];
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.svg.style.aspectRatio = `${width} / ${height}`;
  }

  x(index) {
    return this.left + this.across(index % this.board.columns) + CELL / 2;
  }

  y(index) {
    return this.top + this.down(Math.floor(index / this.board.columns)) + CELL / 2;
  }

  frame() {
    const [x, y] = [this.left - this.edge, this.top - this.edge];
    return make("rect", { class: "frame", x, y, width: this.right - x + this.edge, height: this.bottom - y + this.edge, rx: 26 });
  }

  labels() {
    const { board } = this;
    const group = make("g", { class: "labels", "aria-hidden": "true", "font-size": this.name });
    const below = this.bottom + this.edge * 0.75;
    const beside = this.left - this.edge / 2;
    for (let column = 0; column < board.columns; column++) {
      group.append(make("text", { x: this.x(column), y: below }, board.files[column]));
    }
    for (let row = 0; row < board.rows; row++) {
      const y = this.y(row * board.columns) + this.name * 0.35;
      group.append(make("text", { x: beside, y }, String(board.rows - row)));
    }
    return group;
  }

  quadrant(quadrant) {
    const first = quadrant.row * this.board.columns + quadrant.column;
    const [x, y] = [this.x(first) - CELL / 2, this.y(first) - CELL / 2];
    const [width, height] = [quadrant.columns * CELL, quadrant.rows * CELL];
    const group = make("g", { class: quadrant.turns ? "quadrant" : "quadrant fixed" });
    group.style.transformOrigin = `${x + width / 2}px ${y + height / 2}px`;
    group.append(make("rect", { class: "plate", x: x - 4, y: y - 4, width: width + 8, height: height + 8, rx: 20 }));
    return group;
  }

  /** The lines of a board without quadrants. */
  plain() {
    const { board } = this;
    const group = make("g", { class: "quadrant" });
    const last = board.rows * board.columns - 1;
    for (let column = 0; column < board.columns; column++) {
      group.append(make("path", { class: "grid", d: `M${this.x(column)} ${this.y(0)}V${this.y(last)}` }));
    }
    for (let row = 0; row < board.rows; row++) {
      const y = this.y(row * board.columns);
      group.append(make("path", { class: "grid", d: `M${this.x(0)} ${y}H${this.x(last)}` }));
    }
    for (const row of stars(board.rows)) {
      for (const column of stars(board.columns)) {
        const index = row * board.columns + column;
        group.append(make("circle", { class: "star", cx: this.x(index), cy: this.y(index), r: 11 }));
      }
    }
    return group;
  }

  socket(index) {
    const [cx, cy] = [this.x(index), this.y(index)];
    const group = make("g", { class: "socket", role: "button", tabindex: -1, "data-socket": index });
    const hole = make("circle", { class: "hole", cx, cy, r: 39 });
    const text = make("text", { class: "sign", x: cx, y: cy + 11 });
    const marble = make("circle", { class: "marble", cx, cy, r: 40 });
    const letter = make("text", { class: "letter", x: cx, y: cy + 12 });
    const dot = make("circle", { class: "dot", cx, cy, r: 8 });
    const ring = make("circle", { class: "ring", cx, cy, r: 46 });
    const area = make("rect", { class: "area", x: cx - 50, y: cy - 50, width: 100, height: 100 });
    const title = make("title");
    group.append(title, area, hole, text, marble, letter, dot, ring);
    return { group, text, letter, title, index };
  }

  chip(quadrant, q, clockwise) {
    const first = quadrant.row * this.board.columns + quadrant.column;
    const last = first + (quadrant.rows - 1) * this.board.columns + quadrant.columns - 1;
    const [left, right] = [this.x(first) - 50, this.x(last) + 50];
    const [top, bottom] = [this.y(first) - 50, this.y(last) + 50];
    const edge = this.edgeOf(quadrant);
    const upright = edge === "left" || edge === "right";
    const length = (upright ? bottom - top : right - left) / 2;
    const width = upright ? CHIP - 22 : Math.min(132, length - 10);
    const height = upright ? Math.min(116, length - 10) : CHIP - 22;
    const middle = upright ? [0, (top + bottom) / 2] : [(left + right) / 2, 0];
    // A clockwise turn carries what lies above to the right: its button stands there.
    const ahead = (edge === "bottom" || edge === "left" ? !clockwise : clockwise) ? 1 : -1;
    const away = this.edge + CHIP / 2;
    const [cx, cy] = {
      top: [middle[0] + (ahead * length) / 2, top - away],
      bottom: [middle[0] + (ahead * length) / 2, bottom + away],
      left: [left - away, middle[1] + (ahead * length) / 2],
      right: [right + away, middle[1] + (ahead * length) / 2],
    }[edge];
    const group = make("g", { class: "chip", role: "button", tabindex: -1, "data-quadrant": q, "data-clockwise": clockwise });
    const shape = make("rect", { class: "body", x: cx - width / 2, y: cy - height / 2, width, height, rx: 20 });
    const flip = clockwise ? "" : " scale(-1 1)";
    const [ax, ay, tx, ty] = upright ? [cx, cy - 16, cx, cy + 34] : [cx - width / 2 + 34, cy, cx + 24, cy + 12];
    const arrow = make("path", { class: "arrow", d: "M-12.7 12.7A18 18 0 1 1 12.7 12.7M26 10.4L12.7 12.7L15 -.6" });
    /** The arrow stands in the middle where there is no value beside it. */
    const aim = (alone) => arrow.setAttribute("transform", `translate(${alone ? cx : ax} ${alone ? cy : ay})${flip}`);
    aim(true);
    const text = make("text", { class: "sign", x: tx, y: ty });
    const title = make("title");
    group.append(title, shape, arrow, text);
    return { group, text, title, aim, quadrant: q, clockwise };
  }

  /**
   * Draws a position.
   *
   * `grid`: the marbles; `socket(index)` and `turn(quadrant, clockwise)`: value, distance and label
   * of each, or nothing; `placed`: the socket whose turn is chosen; `seat`: who moves;
   * `last`: the marble that came last; `line`: the sockets to be marked; `quiet`: nothing can be
   * placed; `editing`: every socket can be changed; `hint`: the socket, quadrant and direction of a
   * move that is advised.
   */
  draw({ grid, socket, turn, placed, seat, last, line, quiet, editing, hint }) {
    for (const { group, text, letter, title, index } of this.sockets) {
      const here = index === placed;
      const marble = grid[index] || (here ? seat : "");
      const about = socket(index);
      const value = marble ? undefined : about?.value;
      text.textContent = value ? sign(about) : "";
      letter.textContent = marble && !["x", "o"].includes(marble) ? marble.toUpperCase() : "";
      group.setAttribute("class", ["socket", marble && `filled seat-${marble}`, letter.textContent && "lettered", here && "placed", value,
        guessed(about), about?.best && "best", about?.forbidden && "forbidden", index === last && "last", line.has(index) && "five", index === hint?.index && "advised"].filter(Boolean).join(" "));
      group.setAttribute("aria-label", about?.label ?? "");
      title.textContent = about?.title ?? "";
      group.setAttribute("aria-disabled", String(!editing && (quiet || Boolean(grid[index] || about?.forbidden))));
    }
    for (const { group, text, title, aim, quadrant, clockwise } of this.chips) {
      const about = turn(quadrant, clockwise);
      group.setAttribute("class", ["chip", about && "open", about?.value, guessed(about), about?.best && "best"].filter(Boolean).join(" "));
      text.textContent = about?.value ? sign(about) : "";
      group.setAttribute("aria-label", about?.label ?? "");
      title.textContent = about?.title ?? "";
      aim(!text.textContent);
      group.setAttribute("aria-hidden", String(!about));
      group.setAttribute("tabindex", about ? 0 : -1);
    }
    this.svg.classList.toggle("turning", placed !== undefined);
    this.arrow.replaceChildren(...(hint?.quadrant === undefined ? [] : this.turnArrow(hint)));
  }

  /** An arrow around a quadrant, in the direction of its turn. */
  turnArrow({ quadrant, clockwise }) {
    const { row, column, rows, columns } = this.board.quadrants[quadrant];
    const [first, last] = [row * this.board.columns + column, (row + rows - 1) * this.board.columns + column + columns - 1];
    const [cx, cy] = [(this.x(first) + this.x(last)) / 2, (this.y(first) + this.y(last)) / 2];
    const r = (columns * CELL) / 2 - 22;
    const point = (degrees) => [cx + r * Math.cos((degrees * Math.PI) / 180), cy + r * Math.sin((degrees * Math.PI) / 180)];
    const [from, to] = clockwise ? [-150, 60] : [-30, 120];
    const [[ax, ay], [bx, by]] = [point(from), point(to)];
    const d = `M${ax} ${ay}A${r} ${r} 0 1 ${clockwise ? 1 : 0} ${bx} ${by}`;
    // The head points along the circle.
    const along = to + (clockwise ? 90 : -90);
    const head = make("path", { class: "head", d: "M-26 -26L14 0L-26 26", transform: `translate(${bx} ${by}) rotate(${along})` });
    return [make("path", { class: "shaft", d }), head];
  }

  /** Where a finger or the mouse went down, while a turn is to be chosen. */
  press(event) {
    const quadrant = this.quadrants.findIndex((group) => group.contains(event.target));
    this.pressed = this.svg.classList.contains("turning") && this.board.quadrants[quadrant]?.turns
      ? { quadrant, x: event.clientX, y: event.clientY } : null;
  }

  /** A stroke over a quadrant turns it, the way that the finger went around its middle. */
  lift(event) {
    const { pressed } = this;
    this.pressed = null;
    if (!pressed) return;
    const box = this.quadrants[pressed.quadrant].getBoundingClientRect();
    const [dx, dy] = [event.clientX - pressed.x, event.clientY - pressed.y];
    if (Math.hypot(dx, dy) < box.width / 5) return;
    const [x, y] = [pressed.x + dx / 2 - (box.left + box.width / 2), pressed.y + dy / 2 - (box.top + box.height / 2)];
    this.stroked = true;
    // A click may follow where the stroke ended; it isn't meant.
    setTimeout(() => { this.stroked = false; });
    this.on.turn(pressed.quadrant, x * dy - y * dx > 0);
  }

  /** Whether points are so small that a finger may miss them. */
  get small() {
    return this.svg.getBoundingClientRect().width / this.width * CELL < 26;
  }

  /** Turns a quadrant that is drawn as it was before, so that the eye can follow. */
  async turn(quadrant, clockwise) {
    const group = this.quadrants[quadrant];
    if (!group || matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) return;
    // What is put elsewhere loses the focus.
    const focused = group.contains(document.activeElement) && document.activeElement;
    group.parentNode.insertBefore(group, this.svg.querySelector(".chips"));
    if (focused) focused.focus({ preventScroll: true });
    const angle = clockwise ? 90 : -90;
    const frames = [{ transform: "rotate(0deg)" }, { transform: `rotate(${angle}deg)` }];
    const timing = { duration: TURNING, easing: "cubic-bezier(.45,.05,.3,1)", fill: "forwards" };
    const letters = [...group.querySelectorAll("text")].map((text) => text.style);
    letters.forEach((style) => { style.visibility = "hidden"; });
    this.animation = group.animate(frames, timing);
    try {
      await this.animation.finished;
    } catch {
      // Ended early: the next position is drawn already.
    }
    letters.forEach((style) => { style.visibility = ""; });
    this.animation?.cancel();
    this.animation = null;
  }

  /** Ends a turn that is under way. */
  settle() {
    this.animation?.finish();
  }

  chosen(target) {
    if (this.stroked) return;
    const socket = target.closest("[data-socket]");
    if (socket) {
      this.rove(Number(socket.dataset.socket));
      this.on.socket(Number(socket.dataset.socket));
    }
    const chip = target.closest("[data-quadrant]");
    if (!chip) return;
    this.on.turn(Number(chip.dataset.quadrant), chip.dataset.clockwise === "true");
    // The button is no longer one.
    if (chip === document.activeElement) this.focusSocket();
  }

  focus(target) {
    const socket = target.closest("[data-socket]");
    if (socket) this.rove(Number(socket.dataset.socket));
  }

  /** Makes one socket the one that the tab key leads to. */
  rove(index) {
    this.sockets[this.focused]?.group.setAttribute("tabindex", -1);
    this.focused = index;
    this.sockets[index]?.group.setAttribute("tabindex", 0);
  }

  /** Moves the focus to a socket. */
  focusSocket(index = this.focused, options = {}) {
    this.rove(index);
    this.sockets[index]?.group.focus(options);
  }

  key(event) {
    const { rows, columns } = this.board;
    const [row, column] = [Math.floor(this.focused / columns), this.focused % columns];
    const to = {
      ArrowLeft: [row, Math.max(0, column - 1)],
      ArrowRight: [row, Math.min(columns - 1, column + 1)],
      ArrowUp: [Math.max(0, row - 1), column],
      ArrowDown: [Math.min(rows - 1, row + 1), column],
      Home: [row, 0],
      End: [row, columns - 1],
    }[event.key];
    if (to && event.target.closest("[data-socket]")) {
      this.focusSocket(to[0] * columns + to[1]);
      event.preventDefault();
    } else if (event.key === "Enter" || event.key === " ") {
      this.chosen(event.target);
      event.preventDefault();
    }
  }

  /** Where a marble lies after a turn. */
  after(index, quadrant, clockwise) {
    return quadrant === undefined ? index : turned(index, quadrant, clockwise, this.board);
  }
}

/** The rows or columns of the points that are marked on a board of lines, as those for Go have them. */
const stars = (n) => (n < 13 ? [] : [3, (n - 1) / 2, n - 4]);

function inside({ row, column, rows, columns }, index, board) {
  const [r, c] = [Math.floor(index / board.columns), index % board.columns];
  return r >= row && r < row + rows && c >= column && c < column + columns;
}

/** The shading of marbles. */
function definitions(board) {
  const shade = (seat) => {
    const gradient = make("radialGradient", { id: `shade-${seat}`, cx: "36%", cy: "30%", r: "75%" });
    gradient.append(make("stop", { class: `light-${seat}`, offset: 0 }), make("stop", { class: `dark-${seat}`, offset: 1 }));
    return gradient;
  };
  return make("defs", {}, ...board.seats.map(shade));
}
