# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in of Kernel Tuner: what a strategy sees of releases 1.0 and 1.4.

A strategy is an object with tune(searchspace, runner, tuning_options). Its means are the search
space (parameters with their values, the list of allowed configurations), and CostFunc of
kernel_tuner.strategies.common, which measures, keeps the results, and raises StopCriterionReached
when max_fevals or time_limit is reached: release 1.0 before a measurement, 1.4 also after the last
one, and it measures several configurations at once (eval_all). With `drops`, a runner gives None
for configurations beyond the budget, as later ones do.
"""

import itertools
import time
import zlib

from .util import StopCriterionReached, check_stop_criterion  # noqa: F401

RELEASE = "1.4"


class Options(dict):
    """Options by name or as attributes; a missing one is a KeyError either way."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]


class Searchspace:
    def __init__(self, tune_params, restrictions):
        self.tune_params = tune_params
        self.restrictions = restrictions
        self.param_names = list(tune_params)
        everything = itertools.product(*tune_params.values())
        self.list = [config for config in everything if self._allowed(config)]
        self.size = len(self.list)
        self._set = set(self.list)

    def _allowed(self, config):
        named = dict(zip(self.tune_params, config))
        for restriction in self.restrictions or []:
            holds = (
                eval(restriction, {}, named) if isinstance(restriction, str) else restriction(named)
            )
            if not holds:
                return False
        return True

    def is_param_config_valid(self, config):
        return config in self._set


class Runner:
    def __init__(self, kernel_name, measure, drops):
        self.kernel_options = Options(kernel_name=kernel_name)
        self.measure, self.drops = measure, drops
        self.last_strategy_start_time = time.perf_counter()
        self.last_strategy_time = 0
        self.ran = []
        self.batches = []

    def run(self, parameter_space, tuning_options):
        self.batches.append(len(parameter_space))
        results = []
        for config in parameter_space:
            left = tuning_options.get("max_fevals", 10**9) - len(tuning_options.unique_results)
            if self.drops and len(results) >= left:
                results.append(None)
                continue
            self.ran.append(config)
            named = dict(zip(tuning_options.tune_params, config))
            results.append({**named, **self.measure(named)})
        return results


def invented(config):
    """A time in milliseconds for any configuration, for programs that only show a call."""
    return {"time": 1.0 + zlib.crc32(repr(sorted(config.items())).encode()) / 2**32}


def tune_kernel(
    kernel_name,
    kernel_source,
    problem_size,
    arguments,
    tune_params,
    restrictions=None,
    strategy=None,
    strategy_options=None,
    objective="time",
    objective_higher_is_better=False,
    measure=invented,
    drops=False,
):
    """(results, environment); the environment holds the runner. `measure` stands for the device."""
    if not callable(getattr(strategy, "tune", None)):
        raise ValueError(f"Unknown strategy {strategy}")
    options = Options(
        tune_params=tune_params,
        objective=objective,
        objective_higher_is_better=objective_higher_is_better,
        strategy_options=Options(strategy_options or {}),
        unique_results={},
        verbose=False,
        start_time=time.perf_counter(),
        simulated_time=0,
    )
    for name in ("max_fevals", "time_limit"):
        if name in options.strategy_options:
            options[name] = options.strategy_options[name]
    runner = Runner(kernel_name, measure, drops)
    results = strategy.tune(Searchspace(tune_params, restrictions), runner, options)
    return results, {"runner": runner, "options": options}
