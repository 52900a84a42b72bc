"""Parameters of a run, completed and checked by the algorithm's manifest."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tidemill.sdk import tracking

MANIFEST = "algorithm.json"


class WrongParameter(ValueError):
    """A parameter that the manifest does not allow; says which, what was given and what is allowed."""


class Parameters(Mapping[str, Any]):
    """What was set, and the manifest's defaults for the rest: `parameters["epochs"]` or `parameters.epochs`."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"no parameter {name!r}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def parameters(script: Path, given: Mapping[str, Any] | None = None) -> Parameters:
    """The parameters of the run (or those given), for the script of an algorithm with its manifest beside it.

    What the manifest does not name is passed on as it is.
    """
    told = tracking.run().parameters if given is None else given
    values = dict(told)
    for one in manifest(script)["parameters"]:
        name = one["name"]
        value = told.get(name)
        values[name] = one.get("default") if value is None or value == "" else checked(one, value)
    return Parameters(values)


def manifest(script: Path) -> dict[str, Any]:
    """The manifest of the algorithm a script belongs to."""
    folder = script if script.is_dir() else script.resolve().parent
    found: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
    return found


def checked(one: Mapping[str, Any], value: Any) -> Any:
    """The value in its parameter's type. Raises `WrongParameter`."""
    kind, name = one["type"], one["name"]
    try:
        made = _READ[kind](value)
    except (TypeError, ValueError, KeyError):
        raise WrongParameter(f"{name}: {value!r} is no {kind}") from None
    if kind == "choice" and made not in one["choices"]:
        raise WrongParameter(f"{name}: {made!r} is none of {', '.join(map(str, one['choices']))}")
    if kind in {"int", "float"}:
        least, most = one.get("min"), one.get("max")
        if (least is not None and made < least) or (most is not None and made > most):
            raise WrongParameter(f"{name}: {made} is not between {least} and {most}")
    return made


def _whole(value: Any) -> int:
    number = float(value)
    if isinstance(value, bool) or number != int(number):
        raise ValueError(value)
    return int(number)


def _number(value: Any) -> float:
    number = float(value)
    if isinstance(value, bool) or number != number:
        raise ValueError(value)
    return number


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[str(value).lower()]


_READ: dict[str, Callable[[Any], Any]] = {
    "int": _whole,
    "float": _number,
    "bool": _truth,
    "choice": lambda value: value,
    "text": str,
}
