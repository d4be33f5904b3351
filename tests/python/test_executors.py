# SPDX-License-Identifier: GPL-3.0-or-later
"""`Tuner.run` over executors: same trials as without, lost workers decide nothing, and what was
measured is kept whatever ends a run. Dask and mpi4py run as they do on a cluster."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import opevo
from searches import frozen, main

HAS_DASK = find_spec("distributed") is not None
HAS_MPI = find_spec("mpi4py") is not None and shutil.which("mpirun") is not None
SPACE = {"x": range(40), "y": range(10)}


def slope(config: dict) -> float:
    return 1.0 + config["x"] + config["y"] / 16


def uneven(config: dict) -> float:
    """Trials end in another order than they begin."""
    time.sleep(0.001 * ((7 * config["x"] + config["y"]) % 13))
    return slope(config)


def odd_fails(config: dict) -> float:
    if config["x"] % 3 == 1:
        raise opevo.Failed("build-error", "one")
    return float("nan") if config["x"] % 3 == 2 else slope(config)


def kill_once(folder: str, at: int, config: dict) -> float:
    """Kill the process that runs this when so many trials have begun."""
    begun = Path(folder, f"begun.{config['x']}.{config['y']}.{os.getpid()}.{time.monotonic_ns()}")
    begun.touch()
    killed = Path(folder, "killed")
    if len(list(Path(folder).glob("begun.*"))) >= at and not killed.exists():
        killed.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return uneven(config)


def kill_at(x: int, y: int, config: dict) -> float:
    if (config["x"], config["y"]) == (x, y):
        os.kill(os.getpid(), signal.SIGKILL)
    return slope(config)


def raise_at(x: int, y: int, config: dict) -> float:
    if (config["x"], config["y"]) == (x, y):
        raise ZeroDivisionError("at once")
    return uneven(config)


def run(function: object, trials: int, tuner: str = "opevo", **more: object) -> list[tuple]:
    """The trials of a run: configuration, outcome, fitness, as its store has them."""
    settings = {"batch": 4} if tuner == "qgp" else {}
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder, "runs.db"))
        with opevo.Tuner(SPACE, tuner, seed=3, settings=settings, store=store) as searched:
            searched.run(function, trials, **more)
        return stored(store)


def stored(store: str) -> list[tuple]:
    found = opevo.call("runs", store + ":1", "--trials")["trials"]
    return [(frozen(each["configuration"]), each["outcome"], each.get("fitness")) for each in found]


class InThreads(Executor):
    """An adapter to a queue of jobs: a future of concurrent.futures, and nothing else is known."""

    def __init__(self) -> None:
        self.running, self.most, self.losing = 0, 0, 0
        self._lock = threading.Lock()

    def submit(self, function, /, *arguments, **more):
        future: Future = Future()

        def job() -> None:
            with self._lock:
                self.running += 1
                self.most = max(self.most, self.running)
                lost, self.losing = self.losing > 0, self.losing - 1
            try:
                result = function(*arguments, **more)
                with self._lock:
                    self.running -= 1
                if lost:
                    raise ConnectionResetError("the node is gone")
                future.set_result(result)
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=job).start()
        return future


class Executors(unittest.TestCase):
    def test_same_trials(self) -> None:
        for tuner in ("opevo", "qgp", "random"):
            expected = run(slope, 50, tuner)
            for kind in (ThreadPoolExecutor, ProcessPoolExecutor):
                with kind(4) as executor:
                    self.assertEqual(run(uneven, 50, tuner, executor=executor), expected)
            self.assertEqual(run(uneven, 50, tuner, executor=InThreads(), slots=3), expected)

    def test_failures(self) -> None:
        expected = run(odd_fails, 40)
        self.assertEqual({each[1] for each in expected}, {"ok", "build-error", "crashed"})
        with ProcessPoolExecutor(2) as executor:
            self.assertEqual(run(odd_fails, 40, executor=executor), expected)

    def test_slots(self) -> None:
        with self.assertRaisesRegex(opevo.Error, "InThreads does not say .* slots=N[.]$"):
            run(slope, 4, executor=InThreads())
        with self.assertRaisesRegex(opevo.Error, "slots=0: give at least 1[.]$"):
            run(slope, 4, executor=InThreads(), slots=0)
        with self.assertRaisesRegex(opevo.Error, "workers=.*slots="):
            run(slope, 4, workers=2, executor=InThreads(), slots=2)
        executor = InThreads()
        together = threading.Barrier(5)
        run(lambda config: 1.0 + 0 * together.wait(600), 30, "random", executor=executor, slots=5)
        self.assertEqual(executor.most, 5)

    def test_progress(self) -> None:
        seen: list[int] = []
        with ProcessPoolExecutor(3) as executor, opevo.Tuner(SPACE, "random") as tuner:
            count = lambda of: seen.append(len(of.results))  # noqa: E731
            tuner.run(uneven, 30, progress=count, executor=executor)
        self.assertEqual(seen, list(range(1, 31)))

    def test_what_is_no_executor(self) -> None:
        class Client:
            def submit(self, function: object, config: dict) -> str:
                return "a future of another kind"

        with self.assertRaisesRegex(opevo.Error, "Client is not an executor of concurrent.futures"):
            run(slope, 4, executor=Client(), slots=2)


class Losses(unittest.TestCase):
    def test_a_lost_worker_decides_no_trial(self) -> None:
        expected = run(slope, 60)
        for kill in (1, 30):
            with tempfile.TemporaryDirectory() as folder:
                found = run(
                    partial(kill_once, folder, kill),
                    60,
                    executor=partial(ProcessPoolExecutor, 3),
                )
                self.assertTrue(Path(folder, "killed").exists())
            self.assertEqual(found, expected)

    def test_exceptions_that_the_caller_names(self) -> None:
        executor = InThreads()
        executor.losing = 5
        found = run(slope, 20, executor=executor, slots=2, lost=(ConnectionResetError,))
        self.assertEqual(found, run(slope, 20))
        executor.losing = 1
        with self.assertRaises(ConnectionResetError):
            run(slope, 20, executor=executor, slots=2)

    def test_a_broken_executor_keeps_what_was_measured(self) -> None:
        expected = run(slope, 40)
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder, "runs.db"))
            with opevo.Tuner(SPACE, "opevo", seed=3, store=store) as tuner:
                with ProcessPoolExecutor(3) as executor:
                    with self.assertRaisesRegex(opevo.Error, "ProcessPoolExecutor takes no more"):
                        tuner.run(partial(kill_once, folder, 20), 40, executor=executor)
                    with self.assertRaisesRegex(opevo.Error, "another executor"):
                        tuner.run(slope, 40, executor=executor)
                # At most the three that ran have no outcome.
                self.assertGreaterEqual(len(tuner.results), 17)
                self.assertTrue(all(tuner.results.values()))
                with ProcessPoolExecutor(3) as executor:
                    tuner.run(slope, 40, executor=executor)
                self.assertEqual(tuner.trials, 40)
            self.assertEqual(stored(store), expected)

    def test_executors_that_are_all_broken(self) -> None:
        def closed() -> Executor:
            executor = ThreadPoolExecutor(1)
            executor.shutdown()
            return executor

        with self.assertRaisesRegex(opevo.Error, "takes no more jobs .*shutdown"):
            run(slope, 4, executor=closed)

    def test_the_trial_that_loses_its_worker_is_named(self) -> None:
        """It runs beside others that are lost with it, and is neither failed nor repeated for
        ever."""
        expected = run(slope, 40)
        for at in (0, 9):
            (x, y) = (dict(expected[at][0])[name] for name in "xy")
            with opevo.Tuner(SPACE, "opevo", seed=3) as tuner:
                with self.assertRaisesRegex(opevo.Error, f"^Trial {at + 1} was started 4 times"):
                    executor = partial(ProcessPoolExecutor, 4)
                    tuner.run(partial(kill_at, x, y), 40, executor=executor)
                self.assertIn(at + 1, {trial.number for trial in tuner.pending()})
                self.assertNotIn(None, tuner.results.values())
                tuner.tell(at + 1, outcome="crashed")
                tuner.run(partial(kill_at, x, y), 40, executor=executor)
                self.assertEqual(tuner.trials, 40)

    def test_an_exception_ends_the_run_and_the_rest_is_kept(self) -> None:
        expected = run(slope, 40, "random")
        (x, y) = (dict(expected[20][0])[name] for name in "xy")
        options = ({"workers": 5}, {"executor": partial(ProcessPoolExecutor, 5)})
        for option in options:
            with opevo.Tuner(SPACE, "random", seed=3) as tuner:
                with self.assertRaisesRegex(ZeroDivisionError, "at once"):
                    tuner.run(partial(raise_at, x, y), 40, **option)
                self.assertEqual([trial.number for trial in tuner.pending()], [21])
                tuner.run(slope, 40, **option)
                self.assertEqual((tuner.trials, None in tuner.results.values()), (40, False))


def dask_process(kind: str, folder: str, *options: str) -> subprocess.Popen:
    words = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
    words += ["--scheduler-file", str(Path(folder, "scheduler.json")), "--no-dashboard"]
    environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    paths = [str(Path(__file__).parent), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    with Path(folder, f"{kind}.log").open("ab") as log:
        return subprocess.Popen(words, cwd=folder, env=environment, stdout=log, stderr=log)


@unittest.skipUnless(HAS_DASK, "no distributed")
class Dask(unittest.TestCase):
    """One scheduler for all, and two workers at the start of each, every one a process. The
    scheduler gives a task up at the first worker that dies with it; the last test ends it."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.workers = folder.name, []
        cls.scheduler = cls.start("scheduler", "--host", "127.0.0.1", "--port", "0")

    def setUp(self) -> None:
        self.workers[:] = [each for each in self.workers if each.poll() is None]
        while len(self.workers) < 2:
            self.worker()
        self.client = self.connect(60)
        self.client.wait_for_workers(2, timeout=300)

    def connect(self, limit: float) -> object:
        """A client, which waits so long for the scheduler, also for one that is dead."""
        from distributed import Client

        client = Client(self.address(), timeout=limit)
        self.addCleanup(client.close)
        return client

    def address(self) -> str:
        """The scheduler's. It writes its file in place, so that a reader may find half of it."""
        deadline = time.monotonic() + 300
        while True:
            try:
                return json.loads(Path(self.folder, "scheduler.json").read_text())["address"]
            except (FileNotFoundError, json.JSONDecodeError):
                self.assertLess(time.monotonic(), deadline, self.log())
                time.sleep(0.05)

    @classmethod
    def start(cls, kind: str, *options: str) -> subprocess.Popen:
        process = dask_process(kind, cls.folder, *options)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)
        return process

    def worker(self) -> None:
        self.workers.append(self.start("worker", "--no-nanny", "--nthreads", "1"))

    def log(self) -> str:
        return "".join(each.read_text() for each in Path(self.folder).glob("*.log"))

    def test_a_killed_worker(self) -> None:
        expected = run(slope, 60)
        with opevo.Tuner(SPACE, "opevo", seed=3) as tuner:

            def kill(of: opevo.Tuner) -> None:
                if len(of.results) == 20:
                    self.workers[0].kill()
                if len(of.results) == 40:
                    self.worker()

            tuner.run(uneven, 60, progress=kill, executor=self.client.get_executor())
            self.assertEqual((tuner.trials, None in tuner.results.values()), (60, False))
        with tempfile.TemporaryDirectory() as folder:
            executor = self.client.get_executor()
            found = run(partial(kill_once, folder, 10), 60, executor=executor)
            self.assertTrue(Path(folder, "killed").exists())
        self.assertEqual(found, expected)

    def test_failures(self) -> None:
        self.assertEqual(
            run(odd_fails, 40, executor=self.client.get_executor()), run(odd_fails, 40)
        )

    def test_an_equal_call_is_measured_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            count = partial(kill_once, folder, 10**9)
            for _ in range(2):
                with opevo.Tuner({"x": [1], "y": [1]}, "random") as tuner:
                    tuner.run(count, 1, executor=self.client.get_executor())
            self.assertEqual(len(list(Path(folder).glob("begun.*"))), 2)

    def test_the_scheduler_dies(self) -> None:
        client = self.connect(3)
        self.client.close()
        with opevo.Tuner(SPACE, "random", seed=3) as tuner:

            def kill(of: opevo.Tuner) -> None:
                if len(of.results) == 20:
                    self.scheduler.kill()

            executor = client.get_executor()
            for slots in (None, 2):
                with self.assertRaisesRegex(opevo.Error, "takes no more jobs .* kept"):
                    tuner.run(uneven, 60, progress=kill, executor=executor, slots=slots)
            self.assertGreaterEqual(len(tuner.results), 20)
            tuner.run(uneven, 60, workers=2)
            self.assertEqual((tuner.trials, None in tuner.results.values()), (60, False))


MPI_SCRIPT = """
from mpi4py.futures import MPIPoolExecutor
import test_executors as tests

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        assert executor._max_workers == 2
        for function in (tests.uneven, tests.odd_fails):
            found = tests.run(function, 40, executor=executor)
            assert found == tests.run(function, 40), found
    print("same trials")
"""


@unittest.skipUnless(HAS_MPI, "no mpi4py")
class Mpi(unittest.TestCase):
    def test_same_trials(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "search.py")
            path.write_text(MPI_SCRIPT)
            root = ["--allow-run-as-root"] if os.getuid() == 0 else []
            words = ["mpirun", *root, "--oversubscribe", "-n", "3", sys.executable]
            paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
            done = subprocess.run(
                [*words, "-m", "mpi4py.futures", str(path)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TMPDIR": folder},
                capture_output=True,
                text=True,
            )
            self.assertEqual((done.returncode, done.stdout), (0, "same trials\n"), done.stderr)


if __name__ == "__main__":
    if not HAS_DASK:
        print("skipped: Dask is not installed; install python3-distributed")
    if not HAS_MPI:
        print("skipped: mpi4py is not installed; install python3-mpi4py and openmpi-bin")
    main()
