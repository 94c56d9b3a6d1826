#!/usr/bin/env python3
"""Counts the blocks that placements read along an axis of a section, for several orders of a quadrant's patterns.

    bench/pattern_orders.py

A placement doesn't change the other player's marbles. Patterns are grouped by these, and a placement leads to the
same group. For each order, prints the number of blocks of 8 patterns that the groups read, summed over all groups
and divided by the number of blocks. The result is 1 if no block is read for two groups. Mirror symmetries of a
quadrant are not used.
"""

from functools import cache
from itertools import product

# The cells of a quadrant after a quarter turn.
TURNED = [(2 - column) * 3 + row for row in range(3) for column in range(3)]


@cache
def turns(pattern):
    """Returns the four rotations of a pattern. 0 is a free cell, 1 a marble of X, 2 a marble of O."""
    found = [pattern]
    for _ in range(3):
        found.append(tuple(found[-1][cell] for cell in TURNED))
    return found


@cache
def marbles_of(pattern, player):
    """Returns the marbles of a player, up to rotation."""
    return min(tuple(int(cell == player) for cell in turned) for turned in turns(pattern))


def patterns(x, o):
    """Lists the patterns with these numbers of marbles, up to rotation."""
    return sorted({min(turns(p)) for p in product(range(3), repeat=9) if (p.count(1), p.count(2)) == (x, o)})


def groups(found, player, count):
    """Maps each set of a player's marbles to a group. All groups have about equally many sets."""
    kinds = sorted({marbles_of(p, player) for p in found})
    return {kind: place * count // len(kinds) for place, kind in enumerate(kinds)}


def number(pattern):
    return sum(cell * 3**place for place, cell in enumerate(pattern))


def today(found, _):
    """Sorts by number, with each pattern beside its mirror image: the order of the index sections."""
    least = lambda p: min(map(number, turns(p)))
    mirrored = lambda p: tuple(p[3 * row + 2 - column] for row in range(3) for column in range(3))

    def key(p):
        own, image = least(p), least(mirrored(p))
        return (own == image, min(own, image), own)

    return sorted(found, key=key)


def by_both(found, count):
    """Sorts by groups of O's marbles, then by groups of X's marbles."""
    of = {player: groups(found, player, count) for player in (1, 2)}
    return sorted(found, key=lambda p: (of[2][marbles_of(p, 2)], of[1][marbles_of(p, 1)], p))


def children(pattern, player):
    """Returns the patterns with one more marble of a player."""
    placed = (pattern[:cell] + (player,) + pattern[cell + 1 :] for cell in range(9) if pattern[cell] == 0)
    return {min(turns(p)) for p in placed}


def read(parents, ordered, player, count):
    """Returns the number of blocks that all groups read, divided by the number of blocks."""
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
