# SPDX-License-Identifier: GPL-3.0-or-later
"""The client against the program's server: same trials, threads, errors, deaths."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from functools import partial
from pathlib import Path

import opevo
from searches import MATMUL, built_in, configs, frozen, main, search


def measure(config: dict) -> float:
    return built_in()[frozen(config)]["fitness"]


def asked(tuner: opevo.Tuner, count: int, at_once: int = 1, shuffle: int | None = None) -> list:
    """The configurations of `count` trials, told in a shuffled order within each lot."""
    found = {}
    order = random.Random(shuffle)
    while len(found) < count:
        lot = tuner.ask(min(at_once, count - len(found)))
        assert lot, "nothing was asked"
        found.update({trial.number: frozen(trial.config) for trial in lot})
        if shuffle is not None:
            order.shuffle(lot)
        for trial in lot:
            tuner.tell(trial, measure(trial.config))
    return [found[number] for number in sorted(found)]


class SameTrials(unittest.TestCase):
    def test_tuners(self) -> None:
        for name in ("random", "opevo", "qgp", "tpe", "nsga2", "gbfs"):
            expected = configs(search("recorded:", name, 60, 7))
            with self.subTest(tuner=name), opevo.Tuner(
                MATMUL, name, seed=7, result="gflops"
            ) as tuner:
                self.assertEqual(asked(tuner, 60), expected)

    def test_starts(self) -> None:
        text = "K=1,8,4 X=2,4,4 Y=32,1,1"
        start = {"K": (1, 8, 4), "X": (2, 4, 4), "Y": (32, 1, 1)}
        for name in ("random", "opevo", "qgp", "kt-genetic"):
            expected = configs(search("recorded:", name, 30, 3, "--start", text))
            with opevo.Tuner(MATMUL, name, seed=3, result="gflops", start=[start]) as tuner:
                self.assertEqual(asked(tuner, 30), expected, name)
            self.assertEqual(expected[0], frozen(start))
        with self.assertRaisesRegex(opevo.Error, '"start".*Parameter K: '):
            opevo.Tuner(MATMUL, start=[{**start, "K": (3, 1, 1)}])

    def test_several_at_once_in_any_order(self) -> None:
        for name in ("opevo", "qgp"):
            expected = configs(search("recorded:", name, 50, 3))
            with self.subTest(tuner=name), opevo.Tuner(
                MATMUL, name, seed=3, result="gflops"
            ) as tuner:
                self.assertEqual(asked(tuner, 50, at_once=5, shuffle=1), expected)

    def test_times(self) -> None:
        # Kernel Tuner's strategies compare times, which a recording has beside its rates.
        for name in ("opevo", "kt-tabu-greywolf"):
            expected = configs(search("recorded:", name, 60, 7))
            with self.subTest(tuner=name), opevo.Tuner(
                MATMUL, name, seed=7, result="time"
            ) as tuner:
                found = []
                for _ in range(60):
                    (trial,) = tuner.ask()
                    found.append(frozen(trial.config))
                    tuner.tell(trial, built_in()[found[-1]]["time_s"])
                self.assertEqual(found, expected)

    def test_settings_and_large_seeds(self) -> None:
        seed = 2**64 - 1
        expected = configs(search("recorded:", "opevo", 30, seed, "--set", "q=0.8"))
        settings = {"q": 0.8}
        with opevo.Tuner(MATMUL, seed=seed, settings=settings, result="gflops") as tuner:
            self.assertEqual(asked(tuner, 30), expected)

    def test_threads_and_tuners_share_a_server(self) -> None:
        expected = configs(search("recorded:", "qgp", 30, 5))
        found: dict[int, list] = {}

        def run(i: int) -> None:
            with opevo.Tuner(MATMUL, "qgp", seed=5, result="gflops") as tuner:
                found[i] = asked(tuner, 30)

        measure({"K": (32, 1, 1), "X": (32, 1, 1), "Y": (32, 1, 1)})
        threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([found[i] for i in range(4)], [expected] * 4)


class AskAndTell(unittest.TestCase):
    def test_run_with_workers(self) -> None:
        with opevo.Tuner(MATMUL, "qgp", seed=1, result="gflops") as tuner:
            best = tuner.run(measure, trials=60, workers=3)
            assert best is not None
            self.assertEqual(best.result, measure(best.config))
            self.assertEqual(tuner.trials, 60)
            self.assertEqual(tuner.pending(), [])
            self.assertEqual(tuner.run(measure, trials=60), best)
            tuner.run(measure, trials=63)
            self.assertEqual(tuner.trials, 63)

    def test_workers_decide_the_batch(self) -> None:
        for name, workers, batch in (("qgp", 3, 3), ("gbfs", 3, 5), ("random", 3, None)):
            with opevo.Tuner({"x": list(range(50))}, name, workers=workers) as tuner:
                self.assertEqual(tuner.batch, batch)
        with opevo.Tuner({"x": list(range(50))}, "qgp", workers=3) as tuner:
            for trial in tuner.ask(50):
                tuner.tell(trial, 1 + trial.config["x"])
            self.assertEqual(len(tuner.ask(50)), 3)
        with opevo.Tuner({"x": [1, 2]}, "qgp", settings={"batch": 2}, workers=3) as tuner:
            self.assertEqual(tuner.batch, 2)
        with self.assertRaisesRegex(opevo.Error, '"workers" must be'):
            opevo.Tuner({"x": [1, 2]}, workers=0)

    def test_run_fills_a_gap_of_an_earlier_run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "runs.db")
            with opevo.Tuner({"x": range(50)}, "random", store=path) as tuner:
                for trial in tuner.ask(4)[1:]:
                    tuner.tell(trial, 1.0)
            with opevo.Tuner({"x": range(50)}, "random", store=path) as tuner:
                tuner.run(lambda config: 1.0, trials=4, workers=2)
                self.assertEqual(tuner.trials, 4)

    def test_failures(self) -> None:
        def fail(config: dict) -> float:
            if config["x"] % 2:
                raise opevo.Failed("build-error", "odd")
            return 1.0 + config["x"]

        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder, "runs.db"))
            with opevo.Tuner({"x": range(10)}, "random", store=store) as tuner:
                best = tuner.run(fail, trials=10)
                assert best is not None
                self.assertEqual((best.config, best.result), ({"x": 8}, 9.0))
            trials = opevo.call("runs", store + ":1", "--trials")["trials"]
        odd = [trial for trial in trials if trial["configuration"]["x"] % 2]
        self.assertEqual(
            {(each["outcome"], each["message"]) for each in odd}, {("build-error", "odd")}
        )
        self.assertEqual(len(odd), 5)

    def test_no_success(self) -> None:
        with opevo.Tuner({"x": [1, 2]}, "random") as tuner:
            self.assertIsNone(tuner.best())
            for trial in tuner.ask(2):
                tuner.tell(trial, outcome="crashed")
            self.assertIsNone(tuner.best())
            self.assertEqual(tuner.ask(), [])
            self.assertIsNotNone(tuner.over)

    def test_branches(self) -> None:
        space = {"op": {"conv": {"kernel": [1, 3], "X": opevo.factor(4, 2)}, "skip": None}}
        with opevo.Tuner(space, "random") as tuner:
            found = {frozen(trial.config) for trial in tuner.ask(7)}
        convolutions = {
            frozen({"op": "conv", "kernel": kernel, "X": x})
            for kernel in (1, 3)
            for x in ((4, 1), (2, 2), (1, 4))
        }
        self.assertEqual(found, convolutions | {frozen({"op": "skip"})})

    def test_criteria(self) -> None:
        with opevo.Tuner(
            {"x": range(20)}, "nsga2", criterion=["a", "b,J,larger"], criteria=["a", "b"]
        ) as tuner:
            for _ in range(20):
                for trial in tuner.ask():
                    x = trial.config["x"]
                    tuner.tell(trial, 1, criteria={"a": abs(x - 5), "b": -abs(x - 8)})
            front = {each.config["x"] for each in tuner.front()}
        self.assertEqual(front, {5, 6, 7, 8})

    def test_one_criterion_as_a_string(self) -> None:
        with opevo.Tuner(
            {"x": range(9)}, "nsga2", criterion="error", criteria="error", require="error<=1"
        ) as tuner:
            (trial,) = tuner.ask()
            tuner.tell(trial, 1, criteria={"error": 2})
            self.assertIsNone(tuner.best())

    def test_large_space(self) -> None:
        values = list(range(200_000))
        with opevo.Tuner({"x": values}, "random") as tuner:
            self.assertEqual(tuner.size, len(values))
            self.assertEqual(len(tuner.ask(3)), 3)


class Errors(unittest.TestCase):
    def refused(self, call: object, *words: str) -> None:
        with self.assertRaises(opevo.Error) as caught:
            call()  # type: ignore[operator]
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertRegex(str(caught.exception), "[.?]$")

    def test_create(self) -> None:
        self.refused(lambda: opevo.Tuner({"x": [1, 1]}), "x")
        self.refused(lambda: opevo.Tuner({"x": [1, 2]}, "qpg"), "qgp")
        self.refused(lambda: opevo.Tuner({"x": [1, 2]}, "opevo", settings={"Q": 1}), "Q")
        self.refused(lambda: opevo.Tuner("/nonexistent/space.json"), "space.json")
        self.refused(lambda: opevo.Tuner({"x": object()}), "x")
        self.refused(lambda: opevo.Tuner({"x": [object()]}), "number")

    def test_tell(self) -> None:
        with opevo.Tuner({"x": range(5)}, "random") as tuner:
            (trial,) = tuner.ask()
            self.refused(lambda: tuner.tell(3, 1.0), "3")
            self.refused(lambda: tuner.tell(trial, outcome="broken"), "broken")
            self.refused(lambda: tuner.tell(trial, float("inf")))
            self.refused(lambda: tuner.tell(trial, -1.0))
            self.refused(lambda: tuner.tell(trial))
            self.refused(lambda: tuner.tell_many([{"number": trial.number, "result": 1}]), "result")
            self.assertEqual(tuner.pending(), [trial])
            tuner.tell(trial, 1.0)
            self.refused(lambda: tuner.tell(trial, 1.0), "1")
            self.assertEqual(tuner.trials, 1)
        self.refused(tuner.ask, "closed")

    def test_what_the_server_cannot_read(self) -> None:
        self.refused(lambda: opevo.Tuner({"x": [1, 10**30]}), "too big integer")
        with opevo.Tuner({"x": range(5)}, "random") as tuner:
            (trial,) = tuner.ask()
            for message in ("\0", "\ud800", "long" * (1 << 18)):
                told = {"number": trial.number, "outcome": "wrong", "message": message}
                self.refused(partial(tuner.tell_many, [told]))
            tuner.tell(trial, 1.0)
            self.assertEqual(tuner.trials, 1)

    def test_space(self) -> None:
        self.refused(lambda: opevo.Space({"a": [1, 1]}).size, "given twice")
        self.refused(lambda: opevo.Space({"a": [1, 2]}, constraints=["b > 1"]).size, "b")
        self.refused(lambda: opevo.Space("nowhere.json").json, "nowhere.json")
        self.refused(lambda: opevo.Space("nowhere.json", constraints=["a > 1"]), "file")


class Spaces(unittest.TestCase):
    def test_sizes_and_configurations(self) -> None:
        space = opevo.Space(
            {"X": opevo.factor(8, 2), "u": [0, 1], "op": {"a": {"n": range(3)}, "b": None}},
            constraints=["X[0] <= 2"],
        )
        self.assertEqual((space.size, space.allowed), (4 * 2 * 4, 2 * 2 * 4))
        self.assertEqual(space.parameters, ["X", "u", "op", "n"])
        found = list(space.configs())
        self.assertEqual(len({frozen(config) for config in found}), space.allowed)
        self.assertTrue(all(config["X"][0] <= 2 for config in found))
        self.assertEqual({config.get("n") for config in found if config["op"] == "b"}, {None})

    def test_forms(self) -> None:
        nni = {
            "X": {"_type": "factor", "_value": [8, 2]},
            "c": {"_type": "choice", "_value": ["a", "b"]},
        }
        self.assertEqual(opevo.Space(nni).json, nni)
        self.assertEqual(opevo.Space({"X": opevo.factor(8, 2), "c": ["a", "b"]}).json, nni)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "space.json")
            opevo.Space(nni).save(path)
            self.assertEqual(opevo.Space(path).json, nni)
            self.assertEqual(opevo.Space(path).size, 8)

    def test_one_constraint_as_a_string(self) -> None:
        self.assertEqual(opevo.Space({"a": [1, 2], "b": [1, 2]}, "a <= b").allowed, 3)

    def test_python_constraints(self) -> None:
        space = opevo.Space({"a": [1, 2], "b": [1, 2]}, ["a <= b and True"], dialect="python")
        self.assertEqual(space.allowed, 3)


class Deaths(unittest.TestCase):
    def test_a_killed_server_is_noticed_and_the_store_resumes(self) -> None:
        expected = configs(search("recorded:", "qgp", 40, 9))
        with tempfile.TemporaryDirectory() as folder:
            arguments = {"seed": 9, "result": "gflops", "store": Path(folder, "runs.db")}
            server = opevo.Server()
            tuner = opevo.Tuner(MATMUL, "qgp", server=server, **arguments)
            found = asked(tuner, 20)
            lost = tuner.ask(2)
            os.kill(server.pid, signal.SIGKILL)
            with self.assertRaisesRegex(opevo.Error, "SIGKILL.*resumes"):
                tuner.ask()
            with self.assertRaisesRegex(opevo.Error, "SIGKILL"):
                tuner.tell(lost[0], 1.0)
            self.assertFalse(server.alive)
            with self.assertRaisesRegex(opevo.Error, "SIGKILL"):
                tuner.close()
            self.assertEqual(tuner.close(), 20)
            with opevo.Tuner(MATMUL, "qgp", **arguments) as again:
                self.assertEqual(again.trials, 20)
                self.assertEqual(again.ask(len(lost)), lost)
                for trial in lost:
                    again.tell(trial, measure(trial.config))
                found += [frozen(trial.config) for trial in lost] + asked(again, 20 - len(lost))
        self.assertEqual(found, expected)

    def test_the_shared_server_is_replaced(self) -> None:
        tuner = opevo.Tuner({"x": [1, 2, 3]}, "random")
        first = opevo._server.shared()
        os.kill(first.pid, signal.SIGKILL)
        with self.assertRaises(opevo.Error):
            tuner.ask()
        with opevo.Tuner({"x": [1, 2, 3]}, "random") as again:
            self.assertEqual(len(again.ask(3)), 3)
        self.assertIsNot(opevo._server.shared(), first)

    def test_an_interrupt_leaves_the_server_in_step(self) -> None:
        server = opevo.Server()
        with opevo.Tuner({"x": range(9)}, "random", server=server) as tuner:
            # A reply that nobody read, as after an interrupt between a request and its reply.
            server._process.stdin.write(b'{"op":"version","id":"left"}\n')
            server._process.stdin.flush()
            self.assertEqual([trial.number for trial in tuner.ask(2)], [1, 2])
        server.close()
        server.close()

    def test_garbage_from_another_writer(self) -> None:
        server = opevo.Server()
        with opevo.Tuner({"x": range(9)}, "random", server=server) as tuner:
            server._process.stdin.write(b"garbage\n\xff\xfe\n[]\n{}\n")
            self.assertEqual([trial.number for trial in tuner.ask(2)], [1, 2])
        server.close()

    def test_the_server_ends_with_the_program(self) -> None:
        script = "import opevo; t = opevo.Tuner({'x': [1, 2]}); print(opevo._server.shared().pid)"
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        with self.assertRaises(ProcessLookupError):
            os.kill(int(done.stdout), 0)
        self.assertEqual(done.stderr, "")

    def test_a_fork_does_not_use_the_parents_server(self) -> None:
        with opevo.Tuner({"x": range(9)}, "random") as tuner:
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    tuner.ask()
                except opevo.Error as error:
                    status = 0 if "process" in str(error) else 2
                    with opevo.Tuner({"x": range(9)}, "random") as own:
                        status = status if len(own.ask(2)) == 2 else 3
                os._exit(status)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            self.assertEqual(len(tuner.ask(2)), 2)


class Programs(unittest.TestCase):
    def setUp(self) -> None:
        self.before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(self.before)))

    def script(self, folder: str, text: str) -> str:
        path = Path(folder, "opevo")
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    def test_missing(self) -> None:
        os.environ["OPEVO"] = "/nonexistent/opevo"
        with self.assertRaisesRegex(
            opevo.Error, "OPEVO=/nonexistent/opevo is not a program; .*[.]$"
        ):
            opevo.version()
        del os.environ["OPEVO"]
        os.environ["PATH"] = "/nonexistent"
        with self.assertRaisesRegex(opevo.Error, "was not found; .*[.]$"):
            opevo.version()

    def test_on_path(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = self.script(folder, "echo opevo 0.0.1\n")
            del os.environ["OPEVO"]
            os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
            self.assertEqual(opevo.program(), path)
            self.assertEqual(opevo.version(), "0.0.1")

    def test_too_old(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text = (
                '[ "$1" = --version ] && echo opevo 0.0.1 && exit\necho unknown verb >&2\nexit 2\n'
            )
            os.environ["OPEVO"] = self.script(folder, text)
            with self.assertRaisesRegex(opevo.Error, "is opevo 0.0.1, which is too old .*[.]$"):
                opevo.Server()
            os.environ["OPEVO"] = self.script(folder, "echo opevo 0.0.1\n")
            with self.assertRaisesRegex(opevo.Error, "is opevo 0.0.1, which is too old .*[.]$"):
                opevo.Server()
            answer = '{"ok":true,"version":"9","protocol":9,"id":1}'
            os.environ["OPEVO"] = self.script(folder, f"read -r line; echo '{answer}'\n")
            with self.assertRaisesRegex(opevo.Error, "version 9 of the protocol.*[.]$"):
                opevo.Server()

    def test_calls(self) -> None:
        with self.assertRaisesRegex(opevo.Error, "^Unknown tuner"):
            opevo.call("tune", "--on", "recorded:", "--tuner", "nothing")
        names = [tuner["name"] for tuner in opevo.tuners()]
        self.assertIn("qgp", names)


class Numbers(unittest.TestCase):
    """Values of numpy, NaN, progress and plots."""

    def test_values_of_numpy(self) -> None:
        numpy = import_or_skip(self, "numpy")
        space = opevo.Space(
            {
                "x": numpy.arange(1, 5),
                "y": numpy.array([0.5, 1.5]),
                "op": opevo.choice(numpy.array(["a", "b"])),
                "f": opevo.factor(numpy.int64(8), numpy.int32(2)),
            }
        )
        self.assertEqual(space.size, 4 * 2 * 2 * 4)
        start = {"x": numpy.int64(3), "y": numpy.float64(1.5), "op": "b", "f": numpy.array([2, 4])}
        settings = {"q": numpy.float64(0.25)}
        with opevo.Tuner(
            space, "opevo", seed=numpy.int64(3), settings=settings, criterion="error", start=[start]
        ) as tuner:
            (trial,) = tuner.ask()
            self.assertEqual(trial.config, {"x": 3, "y": 1.5, "op": "b", "f": (2, 4)})
            tuner.tell(
                trial,
                numpy.float32(2.5),
                criteria={"error": numpy.float64(0.125)},
                cost=numpy.float64(1.0),
            )
            self.assertEqual(tuner.best().result, 2.5)
            self.assertEqual(tuner.best().criteria, {"error": 0.125})
            (trial,) = tuner.ask()
            tuner.tell(trial, numpy.array([3.5]))
            self.assertEqual(tuner.best().result, 3.5)

    def test_nan_is_a_failure(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder, "runs.db"))
            tuner = opevo.Tuner({"x": range(10)}, "random", store=store)
            best = tuner.run(lambda c: float("nan") if c["x"] == 9 else 1.0 + c["x"], trials=10)
            self.assertEqual((best.result, tuner.trials), (9.0, 10))
            tuner.close()
            found = opevo.call("runs", store + ":1", "--trials")["trials"]
        outcomes = {trial["configuration"]["x"]: trial["outcome"] for trial in found}
        self.assertEqual([outcomes[8], outcomes[9]], ["ok", "crashed"])

    def test_progress(self) -> None:
        seen = []
        tuner = opevo.Tuner({"x": range(10)}, "random")
        tuner.run(lambda c: 1.0 + c["x"], trials=10, progress=lambda of: seen.append(of.trials))
        self.assertEqual(seen, list(range(1, 11)))
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            opevo.Tuner({"x": range(10)}, "random").run(lambda c: 1.0 + c["x"], 10, progress=True)
        self.assertTrue(errors.getvalue().endswith("\n"))
        self.assertRegex(errors.getvalue(), r"10 of 10 trials, best 10 at trial \d+ *\n$")
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            opevo.Tuner({"x": range(10)}, "random").run(lambda c: 1.0 + c["x"], trials=10)
        self.assertEqual(errors.getvalue(), "")

    def test_plot(self) -> None:
        matplotlib = import_or_skip(self, "matplotlib")
        matplotlib.use("agg")
        with opevo.Tuner({"x": range(10)}, "random", result="time") as tuner:
            tuner.run(lambda c: float("nan") if c["x"] == 9 else 10.0 - c["x"], trials=10)
            axes = tuner.plot()
        points, best, failed = axes.get_lines()
        self.assertEqual(sorted(points.get_ydata()), [float(y) for y in range(2, 11)])
        self.assertEqual(list(best.get_ydata()), sorted(best.get_ydata(), reverse=True))
        self.assertEqual((best.get_ydata()[-1], len(failed.get_xdata())), (2.0, 1))
        self.assertEqual(axes.get_ylabel(), "time [s]")


def import_or_skip(test: unittest.TestCase, name: str) -> object:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"skipped: no {name}; install python3-{name}")
        test.skipTest(f"no {name}; install python3-{name}")


if __name__ == "__main__":
    main()
