#!/usr/bin/env python3
"""Checks certificates of version 2, written from certificate-format.md alone.

Usage: lemma-check.py FILE [SECONDS]. Prints the number of lemmas that were checked, and exits with
status 0 if all are valid, 1 if the claim is refuted, 2 if the file is malformed, and 3 if the time
was up before the last lemma. A set of sockets is an integer with the bit 9 * row + column, rows
from the top.
"""

import re
import sys
import time

BLOCKS = [block for block in range(9) if block != 4]
BOARD = (1 << 81) - 1


Malformed = type("Malformed", (Exception,), {})
Refuted = type("Refuted", (Exception,), {})


def require(condition, why, error=Malformed):
    if not condition:
        raise error(why)


def table(move):
    """Returns the images of all sockets under a permutation of rows and columns."""
    image = [move(socket // 9, socket % 9) for socket in range(81)]
    return [9 * row + column for row, column in image]


def apply(permutation, sockets):
    image = 0
    while sockets:
        low = sockets & -sockets
        image |= 1 << permutation[low.bit_length() - 1]
        sockets ^= low
    return image


def block_turn(block, clockwise):
    top, left = 3 * (block // 3), 3 * (block % 3)

    def move(row, column):
        r, c = row - top, column - left
        if not (0 <= r < 3 and 0 <= c < 3):
            return row, column
        r, c = (c, 2 - r) if clockwise else (2 - c, r)
        return top + r, left + c

    return table(move)


def symmetry(number):
    def move(row, column):
        if number >= 4:
            column = 8 - column
        for _ in range(number % 4):
            row, column = column, 8 - row
        return row, column

    return table(move)


TURNS = {f"{block + 1}{sign}": block_turn(block, sign == "+") for block in BLOCKS for sign in "+-"}
BACK = {name: TURNS[name[0] + ("-" if name[1] == "+" else "+")] for name in TURNS}
MAPS = [symmetry(number) for number in range(8)]
LINES = [
    sum(1 << (9 * (row + i * down) + column + i * right) for i in range(5))
    for row in range(9) for column in range(9) for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]
    if row + 4 * down < 9 and 0 <= column + 4 * right < 9
]
# ONE: the sets that become a line by at most one turn. TWO: the same for at most two turns.
ONE = list(dict.fromkeys(LINES + [apply(back, line) for back in BACK.values() for line in LINES]))
TWO = list(dict.fromkeys(ONE + [apply(back, line) for back in BACK.values() for line in ONE]))


def number(text):
    require(text.isascii() and text.isdigit() and (text == "0" or text[0] != "0"), f"{text}: not a number")
    return int(text)


def rows(text, letters):
    """Returns one set of sockets for each letter."""
    sets = dict.fromkeys(letters, 0)
    lines = text.split("/")
    require(len(lines) == 9, "expected nine rows")
    for row, line in enumerate(lines):
        column = 0
        for word in re.findall("[0-9]+|.", line):
            if word in sets:
                require(column < 9, "a row is too long")
                sets[word] |= 1 << (9 * row + column)
            column += 1 if word in sets else number(word)
        require(column == 9, "a row doesn't have nine sockets")
    return [sets[letter] for letter in letters]


def socket(text):
    valid = len(text) == 2 and text[0] in "abcdefghi" and text[1] in "123456789"
    require(valid, f"{text}: not a socket")
    return 1 << (9 * (9 - int(text[1])) + ord(text[0]) - ord("a"))


def header(text):
    data, _, last = text.rstrip("\n").rpartition("\n")
    require(text.endswith("\n") and last.startswith("checksum "), "the last line is not a checksum")
    total = 0xCBF29CE484222325
    for byte in (data + "\n").encode():
        total = (total ^ byte) * 0x100000001B3 % (1 << 64)
    require(last == f"checksum {total:016x}", "the checksum is wrong")
    first, game, position, claim, count, *lemmas = data.split("\n")
    require((first, game) == ("pentago certificate 2", "game xl"), "not a certificate of version 2")
    board, side = position.removeprefix("position ").split(" ")
    marbles = dict(zip("ab", rows(board, "AB")))
    words = claim.split(" ")
    require(words[:4] == ["claim", side, "wins", "within"] and len(words) == 5, "unknown claim")
    a, b = marbles["a"].bit_count(), marbles["b"].bit_count()
    require((a - b, side) in [(0, "a"), (1, "b")], "the numbers of marbles can't arise")
    for line in LINES:
        require(line & ~marbles["a"] and line & ~marbles["b"], "the game is over")
    plies = number(words[4])
    require(plies + a + b <= 80, "the marbles may be used up")
    require(count == f"lemmas {len(lemmas)}" and lemmas, "the number of lemmas is wrong")
    return side, marbles, plies, lemmas


def check_lemma(line, side, proved):
    """Checks a lemma that follows the lemmas `proved`. Returns its plies, others and three sets."""
    plies, others, pattern, move, *uses = line.split(" ")
    plies, others = number(plies), number(others)
    require(plies % 2 == 1 and 3 <= plies <= 81 and others <= 81, "a number is out of range")
    own, known, empty = rows(pattern, "AB-" if side == "a" else "BA-")
    place, _, turn = move.partition("/")
    place = socket(place)
    require(turn in TURNS, f"{turn}: not a turn")
    require(place & empty, "the socket of the move may be taken", Refuted)
    a, f, k = (apply(TURNS[turn], sockets) for sockets in (own | place, empty & ~place, known))
    if k.bit_count() + others >= 4:
        for w in TWO:
            outside = (w & ~(a | f | k)).bit_count()
            five = not w & a and (w & k).bit_count() + min(others, outside) + 1 >= 5
            require(not five, "the defender may have five", Refuted)
    answers = []
    for used in uses:
        index, _, image = used.partition(".")
        index, image = number(index), number(image or "0")
        require(1 <= index <= len(proved) and image < 8, f"{used}: no such lemma")
        n, most, *sets = proved[index - 1]
        if n <= plies - 2:
            answers.append((most, [apply(MAPS[image], sockets) for sockets in sets]))
    for name, turn in TURNS.items():
        a2, f2, k2 = apply(turn, a), apply(turn, f), apply(turn, k)
        left = BOARD & ~a2
        for w in ONE:
            missing = w & ~a2
            if missing & (missing - 1) == 0 and not missing & ~f2:
                left &= missing
        for most, (need, free, inside) in answers:
            if need & ~a2 or free & ~f2:
                continue
            outside = others + (k2 & ~inside).bit_count()
            if outside < most:
                left &= free
            elif outside == most:
                left &= free | ~(k2 | inside)
        require(not left, f"replies with turn {name} have no answer", Refuted)
    return plies, others, own, empty, known


def main():
    end = time.monotonic() + (float(sys.argv[2]) if len(sys.argv) > 2 else float("inf"))
    try:
        with open(sys.argv[1], encoding="ascii", newline="\n") as file:
            side, marbles, limit, lemmas = header(file.read())
        proved = []
        for line in lemmas:
            proved.append(check_lemma(line, side, proved))
            if time.monotonic() > end and len(proved) < len(lemmas):
                print(f"{len(proved)} of {len(lemmas)} lemmas are valid; the time is up")
                return 3
        plies, others, own, empty, known = proved[-1]
        mine, theirs = marbles[side], marbles["b" if side == "a" else "a"]
        matches = not own & ~mine and not empty & (mine | theirs) and (theirs & ~known).bit_count() <= others
        require(matches and plies <= limit, "the last lemma doesn't prove the claim", Refuted)
        print(f"{side} wins within {plies} plies: {len(proved)} lemmas")
        return 0
    except Refuted as error:
        print(f"refuted: {error}")
        return 1
    except (Malformed, ValueError) as error:
        print(f"malformed: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
