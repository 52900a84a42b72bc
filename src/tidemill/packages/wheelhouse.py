"""Wheels for machines without network: from the store, or put together again from what our own Python has installed."""

import base64
import hashlib
import importlib.metadata
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.orm import Session

from tidemill.images.depot import Images
from tidemill.images.environments import OWN_ENTRY
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Conflict
from tidemill.packages.building import effective_image
from tidemill.packages.locking import of_own
from tidemill.packages.plans import Plan

Wheel = tuple[str, int, Iterator[bytes]]
"""A file name, its size, its bytes."""


def wheels_of(images: Images, plan: Plan, image: ImageRow | None) -> Iterator[Wheel]:
    """Every wheel of the environment the version runs in."""
    with images.db.read() as session:
        row = image or _base(session, plan)
    lock = row.lock if row is not None else []
    for name, digest, size in lock:
        if name != OWN_ENTRY:
            yield str(name), int(size), images.store.backend.read(str(digest))
    if effective_image(plan) is None:
        there = {str(name).split("-")[0].lower().replace("-", "_") for name, _, _ in lock}
        for name in of_own(plan):
            if name.replace("-", "_") not in there:
                yield _repacked(name)


def _base(session: Session, plan: Plan) -> ImageRow | None:
    return None if effective_image(plan) is None else session.get(ImageRow, plan.base.id)


def _repacked(name: str) -> Wheel:
    """An installed package as the wheel it came from, but for the scripts of its commands."""
    found = importlib.metadata.distribution(name)
    sink, recorded = io.BytesIO(), []
    tags = [
        line.split(":", 1)[1].strip() for line in (found.read_text("WHEEL") or "").splitlines() if line[:4] == "Tag:"
    ]
    info = next((file.parts[0] for file in found.files or [] if file.parts[0].endswith(".dist-info")), None)
    if not tags or info is None:
        raise Conflict("package_wheel_missing", name=name)
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in found.files or []:
            path, on_disk = file.as_posix(), Path(str(file.locate()))
            if ".." in file.parts or path.endswith((".pyc", "/RECORD", "/INSTALLER", "/REQUESTED", "/direct_url.json")):
                continue
            if not on_disk.is_file():
                continue
            data = on_disk.read_bytes()
            archive.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            recorded.append(f"{_quoted(path)},sha256={digest},{len(data)}")
        archive.writestr(f"{info}/RECORD", "".join(f"{line}\n" for line in [*recorded, f"{info}/RECORD,,"]))
    data = sink.getvalue()
    return f"{info.removesuffix('.dist-info')}-{_together(tags)}.whl", len(data), iter([data])


def _together(tags: list[str]) -> str:
    """Tags as a file name has them: each part once, with dots between."""
    parts = zip(*(tag.split("-") for tag in tags), strict=True)
    return "-".join(".".join(dict.fromkeys(part)) for part in parts)


def _quoted(path: str) -> str:
    return f'"{path}"' if "," in path else path
