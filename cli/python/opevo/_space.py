# SPDX-License-Identifier: GPL-3.0-or-later
"""Search spaces as Python values."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ._error import Error
from ._program import call

if TYPE_CHECKING:
    from ._server import Server

Config: TypeAlias = dict[str, Any]
"""A configuration: the values of the active parameters, tuples for factor and permutation."""


class Parameter:
    """A parameter in the form of a space file: what `factor`, `discrete` and their like return."""

    def __init__(self, type_: str, value: object, keys: Mapping[str, object]) -> None:
        self.json: dict[str, Any] = {"_type": type_, "_value": value}
        self.json.update({"_" + key: each for key, each in keys.items() if each is not None})

    def __repr__(self) -> str:
        return f"Parameter({json.dumps(self.json)})"


def factor(
    product: int,
    parts: int,
    *,
    topology: str | None = None,
    components: Sequence[str] | None = None,
) -> Parameter:
    """Ordered tuples of `parts` positive integers with the given product.

    `components` names the parts, for constraints. `topology` says which values are neighbours, as
    in all functions of this kind; the default is the paper's.

    >>> opevo.Space({"X": opevo.factor(512, 3)})
    """
    names = None if components is None else list(components)
    keys = {"topology": topology, "components": names}
    return Parameter("factor", [plain(product), plain(parts)], keys)


def permutation(n: int, *, topology: str | None = None) -> Parameter:
    """Orders of 0 to n - 1."""
    return Parameter("permutation", [plain(n)], {"topology": topology})


def discrete(values: Sequence[float], *, topology: str | None = None) -> Parameter:
    """Numbers, in increasing order."""
    return Parameter("discrete", [plain(value) for value in values], {"topology": topology})


def choice(
    values: Sequence[object] | Mapping[str, object], *, topology: str | None = None
) -> Parameter:
    """Values without an order: numbers, Booleans and strings.

    A mapping opens branches: each key is a value, and stands for the mapping of the parameters that
    are active with it, or for None.

    >>> opevo.choice({"conv": {"kernel": [1, 3, 5]}, "skip": None})
    """
    return Parameter("choice", _branches(values), {"topology": topology})


def graph(values: Sequence[object], edges: Sequence[tuple[int, int]]) -> Parameter:
    """Values with neighbours of one's own: `edges` are pairs of indices into `values`."""
    pairs = [[plain(end) for end in edge] for edge in edges]
    return Parameter("graph", [plain(value) for value in values], {"edges": pairs})


def plain(value: object) -> Any:
    """A value as JSON has it: numbers of numpy become Python's.

    Errors: Error where it is neither a number, a Boolean nor a string.
    """
    found = unwrapped(value)
    if not isinstance(found, bool | int | float | str):
        raise Error(f"A value of a parameter is a number, a Boolean or a string, not {value!r}.")
    return found


def unwrapped(value: object) -> Any:
    """A scalar of numpy, or an array of one element, as Python's; anything else as it is."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "size", 1) == 1 else value


def is_array(value: object) -> bool:
    """Whether a value is an array of numpy, or like one: a list of its elements."""
    return callable(getattr(value, "tolist", None)) and getattr(value, "ndim", 0) == 1


def listed(words: str | Sequence[str]) -> list[str]:
    """One string stands for a list of it, as in the server's protocol."""
    return [words] if isinstance(words, str) else list(words)


def identity(value: object) -> tuple[bool, Any]:
    """What tells values apart: 1 and 1.0 are one value, and True is another."""
    return isinstance(value, bool), value


def _branches(values: Sequence[object] | Mapping[str, object]) -> list[Any]:
    if is_array(values):
        values = values.tolist()  # type: ignore[union-attr]
    if not isinstance(values, Mapping):
        return [
            _parameters(value) if isinstance(value, Mapping) else plain(value) for value in values
        ]
    return [
        name if not inside else {"_name": name, **_parameters(inside)}
        for name, inside in values.items()
    ]


def _parameter(name: str, given: object) -> dict[str, Any]:
    if isinstance(given, Parameter):
        return given.json
    if isinstance(given, Mapping):
        if "_type" in given:
            return dict(given)
        return choice(given).json
    if is_array(given):
        given = given.tolist()  # type: ignore[attr-defined]
    if isinstance(given, range | Sequence) and not isinstance(given, str) and len(given):
        values = [plain(value) for value in given]
        numbers = not any(isinstance(value, bool | str) for value in values)
        return discrete(values).json if numbers else choice(values).json
    raise Error(
        f"Parameter {name}: give a list of values, a range, a mapping of branches, or what factor,"
        f" permutation, discrete, choice or graph returns, not {given!r}."
    )


def _parameters(given: object) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise Error(f"The parameters of a branch are a mapping, not {given!r}.")
    return {
        str(name): value if str(name).startswith("_") else _parameter(str(name), value)
        for name, value in given.items()
    }


class Space:
    """A search space: parameters, each with a finite list of values, and constraints.

    `parameters` is one of

    * a mapping from names to lists of values, ranges, and what `factor`, `permutation`, `discrete`,
      `choice` and `graph` return. A list of numbers becomes `discrete`, any other a `choice`; a
      mapping opens branches, as in `choice`;
    * NNI's form, as `json.load` gives it; both forms may be mixed;
    * the path of a file that opevo reads: NNI's form, T1, Kernel Tuner's tune_params, T4.

    `constraints` are expressions over the names that every configuration satisfies, in C or, with
    `dialect="python"`, in Python.

    Nothing is checked here; the program checks a space when it is used, and its sentence is raised
    as Error.

    >>> parameters = {"X": opevo.factor(512, 3), "op": {"conv": {"n": range(3)}, "skip": None}}
    >>> opevo.Space(parameters, constraints=["X[0] <= 64"]).size
    220
    """

    def __init__(
        self,
        parameters: Mapping[str, object] | str | os.PathLike[str],
        constraints: str | Sequence[str] = (),
        dialect: str | None = None,
    ) -> None:
        self.path: Path | None = None
        self._json: dict[str, Any] = {}
        self._described: dict[str, Any] | None = None
        if isinstance(parameters, str | os.PathLike):
            if constraints or dialect:
                raise Error("A space file holds its constraints; give none beside it.")
            self.path = Path(parameters)
            return
        self._json = _parameters(parameters)
        if constraints:
            self._json["_constraints"] = [*self._json.get("_constraints", []), *listed(constraints)]
        if dialect:
            self._json["_dialect"] = dialect

    @classmethod
    def of(cls, given: Space | Mapping[str, object] | str | os.PathLike[str]) -> Space:
        """The space itself, or the one made of what `Space` takes."""
        return given if isinstance(given, Space) else cls(given)

    def __repr__(self) -> str:
        return f"Space({str(self.path) if self.path else self._json!r})"

    @property
    def json(self) -> dict[str, Any]:
        """The space in NNI's form, as it is sent to the program.

        Errors: Error where the file cannot be read, or is not JSON.
        """
        if self.path is None:
            return self._json
        try:
            loaded = json.loads(self.path.read_text(encoding="utf-8"))
        except OSError as error:
            raise Error(f"{self.path}: {error.strerror}.") from error
        except ValueError as error:
            raise Error(f"{self.path}: invalid JSON: {error}.") from error
        if not isinstance(loaded, dict):
            raise Error(f"{self.path}: a space file is a JSON object.")
        return loaded

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the space file, for the program's `--space`."""
        Path(path).write_text(json.dumps(self.json, indent=1) + "\n", encoding="utf-8")

    @contextmanager
    def file(self) -> Iterator[str]:
        """The path of a file with the space, which exists inside the `with` block."""
        if self.path is not None:
            yield str(self.path)
            return
        with tempfile.TemporaryDirectory() as folder:
            self.save(Path(folder, "space.json"))
            yield str(Path(folder, "space.json"))

    def describe(self) -> dict[str, Any]:
        """What `opevo space --json` says: graphs, points, the share of allowed points."""
        if self._described is None:
            with self.file() as path:
                try:
                    self._described = call("space", path)
                except Error as error:
                    if self.path is not None:
                        raise
                    # Nobody knows the file that was made of the mapping.
                    said = re.sub(rf"^{re.escape(path)}(:\d+)?: ", "", str(error))
                    raise Error(said) from None
        assert self._described is not None
        return self._described

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters, in the order of the space."""
        return [str(each["name"]) for each in self.describe()["parameters"]]

    @property
    def constraints(self) -> list[str]:
        """The constraints as the program reads them."""
        return list(self.describe()["constraints"])

    @property
    def size(self) -> int:
        """The number of points, those that constraints exclude counted in."""
        return int(self.describe()["points"])

    @property
    def allowed(self) -> int:
        """The number of points that satisfy the constraints.

        Errors: Error where there are too many to be counted; `describe()["allowed"]` then has an
        estimated share.
        """
        found = self.describe()["allowed"]
        if found["sure"] != "exact":
            raise Error(
                "The allowed points are too many to be counted;"
                ' describe()["allowed"] has an estimated share.'
            )
        return int(found["points"])

    def configs(self, server: Server | None = None) -> Iterator[Config]:
        """All configurations that satisfy the constraints, in the order of the points.

        >>> list(opevo.Space({"a": [1, 2], "b": [1, 2]}, constraints=["a <= b"]).configs())
        [{'a': 1, 'b': 1}, {'a': 1, 'b': 2}, {'a': 2, 'b': 2}]
        """
        from ._tuner import Tuner

        with Tuner(self, "grid", server=server) as tuner:
            while trials := tuner.ask(1000):
                for trial in trials:
                    yield trial.config
                tuner.tell_many({"number": trial.number, "score": 1} for trial in trials)


def hashable(value: Any) -> Any:
    """A value of a configuration as Python has it: a list of JSON becomes a tuple."""
    return tuple(value) if isinstance(value, list) else value


def config_of(object_: Mapping[str, Any]) -> Config:
    """A configuration of the program as Python has it."""
    return {name: hashable(value) for name, value in object_.items()}
