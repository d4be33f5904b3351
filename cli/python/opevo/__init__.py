# SPDX-License-Identifier: GPL-3.0-or-later
"""opevo from Python: tuners by ask and tell, laws, landscapes and studies.

`opevo.optuna.Sampler` is a sampler of Optuna, and `opevo.kernel_tuner.strategy` a strategy of
Kernel Tuner; each is imported when it is first named. The program `opevo` does the work: the
package finds it by $OPEVO, beside itself, or on PATH. Needs nothing beyond the standard library;
functions that return frames need pandas.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._error import Error, Failed
from ._frames import Analysis, Recording, analyze, landscape, law, runs, study, trials
from ._network import Kernel, NetworkLibrary, Tuning, build_network, run_network
from ._program import call, program, version
from ._remote import Remote, connect
from ._server import Server
from ._space import Config, Parameter, Space, choice, discrete, factor, graph, permutation
from ._tune_kernel import tune_kernel
from ._tuner import Best, Trial, Tuner, tuners

if TYPE_CHECKING:
    from . import kernel_tuner, optuna

__all__ = [
    "Analysis",
    "Best",
    "Config",
    "Error",
    "Failed",
    "Kernel",
    "NetworkLibrary",
    "Parameter",
    "Recording",
    "Remote",
    "Server",
    "Space",
    "Trial",
    "Tuner",
    "Tuning",
    "analyze",
    "build_network",
    "call",
    "choice",
    "connect",
    "discrete",
    "factor",
    "graph",
    "kernel_tuner",
    "landscape",
    "law",
    "optuna",
    "permutation",
    "program",
    "run_network",
    "runs",
    "study",
    "trials",
    "tune_kernel",
    "tuners",
    "version",
]


def __getattr__(name: str) -> Any:
    if name in ("kernel_tuner", "optuna"):
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
