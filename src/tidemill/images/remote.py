"""Pulling from another registry: an address somebody named, so checked as all such are, and nothing believed unread."""

import base64
import hashlib
import http.client
import json
import os
import re
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urljoin, urlsplit

from tidemill import __version__
from tidemill.images.archives import SavedImage, SavedManifest
from tidemill.images.names import DIGEST, NAME, VERSION
from tidemill.images.platforms import for_this_machine
from tidemill.images.registry.manifests import IMAGES, INDEXES, MANIFEST_BYTES, load_json, parse_manifest
from tidemill.kernel.errors import Invalid, TooLarge, Unavailable
from tidemill.kernel.outbound import Target, check_url
from tidemill.store.backends import BLOCK_BYTES, Staged

TIMEOUT_S = 60.0
REDIRECTS_MAX = 5
DEFAULT_HOST = "registry-1.docker.io"
_DOCKER = {"docker.io", "index.docker.io", DEFAULT_HOST}
_ACCEPT = ", ".join(sorted(IMAGES | INDEXES))
_FIELD = re.compile(r'(\w+)="([^"]*)"')
_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_KEY = re.compile(r"[0-9a-f]{32}")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Source:
    """An image elsewhere."""

    host: str
    name: str
    reference: str
    """A tag or a digest."""

    def __str__(self) -> str:
        mark = "@" if self.reference.startswith("sha256:") else ":"
        return f"{self.host}/{self.name}{mark}{self.reference}"


def parse_source(text: str) -> Source:
    """What people write: `busybox`, `ghcr.io/org/name:tag`, `host:5000/name@sha256:…`."""
    whole, _, digest = text.strip().removeprefix("docker://").partition("@")
    first, slash, rest = whole.partition("/")
    is_host = bool(slash) and ("." in first or ":" in first or first == "localhost")
    host, path = (first, rest) if is_host else (DEFAULT_HOST, whole)
    name, _, tag = path.partition(":")
    if host in _DOCKER:
        host, name = DEFAULT_HOST, name if "/" in name else f"library/{name}"
    reference = digest or tag or "latest"
    is_reference = DIGEST.fullmatch(reference) or VERSION.fullmatch(reference)
    if not _HOST.fullmatch(host) or not NAME.fullmatch(name) or not is_reference:
        raise Invalid("pull_reference", field="reference", given=text[:200])
    return Source(host, name, reference)


def check_source(source: Source, allow: Sequence[str]) -> None:
    """Refuses at once what must not be reached. Asks the name service, so it is done outside of transactions."""
    check_url(f"https://{source.host}/v2/", allow, field="reference")


class Remote:
    """A registry somewhere else. For one thread."""

    def __init__(self, source: Source, allow: Sequence[str], credentials: tuple[str, str] | None) -> None:
        self._source = source
        self._allow = allow
        self._credentials = credentials
        self._authorization: str | None = None
        self._base = f"{self._scheme()}://{source.host}"

    def fetch(self, folder: Path, *, limit_bytes: int, progress: Progress) -> SavedImage:
        """The image with all it needs, every byte held against its digest. Files are left in the folder."""
        manifests = self._manifests(self._source.reference, depth=0)
        wanted = {c.digest: c for each in manifests for c in each.manifest.children.values() if not c.is_manifest}
        total = sum(child.size_bytes for child in wanted.values())
        if total > limit_bytes:
            raise TooLarge("archive_too_large", max=limit_bytes)
        files: dict[str, Staged] = {}
        done = 0
        for child in wanted.values():
            tell = partial(_tell, progress, done, total)
            files[child.digest] = self._blob(child.digest, child.size_bytes, folder, tell)
            done += child.size_bytes
        return SavedImage(manifests, files)

    def _manifests(self, reference: str, *, depth: int) -> list[SavedManifest]:
        """A manifest after those it names."""
        if depth > 3:
            raise self._broken()
        answer, connection = self._get(f"/v2/{self._source.name}/manifests/{reference}", {"Accept": _ACCEPT})
        try:
            data = answer.read(MANIFEST_BYTES + 1)
        finally:
            connection.close()
        digest = hashlib.sha256(data).hexdigest()
        if reference.startswith("sha256:") and reference != f"sha256:{digest}":
            raise self._broken()
        saved = SavedManifest(digest, data, parse_manifest(data, answer.getheader("Content-Type")))
        if saved.manifest.media_type in INDEXES and (own := for_this_machine(data)):
            return self._manifests(own, depth=depth + 1)
        inner = [f"sha256:{child.digest}" for child in saved.manifest.children.values() if child.is_manifest]
        return [*(each for child in inner for each in self._manifests(child, depth=depth + 1)), saved]

    def _blob(self, digest: str, size_bytes: int, folder: Path, progress: Callable[[int], None]) -> Staged:
        answer, connection = self._get(f"/v2/{self._source.name}/blobs/sha256:{digest}", {})
        path = folder / digest
        running, received = hashlib.sha256(), 0
        try:
            with path.open("wb") as file:
                while block := answer.read(BLOCK_BYTES):
                    received += len(block)
                    if received > size_bytes:
                        raise self._broken()
                    running.update(block)
                    file.write(block)
                    progress(received)
        except (OSError, http.client.HTTPException):
            raise Unavailable("pull_unreachable", host=self._source.host) from None
        finally:
            connection.close()
        if running.hexdigest() != digest or received != size_bytes:
            raise self._broken()
        return Staged(digest, received, str(path))

    def _get(self, path: str, headers: dict[str, str]) -> tuple[http.client.HTTPResponse, http.client.HTTPConnection]:
        answer, connection = self._follow(urljoin(self._base, path), headers)
        if answer.status == 401:
            challenge = answer.getheader("WWW-Authenticate") or ""
            connection.close()
            self._authorize(challenge)
            answer, connection = self._follow(urljoin(self._base, path), headers)
        if answer.status == 200:
            return answer, connection
        connection.close()
        code = {401: "pull_denied", 403: "pull_denied", 404: "pull_unknown"}.get(answer.status, "pull_failed")
        raise Invalid(code, field="reference", reference=str(self._source), status=answer.status)

    def _authorize(self, challenge: str) -> None:
        """Gets a token where the registry says, or sends the password with each request."""
        scheme, _, rest = challenge.partition(" ")
        if scheme.lower() == "basic" and self._credentials:
            self._authorization = self._basic()
            return
        fields = dict(_FIELD.findall(rest))
        if scheme.lower() != "bearer" or "realm" not in fields:
            raise Invalid("pull_denied", field="reference", reference=str(self._source))
        scope = f"repository:{self._source.name}:pull"
        query = urlencode({"service": fields.get("service", ""), "scope": scope})
        address = f"{fields['realm']}{'&' if '?' in fields['realm'] else '?'}{query}"
        answer, connection = self._open(address, {"Authorization": self._basic()} if self._credentials else {})
        try:
            data = answer.read(MANIFEST_BYTES) if answer.status == 200 else b"{}"
        finally:
            connection.close()
        document = load_json(data)
        token = document.get("token") or document.get("access_token")
        if not isinstance(token, str) or not token.isascii() or any(c.isspace() for c in token):
            raise Invalid("pull_denied", field="reference", reference=str(self._source))
        self._authorization = f"Bearer {token}"

    def _follow(
        self, address: str, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, http.client.HTTPConnection]:
        """Redirects lead to where blobs lie; our token is for the registry alone."""
        home = urlsplit(self._base).netloc
        for _ in range(REDIRECTS_MAX):
            is_home = urlsplit(address).netloc == home and self._authorization is not None
            given = {**headers, "Authorization": self._authorization or ""} if is_home else headers
            answer, connection = self._open(address, given)
            location = answer.getheader("Location")
            if answer.status not in {301, 302, 303, 307, 308} or not location:
                return answer, connection
            connection.close()
            address = urljoin(address, location)
        raise self._broken()

    def _open(
        self, address: str, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, http.client.HTTPConnection]:
        """One request to an address that was checked, which its name cannot change any more."""
        schemes = ("https", "http") if self._base.startswith("http://") else ("https",)
        target = check_url(address, self._allow, schemes=schemes, field="reference")
        try:
            connection = _connect(target)
            connection.request("GET", target.path or "/", headers={"User-Agent": f"Tidemill/{__version__}", **headers})
            return connection.getresponse(), connection
        except (OSError, http.client.HTTPException):
            raise Unavailable("pull_unreachable", host=target.host) from None

    def _scheme(self) -> str:
        """Without TLS only where the settings vouch for the host and it does not speak TLS."""
        target = check_url(f"https://{self._source.host}/", self._allow, field="reference")
        if not target.is_listed:
            return "https"
        try:
            _connect(target).close()
        except ssl.SSLError:
            return "http"
        except OSError:
            raise Unavailable("pull_unreachable", host=target.host) from None
        return "https"

    def _basic(self) -> str:
        assert self._credentials is not None
        return "Basic " + base64.b64encode(":".join(self._credentials).encode()).decode()

    def _broken(self) -> Invalid:
        return Invalid("pull_broken", field="reference", host=self._source.host)


def _tell(progress: Progress, before: int, total: int, received: int) -> None:
    progress(before + received, total)


def keep_credentials(folder: Path, key: str, user: str, password: str) -> str:
    """Aside, readable by the server alone, until the pull is over; the key to find them by."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(folder / key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump([user, password], file)
    return key


def find_credentials(folder: Path, key: str) -> tuple[str, str] | None:
    path = folder / key
    if not _KEY.fullmatch(key) or not path.is_file():
        return None
    user, password = json.loads(path.read_text("utf-8"))
    return user, password


def forget_credentials(folder: Path, key: str) -> None:
    if _KEY.fullmatch(key):
        (folder / key).unlink(missing_ok=True)


def forget_old_credentials(folder: Path, before_s: float) -> None:
    """Those of pulls that failed or were cancelled."""
    for path in folder.glob("*") if folder.is_dir() else ():
        if path.stat().st_mtime < before_s:
            path.unlink(missing_ok=True)


def _connect(target: Target) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(target.host, target.port, timeout=TIMEOUT_S)
    plain = socket.create_connection((target.ip, target.port), TIMEOUT_S)
    if target.scheme == "https":
        try:
            connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=target.host)
        except BaseException:
            plain.close()
            raise
    else:
        connection.sock = plain
    return connection
