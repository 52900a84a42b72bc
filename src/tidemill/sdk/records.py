"""What the server tells, as typed values.

Reading is tolerant both ways: fields a newer server adds are kept in `raw` only, fields an older one lacks take their
default. Times become aware `datetime`s.
"""

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class Record:
    """Base of all; `raw` is the server's own JSON."""

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        readers = _readers(cls)
        known = {name: read(data[name]) for name, read in readers.items() if data.get(name) is not None}
        return cls(**known, raw=data)


@dataclass(frozen=True, kw_only=True)
class Named(Record):
    """What every object has."""

    id: str = ""
    name: str = ""
    created_at: datetime | None = None
    created_by: str = ""


_READERS: dict[type[Record], dict[str, Callable[[Any], Any]]] = {}


def _readers(cls: type[Record]) -> dict[str, Callable[[Any], Any]]:
    if cls not in _READERS:
        hints = typing.get_type_hints(cls)
        _READERS[cls] = {f.name: _reader(hints[f.name]) for f in fields(cls) if f.name != "raw"}
    return _READERS[cls]


def _reader(hint: Any) -> Callable[[Any], Any]:
    if isinstance(hint, types.UnionType):
        (hint,) = (part for part in typing.get_args(hint) if part is not types.NoneType)
    if hint is datetime:
        return datetime.fromisoformat
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.read
    if typing.get_origin(hint) is list:
        (inner,) = typing.get_args(hint)
        read = _reader(inner)
        return lambda values: [read(value) for value in values]
    return lambda value: value
