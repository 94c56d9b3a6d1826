"""A tour of the package: solve, probe, a chart of win rates, a puzzle hunt, training data.

    python tutorial.py [FOLDER]

Tables and the chart go to the folder, a new one unless given. It takes some seconds; the chart needs
matplotlib and is left out where that is not installed.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import pentago_solver as pentago
from pentago_solver import Position, Value


def solve_and_probe(folder: Path) -> Position:
    """A position is solved; what is below it becomes tables, which know the same values."""
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
    """The whole of Mini-Pentago (4x4, four in a row wins): how often the side to move wins."""
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
    """The win rates by number of marbles."""
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
    """Positions of Mini-Pentago in which exactly one placement wins, whatever the turn."""
    tablebase = pentago.Tablebase(folder / "mini")
    found: "list[Position]" = []
    for batch in tablebase.sample_batches(4096, marbles=[7], seed=1, up_to_symmetry=True, moves=True):
        assert batch.moves is not None
        winning = (batch.moves == Value.WIN).any(axis=2).sum(axis=1)
        # No win at once: a placement that ends the game is the last of the nine numbers.
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
    """Boards and values as arrays, seen by the side to move: own marbles 1, others -1."""
    data = pentago.sample(folder / "mini", marbles=[4, 5, 6, 7, 8, 9], count=20_000, seed=7)
    own = np.where((data.boards != 0).sum(axis=(1, 2)) % 2 == 0, 1, 2)[:, None, None]
    inputs = (data.boards == own).astype(np.float32) - ((data.boards != own) & (data.boards != 0))
    targets = data.values.astype(np.float32)
    # The simplest of models: a linear function of the sockets and of all pairs of them.
    flat = inputs.reshape(len(inputs), -1)
    first, second = np.triu_indices(flat.shape[1], 1)
    pairs = flat[:, first] * flat[:, second]
    features = np.concatenate([np.ones((len(flat), 1), np.float32), flat, pairs], axis=1)
    train, test = features[:16_000], features[16_000:]
    weights, *_ = np.linalg.lstsq(train, targets[:16_000], rcond=None)
    error = np.mean((test @ weights - targets[16_000:]) ** 2)
    print(f"{len(inputs)} boards; variance {targets.var():.3f}, of what a linear model leaves {error:.3f}")
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
