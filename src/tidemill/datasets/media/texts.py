"""Texts: decoded whatever they are in, cut into lines as the formats want them."""

import codecs
import io
import tempfile
from collections.abc import Iterator
from typing import BinaryIO, TextIO, cast

from tidemill.datasets.media import encodings

_BLOCK_BYTES = 1 << 16
_SPOOL_BYTES = 32 << 20


def lines(file: BinaryIO, encoding: str | None = None) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, 1 first, without the end of line; only LF, CR LF and CR end one."""
    with opened(file, encoding) as text:
        for number, line in enumerate(text, 1):
            yield number, line.rstrip("\r\n")


def opened(file: BinaryIO, encoding: str | None = None, *, newline: str = "") -> TextIO:
    """The file as text, itself closed; what does not fit its encoding is replaced. Lines end as in it (for `csv`).

    A file that is plain ASCII at first may be anything later on, so that it is gone through once before.
    """
    spool = tempfile.SpooledTemporaryFile(_SPOOL_BYTES)  # noqa: SIM115 — closed with the text
    with file:
        guessed = _copy_and_guess(file, cast(BinaryIO, spool))
    spool.seek(0)
    return io.TextIOWrapper(cast(BinaryIO, spool), encoding=encoding or guessed, errors="replace", newline=newline)


def _copy_and_guess(file: BinaryIO, out: BinaryIO) -> str:
    """The encoding: by the head, and for UTF-8 by the first piece that is none."""
    head = file.read(_BLOCK_BYTES)
    out.write(head)
    guessed = encodings.guess(head)
    decoder = codecs.getincrementaldecoder("utf-8")()
    block, before = head, b""
    while block:
        if guessed == "utf-8" and not _accepts(decoder, block):
            guessed = encodings.guess(before[-1000:] + block)
            decoder.reset()
        before, block = block, file.read(_BLOCK_BYTES)
        out.write(block)
    return guessed


def _accepts(decoder: codecs.IncrementalDecoder, block: bytes) -> bool:
    try:
        decoder.decode(block)
    except UnicodeDecodeError:
        return False
    return True
