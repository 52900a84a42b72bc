"""Ids: a prefix that says what it is, then 26 characters that sort by time of making."""

import re
import secrets
import threading
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PATTERN = re.compile(r"^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$")


class _Sequence:
    """Ids made in one process never repeat and never go backwards, even within a millisecond."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        fresh = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
        with self._lock:
            self._last = max(fresh, self._last + 1 + secrets.randbits(32))
            return self._last


_sequence = _Sequence()


def new_id(prefix: str) -> str:
    """A new id, such as `usr_01j…`; sorts after all made before it in this process."""
    number = _sequence.next()
    digits = [_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5)]
    return f"{prefix}_{''.join(digits)}"


def looks_like_id(text: str, prefix: str = "") -> bool:
    """Whether the text is an id (of this kind, where a prefix is given) rather than a name; no name looks like one."""
    return text.startswith(prefix) and _PATTERN.match(text) is not None
