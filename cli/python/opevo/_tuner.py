# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask and tell: a search whose configurations are measured by the caller."""

from __future__ import annotations

import gc
import json
import math
import os
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from ._error import Error
from ._program import call
from ._remote import Membership, Remote
from ._run import Jobs, search
from ._server import Server, shared
from ._space import Config, Space, config_of, is_array, listed, unwrapped

# A line to the server holds at most 1 MiB; a larger space goes to it in a file.
LARGEST_SPACE_IN_LINE = 1 << 19
LARGEST_COUNT = 10000

Result = Literal["score", "time", "gflops"]


@dataclass(frozen=True)
class Trial:
    """A configuration to be measured. Trials of a tuner are numbered from 1."""

    number: int
    config: Config


@dataclass(frozen=True)
class Best:
    """A trial with its result: `time` in seconds, `gflops` or `score`, as the tuner is told."""

    number: int
    config: Config
    result: float
    criteria: dict[str, float | None] = field(default_factory=dict)


class Tuner:
    """A search, asked for trials and told what came of them.

    space      what `Space` takes, or a Space
    tuner      name of the search method; `opevo.tuners()` lists them
    seed       the same seed gives the same trials as `opevo tune`, however asks and tells are
               ordered
    settings   of the tuner, such as {"q": 0.8}
    store      a file in which every trial is kept; a tuner made again with the same arguments
               resumes there: trials told are told again to the search, trials only asked are asked
               again
    name       of the objective in the store
    result     what `tell` gets: "score" (positive, larger is better), "time" (seconds) or "gflops"
    criterion  further criteria, each "NAME[,UNIT][,larger]"
    criteria   names of the criteria that `nsga2` searches by, such as ["time", "energy"]
    require    such as ["error<=0.01"]: trials that break it fail
    learn      stored runs "STORE:RUN" to learn from before the first trial
    start      configurations to begin with: they are the first trials
    server     what `connect` gives: tuners that are made there with the same arguments, in any
               number of processes, are one search
    workers    how many trials are evaluated at a time: a tuner that can proposes batches of as many
               by default, which is a setting of the search (`batch` says how many it proposes)

    Errors: Error, with a sentence, where the program refuses an argument. All methods may be called
    from several threads. A tuner is closed at the end of a `with` block and when Python ends.

    >>> with opevo.Tuner({"x": range(100)}, "qgp", seed=1) as tuner:
    ...     while trials := tuner.ask():
    ...         for trial in trials:
    ...             tuner.tell(trial, 1 / (1 + abs(trial.config["x"] - 70)))
    ...         if trials[-1].number == 20:
    ...             break
    ...     print(tuner.best().config)
    """

    def __init__(
        self,
        space: Space | Mapping[str, object] | str | os.PathLike[str],
        tuner: str = "opevo",
        *,
        seed: int = 1,
        settings: Mapping[str, object] | None = None,
        store: str | os.PathLike[str] | None = None,
        name: str | None = None,
        result: Result = "score",
        criterion: str | Sequence[str] = (),
        criteria: str | Sequence[str] = (),
        require: str | Sequence[str] = (),
        learn: str | Sequence[str] = (),
        start: Sequence[Config] = (),
        signature: str | None = None,
        workers: int | None = None,
        server: Server | Remote | None = None,
    ) -> None:
        self.space = Space.of(space)
        self.result: Result = result
        self.over: str | None = None
        """Why the search is over, after `ask` returned no trials; None while it goes on."""
        self.waiting = False
        """Whether the last `ask` gave fewer trials because outcomes have to be told first."""
        self.elsewhere = 0
        """How many trials other clients of a server have, by the last `ask`."""
        self._server = server or shared()
        self._folder: str | None = None
        request: dict[str, Any] = {
            "op": "create",
            "space": self._space_to_send(),
            "tuner": tuner,
            "seed": int(seed) if abs(seed) < 1 << 53 else str(seed),
            "result": result,
        }
        optional = {
            "settings": {key: unwrapped(each) for key, each in (settings or {}).items()},
            "store": None if store is None else os.path.abspath(store),
            "name": name,
            "criterion": listed(criterion),
            "criteria": ",".join(listed(criteria)),
            "require": listed(require),
            "learn": listed(learn),
            "start": [json.dumps(config, default=_listed) for config in start],
            "signature": signature,
        }
        request.update({key: value for key, value in optional.items() if value})
        if workers is not None:
            request["workers"] = workers
        if store is not None:
            # One that nobody holds any more, as after a second run of a notebook's cell, lets go of
            # it.
            gc.collect()
        self._member: Membership | None = None
        try:
            if isinstance(self._server, Remote):
                self._member = Membership(self._server, request)
                reply = self._member.created
            else:
                reply = self._server.request(request)
        finally:
            if self._folder:
                shutil.rmtree(self._folder, ignore_errors=True)
        self._session: int | None = reply["session"]
        self._close_unused = weakref.finalize(self, self._server.abandon, reply["session"])
        self.size: int = int(reply["size"])
        """The number of points of the space."""
        self.batch: int | None = reply.get("batch")
        """With `workers`: how many trials it proposes before the outcome of any of them is known;
        None for any number."""
        self.results: dict[int, float | None] = {}
        """What was told here, by the numbers of the trials; None for a failure."""
        self.trials: int = reply["trials"]
        """The number of trials that are complete, counted from the first without a gap."""

    @property
    def shared(self) -> bool:
        """Whether other clients of a server may have trials of this search too."""
        return self._member is not None

    @property
    def joined(self) -> bool:
        """Whether another client had made this search before."""
        return self._member is not None and bool(self._member.created.get("joined"))

    def _space_to_send(self) -> object:
        if isinstance(self._server, Remote):  # Its files may be others.
            return self.space.json
        if self.space.path is not None:
            return os.path.abspath(self.space.path)
        text = json.dumps(self.space.json)
        if len(text) <= LARGEST_SPACE_IN_LINE:
            return self.space.json
        self._folder = tempfile.mkdtemp()
        path = Path(self._folder, "space.json")
        path.write_text(text, encoding="utf-8")
        return str(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An error on its way out says more than what closing then says.
        try:
            self.close()
        except Error:
            if kind is None:
                raise

    def _request(self, op: str, **more: object) -> dict[str, Any]:
        if self._session is None:
            raise Error("This tuner is closed; make it again.")
        if self._member is not None:
            return self._member.request(op, more)
        return self._server.request({"op": op, "session": self._session, **more})

    def ask(self, count: int = 1, *, until: int | None = None) -> list[Trial]:
        """Up to `count` new trials.

        Fewer, also none, when the tuner waits for outcomes of trials that were asked (`waiting`),
        and none when the search is over (`over`). In a search that is shared, trials that another
        client lost come first, `until` is the largest number that is given, `trials` counts those
        of all clients, and `elsewhere` is how many the others have.
        """
        found: list[Trial] = []
        more = {} if until is None else {"until": until}
        while len(found) < count:
            reply = self._request("ask", count=min(count - len(found), LARGEST_COUNT), **more)
            found += _trials(reply)
            self.waiting = bool(reply.get("waiting", False))
            self.trials = reply.get("complete", self.trials)
            self.elsewhere = reply.get("elsewhere", 0)
            if reply.get("over"):
                self.over = str(reply.get("reason", "the search is over"))
            if self.waiting or self.over or not reply["trials"]:
                break
        return found

    def pending(self) -> list[Trial]:
        """The trials that were asked and not told yet, such as those of a worker that was lost."""
        return _trials(self._request("pending"))

    def tell(
        self,
        trial: Trial | int,
        value: float | None = None,
        *,
        outcome: str | None = None,
        criteria: Mapping[str, float] | None = None,
        cost: float | None = None,
        message: str | None = None,
    ) -> None:
        """Tell what came of a trial. With a store, it is on disk when this returns.

        value     the result, in what the tuner's `result` says, also a scalar of numpy; NaN is the
                  failure `crashed`
        outcome   instead of a value, the class of a failure: rejected, build-error, launch-error,
                  wrong, timeout or crashed
        criteria  values of further criteria
        cost      seconds that the trial took
        message   why it failed

        Errors: Error where the trial was never asked, or was told before; nothing is changed then.
        """
        number = trial.number if isinstance(trial, Trial) else trial
        told: dict[str, Any] = {"number": number}
        result = None if value is None else float(unwrapped(value))
        if result is not None and math.isnan(result):
            result, outcome, message = None, outcome or "crashed", message or "the result is NaN"
        known = {name: float(unwrapped(each)) for name, each in (criteria or {}).items()}
        optional = {
            self.result: result,
            "outcome": outcome,
            "criteria": {name: each for name, each in known.items() if each == each} or None,
            "cost": None if cost is None else float(cost),
            "message": message,
        }
        told.update({key: each for key, each in optional.items() if each is not None})
        self.tell_many([told])

    def tell_many(self, trials: Iterable[Mapping[str, Any]]) -> None:
        """Tell several trials at once, each as an object of the server's protocol.

        All or nothing is taken.

        >>> tuner.tell_many([{"number": 1, "time": 0.5}, {"number": 2, "outcome": "timeout"}])
        """
        told = [dict(each) for each in trials]
        if told:
            self.trials = self._request("tell", trials=told)["trials"]
            self.results.update({each["number"]: each.get(self.result) for each in told})

    def plot(self, axes: Any = None) -> Any:
        """Draw the results that were told here against the numbers of their trials, and the best
        so far; failures stand at the lower edge.

        axes  of matplotlib; default: new ones. They are returned, and a notebook shows them.

        Errors: Error without matplotlib.
        """
        try:
            from matplotlib import pyplot
        except ImportError:
            raise Error("A plot needs matplotlib; install python3-matplotlib.") from None
        if axes is None:
            axes = pyplot.subplots()[1]
        ran = sorted((n, float(of)) for n, of in self.results.items() if of is not None)
        failed = sorted(number for number, of in self.results.items() if of is None)
        better = min if self.result == "time" else max
        best = list(accumulate((of for _, of in ran), better))
        numbers = [number for number, _ in ran]
        axes.plot(numbers, [of for _, of in ran], "o", color="0.6", markersize=3, label="trials")
        axes.step(numbers, best, where="post", label="best so far")
        if failed:
            edge = axes.get_xaxis_transform()
            axes.plot(failed, [0.02] * len(failed), "x", color="C3", transform=edge, label="failed")
        axes.set_xlabel("trial")
        axes.set_ylabel({"time": "time [s]", "gflops": "GFLOP/s"}.get(self.result, self.result))
        axes.legend()
        return axes

    def best(self) -> Best | None:
        """The best trial so far, or None while none succeeded."""
        found = self._request("best")["best"]
        return self._best(found) if found else None

    def front(self) -> list[Best]:
        """With several criteria, the trials that no other dominates."""
        return [self._best(each) for each in self._request("best").get("front", [])]

    def _best(self, found: Mapping[str, Any]) -> Best:
        result = next(
            found[key] for key in (self.result, "time", "gflops", "score") if key in found
        )
        return Best(
            found["number"], config_of(found["config"]), result, dict(found.get("criteria", {}))
        )

    def close(self) -> int:
        """End the search and return the number of trials. May be called twice."""
        if self._session is not None:
            self._close_unused.detach()
            session, self._session = self._session, None
            if self._member is not None:
                self.trials = self._member.leave()
                return self.trials
            self.trials = self._server.request({"op": "close", "session": session})["trials"]
        return self.trials

    def run(
        self,
        function: Callable[[Config], float],
        trials: int,
        workers: int = 1,
        progress: bool | Callable[[Tuner], object] | None = None,
        *,
        executor: Executor | Callable[[], Executor] | None = None,
        slots: int | None = None,
        lost: tuple[type[BaseException], ...] = (),
    ) -> Best | None:
        """Search with up to `trials` trials in all, and return the best one.

        function  gets a configuration and returns its result, or raises `Failed`; NaN is a failure;
                  any other exception ends the search when the trials that run have ended, and its
                  trial stays asked
        workers   threads that call the function at the same time
        progress  True shows a line on standard error with the number of trials and the best one,
                  which is written over; a function is called with the tuner after each trial.
                  Default: a line if standard error is a terminal
        executor  instead of threads, any executor of `concurrent.futures`, such as a
                  ProcessPoolExecutor, Dask's `client.get_executor()` or mpi4py's MPIPoolExecutor,
                  which is not shut down; or a function that makes one, and is called again where
                  one breaks. A trial whose worker is lost has no outcome: it is started again
        slots     how many trials the executor is given at a time. Default: what it says of itself;
                  of Dask the threads of its workers, also of those that come later
        lost      exceptions by which the executor says that a worker was lost; those of Python,
                  Dask, parsl and Ray are known

        Errors: Error where the executor takes no more jobs, or where a trial loses its worker for
        the fourth time; what was measured has been told.

        >>> opevo.Tuner(space, "qgp", result="time").run(measure, trials=100)
        >>> tuner.run(measure, 100, executor=dask.distributed.Client(address).get_executor())
        """
        if executor is None:
            executor, slots = partial(ThreadPoolExecutor, workers), workers
        elif workers != 1:
            raise Error("workers= are threads: how many jobs an executor is given is slots=.")
        line = ProgressLine(trials) if progress is True else None
        if progress is None and sys.stderr is not None and sys.stderr.isatty():
            line = ProgressLine(trials)

        def told() -> None:
            if line is not None:
                line.show(self)
            elif callable(progress):
                progress(self)

        search(self, trials, Jobs(function, executor, slots, lost), told)
        if line is not None:
            line.end()
        return self.best()


def _listed(value: object) -> object:
    """Arrays and scalars of numpy in a configuration."""
    return unwrapped(value) if not is_array(value) else value.tolist()  # type: ignore[attr-defined]


class ProgressLine:
    """A line on standard error that is written over, ten times a second at most."""

    def __init__(self, trials: int) -> None:
        self._trials, self._shown, self._length = trials, 0.0, 0

    def show(self, tuner: Tuner, always: bool = False) -> None:
        now = time.monotonic()
        if now - self._shown < 0.1 and tuner.trials < self._trials and not always:
            return
        self._shown = now
        best = tuner.best()
        text = f"{tuner.trials} of {self._trials} trials"
        if best is not None:
            text += f", best {best.result:.6g} at trial {best.number}"
        sys.stderr.write("\r" + text.ljust(self._length))
        sys.stderr.flush()
        self._length = len(text)

    def end(self) -> None:
        if self._length:
            sys.stderr.write("\n")


def _trials(reply: Mapping[str, Any]) -> list[Trial]:
    return [Trial(each["number"], config_of(each["config"])) for each in reply["trials"]]


def tuners() -> list[dict[str, Any]]:
    """The search methods: names, summaries, settings with bounds and defaults."""
    found: list[dict[str, Any]] = call("tuners")
    return found
