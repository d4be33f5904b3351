#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""same.py OLD NEW [--points N] [--only WORD]: whether two builds of opevo, in the folders OLD and NEW, propose the same
trials and emit the same kernels. Trials: of every tuner that both have, for seeds 1 and 2, on a recording, on simulated
operators, and on sketches whose results a hash of their text decides. Kernels: N (200) random points of every template of
16 operators, and of sketches, in each dialect, as a worker gets them. Prints a line for each comparison, and for each that
differs the first trial or text that does; the exit status is then 1. A maintainer runs it before and after a change that
must not change what opevo does."""

import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import subprocess
import sys
import tempfile

SEEDS = (1, 2)
OPERATORS = ("mm1", "mm2", "mm3", "bmm1", "bmm2", "bmm3", "c1", "c2") + tuple(f"resnet18-c{i}" for i in range(1, 9))
DIALECTS = ("cpu", "cuda:0", "hip:0", "opencl:0")
TEMPLATES = ("cpu", "weights", "paper", "tiled", "sketch")


def worker(kind, hello, log):
    """A worker that writes down what it is asked to measure, and makes up a time from it."""
    said = json.loads(hello) | {"kind": kind, "device": "made up", "host": "here"}
    said["facts"] = {"identity": "made up", "cores": 8, "vector_bits": 512, "l1_bytes": 32768, "l2_bytes": 1 << 20}
    if kind == "cpu":
        said["device"] = said["facts"]["identity"] = "made up, x86_64"
    answer = lambda **words: print(json.dumps(words), flush=True)
    answer(**said)
    with open(log, "a", encoding="utf-8") as file:
        for line in sys.stdin:
            message = json.loads(line)
            if message["type"] == "setup":
                answer(type="ready", **{key: message[key] for key in ("threads",) if key in message})
            elif message["type"] == "measure":
                job = message.pop("job")
                message.pop("best_s", None)  # known when a kernel is sent, which is a matter of time
                text = json.dumps(message, sort_keys=True)
                file.write(text + "\n")
                file.flush()
                made_up = int.from_bytes(hashlib.sha256(message.get("source", text).encode()).digest()[:4], "big")
                answer(type="started", job=job)
                answer(type="result", job=job, outcome="ok", samples=[1e-3 * (1 + made_up / 2**32)], build_s=0.1,
                       run_s=0.1, check_s=0, other_s=0, message="")
            elif message["type"] == "quit":
                return


class Build:
    """One of the two, and what it does."""

    def __init__(self, folder):
        self.opevo = os.path.realpath(os.path.join(folder, "opevo"))
        with subprocess.Popen([os.path.join(folder, "opevo-worker"), "cpu"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as one:
            self.hello = json.dumps({key: value for key, value in json.loads(one.stdout.readline()).items()
                                     if key in ("type", "protocol", "version")})

    def run(self, *words):
        return subprocess.run([self.opevo, *words], capture_output=True, text=True,
                              env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})

    def tuners(self):
        return [line.split(":")[0] for line in self.run("tuners").stdout.splitlines()
                if line[:1].strip() and ":" in line]

    def trials(self, words):
        """Point and outcome of each trial of a run, or why it failed."""
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "runs.db")
            done = self.run("tune", *words, "--store", store, "--quiet")
            if done.returncode:
                return ["refused: " + done.stderr.splitlines()[-1] if done.stderr else "failed"]
            rows = self.run("runs", store + ":1", "--trials", "--csv").stdout.splitlines()
        return [", ".join(f"{name}={value}" for name, value in row.items() if name not in ("host", "device"))
                for row in csv.DictReader(rows)]

    def measured(self, kind, words):
        """A run whose kernels a made-up worker measures: its trials and the texts of its kernels."""
        with tempfile.TemporaryDirectory() as folder:
            log, hello = os.path.join(folder, "log"), os.path.join(folder, "hello")
            with open(hello, "w", encoding="utf-8") as file:
                file.write(self.hello)
            command = f"{sys.executable} {os.path.realpath(__file__)} --worker {kind.split(':')[0]} {hello} {log}"
            seen = self.trials([*words, "--on", kind, "--workers", command, "--finals", "0"])
            texts = []
            if os.path.exists(log):
                with open(log, encoding="utf-8") as file:
                    texts = sorted(set(file))
        return seen, texts


def first_difference(old, new):
    for i in range(max(len(old), len(new))):
        a, b = (rows[i] if i < len(rows) else "nothing" for rows in (old, new))
        if a != b:
            at = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            begin = max(0, at - 60)
            return f"at {i} of {len(old)} and {len(new)}: ...{a[begin:at + 100].strip()} | ...{b[begin:at + 100].strip()}"
    return ""


def main():
    if sys.argv[1:2] == ["--worker"]:
        with open(sys.argv[3], encoding="utf-8") as file:
            return worker(sys.argv[2], file.read(), sys.argv[4])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--only", default="", help="comparisons that have this word")
    arguments = parser.parse_args()
    builds = [Build(arguments.old), Build(arguments.new)]
    tuners = [name for name in builds[0].tuners() if name in builds[1].tuners()]
    number = str(arguments.trials)

    jobs = []  # (what, run of a build)
    for tuner in tuners:
        for seed in SEEDS:
            base = ["--tuner", tuner, "--seed", str(seed), "--trials", number]
            for on in (["--on", "recorded:"], ["mm1", "--on", "sim:gtx1080ti"], ["c1", "--on", "sim:mi50"]):
                jobs.append((f"trials of {tuner}, seed {seed}, {' '.join(on)}",
                             lambda build, words=[*on, *base]: (build.trials(words), [])))
            jobs.append((f"trials of {tuner}, seed {seed}, sketches of mm1 on cpu",
                         lambda build, words=["mm1", "--template", "sketch", *base]: (build.measured("cpu", words)[0], [])))
    for operator in OPERATORS:
        for kind in DIALECTS:
            for template in TEMPLATES:
                words = [operator, "--template", template, "--tuner", "random", "--seed", "1", "--trials", str(arguments.points)]
                jobs.append((f"kernels of {operator}, {template}, {kind}",
                             lambda build, kind=kind, words=words: build.measured(kind, words)))
    jobs = [job for job in jobs if arguments.only in job[0]]

    def compare(job):
        return job[0], [job[1](build) for build in builds]

    differ = same = texts = refused = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for what, ((old, old_texts), (new, new_texts)) in pool.map(compare, jobs):
            if old == new and old_texts == new_texts:
                same += 1
                texts += len(new_texts)
                refused += new[0].startswith("refused")
                continue
            differ += 1
            print(f"{what}: differs: {first_difference(old, new) or first_difference(old_texts, new_texts)}", flush=True)
    print(f"{same} comparisons are the same, {refused} of them refused by both; {texts} kernels; {differ} differ")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
