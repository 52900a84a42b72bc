"""Wheels for machines without network: from the store, or put together again from what our own Python has installed."""

import base64
import hashlib
import importlib.metadata
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from sqlalchemy.orm import Session

from tidemill.images.depot import Images
from tidemill.images.environments import OWN_ENTRY
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Conflict
from tidemill.packages.building import effective_image
from tidemill.packages.locking import names_of
from tidemill.packages.plans import Plan
from tidemill.store.backends import BLOCK_BYTES

Wheel = tuple[str, int, Iterator[bytes]]
"""A file name, its size, its bytes."""
_MADE_AT = (1980, 1, 1, 0, 0, 0)
"""The same files give the same wheel."""
_LEFT_OUT = (".pyc", "/RECORD", "/INSTALLER", "/REQUESTED", "/direct_url.json")


def wheels_of(images: Images, plan: Plan, image: ImageRow | None, pins: Sequence[str]) -> Iterator[Wheel]:
    """Every wheel that the pins (`name==version`) name: those of the version's image, the rest of our own Python.

    Raises Conflict at once where our own Python has another version by now, or one that did not come in a wheel.
    """
    with images.db.read() as session:
        row = image or _base(session, plan)
    lock = list(row.lock) if row is not None else []
    there = names_of(lock)
    own = [_installed(name, version) for name, _, version in (pin.partition("==") for pin in pins) if name not in there]
    return _wheels(images, lock, own)


def _wheels(
    images: Images, lock: Sequence[Sequence[Any]], own: Sequence[importlib.metadata.Distribution]
) -> Iterator[Wheel]:
    for name, digest, size in lock:
        if name != OWN_ENTRY:
            yield str(name), int(size), images.store.backend.read(str(digest))
    for found in own:
        yield repacked(found)


def _base(session: Session, plan: Plan) -> ImageRow | None:
    return None if effective_image(plan) is None else session.get(ImageRow, plan.base.id)


def _installed(name: str, version: str) -> importlib.metadata.Distribution:
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise Conflict("package_wheel_other", name=name, version=version, installed="-") from None
    if found.version.partition("+")[0] != version:
        raise Conflict("package_wheel_other", name=name, version=version, installed=found.version)
    if not _tags(found) or _info(found) is None:
        raise Conflict("package_wheel_missing", name=name)
    return found


def repacked(found: importlib.metadata.Distribution) -> Wheel:
    """An installed package as the wheel it came from, but for the scripts of its commands."""
    info, recorded = _info(found), []
    assert info is not None
    sink = tempfile.TemporaryFile()  # noqa: SIM115 — closed with the last block; it may be hundreds of megabytes
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in found.files or []:
            path, on_disk = file.as_posix(), Path(str(file.locate()))
            if ".." in file.parts or path.endswith(_LEFT_OUT) or not on_disk.is_file():
                continue
            data = on_disk.read_bytes()
            archive.writestr(_entry(path, on_disk.stat().st_mode), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            recorded.append(f"{_quoted(path)},sha256={digest},{len(data)}")
        record = f"{info}/RECORD"
        archive.writestr(_entry(record, 0o644), "".join(f"{line}\n" for line in [*recorded, f"{record},,"]))
    size = sink.tell()
    sink.seek(0)
    return f"{info.removesuffix('.dist-info')}-{_together(_tags(found))}.whl", size, _blocks(sink)


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while block := file.read(BLOCK_BYTES):
            yield block


def _entry(path: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, _MADE_AT)
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100755 if mode & 0o100 else 0o100644) << 16
    return entry


def _tags(found: importlib.metadata.Distribution) -> list[str]:
    told = (found.read_text("WHEEL") or "").splitlines()
    return [line.split(":", 1)[1].strip() for line in told if line.startswith("Tag:")]


def _info(found: importlib.metadata.Distribution) -> str | None:
    return next((file.parts[0] for file in found.files or [] if file.parts[0].endswith(".dist-info")), None)


def _together(tags: list[str]) -> str:
    """Tags as a file name has them: each part once, with dots between."""
    parts = zip(*(tag.split("-") for tag in tags), strict=True)
    return "-".join(".".join(dict.fromkeys(part)) for part in parts)


def _quoted(path: str) -> str:
    return f'"{path}"' if "," in path else path
