"""JSON files of any size, one element at a time.

    for key, element in elements(file): ...

gives every element of the arrays of the top object (`("images", {…})`, `("images", {…})`, …), its other members whole,
and, where the top is an array, its elements under the key "". Damaged files give what comes before the damage, then
`Damaged`.

Fast because whole blocks of an array are handed to orjson: cut at the last `},` and put in brackets, a block is valid
JSON exactly when the cut is between two elements. Where it is not, the block is scanned token by token.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from tidemill.datasets.media import encodings
from tidemill.datasets.reasons import Malformed

_BLOCK_BYTES = 1 << 20
_LEAST_BYTES = 4 << 10
_MAX_VALUE_BYTES = 256 << 20
_SPACE = b" \t\r\n"
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]"]', re.DOTALL)
_PLAIN_END = re.compile(rb"[,\]}\s]")


class Damaged(ValueError):
    """The file is no JSON from here on."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(f"not JSON at byte {offset}")


def elements(file: BinaryIO) -> Iterator[tuple[str, Any]]:
    """All elements of the top's arrays and all its other members, in the file's order."""
    for key, found in blocks(file):
        for element in found:
            yield key, element


def blocks(file: BinaryIO) -> Iterator[tuple[str, list[Any]]]:
    """The same, several elements of an array at a time."""
    yield from _Stream(file).blocks()


def loads(data: bytes) -> Any:
    """One value; also with NaN and in other encodings than UTF-8, as some tools write it. Raises ValueError."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(encodings.decode(data).text, parse_constant=lambda _: None)
        except RecursionError as error:
            raise Malformed("too_deep") from error


class _Stream:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._buffer = file.read(_BLOCK_BYTES)
        self._place = 0
        self._window = _BLOCK_BYTES
        self._passed = 0
        self._is_at_end = len(self._buffer) < _BLOCK_BYTES
        if self._buffer.startswith((b"\xff\xfe", b"\xfe\xff")):
            self._buffer = encodings.decode(self._buffer + file.read()).text.encode()
            self._is_at_end = True
        if self._buffer.startswith(b"\xef\xbb\xbf"):
            self._place = 3

    def blocks(self) -> Iterator[tuple[str, list[Any]]]:
        first = self._peek()
        if first == b"[":
            yield from (("", found) for found in self._array())
            return
        if first != b"{":
            raise self._damaged()
        self._place += 1
        while self._peek() != b"}":
            key = self._value()
            if not isinstance(key, str) or self._peek() != b":":
                raise self._damaged()
            self._place += 1
            if self._peek() == b"[":
                yield from ((key, found) for found in self._array())
            else:
                yield key, [self._value()]
            self._after_value(b"}")

    def _array(self) -> Iterator[list[Any]]:
        self._place += 1
        while self._peek() != b"]":
            yield self._block() or [self._value()]
            self._after_value(b"]")
        self._place += 1

    def _block(self) -> list[Any]:
        """The elements up to the last `},` in the window, or none when that is not where one ends.

        The window is halved after each failure, so that the end of an array costs a few of them and no more.
        """
        while not self._is_at_end and len(self._buffer) - self._place < _BLOCK_BYTES // 2:
            self._fill()
        if self._window < _LEAST_BYTES or self._buffer[self._place : self._place + 1] != b"{":
            return []
        cut = self._buffer.rfind(b"},", self._place, self._place + self._window)
        if cut < 0:
            return []
        try:
            found: list[Any] = orjson.loads(b"[" + self._buffer[self._place : cut + 1] + b"]")
        except orjson.JSONDecodeError:
            self._window //= 2
            return []
        self._place = cut + 1
        return found

    def _value(self) -> Any:
        end = self._end_of_value()
        try:
            value = loads(self._buffer[self._place : end])
        except ValueError:
            raise self._damaged() from None
        self._place = end
        return value

    def _end_of_value(self) -> int:
        first = self._peek()
        if first not in (b"{", b"[", b'"'):
            return self._end_of_plain()
        depth, at = 0, self._place
        while True:
            for token in _TOKEN.finditer(self._buffer, at):
                text = token[0]
                if text == b'"':
                    # A string that the buffer's end cuts in two: looked at again with more behind it.
                    at = token.start()
                    break
                depth += (text in b"{[") - (text in b"}]")
                at = token.end()
                if depth == 0:
                    return at
            passed = self._passed
            self._more()
            at -= self._passed - passed

    def _end_of_plain(self) -> int:
        while not (found := _PLAIN_END.search(self._buffer, self._place)) and not self._is_at_end:
            self._fill()
        return found.start() if found else len(self._buffer)

    def _peek(self) -> bytes:
        while True:
            while self._place < len(self._buffer) and self._buffer[self._place] in _SPACE:
                self._place += 1
            if self._place < len(self._buffer):
                return self._buffer[self._place : self._place + 1]
            self._more()

    def _after_value(self, closing: bytes) -> None:
        following = self._peek()
        if following == b",":
            self._place += 1
        elif following != closing:
            raise self._damaged()

    def _more(self) -> None:
        if self._is_at_end or len(self._buffer) - self._place > _MAX_VALUE_BYTES:
            raise self._damaged()
        self._fill()

    def _fill(self) -> None:
        # At least as much as is there already: a huge value is then looked at a few times only.
        wanted = max(_BLOCK_BYTES, len(self._buffer) - self._place)
        block = self._file.read(wanted)
        self._is_at_end = len(block) < wanted
        self._passed += self._place
        self._buffer = self._buffer[self._place :] + block
        self._place = 0
        self._window = _BLOCK_BYTES

    def _damaged(self) -> Damaged:
        return Damaged(self._passed + self._place)
