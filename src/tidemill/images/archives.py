"""Saved images: `docker save`, `podman save`, OCI layouts as tar files. They come from outside and are not believed.

The archive is read once, front to back. Every file in it is hashed while it is written aside; nothing is written under
a name from the archive, and links are only ever names of other files in it. What the archive says of itself is then
held against what the bytes are.
"""

import gzip
import hashlib
import io
import json
import posixpath
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tidemill.images.registry.manifests import (
    INDEXES,
    MANIFEST_BYTES,
    OCI_MANIFEST,
    Manifest,
    load_json,
    parse_manifest,
)
from tidemill.kernel.errors import Invalid, TooLarge
from tidemill.store.backends import BLOCK_BYTES, Staged

ENTRIES_MAX = 20_000
LAYERS_MAX = 1000
PACKED_AT_MOST = 1100
"""How many times larger than its gzip file something can be: no more than this is possible."""
_CONFIG = "application/vnd.oci.image.config.v1+json"
_TAR = "application/vnd.oci.image.layer.v1.tar"
_GZIP_MAGIC = b"\x1f\x8b"

Check = Callable[[int], None]


@dataclass(slots=True)
class Contents:
    """Files of an archive, written aside."""

    files: dict[str, Staged] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> Staged | None:
        """A file by its name, through links within the archive."""
        wanted = _normal(name)
        for _ in range(10):
            if wanted in self.files:
                return self.files[wanted]
            if wanted not in self.links:
                return None
            wanted = self.links[wanted]
        raise refused("links go round in circles")

    def get(self, name: str) -> Staged:
        found = self.find(name)
        if found is None:
            raise refused(f"{name[:200]} is missing")
        return found

    def text(self, name: str) -> bytes:
        """A small file's bytes."""
        return read_small(self.get(name))

    def by_digest(self) -> dict[str, Staged]:
        return {file.digest: file for file in self.files.values()}


@dataclass(frozen=True, slots=True)
class SavedManifest:
    """A manifest with its bytes and all it needs; children that are manifests come before their parents."""

    digest: str
    data: bytes
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class SavedImage:
    """What an archive holds: manifests in the order they are to be entered, the last one being the image."""

    manifests: list[SavedManifest]
    blobs: dict[str, Staged]


def refused(reason: str) -> Invalid:
    """The archive is refused, and why."""
    return Invalid("archive_invalid", field="sha256", reason=reason)


def unpack(stream: Iterator[bytes], folder: Path, *, limit_bytes: int, check: Check) -> Contents:
    """Writes the archive's files aside, under names of our own. `check` is told how much was read, and may raise."""
    contents = Contents()
    reader = _Reader(stream, check)
    try:
        with tarfile.open(fileobj=_decompressed(reader), mode="r|", bufsize=BLOCK_BYTES) as tar:
            _take_all(tar, folder, contents, limit_bytes)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, UnicodeError, ValueError, OverflowError) as error:
        raise refused(f"it is not a tar file that can be read ({type(error).__name__})") from None
    return contents


def read_image(contents: Contents) -> SavedImage:
    """The one image in the archive, checked."""
    if contents.find("index.json") and contents.find("oci-layout"):
        return _read_layout(contents)
    if contents.find("manifest.json"):
        return _read_docker(contents)
    raise refused("it has neither manifest.json nor index.json")


def read_small(file: Staged) -> bytes:
    """The bytes of a file that should be small."""
    if file.size_bytes > MANIFEST_BYTES:
        raise refused("a description in it is too large")
    return Path(file.path).read_bytes()


def _take_all(tar: tarfile.TarFile, folder: Path, contents: Contents, limit_bytes: int) -> None:
    total = 0
    for number, entry in enumerate(tar):
        if number >= ENTRIES_MAX:
            raise refused(f"it has more than {ENTRIES_MAX} entries")
        name = _normal(entry.name)
        if entry.isdir():
            continue
        if entry.issym() or entry.islnk():
            base = posixpath.dirname(name) if entry.issym() else ""
            contents.links[name] = _normal(posixpath.join(base, entry.linkname))
            continue
        if not entry.isreg():
            raise refused(f"{name[:200]} is neither file nor folder")
        total += entry.size
        if total > limit_bytes:
            raise TooLarge("archive_too_large", max=limit_bytes)
        source = tar.extractfile(entry)
        assert source is not None, "it is a regular file"
        contents.files[name] = _stage(source, folder / str(number), entry.size)


def _stage(source: IO[bytes], path: Path, size_bytes: int) -> Staged:
    running, received = hashlib.sha256(), 0
    with path.open("xb") as target:
        while block := source.read(BLOCK_BYTES):
            running.update(block)
            target.write(block)
            received += len(block)
    if received != size_bytes:
        raise refused("it ends too early")
    return Staged(running.hexdigest(), received, str(path))


def _normal(name: str) -> str:
    """The name as a path within the archive; raises when it leads out of it."""
    if len(name) > 4096 or "\x00" in name or name.startswith("/"):
        raise refused("a name in it leads out of it")
    found = posixpath.normpath(name)
    if found == ".." or found.startswith("../"):
        raise refused("a name in it leads out of it")
    return found


def _read_layout(contents: Contents) -> SavedImage:
    index = load_json(contents.text("index.json"))
    entries = [each for each in _list(index.get("manifests")) if isinstance(each, dict)]
    blobs = contents.by_digest()
    whole = [found for entry in entries if (found := _find_whole(blobs, entry.get("digest"), depth=0))]
    if len(whole) != 1:
        raise refused(f"it holds {len(whole)} whole images; save one at a time")
    return SavedImage(whole[0], blobs)


def _find_whole(blobs: dict[str, Staged], digest: Any, *, depth: int) -> list[SavedManifest] | None:
    """The manifest and those it names, if all is there. Of an index that names more than was saved, what was."""
    file = blobs.get(str(digest).removeprefix("sha256:"))
    if file is None or depth > 3:
        return None
    data = read_small(file)
    saved = SavedManifest(file.digest, data, parse_manifest(data, None))
    children = saved.manifest.children.values()
    if saved.manifest.media_type not in INDEXES:
        is_whole = all(c.digest in blobs and blobs[c.digest].size_bytes == c.size_bytes for c in children)
        return [saved] if is_whole else None
    found = [_find_whole(blobs, child.digest, depth=depth + 1) for child in children]
    parts = [part for part in found if part is not None]
    if len(parts) == len(found):
        return [*(each for part in parts for each in part), saved]
    return parts[0] if len(parts) == 1 else None


def _read_docker(contents: Contents) -> SavedImage:
    entries = [each for each in _load_list(contents.text("manifest.json")) if isinstance(each, dict)]
    if len(entries) != 1:
        raise refused(f"it holds {len(entries)} images; save one at a time")
    config = contents.get(str(entries[0].get("Config")))
    layers = [contents.get(str(name)) for name in _list(entries[0].get("Layers"))]
    _check_layers(load_json(read_small(config)), layers)
    data = _write_manifest(config, layers)
    saved = SavedManifest(hashlib.sha256(data).hexdigest(), data, parse_manifest(data, OCI_MANIFEST))
    return SavedImage([saved], {file.digest: file for file in (config, *layers)})


def _check_layers(config: dict[str, Any], layers: list[Staged]) -> None:
    """The configuration names the digest of each layer's tar file."""
    rootfs = config.get("rootfs")
    named = _list(rootfs.get("diff_ids") if isinstance(rootfs, dict) else None)
    if len(named) != len(layers) or len(layers) > LAYERS_MAX:
        raise refused("its configuration names other layers than it has")
    for layer, digest in zip(layers, named, strict=True):
        if digest != f"sha256:{layer.digest}" and digest != f"sha256:{_plain_digest(layer)}":
            raise refused("a layer in it is not what its configuration says")


def _plain_digest(layer: Staged) -> str:
    """The digest of the tar file inside a compressed layer."""
    if not _is_gzip(layer):
        return layer.digest
    running, plain_bytes = hashlib.sha256(), 0
    try:
        with gzip.open(layer.path) as file:
            while block := file.read(BLOCK_BYTES):
                running.update(block)
                plain_bytes += len(block)
                if plain_bytes > max(layer.size_bytes * PACKED_AT_MOST, BLOCK_BYTES):
                    raise refused("a layer in it is packed more tightly than any honest one")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise refused("a layer in it is damaged") from None
    return running.hexdigest()


def _is_gzip(layer: Staged) -> bool:
    with Path(layer.path).open("rb") as file:
        return file.read(2) == _GZIP_MAGIC


def _write_manifest(config: Staged, layers: list[Staged]) -> bytes:
    described = [(layer, f"{_TAR}+gzip" if _is_gzip(layer) else _TAR) for layer in layers]
    document = {
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST,
        "config": _descriptor(config, _CONFIG),
        "layers": [_descriptor(layer, kind) for layer, kind in described],
    }
    return json.dumps(document, separators=(",", ":")).encode()


def _descriptor(file: Staged, media_type: str) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": f"sha256:{file.digest}", "size": file.size_bytes}


def _load_list(data: bytes) -> list[Any]:
    try:
        return _list(json.loads(data))
    except (ValueError, RecursionError):
        raise refused("its description is not JSON") from None


def _list(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise refused("its description is not as it should be")
    return found


class _Reader(io.RawIOBase):
    """Blocks as a file."""

    def __init__(self, blocks: Iterator[bytes], check: Check) -> None:
        self._blocks = blocks
        self._left = b""
        self._check = check
        self._done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            self._left = next(self._blocks, b"")
            self._done += len(self._left)
            self._check(self._done)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _decompressed(reader: _Reader) -> IO[bytes]:
    """As it is, or what a gzip file holds."""
    buffered = io.BufferedReader(reader, BLOCK_BYTES)
    if buffered.peek(2)[:2] == _GZIP_MAGIC:
        return gzip.GzipFile(fileobj=buffered)  # type: ignore[return-value]
    return buffered
