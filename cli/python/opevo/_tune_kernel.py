# SPDX-License-Identifier: GPL-3.0-or-later
"""tune_kernel: a kernel as it is, by the arguments of Kernel Tuner's function of that name."""

from __future__ import annotations

import datetime
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._error import Error
from ._program import call

_DEFAULT_BLOCK = {"block_size_x": 256, "block_size_y": 1, "block_size_z": 1}
_BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
_ELEMENTS = {
    "float32": "f32",
    "float64": "f64",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "int16": "i16",
    "uint16": "u16",
    "int8": "i8",
    "uint8": "u8",
}
_DEVICES = {"CUDA": "cuda", "HIP": "hip", "OpenCL": "opencl", "C": "cpu"}
_ENDINGS = {"CUDA": ".cu", "HIP": ".hip", "OpenCL": ".cl", "C": ".c"}
_FAILURES = {
    "build-error": "CompilationFailedConfig",
    "rejected": "InvalidConfig",
}
_MOST_EXCLUDED = 50  # configurations in one restriction
_MOST_COMBINATIONS = 1 << 16  # of the values of the parameters that a function asks for


def _language(source: str, lang: str | None) -> str:
    """What Kernel Tuner detects by the words of a source."""
    if lang is None:
        words = ("__global__", "blockIdx", "threadIdx")
        lang = "OpenCL" if "__kernel" in source else "C"
        lang = "CUDA" if any(word in source for word in words) else lang
    found = {name.lower(): name for name in _DEVICES}.get(lang.lower())
    if found is None:
        raise Error(f"lang={lang!r}: kernels in {', '.join(_DEVICES)} are tuned.")
    return found


def _read_source(kernel_source: str | os.PathLike[str]) -> tuple[str, Path]:
    """The text, and the folder that it includes files from."""
    text = os.fspath(kernel_source)
    if "\n" not in text and Path(text).is_file():
        return Path(text).read_text(encoding="utf-8"), Path(text).resolve().parent
    return text, Path.cwd()


def _element(dtype: object, what: str) -> str:
    element = _ELEMENTS.get(str(dtype))
    if element is None:
        raise Error(f"{what}: elements of the type {dtype} are not passed to kernels.")
    return element


def _members(dtype: Any, value: Any, what: str) -> Iterator[dict[str, Any]]:
    for name in dtype.names:
        part = dtype.fields[name][0]
        if part.names:
            yield from _members(part, value[name], f"{what}.{name}")
        elif part.subdtype:
            yield from (_scalar(each, f"{what}.{name}") for each in value[name].ravel())
        else:
            yield _scalar(value[name], f"{what}.{name}")


def _struct(value: Any, what: str) -> dict[str, Any]:
    """A record of numpy, which has to lie in memory as C has it."""
    import numpy

    fields = value.dtype.fields
    as_c = numpy.dtype([(name, fields[name][0]) for name in value.dtype.names], align=True)
    places = {name: field[1] for name, field in (as_c.fields or {}).items()}
    if as_c.itemsize != value.dtype.itemsize or any(
        places[name] != fields[name][1] for name in value.dtype.names
    ):
        raise Error(f"{what}: give its type as numpy.dtype(..., align=True), which is C's.")
    return {"struct": list(_members(value.dtype, value, what))}


def _scalar(value: Any, what: str) -> dict[str, Any]:
    """A number as an argument: of numpy with its type; 5 is an int, and 5.0 a float."""
    if isinstance(value, bool):
        raise Error(f"{what}: give a number of numpy or of Python.")
    if not hasattr(value, "dtype"):  # numpy's float64 is a float of Python, too
        if isinstance(value, int):
            return {"i32": value}
        if isinstance(value, float):
            return {"f32": value}
        raise Error(f"{what}: give an array or a number of numpy.")
    if value.dtype.names:
        return _struct(value, what)
    element = _element(value.dtype, what)
    return {element: float(value) if element in ("f32", "f64") else int(value)}


# ---- Functions of the parameters ----


class _Asked(dict[str, Any]):
    """A configuration that notes which parameters a function asks for."""

    def __init__(self, config: Mapping[str, Any], asked: set[str]) -> None:
        super().__init__(config)
        self._asked = asked

    def __getitem__(self, name: str) -> Any:
        self._asked.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default


def _table(
    function: Callable[[Mapping[str, Any]], Any], params: Mapping[str, Sequence[Any]], what: str
) -> list[tuple[dict[str, Any], Any]]:
    """The values of a function of the configuration, for all values of what it asks for."""
    first = {name: values[0] for name, values in params.items()}
    asked: set[str] = set()
    function(_Asked(first, asked))
    while True:
        names = [name for name in params if name in asked]
        count = 1
        for name in names:
            count *= len(params[name])
        if count > _MOST_COMBINATIONS:
            raise Error(f"{what}: a function of {count} combinations; give an expression.")
        rows = []
        for values in itertools.product(*(params[name] for name in names)):
            config = dict(zip(names, values, strict=True))
            rows.append((config, function(_Asked({**first, **config}, asked))))
        if len([name for name in params if name in asked]) == len(names):
            return rows


def _whole(function: Any, params: Mapping[str, Sequence[Any]], what: str) -> str:
    """A function of the configuration as an expression of a harness."""
    rows = _table(function, params, what)
    for config, _ in rows:
        if not all(isinstance(value, int) for value in config.values()):
            raise Error(f"{what}: the function asks for a parameter that is not a whole number.")
    if len({int(value) for _, value in rows}) == 1:
        return str(int(rows[0][1]))
    return " + ".join(
        f"{int(value)} * ({' && '.join(f'{name} == {int(part)}' for name, part in config.items())})"
        for config, value in rows
    )


def _restrictions(given: Any, params: Mapping[str, Sequence[Any]]) -> list[str]:
    """Restrictions as expressions; of a function, what it forbids."""
    found: list[str] = []
    for each in [given] if callable(given) or isinstance(given, str) else list(given or ()):
        if not callable(each):
            found.append(each)
            continue
        rows = _table(each, params, "restrictions")
        forbidden = [config for config, allowed in rows if not allowed]
        if any(not config for config in forbidden):
            raise Error("restrictions: a function forbids all configurations.")
        found += _excluding(forbidden, None)
    return found


def _product(divisors: Any, params: Mapping[str, Sequence[Any]]) -> str:
    """What a dimension of the problem is divided by."""
    names = set(params)
    if callable(divisors):
        return f"({_whole(divisors, params, 'grid_div')})"
    given = [
        _whole(each, params, "grid_div") if callable(each) else str(each) for each in divisors or ()
    ]
    return " * ".join(f"({each})" for each in given if each in names or not each.isidentifier())


def _sizes(problem_size: Any, params: Mapping[str, Sequence[Any]]) -> list[int | str]:
    """Up to three dimensions; of a function, each by its values."""
    if not callable(problem_size):
        return [problem_size] if isinstance(problem_size, (int, str)) else list(problem_size)
    first = problem_size({name: values[0] for name, values in params.items()})
    if not isinstance(first, (tuple, list)):
        return [_whole(problem_size, params, "problem_size")]

    def part(axis: int) -> Callable[[Mapping[str, Any]], Any]:
        return lambda config: problem_size(config)[axis]

    return [_whole(part(axis), params, "problem_size") for axis in range(len(first))]


def _grid(
    problem_size: Any, divisors: Sequence[Any], params: Mapping[str, Sequence[Any]]
) -> list[str]:
    sizes = _sizes(problem_size, params)
    if not 1 <= len(sizes) <= 3:
        raise Error("problem_size: give a number, an expression, or up to three of them.")
    return [
        f"ceil({size}, {product})" if product else str(size)
        for size, product in zip(
            sizes, (_product(each, params) for each in divisors), strict=False
        )
    ]


def _block(names: Sequence[str], tuned: set[str]) -> list[str]:
    return [
        name if name in tuned else str(list(_DEFAULT_BLOCK.values())[axis])
        for axis, name in enumerate(names)
    ]


class _Arguments:
    """Buffers, arguments and outputs of a harness, with their files in a folder."""

    def __init__(self, folder: Path, arguments: Sequence[Any], answer: Sequence[Any] | None) -> None:
        import numpy

        if answer is not None and len(answer) != len(arguments):
            raise Error("answer: give a list with one entry for each argument, None for most.")
        self.buffers: dict[str, Any] = {}
        self.arguments: list[Any] = []
        self.files: dict[str, str] = {}
        arrays: list[str] = []
        for number, value in enumerate(arguments):
            name = f"argument{number}"
            if not isinstance(value, numpy.ndarray) or value.ndim == 0:
                self.arguments.append(_scalar(value, f"arguments[{number}]"))
                continue
            if value.dtype.names:  # records are bytes
                value = numpy.ascontiguousarray(value).view("uint8")
            element = _element(value.dtype, f"arguments[{number}]")
            numpy.save(folder / f"{name}.npy", numpy.ascontiguousarray(value).ravel())
            fill = {"file": f"{name}.npy"}
            self.buffers[name] = {"type": element, "count": int(value.size), "fill": fill}
            self.arguments.append(name)
            arrays.append(name)
            right = None if answer is None else answer[number]
            if right is None:
                continue
            right = numpy.asarray(right)
            if right.dtype.names:
                right = numpy.ascontiguousarray(right).view("uint8")
            right = right.astype(value.dtype)
            if right.size != value.size:
                raise Error(f"answer[{number}]: {right.size} elements instead of {value.size}.")
            numpy.save(folder / f"answer{number}.npy", numpy.ascontiguousarray(right).ravel())
            self.files[name] = f"answer{number}.npy"
        if not arrays:
            raise Error("arguments: a kernel needs an array.")
        self.outputs = list(self.files) or arrays


def _harness(
    kernel_name: str, arguments: _Arguments, launch: Mapping[str, Any], atol: float
) -> dict[str, Any]:
    step = {("launch" if launch else "call"): kernel_name, **launch}
    harness: dict[str, Any] = {
        "tune": {"sizes": {}},
        "buffers": arguments.buffers,
        "steps": [{**step, "arguments": arguments.arguments}],
        "outputs": {
            name: (
                {"absolute": atol} if arguments.buffers[name]["type"][0] == "f" else "exact"
            )
            for name in arguments.outputs
        },
    }
    if arguments.files:
        harness["reference"] = {"files": arguments.files}
    return harness


# ---- Kernel Tuner's cache ----


def _key(params: Mapping[str, Any], names: Sequence[str]) -> str:
    return ",".join(str(params[name]) for name in names)


def _read_cache(path: Path, header: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
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


def _write_cache(
    path: Path, header: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]]
) -> None:
    head = json.dumps({**header, "cache": {}}, indent="")[:-3]
    lines = ",".join("\n" + json.dumps({key: entry})[1:-1] for key, entry in entries.items())
    part = path.with_name(path.name + ".part")
    part.write_text(head + lines + "}\n}", encoding="utf-8")
    part.replace(path)


def _excluding(
    entries: Sequence[Mapping[str, Any]], names: Sequence[str] | None
) -> list[str]:
    """Restrictions that leave out points, each by its values of these parameters, or of its own."""
    points = [
        " and ".join(f"{name} == {entry[name]!r}" for name in names or entry) for entry in entries
    ]
    return [
        f"not ({' or '.join(f'({point})' for point in points[i : i + _MOST_EXCLUDED])})"
        for i in range(0, len(points), _MOST_EXCLUDED)
    ]


def _entry(trial: Mapping[str, Any], names: Sequence[str], unpacked: Mapping[str, Any]) -> Any:
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


# ---- Tuning ----


def tune_kernel(
    kernel_name: str,
    kernel_source: str | os.PathLike[str],
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Any]],
    *,
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    answer: Any = None,
    atol: float = 1e-6,
    verify: object = None,
    lang: str | None = None,
    device: int = 0,
    block_size_names: Sequence[str] | None = None,
    compiler_options: Sequence[str] | None = None,
    strategy: str = "brute_force",
    strategy_options: Mapping[str, Any] | None = None,
    cache: str | os.PathLike[str] | None = None,
    seed: int = 1,
    on: str | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Tune a kernel as it is, with the meaning of Kernel Tuner's function.

    A source or its path; arrays and numbers of numpy as arguments; parameters as macros. Blocks
    are `block_size_x`, `_y` and `_z`, or `block_size_names`, and the grid is the problem divided by
    `grid_div_x` and so on, rounded up. Results are compared with `answer`, within `atol`, or else
    with those of the first allowed configuration. A problem's size, divisors of the grid and
    restrictions may be functions of the configuration, a dict; an answer one of the arguments.

      lang      "CUDA", "HIP", "OpenCL" or "C", whose function is called; None: by the words of the
                source
      on        the device; None: cuda:DEVICE, hip:DEVICE, opencl:DEVICE or cpu; "simt" is the
                interpreter
      strategy  "brute_force", or a tuner, whose `strategy_options` may have "max_fevals" and its
                settings
      cache     a file of Kernel Tuner's, which is continued and written

    Returns the configurations that are right with their times in milliseconds, and what was
    measured on. Errors: Error with the program's sentence; for `verify`, which needs the results
    of each configuration in this process.
    """
    if verify is not None:
        raise Error("verify: results stay in the worker; give answer and atol.")
    if callable(answer):
        answer = answer(arguments)
    names = list(tune_params)
    text, origin = _read_source(kernel_source)
    language = _language(text, lang)
    where = on or (_DEVICES[language] if language == "C" else f"{_DEVICES[language]}:{device}")
    options = dict(strategy_options or {})
    header = {
        "device_name": where,
        "kernel_name": kernel_name,
        "problem_size": (
            "function"
            if callable(problem_size)
            else list(problem_size)
            if isinstance(problem_size, tuple)
            else problem_size
        ),
        "tune_params_keys": names,
        "tune_params": {name: list(values) for name, values in tune_params.items()},
        "objective": "time",
    }
    entries = _read_cache(Path(cache), header) if cache is not None else {}
    env: dict[str, Any] = {"device_name": where}
    with tempfile.TemporaryDirectory(prefix="opevo-") as made:
        folder = Path(made)
        source = folder / f"kernel{_ENDINGS[language]}"
        source.write_text(text, encoding="utf-8")
        blocks = list(block_size_names or _BLOCK_NAMES)
        divisors = [grid_div_x, grid_div_y, grid_div_z]
        divisors = [
            [name] if each is None else each
            for each, name in itertools.zip_longest(divisors, blocks)
        ]
        launch = (
            {}
            if language == "C"
            else {
                "grid": _grid(problem_size, divisors, tune_params),
                "block": _block(blocks, set(names)),
            }
        )
        harness = _harness(kernel_name, _Arguments(folder, arguments, answer), launch, atol)
        harness["compiler"] = [*(compiler_options or ()), f"-I{origin}"]
        (folder / "kernel.json").write_text(json.dumps(harness), encoding="utf-8")
        space = {
            "tune_params": header["tune_params"],
            "tune_params_keys": names,
            "restrictions": [
                *_restrictions(restrictions, tune_params),
                *_excluding(list(entries.values()), names),
            ],
        }
        (folder / "space.json").write_text(json.dumps(space), encoding="utf-8")
        for trial in _measure(folder, source, where, strategy, options, seed, bool(entries), env):
            config = trial["configuration"]
            entries[_key(config, names)] = _entry(trial, names, config)
    if cache is not None:
        _write_cache(Path(cache), header, entries)
    right = [dict(entry) for entry in entries.values() if isinstance(entry["time"], (int, float))]
    return right, env


def _measure(
    folder: Path,
    source: Path,
    where: str,
    strategy: str,
    options: dict[str, Any],
    seed: int,
    continues: bool,
    env: dict[str, Any],
) -> list[dict[str, Any]]:
    """The trials of a search; none where all that is allowed is known."""
    space = str(folder / "space.json")
    try:
        allowed = int(call("space", space)["allowed"]["points"])
    except Error:
        if continues:
            return []
        raise
    tuner = "grid" if strategy == "brute_force" else strategy
    trials = min(int(options.pop("max_fevals", allowed)), allowed)
    settings = [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
    store = str(folder / "runs.db")
    call(
        "tune", str(source), "--on", where, "--space", space, "--tuner", tuner, "--trials",
        str(trials), "--seed", str(seed), "--finals", "0", "--quiet", "--store", store, *settings,
    )  # fmt: skip
    told = call("runs", f"{store}:1", "--trials")
    workers = told.get("workers") or [{}]
    env["device_name"] = workers[0].get("device", where)
    return list(told["trials"])
