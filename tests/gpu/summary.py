#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables in Markdown of what `./dev gpu` has measured so far: summary.py FOLDER"""

import json
import sqlite3
import statistics
import struct
import sys
from pathlib import Path

TFLOPS = 1e3  # GFLOP/s


def reals(blob):
    return struct.unpack(f"<{len(blob) // 8}d", blob)


def runs_of(store):
    """Each run: objective, tuner, seed, trials, failed, first and best in GFLOP/s, finals by place."""
    for run, objective, tuner, seed in store.execute("SELECT run, objective, tuner, seed FROM runs"):
        count, failed, first, best = store.execute(
            "SELECT count(*), sum(outcome <> 0), max(fitness) FILTER (WHERE number = 1),"
            " max(fitness) FROM trials WHERE run = ?",
            (run,),
        ).fetchone()
        finals = []
        if store.execute("SELECT 1 FROM sqlite_schema WHERE name = 'finals'").fetchone():
            finals = store.execute(
                "SELECT point, fitness, message FROM finals WHERE run = ? ORDER BY place", (run,)
            ).fetchall()
        head, operator = objective.split(" ", 1)
        device, template = head.rsplit(":", 1)
        yield {
            "device": device,
            "template": template,
            "operator": operator,
            "tuner": tuner,
            "seed": int(seed),
            "trials": count,
            "failed": failed or 0,
            "first": first or 0,
            "best": best or 0,
            "finals": finals,
        }


def winner_of(finals):
    """Medians in GFLOP/s of the best finalist and of the library, the median ratio of their times, and
    what the library is; None for what there is not."""
    kernels = [reals(fitness) for point, fitness, _ in finals if point is not None]
    library = [(reals(fitness), message) for point, fitness, message in finals if point is None]
    if not kernels:
        return None, None, None, None
    best = max(kernels, key=lambda one: statistics.median(one) if min(one) > 0 else 0)
    if not library or min(library[0][0]) <= 0:
        return statistics.median(best), None, None, library[0][1] if library else None
    other, name = library[0]
    ratio = statistics.median(k / l for k, l in zip(best, other))
    return statistics.median(best), statistics.median(other), ratio, name


def cell(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def table(heads, rows):
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(str(one) for one in row) + " |")
    print()


def tuned(runs):
    """One row for each operator, template, tuner and number of trials."""
    groups = {}
    for run in runs:
        key = (run["operator"], run["template"], run["tuner"], run["trials"])
        groups.setdefault(key, []).append(run)
    rows = []
    libraries = {}
    for (operator, template, tuner, trials), group in sorted(groups.items()):
        finals = [winner_of(run["finals"]) for run in group]
        winners = [one[0] for one in finals if one[0]]
        ratios = [one[2] for one in finals if one[2]]
        library = [one[1] for one in finals if one[1]]
        for one in finals:
            if one[3]:
                libraries[operator] = one[3]
        bests = [run["best"] / TFLOPS for run in group]
        rows.append(
            [
                operator,
                template,
                tuner,
                trials,
                len(group),
                f"{100 * sum(run['failed'] for run in group) / max(1, trials * len(group)):.0f} %",
                cell(statistics.mean(run["first"] for run in group) / TFLOPS),
                cell(statistics.mean(bests)),
                cell(statistics.stdev(bests) if len(bests) > 1 else None),
                cell(max(winners) / TFLOPS if winners else None),
                cell(statistics.median(library) / TFLOPS if library else None),
                cell(statistics.median(ratios) if ratios else None, 3),
                cell(max(ratios) if ratios else None, 3),
            ]
        )
    print("TFLOP/s; the first trial of a run, which is the analytic start where there is one (mean over")
    print("seeds), the best trial (mean and standard deviation), the best median of its finals (best seed),")
    print("the library in the same finals, and winner over library, round by round (median and best of")
    print("the seeds). All estimated.\n")
    heads = ["operator", "template", "tuner", "trials", "seeds", "failed", "first", "best", "sd"]
    heads += ["winner", "library"]
    table(heads + ["ratio", "best ratio"], rows)
    for operator, name in sorted(libraries.items()):
        print(f"- {operator}: {name}")
    print()


def recorded(folder):
    rows = []
    for path in sorted(folder.glob("*.json")):
        facts = json.loads(path.read_text())
        with open(path.with_suffix(".csv"), encoding="utf-8") as file:
            count = sum(1 for _ in file) - 1
        rows.append([path.stem, count, facts.get("device") or facts.get("devices") or "-"])
    if rows:
        print("Recordings:\n")
        table(["recording", "points", "device"], rows)


SETS = ("search", "selection", "final")


def known(path):
    """What `opevo edits apply` says of a variant on three sets: the median of cost or time as a
    fraction of the base's, least, largest, and the first status that is not ok."""
    said = json.loads(path.read_text())
    for one in SETS:
        if said[one]["status"] != "ok":
            return None, None, None, said[one]["status"]
    fractions = [said[one]["fraction_of_base"] for one in SETS]
    return statistics.median(fractions), min(fractions), max(fractions), "ok"


def edited(folder):
    """Known variants on the device and by the cost model, and what a search on the device found."""
    rows = []
    for path in sorted((folder / "done").glob("edits-*-simt")):
        kernel = path.name.split("-")[1]
        model = known(path)[0]
        for other in sorted((folder / "done").glob(f"edits-{kernel}-[ch]*-[0-9]")):
            median, least, largest, status = known(other)
            row = [kernel, cell(model, 4), cell(median, 4), cell(least, 4), cell(largest, 4)]
            rows.append(row + [status])
    if rows:
        print("Variants of kernels, as a fraction of the base: cost by the model of the interpreter, which")
        print("is exact, and time on the device, three times (median, least, largest; estimated).\n")
        table(["kernel", "model", "device", "least", "largest", "results"], rows)
    for path in sorted((folder / "done").glob("edits-*-[0-9]-[0-9]*")):
        said = json.loads(path.read_text())
        kernel = path.name.split("-")[1]
        best = said["best"]["edit_count"] if said["best"] else 0
        print(
            f"- {kernel}, {said['trials']} trials on the device, {said['failed']} failed: best"
            f" error-free variant {cell(said['fraction_of_base'], 4)} of the base's time, {best} edits"
        )
        print(f"  on {said['objective'].split(' on ')[1]}; base {1e6 * said['base_cost']:.1f} us\n")


def main():
    folder = Path(sys.argv[1])
    print("```")
    print((folder / "devices").read_text().rstrip())
    print("```\n")
    tests = folder / "done" / "tests"
    print(f"Tests on the device: {'passed' if tests.exists() else 'not passed'}.\n")
    network = folder / "done" / "network"
    if network.exists():
        print("A small network as a library, untuned: check, times (estimated), and those of its steps.\n")
        print("```\n" + network.read_text().rstrip() + "\n```\n")
    if (folder / "runs.db").exists():
        tuned(list(runs_of(sqlite3.connect(folder / "runs.db"))))
    recorded(folder)
    edited(folder)


if __name__ == "__main__":
    main()
