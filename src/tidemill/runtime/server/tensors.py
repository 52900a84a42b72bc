"""Tensors on the wire: JSON numbers and little-endian bytes to arrays and back, by the protocol's data types."""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from tidemill.runtime.server.errors import Malformed

Array = Any

TYPES: dict[str, Any] = {
    "BOOL": np.dtype(np.bool_),
    "UINT8": np.dtype(np.uint8),
    "UINT16": np.dtype("<u2"),
    "UINT32": np.dtype("<u4"),
    "UINT64": np.dtype("<u8"),
    "INT8": np.dtype(np.int8),
    "INT16": np.dtype("<i2"),
    "INT32": np.dtype("<i4"),
    "INT64": np.dtype("<i8"),
    "FP16": np.dtype("<f2"),
    "FP32": np.dtype("<f4"),
    "FP64": np.dtype("<f8"),
    "BYTES": np.dtype(np.object_),
}
"""Data types of the Open Inference Protocol. Elements of BYTES are `bytes`."""

NAMES: dict[Any, str] = {kind: name for name, kind in TYPES.items()}
DIMENSIONS_MAX = 32
_ELEMENTS: dict[str, set[type]] = {"f": {int, float}, "i": {int}, "u": {int}, "b": {bool}, "O": {str}}
"""What JSON may have for a data type: whole numbers do for floats, not the other way round."""
_HINTS = {"O": " (strings; other bytes in binary form, or in base64 where the model says so)"}


@dataclass(frozen=True, slots=True)
class Spec:
    """A tensor a model takes or gives; -1 is any length. Of `accepts` each data type is turned into the model's own."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    accepts: frozenset[str] = frozenset()

    def view(self) -> dict[str, Any]:
        return {"name": self.name, "datatype": self.datatype, "shape": list(self.shape)}

    def takes(self, datatype: object) -> bool:
        return datatype == self.datatype or (isinstance(datatype, str) and datatype in self.accepts)

    def fits(self, shape: Sequence[int]) -> bool:
        """Whether a tensor may have this shape. Without a declared shape, any."""
        declared = self.shape
        if len(shape) != len(declared):
            return not declared
        return all(wanted in (-1, size) for wanted, size in zip(declared, shape, strict=True))


def get_type(name: str, datatype: Any) -> Any:
    """The numpy type of a data type. Raises `Malformed`."""
    found = TYPES.get(datatype) if isinstance(datatype, str) else None
    if found is None:
        raise Malformed(f"input {name!r}: datatype {datatype!r} is none of {', '.join(TYPES)}")
    return found


def check_shape(name: str, shape: Any) -> int:
    """How many elements a tensor of this shape has. Raises `Malformed`."""
    if not isinstance(shape, list) or len(shape) > DIMENSIONS_MAX:
        raise Malformed(f"input {name!r}: shape must be a list of at most {DIMENSIONS_MAX} whole numbers")
    for size in shape:
        if type(size) is not int or size < 0:
            raise Malformed(f"input {name!r}: shape must be whole numbers from 0 on, not {size!r}")
    return math.prod(shape)


def from_json(name: str, datatype: str, shape: list[int], data: Any) -> Array:
    """The tensor whose elements are in a JSON list, flat or nested. Raises `Malformed`."""
    kind = get_type(name, datatype)
    count = check_shape(name, shape)
    if not isinstance(data, list):
        raise Malformed(f"input {name!r}: data must be a list")
    leaves, types = _flat(name, data)
    if len(leaves) != count:
        raise _wrong_count(name, shape, count, len(leaves))
    if not types <= _ELEMENTS[kind.kind]:
        raise Malformed(f"input {name!r}: data has elements that are no {datatype}{_HINTS.get(kind.kind, '')}")
    if kind.kind == "O":
        found = np.empty(count, np.object_)
        found[:] = [text.encode() for text in leaves]
        return found.reshape(shape)
    try:
        with np.errstate(over="raise"):
            return np.array(leaves, kind).reshape(shape)
    except (FloatingPointError, OverflowError) as error:
        raise Malformed(f"input {name!r}: data has elements outside of {datatype}") from error


def _flat(name: str, data: list[Any]) -> tuple[list[Any], set[type]]:
    """The elements of nested lists, and their types. Lists beside each other are equally long."""
    types = set(map(type, data))
    while list in types:
        if len(types) > 1 or len(set(map(len, data))) > 1:
            raise Malformed(f"input {name!r}: data must be nested evenly or not at all")
        data = list(chain.from_iterable(data))
        types = set(map(type, data))
    return data, types


def _wrong_count(name: str, shape: Sequence[int], count: int, given: int) -> Malformed:
    return Malformed(f"input {name!r}: shape {list(shape)} has {count} elements, but data has {given}")


def from_bytes(name: str, datatype: str, shape: list[int], raw: bytes | memoryview) -> Array:
    """The tensor whose elements are in bytes, as the protocol's binary form has them. Raises `Malformed`."""
    kind = get_type(name, datatype)
    count = check_shape(name, shape)
    if kind.kind == "O":
        return _read_bytes(name, shape, count, raw)
    if len(raw) != count * kind.itemsize:
        wanted = count * kind.itemsize
        raise Malformed(f"input {name!r}: {datatype} of shape {shape} has {wanted} bytes, but {len(raw)} were given")
    if kind.kind == "b":
        return (np.frombuffer(raw, np.uint8) != 0).reshape(shape)
    return np.frombuffer(raw, kind).reshape(shape)


def _read_bytes(name: str, shape: list[int], count: int, raw: bytes | memoryview) -> Array:
    if count * 4 > len(raw):
        raise Malformed(f"input {name!r}: {count} elements of BYTES need a length of four bytes each")
    found = np.empty(count, np.object_)
    at, end = 0, len(raw)
    for place in range(count):
        if at + 4 > end:
            raise Malformed(f"input {name!r}: element {place} of BYTES has no length")
        size = int.from_bytes(raw[at : at + 4], "little")
        at += 4
        if at + size > end:
            raise Malformed(f"input {name!r}: element {place} of BYTES is {size} bytes long, but {end - at} are left")
        found[place] = bytes(raw[at : at + size])
        at += size
    if at != end:
        raise Malformed(f"input {name!r}: {end - at} bytes are left after {count} elements of BYTES")
    return found.reshape(shape)


def to_bytes(array: Array) -> bytes:
    """A tensor's elements in the protocol's binary form."""
    if array.dtype.kind != "O":
        plain: bytes = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        return plain
    parts = bytearray()
    for one in array.reshape(-1):
        element = as_bytes(one)
        parts += struct.pack("<I", len(element))
        parts += element
    return bytes(parts)


def as_bytes(element: Any) -> bytes:
    """An element of BYTES: texts in UTF-8."""
    return element if isinstance(element, bytes) else str(element).encode()


def as_text(name: str, element: Any) -> str:
    """An element of BYTES for JSON. Raises `Malformed` where it is no text."""
    if not isinstance(element, bytes):
        return str(element)
    try:
        return element.decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"output {name!r} is not text: ask for it in binary form") from error


def type_name(array: Array) -> str:
    """What the protocol calls an array's type."""
    found = NAMES.get(array.dtype)
    if found is not None:
        return found
    return "BYTES" if array.dtype.kind in "OSU" else str(array.dtype)


def plain_array(found: Any) -> Array:
    """What a model gave, as an array of a type the protocol knows."""
    array = np.asarray(found)
    if array.dtype.kind in "SU":
        return array.astype(np.object_)
    if array.dtype in NAMES or array.dtype.kind == "O":
        return array
    if array.dtype.kind in "iuf":
        return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    raise TypeError(f"the protocol has no data type for {array.dtype}")
