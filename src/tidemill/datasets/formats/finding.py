"""Which files a source holds, and which of them an annotation means.

Annotation files name pictures in many ways: by path, by bare name, without the suffix, with another machine's folders,
in another case. `Files.find` takes the nearest file that fits.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator

from tidemill.datasets.sources.base import Source

PICTURES = frozenset(
    {
        ".jpg",
        ".jpeg",
        ".jpe",
        ".jfif",
        ".png",
        ".bmp",
        ".gif",
        ".webp",
        ".tif",
        ".tiff",
        ".ppm",
        ".pgm",
        ".pbm",
        ".avif",
    }
)
SOUNDS = frozenset({".wav", ".mp3", ".flac", ".ogg", ".oga", ".opus", ".m4a", ".aac", ".wma", ".aiff", ".aif", ".amr"})
FILMS = frozenset({".mp4", ".avi", ".mov", ".mkv", ".webm", ".m4v", ".mpg", ".mpeg", ".wmv", ".flv", ".ts", ".3gp"})
MEDIA = PICTURES | SOUNDS | FILMS
PAPERWORK = re.compile(r"(^|/)(read[-_ ]?me|licen[cs]e|notice|changelog|authors|citation)[^/]*$", re.IGNORECASE)
_SPLITS = {
    "train": "train", "training": "train", "trainval": "train", "val": "val", "valid": "val", "validation": "val",
    "dev": "val", "test": "test", "testing": "test", "eval": "val",
}  # fmt: skip
_MANY = 50
_LAST_WORD = re.compile(r"^(.*?)(?:[-_]?(?:19|20)\d\d)?$")


def suffix_of(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def stem_of(path: str) -> str:
    """The name without folder and suffix."""
    return posixpath.splitext(path.rpartition("/")[2])[0]


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def split_of(path: str) -> str | None:
    """The part of the data a path speaks of by one of its folders: `images/train2017/1.jpg` is `train`."""
    for part in path.lower().split("/")[:-1]:
        found = _LAST_WORD.match(part)
        if found and (split := _SPLITS.get(found[1])):
            return split
    return None


def split_named(name: str) -> str | None:
    """The part of the data a file is for by the words of its name: `instances_val2017` is `val`."""
    for word in reversed(re.split(r"[^a-z0-9]+", name.lower())):
        found = _LAST_WORD.match(word)
        if found and (split := _SPLITS.get(found[1])):
            return split
    return None


class Files:
    """The files of a source, ready to be asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.sizes = {entry.path: entry.size_bytes for entry in source.entries()}
        self._by_name: dict[str, list[str]] | None = None
        self._by_stem: dict[str, list[str]] | None = None
        self._crowds: dict[tuple[bool, str], dict[str, list[str]]] = {}
        """Of names and stems that very many files have: the files by the folder they are in."""

    def __contains__(self, path: str) -> bool:
        return path in self.sizes

    def __iter__(self) -> Iterator[str]:
        return iter(self.sizes)

    def __len__(self) -> int:
        return len(self.sizes)

    def of(self, suffixes: Iterable[str]) -> list[str]:
        """Those with one of the suffixes, paperwork (READMEs, licences) left out."""
        wanted = tuple(suffixes)
        return [path for path in self.sizes if path.lower().endswith(wanted) and not PAPERWORK.search(path)]

    def find(
        self, reference: str, near: str = "", suffixes: frozenset[str] = PICTURES, split: str | None = None
    ) -> str | None:
        """The file a reference means, seen from the folder `near`: the one that shares most of its path with both.

        Of files that fit as well, one in a folder of the `split` is taken.
        """
        wanted = _plain(reference)
        if not wanted:
            return None
        for path in (posixpath.normpath(posixpath.join(near, wanted)), wanted):
            if path in self.sizes and suffix_of(path) in suffixes:
                return path
        name = wanted.rpartition("/")[2].lower()
        stem = name if suffix_of(name) not in MEDIA else posixpath.splitext(name)[0]
        around = (wanted if "/" in wanted else f"{near}/").split("/")[-2].lower()
        choices = [path for path in self._few(self._named(), name, around) if suffix_of(path) in suffixes]
        if not choices:
            choices = [path for path in self._few(self._stemmed(), stem, around) if suffix_of(path) in suffixes]
        if not choices:
            return None
        if len(choices) == 1:
            return choices[0]
        return max(
            choices,
            key=lambda path: (_shared(path, wanted), split_of(path) == split, _common(path, near), -len(path)),
        )

    def _few(self, index: dict[str, list[str]], key: str, around: str) -> list[str]:
        """Those of the index; of very many, as where each item has a folder of its own, those in one of that name."""
        found = index.get(key, [])
        if len(found) <= _MANY:
            return found
        known = (index is self._by_name, key)
        if known not in self._crowds:
            crowd: dict[str, list[str]] = {}
            for path in found:
                crowd.setdefault(folder_of(path).rpartition("/")[2].lower(), []).append(path)
            self._crowds[known] = crowd
        return self._crowds[known].get(around) or found

    def _named(self) -> dict[str, list[str]]:
        if self._by_name is None:
            self._by_name = {}
            for path in self.sizes:
                self._by_name.setdefault(path.rpartition("/")[2].lower(), []).append(path)
        return self._by_name

    def _stemmed(self) -> dict[str, list[str]]:
        if self._by_stem is None:
            self._by_stem = {}
            for path in self.sizes:
                self._by_stem.setdefault(stem_of(path).lower(), []).append(path)
        return self._by_stem


def _plain(reference: str) -> str:
    parts = [part for part in reference.strip().replace("\\", "/").split("/") if part not in {"", "."}]
    while parts and (parts[0] == ".." or parts[0].endswith(":")):
        parts.pop(0)
    return "/".join(parts)


def _shared(path: str, wanted: str) -> int:
    """How many of the last parts are the same."""
    count = 0
    for a, b in zip(reversed(path.split("/")), reversed(wanted.split("/")), strict=False):
        if a.lower() != b.lower() and count:
            break
        count += 1
    return count


def _common(path: str, folder: str) -> int:
    """How many of the first folders are the same."""
    count = 0
    for a, b in zip(path.split("/")[:-1], folder.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count
