"""Fixtures that several tests share: tables, and the program of the command line."""

import os
import shutil
import signal
from pathlib import Path

import pytest

import pentago_solver as pentago

ROOT = "1OOXOO/XOXO1O/XOOX1X/OX1O1X/1XX1X1/OX1X1O x"


@pytest.fixture(scope="session")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the tables of Mini-Pentago."""
    folder = tmp_path_factory.mktemp("mini")
    pentago.build("mini", folder, memory="500M")
    return folder


@pytest.fixture(scope="session")
def rooted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the tables below a position of Pentago."""
    folder = tmp_path_factory.mktemp("rooted")
    pentago.build(pentago.Position(ROOT), folder, keep=28, memory="500M")
    return folder


@pytest.fixture()
def copy(mini: Path, tmp_path: Path) -> Path:
    """Returns a copy of the tables of Mini-Pentago, which the test may damage."""
    return Path(shutil.copytree(mini, tmp_path / "tables"))


@pytest.fixture(scope="session")
def program() -> str:
    """Returns the program of the command line: $PENTAGO, or `pentago` on the path."""
    found = os.environ.get("PENTAGO") or shutil.which("pentago")
    if found is None:
        pytest.skip("there is no program `pentago`: set PENTAGO to its path")
    return found


# Shells start background processes with SIGINT ignored, and Python does not change that.
signal.signal(signal.SIGINT, signal.default_int_handler)
