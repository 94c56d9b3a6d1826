// The record of a game as text: tags, numbered moves with marks and comments, and the result
// (docs/records.md).

/** The annotation numbers (NAGs) of the marks: a blunder, a mistake, the only move. */
const NUMBERS = { win_lost: 4, draw_lost: 2, only: 8 };
/** The names of the games in records. */
const TITLES = { pentago: "Pentago", xl: "Pentago XL", pente: "Pente" };

/** Returns the result of a game: the winners, "draw", or "*" if the game is not over. */
export function resultOf(node) {
  if (!node.over) return "*";
  return node.over.winners.length ? node.over.winners.join("") : "draw";
}

/** Returns the record of a game. `marks` has the mark of each move, if known. */
export function toRecord(game, marks = []) {
  const { board } = game.sheet;
  const start = game.nodes[0];
  const result = resultOf(game.nodes.at(-1));
  const tags = [["Game", TITLES[board.game] ?? board.game], ["Rules", game.rules]];
  if (start.position !== game.sheet.start) tags.push(["SetUp", start.position]);
  tags.push(["Result", result]);
  const seats = board.seats.length;
  const first = Math.max(0, board.seats.indexOf(start.toMove));
  const words = game.moves.flatMap((move, i) => {
    const at = i + first;
    const before = at % seats === 0 || i === 0 ? [`${Math.floor(at / seats) + 1}.`] : [];
    const number = NUMBERS[marks[i]?.name];
    return [...before, move, ...(number ? [`$${number}`] : [])];
  });
  const lines = [""];
  for (const word of [...words, result]) {
    if (lines.at(-1).length + word.length > 78) lines.push("");
    lines.push([lines.pop(), word].filter(Boolean).join(" "));
  }
  return `${tags.map(([name, value]) => `[${name} "${value}"]\n`).join("")}\n${lines.join("\n")}\n`;
}
