#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small residual network with random weights as an ONNX file: make_network.py OUT.onnx [SIDE [BATCH]]

Six stages of convolutions of 3 x 3 on 3 x SIDE x SIDE (224), with shortcuts, then the mean and a layer
of 100 classes. BATCH (1) may be a name. Weights are uniform with the variance that keeps the scale of what goes through."""

import array
import random
import sys

STAGES = [(32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1)]  # channels, stride
CLASSES = 100


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def ints(name, values):
    return data(5, data(1, name) + b"".join(number(8, v) for v in values) + number(20, 7))


def node(kind, inputs, output, *attributes):
    names = b"".join(data(1, one) for one in inputs)
    return data(1, names + data(2, output) + data(3, output) + data(4, kind) + b"".join(attributes))


def tensor(name, shape, spread):
    count = 1
    for extent in shape:
        count *= extent
    values = array.array("f", (random.uniform(-spread, spread) for _ in range(count)))
    if sys.byteorder == "big":
        values.byteswap()
    extents = b"".join(number(1, extent) for extent in shape)
    return data(5, extents + number(2, 1) + data(8, name) + data(9, values.tobytes()))


def ends(field, name, shape):
    extents = b"".join(
        data(1, data(2, one) if isinstance(one, str) else number(1, one)) for one in shape
    )
    return data(field, data(1, name) + data(2, data(1, number(1, 1) + data(2, extents))))


class Network:
    def __init__(self):
        self.nodes, self.weights, self.count = b"", b"", 0

    def add(self, kind, inputs, *attributes):
        self.count += 1
        name = f"t{self.count}"
        self.nodes += node(kind, inputs, name, *attributes)
        return name

    def weight(self, shape, terms):
        self.count += 1
        name = f"w{self.count}"
        self.weights += tensor(name, shape, (6 / terms) ** 0.5)
        return name

    def convolution(self, at, channels, out, stride, kernel=3):
        weight = self.weight([out, channels, kernel, kernel], channels * kernel * kernel)
        bias = self.weight([out], 600)
        pad = kernel // 2
        return self.add(
            "Conv", [at, weight, bias], ints("pads", [pad] * 4), ints("strides", [stride] * 2)
        )


def main():
    side = int(sys.argv[2]) if len(sys.argv) > 2 else 224
    batch = sys.argv[3] if len(sys.argv) > 3 else "1"
    batch = int(batch) if batch.isdigit() else batch
    random.seed(1)
    net, at, channels = Network(), "image", 3
    for out, stride in STAGES:
        before = at
        at = net.add("Relu", [net.convolution(at, channels, out, stride)])
        at = net.convolution(at, out, out, 1)
        if (out, stride) != (channels, 1):
            before = net.convolution(before, channels, out, stride, 1)
        at = net.add("Relu", [net.add("Add", [at, before])])
        channels = out
    at = net.add("MaxPool", [at], ints("kernel_shape", [2, 2]), ints("strides", [2, 2]))
    at = net.add("Flatten", [net.add("GlobalAveragePool", [at])])
    layer = [at, net.weight([channels, CLASSES], channels), net.weight([CLASSES], 600)]
    at = net.add("Gemm", layer)
    graph = net.nodes + data(2, "residual") + net.weights
    graph += ends(11, "image", [batch, 3, side, side]) + ends(12, at, [batch, CLASSES])
    model = number(1, 8) + data(7, graph) + data(8, number(2, 13))
    with open(sys.argv[1], "wb") as file:
        file.write(model)


if __name__ == "__main__":
    main()
