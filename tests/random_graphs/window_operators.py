# SPDX-License-Identifier: GPL-3.0-or-later
"""Convolutions, pools, normalisations, products, resampling and cells."""

from __future__ import annotations

import math

from element_operators import operator
from graphs import FLOATS, Graph, Unfit, Value
from onnx_files import count

DOUBLES = ("float32", "float64")


def most_of(*values: Value) -> float:
    out = 1.0
    for value in values:
        out *= max(abs(value.low), abs(value.high))
    return out


def images(g: Graph, kinds=FLOATS, groups: int = 1, dims=None) -> Value:
    """A tensor of batch, channels and one to three dimensions."""
    spatial = dims or g.draw.choice([1, 2, 2, 2, 3])
    return g.take(kinds, (spatial + 2, spatial + 2), fits=lambda v: v.shape[1] % groups == 0 and max(v.shape[2:]) > 1,
                  fresh=lambda: (g.draw.randint(1, 2), groups * g.draw.randint(1, 4),
                                 *(g.draw.randint(3, 9 if spatial < 3 else 4) for _ in range(spatial))))


def window(g: Graph, extents: tuple[int, ...], dilated: bool = True) -> dict:
    """Attributes of a window that fits into padded extents."""
    kernel = [g.draw.randint(1, min(3, extent)) for extent in extents]
    out = {"kernel_shape": kernel, "strides": [g.draw.randint(1, 2) for _ in kernel]}
    out["dilations"] = [g.draw.randint(1, 2) if dilated and 2 * (k - 1) < e else 1 for k, e in zip(kernel, extents)]
    if g.draw.random() < 0.2:
        out["auto_pad"] = g.draw.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    else:
        out["pads"] = [g.draw.randint(0, (k - 1) // 2 + (1 if k > 1 else 0)) for k in kernel + kernel]
        out["pads"] = [min(p, kernel[d % len(kernel)] - 1) for d, p in enumerate(out["pads"])]
    return out


def windowed(extents: tuple[int, ...], with_: dict, ceil: bool = False) -> tuple[int, ...]:
    out = []
    for d, extent in enumerate(extents):
        reach = (with_["kernel_shape"][d] - 1) * with_["dilations"][d] + 1
        stride = with_["strides"][d]
        if with_.get("auto_pad", "VALID").startswith("SAME"):
            out.append(-(-extent // stride))
            continue
        pads = with_.get("pads", [0] * 2 * len(extents))
        room = extent + pads[d] + pads[d + len(extents)] - reach
        if room < 0:
            raise Unfit
        places = (-(-room // stride) if ceil else room // stride) + 1
        if ceil and (places - 1) * stride >= extent + pads[d]:
            places -= 1
        out.append(places)
    return tuple(out)


@operator("Conv")
def draw_conv(g: Graph, name: str) -> None:
    groups = g.draw.choice([1, 1, 2, 3])
    x = images(g, ("float32",), groups)
    if g.draw.random() < 0.2:
        groups = x.shape[1]
    filters = groups * g.draw.randint(1, 4)
    with_ = window(g, x.shape[2:])
    w = g.fresh(x.kind, (filters, x.shape[1] // groups, *with_["kernel_shape"]), -0.5, 0.5)
    b = g.fresh(x.kind, (filters,)) if g.draw.random() < 0.6 else None
    most = most_of(x, w) * count(w.shape[1:]) + 1
    g.node(name, [x, w, b], [(x.kind, (x.shape[0], filters, *windowed(x.shape[2:], with_)), -most, most, False)],
           group=groups, **with_)


@operator("ConvTranspose")
def draw_conv_transpose(g: Graph, name: str) -> None:
    groups = g.draw.choice([1, 1, 2])
    x = images(g, ("float32",), groups)
    spatial = x.dims - 2
    kernel = [g.draw.randint(1, 3) for _ in range(spatial)]
    strides = [g.draw.randint(1, 2) for _ in kernel]
    dilations = [g.draw.randint(1, 2) for _ in kernel]
    pads = [g.draw.randint(0, 1) if kernel[d % spatial] > 1 else 0 for d in range(2 * spatial)]
    extra = [g.draw.randint(0, s - 1) for s in strides]
    shape = [(e - 1) * s + (k - 1) * d + 1 - pads[i] - pads[i + spatial] + o
             for i, (e, s, k, d, o) in enumerate(zip(x.shape[2:], strides, kernel, dilations, extra))]
    if min(shape) < 1:
        raise Unfit
    filters = g.draw.randint(1, 3)
    w = g.fresh(x.kind, (x.shape[1], filters, *kernel), -0.5, 0.5)
    b = g.fresh(x.kind, (filters * groups,)) if g.draw.random() < 0.6 else None
    most = most_of(x, w) * x.shape[1] * count(tuple(kernel)) + 1
    g.node(name, [x, w, b], [(x.kind, (x.shape[0], filters * groups, *shape), -most, most, False)], group=groups,
           kernel_shape=kernel,
           strides=strides, dilations=dilations, pads=pads, output_padding=extra)


@operator("MaxPool", "AveragePool", "LpPool")
def draw_pool(g: Graph, name: str) -> None:
    x = images(g, ("float32",))
    with_ = window(g, x.shape[2:], dilated=name == "MaxPool" or g.opset >= 19)
    if "auto_pad" in with_:  # ONNX Runtime pads as if there were no dilations
        with_["dilations"] = [1] * len(with_["kernel_shape"])
    ceil = "auto_pad" not in with_ and (name != "LpPool" or g.opset >= 18) and g.draw.random() < 0.3
    shape = x.shape[:2] + windowed(x.shape[2:], with_, ceil)
    if not (name == "MaxPool" or g.opset >= 19) or (name == "LpPool" and g.opset < 18):
        with_.pop("dilations")
    if ceil:
        with_["ceil_mode"] = 1
    size = count(tuple(with_["kernel_shape"]))
    if name == "MaxPool":
        places = ("int64", shape, 0, 2000, True) if g.draw.random() < 0.3 and x.exact else None
        g.node(name, [x], [(x.kind, shape, x.low, x.high, x.exact), places] if places else [(x.kind, shape, x.low,
                x.high, x.exact)],
               **with_)
    elif name == "AveragePool":
        g.node(name, [x], [(x.kind, shape, min(x.low, 0), max(x.high, 0), False)], count_include_pad=g.draw.randint(0,
                1), **with_)
    else:
        g.node(name, [x], [(x.kind, shape, 0, most_of(x) * size, False)], p=g.draw.choice([1, 2, 3]), **with_)


@operator("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def draw_global(g: Graph, name: str) -> None:
    x = images(g, ("float32",))
    shape = x.shape[:2] + (1,) * (x.dims - 2)
    if name == "GlobalLpPool":
        g.node(name, [x], [(x.kind, shape, 0, most_of(x) * count(x.shape[2:]), False)], p=g.draw.choice([1, 2]))
    else:
        g.node(name, [x], [(x.kind, shape, x.low, x.high, x.exact and name == "GlobalMaxPool")])


# ---- Normalisations ----


def affine(g: Graph, x: Value, shape: tuple[int, ...]) -> tuple[Value, Value]:
    return g.fresh(x.kind, shape, 0.5, 1.5), g.fresh(x.kind, shape, -0.5, 0.5)


@operator("BatchNormalization", "InstanceNormalization", "MeanVarianceNormalization", "LpNormalization", "LRN")
def draw_normal(g: Graph, name: str) -> None:
    x = images(g, ("float32",))
    size = math.sqrt(count(x.shape)) * 2 + 2
    channel = (x.shape[1],)
    if name == "BatchNormalization":
        scale, bias = affine(g, x, channel)
        mean, variance = g.fresh(x.kind, channel, -1, 1), g.fresh(x.kind, channel, 0.5, 2)
        most = (most_of(x) + 1) * 3
        g.node(name, [x, scale, bias, mean, variance], [(x.kind, x.shape, -most, most, False)], epsilon=1e-4)
    elif name == "InstanceNormalization":
        scale, bias = affine(g, x, channel)
        g.node(name, [x, scale, bias], [(x.kind, x.shape, -size, size, False)], epsilon=1e-2)
    elif name == "MeanVarianceNormalization":
        if x.dims != 4 or count(x.shape) < 16:
            raise Unfit
        g.node(name, [x], [(x.kind, x.shape, -size, size, False)])
    elif name == "LpNormalization":
        g.node(name, [x], [(x.kind, x.shape, -1, 1, False)], axis=g.draw.randrange(x.dims), p=g.draw.choice([1, 2]))
    else:
        if x.dims != 4:
            raise Unfit
        g.node(name, [x], [(x.kind, x.shape, -most_of(x), most_of(x), False)], size=g.draw.choice([1, 3]), alpha=0.01,
               beta=0.75, bias=1.0)


@operator("LayerNormalization", since=17)
def draw_layer_normal(g: Graph, name: str) -> None:
    x = g.take(DOUBLES, (2, 4), fits=lambda v: v.shape[-1] > 2, fresh=lambda: g.shape(1, 3, 4) + (g.draw.randint(4,
            9),))
    axis = g.draw.randint(1, x.dims - 1)
    if count(x.shape[axis:]) < 3:
        raise Unfit
    scale, bias = affine(g, x, x.shape[axis:])
    size = 2 * math.sqrt(count(x.shape[axis:])) + 2
    g.node(name, [x, scale, bias if g.draw.random() < 0.7 else None], [(x.kind, x.shape, -size, size, False)],
           axis=axis, epsilon=1e-3)


@operator("GroupNormalization", "RMSNormalization", since=24)
def draw_group_normal(g: Graph, name: str) -> None:
    if name == "RMSNormalization":
        x = g.take(("float32",), (2, 4))
        scale = g.fresh(x.kind, x.shape[-1:], 0.5, 1.5)
        size = 2 * math.sqrt(x.shape[-1]) + 1
        g.node(name, [x, scale], [(x.kind, x.shape, -size, size, False)], axis=-1, epsilon=1e-3)
        return
    x = images(g, ("float32",), 2)
    scale, bias = affine(g, x, (x.shape[1],))
    size = 2 * math.sqrt(count(x.shape[1:])) + 1
    g.node(name, [x, scale, bias], [(x.kind, x.shape, -size, size, False)], num_groups=2, epsilon=1e-2)


# ---- Products ----


@operator("MatMul")
def draw_product(g: Graph, name: str) -> None:
    x = g.take(("float32", "float64", "int32", "int64"), (1, 4))
    inner = x.shape[-1]
    if x.kind in ("int32", "int64") and x.dims == 1:
        raise Unfit
    batch = tuple(e if g.draw.random() < 0.7 else 1 for e in x.shape[:-2])
    batch = batch[g.draw.randint(0, len(batch)):]
    columns = g.draw.randint(1, 9)
    y = g.fresh(x.kind, (*batch, inner, columns) if g.draw.random() < 0.85 else (inner,), -2, 2)
    most = most_of(x, y) * inner
    rows = x.shape[:-1]
    shape = rows + ((columns,) if y.dims > 1 else ())
    g.node(name, [x, y], [(x.kind, shape, -most, most, x.kind.startswith("int"))])


@operator("Gemm")
def draw_gemm(g: Graph, name: str) -> None:
    x = g.take(DOUBLES, (2, 2))
    turned_a, turned_b = g.draw.randint(0, 1), g.draw.randint(0, 1)
    rows, inner = x.shape[::-1] if turned_a else x.shape
    columns = g.draw.randint(1, 9)
    y = g.fresh(x.kind, (columns, inner) if turned_b else (inner, columns))
    shapes = [(rows, columns), (columns,), (1, columns), (rows, 1), (1,)]
    c = g.fresh(x.kind, g.draw.choice(shapes)) if g.draw.random() < 0.7 else None
    most = most_of(x, y) * inner * 2 + 2
    g.node(name, [x, y, c], [(x.kind, (rows, columns), -most, most, False)], transA=turned_a, transB=turned_b,
           alpha=g.draw.uniform(0.5, 2), beta=g.draw.uniform(0.5, 2))


@operator("Einsum")
def draw_einsum(g: Graph, name: str) -> None:
    equation = g.draw.choice(["ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij,ij->i", "bhid,bhjd->bhij", "i,j->ij",
                              "...ij,...jk->...ik",
                              "ij->", "bij,kj->bik"])
    extents = {letter: g.draw.randint(2, 5) for letter in "abhijkd"}
    inputs, out = equation.replace("...", "a").split("->")
    values = [g.fresh(g.draw.choice(["float32"]), tuple(extents[letter]
                                                        for letter in each)) for each in inputs.split(",")]
    most = 200
    g.node(name, values, [("float32", tuple(extents[letter] for letter in out), -most, most, False)], equation=equation)


@operator("Det")
def draw_det(g: Graph, name: str) -> None:
    size = g.draw.randint(1, 4)
    x = g.fresh("float32", g.shape(1, 2, 3) + (size, size), -1, 1, constant=False)
    g.node(name, [x], [("float32", x.shape[:-2], -24, 24, False)])


# ---- Resampling ----


@operator("Resize", since=18)
def draw_resize(g: Graph, name: str) -> None:
    mode = g.draw.choice(["nearest", "linear", "cubic"])
    x = g.take(("float32",), (4, 4) if mode == "cubic" else (3, 4), exact=True, fits=lambda v: min(v.shape[2:]) > 2,
               fresh=lambda: (1, 2, g.draw.randint(3, 7), g.draw.randint(3, 7)))
    if x.dims == 3 and mode != "nearest":
        raise Unfit
    sizes = list(x.shape[:2]) + [g.draw.randint(1, 2 * e) for e in x.shape[2:]]
    attributes = {"mode": mode, "coordinate_transformation_mode":
                  g.draw.choice(["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                 "half_pixel_symmetric"])}
    if mode == "nearest":
        attributes["nearest_mode"] = g.draw.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if mode == "cubic":
        attributes["cubic_coeff_a"] = g.draw.choice([-0.5, -0.75])
        attributes["exclude_outside"] = g.draw.randint(0, 1)
    if mode != "nearest" and g.draw.random() < 0.3:
        attributes["antialias"] = 1
    most = 3 * most_of(x)
    exact = mode == "nearest"
    if g.draw.random() < 0.3 and attributes["coordinate_transformation_mode"] != "align_corners":
        scales = [1.0, 1.0] + [g.draw.choice([0.5, 1.5, 2.0, 3.0]) for _ in x.shape[2:]]
        shape = tuple(int(math.floor(e * s)) for e, s in zip(x.shape, scales))
        given = [None, g.fresh("float32", (len(scales),), constant=True, values=scales)]
    else:
        shape, given = tuple(sizes), [None, None, g.wholes(sizes)]
    g.node(name, [x, *given], [(x.kind, shape, -most, most, exact)], **attributes)


@operator("GridSample", since=20)
def draw_grid_sample(g: Graph, name: str) -> None:
    x = images(g, ("float32",), dims=2)
    mode, padding = g.draw.choice(["linear", "cubic"]), g.draw.choice(["zeros", "border", "reflection"])
    # ONNX Runtime moves places outside of the image in another way where it weighs by cubic functions.
    most_place = 0.7 if mode == "cubic" and padding != "zeros" else 1.3
    grid = g.fresh("float32", (x.shape[0], g.draw.randint(1, 4), g.draw.randint(1, 4), 2), -most_place, most_place)
    most = 3 * most_of(x)
    out = (x.kind, x.shape[:2] + grid.shape[1:3], -most, most, False)
    g.node(name, [x, grid], [out], mode=mode, padding_mode=padding, align_corners=g.draw.randint(0, 1))


@operator("AffineGrid", since=20)
def draw_affine_grid(g: Graph, name: str) -> None:
    theta = g.fresh("float32", (2, 2, 3), -1, 1, constant=False)
    size = [2, 3, g.draw.randint(2, 4), g.draw.randint(2, 5)]
    g.node(name, [theta, g.wholes(size)], [("float32", (2, *size[2:], 2), -4, 4, False)],
           align_corners=g.draw.randint(0, 1))


@operator("RoiAlign", since=16)
def draw_regions(g: Graph, name: str) -> None:
    x = images(g, ("float32",), dims=2)
    rows = g.draw.randint(1, 3)
    corners = [n for _ in range(rows) for n in (g.draw.uniform(0, 2), g.draw.uniform(0, 2), g.draw.uniform(2.5, 5),
                                                g.draw.uniform(2.5, 5))]
    rois = g.fresh("float32", (rows, 4), 0, 5, values=[float(rounded(n)) for n in corners])
    at = g.fresh("int64", (rows,), 0, x.shape[0] - 1)
    h, w = g.draw.randint(1, 3), g.draw.randint(1, 3)
    g.node(name, [x, rois, at], [(x.kind, (rows, x.shape[1], h, w), min(x.low, 0), max(x.high, 0), False)],
           output_height=h, output_width=w,
           mode=g.draw.choice(["avg", "max"]), sampling_ratio=g.draw.choice([1, 2]), spatial_scale=g.draw.choice([0.5,
                   1.0]))


def rounded(number: float) -> float:
    import struct

    return struct.unpack("<f", struct.pack("<f", number))[0]


@operator("NonMaxSuppression")
def draw_suppression(g: Graph, name: str) -> None:
    """The number of rows is what the library says."""
    batch, classes, boxes = 1, g.draw.randint(1, 2), g.draw.randint(2, 8)
    corners = [n for _ in range(boxes) for y, x in [(g.draw.uniform(0, 2), g.draw.uniform(0, 2))]
               for n in (y, x, y + g.draw.uniform(0.5, 2), x + g.draw.uniform(0.5, 2))]
    box = g.fresh("float32", (batch, boxes, 4), 0, 4, values=[rounded(n) for n in corners], constant=False)
    scores = g.fresh("float32", (batch, classes, boxes), 0, 1, constant=False)
    most = g.scalar("int64", g.draw.randint(1, boxes))
    g.node(name, [box, scores, most, g.scalar("float32", 0.5), g.scalar("float32", 0.25)],
           [("int64", (-1, 3), 0, boxes, True)], center_point_box=0).last = True


# ---- Cells ----


@operator("LSTM", "GRU", "RNN", since=14)
def draw_cell(g: Graph, name: str) -> None:
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[name]
    direction = g.draw.choice(["forward", "reverse", "bidirectional"])
    two = 2 if direction == "bidirectional" else 1
    hidden = g.draw.randint(1, 6)
    x = g.take(("float32",), (3, 3), high=10, low=-10)
    steps, batch, inner = x.shape
    w = g.fresh("float32", (two, gates * hidden, inner), -0.5, 0.5)
    r = g.fresh("float32", (two, gates * hidden, hidden), -0.5, 0.5)
    b = g.fresh("float32", (two, 2 * gates * hidden)) if g.draw.random() < 0.7 else None
    lengths = g.fresh("int32", (batch,), 1, steps) if g.draw.random() < 0.3 else None
    first = g.fresh("float32", (two, batch, hidden)) if g.draw.random() < 0.5 else None
    inputs = [x, w, r, b, lengths, first]
    attributes = {"hidden_size": hidden, "direction": direction}
    if name == "LSTM":
        inputs += [g.fresh("float32", (two, batch, hidden)) if g.draw.random() < 0.5 else None,
                   g.fresh("float32", (two, 3 * hidden)) if g.draw.random() < 0.3 else None]
    if name == "GRU":
        attributes["linear_before_reset"] = g.draw.randint(0, 1)
    state = ("float32", (two, batch, hidden), -9, 9, False)
    outputs = [("float32", (steps, two, batch, hidden), -1, 1, False), state] + ([state] if name == "LSTM" else [])
    g.node(name, inputs, outputs, **attributes)
