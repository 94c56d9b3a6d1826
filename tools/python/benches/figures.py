"""Measures the speed of the package, and the command line in the same run for comparison.

    PENTAGO=target/release/pentago python tools/python/benches/figures.py

Prints CPU seconds of all threads: other load on the machine disturbs CPU time less than wall time.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Callable, List

import numpy as np

import pentago_solver as pentago

SOLVE = "3OX1/OOXOX1/3XOX/OX2OO/2X1X1/3O1X x"
ROOT = pentago.random_positions(20, 1, seed=3)[0]


def cpu(work: Callable[[], object]) -> "tuple[float, float]":
    """Returns the CPU seconds and the wall seconds of a piece of work."""
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.perf_counter() - began


def probe_many(folder: str) -> None:
    """Looks up 1,000,000 different random boards three times. After the first, the blocks are cached."""
    pentago.build(ROOT, folder, keep=27, memory="2G")
    tablebase = pentago.Tablebase(folder, threads=2, cache="1G")
    data = pentago.sample(tablebase, marbles=[25, 26, 27], count=1_000_000, seed=1, finished=True)
    assert len(data.values) == 1_000_000
    for name in ("cold", "warm", "warm"):
        found: List[np.ndarray] = []  # type: ignore[type-arg]
        used, seconds = cpu(lambda: found.append(tablebase.probe_many(data.boards)))
        assert (found[0] == data.values).all()
        print(f"probe_many, {name}: {1e6 / used:,.0f} boards per CPU second, {1e6 / seconds:,.0f} per second")


def solve(program: str) -> None:
    """Solves a position with 18 marbles, each time in a fresh process, alternating with the command line."""
    assert pentago.Position(SOLVE).marbles == 18
    code = "import pentago_solver as pentago; print(pentago.Solver(memory='1G', threads=1).solve(pentago.Position(%r)).value.name)"
    there = [program, "solve", "--json", "--quiet", "--memory", "1G", "--threads", "1", SOLVE]
    commands = [[sys.executable, "-c", "import pentago_solver"], [sys.executable, "-c", code % SOLVE], there]
    ratios = []
    for _ in range(5):
        outputs: List[bytes] = []
        seconds = []
        for command in commands:
            run = lambda c: outputs.append(subprocess.run(c, capture_output=True, check=True).stdout)  # noqa: E731
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            run(command)
            seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        assert outputs[1].decode().strip().lower() == json.loads(outputs[2])["value"]
        ratios.append((seconds[1] - seconds[0]) / seconds[2])
    shown = ", ".join(f"{ratio:.2f}" for ratio in sorted(ratios))
    print(f"solve, 18 marbles: user time without the import, divided by that of the command line: {shown}")


def play() -> None:
    """Plays moves on a board with 12 marbles."""
    position = pentago.random_positions(12, 1, seed=5)[0]
    moves = position.moves()
    count = 0

    def work() -> None:
        nonlocal count
        for _ in range(400):
            for move in moves:
                position.play(move)
            count += len(moves)

    used, _ = cpu(work)
    print(f"Position.play: {count / used:,.0f} per CPU second")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        probe_many(folder)
    play()
    solve(os.environ.get("PENTAGO", "pentago"))
