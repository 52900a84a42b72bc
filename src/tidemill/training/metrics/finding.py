"""Files in a workspace that hold points: TensorBoard's event files, and what scripts could not send.

A workspace belongs to a workload, which may be hostile: links are not followed, and looking is bounded.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

LEFT_FOLDER = ".tidemill/metrics"
"""Where the SDK leaves what it could not send; `sdk.tracking` names it too."""

_SKIPPED = frozenset({"dataset", "model", ".git", "node_modules", "__pycache__", ".local", ".cache"})
"""What was placed for reading, and what no script logs into."""
_DEPTH_MAX = 12
_ENTRIES_MAX = 50_000
FILES_MAX = 200
_SPLITS = frozenset({"train", "training", "validation", "valid", "val", "test", "eval"})


@dataclass(frozen=True, slots=True)
class EventFile:
    """An event file, and what its tags are preceded by."""

    path: str
    """Below the workspace."""
    prefix: str


def find_event_files(workspace: Path) -> list[EventFile]:
    """All event files, in the order of their names, which begin with the time they were made."""
    found: list[str] = []
    seen = 0
    pending = [("", 0)]
    while pending and seen < _ENTRIES_MAX and len(found) < FILES_MAX:
        folder, depth = pending.pop()
        try:
            with os.scandir(workspace / folder) as entries:
                for entry in entries:
                    seen += 1
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if depth < _DEPTH_MAX and not (entry.name in _SKIPPED and depth < 2):
                            pending.append((path, depth + 1))
                    elif "tfevents" in entry.name and entry.is_file(follow_symlinks=False):
                        found.append(path)
        except OSError:
            continue  # it went away, or is not for us to read
    folders = {os.path.dirname(path) for path in found}
    return [EventFile(path, _prefix(path, folders)) for path in sorted(found, key=_made_first)]


def find_left_files(workspace: Path) -> list[str]:
    """What scripts could not send before they ended."""
    try:
        with os.scandir(workspace / LEFT_FOLDER) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [f"{LEFT_FOLDER}/{name}" for name in sorted(names)[:FILES_MAX] if name.endswith(".jsonl")]


def _made_first(path: str) -> tuple[str, str]:
    return os.path.basename(path), path


def _prefix(path: str, folders: Iterable[str]) -> str:
    """Writers below another writer's folder, and those named for a part of the data, are told apart by their folder."""
    folder = os.path.dirname(path)
    above = [other for other in folders if other != folder and (folder.startswith(f"{other}/") or other == "")]
    if above:
        top = min(above, key=len)
        return folder[len(top) :].strip("/") + "/"
    name = os.path.basename(folder)
    return f"{name}/" if name in _SPLITS else ""
