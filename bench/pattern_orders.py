#!/usr/bin/env python3
"""How far along an axis of a section a placement leads, in several orders of a quadrant's patterns.

    bench/pattern_orders.py

A placement leaves the other player's marbles as they are. So patterns fall into groups by these, and the
patterns with one more marble into the same groups. For each order this prints how many blocks of 8 patterns
have one of a group, in all groups together, by the number of blocks: 1 if no block is read for two groups.
Symmetries of a quadrant that mirror it are left out.
"""

from functools import cache
from itertools import product

# The cells of a quadrant after a quarter turn.
TURNED = [(2 - column) * 3 + row for row in range(3) for column in range(3)]


@cache
def turns(pattern):
    """The four rotations of a pattern: 0 for a free cell, 1 for a marble of X, 2 for one of O."""
    found = [pattern]
    for _ in range(3):
        found.append(tuple(found[-1][cell] for cell in TURNED))
    return found


@cache
def marbles_of(pattern, player):
    """The marbles of a player up to rotation."""
    return min(tuple(int(cell == player) for cell in turned) for turned in turns(pattern))


def patterns(x, o):
    """The patterns with these numbers of marbles up to rotation."""
    return sorted({min(turns(p)) for p in product(range(3), repeat=9) if (p.count(1), p.count(2)) == (x, o)})


def groups(found, player, count):
    """Groups of patterns by the marbles of a player, about equally many kinds of them in each."""
    kinds = sorted({marbles_of(p, player) for p in found})
    return {kind: place * count // len(kinds) for place, kind in enumerate(kinds)}


def number(pattern):
    return sum(cell * 3**place for place, cell in enumerate(pattern))


def today(found, _):
    """By number, a pattern beside its mirror image (`solver/core/src/index/sections/patterns.rs`)."""
    least = lambda p: min(map(number, turns(p)))
    mirrored = lambda p: tuple(p[3 * row + 2 - column] for row in range(3) for column in range(3))

    def key(p):
        own, image = least(p), least(mirrored(p))
        return (own == image, min(own, image), own)

    return sorted(found, key=key)


def by_both(found, count):
    """By groups of O's marbles, and within each by groups of X's."""
    of = {player: groups(found, player, count) for player in (1, 2)}
    return sorted(found, key=lambda p: (of[2][marbles_of(p, 2)], of[1][marbles_of(p, 1)], p))


def children(pattern, player):
    """The patterns with one more marble of a player."""
    placed = (pattern[:cell] + (player,) + pattern[cell + 1 :] for cell in range(9) if pattern[cell] == 0)
    return {min(turns(p)) for p in placed}


def read(parents, ordered, player, count):
    """The share of blocks that all groups read together."""
    block = {pattern: place // 8 for place, pattern in enumerate(ordered)}
    of = groups(parents, 3 - player, count)
    blocks = {group: set() for group in of.values()}
    for parent in parents:
        blocks[of[marbles_of(parent, 3 - player)]].update(block[child] for child in children(parent, player))
    return sum(map(len, blocks.values())) / -(-len(ordered) // 8)


def main():
    print("X places (2, 3), O places (3, 2): blocks read, of those with (3, 3) marbles")
    after = patterns(3, 3)
    for count in (2, 3, 4, 5, 7):
        for order in (today, by_both):
            shares = [read(patterns(*before), order(after, count), player, count)
                      for player, before in ((1, (2, 3)), (2, (3, 2)))]
            print(f"{count} groups, {order.__name__:8}", *(f"{share:.2f}" for share in shares))


main()
