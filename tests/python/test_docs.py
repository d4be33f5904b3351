# SPDX-License-Identifier: GPL-3.0-or-later
"""Every program in docs/python.md and in the README runs as it stands."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from searches import main

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = Path(__file__).resolve().parent / "stand_in"


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        # One folder, as that of a reader who tries one program after the other.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    def run_blocks(self, page: Path) -> int:
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
        paths = [os.environ["PYTHONPATH"], str(STAND_IN)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        for block in blocks:
            modules = set(re.findall(r"^(?:import|from) (\w+)", block, re.MULTILINE))
            if "pandas" not in modules and re.search(r"law|landscape|study\(plan", block):
                modules.add("pandas")
            absent = [
                name for name in modules - {"kernel_tuner"} if not importlib.util.find_spec(name)
            ]
            if absent:
                print(f"skipped: a program of {page.name} needs {', '.join(absent)}")
                continue
            with self.subTest(page=page.name, block=block):
                done = subprocess.run(
                    [sys.executable, "-c", block],
                    cwd=self.folder,
                    env=environment,
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotEqual(done.stdout, "")
        return len(blocks)

    def test_manual(self) -> None:
        self.assertGreaterEqual(self.run_blocks(ROOT / "docs" / "python.md"), 4)

    def test_readme(self) -> None:
        self.assertGreaterEqual(self.run_blocks(ROOT / "README.md"), 1)

    def test_changed_lines(self) -> None:
        """The one line that the README changes stands in a program of the manual, which runs."""
        readme, manual = ((ROOT / page).read_text() for page in ("README.md", "docs/python.md"))
        changed = re.findall(r"^\+.*(opevo\.\w+\.\w+\(.*?\))", readme, re.MULTILINE)
        self.assertEqual(len(changed), 2)
        for call in changed:
            self.assertIn(call, manual)


if __name__ == "__main__":
    main()
