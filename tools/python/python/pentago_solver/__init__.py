"""Exact values of positions of Pentago, Pentago XL and Pente, and tablebases of Pentago.

>>> import pentago_solver as pentago
>>> position = pentago.Position("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o")
>>> answer = pentago.Solver(memory="1G").solve(position, distance=True)
>>> answer.value, answer.best_moves[0].move, answer.distance
(Value.WIN, 'b1/3+', 7)

Boards are int8 arrays with rows from the top: 0 is an empty socket, 1 a marble of X, 2 a marble of O.
Values are for the side to move: 1 is a win, 0 a draw, -1 a loss.
"""

from __future__ import annotations

import os
from typing import Callable, Optional, Sequence, Union

import numpy as np

from ._pentago import (
    ILLEGAL,
    UNKNOWN,
    Batches,
    ContradictionError,
    Game,
    Position,
    Rules,
    SampleBatches,
    Solver,
    Table,
    Tablebase,
    __version__,
    build,
    plan,
    random_positions,
)
from ._records import (
    Answer,
    Built,
    BuildEstimate,
    Counts,
    Estimate,
    MoveEval,
    Progress,
    Sample,
    SliceEstimate,
    Value,
    Verified,
)

__all__ = [
    "ILLEGAL",
    "UNKNOWN",
    "Answer",
    "Batches",
    "Built",
    "BuildEstimate",
    "ContradictionError",
    "Counts",
    "Estimate",
    "Game",
    "MoveEval",
    "Position",
    "Progress",
    "Rules",
    "Sample",
    "SampleBatches",
    "SliceEstimate",
    "Solver",
    "Table",
    "Tablebase",
    "Value",
    "Verified",
    "__version__",
    "build",
    "plan",
    "random_positions",
    "sample",
    "verify",
]


def __dir__() -> list[str]:
    """Lists the public names without the submodules."""
    return sorted([*__all__, "__all__", "__doc__", "__file__", "__name__", "__path__"])


_Folder = Union[str, "os.PathLike[str]"]


def _opened(tables: Union[Tablebase, _Folder]) -> Tablebase:
    return tables if isinstance(tables, Tablebase) else Tablebase(tables)


def sample(
    tables: Union[Tablebase, _Folder],
    *,
    marbles: Union[int, Sequence[int], None] = None,
    count: int,
    seed: int = 0,
    up_to_symmetry: bool = False,
    finished: bool = False,
    moves: bool = False,
) -> Sample:
    """Draws random boards of tables with their values, as training data.

    Boards are drawn uniformly and without repetition from all boards in the tables. ``marbles``, one number
    or several, restricts them to boards with these numbers of marbles. ``up_to_symmetry`` draws from the
    canonical forms only. The same seed gives the same boards in the same random order on every machine.
    Finished games are left out unless ``finished`` is true. ``moves`` adds the values of all moves: see
    ``Tablebase.move_values``.

    The sample is smaller than ``count`` if the tables hold fewer boards. Raises LookupError if no table has
    one of the numbers of marbles. ``Tablebase.sample_batches`` yields the same boards in batches, in bounded
    memory.
    """
    if count < 0:
        raise ValueError("count must not be negative")
    chosen = [marbles] if isinstance(marbles, int) else marbles
    tablebase = _opened(tables)
    batches = tablebase.sample_batches(
        marbles=chosen, seed=seed, up_to_symmetry=up_to_symmetry, finished=finished, moves=moves
    )
    parts = []
    while count > 0:
        part = batches.next(min(count, 65536))
        if part is None:
            break
        parts.append(part)
        count -= len(part.values)
    side = tablebase.rules.size
    empty = np.empty((0, side, side), np.int8)
    none = np.empty((0, side * side, 9), np.int8)
    return Sample(
        tablebase.rules,
        np.concatenate([empty, *(part.boards for part in parts)]),
        np.concatenate([empty[:, 0, 0], *(part.values for part in parts)]),
        np.concatenate([none, *(part.moves for part in parts if part.moves is not None)])
        if moves
        else None,
    )


def verify(
    tables: Union[Tablebase, _Folder],
    *,
    hash: bool = True,
    sample: int = 0,
    seed: int = 0,
    full: bool = False,
    marbles: Optional[int] = None,
    progress: Optional[Callable[[Progress], object]] = None,
) -> Verified:
    """Verifies tables. The options are those of ``Tablebase.verify``."""
    return _opened(tables).verify(
        hash=hash, sample=sample, seed=seed, full=full, marbles=marbles, progress=progress
    )
