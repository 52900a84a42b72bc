"""The kinds of asset there are. They share every table, route and rule; a further kind is one declaration here (and its
permissions in `accounts.permissions`)."""

from dataclasses import dataclass
from enum import StrEnum

from starlette.convertors import StringConvertor, register_url_convertor


@dataclass(frozen=True, slots=True)
class Kind:
    """What differs between kinds."""

    name: str
    """In permissions, audit and references: `model`."""
    segment: str
    """In addresses: `models`."""
    id_prefix: str
    has_results: bool
    """Versions carry a format, metrics and a signature."""
    has_items: bool = False
    """Versions are more than files: a room above makes, fills and publishes them."""


ALGORITHM = Kind("algorithm", "algorithms", "alg", has_results=False)
MODEL = Kind("model", "models", "mdl", has_results=True)
DATASET = Kind("dataset", "datasets", "dst", has_results=False, has_items=True)
PACKAGE = Kind("package", "packages", "pkg", has_results=False, has_items=True)

KINDS: tuple[Kind, ...] = (ALGORITHM, MODEL, DATASET, PACKAGE)
BY_NAME = {kind.name: kind for kind in KINDS}
BY_SEGMENT = {kind.segment: kind for kind in KINDS}

VERSION_PREFIX = "ver"

SCENES = (
    "image-classification", "object-detection", "segmentation", "keypoints", "ocr", "text-classification",
    "audio-classification", "audio-transcription", "tabular", "video", "other",
)  # fmt: skip

Scene = StrEnum("Scene", {scene.replace("-", "_").upper(): scene for scene in SCENES})  # type: ignore[misc]
KindSegment = StrEnum("KindSegment", {kind.segment.upper(): kind.segment for kind in KINDS})  # type: ignore[misc]
KindName = StrEnum("KindName", {kind.name.upper(): kind.name for kind in KINDS})  # type: ignore[misc]
BinKind = StrEnum(  # type: ignore[misc]
    "BinKind", {name.upper(): name for kind in KINDS for name in (kind.name, f"{kind.name}_version")}
)
FoundKind = StrEnum("FoundKind", {name.upper(): name for name in ("project", *BY_NAME, "user")})  # type: ignore[misc]


class _KindConvertor(StringConvertor):
    """Matches the kinds only, so that `/projects/{project}/{kind}` leaves all other addresses alone."""

    regex = "|".join(kind.segment for kind in KINDS)


class _PlainKindConvertor(StringConvertor):
    """Matches the kinds whose versions are files and nothing else."""

    regex = "|".join(kind.segment for kind in KINDS if not kind.has_items)


register_url_convertor("asset_kind", _KindConvertor())
register_url_convertor("plain_kind", _PlainKindConvertor())
