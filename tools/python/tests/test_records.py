"""Tests of games: playing, writing and reading."""

import random

import pytest

from pentago_solver import Game, Position, Rules

GAMES = ["pentago", "pentago-fi", "pentago:place=turn", "mini", "xl", "xl:seats=3", "pente", "pente:n=7,k=4,opening=free"]


@pytest.mark.parametrize("rules", GAMES)
def test_random_games_are_read_back(rules: str) -> None:
    random.seed(11)
    for number in range(5):
        game = Game(rules)
        positions = [game.position]
        while game.result is None and len(game) < 40:
            game.push(random.choice(game.legal_moves))
            positions.append(game.position)
        if len(game) > 3:
            game.annotate(2, "a {strange} move", marks=[4, 255])
        game.tags = [("Event", 'a "test"')]
        again = Game.from_record(game.to_record())
        assert str(again) == str(game) and again.moves == game.moves and again.result == game.result
        assert again.rules == game.rules == Rules(rules) and again.tags == [("Event", 'a "test"')]
        if len(game) > 3:
            assert again.note(2) == ([4, 255], "a (strange) move") and again.note(-1) == ([], "")
        while len(game) > 0:
            assert game.position == positions.pop()
            game.pop()
        assert game.position == positions.pop() == game.start


def test_games_end() -> None:
    game = Game(start=Position("OO1OO1/6/6/6/6/XXXX2 x"))
    game.push("e1")
    assert game.result == "x" and game.legal_moves == []
    with pytest.raises(ValueError, match="the game is over"):
        game.push("a1/1+")
    with pytest.raises(ValueError, match="is over"):
        game.resign()
    assert game.pop() == "e1" and game.result is None
    game.resign()
    assert game.result == "o" and Game.from_record(str(game)).result == "o"
    with pytest.raises(IndexError):
        game.pop()
    with pytest.raises(IndexError, match="no move 1"):
        game.note(1)
    with pytest.raises(ValueError, match="more than two sides"):
        Game("xl:seats=3").resign()
    with pytest.raises(ValueError, match="a position has rules"):
        Game("mini", Position("4/4/4/4 x"))
    with pytest.raises(ValueError, match="line 2: "):
        Game.from_record("1. c4/2+\n c9/1+ *".replace(" c9/1+", "c9/1"))


def test_other_forms() -> None:
    game = Game.from_record("a1s b2z c3t")
    assert str(game.rules) == "pentago:place=turn" or game.rules == Rules("pentago:place=turn")
    assert game.to_record("openspiel") == "a1s b2z c3t\n"
    with pytest.raises(ValueError, match="this game has the rules pentago:place=turn"):
        game.to_record("numbers")
    other = Game.from_record("1. c4/2+ d3/1-")
    assert Game.from_record("\ufeff" + other.to_record("numbers")).moves == other.moves
    game.annotate(0, "x" * 65536)
    with pytest.raises(ValueError, match="at most 65536"):
        game.to_record()
    assert Game.from_record("1. K10 L9").to_record("pente.org").endswith("1. K10 L9 *\n")
    with pytest.raises(ValueError, match="no such format"):
        game.to_record("sgf")
    with pytest.raises(ValueError, match="pente.org knows Pente"):
        game.to_record("pente.org")
