"""Large files, in chunks, from wherever the server says it is.

The server keeps the offset; the client only asks. So a killed client, a killed server and a lost answer are all the
same thing: ask, seek, go on. The same caller sending the same content finds the same upload.
"""

import hashlib
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BufferedReader

from tidemill.kernel.errors import Conflict, Invalid, NotFound, TidemillError, TooMany, Unavailable
from tidemill.sdk.language import problem
from tidemill.sdk.refs import address
from tidemill.sdk.transfer.batches import Content
from tidemill.sdk.transfer.pool import Stopped, run_all
from tidemill.sdk.transfer.progress import Meter
from tidemill.sdk.transport import Transport
from tidemill.sdk.views import Upload

IN_FLIGHT = 2
FAULTS_MAX = 3
"""How often bytes may arrive damaged before we give up."""


def send_uploads(transport: Transport, project: str, contents: Iterable[Content], meter: Meter) -> None:
    """Sends large files, two at a time."""

    def send(content: Content, stop: threading.Event) -> None:
        try:
            with open(content.file.place, "rb") as stream:
                _Sending(transport, project, content, stream, meter, stop).run()
        except Stopped:
            return
        except OSError as error:
            place = content.file.place
            raise problem(Invalid, "sdk_source_unreadable", path=place, cause=error.strerror) from error

    run_all(send, contents, threads=IN_FLIGHT)


class _Sending:
    """One file on its way."""

    def __init__(
        self,
        transport: Transport,
        project: str,
        content: Content,
        stream: BufferedReader,
        meter: Meter,
        stop: threading.Event,
    ) -> None:
        self.transport = transport
        self.project = project
        self.content = content
        self.stream = stream
        self.meter = meter
        self.stop = stop
        self.counted = 0
        self.faults = 0

    def run(self) -> None:
        upload = self._open()
        waits = self.transport.patience.waits()
        while upload.state != "complete":
            before = upload.offset
            try:
                upload = self._send_from(upload)
            except (Unavailable, Conflict, Invalid, NotFound, TooMany) as error:
                upload = self._recover(upload, error, waits)
            if upload.offset > before:
                waits = self.transport.patience.waits()
        self._count(self.content.file.size_bytes)
        self.meter.add(files=1)

    def _open(self) -> Upload:
        file = self.content.file
        body = {"size_bytes": file.size_bytes, "sha256": self.content.digest, "name": file.path[-255:]}
        path = address("projects", self.project, "uploads")
        return Upload.read(self.transport.call("POST", path, json=body))

    def _send_from(self, upload: Upload) -> Upload:
        """Sends chunks from the upload's offset on; reading and hashing run one chunk ahead of sending."""
        self._count(upload.offset)
        path = address("projects", self.project, "uploads", upload.id, "chunk")
        for offset, data, digest in self._chunks(upload):
            if self.stop.is_set():
                raise Stopped
            headers = {"Content-Type": "application/octet-stream", "X-Chunk-SHA256": digest}
            answer = self.transport.call(
                "PUT", path, params={"offset": offset}, content=data, headers=headers, is_repeatable=False
            )
            upload = Upload.read(answer)
            self._count(upload.offset if upload.state != "complete" else self.content.file.size_bytes)
        return upload

    def _chunks(self, upload: Upload) -> Iterator[tuple[int, bytes, str]]:
        size = self.content.file.size_bytes
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="read") as reader:
            coming = reader.submit(self._read, upload.offset, upload.chunk_bytes)
            for offset in range(upload.offset, size, upload.chunk_bytes):
                data, digest = coming.result()
                if offset + len(data) < size:
                    coming = reader.submit(self._read, offset + len(data), upload.chunk_bytes)
                yield offset, data, digest

    def _read(self, offset: int, length: int) -> tuple[bytes, str]:
        self.stream.seek(offset)
        wanted = min(length, self.content.file.size_bytes - offset)
        data = self.stream.read(wanted)
        if len(data) < wanted:
            raise problem(Conflict, "sdk_source_changed", path=self.content.file.place)
        return data, hashlib.sha256(data).hexdigest()

    def _recover(self, upload: Upload, error: TidemillError, waits: Iterator[float]) -> Upload:
        """After a chunk that failed: where the upload is now. Raises when it is not for us to mend."""
        if isinstance(error, Conflict | Invalid) and error.code not in _MENDABLE:
            raise error
        if error.code == "checksum_mismatch":
            self._count_fault(error)
        elif error.code != "wrong_offset":
            wait = next(waits, None)
            if wait is None:
                raise error
            self.transport.sleep(wait)
        try:
            return self._find(upload)
        except Unavailable:
            return upload

    def _find(self, upload: Upload) -> Upload:
        path = address("projects", self.project, "uploads", upload.id)
        try:
            return Upload.read(self.transport.call("GET", path))
        except NotFound:
            return self._open()

    def _count_fault(self, error: TidemillError) -> None:
        self.faults += 1
        if self.faults < FAULTS_MAX:
            return
        if self._was_changed():
            raise problem(Conflict, "sdk_source_changed", path=self.content.file.place) from error
        raise problem(Unavailable, "sdk_upload_stuck", path=self.content.file.path) from error

    def _was_changed(self) -> bool:
        self.stream.seek(0)
        return hashlib.file_digest(self.stream, "sha256").hexdigest() != self.content.digest

    def _count(self, offset: int) -> None:
        self.meter.add(size_bytes=offset - self.counted)
        self.counted = offset


_MENDABLE = {"wrong_offset", "checksum_mismatch", "upload_busy", "upload_too_slow"}
