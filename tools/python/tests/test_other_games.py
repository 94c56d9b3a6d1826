"""Tests of Pentago XL and Pente, which use the classes of Pentago."""

import pickle
import random

import numpy as np
import pytest

import pentago_solver as pentago
from pentago_solver import Position, Rules, Solver, Value

PENTE = "pente:n=5,k=4,opening=free"
XL = "BBBAAABAB/1ABAB1BBA/AAABBABAA/A1AABAB1A/AAB2AAAB/BBB3BAB/BBAAABABB/ABABBAABA/BA1BBBABA b"
GAMES = ["xl", "xl:seats=3", "xl:seats=4,mode=2v2", "pente", PENTE]


def test_rules() -> None:
    assert (Rules("xl").title, Rules("xl").shape, Rules("xl:seats=4").seats) == ("Pentago XL", (9, 9), "abcd")
    assert (Rules(PENTE).title, Rules(PENTE).size, Rules(PENTE).seats) == ("Pente", 5, "xo")
    assert "pentago-eu" in Rules.presets("pentago") and "xl" in Rules.presets("xl")
    assert set(Rules.presets("xl")) < set(Rules.presets())


@pytest.mark.parametrize("rules", GAMES)
def test_a_game(rules: str) -> None:
    random.seed(7)
    position = Rules(rules).start()
    for number in range(12):
        assert position.outcome is None and position.to_move in Rules(rules).seats
        array = position.array
        assert array.dtype == np.int8 and array.shape == Rules(rules).shape
        assert eval(repr(position)) == position == pickle.loads(pickle.dumps(position))
        assert position.canonical().canonical() == position.canonical()
        assert position._repr_svg_().count("<circle") == array.size
        moves = position.moves()
        assert position.perft(1) == len(moves)
        position = position.play(random.choice(moves))


def test_pente_is_solved() -> None:
    position = Position("5/1O3/1OX2/2XO1/4X x", PENTE)
    answer = Solver(memory="100M", threads=2).solve(position, distance=True)
    assert (answer.value, answer.source, answer.distance) == (Value.WIN, "solved", 3)
    assert [eval.move for eval in answer.best_moves] == ["C4"]
    assert answer.best_moves[0].position == position.play("C4")
    assert len(answer.moves) == len(position.moves())


def test_pentago_xl_is_solved() -> None:
    position = Position(XL)
    assert position.rules == Rules("xl")
    seen = []
    answer = Solver(memory="1G", threads=2).solve(position, progress=seen.append)
    assert answer.value != Value.UNKNOWN and answer.complete
    # The value of a move is the negated value of the position after the move.
    move = answer.best_moves[0]
    after = Solver(memory="1G").solve(move.position)
    assert after.value == {1: Value.LOSS, 0: Value.DRAW, -1: Value.WIN}[move.value]


def test_functions_for_pentago_alone_refuse_other_games() -> None:
    with pytest.raises(ValueError, match="Pentago XL is not supported"):
        Solver().estimate(Position(XL))
    with pytest.raises(ValueError, match="not read|Pentago and Mini-Pentago"):
        pentago.build(Position(XL), "never")
