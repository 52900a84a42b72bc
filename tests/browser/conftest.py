"""A real Chromium on a real server, with people, a project, and a watch over what goes wrong in the page."""

import json
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.jupyter_packages import FROM_CACHE
from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tidemill.server.site import is_built

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
USER_PASSWORD = "stapled-to-the-wall"
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def allowed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the server that data may be imported from."""
    return tmp_path_factory.mktemp("allowed")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, allowed_folder: Path) -> Iterator[LiveServer]:
    """One server for all browser tests; each test makes its own project and users."""
    if not is_built():
        pytest.fail("the web application is not built: run `make web`")
    # All tests share the machine, and what one leaves running must not make another's work wait.
    environment = {**FROM_CACHE, "TIDEMILL_IMPORT_FOLDERS": str(allowed_folder), "TIDEMILL_ENGINE_CPUS": "16"}
    with live_server(tmp_path_factory.mktemp("browser") / "home", **environment) as running:
        yield running
        running.reset()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip("no Chromium at /usr/bin/chromium (Debian package: chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


class Rest:
    """Sets the stage through the API, as an administrator."""

    def __init__(self, url: str) -> None:
        self.http = httpx2.Client(base_url=f"{url}/api/v1", headers={"X-Tidemill": "1"}, timeout=30)
        self.call("post", "/session", {"user": "admin", "password": ADMIN_PASSWORD})

    def call(self, verb: str, path: str, body: Any = None, **options: Any) -> Any:
        answer = self.http.request(verb.upper(), path, **({"json": body} if body is not None else {}), **options)
        assert answer.is_success, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def user(self, name: str, project: str | None = None, role: str = "member", **fields: Any) -> str:
        body = {"name": name, "password": USER_PASSWORD, "kind": "member", "must_change_password": False, **fields}
        self.call("post", "/users", body)
        if project:
            self.call("post", f"/projects/{project}/members", {"user": name, "role": role})
        return name

    def version(self, project: str, kind: str, name: str, files: dict[str, bytes], *, commit: bool = True) -> None:
        """An asset with one more version of these files."""
        if self.http.get(f"/projects/{project}/{kind}/{name}").status_code == 404:
            self.call("post", f"/projects/{project}/{kind}", {"name": name, "scene": "other"})
        number = self.call("post", f"/projects/{project}/{kind}/{name}/versions", {})["number"]
        base = f"/projects/{project}/{kind}/{name}/versions/{number}"
        for path, content in files.items():
            self.call("put", f"{base}/files/{path}", content=content)
        if commit:
            self.call("post", f"{base}/commit", {})


@pytest.fixture(scope="session")
def rest(server: LiveServer) -> Iterator[Rest]:
    stage = Rest(server.url)
    yield stage
    stage.http.close()


@pytest.fixture
def project(rest: Rest) -> str:
    """A project of the test's own."""
    name = f"p-{secrets.token_hex(4)}"
    rest.call("post", "/projects", {"name": name})
    return name


class Visitor:
    """A person at a browser."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context = context
        self.url = url
        self.troubles: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("console", self._note_complaint)
        self.page.on("request", self._note_stranger)

    def go(self, path: str) -> Page:
        self.page.goto(self.url + path)
        return self.page

    def sign_in(self, name: str, password: str = USER_PASSWORD) -> None:
        """As the browser's cookie would have it, without the form."""
        answer = self.context.request.post(
            f"{self.url}/api/v1/session", data={"user": name, "password": password}, headers={"X-Tidemill": "1"}
        )
        assert answer.ok, answer.text()

    def _note_complaint(self, message: Any) -> None:
        """An answer that refuses is part of the game, and Chromium reports it; our own failures are not."""
        if message.type == "error" and not re.search(r"responded with a status of 4\d\d", message.text):
            self.troubles.append(f"console: {message.text}")

    def _note_stranger(self, request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:", "about:")):
            self.troubles.append(f"left this machine: {request.url}")


@pytest.fixture
def visit(chromium: Browser, server: LiveServer) -> Iterator[Any]:
    """`visit(language=…, size=…, dark=…)`: a new visitor; at the end no page may have had errors.

    `still`: without movements: a busy machine draws so few steps of them that clicks miss.
    """
    visitors: list[Visitor] = []

    def make(
        *, language: str = "en", size: dict[str, int] | None = None, dark: bool = False, still: bool = True
    ) -> Visitor:
        context = chromium.new_context(
            locale=language,
            viewport=size or WIDE,  # type: ignore[arg-type]
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if still else "no-preference",
            accept_downloads=True,
        )
        context.set_default_timeout(15_000)
        visitors.append(Visitor(context, server.url))
        return visitors[-1]

    expect.set_options(timeout=15_000)
    yield make
    troubles = [trouble for visitor in visitors for trouble in visitor.troubles]
    for visitor in visitors:
        visitor.context.close()
    assert troubles == []


def serious_violations(page: Page) -> list[str]:
    """What axe-core finds serious or critical on the page as it is now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [
        f"{v['id']}: {v['help']}: {json.dumps([n['target'] for n in v['nodes'][:5]])}"
        for v in found
        if v["impact"] in {"serious", "critical"}
    ]
