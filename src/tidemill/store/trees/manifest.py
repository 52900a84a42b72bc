"""Manifests: a tree written down, one JSON line a file, by path. The manifest's digest names the tree's content."""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from json.encoder import encode_basestring
from pathlib import Path

from tidemill.store.backends import Staged
from tidemill.store.trees.listing import Node

LINES_AT_ONCE = 1000


def manifest_lines(nodes: Iterable[Node]) -> Iterator[bytes]:
    """The manifest of files that come in the order of their paths."""
    for node in nodes:
        path = encode_basestring(node.path)
        yield f'{{"path":{path},"sha256":"{node.digest}","size_bytes":{node.size_bytes}}}\n'.encode()


def stage_manifest(nodes: Iterable[Node], path: Path) -> Staged:
    """The manifest as a file, ready to be placed."""
    running, size_bytes = hashlib.sha256(), 0
    with path.open("wb") as file:
        lines = manifest_lines(nodes)
        while piece := b"".join(islice(lines, LINES_AT_ONCE)):
            file.write(piece)
            running.update(piece)
            size_bytes += len(piece)
    return Staged(running.hexdigest(), size_bytes, str(path))
