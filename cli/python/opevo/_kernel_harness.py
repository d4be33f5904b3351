# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of Kernel Tuner's tune_kernel as a harness file."""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._error import Error

_DEFAULT_BLOCK = {"block_size_x": 256, "block_size_y": 1, "block_size_z": 1}
_BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
_RTOL = 1e-5  # of numpy.allclose
_RUNS_MOST = 1000
_ELEMENTS = {
    "float16": "f16",
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
DEVICES = {"CUDA": "cuda", "HIP": "hip", "OpenCL": "opencl", "C": "cpu"}
ENDINGS = {"CUDA": ".cu", "HIP": ".hip", "OpenCL": ".cl", "C": ".c"}
_MOST_EXCLUDED = 50  # configurations in one restriction
_MOST_COMBINATIONS = 1 << 16  # of the values of the parameters that a function asks for


def language_of(source: str, lang: str | None) -> str:
    """What Kernel Tuner detects by the words of a source."""
    if lang is None:
        words = ("__global__", "blockIdx", "threadIdx")
        lang = "OpenCL" if "__kernel" in source else "C"
        lang = "CUDA" if any(word in source for word in words) else lang
    same = {"cupy": "CUDA", "nvcuda": "CUDA", "pycuda": "CUDA"}
    found = {**{name.lower(): name for name in DEVICES}, **same}.get(lang.lower())
    if found is None:
        raise Error(f"lang={lang!r}: kernels in {', '.join(DEVICES)} are tuned.")
    return found


def read_source(kernel_source: Any) -> tuple[str, Path]:
    """The text, and the folder that it includes files from; of a list of files, the first."""
    if callable(kernel_source):
        raise Error("kernel_source: give a text or a file, not a function that writes one.")
    if isinstance(kernel_source, (list, tuple)):
        kernel_source = kernel_source[0]
    text = os.fspath(kernel_source)
    if "\n" not in text and Path(text).is_file():
        return Path(text).read_text(encoding="utf-8"), Path(text).resolve().parent
    if not any(mark in text for mark in "\n({"):
        raise Error(f"kernel_source: {text} is neither a file nor the text of a kernel.")
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
    found: dict[str, Any] = {"struct": list(_members(value.dtype, value, what))}
    name = (value.dtype.metadata or {}).get("type")
    return found if name is None else {**found, "type": str(name)}


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
    return {element: float(value) if element[0] == "f" else int(value)}


def name_of(number: int) -> str:
    """The buffer of an argument."""
    return f"argument{number}"


def _flat(value: Any) -> Any:
    """The elements of an array; records are bytes."""
    import numpy

    value = numpy.ascontiguousarray(value)
    bytes_only = value.dtype.names or value.dtype == numpy.bool_
    return (value.view("uint8") if bytes_only else value).ravel()


def values_of(tune_params: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The values of parameters, numbers of numpy as those of Python."""
    return {
        name: [value.item() if hasattr(value, "item") else value for value in values]
        for name, values in tune_params.items()
    }


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


def excluding(
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


# What the program evaluates of Python; all else is evaluated here.
_KNOWN_NODES = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.UAdd, ast.USub,
    ast.Invert, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
    ast.LShift, ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd, ast.Compare, ast.Eq, ast.NotEq,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Name, ast.Load, ast.Constant, ast.IfExp,
)  # fmt: skip
_KNOWN_FUNCTIONS = {"abs", "min", "max"}


def _is_plain(node: ast.AST, listed: bool = False) -> bool:
    """Whether the program evaluates an expression; `listed`: it is what "in" looks into."""
    if isinstance(node, ast.Call):
        named = isinstance(node.func, ast.Name) and node.func.id in _KNOWN_FUNCTIONS
        return named and not node.keywords and all(_is_plain(each) for each in node.args)
    if isinstance(node, ast.Compare):
        after_in = [isinstance(each, (ast.In, ast.NotIn)) for each in node.ops]
        return _is_plain(node.left) and all(map(_is_plain, node.comparators, after_in))
    if isinstance(node, (ast.Tuple, ast.List)):
        return listed and all(_is_plain(each) for each in node.elts)
    return isinstance(node, _KNOWN_NODES) and all(
        _is_plain(each) for each in ast.iter_child_nodes(node)
    )


def _evaluated(
    text: str, params: Mapping[str, Sequence[Any]]
) -> Callable[[Mapping[str, Any]], Any] | None:
    """An expression that only Python evaluates, as a function; None for all others."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return None
    if _is_plain(tree.body):
        return None
    code = compile(tree, text, "eval")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & set(params)

    def function(config: Mapping[str, Any]) -> Any:
        return eval(code, {"math": math, **{name: config[name] for name in used}})

    return function


def _by_names(
    function: Callable[..., Any], params: Mapping[str, Sequence[Any]]
) -> Callable[[Mapping[str, Any]], Any]:
    """A function of the configuration, also of one whose arguments are named as parameters."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return function
    if not names or not set(names) <= set(params):
        return function
    return lambda config: function(**{name: config[name] for name in names})


def restrictions_of(given: Any, params: Mapping[str, Sequence[Any]]) -> list[str]:
    """Restrictions as expressions; of a function, what it forbids."""
    found: list[str] = []
    for each in [given] if callable(given) or isinstance(given, str) else list(given or ()):
        if not callable(each) and not isinstance(each, str):
            raise Error(f"restrictions: {each!r} is neither an expression nor a function.")
        function = _evaluated(each, params) if isinstance(each, str) else _by_names(each, params)
        if function is None:
            found.append(each)
            continue
        try:
            rows = _table(function, params, "restrictions")
        except Error:
            raise
        except Exception as error:
            raise Error(f"restrictions: {each!r} fails: {error!r}.") from error
        forbidden = [config for config, allowed in rows if not allowed]
        if any(not config for config in forbidden):
            raise Error("restrictions: a function forbids all configurations.")
        found += excluding(forbidden, None)
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


class Arguments:
    """Buffers, arguments and outputs of a harness, with their files in a folder."""

    def __init__(
        self,
        folder: Path,
        arguments: Sequence[Any],
        answer: Sequence[Any] | None,
        constants: Mapping[str, Any] | None = None,
        verified: bool = False,
    ) -> None:
        """With `verified` answers are only for a function, and may have any size."""
        import numpy

        if answer is not None and len(answer) != len(arguments):
            raise Error("answer: give a list with one entry for each argument, None for most.")
        self.folder = folder
        self.buffers: dict[str, Any] = {}
        self.arguments: list[Any] = []
        self.files: dict[str, str] = {}
        arrays: list[str] = []
        answered: list[str] = []
        for number, value in enumerate(arguments):
            if not isinstance(value, numpy.ndarray) or value.ndim == 0:
                self.arguments.append(_scalar(value, f"arguments[{number}]"))
                continue
            name = name_of(number)
            self._add_buffer(name, value, f"arguments[{number}]")
            self.arguments.append(name)
            arrays.append(name)
            right = None if answer is None else answer[number]
            if right is None:
                continue
            answered.append(name)
            if verified:
                continue
            right = _flat(numpy.asarray(right)).astype(_flat(value).dtype)
            if right.size != self.buffers[name]["count"]:
                raise Error(f"answer[{number}]: {right.size} elements instead of {value.size}.")
            numpy.save(folder / f"answer{number}.npy", right)
            self.files[name] = f"answer{number}.npy"
        if not arrays:
            raise Error("arguments: a kernel needs an array.")
        for symbol, value in (constants or {}).items():
            name = f"constant_{symbol}"
            self._add_buffer(name, numpy.atleast_1d(value), f"cmem_args[{symbol!r}]")
            self.buffers[name]["symbol"] = symbol
        self.outputs = answered or arrays

    def judged(
        self, arguments: Sequence[Any], answer: Sequence[Any] | None
    ) -> list[tuple[str, Any] | None]:
        """The buffer and the array of each argument that a verifier is shown."""
        outputs = set(self.outputs)
        return [
            (name_of(number), value)
            if name_of(number) in outputs and (answer is None or answer[number] is not None)
            else None
            for number, value in enumerate(arguments)
        ]

    def _add_buffer(self, name: str, value: Any, what: str) -> None:
        import numpy

        flat = _flat(value)
        numpy.save(self.folder / f"{name}.npy", flat)
        self.buffers[name] = {
            "type": _element(flat.dtype, what),
            "count": int(flat.size),
            "fill": {"file": f"{name}.npy"},
        }


def _block(names: Sequence[str], tuned: set[str]) -> list[str]:
    return [
        name if name in tuned else str(list(_DEFAULT_BLOCK.values())[axis])
        for axis, name in enumerate(names)
    ]


def launch_of(
    problem_size: Any,
    divisors: Sequence[Any],
    block_size_names: Sequence[str] | None,
    params: Mapping[str, Sequence[Any]],
) -> dict[str, Any]:
    """Grid and block of a launch."""
    blocks = list(block_size_names or ())
    blocks += _BLOCK_NAMES[len(blocks) :]
    given = [
        [name] if each is None else each for each, name in zip(divisors, blocks, strict=True)
    ]
    return {"grid": _grid(problem_size, given, params), "block": _block(blocks, set(params))}


def shared_of(smem_args: Mapping[str, Any] | None, params: Mapping[str, Sequence[Any]]) -> Any:
    """Bytes of dynamic shared memory; None without any."""
    if not smem_args:
        return None
    if set(smem_args) != {"size"}:
        raise Error('smem_args: give {"size": bytes}, a number, an expression or a function.')
    size = smem_args["size"]
    if callable(size):
        return _whole(size, params, "smem_args")
    return size if isinstance(size, str) else int(size)


def defines_of(
    defines: Mapping[str, Any] | None, params: Mapping[str, Sequence[Any]]
) -> list[str]:
    """Words for the compiler, in the place of the parameters' macros; what a function of the
    configuration gives has to be whole."""
    words = []
    for name, value in (defines or {}).items():
        text = f"{{{_whole(value, params, 'defines')}}}" if callable(value) else str(value)
        words.append(f"-D{name}={text}")
    return words


def harness_of(
    kernel_name: str,
    arguments: Arguments,
    launch: Mapping[str, Any],
    atol: float | None,
    iterations: int,
) -> dict[str, Any]:
    """A harness whose floats are compared as by numpy.allclose, and all else exactly; without
    `atol` nothing is compared."""
    if not 1 <= int(iterations) <= _RUNS_MOST:
        raise Error(f"iterations: give a whole number from 1 to {_RUNS_MOST}.")
    step = {("launch" if launch else "call"): kernel_name, **launch}
    harness: dict[str, Any] = {
        "tune": {"sizes": {}, "runs": int(iterations)},
        "buffers": arguments.buffers,
        "steps": [{**step, "arguments": arguments.arguments}],
        "outputs": {
            name: (
                "any"
                if atol is None
                else {"absolute": atol, "relative": _RTOL}
                if arguments.buffers[name]["type"][0] == "f"
                else "exact"
            )
            for name in arguments.outputs
        },
    }
    if arguments.files:
        harness["reference"] = {"files": arguments.files}
    return harness
