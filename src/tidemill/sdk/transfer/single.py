"""One file, sent for its own sake."""

import hashlib
from pathlib import Path

from tidemill.kernel.errors import Invalid
from tidemill.sdk.language import problem
from tidemill.sdk.transfer.batches import Content
from tidemill.sdk.transfer.progress import Meter, Watch
from tidemill.sdk.transfer.scan import LocalFile
from tidemill.sdk.transfer.uploads import send_uploads
from tidemill.sdk.transport import Transport


def send_file(transport: Transport, project: str, file: Path, watch: Watch | None) -> str:
    """Sends a file as an upload of the project; its digest. What was sent before is not sent again."""
    meter = Meter(watch)
    try:
        seen = file.stat()
        meter.begin("hash", total_files=1, total_bytes=seen.st_size)
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise problem(Invalid, "sdk_source_unreadable", path=file, cause=error.strerror) from error
    meter.begin("send", total_files=1, total_bytes=seen.st_size)
    local = LocalFile(file.name, file, seen.st_size, seen.st_mtime_ns, seen.st_ino)
    send_uploads(transport, project, [Content(digest, local)], meter)
    return digest
