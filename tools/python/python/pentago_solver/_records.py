"""What computations answer: values, reports, and how far they are. Plain data."""

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
    """A value for the side to move, as arrays hold it: 1, 0 or -1, and -128 if it is unknown."""

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
    """What a full solution takes: its depth in plies, boards to compute, bytes of memory."""

    plies: int
    boards: int
    bytes: int


@dataclass(frozen=True)
class MoveEval:
    """A legal move with its value for the player who makes it."""

    move: str
    """The move, such as ``c4/2+``."""
    position: Position
    """The position after it."""
    value: Value
    distance: Optional[int]
    """For a win or loss, if requested: plies to the end of the game, this move included."""
    source: str
    """Where the value comes from: ``rules``, ``table``, ``solved``, ``proof`` or ``unknown``."""
    reason: Optional[str]
    """Why it is unknown, if it is."""
    guess: Optional[float] = None
    """The expected score, 0 to 1, where the best moves are those of a guess. It is no value."""


@dataclass(frozen=True, repr=False)
class Answer:
    """What is known of a position."""

    position: Position
    value: Value
    distance: Optional[int]
    """For a win or loss, if requested: plies to the end of the game."""
    source: str
    """Where the value comes from: ``rules``, ``table``, ``solved``, ``proof`` or ``unknown``."""
    reason: Optional[str]
    """Why it is unknown, if it is."""
    moves: Tuple[MoveEval, ...]
    """All legal moves, best first; none if the game is over."""
    best: int
    """How many of these keep the value of the position; where none is known to, those with the best
    guess."""
    plies: int
    """The depth of the search."""
    complete: bool
    """Whether nothing is unknown."""
    boards: int
    """Boards computed for the answer."""
    line: Tuple[str, ...]
    """Best moves of both sides to the end of the game, if distances were requested."""
    full: Optional[Estimate]
    """What the full solution takes, if the value is unknown."""
    no_win_within: int
    """If the value is unknown: no win can be forced within this number of plies."""
    no_loss_within: int
    """If the value is unknown: no loss can be forced within this number of plies."""
    guess: Optional[float] = None
    """If the best moves are those of a guess: the expected score, 0 to 1. It is no value."""
    at_least: Optional[str] = None
    """The least that an unknown value can be, as tables say of the positions before this one:
    ``draw``."""

    @property
    def best_moves(self) -> Tuple[MoveEval, ...]:
        """The moves that keep the value of the position, or else those with the best guess, if there is one."""
        return self.moves[: self.best]

    def _said(self) -> str:
        """The value in words, with the plies to the end or the guess."""
        if self.distance is not None and self.value in (Value.WIN, Value.LOSS):
            return f"{self.value} in {self.distance}"
        return str(self.value) if self.guess is None else f"{self.value}, a guess of {self.guess:.0%}"

    def __repr__(self) -> str:
        moves = ", ".join(move.move for move in self.best_moves[:3]) or "none"
        more = ", ..." if self.best > 3 else ""
        return f"<Answer {self._said()} ({self.source}), best of {len(self.moves)} moves: {moves}{more}>"

    def _repr_html_(self) -> str:
        """For notebooks: the board, what is known of it, and the best moves."""
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
    """How far a computation is: ``done`` of ``total`` units (boards, supers or bytes) of a stage."""

    stage: int
    what: str
    done: int
    total: int
    unit: str


@dataclass(frozen=True)
class Built:
    """What a build made: the tables, their bytes, and the most bytes of temporary files."""

    paths: Tuple[str, ...]
    bytes: int
    scratch_bytes: int
    already: bool
    """Whether all of them existed before."""


@dataclass(frozen=True)
class SliceEstimate:
    """What one slice of a game takes."""

    marbles: int
    sections: int
    entries: int
    raw_bytes: int
    table_bytes: int
    memory_bytes: int
    core_seconds: float


@dataclass(frozen=True)
class BuildEstimate:
    """What a build takes."""

    boards: int
    """Boards to compute, each standing for 256 rotations."""
    memory_bytes: int
    scratch_bytes: int
    kept_bytes: int
    seconds: float
    slices: Tuple[SliceEstimate, ...]
    """Of a game, its slices in the order of building."""


@dataclass(frozen=True)
class Verified:
    """What was verified and found right."""

    tables: int
    bytes: int
    """Bytes whose checksums were compared."""
    positions: int
    """Random positions."""
    over: int
    """Finished games among them."""
    by_moves: int
    """Compared with the values of all their moves."""
    by_solver: int
    """Compared with the solver."""
    unchecked: int
    """Not compared."""
    entries: int
    """Entries, of 256 values each, compared with their moves."""
    without_children: int
    """Entries whose moves aren't stored."""


class Counts(NamedTuple):
    """Positions won, drawn and lost for the side to move."""

    wins: int
    draws: int
    losses: int


class Sample(NamedTuple):
    """Random boards: int8 arrays of shape (n, 6, 6) and (n,), and (n, 36, 9) if requested."""

    rules: Rules
    boards: NDArray[np.int8]
    values: NDArray[np.int8]
    moves: Optional[NDArray[np.int8]]


def open_tablebase(
    path: Union[str, os.PathLike[str]], rules: str, cache: Optional[int], threads: Optional[int]
) -> Tablebase:
    """A tablebase as it was opened elsewhere: what pickles of tablebases call."""
    from ._pentago import Tablebase

    return Tablebase(path, rules, cache=cache, threads=threads)
