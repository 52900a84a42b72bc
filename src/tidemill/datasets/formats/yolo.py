"""YOLO: one text file a picture, in shares of its size: boxes, outlines, keypoints, turned boxes.

With `data.yaml`, `obj.names`, `classes.txt` or nothing that names the classes; labels beside the pictures or in a
folder of their own. Options: `labels`, the folder of the label files where there are several (`labels-detect`); `task`
(`detect`, `segment`, `pose`, `obb`) where four corners could mean either.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tidemill.datasets.formats.base import BROKEN, Annotation, Label, Options, Reader, Sample
from tidemill.datasets.formats.finding import PICTURES, Files, folder_of, split_of, stem_of, suffix_of
from tidemill.datasets.formats.yolo_names import Naming, find_naming
from tidemill.datasets.media import pictures
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.sources.base import Source
from tidemill.geometry.measure import box_of_corners

_LOOKED_AT = 30
_MAX_BYTES = 16 << 20
_TASKS = {"detection": "detect", "segmentation": "segment", "keypoints": "pose"}


class YoloReader(Reader):
    """Label files are text files of which every line is a whole number and then at least four numbers."""

    name = "yolo"

    def recognise(self, source: Source) -> float:
        files = Files(source)
        stems = {stem_of(path) for path in files if suffix_of(path) in PICTURES}
        texts = files.of([".txt"])
        looked = [path for path in texts if stem_of(path) in stems][:_LOOKED_AT]
        if not looked:
            return 0.0
        read = [(path, _text(source, path)) for path in looked]
        good = sum(_is_label_file(text) for _, text in read)
        # An empty one among those for labels says that there is nothing in its picture.
        empty = sum(not text.strip() and _root_of(path) != "" for path, text in read)
        is_named = good > 0 or (empty > 0 and bool(find_naming(source, files, "").labels()))
        return 0.9 * (good + (empty if is_named else 0)) / len(looked)

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:
        files = Files(source)
        roots = _roots(source, files, options)
        if len(roots.all) > 1:
            params = {"chosen": roots.chosen, "all": ", ".join(sorted(roots.all))}
            yield Note("yolo_several_label_folders", level="info", params=params)
        naming = find_naming(source, files, roots.chosen)
        yield from naming.labels()
        task = options.get("task") or _TASKS.get(str(options.get("annotation_type"))) or roots.guessed_task()
        rows = _Rows(naming, task)
        for path in files.of(PICTURES):
            if "masks" in path.split("/")[0] or "panoptic" in path:
                continue
            label_file = roots.find(path)
            if label_file is None:
                yield Sample(path, path, split=split_of(path))
            else:
                yield from _read_one(source, path, label_file, rows)
        for path in roots.unused():
            yield Note("label_file_without_picture", path)


def _read_one(source: Source, path: str, label_file: str, rows: "_Rows") -> Iterator[Label | Sample | Note]:
    try:
        text = _text(source, label_file)
        with source.open(path) as file:
            width, height = pictures.size(file)
    except OSError as error:
        yield Note("file_unreadable", label_file, params=why(error))
        return
    except pictures.Unreadable as unreadable:
        yield Note(unreadable.code, path, params=unreadable.params)
        return
    sample = Sample(path, path, [], width, height, split=split_of(path), state="labelled")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            annotation = rows.annotation(line, width, height)
        except BROKEN as error:
            yield Note("row_broken", label_file, number, params=why(error))
            continue
        annotation["id"] = str(number)
        yield from rows.naming.new_labels()
        sample.annotations.append(annotation)
    yield sample


class _Rows:
    """Lines into annotations."""

    def __init__(self, naming: Naming, task: str | None) -> None:
        self.naming, self._task = naming, task

    def annotation(self, line: str, width: int, height: int) -> Annotation:
        first, *rest = line.split()
        values = [float(value) for value in rest]
        if len(values) < 4 or not all(map(math.isfinite, values)):
            raise Malformed("too_few_numbers")
        found = self._place(values, width, height)
        found["label"] = self.naming.name(int(float(first)))
        return found

    def _place(self, values: list[float], width: int, height: int) -> Annotation:
        points = self._points(values)
        if points is not None and not any(seen for *_, seen in points):
            # An object of a pose file that has no points.
            return {"type": "box", **_box(values, width, height)}
        if points is not None:
            return {"type": "keypoints", **_box(values, width, height), "points": _scaled_points(points, width, height)}
        if len(values) == 4:
            return {"type": "box", **_box(values, width, height)}
        if len(values) == 5:
            return {"type": "box", **_box(values, width, height), "score": min(max(values[4], 0.0), 1.0)}
        if len(values) % 2:
            raise Malformed("no_box_or_outline")
        ring = [value * (height if place % 2 else width) for place, value in enumerate(values)]
        if len(values) == 8 and self._task in {"obb", "detect"}:
            return {"type": "box", **box_of_corners(ring)}
        if self._task == "detect":
            xs, ys = ring[0::2], ring[1::2]
            return {"type": "box", "x": min(xs), "y": min(ys), "w": max(xs) - min(xs), "h": max(ys) - min(ys)}
        return {"type": "polygon", "rings": [ring]}

    def _points(self, values: list[float]) -> list[tuple[float, float, int]] | None:
        """Keypoints, where `kpt_shape` says so or the numbers can mean nothing else."""
        count, per_point = self.naming.keypoints or (0, 0)
        rest = values[4:]
        if count and len(rest) == count * per_point:
            return _in_steps(rest, per_point)
        # Outlines have an even number of values; an odd rest in threes that end in 0, 1 or 2 is a pose.
        if not count and len(rest) >= 3 and len(rest) % 3 == 0 and (len(values) % 2 or self._task == "pose"):
            found = _in_steps(rest, 3)
            return found if set(rest[2::3]) <= {0.0, 1.0, 2.0} else None
        return None


def _in_steps(values: list[float], per_point: int) -> list[tuple[float, float, int]]:
    steps = range(0, len(values), per_point)
    seen = [int(values[i + 2]) if per_point == 3 else 2 * bool(values[i] or values[i + 1]) for i in steps]
    return [(values[i], values[i + 1], min(max(v, 0), 2)) for i, v in zip(steps, seen, strict=True)]


def _scaled_points(points: list[tuple[float, float, int]], width: int, height: int) -> list[list[float]]:
    return [[x * width, y * height, v] if v else [0, 0, 0] for x, y, v in points]


def _box(values: list[float], width: int, height: int) -> dict[str, Any]:
    cx, cy, w, h = values[0] * width, values[1] * height, values[2] * width, values[3] * height
    if not (w > 0 and h > 0):
        raise Malformed("box_empty")
    return {"x": cx - w / 2, "y": cy - h / 2, "w": w, "h": h}


class _Roots:
    """Label files by the folder tree they are in."""

    def __init__(self, files: Files, labels: dict[str, tuple[str, int]], chosen: str) -> None:
        self._files = files
        self.all = {root for root, _ in labels.values()}
        self.chosen = chosen
        self._columns = Counter(columns for root, columns in labels.values() if root == chosen and columns)
        self._by_stem: dict[str, list[str]] = {}
        self._left = {path for path, (root, _) in labels.items() if root == chosen}
        for path in self._left:
            self._by_stem.setdefault(stem_of(path), []).append(path)

    def find(self, picture: str) -> str | None:
        """The label file of a picture: the one whose folders are most like the picture's."""
        choices = self._by_stem.get(stem_of(picture))
        if not choices:
            return None
        wanted = folder_of(picture).split("/")
        best = max(choices, key=lambda path: _alike(folder_of(path).split("/"), wanted))
        split = split_of(best)
        if split and split_of(picture) and split != split_of(picture):
            return None
        self._left.discard(best)
        return best

    def guessed_task(self) -> str | None:
        """Files with four corners in every line are of turned boxes."""
        return "obb" if self._columns and set(self._columns) == {9} else None

    def unused(self) -> list[str]:
        return sorted(self._left)


def _alike(a: list[str], b: list[str]) -> int:
    """Parts that are the same from the end, then from the start."""
    tail = 0
    while tail < min(len(a), len(b)) and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    return tail * 2 + head


def _roots(source: Source, files: Files, options: Options) -> _Roots:
    labels: dict[str, tuple[str, int]] = {}
    for path in files.of([".txt"]):
        text = _text(source, path)
        if _is_label_file(text) or (not text.strip() and _root_of(path) != ""):
            labels[path] = (_root_of(path), len(text.partition("\n")[0].split()))
    roots = Counter(root for root, _ in labels.values())
    return _Roots(files, labels, _choose(roots, labels, options))


def _choose(roots: Counter[str], labels: dict[str, tuple[str, int]], options: Options) -> str:
    asked = str(options.get("labels") or "").strip("/")
    if asked in roots:
        return asked
    wide = {root for root, columns in labels.values() if columns > 5}
    kind = options.get("annotation_type")
    fitting = (
        [r for r in roots if (r in wide) == (kind != "detection")] if kind in {"detection", "segmentation"} else []
    )
    return max(fitting or roots, key=lambda root: (root == "labels", roots[root], root), default="")


def _root_of(path: str) -> str:
    """The folder that is there for labels (`labels-detect`, `Annotations`); empty where they lie elsewhere."""
    for part in path.split("/")[:-1]:
        if part.lower().startswith(("label", "annotation", "txt")):
            return part
    return ""


def _is_label_file(text: str) -> bool:
    rows = [line.split() for line in text.splitlines()[:20] if line.strip()]
    return bool(rows) and all(len(row) >= 5 and _is_row(row) for row in rows)


def _is_row(row: list[str]) -> bool:
    try:
        values = [float(value) for value in row]
    except ValueError:
        return False
    return values[0] == int(values[0]) >= 0 and all(-0.5 <= value <= 2 for value in values[1:5])


def _text(source: Source, path: str) -> str:
    try:
        return source.read(path, _MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return ""
