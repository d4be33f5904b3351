# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that move elements."""

from __future__ import annotations

from element_operators import NUMBERS, operator
from graphs import FLOATS, WHOLES, Graph, Node, Unfit, Value
from onnx_files import Tensor, count

ALL = NUMBERS + ("bool",)


def same(x: Value, shape: tuple[int, ...]) -> tuple:
    """An output with elements of x."""
    return (x.kind, shape, x.low, x.high, x.exact)


def axis_of(g: Graph, x: Value) -> tuple[int, int]:
    """An axis, and a number for it that may be negative."""
    axis = g.draw.randrange(x.dims)
    return axis, axis - x.dims if g.draw.random() < 0.3 else axis


@operator("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity")
def draw_reshape(g: Graph, name: str) -> None:
    x = g.take(ALL)
    if name == "Identity":
        g.node(name, [x], [same(x, x.shape)])
    elif name == "Flatten":
        axis = g.draw.randint(0, x.dims)
        g.node(name, [x], [same(x, (count(x.shape[:axis]), count(x.shape[axis:])))], axis=axis)
    elif name == "Squeeze":
        ones = [d for d, extent in enumerate(x.shape) if extent == 1]
        if not ones:
            raise Unfit
        g.node(name, [x, g.wholes(ones)], [same(x, tuple(e for e in x.shape if e != 1))])
    elif name == "Unsqueeze":
        axes = sorted(g.draw.sample(range(x.dims + 2), 2))
        shape = list(x.shape)
        for axis in axes:
            shape.insert(axis, 1)
        g.node(name, [x, g.wholes(axes)], [same(x, tuple(shape))])
    else:
        shape = list(x.shape)
        g.draw.shuffle(shape)
        cut = g.draw.randint(1, len(shape))
        shape = shape[:cut] + ([count(tuple(shape[cut:]))] if cut < len(shape) else [])
        given = list(shape)
        if g.draw.random() < 0.5:
            given[g.draw.randrange(len(given))] = -1
        g.node(name, [x, g.wholes(given)], [same(x, tuple(shape))])


@operator("Transpose")
def draw_transpose(g: Graph, name: str) -> None:
    x = g.take(ALL)
    order = list(range(x.dims))
    g.draw.shuffle(order)
    g.node(name, [x], [same(x, tuple(x.shape[d] for d in order))], perm=order)


@operator("Expand", "Tile")
def draw_expand(g: Graph, name: str) -> None:
    x = g.take(ALL)
    if name == "Tile":
        times = [g.draw.randint(1, 3) for _ in x.shape]
        g.node(name, [x, g.wholes(times)], [same(x, tuple(e * t for e, t in zip(x.shape, times)))])
        return
    shape = [g.draw.randint(2, 4) if extent == 1 else extent for extent in x.shape]
    shape = [2] * g.draw.randint(0, 1) + shape
    g.node(name, [x, g.wholes(shape)], [same(x, tuple(shape))])


@operator("Concat")
def draw_concat(g: Graph, name: str) -> None:
    x = g.take(ALL)
    axis, given = axis_of(g, x)
    many = [x]
    for _ in range(g.draw.randint(1, 3)):
        shape = x.shape[:axis] + (g.draw.randint(1, 4),) + x.shape[axis + 1:]
        there = [v for v in g.there() if v.kind == x.kind and v.dims == x.dims
                 and all(d == axis or v.shape[d] == e for d, e in enumerate(x.shape))]
        low = 0 if x.kind.startswith("u") else -2
        many.append(g.draw.choice(there) if there and g.draw.random() < 0.6 else g.fresh(x.kind, shape, low, 2))
    g.draw.shuffle(many)
    shape = x.shape[:axis] + (sum(v.shape[axis] for v in many),) + x.shape[axis + 1:]
    g.node(name, many, [(x.kind, shape, min(v.low for v in many), max(v.high for v in many),
                         all(v.exact for v in many))],
           axis=given)


@operator("Split")
def draw_split(g: Graph, name: str) -> None:
    x = g.take(ALL)
    axis, given = axis_of(g, x)
    if x.shape[axis] < 2:
        raise Unfit
    cuts = sorted(g.draw.sample(range(1, x.shape[axis]), min(g.draw.randint(1, 2), x.shape[axis] - 1)))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, x.shape[axis]])]
    outputs = [same(x, x.shape[:axis] + (size,) + x.shape[axis + 1:]) for size in sizes]
    g.node(name, [x, g.wholes(sizes)], outputs, axis=given)


@operator("Slice")
def draw_slice(g: Graph, name: str) -> None:
    x = g.take(ALL)
    axes = g.draw.sample(range(x.dims), g.draw.randint(1, x.dims))
    shape, starts, ends, steps = list(x.shape), [], [], []
    for axis in axes:
        extent, step = x.shape[axis], g.draw.choice([1, 1, 2, 3, -1, -2])
        a, b = sorted((g.draw.randint(0, extent), g.draw.randint(0, extent)))
        if a == b:
            a, b = 0, extent
        places = range(b - 1, a - 1, step) if step < 0 else range(a, b, step)
        starts.append(places.start if g.draw.random() < 0.6 else places.start - extent)
        ends.append(b if step > 0 else a - 1 if a > 0 else -(1 << 31))
        steps.append(step)
        shape[axis] = len(places)
    g.node(name, [x, g.wholes(starts), g.wholes(ends), g.wholes(axes), g.wholes(steps)], [same(x, tuple(shape))])


@operator("Pad")
def draw_pad(g: Graph, name: str) -> None:
    x = g.take(NUMBERS)
    modes = ["constant", "edge", "reflect"] + (["wrap"] if g.opset >= 19 else [])
    mode = g.draw.choice(modes)
    pads = [g.draw.randint(-1 if mode == "constant" else 0, 2) for _ in range(2 * x.dims)]
    if mode in ("reflect", "wrap"):
        pads = [min(pad, x.shape[d % x.dims] - 1) for d, pad in enumerate(pads)]
    shape = tuple(extent + pads[d] + pads[d + x.dims] for d, extent in enumerate(x.shape))
    if min(shape) < 1:
        raise Unfit
    value = g.scalar(x.kind, 1) if mode == "constant" and g.draw.random() < 0.5 else None
    out = (x.kind, shape, min(x.low, 0), max(x.high, 1), x.exact)
    g.node(name, [x, g.wholes(pads), value], [out], mode=mode)


@operator("Trilu", since=14)
def draw_trilu(g: Graph, name: str) -> None:
    x = g.take(FLOATS + ("int32", "int64", "bool"), dims=(2, 4))
    k = g.scalar("int64", g.draw.randint(-2, 2)) if g.draw.random() < 0.7 else None
    g.node(name, [x, k], [(x.kind, x.shape, min(x.low, 0), max(x.high, 0), x.exact)], upper=g.draw.randint(0, 1))


@operator("DepthToSpace", "SpaceToDepth")
def draw_blocks(g: Graph, name: str) -> None:
    size = 2
    if name == "DepthToSpace":
        x = g.take(FLOATS, (4, 4), fits=lambda v: v.shape[1] % 4 == 0, fresh=lambda: (2, 4 * g.draw.randint(1, 2), 2,
                3))
        shape = (x.shape[0], x.shape[1] // 4, x.shape[2] * size, x.shape[3] * size)
        g.node(name, [x], [same(x, shape)], blocksize=size, mode=g.draw.choice(["DCR", "CRD"]))
        return
    x = g.take(FLOATS, (4, 4), fits=lambda v: v.shape[2] % 2 == 0 and v.shape[3] % 2 == 0, fresh=lambda: (1, 3, 4, 6))
    g.node(name, [x], [same(x, (x.shape[0], x.shape[1] * 4, x.shape[2] // 2, x.shape[3] // 2))], blocksize=size)


# ---- By places ----


def places(g: Graph, shape: tuple[int, ...], extent: int) -> Value:
    return g.fresh(g.draw.choice(["int32", "int64"]), shape, -extent, extent - 1)


@operator("Gather", "GatherElements")
def draw_gather(g: Graph, name: str) -> None:
    x = g.take(ALL)
    axis, given = axis_of(g, x)
    if name == "Gather":
        where = g.shape(0, 2, 4)
        shape = x.shape[:axis] + where + x.shape[axis + 1:]
    else:
        shape = where = tuple(g.draw.randint(1, extent) if d != axis else g.draw.randint(1, 5) for d,
                              extent in enumerate(x.shape))
    g.node(name, [x, places(g, where, x.shape[axis])], [same(x, shape)], axis=given)


@operator("GatherND")
def draw_gather_slices(g: Graph, name: str) -> None:
    x = g.take(ALL, (2, 4))
    depth = g.draw.randint(1, x.dims)
    rows = g.draw.randint(1, 4)
    at = [g.draw.randint(-x.shape[d], x.shape[d] - 1) for _ in range(rows) for d in range(depth)]
    index = g.fresh("int64", (rows, depth), -7, 7, values=at)
    g.node(name, [x, index], [same(x, (rows,) + x.shape[depth:])])


def joined(g: Graph, x: Value) -> tuple[dict, float, float]:
    """A reduction of scattered elements, and bounds for at most 3 in one place."""
    least = 16
    most = max(abs(x.low), abs(x.high), 1)
    reduction = g.draw.choice(["none", "add", "mul"] + (["max", "min"] if g.opset >= 18 else []))
    if g.opset < least or reduction == "none" or x.kind == "bool":
        return {}, x.low, x.high
    low, high = {"add": (-9 * most, 9 * most), "mul": (-(most ** 4), most ** 4)}.get(reduction, (x.low, x.high))
    return {"reduction": reduction}, max(low, 0) if x.kind.startswith("u") else low, high


@operator("ScatterElements", "ScatterND", since=16)
def draw_scatter(g: Graph, name: str) -> None:
    x = g.take(FLOATS + ("int32", "int64"), (1, 3))
    attributes, low, high = joined(g, x)
    exact = x.exact and (x.kind in WHOLES or attributes.get("reduction") in (None, "max", "min"))
    if name == "ScatterElements":
        axis, given = axis_of(g, x)
        many = g.draw.sample(range(x.shape[axis]), g.draw.randint(1, x.shape[axis]))
        shape = tuple(len(many) if d == axis else extent for d, extent in enumerate(x.shape))
        inner = count(shape[axis + 1:])
        at = [many[i // inner % len(many)] for i in range(count(shape))]
        index = g.fresh("int64", shape, -9, 9, values=at)
        attributes["axis"] = given
    else:
        depth = g.draw.randint(1, x.dims)
        rows = list({tuple(g.draw.randrange(x.shape[d]) for d in range(depth)) for _ in range(3)})
        index = g.fresh("int64", (len(rows), depth), -9, 9, values=[i for row in rows for i in row])
        shape = (len(rows),) + x.shape[depth:]
    updates = g.fresh(x.kind, shape, -2, 2)
    g.node(name, [x, index, updates], [(x.kind, x.shape, min(low, -2), max(high, 2), exact)], **attributes)


@operator("OneHot")
def draw_one_hot(g: Graph, name: str) -> None:
    kind = g.draw.choice([g.kind, "int64", "int32"])
    depth = g.draw.randint(2, 5)
    index = g.fresh("int64", g.shape(1, 2), -depth, depth - 1)
    axis = g.draw.randint(0, index.dims)
    shape = index.shape[:axis] + (depth,) + index.shape[axis:]
    values = g.fresh(kind, (2,), 0, 3)
    g.node(name, [index, g.scalar("int64", depth), values], [(kind, shape, 0, 3, True)], axis=axis)


@operator("ReverseSequence")
def draw_reverse(g: Graph, name: str) -> None:
    x = g.take(ALL, (2, 4))
    time = g.draw.randint(0, 1)
    lengths = g.fresh("int64", (x.shape[1 - time],), 1, x.shape[time])
    g.node(name, [x, lengths], [same(x, x.shape)], batch_axis=1 - time, time_axis=time)


@operator("CenterCropPad", since=18)
def draw_crop(g: Graph, name: str) -> None:
    x = g.take(FLOATS + ("int32", "int64"))
    shape = [g.draw.randint(1, extent + 3) for extent in x.shape]
    g.node(name, [x, g.wholes(shape)], [(x.kind, tuple(shape), min(x.low, 0), max(x.high, 0), x.exact)])


@operator("EyeLike")
def draw_eye(g: Graph, name: str) -> None:
    x = g.take(FLOATS + ("int32", "int64"), (2, 2))
    g.node(name, [x], [(x.kind, x.shape, 0, 1, True)], k=g.draw.randint(-2, 2))


# ---- As many as data say ----


@operator("NonZero", "Compress")
def draw_selected(g: Graph, name: str) -> None:
    """Both count what data say; here no element is 0, and the mask is known, so that the shape is."""
    x = g.take(ALL, exact=True, fits=lambda v: v.low > 0) if name == "NonZero" else g.take(ALL)
    if name == "NonZero":
        if x.low <= 0:
            raise Unfit
        g.node(name, [x], [("int64", (x.dims, count(x.shape)), 0, max(x.shape), True)]).last = True
        return
    taken = [g.draw.random() < 0.6 for _ in range(x.shape[0])]
    if not any(taken):
        raise Unfit
    mask = g.fresh("bool", (len(taken),), constant=True, values=taken)
    g.node(name, [x, mask], [same(x, (sum(taken),) + x.shape[1:])], axis=0).last = True


# ---- Of shapes, and lists ----


@operator("ConstantOfShape", "Range", "Shape", "Size")
def draw_constant(g: Graph, name: str) -> None:
    if name == "ConstantOfShape":
        kind = g.draw.choice([g.kind, "int64", "int32", "uint8", "bool"])
        shape = g.shape(1, 3)
        y = g.node(name, [g.wholes(list(shape))], [(kind, shape, 1, 1, True)], value=Tensor(kind, (1,), [1]))
        g.node("Expand", [y, g.wholes([2, *shape])], [(kind, (2, *shape), 1, 1, True)])
    elif name == "Range":
        start, step, size = g.draw.randint(-9, 9), g.draw.choice([-2, 1, 3]), g.draw.randint(1, 7)
        bounds = [g.scalar("int64", n) for n in (start, start + step * size, step)]
        g.node(name, bounds, [("int64", (size,), -40, 40, True)])
    else:
        x = g.take(ALL)
        g.node(name, [x], [("int64", (x.dims,) if name == "Shape" else (), 0, 2000, True)])


@operator("SplitToSequence", "SequenceAt")
def draw_sequence(g: Graph, name: str) -> None:
    """Parts of a tensor in a sequence, and one of them or all joined."""
    x = g.take(ALL)
    axis, given = axis_of(g, x)
    x.readers += 1
    size = g.draw.randint(1, x.shape[axis])
    sizes = [size] * (x.shape[axis] // size) + ([x.shape[axis] % size] if x.shape[axis] % size else [])
    split = Value(f"s{len(g.values)}", x.kind, x.shape)
    g.nodes.append(Node("SplitToSequence", [x.name, g.scalar("int64", size).name], [split.name], {"axis": given}, "",
                        (x.kind,)))
    if name == "SequenceAt":
        place = g.draw.randrange(len(sizes))
        shape = x.shape[:axis] + (sizes[place],) + x.shape[axis + 1:]
        g.node(name, [split, g.scalar("int64", place)], [same(x, shape)])
    else:
        g.node("ConcatFromSequence", [split], [same(x, x.shape)], axis=given)
