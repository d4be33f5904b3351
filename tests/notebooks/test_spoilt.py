# SPDX-License-Identifier: GPL-3.0-or-later
"""test_spoilt.py NOTEBOOKS OPEVO: a notebook that fails or holds outputs, and spoilt data, must be seen."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, OPEVO = pathlib.Path(sys.argv[1]), sys.argv[2]


def notebook(source, outputs):
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": source, "outputs": outputs,
            "execution_count": None}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def call(folder, *arguments):
    done = subprocess.run([sys.executable, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stderr


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch, "copy")
        shutil.copytree(SOURCE, folder)
        text = (folder / "live.csv").read_text()
        assert call(folder, folder / "make", "--check", OPEVO, "live.csv") == (0, "")
        digit = text[-2]
        (folder / "live.csv").write_text(text[:-2] + str((int(digit) + 1) % 10) + "\n")
        status, message = call(folder, folder / "make", "--check", OPEVO, "live.csv")
        assert status == 1 and "live.csv" in message, message

        stale = [{"output_type": "stream", "name": "stdout", "text": "1\n"}]
        for name, source, outputs, wanted, said in (
                ("good", "assert 1 + 1 == 2", [], 0, ""),
                ("wrong", "assert 1 + 1 == 3", [], 1, "AssertionError"),
                ("stale", "print(1)", stale, 1, "holds outputs")):
            path = folder / (name + ".ipynb")
            path.write_text(notebook(source, outputs))
            status, message = call(folder, folder / "run", folder / "out", path)
            if status == 77:
                print(message)
                sys.exit(77)
            assert status == wanted and said in message, (name, status, message)


main()
