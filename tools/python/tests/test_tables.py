"""Tests of tables: building, planning, probing, sampling, verifying, closing, damage and deletion."""

import gc
import os
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

import pentago_solver as pentago
from pentago_solver import ILLEGAL, UNKNOWN, Position, Tablebase, Value

from .conftest import ROOT


def board_array(positions: "list[Position]") -> "np.ndarray[tuple[int, ...], np.dtype[np.int8]]":
    return np.stack([position.array for position in positions])


def test_build_and_plan(tmp_path: Path) -> None:
    seen = []
    built = pentago.build("mini", tmp_path, memory="500M", threads=2, progress=seen.append)
    assert len(built.paths) == 17 and not built.already and seen
    assert built.bytes == sum(os.path.getsize(path) for path in built.paths)
    assert pentago.build(pentago.Rules("mini"), tmp_path).already
    plan = pentago.plan(Position(ROOT), keep=28, memory="500M")
    assert plan.boards > 0 and plan.kept_bytes > 0 and plan.slices == ()
    game = pentago.plan("mini", memory="500M")
    assert [s.marbles for s in game.slices] == list(range(16, -1, -1))
    with pytest.raises(ValueError):
        pentago.build(Position("OO1OO1/6/6/6/6/XXXXX1 o"), tmp_path)
    with pytest.raises(ValueError):
        pentago.build(Position(ROOT), tmp_path, keep=3)
    with pytest.raises(MemoryError):
        pentago.build(Position(ROOT), tmp_path, memory=1000)
    with pytest.raises(TypeError):
        pentago.build(3, tmp_path)  # type: ignore[arg-type]
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        pentago.build("mini", tmp_path / "file")


def test_a_stopped_build_is_continued(tmp_path: Path) -> None:
    def stop(_: pentago.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        pentago.build("mini", tmp_path, memory="500M", threads=1, progress=stop)
    assert len(pentago.build("mini", tmp_path, memory="500M").paths) == 17
    assert pentago.verify(tmp_path, full=True).without_children == 0


def test_probe(mini: Path, rooted: Path) -> None:
    with Tablebase(mini) as tablebase:
        assert str(tablebase.rules) == "mini"
        start = Position("4/4/4/4 x")
        assert tablebase.probe(start) is Value.WIN and start in tablebase
        answer = tablebase.moves(start)
        assert answer.value == Value.WIN and {m.source for m in answer.moves} == {"table"}
        assert answer.best == sum(m.value == Value.WIN for m in answer.moves)
        with pytest.raises(ValueError, match="rules"):
            tablebase.probe(Position("6/6/6/6/6/6 x"))
        with pytest.raises(ValueError, match="rules"):
            tablebase.probe(Position("4/4/4/4 x", "mini:k=3"))
    tablebase = Tablebase(str(rooted), cache="1M", threads=1)
    assert tablebase.probe(Position(ROOT)) == pentago.Solver(memory="1G").solve(Position(ROOT)).value
    empty = Position("6/6/6/6/6/6 x")
    assert tablebase.get(empty) is None and tablebase.get(empty, 5) == 5 and empty not in tablebase
    with pytest.raises(LookupError, match="not below any root"):
        tablebase.probe(empty)
    published = tablebase.moves(empty)
    assert (published.value, published.source) == (Value.WIN, "published")
    assert tablebase.moves(Position("X5/O5/X5/O5/X5/O5 x").play("b1/1+")).value == Value.UNKNOWN
    pending = Position("6/6/6/6/6/X5 x turn")
    with pytest.raises(LookupError, match="pending"):
        tablebase.probe(pending)
    solver = pentago.Solver(memory="1G", tablebase=tablebase)
    assert solver.solve(Position(ROOT)).source == "table"


def test_probe_many(mini: Path, rooted: Path) -> None:
    tablebase = Tablebase(mini, threads=2)
    positions = [p for n in range(15) for p in pentago.random_positions(n, 40, seed=n, rules="mini")]
    boards = board_array(positions)
    values = tablebase.probe_many(boards)
    assert values.dtype == np.int8 and values.shape == (len(positions),)
    assert values.tolist() == [tablebase.probe(position) for position in positions]
    assert (tablebase.probe_many(boards[::-1]) == values[::-1]).all()
    assert (tablebase.probe_many(np.asfortranarray(boards)) == values).all()
    boards.flags.writeable = False
    assert (tablebase.probe_many(boards) == values).all()
    assert tablebase.probe_many(boards[:0]).shape == (0,)
    moves = tablebase.move_values(boards)
    assert moves.shape == (len(positions), 16, 9)
    legal = moves != ILLEGAL
    for position, of_position, is_legal in zip(positions[::7], moves[::7], legal[::7]):
        assert is_legal.sum() == len(position.moves())
        assert of_position[is_legal].max() == tablebase.probe(position)
    late = Tablebase(rooted)
    unknown = board_array(pentago.random_positions(26, 50, seed=3))
    assert set(late.probe_many(unknown).tolist()) <= {UNKNOWN, -1, 0, 1}
    assert UNKNOWN in late.probe_many(unknown)
    # Eight threads probe at the same time.
    results = [None] * 8

    def probe(i: int) -> None:
        results[i] = tablebase.probe_many(boards)  # type: ignore[call-overload]

    threads = [threading.Thread(target=probe, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((result == values).all() for result in results)


def test_moves_open_the_folder_once(copy: Path, tmp_path: Path) -> None:
    """After the first call, `moves` needs the folder no more: it reads open files and cached blocks."""
    positions = [Position("4/4/4/4 x"), Position("XO2/1X2/4/3O x")]
    with Tablebase(copy) as tablebase:
        first = [tablebase.moves(position) for position in positions]
        solver = pentago.Solver(memory="1G", tablebase=tablebase)
        copy.rename(tmp_path / "elsewhere")
        for _ in range(500):
            assert [tablebase.moves(position) for position in positions] == first
        assert solver.solve(positions[0]).source == "table"
    with pytest.raises(ValueError, match="closed"):
        tablebase.moves(positions[0])


def test_wrong_arrays(mini: Path) -> None:
    tablebase = Tablebase(mini)
    boards = np.zeros((3, 4, 4), np.int8)
    for method in (tablebase.probe_many, tablebase.move_values):
        for dtype in (np.int64, np.uint8, np.float32, bool, object):
            with pytest.raises(TypeError, match="int8"):
                method(boards.astype(dtype))  # type: ignore[arg-type]
        for other in ([[0]], None, "boards", 3):
            with pytest.raises(TypeError, match="int8"):
                method(other)  # type: ignore[arg-type]
        for shape in ((3, 6, 6), (4, 4), (3, 16), (3, 4, 4, 1), (48,), ()):
            with pytest.raises(ValueError, match="shape"):
                method(np.zeros(shape, np.int8))
        boards[1, 2, 3] = 9
        with pytest.raises(ValueError, match="board 1: cell 11 is 9"):
            method(boards)
        boards[1, 2, 3] = 2
        with pytest.raises(ValueError, match="board 1: 0 X and 1 O"):
            method(boards)
        boards[1, 2, 3] = 0


def test_tables_and_batches(mini: Path, rooted: Path) -> None:
    tablebase = Tablebase(mini)
    assert [table.marbles for table in tablebase.tables] == list(range(17))
    table = tablebase.table(5)
    assert table.root is None and str(table.rules) == "mini" and "5 marbles" in repr(table)
    assert os.path.getsize(table.path) == table.bytes and table.entries > 0
    whole = list(table.batches(1 << 20))
    assert len(whole) == 1
    parts = list(table.batches(1000))
    assert all(len(boards) == 1000 for boards, _ in parts[:-1])
    boards, values = (np.concatenate(arrays) for arrays in zip(*parts))
    assert (boards == whole[0][0]).all() and (values == whole[0][1]).all()
    assert (tablebase.probe_many(boards) == values).all()
    assert len(np.unique(boards.reshape(len(boards), -1), axis=0)) == len(boards)
    with pytest.raises(LookupError, match="17 marbles"):
        tablebase.table(17)
    for wrong in (0, 1 << 40):
        with pytest.raises(ValueError):
            table.batches(wrong)
    below = Tablebase(rooted).tables[0]
    assert below.root is not None and below.root.marbles == 26 and sum(below.counts) == 256


def test_samples(mini: Path, rooted: Path) -> None:
    tablebase = Tablebase(mini)
    data = pentago.sample(tablebase, marbles=6, count=5000, seed=1, moves=True)
    assert data.boards.shape == (5000, 4, 4) and data.values.shape == (5000,)
    assert data.moves is not None and data.moves.shape == (5000, 16, 9)
    assert ((data.boards != 0).sum(axis=(1, 2)) == 6).all()
    assert (tablebase.probe_many(data.boards) == data.values).all()
    assert (tablebase.move_values(data.boards) == data.moves).all()
    assert len(np.unique(data.boards.reshape(5000, -1), axis=0)) == 5000
    again = pentago.sample(mini, marbles=[6], count=5000, seed=1)
    assert (again.boards == data.boards).all() and again.moves is None
    batches = [batch.boards for batch in tablebase.sample_batches(700, marbles=[6], seed=1)]
    assert (np.concatenate(batches)[:5000] == data.boards).all()
    other = pentago.sample(mini, marbles=6, count=5000, seed=2)
    assert (other.boards != data.boards).any()
    # 16 boards have one marble; 3 of them are not symmetric to each other.
    assert len(pentago.sample(mini, marbles=1, count=100).values) == 16
    few = pentago.sample(mini, marbles=1, count=100, up_to_symmetry=True).boards
    assert len(few) == 3
    assert all((Position.from_array(board, "mini").canonical().array == board).all() for board in few)
    # Every full board is a finished game.
    assert len(pentago.sample(mini, marbles=16, count=100).values) == 0
    assert len(pentago.sample(mini, marbles=16, count=100, finished=True).values) == 100
    assert pentago.sample(mini, marbles=16, count=0).boards.shape == (0, 4, 4)
    with pytest.raises(LookupError, match="99 marbles"):
        pentago.sample(mini, marbles=[8, 99], count=5)
    of_root = pentago.sample(rooted, count=1000, moves=True)
    assert of_root.boards.shape == (1000, 6, 6) and str(of_root.rules) == "pentago"
    with pytest.raises(ValueError):
        pentago.sample(mini, count=-1)
    # The share of wins in a sample is close to the share in all boards.
    big = pentago.sample(mini, marbles=8, count=20_000, finished=True)
    all_values = pentago.sample(mini, marbles=8, count=10**7, finished=True).values
    share, sample_share = (all_values == 1).mean(), (big.values == 1).mean()
    assert abs(share - sample_share) < 5 * (share * (1 - share) / 20_000) ** 0.5


def test_verify(copy: Path) -> None:
    seen = []
    verified = pentago.verify(copy, sample=200, seed=3, full=True, progress=seen.append)
    assert verified.tables == 17 and verified.positions == 200 and verified.unchecked == 0
    assert verified.entries > 0 and verified.without_children == 0 and seen
    assert verified.bytes == sum(file.stat().st_size for file in copy.rglob("slice-*.pentago"))
    with pytest.raises(LookupError, match="99 marbles"):
        pentago.verify(copy, marbles=99)
    assert pentago.verify(copy, marbles=3).tables == 1


def test_closed(mini: Path) -> None:
    tablebase = Tablebase(mini)
    table, batches = tablebase.tables[3], tablebase.tables[6].batches(10)
    samples = tablebase.sample_batches(10)
    next(batches)
    solver = pentago.Solver(tablebase=tablebase)
    tablebase.close()
    tablebase.close()
    assert tablebase.closed
    start = Position("4/4/4/4 x")
    calls = [
        lambda: tablebase.probe(start),
        lambda: tablebase.get(start),
        lambda: start in tablebase,
        lambda: tablebase.moves(start),
        lambda: tablebase.probe_many(np.zeros((1, 4, 4), np.int8)),
        lambda: tablebase.move_values(np.zeros((1, 4, 4), np.int8)),
        lambda: tablebase.tables,
        lambda: tablebase.table(3),
        lambda: tablebase.verify(),
        lambda: tablebase.sample_batches(10),
        lambda: pentago.sample(tablebase, count=1),
        lambda: table.batches(10),
        lambda: next(batches),
        lambda: next(samples),
        lambda: solver.solve(start),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="closed"):
            call()
    # Properties that need no table still work.
    assert table.marbles == 3 and str(tablebase.rules) == "mini" and repr(tablebase)


def test_pickle(mini: Path) -> None:
    tablebase = Tablebase(mini, cache="1M", threads=1)
    again = pickle.loads(pickle.dumps(tablebase))
    assert again.path == tablebase.path and again.rules == tablebase.rules
    assert again.probe(Position("4/4/4/4 x")) == Value.WIN


def test_missing_and_foreign_files(tmp_path: Path) -> None:
    with pytest.raises((LookupError, OSError)):
        Tablebase(tmp_path / "nowhere")
    with pytest.raises(LookupError, match="no tables"):
        Tablebase(tmp_path)
    (tmp_path / "slice-00.pentago").write_bytes(b"no table")
    with pytest.raises(LookupError, match="no usable table"):
        Tablebase(tmp_path)
    with pytest.raises(TypeError):
        Tablebase(3)  # type: ignore[arg-type]


def test_damaged_tables(copy: Path) -> None:
    """Changes a byte of a table, or truncates it, before or after the table is opened."""
    path = copy / "mini" / "slice-04.pentago"
    intact = path.read_bytes()
    position = Position("XO2/1X2/4/3O x")
    expected = Tablebase(copy).probe(position)
    random = np.random.default_rng(1)
    for number in range(120):
        where = int(random.integers(len(intact)))
        flip = 1 << int(random.integers(8))
        damaged = intact[:where] + bytes([intact[where] ^ flip]) + intact[where + 1 :]
        cut = intact[:where]
        before = number % 2 == 0
        tablebase = None if before else Tablebase(copy)
        if tablebase is not None and number % 4 == 1:
            tablebase.probe(position)
        path.write_bytes(damaged if number % 3 else cut)
        try:
            tablebase = tablebase or Tablebase(copy)
            assert tablebase.probe(position) == expected
            for boards, values in tablebase.table(4).batches():
                assert (tablebase.probe_many(boards) == values).all()
        except (LookupError, OSError):
            pass
        if number % 20 == 0:
            with pytest.raises((LookupError, OSError)):
                pentago.verify(copy)
        path.write_bytes(intact)


def test_deleted_tables(copy: Path) -> None:
    position = Position("XO2/1X2/4/3O x")
    tablebase = Tablebase(copy)
    (copy / "mini" / "slice-04.pentago").unlink()
    with pytest.raises((LookupError, OSError)):
        tablebase.probe(position)
    with pytest.raises((LookupError, OSError)):
        list(tablebase.table(4).batches())
    with pytest.raises((LookupError, OSError)):
        tablebase.verify()
    # Other tables still answer, even after their open file is deleted.
    other = Position("XO2/1X2/4/4 o")
    value = tablebase.probe(other)
    (copy / "mini" / "slice-03.pentago").unlink()
    assert tablebase.probe(other) == value
    with pytest.raises(LookupError, match="marbles|stored"):
        Tablebase(copy).probe(other)


def test_nothing_is_kept(mini: Path) -> None:
    """Dropped objects free their memory."""
    try:
        import resource
    except ImportError:
        pytest.skip("there is no module resource")
    position = Position("4/4/4/4 x")

    def round() -> int:
        for _ in range(30):
            tablebase = Tablebase(mini)
            tablebase.probe(position)
            list(tablebase.table(4).batches())
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    round()
    before = round()
    assert round() - before < 64_000
