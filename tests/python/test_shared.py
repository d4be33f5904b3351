# SPDX-License-Identifier: GPL-3.0-or-later
"""One search of many processes, over `opevo serve --listen`: each trial counts once, whoever dies."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from importlib.util import find_spec
from pathlib import Path

import opevo
from searches import frozen, main

HAS_OPTUNA = find_spec("optuna") is not None
SPACE = {"x": range(40), "y": range(10)}
SPACE_JSON = opevo.Space(SPACE).json
WAIT = 600


def slope(config: dict) -> float:
    return 1.0 + config["x"] + config["y"] / 16


def alone(tuner: str, trials: int) -> list:
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder, "runs.db"))
        with opevo.Tuner(SPACE, tuner, seed=3, store=store) as searched:
            searched.run(slope, trials)
        return stored(store)


def stored(store: str) -> list:
    found = opevo.call("runs", store + ":1", "--trials")["trials"]
    return [(frozen(each["configuration"]), each["outcome"], each["fitness"]) for each in found]


class Serving(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.contact = str(Path(self.folder, "contact.json"))
        self.store = str(Path(self.folder, "runs.db"))

    def serve(self, *options: str, address: str = "0") -> subprocess.Popen:
        words = [opevo.program(), "serve", "--listen", address, "--contact", self.contact]
        server = subprocess.Popen([*words, *options], stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.assertIn("listening", json.loads(server.stdout.readline()))
        return server

    def client(self, text: str, *arguments: str) -> subprocess.Popen:
        """A process that runs the program with opevo, and `tuner` in the shared search."""
        begin = f"""\
            import os, random, sys, time
            import opevo
            from test_shared import SPACE, slope
            server = opevo.connect({self.contact!r})
            def tuner(name="opevo"):
                return opevo.Tuner(SPACE, name, seed=3, server=server)
            """
        path = Path(self.folder, f"client{random.random()}.py")
        path.write_text(textwrap.dedent(begin) + textwrap.dedent(text))
        paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        words = [sys.executable, str(path), *arguments]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def raw(self) -> RawClient:
        contact = json.loads(Path(self.contact).read_text())
        return RawClient(contact["address"], contact.get("token"))


class RawClient:
    """A client without the package."""

    def __init__(self, address: str, token: str | None) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=WAIT)
        self.file = self.socket.makefile("rwb")
        if token is not None:
            self.file.write(token.encode() + b"\n")

    def __call__(self, op: str, **more: object) -> dict:
        self.file.write(json.dumps({"op": op, **more}).encode() + b"\n")
        self.file.flush()
        return json.loads(self.file.readline())

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def numbers(reply: dict) -> list[int]:
    return [trial["number"] for trial in reply["trials"]]


CREATE = {"space": SPACE_JSON, "tuner": "random"}


class Leases(Serving):
    def test_a_closed_connection_gives_its_trials_to_others_at_once(self) -> None:
        self.serve()
        one, two = self.raw(), self.raw()
        self.assertNotIn("joined", one("create", **CREATE))
        self.assertTrue(two("create", **CREATE)["joined"])
        first = one("ask", session=1, count=3)
        self.assertEqual(numbers(two("ask", session=1)), [4])
        self.assertEqual(two("ask", session=1, until=4)["elsewhere"], 3)
        one.close()
        deadline = time.monotonic() + WAIT
        while not (again := two("ask", session=1, count=3, until=4)["trials"]):
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(again, first["trials"])
        two.close()

    def test_a_silent_client_loses_its_trials_and_each_counts_once(self) -> None:
        self.serve("--lease", "0.5")
        silent, other = self.raw(), self.raw()
        silent("create", **CREATE)
        self.assertEqual(numbers(silent("ask", session=1, count=2)), [1, 2])
        time.sleep(0.6)
        self.assertEqual(numbers(other("ask", session=1, count=2)), [1, 2])
        told = [{"number": 1, "score": 7}]
        self.assertEqual(silent("tell", session=1, trials=told)["told"], 1)
        told = [{"number": 1, "score": 8}, {"number": 2, "score": 9}]
        self.assertEqual(other("tell", session=1, trials=told), {"ok": True, "told": 1, "trials": 2})
        self.assertEqual(other("best", session=1)["best"]["score"], 9)
        refused = other("tell", session=1, trials=[{"number": 99, "score": 8}])
        self.assertEqual(refused["error"], "Trial 99 was never asked for.")
        for client in (silent, other):
            client.close()

    def test_every_request_renews_a_lease(self) -> None:
        self.serve("--lease", "5")
        slow, other = self.raw(), self.raw()
        slow("create", **CREATE)
        slow("ask", session=1, count=1)
        for _ in range(12):
            time.sleep(0.5)
            self.assertEqual(numbers(slow("pending", session=1)), [1])
            self.assertEqual(numbers(other("ask", session=1, until=1)), [])
        for client in (slow, other):
            client.close()

    def test_only_who_knows_the_token_is_admitted(self) -> None:
        self.serve()
        contact = json.loads(Path(self.contact).read_text())
        self.assertEqual(Path(self.contact).stat().st_mode & 0o777, 0o600)
        self.assertTrue(contact["address"].startswith("127.0.0.1:"))
        with self.assertRaisesRegex(opevo.Error, "does not admit this client: give the token"):
            opevo.connect(contact["address"], "wrong-token")
        opevo.connect(contact["address"], contact["token"]).close()
        with self.assertRaisesRegex(opevo.Error, "no server answers there"):
            opevo.connect(str(Path(self.folder, "none")), patience=0.2)

    def test_a_server_that_is_killed_while_a_client_connects(self) -> None:
        """Its connection is closed without a word; that of the next server is used."""

        def serve(listener: socket.socket) -> None:
            listener.accept()[0].close()
            with listener.accept()[0] as connection, connection.makefile("rw") as file:
                self.assertEqual(file.readline(), "a-token\n")
                self.assertEqual(json.loads(file.readline())["op"], "version")
                file.write(json.dumps({"id": 0, "protocol": opevo._remote.PROTOCOL}) + "\n")

        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=serve, args=(listener,))
            thread.start()
            opevo.connect(f"127.0.0.1:{listener.getsockname()[1]}", "a-token").close()
            thread.join()

    def test_a_client_that_reads_nothing_holds_nobody_up(self) -> None:
        self.serve()
        deaf, other = self.raw(), self.raw()
        deaf("create", **CREATE)
        deaf.socket.setblocking(False)
        line = json.dumps({"op": "tuners"}).encode() + b"\n"
        sent = 0
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline and sent < 1 << 22:
            try:
                sent += deaf.socket.send(line * 100)
            except BlockingIOError:
                time.sleep(0.05)
        self.assertEqual(numbers(other("ask", session=1, count=2)), [1, 2])
        for client in (deaf, other):
            client.close()

    def test_a_client_may_send_many_requests_at_once(self) -> None:
        self.serve()
        client = self.raw()
        client.file.write(b'{"op": "tuners", "id": 7}\n' * 1000)
        client.file.flush()
        found = [json.loads(client.file.readline())["id"] for _ in range(1000)]
        self.assertEqual(found, [7] * 1000)
        client.close()


class Processes(Serving):
    RUN = """
        told = []
        with tuner() as searched:
            searched.run(lambda c: time.sleep(random.random() / 100) or slope(c), 60,
                         progress=lambda of: None)
            print(searched.trials, *searched.results)
        """

    def test_one_search(self) -> None:
        self.serve("--store", self.store)
        clients = [self.client(self.RUN) for _ in range(4)]
        told: list[int] = []
        for client in clients:
            trials, *own = client.communicate(timeout=WAIT)[0].split()
            self.assertEqual((client.returncode, trials), (0, "60"))
            told += map(int, own)
        self.assertEqual(sorted(told), list(range(1, 61)))
        self.assertEqual(stored(self.store), alone("opevo", 60))

    def test_clients_that_are_killed(self) -> None:
        """Each is killed at a random moment, and another one comes."""
        self.serve("--store", self.store)
        order = random.Random(1)
        slow = self.RUN.replace("/ 100", "/ 4")
        clients = [self.client(slow) for _ in range(4)]
        for _ in range(8):
            time.sleep(order.random() / 2)
            victim = clients.pop(0)
            victim.kill()
            clients.append(self.client(slow))
        for client in clients:
            trials, *_ = client.communicate(timeout=WAIT)[0].split()
            self.assertEqual((client.returncode, trials), (0, "60"))
        self.assertEqual(stored(self.store), alone("opevo", 60))

    def test_a_killed_server_loses_nothing(self) -> None:
        server = self.serve("--store", self.store)
        slow = self.RUN.replace("/ 100", "/ 20")
        clients = [self.client(slow) for _ in range(3)]
        for _ in range(3):
            time.sleep(1)
            server.send_signal(signal.SIGKILL)
            server.wait()
            server = self.serve("--store", self.store)
        for client in clients:
            trials, *_ = client.communicate(timeout=WAIT)[0].split()
            self.assertEqual((client.returncode, trials), (0, "60"))
        self.assertEqual(stored(self.store), alone("opevo", 60))

    def test_a_server_that_lost_the_search_is_noticed(self) -> None:
        server = self.serve()
        with opevo.connect(self.contact) as remote:
            tuner = opevo.Tuner(SPACE, "random", server=remote)
            tuner.run(slope, 5)
            server.kill()
            server.wait()
            self.serve()
            with self.assertRaisesRegex(opevo.Error, "has lost trials .* start it with --store"):
                tuner.run(slope, 10)

    def test_the_server_ends_in_good_order(self) -> None:
        for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
            server = self.serve("--store", self.store, address=str(Path(self.folder, "socket")))
            with opevo.connect(self.contact) as remote:
                opevo.Tuner(SPACE, "random", seed=number, server=remote).run(slope, 5)
            server.send_signal(number)
            self.assertEqual(server.wait(timeout=WAIT), status)
            self.assertEqual(sorted(os.listdir(self.folder)), ["runs.db"])


@unittest.skipUnless(HAS_OPTUNA, "no optuna")
class Optuna(Serving):
    """What Optuna's users do with a database and several processes."""

    CLIENTS = 3 if "OPEVO_TEST_LONG" in os.environ else 2

    RUN = """
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        space = opevo.Space(SPACE) if sys.argv[2] == "given" else None
        def objective(trial):
            if space is not None:
                config = opevo.optuna.suggest(trial, space)
            else:
                config = {"x": trial.suggest_int("x", 0, 39), "y": trial.suggest_int("y", 0, 9)}
            time.sleep(random.random() / 100)
            return slope(config)
        sampler = opevo.optuna.Sampler("qgp", seed=3, space=space, server=server)
        study = optuna.load_study(storage=sys.argv[1], study_name="s", sampler=sampler)
        study.optimize(objective, n_trials=15, n_jobs=int(sys.argv[3]))
        """

    def run_study(self, space: str, jobs: int = 1) -> list[tuple]:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        storage = f"sqlite:///{self.folder}/optuna.db"
        optuna.create_study(storage=storage, study_name="s", direction="maximize")
        clients = [self.client(self.RUN, storage, space, str(jobs)) for _ in range(self.CLIENTS)]
        for client in clients:
            self.assertEqual((client.wait(timeout=WAIT), client.stdout.read()), (0, ""))
        study = optuna.load_study(storage=storage, study_name="s")
        states = [trial.state.name for trial in study.trials]
        self.assertEqual(states, ["COMPLETE"] * 15 * self.CLIENTS)
        return [frozen(trial.params) for trial in study.trials]

    def test_a_given_space(self) -> None:
        self.serve("--store", self.store)
        found = self.run_study("given")
        kept = stored(self.store)
        self.assertEqual(sorted(found), sorted(config for config, _, _ in kept))
        self.assertEqual(kept, alone("qgp", 15 * self.CLIENTS))

    def test_threads_and_a_space_that_is_learned(self) -> None:
        """The random trials before the space is known are its starting points."""
        self.serve("--store", self.store)
        found = self.run_study("learned", jobs=2)
        runs = opevo.call("runs", self.store)
        self.assertEqual(len(runs), 1)
        kept = {config for config, _, _ in stored(self.store)}
        self.assertLessEqual(kept, set(found))
        # Each process may begin with a random trial for each of its threads.
        self.assertGreaterEqual(len(kept), (15 - 2) * self.CLIENTS)


if __name__ == "__main__":
    if not HAS_OPTUNA:
        print("skipped: Optuna is not installed; install python3-optuna")
    main()
