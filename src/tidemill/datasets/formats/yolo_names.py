"""What YOLO's class numbers mean: `data.yaml`, `obj.names`, `classes.txt`, or nothing."""

from collections.abc import Iterator
from typing import Any

from tidemill.datasets.formats import yaml_text
from tidemill.datasets.formats.base import BROKEN, Label
from tidemill.datasets.formats.coco_rows import flips
from tidemill.datasets.formats.finding import Files, stem_of
from tidemill.datasets.media import encodings
from tidemill.datasets.reasons import Malformed
from tidemill.datasets.sources.base import Source

_MAX_BYTES = 1 << 20
_LISTS = ("classes.txt", "obj.names", "labels.txt", "class.names", "names.txt", "_darknet.labels")


class Naming:
    """Class numbers to names; numbers nobody named are their own names."""

    def __init__(
        self, names: dict[int, str], keypoints: tuple[int, int] | None, skeleton: dict[str, Any] | None
    ) -> None:
        self._names = names
        self._new: list[Label] = []
        self.keypoints = keypoints
        self._skeleton = skeleton

    def labels(self) -> list[Label]:
        return [Label(name, skeleton=self._skeleton) for name in self._names.values()]

    def name(self, number: int) -> str:
        if number < 0:
            raise Malformed("class_number_negative")
        found = self._names.get(number)
        if found is None:
            found = self._names[number] = str(number)
            self._new.append(Label(found, skeleton=self._skeleton))
        return found

    def new_labels(self) -> Iterator[Label]:
        """Labels that were met since the last time."""
        while self._new:
            yield self._new.pop(0)


def find_naming(source: Source, files: Files, label_root: str) -> Naming:
    """The names that go with a folder of labels: of several yaml files the one whose name is most like the folder's."""
    yamls = sorted(files.of([".yaml", ".yml"]), key=lambda path: (-_alike(stem_of(path), label_root), path.count("/")))
    for path in yamls:
        if found := _from_yaml(source, path):
            return found
    for path in files:
        name = path.rpartition("/")[2].lower()
        if name in _LISTS or name.endswith(".names"):
            lines = encodings.decode(_read(source, path)).text.splitlines()
            return Naming({number: line.strip() for number, line in enumerate(lines) if line.strip()}, None, None)
    return Naming({}, None, None)


def _from_yaml(source: Source, path: str) -> Naming | None:
    try:
        data = yaml_text.load(encodings.decode(_read(source, path)).text)
        if not isinstance(data, dict) or "names" not in data:
            return None
        listed = data["names"]
        pairs = listed.items() if isinstance(listed, dict) else enumerate(listed)
        names = {int(number): str(name) for number, name in pairs}
        return Naming(names, *_keypoints(data))
    except BROKEN:
        return None


def _keypoints(data: dict[str, Any]) -> tuple[tuple[int, int] | None, dict[str, Any] | None]:
    shape = data.get("kpt_shape")
    if not shape:
        return None, None
    count, per_point = int(shape[0]), int(shape[1])
    if not 0 < count <= 10_000 or per_point not in {2, 3}:
        return None, None
    named = data.get("kpt_names") or data.get("keypoints")
    if isinstance(named, dict):
        named = next(iter(named.values()), None)
    names = [str(name) for name in named] if isinstance(named, list) and len(named) == count else []
    names = names or [str(number) for number in range(1, count + 1)]
    swapped = data.get("flip_idx") or []
    pairs = [[i, int(j)] for i, j in enumerate(swapped) if i < int(j) < count] or flips(names)
    edges = [[int(a), int(b)] for a, b in data.get("skeleton") or [] if int(a) < count and int(b) < count]
    return (count, per_point), {"points": names, "edges": edges, "flips": pairs}


def _alike(stem: str, root: str) -> int:
    """Words they share: `data-detect` and `labels-detect`."""
    words = set(stem.lower().replace("_", "-").split("-"))
    return len(words & set(root.lower().replace("_", "-").split("-")))


def _read(source: Source, path: str) -> bytes:
    try:
        return source.read(path, _MAX_BYTES)
    except OSError:
        return b""
