#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""watch.py OPEVO: the server of `opevo watch` by plain HTTP, while stores are made, written, killed and replaced."""

import base64
import hashlib
import http.client
import json
import os
import pty
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

OPEVO = os.path.realpath(sys.argv[1])
PATIENCE_S = 120


class Watch:
    """A server on a store, until the end of the block."""

    def __init__(self, store, *options):
        self.process = subprocess.Popen([OPEVO, "watch", store, *options], stdout=subprocess.PIPE, text=True)
        address = re.fullmatch(r"http://(127\.0\.0\.1):(\d+)/([0-9a-f]{32})/\n", self.process.stdout.readline())
        assert address, "no address"
        self.host, self.port, self.token = address[1], int(address[2]), address[3]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE_S) == 0, self.process.returncode

    def ask(self, path, method="GET", headers=None, body=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def data(self, run=None):
        status, body, _ = self.ask(f"/{self.token}/data" + (f"?run={run}" if run else ""))
        assert status == 200, (status, body)
        return json.loads(body)

    def until(self, holds, run=None):
        end = time.monotonic() + PATIENCE_S
        while True:
            data = self.data(run)
            if holds(data):
                return data
            assert time.monotonic() < end, json.dumps(data)[:2000]
            time.sleep(0.1)

    def connections(self):
        """Those that the server holds open."""
        count = -1  # the socket at which it listens
        folder = f"/proc/{self.process.pid}/fd"
        for one in os.listdir(folder):
            try:
                count += os.readlink(os.path.join(folder, one)).startswith("socket:")
            except FileNotFoundError:
                pass
        return count

    def processor_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def opevo(*words):
    return subprocess.run([OPEVO, *words], check=True, capture_output=True, text=True).stdout


def tune(store, trials, *more):
    return opevo("tune", "mm1", "--on", "sim:gtx1080ti", "--trials", str(trials), "--store", store, "--quiet", *more)


def stored(store):
    return json.loads(opevo("runs", store, "--json"))


def read(data, trials):
    """Everything that is stored was read, of the run too."""
    return data["counts"]["trials"] == data["counts"]["stored"] == trials and data["run"]["digested"] == trials


def same_as_report(store, run, seen):
    """The run as the page of `opevo report` has it."""
    opevo("report", f"{store}:{run}", "-o", "run.html")
    with open("run.html", encoding="utf-8") as file:
        page = json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S)[1])
    for key in ("objective", "trials", "failed", "best", "top", "law", "recent", "failures", "trial", "effects", "stop"):
        assert page[key] == seen[key], (key, page[key], seen[key])


def refusals():
    """Who does not have the token, or wants something else than to read, learns nothing and changes nothing."""
    tune("refused.db", 40)
    before = hashlib.sha256(open("refused.db", "rb").read()).digest()
    with Watch("refused.db") as watch:
        watch.until(lambda data: read(data, 40))
        secret = watch.token
        wrong = ["", "/", "/data", "/" + secret[:-1] + "/", "/" + secret[:-1] + ("0" if secret[-1] != "0" else "1") + "/data",
                 "/" + secret.upper() + "x/", "/" + secret, "/" + secret + "/../data", "/" + secret + "/data/x", "//" + secret + "/",
                 "/" + "0" * 32 + "/data", "/" + "a" * 20000, "/%00" + secret + "/", "/" + secret + "/runs.db"]
        for path in wrong:
            status, body, _ = watch.ask(path)
            assert status in (400, 404, 414, 431), (path[:80], status)
            assert b"mm1" not in body and secret.encode() not in body, path[:80]
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"):
            status, body, headers = watch.ask(f"/{secret}/data", method, body=b"x" if method != "TRACE" else None)
            assert status in (400, 405) and b"mm1" not in body, (method, status)
            assert status == 400 or headers["Allow"] == "GET, HEAD"
        for host in ("evil.example", f"evil.example:{watch.port}", "127.0.0.1", ""):
            status, body, _ = watch.ask(f"/{secret}/data", headers={"Host": host})
            assert status in (400, 403) and b"mm1" not in body, (host, status)
        assert watch.ask(f"/{secret}/", headers={"Host": f"localhost:{watch.port}"})[0] == 200
        status, body, _ = watch.ask(f"/{secret}/", "HEAD")
        assert status == 200 and not body
        for run in ("-1", "x", "1x", "9" * 40, "1%00"):
            assert watch.ask(f"/{secret}/data?run={run}")[0] in (200, 400), run
        status, _, headers = watch.ask(f"/{secret}/data")
        assert headers["Cache-Control"] == "no-store" and headers["X-Frame-Options"] == "DENY", headers
        assert watch.ask(f"/{secret}/data", headers={"If-None-Match": headers["ETag"]})[0] == 304
        # Requests without end.
        for begin in (b"GET /" + b"a" * 300000, b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 60000,
                      f"POST /{secret}/data HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n".encode() + b"z" * 300000,
                      b"\x16\x03\x01" * 5000, b"\0" * 70000):
            with socket.create_connection((watch.host, watch.port), timeout=30) as one:
                try:
                    one.sendall(begin)
                    one.shutdown(socket.SHUT_WR)
                    assert b"mm1" not in one.recv(65536)
                except OSError:
                    pass
        assert read(watch.data(), 40)
        resident = int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{watch.process.pid}/status", encoding="ascii").read())[1])
        assert resident < 300000, f"{resident} KiB"
    # Nobody else can reach it.
    with Watch("refused.db") as watch:
        with open(f"/proc/{watch.process.pid}/net/tcp", encoding="ascii") as file:
            listening = [line.split()[1] for line in file if line.split()[1].endswith(f":{watch.port:04X}")]
        assert listening and all(address.startswith("0100007F:") for address in listening), listening
    assert hashlib.sha256(open("refused.db", "rb").read()).digest() == before, "the store was written"
    same_as_report("refused.db", 1, run_of("refused.db"))


def run_of(store):
    with Watch(store) as watch:
        return watch.until(lambda data: read(data, stored(store)[0]["trials"]))["run"]


def slow_readers():
    """Those who send or take nothing do not keep others from the page, and are let go after their silence."""
    tune("slow.db", 400)
    with Watch("slow.db") as watch:
        watch.until(lambda data: read(data, 400))
        held = []
        for i in range(40):
            one = socket.create_connection((watch.host, watch.port))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            whole = f"GET /{watch.token}/ HTTP/1.1\r\nHost: {watch.host}:{watch.port}\r\n\r\n".encode()
            one.sendall(whole[: len(whole) - (i % 3) * 7] if i % 4 else b"")
            held.append(one)
        begun = time.monotonic()
        for _ in range(30):
            assert read(watch.data(), 400)
        taken_s = time.monotonic() - begun
        assert taken_s < 20, "the page is slow beside slow readers"
        assert taken_s > 5 or watch.connections() >= 40
        # Nobody asks in the meantime: a silence counts from the last byte of each.
        while watch.connections() > 0:
            assert time.monotonic() - begun < 60, watch.connections()
            time.sleep(0.2)
        for one in held:
            one.close()
        assert read(watch.data(), 400)


def life():
    """A store that is not there yet, is written, killed, continued, moved away and replaced by another."""
    with Watch("life.db") as watch:
        assert "life.db" in watch.data()["trouble"]
        slow = [OPEVO, "tune", "--on", "cmd:sh slow.sh {v}", "--space", "space.json", "--result", "ms:/^[0-9]/",
                "--trials", "150", "--store", "life.db", "--quiet", "--finals", "0"]
        with open("slow.sh", "w", encoding="ascii") as file:
            file.write("sleep 0.05\necho $1\n")
        with open("space.json", "w", encoding="utf-8") as file:
            json.dump({"v": {"_type": "discrete", "_value": list(range(1, 400))}}, file)
        with subprocess.Popen(slow, stdout=subprocess.DEVNULL) as writer:
            first = watch.until(lambda data: data["counts"]["trials"] >= 5)
            assert first["counts"]["open"] == 1 and first["run"]["wanted"] == 150, first["counts"]
            writer.kill()
        known = stored("life.db")[0]["trials"]
        seen = watch.until(lambda data: read(data, known))
        assert 5 <= known < 150 and seen["run"]["stop"] == ""
        subprocess.run(slow, check=True, stdout=subprocess.DEVNULL)
        seen = watch.until(lambda data: read(data, 150) and data["run"]["stop"] == "trials")
        assert seen["run"]["best"]["result"] == stored("life.db")[0]["best"]
        assert seen["counts"]["left_s"] == 0
        for name in os.listdir("."):
            if name.startswith("life.db"):
                os.rename(name, "old-" + name)
        assert "life.db" in watch.until(lambda data: data["trouble"])["trouble"]
        tune("life.db", 30, "--seed", "7")
        seen = watch.until(lambda data: not data["trouble"] and read(data, 30))
        assert seen["run"]["seed"] == "7" and len(seen["runs"]) == 1
        with open("other", "wb") as file:
            file.write(b"SQLite format 3\0" + bytes(random.Random(1).randrange(256) for _ in range(5000)))
        os.replace("other", "life.db")
        watch.until(lambda data: data["trouble"])
        for name in os.listdir("."):
            if name.startswith("life.db"):
                os.remove(name)
        tune("life.db", 20)
        watch.until(lambda data: not data["trouble"] and read(data, 20))


def many_readers():
    """20 readers while a study runs: each sees the numbers grow, and in the end those of the store."""
    plan = {"study": 1, "objectives": [{"on": "sim:gtx1080ti", "what": ["mm1", "bmm1"]}],
            "tuners": ["random", {"tuner": "opevo", "settings": {"q": [0.2, 0.5]}}],
            "seeds": 2000 if os.environ.get("OPEVO_TEST_LONG") else 100, "budget": {"trials": 200}}
    with open("plan.json", "w", encoding="utf-8") as file:
        json.dump(plan, file)
    wrong, answers, over = [], [], threading.Event()

    def reader(watch):
        last = 0
        try:
            while not over.is_set():
                begun = time.monotonic()
                data = watch.data()
                answers.append(time.monotonic() - begun)
                if data["counts"]["trials"] < last:
                    wrong.append(f"{data['counts']['trials']} after {last}")
                last = data["counts"]["trials"]
        except Exception as error:  # a thread has nobody to raise it to
            wrong.append(repr(error))

    with Watch("study.db") as watch:
        readers = [threading.Thread(target=reader, args=(watch,)) for _ in range(20)]
        for one in readers:
            one.start()
        opevo("study", "plan.json", "--store", "study.db", "--quiet")
        total = 2 * 3 * plan["seeds"] * 200
        seen = watch.until(lambda data: data["counts"]["trials"] == total)
        over.set()
        for one in readers:
            one.join()
    assert not wrong, wrong[:3]
    assert len(answers) > 100, len(answers)
    answers.sort()
    print(f"20 readers: {len(answers)} answers, median {1e3 * answers[len(answers) // 2]:.1f} ms, longest {1e3 * answers[-1]:.0f} ms")
    assert seen["counts"] | {"pace": None} == {"runs": 6 * plan["seeds"], "open": 0, "ended": 6 * plan["seeds"], "planned": 0,
                                               "trials": total, "stored": total, "failed": seen["counts"]["failed"],
                                               "cost_s": seen["counts"]["cost_s"], "pace": None, "left_s": 0}
    analysis = json.loads(opevo("analyze", "study.db", "--json", "--at", "200"))
    names = {one["name"]: i for i, one in enumerate(seen["contenders"])}
    compared = 0
    for place in analysis["landscapes"]:
        mine = next(one for one in seen["landscapes"] if one["name"] == place["name"])
        for cell in place["tuners"]:
            name = next(one for one in names if one in (cell["tuner"], f"{cell['tuner']} {cell['settings']}"))
            own = next(one for one in mine["cells"] if one["contender"] == names[name])
            for point in cell["points"]:
                if point["trials"] in mine["trials"]:
                    mean = own["mean"][mine["trials"].index(point["trials"])]
                    assert abs(mean - point["mean"]) < 1e-9, (name, point, mean)
                    compared += 1
    assert compared >= 6, compared


def growth(rows):
    """Processor time for 100 trials that come to a run of so many."""
    store = f"rows-{rows}.db"
    tune(store, 1000)
    with sqlite3.connect(store) as base:
        columns = [row[1] for row in base.execute("PRAGMA table_info(trials)")]
        others = ", ".join(name for name in columns if name != "number")
        copy = f"INSERT INTO trials (number, {others}) SELECT number + ?, {others} FROM trials WHERE number <= ?"
        known = 1000
        while known < rows:
            more = min(known, rows - known)
            base.execute(copy, (known, more))
            known += more
    with Watch(store) as watch:
        begun = time.monotonic()
        watch.until(lambda data: read(data, rows))
        caught_up_s = time.monotonic() - begun
        time.sleep(1)
        before = watch.processor_s()
        with sqlite3.connect(store) as base:
            for i in range(100):
                base.execute(copy, (rows + i, 1))
                base.commit()
                time.sleep(0.02)
        watch.until(lambda data: read(data, rows + 100))
        spent = watch.processor_s() - before
        answers = []
        for _ in range(20):
            begun = time.monotonic()
            watch.data()
            answers.append(time.monotonic() - begun)
    os.remove(store)
    print(f"{rows} trials: read in {caught_up_s:.2f} s; 100 more: {spent:.2f} s of processor time; "
          f"an answer {1e3 * sorted(answers)[10]:.2f} ms")
    return spent


def size():
    small, large = growth(1000), growth(1000000 if os.environ.get("OPEVO_TEST_LONG") else 30000)
    assert large < 3 * small + 0.5, (small, large)


def follow():
    """The terminal: lines in a pipe, a table that is drawn anew on a terminal."""
    with subprocess.Popen([OPEVO, "runs", "follow.db", "--follow"], stdout=subprocess.PIPE, text=True) as piped:
        assert "follow.db" in piped.stdout.readline()  # there is no store yet
        tune("follow.db", 60)
        tune("follow.db", 50, "--seed", "2")
        best = {one["run"]: one for one in stored("follow.db")}
        ended = set()
        for line in piped.stdout:
            said = re.fullmatch(r"run (\d): (\d+) of (\d+) trials, (\d+) failed, best ([0-9.]+|none)( GFLOP/s)?(; ended: trials)?\n", line)
            assert said, line
            if said[7]:
                one = best[int(said[1])]
                assert int(said[2]) == one["trials"] and int(said[4]) == one["failed"], line
                assert abs(float(said[5]) / one["best"] - 1) < 1e-5, line
                ended.add(one["run"])
            if ended == {1, 2}:
                break
        piped.send_signal(signal.SIGINT)
        assert piped.wait(PATIENCE_S) == 0
    main_end, terminal = pty.openpty()
    with subprocess.Popen([OPEVO, "runs", "follow.db:2", "--follow"], stdout=terminal, stdin=terminal,
                          env=os.environ | {"COLUMNS": "60"}) as drawn:
        os.close(terminal)
        seen = b""
        while not re.search(rb"2 +50 of 50 .*rejected, first at trial \d+ of run 2", seen, re.S):
            seen += os.read(main_end, 4096)
        assert not re.search(rb"1 +60 of 60", seen), seen
        tune("follow.db", 70, "--seed", "2")
        while not re.search(rb"\033\[\d+A\033\[J.*2 +70 of 70", seen, re.S):
            seen += os.read(main_end, 4096)
        drawn.send_signal(signal.SIGINT)
        assert drawn.wait(PATIENCE_S) == 0
    os.close(main_end)
    assert max(len(line) for line in re.sub(rb"\033\[\d*[AJm]", b"", seen).split(b"\r\n")) <= 60


def killed_and_continued(store, words, trials, told):
    """The page of a command while it runs, after it was killed, and at its end; `told` looks at each, once the run that
    is shown has been read so far that it has a best trial."""
    def shows_best(data):
        return data.get("run", {"best": True})["best"]

    with Watch(store) as watch:
        with subprocess.Popen([OPEVO, *words], stdout=subprocess.DEVNULL) as writer:
            told(watch.until(lambda data: data["counts"]["trials"] >= 12 and shows_best(data)))
            writer.kill()
        killed = sum(run["trials"] for run in stored(store))
        assert 12 <= killed < trials, killed
        told(watch.until(lambda data: data["counts"]["trials"] == data["counts"]["stored"] == killed and
                               shows_best(data)))
        opevo(*words)
        seen = watch.until(lambda data: data["counts"]["trials"] == trials and data["counts"]["open"] == 0 and
                           shows_best(data))
        told(seen)
        known = {run["run"]: run for run in stored(store)}
        assert {run["run"]: (run["trials"], run["failed"]) for run in seen["runs"]} == {
            run: (one["trials"], one["failed"]) for run, one in known.items()}
        for run in known:
            whole = watch.until(lambda data, run=run: data["run"]["run"] == run and
                                data["run"]["digested"] == known[run]["trials"], run)
            same_as_report(store, run, whole["run"])
    return seen


def evolution():
    """A search of edits: lists of edits, the front of cost and error, and failures with their reasons."""
    if not os.path.exists(os.path.join(os.path.dirname(OPEVO), "opevo-evolver")) and not shutil.which("opevo-evolver"):
        print("skipped: opevo-evolver is not installed")
        return

    def told(data):
        run = data["run"]
        assert run["objective"].startswith("evolve:planted") and run["tuner"] == "nsga2", run["objective"]
        assert len(run["front"]["criteria"]) == 2 and re.match(r"(move|swap|delete|copy|replace|add|insert) ",
                                                               run["best"]["configuration"]), run["best"]
        assert sum(one["count"] for one in run["failures"]) == run["failed"] > 0
        assert all(one["message"] for one in run["failures"]), run["failures"]

    killed_and_continued("evolution.db", ["evolve", "planted", "--trials", "1500", "--seed", "1", "--store", "evolution.db",
                                          "--jobs", "1", "--quiet"], 1500, told)


# A convolution of 1 x 1 with weights, a Relu and a Softmax, in ONNX.
MODEL = (
    "CAc6pAEKEgoBeAoBdxIBYxoBYSIEQ29udgoPCgFjEgF5GgFiIgRSZWx1Cg8KAXkSAXoiB1NvZnRtYXgSAWcqLwgECAIIAQgBEAFC"
    "AXdKIAAAoL8AAAA/AAAAvwAAoD8AAIA+AABAvwAAgD8AAAAAWhsKAXgSFgoUCAESEAoCCAEKAggCCgIIBgoCCAZiGwoBehIWChQI"
    "ARIQCgIIAQoCCAQKAggGCgIIBkIECgAQDQ=="
)


def network():
    """The tasks of a network, which share one budget."""
    if not shutil.which("cc"):
        print("skipped: no compiler is installed")
        return
    with open("model.onnx", "wb") as file:
        file.write(base64.b64decode(MODEL))

    def told(data):
        assert len(data["runs"]) == 2 and len({run["objective"] for run in data["runs"]}) == 2, data["runs"]
        assert all(run["wanted"] == 0 for run in data["runs"]), data["runs"]  # none has a budget of its own
        assert sum(run["trials"] for run in data["runs"]) == data["counts"]["trials"]

    killed_and_continued("network.db", ["network", "model.onnx", "--on", "cpu", "--threads", "1", "--finals", "0", "--trials", "60",
                                        "--store", "network.db", "-o", "library", "--quiet"], 60, told)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (follow, refusals, life, evolution, network, slow_readers, many_readers, size):
            test()
            print(f"good: {test.__name__}", flush=True)
        os.chdir("/")


main()
