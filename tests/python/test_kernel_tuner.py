# SPDX-License-Identifier: GPL-3.0-or-later
"""opevo's tuners as a strategy of Kernel Tuner, against a stand-in of its interface."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "stand_in"))

import kernel_tuner  # noqa: E402
from kernel_tuner import util  # noqa: E402

import opevo  # noqa: E402
from searches import SHARED, built_in, configs, frozen, main, outcomes, search  # noqa: E402

ERRORS = {
    "rejected": util.InvalidConfig,
    "build-error": util.CompilationFailedConfig,
    "launch-error": util.RuntimeFailedConfig,
}


def tune_kernel(params: dict, measure: object, **more: object) -> tuple[list, dict]:
    """A search of Kernel Tuner with `measure` as the device."""
    return kernel_tuner.tune_kernel("toy", "", 1, [], params, measure=measure, **more)


def replay(table: dict) -> object:
    """A device that looks configurations up."""

    def measure(config: dict) -> dict:
        trial = table[frozen(config)]
        if trial["outcome"] != "ok":
            return dict.fromkeys(("time", "GFLOP/s"), ERRORS[trial["outcome"]]())
        return {"time": trial["time_s"] * 1000, "GFLOP/s": trial["fitness"]}

    return measure


def toy(folder: str) -> tuple[str, dict]:
    """A recording of 96 points, one in six of which fails, with its parameters."""
    params = {"a": [1, 2, 4, 8], "b": [2, 1, 3, 5], "c": ["x", "y", "z"], "d": [True, False]}
    types = {"a": "int", "b": "int", "c": "string", "d": "bool"}
    rows = ["a,b,c,d,time_ms,status"]
    states = ["ok"] * 10 + ["compile_error", "runtime_error"]
    for i in range(96):
        a, b = params["a"][i // 24], sorted(params["b"])[i // 6 % 4]
        c, d = params["c"][i // 2 % 3], "true" if i % 2 == 0 else "false"
        state = states[i * 7 % 12]
        time = f"{1 + a * abs(b - 3) + len(c) + (i % 5) / 7:.6f}" if state == "ok" else ""
        if a * b <= 20:
            rows.append(f"{a},{b},{c},{d},{time},{state}")
    Path(folder, "toy.csv").write_text("\n".join(rows) + "\n")
    described = {
        "format": "tuning-landscape 1",
        "name": "toy",
        "parameters": [
            {"name": name, "type": types[name], "values": sorted(each) if name == "b" else each}
            for name, each in params.items()
        ],
        "constraints": ["a * b <= 20"],
    }
    Path(folder, "toy.json").write_text(json.dumps(described))
    return f"recorded:{folder}/toy.csv", params


class SameTrials(unittest.TestCase):
    def test_toy(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            on, params = toy(folder)
            table = outcomes(on)
            for name in ("qgp", "opevo", "tpe"):
                expected = configs(search(on, name, 50, 4))
                for release in ("1.0", "1.4"):
                    kernel_tuner.RELEASE = release
                    for restriction in ("a * b <= 20", lambda p: p["a"] * p["b"] <= 20):
                        with self.subTest(tuner=name, release=release):
                            results, env = tune_kernel(
                                params,
                                replay(table),
                                restrictions=[restriction],
                                strategy=opevo.kernel_tuner.strategy(name, seed=4),
                                strategy_options={"max_fevals": 50},
                            )
                            found = [frozen(dict(zip(params, each))) for each in env["runner"].ran]
                            self.assertEqual(found, expected)
                            self.assertEqual(len(results), 50)

    def test_rates_and_the_built_in_recording(self) -> None:
        """Times and rates are the same search; tuples are written out by their components."""
        recorded = built_in()
        names = [f"{name}{i}" for name in "KXY" for i in range(2)]
        params = {name: [1, 2, 4, 8, 16, 32] for name in names}
        restrictions = ["K0 * K1 <= 32", "X0 * X1 <= 32", "Y0 * Y1 <= 32"]

        def measure(config: dict) -> dict:
            of = {n: (config[n + "0"], config[n + "1"]) for n in "KXY"}
            trial = recorded[frozen({n: (*two, 32 // (two[0] * two[1])) for n, two in of.items()})]
            return {"time": trial["time_s"] * 1000, "GFLOP/s": trial["fitness"]}

        found = []
        for objective, larger in (("time", False), ("GFLOP/s", True)):
            _, env = tune_kernel(
                params,
                measure,
                restrictions=restrictions,
                strategy=opevo.kernel_tuner.strategy("qgp", seed=2),
                strategy_options={"max_fevals": 40},
                objective=objective,
                objective_higher_is_better=larger,
            )
            found.append(env["runner"].ran)
        self.assertEqual(found[0], found[1])
        self.assertEqual(len(set(found[0])), 40)

    @unittest.skipUnless(SHARED.is_dir(), "OPEVO_TEST_LANDSCAPES names no folder")
    def test_recorded(self) -> None:
        for name in ("conv_a100", "gemm_rtx3090"):
            on = f"recorded:{SHARED / name}.csv.xz"
            described = json.loads((SHARED / f"{name}.json").read_text())
            params = {each["name"]: each["values"] for each in described["parameters"]}
            table = outcomes(on, "--only-recorded")
            expected = configs(search(on, "qgp", 60, 3))
            _, env = tune_kernel(
                params,
                replay(table),
                restrictions=[lambda p: frozen(p) in table],
                strategy=opevo.kernel_tuner.strategy("qgp", seed=3),
                strategy_options={"max_fevals": 60},
                objective="GFLOP/s",
                objective_higher_is_better=True,
            )
            found = [frozen(dict(zip(params, each))) for each in env["runner"].ran]
            self.assertEqual(found, expected, name)


class Limits(unittest.TestCase):
    params = {"x": list(range(20)), "y": list(range(10))}

    def tune(self, measure=lambda p: {"time": 1.0 + p["x"] + p["y"]}, release="1.4", **more):
        kernel_tuner.RELEASE = release
        strategy = more.pop("strategy", None) or opevo.kernel_tuner.strategy("random", seed=1)
        return tune_kernel(self.params, measure, strategy=strategy, **more)

    def test_the_whole_space(self) -> None:
        for release in ("1.0", "1.4"):
            results, env = self.tune(release=release)
            self.assertEqual(len(results), 200)
            self.assertEqual(len(set(env["runner"].ran)), 200)

    def test_time_limit(self) -> None:
        for release in ("1.0", "1.4"):
            results, _ = self.tune(release=release, strategy_options={"time_limit": 0})
            self.assertLessEqual(len(results), 1)

    def test_several_at_once(self) -> None:
        for drops in (False, True):
            one, _ = self.tune(strategy_options={"max_fevals": 30})
            strategy = opevo.kernel_tuner.strategy("random", seed=1, parallel=8)
            options = {"max_fevals": 30}
            several, env = self.tune(strategy=strategy, strategy_options=options, drops=drops)
            self.assertEqual(several, one)
            self.assertEqual(env["runner"].batches[:3], [8, 8, 8])
            self.assertEqual(len(env["runner"].ran), 30)

    def test_failures(self) -> None:
        def measure(config: dict) -> dict:
            error = [None, *ERRORS.values(), util.ErrorConfig][config["x"] % 5]
            return {"time": error() if error else 2.0}

        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "runs.db")
            strategy = opevo.kernel_tuner.strategy("random", store=store)
            for release in ("1.0", "1.4"):
                self.tune(measure, release, strategy=strategy, strategy_options={"max_fevals": 40})
            (run,) = opevo.call("runs", store)
            trials = opevo.call("runs", store + ":1", "--trials")["trials"]
        self.assertEqual((run["objective"], len(trials)), ("toy", 80))
        expected = ["ok", "rejected", "build-error", "launch-error", "launch-error"]
        for trial in trials:
            self.assertEqual(trial["outcome"], expected[trial["configuration"]["x"] % 5])
        self.assertEqual({trial["time_s"] for trial in trials if trial["outcome"] == "ok"}, {0.002})

    def test_errors(self) -> None:
        with self.assertRaisesRegex(opevo.Error, "did you mean qgp"):
            self.tune(strategy=opevo.kernel_tuner.strategy("qpg"))
        with self.assertRaisesRegex(opevo.Error, "not above 0"):
            self.tune(lambda p: {"time": -1.0})
        with self.assertRaisesRegex(opevo.Error, "one objective"):
            self.tune(lambda p: {"time": 1.0, "energy": 1.0}, objective=["time", "energy"])
        with self.assertRaisesRegex(opevo.Error, "relax"):
            self.tune(restrictions=["x > 100"])
        with self.assertRaisesRegex(opevo.Error, "parallel=0"):
            opevo.kernel_tuner.strategy("qgp", parallel=0)


if __name__ == "__main__":
    if not SHARED.is_dir():
        print("skipped: recorded landscapes: OPEVO_TEST_LANDSCAPES names no folder")
    main()
