"""Values compared with those of the command line, and the data sets that the command line writes."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import pentago_solver as pentago
from pentago_solver import Rules


def run(program: str, *arguments: str, text: str = "") -> str:
    return subprocess.run(
        [program, *arguments], input=text, capture_output=True, text=True, check=True, timeout=600
    ).stdout


def batch(program: str, rules: str, positions: "list[pentago.Position]") -> "list[dict[str, object]]":
    text = "".join(f"{position}\n" for position in positions)
    lines = run(program, "solve", "--batch", "--quiet", "--memory", "1G", "--rules", rules, text=text)
    return [json.loads(line) for line in lines.splitlines()]


# For each rules: the first number of marbles, the number after the last, and the number of
# positions to draw. All these positions are solved within milliseconds. Positions of Pente on 19x19
# points are not.
DRAWN = {rules: (26, 35, 170) for rules in Rules.presets("pentago")}
DRAWN["mini"] = (8, 15, 170)
DRAWN |= {rules: (76, 80, 60) for rules in Rules.presets("xl")}
DRAWN["xl:seats=3"] = (58, 60, 60)
DRAWN["pente:n=5,k=4,opening=free"] = (16, 22, 60)


@pytest.mark.parametrize("rules", DRAWN)
def test_values_are_those_of_the_command_line(program: str, rules: str) -> None:
    """Compares random positions of each preset, with all their moves."""
    least, most, number = DRAWN[rules]
    positions: "list[pentago.Position]" = []
    for marbles in range(least, most):
        count = -(-number // (most - least))
        positions += pentago.random_positions(marbles, count, seed=marbles, rules=rules)
    positions = positions[:number]
    assert len(positions) == number
    solver = pentago.Solver(memory="1G")
    for position, expected in zip(positions, batch(program, rules, positions)):
        answer = solver.solve(position)
        assert answer.value.name.lower() == expected["value"], position
        moves = {move["move"]: move["value"] for move in expected["moves"]}  # type: ignore[attr-defined]
        assert {move.move: move.value.name.lower() for move in answer.moves} == moves, position


def test_random_positions_are_those_of_the_command_line(program: str) -> None:
    lines = run(program, "random", "--marbles", "20", "--count", "50", "--seed", "9").split("\n")
    assert [str(p) for p in pentago.random_positions(20, 50, seed=9)] == lines[:-1]


def export(program: str, tables: Path, out: Path, *more: str) -> Path:
    kind = out.suffix[1:]
    run(program, "export", "--tables", str(tables), "--format", kind, "--out", str(out), *more)
    return out


def test_npz(program: str, mini: Path, tmp_path: Path) -> None:
    more = ("--marbles", "7", "--limit", "70000", "--seed", "5", "--moves")
    path = export(program, mini, tmp_path / "set.npz", *more)
    with np.load(path) as data:
        assert sorted(data.files) == ["boards", "moves", "values"]
        expected = pentago.sample(mini, marbles=7, count=70_000, seed=5, moves=True)
        assert (data["boards"] == expected.boards).all() and (data["values"] == expected.values).all()
        assert (data["moves"] == expected.moves).all() and data["moves"].dtype == np.int8
    again = export(program, mini, tmp_path / "again.npz", *more)
    assert again.read_bytes() == path.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.npz", "set.npz"]


def test_parquet_by_pyarrow(mini: Path, tmp_path: Path) -> None:
    """The three lines of the README."""
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    data = pentago.sample(mini, marbles=8, count=1000, seed=5)
    columns = {"board": list(data.boards.reshape(len(data.boards), -1)), "value": data.values}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "train.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "train.parquet")
    boards = np.stack(table["board"].to_numpy()).reshape(-1, 4, 4)
    assert boards.dtype == np.int8 and (boards == data.boards).all()
    assert (table["value"].to_numpy() == data.values).all()
