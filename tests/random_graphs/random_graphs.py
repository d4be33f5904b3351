#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random graphs over operators, types and shapes: libraries of `opevo network` beside ONNX Runtime.

    npm install --prefix build/onnxruntime --ignore-scripts onnxruntime-node@1.30.0
    tests/random_graphs/random_graphs.py build/opevo --batches 10

A graph has 1 to 6 nodes of a table of operators, each chosen as often as the others. Those of a batch that ONNX Runtime
computes are one model, and so one library, which is compiled and run once. Each output must be that of ONNX Runtime:
whole numbers exactly, floats within a bound for the error of their type and of the graph, for which ONNX Runtime runs
twice more on inputs that differ by a rounding or so. The answer counts graphs, nodes, operators and types of those
computed, and says what either side refuses. A batch follows from --seed and its number only; the model of a wrong one
stays in --folder. The status is 1 if an output is wrong, 77 without ONNX Runtime."""

from __future__ import annotations

import argparse
import base64
import collections
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import element_operators
import move_operators
import onnx_files as files
import other_operators
import window_operators
from graphs import Graph, Unfit, message

assert move_operators and other_operators and window_operators
TABLE = element_operators.TABLE
OPSETS = (13, 17, 18, 20, 21, 24)
HERE = Path(__file__).parent
FLAGS = "-O1 -march=native -fno-math-errno"
# Of elements of the type, and how far inputs are moved to see what rounding does.
ERRORS = {"float32": (1e-4, 2e-7), "float64": (1e-5, 1e-7), "float16": (4e-3, 1e-3)}


# ---- Drawing ----


def draw_graph(draw: random.Random, opset: int, first: str) -> Graph | None:
    graph = Graph(draw, opset, draw.choice(["float32"] * 6 + ["float64", "float16"]))
    names = [first] + [draw.choice(list(TABLE)) for _ in range(draw.randint(0, 5))]
    for name in names:
        function, since = TABLE[name]
        for _ in range(8):
            # A draw that does not fit leaves constants that nobody reads, and inputs, behind.
            kept = [list(each) for each in (graph.values, graph.inputs, graph.constants, graph.nodes)]
            readers = [(value, value.readers) for value in graph.values]
            try:
                if opset >= since:
                    function(graph)
                break
            except (Unfit, ValueError, OverflowError, ZeroDivisionError, struct.error):
                graph.values, graph.inputs, graph.constants, graph.nodes = kept
                for value, count in readers:
                    value.readers = count
        if name == first and not graph.nodes:
            return None
    return graph if graph.inputs else None


def draw_batch(seed: int, number: int, size: int) -> list[Graph]:
    draw = random.Random(f"{seed} {number}")
    opset = OPSETS[number % len(OPSETS)]
    names = [name for name in TABLE if TABLE[name][1] <= opset]
    draw.shuffle(names)
    wanted = [names[(number // len(OPSETS) * size + i) % len(names)] for i in range(size)]
    graphs = [draw_graph(draw, opset, name) for name in wanted]
    return [graph for graph in graphs if graph]


# ---- ONNX Runtime ----


def moved(kind: str, values: list, sign: int, draw: random.Random) -> list:
    if kind not in ERRORS:
        return values
    step = ERRORS[kind][1]
    code = files.TYPES[kind][1]
    new = [x * (1 + sign * draw.choice((-1, 1)) * step) for x in values]
    return list(struct.unpack(f"<{len(new)}{code}", struct.pack(f"<{len(new)}{code}", *new)))


def job_of(graph: Graph, number: int, draw: random.Random) -> dict:
    runs = []
    for sign in (0, 1, -1):
        runs.append([{"name": v.name, "kind": v.kind, "shape": list(v.shape),
                      "data": base64.b64encode(files.pack(v.kind, moved(v.kind, given, sign, draw))).decode()}
                     for v, given in graph.inputs])
    return {"model": f"{number}.onnx", "runs": runs}


def ask_peer(graphs: list[Graph], folder: Path, peer: Path) -> list[dict]:
    draw = random.Random(7)
    for i, graph in enumerate(graphs):
        (folder / f"{i}.onnx").write_bytes(message([graph], [""]))
    jobs = [job_of(graph, i, draw) for i, graph in enumerate(graphs)]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    (folder / "answers.json").unlink(missing_ok=True)
    environment = {**os.environ, "OPEVO_ONNXRUNTIME_NODE": str(peer)}
    done = subprocess.run(["node", HERE / "run_peer.js", folder], env=environment, capture_output=True, text=True)
    if done.returncode or not (folder / "answers.json").exists():
        sys.exit(f"random_graphs: node run_peer.js ended with {done.returncode}: {done.stderr[-300:]}")
    return json.loads((folder / "answers.json").read_text())


# ---- The library ----


def write_inputs(graphs: list[Graph], numbers: list[int], folder: Path) -> list[str]:
    """Files of all inputs, in their order."""
    out = []
    for graph, n in zip(graphs, numbers):
        for value, given in graph.inputs:
            name = f"g{n}_{value.name}"
            (folder / f"{name}.pb").write_bytes(files.tensor(name, value.kind, value.shape, given))
            out.append(str(folder / f"{name}.pb"))
    return out


def make_library(opevo: str, model: Path, inputs: list[str], folder: Path) -> str:
    """Empty, or why there is none."""
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run([opevo, "network", model, "--quiet", "--threads", "1", "--check-input", ",".join(inputs),
                           "-o", folder],
                          capture_output=True, text=True)
    return done.stderr.strip() or f"status {done.returncode}" if done.returncode else ""


def tensors_of(folder: Path, what: str) -> list[tuple[str, int, str]]:
    """Names, elements and types of the inputs or outputs, as the library's source has them."""
    source = (folder / "net.c").read_text()
    table = re.search(rf"net_{what}\[\] = {{\n(.*?)\n    {{NULL", source, re.S)
    rows = re.findall(r'{"([^"]*)", (\d+), \d+, {[^}]*}, "(\w+)", \d+}', table.group(1) if table else "")
    return [(name, int(size), kind) for name, size, kind in rows]


def run_library(graphs: list[Graph], numbers: list[int], folder: Path) -> dict[str, list]:
    given = {f"g{n}_{v.name}": values for graph, n in zip(graphs, numbers) for v, values in graph.inputs}
    data = b"".join(files.pack(kind, given[name]) for name, _, kind in tensors_of(folder, "inputs"))
    (folder / "given").write_bytes(data)
    made = subprocess.run(["make", "-s", "-C", folder, "libnet.a", f"CFLAGS={FLAGS}"], capture_output=True, text=True)
    if made.returncode == 0:
        made = subprocess.run(["cc", "-O1", f"-I{folder}", HERE / "run_library.c", folder / "libnet.a", "-lm",
                               "-fopenmp",
                               "-o", folder / "run"], capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError("it does not compile: " + made.stderr[-2000:])
    ran = subprocess.run([folder / "run", folder / "given", folder / "found"], capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(f"it ends with {ran.returncode}: {ran.stderr[-500:]}")
    found, out, at = (folder / "found").read_bytes(), {}, 0
    for name, size, kind in tensors_of(folder, "outputs"):
        _, code, width = files.TYPES[kind]
        out[name] = list(struct.unpack_from(f"<{size}{code}", found, at))
        at += size * width
    return out


# ---- Comparing ----


def numbers_of(tensor: dict) -> list:
    data = base64.b64decode(tensor["data"])
    _, code, width = files.TYPES[tensor["kind"]]
    return list(struct.unpack(f"<{len(data) // width}{code}", data))


def difference(kind: str, found: list, runs: list[list]) -> str:
    """Empty, or the first element that is wrong."""
    wanted = runs[0]
    if len(found) < len(wanted):
        return f"{len(found)} elements in the place of {len(wanted)}"
    if kind not in ERRORS:
        wrong = [i for i, e in enumerate(wanted) if found[i] != e]
        return f"element {wrong[0]} is {found[wrong[0]]} in the place of {wanted[wrong[0]]}" if wrong else ""
    largest = max((abs(e) for e in wanted if math.isfinite(e)), default=0)
    of_all = max((abs(run[i] - e) for run in runs[1:] for i, e in enumerate(wanted) if math.isfinite(run[i] - e)),
                 default=0)
    for i, e in enumerate(wanted):
        x = found[i]
        if x == e or (math.isnan(x) and math.isnan(e)):
            continue
        spread = max((abs(run[i] - e) for run in runs[1:]), default=0)
        bound = ERRORS[kind][0] * (abs(e) + 1e-2 * largest) + 20 * spread + 2 * of_all + 1e-7
        if not abs(x - e) <= bound:
            return f"element {i} is {x:.9g} in the place of {e:.9g}, bound {bound:.2g}"
    return ""


def words_of(graph: Graph) -> str:
    return ", ".join(f"{n.operation}({' '.join(n.kinds)})" for n in graph.nodes)


def compare(graph: Graph, number: int, answer: dict, found: dict[str, list]) -> list[str]:
    out = []
    for value in graph.outputs():
        runs = [numbers_of(run[value.name]) for run in answer["runs"]]
        kind = "float16" if graph.kind == "float16" and value.is_float else value.kind
        why = difference(kind, found[f"g{number}_{value.name}"], runs)
        if not why and -1 in value.shape:
            counted = found[f"g{number}_{value.name}.count"]
            why = "" if counted[0] * 3 == len(runs[0]) else f"{counted[0]} rows in the place of {len(runs[0]) // 3}"
        if why:
            out.append(f"output {value.name}: {why}")
    return out


# ---- Batches ----


class Tally:
    def __init__(self) -> None:
        self.graphs = self.nodes = self.outputs = self.wrong = 0
        self.pairs: collections.Counter = collections.Counter()
        self.refused: dict[str, collections.Counter] = {"ONNX Runtime": collections.Counter(),
                                                        "opevo": collections.Counter()}

    def refuse(self, who: str, graph: Graph, why: str) -> None:
        short = re.sub(r".*\.onnx: ", "", re.sub(r"'[^']*'|\d+", "_", why))[:110]
        self.refused[who][f"{graph.nodes[-1].operation if len(graph.nodes) == 1 else '*'}: {short}"] += 1

    def count(self, graph: Graph) -> None:
        self.graphs += 1
        self.nodes += len(graph.nodes)
        self.outputs += len(graph.outputs())
        for node in graph.nodes:
            self.pairs.update((node.operation, kind) for kind in set(node.kinds) or {"-"})

    def text(self) -> str:
        operators = {operation for operation, _ in self.pairs}
        types = sorted({kind for _, kind in self.pairs} - {"-"})
        return (f"{self.graphs} graphs, {self.nodes} nodes, {self.outputs} outputs, {len(operators)} operators, "
                f"{len(self.pairs)} pairs of operator and type, {len(types)} types; {self.wrong} graphs wrong")


class Refused(Exception):
    """opevo makes no library of the graphs."""


def check(options: argparse.Namespace, graphs: list[Graph], answers: list[dict], numbers: list[int],
          folder: Path) -> dict[int, str]:
    """What is wrong with each of these graphs, in one library."""
    several = [graphs[i] for i in numbers]
    model = folder / "all.onnx"
    model.write_bytes(message(several, [f"g{i}_" for i in numbers]))
    why = make_library(options.opevo, model, write_inputs(several, numbers, folder), folder / "library")
    if why:
        raise Refused(why)
    found = run_library(several, numbers, folder / "library")
    differing = {i: "; ".join(compare(graphs[i], i, answers[i], found)) for i in numbers}
    return {i: text for i, text in differing.items() if text}


def accepted(options: argparse.Namespace, graphs: list[Graph], numbers: list[int], folder: Path, tally: Tally,
             batch: int) -> list[int]:
    """The graphs of which opevo makes a library."""
    out = []
    for i in numbers:
        (folder / "one.onnx").write_bytes(message([graphs[i]], ["g0_"]))
        inputs = write_inputs([graphs[i]], [0], folder)
        why = make_library(options.opevo, folder / "one.onnx", inputs, folder / "library")
        if not why:
            out.append(i)
            continue
        tally.refuse("opevo", graphs[i], why)
        if options.verbose:
            print(f"refused {batch}.{i}: {words_of(graphs[i])}: {why}", flush=True)
    return out


def check_each(options: argparse.Namespace, graphs: list[Graph], answers: list[dict], numbers: list[int],
               folder: Path) -> dict[int, str]:
    """What is wrong with each; all together, or where that does not run one by one."""
    try:
        return check(options, graphs, answers, numbers, folder) if numbers else {}
    except (Refused, RuntimeError):
        wrong = {}
    for i in numbers:
        try:
            wrong.update(check(options, graphs, answers, [i], folder))
        except (Refused, RuntimeError) as error:
            wrong[i] = str(error)
    return wrong


def run_batch(options: argparse.Namespace, number: int, tally: Tally, folder: Path) -> None:
    graphs = draw_batch(options.seed, number, options.size)
    answers = ask_peer(graphs, folder, options.peer)
    numbers = []
    for i, (graph, answer) in enumerate(zip(graphs, answers)):
        if "refused" in answer:
            tally.refuse("ONNX Runtime", graph, answer["refused"])
        else:
            numbers.append(i)
    try:
        wrong = check(options, graphs, answers, numbers, folder)
    except Refused:
        numbers = accepted(options, graphs, numbers, folder, tally, number)
        wrong = check_each(options, graphs, answers, numbers, folder)
    except RuntimeError:
        wrong = check_each(options, graphs, answers, numbers, folder)
    for i in numbers:
        tally.count(graphs[i])
    for i, text in wrong.items():
        tally.wrong += 1
        kept = options.folder / f"wrong_{options.seed}_{number}_{i}.onnx"
        kept.write_bytes(message([graphs[i]], [""]))
        print(f"WRONG: {kept}: opset {graphs[i].opset}: {words_of(graphs[i])}: {text}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("opevo", help="the program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first batch")
    parser.add_argument("--batches", type=int, default=6)
    parser.add_argument("--size", type=int, default=30, help="graphs that are drawn for a batch")
    parser.add_argument("--folder", type=Path, default=Path("."), help="where models of wrong graphs stay")
    parser.add_argument("--peer", type=Path, default=Path("build/onnxruntime/node_modules/onnxruntime-node"),
                        help="ONNX Runtime for Node.js")
    parser.add_argument("--verbose", action="store_true", help="print what opevo refuses")
    options = parser.parse_args()
    options.peer, options.opevo = options.peer.absolute(), str(Path(options.opevo).absolute())
    if not options.peer.is_dir() or not shutil.which("node"):
        print(f"random_graphs: skipped: {options.peer} or node is missing; see the head of this file.", file=sys.stderr)
        return 77
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.first, options.first + options.batches):
            run_batch(options, number, tally, Path(folder))
            print(f"batch {number}: {tally.text()}", flush=True)
    for who, reasons in tally.refused.items():
        for reason, times in reasons.most_common():
            print(f"refused by {who}, {times} times: {reason}")
    print("operators: " + " ".join(sorted({operation for operation, _ in tally.pairs})))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
