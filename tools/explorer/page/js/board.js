// The board as SVG, for any game. The description of the board defines sockets and quadrants.

const SVG = "http://www.w3.org/2000/svg";
/** Lengths in the drawing: the side of a socket, the gap of quadrants, a turn button's width. */
const [CELL, GAP, CHIP] = [100, 22, 98];
/** The width of the frame around the quadrants, which has the labels of rows and columns. */
const EDGE = 36;
/** The font size of the labels on a board with at most ten columns. */
const NAME = 23;
/** The duration of a turn in milliseconds. */
const TURNING = 420;

/** Returns `true` if the reader wants less motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The sign of each value, for readers who cannot distinguish the colours. */
export const SIGNS = { win: "+", draw: "=", loss: "\u2212", unknown: "?" };
/**
 * Returns the sign of a value and the number of moves to the end, or a guess in percent. `distance`
 * counts the plies of all `seats`.
 */
export const sign = ({ value, distance, guess }, seats = 2) =>
  (guess === undefined ? SIGNS[value] + (distance ? Math.ceil(distance / seats) : "") : String(Math.round(100 * guess)));

/** Returns the CSS class of a guess if there is a guess instead of a value. */
const guessed = (about) => about?.guess !== undefined && "guess";

/** Returns an SVG element. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export class Board {
  /** `say` returns labels. `on` has the callbacks `socket(index)`, `turn(quadrant, clockwise)`. */
  constructor(svg, say, on) {
    this.svg = svg;
    this.say = say;
    this.on = on;
    this.focused = 0;
    svg.addEventListener("click", (event) => this.chosen(event.target));
    svg.addEventListener("keydown", (event) => this.key(event));
    // On the parent: Chromium makes an SVG with a focus listener a tab stop.
    svg.parentNode.addEventListener("focusin", ({ target }) => {
      const socket = target.closest("[data-socket]");
      if (socket) this.rove(Number(socket.dataset.socket));
    });
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
    this.svg.classList.toggle("wide", board.columns > 6);
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
    // Screen readers read the sockets in document order, so add them row by row.
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

  /** Computes the layout. */
  measure() {
    const { board } = this;
    const turning = board.quadrants.filter((quadrant) => quadrant.turns);
    const breaks = (key) => [...new Set(board.quadrants.map((quadrant) => quadrant[key]))].sort((a, b) => a - b);
    // The page shrinks a large board. Scale the labels up to keep them readable.
    const scale = Math.max(1, board.columns / 10);
    this.edge = EDGE * scale;
    this.name = NAME * scale;
    // The turn buttons of a quadrant lie outside the board: above or below it if possible, else
    // beside it.
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

  /** Hides (`on`) or shows the margin that has the turn buttons. */
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
    // The number of a quadrant stands before its turn buttons.
    board.quadrants.forEach((quadrant, q) => {
      const [left, top] = [this.x(quadrant.column) - 50, this.y(quadrant.row * board.columns) - 50];
      const away = this.edge + CHIP / 2;
      const size = quadrant.rows * CELL;
      const [x, y] = {
        top: [left - this.edge / 3, top - away + this.name * 0.35],
        bottom: [left - this.edge / 3, top + size + away + this.name * 0.35],
        left: [left - away, top + 8],
        right: [left + size + away, top + 8],
      }[this.edgeOf(quadrant)];
      if (quadrant.turns) group.append(make("text", { class: "number", x, y }, String(q + 1)));
    });
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

  /** Draws the grid lines of a board without quadrants. */
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
    // A clockwise turn moves the upper edge to the right, so the button above the quadrant lies on
    // the right.
    const ahead = (edge === "bottom" || edge === "left" ? !clockwise : clockwise) ? 1 : -1;
    const away = this.edge + CHIP / 2;
    const [cx, cy] = {
      top: [middle[0] + (ahead * length) / 2, top - away],
      bottom: [middle[0] + (ahead * length) / 2, bottom + away],
      left: [left - away, middle[1] + (ahead * length) / 2],
      right: [right + away, middle[1] + (ahead * length) / 2],
    }[edge];
    const group = make("g", { class: "chip", role: "button", tabindex: -1, "data-quadrant": q, "data-clockwise": clockwise });
    // On a large board, the drawn button is too small for a finger, so a larger area reacts.
    const [wide, high] = upright ? [CHIP, length] : [length, CHIP];
    const area = make("rect", { class: "area", x: cx - wide / 2, y: cy - high / 2, width: wide, height: high });
    const shape = make("rect", { class: "body", x: cx - width / 2, y: cy - height / 2, width, height, rx: 20 });
    const flip = clockwise ? "" : " scale(-1 1)";
    const [ax, ay, tx, ty] = upright ? [cx, cy - 16, cx, cy + 34] : [cx - width / 2 + (clockwise ? 32 : 40), cy, cx + 30, cy + 12];
    const arrow = make("path", { class: "arrow", d: "M-12.7 12.7A18 18 0 1 1 12.7 12.7M26 10.4L12.7 12.7L15 -.6" });
    /** Centres the arrow if the button shows no value (`alone`). */
    const aim = (alone) => arrow.setAttribute("transform", `translate(${alone ? cx : ax} ${alone ? cy : ay})${flip}`);
    aim(true);
    const text = make("text", { class: "sign", x: tx, y: ty });
    const title = make("title");
    group.append(title, area, shape, arrow, text);
    return { group, text, title, aim, quadrant: q, clockwise };
  }

  /**
   * Draws a position.
   *
   * - `grid`: the marble of each socket
   * - `socket(index)`, `turn(quadrant, clockwise)`: return value, distance and label, or nothing
   * - `placed`: the socket of the chosen placement, whose turn is not chosen yet
   * - `seat`: the seat to move
   * - `last`: the socket of the last marble
   * - `line`: the sockets of winning lines
   * - `quiet`: no marble can be placed
   * - `editing`: the reader sets up a position and may change every socket
   * - `hint`: the socket, quadrant and direction of a hint
   * - `turned`: the quadrant and direction of the last turn
   */
  draw({ grid, socket, turn, placed, seat, last, line, quiet, editing, hint, turned }) {
    for (const { group, text, letter, title, index } of this.sockets) {
      const here = index === placed;
      const marble = grid[index] || (here ? seat : "");
      const about = socket(index);
      const value = marble ? undefined : about?.value;
      text.textContent = value ? sign(about, this.board.seats.length) : "";
      letter.textContent = this.board.seats.length > 2 ? marble.toUpperCase() : "";
      text.classList.toggle("long", text.textContent.length > 2);
      group.setAttribute("class", ["socket", marble && `filled seat-${marble}`, letter.textContent && "lettered", here && "placed", value,
        guessed(about), about?.best && "best", about?.forbidden && "forbidden", index === last && "last", line.has(index) && "five"].filter(Boolean).join(" "));
      group.setAttribute("aria-label", about?.label ?? "");
      title.textContent = about?.title ?? "";
      group.setAttribute("aria-disabled", String(!editing && (quiet || Boolean(grid[index] || about?.forbidden))));
    }
    for (const { group, text, title, aim, quadrant, clockwise } of this.chips) {
      const about = turn(quadrant, clockwise);
      group.setAttribute("class", ["chip", about && "open", about?.value, guessed(about), about?.best && "best",
        quadrant === turned?.quadrant && clockwise === turned.clockwise && "turned"].filter(Boolean).join(" "));
      text.textContent = about?.value ? sign(about, this.board.seats.length) : "";
      group.setAttribute("aria-label", about?.label ?? "");
      title.textContent = about?.title ?? "";
      aim(!text.textContent);
      group.setAttribute("aria-hidden", String(!about));
      group.setAttribute("tabindex", about ? 0 : -1);
    }
    this.quadrants.forEach((group, q) => group.classList.toggle("turned", q === turned?.quadrant));
    this.svg.classList.toggle("turning", placed !== undefined);
    // A closed button has no name, so it must not keep the focus.
    if (document.activeElement.matches(".chip:not(.open)")) this.focusSocket(undefined, { preventScroll: true });
    this.advise(hint);
  }

  /** Marks the socket and the turn of a hint. Removes the marks of other hints. */
  advise(hint) {
    for (const { group, index } of this.sockets) group.classList.toggle("advised", index === hint?.index);
    this.arrow.replaceChildren(...(hint?.quadrant === undefined ? [] : this.turnArrow(hint)));
  }

  /** Draws an arrow around a quadrant in the direction of a turn. */
  turnArrow({ quadrant, clockwise }) {
    const { row, column, rows, columns } = this.board.quadrants[quadrant];
    const [first, last] = [row * this.board.columns + column, (row + rows - 1) * this.board.columns + column + columns - 1];
    const [cx, cy] = [(this.x(first) + this.x(last)) / 2, (this.y(first) + this.y(last)) / 2];
    const r = (columns * CELL) / 2 - 22;
    const point = (degrees) => [cx + r * Math.cos((degrees * Math.PI) / 180), cy + r * Math.sin((degrees * Math.PI) / 180)];
    const [from, to] = clockwise ? [-150, 60] : [-30, 120];
    const [[ax, ay], [bx, by]] = [point(from), point(to)];
    const d = `M${ax} ${ay}A${r} ${r} 0 1 ${clockwise ? 1 : 0} ${bx} ${by}`;
    // The arrowhead is tangential to the circle.
    const along = to + (clockwise ? 90 : -90);
    const head = make("path", { class: "head", d: "M-26 -26L14 0L-26 26", transform: `translate(${bx} ${by}) rotate(${along})` });
    return [make("path", { class: "shaft", d }), head];
  }

  /** Records where the pointer was pressed on a quadrant, while a turn is to be chosen. */
  press(event) {
    const quadrant = this.quadrants.findIndex((group) => group.contains(event.target));
    this.pressed = this.svg.classList.contains("turning") && this.board.quadrants[quadrant]?.turns
      ? { quadrant, x: event.clientX, y: event.clientY } : null;
  }

  /** Turns a quadrant after a swipe over it, in the direction of the swipe around the centre. */
  lift(event) {
    const { pressed } = this;
    this.pressed = null;
    if (!pressed) return;
    const box = this.quadrants[pressed.quadrant].getBoundingClientRect();
    const [dx, dy] = [event.clientX - pressed.x, event.clientY - pressed.y];
    if (Math.hypot(dx, dy) < box.width / 5) return;
    const [x, y] = [pressed.x + dx / 2 - (box.left + box.width / 2), pressed.y + dy / 2 - (box.top + box.height / 2)];
    this.stroked = true;
    // Browsers may send a click after the swipe: ignore it.
    setTimeout(() => { this.stroked = false; });
    this.on.turn(pressed.quadrant, x * dy - y * dx > 0);
  }

  /** `true` if the sockets are too small for a finger. */
  get small() {
    return this.svg.getBoundingClientRect().width / this.width * CELL < 26;
  }

  /** Animates the turn of a quadrant, which must still show the position before the turn. */
  async turn(quadrant, clockwise) {
    const group = this.quadrants[quadrant];
    if (!group || calm() || document.hidden) return;
    // Moving an element in the document takes the focus from it.
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
      // The animation was cancelled, because the next position has been drawn.
    }
    letters.forEach((style) => { style.visibility = ""; });
    this.animation?.cancel();
    this.animation = null;
  }

  /** Finishes a running animation immediately. */
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
    if (chip) this.on.turn(Number(chip.dataset.quadrant), chip.dataset.clockwise === "true");
  }

  /** Makes a socket the only tab stop of the board (roving tabindex). */
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
}

/** Returns the rows or columns of the star points, as on a Go board. */
const stars = (n) => (n < 13 ? [] : [3, (n - 1) / 2, n - 4]);

function inside({ row, column, rows, columns }, index, board) {
  const [r, c] = [Math.floor(index / board.columns), index % board.columns];
  return r >= row && r < row + rows && c >= column && c < column + columns;
}

/** Returns the gradients that shade the marbles. */
function definitions(board) {
  const shade = (seat) => {
    const gradient = make("radialGradient", { id: `shade-${seat}`, cx: "36%", cy: "30%", r: "75%" });
    gradient.append(make("stop", { class: `light-${seat}`, offset: 0 }), make("stop", { class: `dark-${seat}`, offset: 1 }));
    return gradient;
  };
  return make("defs", {}, ...board.seats.map(shade));
}
