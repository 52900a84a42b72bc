"""Which formats there are. Loaded when first asked for: some bring libraries with them."""

import io
from functools import cache

from tidemill.datasets.formats.base import Reader, Writer
from tidemill.datasets.formats.targets import ZipTarget
from tidemill.datasets.importing.schemas import FormatView
from tidemill.datasets.notes import Refused
from tidemill.datasets.sources.base import Source
from tidemill.kernel.i18n import Language


@cache
def readers() -> dict[str, Reader]:
    from tidemill.datasets.formats.coco import CocoReader
    from tidemill.datasets.formats.voc import VocReader
    from tidemill.datasets.formats.yolo import YoloReader

    return {reader.name: reader for reader in (CocoReader(), VocReader(), YoloReader())}


@cache
def writers() -> dict[str, Writer]:
    from tidemill.datasets.formats.coco_writing import CocoWriter
    from tidemill.datasets.formats.voc_writing import VocWriter

    return {writer.name: writer for writer in (CocoWriter(), VocWriter())}


def choose(source: Source, name: str | None) -> Reader:
    """The reader that was asked for, or the one that recognises the source most surely."""
    if name is not None:
        if name not in readers():
            raise Refused("format_unknown", format=name, allowed=", ".join(sorted(readers())))
        return readers()[name]
    scores = {name: reader.recognise(source) for name, reader in readers().items()}
    best = max(scores, key=lambda name: scores[name])
    if scores[best] <= 0:
        raise Refused("format_not_recognised")
    return readers()[best]


def views(language: Language) -> list[FormatView]:
    return []


def sample(name: str) -> bytes:
    out = io.BytesIO()
    with ZipTarget(out):
        pass
    return out.getvalue()
