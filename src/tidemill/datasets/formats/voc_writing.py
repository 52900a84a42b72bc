"""Pascal VOC, written: `Annotations/`, `JPEGImages/` and `ImageSets/Main/` with a list a split.

Boxes, and the boxes around everything else that has a place. Turned boxes get a `robndbox` beside their box, polygons
of one ring a `polygon`, as other tools write them; readers that do not know these see the box.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape

from tidemill.datasets.formats.base import Annotation, Label, Opener, Options, Sample, Target, Writer
from tidemill.datasets.formats.writing import PLACES, Names, Tally, put_data, with_fields
from tidemill.datasets.notes import Note
from tidemill.geometry import measure


class VocWriter(Writer):
    """Plain strings: an XML library takes several times as long for the same."""

    name = "voc"
    types = frozenset({"box", "polygon", "mask", "keypoints", "circle", "polyline"})
    fields = frozenset({"attributes", "truncated", "difficult", "occluded"})

    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,  # noqa: ARG002 — it has none
        files: Opener | None = None,
    ) -> list[Note]:
        tally, names = Tally(self.name), Names()
        lists: dict[str, list[str]] = {}
        escaped = _Escaped()
        for sample in with_fields(samples, self.fields, tally):
            name = names.take(sample.path)
            suffix = sample.path[len(sample.path.rpartition(".")[0]) :] if "." in sample.path else ""
            picture = f"{name}{suffix}"
            target.add(f"Annotations/{name}.xml", _document(sample, picture, tally, escaped).encode())
            put_data(target, f"JPEGImages/{picture}", sample, files)
            lists.setdefault(sample.split or "trainval", []).append(name)
        for split, listed in lists.items():
            target.add(f"ImageSets/Main/{split}.txt", "".join(f"{name}\n" for name in listed).encode())
        target.add("labels.txt", "".join(f"{label.name}\n" for label in labels).encode())
        return tally.notes()


class _Escaped(dict[str, str]):
    """Label names as they stand in XML; there are few, and each comes thousands of times."""

    def __missing__(self, name: str) -> str:
        self[name] = escape(name)
        return self[name]


def _document(sample: Sample, picture: str, tally: Tally, escaped: _Escaped) -> str:
    folder, _, name = picture.rpartition("/")
    objects = "".join([_object(annotation, tally, escaped) for annotation in sample.annotations])
    return (
        f"<annotation>\n\t<folder>{escape(folder) or 'JPEGImages'}</folder>\n\t<filename>{escape(name)}</filename>\n"
        f"\t<size>\n\t\t<width>{sample.width or 0}</width>\n\t\t<height>{sample.height or 0}</height>\n"
        f"\t\t<depth>3</depth>\n\t</size>\n\t<segmented>0</segmented>\n{objects}</annotation>\n"
    )


def _object(annotation: Annotation, tally: Tally, escaped: _Escaped) -> str:
    kind = annotation["type"]
    if kind == "box" and "angle" not in annotation:
        x, y, w, h = annotation["x"], annotation["y"], annotation["w"], annotation["h"]
    else:
        bounds = measure.bounds(annotation) if kind in PLACES and kind != "point" else None
        if bounds is None:
            tally.lost(annotation)
            return ""
        x, y, w, h = bounds
    more = "" if kind == "box" and "angle" not in annotation else _more_place(annotation, tally)
    if annotation.get("attributes"):
        more += _attributes(annotation["attributes"])
    return (
        f"\t<object>\n\t\t<name>{escaped[str(annotation.get('label'))]}</name>\n\t\t<pose>Unspecified</pose>\n"
        f"\t\t<truncated>{1 if annotation.get('truncated') else 0}</truncated>\n"
        f"\t\t<difficult>{1 if annotation.get('difficult') else 0}</difficult>\n"
        f"\t\t<occluded>{1 if annotation.get('occluded') else 0}</occluded>\n"
        f"\t\t<bndbox>\n\t\t\t<xmin>{x:.10g}</xmin>\n\t\t\t<ymin>{y:.10g}</ymin>\n\t\t\t<xmax>{x + w:.10g}</xmax>\n"
        f"\t\t\t<ymax>{y + h:.10g}</ymax>\n\t\t</bndbox>\n{more}\t</object>\n"
    )


def _more_place(annotation: Annotation, tally: Tally) -> str:
    if annotation["type"] == "box":
        cx, cy = annotation["x"] + annotation["w"] / 2, annotation["y"] + annotation["h"] / 2
        angle = math.radians(annotation["angle"])
        values = {"cx": cx, "cy": cy, "w": annotation["w"], "h": annotation["h"], "angle": angle}
        inner = "".join(f"<{name}>{value:.12g}</{name}>" for name, value in values.items())
        return f"\t\t<robndbox>{inner}</robndbox>\n"
    if annotation["type"] == "polygon" and len(annotation["rings"]) == 1:
        ring = annotation["rings"][0]
        points = "".join(
            f"<x{i}>{x:.10g}</x{i}><y{i}>{y:.10g}</y{i}>"
            for i, (x, y) in enumerate(zip(ring[0::2], ring[1::2], strict=True), 1)
        )
        return f"\t\t<polygon>{points}</polygon>\n"
    tally.reduced(annotation)
    return ""


def _attributes(attributes: dict[str, Any]) -> str:
    rows = "".join(
        f"<attribute><name>{escape(str(name))}</name><value>{escape(str(value))}</value></attribute>"
        for name, value in attributes.items()
    )
    return f"\t\t<attributes>{rows}</attributes>\n"
