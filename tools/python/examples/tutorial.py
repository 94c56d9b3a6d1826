"""A tour of the package: solving, probing, a chart of win rates, puzzles, training data.

    python tutorial.py [FOLDER]

Writes tables and the chart to the folder, by default a temporary one. Takes some seconds. Skips the chart
if matplotlib is not installed.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import pentago_solver as pentago
from pentago_solver import Position, Value


def solve_and_probe(folder: Path) -> Position:
    """Solves a position, builds tables of all positions below it, and compares the values."""
    position = Position("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o")
    answer = pentago.Solver(memory="1G").solve(position, distance=True)
    best = answer.best_moves[0]
    print(f"{position} is a {answer.value.name.lower()} in {answer.distance} plies: {best.move}")
    print("best play:", " ".join(answer.line))

    built = pentago.build(position, folder / "root", keep=28, memory="1G")
    print(f"{len(built.paths)} tables below it")
    with pentago.Tablebase(folder / "root") as tablebase:
        assert tablebase.probe(position) == answer.value
        for move in answer.moves:
            if move.position.outcome is None:
                assert tablebase.probe(move.position) == -move.value
    return position


def win_rates(folder: Path) -> "dict[int, float]":
    """Builds all of Mini-Pentago (4x4, four in a row wins). Returns win rates by number of marbles."""
    pentago.build("mini", folder / "mini", memory="1G")
    tablebase = pentago.Tablebase(folder / "mini")
    print("the first player:", tablebase.probe(Position("4/4/4/4 x")).name.lower())
    rates = {}
    for table in tablebase.tables:
        wins, draws, losses = table.counts
        rates[table.marbles] = wins / (wins + draws + losses)
    print("wins of the side to move with 4, 8 and 12 marbles:", end=" ")
    print(", ".join(f"{rates[n]:.1%}" for n in (4, 8, 12)))
    return rates


def chart(rates: "dict[int, float]", path: Path) -> bool:
    """Draws the win rates by number of marbles. Returns False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    axes.plot(list(rates), [100 * rate for rate in rates.values()], marker="o")
    axes.set(xlabel="marbles", ylabel="wins of the side to move (%)", ylim=(0, 100))
    figure.savefig(path)
    pyplot.close(figure)
    return True


def puzzles(folder: Path, count: int) -> "list[Position]":
    """Finds positions of Mini-Pentago in which exactly one placement wins, with some turn."""
    tablebase = pentago.Tablebase(folder / "mini")
    found: "list[Position]" = []
    for batch in tablebase.sample_batches(4096, marbles=[7], seed=1, up_to_symmetry=True, moves=True):
        assert batch.moves is not None
        winning = (batch.moves == Value.WIN).any(axis=2).sum(axis=1)
        # Skip immediate wins: the last of the nine numbers is the placement without a turn.
        at_once = (batch.moves[:, :, 8] == Value.WIN).any(axis=1)
        for board in batch.boards[(winning == 1) & ~at_once][: count - len(found)]:
            found.append(Position.from_array(board, "mini"))
        if len(found) == count:
            break
    solver = pentago.Solver(memory="1G")
    for puzzle in found:
        answer = solver.solve(puzzle)
        places = {move.move[:2] for move in answer.best_moves}
        assert answer.value == Value.WIN and len(places) == 1
        print(f"puzzle: {puzzle}, solution {places.pop()}")
    return found


def training_data(folder: Path) -> None:
    """Turns boards into inputs for the side to move: 1 for its own marbles, -1 for the others."""
    data = pentago.sample(folder / "mini", marbles=[4, 5, 6, 7, 8, 9], count=20_000, seed=7)
    own = np.where((data.boards != 0).sum(axis=(1, 2)) % 2 == 0, 1, 2)[:, None, None]
    inputs = (data.boards == own).astype(np.float32) - ((data.boards != own) & (data.boards != 0))
    targets = data.values.astype(np.float32)
    # A simple model: a linear function of all sockets and all pairs of sockets.
    flat = inputs.reshape(len(inputs), -1)
    first, second = np.triu_indices(flat.shape[1], 1)
    pairs = flat[:, first] * flat[:, second]
    features = np.concatenate([np.ones((len(flat), 1), np.float32), flat, pairs], axis=1)
    train, test = features[:16_000], features[16_000:]
    weights, *_ = np.linalg.lstsq(train, targets[:16_000], rcond=None)
    error = np.mean((test @ weights - targets[16_000:]) ** 2)
    print(f"{len(inputs)} boards; variance {targets.var():.3f}, mean squared error of a linear model {error:.3f}")
    assert error < targets.var()


def main(folder: Path) -> None:
    solve_and_probe(folder)
    rates = win_rates(folder)
    if chart(rates, folder / "win-rates.svg"):
        print("chart: win-rates.svg")
    puzzles(folder, 3)
    training_data(folder)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(Path(folder))
