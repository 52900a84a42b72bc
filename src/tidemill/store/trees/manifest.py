"""Manifests: a tree written down, one JSON line a file, by path. The manifest's digest names the tree's content."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from tidemill.store.backends import Staged
from tidemill.store.trees.listing import Node


def manifest_lines(nodes: Iterable[Node]) -> Iterator[bytes]:
    """The manifest of files that come in the order of their paths."""
    for node in nodes:
        line = {"path": node.path, "sha256": node.digest, "size_bytes": node.size_bytes}
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def stage_manifest(nodes: Iterable[Node], path: Path) -> Staged:
    """The manifest as a file, ready to be placed."""
    running, size_bytes = hashlib.sha256(), 0
    with path.open("wb") as file:
        for line in manifest_lines(nodes):
            file.write(line)
            running.update(line)
            size_bytes += len(line)
    return Staged(running.hexdigest(), size_bytes, str(path))
