# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache files of Kernel Tuner."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._error import Error

_FAILURES = {
    "build-error": "CompilationFailedConfig",
    "rejected": "InvalidConfig",
}


def key_of(params: Mapping[str, Any], names: Sequence[str]) -> str:
    return ",".join(str(params[name]) for name in names)


def read_cache(path: Path, header: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The entries of a file, which may lack its end."""
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8").rstrip()
    if text.endswith(","):
        text = text[:-1]
    try:
        cache = json.loads(text)
    except ValueError:
        try:
            cache = json.loads(text + "}\n}")
        except ValueError as error:
            raise Error(f"{path}: not a cache file of Kernel Tuner: {error}.") from None
    for name in ("kernel_name", "problem_size", "tune_params_keys"):
        if cache.get(name) != header[name]:
            raise Error(f"{path}: {name} is {cache.get(name)!r} there, not {header[name]!r}.")
    return dict(cache["cache"])


def write_cache(
    path: Path, header: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]]
) -> None:
    head = json.dumps({**header, "cache": {}}, indent="")[:-3]
    lines = ",".join("\n" + json.dumps({key: entry})[1:-1] for key, entry in entries.items())
    part = path.with_name(path.name + ".part")
    part.write_text(head + lines + "}\n}", encoding="utf-8")
    part.replace(path)


def entry_of(trial: Mapping[str, Any], names: Sequence[str], unpacked: Mapping[str, Any]) -> Any:
    """A trial as Kernel Tuner has it: times in milliseconds."""
    entry: dict[str, Any] = {name: unpacked[name] for name in names}
    entry["time"] = (
        1e3 * trial["time_s"]
        if trial["outcome"] == "ok"
        else _FAILURES.get(trial["outcome"], "RuntimeFailedConfig")
    )
    entry["times"] = [1e3 * each for each in trial.get("samples_s") or ()]
    for name, cost in (
        ("compile_time", "build_s"),
        ("verification_time", "check_s"),
        ("benchmark_time", "run_s"),
    ):
        entry[name] = 1e3 * (trial.get(cost) or 0)
    entry["strategy_time"] = entry["framework_time"] = 0.0
    entry["timestamp"] = str(datetime.datetime.now(datetime.timezone.utc))
    return entry
