"""OCI images given to the container engine of this machine straight from the store.

So a workload needs no password for the registry, and the engine no word that our registry may be trusted. The engine
knows an image by a tag that names its digest, and is given it once.
"""

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from sqlalchemy.orm import Session

from tidemill.engines.runner.docker import ApiError, Docker
from tidemill.images.depot import Images
from tidemill.images.environments import Progress
from tidemill.images.platforms import for_this_machine
from tidemill.images.registry.manifests import INDEXES
from tidemill.images.registry.repositories import Repository, find_manifest
from tidemill.images.tables import ManifestRow
from tidemill.kernel.errors import Invalid, Unavailable
from tidemill.store.backends import BlobBackend

_DEPTH_MAX = 3


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file of the archive: bytes of our own, or a blob."""

    name: str
    size_bytes: int
    data: bytes | None
    digest: str = ""


def load(images: Images, socket: str, place: Repository, digest: str, tag: str, on_progress: Progress) -> None:
    """The engine behind the socket has the image under the tag when this returns."""
    docker = Docker(socket, timeout_s=None)
    if is_loaded(docker, tag):
        return
    on_progress(f"loading {place.name}")
    with images.db.read() as session:
        manifest = _image_manifest(session, images.store.backend, place, digest)
    entries = _archive(images.store.backend, manifest, tag)
    size_bytes = sum(_padded(entry.size_bytes) + tarfile.BLOCKSIZE for entry in entries) + 2 * tarfile.BLOCKSIZE
    try:
        docker.send("/images/load?quiet=1", _stream(images.store.backend, entries), size_bytes)
    except (ApiError, OSError) as error:
        raise Unavailable("image_not_loaded", image=tag, reason=str(error)[:500]) from None
    if not is_loaded(docker, tag):
        raise Unavailable("image_not_loaded", image=tag, reason="-")


def archive_of(images: Images, place: Repository, digest: str, tag: str) -> Iterator[bytes]:
    """An image of the registry in the form of `docker save`, which every engine loads."""
    with images.db.read() as session:
        manifest = _image_manifest(session, images.store.backend, place, digest)
    return _stream(images.store.backend, _archive(images.store.backend, manifest, tag))


def is_loaded(docker: Docker, tag: str) -> bool:
    """Whether the engine has the image."""
    try:
        docker.get(f"/images/{quote(tag, safe='/:')}/json")
    except ApiError as error:
        if error.status == 404:
            return False
        raise Unavailable("image_not_loaded", image=tag, reason=str(error)[:500]) from None
    except OSError as error:
        raise Unavailable("image_not_loaded", image=tag, reason=str(error)[:500]) from None
    return True


def _image_manifest(session: Session, backend: BlobBackend, place: Repository, digest: str) -> bytes:
    """The manifest itself, or the one for this machine of those an index names."""
    for _ in range(_DEPTH_MAX):
        row: ManifestRow | None = find_manifest(session, place, digest)
        if row is None:
            break
        data = b"".join(backend.read(row.digest))
        if row.media_type not in INDEXES:
            return data
        chosen = for_this_machine(data)
        if chosen is None:
            raise Invalid("image_other_machine", field="image", image=place.name)
        digest = chosen
    raise Invalid("image_unknown", field="image", image=f"{place.name}@{digest}")


def _archive(backend: BlobBackend, manifest: bytes, tag: str) -> list[_Entry]:
    """In the form of `docker save`, which every engine reads."""
    document = json.loads(manifest)
    config = document["config"]["digest"].removeprefix("sha256:")
    layers = [(layer["digest"].removeprefix("sha256:"), layer["size"]) for layer in document["layers"]]
    names = [f"{digest}/layer.tar" for digest, _ in layers]
    described = json.dumps([{"Config": f"{config}.json", "RepoTags": [tag], "Layers": names}]).encode()
    content = b"".join(backend.read(config))
    blobs = {digest: _Entry(f"{digest}/layer.tar", size, None, digest) for digest, size in layers}
    return [
        _Entry(f"{config}.json", len(content), content),
        *blobs.values(),
        _Entry("manifest.json", len(described), described),
    ]


def _stream(backend: BlobBackend, entries: list[_Entry]) -> Iterator[bytes]:
    for entry in entries:
        header = tarfile.TarInfo(entry.name)
        header.size = entry.size_bytes
        header.mode = 0o644
        yield header.tobuf(tarfile.GNU_FORMAT, "utf-8")
        if entry.data is not None:
            yield entry.data
        else:
            yield from backend.read(entry.digest)
        yield b"\0" * (_padded(entry.size_bytes) - entry.size_bytes)
    yield b"\0" * (2 * tarfile.BLOCKSIZE)


def _padded(size_bytes: int) -> int:
    return -(-size_bytes // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
