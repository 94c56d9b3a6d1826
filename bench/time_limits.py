#!/usr/bin/env python3
"""Prints the time that `solve --time` takes for 20 random positions of 7 to 20 marbles.

The limits are 0.1 to 20 seconds. A row is late if the time exceeds the limit by more than a second
and by more than a tenth.

    python3 bench/time_limits.py PROGRAM [THREADS]
"""

import json
import subprocess
import sys
import time

LIMITS = [0.1, 0.5, 1, 3, 10, 20]


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


program, threads = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "1"
print("marbles\tlimit\tseconds\tvalue\tsource\tlate")
for i in range(20):
    marbles, limit = 7 + 14 * i // 20, LIMITS[i % len(LIMITS)]
    [position] = lines(program, "random", "--marbles", str(marbles), "--seed", str(i))
    began = time.monotonic()
    solve = ["solve", "--json", "--quiet", "--threads", threads, "--time", str(limit)]
    answer = json.loads(lines(program, *solve, position)[0])
    took = time.monotonic() - began
    late = "late" if took > limit + max(1, limit / 10) else ""
    print(marbles, limit, f"{took:.2f}", answer["value"], answer["source"], late, sep="\t", flush=True)
