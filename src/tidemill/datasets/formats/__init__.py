"""Formats of annotated data, one small file each, behind one interface of readers and writers (`base`).

    name, sureness = formats.recognise(source)[0]
    for found in formats.reader(name).read(source, options): ...          # Label, Sample or Note
    notes = formats.writer("coco").write(labels, samples, target, options, files)

Everything here is pure: no database, no server, and what takes long to load is loaded when it is used.
"""

from importlib import import_module

from tidemill.datasets.formats.base import Label, Options, Reader, Sample, Target, Writer
from tidemill.datasets.notes import Note, Refused
from tidemill.datasets.sources.base import Source

__all__ = [
    "READERS", "WRITERS", "Label", "Note", "Options", "Reader", "Refused", "Sample", "Source", "Target", "Writer",
    "reader", "recognise", "sample", "writer",
]  # fmt: skip

READERS: dict[str, str] = {
    "tidemill": "tidemill:TidemillReader",
    "coco": "coco:CocoReader",
    "labelme": "labelme:LabelMeReader",
    "voc": "voc:VocReader",
    "ocr": "ocr:OcrReader",
    "yolo": "yolo:YoloReader",
    "masks": "masks:MaskReader",
    "folders": "folders:FolderReader",
    "table": "tables:TableReader",
    "files": "folders:RawReader",
}
"""Where each reader is; of two that are as sure, the first is taken."""

WRITERS: dict[str, str] = {
    "tidemill": "tidemill:TidemillWriter",
    "coco": "coco_writing:CocoWriter",
    "voc": "voc_writing:VocWriter",
    "yolo": "yolo_writing:YoloWriter",
    "labelme": "labelme_writing:LabelMeWriter",
    "masks": "masks_writing:MaskWriter",
    "folders": "folders:FolderWriter",
    "csv": "tables_writing:CsvWriter",
    "audio-manifest": "tables_writing:ManifestWriter",
    "paddleocr": "ocr_writing:PaddleWriter",
    "icdar": "ocr_writing:IcdarWriter",
}

_READS = {"csv": "table", "audio-manifest": "table", "paddleocr": "ocr", "icdar": "ocr"}
"""Written formats whose reader has another name."""


def reader(name: str) -> Reader:
    """The reader of a format, also by the name it is written under. Raises KeyError."""
    found = _load(READERS[_READS.get(name, name)])
    assert issubclass(found, Reader)
    return found()


def writer(name: str) -> Writer:
    """The writer of a format. Raises KeyError."""
    found = _load(WRITERS[name])
    assert issubclass(found, Writer)
    return found()


def recognise(source: Source) -> list[tuple[str, float]]:
    """Formats the source may be of, the surest first; those it is not of are left out."""
    judged = [(name, reader(name).recognise(source)) for name in READERS]
    return sorted((pair for pair in judged if pair[1] > 0), key=lambda pair: -pair[1])


def sample(name: str) -> dict[str, bytes]:
    """A small set in a format, as files by path: what its user can download to see how it must look."""
    from tidemill.datasets.formats.samples import make

    return make(name)


def _load(place: str) -> type:
    module, _, name = place.partition(":")
    found: type = getattr(import_module(f"{__name__}.{module}"), name)
    return found
