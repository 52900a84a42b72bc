"""Reading manifests. They come from outside: every field is checked before it is believed."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tidemill.images.names import DIGEST
from tidemill.kernel.errors import Invalid, TooLarge

OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
IMAGES = frozenset({OCI_MANIFEST, DOCKER_MANIFEST})
INDEXES = frozenset({OCI_INDEX, DOCKER_LIST})

MANIFEST_BYTES = 4 * 1024 * 1024
CHILDREN_MAX = 4096
SIZE_MAX = (1 << 63) - 1
_ELSEWHERE = ("nondistributable", ".foreign.")
"""Layers that their makers forbid to pass on: clients get them from where they are published."""


@dataclass(frozen=True, slots=True)
class Child:
    """Content a manifest needs."""

    digest: str
    """Without `sha256:` before it."""
    size_bytes: int
    is_manifest: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that was checked."""

    media_type: str
    artifact_type: str
    subject: str | None
    annotations: dict[str, Any]
    children: dict[str, Child] = field(default_factory=dict)


def parse_manifest(data: bytes, content_type: str | None) -> Manifest:
    """Raises Invalid when it is none that we know."""
    document = load_json(data)
    media_type = _media_type(document, content_type)
    if document.get("schemaVersion") != 2:
        raise broken("schemaVersion is not 2")
    subject = document.get("subject")
    return Manifest(
        media_type=media_type,
        artifact_type=_artifact_type(document),
        subject=None if subject is None else _descriptor(subject, "subject")[0],
        annotations=_annotations(document),
        children={child.digest: child for child in _children(document, media_type)},
    )


def load_json(data: bytes) -> dict[str, Any]:
    """A JSON object from outside."""
    if len(data) > MANIFEST_BYTES:
        raise TooLarge("registry_manifest_too_large", max=MANIFEST_BYTES)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise broken("it is not JSON") from None
    if not isinstance(document, dict):
        raise broken("it is not an object")
    return document


def bare(digest: str) -> str:
    """The digest as the store has it; raises Invalid for what is none, or of another kind than SHA-256."""
    if DIGEST.fullmatch(digest) is None:
        raise Invalid("registry_digest_invalid", field="digest", digest=digest[:100])
    return digest.removeprefix("sha256:")


def broken(reason: str) -> Invalid:
    """The manifest is refused, and why."""
    return Invalid("registry_manifest_invalid", field="manifest", reason=reason)


def _media_type(document: dict[str, Any], content_type: str | None) -> str:
    said = document.get("mediaType")
    given = (content_type or "").partition(";")[0].strip()
    if said is not None and given and said != given:
        raise broken("mediaType is not the Content-Type it was sent with")
    media_type = said or given or (OCI_INDEX if "manifests" in document else OCI_MANIFEST)
    if media_type not in IMAGES | INDEXES:
        raise broken(f"the type {str(media_type)[:100]} is not supported")
    return str(media_type)


def _artifact_type(document: dict[str, Any]) -> str:
    config = document.get("config")
    inherited = config.get("mediaType") if isinstance(config, dict) else None
    found = document.get("artifactType") or inherited or ""
    if not isinstance(found, str) or len(found) > 255:
        raise broken("artifactType is not a short text")
    return found


def _annotations(document: dict[str, Any]) -> dict[str, Any]:
    found = document.get("annotations") or {}
    texts = [*found, *found.values()] if isinstance(found, dict) else [None]
    if not all(isinstance(text, str) and "\x00" not in text for text in texts):
        raise broken("annotations are not texts")
    return dict(found)


def _children(document: dict[str, Any], media_type: str) -> Iterable[Child]:
    if media_type in INDEXES:
        return [Child(*_descriptor(each, "manifests"), is_manifest=True) for each in _listed(document, "manifests")]
    needed = [_descriptor(document.get("config"), "config")]
    needed += [_descriptor(each, "layers") for each in _listed(document, "layers") if not _is_elsewhere(each)]
    return [Child(*each, is_manifest=False) for each in needed]


def _listed(document: dict[str, Any], name: str) -> list[Any]:
    found = document.get(name)
    if not isinstance(found, list):
        raise broken(f"{name} is not a list")
    if len(found) > CHILDREN_MAX:
        raise broken(f"{name} has more than {CHILDREN_MAX} entries")
    return found


def _is_elsewhere(descriptor: Any) -> bool:
    media_type = descriptor.get("mediaType") if isinstance(descriptor, dict) else None
    return isinstance(media_type, str) and any(mark in media_type for mark in _ELSEWHERE)


def _descriptor(found: Any, name: str) -> tuple[str, int]:
    if not isinstance(found, dict):
        raise broken(f"{name} has no descriptor")
    digest, size = found.get("digest"), found.get("size")
    if not isinstance(digest, str) or DIGEST.fullmatch(digest) is None:
        raise broken(f"{name} names no SHA-256 digest")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= SIZE_MAX:
        raise broken(f"{name} names no size")
    return digest.removeprefix("sha256:"), size
