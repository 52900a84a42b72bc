"""What the numbers or colours of mask pictures mean, from whichever file beside them says so."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from tidemill.datasets.formats import json_stream, yaml_text
from tidemill.datasets.formats.base import BROKEN, Label
from tidemill.datasets.formats.finding import Files, suffix_of
from tidemill.datasets.media import encodings
from tidemill.datasets.reasons import Malformed
from tidemill.datasets.sources.base import Source

_MAX_BYTES = 1 << 20
_NOTHING = re.compile(r"^_*(background|void|unlabell?ed|ignore[d]?|unknown|none|背景|忽略)_*$", re.I)
_COLOUR_FIRST = re.compile(r"^\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})[\s,:]+(\S.*?)\s*$")
_NAME_FIRST = re.compile(r"^\s*(\S.*?)\s*[:,\s]\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[:,].*)?$")
_TEXTS = ("label_colors.txt", "labelmap.txt", "label_map.txt", "class_colors.txt", "colors.txt", "classes.txt",
          "class_names.txt", "labels.txt", "class.txt", "names.txt")  # fmt: skip

Entry = tuple[str, int | None]
"""A class's name and its colour as one number."""


class Palette:
    """Values to names; values nobody named get names of their own."""

    def __init__(self, entries: list[Entry], ignored: frozenset[int]) -> None:
        self._entries = entries
        self._ignored = ignored
        self._by_colour = {colour: name for name, colour in entries if colour is not None}
        self._new: list[Label] = []
        self._made: dict[str, None] = {}

    def labels(self) -> list[Label]:
        named = {name: colour for name, colour in reversed(self._entries) if name and not _NOTHING.match(name)}
        return [Label(name, colour=_hex(colour)) for name, colour in reversed(named.items())]

    def name(self, value: int, kind: str) -> str | None:
        """The class of a value; None where it means nothing."""
        if kind != "colour" and value in self._ignored:
            return None
        found = self._known(value, kind)
        if found is not None:
            return None if _NOTHING.match(found) else found
        if kind == "colour" and value in {0, 0xFFFFFF} | ({0xE0E0C0} if self._by_colour else set()):
            return None
        if kind == "palette" and value == 0 and not self._entries:
            return None
        made = f"#{value:06x}" if kind == "colour" else f"class_{value}"
        if made not in self._made:
            self._made[made] = None
            self._new.append(Label(made, colour=_hex(value) if kind == "colour" else None))
        return made

    def _known(self, value: int, kind: str) -> str | None:
        if kind == "colour":
            return self._by_colour.get(value)
        return self._entries[value][0] if 0 <= value < len(self._entries) and self._entries[value][0] else None

    def new_labels(self) -> Iterator[Label]:
        while self._new:
            yield self._new.pop(0)


def find_palette(source: Source, files: Files, masks: set[str], ignored: Any) -> Palette:
    """The first file that makes sense, the most telling names first."""
    given = frozenset(int(value) for value in ignored) if isinstance(ignored, (list, tuple, set)) else frozenset({255})
    for path in _candidates(files, masks):
        try:
            entries = _read(path, encodings.decode(source.read(path, _MAX_BYTES)).text)
        except (OSError, *BROKEN):
            continue
        if entries:
            return Palette(entries, given)
    return Palette([], given)


def _candidates(files: Files, masks: set[str]) -> list[str]:
    folders = {part for mask in masks for part in mask.split("/")[:-1]}
    words = {word for folder in folders for word in re.split(r"[-_]", folder.lower())}

    def rank(path: str) -> tuple[int, int, str]:
        name = path.rpartition("/")[2].lower()
        told = _TEXTS.index(name) if name in _TEXTS else len(_TEXTS)
        fits = -len(words & set(re.split(r"[-_.]", name)))
        return fits, told, path

    kinds = (".txt", ".json", ".yaml", ".yml", ".csv")
    named = [path for path in files.of(kinds) if _is_telling(path.rpartition("/")[2].lower())]
    return sorted(named, key=rank)


def _is_telling(name: str) -> bool:
    return name in _TEXTS or (name.endswith((".json", ".yaml", ".yml", ".csv")) and re.search(
        r"meta|class|label|colou?r|names|data|palette", name) is not None)  # fmt: skip


def _read(path: str, text: str) -> list[Entry]:
    match suffix_of(path):
        case ".json":
            return _from_meta(json_stream.loads(text.encode()))
        case ".yaml" | ".yml":
            return _from_yaml(text)
        case ".csv":
            return _from_csv(text)
        case _:
            return _from_text(text)


def _from_text(text: str) -> list[Entry]:
    entries: list[Entry] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if found := _COLOUR_FIRST.match(line):
            entries.append((found[4].strip(), _colour(found[1], found[2], found[3])))
        elif found := _NAME_FIRST.match(line):
            entries.append((found[1].rstrip(":,"), _colour(found[2], found[3], found[4])))
        else:
            entries.append((line.strip(), None))
    # LabelMe's lists begin with a line for the value -1.
    return entries[1:] if entries and entries[0][0] == "__ignore__" else entries


def _from_meta(meta: Any) -> list[Entry]:
    """datumaro's `dataset_meta.json`."""
    names, colours = meta["label_map"], meta.get("segmentation_colors") or []
    return _in_order({int(number): str(name) for number, name in names.items()},
                     {place: _colour(*rgb) for place, rgb in enumerate(colours)})  # fmt: skip


def _from_yaml(text: str) -> list[Entry]:
    data = yaml_text.load(text)
    listed = data.get("classes") or data.get("names")
    pairs = listed.items() if isinstance(listed, dict) else enumerate(listed)
    return _in_order({int(number): str(name) for number, name in pairs}, {})


def _from_csv(text: str) -> list[Entry]:
    """`name,r,g,b` with a header."""
    rows = [{str(k).strip().lower(): v for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]
    return [(str(row["name"]).strip(), _colour(row["r"], row["g"], row["b"])) for row in rows]


def _in_order(names: dict[int, str], colours: dict[int, int]) -> list[Entry]:
    if not names or max(names) > 10_000 or min(names) < 0:
        return []
    return [(names.get(number, ""), colours.get(number)) for number in range(max(names) + 1)]


def _colour(r: Any, g: Any, b: Any) -> int:
    red, green, blue = int(r), int(g), int(b)
    if not all(0 <= value <= 255 for value in (red, green, blue)):
        raise Malformed("no_colour")
    return (red << 16) | (green << 8) | blue


def _hex(colour: int | None) -> str | None:
    return None if colour is None else f"#{colour:06x}"
