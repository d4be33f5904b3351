# SPDX-License-Identifier: GPL-3.0-or-later
"""opevo's tuners as a sampler of Optuna (3.1 to 4).

>>> study = optuna.create_study(sampler=opevo.optuna.Sampler("qgp", seed=1))

What opevo needs is a finite list of values for each parameter:

* CategoricalDistribution: its choices; a path where they are numbers in increasing order
* IntDistribution: its values, thinned to `levels` where there are more than 4096 of them; with
  `log` at most `levels` of them, in geometric steps
* FloatDistribution: with `step` as an IntDistribution; without, `levels` values from low to high,
  with `log` in geometric steps

States of trials become outcomes: COMPLETE is told with its value, PRUNED is a `timeout`, FAIL is
`crashed`, and a trial that breaks its constraints is `infeasible`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import optuna
from optuna.distributions import BaseDistribution
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ._error import Error
from ._optuna_space import (
    Flat,
    Nested,
    Node,
    distributions,
    explains,
    learn,
    suggest,
    unseen,
)
from ._remote import Remote
from ._space import Config, Space
from ._tuner import Result, Trial, Tuner, tuners

__all__ = ["Sampler", "distributions", "suggest"]

LARGEST_STARTS = 1 << 18
"""Bytes of the configurations that a search begins with: a request has at most 1 MiB."""
LEAST_SCORE, MOST_SCORE = 1e-100, 1e100
_ATTRIBUTE = "opevo:trial"
_CONSTRAINTS = "constraints"


class _Search:
    """A tuner with the trials that it has out, and the threads that have them."""

    def __init__(self, codec: Flat | Nested, tuner: Tuner, spare: Tuner, key: str) -> None:
        self.codec, self.tuner, self.spare, self.key = codec, tuner, spare, key
        self.free: list[Trial] = []
        self.asked_to = tuner.trials
        self.owners: dict[int, int] = {}
        self.starts: list[int] | None = None
        """The numbers of the study's trials that it began with."""
        self.closed = False

    def close(self) -> None:
        self.closed = True
        for tuner in (self.tuner, self.spare):
            try:
                tuner.close()
            except Error:
                pass  # A server that is gone has closed it.


class _Learned:
    """The space of a study that is given none: what its completed trials say."""

    def __init__(self, levels: int, branches: bool) -> None:
        self._levels, self._branches = levels, branches
        self._trials: list[FrozenTrial] = []
        self._open = 0  # Trials from this number on are not all in the list.
        self._known: set[int] = set()
        self._loose: set[str] = set()
        self._tree = Node()
        self.probes = 0
        self.probed: set[str] = set()
        self.codec: Flat | None = None

    def update(self, study: Study) -> None:
        """Look at the trials that were completed since."""
        trials = study.get_trials(deepcopy=False)
        fits = True
        for trial in trials[self._open :]:
            if trial.state == TrialState.COMPLETE and trial.number not in self._known:
                self._known.add(trial.number)
                self._trials.append(trial)
                fits = fits and explains(self._tree, self._loose, trial)
        while self._open < len(trials) and trials[self._open].state.is_finished():
            self._open += 1
        if self._trials and (not fits or self.codec is None):
            self._relearn()

    def _relearn(self) -> None:
        self._trials.sort(key=lambda trial: trial.number)
        self._tree = learn(self._trials)
        if not self._branches:
            self._tree.switches.clear()
        codec = Flat(self._tree, self._levels)
        self._loose = {
            name
            for trial in self._trials
            for name, each in trial.distributions.items()
            if not each.single()
        } - set(codec.distributions)
        codec.whole = codec.whole and not self._loose
        self.codec = codec

    def probe(self, number: int) -> dict[str, Any] | None:
        """The values that lead to a choice of a switch that no trial had; at most half the time."""
        if 2 * self.probes > number:
            return None
        for values in unseen(self._tree):
            if repr(values) not in self.probed:
                self.probed.add(repr(values))
                self.probes += 1
                return values
        return None


class Sampler(optuna.samplers.BaseSampler):
    """A tuner of opevo as a sampler.

    tuner     name of the search method, such as "qgp", "opevo", "tpe", or "nsga2" for several
              objectives
    seed      the same seed gives the same trials; processes that share a study take different seeds,
              or one search by `server`
    settings  of the tuner, such as {"q": 0.8}
    space     a Space (`suggest` gives its configurations), or a mapping from names to Optuna's
              distributions; without it, it is learned from the completed trials: parameters that
              all have in common, and those that come with a choice of a categorical one
    levels    values of a FloatDistribution without step, and of one with log
    values    "positive": values of the objective are times (minimised, 1e-12 to 1e9) or rates
              (maximised, 0 to 1e100); then the trials are those of `opevo tune`. "real": any
              numbers; a value v that is minimised is told to the tuner as the fitness
              sqrt(1 + v^2) - v. A search of positive values goes on as one of real ones, with a
              warning, at the first value that is out of range. An infinitely bad value is a failure
    constraints_func  as in Optuna's samplers: a trial is feasible where no number is above 0
    store, name       a file that keeps the trials, and the objective's name in it
    independent_sampler  for parameters outside of the space; default: RandomSampler(seed)
    server    what `opevo.connect` gives: the samplers of all processes that share a study and give
              the same arguments are one search. It is pickled with the sampler

    A study with several objectives takes the tuner "nsga2", which searches by up to three. A study
    that its storage keeps is resumed: a sampler with the same arguments is told the outcomes of its
    earlier trials. Parallel trials (n_jobs) get the same configurations as trials one by one. Where
    a tuner needs outcomes before it proposes more, and the thread that asks is the one that has
    them, the trial is a random configuration of which the tuner is not told. A study whose search
    is over is stopped.

    Errors: Error, with a sentence, where the program refuses an argument.

    >>> study = optuna.create_study(sampler=opevo.optuna.Sampler("qgp", seed=1))
    >>> study.optimize(objective, n_trials=100, n_jobs=4)
    """

    def __init__(
        self,
        tuner: str = "qgp",
        *,
        seed: int = 1,
        settings: Mapping[str, object] | None = None,
        space: Space | Mapping[str, Any] | None = None,
        levels: int = 64,
        values: Literal["positive", "real"] = "positive",
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        store: str | os.PathLike[str] | None = None,
        name: str | None = None,
        independent_sampler: optuna.samplers.BaseSampler | None = None,
        server: Remote | None = None,
    ) -> None:
        if levels < 2:
            raise Error(f"levels={levels}: give at least 2.")
        if values not in ("positive", "real"):
            raise Error(f'values={values!r}: give "positive" or "real".')
        self._tuner, self._seed, self._settings = tuner, seed, dict(settings or {})
        self._levels, self._values_are, self._constraints_func = levels, values, constraints_func
        self._store, self._name, self._server = store, name, server
        self._codec = None if space is None else _codec(space, levels)
        self._independent = independent_sampler or optuna.samplers.RandomSampler(seed=seed)
        self._reset()

    def _reset(self) -> None:
        self._changed = threading.Condition(threading.RLock())
        self._searches: dict[str, _Search] = {}
        self._learned: dict[str, _Learned] = {}
        self._real: set[str] = set()  # Names of studies whose values are not positive.
        self._running: dict[tuple[str, int], tuple[_Search, Trial | None]] = {}
        self._waiting: set[int] = set()

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process begins without searches: it resumes them from the study."""
        left_out = ("_changed", "_searches", "_learned", "_real", "_running", "_waiting")
        return {key: value for key, value in self.__dict__.items() if key not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def reseed_rng(self) -> None:
        """Optuna's call before parallel trials: it concerns the independent sampler only."""
        self._independent.reseed_rng()

    def close(self) -> None:
        """End the searches, and with them the use of the store; a new trial begins them again."""
        with self._changed:
            for search in self._searches.values():
                search.close()
            self._searches.clear()

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The given space, or what the completed trials say of it."""
        codec = self._codec
        if codec is None:
            with self._changed:
                learned = self._learned.get(study.study_name)
                if learned is None:
                    learned = _Learned(self._levels, self._works_on_branches())
                    self._learned[study.study_name] = learned
                learned.update(study)
                codec = learned.codec
        return dict(codec.distributions) if codec else {}

    def _works_on_branches(self) -> bool:
        return any(each["name"] == self._tuner and each["works_on_branches"] for each in tuners())

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The next configuration of the search in this space."""
        if not search_space:
            return {}
        values = self._sample(study, trial)
        # Since the space was inferred, trials of other threads may have shown more of it.
        return {name: value for name, value in values.items() if name in search_space}

    def _sample(self, study: Study, trial: FrozenTrial) -> dict[str, Any]:
        """The next configuration of the search in the space as it is known to be."""
        with self._changed:
            learned = self._learned.get(study.study_name)
            probe = learned.probe(trial.number) if learned else None
            if probe is not None:
                return probe
            search = self._search(study)
            asked = self._next(study, search)
            self._running[study.study_name, trial.number] = (search, asked)
            if asked is None:
                spare = [] if search.closed else search.spare.ask()
                return search.codec.decode(spare[0].config) if spare else {}
            search.owners[asked.number] = threading.get_ident()
        mark: dict[str, Any] = {"search": search.key, "number": asked.number}
        if search.starts is not None and asked.number == len(search.starts) + 1:
            mark["starts"] = search.starts
        study._storage.set_trial_system_attr(trial._trial_id, _ATTRIBUTE, mark)
        return search.codec.decode(asked.config)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """A value of a parameter outside of the space."""
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Nothing is done before a trial. Optuna has this call from 3.3 on."""

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Tell the tuner what came of a trial."""
        violation = self._violation(study, trial, state)
        with self._changed:
            search, asked = self._running.pop((study.study_name, trial.number), (None, None))
            if search is None or asked is None:
                return
            search.owners.pop(asked.number, None)
            self._check_range(study, state, values)
            if search.closed:  # The next search begins with what is known then.
                self._changed.notify_all()
                return
            try:
                if _matches(search, asked, trial):
                    search.tuner.tell_many(
                        [self._told(study, asked.number, state, values, violation)]
                    )
                else:  # Values were fixed, as by enqueue_trial: this point is asked again.
                    search.free.append(asked)
            except Error:
                search.free.append(asked)
                raise
            finally:
                self._changed.notify_all()

    def _check_range(
        self, study: Study, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Go on with values="real" where one shows that they are not what they were said to be."""
        if state != TrialState.COMPLETE or values is None or len(study.directions) > 1:
            return
        if self._is_real(study) or self._is_bad(study, values):
            return
        least, most = (1e-12, 1e9) if self._result(study) == "time" else (0, math.inf)
        if least <= values[0] <= most:
            return
        warnings.warn(
            f"The value {values[0]!r} of a trial is not from {least:g} to {most:g}, as opevo's"
            ' sampler expects; it goes on with values="real", which is better given at the start.',
            stacklevel=2,
        )
        self._real.add(study.study_name)
        search = self._searches.pop(study.study_name, None)
        if search is not None:
            search.close()

    def _is_real(self, study: Study) -> bool:
        return self._values_are == "real" or study.study_name in self._real

    def _is_bad(self, study: Study, values: Sequence[float]) -> bool:
        """Whether a value is infinite: the worst possible one, or one of several."""
        if len(values) > 1:
            return not all(math.isfinite(each) for each in values)
        worst = math.inf if study.directions[0] == StudyDirection.MINIMIZE else -math.inf
        return values[0] == worst

    def _violation(self, study: Study, trial: FrozenTrial, state: TrialState) -> float | None:
        """The sum of the constraints that are broken, which Optuna keeps with the trial."""
        if self._constraints_func is None or state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return None
        constraints = [float(each) for each in self._constraints_func(trial)]
        if any(each != each for each in constraints):
            raise ValueError("Constraint values cannot be NaN.")
        study._storage.set_trial_system_attr(trial._trial_id, _CONSTRAINTS, constraints)
        return _sum_of(constraints)

    def _told(
        self,
        study: Study,
        number: int,
        state: TrialState,
        values: Sequence[float] | None,
        violation: float | None,
    ) -> dict[str, Any]:
        """A line of `tell` for a trial."""
        if state != TrialState.COMPLETE or values is None:
            pruned = state == TrialState.PRUNED
            outcome = "timeout" if pruned else "crashed"
            return {"number": number, "outcome": outcome, "message": state.name.lower()}
        if self._is_bad(study, values):
            return {"number": number, "outcome": "crashed", "message": "an infinite value"}
        told: dict[str, Any] = {"number": number}
        criteria: dict[str, float] = {}
        if len(values) > 1:
            told["score"] = 1
            criteria = {f"value_{i}": value for i, value in enumerate(values)}
        else:
            told[self._result(study)] = self._positive(study, values[0])
        if violation is not None:
            criteria["violation"] = violation
        return {**told, "criteria": criteria} if criteria else told

    def _result(self, study: Study) -> Result:
        single = len(study.directions) == 1 and not self._is_real(study)
        return "time" if single and study.directions[0] == StudyDirection.MINIMIZE else "score"

    def _positive(self, study: Study, value: float) -> float:
        """A single value as the tuner is told it."""
        if not self._is_real(study):
            return min(max(value, LEAST_SCORE), MOST_SCORE) if value else value
        towards = value if study.directions[0] == StudyDirection.MINIMIZE else -value
        root = math.hypot(1, towards)
        found = root - towards if towards < 0 else 1 / (root + towards)
        return min(max(found, LEAST_SCORE), MOST_SCORE)

    def _key(self, study: Study, codec: Flat | Nested) -> str:
        """What identifies a search: it is told the trials of a study that have this key."""
        values = "real" if self._is_real(study) else "positive"
        parts = [self._tuner, self._seed, self._settings, codec.space.json, values]
        parts += [[each.name for each in study.directions], self._constraints_func is not None]
        return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:16]

    def _search(self, study: Study) -> _Search:
        codec = self._codec or self._learned[study.study_name].codec
        assert codec is not None
        search = self._searches.get(study.study_name)
        if search is not None and search.codec is codec:
            return search
        trials = study.get_trials(deepcopy=False)
        for trial in trials:
            self._check_range(study, trial.state, trial.values)
        key = self._key(study, codec)
        if search is not None:
            if search.key == key:
                search.codec = codec
                return search
            search.close()  # The trials have shown another space.
        starts = None
        if self._codec is None or study.study_name in self._real:
            starts = self._starts(trials, codec, key)
        search = self._begin(study, codec, key, starts or {})
        if starts is not None and not search.tuner.joined:
            search.starts = [trial.number for trial, _ in starts.values()]
        self._searches[study.study_name] = search
        if not search.tuner.joined:  # Else each process has told its trials.
            self._replay(study, search, trials)
        return search

    def _starts(
        self, trials: Sequence[FrozenTrial], codec: Flat | Nested, key: str
    ) -> dict[str, tuple[FrozenTrial, Config]]:
        """What a search begins with: the trials that lie in its space, as their storage says or,
        where it is new, all that are complete."""
        marks = [trial.system_attrs.get(_ATTRIBUTE, {}) for trial in trials]
        begun = [each for each in marks if each.get("search") == key and "starts" in each]
        wanted = set(begun[0]["starts"]) if begun else None
        found: dict[str, tuple[FrozenTrial, Config]] = {}
        size = 0
        for trial in trials:
            if trial.state != TrialState.COMPLETE:
                continue
            config = codec.encode(trial)
            if config is None or (wanted is not None and trial.number not in wanted):
                continue
            text = json.dumps(config)
            size += 2 * len(text) + 4
            if size > LARGEST_STARTS:
                break
            found.setdefault(text, (trial, config))
        return found

    def _begin(
        self,
        study: Study,
        codec: Flat | Nested,
        key: str,
        starts: Mapping[str, tuple[FrozenTrial, Config]],
    ) -> _Search:
        name = self._name
        if self._codec is None or study.study_name in self._real:
            name = f"{name or 'serve'}.{key}"  # Of several searches in one store.
        tuner = self._make(study, codec, name, [config for _, config in starts.values()])
        search = _Search(codec, tuner, self._spare(codec), key)
        told = [] if tuner.joined else list(starts.values())  # Who made it tells them.
        for (trial, _), asked in zip(told, tuner.ask(len(told)) if told else []):
            search.asked_to = max(search.asked_to, asked.number)
            tuner.tell_many([self._told_of(study, asked.number, trial)])
        return search

    def _make(
        self, study: Study, codec: Flat | Nested, name: str | None, starts: Sequence[Config]
    ) -> Tuner:
        directions = study.directions
        criterion = []
        if len(directions) > 1:
            larger = [each == StudyDirection.MAXIMIZE for each in directions]
            criterion = [f"value_{i}" + ",larger" * each for i, each in enumerate(larger)]
        criteria = [each.split(",")[0] for each in criterion]
        if self._constraints_func is not None:
            criterion.append("violation")
        if len(criterion) > 3:
            raise Error("A search has up to three objectives, of which constraints count as one.")
        if len(directions) > 1 and self._tuner != "nsga2":
            raise Error(f'{self._tuner} has one objective; for several use Sampler("nsga2").')
        return Tuner(
            codec.space,
            self._tuner,
            seed=self._seed,
            settings=self._settings,
            store=self._store,
            name=name,
            server=self._server,
            result=self._result(study),
            criterion=criterion,
            criteria=criteria,
            require=["violation<=0"] if self._constraints_func is not None else [],
            start=starts,
        )

    def _spare(self, codec: Flat | Nested) -> Tuner:
        """Random configurations, for trials that the search has none for.

        They come from another seed, because a search often begins with random ones of its own.
        """
        return Tuner(codec.space, "random", seed=self._seed ^ 1 << 63)

    def _replay(self, study: Study, search: _Search, trials: Sequence[FrozenTrial]) -> None:
        """Tell a new search the trials of the study that an earlier one with its key proposed."""
        earlier: dict[int, FrozenTrial] = {}
        for trial in trials:
            mark = trial.system_attrs.get(_ATTRIBUTE, {})
            if mark.get("search") == search.key and trial.state.is_finished():
                earlier.setdefault(mark["number"], trial)
        last = max(earlier, default=0)
        asked = search.tuner.pending()
        while asked or search.asked_to < last:
            asked = asked or search.tuner.ask()
            if not asked:
                break
            one = asked.pop(0)
            search.asked_to = max(search.asked_to, one.number)
            trial_of = earlier.get(one.number)
            if trial_of is None or not _matches(search, one, trial_of):
                search.free.append(one)
                continue
            search.tuner.tell_many([self._told_of(study, one.number, trial_of)])

    def _told_of(self, study: Study, number: int, trial: FrozenTrial) -> dict[str, Any]:
        """A line of `tell` for a trial of the storage."""
        constraints = trial.system_attrs.get(_CONSTRAINTS)
        violation = None if constraints is None else _sum_of(constraints)
        return self._told(study, number, trial.state, trial.values, violation)

    def _next(self, study: Study, search: _Search) -> Trial | None:
        """The next trial of the search, or None where there is none for this thread."""
        me = threading.get_ident()
        while True:
            if search.closed:
                return None
            if search.free:
                return search.free.pop(0)
            asked = search.tuner.ask()
            if asked:
                return asked[0]
            if search.tuner.over:
                if self._codec is not None or search.codec.whole:
                    try:
                        study.stop()
                    except RuntimeError:
                        pass  # The trials are asked for one by one, outside of optimize.
                return None
            # Only another thread, or another process, can bring the outcome that the tuner waits
            # for, one that is at work.
            alive = {each.ident for each in threading.enumerate()}
            others = (set(search.owners.values()) & alive) - self._waiting - {me}
            if not others and search.tuner.elsewhere == 0:
                return None
            self._waiting.add(me)
            try:
                self._changed.wait(timeout=0.02 if search.tuner.shared else 1)
            finally:
                self._waiting.discard(me)


def _sum_of(constraints: Sequence[float]) -> float:
    return min(sum(max(0.0, each) for each in constraints), MOST_SCORE)


def _codec(space: Space | Mapping[str, Any], levels: int) -> Flat | Nested:
    if isinstance(space, Space) or not all(
        isinstance(each, BaseDistribution) for each in space.values()
    ):
        return Nested(Space.of(space))
    return Flat(Node(dict(space)), levels)


def _matches(search: _Search, asked: Trial, trial: FrozenTrial) -> bool:
    """Whether a trial ran at the point that was asked: its parameters may have been fixed."""
    wanted = search.codec.decode(asked.config)
    return all(wanted[name] == value for name, value in trial.params.items() if name in wanted)
