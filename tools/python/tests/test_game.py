"""Tests of positions, moves and rules."""

import copy
import pickle
import random

import numpy as np
import pytest

import pentago_solver as pentago
from pentago_solver import Position, Rules


def test_moves_and_play() -> None:
    start = Position("6/6/6/6/6/6 x")
    assert start.marbles == 0 and start.to_move == "x" and not start.pending
    assert len(start.moves()) == 288 and "c4/2+" in start.moves()
    played = start.play("c4/2+")
    assert str(played) == "6/6/2X3/6/6/6 o"
    assert start == Rules().start() and start.outcome is None
    with pytest.raises(ValueError, match="turned"):
        start.play("c4")
    with pytest.raises(ValueError, match="holds a marble"):
        played.play("c4/1+")


def test_the_end_of_a_game() -> None:
    position = Position("OO1OO1/6/6/6/6/XXXX2 x")
    assert position.outcome_of("e1") == "x" and position.outcome_of("a2/1+") is None
    over = position.play("e1")
    assert over.outcome == "x" and over.moves() == []
    with pytest.raises(ValueError, match="over"):
        over.play("a2/1+")


def test_arrays() -> None:
    for rules in Rules.presets("pentago"):
        for position in pentago.random_positions(11, 20, seed=3, rules=rules):
            array = position.array
            assert array.dtype == np.int8 and array.shape == (Rules(rules).size,) * 2
            assert (array != 0).sum() == 11 and (array == 1).sum() == 6
            assert Position.from_array(array, rules) == position
            assert Position.from_array(np.asfortranarray(array), rules) == position
    corner = Position("X5/6/6/6/6/5O x").array
    assert corner[0, 0] == 1 and corner[5, 5] == 2


def test_canonical() -> None:
    for position in pentago.random_positions(20, 50, seed=1):
        array = position.array
        images = [np.rot90(a, k) for a in (array, array.T) for k in range(4)]
        forms = {Position.from_array(np.ascontiguousarray(image)).canonical() for image in images}
        assert len(forms) == 1 and forms.pop().canonical() == position.canonical()


def test_equality_hash_repr_and_pickle() -> None:
    texts = [("6/6/6/6/6/6 x", None), ("6/6/6/6/6/X5 x turn", None), ("4/4/4/4 x", None)]
    texts += [("6/6/6/6/6/6 x", "pentago-fi"), ("4/4/4/4 x", "mini:k=3")]
    positions = [Position(text, rules) for text, rules in texts]
    assert len(set(positions)) == len(positions)
    for position, (text, rules) in zip(positions, texts):
        again = Position(text, rules)
        assert again == position and hash(again) == hash(position)
        assert eval(repr(position)) == position
        assert pickle.loads(pickle.dumps(position)) == position
        assert copy.deepcopy(position) == position and position != text
    for text in Rules.presets() + ["pentago:dir=cw,last=stop", "mini:k=3", "pente:n=5,k=4,opening=free"]:
        assert eval(repr(Rules(text))) == Rules(text) == pickle.loads(pickle.dumps(Rules(text)))
        assert hash(Rules(text)) == hash(Rules(str(Rules(text))))
    assert Rules("pentago:dir=cw") == Rules("pentago-eu") != Rules("pentago")
    with pytest.raises(AttributeError):
        positions[0].marbles = 3  # type: ignore[misc]


def test_pictures() -> None:
    position = Position("XO4/6/6/6/6/6 x")
    import xml.etree.ElementTree as xml

    svg = xml.fromstring(position._repr_svg_())
    circles = [e for e in svg.iter() if e.tag.endswith("circle")]
    assert len(circles) == 36 and sum(c.get("r") == "15" for c in circles) == 2
    # X is black and O white, as in the explorer.
    assert [c.get("fill") for c in circles[:2]] == ["#1c1f24", "#ffffff"]
    assert "X" in position.diagram()


def test_random_games_agree_with_the_outcome() -> None:
    random.seed(5)
    for rules in Rules.presets("pentago"):
        position = Rules(rules).start()
        while position.outcome is None:
            move = random.choice(position.moves())
            ends = position.outcome_of(move)
            position = position.play(move)
            if rules != "pentago-cs":
                assert ends == position.outcome
            elif ends is not None:
                break


@pytest.mark.parametrize(
    "text", ["", "6/6/6 x", "6/6/6/6/6/6 o", "7/6/6/6/6/6 x", "6/6/6/6/6/6 x turn", "X" * 10_000, "\0", "é"]
)
def test_bad_positions(text: str) -> None:
    with pytest.raises(ValueError):
        Position(text)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="unknown rules"):
        Rules("chess")
    with pytest.raises(TypeError):
        Position("6/6/6/6/6/6 x", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Position(None)  # type: ignore[arg-type]
    start = np.zeros((6, 6), np.int8)
    with pytest.raises(TypeError, match="int8"):
        Position.from_array(start.astype(np.int64))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="int8"):
        Position.from_array([[0] * 6] * 6)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shape"):
        Position.from_array(start[:5])
    with pytest.raises(ValueError, match="shape"):
        Position.from_array(start, "mini")
    with pytest.raises(ValueError, match="cell 0 is 3"):
        Position.from_array(start + np.int8(3))
    with pytest.raises(ValueError, match="O: X moves first"):
        Position.from_array(start + np.int8(2))
    with pytest.raises(ValueError):
        pentago.random_positions(36, 1)
