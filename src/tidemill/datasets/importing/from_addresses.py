"""Files at http and https addresses, fetched side by side; what was fetched before is not fetched again."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx2

from tidemill.datasets.formats.base import Label, Sample
from tidemill.datasets.importing.feeds import Record
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import Malformed, why
from tidemill.datasets.works.guard import Unreachable
from tidemill.datasets.works.office import Office

THREADS = 8
FILE_MAX_BYTES = 20 << 30
TRIES = 3
REDIRECTS_MAX = 5
_TYPES = {
    "image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif", "image/bmp": ".bmp",
    "image/tiff": ".tif", "text/plain": ".txt", "application/json": ".json", "audio/mpeg": ".mp3",
    "audio/wav": ".wav", "audio/x-wav": ".wav", "video/mp4": ".mp4", "application/zip": ".zip",
}  # fmt: skip


class Fetched:
    """The addresses of an import and the files they gave."""

    def __init__(self, addresses: list[dict[str, Any]], folder: Path) -> None:
        self._addresses = addresses
        self._folder = folder
        self.notes: list[Note] = []
        self.names: dict[int, str] = {}
        """The path of each that came, by its place in the list."""

    def fetch(self, office: Office) -> None:
        """Brings all of them."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (
            httpx2.Client(timeout=60, follow_redirects=True, max_redirects=REDIRECTS_MAX, trust_env=False) as http,
            ThreadPoolExecutor(THREADS, thread_name_prefix="fetch") as pool,
        ):
            results = pool.map(lambda place: self._bring(http, place), range(len(self._addresses)))
            for place, (found, note) in enumerate(results):
                if note is not None:
                    self.notes.append(note)
                elif found is not None:
                    self.names[place] = found
                office.progress("fetching", now=False, total=len(self._addresses))

    def place(self, place: int) -> Path:
        return self._folder / f"{place:06d}"

    def _bring(self, http: httpx2.Client, place: int) -> tuple[str | None, Note | None]:
        url = self._addresses[place]["url"]
        kept, told = self.place(place), self._folder / f"{place:06d}.name"
        if told.exists():
            return told.read_text("utf-8"), None
        for attempt in range(TRIES):
            try:
                name = self._download(http, url, kept, self._addresses[place].get("path"), place)
            except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
                is_last = attempt == TRIES - 1 or isinstance(error, httpx2.HTTPStatusError | httpx2.InvalidURL)
                if is_last:
                    return None, Note("address_unreadable", url, place + 1, params=_why(error))
            else:
                told.write_text(name, "utf-8")
                return name, None
        return None, None

    def _download(self, http: httpx2.Client, url: str, kept: Path, path: str | None, place: int) -> str:
        with http.stream("GET", url) as response:
            response.raise_for_status()
            size = 0
            with kept.open("wb") as out:
                for block in response.iter_bytes():
                    size += len(block)
                    if size > FILE_MAX_BYTES:
                        raise Malformed("larger_than", limit=FILE_MAX_BYTES)
                    out.write(block)
            kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        return path or _name(url, kind, place)


def labelled_records(fetched: Fetched, addresses: list[dict[str, Any]]) -> Iterator[Record]:
    """A sample for each address, of the class that was given with it."""
    yield from fetched.notes
    seen: set[str] = set()
    for place, name in sorted(fetched.names.items()):
        label = addresses[place].get("label")
        if label and label not in seen:
            seen.add(label)
            yield Label(label)
        annotations = [{"type": "class", "label": label}] if label else []
        info = {"address": addresses[place]["url"]}
        yield Sample(name, f"{place:06d}", annotations, info=info)


def _name(url: str, kind: str, place: int) -> str:
    """The last part of the address; a number before it keeps those of one name apart."""
    last = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]) or "file"
    last = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in last)[-150:].strip(". ") or "file"
    suffix = _TYPES.get(kind, "")
    if suffix and "." not in last:
        last += suffix
    return f"{place + 1:06d}-{last}"


def _why(error: Exception) -> dict[str, Any]:
    if _is_forbidden(error):
        return {"reason": "address_forbidden"}
    match error:
        case httpx2.HTTPStatusError():
            return {"reason": "http_status", "status": error.response.status_code}
        case httpx2.TimeoutException():
            return {"reason": "timed_out"}
        case httpx2.TooManyRedirects():
            return {"reason": "too_many_redirects"}
        case httpx2.InvalidURL() | httpx2.UnsupportedProtocol():
            return {"reason": "address_wrong"}
        case httpx2.ConnectError():
            return {"reason": "no_answer"}
        case httpx2.HTTPError():
            return {"reason": "connection_lost"}
    return why(error)


def _is_forbidden(error: BaseException | None) -> bool:
    """Whether the guard stood behind it: HTTP clients wrap what they meet."""
    for _ in range(10):
        if error is None or isinstance(error, Unreachable):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, Unreachable)
