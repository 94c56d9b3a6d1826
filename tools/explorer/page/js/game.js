// The game on the board: where it began, its moves, and which of its positions is shown. It is the
// address of the page, too: a link is a game.

/** One position of a game. */
class Node {
  constructor(engine, rules, position, over, last) {
    this.position = position;
    this.last = last;
    const look = engine.look(rules, position);
    if (look.error) throw new Error(look.error);
    this.toMove = look.to_move;
    this.number = look.number;
    this.diagram = look.diagram;
    // With some rules a position alone doesn't tell that the game is over; the move does.
    this.over = over ?? look.over;
    this.moves = this.over ? [] : look.moves;
  }
}

export class Game {
  /** A game from a position, with moves. */
  constructor(engine, sheet, start = sheet.start, moves = [], at = moves.length) {
    this.engine = engine;
    this.sheet = sheet;
    this.nodes = [new Node(engine, sheet.name, start)];
    this.moves = [];
    for (const move of moves) this.play(move);
    this.at = Math.max(0, Math.min(at, this.moves.length));
  }

  /** The position that is shown. */
  get node() {
    return this.nodes[this.at];
  }

  get rules() {
    return this.sheet.name;
  }

  /** Plays a move from the shown position; what came after it is dropped. */
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

  /** Takes the last move back, as if it hadn't been played. */
  takeBack() {
    this.nodes.pop();
    this.moves.pop();
    this.at = this.moves.length;
  }

  /** The part of the address that says it. `task`: what is to be done with it, as in a puzzle. */
  address(task) {
    const parts = [`rules=${this.rules}`];
    const { position } = this.nodes[0];
    if (position !== this.sheet.start) parts.push(`p=${position.replaceAll(" ", "_")}`);
    if (this.moves.length) parts.push(`m=${this.moves.join(",")}`);
    if (this.at < this.moves.length) parts.push(`at=${this.at}`);
    if (task) parts.push(`task=${task}`);
    return `#${parts.join("&")}`;
  }

  /** The same game up to the shown position, so that what is tried on it leaves this one alone. */
  branch() {
    return new Game(this.engine, this.sheet, this.nodes[0].position, this.moves.slice(0, this.at));
  }
}

/**
 * The game that an address says, what else it asks for, and what is wrong with it: moves from the first
 * illegal one on are left out, for the others still tell where the game was.
 */
export function fromAddress(engine, hash, sheetOf) {
  const fields = new Map();
  for (const part of decoded(hash.replace(/^#/, "")).split("&")) {
    const at = part.indexOf("=");
    if (at > 0) fields.set(part.slice(0, at), part.slice(at + 1));
  }
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

/** Percent signs that stand for nothing are left as they are. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The game that a pasted text says, and what is wrong with it: a record, a link to this page or to
 * perfect-pentago.net, a position, moves.
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

/** The marbles of a position: a letter or nothing for each socket, row by row from the top. */
export function cells(position, board) {
  const grid = [];
  for (const row of position.split(" ")[0].split("/")) {
    for (const [piece] of row.matchAll(/\d+|[A-Za-z]/g)) {
      if (/\d/.test(piece)) grid.push(...Array(Number(piece)).fill(""));
      else grid.push(piece.toLowerCase());
    }
  }
  grid.length = board.rows * board.columns;
  return grid;
}

/** The text of a board's rows. */
export function rowsOf(grid, board) {
  const rows = [];
  for (let row = 0; row < board.rows; row++) {
    let text = "";
    let empty = 0;
    for (const cell of grid.slice(row * board.columns, (row + 1) * board.columns)) {
      if (!cell) {
        empty++;
        continue;
      }
      text += (empty || "") + cell.toUpperCase();
      empty = 0;
    }
    rows.push(text + (empty || ""));
  }
  return rows.join("/");
}

/** The name of a socket: file and rank. */
export const nameOf = (index, board) =>
  board.files[index % board.columns] + (board.rows - Math.floor(index / board.columns));

/** A move's placement and its turn: quadrant (from 0) and direction. */
export function parts(move) {
  const [place, turn] = move.split("/");
  if (turn === undefined) return { place };
  if (turn === "0") return { place, declined: true };
  return { place, quadrant: parseInt(turn, 10) - 1, clockwise: turn.endsWith("+") };
}

/** Where a socket comes to lie by a turn. */
export function turned(index, quadrant, clockwise, board) {
  const { row: top, column: left, rows: size } = board.quadrants[quadrant];
  const row = Math.floor(index / board.columns) - top;
  const column = (index % board.columns) - left;
  if (row < 0 || column < 0 || row >= size || column >= size) return index;
  const [newRow, newColumn] = clockwise ? [column, size - 1 - row] : [size - 1 - column, row];
  return (top + newRow) * board.columns + left + newColumn;
}

/** The sockets of all lines that are long enough to win, to be marked when a game is over. */
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
