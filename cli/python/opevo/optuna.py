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
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ._error import Error
from ._space import Config, Space, identity
from ._tuner import Result, Trial, Tuner

try:
    from optuna.search_space import IntersectionSearchSpace
except ImportError:  # Optuna 3.1
    from optuna.samplers import IntersectionSearchSpace

MOST_VALUES = 4096
_ATTRIBUTE = "opevo:trial"
_CONSTRAINTS = "constraints"


class _Flat:
    """A search space of Optuna as one of opevo: a parameter for each distribution."""

    def __init__(self, distributions: Mapping[str, BaseDistribution], levels: int) -> None:
        self.distributions = dict(distributions)
        self._optuna_names: dict[str, str] = {}
        self._values: dict[str, dict[Any, Any]] = {}
        parameters: dict[str, object] = {}
        for i, (name, distribution) in enumerate(self.distributions.items()):
            fits = re.fullmatch(r"[A-Za-z_]\w{0,62}", name, re.ASCII) and not name.startswith("_")
            key = name if fits else f"p{i}"
            while key in parameters:
                key += "_"
            ordered, values = _values(name, distribution, levels)
            shown = values if _have_json(values) else list(range(len(values)))
            kind = "discrete" if ordered else "choice"
            parameters[key] = {"_type": kind, "_value": shown}
            self._optuna_names[key] = name
            self._values[key] = {identity(of): value for of, value in zip(shown, values)}
        self.space = Space(parameters)

    def decode(self, config: Config) -> dict[str, Any]:
        """A configuration of opevo as Optuna's parameters."""
        return {
            self._optuna_names[key]: self._values[key][identity(value)]
            for key, value in config.items()
        }


def _have_json(values: Sequence[Any]) -> bool:
    """Whether the values are all numbers, Booleans and strings, and no two are alike."""
    if not all(isinstance(value, bool | int | float | str) and value == value for value in values):
        return False
    return len({identity(value) for value in values}) == len(values)


def _values(name: str, distribution: BaseDistribution, levels: int) -> tuple[bool, list[Any]]:
    """Whether the values have an order, and the values."""
    if isinstance(distribution, CategoricalDistribution):
        choices: list[Any] = list(distribution.choices)
        numbers = all(
            isinstance(each, int | float) and each is not True and each is not False
            for each in choices
        )
        return numbers and all(a < b for a, b in zip(choices, choices[1:])), choices
    if isinstance(distribution, IntDistribution):
        low, high, step = distribution.low, distribution.high, distribution.step
        count = (high - low) // step + 1
        if distribution.log:
            return True, sorted({round(each) for each in _geometric(low, high, min(count, levels))})
        return True, [low + k * step for k in _thinned(count, levels)]
    if isinstance(distribution, FloatDistribution):
        start, end = distribution.low, distribution.high
        if distribution.step is not None:
            steps = int((end - start) / distribution.step + 1e-8)
            return True, [
                min(start + k * distribution.step, end) for k in _thinned(steps + 1, levels)
            ]
        if start == end:
            return True, [start]
        if distribution.log:
            return True, _geometric(start, end, levels)
        return True, [start + (end - start) * k / (levels - 1) for k in range(levels - 1)] + [end]
    raise Error(f"Parameter {name}: {type(distribution).__name__} is not known to opevo's sampler.")


def _thinned(count: int, levels: int) -> Sequence[int]:
    if count <= MOST_VALUES:
        return range(count)
    return [(count - 1) * k // (levels - 1) for k in range(levels)]


def _geometric(low: float, high: float, levels: int) -> list[Any]:
    if levels < 2 or low == high:
        return [low]
    ratio = high / low
    return [low, *(low * ratio ** (k / (levels - 1)) for k in range(1, levels - 1)), high]


class _Nested:
    """A space of opevo as distributions of Optuna: the parts of a tuple X are X[0], X[1], ..."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.distributions: dict[str, BaseDistribution] = {}
        for name, spec in _flatten(space):
            for part, distribution in _distributions(name, spec):
                self.distributions[part] = distribution

    def decode(self, config: Config) -> dict[str, Any]:
        """A configuration of opevo as Optuna's parameters."""
        decoded: dict[str, Any] = {}
        for name, value in config.items():
            if isinstance(value, tuple):
                decoded.update({f"{name}[{i}]": part for i, part in enumerate(value)})
            else:
                decoded[name] = value
        return decoded


def _flatten(space: Space) -> list[tuple[str, dict[str, Any]]]:
    """The parameters with their names, each choice followed by those of its branches."""
    found: list[tuple[str, str, dict[str, Any]]] = []

    def walk(members: Mapping[str, Any], prefix: str) -> None:
        for key, spec in members.items():
            if key.startswith("_"):
                continue
            if not isinstance(spec, dict) or "_type" not in spec:
                raise Error("A sampler takes a space in NNI's form, with _type and _value.")
            found.append((key, prefix + key, spec))
            for value in spec["_value"] if spec["_type"] in ("choice", "categorical") else []:
                if isinstance(value, dict):
                    branch = re.sub(r"[^A-Za-z0-9]", "_", str(value["_name"]))
                    branch = "_" + branch if branch[:1].isdigit() else branch
                    walk(value, f"{prefix}{key}.{branch}.")

    walk(space.json, "")
    keys = [key for key, _, _ in found]
    return [(key if keys.count(key) == 1 else full, spec) for key, full, spec in found]


def _distributions(name: str, spec: Mapping[str, Any]) -> list[tuple[str, BaseDistribution]]:
    kind, value = spec["_type"], spec["_value"]
    if kind == "factor":
        return [(f"{name}[{i}]", IntDistribution(1, value[0])) for i in range(value[1])]
    if kind == "permutation":
        n = value[0] if isinstance(value, list) else value
        return [(f"{name}[{i}]", IntDistribution(0, n - 1)) for i in range(n)]
    if isinstance(value, str):
        raise Error(f"Parameter {name}: a sampler takes a graph with _edges, not a file.")
    values = [each["_name"] if isinstance(each, dict) else each for each in value]
    if kind == "discrete":
        values = sorted(values)
    return [(name, CategoricalDistribution(values))]


def distributions(space: Space | Mapping[str, object]) -> dict[str, BaseDistribution]:
    """The distributions of a space: one for each parameter, and one for each part of a tuple.

    >>> opevo.optuna.distributions({"X": opevo.factor(8, 2), "u": ["a", "b"]})
    """
    return _Nested(Space.of(space)).distributions


def suggest(trial: optuna.Trial, space: Space | Mapping[str, object]) -> Config:
    """The configuration of a trial in a space of opevo, tuples and branches included.

    >>> space = opevo.Space({"X": opevo.factor(512, 3), "u": [0, 1]})
    >>> def objective(trial):
    ...     config = opevo.optuna.suggest(trial, space)
    ...     return measure(*config["X"], config["u"])
    >>> study = optuna.create_study(sampler=opevo.optuna.Sampler("qgp", space=space))
    """
    space = Space.of(space)
    names = iter(_flatten(space))
    config: Config = {}

    def walk(members: Mapping[str, Any], active: bool) -> None:
        for key in members:
            if key.startswith("_"):
                continue
            name, spec = next(names)
            value = _suggest(trial, name, spec) if active else None
            if active:
                config[name] = value
            for each in spec["_value"] if spec["_type"] in ("choice", "categorical") else []:
                if isinstance(each, dict):
                    walk(each, active and identity(each["_name"]) == identity(value))

    walk(space.json, True)
    return config


def _suggest(trial: optuna.Trial, name: str, spec: Mapping[str, Any]) -> Any:
    parts = []
    for part, distribution in _distributions(name, spec):
        if isinstance(distribution, IntDistribution):
            parts.append(trial.suggest_int(part, distribution.low, distribution.high))
        else:
            assert isinstance(distribution, CategoricalDistribution)
            return trial.suggest_categorical(part, distribution.choices)
    return tuple(parts)


class _Search:
    """A tuner with the trials that it has out, and the threads that have them."""

    def __init__(self, codec: _Flat | _Nested, tuner: Tuner, spare: Tuner, key: str) -> None:
        self.codec, self.tuner, self.spare, self.key = codec, tuner, spare, key
        self.free: list[Trial] = []
        self.asked_to = tuner.trials
        self.owners: dict[int, int] = {}

    def close(self) -> None:
        for tuner in (self.tuner, self.spare):
            try:
                tuner.close()
            except Error:
                pass  # A server that is gone has closed it.


class Sampler(optuna.samplers.BaseSampler):
    """A tuner of opevo as a sampler.

    tuner     name of the search method, such as "qgp", "opevo", "tpe", or "nsga2" for several
              objectives
    seed      the same seed gives the same trials; processes that share a study take different seeds
    settings  of the tuner, such as {"q": 0.8}
    space     a Space (`suggest` gives its configurations), or a mapping from names to Optuna's
              distributions; without it, the parameters that all completed trials have in common, so
              that the first trial is drawn at random
    levels    values of a FloatDistribution without step, and of one with log
    values    "positive": values of the objective are times (minimised, 1e-12 to 1e9) or rates
              (maximised, 0 to 1e100); then the trials are those of `opevo tune`. "real": any
              numbers; a value v that is minimised is told to the tuner as the fitness
              sqrt(1 + v^2) - v
    constraints_func  as in Optuna's samplers: a trial is feasible where no number is above 0
    store, name       a file that keeps the trials, and the objective's name in it
    independent_sampler  for parameters outside of the space; default: RandomSampler(seed)

    A study with several objectives takes the tuner "nsga2", which searches by up to three. A study
    that its storage keeps is resumed: a sampler with the same arguments is told the outcomes of its
    earlier trials. Parallel trials (n_jobs) get the same configurations as trials one by one. Where
    a tuner needs outcomes before it proposes more, and the thread that asks is the one that has
    them, the trial is a random configuration of which the tuner is not told. A study whose search
    is over is stopped.

    Errors: Error, with a sentence, where the program refuses an argument, or where a value is out
    of its range.

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
    ) -> None:
        if levels < 2:
            raise Error(f"levels={levels}: give at least 2.")
        if values not in ("positive", "real"):
            raise Error(f'values={values!r}: give "positive" or "real".')
        self._tuner, self._seed, self._settings = tuner, seed, dict(settings or {})
        self._levels, self._values_are, self._constraints_func = levels, values, constraints_func
        self._store, self._name = store, name
        self._codec = None if space is None else _codec(space, levels)
        self._independent = independent_sampler or optuna.samplers.RandomSampler(seed=seed)
        self._reset()

    def _reset(self) -> None:
        self._changed = threading.Condition(threading.RLock())
        self._searches: dict[str, _Search] = {}
        self._common: dict[str, IntersectionSearchSpace] = {}
        self._running: dict[tuple[str, int], tuple[_Search, Trial | None]] = {}
        self._waiting: set[int] = set()

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process begins without searches: it resumes them from the study."""
        left_out = ("_changed", "_searches", "_common", "_running", "_waiting")
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
        """The given space, or what the completed trials have in common."""
        if self._codec is not None:
            return dict(self._codec.distributions)
        with self._changed:
            common = self._common.setdefault(study.study_name, IntersectionSearchSpace())
            found = common.calculate(study)
        return {name: each for name, each in sorted(found.items()) if not each.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The next configuration of the search in this space."""
        if not search_space:
            return {}
        with self._changed:
            search = self._search(study, search_space)
            asked = self._next(study, search)
            self._running[study.study_name, trial.number] = (search, asked)
            if asked is None:
                spare = search.spare.ask()
                return search.codec.decode(spare[0].config) if spare else {}
            search.owners[asked.number] = threading.get_ident()
        mark = {"search": search.key, "number": asked.number}
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

    def _violation(self, study: Study, trial: FrozenTrial, state: TrialState) -> float | None:
        """The sum of the constraints that are broken, which Optuna keeps with the trial."""
        if self._constraints_func is None or state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return None
        constraints = [float(each) for each in self._constraints_func(trial)]
        if any(each != each for each in constraints):
            raise ValueError("Constraint values cannot be NaN.")
        study._storage.set_trial_system_attr(trial._trial_id, _CONSTRAINTS, constraints)
        return sum(max(0.0, each) for each in constraints)

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
        single = len(study.directions) == 1 and self._values_are == "positive"
        return "time" if single and study.directions[0] == StudyDirection.MINIMIZE else "score"

    def _positive(self, study: Study, value: float) -> float:
        """A single value as the tuner is told it."""
        if self._values_are == "real":
            towards = value if study.directions[0] == StudyDirection.MINIMIZE else -value
            root = math.hypot(1, towards)
            return root - towards if towards < 0 else 1 / (root + towards)
        least, most = (1e-12, 1e9) if self._result(study) == "time" else (0, 1e100)
        if not least <= value <= most:
            raise Error(
                f"The value {value!r} is not from {least:g} to {most:g}, as a tuner expects; for"
                ' other values use Sampler(values="real").'
            )
        return value

    def _key(self, study: Study, codec: _Flat | _Nested) -> str:
        """What identifies a search: it is told the trials of a study that have this key."""
        parts = [self._tuner, self._seed, self._settings, codec.space.json, self._values_are]
        parts += [[each.name for each in study.directions], self._constraints_func is not None]
        return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:16]

    def _search(self, study: Study, search_space: Mapping[str, BaseDistribution]) -> _Search:
        codec = self._codec or _Flat(search_space, self._levels)
        key = self._key(study, codec)
        search = self._searches.get(study.study_name)
        if search is not None and search.key == key:
            return search
        if search is not None:  # The trials have fewer parameters in common than before.
            search.close()
        search = _Search(codec, self._make(study, codec), self._spare(codec), key)
        self._searches[study.study_name] = search
        self._replay(study, search)
        return search

    def _make(self, study: Study, codec: _Flat | _Nested) -> Tuner:
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
            name=self._name,
            result=self._result(study),
            criterion=criterion,
            criteria=criteria,
            require=["violation<=0"] if self._constraints_func is not None else [],
        )

    def _spare(self, codec: _Flat | _Nested) -> Tuner:
        """Random configurations, for trials that the search has none for.

        They come from another seed, because a search often begins with random ones of its own.
        """
        return Tuner(codec.space, "random", seed=self._seed ^ 1 << 63)

    def _replay(self, study: Study, search: _Search) -> None:
        """Tell a new search the trials of the study that an earlier one with its key proposed."""
        earlier: dict[int, FrozenTrial] = {}
        for trial in study.get_trials(deepcopy=False):
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
            constraints = trial_of.system_attrs.get(_CONSTRAINTS)
            violation = None if constraints is None else sum(max(0.0, each) for each in constraints)
            state, values = trial_of.state, trial_of.values
            told = self._told(study, one.number, state, values, violation)
            search.tuner.tell_many([told])

    def _next(self, study: Study, search: _Search) -> Trial | None:
        """The next trial of the search, or None where there is none for this thread."""
        me = threading.get_ident()
        while True:
            if search.free:
                return search.free.pop(0)
            asked = search.tuner.ask()
            if asked:
                return asked[0]
            if search.tuner.over:
                try:
                    study.stop()
                except RuntimeError:
                    pass  # The trials are asked for one by one, outside of optimize.
                return None
            # Only another thread can bring the outcome that the tuner waits for, one that is at
            # work.
            alive = {each.ident for each in threading.enumerate()}
            if not (set(search.owners.values()) & alive) - self._waiting - {me}:
                return None
            self._waiting.add(me)
            try:
                self._changed.wait(timeout=1)
            finally:
                self._waiting.discard(me)


def _codec(space: Space | Mapping[str, Any], levels: int) -> _Flat | _Nested:
    if isinstance(space, Space) or not all(
        isinstance(each, BaseDistribution) for each in space.values()
    ):
        return _Nested(Space.of(space))
    return _Flat(space, levels)


def _matches(search: _Search, asked: Trial, trial: FrozenTrial) -> bool:
    """Whether a trial ran at the point that was asked: its parameters may have been fixed."""
    wanted = search.codec.decode(asked.config)
    return all(wanted[name] == value for name, value in trial.params.items() if name in wanted)
