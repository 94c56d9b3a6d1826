#!/usr/bin/env python3
"""Compares the rules pentago:place=turn with the independent implementation of OpenSpiel.

    pip install open_spiel
    tests/openspiel/compare.py target/debug/pentago [GAMES] [POSITIONS]

Plays random games by OpenSpiel's legal moves. The program converts their action strings to a record, and
back to the same strings. Every position, side to move and result must equal OpenSpiel's. Then solves
positions near the end of random games. The value of each move must equal that of a plain minimax over
OpenSpiel's states.
"""

import json
import random
import re
import subprocess
import sys

import pyspiel

GAME = pyspiel.load_game("pentago")
RULES = "pentago:place=turn"
# : The program's notation of turns, keyed by OpenSpiel's letters.
TURNS = dict(zip("tsvuzyxw", ["1+", "1-", "2+", "2-", "3+", "3-", "4+", "4-"]))


def run(program, *arguments, text=""):
    """Returns the output of the program."""
    ran = subprocess.run([program, *arguments], input=text, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{arguments}: {ran.stderr}\n{text[:2000]}")
    return ran.stdout


def position(state):
    """Returns a state in the program's notation. The side to move follows from the numbers of marbles."""
    rows = [line[4:16].split() for line in str(state).splitlines() if re.match(r"^[ a-z^>v]*\d", line)]
    rows = ["".join(row).replace("O", "X").replace("@", "O") for row in rows]
    text = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
    return f"{text} {'xo'[sum(row.count(c) for row in rows for c in 'XO') % 2]}"


def move(action):
    """Returns an action string in the program's notation of moves."""
    return f"{action[0]}{7 - int(action[1])}/{TURNS[action[2]]}"


def random_game(dice):
    """Returns the states of a random game, and the strings of its actions."""
    states, actions = [GAME.new_initial_state()], []
    while not states[-1].is_terminal():
        action = dice.choice(states[-1].legal_actions())
        actions.append(states[-1].action_to_string(action))
        states.append(states[-1].child(action))
    return states, actions


def result(state):
    """Returns the result of a finished game in the notation of records."""
    return {1.0: "x", -1.0: "o", 0.0: "draw"}[state.returns()[0]]


def compare_games(program, games, dice):
    """Compares random games move by move."""
    seen, moves, fives_undone = {}, 0, 0
    for number in range(games):
        states, actions = random_game(dice)
        text = " ".join(actions) + "\n"
        record = run(program, "convert", "-", text=text)
        found = re.search(r'^\[Result "(.*)"\]$', record, re.M)[1]
        assert f'[Rules "{RULES}"]' in record and found == result(states[-1]), (text, record)
        played = [word for word in record.split("\n\n", 1)[1].split() if "/" in word and word != "1/2-1/2"]
        assert played == [move(action) for action in actions], (text, record)
        assert run(program, "convert", "-", "--to", "openspiel", text=record) == text
        asked = "".join(f"{position(state)}\n" for state in states)
        lines = run(program, "solve", "--batch", "--rules", RULES, "--depth", "1", "--time", "0", "--quiet", text=asked).splitlines()
        for state, line in zip(states, lines):
            answer = json.loads(line)
            assert answer["position"] == position(state), (line, str(state))
            # Legal moves and the positions after them must equal OpenSpiel's.
            if state.is_terminal():
                assert answer["moves"] == [] and answer["value"] in ("win", "draw", "loss")
                continue
            leads = {m["move"]: m["position"] for m in answer["moves"]}
            theirs = {move(state.action_to_string(a)): position(state.child(a)) for a in state.legal_actions()}
            assert leads == theirs, str(state)
            moves += len(theirs)
        seen[found] = seen.get(found, 0) + 1
    print(f"{games} games agree, {moves} moves: {seen}")
    assert len(seen) >= 2 or games < 20


def minimax(state, player, known):
    """Returns the value of a state for X, by plain minimax."""
    if state.is_terminal():
        return state.returns()[0]
    key = str(state)
    if key not in known:
        best = max if player == 0 else min
        value = None
        for action in state.legal_actions():
            below = minimax(state.child(action), 1 - player, known)
            value = below if value is None else best(value, below)
            if value == (1.0 if player == 0 else -1.0):
                break
        known[key] = value
    return known[key]


def compare_values(program, positions, dice):
    """Compares the values of all moves of late positions."""
    tally = {}
    while sum(tally.values()) < positions:
        states, _ = random_game(dice)
        empty = [str(state).count(" .") for state in states]
        late = [state for state, free in zip(states, empty) if 1 <= free <= 5 and not state.is_terminal()]
        if not late:
            continue
        state = dice.choice(late)
        player = state.current_player()
        answer = json.loads(run(program, "solve", position(state), "--rules", RULES, "--json", "--quiet"))
        known = {}
        sign = 1 if player == 0 else -1
        names = {1.0: "win", 0.0: "draw", -1.0: "loss"}
        theirs = {
            move(state.action_to_string(a)): names[sign * minimax(state.child(a), 1 - player, known)]
            for a in state.legal_actions()
        }
        ours = {m["move"]: m["value"] for m in answer["moves"]}
        assert ours == theirs, str(state)
        assert answer["value"] == max(theirs.values(), key=["loss", "draw", "win"].index)
        tally[answer["value"]] = tally.get(answer["value"], 0) + 1
    print(f"{positions} positions agree: {tally}")


def main():
    program = sys.argv[1]
    games = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    positions = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    dice = random.Random(11)
    compare_games(program, games, dice)
    compare_values(program, positions, dice)


main()
