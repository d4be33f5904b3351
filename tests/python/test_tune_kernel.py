# SPDX-License-Identifier: GPL-3.0-or-later
"""tune_kernel: right and wrong results, what is measured, caches of Kernel Tuner, and refusals."""

import itertools
import json
import math
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import opevo
from opevo._kernel_harness import restrictions_of

try:
    import numpy
except ImportError:
    print("skipped: numpy is missing; ./dev notebooks installs it")
    sys.exit(77)

COUNT = 1003
ADD = """
void add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n - (shift == 3); i++)
        c[i] = a[i] + b[i] + (shift == 2 ? 0.5f : 0);
#if shift == 4
#error planted
#endif
}
"""
CUDA = """
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int x = (blockIdx.x * block_size_x + threadIdx.x) * items;
    for (int i = x; i < x + items; i++)
        if (i < n)
            c[i] = a[i] + b[i];
}
"""


OPENCL = """
typedef struct { int n; float scale[2]; double wide; } size;
__kernel void add(__global const float *a, __global const float *b, __global float *c, const size s)
{
    int x = get_group_id(0) * block_size_x * items + get_local_id(0) * (apart ? 1 : items);
    for (int i = 0; i < items; i++) {
        int k = x + i * (apart ? block_size_x : 1);
        if (k < s.n)
            c[k] = (a[k] + b[k]) * s.scale[0] * s.scale[1] * (float)s.wide;
    }
}
"""


class TuneKernel(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(1)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cache = Path(self.folder.name) / "cache.json"
        self.a, self.b = (random.random(COUNT, dtype=numpy.float32) for _ in range(2))
        self.arguments = [self.a, self.b, numpy.zeros_like(self.a), numpy.int32(COUNT)]
        self.answer = [None, None, self.a + self.b, None]

    def tune(self, shifts, **options):
        options = {"lang": "C", "answer": self.answer, **options}
        kernel = options.pop("kernel", "add")
        return opevo.tune_kernel(kernel, ADD, COUNT, self.arguments, {"shift": shifts}, **options)

    def test_only_right_ones_are_returned(self):
        results, env = self.tune([1, 2, 3, 4], cache=self.cache)
        self.assertEqual([each["shift"] for each in results], [1])
        self.assertGreater(results[0]["time"], 0)
        self.assertIn("features", env["device_name"])
        entries = json.loads(self.cache.read_text())["cache"]
        self.assertEqual(entries["4"]["time"], "CompilationFailedConfig")
        self.assertEqual(entries["2"]["time"], "RuntimeFailedConfig")

    def test_without_answer_the_first_is_right(self):
        results, _ = self.tune([1, 2], answer=None, atol=1e-3)
        self.assertEqual([each["shift"] for each in results], [1])
        results, _ = self.tune([1, 2], answer=None, atol=1)
        self.assertEqual(sorted(each["shift"] for each in results), [1, 2])

    def test_a_cache_is_continued(self):
        self.tune([1, 5], cache=self.cache, restrictions=["shift < 5"])
        known = json.loads(self.cache.read_text())
        known["cache"]["1"]["time"] = 12345.0  # a mark
        open_file = json.dumps(known)[:-2] + ","  # as Kernel Tuner leaves it when it is stopped
        self.cache.write_text(open_file)
        results, _ = self.tune([1, 5], cache=self.cache)
        self.assertEqual({each["shift"]: each["time"] > 12344 for each in results}, {1: True, 5: False})
        results, _ = self.tune([1, 5], cache=self.cache)
        self.assertEqual(len(results), 2)
        with self.assertRaisesRegex(opevo.Error, "tune_params_keys"):
            opevo.tune_kernel(
                "add", ADD, COUNT, self.arguments, {"other": [1]}, lang="C", cache=self.cache
            )

    def test_the_cache_is_a_landscape(self):
        self.tune([1, 5, 6], cache=self.cache)
        text = json.dumps(opevo.call("landscape", "--on", f"recorded:{self.cache}"))
        self.assertRegex(text, '"points": 3')

    def test_blocks_and_grid(self):
        worker = Path(shutil.which(opevo.program()) or "").with_name("opevo-worker-simt")
        if not worker.exists() or not shutil.which("clang-19"):
            self.skipTest("opevo-worker-simt or clang-19 is missing")
        results, _ = opevo.tune_kernel(
            "add", CUDA, COUNT, self.arguments,
            {"block_size_x": [32, 96], "items": [1, 3]},
            grid_div_x=["block_size_x", "items"], answer=self.answer, on="simt",
        )  # fmt: skip
        self.assertEqual(len(results), 4)
        results, _ = opevo.tune_kernel(
            "add", CUDA, COUNT, self.arguments, {"block_size_x": [32], "items": [1, 3]},
            grid_div_x=["block_size_x * 2"], answer=self.answer, on="simt",
        )  # fmt: skip
        self.assertEqual([each["items"] for each in results], [3])

    def test_opencl(self):
        """Blocks, divisors by functions, a struct, and restrictions: the configurations that are
        right are those that Kernel Tuner's meaning of the call allows, by enumeration."""
        if "opencl:0" not in json.dumps(opevo.call("devices")):
            self.skipTest("no OpenCL device: install pocl-opencl-icd")
        params = {"block_size_x": [8, 16, 32], "items": [1, 2, 3], "apart": [0, 1]}
        kind = numpy.dtype([("n", "i4"), ("scale", "f4", (2,)), ("wide", "f8")], align=True)
        record = numpy.array((COUNT, (0.5, 2.0), 1.0), dtype=kind)
        restrictions = [
            "block_size_x * items <= 48",
            lambda p: p["items"] != 2 or p["apart"] == 1,
            lambda p: p["block_size_x"] > 8 and p["items"] > 0,
        ]
        wanted = {
            tuple(config.values())
            for values in itertools.product(*params.values())
            for config in [dict(zip(params, values))]
            if eval(restrictions[0], dict(config)) and all(each(config) for each in restrictions[1:])
        }
        divisors = [
            ["block_size_x", "items"],
            lambda p: p["block_size_x"] * p["items"],
            ["block_size_x * items"],
        ]
        for divisor in divisors:
            results, _ = opevo.tune_kernel(
                "add", OPENCL, lambda p: COUNT, [*self.arguments[:3], record[()]], params,
                grid_div_x=divisor, restrictions=restrictions, lang=None,
                answer=lambda arguments: [None, None, arguments[0] + arguments[1], None],
            )  # fmt: skip
            self.assertEqual({tuple(each[name] for name in params) for each in results}, wanted)
        packed = numpy.zeros((), dtype=[("n", "i4"), ("wide", "f8")])
        with self.assertRaisesRegex(opevo.Error, "align=True"):
            opevo.tune_kernel("add", OPENCL, COUNT, [*self.arguments[:3], packed[()]], params)

    def test_restrictions_of_python(self):
        """As many points as Python itself allows, whoever evaluates a restriction."""
        params = {"a": [1, 2, 3, 4, 6, 8], "b": [1, 2, 3], "kind": ["row", "col"], "on": [True, False]}
        points = [dict(zip(params, values)) for values in itertools.product(*params.values())]
        texts = [
            "a % b == 0 and not (a > 4 and b in [2, 3])", "1 < a <= 6 != b", "a // 2 ** b > 0 or kind == 'row'",
            "max([a, b]) - min(a, b) < len([a, b]) + 1", "b if a > 2 else on", "a not in (1, 2) or on",
            "(a, b) in [(1, 2), (3, 3)]", "int(math.log2(a)) == b", "pow(a, b) < 30 and round(a / b) > 1",
            "any(a == x * b for x in range(3))", "len({a, b}) == 2", "kind.startswith('r') and a > 1",
            "(lambda x: x > 2)(a * b)", "abs(a - b) < 2 and kind in ['col']", "sum([a, b, on]) % 2",
        ]  # fmt: skip
        functions = [lambda p: p["a"] > p["b"], lambda a, on: a > 3 or on]
        names = {"math": math}
        for each in [*texts, *functions]:
            if callable(each):
                wanted = sum(bool(each(p) if each is functions[0] else each(p["a"], p["on"])) for p in points)
            else:
                wanted = sum(bool(eval(each, {**names, **p})) for p in points)
            space = {"tune_params": params, "restrictions": restrictions_of(each, params)}
            self.cache.write_text(json.dumps(space))
            self.assertEqual(opevo.call("space", str(self.cache))["allowed"]["points"], wanted, each)
        mixed = {"tune_params": params, "restrictions": ["a > 2 && !(b == 2) || kind == 'row' and on"]}
        self.cache.write_text(json.dumps(mixed))
        wanted = sum(p["a"] > 2 and p["b"] != 2 or p["kind"] == "row" and p["on"] for p in points)
        self.assertEqual(opevo.call("space", str(self.cache))["allowed"]["points"], wanted)
        with self.assertRaisesRegex(opevo.Error, "^constraint 1, column 8: unexpected end"):
            self.tune([1], restrictions=["shift >"])
        with self.assertRaisesRegex(opevo.Error, r"^restrictions: 'a.b\(3\)' fails: AttributeError"):
            restrictions_of("a.b(3)", params)

    def test_strategies(self):
        results, _ = self.tune(list(range(10, 40)), strategy="random", strategy_options={"max_fevals": 5})
        self.assertEqual(len(results), 5)
        for strategy, options in (("genetic_algorithm", {"max_fevals": 3}), ("random_sample", {"fraction": 0.1})):
            results, _ = self.tune(list(range(10, 40)), strategy=strategy, strategy_options=options)
            self.assertEqual(len(results), 3)

    def test_values_and_arrays_of_numpy(self):
        """Numbers of numpy are values, arrays of truth values bytes; where nothing is right, a
        warning has the reason."""
        flags = self.a > 0.5
        source = ADD.replace("const float *a", "const _Bool *a")
        with self.assertWarnsRegex(UserWarning, "^No configuration is right: .* undefined symbol"):
            results, _ = self.tune([1], kernel="sum")
        self.assertEqual(results, [])
        results, _ = opevo.tune_kernel(
            "add", source, COUNT, [flags, *self.arguments[1:]], {"shift": numpy.array([1, 2])},
            answer=[None, None, flags + self.b, None], lang="C",
        )  # fmt: skip
        self.assertEqual([each["shift"] for each in results], [1])

    def test_tolerance_is_that_of_numpy(self):
        """Beside atol, a relative difference of 1e-5 is accepted, as by numpy.allclose."""
        sums = self.a + self.b
        for factor in (1 + 9e-6, 1 + 2e-5):
            answer = [None, None, (sums * factor).astype(numpy.float32), None]
            results, _ = self.tune([1], answer=answer, atol=0)
            close = numpy.allclose(answer[2], sums, atol=0)
            self.assertEqual(len(results), int(close), factor)

    def test_answers_of_any_size_are_verified(self):
        def verify(answer, results):
            return numpy.isclose(answer[2], results[2].sum(), rtol=1e-3)

        total = [None, None, (self.a + self.b).sum(dtype=numpy.float64), None]
        results, _ = self.tune([2, 1], verify=verify, answer=total)
        self.assertEqual([each["shift"] for each in results], [1])
        with self.assertRaisesRegex(opevo.Error, r"^answer\[2\]: 1 elements instead of"):
            self.tune([1], answer=total)

    def test_verify(self):
        seen = []

        def verify(answer, results, atol):
            self.assertEqual(atol, 0.25)
            self.assertIs(answer, self.answer)
            self.assertEqual([each is None for each in results], [True, True, False, True])
            seen.append(results[2].shape)
            return numpy.abs(results[2] - self.answer[2]).max() < 0.6

        results, _ = self.tune([1, 2, 3], verify=verify, atol=0.25)
        self.assertEqual(sorted(each["shift"] for each in results), [1, 2])
        self.assertEqual(set(seen), {self.a.shape})

        def all_of_them(answer, results):
            self.assertIsNone(answer)
            self.assertTrue((results[0] == self.a).all() and results[3] is None)
            return (results[2] == self.a + self.b).all()

        results, _ = self.tune([2, 1], verify=all_of_them, answer=None)
        self.assertEqual([each["shift"] for each in results], [1])
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            self.tune([1], verify=lambda answer, results: 1 / 0)

    def test_other_arguments(self):
        scaled = """
        void scale(const float *in, float *out)
        {
            for (int i = 0; i < COUNT; i++)
                out[i] = TWICE * FACTOR * in[i] + (__GNUC__ < 5);
        #ifdef factor
        #error parameters are not defined beside defines
        #endif
        }
        """
        results, env = opevo.tune_kernel(
            "scale", scaled, (COUNT, 1), [self.a, numpy.zeros_like(self.a)], {"factor": [2, 3]},
            None, None, None, ["factor > 1"],
            answer=None, verify=lambda _, out: numpy.isin((out[1] / self.a).round(), [4, 6]).all(),
            lang="C", compiler="gcc", defines={"TWICE": "2", "FACTOR": lambda p: p["factor"], "COUNT": COUNT},
            metrics={"rate": lambda each: 1 / each["time"], "twice": "2 * rate"},
            objective="rate", objective_higher_is_better=True, cache=self.cache.with_suffix(""),
            strategy_options={"time_limit": 100}, verbose=True, quiet=True,
        )  # fmt: skip
        self.assertEqual(len(results), 2)
        for each in results:
            self.assertAlmostEqual(each["twice"] * each["time"], 2)
        self.assertEqual(env["best_config"], max(results, key=lambda each: each["rate"]))
        self.assertEqual(len(json.loads(self.cache.read_text())["cache"]), 2)

    def test_structs_and_halves_in_c(self):
        source = """
        struct line { double offset; _Float16 slope; };
        void line(const _Float16 *in, _Float16 *out, struct line by)
        {
            for (int i = 0; i < COUNT - (shift == 2); i++)
                out[i] = by.slope * in[i] + by.offset;
        }
        """
        kind = numpy.dtype(
            [("offset", "f8"), ("slope", "f2")], align=True, metadata={"type": "struct line"}
        )
        values = self.a.astype("float16")
        results, _ = opevo.tune_kernel(
            "line", source, COUNT, [values, numpy.zeros_like(values), numpy.array((1, 2), kind)],
            {"shift": [1, 2]}, answer=[None, 2 * values + 1, None], atol=2e-3, lang="C",
            compiler_options=[f"-DCOUNT={COUNT}"],
        )  # fmt: skip
        self.assertEqual([each["shift"] for each in results], [1])

    def test_memory_of_cuda(self):
        """Constant memory is a variable of the module; shared memory has a size."""
        worker = Path(shutil.which(opevo.program()) or "").with_name("opevo-worker-simt")
        if not worker.exists() or not shutil.which("clang-19"):
            self.skipTest("opevo-worker-simt or clang-19 is missing")
        source = """
        __constant__ float weights[2];
        extern "C" __global__ void weigh(const float *in, float *out)
        {
            extern __shared__ float part[];
            int i = blockIdx.x * block_size_x + threadIdx.x;
            part[threadIdx.x] = in[i];
            __syncthreads();
            out[i] = weights[0] * part[threadIdx.x] + weights[1];
        }
        """
        n = 192
        answer = [None, 3 * self.a[:n] + 1]
        for size in (lambda p: 4 * p["block_size_x"], "4 * block_size_x", 4 * 64):
            results, _ = opevo.tune_kernel(
                "weigh", source, n, [self.a[:n], numpy.zeros(n, "f4")], {"block_size_x": [32, 64]},
                answer=answer, on="simt", smem_args={"size": size},
                cmem_args={"weights": numpy.array([3, 1], "f4")},
            )  # fmt: skip
            self.assertEqual(len(results), 2)

    def test_refusals(self):
        for name, value in {
            "texmem_args": {"t": self.a}, "simulation_mode": True, "observers": [print], "log": 10,
            "iterations": 0, "parallel": 2, "objectives": {"time": False}, "platform": 0,
            "smem_args": {"size": 1}, "cmem_args": {"c": self.a}, "strategy": "bayes_opt",
            "compiler_options": "-O3", "verify": "all", "cache": "/none/such", "restrictions": [3],
            "metrics": {"rate": "1 / nothing"},
        }.items():  # fmt: skip
            with self.assertRaisesRegex(opevo.Error, f"^{name}: "):
                self.tune([1], **{name: value})
        with self.assertRaisesRegex(opevo.Error, "^compiler: applies to kernels in C"):
            opevo.tune_kernel("add", CUDA, 1, self.arguments, {"items": [1]}, compiler="nvcc")
        with self.assertRaisesRegex(opevo.Error, "^objective: a tuner"):
            self.tune([1], objective="GFLOP/s", strategy="random")
        with self.assertRaisesRegex(opevo.Error, "objective_higher_is_better"):
            self.tune([1], objective="energy")
        with self.assertRaisesRegex(opevo.Error, "^kernel_source: "):
            opevo.tune_kernel("add", lambda p: ADD, 1, self.arguments, {"shift": [1]})
        with self.assertRaisesRegex(opevo.Error, "^kernel_source: add.cl is neither a file"):
            opevo.tune_kernel("add", "add.cl", 1, self.arguments, {"shift": [1]})
        with self.assertRaisesRegex(opevo.Error, "^objective: energy is none of shift, time"):
            self.tune([1], objective="energy", objective_higher_is_better=False)
        with self.assertRaisesRegex(opevo.Error, "lang='fortran'"):
            self.tune([1], lang="fortran")
        with self.assertRaisesRegex(opevo.Error, "one entry for each argument"):
            self.tune([1], answer=[None])
        with self.assertRaisesRegex(opevo.Error, "type complex64"):
            opevo.tune_kernel("add", ADD, 1, [numpy.zeros(3, "complex64")], {"shift": [1]}, lang="C")


if __name__ == "__main__":
    unittest.main()
