"""Looking through the server's folders that may be imported from."""

import os
from collections.abc import Sequence

from tidemill.datasets.importing import server_paths
from tidemill.datasets.importing.schemas import ServerEntry, ServerListing

SHOWN_MAX = 1000


def list_folder(path: str | None, folders: Sequence[str]) -> ServerListing:
    """Folders first, by name; the allowed ones themselves without a path."""
    if path is None:
        tops = [ServerEntry(name=folder, path=folder, is_folder=True, size_bytes=None) for folder in folders]
        return ServerListing(path="", items=tops, is_cut=False)
    allowed = server_paths.check(path, folders, field="path")
    if allowed.is_file:
        return ServerListing(path=str(allowed.root), items=[], is_cut=False)
    with os.scandir(allowed.root) as listing:
        plain = [entry for entry in listing if not entry.is_symlink() and (entry.is_dir() or entry.is_file())]
    plain.sort(key=lambda entry: (not entry.is_dir(), entry.name))
    return ServerListing(
        path=str(allowed.root), items=[_view(entry) for entry in plain[:SHOWN_MAX]], is_cut=len(plain) > SHOWN_MAX
    )


def _view(entry: "os.DirEntry[str]") -> ServerEntry:
    is_folder = entry.is_dir(follow_symlinks=False)
    size = None if is_folder else entry.stat(follow_symlinks=False).st_size
    return ServerEntry(name=entry.name, path=entry.path, is_folder=is_folder, size_bytes=size)
