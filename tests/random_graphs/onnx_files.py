# SPDX-License-Identifier: GPL-3.0-or-later
"""Models and tensors as ONNX files, written field by field (https://onnx.ai, onnx.proto)."""

from __future__ import annotations

import struct

# Types of elements: ONNX's number, the letter of `struct`, bytes.
TYPES = {
    "float32": (1, "f", 4),
    "uint8": (2, "B", 1),
    "int8": (3, "b", 1),
    "uint16": (4, "H", 2),
    "int16": (5, "h", 2),
    "int32": (6, "i", 4),
    "int64": (7, "q", 8),
    "bool": (9, "?", 1),
    "float16": (10, "e", 2),
    "float64": (11, "d", 8),
    "uint32": (12, "I", 4),
    "uint64": (13, "Q", 8),
}


def count(shape: tuple[int, ...]) -> int:
    out = 1
    for extent in shape:
        out *= extent
    return out


def varint(number: int) -> bytes:
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, value: bytes | str | int | float) -> bytes:
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def pack(kind: str, values: list) -> bytes:
    return struct.pack(f"<{len(values)}{TYPES[kind][1]}", *values)


def tensor(name: str, kind: str, shape: tuple[int, ...], values: list) -> bytes:
    """A TensorProto."""
    dims = b"".join(field(1, extent) for extent in shape)
    return dims + field(2, TYPES[kind][0]) + field(8, name) + field(9, pack(kind, values))


def value_info(name: str, kind: str, shape: tuple[int, ...] | None) -> bytes:
    dims = b"".join(field(1, field(1, extent)) for extent in shape or ())
    of_shape = b"" if shape is None else field(2, dims)
    return field(1, name) + field(2, field(1, field(1, TYPES[kind][0]) + of_shape))


class Tensor:
    """An attribute that is a tensor."""

    def __init__(self, kind: str, shape: tuple[int, ...], values: list):
        self.message = tensor("", kind, shape, values)


class Graph:
    """An attribute that is a graph; its message is that of `graph`."""

    def __init__(self, message: bytes):
        self.message = message


def attribute(name: str, value: object) -> bytes:
    out = field(1, name)
    if isinstance(value, Tensor):
        return out + field(5, value.message) + field(20, 4)
    if isinstance(value, Graph):
        return out + field(6, value.message) + field(20, 5)
    if isinstance(value, str):
        return out + field(4, value) + field(20, 3)
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], str):
            return out + b"".join(field(9, each) for each in value) + field(20, 8)
        if value and isinstance(value[0], float):
            return out + b"".join(field(7, each) for each in value) + field(20, 6)
        return out + b"".join(field(8, each) for each in value) + field(20, 7)
    if isinstance(value, float):
        return out + field(2, value) + field(20, 1)
    return out + field(3, int(value)) + field(20, 2)


def node(operation: str, inputs: list[str], outputs: list[str], attributes: dict, domain: str = "") -> bytes:
    out = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
    out += field(4, operation)
    out += b"".join(field(5, attribute(name, value)) for name, value in attributes.items())
    return out + (field(7, domain) if domain else b"")


def graph(nodes: list[bytes], constants: list[bytes], inputs: list[bytes], outputs: list[bytes]) -> bytes:
    out = b"".join(field(1, each) for each in nodes) + field(2, "random")
    out += b"".join(field(5, each) for each in constants)
    out += b"".join(field(11, each) for each in inputs)
    return out + b"".join(field(12, each) for each in outputs)


def model(of: bytes, opset: int) -> bytes:
    """A ModelProto; nodes of com.microsoft may be among the others."""
    ir = 8 if opset < 19 else 9 if opset < 21 else 10 if opset < 23 else 11
    opsets = field(8, field(2, opset)) + field(8, field(1, "com.microsoft") + field(2, 1))
    return field(1, ir) + opsets + field(7, of)
