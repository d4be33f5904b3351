# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws, landscapes, stores and studies as pandas frames; pandas is imported when one is made."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._error import Error
from ._program import call, run, text_of, words_of
from ._space import Parameter, Space, config_of, hashable

if TYPE_CHECKING:
    import pandas

LARGEST_LANDSCAPE = 1_000_000


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise Error("A frame needs pandas; install python3-pandas or pip's pandas.") from None
    return pandas


def _parameter_text(parameter: Parameter | str) -> str:
    """A parameter as `opevo law` has it, such as factor(8,3)."""
    if isinstance(parameter, str):
        return parameter
    kind, value = parameter.json["_type"], parameter.json["_value"]
    name = "categorical" if kind == "choice" else kind
    if name == "graph" or any(isinstance(each, dict) for each in value):
        raise Error(
            "A law takes a factor, permutation, discrete or choice, or graph(FILE) as text."
        )
    return f"{name}({','.join(map(text_of, value))})"


def law(
    parameter: Parameter | str,
    start: object = None,
    q: float = 0.5,
    *,
    topology: str | None = None,
    method: str | None = None,
    tolerance: float | None = None,
) -> Any:
    """The law of a q-random walk: the probability of each value to be where the walk ends.

    parameter  "factor(8,3)", or what `factor`, `permutation`, `discrete` or `choice` returns
    start      where the walk starts; default: the first value
    q          probability of one more step, 0 <= q < 1
    tolerance  largest accepted error bound, in the 1-norm

    Returns a pandas Series from values (tuples for factor and permutation) to probabilities; its
    `attrs` have the start, the method and `bound`, an upper bound of the distance to the exact law
    in the 1-norm. Without pandas, a dict from values to probabilities.

    Errors: Error where the program refuses an argument.

    >>> opevo.law("factor(8,3)", (8, 1, 1), q=0.5)[(8, 1, 1)]
    """
    named = parameter.json if isinstance(parameter, Parameter) else {}
    options = {
        "start": None if start is None else text_of(start),
        "q": q,
        "topology": topology or named.get("_topology"),
        "method": method,
        "tolerance": tolerance,
    }
    answer = call("law", _parameter_text(parameter), *words_of(options))
    rows = answer.pop("law")
    law_of = {hashable(row["value"]): float(row["p"]) for row in rows}
    if any("count" in row for row in rows):
        answer["counts"] = {hashable(row["value"]): row["count"] for row in rows}
    try:
        import pandas
    except ImportError:
        return law_of
    # An Index of tuples stays one of tuples; pandas would make several levels of it.
    index = pandas.Index(list(law_of), tupleize_cols=False, name=answer["parameter"])
    series = pandas.Series(list(law_of.values()), index=index, name="p", dtype=float)
    series.attrs = {**answer, "start": hashable(answer["start"])}
    return series


class Recording:
    """Measurements in a table, as a landscape: a pandas frame, or the path of a CSV file.

    frame     has a column for each parameter, and one for the result; Optuna's trials_dataframe()
              is one, too
    result    "UNIT:COLUMN" with s, ms, us, ns, gflops, tflops or score, such as "ms:time"
    average   whether rows of one configuration are averaged; otherwise they are refused

    Parameters are inferred; `inferred` says how. A recording is taken by `landscape`, as an
    objective of the plan of a `study`, and its name `on` by the program's `--on`. The file of a
    frame is there as long as the recording.

    Errors: Error where the program refuses the table.

    >>> recording = opevo.Recording(frame, result="ms:time")
    >>> opevo.landscape(recording)
    """

    def __init__(
        self, frame: pandas.DataFrame | str | os.PathLike[str], result: str, average: bool = False
    ) -> None:
        if isinstance(frame, str | os.PathLike):
            path = os.path.abspath(frame)
        else:
            folder = tempfile.mkdtemp()
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            path = os.path.join(folder, "frame.csv")
            frame.to_csv(path, index=any(name is not None for name in frame.index.names))
        self.on = f"recorded:{path}#{result}" + ",mean" * average
        """The landscape as the option `--on` names it."""
        self.inferred: str = call("landscape", "--on", self.on, "--quiet")["inferred"]
        """What the program made of the columns, a line each."""

    def __repr__(self) -> str:
        return f"Recording({self.on!r})"


def landscape(
    on: str | Recording = "recorded:",
    operator: str | None = None,
    *,
    only_recorded: bool = True,
    space: Space | Mapping[str, object] | str | os.PathLike[str] | None = None,
    sample: int | None = None,
    seed: int = 1,
) -> pandas.DataFrame:
    """The points of a recorded or simulated landscape, one row each, in the order of the points.

    on             "recorded:FILE", "recorded:" (the built-in recording), a Recording, or
                   "sim:DEVICE"
    operator       for a simulated device, such as "mm1" or "matmul(64,64,64)"
    only_recorded  of a recording, only the points that it has; otherwise also the allowed ones that
                   it has not, as `unrecorded`
    space          a space that replaces the recording's
    sample         instead of all points, so many distinct ones, drawn uniformly by `seed`

    The columns are the parameters (tuples for factor and permutation; missing where a parameter is
    not active), outcome, result, fitness, time_s, costs in seconds, criteria, and the message of a
    failure. `attrs` has what `opevo landscape --json` says: unit, number of points, optimum.

    >>> frame = opevo.landscape("sim:gtx1080ti", "matmul(8,8,8)")
    >>> frame[frame.outcome == "ok"].result.max()
    """
    what = [operator] if operator else []
    name = on.on if isinstance(on, Recording) else on
    recorded = name.startswith("recorded:")
    options: dict[str, object] = {"on": name, "only_recorded": recorded and only_recorded}
    with _space_file(space) as path, tempfile.TemporaryDirectory() as folder:
        options["space"] = path
        summary = call("landscape", *what, *words_of(options), "--quiet")
        points = int(summary["allowed"])
        if sample is None and points > LARGEST_LANDSCAPE:
            raise Error(f"This landscape has {points} points; give sample=N for so many of them.")
        store = os.path.join(folder, "points.db")
        search = {
            "tuner": "grid" if sample is None else "random",
            "trials": max(1, points if sample is None else sample),
            "seed": seed,
            "store": store,
            "quiet": True,
        }
        # Exit status 1: no point of the landscape succeeded.
        run("tune", *what, *words_of({**options, **search}), "--json", ok=(0, 1))
        frame = trials(store, 1).drop(columns=["trial", "origin", "unit"], errors="ignore")
    frame.attrs = summary
    return frame


@contextmanager
def _space_file(
    space: Space | Mapping[str, object] | str | os.PathLike[str] | None,
) -> Iterator[str | None]:
    if space is None:
        yield None
        return
    with Space.of(space).file() as path:
        yield path


def runs(store: str | os.PathLike[str]) -> pandas.DataFrame:
    """The runs of a store, one row each: objective, tuner, settings, seed, trials, best, ..."""
    return _pandas().DataFrame(call("runs", os.fspath(store)))


def trials(store: str | os.PathLike[str], run_number: int = 1) -> pandas.DataFrame:
    """The trials of a run: number, outcome, result, costs, and a column for each parameter.

    A parameter that has the name of another column gets the column "config.NAME".
    """
    pandas = _pandas()
    text = run("runs", f"{os.fspath(store)}:{run_number}", "--trials", "--csv")
    exactly = {"float_precision": "round_trip", "keep_default_na": False}
    frame = pandas.read_csv(io.StringIO(text), na_values={}, **exactly)
    numbers = [name for name in frame if name not in ("outcome", "unit", "origin", "message")]
    lists = [name for name in ("samples_s", "processor_s") if name in frame]
    numbers = [name for name in numbers if name not in ("configuration", *lists)]
    frame[numbers] = frame[numbers].apply(pandas.to_numeric, errors="coerce")
    configs = [config_of(json.loads(each)) for each in frame.pop("configuration")]
    frame.attrs["unit"] = frame["unit"].iloc[0] if len(frame) else ""
    for name in lists:
        frame[name] = [
            tuple(map(float, each.split())) if each else ()
            for each in frame[name].astype(str).str.replace(";", " ")
        ]
    names = list(dict.fromkeys(name for config in configs for name in config))
    columns = {
        f"config.{name}" if name in frame else name: [config.get(name) for config in configs]
        for name in names
    }
    parts = [pandas.DataFrame({name: pandas.Series(of) for name, of in columns.items()}), frame]
    joined = pandas.concat(parts, axis=1)
    joined.attrs = frame.attrs
    return joined


@dataclass(frozen=True)
class Analysis:
    """The comparison of the tuners of one store or several.

    statistics  every number, one row each: landscape, tuner, against, statistic, at, runs, value,
                low, high and whether it is exact, bounded or estimated; docs/analysis.md defines
                them
    runs        the runs of the stores; of several with a column `store`, and a run that more than
                one of them has once, as in the first of them
    json        what `opevo analyze --json` prints, with all curves
    """

    statistics: pandas.DataFrame
    runs: pandas.DataFrame
    json: dict[str, Any]

    def table(self, statistic: str = "mean") -> pandas.DataFrame:
        """One statistic: a row for each landscape and tuner, a column for each checkpoint.

        >>> opevo.analyze("runs.db").table("ert")
        """
        rows = self.statistics[self.statistics["statistic"] == statistic]
        return rows.pivot_table(
            index=["landscape", "tuner"], columns="at", values="value", sort=False
        )

    def verdicts(self) -> pandas.DataFrame:
        """Tests of all pairs of tuners: difference, p_holm, verdict (1 better, -1 worse)."""
        rows = self.statistics[self.statistics["against"].notna()]
        return rows.pivot_table(
            index=["landscape", "tuner", "against"], columns="statistic", values="value", sort=False
        ).reset_index()


def _name_of(value: object) -> str:
    """What a plan has for a recording."""
    if isinstance(value, Recording):
        return value.on
    raise Error(f"A plan cannot hold {value!r}.")


def _runs_of(stores: tuple[str | os.PathLike[str], ...]) -> pandas.DataFrame:
    if len(stores) == 1:
        return runs(stores[0])
    frames = [runs(store).assign(store=os.fspath(store)) for store in stores]
    every = _pandas().concat(frames, ignore_index=True)
    return every.drop_duplicates(["objective", "tuner", "settings", "seed"], ignore_index=True)


def analyze(
    store: str | os.PathLike[str], *more: str | os.PathLike[str], **options: object
) -> Analysis:
    """Compare the tuners of one store, or of several, which count as one.

    options  those of `opevo analyze`, such as at="100,500", targets=".9,.99", confidence=.9, or
             objective=["conv=recorded:conv.csv"]

    >>> opevo.analyze("runs.db", at="100").statistics
    >>> opevo.analyze("shard.1-of-2.db", "shard.2-of-2.db").table("mean")
    """
    stores = (store, *more)
    words = [*(os.fspath(each) for each in stores), *words_of(options), "--quiet"]
    pandas = _pandas()
    text = run("analyze", *words, "--csv")
    statistics = pandas.read_csv(io.StringIO(text), float_precision="round_trip")
    return Analysis(statistics, _runs_of(stores), call("analyze", *words))


def study(
    plan: Mapping[str, Any] | str | os.PathLike[str],
    store: str | os.PathLike[str],
    *,
    threads: int = 0,
    **options: object,
) -> Analysis:
    """Run a study, and compare its tuners.

    plan     the path of a plan, or the plan as Python has it; its relative paths then start at the
             current folder
    store    where the runs are kept: runs that it has are not repeated
    threads  0: all cores
    options  those of `opevo analyze`

    >>> plan = {"study": 1, "objectives": ["recorded:"], "tuners": ["random", "qgp"], "seeds": 20,
    ...         "budget": {"trials": 100}}
    >>> opevo.study(plan, "runs.db").table("mean")
    """
    words = ["--store", os.fspath(store), "--threads", str(threads), "--quiet"]
    if isinstance(plan, Mapping):
        with tempfile.NamedTemporaryFile(
            "w", suffix=".json", prefix=".opevo-plan-", dir="."
        ) as file:
            json.dump(plan, file, default=_name_of)
            file.flush()
            run("study", file.name, *words)
    else:
        run("study", os.fspath(plan), *words)
    return analyze(store, **options)
