// The solver as an opponent.

/** Values from the best to the worst for the side to move. */
const RANK = { win: 0, draw: 1, unknown: 2, loss: 3 };

/** Whether a move is better than another: by value, then the better guess, the shorter win or the longer loss. */
export function isBetter(a, b) {
  if (RANK[a.value] !== RANK[b.value]) return RANK[a.value] < RANK[b.value];
  const [x, y] = [a.distance ?? Infinity, b.distance ?? Infinity];
  if (a.guess !== b.guess) return (a.guess ?? 0) > (b.guess ?? 0);
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
