"""Trees of files: what a version is made of.

Every folder has a row of its own with the count and size of the files below it, so a listing is one index range and
costs the same with ten files as with a million.
"""

from tidemill.store.trees.changes import Entry, make_folder, put_entries, remove
from tidemill.store.trees.lifecycle import clone_into, create_tree, dissolve, drop, own, seal, share
from tidemill.store.trees.listing import (
    Difference,
    FolderPage,
    Node,
    diff,
    find_entry,
    get_entry,
    list_folder,
    search,
    stream,
    stream_contents,
    walk,
)
from tidemill.store.trees.manifest import manifest_lines
from tidemill.store.trees.moves import move

__all__ = [
    "Difference",
    "Entry",
    "FolderPage",
    "Node",
    "clone_into",
    "create_tree",
    "diff",
    "dissolve",
    "drop",
    "find_entry",
    "get_entry",
    "list_folder",
    "make_folder",
    "manifest_lines",
    "move",
    "own",
    "put_entries",
    "remove",
    "seal",
    "search",
    "share",
    "stream",
    "stream_contents",
    "walk",
]
