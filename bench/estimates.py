#!/usr/bin/env python3
"""Compares the estimates of `plan` with what `build` uses, for 40 random builds with little memory.

The script polls the size of the folder of the tables and the memory of the build while it runs, and
prints one line per build: the peaks, the estimates, and the ratios of the peaks to the estimates. A
ratio above 1 is an estimate below the real figure. Files that the program maps, such as its own
code, aren't counted as memory, because the system may drop their pages.

    python3 bench/estimates.py PROGRAM [SEED [SHARE]]

SEED selects the random builds (default 1). With a SHARE of 1 to 40, only every SHARE-th build runs.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PENTE = ["n=3,k=3", "n=4,k=3", "n=4,k=4", "w=4,h=3,k=4", "n=4,k=4,win=2", "w=5,h=3,k=4"]


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def section(draw, marbles):
    """Returns a section of the default game, in which X has as many marbles as O, or one more."""
    while True:
        pairs = [(x, draw.randint(0, 9 - x)) for x in [draw.randint(0, 9) for _ in range(4)]]
        xs, os_ = (sum(pair[side] for pair in pairs) for side in (0, 1))
        if xs + os_ == marbles and xs - os_ in (0, 1):
            return ",".join(f"{x}{o}" for x, o in pairs)


def builds(program, draw):
    """Yields the options of each build."""
    for i in range(16):
        marbles = 18 + i % 6
        seed = str(draw.randrange(1 << 30))
        [root] = lines(program, "random", "--marbles", str(marbles), "--seed", seed)
        keep = draw.randint(marbles, 36 if i % 2 else marbles + 7)
        yield [f"root:{root}", "--keep", str(keep), "--codec", ["quick", "compact", "zstd:3"][i % 3]]
    for i in range(8):
        yield [f"section:{section(draw, 34 - i % 2)}"]
    yield ["slice:36"]
    yield ["slice:35"]
    yield ["mini"]
    yield ["mini", "--codec", "compact"]
    yield ["mini:dir=cw", "--codec", f"zstd:{draw.randint(1, 19)}"]
    for i in range(6):
        rules = "xl" if i % 2 else "xl:seats=2"
        marbles, seed = str(69 + i % 3), str(draw.randrange(1 << 30))
        [root] = lines(program, "random", "--rules", rules, "--marbles", marbles, "--seed", seed)
        yield [f"root:{root}", "--rules", rules]
    for options in PENTE[:5]:
        yield [f"pente:{options},opening=free"]


def bytes_on_disk(folder, names="*"):
    """Returns the allocated bytes of the files in a folder, without the holes of the files."""
    total = 0
    for path in (Path(at) / name for at, _, files in os.walk(folder) for name in files):
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue
        total += min(stat.st_size, stat.st_blocks * 512) if path.match(names) else 0
    return total


def memory(pid):
    """Returns the bytes of memory of a process, without mapped files."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("RssAnon"))


def measure(command, folder):
    """Runs a build. Returns the peak bytes on disk and the peak bytes of memory."""
    peak = [0, 0]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as build:
        while build.poll() is None:
            peak = [max(peak[0], bytes_on_disk(folder)), max(peak[1], memory(build.pid))]
            time.sleep(0.02)
    if build.returncode:
        sys.exit(f"{command} ended with status {build.returncode}")
    return max(peak[0], bytes_on_disk(folder)), peak[1]


def main(program, seed=1, share=1):
    print("build\tdisk\testimate\tratio\ttables\testimate\tratio\tmemory\tlimit\tratio", flush=True)
    for options in list(builds(program, random.Random(int(seed))))[:: int(share)]:
        plan = json.loads(lines(program, "plan", "--json", *options, "--memory", "1M")[0])
        limit = max(plan["memory_bytes"], 20_000_000)
        plan = json.loads(lines(program, "plan", "--json", *options, "--memory", str(limit))[0])
        with tempfile.TemporaryDirectory() as folder:
            build = [program, "build", *options, "--memory", str(limit), "--out", folder, "--quiet"]
            disk, used = measure(build, folder)
            tables = bytes_on_disk(folder, "*.pentago")
        figures = [(disk, plan["disk_bytes"]), (tables, plan["kept_bytes"]), (used, limit)]
        row = [str(text) for real, said in figures for text in (real, said, f"{real / max(said, 1):.2f}")]
        print(" ".join(options), *row, sep="\t", flush=True)


main(*sys.argv[1:])
