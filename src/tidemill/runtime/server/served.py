"""What the server asks of a model, whatever kind it is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tidemill.runtime.server.errors import Failed, Malformed, Refusal
from tidemill.runtime.server.tensors import Array, Spec, plain_array

Tensors = dict[str, Array]


@dataclass(slots=True)
class Work:
    """What one request asks of a model. Work with equal keys may be done together."""

    given: Any
    rows: int = 1
    key: Any = None


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a model without asking it."""

    platform: str
    task: str | None = None
    labels: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further `parameters` of the metadata."""


class Served(ABC):
    """A model that was loaded. `run` is called in one thread at a time; `take` and `give` from the event loop."""

    about: About
    inputs: dict[str, Spec]
    outputs: dict[str, Spec]
    joins = False
    """Whether rows of several requests may go in together."""
    batch_size = 32
    """How many rows at most, where nobody says otherwise."""

    @abstractmethod
    def take(self, tensors: Tensors, parameters: Mapping[str, Any]) -> Work:
        """Checked tensors as work. Raises `Malformed`."""

    @abstractmethod
    def run(self, given: Sequence[Any]) -> list[Any]:
        """The answer to each, in their order; an exception in place of an answer is that request's own."""

    @abstractmethod
    def give(self, answer: Any) -> Tensors:
        """An answer of `run` as output tensors."""

    @abstractmethod
    def warm_up(self) -> None:
        """Runs once on something. Raises whatever comes."""

    def again(self) -> "Served":
        """One more instance, for one more thread. The same one where its `run` is safe in several."""
        return self


class TensorModel(Served):
    """A model that computes tensors from tensors."""

    def take(self, tensors: Tensors, parameters: Mapping[str, Any]) -> Work:  # noqa: ARG002
        if not self.joins:
            return Work(tensors)
        rows, key = 0, []
        for name, spec in self.inputs.items():
            shape = tensors[name].shape
            if not rows:
                rows = shape[0]
            if not shape[0] or shape[0] != rows:
                raise Malformed(f"input {spec.name!r}: must have as many rows as the other inputs, and at least one")
            key.append(shape[1:])
        return Work(tensors, rows, tuple(key))

    def run(self, given: Sequence[Any]) -> list[Any]:
        if len(given) == 1:
            return [self._alone(given[0])]
        try:
            return self._together(given)
        except Exception:  # noqa: BLE001 — one request must not spoil the others: each is tried for itself
            return [self._alone(one) for one in given]

    def give(self, answer: Any) -> Tensors:
        found: Tensors = answer
        return found

    @abstractmethod
    def compute(self, tensors: Tensors) -> Tensors:
        """Outputs by name. Raises whatever comes."""

    def failure(self, error: Exception) -> Refusal:
        """An exception of `compute` in words. `Malformed` where it is about what was given."""
        return Failed(f"the model failed: {type(error).__name__}: {error}"[:1000])

    def _alone(self, tensors: Tensors) -> Any:
        try:
            return self.compute(tensors)
        except Refusal as error:
            return error
        except Exception as error:  # noqa: BLE001 — models raise anything
            return self.failure(error)

    def _together(self, given: Sequence[Tensors]) -> list[Any]:
        joined = {name: np.concatenate([one[name] for one in given]) for name in given[0]}
        found = self.compute(joined)
        first = next(iter(given[0]))
        sizes = [len(one[first]) for one in given]
        total = sum(sizes)
        for name, array in found.items():
            if not array.shape or array.shape[0] != total:
                self.joins = False
                raise ValueError(f"output {name!r} does not have a row for each row that went in")
        answers, at = [], 0
        for size in sizes:
            answers.append({name: array[at : at + size] for name, array in found.items()})
            at += size
        return answers

    def warm_up(self) -> None:
        self.compute({spec.name: _something(spec) for spec in self.inputs.values()})


def _something(spec: Spec) -> Array:
    from tidemill.runtime.server.tensors import TYPES

    shape = [1 if size < 0 else size for size in spec.shape]
    if spec.datatype == "BYTES":
        return np.full(shape, b"", np.object_)
    return np.zeros(shape, TYPES[spec.datatype])


def named(found: Any, outputs: Sequence[str] = ()) -> Tensors:
    """What a model gave (arrays by name, several arrays, or one) as outputs by name."""
    if isinstance(found, Mapping):
        return {str(name): plain_array(one) for name, one in found.items()}
    several = list(found) if isinstance(found, tuple | list) else [found]
    names = [*outputs, *(f"output_{at}" for at in range(len(outputs), len(several)))]
    return {name: plain_array(one) for name, one in zip(names, several, strict=False)}
