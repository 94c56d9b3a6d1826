"""Results of computations as plain data: values, answers, reports and progress."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Optional, Tuple, Union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._pentago import Position, Rules, Tablebase


class Value(enum.IntEnum):
    """A value for the side to move. The numbers are those of value arrays."""

    LOSS = -1
    DRAW = 0
    WIN = 1
    UNKNOWN = -128

    def __repr__(self) -> str:
        return f"Value.{self.name}"

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Estimate:
    """The costs of a full solution: its depth in plies, the boards to compute, and the bytes of memory."""

    plies: int
    boards: int
    bytes: int


@dataclass(frozen=True)
class MoveEval:
    """A legal move with its value for the player who makes it."""

    move: str
    """The move, such as ``c4/2+``."""
    position: Position
    """The position after the move."""
    value: Value
    distance: Optional[int]
    """The plies to the end of the game including this move, for a win or loss, if requested."""
    source: str
    """The origin of the value: ``rules``, ``table``, ``published``, ``solved``, ``proof`` or ``unknown``."""
    reason: Optional[str]
    """The reason why the value is unknown."""
    guess: Optional[float] = None
    """The expected score from 0 to 1, if moves are ranked by a guess. A guess proves nothing."""


@dataclass(frozen=True, repr=False)
class Answer:
    """The value of a position and of its moves, as far as known."""

    position: Position
    value: Value
    distance: Optional[int]
    """The plies to the end of the game, for a win or loss, if requested."""
    source: str
    """The origin of the value: ``rules``, ``table``, ``published``, ``solved``, ``proof`` or ``unknown``."""
    reason: Optional[str]
    """The reason why the value is unknown."""
    moves: Tuple[MoveEval, ...]
    """All legal moves, best first. Empty if the game is over."""
    best: int
    """The number of moves that keep the value of the position. If none is known to keep it, the number of
    moves with the best guess."""
    plies: int
    """The depth of the search."""
    complete: bool
    """True if the values of the position and of all moves are known."""
    boards: int
    """The number of boards computed for the answer."""
    line: Tuple[str, ...]
    """The best moves of both sides to the end of the game, if distances were requested."""
    full: Optional[Estimate]
    """The costs of the full solution, if the value is unknown."""
    no_win_within: int
    """For an unknown value: no win can be forced within this number of plies."""
    no_loss_within: int
    """For an unknown value: no loss can be forced within this number of plies."""
    guess: Optional[float] = None
    """The expected score from 0 to 1, if the best moves come from a guess. A guess proves nothing."""
    at_least: Optional[str] = None
    """A lower bound on an unknown value, ``draw``, if tables of the positions before this one prove it."""

    @property
    def best_moves(self) -> Tuple[MoveEval, ...]:
        """The moves that keep the value of the position. If none is known to, the moves with the best guess."""
        return self.moves[: self.best]

    def _said(self) -> str:
        """Returns the value in words, with the plies to the end or the guess."""
        if self.distance is not None and self.value in (Value.WIN, Value.LOSS):
            return f"{self.value} in {self.distance}"
        return str(self.value) if self.guess is None else f"{self.value}, a guess of {self.guess:.0%}"

    def __repr__(self) -> str:
        moves = ", ".join(move.move for move in self.best_moves[:3]) or "none"
        more = ", ..." if self.best > 3 else ""
        return f"<Answer {self._said()} ({self.source}), best of {len(self.moves)} moves: {moves}{more}>"

    def _repr_html_(self) -> str:
        """Returns HTML for notebooks: the board, its value, and the best moves."""
        rows = "".join(
            f"<tr><td>{move.move}</td><td>{move.value}</td>"
            f"<td>{'' if move.distance is None else move.distance}</td></tr>"
            for move in self.best_moves[:10]
        )
        head = "<tr><th>best</th><th>value</th><th>plies</th></tr>"
        table = f"<table>{head}{rows}</table>" if rows else ""
        more = f"<p>and {self.best - 10} more</p>" if self.best > 10 else ""
        return f"{self.position._repr_svg_()}<p><b>{self._said()}</b> ({self.source})</p>{table}{more}"


@dataclass(frozen=True)
class Progress:
    """The progress of a computation: ``done`` of ``total`` units (boards, supers or bytes) of a stage."""

    stage: int
    what: str
    done: int
    total: int
    unit: str


@dataclass(frozen=True)
class Built:
    """The result of a build: the paths of the tables, their size, and the peak size of temporary files."""

    paths: Tuple[str, ...]
    bytes: int
    scratch_bytes: int
    already: bool
    """True if all tables existed before the build."""


@dataclass(frozen=True)
class SliceEstimate:
    """The costs of one slice of a game."""

    marbles: int
    sections: int
    entries: int
    raw_bytes: int
    table_bytes: int
    memory_bytes: int
    core_seconds: float


@dataclass(frozen=True)
class BuildEstimate:
    """The costs of a build."""

    boards: int
    """The number of boards to compute, each with its 256 rotations."""
    memory_bytes: int
    scratch_bytes: int
    kept_bytes: int
    seconds: float
    slices: Tuple[SliceEstimate, ...]
    """The slices of a game in build order. Empty for a build below a position."""


@dataclass(frozen=True)
class Verified:
    """The numbers of items that were verified and found correct."""

    tables: int
    bytes: int
    """The number of bytes whose checksums were compared."""
    positions: int
    """The number of random positions."""
    over: int
    """The number of random positions in which the game is over."""
    by_moves: int
    """The number of random positions that were compared with the values of all their moves."""
    by_solver: int
    """The number of random positions that were compared with the solver."""
    unchecked: int
    """The number of random positions that were not compared."""
    entries: int
    """The number of entries, of 256 values each, that were compared with their moves."""
    without_children: int
    """The number of entries whose moves no table holds."""


class Counts(NamedTuple):
    """The numbers of positions won, drawn and lost for the side to move."""

    wins: int
    draws: int
    losses: int


class Sample(NamedTuple):
    """Random boards: int8 arrays of boards (n, 6, 6), values (n,), and if requested moves (n, 36, 9)."""

    rules: Rules
    boards: NDArray[np.int8]
    values: NDArray[np.int8]
    moves: Optional[NDArray[np.int8]]


def open_tablebase(
    path: Union[str, os.PathLike[str]], rules: str, cache: Optional[int], threads: Optional[int]
) -> Tablebase:
    """Opens a tablebase with the arguments of a pickled one."""
    from ._pentago import Tablebase

    return Tablebase(path, rules, cache=cache, threads=threads)
