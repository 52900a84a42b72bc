"""Class folders: pictures, sounds or texts in a folder named after their class, perhaps below `train` and `test`.

Options: `pattern`, a regular expression on file names whose group `label` (or first group) is the class, for sets that
name it there (`^([0-9])_`); then folders say nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from tidemill.datasets.formats.base import Label, Opener, Options, Reader, Sample, Target, Writer
from tidemill.datasets.formats.finding import FILMS, MEDIA, PICTURES, SOUNDS, Files, split_of, suffix_of
from tidemill.datasets.formats.writing import Tally, put_data
from tidemill.datasets.notes import Note
from tidemill.datasets.sources.base import Source

_TEXTS = frozenset({".txt"})
_LISTS = {"classes.txt", "labels.txt", "class.txt"}
_GENERIC = {
    "images", "image", "img", "imgs", "jpegimages", "pictures", "photos", "data", "dataset", "files", "raw", "audio",
    "recordings", "wav", "wavs", "videos", "video", "frames", "masks", "labels", "annotations", "img1", "clips",
    "box", "key",
}  # fmt: skip
_SPLITS = {"train", "training", "trainval", "val", "valid", "validation", "dev", "test", "testing", "eval"}


class FolderReader(Reader):
    """The first folder that is neither common to all files nor a split is the class."""

    name = "folders"

    def recognise(self, source: Source) -> float:
        files = Files(source)
        items = _items(files)
        common = _common(items)
        classes = {found for path in items if (found := _class_of(path, common))}
        if not items or not classes:
            return 0.0
        inside = sum(1 for path in items if _class_of(path, common)) / len(items)
        specific = sum(name.lower() not in _GENERIC for name in classes) / len(classes)
        # Files beside them that may hold annotations, and one class alone, speak for another format.
        others = len(files.of([".json", ".jsonl", ".xml", ".csv", ".tsv"])) > 0 and items[0].lower().endswith(
            tuple(MEDIA)
        )
        return 0.8 * inside * specific * (0.6 if others else 1.0) * (0.4 if len(classes) == 1 else 1.0)

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:
        files = Files(source)
        items = _items(files)
        common = _common(items)
        pattern = _pattern(options)
        seen: set[str] = set()
        for path in items:
            name = _by_pattern(path, pattern) if pattern else _class_of(path, common)
            sample = Sample(path, path, split=split_of(path))
            if name:
                if name not in seen:
                    seen.add(name)
                    yield Label(name)
                sample.annotations.append({"id": "1", "type": "class", "label": name})
            yield sample


def _pattern(options: Options) -> re.Pattern[str] | None:
    text = options.get("pattern")
    try:
        found = re.compile(str(text)) if text else None
    except re.error:
        return None
    return found if found and found.groups else None


def _by_pattern(path: str, pattern: re.Pattern[str]) -> str | None:
    found = pattern.search(path.rpartition("/")[2][:500])
    if not found:
        return None
    return found["label"] if "label" in pattern.groupindex else found[1]


def _items(files: Files) -> list[str]:
    """Files of the most common kind: pictures, sounds, films; texts only where there is nothing else."""
    kinds = [files.of(kind) for kind in (PICTURES, SOUNDS, FILMS)]
    return max(kinds, key=len) or [path for path in files.of(_TEXTS) if path.rpartition("/")[2] not in _LISTS]


def _common(paths: list[str]) -> list[str]:
    """Folders all paths begin with; those that say something of the class only when there are others beside them."""
    if not paths:
        return []
    first, last = min(paths).split("/")[:-1], max(paths).split("/")[:-1]
    common = []
    for a, b in zip(first, last, strict=False):
        if a != b:
            break
        common.append(a)
    return common


def _class_of(path: str, common: list[str]) -> str | None:
    parts = path.split("/")[len(common) : -1]
    if parts and re.sub(r"[-_]?\d+$", "", parts[0].lower()) in _SPLITS:
        parts = parts[1:]
    return parts[0] if parts and parts[0] != "_unlabelled" else None


class FolderWriter(Writer):
    """`<split>/<class>/<file>`; items with several classes are in each, items with none in `_unlabelled`.

    Without the data, `list.csv` says which file is where.
    """

    name = "folders"
    types = frozenset({"class"})

    def write(
        self,
        labels: Sequence[Label],
        samples: Iterable[Sample],
        target: Target,
        options: Options,  # noqa: ARG002 — it has none
        files: Opener | None = None,
    ) -> list[Note]:
        tally = Tally(self.name)
        taken: set[str] = set()
        target.add("classes.txt", "".join(f"{label.name}\n" for label in labels).encode())
        listing = target.open("list.csv") if files is None else None
        if listing is not None:
            listing.write(b"file,label\n")
        for sample in samples:
            names = [str(a["label"]) for a in sample.annotations if a["type"] == "class"]
            for annotation in sample.annotations:
                if annotation["type"] != "class":
                    tally.lost(annotation)
            if len(names) > 1:
                tally.count("item_in_several_folders")
            for name in names or ["_unlabelled"]:
                place = _free(
                    f"{sample.split or ''}/{_folder(name)}/{sample.path.rpartition('/')[2]}".lstrip("/"), taken
                )
                put_data(target, place, sample, files)
                if listing is not None:
                    listing.write(f"{_quoted(place)},{_quoted(name)}\n".encode())
        if listing is not None:
            listing.close()
        return tally.notes()


def _folder(name: str) -> str:
    return re.sub(r"[\\/:*?\"<>|\x00-\x1f]", "_", name).strip(" .") or "_"


def _free(path: str, taken: set[str]) -> str:
    name, number = path, 1
    while name in taken:
        number += 1
        stem, dot, suffix = path.rpartition(".")
        name = f"{stem}-{number}{dot}{suffix}" if dot else f"{path}-{number}"
    taken.add(name)
    return name


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


class RawReader(Reader):
    """No annotations at all: every picture, sound, film and text is an item."""

    name = "files"

    def recognise(self, source: Source) -> float:
        return 0.05 if any(suffix_of(entry.path) in MEDIA for entry in source.entries()) else 0.01

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:  # noqa: ARG002
        files = Files(source)
        chosen = files.of(MEDIA) or files.of(_TEXTS)
        for path in chosen:
            yield Sample(path, path, split=split_of(path))
