"""Tests of the solver: answers, limits, progress, and Ctrl-C."""

import _thread
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import pentago_solver as pentago
from pentago_solver import Position, Solver, Value

POSITION = Position("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o")


def test_an_answer() -> None:
    answer = Solver(memory="1G", threads=2).solve(POSITION, distance=True)
    assert (answer.value, answer.distance, answer.source) == (Value.WIN, 7, "solved")
    assert answer.complete and answer.reason is None and answer.position == POSITION
    assert len(answer.moves) == len(POSITION.moves())
    assert answer.best_moves[0].value == Value.WIN and answer.best_moves[0].distance == 7
    position = POSITION
    for move in answer.line:
        position = position.play(move)
    assert position.outcome == "o" and len(answer.line) == 7
    for move in answer.moves[::20]:
        assert POSITION.play(move.move) == move.position
    again = pickle.loads(pickle.dumps(answer))
    assert again == answer and hash(again) == hash(answer)
    move = answer.moves[0]
    assert eval(repr(move), vars(pentago)) == move


def test_an_answer_is_read_at_a_glance() -> None:
    answer = Solver(memory="1G", threads=2).solve(POSITION, distance=True)
    assert str(answer.value) == f"{answer.value}" == "win" and repr(answer.value) == "Value.WIN"
    assert repr(answer).startswith("<Answer win in 7 (solved), best of ") and len(repr(answer)) < 120
    html = answer._repr_html_()
    assert html.startswith("<svg") and "<b>win in 7</b>" in html and "<td>b1/3+</td><td>win</td><td>7</td>" in html
    assert "np" not in dir(pentago) and "os" not in dir(pentago) and set(pentago.__all__) <= set(dir(pentago))


def test_other_rules_and_games_that_are_over() -> None:
    solver = Solver(memory="500M")
    assert solver.solve(Position("4/4/4/4 x")).value == Value.WIN
    over = solver.solve(Position("OO1OO1/6/6/6/6/XXXXX1 o"))
    assert (over.value, over.source, over.moves) == (Value.LOSS, "rules", ())
    for rules in pentago.Rules.presets("pentago"):
        position = pentago.random_positions(14 if rules == "mini" else 31, 1, seed=2, rules=rules)[0]
        assert solver.solve(position).complete


def test_limits() -> None:
    with pytest.raises(MemoryError, match="memory"):
        Solver(memory=1000).solve(POSITION)
    estimate = Solver().estimate(Position("6/6/6/6/6/6 x"))
    assert estimate.plies == 36 and estimate.bytes > 1 << 50
    unknown = Solver(memory="100M").solve(Position("6/6/2X3/6/6/6 o"), depth=1)
    assert unknown.value == Value.UNKNOWN and unknown.source == "unknown" and unknown.reason
    assert (unknown.no_win_within, unknown.no_loss_within) == (1, 1)
    for wrong in ({"memory": -1}, {"threads": 0}, {"threads": 10**6}, {"memory": "much"}, {"kernel": "abacus"}):
        with pytest.raises(ValueError):
            Solver(**wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not a size"):
        Solver(memory=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="time"):
        Solver().solve(POSITION, time=float("nan"))


def test_progress() -> None:
    seen = []
    Solver(memory="1G").solve(POSITION, progress=seen.append)
    assert seen and seen[-1].done == seen[-1].total and seen[-1].unit == "boards"

    class Enough(Exception):
        pass

    def stop(_: pentago.Progress) -> None:
        raise Enough

    with pytest.raises(Enough):
        Solver(memory="1G").solve(POSITION, progress=stop)


SLOW = "3XO1/X1XO2/O1OX1O/1O3X/1XX1O1/1O1X2 x"


def test_other_threads_run_while_it_solves() -> None:
    ticks = 0
    finished = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not finished.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    answers = [None, None]
    solver = Solver(memory="1G", threads=1)

    def solve(i: int) -> None:
        answers[i] = solver.solve(POSITION)  # type: ignore[call-overload]

    workers = [threading.Thread(target=solve, args=(i,)) for i in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    finished.set()
    thread.join()
    assert answers[0] == answers[1] is not None and ticks > 0


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c() -> None:
    code = f"""
import sys, time
import pentago_solver as pentago
position = pentago.Position({SLOW!r})
print("begun", flush=True)
try:
    pentago.Solver(memory="3G", threads=1).solve(position, exact=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    # The interrupt does not affect the next solution.
    print(pentago.Solver().solve(pentago.Position({str(POSITION)!r})).value.name, flush=True)
else:
    print("finished", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.5)
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        seconds = time.monotonic() - began
        assert child.stdout.readline() == "WIN\n"
    # An idle machine takes less than a second.
    assert seconds < 5, seconds
    assert child.returncode == 0


def test_an_interrupt_of_the_main_thread() -> None:
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            Solver(memory="3G", threads=1).solve(Position(SLOW), exact=True)
            time.sleep(10)
    finally:
        timer.join()
    assert time.monotonic() - began < 9


def forked(work: Callable[[], object]) -> object:
    """Returns the result of a function in a forked process, or the text of its RuntimeError."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def run() -> None:
        try:
            sender.send(work())
        except RuntimeError as error:
            sender.send(str(error))

    process = context.Process(target=run)
    process.start()
    try:
        assert receiver.poll(60), "the process hangs"
        return receiver.recv()
    finally:
        process.kill()
        process.join()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_objects_from_before_a_fork(mini: Path) -> None:
    solver, tables = Solver(memory="4G", threads=2), pentago.Tablebase(mini)
    boards, values = next(tables.table(9).batches(1000))

    def work() -> tuple[Value, bool, int]:
        sample = next(tables.sample_batches(50, moves=True))
        return solver.solve(POSITION).value, bool((tables.probe_many(boards) == values).all()), len(sample.boards)

    assert forked(work) == work() == forked(work) == forked(lambda: forked(work)) == (Value.WIN, True, 50)

    # The forked process can't answer if a thread was computing at the time of the fork.
    begun, ended = threading.Event(), threading.Event()

    def progress(_: pentago.Progress) -> None:
        begun.set()
        assert not ended.is_set()

    def compute() -> None:
        with pytest.raises(AssertionError):
            solver.solve(Position(SLOW), exact=True, progress=progress)

    thread = threading.Thread(target=compute)
    thread.start()
    assert begun.wait(60)
    assert "spawn" in str(forked(work))
    ended.set()
    thread.join()


def test_a_guess_is_no_value() -> None:
    solver = Solver(memory="200M")
    undecided = 0
    for marbles in (8, 10, 12):
        for position in pentago.random_positions(marbles, count=4, seed=30, quiet=True):
            answer = solver.solve(position, time=0)
            assert answer.best_moves
            assert (answer.guess is not None) == (answer.value == Value.UNKNOWN)
            undecided += answer.value == Value.UNKNOWN
            for eval in answer.moves:
                assert eval.guess is None or 0 < eval.guess < 1 and eval.value == Value.UNKNOWN
            assert answer.value == Value.LOSS or all(eval.value != Value.LOSS for eval in answer.best_moves)
    assert undecided >= 6
