#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""unused.py BUILD SOURCES: external functions and objects that nobody needs.

What an object file of the program defines is needed if another one refers to it (nm). What only tests
refer to is a hook of tests: the comment above the group of its declaration says "Hook of tests.", or
any comment of a header *_hooks_internal.h does so for all in it. What libopevo exports is for its users."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

MARK = "Hook of tests."
SYMBOL = re.compile(r"[0-9a-f]*\s+([A-Za-z]) (opevo_\w+)$")
DECLARED = re.compile(r"\b(opevo_\w+)(?=\(|\[|;)")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def nm(*arguments: str | Path) -> list[tuple[str, str]]:
    text = subprocess.run(["nm", *arguments], capture_output=True, text=True, check=True).stdout
    return [found.groups() for line in text.splitlines() if (found := SYMBOL.match(line))]


def exported(build: Path) -> set[str]:
    """What the shared library gives to programs."""
    libraries = list(build.glob("libopevo.so"))
    if not libraries:
        sys.exit(f"{build} has no libopevo.so: build everything first")
    return {name for _, name in nm("-D", "--defined-only", libraries[0])}


def hooks(sources: Path) -> set[str]:
    """Names whose declarations are marked."""
    marked = set()
    for header in sources.rglob("*.h"):
        text = header.read_text()
        if MARK not in text:
            continue
        if header.name.endswith("_hooks_internal.h"):
            marked |= set(DECLARED.findall(COMMENT.sub("", text)))
        for comment in COMMENT.finditer(text):
            if MARK in comment.group():
                group = re.split(r"\n\n|/\*", text[comment.end() :])[0]
                marked |= set(DECLARED.findall(group))
    return marked


def objects(build: Path) -> list[Path]:
    """Those of the build: none that an earlier one left behind, or of a target built by name only."""
    commands = json.loads((build / "compile_commands.json").read_text())
    paths = [build / re.search(r" -o (\S+)", one["command"]).group(1) for one in commands]
    return [path for path in paths if path.exists()]


def main(build: Path, sources: Path) -> int:
    defined: dict[str, Path] = {}
    used: dict[bool, dict[str, set[Path]]] = {False: defaultdict(set), True: defaultdict(set)}
    for file in objects(build):
        is_test = "tests" in file.relative_to(build).parts
        for kind, name in nm(file):
            if kind in "TDRBV" and not is_test:
                defined[name] = file
            elif kind == "U":
                used[is_test][name].add(file)
    api, marked = exported(build), hooks(sources)
    words = []
    for name, file in sorted(defined.items()):
        source = file.name.removesuffix(".o")
        if name in api or used[False][name]:
            if name in marked and name not in api:
                words.append(f"{source}: {name} is not only for tests, as its comment says")
        elif not used[True][name]:
            words.append(f"{source}: {name} is used in no other file: make it static or remove it")
        elif name not in marked:
            words.append(f"{source}: {name} is used by tests only: remove it or mark it '{MARK}'")
    print("\n".join(words), end="\n" if words else "")
    return 1 if words else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
