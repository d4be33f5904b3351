# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop of `Tuner.run`: jobs that an executor runs, and what becomes of those that it loses.

A worker that is lost says nothing of the configuration that it had: its trial is started again. One
that was lost twice runs alone, so that the trial that loses its worker once more is the one that
does so.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ._error import Error, Failed

if TYPE_CHECKING:
    from ._space import Config
    from ._tuner import Trial, Tuner

LOSSES = 3
"""How often a trial may lose its worker, or executors break one after the other."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 1.0
"""Seconds between asks for trials that other clients may give back."""

LOST = {
    "distributed": {"CommClosedError", "KilledWorker"},
    "parsl": {"ManagerLost", "WorkerLost"},
    "ray": {"NodeDiedError", "OwnerDiedError", "RayActorError", "WorkerCrashedError"},
}
"""By what executors say that a worker was lost, beside what `concurrent.futures` has for it: names
of exceptions by package, so that none of them needs to be there."""


class Jobs:
    """The trials that an executor has.

    executor  one of the caller's, or a function that makes one: of those that break the next takes
              the place, and the last one is shut down at the end
    slots     how many run at a time; None: what the executor says
    lost      further exceptions by which it says that a worker was lost
    """

    def __init__(
        self,
        function: Callable[[Config], float],
        executor: Executor | Callable[[], Executor],
        slots: int | None,
        lost: tuple[type[BaseException], ...] = (),
    ) -> None:
        self._function, self._given, self._lost = function, slots, lost
        self._make: Callable[[], Executor] | None = None
        if isinstance(executor, type) or not hasattr(executor, "submit"):
            self._make = executor
        self._executor: Any = self._make() if self._make else executor
        if slots is not None and slots < 1:
            raise Error(f"slots={slots}: give at least 1.")
        self._broken: BaseException | None = None
        self._breaks = 0
        self._losses: Counter[int] = Counter()
        self._counted, self._counted_at = 0, 0.0
        self.running: dict[Future[float], Trial] = {}

    @property
    def _is_dask(self) -> bool:
        return type(self._executor).__module__.partition(".")[0] == "distributed"

    @property
    def _is_closed(self) -> bool:
        return self._is_dask and self._executor._client.status in ("closed", "closing")

    def _slots(self) -> int:
        if self._given is not None:
            return self._given
        if self._is_dask:
            return self._threads_of_dask()
        found = getattr(self._executor, "_max_workers", None)
        if not isinstance(found, int):
            raise Error(
                f"{type(self._executor).__name__} does not say how many jobs it runs at a time:"
                " give slots=N."
            )
        return found

    def _threads_of_dask(self) -> int:
        """Its workers come and go: they are counted once a second. One job waits for the first."""
        if not self._counted or time.monotonic() - self._counted_at >= 1:
            try:
                self._counted = max(1, sum(self._executor._client.nthreads().values()))
            except OSError as error:
                self._broken = error
                return 0
            self._counted_at = time.monotonic()
        return self._counted

    def room(self) -> int:
        """How many more trials may be started."""
        if self._broken or any(self._losses[trial.number] > 1 for trial in self.running.values()):
            return 0
        return max(0, self._slots() - len(self.running))

    def start(self, trial: Trial) -> bool:
        """Start a trial, or leave it to the caller because there is no room for it."""
        if self.room() == 0 or (self._losses[trial.number] > 1 and self.running):
            return False
        # Dask would give the result of an equal earlier call again.
        more = {"pure": False} if self._is_dask else {}
        try:
            future = self._executor.submit(self._function, trial.config, **more)
        except Exception as error:
            # RuntimeError: a broken executor, or one that was shut down.
            if not isinstance(error, RuntimeError) and not self._is_closed:
                raise
            self._broken = error
            return False
        if not isinstance(future, Future):
            raise Error(
                f"{type(self._executor).__name__} is not an executor of concurrent.futures;"
                " of a client of Dask give client.get_executor()."
            )
        self.running[future] = trial
        return True

    def finished(self, limit: float | None) -> Iterator[tuple[Trial, Future[float]]]:
        """Wait for trials that have ended; none after `limit` seconds, or after one in which Dask
        may have changed."""
        limit = 1 if self._is_dask else limit
        done, _ = wait_for(self.running, limit, FIRST_COMPLETED)
        for future in done:
            yield self.running.pop(future), future
        if not done and self._is_closed:  # Its futures may wait for ever.
            for trial in self.running.values():
                future = Future()
                future.cancel()
                yield trial, future
            self.running.clear()

    def is_lost(self, trial: Trial, future: Future[float]) -> bool:
        """Whether the trial has no outcome because its worker was lost, and is to be started again.

        Errors: Error where that was too often.
        """
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None or not self._says_lost(error):
            self._breaks = 0
            return False
        if isinstance(error, BrokenExecutor):
            self._broken = error
        self._losses[trial.number] += 1
        if self._losses[trial.number] > LOSSES and (self._make or not self._broken):
            raise Error(
                f"Trial {trial.number} was started {LOSSES + 1} times, and its worker was lost each"
                f" time ({_said(error)}). All other outcomes are kept; if its configuration does"
                f' this, tell({trial.number}, outcome="crashed") before the next run.'
            ) from error
        return True

    def _says_lost(self, error: BaseException) -> bool:
        if isinstance(error, (CancelledError, BrokenExecutor, *self._lost)):
            return True
        return any(
            each.__name__ in LOST.get(each.__module__.partition(".")[0], ())
            for each in type(error).__mro__
        )

    def renew(self) -> None:
        """Take another executor, if this one is broken and its last job has ended.

        Errors: Error where there is none.
        """
        if self._broken is None or self.running:
            return
        self._breaks += 1
        if self._make is None or self._breaks > LOSSES:
            raise Error(
                f"{type(self._executor).__name__} takes no more jobs ({_said(self._broken)}). All"
                " outcomes are kept; run again with another executor, or with a function that"
                " makes executors, which is called again when one breaks."
            ) from self._broken
        self._executor.shutdown(wait=False)
        self._executor, self._broken = self._make(), None

    def stop(self, error: BaseException | None) -> list[tuple[Trial, Future[float]]]:
        """The trials that have ended since, where an error ends the run. An interrupt does not wait
        for workers elsewhere; threads cannot be left."""
        if error is not None and not isinstance(error, Exception):
            for future in self.running:
                future.cancel()
        elif self.running:
            wait_for(self.running)
        if self._make is not None:
            self._executor.shutdown(wait=True)
        return [(trial, future) for future, trial in self.running.items() if future.done()]


def _said(error: BaseException) -> str:
    """The exception and the first line of its message."""
    text = str(error).partition("\n")[0][:200].rstrip(". ")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def search(tuner: Tuner, trials: int, jobs: Jobs, told: Callable[[], object]) -> None:
    """Run trials until `trials` of them are complete in all, or the search is over.

    Errors: what a job raised that is neither Failed nor the loss of a worker. All that was measured
    has been told then.
    """
    error: BaseException | None = None
    try:
        _search(tuner, trials, jobs, told)
    except BaseException as raised:
        error = raised
        raise
    finally:
        for trial, future in jobs.stop(error):
            with suppress(Exception, CancelledError):
                _tell(tuner, trial, future)


def _search(tuner: Tuner, trials: int, jobs: Jobs, told: Callable[[], object]) -> None:
    queue = [trial for trial in tuner.pending() if trial.number <= trials]
    last = max([tuner.trials, *(trial.number for trial in queue)])
    pause = SHORTEST_PAUSE
    while True:
        jobs.renew()
        room = jobs.room()
        last = tuner.trials if tuner.shared else last  # Any trial may be given back.
        if len(queue) < room and last < trials:
            until = trials if tuner.shared else None
            asked = tuner.ask(min(room - len(queue), trials - last), until=until)
            last = max([last, *(trial.number for trial in asked)])
            queue += [trial for trial in asked if trial.number <= trials]
            pause = SHORTEST_PAUSE if asked else min(2 * pause, LONGEST_PAUSE)
        while queue and jobs.start(queue[0]):
            queue.pop(0)
        if jobs.running:
            asks_again = tuner.shared and jobs.room() > 0
            for trial, future in jobs.finished(pause if asks_again else None):
                if jobs.is_lost(trial, future):
                    queue.insert(0, trial)
                else:
                    _tell(tuner, trial, future)
                    told()
        elif not queue:
            if not tuner.shared or tuner.over or tuner.trials >= trials:
                return
            time.sleep(pause)  # Other clients have the trials that are left.


def _tell(tuner: Tuner, trial: Trial, future: Future[float]) -> None:
    try:
        value = future.result()
    except Failed as failure:
        tuner.tell(trial, outcome=failure.outcome, message=failure.message or None)
    else:
        tuner.tell(trial, value)
