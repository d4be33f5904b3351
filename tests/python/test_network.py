# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks as libraries: the arguments as options of the program, and its answer as objects."""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
import unittest
from pathlib import Path

import opevo
from searches import main, skip

WEIGHTS = (0.5, -1, 2, 1, -3, 0.25)


def field(number: int, value: bytes | int) -> bytes:
    """One field of a message of protobuf; its length is below 128."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def relu_of_gemm() -> bytes:
    """y = relu(x w) for x of (open, 3) and w of (3, 2)."""
    weights = struct.pack("<6f", *WEIGHTS)
    tensor = field(1, 3) + field(1, 2) + field(2, 1) + field(8, b"w") + field(9, weights)
    gemm = field(1, b"x") + field(1, b"w") + field(2, b"g") + field(4, b"Gemm")
    relu = field(1, b"g") + field(2, b"y") + field(4, b"Relu")
    shape = field(1, field(2, b"n")) + field(1, field(1, 3))
    value = field(1, b"x") + field(2, field(1, field(1, 1) + field(2, shape)))
    graph = field(1, gemm) + field(1, relu) + field(5, tensor) + field(11, value)
    graph += field(12, field(1, b"y"))
    length = bytes([len(graph) & 127 | 128, len(graph) >> 7])
    return field(1, 8) + bytes([7 << 3 | 2]) + length + graph + field(8, field(2, 13))


class Libraries(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = Path.cwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)
        Path("model.onnx").write_bytes(relu_of_gemm())

    def test_untuned(self) -> None:
        made = opevo.build_network("model.onnx", "library", shapes={"x": (4, 3)}, name="mine")
        self.assertEqual([kernel.operator for kernel in made.kernels], ["Gemm+Relu"])
        self.assertEqual(made.kernels[0], opevo.Kernel("Gemm+Relu", 1, None, None))
        self.assertIsNone(made.tuning)
        self.assertGreaterEqual(made.weight_bytes, 24)
        self.assertTrue((made.folder / "mine.h").is_file())
        parts = opevo.build_network("model.onnx", "library", shapes={"x": [4, 3]}, without=["fuse"])
        self.assertEqual([kernel.operator for kernel in parts.kernels], ["Gemm", "Relu"])

    def test_freestanding(self) -> None:
        made = opevo.build_network(
            "model.onnx", "library", shapes={"x": (4, 3)}, freestanding=True
        )
        self.assertEqual(made.packed_bytes, 0)
        self.assertTrue((made.folder / "weights.c").is_file())
        with self.assertRaisesRegex(opevo.Error, "--freestanding needs"):
            opevo.build_network(
                "model.onnx", "other", shapes={"x": (4, 3)}, freestanding=True, threads=2
            )

    def test_targets(self) -> None:
        made = opevo.build_network(
            "model.onnx", "library", shapes={"x": (4, 3)}, targets=("v2", "aarch64")
        )
        self.assertEqual([kernel.operator for kernel in made.kernels], ["Gemm+Relu"])
        for name in ("kernel_v2_000.c", "kernel_aarch64_000.c", "net_for_v2.h"):
            self.assertTrue((made.folder / name).is_file())
        with self.assertRaisesRegex(opevo.Error, "is not a target"):
            opevo.build_network("model.onnx", "library", targets=("v9",))

    def test_bound(self) -> None:
        made = opevo.build_network("model.onnx", "library", bindings={"x": (1, -2, 3)})
        self.assertEqual(made.kernels, [])
        with self.assertRaisesRegex(opevo.Error, "--bind"):
            opevo.build_network("model.onnx", "library", shapes={"x": (1, 3)}, bindings={"z": 1})

    def test_run(self) -> None:
        try:
            import numpy as np
        except ImportError:
            skip("numpy is not installed")
        x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
        outputs = opevo.run_network("model.onnx", [x])
        weights = np.array(WEIGHTS, np.float32).reshape(3, 2)
        self.assertEqual(list(outputs), ["y"])
        np.testing.assert_allclose(outputs["y"], np.maximum(x @ weights, 0), rtol=1e-6)
        with self.assertRaises(TypeError):
            opevo.run_network("model.onnx", [x.astype(complex)])

    def test_sequence(self) -> None:
        try:
            import numpy as np
        except ImportError:
            skip("numpy is not installed")
        kind = field(2, field(4, field(1, field(1, field(1, 1)))))
        erase = field(1, b"x") + field(2, b"y") + field(4, b"SequenceErase")
        graph = field(1, erase) + field(11, field(1, b"x") + kind) + field(12, field(1, b"y") + kind)
        Path("model.onnx").write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 17)))
        x = [np.full(i + 1, i, np.float32) for i in range(3)]
        outputs = opevo.run_network("model.onnx", [x])
        self.assertEqual(len(outputs["y"]), 2)
        for made, given in zip(outputs["y"], x):
            np.testing.assert_array_equal(made, given)
        self.assertEqual(opevo.run_network("model.onnx", [x[:1]])["y"], [])

    def test_tuned(self) -> None:
        if not shutil.which("cc"):
            skip("cc is not installed")

        def build() -> opevo.NetworkLibrary:
            return opevo.build_network(
                Path("model.onnx"),
                Path("library"),
                on="cpu",
                trials=4,
                threads=1,
                shapes={"x": (4, 3)},
                settings={"q": 0.5},
                store=Path("runs.db"),
                finals=0,
            )

        first, second = build().tuning, build().tuning
        assert first and second
        self.assertEqual((first.tasks, first.known, first.trials, first.resumed), (1, 1, 4, 0))
        self.assertEqual((second.trials, second.resumed), (4, 4))
        self.assertEqual(first.latency_s, second.latency_s)
        self.assertEqual([run["trials"] for run in opevo.call("runs", "runs.db")], [4])

    def test_refused(self) -> None:
        for problem, options in (
            ("--shape z", {"shapes": {"z": (1,)}}),
            ("unknown pass", {"only": ["fold", "blocks"]}),
            ("--on gpu", {"on": "gpu"}),
            ("--trials 0", {"on": "cpu", "trials": 0}),
        ):
            with self.subTest(problem), self.assertRaisesRegex(opevo.Error, problem.split()[0]):
                opevo.build_network("model.onnx", "library", **options)
            self.assertFalse(Path("library").exists())


if __name__ == "__main__":
    main()
