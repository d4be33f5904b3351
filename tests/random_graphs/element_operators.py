# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that compute each element from elements at the same place, and reductions."""

from __future__ import annotations

import math

from graphs import FLOATS, RANGES, WHOLES, Graph, Unfit, Value

SIGNED = ("int8", "int16", "int32", "int64")
NUMBERS = FLOATS + WHOLES
TABLE: dict[str, tuple] = {}  # name: (draw, first opset)


def operator(*names: str, since: int = 13):
    """Enter a function that draws a node of each of these operators."""

    def enter(function):
        for name in names:
            TABLE[name] = (lambda g, name=name: function(g, name), since)
        return function

    return enter


def bounds(function, low: float, high: float, points: int = 40) -> tuple[float, float]:
    """Of a function on an interval, with a margin for what lies between the points."""
    found = [function(low + (high - low) * i / points) for i in range(points + 1)]
    margin = 0.05 * (max(found) - min(found)) + 1e-3
    return min(found) - margin, max(found) + margin


# ---- One operand ----

# name: (function for bounds, least and most operand, types beside floats, exact, attributes)
UNARY = {
    "Relu": (lambda x: max(x, 0), None, None, SIGNED, True),
    "LeakyRelu": (lambda x: x if x > 0 else 0.3 * x, None, None, (), False),
    "Sigmoid": (lambda x: 1 / (1 + math.exp(-x)), -50, 50, (), False),
    "HardSigmoid": (lambda x: min(max(0.2 * x + 0.5, 0), 1), None, None, (), False),
    "HardSwish": (lambda x: x * min(max(x / 6 + 0.5, 0), 1), None, None, (), False),
    "Tanh": (math.tanh, None, None, (), False),
    "Exp": (math.exp, -20, 5, (), False),
    "Sqrt": (lambda x: math.sqrt(max(x, 0)), 0.01, None, (), False),
    "Erf": (math.erf, None, None, (), False),
    "Neg": (lambda x: -x, None, None, SIGNED, True),
    "Abs": (abs, None, None, NUMBERS, True),
    "Reciprocal": (lambda x: 1 / x, 0.1, None, (), False),
    "Elu": (lambda x: x if x > 0 else math.exp(x) - 1, -30, None, (), False),
    "Selu": (lambda x: 1.06 * x if x > 0 else 1.8 * (math.exp(x) - 1), -30, None, (), False),
    "Celu": (lambda x: x if x > 0 else math.exp(x) - 1, -30, None, (), False),
    "Softsign": (lambda x: x / (1 + abs(x)), None, None, (), False),
    "Softplus": (lambda x: math.log1p(math.exp(x)), -30, 30, (), False),
    "Log": (math.log, 0.05, None, (), False),
    "Sin": (math.sin, -50, 50, (), False),
    "Cos": (math.cos, -50, 50, (), False),
    "Tan": (math.tan, -1.2, 1.2, (), False),
    "Asin": (math.asin, -0.95, 0.95, (), False),
    "Acos": (math.acos, -0.95, 0.95, (), False),
    "Atan": (math.atan, None, None, (), False),
    "Sinh": (math.sinh, -5, 5, (), False),
    "Cosh": (math.cosh, -5, 5, (), False),
    "Asinh": (math.asinh, None, None, (), False),
    "Acosh": (math.acosh, 1.05, None, (), False),
    "Atanh": (math.atanh, -0.9, 0.9, (), False),
}
UNARY_ATTRIBUTES = {
    "LeakyRelu": ("alpha", 0.01, 0.3),
    "HardSigmoid": ("alpha", 0.1, 0.4),
    "Elu": ("alpha", 0.5, 1.0),
    "Celu": ("alpha", 0.5, 1.5),
}


@operator(*UNARY)
def draw_unary(g: Graph, name: str) -> None:
    function, least, most, others, exact = UNARY[name]
    x = g.take(tuple(dict.fromkeys(FLOATS + others)), low=least, high=most)
    attributes = {}
    if name in UNARY_ATTRIBUTES and g.draw.random() < 0.7:
        key, first, last = UNARY_ATTRIBUTES[name]
        attributes[key] = g.draw.uniform(first, last)
    low, high = bounds(function, x.low, x.high)
    if x.kind in WHOLES:
        low, high = min(function(x.low), function(x.high), 0), max(function(x.low), function(x.high))
    g.node(name, [x], [(x.kind, x.shape, low, high, x.exact and exact)], **attributes)


@operator("Gelu", "Mish", "Swish", since=24)
def draw_late_unary(g: Graph, name: str) -> None:
    x = g.take(low=-20, high=20)
    attributes = {}
    if name == "Gelu" and g.draw.random() < 0.5:
        attributes["approximate"] = g.draw.choice(["none", "tanh"])
    if name == "Swish" and g.draw.random() < 0.5:
        attributes["alpha"] = g.draw.uniform(0.5, 2)
    g.node(name, [x], [(x.kind, x.shape, min(x.low, 0) * 0.3 - 0.4, max(x.high, 0) + 0.1, False)], **attributes)


@operator("Floor", "Ceil", "Round", "Sign", "ThresholdedRelu", "Shrink")
def draw_jump(g: Graph, name: str) -> None:
    others = SIGNED if name == "Sign" else ()
    x = g.take(FLOATS + others, exact=True)
    attributes = {}
    if name == "ThresholdedRelu":
        attributes["alpha"] = 0.5
    if name == "Shrink":
        attributes = {"lambd": 0.5, "bias": 0.25}
    low, high = (-1, 1) if name == "Sign" else (math.floor(x.low) - 1, math.ceil(x.high) + 1)
    if x.kind.startswith("u"):
        low = 0
    g.node(name, [x], [(x.kind, x.shape, low, high, name != "Shrink")], **attributes)


@operator("IsNaN", "IsInf")
def draw_test(g: Graph, name: str) -> None:
    x = g.take(("float32", "float64") if name == "IsInf" else FLOATS, exact=True)
    g.node(name, [x], [("bool", x.shape, 0, 1, True)])


@operator("Not")
def draw_not(g: Graph, name: str) -> None:
    x = g.take(("bool",))
    g.node(name, [x], [("bool", x.shape, 0, 1, True)])


@operator("BitwiseNot", since=18)
def draw_bitwise_not(g: Graph, name: str) -> None:
    x = g.take(WHOLES)
    low, high = RANGES[x.kind]
    g.node(name, [x], [(x.kind, x.shape, low, high, True)])


@operator("Clip")
def draw_clip(g: Graph, name: str) -> None:
    x = g.take(NUMBERS)
    low = x.low + (x.high - x.low) * 0.2
    high = x.low + (x.high - x.low) * 0.8
    low, high = (int(low), int(high)) if x.kind in WHOLES else (low, high)
    pair = [g.scalar(x.kind, low) if g.draw.random() < 0.8 else None, g.scalar(x.kind,
            high) if g.draw.random() < 0.8 else None]
    g.node(name, [x, *pair], [(x.kind, x.shape, min(x.low, low), max(x.high, high), x.exact)])


CASTS = ("float32", "float64", "float16", "bool") + WHOLES


@operator("Cast", "CastLike")
def draw_cast(g: Graph, name: str) -> None:
    to = g.draw.choice(CASTS)
    jumps = to not in FLOATS
    x = g.take(CASTS, exact=jumps)
    low, high = (x.low, x.high) if x.kind != "bool" else (0, 1)
    if to in WHOLES and (low < RANGES[to][0] or high > RANGES[to][1]):
        raise Unfit
    if to == "bool":
        low, high = 0, 1
    exact = x.exact and (jumps or x.kind in ("bool", *WHOLES) or to == "float64" or to == x.kind)
    out = [(to, x.shape, low, high, exact and not (x.kind == "float64" and to == "float16"))]
    if name == "CastLike":
        g.node(name, [x, g.fresh(to, (1,), 0, 1)], out)
    else:
        import onnx_files as files

        g.node(name, [x], out, to=files.TYPES[to][0])


# ---- Two operands ----


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    longest = max(len(a), len(b))
    a, b = (1,) * (longest - len(a)) + a, (1,) * (longest - len(b)) + b
    if any(x != y and x != 1 and y != 1 for x, y in zip(a, b)):
        raise Unfit
    return tuple(y if x == 1 else x for x, y in zip(a, b))


def partner(g: Graph, x: Value, low=None, high=None, exact=False) -> Value:
    """An operand of the same type that is broadcast with x."""
    same = [v for v in g.there() if v.kind == x.kind and v is not x and (v.exact or not exact)
            and (low is None or v.low >= low) and (high is None or v.high <= high) and (v.shape == x.shape)]
    if same and g.draw.random() < 0.6:
        return g.draw.choice(same)
    shape = tuple(extent if g.draw.random() < 0.7 else 1 for extent in x.shape)
    shape = shape[g.draw.randint(0, len(shape)):] if g.draw.random() < 0.4 else shape
    first, last = (-5, 5) if x.kind in WHOLES else (-1.5, 1.5)
    if x.kind.startswith("u"):
        first = 0
    return g.fresh(x.kind, shape, first if low is None else low, last if high is None else high)


@operator("Add", "Sub", "Mul", "Div", "Pow", "PRelu")
def draw_arithmetic(g: Graph, name: str) -> None:
    kinds = FLOATS if name == "PRelu" else NUMBERS
    x = g.take(kinds, low=0.1 if name == "Pow" else None, high=8 if name == "Pow" else None)
    y = partner(g, x, low=(1 if x.kind in WHOLES else 0.3) if name == "Div"
                else (0 if x.kind in WHOLES else None) if name == "Pow"
                else None, high=3 if name == "Pow" else None)
    shape = x.shape if name == "PRelu" else broadcast(x.shape, y.shape)
    if name == "PRelu" and broadcast(x.shape, y.shape) != x.shape:
        raise Unfit
    corners = [(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    compute = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "PRelu": lambda a,
               b: a * b,
               "Div": lambda a, b: a / b, "Pow": lambda a, b: max(a, 0.001) ** b}[name]
    found = [compute(a, b) for a, b in corners] + ([x.high, x.low] if name == "PRelu" else [])
    margin = 0.001 if x.is_float else 0
    pair = [y, x] if name in ("Add", "Mul") and g.draw.random() < 0.5 else [x, y]
    exact = x.kind in WHOLES and name != "Pow"
    g.node(name, pair, [(x.kind, shape, min(found) - margin, max(found) + margin, exact)])


@operator("Mod")
def draw_mod(g: Graph, name: str) -> None:
    x = g.take(NUMBERS, exact=True)
    y = partner(g, x, low=2, high=9, exact=True)
    fmod = x.is_float or g.draw.random() < 0.3
    low = 0 if x.kind.startswith("u") else -9
    g.node(name, [x, y], [(x.kind, broadcast(x.shape, y.shape), low, 9, True)], fmod=int(fmod))


@operator("Max", "Min", "Sum", "Mean")
def draw_several(g: Graph, name: str) -> None:
    x = g.take(NUMBERS if name in ("Max", "Min") else FLOATS)
    many = [x] + [partner(g, x) for _ in range(g.draw.randint(0, 2))]
    shape = many[0].shape
    for each in many[1:]:
        shape = broadcast(shape, each.shape)
    low, high = min(v.low for v in many), max(v.high for v in many)
    if name == "Sum":
        low, high = len(many) * min(low, 0), len(many) * max(high, 0)
    exact = all(v.exact for v in many) and name in ("Max", "Min")
    g.node(name, many, [(x.kind, shape, low, high, exact)])


@operator("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", since=16)
def draw_comparison(g: Graph, name: str) -> None:
    x = g.take(NUMBERS + (("bool",) if name == "Equal" else ()), exact=True)
    y = partner(g, x, exact=True)
    g.node(name, [x, y], [("bool", broadcast(x.shape, y.shape), 0, 1, True)])


@operator("And", "Or", "Xor")
def draw_logic(g: Graph, name: str) -> None:
    x = g.take(("bool",))
    y = partner(g, x)
    g.node(name, [x, y], [("bool", broadcast(x.shape, y.shape), 0, 1, True)])


@operator("BitwiseAnd", "BitwiseOr", "BitwiseXor", since=18)
def draw_bitwise(g: Graph, name: str) -> None:
    x = g.take(WHOLES)
    y = partner(g, x)
    g.node(name, [x, y], [(x.kind, broadcast(x.shape, y.shape), *RANGES[x.kind], True)])


@operator("BitShift")
def draw_shift(g: Graph, name: str) -> None:
    x = g.take(tuple(kind for kind in WHOLES if kind.startswith("u")))
    y = partner(g, x, low=0, high=5)
    direction = g.draw.choice(["LEFT", "RIGHT"])
    g.node(name, [x, y], [(x.kind, broadcast(x.shape, y.shape), *RANGES[x.kind], True)], direction=direction)


@operator("Where")
def draw_where(g: Graph, name: str) -> None:
    x = g.take(NUMBERS + ("bool",))
    y = partner(g, x)
    shape = broadcast(x.shape, y.shape)
    mask = g.fresh("bool", tuple(extent if g.draw.random() < 0.7 else 1 for extent in shape))
    g.node(name, [mask, x, y], [(x.kind, shape, min(x.low, y.low), max(x.high, y.high), x.exact and y.exact)])


# ---- Along axes ----


def reduced(shape: tuple[int, ...], axes: list[int], keep: bool) -> tuple[int, ...]:
    places = [axis % len(shape) for axis in axes]
    return tuple(1 if d in places else e for d, e in enumerate(shape) if keep or d not in places)


REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare",
              "ReduceProd",
              "ReduceLogSum", "ReduceLogSumExp")


def reduction_bounds(name: str, x: Value, size: int) -> tuple[float, float]:
    low, high, most = x.low, x.high, max(abs(x.low), abs(x.high))
    if name in ("ReduceMean", "ReduceMax", "ReduceMin"):
        return low, high
    if name == "ReduceSum":
        return size * min(low, 0), size * max(high, 0)
    if name == "ReduceProd":
        return -(max(most, 1) ** size), max(most, 1) ** size
    if name == "ReduceLogSum":
        return math.log(size * max(low, 1e-3)), math.log(size * high)
    if name == "ReduceLogSumExp":
        return low, high + math.log(size)
    return 0, size * most * (most if name in ("ReduceSumSquare",) else 1)


@operator(*REDUCTIONS)
def draw_reduction(g: Graph, name: str) -> None:
    wholes = {"ReduceSum": ("int32", "int64"), "ReduceMean": ("int32", "int64"), "ReduceMax": WHOLES,
              "ReduceMin": WHOLES,
              "ReduceProd": ("int32", "int64"), "ReduceL1": ("int32", "int64"), "ReduceSumSquare": ("int32", "int64")}
    x = g.take(FLOATS + wholes.get(name, ()), low=0.05 if name == "ReduceLogSum" else None,
               high=30 if name == "ReduceLogSumExp" else None)
    axes = sorted(g.draw.sample(range(x.dims), g.draw.randint(1, x.dims)))
    keep = g.draw.random() < 0.5
    size = 1
    for axis in axes:
        size *= x.shape[axis]
    low, high = reduction_bounds(name, x, size)
    given = [axis - x.dims if g.draw.random() < 0.3 else axis for axis in axes]
    exact = x.kind in WHOLES or (x.exact and name in ("ReduceMax", "ReduceMin"))
    if x.kind in WHOLES and name == "ReduceMean":
        exact = False  # the standard leaves open how a mean of whole numbers is rounded
        raise Unfit
    out = [(x.kind, reduced(x.shape, axes, keep), low, high, exact)]
    if g.opset >= 18 or name == "ReduceSum":
        whole = len(axes) == x.dims and g.draw.random() < 0.5
        g.node(name, [x, None if whole else g.wholes(given)], out, keepdims=int(keep))
    else:
        g.node(name, [x], out, keepdims=int(keep), axes=given)


@operator("ArgMax", "ArgMin")
def draw_place(g: Graph, name: str) -> None:
    x = g.take(FLOATS + ("int8", "uint8", "int32", "int64"), exact=True)
    axis = g.draw.randrange(x.dims)
    keep = g.draw.random() < 0.5
    g.node(name, [x], [("int64", reduced(x.shape, [axis], keep), 0, x.shape[axis] - 1, True)], axis=axis,
           keepdims=int(keep),
           select_last_index=g.draw.randint(0, 1))


@operator("Softmax", "LogSoftmax", "Hardmax")
def draw_softmax(g: Graph, name: str) -> None:
    x = g.take(exact=name == "Hardmax", high=50)
    low, high = (x.low - x.high - 8, 0) if name == "LogSoftmax" else (0, 1)
    g.node(name, [x], [(x.kind, x.shape, low, high, name == "Hardmax")], axis=g.draw.randrange(-x.dims, x.dims))


@operator("CumSum", since=14)
def draw_cumulative(g: Graph, name: str) -> None:
    x = g.take(FLOATS + ("int32", "int64"))
    axis = g.draw.randrange(x.dims)
    size = x.shape[axis]
    g.node(name, [x, g.scalar("int64", axis)], [(x.kind, x.shape, size * min(x.low, 0), size * max(x.high, 0),
                                                 x.kind in WHOLES)],
           exclusive=g.draw.randint(0, 1), reverse=g.draw.randint(0, 1))


@operator("TopK")
def draw_top(g: Graph, name: str) -> None:
    x = g.take(FLOATS + ("int8", "uint8", "int32", "int64"), exact=True)
    axis = g.draw.randrange(x.dims)
    k = g.draw.randint(1, x.shape[axis])
    shape = x.shape[:axis] + (k,) + x.shape[axis + 1:]
    g.node(name, [x, g.wholes([k])], [(x.kind, shape, x.low, x.high, True), ("int64", shape, 0, x.shape[axis] - 1,
            True)],
           axis=axis, largest=g.draw.randint(0, 1), sorted=1)
