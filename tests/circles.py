#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""circles.py BUILD EXCEPTIONS: the files of a folder that call each other in a circle.

A folder is a static library of the build. One file calls another if it refers to a symbol that the
other defines (nm). Files in a circle are a strongly connected component of that relation. Each has
to stand in EXCEPTIONS, as a line "file.c file.c ...: reason", and each line there has to be a circle."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SYMBOL = re.compile(r"[^:]*:(\S+)\.c\.o:\s*[0-9a-f]*\s+([A-Za-z]) (\S+)$")


def calls(library: Path) -> dict[str, set[str]]:
    """The files that each file of a library refers to."""
    text = subprocess.run(["nm", "-A", library], capture_output=True, text=True, check=True).stdout
    defined: dict[str, str] = {}
    wanted = defaultdict(set)
    for line in text.splitlines():
        if symbol := SYMBOL.match(line):
            file, kind, name = symbol.groups()
            if kind in "TDRBVW":
                defined[name] = file
            elif kind == "U":
                wanted[file].add(name)
    return {
        file: {defined[name] for name in names if name in defined} - {file}
        for file, names in wanted.items()
    }


def reachable(start: str, edges: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for file in edges.get(waiting.pop(), set()) - found:
            found.add(file)
            waiting.append(file)
    return found


def circles(edges: dict[str, set[str]]) -> set[frozenset[str]]:
    reach = {file: reachable(file, edges) for file in edges}
    return {
        frozenset(other for other in files if file in reach.get(other, set()))
        for file, files in reach.items()
        if file in files
    }


def read_exceptions(path: Path) -> set[frozenset[str]]:
    allowed = set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            files, _, reason = line.partition(": ")
            if not reason:
                sys.exit(f"{path}:{number}: a circle needs a reason behind ': '")
            allowed.add(frozenset(name.removesuffix(".c") for name in files.split()))
    return allowed


def main(build: Path, exceptions: Path) -> int:
    allowed = read_exceptions(exceptions)
    found = set()
    libraries = [path for path in build.rglob("libopevo_*.a") if "tests" not in path.parts]
    for library in sorted(libraries):
        found |= circles(calls(library))
    for circle in sorted(map(sorted, found - allowed)):
        print("These files call each other in a circle:", " ".join(f"{name}.c" for name in circle))
    for circle in sorted(map(sorted, allowed - found)):
        print(f"{exceptions}: no circle:", " ".join(f"{name}.c" for name in circle))
    return int(found != allowed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
