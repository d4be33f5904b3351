# SPDX-License-Identifier: GPL-3.0-or-later
"""Neural networks as libraries in C, with kernels that are tuned."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._program import call, run, text_of, words_of


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
    bindings: Mapping[str, float | Sequence[float] | str | os.PathLike[str]] | None = None,
    check_input: Sequence[str | os.PathLike[str]] | None = None,
    error: float | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] | None = None,
    name: str | None = None,
    freestanding: bool = False,
    threads: int | None = None,
    targets: Sequence[str] | None = None,
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
    bindings  inputs that become constants: {"sr": 16000, "axes": (0, 1), "mask": "mask.pb"}
    check_input  files (TensorProto) that the library's test runs on, one for each input
    error     what Winograd's convolutions may add to errors
    only, without  the passes to run, or to leave out
    name      what names of the library begin with; default: net
    freestanding  for microcontrollers: C99 without a heap, files, threads or a clock
    threads   that kernels are made for; default: all processors
    targets   kernels for each of these, "v2", "v3", "v4", "aarch64", of which the library takes the
              best that the processor can run; default: for this CPU only
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
        "bind": [f"{key}={text_of(value)}" for key, value in (bindings or {}).items()],
        "target": targets and ",".join(targets),
        "check_input": check_input and ",".join(os.fspath(file) for file in check_input),
        "set": [f"{key}={value}" for key, value in (settings or {}).items()],
    }
    plain = {
        "on": on,
        "trials": trials,
        "seconds": seconds,
        "error": error,
        "name": name,
        "freestanding": freestanding,
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


# ---- Tensors of files (TensorProto of the ONNX project) ----

_TYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
}
_NUMBERS = {name: number for number, name in _TYPES.items()}


def _varint(number: int) -> bytes:
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _is_list(each: object) -> bool:
    import numpy as np

    return isinstance(each, (list, tuple)) and any(isinstance(item, np.ndarray) for item in each)


def _bytes_of(each: Any) -> bytes:
    """A TensorProto: dims 1, data_type 2, raw_data 9; or a SequenceProto: elem_type 2, tensors 3."""
    import numpy as np

    if each is None:
        return _varint(2 << 3) + _varint(0)
    if _is_list(each):
        items = [_bytes_of(np.asarray(item)) for item in each]
        parts = (_varint(3 << 3 | 2) + _varint(len(item)) + item for item in items)
        return _varint(2 << 3) + _varint(1) + b"".join(parts)
    array = np.asarray(each)
    if array.dtype.name not in _NUMBERS:
        raise TypeError(f"opevo has no tensors of {array.dtype}; convert them, to float32 say")
    raw = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    dims = b"".join(_varint(1 << 3) + _varint(extent) for extent in array.shape)
    kind = _varint(2 << 3) + _varint(_NUMBERS[array.dtype.name])
    return dims + kind + _varint(9 << 3 | 2) + _varint(len(raw)) + raw


def _array_of(data: bytes) -> tuple[str, Any]:
    """Name and elements of a TensorProto or SequenceProto as `opevo network --write` has it."""
    import numpy as np

    at, kind, name, raw = 0, 1, "", b""
    dims: list[int] = []
    items: list[Any] = []
    is_list = False

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        field = number() >> 3
        value = number()
        if field == 1 and at == 1 + len(_varint(value)) and data[0] & 7 == 2:
            is_list = True
            name = data[at : at + value].decode()
            at += value
        elif is_list and field == 3:
            items.append(_array_of(data[at : at + value])[1])
            at += value
        elif field == 1:
            dims.append(value)
        elif field == 2:
            kind = value
        else:
            piece = data[at : at + value]
            at += value
            name, raw = (piece.decode(), raw) if field == 8 else (name, piece)
    if is_list:
        return name, items if kind else None
    array = np.frombuffer(raw, np.dtype(_TYPES[kind]).newbyteorder("<"))
    return name, array.reshape(dims).copy()


def run_network(
    model: str | os.PathLike[str],
    inputs: Sequence[object],
    *,
    bindings: Mapping[str, float | Sequence[float] | str | os.PathLike[str]] | None = None,
    threads: int | None = None,
) -> dict[str, Any]:
    """Run a network in an ONNX file untuned, as `opevo network MODEL --run` does.

    inputs    an array for each input that is not bound, in the order of the model; for a sequence a
              list of arrays, for an empty optional None
    bindings  inputs that become constants: {"sr": 16000}
    threads   at most; default: all processors

    Returns the outputs by name, in the order of the model; a sequence is a list of arrays, an empty
    optional None.

    Needs numpy. Errors: Error with the program's sentence; TypeError for arrays of a type that opevo
    has not.

    >>> opevo.run_network("model.onnx", [np.zeros((1, 3, 224, 224), np.float32)])["scores"].shape
    """
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, each in enumerate(inputs):
            files.append(os.path.join(folder, f"in_{i}.pb"))
            Path(files[-1]).write_bytes(_bytes_of(each))
        bound = [f"{key}={text_of(value)}" for key, value in (bindings or {}).items()]
        words = words_of({"run": ",".join(files), "bind": bound, "threads": threads})
        run("network", os.fspath(model), *words, "--write", os.path.join(folder, "out_"))
        made = sorted(Path(folder).glob("out_*.pb"), key=lambda path: int(path.stem[4:]))
        return dict(_array_of(file.read_bytes()) for file in made)
