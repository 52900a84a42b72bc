"""What a file is: looked at as far as an import needs to know.

Pictures are read at their heads only, and at their ends: a truncated one lacks its end, and is then decoded to be sure.
"""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from tidemill.datasets.formats import fitting
from tidemill.datasets.formats.base import Sample
from tidemill.datasets.formats.finding import FILMS, PICTURES, SOUNDS, suffix_of
from tidemill.datasets.importing.heads import read_head
from tidemill.datasets.media import encodings, films, pictures, sounds
from tidemill.datasets.notes import Note

PREVIEW = 300
_TEXTS = frozenset({".txt", ".json", ".md", ".csv", ".tsv", ".xml", ".html"})
_ENDS: dict[str, tuple[bytes, ...]] = {
    "image/jpeg": (b"\xff\xd9",),
    "image/png": (b"IEND\xaeB`\x82",),
    "image/gif": (b"\x3b",),
    "image/bmp": (b"",),
}
_END_BYTES = 64


@dataclass(slots=True)
class Seen:
    """What was seen of a file."""

    media: str | None
    width: int | None
    height: int | None
    duration: float | None
    annotations: list[dict[str, Any]]
    info: dict[str, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def look(sample: Sample, data: bytes | None, file: Path | None) -> Seen:
    """Looks at a sample's bytes. Raises Unreadable where they are not what the name says."""
    suffix = suffix_of(sample.path)
    with io.BytesIO(data) if data is not None else open(str(file), "rb") as stream:
        if suffix in PICTURES:
            return _picture(sample, stream, data)
        if suffix in SOUNDS:
            sound = sounds.probe(stream)
            info = {"rate": sound.rate, "channels": sound.channels}
            return Seen(None, None, None, sound.duration, sample.annotations, info)
        if suffix in FILMS:
            film = films.probe(stream)
            shown: dict[str, Any] = {"rate": film.rate, "frames": film.frames}
            return Seen(None, film.width, film.height, film.duration, sample.annotations, shown)
        if suffix in _TEXTS and "text" not in sample.info:
            return Seen(None, None, None, None, sample.annotations, {"text": _preview(stream)})
    return Seen(None, sample.width, sample.height, sample.duration, sample.annotations)


def _picture(sample: Sample, stream: BinaryIO, data: bytes | None) -> Seen:
    head = read_head(data) if data is not None else None
    if head is not None:
        found = pictures.Picture(head.width, head.height, head.media, 1, "RGB", 1)
    else:
        found = pictures.probe(stream)
        if not _has_end(stream, found.media):
            stream.seek(0)
            pictures.probe(stream, verify=True)
    notes = fitting.fit(sample, found)
    info = {"frames": found.frames} if found.frames > 1 else {}
    return Seen(found.media, found.width, found.height, None, sample.annotations, info, notes)


def _has_end(stream: BinaryIO, media: str) -> bool:
    ends = _ENDS.get(media)
    if ends is None:
        return False
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - _END_BYTES))
    last = stream.read(_END_BYTES)
    return any(end in last for end in ends)


def _preview(stream: BinaryIO) -> str:
    """The first characters, for lists."""
    head = stream.read(4 * PREVIEW)
    return head.decode(encodings.guess(head), "replace")[:PREVIEW].replace("\x00", "")
