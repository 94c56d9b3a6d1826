// The solver as an opponent, and puzzles.

const RANK = { win: 0, draw: 1, unknown: 2, loss: 3 };
/** Random positions that are tried for one puzzle. */
const TRIES = 150;

/** Whether a move is better than another: by value, then the shorter win or the longer loss. */
export function isBetter(a, b) {
  if (RANK[a.value] !== RANK[b.value]) return RANK[a.value] < RANK[b.value];
  const [x, y] = [a.distance ?? Infinity, b.distance ?? Infinity];
  return a.value === "loss" ? x > y : x < y;
}

const any = (list) => list[Math.floor(Math.random() * list.length)];

/** The move that the solver plays; with `mistakes`, in that share of moves any move. */
export function reply(node, answer, mistakes) {
  const legal = node.moves.map(({ move }) => move);
  if (Math.random() < mistakes || !answer?.moves?.length) return any(legal);
  if (answer.best?.length) return any(answer.best);
  const least = Math.min(...answer.moves.map(({ value }) => RANK[value]));
  return any(answer.moves.filter(({ value }) => RANK[value] === least)).move;
}

/** A position in which exactly one move wins, and not at once. */
export async function findPuzzle(engine, sheet, marbles) {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const served = await engine.get(`api/v1/puzzle?${new URLSearchParams({ rules: sheet.name, marbles, seed })}`);
  if (served?.position) {
    const answer = await engine.values(sheet.name, served.position);
    if (answer.best?.length) return { position: served.position, rules: sheet.name, best: answer.best };
  }
  const small = sheet.board.rows < 6;
  for (let i = 0; i < TRIES; i++) {
    const drawn = await engine.fromWorker(["random", sheet.name, String(small ? 6 : marbles), String(seed + i)]);
    if (drawn.error) return null;
    const answer = await engine.fromWorker(["values", sheet.name, drawn.position, "0", "2"]);
    const wins = answer.moves?.filter(({ value }) => value === "win") ?? [];
    if (wins.length === 1) return { position: drawn.position, rules: sheet.name, best: [wins[0].move] };
  }
  return null;
}
