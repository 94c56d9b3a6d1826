/** What a position is worth for a side. */
export type Value = "win" | "draw" | "loss" | "unknown";

/** A move with its value for the side that makes it. */
export interface Move {
  /** Such as `c4/2+`: a marble on c4, then quadrant 2 turns clockwise. */
  move: string;
  value: Value;
  /** `rules`, `published`, `solved`, `proof` or `unknown`. */
  source: string;
  /** Where no value is known: an expected score, 0 to 1. It is a guess and no value. */
  guess?: number;
  /** Plies to the end of the game, if they were asked for and found. */
  distance: number | null;
  /** The position that it leads to. */
  position: string;
}

/** What is known about a position. */
export interface Answer {
  position: string;
  rules: string;
  to_move: string;
  pending?: boolean;
  /** For the side to move. */
  value: Value;
  source: string;
  /** Why the value is unknown. */
  reason?: string;
  /** The expected score of the side to move, 0 to 1, where the best moves are those of a guess. */
  guess?: number;
  distance: number | null;
  /** The moves that keep the value; where no value is known, those with the best guess. */
  best: string[];
  moves: Move[];
  /** Best moves of both sides to the end, if distances were asked for. */
  line?: string[];
  seconds: number;
}

/** How a game has ended: the seats that won, none after a draw. */
export interface Over {
  winners: string[];
}

/** A position and its moves, without values. */
export interface Look {
  position: string;
  rules: string;
  to_move: string;
  /** The number of perfect-pentago.net. */
  number?: string;
  diagram: string;
  over: Over | null;
  moves: { move: string; position: string; over?: Over }[];
}

/** A game as it was read: its start, its moves, and where they lead. */
export interface Read {
  rules: string;
  start: string;
  moves: string[];
  position: string;
}

/** A quadrant, or a block of Pentago XL. */
export interface Block {
  number: number;
  row: number;
  column: number;
  rows: number;
  columns: number;
  /** How it turns: `+` clockwise, `-` counterclockwise. */
  turns: string[];
}

/** The board of a game. */
export interface Board {
  game: string;
  rows: number;
  columns: number;
  /** The letters of the files, from the left. */
  files: string;
  /** Marbles in a row that win. */
  run: number;
  blocks: Block[];
  seats: { seat: string; marble: string; team: string }[];
  turn: boolean;
  decline: boolean;
  captures: boolean;
  /** The position before the first move. */
  start: string;
}

/** A rule set with its board. */
export interface Sheet {
  name: string;
  title: string;
  sentence: string;
  board: Board;
}

/** What `load` takes instead of the files of the package. */
export interface Files {
  /** The module, or its bytes. */
  wasm?: BufferSource | WebAssembly.Module;
  /** The compressed values of the first moves; `false` to do without. */
  openings?: BufferSource | false;
}

/** The solver. Its methods compute in the calling thread, and throw an Error for bad input. */
export class Pentago {
  private constructor();
  /** The rule sets with a name, with their boards. */
  presets(): Sheet[];
  /** A rule set, with its board. */
  rules(rules?: string): Sheet;
  /** The value of a position, and of each of its moves. `seconds` limits what isn't solved to the end. */
  solve(position: string, options?: { rules?: string; distance?: boolean; seconds?: number }): Answer;
  /** A position and its moves, without values. */
  look(position: string, options?: { rules?: string }): Look;
  /** A text as a game: a position in any notation, a record, or moves. */
  read(text: string, options?: { rules?: string }): Read;
  /** A random position in which no move wins at once. */
  random(options?: { rules?: string; marbles?: number; seed?: number }): string;
}

/** Loads the solver: its module and the values of the first moves. */
export function load(files?: Files): Promise<Pentago>;
