/** The value of a position for one side. */
export type Value = "win" | "draw" | "loss" | "unknown";

/** A move, with its value for the side that makes it. */
export interface Move {
  /** The move, such as `c4/2+`: place a marble on c4, then turn quadrant 2 clockwise. */
  move: string;
  value: Value;
  /** The origin of the value: `rules`, `published`, `solved`, `proof` or `unknown`. */
  source: string;
  /** The expected score from 0 to 1, if the value is unknown. A guess proves nothing. */
  guess?: number;
  /** The plies to the end of the game, if requested and known. */
  distance: number | null;
  /** The position after the move. */
  position: string;
}

/** The value of a position and of its moves, as far as known. */
export interface Answer {
  position: string;
  rules: string;
  to_move: string;
  pending?: boolean;
  /** The value for the side to move. */
  value: Value;
  source: string;
  /** The reason why the value is unknown. */
  reason?: string;
  /** The expected score of the side to move from 0 to 1, if `best_guess` has moves. */
  guess?: number;
  distance: number | null;
  /** The moves that are known to keep the value. */
  best: string[];
  /** If no move is known to keep the value, the moves with the best guess. */
  best_guess?: string[];
  moves: Move[];
  /** The best moves of both sides to the end of the game, if distances were requested. */
  line?: string[];
  seconds: number;
}

/** The end of a game: the winning seats, or none after a draw. */
export interface Over {
  winners: string[];
}

/** A position and its moves, without values. */
export interface Look {
  position: string;
  rules: string;
  to_move: string;
  /** The number of the position on perfect-pentago.net. */
  number?: string;
  diagram: string;
  over: Over | null;
  moves: { move: string; position: string; over?: Over }[];
}

/** A parsed game: its start, its moves, and the position after them. */
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
  /** The possible turns: `+` clockwise, `-` counterclockwise. */
  turns: string[];
}

/** The board of a game. */
export interface Board {
  game: string;
  rows: number;
  columns: number;
  /** The letters of the columns, from the left. */
  files: string;
  /** The number of marbles in a row that wins. */
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

/** Replacements for the files that `load` reads from the package. */
export interface Files {
  /** The compiled module, or its bytes. */
  wasm?: BufferSource | WebAssembly.Module;
  /** The values of the first moves, or `false` for none. */
  openings?: BufferSource | false;
}

/** The solver. Its methods compute in the calling thread, and throw an Error for invalid input. */
export class Pentago {
  private constructor();
  /** Returns the named rule sets, with their boards. */
  presets(): Sheet[];
  /** Returns a rule set, with its board. */
  rules(rules?: string): Sheet;
  /** Returns the value of a position and of each of its moves. `seconds` limits the time of positions whose full solution doesn't fit in memory. */
  solve(position: string, options?: { rules?: string; distance?: boolean; seconds?: number }): Answer;
  /** Returns a position and its moves, without values. */
  look(position: string, options?: { rules?: string }): Look;
  /** Parses a game: a position in any notation, a record, or moves. */
  read(text: string, options?: { rules?: string }): Read;
  /** Returns a random position without an immediately winning move. */
  random(options?: { rules?: string; marbles?: number; seed?: number }): string;
}

/** Loads the solver: its module and the values of the first moves. */
export function load(files?: Files): Promise<Pentago>;
