# SPDX-License-Identifier: GPL-3.0-or-later
"""Neural networks as libraries in C, with kernels that are tuned."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ._program import call, text_of, words_of


@dataclass(frozen=True)
class Kernel:
    """One kernel of a library: a computation of the network, and the steps that it computes."""

    operator: str
    times: int
    time_s: float | None
    """Measured, of one execution; None: unknown."""
    fallback: str | None
    """Why it is plain loops; None: it is not."""


@dataclass(frozen=True)
class Tuning:
    """What came of tuning the kernels of a library."""

    tasks: int
    known: int
    """Tasks with a success, which the latency is of."""
    trials: int
    resumed: int
    """Trials that the store had."""
    failed: int
    latency_s: float | None
    """Predicted: the sum over tasks of steps x best time; None without a success."""
    interrupted: bool


@dataclass(frozen=True)
class NetworkLibrary:
    """A library that `build_network` has written."""

    folder: Path
    kernels: list[Kernel]
    weight_bytes: int
    arena_bytes: int
    """Of all values that a run computes."""
    peak_bytes: int
    """Of those of them that are needed at the same time."""
    packed_bytes: int
    """Of weights in the layouts of kernels."""
    scratch_bytes: int
    tuning: Tuning | None
    """None where nothing was measured."""


def build_network(
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    on: str | None = None,
    trials: int | None = None,
    seconds: float | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    error: float | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] | None = None,
    name: str | None = None,
    threads: int | None = None,
    seed: int = 1,
    tuner: str | None = None,
    settings: Mapping[str, object] | None = None,
    store: str | os.PathLike[str] | None = None,
    start: Sequence[str] = (),
    transfer: str | os.PathLike[str] | None = None,
    finals: int | None = None,
    rounds: int | None = None,
    workers: Sequence[str] = (),
    workers_from: str | None = None,
    timeout: float | None = None,
) -> NetworkLibrary:
    """Make a library in C of a network in an ONNX file, as `opevo network MODEL -o FOLDER` does.

    on        "cpu" tunes its kernels there; "cuda:N" and "hip:N" make a library for a GPU, and tune
              it with `trials` or `seconds`; None: a library for this CPU, and nothing is measured
    trials    of all tasks together; default: 500 for each
    shapes    of inputs that the model leaves open: {"image": (1, 3, 224, 224)}
    error     what Winograd's convolutions may add to errors
    only, without  the passes to run, or to leave out
    name      what names of the library begin with; default: net
    threads   that kernels are made for; default: all processors
    settings  of the tuner: {"q": 0.5}
    store     keeps every trial; the same call resumes
    finals    points of each task that are measured once more side by side; default 5
    workers   commands that reach opevo-worker on other hosts

    Errors: Error with the program's sentence; a folder that was made is then removed.

    >>> opevo.build_network("resnet18.onnx", "resnet18", on="cpu", trials=2000).tuning.latency_s
    """
    joined = {
        "only": only and ",".join(only),
        "without": without and ",".join(without),
        "shape": [f"{key}={text_of(value)}" for key, value in (shapes or {}).items()],
        "set": [f"{key}={value}" for key, value in (settings or {}).items()],
    }
    plain = {
        "on": on,
        "trials": trials,
        "seconds": seconds,
        "error": error,
        "name": name,
        "threads": threads,
        "seed": seed,
        "tuner": tuner,
        "store": store and os.fspath(store),
        "start": list(start),
        "transfer": transfer and os.fspath(transfer),
        "finals": finals,
        "rounds": rounds,
        "workers": list(workers),
        "workers_from": workers_from,
        "timeout": timeout,
    }
    made = call(
        "network", os.fspath(model), "-o", os.fspath(folder), *words_of({**joined, **plain})
    )
    tuning = made.get("tuning")
    return NetworkLibrary(
        folder=Path(made["folder"]),
        kernels=[
            Kernel(row["operator"], row["times"], row["time_s"], row.get("fallback"))
            for row in made["kernels"]
        ],
        weight_bytes=made["weight_bytes"],
        arena_bytes=made["arena_bytes"],
        peak_bytes=made["peak_bytes"],
        packed_bytes=made["packed_bytes"],
        scratch_bytes=made["scratch_bytes"],
        tuning=Tuning(**tuning) if tuning else None,
    )
