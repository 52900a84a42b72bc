"""A version becomes a folder."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tidemill.kernel.errors import Invalid
from tidemill.sdk.language import problem
from tidemill.sdk.refs import Ref
from tidemill.sdk.transfer.bulk import fetch_archive, is_worth
from tidemill.sdk.transfer.digests import DigestCache, digest_files
from tidemill.sdk.transfer.fetch import Fetch
from tidemill.sdk.transfer.paths import check_writable, hostile
from tidemill.sdk.transfer.pool import Stopped, run_all
from tidemill.sdk.transfer.progress import Meter, Watch
from tidemill.sdk.transfer.scan import LocalFile
from tidemill.sdk.transfer.target import Target
from tidemill.sdk.views import ManifestLine, Version

if TYPE_CHECKING:
    from tidemill.sdk.client import Client
    from tidemill.sdk.resources.assets import Assets

IN_FLIGHT = 4
_HEX = set("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Pulled:
    """What a pull did."""

    version: Version
    files: int
    size_bytes: int
    fetched_files: int
    fetched_bytes: int
    deleted: list[str] = field(default_factory=list)


def pull(
    client: "Client",
    assets: "Assets",
    ref: Ref,
    folder: Path,
    *,
    path: str = "",
    delete: bool = False,
    watch: Watch | None = None,
) -> Pulled:
    """Fetches what the folder lacks, and with `delete` removes what the version lacks."""
    meter = Meter(watch)
    version = assets.newest(ref)
    # From here on the number counts: a newer version made meanwhile must not mix in.
    ref = replace(ref, version=str(version.number))
    meter.begin("compare", total_files=version.files, total_bytes=version.size_bytes)
    lines = _read_manifest(assets.manifest(ref), path)
    try:
        target = Target(folder)
        missing = _bring(client, assets, ref, path, lines, target, meter)
        extra = list(target.others(set(lines))) if delete else []
        target.remove(extra)
        target.clean()
    except OSError as error:
        place = error.filename or folder
        raise problem(Invalid, "sdk_target_unwritable", path=place, cause=error.strerror) from error
    return Pulled(
        version=version,
        files=len(lines),
        size_bytes=_size(lines),
        fetched_files=len(missing),
        fetched_bytes=_size(missing),
        deleted=[place.relative_to(target.root).as_posix() for place in extra],
    )


def _bring(
    client: "Client",
    assets: "Assets",
    ref: Ref,
    path: str,
    lines: dict[str, ManifestLine],
    target: Target,
    meter: Meter,
) -> dict[str, ManifestLine]:
    """Compares, and fetches what is missing; what that was."""
    cache = DigestCache()
    try:
        missing = _compare(lines, target, cache, meter)
    finally:
        cache.close()
    meter.begin("fetch", total_files=len(missing), total_bytes=_size(missing))
    rest = _fetch_together(client, assets, ref, path, lines, missing, target, meter)
    _fetch_alone(client, assets, ref, rest, target, meter)
    return missing


def _read_manifest(lines: Iterable[ManifestLine], below: str) -> dict[str, ManifestLine]:
    """The files wanted, by where they go; every path is checked before the first byte is written."""
    prefix = f"{below.strip('/')}/" if below.strip("/") else ""
    found: dict[str, ManifestLine] = {}
    folders: set[str] = set()
    for line in lines:
        if not line.path.startswith(prefix):
            continue
        path = line.path[len(prefix) :]
        check_writable(path)
        if path in found or not _is_digest(line.sha256):
            raise hostile(path, "sdk_reason_twice")
        found[path] = line
        folders.update(_folders(path))
    for path in folders & found.keys():
        raise hostile(path, "sdk_reason_twice")
    return found


def _folders(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:n]) for n in range(1, len(parts)))


def _is_digest(text: str) -> bool:
    return len(text) == 64 and set(text) <= _HEX


def _compare(
    lines: dict[str, ManifestLine], target: Target, cache: DigestCache, meter: Meter
) -> dict[str, ManifestLine]:
    """What is not there yet, by where it goes."""
    there = {path: file for path, line in lines.items() if (file := target.find(path)) and _may_be(file, line)}
    digests = digest_files(there.values(), cache, target.root, meter)
    return {path: line for path, line in lines.items() if digests.get(path) != line.sha256}


def _may_be(file: LocalFile, line: ManifestLine) -> bool:
    return file.size_bytes == line.size_bytes


def _size(lines: dict[str, ManifestLine]) -> int:
    return sum(line.size_bytes for line in lines.values())


def _fetch_together(
    client: "Client",
    assets: "Assets",
    ref: Ref,
    below: str,
    lines: dict[str, ManifestLine],
    missing: dict[str, ManifestLine],
    target: Target,
    meter: Meter,
) -> dict[str, ManifestLine]:
    """Brings many files by one call, while that is worth it and gets on; what is still missing then."""
    address = assets.version_address(ref, "archive")
    rest = missing
    while is_worth(rest, lines):
        placed = fetch_archive(client.transport, address, below.strip("/"), rest, target, meter)
        if not placed:
            break
        rest = {path: line for path, line in rest.items() if path not in placed}
    return rest


def _fetch_alone(
    client: "Client",
    assets: "Assets",
    ref: Ref,
    missing: dict[str, ManifestLine],
    target: Target,
    meter: Meter,
) -> None:
    by_digest: dict[str, list[str]] = {}
    for path, line in missing.items():
        by_digest.setdefault(line.sha256, []).append(path)

    def fetch(digest: str, stop: threading.Event) -> None:
        first, *others = by_digest[digest]
        line = missing[first]
        part = target.part(digest)
        address = assets.file_address(ref, line.path)
        try:
            Fetch(client.transport, address, part, digest, line.size_bytes, meter).run(line.path, stop)
            placed = target.put(part, first)
            for other in others:
                target.copy(placed.place, other, digest)
                meter.add(size_bytes=line.size_bytes)
        except Stopped:
            return
        meter.add(files=1 + len(others))

    run_all(fetch, by_digest, threads=IN_FLIGHT, ahead=IN_FLIGHT * 4)
