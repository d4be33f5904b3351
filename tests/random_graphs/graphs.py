# SPDX-License-Identifier: GPL-3.0-or-later
"""A graph that is being drawn: its tensors with types, shapes and bounds, and its nodes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import onnx_files as files

FLOATS = ("float32", "float64", "float16")
WHOLES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
RANGES = {kind: (-(2 ** (8 * files.TYPES[kind][2] - 1)), 2 ** (8 * files.TYPES[kind][2] - 1) - 1) for kind in WHOLES}
RANGES.update({kind: (0, 2 ** (8 * files.TYPES[kind][2]) - 1) for kind in WHOLES if kind.startswith("u")})
MOST = 1500  # elements of a tensor
LARGE = {"float16": 200.0}  # most that a bound may be


class Unfit(Exception):
    """What was drawn does not fit: another draw is needed."""


@dataclass
class Value:
    """A tensor. Elements are in [low, high]. `exact`: both sides compute the same bits, so that what
    is not continuous may follow."""

    name: str
    kind: str
    shape: tuple[int, ...]
    low: float = -1.0
    high: float = 1.0
    exact: bool = True
    constant: list | None = None
    readers: int = 0
    last: bool = False  # its size is known here, but not to all operators: no node reads it

    @property
    def dims(self) -> int:
        return len(self.shape)

    @property
    def is_float(self) -> bool:
        return self.kind in FLOATS


@dataclass
class Node:
    operation: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict
    domain: str
    kinds: tuple[str, ...]


@dataclass
class Graph:
    draw: random.Random
    opset: int
    kind: str  # of floats in this graph
    values: list[Value] = field(default_factory=list)
    inputs: list[tuple[Value, list]] = field(default_factory=list)
    constants: list[tuple[Value, list]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)

    # ---- Tensors ----

    def elements(self, kind: str, shape: tuple[int, ...], low: float, high: float) -> list:
        size = files.count(shape)
        if kind == "bool":
            return [self.draw.random() < 0.5 for _ in range(size)]
        if kind in WHOLES:
            least, most = RANGES[kind]
            return [self.draw.randint(max(int(low), least), min(int(high), most)) for _ in range(size)]
        code = files.TYPES[kind][1]
        rounded = files.struct.pack(f"<{size}{code}", *(self.draw.uniform(low, high) for _ in range(size)))
        return list(files.struct.unpack(f"<{size}{code}", rounded))

    def fresh(self, kind: str, shape: tuple[int, ...], low: float = -1.0, high: float = 1.0,
              constant: bool | None = None,
              values: list | None = None) -> Value:
        """A new input, or a constant."""
        if files.count(shape) > MOST:
            raise Unfit
        given = self.elements(kind, shape, low, high) if values is None else values
        if constant is None:
            constant = self.draw.random() < 0.25
        out = Value(f"{'c' if constant else 'x'}{len(self.inputs) + len(self.constants)}", kind, tuple(shape), low,
                    high)
        if constant:
            out.constant = given
        (self.constants if constant else self.inputs).append((out, given))
        self.values.append(out)
        return out

    def wholes(self, numbers: list[int], kind: str = "int64") -> Value:
        """A list of numbers as a constant."""
        return self.fresh(kind, (len(numbers),), constant=True, values=list(numbers))

    def scalar(self, kind: str, number) -> Value:
        return self.fresh(kind, (), constant=True, values=[number], low=number, high=number)

    def there(self) -> list[Value]:
        return [v for v in self.values if not v.last]

    def shape(self, least: int = 1, most: int = 4, largest: int = 7) -> tuple[int, ...]:
        dims = self.draw.randint(least, most)
        return tuple(self.draw.randint(1, largest if dims < 4 else 5) for _ in range(dims))

    def take(self, kinds=FLOATS, dims=(1, 4), low=None, high=None, exact=False, fits=lambda value: True,
             fresh=None) -> Value:
        """A tensor that is there and fits, mostly one that nobody reads; or a new one."""
        allowed = [kind for kind in kinds if kind not in FLOATS or kind == self.kind] or [kinds[0]]
        good = [v for v in self.there() if v.kind in allowed and dims[0] <= v.dims <= dims[1] and v.constant is None
                and (low is None or v.low >= low) and (high is None or v.high <= high)
                and (v.exact or not exact) and files.count(v.shape) > 0 and fits(v)]
        made = [v for v in good if v.readers == 0 and v not in [value for value, _ in self.inputs]]
        if good and self.draw.random() < 0.85:
            return self.draw.choice(made or good)
        kind = self.draw.choice(allowed)
        shape = fresh() if fresh else self.shape(*dims)
        least, most = (-100, 100) if kind in WHOLES else (-2.0, 2.0)
        if kind in RANGES:
            least = max(least, RANGES[kind][0])
        return self.fresh(kind, shape, least if low is None else max(low, least) if kind in WHOLES else low,
                          most if high is None else min(high, most) if kind in WHOLES else high, constant=False)

    # ---- Nodes ----

    def node(self, operation: str, inputs: list[Value | None], outputs: list[tuple], domain: str = "", **attributes):
        """Append a node; each output is (kind, shape, low, high, exact) or None for one that is left out."""
        made: list[Value | None] = []
        for each in outputs:
            if each is None:
                made.append(None)
                continue
            kind, shape, low, high, exact = each
            limit = LARGE.get(kind, 1e5)
            if files.count(shape) > MOST or len(shape) > 6 or (kind in FLOATS and not (-limit <= low <= high <= limit)):
                raise Unfit
            if kind in WHOLES and (low < RANGES[kind][0] or high > RANGES[kind][1]):
                raise Unfit
            made.append(Value(f"y{len(self.values) + len(made)}", kind, tuple(shape), low, high, exact))
        for value in inputs:
            if value is not None:
                value.readers += 1
        names = [value.name if value is not None else "" for value in inputs]
        while names and not names[-1]:
            names.pop()
        self.nodes.append(Node(operation, names, [value.name if value else "" for value in made],
                               attributes, domain, tuple(v.kind for v in inputs if v is not None)))
        self.values += [value for value in made if value]
        return made[0] if len(made) == 1 else made

    # ---- The model ----

    def outputs(self) -> list[Value]:
        """All results that no node reads, and every other one that nodes read."""
        made = {name for node in self.nodes for name in node.outputs}
        return [v for i, v in enumerate(v for v in self.values if v.name in made) if v.readers == 0 or i % 2]


def message(graphs: list[Graph], prefixes: list[str], with_shapes: bool = True) -> bytes:
    """Graphs of one opset as one model, with the names of each behind a prefix."""
    nodes, constants, inputs, outputs = [], [], [], []
    for graph, prefix in zip(graphs, prefixes):
        def named(names: list[str], prefix=prefix) -> list[str]:
            return [name and prefix + name for name in names]

        nodes += [files.node(n.operation, named(n.inputs), named(n.outputs), n.attributes,
                             n.domain) for n in graph.nodes]
        constants += [files.tensor(prefix + v.name, v.kind, v.shape, given) for v, given in graph.constants]
        inputs += [files.value_info(prefix + v.name, v.kind, v.shape) for v, _ in graph.inputs]
        outputs += [files.value_info(prefix + v.name, v.kind, v.shape if with_shapes
                                     else None) for v in graph.outputs()]
    return files.model(files.graph(nodes, constants, inputs, outputs), graphs[0].opset)
