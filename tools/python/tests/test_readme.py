"""Tests that the examples of the documentation run and print what they claim."""

import doctest
import os
import re
from pathlib import Path

import pentago_solver as pentago

HERE = Path(__file__).resolve().parent.parent
README = HERE / "README.md"


def test_the_readme(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(code) == 4
    # `test_parquet_by_pyarrow` runs the lines that need pyarrow.
    code = [block for block in code if "pyarrow" not in block]
    assert len(code) == 3
    names: "dict[str, object]" = {}
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for block in code:
            exec(block.replace("100_000", "1_000"), names)
    finally:
        os.chdir(here)


def test_docstrings() -> None:
    finder = doctest.DocTestFinder()
    runner = doctest.DocTestRunner()
    names = {name: getattr(pentago, name) for name in pentago.__all__}
    examples = 0
    for name in ("Position", "Rules", "Solver"):
        parser = doctest.DocTestParser()
        test = parser.get_doctest(getattr(pentago, name).__doc__, dict(names), name, None, 0)
        runner.run(test)
        examples += len(test.examples)
    for test in finder.find(pentago, "pentago_solver", globs=dict(names), module=False):
        if test.name == "pentago_solver":
            runner.run(test)
            examples += len(test.examples)
    assert examples >= 6 and runner.summarize().failed == 0


def test_everything_public_has_a_docstring() -> None:
    for name in pentago.__all__:
        public = getattr(pentago, name)
        if not isinstance(public, type) and not callable(public):
            continue
        assert public.__doc__, name
        if isinstance(public, type) and public.__module__ == "pentago_solver":
            for member in vars(public):
                assert member.startswith("_") or getattr(public, member).__doc__, f"{name}.{member}"
