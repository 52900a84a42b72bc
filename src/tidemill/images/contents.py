"""What an image is made of, read from its manifest and configuration. Both come from outside: nothing is taken for
granted."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.images.catalogue import get_image
from tidemill.images.depot import Images
from tidemill.images.platforms import for_this_machine
from tidemill.images.registry.manifests import INDEXES, MANIFEST_BYTES, load_json
from tidemill.images.registry.repositories import Repository, find_blob, find_manifest
from tidemill.images.schemas import ImageContentsView, ImageLayerView, ImageUserView
from tidemill.images.tables import ImageRow
from tidemill.store.backends import BlobBackend

WORDS_MAX = 1000
PLATFORMS_MAX = 50


def read_contents(session: Session, images: Images, image_id: str, *, by: Caller) -> ImageContentsView:
    """Layers, for which machines, and what of the caller's project runs in it now."""
    row = get_image(session, image_id, by=by)
    users = [user for room in images.users for user in room.of_image(session, row.id, project_id=by.project.id)]
    found = ImageContentsView(
        platforms=[],
        layers=[],
        users=[ImageUserView(id=user["id"], name=user["name"], kind=user["kind"]) for user in users],
    )
    if row.kind != "oci" or not row.digest:
        return found
    return _of_registry(session, images.store.backend, row, found)


def _of_registry(session: Session, backend: BlobBackend, row: ImageRow, found: ImageContentsView) -> ImageContentsView:
    place = Repository(row.project_id, row.name)
    manifest = find_manifest(session, place, row.digest)
    if manifest is not None and manifest.media_type in INDEXES:
        data = _read(backend, manifest.digest)
        found.platforms = list(_platforms(load_json(data)))
        chosen = for_this_machine(data)
        manifest = find_manifest(session, place, chosen) if chosen else None
    if manifest is None:
        return found
    document = load_json(_read(backend, manifest.digest))
    config = document["config"]
    digest = str(config["digest"]).removeprefix("sha256:")
    is_ours = config["size"] <= MANIFEST_BYTES and find_blob(session, place, digest) is not None
    described = load_json(_read(backend, digest)) if is_ours else {}
    found.platforms = found.platforms or list(_platforms({"manifests": [{"platform": described}]}))
    found.layers = list(_layers(document, described))
    return found


def _read(backend: BlobBackend, digest: str) -> bytes:
    return b"".join(backend.read(digest))


def _platforms(index: dict[str, Any]) -> Iterator[str]:
    for entry in index["manifests"][:PLATFORMS_MAX]:
        platform = entry.get("platform")
        if isinstance(platform, dict) and platform.get("architecture"):
            parts = [platform.get("os"), platform.get("architecture"), platform.get("variant")]
            yield "/".join(str(part)[:50] for part in parts if part)


def _layers(document: dict[str, Any], config: dict[str, Any]) -> Iterator[ImageLayerView]:
    made_by = list(_steps(config))
    layers = document["layers"]
    # Where the steps are not one a layer, saying which made which would be a guess.
    known = made_by if len(made_by) == len(layers) else [None] * len(layers)
    for layer, step in zip(layers, known, strict=True):
        yield ImageLayerView(
            digest=layer["digest"],
            size_bytes=layer["size"],
            media_type=str(layer.get("mediaType", ""))[:WORDS_MAX],
            made_by=step,
        )


def _steps(config: dict[str, Any]) -> Iterator[str | None]:
    history = config.get("history")
    for step in history if isinstance(history, list) else []:
        if isinstance(step, dict) and not step.get("empty_layer"):
            words = step.get("created_by")
            yield words[:WORDS_MAX] if isinstance(words, str) and words else None
