"""Files of the catalogue: from a folder of this server, or from where they are published; checked by SHA-256."""

import hashlib
import http.client
import os
import socket
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urljoin

from tidemill import __version__
from tidemill.kernel.errors import Invalid, TidemillError, Unavailable
from tidemill.kernel.outbound import Resolver, Target, check_url, resolve_host
from tidemill.models.catalogue.entries import File
from tidemill.store.backends import BLOCK_BYTES, Staged

TIMEOUT_S = 60.0
REDIRECTS_MAX = 5
LOOKED_AT_MAX = 20_000
_MOVED = frozenset({301, 302, 303, 307, 308})

Progress = Callable[[int], None]
"""Told of bytes that came; raises to stop."""


def find_local(folder: Path | None, file: File) -> Path | None:
    """The file in a folder, by its name and size, however deep it lies."""
    if folder is None or not folder.is_dir():
        return None
    name = file.path.rpartition("/")[2]
    for count, (place, _, names) in enumerate(os.walk(folder)):
        if count > LOOKED_AT_MAX:
            return None
        found = Path(place) / name
        if name in names and found.is_file() and found.stat().st_size == file.size_bytes:
            return found
    return None


def copy(source: Path, file: File, target: Path, progress: Progress) -> Staged | None:
    """A copy of a local file; None where its content is another."""
    hasher = hashlib.sha256()
    with source.open("rb") as opened, target.open("wb") as out:
        while block := opened.read(BLOCK_BYTES):
            hasher.update(block)
            out.write(block)
            progress(len(block))
    if hasher.hexdigest() != file.sha256:
        target.unlink()
        return None
    return Staged(file.sha256, file.size_bytes, str(target))


def download(
    file: File, target: Path, allow: Sequence[str], progress: Progress, *, resolve: Resolver = resolve_host
) -> Staged:
    """The file from the first of its addresses that gives it; raises what went wrong with the last."""
    problem: TidemillError = Unavailable("catalogue_no_address", path=file.path)
    for url in file.urls:
        try:
            return _download(url, file, target, allow, progress, resolve)
        except (Invalid, Unavailable) as error:
            problem = error
        except (OSError, http.client.HTTPException, ValueError) as error:
            problem = Unavailable("catalogue_download", path=file.path, reason=f"{type(error).__name__}: {error}"[:200])
    raise problem


def _download(
    url: str, file: File, target: Path, allow: Sequence[str], progress: Progress, resolve: Resolver
) -> Staged:
    for _ in range(REDIRECTS_MAX + 1):
        # Each stop is checked anew, and connected to at the address that was checked.
        place = check_url(url, allow, resolve=resolve)
        connection = _connect(place)
        try:
            connection.request("GET", place.path or "/", headers={"User-Agent": f"Tidemill/{__version__}"})
            answer = connection.getresponse()
            if answer.status in _MOVED and (there := answer.getheader("Location")):
                url = urljoin(url, there)
                continue
            if answer.status != 200:
                raise Unavailable("catalogue_download", path=file.path, reason=f"{answer.status} {place.host}")
            return _take(answer, file, target, progress)
        finally:
            connection.close()
    raise Unavailable("catalogue_download", path=file.path, reason="redirects")


def _take(answer: http.client.HTTPResponse, file: File, target: Path, progress: Progress) -> Staged:
    hasher, received = hashlib.sha256(), 0
    with target.open("wb") as out:
        while block := answer.read(BLOCK_BYTES):
            received += len(block)
            if received > file.size_bytes:
                break
            hasher.update(block)
            out.write(block)
            progress(len(block))
    if received != file.size_bytes or hasher.hexdigest() != file.sha256:
        raise Unavailable("catalogue_checksum", path=file.path)
    return Staged(file.sha256, file.size_bytes, str(target))


def _connect(target: Target) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(target.host, target.port, timeout=TIMEOUT_S)
    plain = socket.create_connection((target.ip, target.port), TIMEOUT_S)
    connection.sock = (
        ssl.create_default_context().wrap_socket(plain, server_hostname=target.host)
        if target.scheme == "https"
        else plain
    )
    return connection
