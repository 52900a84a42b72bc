"""COCO: instances, keypoints, crowds, in one JSON file or several over the same pictures.

Options: `files`, the JSON files to read (default: all that look like it). Rows of several files with the same id on the
same picture are one object. Captions and panoptic segments are counted in a note.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tidemill.datasets.formats import coco_rows, json_stream
from tidemill.datasets.formats.base import BROKEN, Annotation, Label, Options, Reader, Sample
from tidemill.datasets.formats.finding import PICTURES, Files, folder_of, split_named, split_of, stem_of
from tidemill.datasets.formats.spill import Spill
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import why
from tidemill.datasets.sources.base import Source

_HEAD_BYTES = 1 << 16
_LOOKED_AT = 40
_VAGUE_PARENTS = {"", "none", "thing", "things", "stuff", "object", "objects", "root", "default"}


class CocoReader(Reader):
    """Two passes: rows are put aside by picture, then the pictures are gone through."""

    name = "coco"

    def recognise(self, source: Source) -> float:
        looked = [e.path for e in source.entries() if e.path.lower().endswith(".json")][:_LOOKED_AT]
        found = _coco_files(source, looked)
        if not found or all("panoptic" in path for path in found):
            return 0.3 if found else 0.0
        # Among many other JSON files it is not what the set is about.
        return 0.95 if len(found) >= len(looked) / 4 else 0.6

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:
        files = Files(source)
        chosen = options.get("files") or _coco_files(source, files.of([".json"]))
        reading = _Reading(source, files, options.get("annotation_type"))
        try:
            for number, path in enumerate(chosen):
                yield from reading.put_aside(number, path)
            yield from reading.labels()
            yield from reading.samples()
        finally:
            reading.spill.close()


def _coco_files(source: Source, paths: list[str]) -> list[str]:
    found = []
    for path in paths:
        try:
            head = source.read(path, _HEAD_BYTES)
        except OSError:
            continue
        pictures = b'"images"' in head and (b'"file_name"' in head or b'"annotations"' in head)
        rows = b'"annotations"' in head and b'"image_id"' in head
        if pictures or rows or (b'"categories"' in head and b'"supercategory"' in head):
            found.append(path)
    return found


class _Reading:
    def __init__(self, source: Source, files: Files, wanted: str | None) -> None:
        self.source, self.files, self.wanted = source, files, wanted
        self.spill = Spill()
        self._pictures: dict[str, _Picture] = {}
        self._categories: list[dict[Any, str]] = []
        self._labels: dict[str, Label] = {}
        self._points: Counter[tuple[int, Any]] = Counter()

    def put_aside(self, number: int, path: str) -> Iterator[Note]:
        """One JSON file: its pictures and categories are kept, its rows put aside."""
        self._categories.append({})
        odd: Counter[str] = Counter()
        split = split_named(stem_of(path)) or split_of(path)
        categories: list[Any] = []
        try:
            with self.source.open(path) as file:
                for key, found in json_stream.blocks(file):
                    if key == "annotations":
                        self.spill.add(self._keyed(number, found, odd))
                    elif key == "images":
                        for picture in found:
                            self._put_picture(number, picture, folder_of(path), split, odd)
                    elif key == "categories":
                        categories += found
        except json_stream.Damaged as damaged:
            yield Note("json_damaged", path, params={"offset": damaged.offset})
        except OSError as error:
            yield Note("file_unreadable", path, params=why(error))
        self._put_categories(number, categories, odd)
        for code, count in odd.items():
            yield Note(code, path, params={"count": count})

    def _keyed(self, number: int, rows: list[Any], odd: Counter[str]) -> Iterator[tuple[Any, Any]]:
        """The rows under the picture they belong to, less those that are not ours to read."""
        only_boxes = self.wanted == "detection"
        for row in rows:
            try:
                if "caption" in row:
                    odd["coco_captions_ignored"] += 1
                    continue
                if "segments_info" in row:
                    odd["coco_panoptic_ignored"] += 1
                    continue
                if only_boxes and row.get("bbox"):
                    row.pop("segmentation", None)
                elif points := row.get("keypoints"):
                    kind = number, row["category_id"]
                    self._points[kind] = max(self._points[kind], len(points) // 3)
                key = number, row["image_id"]
                hash(key)
            except BROKEN:
                odd["coco_rows_broken"] += 1
                continue
            yield key, row

    def _put_picture(self, number: int, row: Any, near: str, split: str | None, odd: Counter[str]) -> None:
        try:
            name = row["file_name"]
            found = self.files.find(name, near, PICTURES, split)
            path = found or _path_like(name)
            picture = self._pictures.get(path)
            if picture is None:
                width, height = _side(row.get("width")), _side(row.get("height"))
                picture = self._pictures[path] = _Picture(found, width, height, split or split_of(path))
            picture.ids.append((number, row["id"]))
        except BROKEN:
            odd["coco_pictures_broken"] += 1

    def _put_categories(self, number: int, rows: list[Any], odd: Counter[str]) -> None:
        parents = {str(row.get("supercategory")) for row in rows if isinstance(row, dict)} - _VAGUE_PARENTS
        for row in rows:
            try:
                name = str(row["name"])
                self._categories[number][row["id"]] = name
                label = self._labels.setdefault(name, Label(name))
                parent = row.get("supercategory")
                if (
                    len(parents) > 1
                    and isinstance(parent, str)
                    and parent.lower() not in {*_VAGUE_PARENTS, name.lower()}
                ):
                    label.parent = parent
                points = self._points[number, row["id"]]
                if label.skeleton is None and (points or row.get("keypoints")):
                    label.skeleton = coco_rows.skeleton(row, points)
            except BROKEN:
                odd["coco_categories_broken"] += 1

    def labels(self) -> Iterator[Label]:
        names = set(self._labels)
        for parent in dict.fromkeys(label.parent for label in self._labels.values() if label.parent):
            if parent not in names:
                yield Label(parent)
        yield from self._labels.values()

    def samples(self) -> Iterator[Sample | Note]:
        referenced = set()
        for path, picture in self._pictures.items():
            notes: list[Note] = []
            annotations = self._annotations(path, picture, notes)
            yield from notes
            referenced.add(path)
            yield Sample(path, picture.file, annotations, picture.width, picture.height, split=picture.split)
        if self.spill.left():
            yield Note("coco_rows_without_picture", params={"count": self.spill.left()})
        for path in self.files.of(PICTURES):
            if path not in referenced and "panoptic" not in path:
                yield Sample(path, path, split=split_of(path))

    def _annotations(self, path: str, picture: "_Picture", notes: list[Note]) -> list[Annotation]:
        found: list[Annotation] = []
        if len(picture.ids) == 1:
            number = picture.ids[0][0]
            for row in self.spill.take(picture.ids[0]):
                self._convert(number, row, path, found, notes)
            return found
        for number, row in self._merged(picture):
            self._convert(number, row, path, found, notes)
        return found

    def _merged(self, picture: "_Picture") -> list[tuple[int, dict[str, Any]]]:
        """Rows of several files: the same object in two of them is one, with what either says of it."""
        merged: dict[Any, tuple[int, dict[str, Any]]] = {}
        for key in picture.ids:
            for place, row in enumerate(self.spill.take(key)):
                name = self._categories[key[0]].get(row.get("category_id"))
                same = (row["id"], name) if isinstance(row.get("id"), (int, str)) else (key, place)
                known = merged.get(same)
                if known is None or known[0] == key[0]:
                    merged[same if known is None else (key, place)] = (key[0], row)
                else:
                    merged[same] = (known[0], row | known[1])
        return list(merged.values())

    def _convert(self, number: int, row: Any, path: str, found: list[Annotation], notes: list[Note]) -> None:
        try:
            name = self._categories[number].get(row["category_id"])
            if name is None:
                notes.append(Note("coco_category_unknown", path, params={"category": row["category_id"]}))
                return
            found += coco_rows.annotations(row, name, self.wanted)
        except BROKEN as error:
            identity = row.get("id") if isinstance(row, dict) else None
            notes.append(Note("annotation_broken", path, params={"id": identity, **why(error)}))


class _Picture:
    __slots__ = ("file", "height", "ids", "split", "width")

    def __init__(self, file: str | None, width: int | None, height: int | None, split: str | None) -> None:
        self.file, self.width, self.height, self.split = file, width, height, split
        self.ids: list[tuple[int, Any]] = []


def _side(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and 0 < value < 1 << 20 else None


def _path_like(name: str) -> str:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."}]
    return "/".join(parts)
