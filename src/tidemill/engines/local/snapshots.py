"""Freezing a running node's software."""

import os

from tidemill.engines.base import EngineError, Snapshot
from tidemill.engines.local.layout import Layout
from tidemill.engines.local.nodes import Node
from tidemill.engines.local.shells import open_shell

LIST_PACKAGES = """
import json
from importlib.metadata import distributions
found = {}
for package in distributions():
    name = package.metadata["Name"]
    if not name or name.lower() in found:
        continue
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        continue
    address = origin.get("url", "")
    is_elsewhere = address and not address.startswith("file:")
    vcs = origin.get("vcs_info")
    if vcs:
        address = f"{vcs['vcs']}+{address}@{vcs['commit_id']}"
    found[name.lower()] = f"{name} @ {address}" if is_elsewhere else f"{name}=={package.version}"
print("\\n".join(found[name] for name in sorted(found)))
"""
"""Run inside: what it would import, the workspace's own packages before the image's. Needs no pip."""


def take_snapshot(node: Node, layout: Layout) -> Snapshot:
    """A container as an archive; everything else as the list of its Python packages."""
    if node.is_container:
        from tidemill.engines.local.containers import save_container

        return Snapshot("oci", archive=save_container(node, layout.temporary))
    shell = open_shell(node, ["python", "-c", LIST_PACKAGES], environment={}, terminal=None)
    try:
        listed = _read_all(shell.stdout)
        code = shell.wait()
    finally:
        shell.close()
    if code != 0:
        raise EngineError("the node's Python packages cannot be listed")
    return Snapshot("python", requirements=tuple(listed.decode().split("\n")[:-1]))


def _read_all(handle: int) -> bytes:
    pieces = []
    while piece := os.read(handle, 65536):
        pieces.append(piece)
    return b"".join(pieces)
