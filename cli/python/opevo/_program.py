# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the program `opevo` and calls its verbs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ._error import Error


def program() -> str:
    """The path of the program: $OPEVO, else the one of the prefix that this package is installed
    in, else the one on PATH.

    Errors: Error where there is none, or where $OPEVO names none.
    """
    named = os.environ.get("OPEVO")
    if named:
        found = shutil.which(named)
        if not found:
            raise Error(f"OPEVO={named} is not a program; set OPEVO to the path of opevo.")
        return found
    # PREFIX/lib/python3.11/site-packages/opevo/_program.py belongs to PREFIX/bin/opevo.
    beside = [*Path(__file__).resolve().parents[4:5], Path(sys.prefix)]
    for prefix in beside:
        found = shutil.which(str(prefix / "bin" / "opevo"))
        if found:
            return found
    found = shutil.which("opevo")
    if not found:
        raise Error("The program opevo was not found; put it on PATH, or set OPEVO to its path.")
    return found


def last_sentence(text: str) -> str:
    """The last message of the program on standard error, in one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"^opevo( [a-z]+)?: ", "", lines[-1]) if lines else ""


def run(*arguments: str, ok: tuple[int, ...] = (0,)) -> str:
    """What `opevo ARGUMENTS` prints on standard output.

    Errors: Error with the program's sentence where its exit status is not among `ok`.
    """
    path = program()
    try:
        done = subprocess.run(
            [path, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    except OSError as error:
        raise Error(f"{path} cannot be started: {error.strerror}.") from error
    if done.returncode not in ok:
        said = last_sentence(done.stderr)
        raise Error(said or f"opevo {' '.join(arguments)}: exit status {done.returncode}.")
    return done.stdout


def call(*arguments: str) -> Any:
    """The JSON value that `opevo ARGUMENTS --json` prints, of any verb that has --json.

    Errors: Error with the program's sentence. The exit status 1 of a verb that did its work, such
    as `verify` that rejects a sampler, is no error here: the JSON says what was found.

    >>> opevo.call("verify", "factor(8,3)", "--draws", "10000")["rejected"]
    0
    """
    text = run(*arguments, "--json", ok=(0, 1))
    try:
        return json.loads(text)
    except ValueError:
        raise Error(f"opevo {' '.join(arguments)} --json printed no JSON.") from None


def version() -> str:
    """The version of the program, such as "0.1.0"."""
    return run("--version").removeprefix("opevo").strip()
