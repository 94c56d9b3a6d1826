#!/usr/bin/env python3
"""Plays games of the program against OpenSpiel's MCTS, or against another build of the program.

    pip install open_spiel
    bench/guess_match.py target/release/pentago 200 10000      # against MCTS with 10,000 simulations
    bench/guess_match.py target/release/pentago 200 OTHER      # against another program
    bench/guess_match.py target/release/pentago 200 OTHER 6    # from drawn positions after six random moves

The first moves of each pair of games are random: two by default. Both players play each opening with both
colours. With more than two random moves, openings are drawn until the program proves a draw. The program has
one core and one second per move. OpenSpiel looks for five in a row only after the turn, so a winning placement
is followed by a turn that keeps the line.
"""

import json
import os
import random
import re
import subprocess
import sys

import pyspiel

# OpenSpiel's letters of turns, keyed by the program's notation. Quadrants are numbered from the top
# left.
TURNS = dict(zip(["1+", "1-", "2+", "2-", "3+", "3-", "4+", "4-"], "tsvuzyxw"))
GAME = pyspiel.load_game("pentago")


def position(state):
    """Returns a state in the program's notation: rows from the top."""
    rows = [line[4:16].split() for line in str(state).splitlines() if re.match(r"^[ a-z^>v]*\d", line)]
    text = "/".join("".join(row).replace("O", "X").replace("@", "O").replace(".", "1") for row in rows)
    return f"{text} {'xo'[state.current_player()]}"


def program(path, seconds="1"):
    """Returns a player that runs the program at this path."""

    def play(state, actions):
        here = position(state)
        other = "o" if here.endswith("x") else "x"
        arguments = ["play", "--position", here, "--side", other, "--time", seconds, "--threads", "1"]
        environment = {**os.environ, "HOME": "/nonexistent", "XDG_DATA_HOME": "/nonexistent", "PENTAGO_TABLES": ""}
        ran = subprocess.run([path, *arguments], input="", capture_output=True, text=True, env=environment)
        played = re.findall(rf"^{here[-1]}> ([a-f][1-6])(?:/([1-4][+-]))?", ran.stdout, re.M)
        if not played:
            sys.exit(f"no move in: {ran.stdout} {ran.stderr}")
        socket, turn = played[0]
        place = socket[0] + str(7 - int(socket[1]))
        options = [turn] if turn else TURNS
        for option in options:
            action = actions[place + TURNS[option]]
            if turn or state.child(action).is_terminal():
                return action
        sys.exit(f"{here}: no turn keeps the line of {socket}")

    return play


def value(path, here):
    """Returns the value of a position, computed by the program at this path."""
    ran = subprocess.run([path, "solve", here, "--json"], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)["value"]


def opening(path, plies, seed):
    """Returns the actions of random moves. With more than two, the position after them is a draw."""
    dice = random.Random(seed)
    while True:
        state, actions = GAME.new_initial_state(), []
        while len(actions) < plies and not state.is_terminal():
            actions.append(dice.choice(state.legal_actions()))
            state.apply_action(actions[-1])
        if plies <= 2 or not state.is_terminal() and value(path, position(state)) == "draw":
            return actions


def mcts(simulations, seed):
    """Returns a player that runs OpenSpiel's MCTS with random rollouts."""
    bot = pyspiel.MCTSBot(GAME, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, simulations, 2000, True, seed, False)
    return lambda state, actions: bot.step(state)


def main():
    first, games, opponent = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    plies = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    players = [program(first), mcts(int(opponent), 1) if opponent.isdigit() else program(opponent)]
    points, first_moves = 0.0, []
    for number in range(games):
        if number % 2 == 0:
            first_moves = opening(first, plies, number)
        state, played = GAME.new_initial_state(), 0
        while not state.is_terminal():
            if played < plies:
                action = first_moves[played]
            else:
                actions = {state.action_to_string(action): action for action in state.legal_actions()}
                action = players[(state.current_player() + number) % 2](state, actions)
            state.apply_action(action)
            played += 1
        won = (1 + state.returns()[number % 2]) / 2
        points += won
        print(f"game {number + 1}: {won}, {played} moves; {points} of {number + 1}", flush=True)


main()
