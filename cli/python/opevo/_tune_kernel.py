# SPDX-License-Identifier: GPL-3.0-or-later
"""tune_kernel: a kernel as it is, by the arguments of Kernel Tuner's function of that name."""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._error import Error
from ._kernel_cache import entry_of, key_of, read_cache, write_cache
from ._kernel_harness import (
    DEVICES,
    ENDINGS,
    Arguments,
    defines_of,
    excluding,
    harness_of,
    language_of,
    launch_of,
    read_source,
    restrictions_of,
    shared_of,
    values_of,
)
from ._program import call
from ._verifier import Verifier

# What Kernel Tuner's function takes beside, and why it is refused unless it has its default value.
_REFUSED = {
    "texmem_args": (None, "textures are not passed to kernels"),
    "simulation_mode": (False, 'opevo.Tuner and opevo tune --on "recorded:FILE" replay a cache'),
    "parallel": (None, "opevo tune has --workers"),
    "objectives": (None, "opevo tune has --criteria for several at once"),
    "observers": (None, "opevo tune has --criterion for energy, code size and build time"),
    "log": (None, "opevo writes no log"),
}


# Kernel Tuner's strategies that are here, by another name.
_STRATEGIES = {
    "brute_force": "grid",
    "random_sample": "random",
    "genetic_algorithm": "kt-genetic",
    "simulated_annealing": "kt-annealing",
    "diff_evo": "kt-diff-evo",
    "greedy_ils": "kt-greedy-ils",
    "greedy_mls": "kt-greedy-mls",
    "pso": "kt-pso",
    "adaptive_tabu_greywolf": "kt-tabu-greywolf",
    "hybrid_vndx": "kt-vndx",
}
_OTHER_STRATEGIES = (
    "basinhopping", "bayes_opt", "dual_annealing", "firefly_algorithm", "minimize", "mls",
    "ordered_greedy_mls", "pyatf_strategies", "scikit_opt",
)  # fmt: skip

_ONLY = {
    "compiler": ("C",),
    "platform": ("OpenCL",),
    "smem_args": ("CUDA", "HIP"),
    "cmem_args": ("CUDA", "HIP"),
}


def _refuse(given: Mapping[str, Any], language: str) -> None:
    """What Kernel Tuner's function takes, and this one does not, by its name."""
    for name, (default, why) in _REFUSED.items():
        if given[name] is not None and given[name] != default and given[name] != []:
            raise Error(f"{name}: {why}; omit it.")
    for name, languages in _ONLY.items():
        if given[name] is not None and language not in languages:
            raise Error(f"{name}: applies to kernels in {' and '.join(languages)}; omit it.")
    if given["objective"] != "time" and given["strategy"] not in (None, "brute_force"):
        raise Error(f"objective: a tuner minimises the time, not {given['objective']}.")
    if given["strategy"] in _OTHER_STRATEGIES:
        raise Error(
            f"strategy: Kernel Tuner's {given['strategy']} is not here; use qgp or one of "
            f"{', '.join(_STRATEGIES)}."
        )
    if isinstance(given["compiler_options"], str) or callable(given["compiler_options"]):
        raise Error('compiler_options: give a list of words, such as ["-O3"].')
    if given["verify"] is not None and not callable(given["verify"]):
        raise Error("verify: give a function verify(answer, results, atol=...).")


def _device(language: str, device: int, platform: int | None) -> str:
    if language == "C":
        return DEVICES[language]
    return f"{DEVICES[language]}:{device if platform is None else f'{platform}.{device}'}"


def _cache_path(cache: str | os.PathLike[str]) -> Path:
    """As Kernel Tuner has it: with the ending .json."""
    text = os.fspath(cache)
    path = Path(text if text.endswith(".json") else f"{text}.json")
    if not path.parent.is_dir():
        raise Error(f"cache: the folder {path.parent} does not exist; make it first.")
    return path


def _size_name(problem_size: Any) -> Any:
    if callable(problem_size):
        return "function"
    return list(problem_size) if isinstance(problem_size, tuple) else problem_size


def _add_metrics(entry: dict[str, Any], metrics: Mapping[str, Any]) -> None:
    """What a user computes from a result: by functions of it, or by expressions."""
    for name, metric in metrics.items():
        if not callable(metric) and not isinstance(metric, str):
            raise Error(f"metrics: {name} is neither a function nor an expression.")
        try:
            entry[name] = (
                metric(entry)
                if callable(metric)
                else eval(metric, {"__builtins__": {}}, dict(entry))
            )
        except Exception as error:
            raise Error(f"metrics: {name} cannot be computed: {error!r}.") from error


def _best(
    right: Sequence[dict[str, Any]], objective: str, larger: bool
) -> dict[str, Any]:
    if objective not in right[0]:
        raise Error(f"objective: {objective} is none of {', '.join(right[0])}.")
    return (max if larger else min)(right, key=lambda each: float(each[objective]))


def _warn(reasons: Mapping[str, str]) -> None:
    """Of a call in which no configuration is right."""
    said = next((reason for reason in reasons.values() if reason), "")
    warnings.warn(f"No configuration is right{': ' if said else '.'}{said}", stacklevel=3)


def _is_larger_better(objective: str, larger: bool | None) -> bool:
    """As Kernel Tuner has it: known of rates, otherwise said by the caller."""
    if larger is not None:
        return larger
    if objective == "time" or "/" in objective:
        return objective != "time"
    raise Error(f"objective: give objective_higher_is_better, True or False, for {objective}.")


def _report(
    entries: Sequence[Mapping[str, Any]], reasons: Mapping[str, str], names: Sequence[str]
) -> None:
    for entry in entries:
        time = entry["time"]
        said = f"{time}: {reasons.get(key_of(entry, names), '')}"
        if isinstance(time, (int, float)):
            said = f"{time:.6g} ms"
        print(", ".join(f"{name}={entry[name]}" for name in names), said, sep=", ")


# ---- Tuning ----


def tune_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Any]],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    answer: Any = None,
    atol: float = 1e-6,
    verify: Callable[..., object] | None = None,
    verbose: bool = False,
    lang: str | None = None,
    device: int = 0,
    platform: int | None = None,
    smem_args: Mapping[str, Any] | None = None,
    cmem_args: Mapping[str, Any] | None = None,
    texmem_args: object = None,
    compiler: str | None = None,
    compiler_options: Sequence[str] | None = None,
    defines: Mapping[str, Any] | None = None,
    log: object = None,
    iterations: int = 7,
    block_size_names: Sequence[str] | None = None,
    quiet: bool = False,
    strategy: str | None = None,
    strategy_options: Mapping[str, Any] | None = None,
    cache: str | os.PathLike[str] | None = None,
    metrics: Mapping[str, Any] | None = None,
    simulation_mode: bool = False,
    observers: object = None,
    objective: str = "time",
    objective_higher_is_better: bool | None = None,
    objectives: object = None,
    *,
    parallel: object = None,
    seed: int = 1,
    on: str | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Tune a kernel as it is, with the meaning of Kernel Tuner's function.

    A source or its path; arrays and numbers of numpy as arguments; parameters as macros. Blocks
    are `block_size_x`, `_y` and `_z`, or `block_size_names`, and the grid is the problem divided by
    `grid_div_x` and so on, rounded up. Floats are compared with `answer` as by numpy.allclose with
    `atol`, all else exactly; without `answer` with the results of the first allowed configuration.
    A problem's size, divisors of the grid, bytes of shared memory, definitions and restrictions may
    be functions of the configuration, a dict; an answer one of the arguments.

      lang       "CUDA", "HIP", "OpenCL" or "C", whose function is called; None: by the words of the
                 source
      on         the device; None: cuda:DEVICE, hip:DEVICE, opencl:DEVICE (with `platform`
                 opencl:PLATFORM.DEVICE) or cpu; "simt" is the interpreter
      compiler   of kernels in C
      strategy   "brute_force", or a tuner, whose `strategy_options` may have "max_fevals",
                 "time_limit" in seconds, and its settings
      cache      a file of Kernel Tuner's, which is continued and written
      metrics    functions of a result or expressions, added to it
      objective  what env["best_config"] is best in; a tuner searches for the least time
      verify     a function verify(answer, results, atol=...) that judges instead; its `results` are
                 arrays, None where the answer is
      verbose    print each configuration, its time or why it failed, unless `quiet`

    Returns the configurations that are right with their times in milliseconds, and what was
    measured on. Errors: Error with the program's sentence, and for what Kernel Tuner has and opevo
    has not, by its name.
    """
    given = locals()
    if callable(answer):
        answer = answer(arguments)
    text, origin = read_source(kernel_source)
    language = language_of(text, lang)
    _refuse(given, language)
    larger = _is_larger_better(objective, objective_higher_is_better)
    tune_params = values_of(tune_params)
    names = list(tune_params)
    where = on or _device(language, device, platform)
    path = None if cache is None else _cache_path(cache)
    header = {
        "device_name": where,
        "kernel_name": kernel_name,
        "problem_size": _size_name(problem_size),
        "tune_params_keys": names,
        "tune_params": tune_params,
        "objective": objective,
    }
    entries = read_cache(path, header) if path is not None else {}
    env: dict[str, Any] = {"device_name": where}
    reasons: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="opevo-") as made, contextlib.ExitStack() as stack:
        folder = Path(made)
        source = folder / f"kernel{ENDINGS[language]}"
        source.write_text(text, encoding="utf-8")
        launch: dict[str, Any] = {}
        if language != "C":
            divisors = (grid_div_x, grid_div_y, grid_div_z)
            launch = launch_of(problem_size, divisors, block_size_names, tune_params)
        shared = shared_of(smem_args, tune_params)
        if shared is not None:
            launch["shared"] = shared
        passed = Arguments(folder, arguments, answer, cmem_args, verify is not None)
        harness = harness_of(kernel_name, passed, launch, None if verify else atol, iterations)
        if defines is not None:
            harness["macros"] = False
        harness["compiler"] = [
            *(compiler_options or ()),
            *defines_of(defines, tune_params),
            f"-I{origin}",
        ]
        (folder / "kernel.json").write_text(json.dumps(harness), encoding="utf-8")
        space = {
            "tune_params": header["tune_params"],
            "tune_params_keys": names,
            "restrictions": [
                *restrictions_of(restrictions, tune_params),
                *excluding(list(entries.values()), names),
            ],
        }
        (folder / "space.json").write_text(json.dumps(space), encoding="utf-8")
        search = _Search(source, where, strategy, dict(strategy_options or {}), seed, compiler)
        if verify is not None:
            judged = passed.judged(arguments, answer)
            verifier = stack.enter_context(Verifier(folder, verify, judged, answer, atol))
            search.words += ["--verifier", verifier.command]
        for trial in search.trials(bool(entries), env):
            config = trial["configuration"]
            key = key_of(config, names)
            entries[key] = entry_of(trial, names, config)
            reasons[key] = trial.get("message") or ""
    for entry in entries.values():
        if isinstance(entry["time"], (int, float)):
            _add_metrics(entry, metrics or {})
    if path is not None:
        write_cache(path, header, entries)
    if verbose and not quiet:
        _report(list(entries.values()), reasons, names)
    right = [dict(entry) for entry in entries.values() if isinstance(entry["time"], (int, float))]
    if right:
        env["best_config"] = _best(right, objective, larger)
    else:
        _warn(reasons)
    return right, env


class _Search:
    """A run of `opevo tune` on the files of a folder."""

    def __init__(
        self,
        source: Path,
        where: str,
        strategy: str | None,
        options: dict[str, Any],
        seed: int,
        compiler: str | None,
    ) -> None:
        self.source, self.where = source, where
        self.most = options.pop("max_fevals", None)
        self.part = options.pop("fraction", None) if strategy == "random_sample" else None
        seconds = options.pop("time_limit", None)
        self.words = ["--tuner", _STRATEGIES.get(strategy or "brute_force", str(strategy))]
        self.words += ["--seed", str(seed), "--finals", "0", "--quiet"]
        self.words += [] if seconds is None else ["--seconds", str(seconds)]
        for key, value in options.items():
            self.words += ["--set", f"{key}={value}"]
        self.environment = {} if compiler is None else {"OPEVO_CC": compiler}

    def trials(self, continues: bool, env: dict[str, Any]) -> list[dict[str, Any]]:
        """Those of the search; none where all that is allowed is known."""
        space = str(self.source.with_name("space.json"))
        store = str(self.source.with_name("runs.db"))
        try:
            allowed = int(call("space", space)["allowed"]["points"])
        except Error as error:
            if continues:
                return []
            raise Error(str(error).replace(f"{space}:1: ", "")) from None
        if self.part is not None:
            self.most = math.ceil(float(self.part) * allowed)
        trials = allowed if self.most is None else min(int(self.most), allowed)
        call(
            "tune", str(self.source), "--on", self.where, "--space", space,
            "--trials", str(trials), "--store", store, *self.words, environment=self.environment,
        )  # fmt: skip
        told = call("runs", f"{store}:1", "--trials")
        workers = told.get("workers") or [{}]
        env["device_name"] = workers[0].get("device", self.where)
        return list(told["trials"])
