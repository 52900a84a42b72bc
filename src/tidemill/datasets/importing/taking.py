"""One sample on its way in: its bytes read, known by their digest, looked at."""

import hashlib
import os
import tempfile
import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from tidemill.datasets.formats.base import Sample
from tidemill.datasets.importing.feeds import Feed, Known
from tidemill.datasets.importing.looking import Seen, look
from tidemill.datasets.media.pictures import Unreadable
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import why
from tidemill.datasets.works.office import SMALL_BYTES

_BLOCK_BYTES = 1 << 20


@dataclass(slots=True)
class Taken:
    """A sample ready to be sent."""

    item: dict[str, Any]
    """As the server takes it, without annotations."""
    annotations: list[dict[str, Any]]
    digest: str | None = None
    data: bytes | None = None
    file: Path | None = None
    """Where its bytes are, when they are many; removed once they were sent."""
    place: Path | None = None
    """Of content that is known by its digest and only read when it is missing."""
    notes: list[Note] = field(default_factory=list)

    @property
    def size_bytes(self) -> int:
        return len(self.data) if self.data is not None else 0


class Taker:
    """Takes samples in; by several threads at once where the source allows it."""

    def __init__(self, feed: Feed, scratch: Path, folder: str | None, *, data_type: str) -> None:
        self._source = feed.source
        self._scratch = scratch
        self._folder = f"{folder}/" if folder else ""
        self._data_type = data_type
        self._turn: AbstractContextManager[Any] = nullcontext() if feed.is_parallel else threading.Lock()

    def take(self, sample: Sample) -> Taken | Note:
        """The sample with its bytes; a note where it cannot be taken."""
        if isinstance(sample, Known):
            return self._known(sample)
        if sample.file is None:
            return Taken(self._item(sample, None), sample.annotations)
        try:
            data, file, digest, size = self._read(sample.file)
        except (OSError, KeyError) as error:
            return Note("file_unreadable", sample.path, params=why(error))
        try:
            seen = look(sample, data, file)
        except Unreadable as error:
            if file is not None:
                file.unlink(missing_ok=True)
            return Note(error.code, sample.path, params=error.params)
        item = self._item(sample, seen) | {"sha256": digest, "size_bytes": size}
        return Taken(item, seen.annotations, digest, data, file, notes=seen.notes)

    def _known(self, sample: Known) -> Taken:
        item = self._item(sample, None) | {"sha256": sample.sha256, "size_bytes": sample.size_bytes}
        item["media"] = sample.media
        place = sample.folder / sample.path
        return Taken(item, sample.annotations, sample.sha256, place=place)

    def _read(self, file: str | bytes) -> tuple[bytes | None, Path | None, str, int]:
        if isinstance(file, bytes):
            return file, None, hashlib.sha256(file).hexdigest(), len(file)
        with self._turn:
            entry = self._source.find(file)
            if entry is None:
                raise KeyError(file)
            if entry.size_bytes <= SMALL_BYTES:
                data = self._source.read(file)
                return data, None, hashlib.sha256(data).hexdigest(), len(data)
            return self._copy(file)

    def _copy(self, path: str) -> tuple[None, Path, str, int]:
        hasher, size = hashlib.sha256(), 0
        handle, name = tempfile.mkstemp(dir=self._scratch, prefix="large-")
        try:
            with os.fdopen(handle, "wb") as out, self._source.open(path) as stream:
                while block := stream.read(_BLOCK_BYTES):
                    hasher.update(block)
                    size += out.write(block)
        except BaseException:
            os.unlink(name)
            raise
        return None, Path(name), hasher.hexdigest(), size

    def _item(self, sample: Sample, seen: Seen | None) -> dict[str, Any]:
        info = dict(sample.info)
        if sample.split:
            info["split"] = sample.split
        item: dict[str, Any] = {"path": f"{self._folder}{sample.path}"}
        shown = seen or Seen(None, sample.width, sample.height, sample.duration, sample.annotations)
        if seen is not None:
            info |= seen.info
        beside = {
            "media": shown.media,
            "width": shown.width,
            "height": shown.height,
            "duration": shown.duration,
            "info": _small(info),
            "state": sample.state,
        }
        return item | {name: value for name, value in beside.items() if value}


def _small(info: dict[str, Any]) -> dict[str, Any]:
    """What is said of an item stays small: a long text is in the file itself."""
    found = {name: value for name, value in info.items() if value is not None}
    if len(found) <= 200 and len(orjson.dumps(found, default=str)) < 32_000:
        return found
    return {name: value for name, value in list(found.items())[:200] if len(orjson.dumps(value, default=str)) < 150}
