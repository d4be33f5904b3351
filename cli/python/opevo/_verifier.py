# SPDX-License-Identifier: GPL-3.0-or-later
"""A function of the caller that judges the results of kernels, which a worker has."""

from __future__ import annotations

import inspect
import os
import shlex
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

# Called by a worker with the folder of the results: asks by one pipe, and is told by another.
_SCRIPT = """printf '%s\\n' "$1" >"$0.asked"
read -r status <"$0.told"
exit "$status"
"""


class Verifier:
    """Runs `verify(answer, results, atol=atol)` of Kernel Tuner for each result, in a thread.

    `results` has an array for each argument whose answer is not None, or, without an answer, for
    each array; None for all others. What it raises is raised when the context ends.
    """

    def __init__(
        self,
        folder: Path,
        verify: Callable[..., object],
        arguments: Sequence[tuple[str, Any] | None],
        answer: Any,
        atol: float,
    ) -> None:
        self._script = folder / "verify.sh"
        self._asked, self._told = (
            folder / f"{self._script.name}.{end}" for end in ("asked", "told")
        )
        self._verify, self._arguments, self._answer = verify, arguments, answer
        takes_atol = "atol" in inspect.signature(verify).parameters
        self._options = {"atol": atol} if takes_atol else {}
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def command(self) -> str:
        return f"sh {shlex.quote(str(self._script))}"

    def __enter__(self) -> Verifier:
        self._script.write_text(_SCRIPT, encoding="utf-8")
        os.mkfifo(self._asked)
        os.mkfifo(self._told)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._asked.write_text("\n", encoding="utf-8")
        self._thread.join()
        if error is None and self._error is not None:
            raise self._error

    def _serve(self) -> None:
        while folder := self._asked.read_text(encoding="utf-8").rstrip("\n"):
            right = self._error is None and self._judge(Path(folder))
            self._told.write_text("0\n" if right else "1\n", encoding="utf-8")

    def _judge(self, folder: Path) -> bool:
        try:
            results = [
                None if one is None else _load(folder / f"{one[0]}.npy", one[1])
                for one in self._arguments
            ]
            return bool(self._verify(self._answer, results, **self._options))
        except Exception as error:
            self._error = error
            return False


def _load(path: Path, like: Any) -> Any:
    """With the type and the shape of the argument."""
    import numpy

    return numpy.load(path).view(like.dtype).reshape(like.shape)
