// The game on the board: its first position, its moves, and the index of the shown position. The
// address of the page contains the whole game, so a link shares it.

/** One position of a game. */
class Node {
  constructor(engine, rules, position, over, last) {
    this.position = position;
    this.last = last;
    const look = engine.look(rules, position);
    if (look.error) throw new Error(look.error);
    this.toMove = look.to_move;
    this.diagram = look.diagram;
    // Under some rules, only the last move shows that the game is over.
    this.over = over ?? look.over;
    this.moves = this.over ? [] : look.moves;
  }
}

export class Game {
  /** Creates a game from a first position and moves. */
  constructor(engine, sheet, start = sheet.start, moves = [], at = moves.length) {
    this.engine = engine;
    this.sheet = sheet;
    this.nodes = [new Node(engine, sheet.name, start)];
    this.moves = [];
    for (const move of moves) this.play(move);
    this.at = Math.max(0, Math.min(at, this.moves.length));
  }

  /** The shown position. */
  get node() {
    return this.nodes[this.at];
  }

  get rules() {
    return this.sheet.name;
  }

  /** Plays a move from the shown position. Drops all moves after that position. */
  play(text) {
    const at = this.at ?? this.moves.length;
    const from = this.nodes[at];
    const move = from.moves.find((move) => move.move === text);
    if (!move) throw new Error(`not a legal move: ${text}`);
    this.nodes.length = at + 1;
    this.moves.length = at;
    this.nodes.push(new Node(this.engine, this.rules, move.position, move.over, text));
    this.moves.push(text);
    this.at = this.moves.length;
    return this.node;
  }

  /** Removes all moves from the index `at` on. */
  takeBack(at) {
    this.nodes.length = at + 1;
    this.moves.length = at;
    this.at = at;
  }

  /**
   * Returns the fragment of the address that describes the game. `task` is the kind of the task, if
   * any, and `at` the index of the shown position.
   */
  address(task, at = this.at) {
    const parts = [`rules=${this.rules}`];
    const { position } = this.nodes[0];
    if (position !== this.sheet.start) parts.push(`p=${position.replaceAll(" ", "_")}`);
    if (this.moves.length) parts.push(`m=${this.moves.join(",")}`);
    if (at < this.moves.length) parts.push(`at=${at}`);
    if (task) parts.push(`task=${task}`);
    return `#${parts.join("&")}`;
  }

  /** Returns a copy of the game up to the shown position. */
  branch() {
    return new Game(this.engine, this.sheet, this.nodes[0].position, this.moves.slice(0, this.at));
  }
}

/**
 * Parses an address. Returns the game, the task, and the first illegal move in `wrong`. The game
 * then ends before that move.
 */
export function fromAddress(engine, hash, sheetOf) {
  // Some programs encode a whole link. `URLSearchParams` would decode a plus sign as a space.
  const fields = new URLSearchParams(hash.replace(/^#/, "").replace(/%3D/gi, "=").replace(/%26/g, "&").replaceAll("+", "%2B"));
  const sheet = sheetOf(fields.get("rules") ?? "pentago");
  const text = fields.get("p")?.replaceAll("_", " ");
  const start = text === undefined ? sheet.start : said(engine.read(sheet.name, text)).position;
  const moves = fields.get("m")?.split(",").filter(Boolean) ?? [];
  const game = new Game(engine, sheet, start);
  let wrong = null;
  for (const [i, move] of moves.entries()) {
    if (!game.node.moves.some((legal) => legal.move === move)) {
      wrong = { n: i + 1, move };
      break;
    }
    game.play(move);
  }
  const at = fields.has("at") ? parseInt(fields.get("at"), 10) || 0 : game.moves.length;
  game.at = Math.max(0, Math.min(at, game.moves.length));
  return { game, wrong, task: fields.get("task") };
}

/**
 * Parses a pasted text: a record, a link to this page or to perfect-pentago.net, a position, or
 * moves. Returns the game, and the first illegal move of a link in `wrong`.
 */
export function fromText(engine, rules, text, sheetOf) {
  const trimmed = text.trim();
  const link = /^\S+#(\S+)$/.exec(trimmed)?.[1];
  if (link?.includes("rules=")) return fromAddress(engine, link, sheetOf);
  const number = /^(?:\S*perfect-pentago\.net\/?\S*?#|#)(\d+m?)$/.exec(trimmed)?.[1];
  const read = said(engine.read(number === undefined ? rules : "pentago", number ?? trimmed));
  return { game: new Game(engine, sheetOf(read.rules), read.start, read.moves) };
}

function said(answer) {
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** Returns the marbles of a position, row by row: a letter, or "" for an empty socket. */
export function cells(position) {
  const [rows] = position.toLowerCase().split(" ");
  const grid = rows.replace(/\d+/g, (n) => ".".repeat(n)).replaceAll("/", "");
  return [...grid].map((cell) => (cell === "." ? "" : cell));
}

/** Returns the rows of a board in the notation of positions. */
export function rowsOf(grid, board) {
  const text = grid.map((cell) => cell.toUpperCase() || ".").join("");
  const rows = text.match(new RegExp(`.{${board.columns}}`, "g"));
  return rows.map((row) => row.replace(/\.+/g, ({ length }) => length)).join("/");
}

/** Returns the name of a socket: its file and rank. */
export const nameOf = (index, board) =>
  board.files[index % board.columns] + (board.rows - Math.floor(index / board.columns));

/** Splits a move into its placement and its turn: the quadrant from 0, and the direction. */
export function parts(move) {
  const [place, turn] = move.split("/");
  if (turn === undefined) return { place };
  if (turn === "0") return { place, declined: true };
  return { place, quadrant: parseInt(turn, 10) - 1, clockwise: turn.endsWith("+") };
}

/** Returns the index to which a turn moves a socket. */
export function turned(index, quadrant, clockwise, board) {
  const { row: top, column: left, rows: size } = board.quadrants[quadrant];
  const row = Math.floor(index / board.columns) - top;
  const column = (index % board.columns) - left;
  if (row < 0 || column < 0 || row >= size || column >= size) return index;
  const [newRow, newColumn] = clockwise ? [column, size - 1 - row] : [size - 1 - column, row];
  return (top + newRow) * board.columns + left + newColumn;
}

/** Returns the sockets of all lines that are long enough to win. */
export function lines(grid, board) {
  const found = new Set();
  const { rows, columns, line } = board;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const seat = grid[row * columns + column];
      if (!seat) continue;
      for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
        const run = [];
        for (let r = row, c = column; r < rows && c >= 0 && c < columns; r += down, c += right) {
          if (grid[r * columns + c] !== seat) break;
          run.push(r * columns + c);
        }
        if (run.length >= line) run.forEach((index) => found.add(index));
      }
    }
  }
  return found;
}

/** The annotation numbers (NAGs) of the marks: a blunder, a mistake, the only move. */
const NUMBERS = { win_lost: 4, draw_lost: 2, only: 8 };
/** The names of rule sheets and games in records. */
const TITLES = { pentago: "Pentago", mini: "Mini-Pentago", xl: "Pentago XL", pente: "Pente" };

/** Returns the number of the round that each move begins. Other moves have no number. */
export function rounds({ sheet, nodes, moves }) {
  const seats = nodes.map(({ toMove }) => sheet.board.seats.indexOf(toMove));
  let round = 0;
  return moves.map((_, i) => (seats[i] > seats[i - 1] ? undefined : round += 1));
}

/**
 * Returns the record of a game as text (docs/records.md): tags, numbered moves with marks, and the
 * result. `marks` has the mark of each move, if known.
 */
export function toRecord(game, marks = []) {
  const { board } = game.sheet;
  const start = game.nodes[0];
  const { over } = game.nodes.at(-1);
  const result = over ? over.winners.join("") || "draw" : "*";
  const tags = [["Game", TITLES[game.rules] ?? TITLES[board.game]], ["Rules", game.rules]];
  if (start.position !== game.sheet.start) tags.push(["SetUp", start.position]);
  tags.push(["Result", result]);
  const numbers = rounds(game);
  const words = game.moves.flatMap((move, i) => {
    const mark = NUMBERS[marks[i]?.name];
    return [...(numbers[i] ? [`${numbers[i]}.`] : []), move, ...(mark ? [`$${mark}`] : [])];
  });
  const lines = [...words, result].join(" ").replace(/(.{1,79})(?: |$)/g, "$1\n");
  return `${tags.map(([name, value]) => `[${name} "${value}"]\n`).join("")}\n${lines}`;
}
