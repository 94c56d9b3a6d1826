"""Input for `mypy --strict`, which checks the types of the package. Never executed."""

from pathlib import Path
from typing import List, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

import pentago_solver as pentago


def game() -> None:
    rules: pentago.Rules = pentago.Rules("pentago-fi")
    position: pentago.Position = pentago.Position("6/6/6/6/6/6 x", rules)
    moves: List[str] = position.play("c4/2+").canonical().moves()
    array: NDArray[np.int8] = position.array
    outcome: Optional[str] = position.outcome
    positions: List[pentago.Position] = pentago.random_positions(20, 3, seed=1, rules="mini")
    print(moves, array, outcome, positions, pentago.Position.from_array(array, "pentago"))
    position.marbles = 3  # type: ignore[misc]
    pentago.Position(3)  # type: ignore[arg-type]


def played(position: pentago.Position) -> Optional[str]:
    game: pentago.Game = pentago.Game(start=position)
    game.push(game.legal_moves[0])
    game.annotate(-1, "the first", marks=[1])
    last: str = game.pop()
    again: pentago.Game = pentago.Game.from_record(game.to_record())
    print(last, again.position, again.tags, len(again), again.note(0)[1])
    game.push(1)  # type: ignore[arg-type]
    return again.result


def solve(position: pentago.Position) -> Tuple[pentago.Value, Optional[int], List[str]]:
    solver = pentago.Solver(memory="8G", threads=2)
    answer: pentago.Answer = solver.solve(position, distance=True, progress=lambda p: print(p.done))
    estimate: pentago.Estimate = solver.estimate(position)
    print(estimate.bytes)
    solver.solve("6/6/6/6/6/6 x")  # type: ignore[arg-type]
    return answer.value, answer.distance, [move.move for move in answer.best_moves]


def tables(folder: Path, position: pentago.Position) -> None:
    built: pentago.Built = pentago.build(position, folder, keep=28, memory=10**9)
    plan: pentago.BuildEstimate = pentago.plan("mini")
    verified: pentago.Verified = pentago.verify(folder, sample=10)
    print(built.paths, plan.seconds, verified.tables)
    with pentago.Tablebase(folder, "pentago", cache="1G") as tablebase:
        value: pentago.Value = tablebase.probe(position)
        perhaps: Optional[pentago.Value] = tablebase.get(position)
        other: Union[pentago.Value, str] = tablebase.get(position, "none")
        values: NDArray[np.int8] = tablebase.probe_many(position.array[None])
        print(value, perhaps, other, values, position in tablebase)
        for table in tablebase.tables:
            wins: int = table.counts.wins
            for boards, of_boards in table.batches(65536):
                print(wins, boards.shape, of_boards.shape)
        for batch in tablebase.sample_batches(100, marbles=[27], moves=True):
            print(batch.boards, batch.values, batch.moves)
        tablebase.probe_many([[0]])  # type: ignore[arg-type]
    sample: pentago.Sample = pentago.sample(folder, marbles=27, count=10)
    print(sample.rules)
