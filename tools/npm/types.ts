// Input for the TypeScript compiler, which checks the types. Never executed.

import { type Answer, load, type Value } from "pentago-solver";

const pentago = await load({ openings: false });
const answer: Answer = pentago.solve("6/6/6/6/6/6 x", { rules: "pentago", seconds: 1 });
const value: Value = answer.value;
const guess: number | undefined = answer.moves[0]?.guess;
const winners: string[] | undefined = pentago.look(answer.position).over?.winners;
const sides: string[] = pentago.rules().board.seats.map(({ seat }) => seat);
// @ts-expect-error: a position is a string.
pentago.solve(3);
// @ts-expect-error: there is no such value.
const wrong: Value = "won";
console.log(value, guess, winners, sides, wrong, pentago.read("c4/2+").moves, pentago.random({ seed: 1 }));
