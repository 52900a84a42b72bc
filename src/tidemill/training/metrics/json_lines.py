"""Numbers printed as JSON: a line that is one object, `{"step": 10, "loss": 0.31}`, is a point on each curve."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

LINE_MAX_BYTES = 16 * 1024
KEYS_MAX = 100
KEY_MAX = 200
STEPS = ("step", "global_step", "iteration", "epoch")
"""The first of these that a line has is its step."""
_TIMES = frozenset({"time", "timestamp", "at", "ts"})


@dataclass(frozen=True, slots=True)
class Line:
    """The numbers of one line."""

    step: int | None
    values: dict[str, float]


def whole_lines(data: bytes) -> tuple[list[bytes], int]:
    """The lines that are there to their end, and how many bytes they take."""
    end = data.rfind(b"\n") + 1
    return data[:end].splitlines(), end


def read_lines(lines: list[bytes]) -> Iterator[Line]:
    """Those lines that are JSON objects with numbers; all others are just output."""
    for line in lines:
        stripped = line.strip()
        if stripped.startswith(b"{") and stripped.endswith(b"}") and len(stripped) <= LINE_MAX_BYTES:
            found = _read(stripped)
            if found is not None:
                yield found


def _read(text: bytes) -> Line | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    name = next((name for name in STEPS if _is_step(data.get(name))), None)
    values = {
        key: float(value)
        for key, value in data.items()
        if key != name and key not in _TIMES and 0 < len(key) <= KEY_MAX and "\x00" not in key and _is_number(value)
    }
    if not values or len(values) > KEYS_MAX:
        return None
    return Line(None if name is None else int(data[name]), values)


def _is_step(value: object) -> bool:
    return _is_number(value) and isinstance(value, int | float) and math.isfinite(value) and abs(value) < 2**62


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or abs(value) < 2**1000
