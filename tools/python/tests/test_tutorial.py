"""Tests that the tutorial and the notebook run and print the expected lines."""

import json
import subprocess
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parent.parent / "examples" / "tutorial.py"


def test_tutorial(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(TUTORIAL), str(tmp_path)], capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0].startswith("1X1XXO/O2XOX/3OXX/XOXX1O/XXO1OX/O1O1OO o is a win in 7 plies: ")
    assert lines[2] == "4 tables below it"
    assert lines[3] == "the first player: win"
    puzzles = [line for line in lines if line.startswith("puzzle: ")]
    assert len(puzzles) == len(set(puzzles)) == 3
    assert lines[-1].startswith("20000 boards; variance ")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return
    assert "chart: win-rates.svg" in lines and "<svg" in (tmp_path / "win-rates.svg").read_text()


def test_notebook(tmp_path: Path) -> None:
    # Run the cells in order, as a notebook does. The cells contain assertions.
    cells = json.loads(TUTORIAL.with_name("notebook.ipynb").read_text())["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(codes) >= 6 and not any(cell.get("outputs") for cell in cells)
    # The backend `agg` draws charts without a display.
    code = "\n".join(["import os", "os.environ['MPLBACKEND'] = 'agg'", *codes])
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr
    assert "WIN 7" in run.stdout and "the first player: WIN" in run.stdout, run.stdout
