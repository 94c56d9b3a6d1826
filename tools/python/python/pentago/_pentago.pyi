import os
from types import TracebackType
from typing import Callable, Final, Iterator, List, Optional, Sequence, Tuple, Type, TypeVar, Union, final, overload

import numpy as np
from numpy.typing import NDArray

from ._records import Answer, Built, BuildEstimate, Counts, Estimate, Progress, Sample, Value, Verified

_Board = NDArray[np.int8]
_Path = Union[str, os.PathLike[str]]
_Size = Union[int, str]
_Rules = Union["Rules", str]
_Watcher = Optional[Callable[[Progress], object]]
_T = TypeVar("_T")

__all__ = [
    "ILLEGAL",
    "UNKNOWN",
    "Batches",
    "ContradictionError",
    "Position",
    "Rules",
    "SampleBatches",
    "Solver",
    "Table",
    "Tablebase",
    "__version__",
    "build",
    "plan",
    "random_positions",
]

__version__: Final[str]
UNKNOWN: Final = -128
ILLEGAL: Final = -127

class ContradictionError(RuntimeError): ...

@final
class Rules:
    def __new__(cls, text: str = "pentago") -> Rules: ...
    @staticmethod
    def presets() -> List[str]: ...
    @property
    def size(self) -> int: ...
    def start(self) -> Position: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    def __new__(cls, text: str, rules: Optional[_Rules] = None) -> Position: ...
    @staticmethod
    def from_array(array: _Board, rules: Optional[_Rules] = None, pending: bool = False) -> Position: ...
    @property
    def array(self) -> _Board: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def marbles(self) -> int: ...
    @property
    def to_move(self) -> str: ...
    @property
    def pending(self) -> bool: ...
    @property
    def outcome(self) -> Optional[str]: ...
    def outcome_of(self, move: str) -> Optional[str]: ...
    def moves(self) -> List[str]: ...
    def play(self, move: str) -> Position: ...
    def canonical(self) -> Position: ...
    def diagram(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def random_positions(
    marbles: int, count: int, seed: int = 0, rules: Optional[_Rules] = None, quiet: bool = False
) -> List[Position]: ...

@final
class Solver:
    def __new__(
        cls,
        memory: Optional[_Size] = None,
        threads: Optional[int] = None,
        *,
        kernel: Optional[str] = None,
        tablebase: Optional[Tablebase] = None,
    ) -> Solver: ...
    def solve(
        self,
        position: Position,
        *,
        distance: bool = False,
        depth: Optional[int] = None,
        exact: bool = False,
        time: Optional[float] = None,
        progress: _Watcher = None,
    ) -> Answer: ...
    def estimate(self, position: Position) -> Estimate: ...

@final
class Tablebase:
    def __new__(
        cls,
        path: _Path,
        rules: Optional[_Rules] = None,
        *,
        cache: Optional[_Size] = None,
        threads: Optional[int] = None,
    ) -> Tablebase: ...
    @property
    def path(self) -> os.PathLike[str]: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def tables(self) -> List[Table]: ...
    @property
    def closed(self) -> bool: ...
    def table(self, marbles: int) -> Table: ...
    def probe(self, position: Position) -> Value: ...
    @overload
    def get(self, position: Position) -> Optional[Value]: ...
    @overload
    def get(self, position: Position, default: _T) -> Union[Value, _T]: ...
    def __contains__(self, position: Position, /) -> bool: ...
    def moves(self, position: Position) -> Answer: ...
    def probe_many(self, boards: _Board, *, progress: _Watcher = None) -> NDArray[np.int8]: ...
    def move_values(self, boards: _Board, *, progress: _Watcher = None) -> NDArray[np.int8]: ...
    def sample_batches(
        self,
        size: int = 65536,
        *,
        marbles: Optional[Sequence[int]] = None,
        seed: int = 0,
        up_to_symmetry: bool = False,
        finished: bool = False,
        moves: bool = False,
    ) -> SampleBatches: ...
    def verify(
        self,
        *,
        hash: bool = True,
        sample: int = 0,
        seed: int = 0,
        full: bool = False,
        marbles: Optional[int] = None,
        progress: _Watcher = None,
    ) -> Verified: ...
    def close(self) -> None: ...
    def __enter__(self) -> Tablebase: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...

@final
class Table:
    @property
    def marbles(self) -> int: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def root(self) -> Optional[Position]: ...
    @property
    def entries(self) -> int: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def bytes(self) -> int: ...
    @property
    def path(self) -> os.PathLike[str]: ...
    def batches(self, size: int = 65536) -> Batches: ...

@final
class Batches(Iterator[Tuple[_Board, NDArray[np.int8]]]):
    def __iter__(self) -> Batches: ...
    def __next__(self) -> Tuple[_Board, NDArray[np.int8]]: ...

@final
class SampleBatches(Iterator[Sample]):
    def __iter__(self) -> SampleBatches: ...
    def __next__(self) -> Sample: ...
    def next(self, size: int) -> Optional[Sample]: ...

def build(
    target: Union[Position, Rules, str],
    folder: _Path,
    *,
    keep: Optional[int] = None,
    memory: Optional[_Size] = None,
    threads: Optional[int] = None,
    progress: _Watcher = None,
) -> Built: ...
def plan(
    target: Union[Position, Rules, str],
    *,
    keep: Optional[int] = None,
    memory: Optional[_Size] = None,
    threads: Optional[int] = None,
    progress: _Watcher = None,
) -> BuildEstimate: ...
