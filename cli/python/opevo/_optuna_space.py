# SPDX-License-Identifier: GPL-3.0-or-later
"""Search spaces of Optuna as spaces of opevo, and the other way round."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

from ._error import Error
from ._space import Config, Space, identity

MOST_VALUES = 4096


@dataclass
class Node:
    """Parameters that are suggested together, and what some of their values bring with them."""

    parameters: dict[str, BaseDistribution] = field(default_factory=dict)
    switches: dict[str, dict[int, Node]] = field(default_factory=dict)
    """For a categorical parameter that opens branches, one for each choice that a trial had."""

    def active(self, trial: FrozenTrial) -> Iterator[tuple[str, BaseDistribution, Node]]:
        """The parameters that a trial should have, each with its node."""
        for name, distribution in self.parameters.items():
            yield name, distribution, self
            if name in self.switches and name in trial.params:
                chosen = self.switches[name].get(_choice(trial, name))
                if chosen is not None:
                    yield from chosen.active(trial)


def _choice(trial: FrozenTrial, name: str) -> int:
    return int(trial.distributions[name].to_internal_repr(trial.params[name]))


def learn(trials: Sequence[FrozenTrial], names: Iterable[str] | None = None) -> Node:
    """The tree of parameters that explains which of them each trial has.

    Parameters that all trials have, with one distribution, are a node. Another one is in the
    branches of that categorical parameter of the node whose value decides in the fewest doubtful
    trials whether it is there, and with which distribution. One that no value decides is left out.
    """
    if names is None:
        names = sorted({name for trial in trials for name in trial.params})
    node = Node()
    rest = []
    for name in names:
        found = [trial.distributions.get(name) for trial in trials]
        first = found[0]
        if first is None or any(each != first for each in found[1:]):
            rest.append(name)
        elif not first.single():
            node.parameters[name] = first
    values: dict[str, list[int]] = {}
    for name, distribution in node.parameters.items():
        if isinstance(distribution, CategoricalDistribution):
            values[name] = [_choice(trial, name) for trial in trials]
    taken: dict[str, list[str]] = {}
    for name in rest:
        seen = [trial.distributions.get(name) for trial in trials]
        doubts = {switch: _doubts(values[switch], seen) for switch in values}
        if doubts and min(doubts.values()) < len(trials):
            taken.setdefault(min(doubts, key=lambda switch: doubts[switch]), []).append(name)
    for switch, inside in taken.items():
        node.switches[switch] = {
            value: learn([t for t, of in zip(trials, values[switch]) if of == value], inside)
            for value in sorted(set(values[switch]))
        }
    return node


def _doubts(values: Sequence[int], seen: Sequence[BaseDistribution | None]) -> int:
    """In how many trials the value does not decide what was seen; all if it never does."""
    groups: dict[int, list[BaseDistribution | None]] = {}
    for value, each in zip(values, seen):
        groups.setdefault(value, []).append(each)
    return sum(len(group) for group in groups.values() if any(one != group[0] for one in group))


def explains(node: Node, loose: set[str], trial: FrozenTrial) -> bool:
    """Whether a trial has what the tree says, and beside it loose parameters only."""
    expected = {name: distribution for name, distribution, _ in node.active(trial)}
    if any(trial.distributions.get(name) != each for name, each in expected.items()):
        return False
    return all(
        name in expected or name in loose or each.single()
        for name, each in trial.distributions.items()
    )


def unseen(node: Node) -> Iterator[dict[str, Any]]:
    """For each choice of a switch that no trial had, the values that lead to it."""
    for name, branches in node.switches.items():
        distribution = node.parameters[name]
        assert isinstance(distribution, CategoricalDistribution)
        for i, value in enumerate(distribution.choices):
            if i not in branches:
                yield {name: value}
            else:
                yield from ({name: value, **inside} for inside in unseen(branches[i]))


class Flat:
    """A search space of Optuna as one of opevo: a parameter for each distribution."""

    def __init__(self, node: Node, levels: int) -> None:
        self.distributions: dict[str, BaseDistribution] = {}
        self.whole = True
        """Whether the space has every value of every distribution."""
        self._levels = levels
        self._root = node
        self._keys: dict[int, dict[str, str]] = {}  # of each node, by the name
        self._optuna_names: dict[str, str] = {}
        self._values: dict[str, dict[Any, Any]] = {}
        self._shown: dict[str, list[Any]] = {}
        self.space = Space(self._node(node))

    def _node(self, node: Node) -> dict[str, Any]:
        parameters: dict[str, Any] = {}
        keys = self._keys[id(node)] = {}
        for name, distribution in node.parameters.items():
            fits = re.fullmatch(r"[A-Za-z_]\w{0,62}", name, re.ASCII) and not name.startswith("_")
            key = name if fits else f"p{len(self._shown)}"
            while key in self._shown:
                key += "_"
            self.distributions.setdefault(name, distribution)
            ordered, values = values_of(name, distribution, self._levels)
            shown = values if _have_json(values) else list(range(len(values)))
            self.whole = self.whole and _has_all(distribution, len(values))
            self._optuna_names[key], self._shown[key], keys[name] = name, shown, key
            self._values[key] = {identity(of): value for of, value in zip(shown, values)}
            branches = {i: self._node(each) for i, each in node.switches.get(name, {}).items()}
            kind = "discrete" if ordered and name not in node.switches else "choice"
            opened = [
                {"_name": value, **branches[i]} if branches.get(i) else value
                for i, value in enumerate(shown)
            ]
            parameters[key] = {"_type": kind, "_value": opened}
        return parameters

    def decode(self, config: Config) -> dict[str, Any]:
        """A configuration of opevo as Optuna's parameters."""
        return {
            self._optuna_names[key]: self._values[key][identity(value)]
            for key, value in config.items()
        }

    def encode(self, trial: FrozenTrial) -> Config | None:
        """The configuration that a trial had; None where it is not one of this space."""
        config: Config = {}
        for name, distribution, node in self._root.active(trial):
            key = self._keys[id(node)][name]
            if name not in trial.params:
                return None
            if isinstance(distribution, CategoricalDistribution):
                at = int(distribution.to_internal_repr(trial.params[name]))
                config[key] = self._shown[key][at]
            elif identity(trial.params[name]) in self._values[key]:
                config[key] = trial.params[name]
            else:
                return None
        return config


def _has_all(distribution: BaseDistribution, count: int) -> bool:
    if isinstance(distribution, FloatDistribution):
        if distribution.step is None:
            return distribution.single()
        return count > (distribution.high - distribution.low) / distribution.step - 1e-8
    if isinstance(distribution, IntDistribution):
        return count > (distribution.high - distribution.low) // distribution.step
    return True


def _have_json(values: Sequence[Any]) -> bool:
    """Whether the values are all numbers, Booleans and strings, and no two are alike."""
    if not all(isinstance(value, bool | int | float | str) and value == value for value in values):
        return False
    return len({identity(value) for value in values}) == len(values)


def values_of(name: str, distribution: BaseDistribution, levels: int) -> tuple[bool, list[Any]]:
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


class Nested:
    """A space of opevo as distributions of Optuna: the parts of a tuple X are X[0], X[1], ..."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.whole = True
        self.distributions: dict[str, BaseDistribution] = {}
        for name, spec in flatten(space):
            for part, distribution in distributions_of(name, spec):
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

    def encode(self, trial: FrozenTrial) -> Config | None:
        """The configuration that a trial had."""
        config: Config = {}
        for name, spec in flatten(self.space):
            parts = [part for part, _ in distributions_of(name, spec)]
            if parts[0] in trial.params:
                is_tuple = parts != [name]
                values = tuple(trial.params.get(part) for part in parts)
                config[name] = values if is_tuple else values[0]
        return config


def flatten(space: Space) -> list[tuple[str, dict[str, Any]]]:
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


def distributions_of(name: str, spec: Mapping[str, Any]) -> list[tuple[str, BaseDistribution]]:
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
    return Nested(Space.of(space)).distributions


def suggest(trial: optuna.Trial, space: Space | Mapping[str, object]) -> Config:
    """The configuration of a trial in a space of opevo, tuples and branches included.

    >>> space = opevo.Space({"X": opevo.factor(512, 3), "u": [0, 1]})
    >>> def objective(trial):
    ...     config = opevo.optuna.suggest(trial, space)
    ...     return measure(*config["X"], config["u"])
    >>> study = optuna.create_study(sampler=opevo.optuna.Sampler("qgp", space=space))
    """
    space = Space.of(space)
    names = iter(flatten(space))
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
    for part, distribution in distributions_of(name, spec):
        if isinstance(distribution, IntDistribution):
            parts.append(trial.suggest_int(part, distribution.low, distribution.high))
        else:
            assert isinstance(distribution, CategoricalDistribution)
            return trial.suggest_categorical(part, distribution.choices)
    return tuple(parts)
