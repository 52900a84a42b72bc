"""Small files, many to a request."""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tidemill.kernel.errors import Conflict, Invalid
from tidemill.sdk.language import problem
from tidemill.sdk.refs import address
from tidemill.sdk.transfer.pool import run_all
from tidemill.sdk.transfer.progress import Meter
from tidemill.sdk.transfer.scan import LocalFile
from tidemill.sdk.transport import Transport
from tidemill.sdk.views import Limits

SMALL_BYTES = 4 * 1024 * 1024
"""Files up to this size travel in batches."""
BATCH_BYTES = 16 * 1024 * 1024
IN_FLIGHT = 3
MEDIA_TYPE = "application/x-tidemill-batch"


@dataclass(frozen=True, slots=True)
class Content:
    """A file's bytes, by their digest."""

    digest: str
    file: LocalFile


def send_batches(transport: Transport, project: str, contents: Iterable[Content], limits: Limits, meter: Meter) -> None:
    """Sends small files, a few requests at a time."""
    path = address("projects", project, "blobs", "batch")

    def send(batch: list[Content], stop: threading.Event) -> None:
        if stop.is_set():
            return
        body = frame(batch)
        try:
            transport.call("POST", path, content=body, headers={"Content-Type": MEDIA_TYPE})
        except Invalid as error:
            raise _explain(error, batch) from error
        meter.add(files=len(batch), size_bytes=sum(content.file.size_bytes for content in batch))

    run_all(send, split(contents, limits), threads=IN_FLIGHT)


def split(contents: Iterable[Content], limits: Limits) -> Iterator[list[Content]]:
    """Batches within the server's limits."""
    most_bytes = min(BATCH_BYTES, limits.batch_bytes)
    batch: list[Content] = []
    size = 0
    for content in contents:
        if batch and (len(batch) >= limits.batch_files or size + content.file.size_bytes > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(content)
        size += content.file.size_bytes
    if batch:
        yield batch


def frame(batch: list[Content]) -> bytes:
    """The body of a batch: for each file a line `digest size`, then its bytes."""
    parts: list[bytes] = []
    for content in batch:
        data = _read(content.file)
        parts.append(f"{content.digest} {len(data)}\n".encode("ascii"))
        parts.append(data)
    return b"".join(parts)


def _read(file: LocalFile) -> bytes:
    try:
        data = file.place.read_bytes()
    except OSError as error:
        raise problem(Invalid, "sdk_source_unreadable", path=file.place, cause=error.strerror) from error
    if len(data) != file.size_bytes:
        raise problem(Conflict, "sdk_source_changed", path=file.place)
    return data


def _explain(error: Invalid, batch: list[Content]) -> Exception:
    """A digest the server found wrong is, seen from here, a file that changed after it was hashed."""
    if error.code != "checksum_mismatch":
        return error
    named = str(error.details)
    changed = next((c.file.place for c in batch if c.digest in named), batch[0].file.place.parent)
    return problem(Conflict, "sdk_source_changed", path=changed)
