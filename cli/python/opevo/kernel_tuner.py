# SPDX-License-Identifier: GPL-3.0-or-later
"""opevo's tuners as a strategy of Kernel Tuner (1.0 and later).

>>> tune_kernel(..., strategy=opevo.kernel_tuner.strategy("qgp", seed=1))

Kernel Tuner builds the search space and measures; its limits (`max_fevals`, `time_limit`), caches
and simulation mode hold as with its own strategies. The tuner searches exactly the configurations
that Kernel Tuner's search space holds, whatever the restrictions are: their points are listed in
the space that is sent to the program, so no trial is spent on what a restriction forbids.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._error import Error
from ._space import Space, identity, plain
from ._tuner import Result, Trial, Tuner

# What Kernel Tuner writes instead of a number, by the name of its class.
OUTCOMES = {
    "InvalidConfig": "rejected",
    "CompilationFailedConfig": "build-error",
    "RuntimeFailedConfig": "launch-error",
}


class Strategy:
    """What `strategy` returns: an object with the method `tune`, which `tune_kernel` calls."""

    def __init__(
        self,
        tuner: str,
        seed: int,
        settings: Mapping[str, object],
        store: str | os.PathLike[str] | None,
        name: str | None,
        parallel: int,
    ) -> None:
        self._tuner, self._seed, self._settings = tuner, seed, dict(settings)
        self._store, self._name, self._parallel = store, name, parallel

    def __repr__(self) -> str:
        return f"opevo.kernel_tuner.strategy({self._tuner!r}, seed={self._seed})"

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> list[dict[str, Any]]:
        """Search, and return what Kernel Tuner measured.

        Errors: Error where a parameter has a value that is neither number, Boolean nor string,
        where there are several objectives, or where a result is not above 0.
        """
        from kernel_tuner.strategies.common import CostFunc

        measure = CostFunc(searchspace, tuning_options, runner, scaling=False, snap=False)
        space = _Listed(searchspace)
        objective, result = _objective(tuning_options)
        with Tuner(
            space.space,
            self._tuner,
            seed=self._seed,
            settings=self._settings,
            store=self._store,
            name=self._name or _kernel_name(runner),
            result=result,
        ) as tuner:
            free = tuner.pending()
            while trials := free[: self._parallel] or tuner.ask(self._parallel):
                free = free[self._parallel :]
                results, stopped = _measure(measure, [space.config(each) for each in trials])
                tuner.tell_many(
                    _told(trial, found, objective, result) for trial, found in zip(trials, results)
                )
                if stopped is not None:
                    if tuning_options.get("verbose"):
                        print(stopped)
                    break
        return list(measure.results)


def strategy(
    tuner: str = "qgp",
    *,
    seed: int = 1,
    settings: Mapping[str, object] | None = None,
    store: str | os.PathLike[str] | None = None,
    name: str | None = None,
    parallel: int = 1,
) -> Strategy:
    """A tuner of opevo as a strategy for `tune_kernel`.

    tuner     name of the search method; `opevo.tuners()` lists them
    seed      the same seed gives the same trials as `opevo tune` on the same space
    settings  of the tuner, such as {"q": 0.8}
    store     a file in which the trials are kept; the same call resumes there
    name      of the objective in the store
    parallel  configurations that are handed to Kernel Tuner at once, for its parallel runner

    >>> tune_kernel("matmul", source, size, arguments, tune_params,
    ...             strategy=opevo.kernel_tuner.strategy("qgp", seed=1),
    ...             strategy_options={"max_fevals": 200})
    """
    if parallel < 1:
        raise Error(f"parallel={parallel}: give at least 1.")
    return Strategy(tuner, seed, settings or {}, store, name, parallel)


def _kernel_name(runner: Any) -> str:
    """The name of the kernel, as the objective is called in a store."""
    options = getattr(runner, "kernel_options", None) or {}
    return str(options.get("kernel_name") or "kernel_tuner")


def _objective(tuning_options: Any) -> tuple[str, Result]:
    """The name of the objective, and how the tuner is told it."""
    objective, larger = tuning_options.objective, tuning_options.objective_higher_is_better
    if isinstance(objective, list | tuple):
        if len(objective) != 1:
            raise Error(f"opevo's strategy takes one objective, not {', '.join(objective)}.")
        objective = objective[0]
        larger = larger[0] if isinstance(larger, list | tuple) else larger
    return str(objective), "score" if larger else "time"


def _measure(measure: Any, configs: Sequence[tuple[Any, ...]]) -> tuple[list[Any], Any]:
    """Kernel Tuner's results of the configurations, and the exception by which it ended the search.

    The results are taken from the list that Kernel Tuner keeps, because the last configuration may
    be measured and the search be ended in the same call.
    """
    from kernel_tuner.util import StopCriterionReached

    before = len(measure.results)
    stopped = None
    try:
        if len(configs) > 1 and hasattr(measure, "eval_all"):
            measure.eval_all(configs, check_restrictions=False)
        else:
            for config in configs:
                measure(config, check_restrictions=False)
    except StopCriterionReached as reason:
        stopped = reason
    results = measure.results[before:]
    if None in results:  # What a runner leaves out when the budget is spent.
        stopped = stopped or "budget spent"
        del measure.results[before + results.index(None) :]
        results = measure.results[before:]
    return results, stopped


def _told(
    trial: Trial, found: Mapping[str, Any], objective: str, result: Result
) -> dict[str, object]:
    """A line of `tell`. Kernel Tuner's times are in milliseconds, other objectives in any unit."""
    told: dict[str, object] = {"number": trial.number}
    value = found.get(objective)
    if value is None or isinstance(value, str):
        kind = type(value).__name__
        return {**told, "outcome": OUTCOMES.get(kind, "launch-error"), "message": kind}
    value = float(value)
    if not value > 0:
        raise Error(
            f"The {objective} {value!r} is not above 0, as a tuner expects of times and rates."
        )
    return {**told, result: value / 1000 if objective == "time" else value}


class _Listed:
    """Kernel Tuner's search space as one of opevo: parameters, and the numbers of its points."""

    def __init__(self, searchspace: Any) -> None:
        self._names = list(searchspace.tune_params)
        self._originals: list[dict[Any, Any]] = []
        parameters: dict[str, object] = {}
        self._keys: list[str] = []
        orders: list[dict[Any, int]] = []
        for i, name in enumerate(self._names):
            originals = searchspace.tune_params[name]
            values = [plain(value) for value in originals]
            numbers = not any(isinstance(value, bool | str) for value in values)
            ordered = sorted(values) if numbers else values
            key = name if name.isidentifier() and name.isascii() and name[0] != "_" else f"p{i}"
            self._keys.append(key)
            parameters[key] = {"_type": "discrete" if numbers else "choice", "_value": ordered}
            orders.append({identity(value): k for k, value in enumerate(ordered)})
            self._originals.append({identity(of): each for of, each in zip(values, originals)})
        total = 1
        for order in orders:
            total *= len(order)
        points = sorted(_point(config, orders) for config in searchspace.list)
        if not points:
            raise Error("The search space holds no configuration; relax a restriction.")
        if len(points) < total:
            parameters["_points"] = _ranges(points)
        self.space = Space(parameters)

    def config(self, trial: Trial) -> tuple[Any, ...]:
        """A trial's configuration as Kernel Tuner has it."""
        return tuple(
            of[identity(trial.config[key])] for key, of in zip(self._keys, self._originals)
        )


def _point(config: Iterable[Any], orders: Sequence[Mapping[Any, int]]) -> int:
    """The number of a point: the last parameter runs fastest."""
    number = 0
    for value, order in zip(config, orders):
        number = number * len(order) + order[identity(plain(value))]
    return number


def _ranges(points: Sequence[int]) -> str:
    """Ascending numbers as "0-7 9 12-40"."""
    words: list[str] = []
    start = end = points[0]
    for point in [*points[1:], -1]:
        if point == end + 1:
            end = point
            continue
        words.append(str(start) if start == end else f"{start}-{end}")
        start = end = point
    return " ".join(words)
