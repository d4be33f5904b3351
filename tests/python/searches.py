# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the Python package share: searches of the program, recorded outcomes."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

try:
    import opevo
except ImportError as missing:  # PYTHONPATH names cli/python
    sys.exit(f"{missing}")

SHARED = Path(os.environ.get("OPEVO_TEST_LANDSCAPES", "/nonexistent"))
MATMUL = {name: opevo.factor(32, 3) for name in ("K", "X", "Y")}


def skip(sentence: str) -> None:
    """End the test as skipped."""
    print(f"skipped: {sentence}")
    sys.exit(77)


def frozen(config: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """A configuration as a key of a dict."""
    plain = {
        name: tuple(value) if isinstance(value, list) else value for name, value in config.items()
    }
    return tuple(sorted(plain.items()))


def search(on: str, tuner: str, trials: int, seed: int = 1, *options: str) -> list[dict[str, Any]]:
    """The trials of `opevo tune`: what a client must be asked for with the same space and seed."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder, "runs.db"))
        words = ["tune", "--on", on, "--tuner", tuner, "--seed", str(seed), "--trials", str(trials)]
        opevo._program.run(*words, "--store", store, "--quiet", "--json", *options, ok=(0, 1))
        found: list[dict[str, Any]] = opevo.call("runs", store + ":1", "--trials")["trials"]
        return found


def configs(trials: list[dict[str, Any]]) -> list[Any]:
    """The configurations of trials of the program."""
    return [frozen(trial["configuration"]) for trial in trials]


def outcomes(on: str = "recorded:", *options: str) -> dict[Any, dict[str, Any]]:
    """What a recording says of each configuration: outcome, fitness, time_s."""
    return {
        frozen(trial["configuration"]): trial for trial in search(on, "grid", 10**9, 1, *options)
    }


_RECORDED: dict[Any, dict[str, Any]] = {}


def built_in() -> dict[Any, dict[str, Any]]:
    """The outcomes of the recording that is built in."""
    if not _RECORDED:
        _RECORDED.update(outcomes())
    return _RECORDED


def main() -> None:
    """Run the tests of the calling file."""
    unittest.main(verbosity=1)
