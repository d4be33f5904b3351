# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands for a failure, and how a search ends."""

import time


class ErrorConfig(str):
    def __str__(self):
        return type(self).__name__

    __repr__ = __str__


class InvalidConfig(ErrorConfig):
    pass


class CompilationFailedConfig(ErrorConfig):
    pass


class RuntimeFailedConfig(ErrorConfig):
    pass


class StopCriterionReached(Exception):
    pass


def check_stop_criterion(options):
    if "max_fevals" in options and len(options.unique_results) >= options.max_fevals:
        raise StopCriterionReached("max_fevals reached")
    if "time_limit" in options and time.perf_counter() - options.start_time > options.time_limit:
        raise StopCriterionReached("time limit exceeded")
