# SPDX-License-Identifier: GPL-3.0-or-later
"""How many of some workers each tuner keeps busy: busy.py LANDSCAPE.json WORKERS TRIALS

Trials have equal durations on a recorded landscape, and a worker that is free gets the next one as
soon as the tuner has it. Prints the mean number of busy workers with the defaults of one worker and
with those of that number. Needs the package opevo on PYTHONPATH (cli/python)."""

import csv
import json
import lzma
import pathlib
import sys

import opevo


def table(description, path):
    """Configurations and their results; None for a failure."""
    names = [parameter["name"] for parameter in description["parameters"]]
    with lzma.open(path.with_suffix(".csv.xz"), "rt") as rows:
        return names, {
            tuple(row[name] for name in names): float(row["gflops"]) if row["status"] == "ok" else None
            for row in csv.DictReader(rows)
        }


def space_of(description):
    space = {p["name"]: {"_type": "discrete", "_value": p["values"]} for p in description["parameters"]}
    return {**space, "_constraints": description["constraints"]}


def busy(space, names, known, name, workers, trials, given):
    """Time is counted in trials, of which all that run together begin and end together."""
    times = told = 0
    with opevo.Tuner(space, name, workers=given) as tuner:
        while told < trials and not tuner.over:
            running = tuner.ask(workers)
            for trial in running:
                result = known[tuple(str(trial.config[each]) for each in names)]
                tuner.tell(trial, result, outcome=None if result else "crashed")
            told += len(running)
            times += 1
    return told / times


def main():
    path = pathlib.Path(sys.argv[1])
    workers, trials = int(sys.argv[2]), int(sys.argv[3])
    description = json.loads(path.read_text())
    names, known = table(description, path)
    for tuner in opevo.tuners():
        row = [
            busy(space_of(description), names, known, tuner["name"], workers, trials, given)
            for given in (1, workers)
        ]
        print(f"{tuner['name']:18} {row[0]:5.1f} {row[1]:5.1f}", flush=True)


main()
