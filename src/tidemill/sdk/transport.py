"""Calls to the server: addresses, who is calling, trying again, errors.

A call that may be repeated is repeated while patience lasts: reads always, writes because each carries an
`Idempotency-Key`, so that a write whose answer was lost is not done twice. A server that never answered this client is
not waited for: most likely the address is wrong or it is not running, and the user should hear so at once.
"""

import ssl
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from tidemill import __version__
from tidemill.kernel.errors import TidemillError, Unavailable
from tidemill.kernel.i18n import Language
from tidemill.sdk.failures import to_error
from tidemill.sdk.language import worded
from tidemill.sdk.patience import NONE, Patience

API = "/api/v1"
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_AWAY = {502, 503, 504}

Params = Mapping[str, Any]


class Transport:
    """One server, one caller. Safe to use from several threads."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None,
        language: Language,
        timeout_s: float = 60.0,
        patience: Patience | None = None,
        sleep: Callable[[float], None] = time.sleep,
        backend: httpx2.BaseTransport | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.language = language
        self.patience = patience or Patience()
        self.sleep = sleep
        self.was_reached = False
        headers = {
            "Accept-Language": language,
            "User-Agent": f"tidemill-python/{__version__}",
            "X-Tidemill": "1",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            self._http = _make_http(self.url, headers, timeout_s, backend)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise worded(Unavailable("sdk_url_invalid", url=url), language) from error

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        json: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool = True,
        timeout_s: float | None = None,
    ) -> Any:
        """The answer's JSON, or None when it has no body. Raises the server's error as ours."""
        options: dict[str, Any] = {"params": _clean(params), "headers": dict(headers or {})}
        if json is not None:
            options["json"] = json
        if content is not None:
            options["content"] = content
        if timeout_s is not None:
            options["timeout"] = timeout_s
        if method != "GET" and is_repeatable:
            options["headers"].setdefault("Idempotency-Key", uuid.uuid4().hex)
        response = self._persist(method, path, options, self.patience if is_repeatable else NONE)
        return response.json() if response.content else None

    def fetch(self, path: str, target: str | Path, *, params: Params | None = None) -> Path:
        """Writes a body to a file as it comes."""
        file = Path(target)
        with self.stream(path, params=params) as response, file.open("wb") as out:
            for block in response.iter_bytes():
                out.write(block)
        return file

    @contextmanager
    def stream(
        self, path: str, *, params: Params | None = None, headers: Mapping[str, str] | None = None
    ) -> Iterator[httpx2.Response]:
        """A response whose body is read as it comes. Opening it is repeated; reading it is the caller's to resume."""
        request = self._http.build_request("GET", f"{API}{path}", params=_clean(params), headers=dict(headers or {}))
        waits = self._waits(self.patience)
        while True:
            try:
                response = self._http.send(request, stream=True)
                break
            except httpx2.TransportError as error:
                self._wait_or_give_up(waits, error)
        self.was_reached = True
        try:
            if response.is_error:
                response.read()
                raise worded(to_error(response), self.language)
            yield response
        except httpx2.TransportError as error:
            raise self.away(error) from error
        finally:
            response.close()

    def away(self, cause: Exception) -> Unavailable:
        """What to tell the user when the server does not answer."""
        code = "sdk_timed_out" if isinstance(cause, httpx2.TimeoutException) else "sdk_server_away"
        if isinstance(cause, httpx2.TimeoutException) and not self.was_reached:
            code = "sdk_server_away"
        error = Unavailable(code, url=self.url, cause=str(cause) or type(cause).__name__)
        worded(error, self.language)
        return error

    def forget_token(self) -> None:
        """Calls as nobody, or as whoever signs in."""
        self._http.headers.pop("Authorization", None)

    def close(self) -> None:
        self._http.close()

    def _persist(self, method: str, path: str, options: dict[str, Any], patience: Patience) -> httpx2.Response:
        waits = self._waits(patience)
        while True:
            try:
                response = self._http.request(method, f"{API}{path}", **options)
            except httpx2.ReadTimeout as error:
                # The server is at work on it; asking again would only give it the same work twice.
                raise self.away(error) from error
            except httpx2.TransportError as error:
                self._wait_or_give_up(waits, error)
                continue
            self.was_reached = True
            if response.is_success:
                return response
            error_said = worded(to_error(response), self.language)
            if response.status_code not in _AWAY or not self._wait(waits):
                raise error_said

    def _waits(self, patience: Patience) -> Iterator[float]:
        return (patience if self.was_reached else NONE).waits()

    def _wait_or_give_up(self, waits: Iterator[float], error: httpx2.TransportError) -> None:
        if not self._wait(waits):
            raise self.away(error) from error

    def _wait(self, waits: Iterator[float]) -> bool:
        wait = next(waits, None)
        if wait is None:
            return False
        self.sleep(wait)
        return True


def is_passing(error: TidemillError) -> bool:
    """Whether an error may go away by itself: the server was not there."""
    return isinstance(error, Unavailable)


def _clean(params: Params | None) -> dict[str, Any]:
    """Query parameters that were given; True is written as the API spells it."""
    given = {name: value for name, value in (params or {}).items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}


def _make_http(
    url: str, headers: dict[str, str], timeout_s: float, backend: httpx2.BaseTransport | None
) -> httpx2.Client:
    parsed = httpx2.URL(url)
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise httpx2.UnsupportedProtocol(f"not an http or https address: {url}")
    # Reading the machine's certificates takes a while, and plain http needs none.
    verify: ssl.SSLContext | bool = True if parsed.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx2.Client(
        base_url=url,
        headers=headers,
        verify=verify,
        timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, 10.0)),
        limits=httpx2.Limits(max_connections=32, max_keepalive_connections=16, keepalive_expiry=4.0),
        trust_env=parsed.host not in _LOOPBACK,
        transport=backend,
    )
