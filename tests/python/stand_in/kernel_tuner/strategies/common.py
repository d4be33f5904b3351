# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost function of a strategy, as of release 1.0 and as of 1.4."""

import sys

import kernel_tuner
from kernel_tuner import util


class _Common:
    def __init__(self, searchspace, tuning_options, runner, *, scaling=False, snap=True):
        assert not scaling and not snap, "the stand-in takes configurations as they are"
        self.searchspace, self.tuning_options, self.runner = searchspace, tuning_options, runner
        self.results = []

    def _number(self, result):
        value = result[self.tuning_options.objective]
        if isinstance(value, util.ErrorConfig):
            return sys.float_info.max
        return -value if self.tuning_options.objective_higher_is_better else value

    def _keep(self, configs, results):
        self.results.extend(results)
        for config, result in zip(configs, results):
            self.tuning_options.unique_results.setdefault(",".join(map(str, config)), result)


class CostFunc10(_Common):
    def __call__(self, x, check_restrictions=True):
        util.check_stop_criterion(self.tuning_options)
        if check_restrictions and not self.searchspace.is_param_config_valid(tuple(x)):
            return sys.float_info.max
        results = self.runner.run([x], self.tuning_options)
        self._keep([x], results)
        return self._number(results[0])


class CostFunc14(_Common):
    def __init__(self, searchspace, tuning_options, runner, *, return_invalid=False, **more):
        super().__init__(searchspace, tuning_options, runner, **more)
        most = tuning_options.get("max_fevals", float("inf"))
        tuning_options["max_fevals"] = min(most, searchspace.size)

    def __call__(self, x, check_restrictions=True):
        return self.eval_all([x], check_restrictions)[0]

    def eval_all(self, xs, check_restrictions=True):
        util.check_stop_criterion(self.tuning_options)
        if not self.runner.drops:
            xs = xs[: self.tuning_options.max_fevals - len(self.tuning_options.unique_results)]
        results = self.runner.run(xs, self.tuning_options)
        measured = [result for result in results if result is not None]
        self._keep(xs, measured)
        self.results.extend(results[len(measured) :])
        util.check_stop_criterion(self.tuning_options)
        return [self._number(result) for result in results]


def CostFunc(*arguments, **more):
    return (CostFunc10 if kernel_tuner.RELEASE == "1.0" else CostFunc14)(*arguments, **more)
