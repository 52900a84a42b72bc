"""Read-only views of what is imported: folders and archives, inner archives opened too, hostile ones refused.

    with open_source(path, scratch=folder) as source: ...

Archives are known by their first bytes, not by their names. Names in GBK, Shift-JIS and other encodings are repaired.
"""

from pathlib import Path

from tidemill.datasets.notes import Refused
from tidemill.datasets.sources.base import Entry, Source
from tidemill.datasets.sources.folder import FileSource, FolderSource
from tidemill.datasets.sources.limits import Budget, Limits
from tidemill.datasets.sources.memory import MemorySource
from tidemill.datasets.sources.nested import NestedSource
from tidemill.datasets.sources.rars import unpack_rar
from tidemill.datasets.sources.tars import open_tar
from tidemill.datasets.sources.unpacked import unpack_single
from tidemill.datasets.sources.zips import ZipSource

__all__ = ["Entry", "Limits", "MemorySource", "Source", "open_source"]

_SUFFIXES = (
    ".zip",
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.bz2",
    ".tbz2",
    ".tbz",
    ".tar.xz",
    ".txz",
    ".rar",
    ".gz",
    ".bz2",
    ".xz",
)
_SINGLE = (".gz", ".bz2", ".xz")
_PACKED_MAGIC = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")


def open_source(path: Path, *, scratch: Path, limits: Limits | None = None, name: str | None = None) -> Source:
    """The view of a folder, an archive or a single file; `name` is what its user calls it.

    `scratch` is an empty folder (made when needed) for what cannot be read in place; it goes with its owner. Raises
    `Refused` for what is broken, encrypted or hostile as a whole.
    """
    budget = Budget(limits or Limits())
    if path.is_dir():
        return _with_inner(FolderSource(path, budget), scratch, budget, depth=0)
    return _open_file(path, name or path.name, scratch, budget, depth=0)


def _open_file(file: Path, name: str, scratch: Path, budget: Budget, depth: int) -> Source:
    try:
        alone = _open_alone(file, name, scratch / "own", budget)
    except Refused as refused:
        # It lies here under a name of ours, which says nothing to its user.
        raise Refused(refused.note.code, name, **refused.note.params) from refused
    return _with_inner(alone, scratch, budget, depth)


def _open_alone(file: Path, name: str, scratch: Path, budget: Budget) -> Source:
    with file.open("rb") as stream:
        head = stream.read(512)
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"):
        return ZipSource(file, budget)
    if head.startswith(b"Rar!\x1a\x07"):
        return unpack_rar(file, scratch, budget)
    if head[257:262] == b"ustar":
        return open_tar(file, scratch, budget, is_packed=False)
    if head.startswith(_PACKED_MAGIC):
        is_single = name.lower().endswith(_SINGLE) and not _is_tar_name(name)
        if is_single:
            return unpack_single(file, name, scratch, budget)
        return open_tar(file, scratch, budget, is_packed=True)
    if name.lower().endswith(_SUFFIXES):
        raise Refused("archive_broken", name, reason="not_as_named")
    return FileSource(file, name)


def _with_inner(source: Source, scratch: Path, budget: Budget, depth: int) -> Source:
    archives = [(entry.path, _mount(entry.path)) for entry in source.entries() if _is_archive_name(entry.path)]
    if not archives:
        return source
    if depth >= budget.limits.depth:
        source.close()
        raise Refused("archive_too_deep", archives[0][0], limit=budget.limits.depth)
    try:
        return NestedSource(
            source, archives, scratch, lambda file, name, own: _open_file(file, name, own, budget, depth + 1)
        )
    except BaseException:
        source.close()
        raise


def _is_archive_name(path: str) -> bool:
    return path.lower().endswith(_SUFFIXES)


def _is_tar_name(name: str) -> bool:
    return name.lower().endswith((".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz"))


def _mount(path: str) -> str:
    """What stands before the paths of an inner archive: `a/b/` for `a/b.zip`; its folder for a single packed file."""
    if path.lower().endswith(_SINGLE) and not _is_tar_name(path):
        return path[: len(path) - len(path.rpartition("/")[2])]
    suffix = next(s for s in sorted(_SUFFIXES, key=len, reverse=True) if path.lower().endswith(s))
    return f"{path[: -len(suffix)]}/"
