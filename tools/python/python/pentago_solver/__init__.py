"""Exact values of positions of Pentago, Pentago XL and Pente, and tablebases of Pentago.

>>> import pentago_solver as pentago
>>> position = pentago.Position("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o")
>>> answer = pentago.Solver(memory="1G").solve(position, distance=True)
>>> answer.value, answer.best_moves[0].move, answer.distance
(Value.WIN, 'b1/3+', 7)

Arrays hold boards as int8, rows from the top: 0 is an empty socket, 1 a marble of X, 2 one of O. Values
are for the side to move: 1 for a win, 0 for a draw, -1 for a loss.
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
    """What the package has, without the modules that it is made of."""
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
    """Random boards of tables with their values: training data.

    They are drawn uniformly and without repetition from all boards that the tables hold with
    ``marbles`` marbles (one number or several; all unless given), or with ``up_to_symmetry`` from
    their canonical forms, and come in random order, the same from the same seed everywhere. Boards
    on which the game is over are left out unless ``finished``. With ``moves`` the values of all
    moves are there, too; see ``Tablebase.move_values``.

    There are fewer than ``count`` if the tables hold no more. Raises LookupError if there is no
    table of one of these numbers. ``Tablebase.sample_batches`` gives the
    same boards batch by batch, in bounded memory.
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
    """Compares what tables hold with what it must be: see ``Tablebase.verify``."""
    return _opened(tables).verify(
        hash=hash, sample=sample, seed=seed, full=full, marbles=marbles, progress=progress
    )
