# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the program `opevo` and calls its verbs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._error import Error


def program() -> str:
    """The path of the program: $OPEVO, else the one of the prefix that this package is installed
    in, else the one on PATH.

    Errors: Error if it is not found, or if $OPEVO is not the path of a program.
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


def text_of(value: object) -> str:
    """A value as the program's command line has it: 8,1,1 for a tuple."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)


def words_of(options: Mapping[str, object]) -> list[str]:
    """Options of a verb: None and False are left out, True is a flag, a list is repeated."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = "--" + name.replace("_", "-")
        each_value = value if isinstance(value, list) else [value]
        for each in each_value:
            words += [option] if each is True else [option, str(each)]
    return words


def _ended(
    arguments: tuple[str, ...], ok: tuple[int, ...], environment: Mapping[str, str] | None
) -> subprocess.CompletedProcess[str]:
    path = program()
    try:
        done = subprocess.run(
            [path, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            env={**os.environ, **(environment or {})},
        )
    except OSError as error:
        raise Error(f"{path} cannot be started: {error.strerror}.") from error
    if done.returncode not in ok:
        said = last_sentence(done.stderr)
        raise Error(said or f"opevo {' '.join(arguments)}: exit status {done.returncode}.")
    return done


def run(
    *arguments: str, ok: tuple[int, ...] = (0,), environment: Mapping[str, str] | None = None
) -> str:
    """What `opevo ARGUMENTS` prints on standard output, with these variables set as well.

    Errors: Error with the program's sentence where its exit status is not among `ok`.
    """
    return _ended(arguments, ok, environment).stdout


def call(*arguments: str, environment: Mapping[str, str] | None = None) -> Any:
    """The JSON value that `opevo ARGUMENTS --json` prints, of any verb that has --json.

    Errors: Error with the program's sentence. The exit status 1 of a verb that did its work, such
    as `verify` that rejects a sampler, is not an error here: the JSON says what was found.

    >>> opevo.call("verify", "factor(8,3)", "--draws", "10000")["rejected"]
    0
    """
    done = _ended((*arguments, "--json"), (0, 1), environment)
    try:
        return json.loads(done.stdout)
    except ValueError:
        said = last_sentence(done.stderr)
        raise Error(said or f"opevo {' '.join(arguments)} --json printed no JSON.") from None


def version() -> str:
    """The version of the program, such as "0.1.0"."""
    return run("--version").removeprefix("opevo").strip()
