"""A folder of the server, read through the server: the program itself sees nothing of the machine it runs on."""

import errno
import os
import threading
from pathlib import Path

from tidemill.datasets.importing.remote import RemoteSource
from tidemill.datasets.notes import Note
from tidemill.datasets.sources import open_source
from tidemill.datasets.sources.base import Source
from tidemill.datasets.sources.naming import is_rubbish
from tidemill.datasets.works.office import Office, Refusal

_REASONS = {"link": "link_skipped", "name": "name_unreadable"}


class ServerFolder(RemoteSource):
    """All plain files below it."""

    def __init__(self, office: Office, scratch: Path) -> None:
        super().__init__(scratch)
        self._office = office
        self._turn = threading.Lock()
        files: dict[str, int] = {}
        left_out: list[Note] = []
        for found in office.server_files():
            if "skipped" in found:
                left_out.append(Note(_REASONS[found["skipped"]], found["path"]))
            elif not is_rubbish(found["path"]):
                files[found["path"]] = found["size_bytes"]
        self._list(files, left_out)

    def _get(self, path: str) -> bytes:
        try:
            with self._turn:
                return self._office.read_server_file(path)
        except Refusal as refusal:
            raise _as_error(refusal, path) from refusal

    def _fetch(self, path: str, target: Path) -> None:
        try:
            with self._turn:
                self._office.fetch_server_file(path, target)
        except Refusal as refusal:
            raise _as_error(refusal, path) from refusal


def open_server_path(office: Office, path: str, scratch: Path) -> Source:
    """The folder, or the file: an archive is fetched and opened."""
    source = ServerFolder(office, scratch)
    entries = list(source.entries())
    name = path.rstrip("/").rpartition("/")[2]
    if len(entries) != 1 or entries[0].path != name:
        return source
    local = scratch / "file"
    source._fetch(name, local)
    return open_source(local, scratch=scratch / "opened", name=name)


def _as_error(refusal: Refusal, path: str) -> OSError:
    """As a file system would say it."""
    number = errno.ENOENT if refusal.status == 404 else errno.EACCES
    return OSError(number, os.strerror(number), path)
