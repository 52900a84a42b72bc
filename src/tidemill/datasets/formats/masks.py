"""Mask pictures: each picture has another of the same name whose pixels are classes, by number or by colour.

CamVid's `trainannot`, `masks/`, `SegmentationClass/`, `gt_…`, `…_mask`. The classes' names and colours are read from
`label_colors.txt`, `labelmap.txt`, `classes.txt`, `dataset_meta.json`, a yaml or a CSV where there is one. Options:
`masks`, the folder of the masks where there are several; `ignore`, class numbers that mean nothing (default: 255, and
those named background, void or unlabelled; without names also 0 of a mask with a palette).
"""

import re
from collections.abc import Iterator

from tidemill.datasets.formats.base import Annotation, Label, Options, Reader, Sample
from tidemill.datasets.formats.finding import PICTURES, Files, folder_of, split_of, stem_of, suffix_of
from tidemill.datasets.formats.mask_names import Palette, find_palette
from tidemill.datasets.formats.mask_values import Values, classes, read
from tidemill.datasets.media import pictures
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import why
from tidemill.datasets.sources.base import Source

_MASK_FOLDER = re.compile(
    r"^(masks?|segmentationclass|segmentation|gt|ground_?truth|labels?|annotations?|.+annot|ann_dir|masks?[-_].+)$",
    re.I,
)
_STEM = re.compile(r"^(?:gt[-_])?(.*?)(?:[-_](?:gt|mask|label|seg|l|labelids))?$", re.I)
_WITHOUT_PREFIX = re.compile(r"^(?:image|img|gt)[-_]?", re.I)
_MANY = 50
_PNG = (".png", ".bmp", ".tif", ".tiff", ".gif")


class MaskReader(Reader):
    """Pairs of pictures; what is left without a partner is an item without annotations."""

    name = "masks"

    def recognise(self, source: Source) -> float:
        files = Files(source)
        pairs = _pairs(files, {})
        if not pairs:
            return 0.0
        share = len(pairs) / max(1, len(files.of(PICTURES)) - len(pairs))
        sure = sum(_is_like_mask(source, mask) for mask in list(pairs.values())[:5]) / min(5, len(pairs))
        return 0.85 * min(1.0, share) * sure

    def read(self, source: Source, options: Options) -> Iterator[Label | Sample | Note]:
        files = Files(source)
        pairs = _pairs(files, options)
        palette = find_palette(source, files, set(pairs.values()), options.get("ignore"))
        yield from palette.labels()
        used = set(pairs.values())
        for path in files.of(PICTURES):
            if path in used or _is_panoptic(path):
                continue
            mask = pairs.get(path)
            if mask is None:
                if not _in_mask_folder(path):
                    yield Sample(path, path, split=split_of(path) or split_of(f"{folder_of(path)}/x"))
                continue
            yield from _read_one(source, path, mask, palette)


def _read_one(source: Source, path: str, mask: str, palette: Palette) -> Iterator[Label | Sample | Note]:
    sample = Sample(path, path, split=split_of(path), state="labelled")
    try:
        with source.open(mask) as file:
            values = read(file)
        sample.annotations = _annotations(values, palette)
        sample.height, sample.width = values.size
    except OSError as error:
        yield Note("file_unreadable", mask, params=why(error))
    except pictures.Unreadable as unreadable:
        yield Note(unreadable.code, mask, params=unreadable.params)
    except ValueError as error:
        yield Note("mask_broken", mask, params=why(error))
    yield from palette.new_labels()
    yield sample


def _annotations(values: Values, palette: Palette) -> list[Annotation]:
    kind, found = classes(values)
    annotations: list[Annotation] = []
    for value, text in found:
        name = palette.name(value, kind)
        if name is not None:
            number = str(len(annotations) + 1)
            annotations.append({"id": number, "type": "mask", "label": name, "size": values.size, "rle": text})
    return annotations


def _is_like_mask(source: Source, path: str) -> bool:
    try:
        with source.open(path) as file:
            return read(file).looks_like_mask()
    except (OSError, pictures.Unreadable):
        return False


def _pairs(files: Files, options: Options) -> dict[str, str]:
    """Pictures to masks: the same name in a folder for masks, or a name that says mask beside it."""
    wanted = str(options.get("masks") or "").strip("/")
    masks: dict[str, list[str]] = {}
    photos: list[str] = []
    for path in files.of(PICTURES):
        if _is_panoptic(path):
            continue
        in_folder = wanted in path.split("/")[:-1] if wanted else _in_mask_folder(path)
        said = stem_of(path) != _bare(stem_of(path))
        if suffix_of(path) in _PNG and (in_folder or said) and "object" not in folder_of(path).lower():
            masks.setdefault(_key(path), []).append(path)
        elif not _in_mask_folder(path):
            photos.append(path)
    crowds: dict[str, dict[str, list[str]]] = {}
    found: dict[str, str] = {}
    for path in photos:
        key = _key(path)
        choices = masks.get(key)
        if choices and len(choices) > _MANY:
            if key not in crowds:
                crowds[key] = _by_folder_name(choices)
            choices = _nearby(crowds[key], path, choices)
        if choices:
            found[path] = max(choices, key=lambda mask: _closeness(mask, path))
    return found


def _by_folder_name(masks: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for mask in masks:
        for part in set(folder_of(mask).lower().split("/")):
            found.setdefault(part, []).append(mask)
    return found


def _nearby(crowd: dict[str, list[str]], photo: str, masks: list[str]) -> list[str]:
    """Of very many masks of one name, as where each item has a folder of its own: those below the folder that tells the
    photo's place best."""
    shared = [crowd[part] for part in folder_of(photo).lower().split("/") if part in crowd]
    return min(shared, key=len, default=masks)


def _in_mask_folder(path: str) -> bool:
    return any(_MASK_FOLDER.match(part) for part in path.split("/")[:-1])


def _is_panoptic(path: str) -> bool:
    """COCO's panoptic pictures: their colours are numbers of objects, not classes."""
    return any(part.lower().startswith("panoptic") for part in path.split("/")[:-1])


def _bare(stem: str) -> str:
    found = _STEM.match(stem)
    return found[1] if found else stem


def _key(path: str) -> str:
    bare = _bare(stem_of(path)).lower()
    return _WITHOUT_PREFIX.sub("", bare) or bare


def _closeness(mask: str, photo: str) -> int:
    """Folders in common; `trainannot` goes with `train`."""
    a, b = folder_of(mask).lower().split("/"), folder_of(photo).lower().split("/")
    same = sum(1 for part in b if part in a)
    return 2 * same + sum(1 for part in a for other in b if part != other and other and part.startswith(other))
