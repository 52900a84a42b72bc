"""YOLO, written: `images/<split>/`, `labels/<split>/` and `data.yaml`, as Ultralytics and most others read it.

Options: `task`: `detect`, `segment`, `pose`, `obb`, or `auto` (each annotation as what it is; default, unless the
dataset's `annotation_type` says more).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tidemill.datasets.formats.base import Annotation, Label, Opener, Options, Sample, Target, Writer
from tidemill.datasets.formats.writing import Classes, Names, Tally, is_untouched, put_data, with_fields, with_size
from tidemill.datasets.notes import Note
from tidemill.geometry import measure, polygons, rle
from tidemill.geometry.outline import circle_ring

_TASKS = {"detection": "detect", "segmentation": "segment", "keypoints": "pose"}


class YoloWriter(Writer):
    """Numbers in shares of the picture's size, six digits."""

    name = "yolo"
    types = frozenset({"box", "polygon", "mask", "keypoints", "circle"})

    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,
        files: Opener | None = None,
    ) -> list[Note]:
        tally, names, classes = Tally(self.name), Names(), Classes(labels)
        task = str(options.get("task") or _TASKS.get(str(options.get("annotation_type"))) or "auto")
        lines = _Lines(classes, tally, task, dict(zip(classes.names(), labels, strict=False)))
        splits: dict[str, None] = {}
        for sample in with_size(with_fields(samples, self.fields, tally), tally):
            split = sample.split or "train"
            splits[split] = None
            name = names.take(f"{split}/{sample.path}")
            suffix = sample.path[len(sample.path.rpartition(".")[0]) :] if "." in sample.path else ""
            if not is_untouched(sample):
                target.add(f"labels/{name}.txt", "".join([lines.of(a, sample) for a in sample.annotations]).encode())
            put_data(target, f"images/{name}{suffix}", sample, files)
        target.add("data.yaml", _yaml(classes, splits, labels).encode())
        return tally.notes()


class _Lines:
    def __init__(self, classes: Classes, tally: Tally, task: str, labels: dict[str, Label]) -> None:
        self._classes, self._tally, self._task = classes, tally, task
        self._points = max((len(label.skeleton["points"]) for label in labels.values() if label.skeleton), default=0)

    def of(self, annotation: Annotation, sample: Sample) -> str:
        """The annotation's line, or lines; nothing where YOLO cannot say it."""
        width, height = sample.width or 1, sample.height or 1
        kind, task = annotation["type"], self._task
        if kind == "box" and (task in {"detect", "auto"} and not annotation.get("angle")):
            x, y, w, h = annotation["x"], annotation["y"], annotation["w"], annotation["h"]
            number = self._classes.place(annotation.get("label"))
            return f"{number} {(x + w / 2) / width:.6f} {(y + h / 2) / height:.6f} {w / width:.6f} {h / height:.6f}\n"
        if kind not in YoloWriter.types:
            self._tally.lost(annotation)
            return ""
        number = self._classes.place(annotation.get("label"))
        if kind == "keypoints" and task in {"pose", "auto"}:
            return f"{number} {_box(annotation, width, height)} {self._keypoints(annotation, width, height)}\n"
        if task == "detect" or kind == "keypoints" or (task == "pose" and kind != "box"):
            self._tally.reduced(annotation)
            return f"{number} {_box(annotation, width, height)}\n"
        if task == "pose":
            return f"{number} {_box(annotation, width, height)}{' 0' * 3 * self._points}\n"
        return "".join(f"{number} {_ring(ring, width, height)}\n" for ring in self._rings(annotation))

    def _rings(self, annotation: Annotation) -> list[list[float]]:
        match annotation["type"]:
            case "box":
                if self._task == "segment":
                    self._tally.outlined(annotation)
                return [measure.corners(annotation)]
            case "circle":
                self._tally.outlined(annotation)
                return [circle_ring(annotation)]
            case "mask":
                self._tally.outlined(annotation)
                height, width = annotation["size"]
                rings, holes = polygons.outlines(rle.decode(rle.check(annotation["rle"], height, width), height, width))
            case _:
                rings, holes = annotation["rings"], annotation.get("holes", [])
        if holes:
            self._tally.count("holes_not_carried", annotation["type"], "skipped")
        kept = [ring for place, ring in enumerate(rings) if place not in holes]
        if len(kept) > 1:
            self._tally.count("parts_made_objects", annotation["type"])
        return kept

    def _keypoints(self, annotation: Annotation, width: int, height: int) -> str:
        points = [f"{x / width:.6f} {y / height:.6f} {int(v)}" for x, y, v in annotation["points"]]
        return " ".join(points + ["0 0 0"] * (self._points - len(points)))


def _box(annotation: Annotation, width: int, height: int) -> str:
    x, y, w, h = measure.bounds(annotation) or (0, 0, 0, 0)
    return f"{(x + w / 2) / width:.6f} {(y + h / 2) / height:.6f} {w / width:.6f} {h / height:.6f}"


def _ring(ring: Sequence[float], width: int, height: int) -> str:
    return " ".join([f"{value / (height if place % 2 else width):.6f}" for place, value in enumerate(ring)])


def _yaml(classes: Classes, splits: dict[str, None], labels: Sequence[Label]) -> str:
    import yaml

    document: dict[str, Any] = {"path": "."}
    for split in ("train", "val", "test", *splits):
        if split in splits:
            document[split] = f"images/{split}"
    # Training tools insist on both.
    document.setdefault("train", document.get("val", "images/train"))
    document.setdefault("val", document["train"])
    skeletons = [label.skeleton for label in labels if label.skeleton]
    if skeletons:
        longest = max(skeletons, key=lambda skeleton: len(skeleton["points"]))
        count = len(longest["points"])
        order = list(range(count))
        for a, b in longest.get("flips", ()):
            order[a], order[b] = b, a
        document |= {"kpt_shape": [count, 3], "flip_idx": order, "kpt_names": {0: longest["points"]}}
        document["skeleton"] = longest.get("edges", [])
    document["names"] = dict(enumerate(classes.names()))
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
