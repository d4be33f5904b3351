# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantised operators, signals, attention, losses, control, and those of com.microsoft."""

from __future__ import annotations

import onnx_files as files
from element_operators import operator
from graphs import Graph, Unfit, Value
from onnx_files import count
from window_operators import images, most_of, window, windowed

BYTES = ("int8", "uint8")
RANGE = {"int8": (-128, 127), "uint8": (0, 255), "int32": (-(2**31), 2**31 - 1)}


def zero(g: Graph, kind: str, shape: tuple[int, ...] = ()) -> Value:
    low, high = (-9, 9) if kind == "int8" else (100, 140)
    return g.fresh(kind, shape, low, high, constant=True)


def scale(g: Graph, shape: tuple[int, ...] = (), low: float = 0.01, high: float = 0.1) -> Value:
    return g.fresh("float32", shape, low, high, constant=True)


def quantised(g: Graph, shape: tuple[int, ...], kind: str) -> Value:
    return g.take((kind,), (len(shape), len(shape)), fits=lambda v: v.shape == shape, fresh=lambda: shape)


# ---- Quantised ----


@operator("QuantizeLinear", "DequantizeLinear")
def draw_quantize(g: Graph, name: str) -> None:
    kind = g.draw.choice(BYTES)
    x = g.take(("float32",), exact=True) if name == "QuantizeLinear" else g.take((kind,))
    shape: tuple[int, ...] = ()
    attributes = {}
    if g.draw.random() < 0.4:
        axis = g.draw.randrange(x.dims)
        shape, attributes = (x.shape[axis],), {"axis": axis}
    point = zero(g, kind, shape)
    if name == "QuantizeLinear":
        g.node(name, [x, scale(g, shape), point], [(kind, x.shape, *RANGE[kind], True)], **attributes)
    else:
        g.node(name, [x, scale(g, shape), point], [("float32", x.shape, -40, 40, False)], **attributes)


@operator("DynamicQuantizeLinear")
def draw_dynamic(g: Graph, name: str) -> None:
    x = g.take(("float32",), exact=True)
    g.node(name, [x], [("uint8", x.shape, 0, 255, True), ("float32", (), 0, 1, False), ("uint8", (), 0, 255, True)])


@operator("MatMulInteger", "QLinearMatMul")
def draw_whole_product(g: Graph, name: str) -> None:
    kind = g.draw.choice(BYTES)
    rows, inner, columns = (g.draw.randint(1, 7) for _ in range(3))
    batch = g.draw.choice([(), (), (2,)])
    a, b = quantised(g, (*batch, rows, inner), kind), quantised(g, (inner, columns), g.draw.choice(["int8", kind]))
    shape = (*batch, rows, columns)
    if name == "MatMulInteger":
        g.node(name, [a, b, zero(g, a.kind), zero(g, b.kind)], [("int32", shape, -70000 * inner, 70000 * inner, True)])
    else:
        inputs = [a, scale(g), zero(g, a.kind), b, scale(g), zero(g, b.kind), scale(g, low=0.1, high=0.5), zero(g,
                kind)]
        g.node(name, inputs, [(kind, shape, *RANGE[kind], True)])


@operator("ConvInteger", "QLinearConv")
def draw_whole_conv(g: Graph, name: str) -> None:
    groups = g.draw.choice([1, 1, 2])
    x = images(g, ("uint8",), groups, 2)
    filters = groups * g.draw.randint(1, 3)
    with_ = window(g, x.shape[2:])
    w = g.fresh(g.draw.choice(BYTES) if name == "QLinearConv" else "uint8", (filters, x.shape[1] // groups,
            *with_["kernel_shape"]), 0, 100)
    shape = (x.shape[0], filters, *windowed(x.shape[2:], with_))
    if name == "ConvInteger":
        g.node(name, [x, w, zero(g, "uint8"), zero(g, w.kind)], [("int32", shape, -2e6, 2e6, True)], group=groups,
               **with_)
        return
    bias = g.fresh("int32", (filters,), -500, 500) if g.draw.random() < 0.5 else None
    by_channel = g.draw.random() < 0.3 and w.kind == "int8"
    point = g.fresh(w.kind, (filters,) if by_channel else (), 0, 0, constant=True) if w.kind == "int8" else zero(g,
            w.kind)
    inputs = [x, scale(g), zero(g, "uint8"), w, scale(g, (filters,) if by_channel else ()), point, scale(g, low=0.3,
            high=2), zero(g, "uint8"), bias]
    g.node(name, inputs, [("uint8", shape, 0, 255, True)], group=groups, **with_)


# ---- Signals ----


@operator("HannWindow", "HammingWindow", "BlackmanWindow", since=17)
def draw_window(g: Graph, name: str) -> None:
    size = g.draw.randint(2, 12)
    g.node(name, [g.scalar("int64", size)], [("float32", (size,), -0.1, 1, False)], periodic=g.draw.randint(0, 1))


@operator("DFT", since=20)
def draw_dft(g: Graph, name: str) -> None:
    parts = g.draw.choice([1, 2])
    length = g.draw.randint(2, 9)
    x = g.fresh("float32", (g.draw.randint(1, 3), length, parts), -1, 1, constant=False)
    inverse = g.draw.randint(0, 1) if parts == 2 else 0
    one_sided = g.draw.randint(0, 1) if parts == 1 else 0
    out = length // 2 + 1 if one_sided else length
    g.node(name, [x, None, g.scalar("int64", 1)], [("float32", (x.shape[0], out, 2), -40, 40, False)],
           inverse=inverse, onesided=one_sided)


@operator("STFT", since=17)
def draw_stft(g: Graph, name: str) -> None:
    length, frame, step = g.draw.randint(12, 30), g.draw.choice([4, 8]), g.draw.randint(2, 4)
    x = g.fresh("float32", (g.draw.randint(1, 2), length, 1), -1, 1, constant=False)
    weights = g.fresh("float32", (frame,), 0.2, 1, constant=True)
    shape = (x.shape[0], (length - frame) // step + 1, frame // 2 + 1, 2)
    g.node(name, [x, g.scalar("int64", step), weights, g.scalar("int64", frame)], [("float32", shape, -40, 40,
            False)], onesided=1)


@operator("MelWeightMatrix", since=17)
def draw_mel(g: Graph, name: str) -> None:
    bins, size = g.draw.randint(2, 6), g.draw.choice([16, 32])
    inputs = [g.scalar("int64", bins), g.scalar("int64", size), g.scalar("int64", 8000), g.scalar("float32", 0.0),
              g.scalar("float32", 4000.0)]
    g.node(name, inputs, [("float32", (size // 2 + 1, bins), 0, 1, False)])


# ---- Attention ----


@operator("Attention", since=24)
def draw_attention(g: Graph, name: str) -> None:
    batch, rows, keys, size = g.draw.randint(1, 2), g.draw.randint(1, 6), g.draw.randint(1, 20), g.draw.choice([4, 8])
    heads = g.draw.choice([1, 2, 4])
    of_keys = g.draw.choice([h for h in (1, 2, 4) if heads % h == 0])
    q = g.fresh("float32", (batch, heads, rows, size), constant=False)
    k = g.fresh("float32", (batch, of_keys, keys, size), constant=False)
    v = g.fresh("float32", (batch, of_keys, keys, size), constant=False)
    inputs = [q, k, v]
    if g.draw.random() < 0.4:
        inputs.append(g.fresh("float32", (rows, keys)))
    attributes = {"is_causal": g.draw.randint(0, 1)}
    if g.draw.random() < 0.3:
        attributes["softcap"] = 2.0
    if g.draw.random() < 0.3:
        attributes["scale"] = 0.5
    g.node(name, inputs, [("float32", q.shape, -1, 1, False)], **attributes)


@operator("RotaryEmbedding", since=24)
def draw_rotary(g: Graph, name: str) -> None:
    batch, heads, rows, size = g.draw.randint(1, 2), g.draw.randint(1, 3), g.draw.randint(1, 5), g.draw.choice([4, 8])
    x = g.fresh("float32", (batch, heads, rows, size), constant=False)
    angles = [g.fresh("float32", (12, size // 2)) for _ in range(2)]
    at = g.fresh("int64", (batch, rows), 0, 11)
    g.node(name, [x, *angles, at], [("float32", x.shape, -3, 3, False)], interleaved=g.draw.randint(0, 1))


# ---- Losses ----


@operator("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def draw_loss(g: Graph, name: str) -> None:
    batch, classes = g.draw.randint(1, 4), g.draw.randint(2, 5)
    rest = g.shape(0, 2, 3)
    x = g.fresh("float32", (batch, classes, *rest), -3, 0, constant=False)
    labels = g.fresh(g.draw.choice(["int32", "int64"]), (batch, *rest), 0, classes - 1)
    weights = g.fresh("float32", (classes,), 0.5, 1.5) if g.draw.random() < 0.5 else None
    how = g.draw.choice(["none", "mean", "sum"])
    g.node(name, [x, labels, weights], [("float32", labels.shape if how == "none" else (), -400, 400, False)],
           reduction=how)


# ---- Graphs in graphs ----


def body(nodes: list[bytes], inputs: list[bytes], outputs: list[bytes]) -> files.Graph:
    return files.Graph(files.graph(nodes, [], inputs, outputs))


@operator("If")
def draw_if(g: Graph, name: str) -> None:
    """Branches compute with a tensor of their own: names of outside would need the prefix of the graph."""
    shape = g.shape(1, 2)
    which = g.fresh("bool", (), constant=g.draw.random() < 0.5)
    branches = {}
    for key, operation in (("then_branch", "Abs"), ("else_branch", "Neg")):
        given = files.Tensor("float32", shape, g.elements("float32", shape, -1, 1))
        nodes = [files.node("Constant", [], ["i"], {"value": given}), files.node(operation, ["i"], ["o"], {})]
        branches[key] = body(nodes, [], [files.value_info("o", "float32", shape)])
    g.node(name, [which], [("float32", shape, -1, 1, True)], **branches)


@operator("Loop", "Scan")
def draw_loop(g: Graph, name: str) -> None:
    x = g.take(("float32",), (1, 3), high=50, low=-50)
    most = 2 * most_of(x) + 40
    if name == "Loop":
        runs = g.draw.randint(1, 4)
        nodes = [files.node("Identity", ["c"], ["c1"], {}), files.node("Tanh", ["s"], ["t"], {}), files.node("Add",
                ["s", "t"], ["s1"], {})]
        inner = body(nodes, [files.value_info("n", "int64", ()), files.value_info("c", "bool", ()),
                             files.value_info("s", "float32", x.shape)],
                     [files.value_info(each, kind, None if kind == "float32" else ()) for each, kind in (("c1",
                             "bool"), ("s1", "float32"), ("t", "float32"))])
        given = [g.scalar("int64", runs), g.scalar("bool", True), x]
        g.node(name, given, [("float32", x.shape, -most, most, False), ("float32", (runs, *x.shape), -1, 1, False)],
               body=inner)
        return
    if x.dims < 2:
        raise Unfit
    first = g.fresh("float32", x.shape[1:])
    nodes = [files.node("Add", ["s", "r"], ["s1"], {}), files.node("Identity", ["s1"], ["o"], {})]
    inner = body(nodes, [files.value_info(each, "float32", x.shape[1:]) for each in ("s", "r")],
                 [files.value_info(each, "float32", x.shape[1:]) for each in ("s1", "o")])
    most *= x.shape[0]
    g.node(name, [first, x], [("float32", x.shape[1:], -most, most, False), ("float32", x.shape, -most, most, False)],
           body=inner, num_scan_inputs=1)


# ---- com.microsoft ----

MICROSOFT = "com.microsoft"


@operator("QuickGelu", "FastGelu", "BiasGelu", "FusedMatMul", "SkipLayerNormalization")
def draw_microsoft(g: Graph, name: str) -> None:
    x = g.take(("float32",), (3, 3) if name in ("SkipLayerNormalization", "BiasGelu") else (2, 3), low=-20, high=20)
    out = (x.kind, x.shape, min(x.low, -1), max(x.high, 1) + 1, False)
    if name == "QuickGelu":
        g.node(name, [x], [out], MICROSOFT, alpha=1.702)
    elif name == "FastGelu":
        g.node(name, [x], [out], MICROSOFT)
    elif name == "BiasGelu":
        g.node(name, [x, g.fresh(x.kind, x.shape[-1:])], [out], MICROSOFT)
    elif name == "FusedMatMul":
        y = g.fresh(x.kind, (*x.shape[:-2], x.shape[-1], 4))
        most = most_of(x, y) * x.shape[-1]
        g.node(name, [x, y], [(x.kind, (*x.shape[:-1], 4), -most, most, False)], MICROSOFT, alpha=0.5)
    else:
        if x.shape[-1] < 3:
            raise Unfit
        skip, weight, bias = g.fresh(x.kind, x.shape), g.fresh(x.kind, x.shape[-1:], 0.5, 1.5), g.fresh(x.kind,
                x.shape[-1:])
        size = 2 * count(x.shape[-1:]) + 2
        g.node(name, [x, skip, weight, bias], [(x.kind, x.shape, -size, size, False)], MICROSOFT, epsilon=1e-3)
