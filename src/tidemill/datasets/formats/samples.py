"""A small set in every format, made by the formats' own writers."""

import io
from typing import BinaryIO

from tidemill.datasets.formats.base import Annotation, Label, Sample
from tidemill.datasets.formats.targets import MemoryTarget

_SIZE = (320, 240)
_PICTURES = {"harbour.png": ("#3a6ea5", "#e0b040"), "meadow.png": ("#5a8f4a", "#b04040")}


def make(name: str) -> dict[str, bytes]:
    """The files of a set. Raises KeyError for a format that has none."""
    from tidemill.datasets.formats import writer

    if name in {"csv", "table"}:
        return dict(_TABLES)
    if name == "files":
        return {path: _picture(*colours) for path, colours in _PICTURES.items()}
    name = {"ocr": "paddleocr"}.get(name, name)
    labels, samples = _content(name)
    target = MemoryTarget()
    contents = {s.path: s.file for s in samples if isinstance(s.file, bytes)}

    def opened(sample: Sample) -> BinaryIO:
        return io.BytesIO(contents[sample.path])

    options = {"about": {"data_type": "image", "annotation_type": "detection"}} if name == "tidemill" else {}
    writer(name).write(labels, samples, target, options, opened)
    return target.files


def _content(name: str) -> tuple[list[Label], list[Sample]]:
    if name == "audio-manifest":
        segment = {"id": "1", "type": "segment", "start": 0.0, "end": 0.5, "text": "hello", "label": "greeting"}
        return [Label("greeting")], [Sample("hello.wav", _sound(), [segment], duration=0.5)]
    labels = [Label("boat", colour="#e6194b"), Label("buoy", colour="#3cb44b")]
    samples = []
    for number, (path, colours) in enumerate(_PICTURES.items()):
        split = ("train", "val")[number]
        annotations = _annotations(name, number)
        samples.append(Sample(path, _picture(*colours), annotations, *_SIZE, split=split, state="labelled"))
    if name in {"paddleocr", "icdar"}:
        labels = [Label("text")]
    return labels, samples


def _annotations(name: str, number: int) -> list[Annotation]:
    if name == "folders":
        return [{"id": "1", "type": "class", "label": ("boat", "buoy")[number]}]
    box = {"id": "1", "type": "box", "x": 40, "y": 60, "w": 120, "h": 80}
    if name in {"paddleocr", "icdar"}:
        return [box | {"label": "text", "text": ("Tidemill", "潮汐磨坊")[number], "order": 1}]
    ring = [200.0, 60.0, 280.0, 80.0, 270.0, 150.0, 210.0, 140.0]
    outline = {"id": "2", "type": "polygon", "label": "buoy", "rings": [ring]}
    return [box | {"label": "boat"}, outline]


def _picture(back: str, front: str) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", _SIZE, back)
    draw = ImageDraw.Draw(image)
    draw.rectangle((40, 60, 160, 140), fill=front)
    draw.polygon([(200, 60), (280, 80), (270, 150), (210, 140)], fill="white")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _sound() -> bytes:
    import math
    import struct
    import wave

    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        tone = [round(8000 * math.sin(2 * math.pi * 440 * place / 8000)) for place in range(4000)]
        sound.writeframes(struct.pack(f"<{len(tone)}h", *tone))
    return out.getvalue()


_TABLES = {
    "reviews.csv": (
        "label,text\ngood,The food came hot and on time.\nbad,Two hours late and cold.\ngood,味道很好，分量也足。\n"
    ).encode(),
    "README.md": (
        b"A table is read by its columns: `text` and `label` for texts; `file` and `label` for pictures or sounds\n"
        b"that lie beside the table; anything else is a table of rows. CSV, TSV, JSON and JSON lines are read, in\n"
        b"UTF-8, GB18030 or UTF-16.\n"
    ),
}
