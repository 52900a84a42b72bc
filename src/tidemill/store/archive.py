"""A tree as one file, made while it is sent: tar or zip, in constant memory whatever the tree's size."""

import tarfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import Literal

from tidemill.kernel.db import Database
from tidemill.store.backends import BlobBackend
from tidemill.store.trees.listing import Node, stream
from tidemill.store.zipstream import ZipStream

ArchiveFormat = Literal["zip", "tar"]
_SPOOL_BYTES = 1 << 20
MEDIA_TYPES: dict[ArchiveFormat, str] = {"zip": "application/zip", "tar": "application/x-tar"}


def archive(
    db: Database,
    backend: BlobBackend,
    tree_id: str,
    format: ArchiveFormat,
    path: str = "",
    extras: Sequence[Node] = (),
) -> Iterator[bytes]:
    """The files below a folder (all of them for `""`), then the extras. Names in the archive begin at that folder.

    Raises in the middle, so that the download breaks off instead of looking whole, when the tree is changed meanwhile.
    """
    nodes = chain(stream(db, tree_id, path), extras)
    named = ((_name(node, path), node) for node in nodes)
    return _zip(named, backend) if format == "zip" else _tar(named, backend)


def _name(node: Node, path: str) -> str:
    return node.path.removeprefix(f"{path}/") if node.path != path else node.name


def _zip(nodes: Iterable[tuple[str, Node]], backend: BlobBackend) -> Iterator[bytes]:
    with SpooledTemporaryFile(_SPOOL_BYTES) as directory:
        zip_stream = ZipStream(directory)
        for name, node in nodes:
            yield from zip_stream.add(name, node.updated_at, node.size_bytes, _content(node, backend))
        yield from zip_stream.end()


def _tar(nodes: Iterable[tuple[str, Node]], backend: BlobBackend) -> Iterator[bytes]:
    for name, node in nodes:
        header = tarfile.TarInfo(name)
        header.size = node.size_bytes
        header.mtime = int(node.updated_at.timestamp())
        yield header.tobuf(tarfile.PAX_FORMAT, "utf-8")
        yield from _content(node, backend)
        yield b"\0" * (-node.size_bytes % tarfile.BLOCKSIZE)
    yield b"\0" * (2 * tarfile.BLOCKSIZE)


def _content(node: Node, backend: BlobBackend) -> Iterator[bytes]:
    assert node.digest is not None, "walks give files only"
    return backend.read(node.digest)
